"""``python -m tests.benchmarks [NAME...]``: measure all, or what is named.

``size`` is the table in fluxtui/docs/contributing.md: ten thousand, a hundred thousand and a
million nodes side by side.
"""

import sys

from tests.benchmarks import engine, frames, processes

BENCHMARKS = {
    "startup": (processes.verbs, processes.paint),
    "notations": (engine.notations,),
    "fit": (engine.fits,),
    "page": (engine.page,),
    "size": (processes.opening, engine.matching, engine.sorting, frames.keys),
}


def main() -> int:
    """Run the benchmarks named on the command line, or all."""
    wanted = sys.argv[1:] or BENCHMARKS
    kept = [run() for name, runs in BENCHMARKS.items() if name in wanted for run in runs]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
