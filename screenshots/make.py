"""Take pictures from the real app: ``python screenshots/make.py``.

Each picture is a state the app is brought to by pressing keys, at a fixed size, drawn to SVG by
Textual itself.
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fluxtui import opening, workbench
from fluxtui.ui.app import FluxTUI

HERE = Path(__file__).parent
RUNNING = str(HERE / "running.json")  # a snapshot of a Flux with simulated nodes
INSIDE = str(HERE / "inside.json")  # the same, with what its nodes have inside (RFC 49)
SETTLED = 0.5  # seconds, in which what is found beside the event loop is there


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its file, its size, and the texts and keys that lead to it, on a cluster."""

    name: str
    size: tuple[int, int]
    shape: str = ""
    requires: str = ""
    keys: Sequence[str] = ()
    theme: str = "dusk"
    cluster: str = "demo"


ESC, GPU = "escape", "gpu&-debug"

PICTURES = (
    Picture("workbench", (120, 40), "node=4/slot/[core=8;gpu]", GPU),
    Picture("problem", (120, 40), "node=4/slot/[core=x;gpu]", "hots:dune001"),
    Picture("table", (120, 40), "slot=10/core=2+", "batch|bigmem", (ESC, "6", "5")),
    Picture("folded", (120, 40), "", "ssd&-debug", (ESC, "5", "z", "f", "v")),
    Picture("queues", (120, 40), "node=20/slot/[core=64;gpu=6]", "gpu", (ESC, "8", "down")),
    Picture(
        "form",
        (120, 40),
        "node=2/slot=4/[core=8;gpu]",
        "gpu",
        (ESC, "4", "end", *" --epochs=9", *["down"] * 6, *"90m"),
    ),
    Picture("why", (120, 40), "", "gpu&-debug&bigmem", (ESC, "6")),
    Picture(
        "compare",
        (120, 40),
        "node=4/slot/core=8",
        "ssd&-debug",
        (ESC, "2", "A", "end", *"&icelake|gpu", ESC),
    ),
    Picture("stage", (120, 40), "", "", ("f11", *["right"] * 5)),
    Picture("verdicts", (120, 40), "node=4/core=2-4", "", ("ctrl+l",)),
    Picture(
        *("inside", (120, 40), "slot=3/[core=12;gpu]", "gpu"),
        (ESC, "2", "f2", "f2", *["down", "right"] * 2, *["down"] * 3, "right", "up", "up"),
        cluster=INSIDE,
    ),
    Picture("narrow", (80, 24), "node=4/slot/[core=8;gpu]", GPU, (ESC, "2")),
    Picture("wide", (200, 50), "node=2/slot=4{task}/[core=2;gpu]", "gpu -debug", (), "clarity"),
    Picture(
        *("running", (120, 40), "node=8/slot/[core=8;gpu]", "genoa"),
        (ESC, "1", "1", "1", *["down"] * 8),
        cluster=RUNNING,
    ),
    Picture("light", (120, 40), "slot=4/node", "batch&-debug", (), "paper"),
)


async def take(picture: Picture) -> None:
    """Bring the app to the picture's state and write it."""
    cluster, _ = opening.open_cluster(picture.cluster, None)
    app = FluxTUI(workbench.start(cluster), picture.theme)
    async with app.run_test(size=picture.size) as pilot:
        app.shape_bar.entry.cursor_blink = app.ask_bar.entry.cursor_blink = False
        app.edit(workbench.TypeShape(picture.shape))
        await pilot.press("tab")
        app.edit(workbench.TypeRequires(picture.requires))
        for key in picture.keys:
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause()  # the rows of the form come a frame later
        await asyncio.sleep(SETTLED)
        app.save_screenshot(f"{picture.name}.svg", str(HERE))
    print(HERE / f"{picture.name}.svg")


def main() -> None:
    """Take every picture, or those that are named."""
    names = sys.argv[1:]
    for picture in PICTURES:
        if not names or picture.name in names:
            asyncio.run(take(picture))


if __name__ == "__main__":
    main()
