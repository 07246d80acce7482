"""The workbench with documents: opening, and what takes long, beside the event loop."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import opening, workbench
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit.wording import shorten
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker
from fluxtui.ui.session.saving import Saving

MEGABYTE = 1_000_000
WORTH_TELLING = 1_000_000  # bytes; a smaller document is there before one has read how far it is
LONG = 24  # characters of a name in one line: all of that fits the narrowest screen


class StoppedError(Exception):
    """Nobody waits for the document any more."""


class Progress:
    """What a thread tells of its reading, and what is said of it on the screen."""

    def __init__(self, name: str) -> None:
        """name is the path of the document, or what else it goes by."""
        self.name = printable(name.rstrip("/").rpartition("/")[2] or name)
        self._done = self._size = 0
        self._stopped = False

    def told(self, done: int, size: int) -> None:
        """Take how many bytes have been read, of how many; 0 where that is not known.

        Raises StoppedError once the reading was stopped.
        """
        if self._stopped:
            raise StoppedError
        self._done, self._size = done, size

    def stop(self) -> None:
        """End the reading where it is told the next time."""
        self._stopped = True

    @property
    def words(self) -> str:
        """How much has been read, such as ``43 % of 210 MB``; blank while that is not worth it."""
        done, size = self._done, self._size
        if max(done, size) < WORTH_TELLING:
            return ""
        if not size:
            return f"{done / MEGABYTE:,.0f} MB"
        if done >= size:
            return f"{size / MEGABYTE:,.0f} MB, now its nodes"
        return f"{done * 100 // size} % of {size / MEGABYTE:,.0f} MB"

    @property
    def title(self) -> str:
        """The name and how much has been read, for one line that has room for more."""
        words, name = self.words, shorten(self.name, LONG)
        return f"{name} … {words} ·" if words else f"{name} …"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in several lines, for where there is nothing else to see."""
        words = self.words
        return (f"Reading {self.name} …", *((words,) if words else ()), "", "esc stops.")


if TYPE_CHECKING:
    from fluxtui.bridge.watching import Watched
    from fluxtui.model.stage import Stage
    from fluxtui.opening.again import Origin


READING = "reading"
ROOM = "room"
PROBLEMS_TOLD = 3  # in one message; the document's pane lists them all
BETWEEN_KEYS = 0.15  # seconds without an edit, before room is looked for where that is slow
BETWEEN_NEWS = 0.2  # seconds, of how far the document is that is read


