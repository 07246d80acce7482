"""A day of use in one process: does the workbench grow?

``python -m tests.campaign.hands.day [OPERATIONS [SEED]]`` does what people do, at random: types,
goes from pane to pane, opens dialogs and leaves them, resizes, undoes. At each mark the workbench
is led back to how it began, and a line says what there is then: memory in use, objects, widgets and
tasks; the last line says which types there are more of than at the second mark, before which panes
and dialogs are made for the first time.
"""

import asyncio
import gc
import os
import random
import sys
from collections import Counter

from tests.campaign.hands.program import folder_of
from tests.campaign.watch import held
from tests.ui.documents import cluster
from tests.ui.helpers import NORMAL, SHAPE, Hands, workbench_at

MARK = 1_000  # operations from line to line
TEXTS = ("node=4/slot/core=8", "slot=2/[core=8;gpu]", "slot=²", "gpu&-debug", "gpu&(", "rank:1-7")
KEYS = (
    *("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f11", "f12", "escape", "escape"),
    *("ctrl+p", "ctrl+o", "ctrl+l", "ctrl+g", "ctrl+y", "ctrl+d", "ctrl+z", "ctrl+r", "ctrl+f"),
    *("tab", "shift+tab", "up", "down", "left", "right", "pagedown", "pageup", "home", "end"),
    *("enter", "space", "plus", "minus", "backspace", "delete", *"aghjkmnoprvwx123456789?*/"),
)
FILES = ("R.json", "other.json", "job.yaml", "flux.toml", "none.json")
SIZES = ((80, 24), NORMAL, (200, 50), (40, 12))


async def operation(pilot: Hands, chance: random.Random) -> None:
    """One thing that a person does."""
    app = pilot.workbench
    what = chance.random()
    if what < 0.75:
        await pilot.burst(chance.choice(KEYS))
    elif what < 0.85:
        await pilot.paste(chance.choice(TEXTS))
    elif what < 0.87:
        await pilot.open(chance.choice(FILES))
    elif what < 0.97:
        await pilot.burst("escape", "escape")
        if len(app.screen_stack) == 1:
            await pilot.go(chance.choice(list(app.panes)))
    else:
        await pilot.resize_terminal(*chance.choice(SIZES))


async def begun_again(pilot: Hands) -> Counter[str]:
    """Lead the workbench back to its beginning; how many objects of each type there are."""
    await pilot.afresh(SHAPE, size=NORMAL)
    await pilot.done()
    for _ in range(3):
        gc.collect()
    return Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())


async def day(seed: int, operations: int) -> None:
    """Print a line at each mark."""
    chance, first = random.Random(seed), Counter[str]()
    async with workbench_at(NORMAL, on=cluster(64, {"gpu": "0-31", "debug": "8-9"})) as (
        app,
        pilot,
    ):
        for number in range(operations + 1):
            if number % MARK == 0:
                found = await begun_again(pilot)
                first = first if number > MARK else found
                counts = f"{len(app._registry)} widgets, {len(asyncio.all_tasks())} tasks"
                memory = f"{held() / (1 << 20):6.1f} MB, {found.total():,} objects"
                print(f"{number:6} operations: {memory}, {counts}", flush=True)
            await operation(pilot, chance)
            if not app.is_running or app._exit:
                raise SystemExit("it has ended")
        print("more of", dict((found - first).most_common(25)))


def main(operations: str = "20000", seed: str = "1") -> None:
    """Run a day in a folder and a home of its own."""
    with folder_of("day") as folder:
        os.chdir(folder)
        os.environ |= dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), str(folder))
        asyncio.run(day(int(seed), int(operations)))
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
