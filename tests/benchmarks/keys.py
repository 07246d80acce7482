"""From a key to its painted answer, in the whole workbench, at growing cluster sizes.

The app runs in this process with a driver that renders every frame and throws the bytes away: a
headless pilot does not render at all. A time is that from posting the key to the end of the last
frame it causes.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable

from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from fluxtui import workbench
from fluxtui.model.resources import document as resources
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.measure import report

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
TEXT = "gpu&-debug|bigmem"
ROUNDS = 5
FRAME = 1 / 60
PATIENCE = 5.0  # seconds
SETTLED = 0.08  # seconds without a frame after which a key's last frame is taken to be painted


class Sink(HeadlessDriver):
    """Renders, and looks for the answer in each frame instead of writing it."""

    last_write = 0.0
    answered: float | None = None
    answer = ""

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        now = time.perf_counter()
        Sink.last_write = now
        if Sink.answered is None and Sink.answer in data:
            Sink.answered = now

    def flush(self) -> None:
        """Nothing is kept back."""


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


def _answer_to(app: FluxTUI, text: str) -> str:
    """Something that only the frame with the answer to a text holds: the end of its line."""
    state = workbench.step(app.state, workbench.TypeRequires(text))
    ask = state.ask
    if ask.stale or ask.problems:
        return ask.problems[0].message[:20]
    return f"{ask.totals.cores:,} core"


async def _settle() -> None:
    while time.perf_counter() - Sink.last_write < SETTLED:
        await asyncio.sleep(0.01)


async def _measure(size: int) -> tuple[list[float], list[float]]:
    """The seconds from key to first and to last paint, for each key of TEXT typed once."""
    app = FluxTUI(workbench.start(cluster(size), "node=4/slot/[core=8;gpu]"))
    app.driver_class = Sink
    first: list[float] = []
    last: list[float] = []

    async def type_it() -> None:
        entry = app.ask_bar.entry
        entry.cursor_blink = app.shape_bar.entry.cursor_blink = False
        entry.focus()
        Sink.last_write = time.perf_counter()
        await _settle()
        for warming in (True, False):
            for end, character in enumerate(TEXT, 1):
                # The reading of this very text: a late answer would not be taken for it.
                Sink.answer = _answer_to(app, TEXT[:end])
                Sink.answered = None
                start = time.perf_counter()
                app.post_message(events.Key(character, character))
                Sink.last_write = start
                while Sink.answered is None:
                    assert time.perf_counter() - start < PATIENCE, f"no answer to {TEXT[:end]}"
                    await asyncio.sleep(0.0005)
                await _settle()
                if not warming:
                    first.append(Sink.answered - start)
                    last.append(Sink.last_write - start)
            entry.value = ""
            Sink.last_write = time.perf_counter()
            await _settle()
        app.exit()

    task = asyncio.create_task(_when_running(app, type_it))
    await app.run_async(headless=False, size=(120, 40))
    await task
    return first, last


async def _when_running(app: FluxTUI, then: Callable[[], Awaitable[None]]) -> None:
    while not app.is_running or app.screen.size.width == 0:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    await then()


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    names = {size: f"{size:>9,} nodes" for size in SIZES}
    first: dict[str, list[float]] = {name: [] for name in names.values()}
    last: dict[str, list[float]] = {name: [] for name in names.values()}
    for _ in range(ROUNDS):  # the sizes take turns, so that a busy machine meets all alike
        for size, name in names.items():
            firsts, lasts = asyncio.run(_measure(size))
            first[name] += firsts
            last[name] += lasts
    medians = {name: statistics.median(times) for name, times in first.items()}
    base = names[SIZES[0]]
    kept = report(
        "From a key to the frame with its answer, at 120x40",
        medians,
        base,
        {names[10_000]: 1.3, names[1_000_000]: 1.3},
    )
    settled = {name: statistics.median(times) for name, times in last.items()}
    report("From a key to its last frame (scroll bars follow the answer)", settled, base, {})
    print(f"\n  one frame is {FRAME * 1000:.1f} ms")
    return kept
