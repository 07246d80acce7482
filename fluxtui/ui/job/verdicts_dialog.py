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
from fluxtui.ui.job.fit import fit_lines
from fluxtui.ui.job.fixes import TakesFixes, numbered
from fluxtui.ui.job.verdicts import BAD, ODD, OK, OPEN, Fix, who_gives
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
LAST = "of the last text that could be read"

EXPECTED = 5  # expected things shown for a problem


class Verdict(NamedTuple):
    """The verdict of one set of rules.

    about   what it is
    faults  its problems, each with why it matters, or ""; none where all is well
    known   False where nobody can say yet, and about says why
    odd     it is not kept, which about says is no obstacle
    """

    name: str
    about: str
    faults: Sequence[tuple[Problem, str]] = ()
    known: bool = True
    odd: bool = False


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
    domain = state.outlook.domain
    for found in state.verdicts or verdicts.verdicts(state.jobspec()):
        if found.name == "V1" and domain and not found.ok:
            yield Verdict(found.name, f"not kept: {who_gives(domain)}", odd=True)
            continue
        because = [(problem, explain(problem) or "") for problem in found.problems]
        yield Verdict(found.name, ABOUT[found.name], because)


def verdict_lines(state: State, fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """The numbered fixes, or why there are none; a head for each verdict and its problems; the fit.

    While the YAML or JSON of the job cannot be read, that comes first, and all else is marked as
    being about the text before.
    """
    raw, outlook, found = state.job.raw, state.outlook, list(_of_rules(state))
    fits = outlook.admitted is not False and (outlook.fit is None or outlook.fit.feasible)
    words = "No automatic fix available."
    if raw is not None:
        words = "These verdicts are about the job as it was before this text."
    elif fits is not False and all(one.known and not one.faults for one in found):
        words = "Nothing is wrong with this job."
    lines = numbered(fixes, style) or [styled_line((words, style.quiet))]
    lines.append(styled_line())
    if raw is not None:
        placed = [(replace(one, path=f"line {line_of(one, raw.text)}"), "") for one in raw.errors]
        found.insert(0, Verdict(raw.form.upper(), "the text as it is typed", placed))
    for number, one in enumerate(found):
        is_old = raw is not None and number > 0
        mark, look = (BAD, style.problem) if one.faults else (OK, style.good)
        if one.odd:
            mark, look = ODD, style.warning
        if is_old or not one.known:
            mark, look = "…" if one.known else OPEN, style.faint
        about = LAST if is_old and one.known else one.about
        lines.append(
            styled_line((mark, look), (f" {one.name}", style.strong), (f"  {about}", style.quiet))
        )
        for problem, why in one.faults:
            path = f"{printable(problem.path)}  " if problem.path else ""
            message = (printable(problem.message), style.quiet if is_old else style.plain)
            lines.append(styled_line((f"    {path}", style.key), message))
            expected = ", ".join(map(printable, problem.expected[:EXPECTED]))
            more = (why, f"expected {expected}" if expected else "")
            lines += [styled_line((f"      {text}", style.quiet)) for text in more if text]
    if outlook.own is not None:
        lines += [styled_line((EARLIER, style.faint))] * (outlook.old or raw is not None)
        lines += fit_lines(state, (), style, in_full=True)
    return lines


class VerdictsDialog(Dialog[None], TakesFixes):
    """Lists the verdicts and the fixes; a fix is applied at once, and the list says what is left.

    find gives the current job and its fixes, edit applies an edit, and undo takes a step back. Who
    opens the list calls `show_again` after each step.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("verdicts.close", "q,ctrl+l,v", "dismiss_dialog", ""),
        bind("verdicts.fix", "enter,ctrl+f", "take(1)", "Fix", "Apply the first fix", first=True),
        bind("verdicts.undo", "ctrl+z", "undo", "Undo", "Undo the last fix", first=True),
    ]

    def __init__(
        self,
        find: Callable[[], tuple[State, Sequence[Fix]]],
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
            state, self.fixes = self._find()
            self.listed.show_lines(verdict_lines(state, self.fixes, palette_of(self)))
            fix = (("enter", "applies 1"),) if self.fixes else ()
            self.say_keys(*fix, ("ctrl+z", "undoes"), ("escape", "closes"))