class Documents(Saving):
    """Reads documents of any kind, and looks for room where that is slow.

    files_to_open are read, one after the other, once the screen stands. resources_path is the one
    of them that was named with a configuration beside it.
    """

    files_to_open: Sequence[str] = ()
    resources_path: str | None = None
    _looking = False
    _progress: "Progress | None" = None  # of the document that is being read

    # Room, where it takes long to find

    def _become(self, history: workbench.History) -> None:
        super()._become(history)
        self.look_for_room()

    def look_for_room(self) -> None:
        """Look for the room that is due, unless that is being done."""
        if self.state.outlook.due and self.is_running and not self._looking:
            self._looking = True
            start_worker(self, ROOM, self._find_room)

    async def _find_room(self) -> None:
        """Look beside the event loop until the room for the job in force is found.

        Not while one types: the search would take its time from the keys.
        """
        try:
            while self.state.outlook.due:
                state = self.state
                await asyncio.sleep(BETWEEN_KEYS)
                if state.outlook is not self.state.outlook:
                    continue
                found = await run_in_thread(partial(workbench.find_outlook, state))
                self.edit(workbench.FindRoom(state.outlook, found))
        finally:
            self._looking = False

    # Opening

    def on_ready(self) -> None:
        """Read what the workbench was started with."""
        if self.files_to_open:
            self.open_sources(self.files_to_open)

    def open_source(self, name: str) -> None:
        """Read a document in the background; see `open_sources`."""
        self.open_sources((name,))

    def open_sources(self, names: Sequence[str]) -> None:
        """Read documents in the background, in order; what each of them is, its content tells.

        Of several clusters the first one is shown, and the others are open behind it. A name is a
        path, ``-`` for an R document on standard input, or ``demo``.
        """
        start_exclusive_worker(self, READING, self._open_all, names)

    async def _open_all(self, names: Sequence[str]) -> None:
        behind = False
        for name in names:
            found = await self._open(name, behind=behind)
            behind = behind or found

    async def _open(self, name: str, *, behind: bool) -> bool:
        """Read a document and open it; whether that is a cluster with nodes."""
        from fluxtui.opening.again import Origin

        shown = "standard input" if name == "-" else name
        cluster, environ = self.state.cluster, self.state.around.environ
        # The configuration that was named beside a document at the start counts, whatever it is.
        config, own_queues = self.config_path, name != self.resources_path
        progress = self._progress = Progress(shown)
        self._show_progress()
        telling = self.set_interval(BETWEEN_NEWS, self._show_progress)
        try:
            opened, problems = await run_in_thread(
                lambda: opening.open_any(
                    name, config, cluster, environ, own_queues=own_queues, told=progress.told
                )
            )
        finally:
            progress.stop()
            telling.stop()
            if self._progress is progress:
                self._progress = None
                self.show_title()
                self.views.show_notice()
        origin = Origin("" if name == "-" else name, config, own_queues)
        self._take_opened(opened, problems, shown, origin, behind=behind)
        if not isinstance(opened, opening.OpenedCluster):
            return False
        return opened.cluster.resources.node_count > 0

    def _take_opened(
        self,
        opened: "opening.Opened | None",
        problems: tuple[Problem, ...],
        shown: str,
        origin: "Origin",
        *,
        behind: bool = False,
    ) -> None:
        """Put what was opened in the workbench, or say why there is nothing.

        behind leaves the cluster in force that is.
        """
        match opened:
            case opening.OpenedCluster(found, read_from):
                self.comes_from(found, replace(origin, files=read_from))
                self._open_cluster(found, problems, shown, behind=behind)
            case opening.OpenedConfig(found, where, read_from):
                self.beside(found, where or None, read_from)
                self._open_config(found, problems, where)
            case opening.OpenedJob(jobspec):
                self._open_jobspec(jobspec, problems, shown)
            case opening.OpenedStage(stage):
                self.show_stage(stage, problems)
            case None:
                self.tell(problems[:PROBLEMS_TOLD], f"Cannot open {shown}")

    def show_title(self, reading: str = "") -> None:
        """Show what is open in the first line, and how far the document is that is read."""
        super().show_title(reading or (self._progress.title if self._progress else ""))

    def _show_progress(self) -> None:
        if self._progress is not None:
            self.show_title()
            self.views.show_notice(self._progress.lines)

    def _open_cluster(
        self,
        cluster: workbench.Cluster,
        problems: tuple[Problem, ...],
        shown: str,
        *,
        behind: bool,
    ) -> None:
        open_now = self.state.cluster.resources
        if open_now.node_count and not cluster.resources.node_count:
            # What is open is worth more than a document without nodes.
            self.tell(cluster.resources.problems[:PROBLEMS_TOLD], f"Cannot open {shown}")
            return
        self.edit(workbench.OpenCluster(cluster, behind))
        self.tell(problems, "Configuration")

    def _open_config(
        self, cluster: workbench.Cluster, problems: tuple[Problem, ...], where: str
    ) -> None:
        self.config_path = where or None
        self.edit(workbench.OpenCluster(cluster))
        count = len(cluster.config.queues) if cluster.config is not None else 0
        words = counted(count, "queue")
        if cluster.resources.node_count:
            words += f" beside {printable(cluster.source.name)}"
        self.notify(
            words,
            title=f"Configuration {printable(where)}".rstrip(),
            markup=False,
        )
        self.tell(problems[:PROBLEMS_TOLD], "Configuration")

    def _open_jobspec(
        self, opened: "opening.OpenedJobspec", problems: tuple[Problem, ...], shown: str
    ) -> None:
        self.belongs_to(opened.file)
        self.edit(opened.edit)
        raw = opened.job.raw
        title = f"Opened {shown}"
        if raw is not None:
            while self.pane(TextPane).form != raw.form:
                self.pane(TextPane).toggle()
            self.pane(TextPane).show(self.state)
            self.go_to("text")
            title = f"{shown} cannot be read as it stands; mend it here"
        self.tell(problems[:PROBLEMS_TOLD], title)
        if opened.what or not problems:
            what = opened.what or "jobspec"
            self.notify(f"{printable(shown)}, {what}", title="Opened", timeout=4, markup=False)

    def comes_from(self, cluster: workbench.Cluster, origin: "Origin") -> None:
        """Know where a cluster is from; the subclass does something with that."""

    def beside(self, cluster: workbench.Cluster, config: str | None, read_from: "Watched") -> None:
        """Know which configuration is beside a cluster by now; the subclass uses that."""

    def show_stage(self, stage: "Stage", problems: tuple[Problem, ...] = ()) -> None:
        """Show a list of constraints; the subclass knows how."""

    def action_demo(self) -> None:
        """Open the cluster that ships inside."""
        self.open_source("demo")

    def action_open(self) -> None:
        """Ask for a file and open it."""
        from fluxtui.ui.session.files import OpenDialog

        def chosen(path: str | None) -> None:
            if path is not None:
                self.open_source(path)

        self.push_screen(OpenDialog(), chosen)
