"""Preferences and input history, which are kept between runs."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from fluxtui.bridge import files
from fluxtui.model.constraint import requires
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.entry import Entry, InputHistory
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.bridge.chosen import Chosen
    from fluxtui.bridge.typed import Typed

COLUMNS = "table columns"
FILES = "recent files"
RECENT = 20  # how many files, or other names, are kept


@dataclass(eq=False, repr=False)
class Preferences(Controller):
    """Saves the user's choices and the files that were opened, each list under a name.

    store keeps them; nothing is kept if it is None. Only the real program sets it.
    """

    store: "Chosen | None" = None
    files: tuple[str, ...] = ()
    # Held while a thread reads a list and writes it back changed.
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ready(self) -> None:
        """Load the recent files."""
        start_worker(self.app, "preferences", self._load_files)

    async def _load_files(self) -> None:
        self.files = _merged(self.files, await self.kept(FILES))

    async def kept(self, what: str) -> tuple[str, ...]:
        """Return the list kept under a name; empty if there is none."""
        return await run_in_thread(partial(self.store.load, what)) if self.store else ()

    def keep(self, what: str, names: tuple[str, ...]) -> None:
        """Keep a list under a name."""
        self._change(what, lambda before: names)

    def add_file(self, path: str) -> None:
        """Add a file that was opened or saved to the recent files, as the newest."""
        if path != files.DEMO:
            self.add(FILES, files.kept(path))

    def add(self, what: str, name: str) -> None:
        """Put an entry first in the list kept under a name; the oldest entries are dropped."""
        self._change(what, partial(_merged, (name,)))

    def _change(self, what: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        store = self.store
        if store is None:
            return

        def save() -> tuple[str, ...]:
            with self._lock:  # load first: another workbench may have changed the list
                names = change(store.load(what))
                store.save(what, names)
                return names

        async def run() -> None:
            names = await run_in_thread(save)
            if what == FILES:
                self.files = names

        start_worker(self.app, "preferences", run)

    def closed_files(self) -> tuple[str, ...]:
        """Return the recent files that are not open now, the newest first."""
        state = self.app.state
        documents = (document.cluster.source.path for document in state.documents)
        is_open = {files.kept(path) for path in (*documents, state.job.path) if path}
        return tuple(path for path in self.files if path not in is_open)


def _merged(newer: tuple[str, ...], older: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*newer, *older)))[:RECENT]


#: For each kind of text, a function that returns whether a text has no problems.
FINE: Mapping[str, Callable[[str], bool]] = {
    "shape": lambda text: parse_shape(text).ok,
    "requires": lambda text: requires.read(text).ok,
}


@dataclass(eq=False, repr=False)
class Recall(Controller):
    """Gives the inputs their history, and stores the texts that are used.

    entries are the inputs by the kind of their text. The store is read and written in a thread;
    only the first failure is reported.
    """

    entries: Mapping[str, Entry]

    _store: "Typed | None" = None
    _reported = False
    _is_saving = False

    def use(self, store: "Typed") -> None:
        """Offer the history in a store, and add to it; called before the app starts."""
        self._store = store
        for kind, entry in self.entries.items():
            offered, used = partial(store.entries, kind), partial(self._add, store, kind)
            entry.history = InputHistory(offered, used)

    def ready(self) -> None:
        """Read the store."""
        if self._store is not None:
            start_worker(self.app, "history", self._load, self._store)

    async def _load(self, store: "Typed") -> None:
        problems = await run_in_thread(store.load)
        for entry in self.entries.values():
            entry.renew_history()
        self._report(problems)

    def remember(self) -> None:
        """Add the texts of all inputs to the history, because a job is exported or saved."""
        for entry in self.entries.values():
            entry.remember()

    def _add(self, store: "Typed", kind: str, text: str) -> None:
        if FINE[kind](text) and store.add(kind, text) and not self._is_saving:
            self._is_saving = True
            start_worker(self.app, "history", self._save, store)

    async def _save(self, store: "Typed") -> None:
        """Write until everything is saved, or writing fails."""
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
            self.app.warn(problems[0].message, title="History", timeout=6)

    def close(self, *, left: bool) -> None:
        """Store the texts in the inputs, and whatever is not saved yet."""
        if self._store is not None:
            for kind, entry in self.entries.items():
                if FINE[kind](entry.value):
                    self._store.add(kind, entry.value)
            self._store.save()
