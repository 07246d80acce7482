"""Documents: read in the background, opened, listed, switched and closed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fluxtui import opening, workbench
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.ui.session.memory import Preferences
from fluxtui.ui.session.saving import Saving, TextView
from fluxtui.ui.session.watching import PROBLEMS_SHOWN, READING, Watcher

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage
    from fluxtui.opening.again import Origin
    from fluxtui.ui.kit.picker import Picker, RowKey

    # What is to be done, and with which of the documents, by its number from 0.
    Chosen = tuple[str, int]

BETWEEN_NEWS = 0.2  # seconds, of how far the document is that is read

MEGABYTE = 1_000_000
WORTH_TELLING = 1_000_000  # bytes; a smaller document is there before one has read how far it is
LONG = 24  # characters of a name in one line: all of that fits the narrowest screen


class Documents(Controller):
    """Reads documents of any kind, and manages the open ones.

    files_to_open are read, one after the other, once the screen is there. config_path names the
    Flux configuration beside the documents, and resources_path the one of them that was named with
    a configuration.

    watcher looks at their files from then on, saving knows that of the job, and pane shows its
    text. show_stage shows a stage list, and compare the changes to another document, by its number.
    """

    follows = ("documents",)

    files_to_open: Sequence[str] = ()
    config_path: str | None = None
    resources_path: str | None = None
    _progress: "Progress | None" = None  # of the document that is being read

    def __init__(
        self,
        app: WorkbenchApp,
        watcher: Watcher,
        saving: Saving,
        preferences: Preferences,
        pane: TextView,
        *,
        show_stage: Callable[["Stage", tuple[Problem, ...]], None],
        compare: Callable[[int], None],
    ) -> None:
        super().__init__(app)
        self._watcher, self._saving, self._preferences = watcher, saving, preferences
        self._pane, self._show_stage, self._compare = pane, show_stage, compare

    def ready(self) -> None:
        """Read what the workbench was started with."""
        if self.files_to_open:
            self.open_sources(self.files_to_open)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Say, when a second document is opened, which one is not seen, and how to go on."""
        if len(before.documents) == 1 and len(after.documents) == 2:
            is_inactive = after.cluster is before.cluster
            name = short_name(after.documents[1].cluster if is_inactive else before.cluster)
            words = f"{name} is open too: in a pane ] goes there, "
            words += f"{key_of('documents', 'ctrl+d')} lists and compares"
            self.app.notify(words, timeout=8, markup=False)

    def stop(self) -> bool:
        """Stop reading; return whether something was being read."""
        workers = self.app.workers
        if not any(worker.group == READING and worker.is_running for worker in workers):
            return False
        workers.cancel_group(self.app, READING)
        return True

    # Opening

    def ask(self) -> None:
        """Ask for a file and open it."""
        from fluxtui.ui.session.dialogs import OpenDialog

        def chosen(path: str | None) -> None:
            if path is not None:
                self.open_source(path)

        self.app.push_screen(OpenDialog(self._preferences.closed_files()), chosen)

    def open_source(self, name: str) -> None:
        """Read a document in the background; see `open_sources`."""
        self.open_sources((name,))

    def open_sources(self, names: Sequence[str]) -> None:
        """Read documents in the background, in order; what each of them is, its content decides.

        Of several clusters the first one is shown, and the others are open behind it. A name is a
        path, ``-`` for an R document on standard input, or ``demo``.
        """
        start_exclusive_worker(self.app, READING, self._open_all, names)

    async def _open_all(self, names: Sequence[str]) -> None:
        activate = True
        for name in names:
            found = await self._open(name, activate=activate)
            activate = activate and not found

    async def _open(self, name: str, *, activate: bool) -> bool:
        """Read a document and open it; whether that is a cluster with nodes."""
        from fluxtui.opening.again import Origin

        state = self.app.state
        # The configuration that was named beside a document at the start counts, whatever it is.
        config, own_queues = self.config_path, name != self.resources_path
        progress = self._progress = Progress("standard input" if name == "-" else name)
        self._show_progress()
        timer = self.app.set_interval(BETWEEN_NEWS, self._show_progress)
        try:
            opened, problems = await run_in_thread(
                lambda: opening.open_any(
                    name,
                    config,
                    state.cluster,
                    state.around.environ,
                    own_queues=own_queues,
                    told=progress.update,
                )
            )
        finally:
            progress.stop()
            timer.stop()
            if self._progress is progress:
                self._progress = None
                self.app.show_title()
                self.app.views.show_notice()
        origin = Origin("" if name == "-" else name, config, own_queues)
        shown = "standard input" if name == "-" else name
        self.take_opened(opened, problems, shown, origin, activate=activate)
        if opened is not None and name != "-":
            self._preferences.add_file(name)
        if not isinstance(opened, opening.OpenedCluster):
            return False
        return opened.cluster.resources.node_count > 0

    def _show_progress(self) -> None:
        if self._progress is not None:
            self.app.show_title(self._progress.title)
            self.app.views.show_notice(self._progress.lines)

    def take_opened(
        self,
        opened: "opening.Opened | None",
        problems: tuple[Problem, ...],
        shown: str,
        origin: "Origin",
        *,
        activate: bool = True,
    ) -> None:
        """Put what was opened in the workbench, or say why there is nothing.

        Without activate the cluster that is shown stays.
        """
        match opened:
            case opening.OpenedCluster(cluster, read_from):
                self._watcher.came_from(cluster, replace(origin, files=read_from))
                self._open_cluster(cluster, problems, shown, activate=activate)
            case opening.OpenedConfig(cluster, where, read_from):
                self._watcher.configured_by(cluster, where or None, read_from)
                self._open_config(cluster, problems, where)
            case opening.OpenedJob(jobspec):
                self._open_jobspec(jobspec, problems, shown)
            case opening.OpenedStage(stage):
                self._show_stage(stage, problems)
            case None:
                self.app.report_problems(problems[:PROBLEMS_SHOWN], f"Cannot open {shown}")

    def _open_cluster(
        self,
        cluster: workbench.Cluster,
        problems: tuple[Problem, ...],
        shown: str,
        *,
        activate: bool,
    ) -> None:
        open_now = self.app.state.cluster.resources
        if open_now.node_count and not cluster.resources.node_count:
            # What is open is worth more than a document without nodes.
            faults = cluster.resources.problems[:PROBLEMS_SHOWN]
            self.app.report_problems(faults, f"Cannot open {shown}")
            return
        self.app.edit(workbench.OpenCluster(cluster, not activate))
        self.app.report_problems(problems, "Configuration")

    def _open_config(
        self, cluster: workbench.Cluster, problems: tuple[Problem, ...], where: str
    ) -> None:
        self.config_path = where or None
        self.app.edit(workbench.OpenCluster(cluster))
        words = counted(len(cluster.config.queues) if cluster.config is not None else 0, "queue")
        if cluster.resources.node_count:
            words += f" for {printable(cluster.source.name)}"
        title = f"Configuration {printable(where)}".rstrip()
        self.app.notify(words, title=title, markup=False)
        self.app.report_problems(problems[:PROBLEMS_SHOWN], "Configuration")

    def _open_jobspec(
        self, opened: "opening.OpenedJobspec", problems: tuple[Problem, ...], shown: str
    ) -> None:
        self._saving.remember(opened.file)
        self.app.edit(opened.edit)
        raw = opened.job.raw
        title = f"Opened {shown}"
        if raw is not None:
            self._pane.put_form(raw.form)
            self._pane.show(self.app.state)
            self.app.go_to("text")
            title = f"{shown} cannot be read; fix it here"
        self.app.report_problems(problems[:PROBLEMS_SHOWN], title)
        if opened.what or not problems:
            words = f"{printable(shown)}, {opened.what or 'jobspec'}"
            self.app.notify(words, title="Opened", timeout=4, markup=False)

    # Switching

    def list(self) -> None:
        """List what is open: to go there, to close it, or to compare it."""
        if self.app.state.documents:
            self.app.push_screen(_picker(self.app.state), self._chosen)
        else:
            self.ask()

    def _chosen(self, chosen: "Chosen | None") -> None:
        match chosen:
            case ("go", number):
                self.app.edit(workbench.GoToDocument(number))
            case ("open", _):
                self.ask()
            case ("compare", number):
                self._compare(number)
            case ("close", number):
                self.app.edit(workbench.CloseDocument(number))
                if self.app.state.documents:
                    self.list()

    def go(self, by: int) -> None:
        """Go to a later document; after the last comes the first."""
        count = len(self.app.state.documents)
        if count > 1:
            self.app.edit(workbench.GoToDocument((self.app.state.place + by) % count))
        else:
            self.app.notify(
                f"No other document is open: {key_of('open', 'ctrl+o')} opens one.", timeout=4
            )

    def close_shown(self) -> None:
        """Close the current document; the next one replaces it."""
        if self.app.state.documents:
            self.app.edit(workbench.CloseDocument(self.app.state.place))
        else:
            self.app.notify("No document is open.", timeout=4)


