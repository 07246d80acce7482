"""A running Flux: the open cluster follows it, and says of which moment it is where it cannot."""

import contextlib
from time import localtime, strftime
from typing import TYPE_CHECKING

from fluxtui import workbench
from fluxtui.bridge import files
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.workers import start_exclusive_worker
from fluxtui.ui.session.watching import replace_cluster

if TYPE_CHECKING:
    from fluxtui.bridge.live.watch import Watch
    from fluxtui.opening.live import Seen

GROUP = "live"  # of workers
SHOWN = 12  # seconds of a message


class Live(Controller):
    """Follows the running instance that is open, and no other.

    Where it is lost its last picture stays, and it is looked for until it is there again.
    """

    follows = ("cluster",)

    def __init__(self, app: WorkbenchApp) -> None:
        super().__init__(app)
        self.watch: Watch | None = None
        self._where = ""
        self._problem: Problem | None = None

    @property
    def moment(self) -> str | None:
        """Of which moment the open cluster is, empty for this one; None of a document."""
        cluster = self.app.state.cluster
        if cluster.snapshot is None:
            return None
        if self.watch is not None and self._problem is None:
            return ""
        return f"as of {strftime('%H:%M:%S', localtime(cluster.snapshot.taken))}"

    def ready(self) -> None:
        """Begin to follow."""
        self.changed(self.app.state, self.app.state)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Follow the instance that is open by now."""
        where = after.cluster.source.path or ""
        where = where if files.is_live(where) else ""
        if where == self._where:
            return
        self.close(left=False)
        self._where, self._problem = where, None
        if where:
            from fluxtui.opening import live

            self.watch = live.follow(self._told, where)
            self.watch.start()

    def close(self, *, left: bool) -> None:
        """Follow nothing any more."""
        watch, self.watch = self.watch, None
        if watch is not None:
            watch.close()

    def _told(self, seen: "Seen") -> None:
        """Hand on what was seen; called in the thread of the watch."""
        watch = self.watch
        with contextlib.suppress(RuntimeError):  # the app is not running any more
            self.app.call_from_thread(lambda: self._see(seen) if watch is self.watch else None)

    def _see(self, seen: "Seen") -> None:
        """Show the instance as it is by now."""
        was, self._problem = self._problem, seen.problem
        before, after = self.app.state.cluster, seen.cluster
        if seen.problem is not None and (was is None or was.message != seen.problem.message):
            words = printable(seen.problem.message)
            self.app.notify(words, severity="warning", timeout=SHOWN, markup=False)
        if after is not None and after is not before:
            if after.resources is before.resources:
                self.app.edit(workbench.RefreshCluster(before, after))
            else:
                start_exclusive_worker(self.app, GROUP, replace_cluster, self.app, before, after)
        if was is not seen.problem:
            self.app.show_title()
