"""The stage: one constraint of a list at a time, large and calm, with its count and its map."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from fluxtui import workbench
from fluxtui.answers.explain.explanation import Explanation, explain, lines
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.dialog import Dialog, PassingScreen
from fluxtui.ui.kit.lines import LinesView, OneLine, columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.kit.text import bar, folded, in_colours
from fluxtui.ui.nodes.highlights import UNLIT, legend_line, lit
from fluxtui.ui.nodes.map_colours import Shown, marks, states
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import Handlers

ALL_KEYS = (
    ("→  space  enter  page down", "the next step"),
    ("←  backspace  page up", "the step before"),
    ("home  end", "the first step, the last one"),
    ("l  g", "the list, your constraint too"),
    ("r", "the reading or the map, where there is no room for both"),
    ("e", "leave, and edit this constraint"),
    ("c", "copy what is seen as text, for a chat"),
    ("s", "save what is seen as a picture"),
    ("F9", "another theme"),
    ("esc  F11", "leave; the workbench is as it was"),
    ("F10  ctrl+q", "quit"),
)


class StageKeysDialog(Dialog[None]):
    """Shows the keys of the stage; any of its own leaves it."""

    BINDINGS = [("f1,q,enter,space", "dismiss_dialog", "Leave")]  # noqa: RUF012  # Textual reads it so

    def compose(self) -> ComposeResult:
        """One table."""
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column()
        for keys, words in ALL_KEYS:
            table.add_row(Text(keys, style="bold dim"), Text(words))
        with VerticalScroll(id="box") as box:
            box.border_title = "The stage"
            box.border_subtitle = "esc goes on"
            yield Static(table)


BAR = 12  # columns of a bar at most
LEAST_BAR = 3
LINES = 200  # of the reading


class StageText(Static):
    """Some lines of text, as high as they need to be and the stylesheet lets them be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.plain = ""

    def show(self, text: Text) -> None:
        """Show this text instead."""
        self.plain = text.plain
        self.update(text)


class StageConstraint(StageText):
    """A constraint, broken where it may be."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._whole = Text()
        self._most = 1

    def put(self, text: Text, most: int) -> None:
        """Show this text in so many lines at most."""
        self._whole, self._most = text, most
        self.show(folded(text, self.content_size.width or 76, most))

    def on_resize(self) -> None:
        """Break it to the new width."""
        self.show(folded(self._whole, self.content_size.width or 76, self._most))


class StageMap(NodeMap, can_focus=False):
    """The map of the nodes without a cursor, from so far that all of them are seen at once."""

    def __init__(self, on_zoom: Callable[[], object]) -> None:
        super().__init__(Handlers(), on_zoom, all_zooms=False, id="stage-map")

    def _hover_over(self, index: int | None) -> None:
        """Nothing happens under the mouse."""


class StageReading(LinesView, can_focus=False):
    """How the constraint is read: each part with the nodes that it matches alone and leaves."""

    def __init__(self, is_airy: Callable[[], bool]) -> None:
        super().__init__(id="stage-reading")
        self._is_airy = is_airy
        self._found: Explanation | None = None

    def show(self, found: Explanation | None) -> None:
        """Show an explanation; nothing where there is none."""
        self._found = found
        self.show_lines(list(self._made_lines()))
        self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        """Find the room for the bars again."""
        self.show_lines(list(self._made_lines()))

    def _made_lines(self) -> Iterator[Text]:
        found = self._found
        if found is None:
            return
        style = palette_of(self)
        width = max(len(f"{found.total:,}"), len("alone"))
        read = list(lines(found.root))
        room = (columns_for(self, len(read)) or 40) - 2 * width - 4
        longest = max(cell_len(printable(line.guide + line.words)) for line in read)
        size = min(room - longest - 2, BAR)  # the words are what is read: they go first
        head = f"{'alone':>{width}}  {'left':>{width}}"
        airy = self._is_airy() and 2 * len(read) < self.size.height
        yield Text(no_wrap=True, end="").append(head, style=style.faint)
        for line in read[:LINES]:
            if airy:
                yield Text(end="")
            part = line.part
            row = Text(no_wrap=True, end="")
            row.append(f"{part.alone:>{width},}  ", style=style.quiet)
            none = style.problem if part.empties or part is found.root else style.quiet
            look = style.match if part.left else none
            row.append(f"{part.left:>{width},}  ", style=look)
            if size >= LEAST_BAR:
                lit, rest = bar(part.left, part.alone, found.total, size)
                row.append(lit, style=style.match).append(f"{rest}  ", style=style.faint)
            row.append(line.guide, style=style.faint)
            is_operator = part.parts and line.words == part.label
            row.append(printable(line.words), style=style.slot if is_operator else style.plain)
            yield row


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
        self.reading = StageReading(lambda: True)
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
        dark = UNLIT if ask.stale else light.dark
        self._found = explain(ask.requires, state.cluster.resources, ask.counted)
        self._show_count()
        self._show_problems()
        self.map.notice = ("There are no nodes here: esc leaves, and ctrl+o opens a cluster.",)
        self.map.show_lights(light.lights, dark, light.mask, 0)
        self.reading.show(self._found)

    def _show_count(self) -> None:
        """How many nodes match, and what the map shows at the zoom that it has by now."""
        style, shown = palette_of(self), Shown(self.map.zoom)
        light = lit(self.state)
        legend = legend_line(marks(light, shown), states(shown), 200, style, keys=False)
        self.count.show(self._count(self._found), legend)

    def _count(self, found: Explanation | None) -> Text:
        """How many nodes match, or which part leaves none of them."""
        ask, style = self.state.ask, palette_of(self)
        if ask.stale:
            return _line(("cannot be read", style.problem))
        count = ask.totals.nodes
        whole = counted(self.state.cluster.resources.node_count, "node")
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

    def action_keys(self) -> None:
        """Show the keys."""
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
