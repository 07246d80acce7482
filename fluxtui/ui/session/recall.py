"""What was typed in the inputs before, where the workbench has a store for it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App

from fluxtui.model.constraint import requires
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
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


class Recall:
    """Hands the inputs what was typed before, and stores what is used in them.

    entries are the inputs by the kind of their text. The store is read and written beside the
    event loop; that it cannot be is said once.
    """

    def __init__(self, app: App[Any], store: "Typed", entries: Mapping[str, Entry]) -> None:
        self._app = app
        self._store = store
        self._entries = entries
        self._told = False
        self._saving = False
        for kind, entry in entries.items():
            entry.history = InputHistory(
                lambda kind=kind: store.entries(kind),  # type: ignore[misc]
                lambda text, kind=kind: self._remember(kind, text),  # type: ignore[misc]
            )

    def begin(self) -> None:
        """Read the store; called once the screen stands."""
        start_worker(self._app, "history", self._load)

    def remember(self) -> None:
        """Note that the texts of all inputs are used, as they are when a job is taken away."""
        for entry in self._entries.values():
            entry.remember()

    def close(self) -> None:
        """Store what stands in the inputs, and all that is not stored yet; not on the loop."""
        for kind, entry in self._entries.items():
            if FINE[kind](entry.value):
                self._store.add(kind, entry.value)
        self._store.save()

    def _remember(self, kind: str, text: str) -> None:
        if FINE[kind](text) and self._store.add(kind, text) and not self._saving:
            self._saving = True
            start_worker(self._app, "history", self._save)

    async def _load(self) -> None:
        problems = await run_in_thread(self._store.load)
        for entry in self._entries.values():
            entry.offers.renew()
        self._tell(problems)

    async def _save(self) -> None:
        """Write until all is written, or cannot be."""
        problems: tuple[Problem, ...] = ()
        try:
            while self._store.unsaved and not problems:
                problems = await run_in_thread(self._store.save)
        finally:
            self._saving = False
        self._tell(problems)

    def _tell(self, problems: tuple[Problem, ...]) -> None:
        if problems and not self._told:
            self._told = True
            message = problems[0].message
            self._app.notify(message, title="History", severity="warning", timeout=6, markup=False)
