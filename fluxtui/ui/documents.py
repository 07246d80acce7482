"""The workbench with documents: opening, saving, and what takes long, beside the event loop."""

from collections.abc import Iterable
from functools import partial
from typing import Literal

from fluxtui import opening, workbench
from fluxtui.bridge import files
from fluxtui.notation.source import Problem, printable, render
from fluxtui.ui import copying
from fluxtui.ui.background import in_background
from fluxtui.ui.core import Workbench

READING = "reading"
SAVING = "saving"
ROOM = "room"
PROBLEMS_TOLD = 3  # in one message; the document's pane lists them all


class Documents(Workbench):
    """Reads R documents, writes jobspecs, and looks for room where that is slow.

    config_path names the Flux configuration beside the documents.
    """

    config_path: str | None = None
    _looking = False

    # Room, where it takes long to find

    def _become(self, history: workbench.History) -> None:
        super()._become(history)
        self.look_for_room()

    def look_for_room(self) -> None:
        """Look for the room that is due, unless that is being done."""
        if self.state.outlook.due and self.is_running and not self._looking:
            self._looking = True
            self.run_worker(self._find_room(), group=ROOM)

    async def _find_room(self) -> None:
        """Look beside the event loop until the room for the job in force is found."""
        try:
            while self.state.outlook.due:
                outlook, cluster = self.state.outlook, self.state.cluster
                found = await in_background(partial(workbench.find_room, outlook, cluster))
                self.edit(workbench.FindRoom(outlook, found))
        finally:
            self._looking = False

    # Documents

    def open_source(self, name: str) -> None:
        """Read an R document in the background: a path, ``-`` for standard input, or ``demo``."""
        self.run_worker(self._open(name), group=READING, exclusive=True)

    async def _open(self, name: str) -> None:
        shown = "standard input" if name == "-" else name
        self.title_line.show_state(self.state, reading=shown)
        self.cluster_pane.show_reading(shown)
        try:
            cluster, problems = await in_background(
                lambda: opening.open_cluster(name, self.config_path)
            )
        finally:
            self.title_line.show_state(self.state)
            self.cluster_pane.show_notice(self.state.cluster)
        open_now = self.state.cluster.resources
        if cluster is not None and open_now.node_count and not cluster.resources.node_count:
            # What is open is worth more than a document without nodes.
            problems, cluster = cluster.resources.problems, None
        if cluster is None:
            self.tell(problems[:PROBLEMS_TOLD], f"Cannot open {shown}")
            return
        self.edit(workbench.OpenCluster(cluster))
        self.tell(problems, "Configuration")

    def action_demo(self) -> None:
        """Open the cluster that ships inside."""
        self.open_source("demo")

    def action_open(self) -> None:
        """Ask for an R document and open it."""
        from fluxtui.ui.dialogs.files import OpenDialog

        def chosen(path: str | None) -> None:
            if path is not None:
                self.open_source(path)

        self.push_screen(OpenDialog(), chosen)

    def action_save(self) -> None:
        """Ask where to save the jobspec, and save it."""
        from fluxtui.ui.dialogs.files import SaveDialog

        if not self.state.build.resources:
            self.notify("Type a shape first: there is no jobspec to save yet.", severity="warning")
            return

        def chosen(path: str | None) -> None:
            if path is not None:
                self.run_worker(self._save(path), group=SAVING)

        self.push_screen(SaveDialog(f"jobspec.{self.text_pane.written}"), chosen)

    async def _save(self, path: str) -> None:
        text = copying.jobspec_text(self.state, "json" if path.endswith(".json") else "yaml")
        await self._write(path, text, "the jobspec")

    async def _write(self, path: str, text: str, what: str) -> None:
        problems = await in_background(lambda: files.write_atomic(path, text))
        if problems:
            self.tell(problems, "Not saved")
        else:
            self.notify(printable(path), title=f"Saved {what}", markup=False)

    async def action_quit(self) -> None:
        """Leave, once what is being saved is saved."""
        saving = [worker for worker in self.workers if worker.group == SAVING]
        if saving:  # an empty list would mean all workers, and one may be reading a pipe
            await self.workers.wait_for_complete(saving)
        self.exit()

    def tell(self, problems: Iterable[Problem], title: str) -> None:
        """Say what went wrong, one message for all of it."""
        listed = list(problems)
        text = "\n".join(render(problem) for problem in listed)
        bad = any(problem.severity == "error" for problem in listed)
        level: Literal["error", "warning"] = "error" if bad else "warning"
        if text:
            self.notify(text, title=printable(title), severity=level, timeout=12, markup=False)
