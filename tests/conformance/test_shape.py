"""Shape texts against the recorded answers (RFC 46)."""

from typing import Any

import pytest

from fluxtui.notation import shape
from tests.conformance.cases import cases

ROWS = [row for row in cases("shape") if not row.get("ambiguous")]


def _infinite(value: Any) -> bool:
    """Whether a dictionary of an open range stands anywhere, which nobody but Flux writes."""
    if isinstance(value, dict):
        return value.get("max") == "inf" or any(map(_infinite, value.values()))
    return isinstance(value, list) and any(map(_infinite, value))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_agrees(row: dict[str, Any]) -> None:
    answer = row.get("rfc", row)
    read = shape.parse(row["in"])
    assert read.ok == answer["ok"], read.problems
    if not answer["ok"]:
        return
    if "out" in answer:
        assert shape.to_resources(read, counts="string") == answer["out"]
    if "rfc" not in row and not _infinite(row["out_rangedict"]):
        assert shape.to_resources(read) == row["out_rangedict"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_written_again(row: dict[str, Any]) -> None:
    read = shape.parse(row["in"])
    if read.ok:
        again = shape.parse(shape.format(read))
        assert again.ok
        assert shape.to_resources(again, counts="string") == shape.to_resources(
            read, counts="string"
        )


@pytest.mark.parametrize("row", cases("shape"), ids=lambda row: row["id"])
def test_every_character_is_coloured_and_every_problem_is_in_the_text(row: dict[str, Any]) -> None:
    text = row["in"]
    read = shape.parse(text)
    covered: set[int] = set()
    for token in read.tokens:
        span = set(range(*token.span))
        assert not covered & span
        covered |= span
    assert {i for i, char in enumerate(text) if not char.isspace()} <= covered
    for problem in read.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
