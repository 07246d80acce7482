"""``python -m tests.conformance``: every corpus with its counts, and why cases differ.

``--differences`` prints the table of DIFFERENCES.md instead. Exit 1 where a case is unexplained,
2 where there are no recorded answers.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from tests.conformance.cases import Verdict, missing
from tests.conformance.corpora import CORPORA, verdicts
from tests.conformance.reasons import REASONS, Reason

FILE = Path(__file__).with_name("DIFFERENCES.md")

_HEAD = """\
# Where fluxtui differs from flux-core on purpose

Made from cases recorded with flux-core 0.88 by `python -m tests.conformance --differences`; a test
keeps it current. *Cases* counts those that differ; where an RFC can be read either way, the reading
is fluxtui's own and stands in the second table. All else agrees: see `python -m tests.conformance`.
"""

_OPEN = """
## Where the RFCs leave it open
"""

_COLUMNS = """
| input | example | flux-core | fluxtui | why | cases |
|---|---|---|---|---|---:|
"""


def main() -> int:
    """Print the counts, or the table."""
    if why := missing():
        print(why, file=sys.stderr)
        return 2
    found = {name: verdicts(name) for name in CORPORA}
    if sys.argv[1:] == ["--differences"]:
        print(table(found), end="")
        return 0
    heads = ("agreed", "differs", "ambiguous", "unexplained")
    print(f"{'corpus':<14}{'cases':>6}" + "".join(f"{head:>12}" for head in heads))
    for name, judged in found.items():
        counts = Counter(v.outcome for v in judged)
        numbers = "".join(f"{counts[head]:>12}" for head in heads)
        print(f"{name:<14}{len(judged):>6}{numbers}   {CORPORA[name][0]}")
    print("\nwhere it differs from flux-core on purpose; + counts ambiguous cases beside")
    every = [verdict for judged in found.values() for verdict in judged]
    scored = Counter((v.reason, v.outcome) for v in every)
    for key, reason in REASONS.items():
        differing, beside = scored[key, "differs"], scored[key, "ambiguous"]
        if differing or beside:
            more = f"+{beside}" if beside else ""
            print(f"{differing:>5}{more:<4} {reason.area}: {reason.what} ({reason.why})")
    lost = [v for v in every if v.outcome == "unexplained"]
    for v in lost:
        print(f"\nunexplained {v.id}: {v.given}\n  flux-core {v.theirs}\n  fluxtui {v.ours}")
    return 1 if lost else 0


def table(found: dict[str, list[Verdict]]) -> str:
    """DIFFERENCES.md: one row for each reason, with the shortest example of it."""
    every = [verdict for judged in found.values() for verdict in judged]
    settled, left = [], []
    for key, reason in REASONS.items():
        cases = [verdict for verdict in every if verdict.reason == key]
        if reason.beside and not cases:
            cases = [Verdict("", "differs", key, *reason.beside)]
        if cases:
            (left if reason.open else settled).append(_row(reason, cases))
    return _HEAD + _COLUMNS + "\n".join(settled) + "\n" + _OPEN + _COLUMNS + "\n".join(left) + "\n"


def _row(reason: Reason, verdicts: list[Verdict]) -> str:
    example = min(verdicts, key=lambda v: (v.outcome != "differs", len(v.given), v.id))
    cells = (
        f"{reason.area}: {reason.what}",
        _code(example.given),
        _said(example.theirs),
        _said(example.ours),
        reason.why,
        str(sum(bool(v.id) for v in verdicts)),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _said(answer: str) -> str:
    words = re.fullmatch(r"((C|Python): )?(refused|taken|nothing)(; .*)?", answer)
    return answer if words else _code(answer)


def _code(text: str) -> str:
    """A text as code in one line, shortened, with control characters as escapes."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    text = text if len(text) <= 90 else text[:87] + "..."
    if "`" in text:
        return f"`` {text} ``"
    return f"`{text}`" if text else "(empty)"


if __name__ == "__main__":
    sys.exit(main())
