"""Following a running Flux, asking it, and changing it after a question.

Where it is lost, the title says how old the picture is.
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

GROUP, GROUP_OF_LOGS = "live", "logs"  # of workers
SHOWN = 6  # seconds of a message
KEPT = 5_001  # events of a log for who listens later: more than a window shows, which then says so
AT_ONCE = 200  # of them in a frame

_NONE = "No running Flux is followed: start with -r live, or open 'live'."
_GONE = "The Flux instance is not there right now; it is looked for."


class Confirm(Dialog[Order]):
    """Shows the flux command that an action is: enter does it, escape leaves it.

    order makes it, of what is typed where field names something to type, such as a reason; it may
    say what is wrong with that instead. notes tell what comes of it, shown is the document that is
    sent.
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
        told = [Static(Text(printable(note)), classes="note") for note in notes]
        parts = ((self._typed, bool(field)), *((one, True) for one in told), (self._view, shown))
        self.parts = (self._command, *(part for part, is_there in parts if is_there))

    def on_mount(self) -> None:
        """Name the keys."""
        self.say_keys(("enter", "does it"), ("escape", "leaves it"))
        self._say()
        if self._shown:
            self._view.show_lines(self._shown)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the command with what is typed."""
        self._say()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it."""
        self._do()

    def on_key(self, event: events.Key) -> None:
        """Do it on enter where nothing is typed."""
        if event.key == "enter" and self._typed not in self.parts:
            event.stop()
            self._do()

    @property
    def _found(self) -> Order | Problem:
        return self._order(self._typed.value.strip())

    def _do(self) -> None:
        found = self._found
        if isinstance(found, Order):
            self.dismiss(found)

    def _say(self) -> None:
        found, style = self._found, palette_of(self)
        line = styled_line(("$ ", style.quiet))
        if isinstance(found, Order):
            line.append(found.name, style=style.strong)
        else:
            line = styled_line((printable(found.message), style.problem))
        self._command.update(line)


class _Log:
    """A log that is followed: what it said lately, and who listens."""

    def __init__(self, put_off: Callable[..., object], end: Callable[[], object]) -> None:
        self.said: deque[Event] = deque(maxlen=KEPT)
        self.listeners: dict[Callable[[list[Event] | None], object], None] = {}
        self._put_off, self._end = put_off, end
        self.leave: Callable[[], object] = lambda: None  # ends the stream; not for the event loop
        self._waiting: deque[list[Event] | None] = deque()

    def hear(self, events: "list[Event] | None") -> None:
        """Hand events to the event loop: in the thread of the connection, which says one by one."""
        self._waiting.append(events)
        if len(self._waiting) == 1:  # else it is on its way, and takes these as well
            self._put_off(self._tell)

    def _tell(self) -> None:
        events: list[Event] = []
        is_over = False
        for _ in range(min(len(self._waiting), AT_ONCE)):
            found = self._waiting.popleft()
            is_over = is_over or found is None
            events += found or ()
        self.said.extend(events)
        if is_over:
            self._end()
        for told in tuple(self.listeners):
            if events:
                told(events)
            if is_over:
                told(None)
        if self._waiting:  # after what else there is to do
            self._put_off(self._tell)


