"""Watching files: reload documents that change on disk."""

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

# Groups of workers: that read documents, that read them again, that look whether they changed.
READING, AGAIN, LOOKING = "reading", "reading again", "watching"
PROBLEMS_SHOWN = 3  # in one message; the document's pane lists them all
SECONDS = 1.0  # from one look at the files to the next
SHOWN = 6  # seconds that the message is shown
NAMED = 60  # characters of the names of queues


@dataclass(slots=True)
class _Known:
    """An open document.

    watch    looks at its files, from the first time on
    said     what was said of them last
    pending  what has happened to them and is not dealt with yet
    """

    origin: "Origin"
    watch: "Watch | None" = None
    said: str = ""
    pending: "News | None" = None

    def look(self) -> "News | None":
        """What happened to its files since they were read. Not for the event loop."""
        if self.watch is None:
            self.watch = _watch(self.origin)
        return self.watch.look()

    @property
    def is_quiet(self) -> bool:
        """Whether another look would find nothing. May be asked in any thread."""
        return self.pending is None and self.watch is not None and self.watch.is_quiet()


@dataclass(eq=False, repr=False)
class Watcher(Controller):
    """Looks at the files of the open document each second, and reads them again where they change.

    A document that cannot be read, or has no nodes, is reported once and changes nothing. Cursor,
    selection and scroll positions are kept by the identity of the nodes.
    """

    _known: dict[Source, _Known] = field(default_factory=dict)
    _paused = False

    def ready(self) -> None:
        """Start watching: one thread for all, so that to find nothing costs next to nothing."""
        threading.Thread(target=self._keep_looking, name="watching", daemon=True).start()

    def _keep_looking(self) -> None:
        """Have the app look, each second in which a look may find something."""
        time.sleep(SECONDS)
        while self.app.is_running:
            known, beside = self._known.get(self.app.state.cluster.source), self._beside()
            quiet = known is not None and known.is_quiet
            if not quiet or not (beside is None or beside[0].is_quiet):
                self.app.call_later(self.look)
            time.sleep(SECONDS)

    def _beside(self) -> tuple[_Known, workbench.Cluster] | None:
        """What is known of the document that the open one is compared with, and that document."""
        compared, here = self.app.state.compared, self.app.state.cluster
        if compared is None:
            return None
        other = compared.before if here is compared.after else compared.after
        known = self._known.get(other.source)
        return (known, other) if known is not None else None

    # Where documents come from

    def came_from(self, cluster: workbench.Cluster, origin: "Origin") -> None:
        """Know where a cluster is from, and what its files were."""
        self._known[cluster.source] = _Known(origin)

    def configured_by(
        self, cluster: workbench.Cluster, config: str | None, read_from: "Watched"
    ) -> None:
        """Know which configuration is beside a cluster by now."""
        origin = self._known_of(cluster).origin
        self.came_from(cluster, replace(origin, config=config, files=origin.files + read_from))

    def _known_of(self, cluster: workbench.Cluster) -> _Known:
        """What is known of a cluster; one that was not opened here is that of the start."""
        if cluster.source not in self._known:
            from fluxtui.opening.again import Origin

            where = files.DEMO if cluster.source.builtin else cluster.source.path or ""
            self.came_from(cluster, Origin(where, self.app.config_path))
        return self._known[cluster.source]

    # Looking

    def look(self) -> None:
        """Check whether the open document has changed, unless that is running or paused."""
        running = {worker.group for worker in self.app.workers if not worker.is_finished}
        if not self._paused and running.isdisjoint((LOOKING, READING, AGAIN)):
            start_worker(self.app, LOOKING, self._look)

    async def _look(self) -> None:
        cluster = self.app.state.cluster
        known = self._known_of(cluster)
        known.pending = await run_in_thread(known.look) or known.pending
        if self.app.state.cluster is cluster:
            if known.pending == "changed":
                start_exclusive_worker(self.app, AGAIN, self._open_again, known, asked=False)
            elif known.pending == "gone":
                known.pending = None
                self._say_once(known, "is gone")
        if (beside := self._beside()) is not None:
            await self._look_beside(*beside)

    async def _look_beside(self, known: _Known, other: workbench.Cluster) -> None:
        """Read again what the open document is compared with, where its files have changed."""
        from fluxtui.opening.again import open_again

        if await run_in_thread(known.look) != "changed":
            return
        opened, _ = await run_in_thread(partial(open_again, known.origin, other))
        if opened is not None and self.app.state.compared is not None:
            self.came_from(opened.cluster, replace(known.origin, files=opened.files))
            self.app.edit(workbench.OpenCluster(opened.cluster, behind=True))

    # Reading again

    def read_again(self) -> None:
        """Reload the open document and its configuration."""
        known = self._known_of(self.app.state.cluster)
        if known.origin.is_rereadable:
            start_exclusive_worker(self.app, AGAIN, self._open_again, known, asked=True)
        else:
            self.app.notify("Nothing to reload: not opened from a file", timeout=4)

    def toggle(self) -> None:
        """Pause or resume watching the open files."""
        self._paused = not self._paused
        self.app.notify(f"Auto-reload is {'off' if self._paused else 'on'}", timeout=4)
        if not self._paused:
            self.look()

    async def _open_again(self, known: _Known, *, asked: bool) -> None:
        """Read beside the event loop, and put it in the place of what is open if it is better."""
        from fluxtui.opening.again import open_again

        before = self.app.state.cluster
        opened, problems = await run_in_thread(partial(open_again, known.origin, before))
        if self.app.state.cluster is not before:
            return  # another document is in front: this one is dealt with when it is there again
        known.pending = None
        if opened is None:
            known.said = "" if asked else known.said
            self._say_once(known, "cannot be read", problems)
            return
        after = opened.cluster
        changed = await self.replace_cluster(before, after)
        if changed is None:
            known.pending = "changed"
            return
        self.came_from(after, replace(known.origin, files=opened.files))
        words = _words(changed, before, after)
        if words or asked or known.said:
            title = f"Reloaded {printable(after.source.name)}"
            self.app.notify(words or "no change", title=title, timeout=SHOWN)
        wrong = [problem for problem in problems if problem.severity == "error"]
        self.app.report_problems(wrong[:PROBLEMS_SHOWN], "Configuration")

    def _say_once(self, known: _Known, what: str, problems: tuple[Problem, ...] = ()) -> None:
        """Say why what is open stays, unless that was the last that was said of it."""
        if known.said == what:
            return
        known.said = what
        name = printable(self.app.state.cluster.source.name)
        why = "".join(f"{render(problem)}\n" for problem in problems[:1])
        words, title = f"{why}The nodes shown are the earlier ones", f"{name} {what}"
        self.app.warn(words, title=title, timeout=SHOWN)

    async def replace_cluster(
        self, before: workbench.Cluster, after: workbench.Cluster
    ) -> "Changes | None":
        """Put what was read again in the place of the open cluster; what changed.

        Nodes that are selected or in sight stay so. None, and nothing is done, where another
        cluster is open by then.
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
    """What looks at the files of a document; those that it began with are read for that."""
    from fluxtui.bridge.watching import Watch, see

    seen = origin.files
    if seen.unread:
        for where in (origin.where, origin.config):
            seen += see(where) if where else seen
    return Watch(seen)


def _changes(before: workbench.Cluster, after: workbench.Cluster) -> "Changes":
    from fluxtui.answers.compare import changes

    found = changes(before.resources, after.resources)
    assert found is not None  # it is never stopped
    return found


def _words(changed: "Changes", before: workbench.Cluster, after: workbench.Cluster) -> str:
    """What differs in a document that was read again, in one line; blank where nothing does."""
    from fluxtui.answers.compare import headline

    parts = [] if changed.is_same else [headline(changed)]
    was, now = (
        {queue.name: queue for queue in one.config.queues} if one.config is not None else {}
        for one in (before, after)
    )
    both = was.keys() & now.keys()
    for verb, names in (
        ("added", now.keys() - both),
        ("removed", was.keys() - both),
        ("changed", {name for name in both if was[name] != now[name]}),
    ):
        if names:
            listed = shorten(", ".join(sorted(map(printable, names))), NAMED)
            parts.append(f"queue{'s' * (len(names) > 1)} {listed} {verb}")
    settings = [(one.resources.problems, one.config) for one in (before, after)]
    if not parts and settings[0] != settings[1]:
        parts.append("same nodes and queues, different settings")
    return "; ".join(parts)
