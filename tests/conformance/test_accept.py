"""What flux-core says of the recorded jobspecs that it refused, beside what is said here."""

import re
from typing import Any

from fluxtui.model.jobspec import jobspec, submit_check
from tests.conformance.cases import by_id, cases
from tests.conformance.reasons import REASONS
from tests.conformance.row_reasons import submit_reason
from tests.each import for_each

REFUSED = [row for row in cases("jobspec_v1") if not row["submit"]["ok"] and not submit_reason(row)]

_VERTEX = r"resources\[0\](\.with\[\d\])*"

#: flux-core's words -> the path of the cause; where the words name a key, it stands in its group.
CAUSES = (
    (r"^Missing key \((value)\)", r".*\.dependencies\[0\]\.value"),
    (r"Missing key \((\w+)\)", r"(tasks\[0\])?"),
    (r"Extraneous key \((\w+)\)", r"(attributes\.)?\w+"),
    (r"^version", "version"),
    (r"^(resources|tasks|attributes) must be", r"\1"),
    (r"(type|count) is a required key|slots must have (label)s", _VERTEX),
    (r"^(type|id|unit|label|exclusive) must be", rf"{_VERTEX}\.\1"),
    (r"'(int|NoneType)' object is not iterable", rf"{_VERTEX}\.with"),
    (r"^resource must be", _VERTEX),
    (r"^task must be", r"tasks\[0\]"),
    (r"^command|has no len", r"tasks\[0\]\.command(\[0\])?"),
    (r"^slot must be", r"tasks\[0\]\.slot"),
    (r"^count (per_slot|total) must", r"tasks\[0\]\.count\.\1"),
    (r"^count (must have|per_slot, |per_slot or|must be a mapping)", r"tasks\[0\]\.count"),
    (r"count|^(min|max|operator|operand) ", rf"{_VERTEX}\.count"),
    (r"system\.(duration) is a required", r"attributes\.system"),
    (r"^attributes\.(system\.\w+|system) must", r"attributes\.\1"),
    (r"^dependency (value)", r"attributes\.system\.dependencies\[0\]\.value"),
    (r"^constraints must", r"attributes\.system\.constraints"),
    (r"^invalid character in property", r"attributes\.system\.constraints\.properties\[0\]"),
    (r"^Invalid argument", r"attributes\.system\.queue"),
    (r"^Unrecoverable", r"attributes\.system\.dependencies(\[0\])?"),
    (r"^jobspec: invalid JSON", ""),
)


@for_each("row", REFUSED, by_id)
def test_the_first_cause_is_the_one_that_flux_core_names(row: dict[str, Any]) -> None:
    said = re.sub(r"^\[Errno \d+\] ", "", row["submit"]["error"])
    pattern, path = next(cause for cause in CAUSES if re.search(cause[0], said))
    words = re.search(pattern, said)
    assert words
    first = submit_check.check(row["jobspec"])[0]
    named = next((group for group in words.groups() if group), "")
    assert re.fullmatch(path.replace(r"\1", re.escape(named)), first.path or ""), first
    if said.startswith("Missing key"):
        assert named in first.expected or (first.path or "").endswith(named)
    if said.startswith("Extraneous key"):
        assert (first.path or "").endswith(named)


@for_each("row", REFUSED, by_id)
def test_problems_speak_plainly(row: dict[str, Any]) -> None:
    for problem in submit_check.check(row["jobspec"]):
        assert problem.message.isprintable()
        assert not problem.message.endswith((".", "!"))
        assert problem.rule == submit_check.RULE


@for_each("row", cases("idset"), by_id)
def test_reads_ranks_as_flux_core_reads_them(row: dict[str, Any]) -> None:
    assert submit_check.reads_ids(row["in"]) == row["ok"]


@for_each("row", cases("hostlist"), by_id)
def test_reads_hosts_as_flux_core_reads_them(row: dict[str, Any]) -> None:
    assert submit_check.reads_hosts(row["in"]) == row["ok"]


def test_an_id_in_words_is_looked_at_by_its_form_alone() -> None:
    scheme, value = (REASONS["submit-words"].beside or ("", "", ""))[0].split(": ")
    document = next(row["jobspec"] for row in cases("jobspec_v1") if row["submit"]["ok"])
    wanted = [{"scheme": scheme, "value": value}]
    assert not submit_check.check(jobspec.with_system(document, "dependencies", wanted))
