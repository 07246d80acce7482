"""What holds for recorded shapes beside their answers (RFC 46)."""

from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.conformance.cases import Row, by_id, cases
from tests.each import for_each

ROWS = cases("shape")


@for_each("row", ROWS, by_id)
def test_written_again(row: Row) -> None:
    read = parse_shape(row["in"])
    if read.ok:
        again = parse_shape(format_shape(read))
        assert again.ok
        assert to_resources(again, counts="string") == to_resources(read, counts="string")


@for_each("row", ROWS, by_id)
def test_every_character_is_coloured_and_every_problem_is_in_the_text(row: Row) -> None:
    text = row["in"]
    read = parse_shape(text)
    covered: set[int] = set()
    for token in read.tokens:
        span = set(range(*token.span))
        assert not covered & span
        covered |= span
    assert {i for i, char in enumerate(text) if not char.isspace()} <= covered
    for problem in read.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
