"""Stepping through a record of a running Flux, picture by picture, with a bar of the time."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from time import localtime, strftime
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.timer import Timer

from fluxtui import workbench
from fluxtui.bridge import files, paths
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import DOT
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker

if TYPE_CHECKING:
    from fluxtui.opening.recording import Record

GROUP = "record"  # of the workers that read pictures
NONE = "No record is open: fluxtui snapshot --record makes one, -r opens it"
PLAYED = 0.5  # seconds that each picture is shown while playing
PAGE = 10  # pictures per page
ROOMY = 100  # the bar names its keys if it has at least this many columns
LEAST = 8  # the track is hidden below this width


class TimeBar(OneLine, can_focus=True):
    """The time from the first picture of a record to the last, with a mark at the current one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("time.earlier", "left", "step(-1)", "Earlier", "Show the picture before", footer=True),
        bind("time.later", "right", "step(1)", "Later", "Show the next picture", footer=True),
        bind("time.page_earlier", "pageup", f"step(-{PAGE})", "", f"Go {PAGE} pictures back"),
        bind("time.page_later", "pagedown", f"step({PAGE})", "", f"Go {PAGE} pictures on"),
        bind("time.first", "home", "end(0)", "First", "Show the first picture", footer=True),
        bind("time.last", "end", "end(-1)", "Last", "Show the last picture", footer=True),
        bind("time.play", "space", "play", "Play", "Play the pictures, or stop", footer=True),
    ]

    def __init__(self, replay: "Replay") -> None:
        super().__init__(id="time-bar")
        self._replay = replay
        self._times: tuple[float, ...] = ()
        self._number = 0
        self._is_playing = False
        self._track = (0, 1)  # its first column, and its width
        self._filled: set[int] = set()  # the columns with pictures

    def show_picture(self, times: tuple[float, ...], number: int, *, is_playing: bool) -> None:
        """Show which picture is the current one."""
        before, self._times = self._times, times
        self._number, self._is_playing = number, is_playing
        if before is not times:
            self.on_resize()
        elif times:
            self.show(*self._lines())

    def on_resize(self) -> None:
        """Lay out the track in the room that the words leave."""
        if self._times:
            right = self._words().cell_len
            room = self.size.width - right - sum(map(len, self._ends())) - 4
            self._track = (len(self._ends()[0]) + 1, max(room, 1))
            self._filled = set(map(self._column, self._times))
            self.show(*self._lines())

    def _ends(self) -> tuple[str, str]:
        """Return the times of the first and the last picture, with the day if it differs."""
        first, last = (localtime(at) for at in (self._times[0], self._times[-1]))
        form = "%H:%M" if first[:3] == last[:3] else "%d %b %H:%M"
        return strftime(form, first), strftime(form, last)

    def _words(self) -> Text:
        """Return the time and the number of the current picture."""
        style, count = palette_of(self), f"{len(self._times):,}"
        at = strftime("%a %d %b %H:%M:%S", localtime(self._times[self._number]))
        number = f"{self._number + 1:>{len(count)},} of {count}{DOT}record"
        number += f"{DOT}( ) step" if self.size.width >= ROOMY else ""
        sign = ("▶ " if self._is_playing else "  ", style.match)
        return Text.assemble(sign, (at, style.strong), (DOT + number, style.quiet), end="")

    def _lines(self) -> tuple[Text, Text]:
        """Return the track, bold where there are pictures, and the words after it."""
        style, (first, last) = palette_of(self), self._ends()
        if self._track[1] < LEAST:
            return Text(end=""), self._words()
        here = self._column(self._times[self._number])
        left = Text.assemble((f"{first} ", style.quiet), end="")
        for column in range(self._track[1]):
            sign, look = ("━", style.quiet) if column in self._filled else ("─", style.faint)
            left.append(*(("●", style.match) if column == here else (sign, look)))
        return left.append(f" {last}", style=style.quiet), self._words()

    def _column(self, at: float) -> int:
        """Return the column of the track for a time."""
        first, last = self._times[0], self._times[-1]
        return round((at - first) / max(last - first, 1) * (self._track[1] - 1))

    def _go_to(self, event: events.MouseEvent) -> None:
        """Show the picture closest to the time under the mouse."""
        start, length = self._track
        share = (event.x - self.gutter.left - start) / max(length - 1, 1)
        first, last = self._times[0], self._times[-1]
        at = first + min(max(share, 0), 1) * (last - first)
        after = min(bisect_right(self._times, at), len(self._times) - 1)
        closest = min((max(after - 1, 0), after), key=lambda number: abs(self._times[number] - at))
        self._replay.go(closest)

    def action_step(self, by: int) -> None:
        """Go this many pictures forward."""
        self._replay.step(by)

    def action_end(self, number: int) -> None:
        """Go to the first picture (0), or the last (-1)."""
        self._replay.go(number % len(self._times))

    def action_play(self) -> None:
        """Start or stop playing."""
        self._replay.play()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to the time under the mouse, and follow the mouse."""
        self.capture_mouse()
        self._go_to(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse while its button is down."""
        if self.app.mouse_captured is self:
            self._go_to(event)

    def on_mouse_up(self) -> None:
        """Stop following the mouse."""
        self.release_mouse()

    def on_mouse_scroll_up(self) -> None:
        """Go one picture back."""
        self.action_step(-1)

    def on_mouse_scroll_down(self) -> None:
        """Go one picture forward."""
        self.action_step(1)


