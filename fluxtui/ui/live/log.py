"""The dialog that follows one job of a running Flux: its events, and what its tasks print."""

from asyncio import sleep
from collections import deque
from collections.abc import Callable, Iterable
from time import strftime
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import BindingType

from fluxtui.bridge.live.connection import DENIED, REFUSED
from fluxtui.bridge.live.job import EVENTS, OUTPUT, Event, ending, how, raise_order
from fluxtui.model.live.jobs import f58
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import styled_line, wrap
from fluxtui.ui.kit.workers import LatestTasks, start_worker
from fluxtui.ui.live.follow import Live
from fluxtui.ui.live.jobs import job_lines

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.pending import Reason

MOST = 5_000  # lines that are kept
LONGEST = 2_000  # characters of a line; longer lines are split
AGAIN = 2.0  # seconds between two queries of the job's state

_NOT_SHOWN = "Only its user and the owner of the instance see its events: this is its state."
_GONE = "The Flux instance is not there any more: no further events will come."


class Tail(LinesView):
    """The last lines of a log, with a note if earlier ones are left out; it scrolls to the end.

    all_of is the command that prints the whole log.
    """

    def __init__(self, all_of: str, id: str) -> None:
        super().__init__(id=id)
        self._all_of = all_of
        self._kept: deque[Text] = deque(maxlen=MOST)
        self._rows: deque[Text] = deque(maxlen=MOST)

    def add(self, lines: Iterable[Text]) -> None:
        """Append lines; the time this takes depends on their number alone."""
        new = list(lines)
        self._kept.extend(new)
        self._put(new, self.is_vertical_scroll_end)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        at_end = self.is_vertical_scroll_end
        self._rows.clear()
        self._put(self._kept, at_end)

    def _put(self, lines: Iterable[Text], at_end: bool) -> None:
        width = max(columns_for(self, MOST), 10)  # with room for the scroll bar that may come
        before, rows = len(self._rows), [row for line in lines for row in _rows(line, width)]
        self._rows.extend(rows)
        gone = before + len(rows) - len(self._rows)
        if gone:
            words = f"Earlier lines are left out: {self._all_of} prints them all."
            self._rows[0] = Text(words, palette_of(self).warning)
        self.show_lines(self._rows, width)
        y = self.max_scroll_y if at_end else self.scroll_y - gone
        self.scroll_to(y=y, animate=False, force=True)


def _rows(line: Text, width: int) -> list[Text]:
    """Wrap a line into rows; plain output of a task is cut as a terminal does, which is fast."""
    if line.spans or not line.plain.isascii():
        return wrap(line, width)
    starts = range(0, len(line.plain) or 1, width)
    return [Text(line.plain[start : start + width], line.style) for start in starts]


