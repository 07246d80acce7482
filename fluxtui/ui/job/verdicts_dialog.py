"""The verdicts on the job, with what is wrong, why, and what one key mends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from rich.padding import Padding
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fluxtui.answers.fixes.finder import FixFinder
from fluxtui.answers.fixes.rationale import explain
from fluxtui.model.jobspec import verdicts
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.job.fixes import MOST, Fix, repairs
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.option_rows import OptionRows
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import line_of
from fluxtui.workbench import Raw, State, unread

LEAST_ROWS = 3


class VerdictList(OptionRows):
    """Rule books and faults, in as many rows as the screen has beside the widget below them.

    around is the number of rows that the box has around the two. Only a fault can have the cursor.
    A key that finds none within reach scrolls, so that what is only read comes in sight too.
    """

    def __init__(self, below: Widget, around: int, *, id: str) -> None:
        super().__init__(id=id)
        self._below, self._around = below, around

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The rows of all that is listed, or those that there is room for."""
        wanted = super().get_content_height(container, viewport, width)
        below = self._below.get_content_height(container, viewport, width)
        return min(wanted, max(viewport.height - self._around - below, LEAST_ROWS))

    def action_cursor_down(self) -> None:
        """Go on to the next fault, or see a row further."""
        self._go(1)

    def action_cursor_up(self) -> None:
        """Go back to the fault before, or see a row before."""
        self._go(-1)

    def action_page_down(self) -> None:
        """See what comes next; the cursor goes along where there is a fault."""
        self._turn(1)

    def action_page_up(self) -> None:
        """See what came before; the cursor goes along where there is a fault."""
        self._turn(-1)

    def action_first(self) -> None:
        """Go to the first fault, and see the first row."""
        super().action_first()
        self._see(0)

    def action_last(self) -> None:
        """Go to the last fault, and see the last row."""
        super().action_last()
        self._see(self.max_scroll_y)

    def _go(self, by: int) -> None:
        """Move the cursor to the next fault that way, else scroll a row.

        That is where there is none, where it is more than a row out of sight, and where the one
        with the cursor goes on that way out of sight itself.
        """
        here, (top, end) = self.highlighted, self._seen
        if not self._lines:
            return  # no room for a line of it
        ahead = [at for at in self._faults[::by] if here is not None and (at - here) * by > 0]
        if here is not None and ahead:
            (first, stop), (start, last) = self._rows_of(here), self._rows_of(ahead[0])
            if (stop <= end and start <= end) if by > 0 else (first >= top and last >= top):
                self.highlighted = ahead[0]
                return
        self._see(top + by)

    def _turn(self, by: int) -> None:
        if not self._lines:
            return
        top, end = self._seen
        self._see(top + by * max(end - top - 1, 1))
        top, end = self._seen
        here = self.highlighted
        for fault in self._faults[::-by]:
            first, stop = self._rows_of(fault)
            if here is not None and (fault - here) * by > 0 and top <= first and stop <= end:
                self.highlighted = fault
                return

    def _see(self, row: int) -> None:
        """Scroll so that this row is the first in sight."""
        self.scroll_to(y=row, animate=False, immediate=True)

    @property
    def _faults(self) -> list[int]:
        """The options that can have the cursor."""
        return [at for at, option in enumerate(self.options) if not option.disabled]

    @property
    def _seen(self) -> tuple[int, int]:
        """The first row in sight, and the one after the last."""
        top = self.scroll_offset.y
        return top, top + self.scrollable_content_region.height

    def _rows_of(self, option: int) -> tuple[int, int]:
        """The first row of an option, and the one after its last."""
        self._update_lines()
        first = self._index_to_line[option]
        return first, first + self._heights[option]


INDENT = (0, 0, 0, 4)
AROUND = 5  # rows of the border, of the padding, and between the list and what is below it


class Fault(NamedTuple):
    """One thing that is wrong, why it matters, and what mends it: a finder, or remedies."""

    problem: Problem
    why: str
    finder: FixFinder | None
    own: tuple[Fix, ...] = ()

    @property
    def fixes(self) -> Sequence[Fix]:
        """What would mend it, most likely first; they are looked for anew each time."""
        return repairs(self.finder, self.problem, MOST) if self.finder is not None else self.own


class VerdictRow(NamedTuple):
    """What one rule book says: its name, what it is, and its faults; none where all is well.

    old says that it is about an earlier job than what stands in the texts now; not known, that
    nobody can say yet, and about why.
    """

    name: str
    about: str
    faults: tuple[Fault, ...]
    old: bool = False
    known: bool = True


