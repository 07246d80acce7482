"""From a key to its painted answer, in the whole workbench, at growing cluster sizes.

The app runs in this process with a driver that renders every frame and throws the bytes away: a
headless pilot does not render at all. A time is that from posting the key to the frame with its
answer, or to the end of the last frame it causes.
"""

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from fluxtui import workbench
from fluxtui.model.resources import document as resources
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.measure import FRAME, report

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
TEXT = "gpu&-debug|bigmem"
ROUNDS = 5
PATIENCE = 5.0  # seconds
SETTLED = 0.08  # seconds without a frame after which a key's last frame is taken to be painted

_ESCAPE = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")


class Sink(HeadlessDriver):
    """Renders, and looks for the words of an answer in each frame instead of writing it.

    Where they come in several frames, it is the last of these that holds the answer.
    """

    last_write = 0.0
    answered: float | None = None
    awaited: ClassVar[set[str]] = set()

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        now = time.perf_counter()
        Sink.last_write = now
        if self.awaited:
            shown = _ESCAPE.sub("", data)
            self.awaited.difference_update([words for words in self.awaited if words in shown])
            if not self.awaited:
                Sink.answered = now

    def flush(self) -> None:
        """Nothing is kept back."""


async def settle() -> None:
    """Wait until nothing is painted any more."""
    while time.perf_counter() - Sink.last_write < SETTLED:
        await asyncio.sleep(0.01)


async def keys_timed(
    app: FluxTUI,
    keys: Iterable[str],
    answers: Callable[[int], set[str]],
    reset: Callable[[], None] = lambda: None,
    turns: int = 1,
) -> list[tuple[float, float]]:
    """The seconds from each key to the frame with its answer, and to its last frame.

    answers gives the words of the answer to a key by its number. The keys are pressed in so many
    turns, each after a reset, and once before to warm up.
    """
    times: list[tuple[float, float]] = []
    for turn in range(turns + 1):
        reset()
        Sink.last_write = time.perf_counter()
        await settle()
        for number, key in enumerate(keys):
            Sink.awaited |= answers(number)
            Sink.answered = None
            start = time.perf_counter()
            app.post_message(events.Key(key, key if len(key) == 1 else None))
            Sink.last_write = start
            while Sink.answered is None:
                assert time.perf_counter() - start < PATIENCE, f"no answer {Sink.awaited}"
                await asyncio.sleep(0.0005)
            await settle()
            if turn:
                times.append((Sink.answered - start, Sink.last_write - start))
    return times


def in_app(app: FluxTUI, act: Callable[[], Awaitable[None]]) -> None:
    """Run an app until something was done in it."""
    app.driver_class = Sink

    async def then() -> None:
        while not app.is_running or app.screen.size.width == 0:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False
        try:
            with app._context():
                await act()
        finally:  # a key without an answer ends it too
            app.exit()

    async def both() -> None:
        task = asyncio.create_task(then())
        await app.run_async(headless=False, size=(120, 40))
        await task

    asyncio.run(both())


def cluster(size: int) -> workbench.Cluster:
    """A cluster of so many nodes with overlapping properties, in a few groups."""
    tenth = size // 10
    document = {
        "version": 1,
        "execution": {
            "R_lite": [
                {"rank": f"0-{size - tenth - 1}", "children": {"core": "0-47"}},
                {"rank": f"{size - tenth}-{size - 1}", "children": {"core": "0-63", "gpu": "0-3"}},
            ],
            "nodelist": [f"n[1-{size - tenth}]", f"g[1-{tenth}]"],
            "properties": {
                "gpu": f"{size - tenth}-{size - 1}",
                "debug": f"{tenth}-{2 * tenth},{size - tenth}-{size - tenth // 2}",
                "bigmem": f"0-{tenth}",
                "batch": f"{tenth}-{size - 1}",
            },
        },
    }
    return workbench.Cluster(workbench.Source(f"{size} nodes"), resources.read(document))


def letters(size: int) -> list[tuple[float, float]]:
    """The times of the letters of a constraint, typed on a cluster of so many nodes."""
    app = FluxTUI(workbench.start(cluster(size), "node=4/slot/[core=8;gpu]"))
    times: list[tuple[float, float]] = []

    def answers(number: int) -> set[str]:
        """What only the frame with the answer holds: the end of its line."""
        ask = workbench.step(app.state, workbench.TypeRequires(TEXT[: number + 1])).ask
        if ask.stale or ask.problems:
            return {ask.problems[0].message[:20]}
        return {f"{ask.totals.cores:,} core"}

    async def type_it() -> None:
        entry = app.ask_bar.entry
        entry.focus()
        times.extend(await keys_timed(app, TEXT, answers, lambda: setattr(entry, "value", "")))

    in_app(app, type_it)
    return times


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    names = {size: f"{size:>9,} nodes" for size in SIZES}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names.values()}
    for _ in range(ROUNDS):  # the sizes take turns, so that a busy machine meets all alike
        for size, name in names.items():
            times[name] += letters(size)
    first, last = (
        {name: statistics.median(pair[at] for pair in found) for name, found in times.items()}
        for at in (0, 1)
    )
    base = names[SIZES[0]]
    limits = {names[10_000]: 1.3, names[1_000_000]: 1.3}
    kept = report("From a key to the frame with its answer, at 120x40", first, base, limits)
    report("From a key to its last frame (scroll bars follow the answer)", last, base, {})
    print(f"\n  one frame is {FRAME * 1000:.1f} ms")
    return kept
