"""The verdicts on the job, with what is wrong, why, and what one key mends."""

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.padding import Padding
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fluxtui.answers.fixes.finder import Fix, FixFinder
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.job.remedies import Remedy
from fluxtui.ui.job.verdict_list import VerdictList
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.palette import palette_of

INDENT = (0, 0, 0, 4)
AROUND = 5  # rows of the border, of the padding, and between the list and what is below it


class Fault(NamedTuple):
    """One thing that is wrong, why it matters, and what mends it: a finder, or remedies."""

    problem: Problem
    why: str
    finder: FixFinder | None
    remedies: tuple[Remedy, ...] = ()

    @property
    def fixes(self) -> Sequence[Fix | Remedy]:
        """What would mend it, most likely first; they are looked for anew each time."""
        return self.finder.fixes(self.problem) if self.finder is not None else self.remedies


class Ruling(NamedTuple):
    """What one rule book says: its name, what it is, and its faults; none where all is well.

    old says that it is about an earlier job than what stands in the texts now; not known, that
    nobody can say yet, and about why.
    """

    name: str
    about: str
    faults: tuple[Fault, ...]
    old: bool = False
    known: bool = True


class VerdictsDialog(Dialog[None]):
    """Lists rule books and faults; a fix is applied at once, and the list says what is left.

    rulings gives the verdicts on the job as it stands; mend applies a fix and says whether that
    made a step, and undo takes a step back: only those made here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+l,v", "dismiss_dialog", "Leave", show=False),
        Binding("ctrl+z", "app_undo", "Undo", show=False, priority=True),
    ]

    def __init__(
        self,
        rulings: Callable[[], tuple[Ruling, ...]],
        mend: Callable[[Fix | Remedy], bool],
        undo: Callable[[], None],
    ) -> None:
        super().__init__()
        self._rulings = rulings
        self._mend = mend
        self._undo = undo
        self._mended = 0  # steps made here, and not taken back
        self._faults: dict[str, tuple[Fault, Ruling]] = {}
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
        rulings = self._rulings()
        self._all_well = not any(
            ruling.faults or ruling.old or not ruling.known for ruling in rulings
        )
        for ruling in rulings:
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
        keys = (
            "enter mends · "
            if any(f.finder or f.remedies for f, _ in self._faults.values())
            else ""
        )
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
    def _current(self) -> tuple[Fault, Ruling] | None:
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
            fixes = fault.fixes[:9]
            for number, fix in enumerate(fixes, 1):
                key = "enter" if number == 1 else str(number)
                text.append(f" {key} ", style=style.cursor)
                text.append(f" {printable(fix.label)}\n", style=style.strong)
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
