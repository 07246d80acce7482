"""Following a running Flux, querying it, and changing it after the user confirms.

When the connection is lost, the title says how old the data is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import localtime, strftime
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import events
from textual.widgets import Input, Static

from fluxtui import workbench
from fluxtui.bridge import files
from fluxtui.bridge.live import job
from fluxtui.bridge.live.connection import DENIED, LATE, LOST
from fluxtui.bridge.live.job import Event, Order
from fluxtui.model.cancellation import Stop
from fluxtui.notation.problem import Parsed, Problem, printable
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import styled_line
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker, start_worker

if TYPE_CHECKING:
    from fluxtui.bridge.live.connection import Connection
    from fluxtui.bridge.live.watch import Watch
    from fluxtui.model.live.jobs import Job
    from fluxtui.model.resources.resource_set import NodeKind
    from fluxtui.opening.live import Seen

GROUP, GROUP_OF_LOGS = "live", "logs"  # groups of workers
SHOWN = 6  # how long a message about a lost instance is shown, in seconds
# Events of a log kept for later listeners: one more than a window shows, so that the window can
# tell that some are left out.
KEPT = 5_001
AT_ONCE = 200  # how many events are handed to the listeners in one frame

_NONE = "No running Flux is followed: start with -r live, or open 'live'."
_GONE = "The Flux instance does not answer right now; waiting for it to come back."


class Confirm(Dialog[Order]):
    """Shows the flux command of an action: enter runs it, escape closes the dialog.

    order makes the command from the text that is typed, or returns a problem with that text. field
    is the placeholder of the input, such as "reason"; without it there is no input. notes say what
    the action leads to, and shown is the document that is sent.
    """

    def __init__(
        self,
        title: str,
        order: Callable[[str], Order | Problem],
        notes: Sequence[str] = (),
        field: str = "",
        text: str = "",
        shown: Sequence[Text] = (),
    ) -> None:
        super().__init__()
        self.heading, self._order, self._shown = title, order, shown
        self._command = Static(id="confirm-command", classes="note")
        self._typed = PlainInput(text, placeholder=field, id="confirm-text")
        self._view = LinesView(id="confirm-shown", on_enter=self._do)
        texts = [(Static(Text(printable(note)), classes="note"), True) for note in notes]
        parts = ((self._typed, bool(field)), *texts, (self._view, shown))
        self.parts = (self._command, *(part for part, is_shown in parts if is_shown))

    def on_mount(self) -> None:
        """Name the keys."""
        self.say_keys(("enter", "does it"), ("escape", "leaves it"))
        self._show_command()
        if self._shown:
            self._view.show_lines(self._shown)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the command for the text typed so far."""
        self._show_command()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the command."""
        self._do()

    def on_key(self, event: events.Key) -> None:
        """Run the command on enter if the dialog has no input."""
        if event.key == "enter" and self._typed not in self.parts:
            event.stop()
            self._do()

    @property
    def _order_or_problem(self) -> Order | Problem:
        return self._order(self._typed.value.strip())

    def _do(self) -> None:
        order = self._order_or_problem
        if isinstance(order, Order):
            self.dismiss(order)

    def _show_command(self) -> None:
        order, style = self._order_or_problem, palette_of(self)
        line = styled_line(("$ ", style.quiet))
        if isinstance(order, Order):
            line.append(order.name, style=style.strong)
        else:
            line = styled_line((printable(order.message), style.problem))
        self._command.update(line)


class _Log:
    """A log that is followed: its last events, and its listeners."""

    def __init__(self, put_off: Callable[..., object], end: Callable[[], object]) -> None:
        self.events: deque[Event] = deque(maxlen=KEPT)
        self.listeners: dict[Callable[[list[Event] | None], object], None] = {}
        self._put_off, self._end = put_off, end
        self.leave: Callable[[], object] = lambda: None  # blocks; not for the event loop
        self._waiting: deque[list[Event] | None] = deque()

    def hear(self, events: "list[Event] | None") -> None:
        """Hand events to the event loop; None at the end. The connection's thread calls this."""
        self._waiting.append(events)
        if len(self._waiting) == 1:  # otherwise a call is pending, which takes these as well
            self._put_off(self._deliver)

    def _deliver(self) -> None:
        events: list[Event] = []
        is_over = False
        for _ in range(min(len(self._waiting), AT_ONCE)):
            batch = self._waiting.popleft()
            is_over = is_over or batch is None
            events += batch or ()
        self.events.extend(events)
        if is_over:
            self._end()
        for listener in tuple(self.listeners):
            if events:
                listener(events)
            if is_over:
                listener(None)
        if self._waiting:  # the rest goes in a later callback, so that the app stays responsive
            self._put_off(self._deliver)