ABOUT = {
    "RFC 46": "the shape as a text",
    "RFC 14": "any jobspec",
    "V1": "RFC 25, what most of Flux reads",
    "flux-core": "what flux-core takes at submission",
}

JUDGES = ("RFC 14", "V1", "flux-core")

LAST = "of the last text that could be read"
UNREAD = "not known while the shape cannot be read"


def verdict_rows(state: State, fixes: Sequence[Fix]) -> tuple[VerdictRow, ...]:
    """What is wrong with the job, the worst first.

    fixes are the ways out where its queue refuses it or there is no room (`Fixes.find`).

    While its YAML or JSON cannot be read, that comes first, and all else is marked as being about
    the text before: nothing of it is mended, as that would throw away what is being typed.
    """
    raw = state.job.raw
    found = [*_of_rules(state), *_of_queue(state, tuple(fixes))]
    if raw is not None:
        found = [
            one._replace(
                about=LAST,
                faults=tuple(f._replace(finder=None, own=()) for f in one.faults),
                old=True,
            )
            if one.known
            else one
            for one in found
        ]
        found.insert(0, _of_raw(raw))
    return tuple(found)


def _of_raw(raw: Raw) -> VerdictRow:
    """Why the text that is typed cannot be read."""
    placed = (replace(one, path=f"line {line_of(one, raw.text)}") for one in raw.errors)
    faults = tuple(Fault(problem, "", None) for problem in placed)
    return VerdictRow(raw.form.upper(), "the text as it is typed", faults)


def _of_rules(state: State) -> Iterator[VerdictRow]:
    """What is said of the fields, of the shape, and of the jobspec."""
    document = state.jobspec()
    if fields := unread(state):
        faults = tuple(
            Fault(
                replace(one.problem, path=None, message=f"{one.words}: {one.problem.message}"),
                f"Meanwhile the job goes on {one.instead}, as before.",
                None,
            )
            for one in fields
        )
        yield VerdictRow("Form", "the fields as they are typed", faults)
    wrong = [problem for problem in state.build.syntax if problem.severity == "error"]
    yield VerdictRow(
        "RFC 46", ABOUT["RFC 46"], tuple(Fault(problem, "", None) for problem in wrong)
    )
    if wrong:  # what was read of the shape is not what is meant, and nobody judges it
        for name in JUDGES:
            yield VerdictRow(name, UNREAD, (), known=False)
        return
    finder = FixFinder(document)
    for found in state.verdicts or verdicts.verdicts(document):
        because = (Fault(p, explain(p) or "", finder) for p in found.problems)
        yield VerdictRow(found.name, ABOUT[found.name], tuple(because))


def _of_queue(state: State, fixes: tuple[Fix, ...]) -> Iterator[VerdictRow]:
    """What the job's queue says of it, and whether there is room.

    What RFC 14 has said already is not said again.
    """
    outlook = state.outlook
    own, fit = outlook.own, outlook.fit
    if own is None:
        return
    name = f"queue {printable(outlook.queue)}" if outlook.queue else "Flux"
    refusals = [refusal for refusal in own.refusals if refusal.kind != "jobspec"]
    about = "whether it takes the job" if own.schedules else "it is stopped: a job waits there"
    old = outlook.stale or outlook.unasked
    faults = tuple(
        Fault(refusal.problem, _in_words(refusal.words), None, fixes) for refusal in refusals
    )
    yield VerdictRow(name, "of an earlier job" if old else about, faults, old)
    if fit is not None and fit.feasible is not None:
        short = fit.own.reasons if not fit.feasible else ()
        about = "of an earlier job" if outlook.old else "whether the cluster has what is asked for"
        yield VerdictRow("fit", about, tuple(Fault(p, "", None, fixes) for p in short), outlook.old)


def _in_words(words: str) -> str:
    return f"Flux says: {printable(words)}" if words else ""


