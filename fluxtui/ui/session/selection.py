"""The selected nodes: clearing them, and finding a constraint that matches exactly these."""

import threading
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.notation.problem import counted
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.session.tasks import Tasks

if TYPE_CHECKING:
    from fluxtui.answers.explain.expression import Expression

_BY = {
    "everything": "all nodes",
    "properties": "by properties",
    "hosts": "by host names",
    "ranks": "by ranks",
    "mixed": "by properties, and hosts or ranks",
}


class Selection(Controller):
    """Finds the constraint for the nodes that are selected."""

    def __init__(self, app: WorkbenchApp, tasks: Tasks) -> None:
        super().__init__(app)
        self._tasks = tasks
        self._search = threading.Event()  # of the last search

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
        self._tasks.cancel(self._search)
        if not state.selected:
            self.app.action_go_to_zone("cluster")
            words = "Select nodes first: space, shift+arrows, or drag with the mouse."
            self.app.notify(words, severity="warning", timeout=6)
            return

        def is_over() -> bool:
            now = self.app.state
            is_same = now.ask is state.ask and now.cluster is state.cluster
            return not is_same or now.selected != state.selected

        def search(stop: Stop) -> "Expression | None":
            resources = state.cluster.resources
            found = workbench.constraint_for(state.selected, resources, lambda: stop() or is_over())
            stop_if(is_over)
            return found

        words = "looking for a constraint"
        self._search = self._tasks.start("constraint search", words, search, self._take)

    def _take(self, found: "Expression | None") -> None:
        if found is None:
            self.app.notify("No constraint matches exactly these nodes.", severity="warning")
            return
        count = counted(found.mask.bit_count(), "node")
        if found.is_too_long:
            words = f"A constraint for {count} is too long: {len(found.text):,} characters."
            self.app.notify(words, severity="warning")
            return
        more = "unchanged" if found.text == self.app.state.ask.text else "ctrl+z to undo"
        self.app.edit(workbench.EditRequires(found.text))
        self.app.notify(f"{count} {_BY[found.by]}; {more}", title="Constraint", timeout=5)
