"""What is kept between runs: input history and preferences."""

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
RECENT = 20  # files that are kept


@dataclass(eq=False, repr=False)
class Preferences(Controller):
    """Saves what a person chose, and the files that were opened, each under a name.

    store is where it is kept; where it is None, nothing is: the program that a person starts sets
    it.
    """

    store: "Chosen | None" = None
    files: tuple[str, ...] = ()
    # Of the threads that write: each reads what is kept first.
    _turn: threading.Lock = field(default_factory=threading.Lock)

    def ready(self) -> None:
        """Have the files of the times before."""
        start_worker(self.app, "preferences", self._load_files)

    async def _load_files(self) -> None:
        self.files = _merged(self.files, await self.kept(FILES))

    async def kept(self, what: str) -> tuple[str, ...]:
        """What was kept the last time; nothing where nothing was chosen."""
        return await run_in_thread(partial(self.store.load, what)) if self.store else ()

    def keep(self, what: str, names: tuple[str, ...]) -> None:
        """Keep what was chosen for something."""
        self._change(what, lambda before: names)

    def add_file(self, path: str) -> None:
        """Remember a file that was opened or saved, as the newest."""
        if path != files.DEMO:
            self.add(FILES, files.kept(path))

    def add(self, what: str, name: str) -> None:
        """Put a name first in what is kept; the oldest go."""
        self._change(what, partial(_merged, (name,)))

    def _change(self, what: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        store = self.store
        if store is None:
            return

        def save() -> tuple[str, ...]:
            with self._turn:  # another workbench may have changed it
                names = change(store.load(what))
                store.save(what, names)
                return names

        async def run() -> None:
            names = await run_in_thread(save)
            if what == FILES:
                self.files = names

        start_worker(self.app, "preferences", run)

    def closed_files(self) -> tuple[str, ...]:
        """The files that were opened before and are not open now, the newest first."""
        state = self.app.state
        documents = (one.cluster.source.path for one in state.documents)
        is_open = {files.kept(path) for path in (*documents, state.job.path) if path}
        return tuple(path for path in self.files if path not in is_open)


def _merged(newer: tuple[str, ...], older: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*newer, *older)))[:RECENT]


#: What says of each kind of text that nothing is wrong with it.
FINE: Mapping[str, Callable[[str], bool]] = {
    "shape": lambda text: parse_shape(text).ok,
    "requires": lambda text: requires.read(text).ok,
}


@dataclass(eq=False, repr=False)
class Recall(Controller):
    """Hands the inputs what was typed before, and stores what is used in them.

    entries are the inputs by the kind of their text. The store is read and written beside the event
    loop; that it cannot be is said once.
    """

    entries: Mapping[str, Entry]

    _store: "Typed | None" = None
    _reported = False
    _is_saving = False

    def use(self, store: "Typed") -> None:
        """Offer what is in a store and keep in it what is used; called before the start."""
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
        """Note that the texts of all inputs are used, as they are when a job is exported."""
        for entry in self.entries.values():
            entry.remember()

    def _add(self, store: "Typed", kind: str, text: str) -> None:
        if FINE[kind](text) and store.add(kind, text) and not self._is_saving:
            self._is_saving = True
            start_worker(self.app, "history", self._save, store)

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
            self.app.warn(problems[0].message, title="History", timeout=6)

    def close(self, *, left: bool) -> None:
        """Store what is in the inputs, and all that is not stored yet."""
        if self._store is not None:
            for kind, entry in self.entries.items():
                if FINE[kind](entry.value):
                    self._store.add(kind, entry.value)
            self._store.save()
