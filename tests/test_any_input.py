"""No input of any kind raises anything, and what is written is read back."""

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import queues
from fluxtui.model.constraint import requires
from fluxtui.model.constraint import tree as constraint
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.notation import count, duration, json_text
from fluxtui.notation.problem import MAX_PROBLEMS, Problem, render
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Vertex, from_resources, to_resources
from tests.notation.shape.trees import bare, trees

# Every character there is: control characters, NUL and lone surrogates too.
CHARACTERS = st.characters(exclude_categories=[])
SIGNS = st.sampled_from(list("[]{}()/;:=,|&-+^*\"'\\ \t\n0129axnode.\x00\ud800"))
TEXTS = (
    st.text(CHARACTERS, max_size=40)
    | st.text(SIGNS, max_size=60)
    | st.builds(
        lambda unit, times, end: unit * times + end,
        st.text(SIGNS, min_size=1, max_size=5),
        st.sampled_from([50, 700]),
        st.text(SIGNS, max_size=3),
    )
)

STRINGS = st.text(CHARACTERS, max_size=6) | st.sampled_from(
    ["0-3", "n[0-3]", "1h", "slot", "core", "default", "+x", "n[", "3-0", "9" * 400]
)
KEYS = STRINGS | st.sampled_from(
    ["version", "execution", "R_lite", "rank", "children", "core", "gpu", "nodelist", "properties",
     "starttime", "expiration", "scheduling", "graph", "nodes", "edges", "metadata", "resources",
     "tasks", "attributes", "system", "duration", "constraints", "type", "count", "with", "label",
     "command", "slot", "per_slot", "per_resource", "total", "min", "max", "operator", "operand",
     "queues", "policy", "limits", "job-size", "requires", "hosts", "parent", "and", "or", "not",
     "hostlist", "ranks", "jobspec", "defaults", "access", "allow-user"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | STRINGS
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)

TEXT_READERS: dict[str, Callable[[str], Any]] = {
    "idset": idset.parse,
    "hostlist": hostlist.parse,
    "count": count.parse,
    "duration": duration.parse,
    "shape": parse_shape,
    "query": parse_query,
    "requires": requires.read,
    "json_text": json_text.parse,
    "R": resources.read_text,
}


def sound(problems: Sequence[Problem], text: str | None = None) -> None:
    """Every problem says what and by which rule, lies in the text, and can be printed."""
    assert len(problems) <= MAX_PROBLEMS + 1
    for problem in problems:
        assert problem.message
        assert problem.rule
        assert not problem.message.endswith(".")
        if text is not None and problem.span is not None:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)
        render(problem, text).encode()
        json.dumps(problem.to_json())


@pytest.mark.parametrize("kind", TEXT_READERS)
@given(text=TEXTS)
def test_any_text(kind: str, text: str) -> None:
    sound(TEXT_READERS[kind](text).problems, text)


@given(DOCUMENTS)
def test_any_document(document: Any) -> None:
    found = resources.read(document)
    sound(found.problems)
    found.prepare()
    assert found.totals(found.everything).nodes == found.node_count
    sound(constraint.read(document).problems)
    sound(queues.read_config(document).problems)
    sound(count.from_json(document).problems)
    verdict = jobspec.check(document)
    sound((*verdict.problems, *verdict.v1_problems)[:MAX_PROBLEMS])
    if isinstance(document, dict):
        verdict = jobspec.check({"version": 1, "tasks": [], "attributes": {}, **document})
        sound((*verdict.problems, *verdict.v1_problems)[:MAX_PROBLEMS])


@given(TEXTS)
def test_what_is_good_is_written_and_read_back(text: str) -> None:
    ids = idset.parse(text)
    if ids.ok:
        assert idset.parse(idset.format(ids.value)).value == ids.value
    hosts = hostlist.parse(text)
    if hosts.ok:
        assert hostlist.parse(format_hosts(hosts.value)).value == hosts.value
    number = count.parse(text)
    if number.ok and number.value is not None:
        assert count.parse(count.format(number.value)).value == number.value
    span = duration.parse(text)
    if span.ok and span.value is not None and not math.isinf(span.value):
        assert duration.parse(duration.format(span.value)).value == span.value


@given(trees(), st.sampled_from(["json", "yaml"]))
def test_a_jobspec_gives_its_shape_back(tree: tuple[Vertex, ...], form: Any) -> None:
    text = dump(jobspec.build(to_resources(tree)), form)
    document = json.loads(text) if form == "json" else yaml.safe_load(text)
    back = from_resources(document["resources"])
    assert back.ok
    assert bare(back.value) == bare(tree)
    assert format_shape(back.value) == format_shape(tree)
