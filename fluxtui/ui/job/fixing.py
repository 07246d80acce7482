"""The fixes of the state in force: one ordered list, wherever it is shown, and the best of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fluxtui.notation.problem import Problem
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.job.fixes import MOST, Fix, relaxed, repairs, unread_text, ways_out, wrong
from fluxtui.ui.kit.wording import shorten

if TYPE_CHECKING:
    from fluxtui.answers.explain.relaxations import Relaxation
    from fluxtui.model.jobspec.verdicts import Verdicts
    from fluxtui.ui.job.verdicts_dialog import VerdictsDialog
    from fluxtui.workbench import State

# Parts of a shape up to which a key waits for the repairs of its jobspec, some 2 ms.
QUICK = 100


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
        self._dialog: VerdictsDialog | None = None  # the list of verdicts that was opened last

    def changed(self, before: "State", after: "State") -> None:
        """Update the verdicts."""
        self.advised()

    def find(self, state: "State") -> tuple[Fix, ...]:
        """The fixes of a state, the best first: for its jobspec, its fit, and its constraint.

        Those of a long jobspec are left out until they are asked for.
        """
        judged = state.verdicts
        if judged is not self._repairs[0]:
            quick = len(state.build.shape.tokens) <= QUICK
            found = tuple(repairs(state, wrong(state), first=True)) if quick else ()
            self._repairs = judged, found
        return self._sorted(state, self._repairs[1])

    def find_all(self, state: "State") -> tuple[Fix, ...]:
        """The same with those of every problem of the jobspec, which may take longer than a key."""
        return self._sorted(state, tuple(repairs(state, wrong(state), first=False)))

    def best(self, state: "State") -> Fix | None:
        """The best fix of a state."""
        return next(iter(self.find(state)), None)

    def apply_best(self) -> None:
        """Apply the best fix for the current state."""
        state = self.app.state
        if unread := unread_text(state):
            self.app.notify(f"The {unread} cannot be read: correct it first.", timeout=4)
            return
        self._apply(next(iter(self.find(state) or self.find_all(state)), None))

    def mend(self, problem: Problem | None) -> None:
        """Apply the likeliest fix for a problem of the jobspec, or the best fix."""
        state = self.app.state
        wanted = () if problem is None or unread_text(state) else (problem,)
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

    def advised(self) -> None:
        """Called when more changes to the constraint have been found."""
        if self._dialog is not None and self.app.screen is self._dialog:
            self._dialog.show_again()

    def show_verdicts(self, undo: Callable[[], object]) -> None:
        """Open the list of verdicts on the job, with the fixes."""
        from fluxtui.ui.job.verdicts_dialog import VerdictsDialog, verdicts_of

        app = self.app
        self._dialog = VerdictsDialog(
            lambda: (verdicts_of(app.state), self.find_all(app.state)),
            self.take,
            undo,
        )
        app.push_screen(self._dialog)

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
        for fix in (*found, *map(relaxed, changes)):
            once.setdefault(fix.words, fix)
        return tuple(once.values())[:MOST]
