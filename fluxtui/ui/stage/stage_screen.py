"""The screen of the stage: one constraint of a list at a time, with its count and its map."""

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

ROOMY = 44  # columns from which the counts have long titles
LEAST_BAR, MOST_BAR = 3, 12  # limits for the columns of a bar
LINES = 200  # the most lines of the explanation
PROBLEMS = 2  # how many problems are shown
SHORT = 28  # screen rows below which only a few rows of the constraint are shown

#: Returns the stage list for a cluster.
Script = Callable[[Resources], Stage]


class StageMap(Protocol):
    """The widget that shows all nodes of a state as a map."""

    def show_cluster(self, cluster: workbench.Cluster) -> None:
        """Show the nodes of a cluster."""

    def show_state(self, state: workbench.State) -> None:
        """Highlight the matching nodes."""

    def legend_of(self, state: workbench.State) -> Text:
        """Return the legend of the glyphs."""


class StageText(LinesView, can_focus=False):
    """Some lines of text, as high as they need, within the limits of the stylesheet."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True)

    def show(self, text: Text, most: int | None = None) -> None:
        """Show a text in at most this many rows for each of its lines."""
        self._most = most
        self.show_lines(list(text.split()))


class StageExplanation(LinesView, can_focus=False):
    """The explanation of a constraint, if any: what each part matches and leaves."""

    found: Explanation | None = None

    def on_resize(self) -> None:
        """Draw the explanation for the new width."""
        found, made = self.found, list[Text]()
        if found is not None:
            width = columns_for(self, sum(1 for _ in lines(found.root)) + 1) or 40
            made = explanation_lines(found, width, self.size.height, palette_of(self))
        self.show_lines(made)


def explanation_lines(found: Explanation, width: int, height: int, style: Palette) -> list[Text]:
    """Return an explanation as lines: counts, bars and words, with blank rows if height allows.

    The bars get the width that the words leave, and are left out if it is too small.
    """
    names = ("matches", "remaining") if width >= ROOMY else ("match", "left")
    digits = len(f"{found.total:,}")
    first, second = (max(digits, len(name)) for name in names)
    parts = list(lines(found.root))[:LINES]
    longest = max(cell_len(printable(line.guide + line.words)) for line in parts)
    size = min(width - first - second - 4 - longest - 2, MOST_BAR)
    is_airy = 2 * len(parts) < height
    made = [styled_line((f"{names[0]:>{first}}  {names[1]:>{second}}", style.faint))]
    for line in parts:
        if is_airy:
            made.append(Text(end=""))
        part = line.part
        none = style.problem if part.empties or part is found.root else style.quiet
        row = styled_line(
            (f"{part.alone:>{first},}  ", style.quiet),
            (f"{part.left:>{second},}  ", style.match if part.left else none),
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
    """Shows the steps of a list on a cluster, without changing the state of the workbench.

    It closes with the text of a constraint to edit, or with None. script returns the list for a
    cluster; place is the first step shown, from 0. own are steps for the user's own constraints:
    with own_leads they come before the list, at negative places; otherwise they can only be picked
    from the list of steps. last is the constraint whose match is shown until one can be read; empty
    if there was none. make_map is called with a callback for when the zoom of the map changes;
    on_copy with a state and the title and note of its step; on_picture saves the screen.
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
        bind("stage.picture", "s", "picture", "picture", "Save a picture of the screen"),
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
        last: str,
        make_map: Callable[[Callable[[], object]], StageMap],
        on_copy: Callable[[workbench.State, str, str], object],
        on_picture: Callable[[], object],
    ) -> None:
        super().__init__()
        self._own, self._own_leads, self._last = own, own_leads, last
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
        """Yield, from the top: list, title and note, constraint, answer, map, keys."""
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
        """Unsubscribe from the signal, which would keep the screen and its cluster in memory."""
        self.app.theme_changed_signal.unsubscribe(self)

    def on_resize(self) -> None:
        """Show as much as fits the new size, after the layout."""
        self.call_after_refresh(self._show)

    # The list, the cluster, the step

    def _take(self, cluster: workbench.Cluster, script: Script, place: int) -> None:
        self.script = script
        self._base = workbench.start(cluster)
        self.stage = script(cluster.resources)
        before, after = (self._own, ()) if self._own_leads else ((), self._own)
        self.steps = (*before, *self.stage.steps, *after)
        self._lead = len(before)
        self._stepped = len(self.steps) - len(after)  # how many steps next and back go through
        self._go_to(self._lead + place)

    def _go_to(self, number: int) -> None:
        self.number = min(max(number, 0), len(self.steps) - 1)
        # From the last constraint that could be read: one that cannot be keeps its match.
        before = workbench.step(self._base, workbench.EditRequires(self._last))
        self.state = workbench.step(before, workbench.EditRequires(self.step.constraint))
        if not self.state.ask.stale:
            self._last = self.step.constraint

    @property
    def step(self) -> Step:
        """The step shown."""
        return self.steps[self.number]

    @property
    def place(self) -> int:
        """The place of the step in the list; negative for own steps before the list."""
        return self.number - self._lead

    def show_cluster(self, cluster: workbench.Cluster) -> None:
        """Show the steps on another cluster."""
        self._take(cluster, self.script, self.place)
        self.map.show_cluster(cluster)
        self._show()

    def show_script(self, script: Script, *, own_leads: bool) -> None:
        """Show another list from its first step."""
        self._own_leads = own_leads
        self._take(self._base.cluster, script, 0)
        self._show()

    # Display

    def _show(self) -> None:
        step, style, ask = self.step, palette_of(self), self.state.ask
        is_stepped = self.number < self._stepped
        place = f"{self.number + 1} of {self._stepped}" if is_stepped else "not in the list"
        title = styled_line((printable(self.stage.title), style.quiet))
        self.head.show(title, styled_line((place, style.quiet)))
        self.heading.show(Text(printable(step.title), style=style.strong))
        note = "\n".join(printable(row) for row in step.note.splitlines())
        self.note.show(Text(note, style=style.quiet))
        constraint = in_colours(step.constraint, ask.requires.tokens, style)
        self.constraint.show(constraint, 3 if self.size.height < SHORT else 8)
        self._found = explain(ask.requires, self.state.cluster.resources, ask.counted)
        self._show_count()
        problems = Text()
        for problem in sorted(ask.problems, key=lambda problem: problem.severity)[:PROBLEMS]:
            look = style.problem if problem.severity == "error" else style.warning
            problems.append(DOT if problems else "", style=style.quiet)
            problems.append(printable(problem.message), style=look)
        self.problem.show(problems)
        self.map.show_state(self.state)
        self.explanation.found = self._found
        self.explanation.on_resize()
        self.explanation.scroll_to(y=0, animate=False)
        self.keys.show(self._keys_line())

    def _show_count(self) -> None:
        """Show how many nodes match, or which part leaves none, and the legend of the map."""
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
        """Switch between explanation and map if there is room for only one."""
        if self._take_turns:
            self.toggle_class("-explaining")
            self._show()

    def action_go(self, by: int) -> None:
        """Go by some steps; own steps that are not in the list can be left but not entered."""
        self._go_to(min(self.number + by, max(self._stepped - 1, self.number)))
        self._show()

    def action_choose(self) -> None:
        """Choose a step from a list of all steps."""

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
        """Close with the constraint of the step, for editing."""
        self.dismiss(self.step.constraint)

    def action_leave(self) -> None:
        """Close without changing the workbench."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy the step as text."""
        self._on_copy(self.state, self.step.title, self.step.note)

    def action_picture(self) -> None:
        """Save a picture of the screen, without messages on it."""
        self.app.clear_notifications()
        self.call_after_refresh(self._on_picture)
