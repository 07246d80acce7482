"""The stage: one constraint of a list at a time, large and calm, with its count and its map."""

from collections.abc import Callable
from typing import ClassVar, Protocol, cast

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from fluxtui import workbench
from fluxtui.answers.explain.explanation import Explanation, explain, lines
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.dialog import OverlayScreen
from fluxtui.ui.kit.keys import bind, bindings_of, written
from fluxtui.ui.kit.lines import LinesView, OneLine, columns_for, in_colours
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import DOT, bar, styled_line

ROOMY = 44  # columns that have room for the long names of the counts
LEAST_BAR, MOST_BAR = 3, 12  # columns of a bar
LINES = 200  # of the explanation
PROBLEMS = 2  # that are shown
SHORT = 28  # rows of the screen below which the constraint has few lines

#: Makes a list for a cluster.
Script = Callable[[Resources], Stage]


class StageMap(Protocol):
    """The widget that shows the nodes of a state, all at once."""

    def show_cluster(self, cluster: workbench.Cluster) -> None:
        """Show the nodes of a cluster."""

    def show_state(self, state: workbench.State) -> None:
        """Highlight the nodes that match."""

    def legend_of(self, state: workbench.State) -> Text:
        """What the glyphs mean."""


class StageText(LinesView, can_focus=False):
    """Some lines of text, as high as they need to be and the stylesheet lets them be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True)

    def show(self, text: Text, most: int | None = None) -> None:
        """Show this text instead, in so many rows at most."""
        self._most = most
        self.show_lines(list(text.split()))


class StageExplanation(LinesView, can_focus=False):
    """The explanation of a constraint, if there is one: what each part matches and leaves."""

    found: Explanation | None = None

    def on_resize(self) -> None:
        """Find the room for the bars again."""
        found, made = self.found, list[Text]()
        if found is not None:
            width = columns_for(self, sum(1 for _ in lines(found.root)) + 1) or 40
            made = explanation_lines(found, width, self.size.height, palette_of(self))
        self.show_lines(made)


def explanation_lines(found: Explanation, width: int, height: int, style: Palette) -> list[Text]:
    """An explanation in some columns: counts, bars and words; a blank row between where rows are.

    The words come first: bars have what room they leave.
    """
    names = ("matches", "remaining") if width >= ROOMY else ("match", "left")
    digits = len(f"{found.total:,}")
    one, other = (max(digits, len(name)) for name in names)
    parts = list(lines(found.root))[:LINES]
    longest = max(cell_len(printable(line.guide + line.words)) for line in parts)
    size = min(width - one - other - 4 - longest - 2, MOST_BAR)
    is_airy = 2 * len(parts) < height
    made = [styled_line((f"{names[0]:>{one}}  {names[1]:>{other}}", style.faint))]
    for line in parts:
        if is_airy:
            made.append(Text(end=""))
        part = line.part
        none = style.problem if part.empties or part is found.root else style.quiet
        row = styled_line(
            (f"{part.alone:>{one},}  ", style.quiet),
            (f"{part.left:>{other},}  ", style.match if part.left else none),
        )
        if size >= LEAST_BAR:
            lit, rest = bar(part.left, part.alone, found.total, size)
            row.append(lit, style.match).append(f"{rest}  ", style.faint)
        is_operator = part.parts and line.words == part.label
        row.append(line.guide, style.faint)
        row.append(printable(line.words), style.slot if is_operator else style.plain)
        made.append(row)
    return made


class StageScreen(OverlayScreen[str]):
    """Shows the steps of a list on a cluster; nothing of the workbench changes meanwhile.

    It closes with the text of a constraint to edit, or with None. script makes the list for a
    cluster; place is the first step shown, from 0. own are steps of the person's own constraints,
    which come before the list at negative places, or are reached by choosing. make_map gets a
    callback for when the cells of the map change; on_copy gets a state with the title and the note
    of its step; on_picture saves the screen.
    """

    AUTO_FOCUS = ""
    TITLE = "Stage"
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("stage.next", "right,pagedown,space,enter", "go(1)", "next", "Go to the next step"),
        bind("stage.back", "left,pageup,backspace", "go(-1)", "back", "Go to the previous step"),
        bind("stage.list", "l,g,slash", "choose", "list", "Choose a step, or your constraint"),
        bind("stage.edit", "e", "edit", "edit", "Close the stage and edit this constraint"),
        bind("stage.leave", "escape,P,f11", "leave", "close", "Close the stage"),
        bind("stage.keys", "question_mark,f1", "app.do('help')", "keys", "Show these keys"),
        bind("stage.explain", "r", "explain", "explain", "Switch between explanation and map"),
        bind("stage.copy", "c,ctrl+y", "copy", "copy", "Copy what is shown as text, for a chat"),
        bind("stage.picture", "s", "picture", "picture", "Save what is shown as a picture"),
        bind("stage.theme", "t,f9", "app.do('themes')", "theme", "Choose another theme"),
        bind("stage.first", "home", "go(-1000000)", "first", "Go to the first step"),
        bind("stage.last", "end", "go(1000000)", "last", "Go to the last step"),
    ]

    def __init__(
        self,
        cluster: workbench.Cluster,
        script: Script,
        place: int,
        own: tuple[Step, ...],
        *,
        own_leads: bool,
        make_map: Callable[[Callable[[], object]], StageMap],
        on_copy: Callable[[workbench.State, str, str], object],
        on_picture: Callable[[], object],
    ) -> None:
        super().__init__()
        self._own, self._own_leads = own, own_leads
        self._on_copy, self._on_picture = on_copy, on_picture
        self.head = OneLine(id="stage-head")
        self.heading = StageText(id="stage-title")
        self.note = StageText(id="stage-note")
        self.constraint = StageText(id="stage-constraint")
        self.count = OneLine(id="stage-count")
        self.problem = StageText(id="stage-problem")
        self.map = make_map(self._show_count)
        self.explanation = StageExplanation(id="stage-explain")
        self.keys = OneLine(id="stage-keys")
        self._found: Explanation | None = None
        self._take(cluster, script, place)

    def compose(self) -> ComposeResult:
        """From the top: the list, the words, the constraint, the answer, the keys."""
        yield from (self.head, self.heading, self.note)
        yield from (self.constraint, self.count, self.problem)
        with Horizontal(id="stage-body"):
            yield cast("Widget", self.map)
            yield self.explanation
        yield self.keys

    def on_mount(self) -> None:
        """Show the step, and follow the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._show())
        self.map.show_cluster(self._base.cluster)
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
        self.map.show_cluster(cluster)
        self._show()

    def show_script(self, script: Script, *, own_leads: bool) -> None:
        """Show another list from its first step on."""
        self._own_leads = own_leads
        self._take(self._base.cluster, script, 0)
        self._show()

    # Display

    def _show(self) -> None:
        step, style, ask = self.step, palette_of(self), self.state.ask
        is_stepped = self.number < self._stepped
        place = f"{self.number + 1} of {self._stepped}" if is_stepped else "beside the list"
        title = styled_line((printable(self.stage.title), style.quiet))
        self.head.show(title, styled_line((place, style.quiet)))
        self.heading.show(Text(printable(step.title), style=style.strong))
        note = "\n".join(printable(row) for row in step.note.splitlines())
        self.note.show(Text(note, style=style.quiet))
        constraint = in_colours(step.constraint, ask.requires.tokens, style)
        self.constraint.show(constraint, 3 if self.size.height < SHORT else 8)
        self._found = explain(ask.requires, self.state.cluster.resources, ask.counted)
        self._show_count()
        # What is wrong with the constraint, or odd about it on this cluster.
        wrong = Text()
        for problem in sorted(ask.problems, key=lambda problem: problem.severity)[:PROBLEMS]:
            look = style.problem if problem.severity == "error" else style.warning
            wrong.append(DOT if wrong else "", style=style.quiet)
            wrong.append(printable(problem.message), style=look)
        self.problem.show(wrong)
        self.map.show_state(self.state)
        self.explanation.found = self._found
        self.explanation.on_resize()
        self.explanation.scroll_to(y=0, animate=False)
        self.keys.show(self._keys_line())

    def _show_count(self) -> None:
        """How many nodes match, or which part leaves none, and what the map shows at its zoom."""
        ask, style, found = self.state.ask, palette_of(self), self._found
        count = ask.totals.nodes
        whole = counted(self.state.cluster.resources.node_count, "node")
        look = style.match if count else style.problem
        text = styled_line((f"{count:,}", look), (f" of {whole}", style.strong))
        emptied = found.emptied_by if found is not None and len(found.funnel) > 1 else None
        if ask.stale:
            text = styled_line(("cannot be read", style.problem))
        elif emptied is not None:
            text.append(f"   no node is left after {printable(emptied.words)}", style=style.quiet)
        self.count.show(text, self.map.legend_of(self.state))

    def _keys_line(self) -> Text:
        style = palette_of(self)
        text = Text(end="", no_wrap=True)
        for binding in bindings_of(self):
            words = binding.description
            if binding.id == "stage.explain" and self.has_class("-explaining"):
                words = "map"
            if not words or (binding.id == "stage.explain" and not self._take_turns):
                continue
            key = written(binding.key.split(",")[0])
            more = styled_line((key, style.quiet), (f" {words}", style.faint))
            if text.cell_len + 3 + more.cell_len > max(self.keys.size.width, 40):
                break
            text.append("   " if text else "").append_text(more)
        return text

    # The keys

    @property
    def _take_turns(self) -> bool:
        """Whether only one of map and explanation fits."""
        return self.has_class("-narrow") and not self.has_class("-roomy")

    def action_explain(self) -> None:
        """Show the explanation in place of the map, or the map again, where they take turns."""
        if self._take_turns:
            self.toggle_class("-explaining")
            self._show()

    def action_go(self, by: int) -> None:
        """Go so many steps on; what is beside the list is left, not come to."""
        self._go_to(min(self.number + by, max(self._stepped - 1, self.number)))
        self._show()

    def action_choose(self) -> None:
        """Choose a step from the list."""

        def chosen(number: int | None) -> None:
            if number is not None:
                self._go_to(number)
                self._show()

        steps = [
            Item(number, step.title or "(no title)", step.constraint, key=str(number + 1))
            for number, step in enumerate(self.steps)
        ]
        picker = Picker(self.stage.title, steps, enter="goes there", at=self.number)
        self.app.push_screen(picker, chosen)

    def action_edit(self) -> None:
        """Close with the constraint, to edit it."""
        self.dismiss(self.step.constraint)

    def action_leave(self) -> None:
        """Close without a change."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the step as text."""
        self._on_copy(self.state, self.step.title, self.step.note)

    def action_picture(self) -> None:
        """Save the screen as a picture, without messages."""
        self.app.clear_notifications()
        self.call_after_refresh(self._on_picture)
