"""Run the campaign; see the package."""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from multiprocessing.pool import ThreadPool

from tests.campaign import cases, growth, hands, report, watch
from tests.campaign.kinds import KINDS
from tests.campaign.laws import Kind
from tests.campaign.watch import Tally

_UNITS = {"s": 1, "m": 60, "h": 3600}


def _seconds(text: str) -> float:
    unit = text[-1:] if text[-1:] in _UNITS else ""
    return float(text.removesuffix(unit)) * _UNITS.get(unit, 1)


def _chosen(names: Sequence[str]) -> tuple[list[Kind], list[str]]:
    """The kinds of input, and what is done to the real program."""
    every = [*KINDS, *hands.NAMES]
    unknown = [name for name in names if name not in every]
    if unknown:
        sys.exit(f"there is no kind {unknown[0]!r}; there are {', '.join(map(repr, every))}")
    chosen = names or every
    return [KINDS[name] for name in chosen if name in KINDS], [
        name for name in chosen if name in hands.NAMES
    ]


def _of_kind(kind: Kind, options: argparse.Namespace) -> Tally:
    """All of one kind: its inputs, how it grows, and its faults cut down."""
    for source in kind.sources:
        source.seeds, source.trees, source.tokens  # noqa: B018  # which is no part of the time
    seconds = options.time if options.time is not None else 1e9
    until = time.monotonic() + seconds
    count = options.count if options.count is not None else 10**12
    tally, shown = Tally(kind.name), time.monotonic()
    for tally in watch.run(kind, options.seed, count, until):
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            _say(f"{kind.name}: {tally.inputs:,} inputs, {len(tally.faults)} faults")
    if options.pumps:
        spent = seconds / 2 if options.time is not None else 1e9
        tally.growth, faults = growth.measured(
            kind, options.seed, options.pumps, time.monotonic() + spent
        )
        tally.faults += faults
    for fault in tally.faults:
        small = cases.cut_down(kind, fault)
        _say(f"{kind.name}: {fault.words}\n    {small.text[:300]!r}")
        if not fault.words.startswith("grows"):
            _say(f"    kept in {cases.keep(small)}")
    _say(f"{kind.name}: the slowest, {tally.slowest * 1000:.0f} ms: {tally.slowest_text[:100]!r}")
    return tally


def _say(words: str) -> None:
    print(words.encode("ascii", "backslashreplace").decode(), file=sys.stderr, flush=True)


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
        print("\n".join((*KINDS, *hands.NAMES)))
        return 0
    if options.count is None and options.time is None:
        options.count = 10_000
    rows: list[tuple[str, ...]] = []
    kinds, real = _chosen(options.kinds)

    def kept(row: tuple[str, ...]) -> None:
        rows.append(row)
        if options.markdown:
            report.write_results(rows[-1:], [*KINDS, *hands.NAMES])

    with ThreadPool(max(1, options.workers)) as pool:
        for tally in pool.imap(lambda kind: _of_kind(kind, options), kinds):
            kept(report.row(tally))
    for name in real:
        seed = int(options.seed) if options.seed.isdecimal() else 1
        kept(report.row(hands.run(name, seed, options.count, options.time)))
    print(report.table(rows))
    return int(any(cells[6] != "0" for cells in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
