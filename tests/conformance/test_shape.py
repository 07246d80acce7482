"""What holds for recorded shapes beside their answers (RFC 46)."""

from fluxtui.notation.shape import shape
from tests.conformance.cases import Row, by_id, cases
from tests.each import for_each

ROWS = cases("shape")


@for_each("row", ROWS, by_id)
def test_written_again(row: Row) -> None:
    read = shape.parse(row["in"])
    if read.ok:
        again = shape.parse(shape.format(read))
        assert again.ok
        assert shape.to_resources(again, counts="string") == shape.to_resources(
            read, counts="string"
        )


@for_each("row", ROWS, by_id)
def test_every_character_is_coloured_and_every_problem_is_in_the_text(row: Row) -> None:
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
