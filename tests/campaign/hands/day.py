"""A day of use in one process: does the workbench grow?

``python -m tests.campaign.hands.day --operations 20000`` does what people do, at random: types,
goes from pane to pane, opens dialogs and leaves them, resizes, undoes. At each mark the workbench
is led back to how it began, and a line says what there is then: memory in use, objects, widgets and
tasks; the last line says which types there are more of than at the second mark, before which panes
and dialogs are made for the first time.
"""

import argparse
import asyncio
import gc
import os
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.ui.documents import cluster, document, write_document
from tests.ui.helpers import NORMAL, SHAPE, Hands, workbench_at
from tests.workbench.written import JOB

TEXTS = ("node=4/slot/core=8", "slot=2/[core=8;gpu]", "slot=²", "gpu&-debug", "gpu&(", "rank:1-7")
KEYS = (
    *("f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f11", "f12", "escape", "escape"),
    *("ctrl+p", "ctrl+o", "ctrl+l", "ctrl+g", "ctrl+y", "ctrl+d", "ctrl+z", "ctrl+r", "ctrl+f"),
    *("tab", "shift+tab", "up", "down", "left", "right", "pagedown", "pageup", "home", "end"),
    *("enter", "space", "plus", "minus", "backspace", "delete", *"aghjkmnoprvwx123456789?*/"),
)
FILES = ("a.json", "b.json", "job.yaml", "flux.toml", "none.json")
SIZES = ((80, 24), NORMAL, (200, 50), (40, 12))


def megabytes() -> float:
    """The memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


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


async def day(seed: int, operations: int, marks: int) -> None:
    """Print a line at each mark."""
    chance = random.Random(seed)
    async with workbench_at(NORMAL, on=cluster(64, {"gpu": "0-31", "debug": "8-9"})) as (
        app,
        pilot,
    ):
        first: Counter[str] = Counter()
        for number in range(operations + 1):
            if number % marks == 0:
                found = await begun_again(pilot)
                first = first if number > marks else found
                counts = f"{len(app._registry)} widgets, {len(asyncio.all_tasks())} tasks"
                memory = f"{megabytes():6.1f} MB, {found.total():,} objects"
                print(f"{number:6} operations: {memory}, {counts}", flush=True)
            await operation(pilot, chance)
            if not app.is_running or app._exit:
                raise SystemExit("it has ended")
        print("more of", dict((found - first).most_common(25)))


def main(arguments: list[str]) -> None:
    """Run what the arguments ask for, in a folder and a home of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.hands.day", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operations", type=int, default=20_000)
    parser.add_argument("--marks", type=int, default=1_000, help="operations from line to line")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, name in enumerate(FILES[:2], 8):
            write_document(Path(name), document(number, {"gpu": "0-3"}))
        Path("job.yaml").write_text(JOB)
        Path("flux.toml").write_text("[queues.batch]\nrequires = ['gpu']\n")
        os.environ |= {"HOME": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        asyncio.run(day(options.seed, options.operations, options.marks))
        os.chdir("/")


if __name__ == "__main__":
    main(sys.argv[1:])
