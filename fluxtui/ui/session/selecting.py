"""The workbench with what a person does with nodes and constraints: select, name, compare."""

import threading
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.notation.problem import counted
from fluxtui.ui.core import Workbench
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.answers.explain.expression import Expression

NAMING = "naming"
LOOKING = "looking for an expression …  esc stops"

_BY = {
    "everything": "as all there are",
    "properties": "by their properties",
    "hosts": "by their host names",
    "ranks": "by their ranks",
    "mixed": "by their properties, and hosts or ranks",
}


class Selecting(Workbench):
    """Finds the constraint for the nodes that are selected, and compares constraints."""

    _naming: threading.Event | None = None  # set once the search that goes on is not wanted

    def _become(self, history: workbench.History) -> None:
        before = self.state
        super()._become(history)
        after = self.state
        same = after.ask is before.ask and after.cluster is before.cluster
        if not same or after.selected != before.selected:
            self.stop_naming()

    # From nodes to a constraint

    def action_name_selected(self) -> None:
        """Look for a short constraint that only the selected nodes satisfy."""
        selected = self.state.selected
        if selected:
            # From now on, not from when the worker begins: what changes until then counts too.
            self.stop_naming()
            stop = self._naming = threading.Event()
            start_worker(self, NAMING, self._look_for_name, self.state, stop)
        else:
            self.go_to(self.workspace.active("cluster"))
            self.notify(
                "Select nodes in the cluster first: space, shift and the arrows, or the mouse.",
                severity="warning",
                timeout=6,
            )

    async def _look_for_name(self, state: workbench.State, stop: threading.Event) -> None:
        """Look for the constraint beside the event loop, and put it in the bar."""
        if stop.is_set():
            return
        self.views.show_busy(LOOKING)
        resources = state.cluster.resources
        try:
            found = await run_in_thread(
                partial(workbench.constraint_for, state.selected, resources, stop.is_set)
            )
        finally:
            was_wanted = not stop.is_set()
            if self._naming is stop:
                self._end_naming()
        if found is not None and was_wanted:
            self._take(found)
        elif was_wanted:
            self.notify("No constraint was found that says just these nodes.", severity="warning")

    def _take(self, found: "Expression") -> None:
        """Put a constraint that was found in the bar, and say what it tells the nodes by."""
        count = counted(found.mask.bit_count(), "node")
        if found.is_too_long:
            length = f"{len(found.text):,} characters"
            self.notify(f"{count} take {length}, which is too long a text.", severity="warning")
            return
        again = found.text == self.state.ask.text
        self.edit(workbench.EditRequires(found.text))
        more = "as it stands there" if again else "ctrl+z takes it back"
        self.notify(f"{count} {_BY[found.by]}\n{more}", title="Constraint", timeout=5)

    def stop_naming(self) -> bool:
        """Look no longer for a constraint; whether that was being done."""
        if self._naming is None:
            return False
        self._end_naming()
        self.workers.cancel_group(self, NAMING)
        return True

    def _end_naming(self) -> None:
        if self._naming is not None:
            self._naming.set()
            self._naming = None
            self.views.show_busy("")

    async def action_unselect(self) -> None:
        """Select no node any more; leave, where none is or a constraint is being looked for."""
        if self.state.selected and self._naming is None:
            self.edit(workbench.Select(0))
        else:
            await self.run_action("app.do('leave')")

    # Two constraints

    def action_compare(self) -> None:
        """Keep the constraint as A, to see what others change; once more ends that."""
        if self.state.kept is not None:
            self.edit(workbench.KeepConstraint(False))
        elif self._is_finished():
            self.edit(workbench.KeepConstraint())
            self.focus_constraint()
            self.ask_bar.entry.give_way()  # to the other one

    def action_swap_compared(self) -> None:
        """Put the kept constraint, A, in the bar again, and keep the one that stood there."""
        if self.state.kept is None:
            self.notify("No constraint is kept: ctrl+k keeps the one in the bar.", timeout=4)
        elif self._is_finished():
            self.edit(workbench.SwapConstraints())

    def _is_finished(self) -> bool:
        """The constraint can be kept; says so where it cannot, and goes there."""
        if self.state.ask.stale:
            self.focus_constraint()
            self.notify("Finish the constraint first: as it stands it has a problem.", timeout=4)
        return not self.state.ask.stale