class StoppedError(Exception):
    """Raised when reading a document has been cancelled."""


class Progress:
    """The progress of a thread that reads, and its words on the screen."""

    def __init__(self, name: str) -> None:
        """name is the path of the document, or what else it goes by."""
        self.name = printable(name.rstrip("/").rpartition("/")[2] or name)
        self._done = self._size = 0
        self._stopped = False

    def update(self, done: int, size: int) -> None:
        """Take how many bytes have been read, of how many; 0 where that is not known.

        Raises StoppedError once the reading was stopped.
        """
        if self._stopped:
            raise StoppedError
        self._done, self._size = done, size

    def stop(self) -> None:
        """End the reading where it calls the next time."""
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
            return f"{size / MEGABYTE:,.0f} MB, building nodes"
        return f"{done * 100 // size} % of {size / MEGABYTE:,.0f} MB"

    @property
    def title(self) -> str:
        """The name and how much has been read, for one line that has room for more."""
        words, name = self.words, wording.shorten(self.name, LONG)
        return f"{name} … {words} ·" if words else f"{name} …"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in several lines, for where there is nothing else to see."""
        words = self.words
        return (f"Reading {self.name} …", *((words,) if words else ()), "", "esc stops.")


def short_name(cluster: workbench.Cluster) -> str:
    """The name of a document, where several things are named in one line."""
    return wording.shorten(printable(cluster.source.name), LONG)


def _picker(state: workbench.State) -> "Picker[Chosen]":
    """Ask what to do with which document; the cursor begins at the one after that shown."""
    from fluxtui.ui.kit.picker import Item, Picker, RowKey

    items = []
    for number, document in enumerate(state.documents):
        source = document.cluster.source
        path = source.path if source.path != source.name else None
        parts = (
            "current" if number == state.place else "",
            wording.totals(document.cluster.resources.whole),
            path or "",
        )
        detail = wording.DOT.join(part for part in parts if part)
        items.append(Item(("go", number), source.name, detail, key=str(number + 1)))

    def end(what: str, keys: str) -> "RowKey[Chosen]":
        def run(row: "Chosen | None") -> None:
            picker.dismiss((what, row[1] if row is not None else state.place))

        return RowKey(keys, f"{what}s", run)

    picker = Picker(
        "Open documents",
        items,
        enter="goes there",
        keys=[
            *([end("compare", "d")] if len(items) > 1 else []),
            end("close", "x,delete"),
            end("open", "o,ctrl+o"),
            RowKey("ctrl+d,q", "", lambda row: picker.dismiss(None)),
        ],
        at=(state.place + 1) % len(items),
    )
    return picker