@dataclass(eq=False, repr=False)
class Live(Controller):
    """Follows the running instance that is open, and no other.

    If the connection is lost, the last data stays and Live tries to connect until it succeeds.
    """

    follows = ("cluster",)
    watch: "Watch | None" = None
    _where = ""
    _problem: Problem | None = None
    _logs: dict[tuple[int, str], _Log] = field(default_factory=dict)
    _jobspecs: dict[int, Mapping[str, Any] | None] = field(default_factory=dict)

    @property
    def moment(self) -> str:
        """The time of the data shown of a running Flux; empty if it is current or a document."""
        snapshot = self.app.state.cluster.snapshot
        if snapshot is None or (self.watch is not None and self._problem is None):
            return ""
        then = localtime(snapshot.taken)
        is_today = then[:3] == localtime()[:3]  # year, month and day
        return strftime("as of %H:%M:%S" if is_today else "as of %Y-%m-%d %H:%M", then)

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

            # The watch calls from its own thread; call_later runs _see on the event loop.
            self.watch = live.follow(partial(self.app.call_later, self._see, where), where)
            self.watch.start()

    def close(self, *, left: bool) -> None:
        """Stop following."""
        watch, self.watch = self.watch, None
        self._jobspecs = {}
        if watch is not None:
            watch.close()

    # Asking

    @property
    def connection(self) -> "Connection | None":
        """The connection to the instance that is followed; None without one."""
        return self.watch.connection if self.watch is not None else None

    def followed(self, title: str = "") -> bool:
        """Return whether an instance answers; if not, show a warning with this title."""
        if self.connection is None:
            self.app.warn(_GONE if self._where else _NONE, title=title)
        return self.connection is not None

    @property
    def is_lost(self) -> bool:
        """Whether the instance that is followed does not answer."""
        return self.watch is not None and self._problem is not None

    @property
    def is_owner(self) -> bool:
        """Whether the user owns the instance that is followed."""
        connection = self.connection
        return connection is not None and connection.hello.is_owner

    async def call(self, work: "Callable[[Connection], Parsed[Any]]") -> Parsed[Any]:
        """Return the result of work, run in a thread; a problem if there is no connection."""
        return await run_in_thread(partial(self._call, work))

    def _call(self, work: "Callable[[Connection], Parsed[Any]]") -> Parsed[Any]:
        connection = self.connection
        if connection is None:
            return Parsed(None, (Problem((_GONE if self._where else _NONE).rstrip(".")),))
        return work(connection)

    def jobspecs(self, cluster: workbench.Cluster) -> "Mapping[int, Mapping[str, Any]]":
        """Return the jobspecs of the pending jobs that the user may see, by id.

        Empty unless cluster is the instance that is followed. It blocks: not for the event loop.
        """
        from fluxtui.opening import live

        connection, snapshot = self.connection, cluster.snapshot
        if connection is None or snapshot is None or cluster.source.path != self._where:
            return {}
        return live.pending_jobspecs(self._where, snapshot, connection)

    def jobspec(self, id_: int) -> "Mapping[str, Any] | None":
        """Return the jobspec of a job, or None if it cannot be had; not for the event loop.

        Jobspecs are cached, and so are refusals because the user may not see one.
        """
        from fluxtui.opening import live

        connection, known = self.connection, self._jobspecs
        if connection is None or id_ in known:
            return known.get(id_)
        found, problems = live.jobspec_of(connection, id_)
        if found is not None or problems[0].code == DENIED:
            known[id_] = found
        return found

    def parts_of_jobs(self, jobs: "Iterable[Job]", rank: int) -> "dict[int, NodeKind]":
        """Return the cores and gpus that jobs have on a node, by job id; not for the event loop."""
        from fluxtui.opening import live

        connection = self.connection
        return live.parts_of_jobs(connection, jobs, rank) if connection is not None else {}

    def follow_log(
        self, id_: int, log: str, listener: "Callable[[list[Event] | None], object]"
    ) -> Callable[[], object]:
        """Follow a log of a job (`job.EVENTS`, `job.OUTPUT`); all its listeners share one stream.

        listener is called on the event loop with the last `KEPT` events of a log that is followed
        already, with further events as they come, and with None at the end or if Flux refuses.
        Return a function that removes the listener.
        """
        connection = self.connection
        if connection is None:
            listener(None)
            return lambda: None
        if (id_, log) in self._logs:
            followed = self._logs[id_, log]
            if followed.events:
                listener(list(followed.events))
        else:
            end = partial(self._logs.pop, (id_, log), None)
            followed = self._logs[id_, log] = _Log(self.app.call_later, end)

            async def run() -> None:  # the pipe may be full, so not on the event loop
                follow = partial(job.follow, connection, id_, log, followed.hear)
                followed.leave = await run_in_thread(follow)
                if not followed.listeners:
                    await run_in_thread(followed.leave)

            start_worker(self.app, GROUP_OF_LOGS, run)
        followed.listeners[listener] = None

        def leave() -> None:
            followed.listeners.pop(listener, None)
            if not followed.listeners and self._logs.get((id_, log)) is followed:
                del self._logs[id_, log]
                start_worker(self.app, GROUP_OF_LOGS, run_in_thread, followed.leave)

        return leave

    def ask_queue(self, name: str) -> None:
        """Query a queue next, because it was changed."""
        if self.watch is not None:
            self.watch.ask_queue(name)

    def ask_jobs(self) -> None:
        """Query the jobs next, because one was changed."""
        if self.watch is not None:
            self.watch.ask_jobs()

    # Changing

    def order(
        self,
        title: str,
        order: "Callable[[str], Order | Problem]",
        done: str,
        notes: Sequence[str] = (),
        field: str = "",
        text: str = "",
        then: Callable[[], object] = lambda: None,
    ) -> None:
        """Confirm an order (see `Confirm`), carry it out, and show the message done.

        Flux decides who may do it; if it refuses, its reason is shown. then is called on success.
        """
        dialog = Confirm(title, order, notes, field, text)

        def report(answer: Parsed[Any]) -> None:
            if answer.problems:
                unsure = answer.problems[0].code in (LATE, LOST)
                self.app.report_problems(
                    answer.problems, "Perhaps not done" if unsure else "Not done"
                )
            else:
                then()
                self.app.notify(printable(done))

        def give(order: "Order") -> None:
            self.carry_out(order, order.give, report)

        self.open_dialog(dialog, give)

    def carry_out(
        self,
        order: "Order",
        work: "Callable[[Connection, Stop], Parsed[Any]]",
        given: Callable[[Parsed[Any]], object],
    ) -> None:
        """Carry out an order: work does it in a thread, and given gets the result.

        A long wait is announced; escape only ends the waiting.
        """
        self.app.start_task(
            "orders",
            order.name,
            lambda stop: self._call(lambda flux: work(flux, stop)),
            given,
            lambda: self.app.notify(f"No longer waiting for {order.name}."),
        )

    def _see(self, where: str, seen: "Seen") -> None:
        """Show the instance as it is now, unless another document was opened meanwhile."""
        if where != self._where:
            return
        previous, self._problem = self._problem, seen.problem
        before, after = self.app.state.cluster, seen.cluster
        if seen.problem is not None and previous is None:  # later problems are not shown
            self.app.warn(printable(seen.problem.message), timeout=SHOWN)
        if after is not None and after is not before:
            if after.resources is before.resources:
                self.app.edit(workbench.RefreshCluster(before, after))
            else:
                start_exclusive_worker(self.app, GROUP, self.app.replace_cluster, before, after)
        if previous is not seen.problem:
            self.app.show_title()
