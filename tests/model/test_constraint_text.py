"""A constraint written down again means the same, node by node."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.requires import bar_text, object_text, read_object
from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.problem import MAX_LENGTH
from tests.answers.explain.cases import Case, clusters, constraints, holds
from tests.each import for_each


@given(clusters(), constraints)
def test_the_text_of_the_bar_asks_for_the_same(case: Case, obj: dict[str, Any]) -> None:
    read = tree.read(obj).value
    assert bar_text(read, is_json=True).startswith("{")
    for is_json in (True, False):
        again = requires.read(bar_text(read, is_json=is_json))
        assert again.ok
        found = to_json(again.constraint) if again.constraint is not None else {}
        for node in case.nodes:
            assert holds(found, node) is holds(obj, node)


@for_each(
    "case",
    [
        ({"properties": ["gpu"]}, "gpu"),
        ({"and": [{"properties": ["a"]}, {"not": [{"properties": ["b"]}]}]}, "a&-b"),
        ({"or": [{"hostlist": ["n[1-3]"]}]}, "host:n[1-3]"),
        ({"and": []}, ""),
        ({"not": []}, '{"not": []}'),
    ],
)
def test_a_query_where_there_is_one(case: tuple[dict[str, Any], str]) -> None:
    obj, text = case
    assert bar_text(tree.read(obj).value, is_json=False) == text
    assert bar_text(None, is_json=False) == bar_text(None, is_json=True) == ""


def test_what_is_written_can_be_read() -> None:
    """Blanks do not make it longer than what is read."""
    parts = [{"properties": [f"p{at:06}"]} for at in range(2_400)]
    typed = json.dumps({"or": parts}, separators=(",", ":"))
    assert len(typed) < MAX_LENGTH < len(json.dumps({"or": parts}))
    read = requires.read(typed).constraint
    assert requires.read(bar_text(read, is_json=True)).constraint == read
    # Longer still: as a query, where that is shorter.
    read = tree.read({"or": parts * 2}).value
    text = bar_text(read, is_json=True)
    assert text == bar_text(read, is_json=False)
    assert requires.read(text).constraint == read


def test_a_query_is_not_an_object() -> None:
    for text in ("gpu", "  gpu&batch", "[]"):
        reading = read_object(text)
        assert not reading.ok
        assert reading.constraint is None
    assert read_object(" \n").blank
    assert not read_object('{"propertie": []}').ok


def test_operators_are_above_their_operands() -> None:
    read = tree.read(
        {"and": [{"properties": ["gpu", "batch"]}, {"not": [{"properties": ["debug"]}]}]}
    ).value
    assert read is not None
    assert object_text(read).splitlines() == [
        '{"and": [',
        '  {"properties": ["gpu", "batch"]},',
        '  {"not": [{"properties": ["debug"]}]}',
        "]}",
    ]
    assert object_text(read, 31).splitlines() == [
        '{"and": [',
        '  {"properties": [',
        '    "gpu", "batch"',
        "  ]},",
        '  {"not": [',
        '    {"properties": ["debug"]}',
        "  ]}",
        "]}",
    ]


@given(constraints, st.integers(0, 60))
def test_the_object_keeps_to_its_columns(obj: dict[str, Any], columns: int) -> None:
    read = tree.read(obj).value
    assert read is not None
    text = object_text(read, columns)
    assert json.loads(text) == to_json(read)
    assert read_object(text).constraint == read
    for line in text.splitlines():
        assert len(line) <= columns or line.count('", "') == 0
