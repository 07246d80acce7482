"""The table of DIFFERENCES.md, made from the recorded cases."""

import re
from pathlib import Path

from tests.conformance.reasons import REASONS, Reason
from tests.conformance.verdict import Verdict

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


def table(found: dict[str, list[Verdict]]) -> str:
    """The whole file: one row for each reason, with the shortest example of it."""
    by_reason: dict[str, list[Verdict]] = {}
    for judged in found.values():
        for verdict in judged:
            if verdict.reason:
                by_reason.setdefault(verdict.reason, []).append(verdict)
    settled, left = [], []
    for key, reason in REASONS.items():
        cases = by_reason.get(key, [])
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
    return (
        answer
        if re.fullmatch(r"((C|Python): )?(refused|taken|nothing)(; .*)?", answer)
        else _code(answer)
    )


def _code(text: str) -> str:
    """A text as code in one line, shortened, with control characters as escapes."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    text = text if len(text) <= 90 else text[:87] + "..."
    mark = "``" if "`" in text else "`"
    return f"{mark} {text} {mark}" if "`" in text else f"{mark}{text}{mark}" if text else "(empty)"
