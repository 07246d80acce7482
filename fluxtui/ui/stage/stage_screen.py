"""The stage: one constraint of a list at a time, large and calm, with its count and its map."""

from collections.abc import Callable
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from fluxtui import workbench
from fluxtui.answers.explain.explanation import Explanation, explain
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import printable
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.colouring import in_colours
from fluxtui.ui.kit.one_line import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.cluster_map import show_map
from fluxtui.ui.nodes.highlights import OTHER, lit
from fluxtui.ui.nodes.map_colours import MATCHING, RANK, Shown, marks, states
from fluxtui.ui.nodes.nodes_view import Highlight
from fluxtui.ui.screen import PassingScreen
from fluxtui.ui.stage.stage_view import StageConstraint, StageMap, StageReading, StageText

#: Makes a list for a cluster.
Script = Callable[[Resources], Stage]

#: The quiet line of keys: what to press, and what it does; the last ones go where room is short.
#: READ and MAP are among them where the reading and the map take turns.
READ, MAP = ("r", "reading"), ("r", "map")
KEYS = (
    ("← →", "step"),
    ("l", "list"),
    ("e", "edit"),
    ("esc", "leave"),
    ("F1", "keys"),
    ("c", "copy"),
    ("s", "picture"),
    ("F9", "theme"),
    ("home end", "first, last"),
)
PROBLEMS = 2  # that are told
SHORT = 28  # rows of the screen below which the constraint has few lines


