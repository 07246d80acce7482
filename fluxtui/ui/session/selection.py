"""The selected nodes: clearing the selection, and finding a constraint that matches it exactly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.notation.problem import counted
from fluxtui.ui.controller import Controller
from fluxtui.ui.session.tasks import Tasks

if TYPE_CHECKING:
    from fluxtui.answers.explain.expression import Expression

SEARCH = "constraint search"  # the group of its tasks

_BY = {
    "everything": ", all of them",
    "properties": " by properties",
    "hosts": " by host names",
    "ranks": " by ranks",
    "mixed": " by properties, and hosts or ranks",
}


@dataclass(eq=False, repr=False)
class Selection(Controller):
    """Clears the selection, and finds a constraint for the selected nodes."""

    tasks: Tasks

    def unselect(self) -> None:
        """Stop what is running; otherwise clear the selection, or else go back."""
        if self.app.stop():
            return
        if self.app.state.selected:
            self.app.edit(workbench.Select(0))
        else:
            self.app.leave()

    def find_constraint(self) -> None:
        """Look for a short constraint that exactly the selected nodes satisfy."""
        state = self.app.state
        self.tasks.cancel(SEARCH)
        if not state.selected:
            self.app.action_go_to_zone("cluster")
            words = "Select nodes first: space, shift+arrows, or drag with the mouse."
            self.app.warn(words, timeout=6)
            return

        def is_outdated() -> bool:
            now = self.app.state
            is_same = now.ask is state.ask and now.cluster is state.cluster
            return not is_same or now.selected != state.selected

        def search(stop: Stop) -> "Expression | None":
            found = workbench.constraint_for(
                state.selected, state.cluster.resources, lambda: stop() or is_outdated()
            )
            stop_if(is_outdated)
            return found

        self.tasks.start(SEARCH, "looking for a constraint", search, self._take)

    def _take(self, found: "Expression | None") -> None:
        if found is None:
            self.app.warn("No constraint matches exactly these nodes.")
            return
        count = counted(found.mask.bit_count(), "node")
        if found.is_too_long:
            self.app.warn(f"A constraint for {count} is too long: {len(found.text):,} characters.")
            return
        more = "unchanged" if found.text == self.app.state.ask.text else "ctrl+z to undo"
        self.app.edit(workbench.EditRequires(found.text))
        self.app.notify(f"{count}{_BY[found.by]}; {more}", title="Constraint", timeout=5)
