"""Constraints (RFC 31): read from an object or from what a person types, and written again."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint import completion, requires, tree
from fluxtui.model.constraint.completion import MAX_RANGES, Names, are_many
from fluxtui.model.constraint.requires import bar_text, object_text, read_object
from fluxtui.model.constraint.tree import (
    to_json,
)
from fluxtui.notation.problem import MAX_LENGTH, Completion, Problem
from tests.answers.explain.cases import Case, clusters, constraints
from tests.constraints import holds
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.recorded import Agree, by_kind, rerun
from tests.test_messages import TABLE

# RFC 31 objects


@for_each("text, message", [row[:2] for row in TABLE["constraint object"]])
def test_what_is_wrong_is_no_constraint(text: str, message: str) -> None:
    parsed = tree.read(json.loads(text))
    assert parsed.ok == (parsed.value is not None) == message.startswith("warning")


def test_too_deep() -> None:
    obj: dict[str, Any] = {}
    for _ in range(100_000):
        obj = {"not": [obj]}
    message = "the constraint is nested deeper than 150 levels"
    assert tree.read(obj).problems[0].message == message
    while obj:  # Python itself would recurse where it frees the whole at once
        obj = obj["not"].pop()


# What a person types, what is written for it, and what may be typed next

RECORDED = Path(__file__).with_name("constraints.txt")
RESOURCES = cluster("0-11", "n[0-11]", **{"gpu": "0-3", "batch": "2-11", "o\\dd": "5"})
NAMES = Names.of(RESOURCES)


def offers(text: str, cursor: int | None = None) -> list[Completion]:
    return completion.completions(text, len(text) if cursor is None else cursor, NAMES)


def _read(text: str) -> Iterator[str]:
    asked = requires.read(text)
    yield json.dumps(to_json(asked.constraint)) if asked.constraint is not None else "nothing"
    for problem in asked.problems:
        expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
        piece = json.dumps(text[slice(*the(problem.span))])
        yield f"{problem.severity} {piece}: {problem.message}{expected}"


def _object(obj: Any) -> Iterator[str]:
    found = tree.read(obj)
    yield str(found.value).replace("values=", "")
    assert found.value is None or to_json(found.value) == obj
    yield from (
        f"{problem.severity} {problem.path}: {problem.message}" for problem in found.problems
    )


def _hint(text: str, path: str) -> Iterator[str]:
    (problem,) = requires.read(text).located([Problem("no node has it", path=path)])
    yield text[slice(*the(problem.span))]


def _alone(text: str) -> Iterator[str]:
    found = read_object(text)
    assert found.constraint is None
    yield "blank" if found.blank else f"{'' if found.ok else 'no '}object"


def _complete(text: str, cursor: int | None = None) -> Iterator[str]:
    for offer in offers(text, cursor):
        nodes = "" if offer.nodes is None else f" ({offer.nodes})"
        made = text[: offer.span.start] + offer.text + text[offer.span.end :]
        yield f"{made}: {offer.description}{nodes}"


KINDS: dict[str, Callable[..., Iterable[str]]] = {
    "read": _read,
    "object": _object,
    "hint": _hint,
    "bar": lambda obj: [bar_text(tree.read(obj).value, is_json=False)],
    "laid out": lambda obj, *columns: object_text(tree.read(obj).value, *columns).splitlines(),
    "alone": _alone,
    "complete": _complete,
}


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, by_kind(KINDS)))


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


@given(
    st.sampled_from(['{"properties": ["', '{"hostlist": ["', '{"ranks": ["']), st.text(max_size=4)
)
def test_words_are_whole_json_strings(start: str, typed: str) -> None:
    text = start + json.dumps(typed)[1:-1]
    for offer in offers(text):
        if offer.text.startswith('"'):
            assert isinstance(json.loads(offer.text), str)


def test_many_names_are_told_from_few() -> None:
    assert not are_many(RESOURCES)
    hosts = ",".join(f"n{i}x{i}" for i in range(MAX_RANGES + 1))
    assert are_many(cluster(f"0-{MAX_RANGES}", hosts))
