"""Readings of a query that surprise, and what to write instead (RFC 35)."""

from typing import Any

import pytest

from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.query import advice
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint


def negated(text: str) -> Problem | None:
    """What is said of a query that is one negated term."""
    tree = parse_query(text).tree
    assert tree is not None
    assert tree.kind == "not"
    assert tree.operand.kind == "term"
    return advice.negated_list(text, tree.span, tree.operand)


def constraint(text: str) -> dict[str, Any]:
    tree = parse_query(text).tree
    assert tree is not None
    return to_constraint(tree)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "-gpu,debug",
            "write '-gpu -debug' for nodes with neither; '-gpu,debug' reads as 'not (gpu&debug)'",
        ),
        (
            "not gpu,debug",
            "write '-gpu -debug' for nodes with neither; "
            "'not gpu,debug' reads as 'not (gpu&debug)'",
        ),
        (
            "-properties:a,b,c",
            "write '-a -b -c' for nodes with none of them; "
            "'-properties:a,b,c' reads as 'not (a&b&c)'",
        ),
    ],
)
def test_a_negated_list_lets_nodes_with_one_of_them_pass(text: str, says: str) -> None:
    problem = negated(text)
    assert problem == Problem(says, Span(0, len(text)), None, (), "RFC 35", "warning")


@pytest.mark.parametrize("text", ["-gpu,debug", "not gpu,debug", "-'gpu,debug'"])
def test_what_to_write_asks_for_neither_and_what_it_reads_as_is_the_same(text: str) -> None:
    gpu, debug = {"properties": ["gpu"]}, {"properties": ["debug"]}
    assert constraint("-gpu -debug") == {"and": [{"not": [gpu]}, {"not": [debug]}]}
    assert constraint(text) == constraint("not (gpu&debug)")
    assert negated(text) is not None


@pytest.mark.parametrize(
    "text",
    ["-gpu", "-host:a,b", "-rank:1,2", "-a,", "-a,-b", "-a,!b", "-^a,b", "-'a b,c'", "-a,and"],
)
def test_all_else_that_is_negated_is_fine_or_said_otherwise(text: str) -> None:
    assert negated(text) is None


@pytest.mark.parametrize("text", ["-1,2", "-0-3,7", "-n1,n2", "-gpu,n1,n2", "-a,a"])
def test_what_may_be_hosts_or_ranks_and_one_name_twice_are_no_list_to_part(text: str) -> None:
    assert negated(text) is None
    assert parse_query(text).problems == ()


def test_a_name_that_stands_twice_is_written_once() -> None:
    problem = negated("-a,b,a")
    assert problem is not None
    assert problem.message.startswith("write '-a -b' for nodes with neither; '-a,b,a' reads as ")


@pytest.mark.parametrize(
    ("text", "places", "says"),
    [
        ("gpu , batch", [","], "leave this comma out, or the white space beside it; it stands"),
        ("gpu ,, batch", [",,"], "it stands alone and names empty properties, which no node can"),
        ("gpu, batch", [","], "leave this comma out, or the white space beside it; nothing stands "
         "after it, which names an empty property that no node has"),
        ("gpu ,batch", [","], "leave this comma out, or the white space beside it; nothing stands "
         "before it"),
        ("gpu,,batch", [","], "leave this comma out; nothing stands after it"),
    ],
)  # fmt: skip
def test_a_comma_too_many(text: str, places: list[str], says: str) -> None:
    problems = parse_query(text).problems
    assert [text[slice(*p.span)] for p in problems if p.span] == places
    assert all(says in p.message and p.severity == "warning" for p in problems)