class JobLog(Dialog[None]):
    """Follows the events and the output of a job; the job goes on when the dialog closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("job_log.cancel", "k", "cancel", "Cancel", "Cancel the job, after a question"),
        bind("job_log.close", "q", "dismiss_dialog", "", first=True),
    ]

    def __init__(self, live: Live, id_: int, name: str = "") -> None:
        super().__init__()
        self.job, self._live = id_, live
        self._began: float | None = None
        self._rest: dict[str, str] = {}  # the unfinished last line of each stream
        self._has_events = False
        self._last = ""  # the name of the last event
        self._leave: list[Callable[[], object]] = []
        self._outcome = ""  # how the job finished
        self._tasks = LatestTasks(self)
        self._now = LinesView(id="job-now", wrap=True, hang=2)
        self._tail = Tail(f"flux job attach {f58(id_)}", id="job-log")
        self.parts = (self._tail, self._now)
        self.heading = f"{f58(id_)} {name}".rstrip()

    def on_mount(self) -> None:
        """Start following."""
        self._show_title("…")
        self._listen(EVENTS, self._take_events)
        self._look()
        self.set_interval(AGAIN, self._look)

    def _look(self) -> None:
        """Show below where the job runs, or why it waits; nothing once it has finished."""
        snapshot = self._live.app.state.cluster.snapshot if not self._outcome else None
        job = (snapshot.jobs or {}).get(self.job) if snapshot is not None else None
        if job is None or snapshot is None:
            self._now.show_lines(())
            return
        if "why" in self._tasks.running:
            return  # let the slow search finish
        from fluxtui.answers.feasibility.pending import why

        def show(reasons: "tuple[Reason, ...]") -> None:
            self._now.show_lines(job_lines(job, snapshot, reasons, palette_of(self))[1:])

        ask = self._live.jobspec
        self._tasks.start("why", lambda stop: why(job, snapshot, ask(job.id)), show)

    def _listen(self, log: str, take: "Callable[[list[Event] | None], None]") -> None:
        self._leave.append(self._live.follow_log(self.job, log, take))

    def on_unmount(self) -> None:
        """Stop listening to the logs."""
        for leave in self._leave:
            leave()

    def action_cancel(self) -> None:
        """Cancel the job, after a question."""
        name = f58(self.job)
        self._live.order(
            f"Cancel {name}",
            lambda text: raise_order(self.job, name, 0, note=text),
            f"{name} is being cancelled",
            field="reason",
            then=self._live.ask_jobs,
        )

    def _take_events(self, events: list[Event] | None) -> None:
        if not self._tail.is_attached:  # it is removed before the dialog is
            return
        if events is None and not self._has_events:
            start_worker(self, "polling", self._poll_state)
        if events and not self._has_events:  # the output log of a job that is gone never ends
            self._listen(OUTPUT, self._take_output)
        for event in events or ():
            self._has_events, self._last = True, event.name
            self._began = event.time if self._began is None else self._began
            words, bad = event_words(event)
            style = palette_of(self)
            self._write(styled_line(
                (f"{event.time - self._began:9.3f}s  ", style.faint),
                (f"{printable(event.name):<10} ", style.problem if bad else style.strong),
                (words, style.problem if bad else style.quiet),
            ))  # fmt: skip
            self._outcome = words if event.status is not None else self._outcome
            self._show_title(self._outcome)
        if events is None and self._has_events:
            if self._last != "clean":
                self._write(Text(_GONE, palette_of(self).warning))
                self._outcome = "connection lost"
                self._show_title(self._outcome)
            self._look()
            self.say_keys(("escape", "closes"))

    async def _poll_state(self) -> None:
        """Query the job's state repeatedly, because Flux does not show its events to this user."""
        previous, is_over, style = "", False, palette_of(self)
        while not is_over:
            state, problems = await self._live.call(lambda flux: how(flux, self.job))
            words, is_over = state or (problems[0].message, problems[0].code in (REFUSED, DENIED))
            words = printable(words)
            if state is not None and not previous:
                self._write(Text(_NOT_SHOWN, style.quiet))
            if words != previous:
                time = (f"{strftime('%H:%M:%S')}  ", style.faint)
                self._write(styled_line(time, (words, style.plain)))
                self._show_title(words)
            previous = words
            await sleep(0 if is_over else AGAIN)
        self.say_keys(("escape", "closes"))

    def _take_output(self, events: list[Event] | None) -> None:
        """Write the lines that tasks printed; standard error has its own colour."""
        if not self._tail.is_attached:
            return
        lines: list[Text] = []
        for event in events or ():
            if event.name == "redirect":
                where = f"{event.context.get('stream')} goes to {event.context.get('path')}"
                lines.append(Text(printable(where), palette_of(self).quiet))
            if event.printed is not None:
                lines += self._printed(*event.printed)
        if events is None:
            lines += [line for stream in list(self._rest) for line in self._printed(stream, "\n")]
        self._tail.add(lines)

    def _printed(self, stream: str, text: str) -> Iterable[Text]:
        """Yield the lines that are complete with this text, the last MOST of them."""
        *lines, rest = (self._rest.pop(stream, "") + text).split("\n")
        if len(rest) > LONGEST:
            lines.append(rest)
            rest = ""
        if rest:
            self._rest[stream] = rest
        style = palette_of(self)
        look = style.warning if stream == "stderr" else style.plain
        for line in lines[-MOST - 1 :]:
            shown = printable(line.removesuffix("\r").expandtabs())
            for start in range(0, len(shown) or 1, LONGEST):
                yield Text(shown[start : start + LONGEST], look)

    def _write(self, line: Text) -> None:
        self._tail.add([line])

    def _show_title(self, note: str) -> None:
        self.say_title(self.heading, note)
        self.say_keys(("k", "cancels it"), ("escape", "closes; it goes on"))


def event_words(event: Event) -> tuple[str, bool]:
    """Return what an event of a job says in addition to its name, and if it is bad (RFC 21)."""
    context = event.context
    if event.status is not None:
        return ending(event.status), event.status != 0
    if event.name == "exception":
        words = ": ".join(str(context[key]) for key in ("type", "note") if context.get(key))
        return printable(words), context.get("severity") == 0
    summary = context.get("annotations")
    while isinstance(summary, dict):
        summary = summary.get("sched") or summary.get("resource_summary")
    words = summary or ", ".join(
        f"{name} {value}" if value != "all" else f"all {name}" for name, value in context.items()
        if name in ("urgency", "priority", "ranks", "description", "reason")
    )  # fmt: skip
    return printable(str(words)), False
