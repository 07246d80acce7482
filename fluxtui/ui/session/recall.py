"""What was typed in the inputs before, where the workbench has a store for it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from fluxtui.model.constraint import requires
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.offers import InputHistory
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.bridge.typed import Typed


def _is_shape(text: str) -> bool:
    problems = parse_shape(text).problems
    return not any(problem.severity == "error" for problem in problems)


#: What says of each kind of text that nothing is wrong with it.
FINE: Mapping[str, Callable[[str], bool]] = {
    "shape": _is_shape,
    "requires": lambda text: requires.read(text).ok,
}


class Recall(Controller):
    """Hands the inputs what was typed before, and stores what is used in them.

    The store is read and written beside the event loop; that it cannot be is said once.
    """

    _store: "Typed | None" = None
    _reported = False
    _is_saving = False

    def use(self, store: "Typed") -> None:
        """Offer what is in a store and keep in it what is used; called before the start."""
        self._store = store
        for kind, entry in self._entries.items():
            entry.history = InputHistory(
                partial(store.entries, kind), partial(self._remember, kind)
            )

    @property
    def _entries(self) -> dict[str, Entry]:
        """The inputs by the kind of their text."""
        return {"shape": self.app.shape_bar.entry, "requires": self.app.ask_bar.entry}

    def ready(self) -> None:
        """Read the store."""
        if self._store is not None:
            start_worker(self.app, "history", self._load, self._store)

    def remember(self) -> None:
        """Note that the texts of all inputs are used, as they are when a job is exported."""
        for entry in self._entries.values():
            entry.remember()

    def close(self, *, left: bool) -> None:
        """Store what is in the inputs, and all that is not stored yet."""
        if self._store is None:
            return
        for kind, entry in self._entries.items():
            if FINE[kind](entry.value):
                self._store.add(kind, entry.value)
        self._store.save()

    def _remember(self, kind: str, text: str) -> None:
        store = self._store
        if store is not None and FINE[kind](text) and store.add(kind, text) and not self._is_saving:
            self._is_saving = True
            start_worker(self.app, "history", self._save, store)

    async def _load(self, store: "Typed") -> None:
        problems = await run_in_thread(store.load)
        for entry in self._entries.values():
            entry.offers.renew()
        self._report(problems)

    async def _save(self, store: "Typed") -> None:
        """Write until all is written, or cannot be."""
        problems: tuple[Problem, ...] = ()
        try:
            while store.unsaved and not problems:
                problems = await run_in_thread(store.save)
        finally:
            self._is_saving = False
        self._report(problems)

    def _report(self, problems: tuple[Problem, ...]) -> None:
        if problems and not self._reported:
            self._reported = True
            words = problems[0].message
            self.app.notify(words, title="History", severity="warning", timeout=6, markup=False)
