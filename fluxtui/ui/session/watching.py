"""The workbench watches what is open: a document that changes on the disk is read again."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.bridge import files, themes
from fluxtui.notation.problem import Problem, printable, render
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.ui.session.documents import PROBLEMS_TOLD, READING, Documents
from fluxtui.workbench.cluster import Source

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.bridge.watching import News, Watch, Watched
    from fluxtui.opening import OpenedCluster
    from fluxtui.opening.again import Origin

WATCHING = "watching"
AGAIN = "reading again"
SECONDS = 1.0  # from one look at the files to the next
TOLD = 6  # seconds that it stands there what has changed
NAMED = 60  # characters of the names of queues


@dataclass(slots=True)
class _Known:
    """What is known of the files of one open document.

    told     what was said of them last
    pending  what has happened to them and is not dealt with yet
    """

    origin: "Origin"
    watch: "Watch"
    told: str = ""
    pending: "News | None" = None

    @classmethod
    def of(cls, origin: "Origin", seen: "Watched | None" = None) -> "_Known":
        """A document from somewhere, whose files are those of its origin, or those that were seen.

        What is needed is loaded with the first look: the first frame does without.
        """
        from fluxtui.bridge.watching import Watch

        return cls(origin, Watch(origin.files if seen is None else seen))


class Watching(Documents):
    """Looks at the files of the open document each second, and reads them again where they change.

    What cannot be read, or is no better than what is open, changes nothing: it is said once. The
    cursor, the selection and where the views stand are kept, by what the nodes are.
    """

    _paused = False
    _looking_at_files = False

    def __init__(self, state: workbench.State | None = None, theme: str = themes.DEFAULT) -> None:
        super().__init__(state, theme)
        self._known: dict[Source, _Known] = {}

    def on_ready(self) -> None:
        """Begin to look."""
        self.set_interval(SECONDS, self.look_at_files)

    # Where documents come from

    def comes_from(self, cluster: workbench.Cluster, origin: "Origin") -> None:
        """Know where a cluster is from, and what its files were."""
        self._known[cluster.source] = _Known.of(origin)

    def beside(self, cluster: workbench.Cluster, config: str | None, read_from: "Watched") -> None:
        """Know which configuration is beside a cluster by now."""
        known = self._known.get(cluster.source)
        origin = known.origin if known is not None else self._first(cluster)
        self.comes_from(cluster, replace(origin, config=config, files=origin.files + read_from))

    def _first(self, cluster: workbench.Cluster) -> "Origin":
        """Where the cluster is from that the workbench began with."""
        from fluxtui.opening.again import Origin

        where = files.DEMO if cluster.source.builtin else cluster.source.path or ""
        return Origin(where, self.config_path)

    # Looking

    def look_at_files(self) -> None:
        """Look whether what is open has changed, unless that is being done, or is not wanted."""
        if self._paused or self._looking_at_files:
            return
        if any(worker.group in (READING, AGAIN) and worker.is_running for worker in self.workers):
            return
        self._looking_at_files = True
        start_worker(self, WATCHING, self._look_at_files)

    async def _look_at_files(self) -> None:
        try:
            cluster = self.state.cluster
            known = self._known.get(cluster.source)
            if known is None:
                origin = self._first(cluster)
                seen = await run_in_thread(partial(_seen, origin))
                self._known.setdefault(cluster.source, _Known.of(origin, seen))
                return
            known.pending = await run_in_thread(known.watch.look) or known.pending
            if known.pending is not None and self.state.cluster is cluster:
                self._deal_with(known)
        finally:
            self._looking_at_files = False

    def _deal_with(self, known: _Known) -> None:
        if known.pending == "changed":
            self._read_again(known, asked=False)
        else:
            known.pending = None
            self._say_once(known, "is not there any more")

    # Reading again

    def action_read_again(self) -> None:
        """Read the open document and its configuration again, now."""
        known = self._known.get(self.state.cluster.source)
        if known is None:
            known = _Known.of(self._first(self.state.cluster))
        if known.origin.lasts:
            self._read_again(known, asked=True)
        else:
            self.notify("What is open comes from no file that could be read again.", timeout=4)

    def action_watch(self) -> None:
        """Look no more at the files of what is open; once more goes on with it."""
        self._paused = not self._paused
        if self._paused:
            self.notify("Files that change are not read again by themselves.", timeout=4)
        else:
            self.notify("Files that change are read again.", timeout=4)
            self.look_at_files()

    def _read_again(self, known: _Known, *, asked: bool) -> None:
        start_exclusive_worker(self, AGAIN, self._open_again, known, asked=asked)

    async def _open_again(self, known: _Known, *, asked: bool) -> None:
        """Read beside the event loop, and put it in the place of what is open if it is better."""
        from fluxtui.opening.again import open_again

        before = self.state.cluster
        opened, problems = await run_in_thread(partial(open_again, known.origin, before))
        if self.state.cluster is not before:
            return  # another document is in front: this one is dealt with when it is there again
        known.pending = None
        if opened is None:
            known.told = "" if asked else known.told
            self._say_once(known, "cannot be read as it stands", problems)
            return
        changed = await run_in_thread(partial(_changes, before, opened.cluster))
        carried = await self._carried(before, changed)
        if carried is None:
            known.pending = "changed"
            return
        edit = workbench.ReloadCluster(before, opened.cluster, changed, carried)
        self._put_in_place(opened, edit)
        self.comes_from(opened.cluster, replace(known.origin, files=opened.files))
        words = _words(changed, before, opened.cluster)
        if words or asked or known.told:
            name = printable(opened.cluster.source.name)
            said = words or "nothing in it has changed"
            self.notify(said, title=f"{name} was read again", timeout=TOLD, markup=False)
        wrong = [problem for problem in problems if problem.severity == "error"]
        self.tell(wrong[:PROBLEMS_TOLD], "Configuration")

    async def _carried(
        self, before: workbench.Cluster, changed: "Changes"
    ) -> tuple[int, int] | None:
        """The nodes that are selected by now, before and after; None on another document."""
        while self.state.cluster is before:
            selected = self.state.selected
            (after,) = await run_in_thread(partial(changed.pairing.carry, (selected,)))
            if self.state.cluster is before and selected == self.state.selected:
                return selected, after
        return None

    def _put_in_place(self, opened: "OpenedCluster", edit: workbench.ReloadCluster) -> None:
        """Show the document that was read again, each view as it was, with the same node on top."""
        where, count = edit.changes.back.where, opened.cluster.resources.node_count
        tops: list[tuple[SelectableNodes, int | None]] = []
        mapped, table = self.views.map.mapped, self.views.table.listed
        views: tuple[SelectableNodes, ...] = (mapped.map, table.table)
        for view in views:
            top = view.first_of(view.scroll_offset.y)
            tops.append((view, None if top is None else where[top]))
        map_view = mapped.map
        zoom = None if map_view.is_fitted else map_view.zoom
        with table.keeping_filter():
            self.edit(edit)
        if zoom is not None:
            map_view.zoom_to(zoom)
        for view, top in tops:
            if top is not None and top < count:
                view.keep_on_top(top)

    # What is said

    def _say_once(self, known: _Known, what: str, problems: tuple[Problem, ...] = ()) -> None:
        """Say why what is open stays, unless that was the last that was said of it."""
        if known.told == what:
            return
        known.told = what
        name = printable(self.state.cluster.source.name)
        why = "".join(f"{render(problem)}\n" for problem in problems[:1])
        self.notify(
            f"{why}What is open stays as it is.",
            title=f"{name} {what}",
            severity="warning",
            timeout=TOLD,
            markup=False,
        )


def _seen(origin: "Origin") -> "Watched":
    """The files of the cluster that the workbench began with."""
    from fluxtui.bridge import watching

    seen = watching.see(origin.where) if origin.where else watching.Watched()
    return seen + watching.see(origin.config) if origin.config is not None else seen


def _changes(before: workbench.Cluster, after: workbench.Cluster) -> "Changes":
    from fluxtui.answers.compare import changes

    found = changes(before.resources, after.resources)
    assert found is not None  # nobody stops it
    return found


def _words(changed: "Changes", before: workbench.Cluster, after: workbench.Cluster) -> str:
    """What is another in a document that was read again, in one line; blank where nothing is."""
    from fluxtui.answers.compare import headline

    said = [] if changed.is_same else [headline(changed)]
    queues = [
        {queue.name: queue for queue in one.config.queues} if one.config is not None else {}
        for one in (before, after)
    ]
    was, now = queues
    for verb, names in (
        ("added", now.keys() - was.keys()),
        ("removed", was.keys() - now.keys()),
        ("changed", {name for name in was.keys() & now.keys() if was[name] != now[name]}),
    ):
        if names:
            listed = wording.shorten(", ".join(sorted(map(printable, names))), NAMED)
            said.append(f"queue{'s' * (len(names) > 1)} {listed} {verb}")
    if not said and (before.resources.problems, before.config) != (
        after.resources.problems,
        after.config,
    ):
        said.append("the same nodes and queues, other settings")
    return "; ".join(said)
