"""Watching files: documents that change on disk are reloaded."""

import threading
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.bridge import files
from fluxtui.notation.problem import Problem, printable, render
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker
from fluxtui.workbench.cluster import Source

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes
    from fluxtui.bridge.watching import News, Watch, Watched
    from fluxtui.opening.again import Origin

# Groups of workers: for reading documents, for reloading them, and for checking for changes.
READING, RELOADING, CHECKING = "reading", "reloading", "watching"
PROBLEMS_SHOWN = 3  # problems in one message; the document's pane lists all
SECONDS = 1.0  # between two checks of the files
SHOWN = 6  # how long the message is shown, in seconds
NAMED = 60  # the longest list of queues in the message, in characters


@dataclass(slots=True)
class _Known:
    """An open document.

    watch     watches its files; None before the first check
    reported  the last problem with them that was reported
    pending   a change that has not been handled yet
    """

    origin: "Origin"
    watch: "Watch | None" = None
    reported: str = ""
    pending: "News | None" = None

    def look(self) -> "News | None":
        """Return what happened to its files since they were read. Not for the event loop."""
        if self.watch is None:
            self.watch = _watch(self.origin)
        return self.watch.look()

    @property
    def is_quiet(self) -> bool:
        """Whether another check would find nothing. May be read in any thread."""
        return self.pending is None and self.watch is not None and self.watch.is_quiet()


@dataclass(eq=False, repr=False)
class Watcher(Controller):
    """Checks the files of the current document each second, and reloads it if they change.

    A document that cannot be read, or has no nodes, is reported once and changes nothing. Cursor,
    selection and scroll positions are kept by the identity of the nodes.
    """

    _known: dict[Source, _Known] = field(default_factory=dict)
    _paused = False

    def ready(self) -> None:
        """Start watching in a single thread, so that a check without changes costs very little."""
        threading.Thread(target=self._keep_looking, name="watching", daemon=True).start()

    def _keep_looking(self) -> None:
        """Check each second, on the event loop, unless that would find nothing."""
        time.sleep(SECONDS)
        while self.app.is_running:
            known, other = self._known.get(self.app.state.cluster.source), self._compared_with()
            is_quiet = known is not None and known.is_quiet
            if not is_quiet or not (other is None or other[0].is_quiet):
                self.app.call_later(self.look)
            time.sleep(SECONDS)

    def _compared_with(self) -> tuple[_Known, workbench.Cluster] | None:
        """Return the document that the current one is compared with; None if it is not watched."""
        compared, here = self.app.state.compared, self.app.state.cluster
        if compared is None:
            return None
        other = compared.before if here is compared.after else compared.after
        known = self._known.get(other.source)
        return (known, other) if known is not None else None

    # Where documents come from

    def came_from(self, cluster: workbench.Cluster, origin: "Origin") -> None:
        """Record where a cluster came from, and the state of its files when they were read."""
        self._known[cluster.source] = _Known(origin)

    def configured_by(
        self, cluster: workbench.Cluster, config: str | None, read_from: "Watched"
    ) -> None:
        """Record the configuration that a cluster has now."""
        origin = self._known_of(cluster).origin
        self.came_from(cluster, replace(origin, config=config, files=origin.files + read_from))

    def _known_of(self, cluster: workbench.Cluster) -> _Known:
        """Return the record of a cluster; one that was not opened here is from the start."""
        if cluster.source not in self._known:
            from fluxtui.opening.again import Origin

            where = files.DEMO if cluster.source.builtin else cluster.source.path or ""
            self.came_from(cluster, Origin(where, self.app.config_path))
        return self._known[cluster.source]

    # Looking

    def look(self) -> None:
        """Check whether the current document has changed, unless that is running or paused."""
        running = {worker.group for worker in self.app.workers if not worker.is_finished}
        if not self._paused and running.isdisjoint((CHECKING, READING, RELOADING)):
            start_worker(self.app, CHECKING, self._look)

    async def _look(self) -> None:
        cluster = self.app.state.cluster
        known = self._known_of(cluster)
        known.pending = await run_in_thread(known.look) or known.pending
        if self.app.state.cluster is cluster:
            if known.pending == "changed":
                start_exclusive_worker(self.app, RELOADING, self._reload, known, asked=False)
            elif known.pending == "gone":
                known.pending = None
                self._report_once(known, "is gone")
        if (other := self._compared_with()) is not None:
            await self._look_at_other(*other)

    async def _look_at_other(self, known: _Known, other: workbench.Cluster) -> None:
        """Reload the document that the current one is compared with, if its files changed."""
        from fluxtui.opening.again import open_again

        if await run_in_thread(known.look) != "changed":
            return
        opened, _ = await run_in_thread(partial(open_again, known.origin, other))
        if opened is not None and self.app.state.compared is not None:
            self.came_from(opened.cluster, replace(known.origin, files=opened.files))
            self.app.edit(workbench.OpenCluster(opened.cluster, behind=True))

    # Reloading

    def read_again(self) -> None:
        """Reload the current document and its configuration."""
        known = self._known_of(self.app.state.cluster)
        if known.origin.is_rereadable:
            start_exclusive_worker(self.app, RELOADING, self._reload, known, asked=True)
        else:
            self.app.notify("Nothing to reload: not opened from a file", timeout=4)

    def toggle(self) -> None:
        """Pause or resume watching the open files."""
        self._paused = not self._paused
        self.app.notify(f"Auto-reload is {'off' if self._paused else 'on'}", timeout=4)
        if not self._paused:
            self.look()

    async def _reload(self, known: _Known, *, asked: bool) -> None:
        """Read the current document in a thread, and replace it if reading succeeds.

        asked is true if the user asked for it, and gets an answer in any case.
        """
        from fluxtui.opening.again import open_again

        before = self.app.state.cluster
        opened, problems = await run_in_thread(partial(open_again, known.origin, before))
        if self.app.state.cluster is not before:
            return  # another document is current: the change is handled when this one is again
        known.pending = None
        if opened is None:
            known.reported = "" if asked else known.reported
            self._report_once(known, "cannot be read", problems)
            return
        after = opened.cluster
        changed = await self.replace_cluster(before, after)
        if changed is None:
            known.pending = "changed"
            return
        self.came_from(after, replace(known.origin, files=opened.files))
        words = _words(changed, before, after)
        if words or asked or known.reported:
            title = f"Reloaded {printable(after.source.name)}"
            self.app.notify(words or "no change", title=title, timeout=SHOWN)
        errors = [problem for problem in problems if problem.severity == "error"]
        self.app.report_problems(errors[:PROBLEMS_SHOWN], "Configuration")

    def _report_once(self, known: _Known, verb: str, problems: tuple[Problem, ...] = ()) -> None:
        """Say why the current document was not reloaded, unless that was reported last."""
        if known.reported == verb:
            return
        known.reported = verb
        name = printable(self.app.state.cluster.source.name)
        why = "".join(f"{render(problem)}\n" for problem in problems[:1])
        words, title = f"{why}The nodes shown are the earlier ones", f"{name} {verb}"
        self.app.warn(words, title=title, timeout=SHOWN)

    async def replace_cluster(
        self, before: workbench.Cluster, after: workbench.Cluster
    ) -> "Changes | None":
        """Replace the current cluster by its reloaded version; return the changes.

        Nodes that are selected or in sight stay so. Do nothing and return None if another cluster
        became the current one meanwhile.
        """
        app = self.app
        changed = await run_in_thread(partial(_changes, before, after))
        selected = None
        while app.state.cluster is before and selected != app.state.selected:
            selected = app.state.selected
            (carried,) = await run_in_thread(partial(changed.pairing.carry, (selected,)))
        if selected is None or app.state.cluster is not before:
            return None
        with app.views.keeping_place(before, changed, after.resources.node_count):
            app.edit(workbench.ReloadCluster(before, after, changed, (selected, carried)))
        return changed