class StageScreen(PassingScreen[str]):
    """Shows the steps of a list on a cluster; nothing of the workbench changes meanwhile.

    It ends with the text of the constraint to edit, or with None. script makes the list for the
    cluster, and again for another one; place is the step of it to begin with, from 0. own are
    steps of the person's own constraints: where they lead they stand before the list, at places
    below 0, else one gets to them by choosing. on_copy takes a text to copy, on_picture saves the
    screen.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,pagedown,space,enter", "go(1)", "Next", show=False),
        Binding("left,pageup,backspace", "go(-1)", "Previous", show=False),
        Binding("home", "go(-1000000)", "First", show=False),
        Binding("end", "go(1000000)", "Last", show=False),
        Binding("l,g", "choose", "List", show=False),
        Binding("e", "edit", "Edit", show=False),
        Binding("escape,f11", "leave", "Leave", show=False),
        Binding("f1,question_mark", "keys", "Keys", show=False),
        Binding("r", "read", "Reading", show=False),
        Binding("c,ctrl+y", "copy", "Copy", show=False),
        Binding("s", "picture", "Picture", show=False),
    ]

    def __init__(
        self,
        cluster: workbench.Cluster,
        script: Script,
        place: int,
        *,
        own: tuple[Step, ...],
        own_leads: bool,
        on_copy: Callable[[Callable[[], str]], object],
        on_picture: Callable[[], object],
    ) -> None:
        super().__init__()
        self._own = own
        self._own_leads = own_leads
        self._on_copy = on_copy
        self._on_picture = on_picture
        self.head = OneLine(id="stage-head")
        self.heading = StageText(id="stage-title")
        self.note = StageText(id="stage-note")
        self.constraint = StageConstraint(id="stage-constraint")
        self.count = OneLine(id="stage-count")
        self.problem = StageText(id="stage-problem")
        self.map = StageMap(self._show_count)
        self.reading = StageReading(lambda: self.map.is_airy)
        self.keys = OneLine(id="stage-keys")
        self._found: Explanation | None = None
        self._take(cluster, script, place)

    def compose(self) -> ComposeResult:
        """From the top: the list, the words, the constraint, the answer, the keys."""
        yield self.head
        yield self.heading
        yield self.note
        yield self.constraint
        yield self.count
        yield self.problem
        with Horizontal(id="stage-body"):
            yield self.map
            yield self.reading
        yield self.keys

    def on_mount(self) -> None:
        """Show the step, and follow the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        show_map(self.map, self._base.cluster)
        self._show()

    def on_unmount(self) -> None:
        """Let go of it: the signal would keep the screen, and the cluster with it."""
        self.app.theme_changed_signal.unsubscribe(self)

    def on_resize(self) -> None:
        """Show as much as the new size has room for, once it is laid out."""
        self.call_after_refresh(self._show)

    # The list, the cluster, the step

    def _take(self, cluster: workbench.Cluster, script: Script, place: int) -> None:
        self.script = script
        self._base = workbench.start(cluster)
        self.stage = script(cluster.resources)
        before, after = (self._own, ()) if self._own_leads else ((), self._own)
        self.steps = (*before, *self.stage.steps, *after)
        self._lead = len(before)
        self._stepped = len(self.steps) - len(after)  # that one gets to by stepping
        self._go_to(self._lead + place)

    def _go_to(self, number: int) -> None:
        self.number = min(max(number, 0), len(self.steps) - 1)
        # Always from a state without a constraint: one that cannot be read has no answer here.
        self.state = workbench.step(self._base, workbench.EditRequires(self.step.constraint))

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self.number]

    @property
    def place(self) -> int:
        """The place of that step in the list; below 0 before it."""
        return self.number - self._lead

    def show_cluster(self, cluster: workbench.Cluster) -> None:
        """Show the list on another cluster."""
        self._take(cluster, self.script, self.place)
        show_map(self.map, cluster)
        self._show()

    def show_script(self, script: Script, *, own_leads: bool) -> None:
        """Show another list from its first step on."""
        self._own_leads = own_leads
        self._take(self._base.cluster, script, 0)
        self._show()

    def _show(self) -> None:
        self._show_words()
        self._show_answer()
        self.keys.show(self._keys())

    def _show_words(self) -> None:
        """What the list says, and the constraint."""
        step, style = self.step, palette_of(self)
        is_stepped = self.number < self._stepped
        place = f"{self.number + 1} of {self._stepped}" if is_stepped else "beside the list"
        self.head.show(
            _line((printable(self.stage.title), style.quiet)), _line((place, style.quiet))
        )
        self.heading.show(Text(printable(step.title), style=style.strong))
        note = "\n".join(printable(row) for row in step.note.splitlines())
        self.note.show(Text(note, style=style.quiet))
        text = in_colours(step.constraint, self.state.ask.requires.tokens, style)
        self.constraint.put(text, 3 if self.size.height < SHORT else 8)

    def _show_answer(self) -> None:
        """How many nodes match, which, and how the constraint is read."""
        state, ask = self.state, self.state.ask
        light = lit(state)
        dark = Highlight(0, OTHER, "faint") if ask.stale else light.dark
        self._found = explain(ask.requires, state.cluster.resources, ask.counted)
        self._show_count()
        self._show_problems()
        self.map.notice = ("There are no nodes here: esc leaves, and ctrl+o opens a cluster.",)
        self.map.show_lights(light.lights, dark, light.mask, 0)
        self.reading.show(self._found)

    def _show_count(self) -> None:
        """How many nodes match, and what the map shows at the zoom that it has by now."""
        style, shown = palette_of(self), Shown(self.map.zoom, RANK, MATCHING, None)
        light = lit(self.state)
        legend = [f"{glyph} {words}" for glyph, words in marks(light, shown)]
        words = "  ".join([*legend, *states(light, shown)])
        self.count.show(self._count(self._found), _line((words, style.quiet)))

    def _count(self, found: Explanation | None) -> Text:
        """How many nodes match, or which part leaves none of them."""
        ask, style = self.state.ask, palette_of(self)
        if ask.stale:
            return _line(("cannot be read", style.problem))
        count = ask.totals.nodes
        whole = wording.counted(self.state.cluster.resources.node_count, "node")
        look = style.match if count else style.problem
        text = _line((f"{count:,}", look), (f" of {whole}", style.strong))
        emptied = found.emptied_by if found is not None else None
        if found is not None and emptied is not None and len(found.funnel) > 1:
            text.append(f"   nothing is left after {printable(emptied.words)}", style=style.quiet)
        return text

    def _show_problems(self) -> None:
        """What is wrong with the constraint, or odd about it on this cluster."""
        style = palette_of(self)
        problems = sorted(self.state.ask.problems, key=lambda problem: problem.severity)
        text = Text()
        for problem in problems[:PROBLEMS]:
            look = style.problem if problem.severity == "error" else style.warning
            text.append(wording.DOT if text else "", style=style.quiet)
            text.append(printable(problem.message), style=look)
        self.problem.show(text)

    def _keys(self) -> Text:
        """The keys, as many as there is room for."""
        style = palette_of(self)
        text = Text(end="", no_wrap=True)
        turn = (MAP if self.has_class("-reading") else READ,) if self._take_turns else ()
        for key, words in (*KEYS[:1], *turn, *KEYS[1:]):
            more = _line((key, style.quiet), (f" {words}", style.faint))
            if text.cell_len + 3 + more.cell_len > max(self.keys.size.width, 40):
                break
            text.append("   " if text else "").append_text(more)
        return text

    # The keys

    @property
    def _take_turns(self) -> bool:
        """There is no room for both the map and the reading."""
        return self.has_class("-narrow") and not self.has_class("-roomy")

    def action_read(self) -> None:
        """Show the reading in place of the map, or the map again, where they take turns."""
        if self._take_turns:
            self.toggle_class("-reading")
            self._show()

    def action_go(self, by: int) -> None:
        """Go so many steps on; what stands beside the list is left, not come to."""
        self._go_to(min(self.number + by, max(self._stepped - 1, self.number)))
        self._show()

    def action_choose(self) -> None:
        """Choose a step from the list."""
        from fluxtui.ui.stage.steps import StepsDialog

        def chosen(number: int | None) -> None:
            if number is not None:
                self._go_to(number)
                self._show()

        self.app.push_screen(StepsDialog(self.stage.title, self.steps, self.number), chosen)

    def action_keys(self) -> None:
        """Show the keys."""
        from fluxtui.ui.stage.stage_keys import StageKeysDialog

        self.app.push_screen(StageKeysDialog())

    def action_edit(self) -> None:
        """Leave with the constraint, to edit it."""
        self.dismiss(self.step.constraint)

    def action_leave(self) -> None:
        """Leave; the workbench is as it was."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy what is seen as text."""
        step, state = self.step, self.state
        self._on_copy(lambda: view_text(state, step.title, step.note))

    def action_picture(self) -> None:
        """Save what is seen as a picture, without the messages over it."""
        self.app.clear_notifications()
        self.call_after_refresh(self._on_picture)


def _line(*parts: tuple[str, Style]) -> Text:
    """A line of texts with their styles."""
    return Text.assemble(*parts, end="", no_wrap=True)
