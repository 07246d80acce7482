"""Documents: reading files and pasted texts in the background, and managing the open ones."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import opening, workbench
from fluxtui.model.cancellation import Stopped
from fluxtui.notation.problem import Problem, capped, counted, printable
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.kit.text import DOT, shorten, totals
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.ui.session.saving import Saving
from fluxtui.ui.session.watching import PROBLEMS_SHOWN, READING, Watcher

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage
    from fluxtui.opening.again import Origin
    from fluxtui.ui.session.dialogs import PasteDialog

    # What to do, and the index of the document.
    Chosen = tuple[str, int]
    Answer = tuple[opening.Opened | None, tuple[Problem, ...]]

BETWEEN_NEWS = 0.2  # seconds between two updates of the progress

MEGABYTE = 1_000_000
WORTH_TELLING = 1_000_000  # bytes; a smaller document is read before anyone could read the progress
LONG = 24  # characters of a name within a line, so that the line fits the narrowest screen

# The kind of a document is recognised by keys in these first characters.
BEGINNING = 1 << 16

_JSON = {
    "R document": r'"(execution|scheduling|R_lite)"\s*:',
    "jobspec": r'(?s)"resources"\s*:.*"tasks"\s*:|"tasks"\s*:.*"resources"\s*:',
    "resource graph": r'"(nodes|edges)"\s*:\s*\[',
    "configuration": r'"(queues|policy|resource)"\s*:\s*\{',
}
_TOML = r"(?m)^[ \t]*\[\[?[ \t]*(queues|policy|resource)\b[^\n]*\][ \t]*(#.*)?$"
_YAML = r"(?m)^(resources|tasks):[ \t]*(?:#.*)?$"


@dataclass(eq=False, repr=False)
class Documents(Controller):
    """Reads documents of any kind, and manages the open ones.

    files_to_open are read in order once the screen is ready; otherwise is read if none of them has
    nodes. resources_path is the file among them that was named together with a configuration.

    watcher watches the files from then on, and saving remembers the file of the job. show_stage
    shows a stage list, and compare the changes to the document with an index; given True as well,
    it lists them at once.
    """

    watcher: Watcher
    saving: Saving
    show_stage: "Callable[[Stage, tuple[Problem, ...]], None]"
    compare: Callable[..., None]
    files_to_open: Sequence[str] = ()
    otherwise: str | None = None
    resources_path: str | None = None

    follows = ("documents",)
    _progress: "Progress | None" = None  # the progress of the document that is being read
    _pasted = 0  # how many documents were pasted

    def ready(self) -> None:
        """Read the files that the workbench was started with."""
        if self.files_to_open:
            self.open_source(*self.files_to_open)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """When a second document is opened, say which one is hidden, and how to go there."""
        if len(before.documents) == 1 and len(after.documents) == 2:
            is_inactive = after.cluster is before.cluster
            name = short_name(after.documents[1].cluster if is_inactive else before.cluster)
            key = key_of("documents", "ctrl+d")
            words = f"{name} is open too: in a pane ] goes there, {key} lists and compares"
            self.app.notify(words, timeout=8)

    def stop(self) -> bool:
        """Stop reading; return whether something was being read."""
        workers = self.app.workers
        if not any(worker.group == READING and worker.is_running for worker in workers):
            return False
        workers.cancel_group(self.app, READING)
        name = self._progress.name if self._progress is not None else "it"
        self.app.warn(f"Stopped reading {name}: {key_of('open', 'ctrl+o')} opens it after all.")
        return True

    # Opening files

    def ask(self) -> None:
        """Ask for a file and open it."""
        from fluxtui.ui.session.dialogs import OpenDialog

        self.open_dialog(OpenDialog(self.saving.preferences.closed_files()), self.open_source)

    def open_source(self, *names: str) -> None:
        """Read documents in the background, in order; their kind is recognised by content.

        The first cluster is shown, and the others are opened behind it. A name is a path, ``-``
        for an R document on standard input, or ``demo``.
        """
        start_exclusive_worker(self.app, READING, self._open_all, names)

    def announce(self) -> None:
        """Show in the first frame which document is about to be read."""
        for name in self.files_to_open[:1]:
            self._show_progress(Progress(name))

    def _show_progress(self, progress: "Progress") -> None:
        self.app.show_title(progress.title)
        self.app.views.show_notice(progress.lines)

    async def _open_all(self, names: Sequence[str]) -> None:
        from fluxtui.opening.again import Origin

        activate = True
        for name in names:
            # A configuration named together with a document at the start overrides its queues.
            config, own_queues = self.app.config_path, name != self.resources_path
            state, is_piped, progress = self.app.state, name == "-", Progress(name)
            read = partial(
                opening.open_any,
                *(name, config, state.cluster),
                own_queues=own_queues,
                progress=progress.update,
            )
            origin = Origin("" if is_piped else name, config, own_queues)
            opened = await self._open(progress, read, origin, activate=activate)
            if opened is not None and not is_piped:
                self.saving.preferences.add_file(name)
            if isinstance(opened, opening.OpenedCluster):
                activate = activate and not opened.cluster.resources.node_count
        otherwise, self.otherwise = self.otherwise, None
        if otherwise is not None and not self.app.state.cluster.resources.node_count:
            await self._open_all((otherwise,))

    async def _open(
        self,
        progress: "Progress",
        read: "Callable[[], Answer]",
        origin: "Origin",
        *,
        activate: bool = True,
    ) -> "opening.Opened | None":
        """Read a document and put it in the workbench, or say why it cannot be opened.

        Without activate the current cluster stays in front.
        """

        self._progress = progress
        self._show_progress(progress)
        timer = self.app.set_interval(BETWEEN_NEWS, partial(self._show_progress, progress))
        try:
            opened, problems = await run_in_thread(read)
        finally:
            progress.is_wanted = False
            timer.stop()
            if self._progress is progress:
                self.app.show_title("")
                self.app.views.show_notice()
        shown = progress.shown
        match opened:
            case opening.OpenedCluster(cluster, read_from):
                self.watcher.came_from(cluster, replace(origin, files=read_from))
                if self.app.state.cluster.resources.node_count > 0 == cluster.resources.node_count:
                    # A document without nodes does not replace one with nodes.
                    self._refuse(cluster.resources.problems, shown)
                else:
                    self.app.edit(workbench.OpenCluster(cluster, not activate))
                    self.app.report_problems(problems, "Configuration")
            case opening.OpenedConfig(cluster, where, read_from, beside=True):
                beside = replace(origin, where="", config=where or None, files=read_from)
                self.watcher.came_from(cluster, beside)
                # The instance as it would be with this configuration is compared with the real one.
                self.app.edit(workbench.OpenCluster(cluster, behind=True))
                clusters = [document.cluster for document in self.app.state.documents]
                if cluster in clusters:
                    self.compare(clusters.index(cluster), True)
            case opening.OpenedConfig(cluster, where, read_from):
                self.watcher.configured_by(cluster, where or None, read_from)
                self._open_config(cluster, problems, where)
            case opening.OpenedJob(jobspec):
                self._open_jobspec(jobspec, problems, shown)
            case opening.OpenedStage(stage):
                self.show_stage(stage, problems)
            case None:
                self._refuse(problems, shown)
        return opened

    def _refuse(self, problems: tuple[Problem, ...], shown: str) -> None:
        problems = problems[:PROBLEMS_SHOWN]
        title = "Cannot open" if _is_named(shown, problems) else f"Cannot open {shown}"
        self.app.report_problems(problems, title)

    def _open_config(
        self, cluster: workbench.Cluster, problems: tuple[Problem, ...], where: str
    ) -> None:
        self.app.config_path = where or None
        self.app.edit(workbench.OpenCluster(cluster))
        words = counted(len(cluster.config.queues) if cluster.config is not None else 0, "queue")
        if cluster.resources.node_count:
            words += f" for {printable(cluster.source.name)}"
        title = f"Configuration {printable(where)}".rstrip()
        self.app.notify(words, title=title)
        self.app.report_problems(problems[:PROBLEMS_SHOWN], "Configuration")

    def _open_jobspec(
        self, opened: "opening.OpenedJobspec", problems: tuple[Problem, ...], shown: str
    ) -> None:
        self.saving.remember(opened.file)
        self.app.edit(opened.edit)
        kind, problems = opened.what or "jobspec", capped(problems)
        words, is_named = f"{printable(shown)}, {kind}", _is_named(shown, problems)
        title = f"Opened {kind if is_named else words}"
        if opened.job.raw is not None:
            self.app.go_to("text")
            title = "Fix it here" if is_named else f"{shown} cannot be read; fix it here"
        self.app.report_problems(problems, title)
        if not problems:
            self.app.notify(words, title="Opened", timeout=4)

    # Opening pasted texts

    def take_pasted(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document that is pasted into an input or a dialog; return whether it was taken.

        jobspecs is false where a jobspec is not taken. The text typed there stays.
        """
        screen = self.app.screen
        if isinstance(screen, Dialog) and (taken := screen.take_pasted(text)) is not None:
            return taken
        kind = kind_of(text)
        if kind is None or (kind == "jobspec" and not jobspecs):
            return False
        if len(self.app.screen_stack) > 1:
            if not isinstance(screen, Dialog) or not screen.takes_documents:
                return False
            screen.dismiss(None)
        self.open_text(text)
        return True

    def open_text(self, text: str) -> None:
        """Open a text in the background; its kind is recognised by content."""
        if text.strip():
            start_exclusive_worker(self.app, READING, self._open_text, text)

    async def _open_text(self, text: str) -> None:
        from fluxtui.opening.again import Origin

        self._pasted += 1
        name = "pasted text" if self._pasted == 1 else f"pasted text {self._pasted}"
        state, config = self.app.state, self.app.config_path
        read = partial(opening.open_text, text, name, config, state.cluster)
        opened = await self._open(Progress(name), read, Origin("", config))
        cluster = self.app.state.cluster
        if isinstance(opened, opening.OpenedCluster) and cluster is not state.cluster:
            words = totals(cluster.resources.whole)
            self.app.notify(words, title="Opened the pasted text", timeout=5)

    def ask_text(self) -> None:
        """Ask for a text, and open it."""
        from fluxtui.ui.session.dialogs import PasteDialog

        dialog = PasteDialog(kind_of)
        is_open = self.app.push_screen(dialog, lambda text: self.open_text(text or ""))
        start_exclusive_worker(self.app, "clipboard", self._fill, dialog, is_open)

    async def _fill(self, dialog: "PasteDialog", is_open: Awaitable[None]) -> None:
        """Put the desktop's clipboard into the dialog if it is a document."""
        from fluxtui.bridge import clipboard

        await is_open
        text = await run_in_thread(clipboard.paste_from_desktop)
        if text and kind_of(text) is not None and dialog.is_current:
            dialog.offer(text)

    # Switching

    def list(self) -> None:
        """List the open documents: to go to one, to close it, or to compare it."""
        state, items = self.app.state, []
        for number, document in enumerate(state.documents):
            source = document.cluster.source
            current = "current" if number == state.place else ""
            path = source.path if source.path != source.name else ""
            parts = (current, totals(document.cluster.resources.whole), path)
            detail = DOT.join(filter(None, parts))
            items.append(Item(("go", number), source.name, detail, key=str(number + 1)))
        if not items:
            self.ask()
            return

        def choose(verb: str, row: "Chosen | None") -> "Chosen":
            return verb, row[1] if row is not None else state.place

        keys: list[RowKey[Chosen]] = [
            RowKey(names, f"{verb}s", partial(choose, verb), closes=True)
            for verb, names in (("compare", "d"), ("close", "x,delete"), ("open", "o,ctrl+o"))
            if verb != "compare" or len(items) > 1
        ]
        keys.append(RowKey("ctrl+d,q", "", lambda row: None, closes=True))
        at = (state.place + 1) % len(items)
        picker = Picker("Open documents", items, enter="goes there", keys=keys, at=at)
        self.open_dialog(picker, self._chosen)

    def _chosen(self, chosen: "Chosen") -> None:
        match chosen:
            case "go", number:
                self.app.edit(workbench.GoToDocument(number))
            case "open", _:
                self.ask()
            case "compare", number:
                self.compare(number)
            case "close", number:
                self.app.edit(workbench.CloseDocument(number))
                if self.app.state.documents:
                    self.list()

    def go(self, by: int) -> None:
        """Go this many documents further; the first one follows the last."""
        count = len(self.app.state.documents)
        if count > 1:
            self.app.edit(workbench.GoToDocument((self.app.state.place + by) % count))
        else:
            words = f"No other document is open: {key_of('open', 'ctrl+o')} opens one."
            self.app.notify(words, timeout=4)

    def close_shown(self) -> None:
        """Close the current document; the next one replaces it."""
        if self.app.state.documents:
            self.app.edit(workbench.CloseDocument(self.app.state.place))
        else:
            self.app.notify("No document is open.", timeout=4)


