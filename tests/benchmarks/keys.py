"""From a key to its painted answer, in the whole workbench, at growing cluster sizes.

The app runs in this process with a driver that renders every frame and throws the bytes away: a
headless pilot does not render at all. A time is that from posting the key to the end of the last
frame it causes.
"""

import asyncio
import time

from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from fluxtui import workbench
from fluxtui.model import resources
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.measure import report

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
TEXT = "gpu&-debug|bigmem"
ROUNDS = 6
FRAME = 1 / 60
SETTLED = 0.08  # seconds without a frame after which a key's last frame is taken to be painted


class Sink(HeadlessDriver):
    """Renders, and counts the frames instead of writing them."""

    last_write = 0.0
    first_write: float | None = None

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        now = time.perf_counter()
        Sink.last_write = now
        if Sink.first_write is None:
            Sink.first_write = now

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


async def _settle() -> None:
    while time.perf_counter() - Sink.last_write < SETTLED:
        await asyncio.sleep(0.01)


async def _measure(size: int) -> tuple[float, float]:
    """The median seconds from key to first and to last paint, over the keys of TEXT."""
    app = FluxTUI(workbench.start(cluster(size), "node=4/slot/[core=8;gpu]"))
    app.driver_class = Sink
    first: list[float] = []
    last: list[float] = []

    async def type_it() -> None:
        entry = app.ask_bar.entry
        entry.cursor_blink = app.shape_bar.entry.cursor_blink = False
        entry.focus()
        for number in range(ROUNDS):
            entry.value = ""
            Sink.last_write = time.perf_counter()
            await _settle()
            for character in TEXT:
                Sink.first_write = None
                start = time.perf_counter()
                app.post_message(events.Key(character, character))
                Sink.last_write = start
                await asyncio.sleep(0)
                while Sink.first_write is None:
                    await asyncio.sleep(0.0005)
                await _settle()
                if number:
                    first.append(Sink.first_write - start)
                    last.append(Sink.last_write - start)
        app.exit()

    task = asyncio.create_task(_when_running(app, type_it))
    await app.run_async(headless=False, size=(120, 40))
    await task
    return sorted(first)[len(first) // 2], sorted(last)[len(last) // 2]


async def _when_running(app: FluxTUI, then) -> None:  # type: ignore[no-untyped-def]
    while not app.is_running or app.screen.size.width == 0:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    await then()


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for size in SIZES:
        first[f"{size:>9,} nodes"], last[f"{size:>9,} nodes"] = asyncio.run(_measure(size))
    base = f"{100:>9,} nodes"
    limit = {f"{10_000:>9,} nodes": 1.3}
    kept = report("From a key to its answer's first frame, at 120x40", first, base, limit)
    kept &= report("From a key to its last frame", last, base, limit)
    slowest = max(first[f"{size:>9,} nodes"] for size in SIZES)
    print(
        f"  one frame is {FRAME * 1000:.1f} ms; the slowest first frame took {slowest * 1000:.1f}"
    )
    return kept
