"""``python -m tests.benchmarks [NAME...]``: measure all, or what is named."""

import sys

from tests.benchmarks import frames, notations, room, size, startup, writing

BENCHMARKS = {
    "startup": startup.run,
    "notations": notations.run,
    "room": room.run,
    "paint": startup.run_paint,
    "keys": frames.run,
    "size": size.run,
    "writing": writing.run,
}


def main() -> int:
    """Run the benchmarks named on the command line, or all."""
    kept = [run() for name, run in BENCHMARKS.items() if name in (sys.argv[1:] or BENCHMARKS)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
