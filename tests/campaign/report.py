"""The table of the campaign: printed, and kept in RESULTS.md."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from tests.campaign.watch import Tally

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = ("kind", "inputs", "minutes", "slowest", "largest", "growth", "faults", "date")
_WORDS = """\
# What the campaign found

Made by `.venv/bin/python -m tests.campaign --markdown`. For each kind: how many inputs were tried,
in how many minutes of a core (counted since 2026-11-28), the processor time of the slowest in ms,
by how much the process grew at most in MB, the largest exponent of time against size that was
measured (`-` where everything that was tried took too little to tell), the faults that are open,
and when. Runs add up, each with another `--seed`; a kind with a fault begins anew.

"""


def row(tally: Tally) -> tuple[str, ...]:
    """What was done of a kind, in words."""
    growth = "-" if tally.growth is None else f"{tally.growth:.2f}"
    return (
        tally.kind,
        f"{tally.inputs:,}",
        f"{tally.seconds / 60:.1f}",
        f"{tally.slowest * 1000:.0f}",
        f"{tally.largest / 1e6:.0f}",
        growth,
        str(len(tally.faults)),
        datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows in columns, below the head."""
    every = [HEAD, *rows]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    lines = []
    for cells in every:
        first, *others = (
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append("  ".join((first, *others)).rstrip())
    return "\n".join(lines)


def write_results(rows: Iterable[tuple[str, ...]], order: list[str]) -> None:
    """Add rows to the file of results; those of a kind that had a fault begin anew."""
    known: dict[str, tuple[str, ...]] = {}
    if RESULTS.exists():
        for line in RESULTS.read_text(encoding="utf-8").splitlines():
            cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
            if line.startswith("|") and len(cells) == len(HEAD) and cells[0] in order:
                known[cells[0]] = cells
    for cells in rows:
        before = known.get(cells[0])
        if before is not None and before[6] == "0":
            inputs = f"{_inputs(before) + _inputs(cells):,}"
            minutes = f"{float(before[2]) + float(cells[2]):.1f}"
            most = (max(pair, key=_number) for pair in zip(before[3:6], cells[3:6], strict=True))
            known[cells[0]] = (cells[0], inputs, minutes, *most, *cells[6:])
        else:
            known[cells[0]] = cells
    listed = [known[name] for name in order if name in known]
    total = sum(map(_inputs, listed))
    lines = [
        f"| {' | '.join(cells)} |"
        for cells in (HEAD, ("---",) + ("---:",) * (len(HEAD) - 1), *listed)
    ]
    RESULTS.write_text(
        f"{_WORDS}{len(listed)} kinds, {total:,} inputs in all.\n\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )


def _number(cell: str) -> float:
    return -1.0 if cell == "-" else float(cell)


def _inputs(cells: tuple[str, ...]) -> int:
    return int(cells[1].replace(",", ""))
