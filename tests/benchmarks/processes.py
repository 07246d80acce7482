"""What is measured in processes of its own: the verbs, the first paint, and opening a document."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests import big
from tests.benchmarks.measure import SIZES, report, side_by_side, timed, verdict
from tests.ui.terminal import Terminal

PATIENCE = 20.0  # seconds
MEGABYTES = 400

#: Without what would keep Python from caching bytecode, as nobody runs it.
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": ""}

#: A Textual app with the kinds of widgets the workbench has, and nothing behind them.
BARE = """
from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Header, Input, Static, TabbedContent, TabPane, Tree

class Bare(App):
    def compose(self):
        yield Header()
        yield Input(placeholder="shape")
        with Horizontal():
            with Vertical():
                yield Tree("resources")
                yield Static("text")
            with Vertical(), TabbedContent():
                with TabPane("Map"):
                    yield DataTable()
                with TabPane("Table"):
                    yield Static("details")
        yield Input(placeholder="requires")
        yield Static("painted by the bare app")
        yield Footer()

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("rank", "host", "cores")
        table.add_rows((str(rank), f"n{rank}", "48") for rank in range(30))

Bare().run()
"""

#: What a process does with the path of a document. It prints seconds and its peak of memory, where
#: getrusage would count that of the process which started it.
OPENINGS = {
    "json.loads": 'import json; json.loads(open(sys.argv[1], "rb").read())',
    "fluxtui": "assert open_cluster(sys.argv[1], None)[0].resources.ok",
}
PEAK = """
import sys, time
from fluxtui.opening import open_cluster
start = time.perf_counter()
{}
took = time.perf_counter() - start
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(took, int(peak.split()[1]) / 1024)
"""


def verbs() -> bool:
    """The headless verbs beside a Python that does nothing."""

    bare, program = "python -c pass", str(Path(sys.executable).with_name("fluxtui"))
    said = ("--version", "shape slot=4/node", "query gpu&-debug", "match -r demo gpu")
    commands = {bare: [sys.executable, "-c", "pass"]}
    commands |= {f"fluxtui {verb}": [program, *verb.split()] for verb in said}
    run = partial(
        subprocess.run, check=True, stdout=subprocess.DEVNULL, env=os.environ | ENVIRONMENT
    )
    candidates = {name: partial(timed, partial(run, one)) for name, one in commands.items()}
    limits = {"fluxtui --version": 3.0, "fluxtui shape slot=4/node": 5.0}
    medians = side_by_side(candidates, 31)
    return report("Headless verbs, to the end of the process", medians, bare, limits)


class _Unread(Terminal):
    """A terminal of which nobody works out what it shows."""

    def feed(self, data: bytes) -> None:
        self.output += data


def _until(mark: bytes, *program: str) -> float:
    """Seconds from starting Python with a program to its having written a mark to its terminal."""
    start = time.perf_counter()
    with _Unread(program=program, env=ENVIRONMENT) as terminal:
        while mark not in terminal.output:
            is_read = terminal.read(time.monotonic() + PATIENCE)
            assert is_read, f"{program} never painted {mark!r}"
        return time.perf_counter() - start


def paint() -> bool:
    """The first paint of the workbench in a terminal beside a bare app's."""
    bare = "a bare app with such widgets"
    medians = side_by_side(
        {
            bare: lambda: _until(b"painted by the bare app", "-c", BARE),
            "fluxtui": lambda: _until("■■ ■■ ■■".encode(), "-m", "fluxtui"),
        },
        15,
    )
    return report("First paint at 120x40", medians, bare, {"fluxtui": 1.25})


def _in_process(program: str, path: Path) -> tuple[float, ...]:
    command = [sys.executable, "-c", PEAK.format(program), str(path)]
    return tuple(map(float, subprocess.check_output(command).split()))


def opening() -> bool:
    """Opening a document until it can be looked at, beside reading it and `json.loads`."""
    print("\nOpening an R document: until it can be looked at, beside reading and json.loads")
    all_kept = True
    for form in ("grouped", "fragmented"):
        for size in SIZES:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "R.json"
                path.write_text(big.text(big.DOCUMENTS[form](size)), encoding="utf-8")
                runs = [[_in_process(one, path) for one in OPENINGS.values()] for _ in range(3)]
                length = path.stat().st_size
            plain, seconds, megabytes = (
                statistics.median(run[which][what] for run in runs)
                for which, what in ((0, 0), (1, 0), (1, 1))
            )
            # A document of next to no bytes is parsed in no time, to which nothing compares.
            kept = seconds <= max(2.0, length / 5e6) and megabytes < MEGABYTES
            all_kept &= kept
            print(
                f"  {form:<10} {size:>9,} nodes {length / 1e6:6.1f} MB  {seconds:6.3f} s"
                f"  {seconds / plain:7.1f} times  {megabytes:5.0f} MB  {verdict(kept)}"
            )
    return all_kept
