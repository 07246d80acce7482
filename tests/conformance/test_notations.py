"""What holds for recorded shapes beside their answers (RFC 46)."""

import json

from fluxtui.model.constraint import requires, tree
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import hostlist
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.conformance.cases import Row, by_id, cases
from tests.each import for_each
from tests.notation.sets.host_expressions import encode

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


# What holds for recorded constraints and queries beside their answers (RFC 31, RFC 35)


@for_each("row", cases("match"), by_id)
def test_reads_alike_as_text(row: Row) -> None:
    parsed = tree.read(row["constraint"])
    assert (parsed.value is not None) == parsed.ok
    if parsed.value is not None:
        assert tree.read(tree.to_json(parsed.value)).value == parsed.value
    if isinstance(row["constraint"], dict):
        asked = requires.read(json.dumps(row["constraint"]))
        assert asked.constraint == parsed.value
        assert asked.ok == parsed.ok
        assert all(problem.span is not None for problem in asked.problems)


@for_each("row", cases("query"), by_id)
def test_every_error_of_a_query_has_its_place(row: Row) -> None:
    for problem in parse_query(row["in"]).problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(row["in"])


@for_each("row", [row for row in cases("hostlist") if row["ok"] and "out" in row], by_id)
def test_names_are_written_and_read_again(row: Row) -> None:
    parsed = hostlist.parse(row["in"])
    if parsed.ok and list(parsed.value) == row["out"]:
        assert hostlist.parse(encode(row["out"])).value == parsed.value