def _watch(origin: "Origin") -> "Watch":
    """Return a watch of the files of a document; they are read here if none are recorded."""
    from fluxtui.bridge.watching import Watch, see

    watched = origin.files
    if watched.unread:
        for where in (origin.where, origin.config):
            watched += see(where) if where else watched
    return Watch(watched)


def _changes(before: workbench.Cluster, after: workbench.Cluster) -> "Changes":
    from fluxtui.answers.compare import changes

    found = changes(before.resources, after.resources)
    assert found is not None  # without stop it always finishes
    return found


def _words(changed: "Changes", before: workbench.Cluster, after: workbench.Cluster) -> str:
    """Return what changed in a document that was reloaded, in one line; empty if nothing did."""
    from fluxtui.answers.compare import headline

    parts = [] if changed.is_same else [headline(changed)]
    old, new = (
        {queue.name: queue for queue in one.config.queues} if one.config is not None else {}
        for one in (before, after)
    )
    both = old.keys() & new.keys()
    for verb, names in (
        ("added", new.keys() - both),
        ("removed", old.keys() - both),
        ("changed", {name for name in both if old[name] != new[name]}),
    ):
        if names:
            listed = shorten(", ".join(sorted(map(printable, names))), NAMED)
            parts.append(f"queue{'s' * (len(names) > 1)} {listed} {verb}")
    settings = [(one.resources.problems, one.config) for one in (before, after)]
    if not parts and settings[0] != settings[1]:
        parts.append("same nodes and queues, different settings")
    return "; ".join(parts)
