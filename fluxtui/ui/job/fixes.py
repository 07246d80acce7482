"""Fixes for the job, the best first.

What finds a fix is loaded with the first job that needs one, as the first frame does without.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from fluxtui import workbench
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.job.verdicts import Fix
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import shorten

if TYPE_CHECKING:
    from fluxtui.answers.explain.relaxations import Relaxation
    from fluxtui.model.jobspec.verdicts import Verdicts
    from fluxtui.workbench import State

MOST = 9  # as many as there are digits for them
REPAIRS = 4  # of one problem of the jobspec
PROBLEMS = 20  # of the jobspec that repairs are looked for
QUEUES = 4  # that are offered

# Parts of a shape up to which a key waits for the repairs of its jobspec, some 2 ms.
QUICK = 100


def numbered(fixes: Sequence[Fix], style: Palette) -> Iterator[Text]:
    """Fixes as lines, each with its number; a click on one carries that as ``fix``."""
    for number, fix in enumerate(fixes, 1):
        line = Text.assemble((f"  {number} ", style.key), (fix.words, style.match), end="")
        line.stylize(Style.from_meta({"fix": number}))
        yield line


def repairs(state: "State", problems: Sequence[Problem], *, first: bool) -> Iterator[Fix]:
    """The fixes for problems of a jobspec; with first, only those of the first that has any."""
    if not problems:
        return
    from fluxtui.answers.fixes.finder import FixFinder

    finder = FixFinder(state.jobspec())
    for problem in problems:
        found = finder.fixes(problem, REPAIRS)
        yield from (Fix(printable(f.label), workbench.ReplaceJob(f.document)) for f in found)
        if found and first:
            return


def ways_out(state: "State", changes: Sequence["Relaxation"] = ()) -> Iterator[Fix]:
    """The fixes for a job that does not fit or that its queue refuses, best first.

    changes to a constraint that matches no node come first, then the nearest request that fits and
    the queues that would run the job as it is. There are none while the answers are of an earlier
    job.
    """
    outlook = state.outlook
    is_full = outlook.fit is not None and outlook.fit.own.feasible is False
    if outlook.old or outlook.unasked or not (is_full or outlook.admitted is False):
        return
    if is_full:
        yield from map(_relaxed, changes)
    yield from _less(state)
    others = (name for name in outlook.admissions if name and name != outlook.queue)
    running = (name for name in others if outlook.runs_in(name) and outlook.rooms.get(name))
    for name in islice(running, QUEUES):
        queue = shorten(printable(name), 24)
        yield Fix(f"use queue {queue}", workbench.ChooseQueue(name), "fits there")


def _less(state: "State") -> Iterator[Fix]:
    """Asking for less: the nearest request that fits, within the limits of the queue."""
    fit, own, listed = state.outlook.fit, state.outlook.own, state.build.resources
    nearest = fit.own.nearest if fit is not None else None
    change = printable(nearest.change) if nearest is not None else ""
    wanted = list(nearest.resources if nearest is not None else listed)
    for refusal in own.refusals if own is not None else ():
        allowed = refusal.allowed
        if refusal.kind == "duration":
            from fluxtui.notation import duration

            longest = duration.format(allowed)
            yield Fix(f"limit it to {longest}", workbench.TypeField("duration", longest))
        elif refusal.kind == "max nnodes" and [one["type"] for one in wanted] == ["node"]:
            count = wanted[0]["count"]
            if isinstance(count, int) and count > allowed > 0:
                change = f"{allowed:,} nodes, not {refusal.asked:,}"
                wanted = [{**wanted[0], "count": allowed}]
    if change:
        from fluxtui.notation.shape.format import format_shape
        from fluxtui.notation.shape.tree import from_resources

        vertices, problems = from_resources(wanted)
        if not any(problem.severity == "error" for problem in problems):
            yield Fix(f"ask for {change}", workbench.EditShape(format_shape(vertices)))


def _relaxed(change: "Relaxation") -> Fix:
    """A change to the constraint as a fix."""
    label, _, gain = printable(change.sentence).rpartition(": ")
    return Fix(label, workbench.EditRequires(change.text), gain)


class Fixes(Controller):
    """Finds the fixes for the current state, and applies them.

    relaxations gives what is known so far of how to change the constraint so that more nodes match:
    it is worked out in the background.
    """

    def __init__(
        self, app: WorkbenchApp, relaxations: Callable[["State"], Sequence["Relaxation"]]
    ) -> None:
        super().__init__(app)
        self._relaxations = relaxations
        self._repairs: tuple[Verdicts | None, tuple[Fix, ...]] = (None, ())

    def find(self, state: "State") -> tuple[Fix, ...]:
        """The fixes of a state, the best first: for its jobspec, its fit, and its constraint.

        Those of a long jobspec are left out until they are asked for.
        """
        judged = state.verdicts
        if judged is not self._repairs[0]:
            quick = len(state.build.shape.tokens) <= QUICK
            found = tuple(repairs(state, _wrong(state), first=True)) if quick else ()
            self._repairs = judged, found
        return self._sorted(state, self._repairs[1])

    def find_all(self, state: "State") -> tuple[Fix, ...]:
        """The same with those of every problem of the jobspec, which may take longer than a key."""
        return self._sorted(state, tuple(repairs(state, _wrong(state), first=False)))

    def best(self, state: "State") -> Fix | None:
        """The best fix of a state."""
        return next(iter(self.find(state)), None)

    def apply_best(self) -> None:
        """Apply the best fix for the current state."""
        state = self.app.state
        if unread := _unread(state):
            self.app.notify(f"The {unread} cannot be read: correct it first.", timeout=4)
            return
        self._apply(next(iter(self.find(state) or self.find_all(state)), None))

    def mend(self, problem: Problem | None) -> None:
        """Apply the likeliest fix for a problem of the jobspec, or the best fix."""
        state = self.app.state
        wanted = () if problem is None or _unread(state) else (problem,)
        fix = next(repairs(state, wanted, first=True), None) if wanted else None
        if fix is not None:
            self._apply(fix)
        else:
            self.apply_best()

    def take(self, fix: Fix) -> bool:
        """Apply a chosen fix; return whether that made a step that can be undone."""
        before = self.app.history.past
        self.app.edit(fix.edit)
        return self.app.history.past is not before

    def _apply(self, fix: Fix | None) -> None:
        if fix is None:
            self.app.notify("No automatic fix available.", timeout=3)
            return
        self.take(fix)
        words = f"{shorten(fix.label, 60)}; ctrl+z to undo"
        self.app.notify(words, title="Fixed", timeout=3, markup=False)

    def _sorted(self, state: "State", repaired: Sequence[Fix]) -> tuple[Fix, ...]:
        """All fixes, those of what is wrong first of all in front, each once."""
        if state.job.raw is not None:
            return ()
        changes, outlook = self._relaxations(state), state.outlook
        matching = state.left if outlook.own is None else outlook.allowed
        ways = tuple(ways_out(state, () if matching else changes))
        legal = state.verdicts is None or state.verdicts.canonical.ok
        found = (*ways, *repaired) if legal else (*repaired, *ways)
        once: dict[str, Fix] = {}
        for fix in (*found, *map(_relaxed, changes)):
            once.setdefault(fix.words, fix)
        return tuple(once.values())[:MOST]


def _wrong(state: "State") -> list[Problem]:
    """The problems of the jobspec that may have fixes."""
    if state.verdicts is None or _unread(state):
        return []
    return [one for one in state.verdicts.problems if one.severity == "error"][:PROBLEMS]


def _unread(state: "State") -> str:
    """The name of an unreadable text, which a fix would discard; empty for none."""
    if state.job.raw is not None:
        return state.job.raw.form.upper()
    return "" if state.build.blank or state.build.shape.ok else "shape"
