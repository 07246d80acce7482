"""From a key to its painted answer, in the whole workbench, at growing cluster sizes.

The app runs in this process with a driver that renders every frame and throws the bytes away: a
headless pilot does not render at all. A time is that from posting the key to the frame with its
answer.
"""

import asyncio
import re
import statistics
import time
from collections.abc import Callable, Iterable
from typing import ClassVar

from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from tests.benchmarks.measure import FRAME, SIZES, cluster, verdict

TEXT = "gpu&-debug|bigmem"
ROUNDS = 3
PAGES = 20
PATIENCE = 5.0  # seconds
SETTLED = 0.08  # seconds without a frame after which a key's last frame is taken to be painted

_ESCAPE = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")


class Sink(HeadlessDriver):
    """Renders, and looks for the words of an answer in each frame instead of writing it."""

    last_write = 0.0
    answered: float | None = None
    awaited: ClassVar[str] = ""

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        Sink.last_write = time.perf_counter()
        if self.answered is None and self.awaited in _ESCAPE.sub("", data):
            Sink.answered = self.last_write

    def flush(self) -> None:
        """Nothing is kept back."""


async def settle() -> None:
    """Wait until nothing is painted any more."""
    while time.perf_counter() - Sink.last_write < SETTLED:
        await asyncio.sleep(0.01)


def keys_timed(
    app: FluxTUI, focus: Callable[[], object], keys: Iterable[str], answer: Callable[[int], str]
) -> list[float]:
    """The seconds from each key to the frame that holds its answer, by the number of the key."""
    app.driver_class = Sink
    times: list[float] = []

    async def press_them() -> None:
        while not app.is_running or app.screen.size.width == 0:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        try:
            with app._context():
                focus()
                await asyncio.sleep(0.1)
                await settle()
                for number, key in enumerate(keys):
                    Sink.awaited, Sink.answered = answer(number), None
                    start = time.perf_counter()
                    app.post_message(events.Key(key, key if len(key) == 1 else None))
                    while Sink.answered is None:
                        waited = time.perf_counter() - start
                        assert waited < PATIENCE, f"no answer {Sink.awaited}"
                        await asyncio.sleep(0.0005)
                    times.append(Sink.answered - start)
                    await settle()
        finally:  # a key without an answer ends it too
            app.exit()

    async def both() -> None:
        pressing = asyncio.create_task(press_them())
        await app.run_async(headless=False, size=(120, 40))
        await pressing

    asyncio.run(both())
    return times


def letters(size: int) -> list[float]:
    """The times of the letters of a constraint, typed on a cluster of so many nodes."""
    app = FluxTUI(workbench.start(cluster(size), "node=4/slot/[core=8;gpu]"))

    def answer(number: int) -> str:
        """What only the frame with the answer holds: the end of its line."""
        ask = workbench.step(app.state, workbench.TypeRequires(TEXT[: number + 1])).ask
        if ask.stale or ask.problems:
            return ask.problems[0].message[:20]
        return f"{ask.totals.cores:,} core"

    return keys_timed(app, app.ask_bar.entry.focus, TEXT, answer)


def pages(size: int, view: str) -> list[float]:
    """The times of page down in the map or in the table, to any frame.

    Pages go to and fro: a map that shows all of its nodes at once has no page below.
    """
    app = FluxTUI(workbench.start(cluster(size)))
    turns = ["pagedown", "pageup"] * (PAGES // 2)
    return keys_timed(app, lambda: app.go_to(view), turns, lambda _: "")


def keys() -> bool:
    """A letter of the constraint and a page of the map and of the table, beside 1,000 nodes."""
    print("\nFrom a key to its frame, the whole workbench at 120x40, beside 1,000 nodes")
    sizes = (1_000, *SIZES)
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(ROUNDS):  # in turns, so that a busy machine meets all alike
        for size in sizes:
            times.setdefault(("a letter", size), []).extend(letters(size))
            for view in ("map", "table"):
                times.setdefault((f"a page of the {view}", size), []).extend(pages(size, view))
    medians = {what: statistics.median(found) for what, found in times.items()}
    all_kept = True
    for (what, size), median in sorted(medians.items()):
        ratio = median / medians[what, sizes[0]]
        kept = what != "a letter" or (median <= FRAME and (size < SIZES[-1] or ratio <= 1.3))
        all_kept &= kept
        print(
            f"  {what:<20} {size:>9,} nodes {median * 1000:6.1f} ms {ratio:5.2f} times"
            f"  {verdict(kept)}"
        )
    return all_kept
