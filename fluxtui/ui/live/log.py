"""One job of a running Flux as it goes on: its events, and what its tasks print."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import RichLog

from fluxtui.bridge.live.job import EVENTS, OUTPUT, Event, ending, raise_order
from fluxtui.model.live.jobs import f58
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import styled_line
from fluxtui.ui.live.follow import Live

MOST = 5_000  # lines that are kept


class JobLog(Dialog[None]):
    """Follows the events and the output of a job; closed, the job goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("job_log.cancel", "k", "cancel", "Cancel", "Cancel the job, after a question"),
        bind("job_log.close", "q", "dismiss_dialog", ""),
    ]

    def __init__(self, live: Live, id_: int, name: str = "") -> None:
        super().__init__()
        self.job, self._live, self._called = id_, live, name
        self._began: float | None = None
        self._rest = {"stdout": "", "stderr": ""}  # lines that have no end yet
        self._ends = {EVENTS, OUTPUT}
        self._heard = False
        self._outcome = ""  # how it finished
        self.log_lines = RichLog(max_lines=MOST, wrap=True, id="job-log")

    def compose(self) -> ComposeResult:
        """The lines, as they come."""
        with Vertical(id="box"):
            yield self.log_lines

    def on_mount(self) -> None:
        """Begin to follow."""
        self._say("…")
        self._live.follow_log(self.job, EVENTS, self._take_events)
        self._live.follow_log(self.job, OUTPUT, self._take_output)

    def action_cancel(self) -> None:
        """Cancel the job, after a question."""
        name = f58(self.job)
        self._live.order(
            f"Cancel {name}",
            lambda text: raise_order(self.job, name, 0, note=text),
            f"{name} is being cancelled",
            field="reason",
        )

    def _take_events(self, events: list[Event] | None) -> None:
        if not self.is_attached:
            return
        if events is None and not self._heard:
            words = "Flux shows the events of a job only to its user and the owner of the instance."
            self._write(Text(words, palette_of(self).warning))
            self._say("not yours, or gone")
        for event in events or ():
            self._heard = True
            self._began = event.time if self._began is None else self._began
            words, bad = event_words(event)
            style = palette_of(self)
            self._write(styled_line(
                (f"{event.time - self._began:9.3f}s  ", style.faint),
                (f"{printable(event.name):<10} ", style.problem if bad else style.strong),
                (words, style.problem if bad else style.quiet),
            ))  # fmt: skip
            self._outcome = words if event.status is not None else self._outcome
            self._say(self._outcome or printable(event.name))
        if events is None and self._heard:
            self.say_keys(("escape", "closes"))

    def _take_output(self, events: list[Event] | None) -> None:
        """Write the lines that tasks printed; those on standard error in a colour of their own."""
        if not self.is_attached:
            return
        for event in events or ():
            printed = event.printed
            if event.name == "redirect":
                where = f"{event.context.get('stream')} goes to {event.context.get('path')}"
                self._write(Text(printable(where), palette_of(self).quiet))
            if printed is not None:
                stream, text = printed
                *lines, rest = (self._rest.get(stream, "") + text).split("\n")
                self._rest[stream] = rest
                self._print(stream, lines)
        if events is None:
            for stream, rest in self._rest.items():
                self._print(stream, [rest] if rest else [])
            self._rest.clear()

    def _print(self, stream: str, lines: list[str]) -> None:
        style = palette_of(self)
        look = style.warning if stream == "stderr" else style.plain
        for line in lines:
            self._write(Text(printable(line.removesuffix("\r").expandtabs()), look))

    def _write(self, line: Text) -> None:
        self.log_lines.write(line)

    def _say(self, note: str) -> None:
        self.say_title(f"{f58(self.job)} {self._called}".rstrip(), note)
        self.say_keys(("k", "cancels it"), ("escape", "closes; it goes on"))


def event_words(event: Event) -> tuple[str, bool]:
    """What an event of a job says beside its name, and whether that is bad (RFC 21)."""
    context = event.context
    if event.status is not None:
        return ending(event.status), event.status != 0
    if event.name == "exception":
        words = f"{context.get('type')}: {context.get('note') or 'no note'}"
        return printable(words), context.get("severity") == 0
    found = context.get("annotations")
    while isinstance(found, dict):
        found = found.get("sched") or found.get("resource_summary")
    named = found or ", ".join(
        f"{name} {value}" for name, value in context.items()
        if name in ("urgency", "priority", "ranks", "description", "reason")
    )  # fmt: skip
    return printable(str(named)), False