@dataclass(eq=False, repr=False)
class Live(Controller):
    """Follows the running instance that is open, and no other.

    Where it is lost its last picture stays, and it is looked for until it is there again.
    """

    follows = ("cluster",)
    watch: "Watch | None" = None
    _where = ""
    _problem: Problem | None = None
    _logs: dict[tuple[int, str], _Log] = field(default_factory=dict)
    _jobspecs: dict[int, Mapping[str, Any] | None] = field(default_factory=dict)

    @property
    def moment(self) -> str:
        """When a running Flux was as it is shown, empty for now and for a document."""
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

            # The watch calls in a thread of its own; what is put off is for the event loop.
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
        """The connection to the instance that is followed; None while there is none."""
        return self.watch.connection if self.watch is not None else None

    def followed(self, title: str = "") -> bool:
        """Whether an instance answers; else it is said that none does, under a title."""
        if self.connection is None:
            self.app.warn(_GONE if self._where else _NONE, title=title)
        return self.connection is not None

    @property
    def is_lost(self) -> bool:
        """The instance that is followed does not answer."""
        return self.watch is not None and self._problem is not None

    @property
    def is_owner(self) -> bool:
        """The person owns the instance that is followed."""
        connection = self.connection
        return connection is not None and connection.hello.is_owner

    async def call(self, work: "Callable[[Connection], Parsed[Any]]") -> Parsed[Any]:
        """What comes of work in a thread over the connection; a problem where there is none."""
        return await run_in_thread(partial(self._call, work))

    def _call(self, work: "Callable[[Connection], Parsed[Any]]") -> Parsed[Any]:
        connection = self.connection
        if connection is None:
            return Parsed(None, (Problem((_GONE if self._where else _NONE).rstrip(".")),))
        return work(connection)

    def jobspecs(self, cluster: workbench.Cluster) -> "Mapping[int, Mapping[str, Any]]":
        """The jobspecs of the pending jobs that may be seen, by id; not for the event loop.

        There are none but of the instance that is followed.
        """
        from fluxtui.opening import live

        connection, snapshot = self.connection, cluster.snapshot
        if connection is None or snapshot is None or cluster.source.path != self._where:
            return {}
        return live.pending_jobspecs(self._where, snapshot, connection)

    def jobspec(self, id_: int) -> "Mapping[str, Any] | None":
        """The jobspec of a job, None where it is not shown; not for the event loop.

        Each is asked for once, and what this person may not see too.
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
        """The cores and gpus of a node that jobs have, by their ids; not for the event loop."""
        from fluxtui.opening import live

        connection = self.connection
        return live.parts_of_jobs(connection, jobs, rank) if connection is not None else {}

    def follow_log(
        self, id_: int, log: str, told: "Callable[[list[Event] | None], object]"
    ) -> Callable[[], object]:
        """Follow a log of a job (`job.EVENTS`, `job.OUTPUT`), in one stream whoever else does.

        told gets its events on the event loop, of one that is followed already the last `KEPT` and
        what comes, and None at its end, or where it is refused. What is returned ends that.
        """
        connection = self.connection
        if connection is None:
            told(None)
            return lambda: None
        if (id_, log) in self._logs:
            found = self._logs[id_, log]
            if found.said:
                told(list(found.said))
        else:
            end = partial(self._logs.pop, (id_, log), None)
            found = self._logs[id_, log] = _Log(self.app.call_later, end)

            async def run() -> None:  # the pipe may be full, so not on the event loop
                follow = partial(job.follow, connection, id_, log, found.hear)
                found.leave = await run_in_thread(follow)
                if not found.listeners:
                    await run_in_thread(found.leave)

            start_worker(self.app, GROUP_OF_LOGS, run)
        found.listeners[told] = None

        def leave() -> None:
            found.listeners.pop(told, None)
            if not found.listeners and self._logs.get((id_, log)) is found:
                del self._logs[id_, log]
                start_worker(self.app, GROUP_OF_LOGS, run_in_thread, found.leave)

        return leave

    def ask_queue(self, name: str) -> None:
        """Have a queue be asked for next, as it was changed."""
        if self.watch is not None:
            self.watch.ask_queue(name)

    def ask_jobs(self) -> None:
        """Have the jobs be asked for next, as one was changed."""
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
        """Ask before an order is given (as of `Confirm`), give it, and say that it is done.

        Flux decides who may: a refusal is said in its place. then is called once it is done.
        """
        dialog = Confirm(title, order, notes, field, text)

        def given(answer: Parsed[Any]) -> None:
            if answer.problems:
                unsure = answer.problems[0].code in (LATE, LOST)
                self.app.report_problems(
                    answer.problems, "Perhaps not done" if unsure else "Not done"
                )
            else:
                then()
                self.app.notify(printable(done))

        def give(found: "Order") -> None:
            self.carry_out(found, found.give, given)

        self.open_dialog(dialog, give)

    def carry_out(
        self,
        order: "Order",
        work: "Callable[[Connection, Stop], Parsed[Any]]",
        given: Callable[[Parsed[Any]], object],
    ) -> None:
        """Carry out an order: work does it, and given gets what came of it.

        What takes long is announced; escape only ends the waiting.
        """
        self.app.start_task(
            "orders",
            order.name,
            lambda stop: self._call(lambda flux: work(flux, stop)),
            given,
            lambda: self.app.notify(f"No longer waiting for {order.name}."),
        )

    def _see(self, where: str, seen: "Seen") -> None:
        """Show the instance as it is now, unless another document is open by then."""
        if where != self._where:
            return
        was, self._problem = self._problem, seen.problem
        before, after = self.app.state.cluster, seen.cluster
        if seen.problem is not None and was is None:  # once, whatever is said later
            self.app.warn(printable(seen.problem.message), timeout=SHOWN)
        if after is not None and after is not before:
            if after.resources is before.resources:
                self.app.edit(workbench.RefreshCluster(before, after))
            else:
                start_exclusive_worker(self.app, GROUP, self.app.replace_cluster, before, after)
        if was is not seen.problem:
            self.app.show_title()
