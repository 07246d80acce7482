"""The selected nodes: clearing them, and finding a constraint that matches exactly these."""

import threading
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.notation.problem import counted
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.answers.explain.expression import Expression

SEARCHING = "searching for a constraint"
WORDS = "looking for a constraint …  esc stops"

_BY = {
    "everything": "all nodes",
    "properties": "by properties",
    "hosts": "by host names",
    "ranks": "by ranks",
    "mixed": "by properties, and hosts or ranks",
}


class Selection(Controller):
    """Finds the constraint for the nodes that are selected."""

    _searching: threading.Event | None = None  # set to cancel the search

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Stop a search that is no longer needed."""
        self.stop()

    def unselect(self) -> None:
        """Stop what is running, else clear the selection, else go back."""
        if self.app.stop():
            return
        if self.app.state.selected:
            self.app.edit(workbench.Select(0))
        else:
            self.app.leave()

    def find_constraint(self) -> None:
        """Look for a short constraint that only the selected nodes satisfy."""
        state = self.app.state
        if state.selected:
            # From now on, not from when the worker begins: what changes until then counts too.
            self.stop()
            stop = self._searching = threading.Event()
            self.follows = ("ask", "cluster", "selected")
            start_worker(self.app, SEARCHING, self._find_constraint, state, stop)
        else:
            self.app.action_go_to_zone("cluster")
            words = "Select nodes first: space, shift+arrows, or drag with the mouse."
            self.app.notify(words, severity="warning", timeout=6)

    async def _find_constraint(self, state: workbench.State, stop: threading.Event) -> None:
        """Search in the background, and put the result in the input."""
        if stop.is_set():
            return
        self.app.views.show_busy(WORDS)
        resources = state.cluster.resources
        try:
            found = await run_in_thread(
                partial(workbench.constraint_for, state.selected, resources, stop.is_set)
            )
        finally:
            was_wanted = not stop.is_set()
            if self._searching is stop:
                self._end()
        if found is not None and was_wanted:
            self._take(found)
        elif was_wanted:
            self.app.notify("No constraint matches exactly these nodes.", severity="warning")

    def _take(self, found: "Expression") -> None:
        """Put a constraint that was found in the bar, and say what it tells the nodes by."""
        count = counted(found.mask.bit_count(), "node")
        if found.is_too_long:
            words = f"A constraint for {count} is too long: {len(found.text):,} characters."
            self.app.notify(words, severity="warning")
            return
        already = found.text == self.app.state.ask.text
        self.app.edit(workbench.EditRequires(found.text))
        more = "unchanged" if already else "ctrl+z to undo"
        self.app.notify(f"{count} {_BY[found.by]}; {more}", title="Constraint", timeout=5)

    def stop(self) -> bool:
        """Stop searching for a constraint; return whether that was running."""
        if self._searching is None:
            return False
        self._end()
        self.app.workers.cancel_group(self.app, SEARCHING)
        return True

    def _end(self) -> None:
        if self._searching is not None:
            self._searching.set()
            self._searching = None
            self.follows = ()
            self.app.views.show_busy("")
