"""How long the headless verbs take, against a Python that does nothing."""

import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.measure import plain_environment, report, side_by_side

ROUNDS = 31


def _run(*command: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=plain_environment())
    return time.perf_counter() - start


def run() -> bool:
    """Measure and report; whether the limits are kept."""
    program = str(Path(sys.executable).with_name("fluxtui"))
    bare = "python -c pass"
    medians = side_by_side(
        {
            bare: lambda: _run(sys.executable, "-c", "pass"),
            "fluxtui --version": lambda: _run(program, "--version"),
            "fluxtui shape slot=4/node": lambda: _run(program, "shape", "slot=4/node"),
            "fluxtui query gpu&-debug": lambda: _run(program, "query", "gpu&-debug"),
            "fluxtui match -r demo gpu": lambda: _run(program, "match", "-r", "demo", "gpu"),
        },
        ROUNDS,
    )
    limits = {"fluxtui --version": 3.0, "fluxtui shape slot=4/node": 5.0}
    return report("Headless verbs, to the end of the process", medians, bare, limits)
