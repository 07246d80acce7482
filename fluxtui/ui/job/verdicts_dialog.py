"""The list of verdicts: what each set of rules, the queue and the cluster say of the job."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from fluxtui.answers.fixes.rationale import explain
from fluxtui.model.jobspec import verdicts
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.job.fixes import TakesFixes, numbered
from fluxtui.ui.job.verdicts import BAD, OK, OPEN, Fix
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import line_of, styled_line
from fluxtui.workbench import Edit, State, unread

ABOUT = {
    "RFC 14": "any jobspec",
    "V1": "RFC 25, what most of Flux reads",
    "flux-core": "what flux-core accepts at submission",
}
EARLIER = "of an earlier job"

EXPECTED = 5  # expected things shown for a problem


class Verdict(NamedTuple):
    """The verdict of one set of rules.

    about   what it is
    faults  its problems, each with why it matters, or ""; none where all is well
    old     it is about an earlier job than the texts are now
    known   False where nobody can say yet, and about says why
    """

    name: str
    about: str
    faults: Sequence[tuple[Problem, str]] = ()
    old: bool = False
    known: bool = True


def verdicts_of(state: State) -> list[Verdict]:
    """All verdicts on the job of a state, the worst first.

    While its YAML or JSON cannot be read, that comes first, and all else is marked as being about
    the text before.
    """
    raw, found = state.job.raw, [*_of_rules(state), *_of_queue(state)]
    if raw is None:
        return found
    placed = [(replace(one, path=f"line {line_of(one, raw.text)}"), "") for one in raw.errors]
    last = "of the last text that could be read"
    before = [one._replace(about=last, old=True) if one.known else one for one in found]
    return [Verdict(raw.form.upper(), "the text as it is typed", placed), *before]


def _of_rules(state: State) -> Iterator[Verdict]:
    faults = []
    for one in unread(state):
        message = f"{one.words}: {one.problem.message}"
        kept = f"Until then the job stays {one.instead}."
        faults.append((replace(one.problem, path=None, message=message), kept))
    if faults:
        yield Verdict("Form", "the fields as they are typed", faults)
    wrong = [(problem, "") for problem in state.build.syntax if problem.severity == "error"]
    yield Verdict("RFC 46", "the shape as a text", wrong)
    if wrong:  # the shape read so far is not what is meant
        for name in ABOUT:
            yield Verdict(name, "unknown while the shape cannot be read", known=False)
        return
    for found in state.verdicts or verdicts.verdicts(state.jobspec()):
        because = [(problem, explain(problem) or "") for problem in found.problems]
        yield Verdict(found.name, ABOUT[found.name], because)


def _of_queue(state: State) -> Iterator[Verdict]:
    """Verdicts of the job's queue, and whether it fits; not what RFC 14 refuses already."""
    outlook = state.outlook
    own, fit = outlook.own, outlook.fit
    if own is None:
        return
    about = "whether it accepts the job" if own.schedules else "it is stopped: jobs wait there"
    old = outlook.stale or outlook.unasked
    faults = [
        (refusal.problem, f"Flux says: {printable(refusal.words)}" if refusal.words else "")
        for refusal in own.refusals
        if refusal.kind != "jobspec"
    ]
    name = f"queue {printable(outlook.queue)}" if outlook.queue else "Flux"
    yield Verdict(name, EARLIER if old else about, faults, old)
    if fit is not None and fit.feasible is not None:
        short = [(problem, "") for problem in fit.own.reasons] if not fit.feasible else []
        about = EARLIER if outlook.old else "whether the cluster has what is asked for"
        yield Verdict("fit", about, short, outlook.old)


def verdict_lines(found: Sequence[Verdict], fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """The numbered fixes, or why there are none; then a head for each verdict and its problems."""
    words = "No automatic fix available."
    if not any(one.faults or one.old or not one.known for one in found):
        words = "Nothing is wrong with this job."
    elif any(one.old for one in found):
        words = "These verdicts are about the job as it was before this text."
    lines = numbered(fixes, style) or [styled_line((words, style.quiet))]
    lines.append(styled_line())
    for one in found:
        mark, look = (BAD, style.problem) if one.faults else (OK, style.good)
        if one.old or not one.known:
            mark, look = "…" if one.known else OPEN, style.faint
        head = (mark, look), (f" {one.name}", style.strong), (f"  {one.about}", style.quiet)
        lines.append(styled_line(*head))
        for problem, why in one.faults:
            path = f"{printable(problem.path)}  " if problem.path else ""
            message = (printable(problem.message), style.quiet if one.old else style.plain)
            lines.append(styled_line((f"    {path}", style.key), message))
            expected = ", ".join(map(printable, problem.expected[:EXPECTED]))
            more = (why, f"expected {expected}" if expected else "")
            lines += [styled_line((f"      {text}", style.quiet)) for text in more if text]
    return lines


class VerdictsDialog(Dialog[None], TakesFixes):
    """Lists the verdicts and the fixes; a fix is applied at once, and the list says what is left.

    find gives both for the current job, edit applies an edit, and undo takes a step back. Who opens
    the list calls `show_again` after each step.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("verdicts.close", "q,ctrl+l,v", "dismiss_dialog", ""),
        bind("verdicts.fix", "enter,ctrl+f", "take(1)", "Fix", "Apply the first fix", first=True),
        bind("verdicts.undo", "ctrl+z", "undo", "Undo", "Undo the last fix", first=True),
    ]

    def __init__(
        self,
        find: Callable[[], tuple[Sequence[Verdict], Sequence[Fix]]],
        edit: Callable[[Edit], None],
        undo: Callable[[], object],
    ) -> None:
        super().__init__()
        self._find, self.edit, self.action_undo = find, edit, undo
        self.listed = LinesView(id="verdict-list", wrap=True, hang=3)

    def compose(self) -> ComposeResult:
        """The fixes, and the list."""
        with Vertical(id="box"):
            yield self.listed

    def on_mount(self) -> None:
        """Show the current verdicts."""
        self.say_title("Verdicts")
        self.show_again()

    def show_again(self) -> None:
        """Update the verdicts."""
        if self.query("#box"):  # else it is not made yet, or gone
            found, self.fixes = self._find()
            self.listed.show_lines(verdict_lines(found, self.fixes, palette_of(self)))
            fix = (("enter", "applies 1"),) if self.fixes else ()
            self.say_keys(*fix, ("ctrl+z", "undoes"), ("escape", "closes"))
