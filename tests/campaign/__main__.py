"""Run the campaign; see the package."""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from multiprocessing.pool import ThreadPool
from pathlib import Path

from tests.campaign import cases, growth, watch
from tests.campaign.hands import moments, storms
from tests.campaign.programs import KINDS
from tests.campaign.watch import Fault, Tally

#: What is done to the real program, beside the kinds of input; inputs are keys, or ends.
HANDS = {"hands": storms.run, "moments": moments.run}
NAMES = (*KINDS, *HANDS)

RESULTS = Path(__file__).with_name("RESULTS.md")
HEAD = ("kind", "inputs", "minutes", "slowest", "largest", "growth", "faults", "date")
_WORDS = """\
# What the campaign found

Written by `.venv/bin/python -m tests.campaign --markdown`. For each kind of input, the columns are:
the number of inputs tried; the time they took in core-minutes (counted since 2026-11-28); the CPU
time of the slowest input in ms; the largest growth of the process in MB; the largest exponent
measured for time as a function of input size (`-` if all inputs were too fast to measure); the
number of open faults; and the date of the last run. Runs with different `--seed`s add up; the
counts of a kind with a fault start again at its next run.

"""

_UNITS = {"s": 1, "m": 60, "h": 3600}
_LONG = 1e9  # seconds, where there is no limit

Row = Sequence[str]


def _row(tally: Tally) -> Row:
    """What was done of a kind, in words."""
    return (
        tally.kind,
        f"{tally.inputs:,}",
        f"{tally.seconds / 60:.1f}",
        f"{tally.slowest * 1000:.0f}",
        f"{tally.largest / 1e6:.0f}",
        "-" if tally.growth is None else f"{tally.growth:.2f}",
        str(len(tally.faults)),
        datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _table(rows: Iterable[Row]) -> str:
    align = ("---",) + ("---:",) * (len(HEAD) - 1)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (HEAD, align, *rows))


def _number(cell: str) -> float:
    return -1.0 if cell == "-" else float(cell.replace(",", ""))


def _added(before: Row, after: Row) -> Row:
    """Two rows of a kind as one; only the later one where the earlier had a fault."""
    if before[6] != "0":
        return after
    inputs, minutes = (_number(before[at]) + _number(after[at]) for at in (1, 2))
    most = (max(pair, key=_number) for pair in zip(before[3:6], after[3:6], strict=True))
    return (after[0], f"{inputs:,.0f}", f"{minutes:.1f}", *most, *after[6:])


def _keep(row: Row) -> None:
    """Add a row to the file of results."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    found = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    known: dict[str, Row] = {cells[0]: cells for cells in found if len(cells) == len(HEAD)}
    known[row[0]] = _added(known[row[0]], row) if row[0] in known else row
    rows = [known[name] for name in NAMES if name in known]
    total = sum(_number(cells[1]) for cells in rows)
    text = f"{_WORDS}{len(rows)} kinds, {total:,.0f} inputs in all.\n\n{_table(rows)}"
    RESULTS.write_text(text, encoding="utf-8")


def _seconds(text: str) -> float:
    unit = text[-1:] if text[-1:] in _UNITS else ""
    return float(text.removesuffix(unit)) * _UNITS.get(unit, 1)


def _say(words: str) -> None:
    print(words.encode("ascii", "backslashreplace").decode(), file=sys.stderr, flush=True)


def _tallies(name: str, options: argparse.Namespace) -> Iterator[Tally]:
    """What was done of a kind so far, again and again; in the end with how it grows."""
    seconds = options.time if options.time is not None else _LONG
    count = options.count if options.count is not None else 10**12
    begun = time.monotonic()
    if name in HANDS:
        seed = int(options.seed) if options.seed.isdecimal() else 1
        for tally in HANDS[name](seed, count, begun + seconds):
            tally.seconds = time.monotonic() - begun
            yield tally
        return
    kind, tally = KINDS[name], Tally(name)
    for source in kind.sources:
        source.seeds, source.trees, source.tokens  # noqa: B018  # which is no part of the time
    for tally in watch.run(kind, options.seed, count, time.monotonic() + seconds):
        yield tally
    if options.pumps:
        until = time.monotonic() + (seconds / 2 if options.time is not None else _LONG)
        tally.growth, faults = growth.measured(kind, options.seed, options.pumps, until)
        tally.faults += faults
    yield tally


def _tried(name: str, options: argparse.Namespace) -> Tally:
    """All of one kind; its faults are cut down and kept as they come."""
    tally, known, shown = Tally(name), 0, time.monotonic()
    for tally in _tallies(name, options):
        for fault in tally.faults[known:]:
            _report(fault)
        known = len(tally.faults)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            _say(f"{name}: {tally.inputs:,} inputs, {known} faults")
    _say(f"{name}: the slowest, {tally.slowest * 1000:.0f} ms: {tally.slowest_text[:100]!r}")
    return tally


def _report(fault: Fault) -> None:
    small = cases.cut_down(KINDS[fault.kind], fault) if fault.kind in KINDS else fault
    _say(f"{fault.kind}: {fault.words}\n    {small.text[:300]!r}")
    if fault.kind != "moments" and not fault.words.startswith("grows"):
        _say(f"    kept in {cases.keep(small)}")


def main(arguments: Iterable[str]) -> int:
    """Run what is asked for; the number of faults, 1 at most."""
    parser = argparse.ArgumentParser("python -m tests.campaign", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="all of them without it")
    parser.add_argument("--count", type=int, help="inputs of each kind (10,000 without --time)")
    parser.add_argument("--time", type=_seconds, help="time for each kind, such as 90s, 10m, 1h")
    parser.add_argument("--seed", default="1", help="the same one makes the same inputs")
    parser.add_argument("--workers", type=int, default=1, help="kinds that are tried at once")
    parser.add_argument("--pumps", type=int, default=60, help="inputs of each kind that grow")
    parser.add_argument("--markdown", action="store_true", help="keep the table in RESULTS.md")
    parser.add_argument("--list", action="store_true", help="only the names of the kinds")
    options = parser.parse_args([*arguments])
    if options.list:
        print("\n".join(NAMES))
        return 0
    for name in options.kinds:
        if name not in NAMES:
            sys.exit(f"there is no kind {name!r}; there are {', '.join(map(repr, NAMES))}")
    if options.count is None and options.time is None:
        options.count = 10_000
    chosen, rows = options.kinds or NAMES, []

    def note(tally: Tally) -> None:
        rows.append(_row(tally))
        if options.markdown:
            _keep(rows[-1])

    with ThreadPool(max(1, options.workers)) as pool:
        kinds = [name for name in chosen if name in KINDS]
        for tally in pool.imap(lambda name: _tried(name, options), kinds):
            note(tally)
    for name in chosen:
        if name in HANDS:
            note(_tried(name, options))
    print(_table(rows), end="")
    return int(any(cells[6] != "0" for cells in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
