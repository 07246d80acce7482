"""Following a running Flux; where it is lost, the title says how old the picture is."""

from functools import partial
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
        """When a running Flux was as it is shown, empty for now; None for a document."""
        cluster = self.app.state.cluster
        if cluster.snapshot is None:
            return None
        if self.watch is not None and self._problem is None:
            return ""
        return f"as of {strftime('%H:%M:%S', localtime(cluster.snapshot.taken))}"

    def ready(self) -> None:
        """Start following."""
        self.changed(self.app.state, self.app.state)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Follow the instance that is open now."""
        where = after.cluster.source.path or ""
        where = where if files.is_live(where) else ""
        if where == self._where:
            return
        self.close(left=False)
        self._where, self._problem = where, None
        if where:
            from fluxtui.opening import live

            # The watch calls in a thread of its own; what is put off is for the event loop.
            self.watch = live.follow(partial(self.app.call_later, self._see, where), where)
            self.watch.start()

    def close(self, *, left: bool) -> None:
        """Stop following."""
        watch, self.watch = self.watch, None
        if watch is not None:
            watch.close()

    def _see(self, where: str, seen: "Seen") -> None:
        """Show the instance as it is now, unless another document is open by then."""
        if where != self._where:
            return
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