def _is_named(shown: str, problems: Sequence[Problem]) -> bool:
    """Whether there is a single problem, whose message names the document."""
    name = shown.rstrip("/").rpartition("/")[2]
    return len(problems) == 1 and bool(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", problems[0].message)
    )


class Progress:
    """The progress of a thread that reads a document, and how it is shown on the screen.

    shown is the path of the document, or another name for it; ``-`` is standard input.
    """

    def __init__(self, shown: str) -> None:
        self.shown = shown = "standard input" if shown == "-" else shown
        self.name = printable(shown.rstrip("/").rpartition("/")[2] or shown)
        self.is_wanted = True
        self._done = self._size = 0

    def update(self, done: int, size: int) -> None:
        """Set how many bytes have been read, and the size; 0 if the size is unknown.

        Raises Stopped once the document is not wanted any more.
        """
        if not self.is_wanted:
            raise Stopped
        self._done, self._size = done, size

    @property
    def words(self) -> str:
        """How much has been read, such as ``43 % of 210 MB``; empty for a small document."""
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
        """The name and how much has been read, for the title line."""
        words, name = self.words, shorten(self.name, LONG)
        return f"{name} … {words} ·" if words else f"{name} …"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in several lines, to show in place of the nodes."""
        words = [self.words] if self.words else []
        return (f"Reading {self.name} …", *words, "", "esc stops.")


def short_name(cluster: workbench.Cluster) -> str:
    """Return the name of a document, shortened for use within a line."""
    return shorten(printable(cluster.source.name), LONG)


def kind_of(text: str) -> str | None:
    """Return the kind of document that a text is, by its beginning; None if it is not one."""
    head = text[:BEGINNING].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        return next((name for name, keys in _JSON.items() if re.search(keys, head)), None)
    if "\n" in head.strip():
        if re.search(_TOML, head):
            return "configuration"
        if len(set(re.findall(_YAML, head))) == 2:
            return "jobspec"
    return None