class VerdictsDialog(Dialog[None]):
    """Lists rule books and faults; a fix is applied at once, and the list says what is left.

    rows gives the verdicts on the job as it stands; mend applies a fix and says whether that
    made a step, and undo takes a step back: only those made here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+l,v", "dismiss_dialog", "Leave", show=False),
        Binding("ctrl+z", "app_undo", "Undo", show=False, priority=True),
    ]

    def __init__(
        self,
        rows: Callable[[], tuple[VerdictRow, ...]],
        mend: Callable[[Fix], bool],
        undo: Callable[[], None],
    ) -> None:
        super().__init__()
        self._rows = rows
        self._mend = mend
        self._undo = undo
        self._mended = 0  # steps made here, and not taken back
        self._faults: dict[str, tuple[Fault, VerdictRow]] = {}
        self._all_well = False

    def compose(self) -> ComposeResult:
        """The list, and below it what is known of the one with the cursor."""
        with Vertical(id="box") as box:
            box.border_title = "Verdicts"
            detail = Static("", id="verdict-detail")
            yield VerdictList(detail, AROUND, id="verdict-list")
            yield detail

    def on_mount(self) -> None:
        """Show the verdicts as they are."""
        self._show()

    def show_again(self) -> None:
        """Show the verdicts as they are by now."""
        if self.is_mounted:
            self._show()

    def _show(self) -> None:
        style = palette_of(self)
        options: list[Option | None] = []
        self._faults = {}
        rows = self._rows()
        self._all_well = not any(ruling.faults or ruling.old or not ruling.known for ruling in rows)
        for ruling in rows:
            sign, look = ("✗", style.problem) if ruling.faults else ("✓", style.match)
            sign, look = ("…", style.faint) if ruling.old else (sign, look)
            sign, look = (sign, look) if ruling.known else ("?", style.faint)
            head = Text.assemble((f"{sign} ", look), (ruling.name, style.strong), no_wrap=True)
            head.append(f"  {ruling.about}", style=style.quiet)
            options.append(Option(head, disabled=True))
            for fault in ruling.faults:
                name = str(len(self._faults))
                self._faults[name] = fault, ruling
                line = Padding(self._line(fault, old=ruling.old), INDENT)  # of each row it takes
                options.append(Option(line, id=name))
        listed = self.query_one(OptionList)
        before = listed.highlighted or 0
        listed.clear_options()
        listed.add_options(options)
        able = [n for n, option in enumerate(options) if option is not None and option.id]
        listed.highlighted = min(able, key=lambda n: abs(n - before)) if able else None
        box = self.query_one("#box")
        keys = "enter mends · " if any(f.finder or f.own for f, _ in self._faults.values()) else ""
        box.border_subtitle = f"{keys}ctrl+z takes back · esc leaves"
        self._tell()

    def _line(self, fault: Fault, *, old: bool) -> Text:
        style = palette_of(self)
        problem = fault.problem
        text = Text(end="")
        if problem.path:
            text.append(f"{printable(problem.path)}  ", style=style.key)
        text.append(printable(problem.message), style=style.quiet if old else style.plain)
        return text

    def on_option_list_option_highlighted(self) -> None:
        """Tell about the one with the cursor."""
        self._tell()

    @property
    def _current(self) -> tuple[Fault, VerdictRow] | None:
        listed = self.query_one(OptionList)
        if listed.highlighted is None or listed.highlighted >= listed.option_count:
            return None
        option = listed.get_option_at_index(listed.highlighted)
        return self._faults.get(option.id or "")

    def _tell(self) -> None:
        style, current = palette_of(self), self._current
        text = Text()
        if current is None:
            text.append("Nothing is wrong with this job." if self._all_well else "")
        else:
            fault, ruling = current
            if fault.why:
                text.append(fault.why + "\n", style=style.quiet)
            if fault.problem.expected:
                wanted = ", ".join(printable(word) for word in fault.problem.expected[:5])
                text.append("expected ", style=style.quiet).append(wanted + "\n", style=style.plain)
            fixes = fault.fixes[:MOST]
            for number, fix in enumerate(fixes, 1):
                key = "enter" if number == 1 else str(number)
                text.append(f" {key} ", style=style.cursor)
                text.append(f" {printable(fix.words)}\n", style=style.strong)
            if ruling.old:
                text.append("This is about the job before the text that is typed now.")
            elif not fixes:
                text.append("No key mends this: what is meant is yours to say.", style=style.quiet)
        self.query_one("#verdict-detail", Static).update(text)

    def on_option_list_option_selected(self) -> None:
        """Apply the likeliest fix."""
        self._apply(0)

    def on_key(self, event: events.Key) -> None:
        """A number applies the fix that has it."""
        if event.character and event.character in "123456789":
            event.stop()
            self._apply(int(event.character) - 1)

    def _apply(self, number: int) -> None:
        current = self._current
        fixes = current[0].fixes if current is not None else ()
        if number < len(fixes):
            self._mended += self._mend(fixes[number])
            self._show()

    def action_app_undo(self) -> None:
        """Take back the last mend; what was typed before this list was opened stays."""
        if not self._mended:
            self.app.notify("Nothing was mended here that could be taken back.", timeout=3)
            return
        self._mended -= 1
        self._undo()
        self._show()
