"""Shapes and queries against Flux's own parsers, on texts made from the grammars and mutated.

Every difference has to be one that tests/conformance/DIFFERENCES.md lists.
"""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.conformance.reasons import READINGS, REASONS, REFUSALS, shape_reasons
from tests.each import for_each
from tests.reference import flux, texts

pytestmark = pytest.mark.skipif(
    bool(flux.missing()), reason=flux.missing() or "Flux's parsers are there"
)

#: Each text gives six inputs.
EXAMPLES = settings(suppress_health_check=list(HealthCheck))
SHAPES = texts.mutated(texts.shapes(), texts.SHAPE_SIGNS)
QUERIES = texts.mutated(texts.queries(), texts.QUERY_SIGNS)

# One text for each reason that is told by the text, as flux-core and the project read it apart.
READ_APART = {
    "slot-capitals": "SLOT=4/core",
    "slot-quotes": '"slot"/core',
    "label-x": "slot{x}/core",
    "array-greedy": "node{a:[1],b:[2]}",
    "constant-case": "node{a:True}",
    "escapes": 'node{a:"b\\nc"}',
    "space": "node{a:1 }",
    "array-single": 'node{a:["it\'s"]}',
    "number-dot": "node{a:2.}",
    "number-large": "node{a:1e999}",
}

# The same for each beginning of a message with which the project refuses what flux-core takes.
REFUSED = {
    "slot-labels": "[node/slot/core;slot{b}/gpu]",
    "slot-children": '"slot"=4',
    "slot-label-first": '"slot"{+x}/core',
    "label-twice": "[slot{a}/core;slot{a}/gpu]",
    "count-missing": "node=/core",
    "space": "node=2- 8",
    "count-range": "node=8-2",
    "count-growth": "node=2-8:1:*",
    "count-idset": "node=4,2",
    "key-twice": "node{a,a}",
    "key-kind": "node{unit:5}",
    "key-taken": "node{type:a}",
    "control": 'node{a:"b\tc"}',
    "special": "a,b",
    "array-words": "node{a:[NaN]}",
    "escapes": '"a\\p"',
    "number-large": "node{a:-1e999}",
}


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 and true are two things, the order of keys is none."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(text: str) -> set[str] | None:
    """Why a shape is read apart, the empty set where no one knows; None where it is not."""
    theirs = flux.shape(text)
    ours = parse_shape(text)
    if ours.ok == theirs.ok and (
        not ours.ok or same(to_resources(ours, counts="string"), theirs.value)
    ):
        return None
    return shape_reasons(text, ours, theirs.value)


@given(SHAPES)
@EXAMPLES
def test_shapes(several: list[str]) -> None:
    for text in several:
        found = difference(text)
        assert found is None or found, (text, flux.shape(text), parse_shape(text).problems)


@given(QUERIES)
@example(["host:'ab ':", "a:-b", "a|b c", "a|b -c", "not a -b"])
@EXAMPLES
def test_queries(several: list[str]) -> None:
    for text in several:
        theirs = flux.query(text)
        ours = parse_query(text)
        good = ours.ok and ours.tree is not None
        assert good == theirs.ok, (text, theirs, ours.problems)
        if ours.tree is not None and good:
            assert same(to_constraint(ours.tree), theirs.value), text


@for_each("name, text", [*READ_APART.items(), *REFUSED.items()])
def test_a_known_difference_is_one(name: str, text: str) -> None:
    assert name in (difference(text) or ())
    beside = REASONS[f"shape-{name}"].beside  # what the table says beside the recorded cases
    if beside is not None:
        asked, theirs, ours = beside
        assert asked == text
        assert flux.shape(text).ok == (theirs != "refused")
        assert parse_shape(text).ok == (ours != "refused")


def test_every_known_difference_has_an_example() -> None:
    assert set(READ_APART) == set(READINGS)
    assert set(REFUSED) >= {name for _, name in REFUSALS}
