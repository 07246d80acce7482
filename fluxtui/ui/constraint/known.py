"""The names of the open cluster, worked out where no key has to wait for them."""

from typing import TYPE_CHECKING

from textual.widget import Widget

from fluxtui.model.constraint.completion import Names, are_many
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker

if TYPE_CHECKING:
    from fluxtui.model.resources.resource_set import Resources


class KnownNames:
    """The names of one cluster at a time. Those of a large one come a moment after it is opened.

    owner is the widget whose worker makes them.
    """

    def __init__(self, owner: Widget) -> None:
        self._owner = owner
        self._of: Resources | None = None
        self._learning: Resources | None = None
        self._found: Names | None = None

    def know(self, resources: "Resources") -> None:
        """This cluster is open."""
        if resources is not self._of:
            self._of, self._found = resources, None
            if self._owner.is_mounted:
                self._begin()

    @property
    def names(self) -> Names:
        """What is known by now."""
        if self._found is None and self._of is not None:
            if are_many(self._of):
                self._begin()
            else:
                self._found = Names.of(self._of)
        return self._found if self._found is not None else Names()

    def _begin(self) -> None:
        """Have the names of a large cluster worked out, unless that is being done."""
        resources = self._of
        if resources is not None and resources is not self._learning and are_many(resources):
            self._learning = resources
            start_exclusive_worker(self._owner, "names", self._learn, resources)

    async def _learn(self, resources: "Resources") -> None:
        found = await run_in_thread(lambda: Names.of(resources))
        if resources is self._of:
            self._found = found
