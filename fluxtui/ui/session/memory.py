"""What is kept between runs: input history and preferences."""

import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from fluxtui.bridge.chosen import LAYOUT, THEME
from fluxtui.model.constraint import requires
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.entry import Entry, InputHistory
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.bridge.chosen import Chosen
    from fluxtui.bridge.typed import Typed

COLUMNS = "table columns"
FILES = "recent files"
GROUP = "preferences"
RECENT = 20  # files that are kept


class Preferences(Controller):
    """Saves preferences, and applies them at the start.

    store is where it is kept; where it is None, nothing is: the program that a person starts sets
    it.
    """

    store: "Chosen | None" = None

    def __init__(self, app: WorkbenchApp) -> None:
        super().__init__(app)
        self._turn = threading.Lock()  # of the threads that write: each reads what is kept first
        self.files: tuple[str, ...] = ()

    def ready(self) -> None:
        """Have the files of the times before."""
        if self.store is not None:
            start_worker(self.app, GROUP, self._load_files, self.store)

    async def _load_files(self, store: "Chosen") -> None:
        self.files = _merged(self.files, await run_in_thread(partial(store.load, FILES)))

    async def kept(self, what: str) -> tuple[str, ...]:
        """What was kept the last time; nothing where nothing was chosen."""
        return await run_in_thread(partial(self.store.load, what)) if self.store else ()

    async def columns(self) -> tuple[str, ...]:
        """The columns that the table had the last time."""
        return await self.kept(COLUMNS)

    def keep_columns(self, names: tuple[str, ...]) -> None:
        """Remember the columns."""
        self.keep(COLUMNS, names)

    def keep_layout(self, splits: tuple[str, ...]) -> None:
        """Remember the layout."""
        self.keep(LAYOUT, splits)

    def keep_theme(self, name: str | None) -> None:
        """Remember the theme; None forgets it."""
        if name is not None:
            self.keep(THEME, (name,))

    def add_file(self, path: str) -> None:
        """Remember a file that was opened or saved, as the newest."""
        if path != "demo" and self.store is not None:
            path = os.path.abspath(os.path.expanduser(path))
            start_worker(self.app, GROUP, self._add_file, self.store, path)

    async def _add_file(self, store: "Chosen", path: str) -> None:
        def add() -> tuple[str, ...]:
            with self._turn:  # another workbench may have added some
                files = _merged((path,), store.load(FILES))
                store.save(FILES, files)
                return files

        self.files = await run_in_thread(add)

    def closed_files(self) -> tuple[str, ...]:
        """The files that were opened before and are not open now, the newest first."""
        state = self.app.state
        documents = (one.cluster.source.path for one in state.documents)
        is_open = {os.path.abspath(path) for path in (*documents, state.job.path) if path}
        return tuple(path for path in self.files if path not in is_open)

    def keep(self, what: str, names: tuple[str, ...]) -> None:
        """Keep what was chosen for something."""
        if self.store is not None:
            start_worker(self.app, GROUP, self._save, self.store, what, names)

    async def _save(self, store: "Chosen", what: str, names: tuple[str, ...]) -> None:
        def save() -> None:
            with self._turn:
                store.save(what, names)

        await run_in_thread(save)


def _merged(newer: tuple[str, ...], older: tuple[str, ...]) -> tuple[str, ...]:
    """All of them, each once, as many as are kept."""
    return tuple(dict.fromkeys((*newer, *older)))[:RECENT]


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

    entries are the inputs by the kind of their text. The store is read and written beside the event
    loop; that it cannot be is said once.
    """

    _store: "Typed | None" = None
    _reported = False
    _is_saving = False

    def __init__(self, app: WorkbenchApp, entries: Mapping[str, Entry]) -> None:
        super().__init__(app)
        self._entries = entries

    def use(self, store: "Typed") -> None:
        """Offer what is in a store and keep in it what is used; called before the start."""
        self._store = store
        for kind, entry in self._entries.items():
            entry.history = InputHistory(
                partial(store.entries, kind), partial(self._remember, kind)
            )

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
            entry.renew_history()
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
