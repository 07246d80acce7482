"""``python -m tests.conformance``: every corpus with its counts, and why cases differ.

``--differences`` prints the table of DIFFERENCES.md instead. Exit 1 where a case is unexplained,
2 where there are no recorded answers.
"""

import sys
from collections import Counter

from tests.conformance.cases import missing
from tests.conformance.corpora import CORPORA, verdicts
from tests.conformance.differences import table
from tests.conformance.reasons import REASONS
from tests.conformance.verdict import Verdict


def main() -> int:
    """Print the counts, or the table."""
    if why := missing():
        print(why, file=sys.stderr)
        return 2
    found = {name: verdicts(name) for name in CORPORA}
    if sys.argv[1:] == ["--differences"]:
        print(table(found), end="")
        return 0
    _counts(found)
    _reasons(found)
    lost = [v for judged in found.values() for v in judged if v.outcome == "unexplained"]
    for v in lost:
        print(f"\nunexplained {v.id}: {v.given}\n  flux-core {v.theirs}\n  fluxtui {v.ours}")
    return 1 if lost else 0


def _counts(found: dict[str, list[Verdict]]) -> None:
    heads = ("agreed", "differs", "ambiguous", "unexplained")
    print(f"{'corpus':<14}{'cases':>6}" + "".join(f"{head:>12}" for head in heads))
    for name, judged in found.items():
        counts = Counter(v.outcome for v in judged)
        numbers = "".join(f"{counts[head]:>12}" for head in heads)
        print(f"{name:<14}{len(judged):>6}{numbers}   {CORPORA[name][0]}")


def _reasons(found: dict[str, list[Verdict]]) -> None:
    print("\nwhere it differs from flux-core on purpose; + counts ambiguous cases beside")
    scored = Counter(
        v.reason for judged in found.values() for v in judged if v.outcome == "differs"
    )
    beside = Counter(
        v.reason
        for judged in found.values()
        for v in judged
        if v.outcome == "ambiguous" and v.reason
    )
    for key, reason in REASONS.items():
        if key in scored or key in beside:
            more = f"+{beside[key]}" if beside[key] else ""
            print(f"{scored[key]:>5}{more:<4} {reason.area}: {reason.what} ({reason.why})")


if __name__ == "__main__":
    sys.exit(main())
