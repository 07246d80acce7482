"""Constraints (RFC 31): read from an object or from what a person types, and written again."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint import completion, requires, tree
from fluxtui.model.constraint.completion import MAX_RANGES, Names, are_many
from fluxtui.model.constraint.requires import bar_text, object_text, read_object
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
    to_json,
)
from fluxtui.notation.problem import MAX_LENGTH, Completion, Problem
from fluxtui.notation.sets import hostlist, idset
from tests.answers.explain.cases import Case, clusters, constraints
from tests.constraints import holds
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.test_messages import TABLE


def problems(obj: object, path: str = "") -> list[tuple[str | None, str]]:
    return [(p.path, p.message) for p in tree.read(obj, path).problems]


# RFC 31 objects


def test_reads_each_kind() -> None:
    obj = {
        "and": [
            {"properties": ["gpu", "^debug"]},
            {"or": [{"hostlist": ["n[1-3]", "m"]}, {"ranks": ["0-2", "2-4"]}]},
            {"not": [{}]},
        ]
    }
    hosts = Hostlist(("n[1-3]", "m"), hostlist.parse("n[1-3],m").value)
    ranks = Ranks(("0-2", "2-4"), idset.parse("0-4").value)
    parsed = tree.read(obj)
    assert parsed.problems == ()
    assert parsed.value == And(
        (Properties(("gpu", "^debug")), Or((hosts, ranks)), Not((Everything(),)))
    )
    for whole in (obj, *({operator: []} for operator in tree.OPERATORS)):
        found = the(tree.read(whole).value)
        assert to_json(found) == whole


@for_each("text, message", [row[:2] for row in TABLE["constraint object"]])
def test_what_is_wrong_is_no_constraint(text: str, message: str) -> None:
    parsed = tree.read(json.loads(text))
    assert parsed.ok == (parsed.value is not None) == message.startswith("warning")


@for_each("row", [
    ({"ranks": ["0,"]}, Ranks(("0,",), idset.parse("0").value)),
    ({"ranks": ["[,1,,2]"]}, Ranks(("[,1,,2]",), idset.parse("1-2").value)),
    ({"hostlist": ["a b[1-2] "]}, Hostlist(("a b[1-2] ",), hostlist.parse("a,b[1-2]").value)),
])  # fmt: skip
def test_what_flux_lets_pass_is_a_warning(row: tuple[object, Constraint]) -> None:
    parsed = tree.read(row[0])
    assert parsed.ok
    assert {p.severity for p in parsed.problems} == {"warning"}
    assert parsed.value == row[1]


def test_too_deep_and_too_many() -> None:
    obj: dict[str, Any] = {}
    for _ in range(100_000):
        obj = {"not": [obj]}
    assert problems(obj)[0][1] == "the constraint is nested deeper than 150 levels"
    texts = ["n[0-299]5", "n[0-299]7"]  # which together are too many
    assert all(tree.read({"hostlist": [text]}).ok for text in texts)
    assert "a hostlist takes 512 of them" in problems({"hostlist": texts})[0][1]


# What a person types


def places(text: str, severity: str) -> list[str]:
    """The characters under the problems of a text."""
    found = requires.read(text).problems
    return [text[slice(*p.span)] for p in found if p.span and p.severity == severity]


@for_each("text, wrong", [
    ("gpu&-hots:n1", ["hots:"]),
    ("rank:'0,3-1'", ["3-1"]),
    ("host:n[1-", ["["]),
    ("a 'b|c'", ["|"]),
    ("ssd|a,b!c", ["!"]),
    ("prop:x|", ["prop:", "|"]),
    ("foo!:x", ["!"]),
    ('{"and": [{"hosts": ["a"]}]}', ['"hosts"']),
    ('{"ranks": ["0", "1,3-1"]}', ["3-1"]),
    ('{"and": 5}', ['"and"']),
    ('{"and": [5]}', ["5"]),
    ('{"and": [', [""]),
])  # fmt: skip
def test_errors_stand_under_their_characters(text: str, wrong: list[str]) -> None:
    assert places(text, "error") == wrong
    assert requires.read(text).constraint is None


def test_problems_of_a_query_in_words_and_warnings() -> None:
    problem = requires.read("hots:n1").problems[0]
    assert problem.message == "unknown operator 'hots'; did you mean hosts?"
    assert (problem.expected, problem.path) == (("hosts",), None)
    assert requires.read("a|b rank:0,").constraint is not None
    assert places("a|b rank:0,", "warning") == ["a|b rank:0,", ","]


@for_each("text, path, place", [
    ("a|(gpu,ssd)", "or[1].properties[1]", "ssd"),
    ('{"properties": ["gpu", "ssd"]}', "properties[1]", '"ssd"'),
])  # fmt: skip
def test_hints_get_their_place(text: str, path: str, place: str) -> None:
    (problem,) = requires.read(text).located([Problem("no node has it", path=path)])
    assert text[slice(*the(problem.span))] == place


@given(st.text("{}[]\":,aou&|-'r k:0", max_size=14) | st.text(max_size=12))
def test_any_text_is_read(text: str) -> None:
    asked = requires.read(text)
    assert asked.blank or asked.ok == (asked.constraint is not None)
    for problem in asked.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)


# Written again


@given(clusters(), constraints, st.integers(0, 60))
def test_what_is_written_asks_for_the_same(case: Case, obj: dict[str, Any], columns: int) -> None:
    read = the(tree.read(obj).value)
    assert bar_text(read, is_json=True).startswith("{")
    for is_json in (True, False):
        again = requires.read(bar_text(read, is_json=is_json))
        assert again.ok
        found = to_json(again.constraint) if again.constraint is not None else {}
        assert all(holds(found, node) is holds(obj, node) for node in case.nodes)
    text = object_text(read, columns)
    assert json.loads(text) == to_json(read)
    assert read_object(text).constraint == read
    assert all(len(line) <= columns or '", "' not in line for line in text.splitlines())


@for_each("obj, text", [
    ({"properties": ["gpu"]}, "gpu"),
    ({"and": [{"properties": ["a"]}, {"not": [{"properties": ["b"]}]}]}, "a&-b"),
    ({"or": [{"hostlist": ["n[1-3]"]}]}, "host:n[1-3]"),
    ({"and": []}, ""),
    ({"not": []}, '{"not": []}'),
    (None, ""),
])  # fmt: skip
def test_a_query_where_there_is_one(obj: dict[str, Any] | None, text: str) -> None:
    assert bar_text(tree.read(obj).value, is_json=False) == text


def test_what_is_written_can_be_read() -> None:
    """Blanks do not make it longer than what is read; a query where that is shorter."""
    parts = [{"properties": [f"p{at:06}"]} for at in range(2_400)]
    typed = json.dumps({"or": parts}, separators=(",", ":"))
    assert len(typed) < MAX_LENGTH < len(json.dumps({"or": parts}))
    for several in (parts, parts * 2):
        read = tree.read({"or": several}).value
        text = bar_text(read, is_json=True)
        assert text.startswith("{") is (several is parts)
        assert requires.read(text).constraint == read


def test_an_object_is_laid_out_and_read_alone() -> None:
    obj = {"and": [{"properties": ["gpu", "batch"]}, {"not": [{"properties": ["debug"]}]}]}
    read = the(tree.read(obj).value)
    assert object_text(read).splitlines() == [
        '{"and": [',
        '  {"properties": ["gpu", "batch"]},',
        '  {"not": [{"properties": ["debug"]}]}',
        "]}",
    ]
    assert object_text(read, 31).splitlines()[1:5] == [
        '  {"properties": [',
        '    "gpu",',
        '    "batch"',
        "  ]},",
    ]
    for text in ("gpu", "  gpu&batch", "[]", '{"propertie": []}'):
        reading = read_object(text)
        assert (reading.ok, reading.constraint) == (False, None)
    assert read_object(" \n").blank


# What may be typed next in a constraint: a query, or JSON as RFC 31 wants it


RESOURCES = cluster("0-11", "n[0-11]", **{"gpu": "0-3", "batch": "2-11", "o\\dd": "5"})
NAMES = Names.of(RESOURCES)
KEYS = [
    '{"properties": ["', '{"hostlist": ["', '{"ranks": ["', '{"and": [{"', '{"or": [{"',
    '{"not": [{"',
]  # fmt: skip


def found(text: str, cursor: int | None = None) -> list[Completion]:
    return completion.completions(text, len(text) if cursor is None else cursor, NAMES)


def made(text: str, cursor: int | None = None) -> list[str]:
    """The texts that the offers make."""
    return [text[: o.span.start] + o.text + text[o.span.end :] for o in found(text, cursor)]


@for_each("text, texts", [
    ("{", [*KEYS, "{}"]),
    ('{"properties"', ['{"properties": [']),
    ('{"properties":', ['{"properties":[']),
    ('{"properties": [g', ['{"properties": ["gpu"']),
    ('{"properties": ["gpu"', ['{"properties": ["gpu",', '{"properties": ["gpu"]']),
    ('{"properties": ["gpu"]', ['{"properties": ["gpu"]}']),
    ('{"properties": ["gpu"]}', []),
    ('{"properties": ["gpu"], ', []),
    ('{"and": [', ['{"and": [{']),
    ('{"and": [{"ranks": ["0"]}, {"h', ['{"and": [{"ranks": ["0"]}, {"hostlist": ["']),
    ('{"ranks": ["2-', ['{"ranks": ["2-11"']),
    ('{"hostlist": ["n1', [f'{{"hostlist": ["{n}"' for n in ("n[1,10-11]", "n10", "n11")]),
    ('{"hostlist": ["n[0-1],n11', []),
])  # fmt: skip
def test_json(text: str, texts: list[str]) -> None:
    assert made(text) == texts


def test_counts_and_descriptions() -> None:
    (gpu,) = found('{"properties": ["g')
    assert (gpu.nodes, gpu.description) == (4, "4 nodes")
    (absent,) = found('{"properties": ["^g')
    assert absent.nodes == 8
    assert found('{"hostlist": ["n1')[0].nodes == 3
    assert found('{"ranks": ["1')[0].description == "n10"
    assert all(offer.description for offer in found("{"))


def test_a_quote_that_is_there_is_not_doubled() -> None:
    text = '{"properties": ["g"]}'
    assert made(text, 18) == ['{"properties": ["gpu"]}']


def test_a_query_is_completed_as_one() -> None:
    assert made(" g") == [" gpu"]
    assert found("g")[0].nodes == 4
    assert made("host:n1")[0] == "host:n[1,10-11]"
    assert found("x" * 70_000) == []


@given(st.text('{}[]":,a\\ ^gn1-', max_size=14), st.integers(0, 14))
def test_it_never_fails_and_replaces_what_is_typed(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for start in ('{"and": [{"properties": ["', "{"):
        whole, place = start + text, len(start) + cursor
        for offer in found(whole, place):
            assert 0 <= offer.span.start <= offer.span.end == place
            assert offer.description


@given(
    st.sampled_from(['{"properties": ["', '{"hostlist": ["', '{"ranks": ["']), st.text(max_size=4)
)
def test_words_are_whole_json_strings(start: str, typed: str) -> None:
    text = start + json.dumps(typed)[1:-1]
    for offer in found(text):
        if offer.text.startswith('"'):
            assert isinstance(json.loads(offer.text), str)


def test_many_names_are_told_from_few() -> None:
    assert not are_many(RESOURCES)
    hosts = ",".join(f"n{i}x{i}" for i in range(MAX_RANGES + 1))
    assert are_many(cluster(f"0-{MAX_RANGES}", hosts))
