"""Storms for the interface: seeded random events, which a person, a terminal or a mouse may send.

``python -m tests.ui.storm SEED COUNT [EVENTS]`` runs COUNT of them from SEED on, and prints the
seed and the last events of each that the program did not survive.
"""

import asyncio
import random
import sys
import traceback
from collections.abc import Iterator
from contextlib import chdir
from tempfile import TemporaryDirectory
from typing import Any

from textual import events
from textual.geometry import Size

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from tests.opened import demo
from tests.ui.documents import cluster
from tests.ui.helpers import running

SIZES = [(40, 12), (60, 16), (80, 24), (120, 40), (200, 50)]
ODD_SIZES = [(1, 1), (2, 2), (10, 5), (300, 100), *SIZES]
KEYS = (
    *("escape", "enter", "tab", "shift+tab", "up", "down", "left", "right", "home", "end"),
    *("pageup", "pagedown", "space", "backspace", "delete", "shift+down"),
    *(f"f{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12)),
    *(f"ctrl+{key}" for key in ("home", "end", "space", *"poslldgykzrew")),
)
LETTERS = "/+-zocglmsfndDaxw!*[]{}123&|node=4slot;gpu:@. \"'²"
PASTES = ("node=4/slot/core", "srun -N4 -n8 app", "{}", "gpu\nx", "flux run -n4 x")
SHAPES = ("", "node=4/slot/[core=8;gpu]", "slot=²", "node=999/slot/core")
CONSTRAINTS = ("", "gpu", "gpu&-debug", "gpu&(")
PATIENCE = 60  # seconds for what is done between two looks


async def run(seed: int, count: int, trail: list[list[events.Event]] | None = None) -> None:
    """Start a workbench and send it so many events; what goes wrong is raised.

    trail takes the events, in the bursts that they are sent in. What is saved meanwhile is gone
    with the folder that it is saved in.
    """
    with TemporaryDirectory() as folder, chdir(folder):
        await _storm(seed, count, trail)


async def _storm(seed: int, count: int, trail: list[list[events.Event]] | None) -> None:
    chance = random.Random(seed)
    on = cluster(100_000, {"gpu": "0-999"}) if chance.random() < 0.2 else demo()
    state = workbench.start(on, chance.choice(SHAPES), chance.choice(CONSTRAINTS))
    app = FluxTUI(state)
    sent = 0
    async with running(app, size=chance.choice(SIZES)) as pilot:
        while sent < count and app.is_running and not app._exit:
            burst = [
                event for _ in range(chance.choice((1, 1, 2, 3, 6))) for event in some(chance, app)
            ]
            sent += len(burst)
            if trail is not None:
                trail.append(burst)
            for event in burst:
                if isinstance(event, events.Resize):
                    app._driver._size = tuple(event.size)  # type: ignore[union-attr]
                app.post_message(event)
            if chance.random() < 0.6:
                await asyncio.wait_for(pilot.pause(), PATIENCE)
        await asyncio.wait_for(pilot.pause(), PATIENCE)


def some(chance: random.Random, app: FluxTUI) -> Iterator[events.Event]:
    """One thing that happens: a key, a letter, a click or two, the wheel, a paste, another size."""
    x, y = chance.randrange(max(app.size.width, 1)), chance.randrange(max(app.size.height, 1))
    what = chance.random()
    if what < 0.55:
        yield events.Key(chance.choice(KEYS), None)
    elif what < 0.75:
        letter = chance.choice(LETTERS)
        yield events.Key("space" if letter == " " else letter, letter)
    elif what < 0.88:
        for _ in range(chance.choice((1, 1, 2))):
            for kind in (events.MouseMove, events.MouseDown, events.MouseUp):
                yield mouse(kind, x, y, 1)
    elif what < 0.91:
        yield mouse(events.MouseScrollDown, x, y, 0)
    elif what < 0.94:
        yield events.Paste(chance.choice(PASTES))
    else:
        wide = (chance.randrange(1, 200), chance.randrange(1, 60))
        size = Size(*chance.choice([*ODD_SIZES, wide]))
        yield events.Resize(size, size)


def mouse(kind: Any, x: int, y: int, button: int) -> events.MouseEvent:
    """An event of the mouse at a place."""
    found: events.MouseEvent = kind(
        None, x, y, 0, 0, button, False, False, False, screen_x=x, screen_y=y
    )
    return found


def main(first: int, storms: int, count: int = 150) -> int:
    """Run storms; how many went wrong."""
    faults = 0
    for seed in range(first, first + storms):
        trail: list[list[events.Event]] = []
        try:
            asyncio.run(run(seed, count, trail))
        except Exception as error:
            faults += 1
            traceback.print_exception(error)
            print(f"seed {seed}, after {sum(map(len, trail))} events; the last: {trail[-3:]}")
    print(f"{storms} storms of {count} events, {faults} went wrong")
    return faults


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
