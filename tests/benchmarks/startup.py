"""How long the headless verbs take, and the first paint of the workbench, side by side.

The verbs against a Python that does nothing; the paint in a pseudo-terminal against a bare app.
"""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.benchmarks.measure import plain_environment, report, side_by_side, timed

ROUNDS, PAINTS = 31, 15
PATIENCE = 20.0

#: A Textual app with the kinds of widgets the workbench has, and nothing behind them.
BARE = """
from textual.app import App
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Header, Input, Static, TabbedContent, TabPane, Tree

class Bare(App):
    BINDINGS = [("f1", "help", "Help"), ("f10", "quit", "Quit")]

    def compose(self):
        yield Header()
        yield Input(placeholder="shape")
        with Horizontal():
            with Vertical():
                tree = Tree("resources")
                tree.root.expand()
                tree.root.add_leaf("node")
                with Vertical():
                    yield tree
                    yield Static("room")
                yield Static("text")
            with Vertical(), TabbedContent():
                with TabPane("Map"):
                    yield DataTable()
                with TabPane("Table"):
                    yield Static("details")
                    yield Static("queues")
        yield Input(placeholder="requires")
        yield Static("painted by the bare app")
        yield Footer()

    def on_mount(self):
        table = self.query_one(DataTable)
        table.add_columns("rank", "host", "cores")
        for rank in range(30):
            table.add_row(str(rank), f"n{rank}", "48")

Bare().run()
"""


def _run(*command: str) -> float:
    environment = plain_environment()
    return timed(
        lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    )


def run() -> bool:
    """Measure the verbs and report; whether the limits are kept."""
    program = str(Path(sys.executable).with_name("fluxtui"))
    bare = "python -c pass"
    verbs = ("--version", "shape slot=4/node", "query gpu&-debug", "match -r demo gpu")
    medians = side_by_side(
        {
            bare: lambda: _run(sys.executable, "-c", "pass"),
            **{f"fluxtui {verb}": lambda v=verb: _run(program, *v.split()) for verb in verbs},  # type: ignore[misc]
        },
        ROUNDS,
    )
    limits = {"fluxtui --version": 3.0, "fluxtui shape slot=4/node": 5.0}
    return report("Headless verbs, to the end of the process", medians, bare, limits)


def _until(mark: bytes, *command: str) -> float:
    """Seconds from starting a command to its having written a mark to its terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {**plain_environment(), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    seen = b""
    try:
        while mark not in seen:
            ready, _, _ = select.select([master], [], [], PATIENCE)
            assert ready, f"{command} never painted {mark!r}"
            seen += os.read(master, 65536)
        return time.perf_counter() - start
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def run_paint() -> bool:
    """Measure the first paint and report; whether the limit is kept."""
    bare = "a bare app with such widgets"
    medians = side_by_side(
        {
            bare: lambda: _until(b"painted by the bare app", sys.executable, "-c", BARE),
            "fluxtui": lambda: _until("■■ ■■ ■■".encode(), sys.executable, "-m", "fluxtui"),
        },
        PAINTS,
    )
    return report("First paint at 120x40", medians, bare, {"fluxtui": 1.25})