@dataclass(eq=False, repr=False)
class Replay(Controller):
    """Shows the pictures of the record that is open, and the bar that steps through them."""

    follows = ("cluster",)
    _record: "Record | None" = None
    _where = ""
    _number = 0  # the index of the picture that is shown or is being read
    _is_reading = False
    _timer: Timer | None = None  # None unless it plays

    def __post_init__(self) -> None:
        self._bar = TimeBar(self)

    def ready(self) -> None:
        """Show the bar if a record is open."""
        self.changed(self.app.state, self.app.state)

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        """Show the bar for the record that is open now, or hide it."""
        cluster = after.cluster
        where = cluster.source.path or ""
        where = "" if cluster.snapshot is None or files.is_live(where) else where
        if where == self._where:
            if self._record is not None and not self._is_reading:  # it was read again
                self._number = _number_of(self._record, cluster)
                self._show()
            return
        self._where, self._record, self._is_reading = where, None, False
        self.stop()
        self._bar.display = False
        if where:
            start_exclusive_worker(self.app, GROUP, self._open, where)

    async def _open(self, where: str) -> None:
        """Show the bar if the path is that of a record."""

        def open_record() -> "Record | None":
            from fluxtui.opening.recording import Record

            record = paths.record_in(where)
            return Record(record[0]) if record is not None else None

        record = await run_in_thread(open_record)
        if record is None or not record.times or where != self._where:
            return
        if not self._bar.is_attached:
            await self.app.screen_stack[0].mount(self._bar, before="#workspace")
        self._record, self._bar.display = record, True
        self._number = _number_of(record, self.app.state.cluster)
        self._show()

    def _show(self) -> None:
        if self._record is not None and self._record.times:
            self._number = min(self._number, len(self._record.times) - 1)  # some may be gone
            playing = self._timer is not None
            self._bar.show_picture(self._record.times, self._number, is_playing=playing)

    # Stepping

    def go(self, number: int) -> None:
        """Show the picture with an index; beyond the ends, the first or the last."""
        if self._record is None or not self._record.times:
            self.app.notify(NONE, timeout=6)
            return
        self._number = min(max(number, 0), len(self._record.times) - 1)
        self._show()
        if not self._is_reading:
            self._is_reading = True
            start_exclusive_worker(self.app, GROUP, self._read, self._record)

    def step(self, by: int) -> None:
        """Show the picture that is this many further on."""
        self.go(self._number + by)

    def play(self) -> None:
        """Play from the current picture, or from the first if it is the last; or stop playing."""
        if self.stop() or self._record is None:
            return
        self._timer = self.app.set_interval(PLAYED, self._play_on)
        self.go(self._number + 1 if self._number + 1 < len(self._record.times) else 0)

    def _play_on(self) -> None:
        if self._record is None or self._number + 1 >= len(self._record.times):
            self.stop()
        elif not self._is_reading:
            self.step(1)

    def stop(self) -> bool:
        """Stop playing; return whether it was playing."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.stop()
            self._show()
        return timer is not None

    async def _read(self, record: "Record") -> None:
        """Read the wanted picture; again as long as another one is wanted afterwards."""
        from fluxtui.opening import recording

        shown = -1
        try:
            while record is self._record and shown != self._number:
                shown, before = self._number, self.app.state.cluster
                read = partial(
                    recording.read, record, shown, self._where, before, self.app.config_path
                )
                after, problems = await run_in_thread(read)
                if record is not self._record:
                    return
                if self.app.state.cluster is not before:  # it was read again meanwhile
                    shown = -1
                elif after is None:
                    self.app.report_problems(problems[:1], "Record")
                    if self._number == shown and not self._skip(before):
                        shown = self._number  # the current picture stays
                elif after.resources is before.resources:
                    self.app.edit(workbench.RefreshCluster(before, after))
                else:
                    await self.app.replace_cluster(before, after)
                self._show()  # the record may have grown meanwhile
        finally:
            self._is_reading = False

    def _skip(self, cluster: workbench.Cluster) -> bool:
        """Skip a picture that cannot be read: want the next one in the same direction.

        Without a next one, want that of the cluster that is shown. Return whether there is one.
        """
        assert self._record is not None  # it is being read
        current = _number_of(self._record, cluster)
        further = self._number + (1 if self._number > current else -1)
        exists = 0 <= further < len(self._record.times)
        self._number = further if exists else current
        return exists


def _number_of(record: "Record", cluster: workbench.Cluster) -> int:
    """Return the index of the picture that a cluster comes from."""
    taken = cluster.snapshot.taken if cluster.snapshot is not None else 0
    return max(bisect_right(record.times, taken) - 1, 0)
