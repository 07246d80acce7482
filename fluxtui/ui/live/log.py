"""One job of a running Flux as it goes on: its events, and what its tasks print."""

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
LONGEST = 2_000  # characters of a line; what is longer goes on in a line of its own
AGAIN = 2.0  # seconds until the state is asked for again

_NOT_SHOWN = "Only its user and the owner of the instance see its events: this is its state."
_GONE = "The Flux instance is not there any more: nothing further is heard of this job."


class Tail(LinesView):
    """The last lines of a log, and that there were earlier ones; the end stays in sight.

    all_of says in a few words what shows those as well.
    """

    def __init__(self, all_of: str, id: str) -> None:
        super().__init__(id=id)
        self._all_of = all_of
        self._kept: deque[Text] = deque(maxlen=MOST)
        self._rows: deque[Text] = deque(maxlen=MOST)

    def add(self, lines: Iterable[Text]) -> None:
        """Show further lines, in time that goes by their number alone."""
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
    """A line in rows; what a task printed is parted as a terminal does, which costs little."""
    if line.spans or not line.plain.isascii():
        return wrap(line, width)
    starts = range(0, len(line.plain) or 1, width)
    return [Text(line.plain[start : start + width], line.style) for start in starts]


class JobLog(Dialog[None]):
    """Follows the events and the output of a job; closed, the job goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("job_log.cancel", "k", "cancel", "Cancel", "Cancel the job, after a question"),
        bind("job_log.close", "q", "dismiss_dialog", "", first=True),
    ]

    def __init__(self, live: Live, id_: int, name: str = "") -> None:
        super().__init__()
        self.job, self._live = id_, live
        self._began: float | None = None
        self._rest: dict[str, str] = {}  # lines that have no end yet
        self._heard = False
        self._last = ""  # event
        self._leave: list[Callable[[], object]] = []
        self._outcome = ""  # how it finished
        self._tasks = LatestTasks(self)
        self._now = LinesView(id="job-now", wrap=True, hang=2)
        self._tail = Tail(f"flux job attach {f58(id_)}", id="job-log")
        self.parts = (self._tail, self._now)
        self.heading = f"{f58(id_)} {name}".rstrip()

    def on_mount(self) -> None:
        """Begin to follow."""
        self._say("…")
        self._listen(EVENTS, self._take_events)
        self._look()
        self.set_interval(AGAIN, self._look)

    def _look(self) -> None:
        """Say below how the job is: where it runs, or why it waits; nothing once it is over."""
        snapshot = self._live.app.state.cluster.snapshot if not self._outcome else None
        job = (snapshot.jobs or {}).get(self.job) if snapshot is not None else None
        if job is None or snapshot is None:
            self._now.show_lines(())
            return
        if "why" in self._tasks.running:
            return  # which takes its time
        from fluxtui.answers.feasibility.pending import why

        def show(reasons: "tuple[Reason, ...]") -> None:
            self._now.show_lines(job_lines(job, snapshot, reasons, palette_of(self))[1:])

        ask = self._live.jobspec
        self._tasks.start("why", lambda stop: why(job, snapshot, ask(job.id)), show)

    def _listen(self, log: str, take: "Callable[[list[Event] | None], None]") -> None:
        self._leave.append(self._live.follow_log(self.job, log, take))

    def on_unmount(self) -> None:
        """Listen no longer."""
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
        if not self._tail.is_attached:  # which goes before the dialog does
            return
        if events is None and not self._heard:
            start_worker(self, "asking", self._ask)
        if events and not self._heard:  # of a job that is gone there would be no end to wait for
            self._listen(OUTPUT, self._take_output)
        for event in events or ():
            self._heard, self._last = True, event.name
            self._began = event.time if self._began is None else self._began
            words, bad = event_words(event)
            style = palette_of(self)
            self._write(styled_line(
                (f"{event.time - self._began:9.3f}s  ", style.faint),
                (f"{printable(event.name):<10} ", style.problem if bad else style.strong),
                (words, style.problem if bad else style.quiet),
            ))  # fmt: skip
            self._outcome = words if event.status is not None else self._outcome
            self._say(self._outcome)
        if events is None and self._heard:
            if self._last != "clean":
                self._write(Text(_GONE, palette_of(self).warning))
                self._outcome = "not heard of any more"
                self._say(self._outcome)
            self._look()
            self.say_keys(("escape", "closes"))

    async def _ask(self) -> None:
        """Ask how the job is again and again, as Flux does not show its events to this person."""
        said, is_over, style = "", False, palette_of(self)
        while not is_over:
            found, problems = await self._live.call(lambda flux: how(flux, self.job))
            words, is_over = found or (problems[0].message, problems[0].code in (REFUSED, DENIED))
            words = printable(words)
            if found is not None and not said:
                self._write(Text(_NOT_SHOWN, style.quiet))
            if words != said:
                time = (f"{strftime('%H:%M:%S')}  ", style.faint)
                self._write(styled_line(time, (words, style.plain)))
                self._say(words)
            said = words
            await sleep(0 if is_over else AGAIN)
        self.say_keys(("escape", "closes"))

    def _take_output(self, events: list[Event] | None) -> None:
        """Write the lines that tasks printed; those on standard error in a colour of their own."""
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
        """The whole lines that there are by now, the last so many."""
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

    def _say(self, note: str) -> None:
        self.say_title(self.heading, note)
        self.say_keys(("k", "cancels it"), ("escape", "closes; it goes on"))


def event_words(event: Event) -> tuple[str, bool]:
    """What an event of a job says beside its name, and whether that is bad (RFC 21)."""
    context = event.context
    if event.status is not None:
        return ending(event.status), event.status != 0
    if event.name == "exception":
        words = ": ".join(str(context[key]) for key in ("type", "note") if context.get(key))
        return printable(words), context.get("severity") == 0
    found = context.get("annotations")
    while isinstance(found, dict):
        found = found.get("sched") or found.get("resource_summary")
    named = found or ", ".join(
        f"{name} {value}" if value != "all" else f"all {name}" for name, value in context.items()
        if name in ("urgency", "priority", "ranks", "description", "reason")
    )  # fmt: skip
    return printable(str(named)), False
