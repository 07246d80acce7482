"""Random clusters and constraints, and what RFC 31 says of each single node of them.

Nothing here uses the code under test to match: hosts and ranks are expanded letter by letter.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from fluxtui.answers.explain.explanation import Explanation, explain
from fluxtui.bridge import files
from fluxtui.model.constraint import requires
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from tests.constraints import Machine, holds, objects
from tests.each import the
from tests.model.clusters import document as r_document
from tests.model.clusters import lite

PROPERTIES = ("a", "b", "c", "x@gpu", "+q", "full")


@dataclass(frozen=True)
class Case:
    """A cluster, as the program knows it and node by node."""

    resources: Resources
    nodes: tuple[Machine, ...]


def document(nodes: list[Machine]) -> dict[str, Any]:
    """The R document of some nodes."""
    names = sorted({name for node in nodes for name in node.properties} | set(PROPERTIES))
    having = {name: [str(n.rank) for n in nodes if name in n.properties] for name in names}
    return r_document(
        *(lite(str(node.rank), "0-1") for node in nodes),
        nodelist=[node.host for node in nodes],
        properties={name: ",".join(ranks) for name, ranks in having.items()},
    )


@st.composite
def clusters(draw: st.DrawFn) -> Case:
    """Up to 14 nodes with gaps between their ranks and hosts that some of them share."""
    ranks = sorted(draw(st.sets(st.integers(0, 30), min_size=1, max_size=14)))
    host = st.sampled_from([f"n{i}" for i in range(8)] + ["m01", "m02", "m10"])
    some = st.frozensets(st.sampled_from(PROPERTIES[:-1]))
    nodes = [Machine(rank, draw(host), draw(some) | {"full"}) for rank in ranks]
    return Case(resources.read(document(nodes)), tuple(nodes))


def count(obj: dict[str, Any], case: Case) -> int:
    """How many nodes satisfy a constraint."""
    return sum(holds(obj, node) for node in case.nodes)


def at_path(obj: Any, path: str) -> dict[str, Any]:
    """The part of an RFC 31 object at a path; one of several properties as an object."""
    here = obj
    for step in path.replace("[", ".").replace("]", "").split(".") if path else []:
        here = here[int(step)] if step.isdigit() else here[step]
    return {"properties": [here]} if isinstance(here, str) else here


def parts_of(obj: dict[str, Any], path: str) -> tuple[str, list[tuple[dict[str, Any], str]]]:
    """The operator of an RFC 31 object and its operands, with their paths.

    Several properties are operands, and a single one is not; of an empty object there are none.
    """
    ((operator, values),) = obj.items() or [("and", [])]
    if operator == "properties" and len(values) > 1:
        values = [{"properties": [value]} for value in values]
    elif operator not in ("and", "or", "not"):
        values = []
    here = f"{path}.{operator}".removeprefix(".")
    return operator, [(value, f"{here}[{number}]") for number, value in enumerate(values)]


def without(obj: dict[str, Any], paths: set[str]) -> dict[str, Any] | None:
    """An RFC 31 object with parts left out; what loses all its parts goes with them."""
    return revised(obj, lambda old, path: None if path in paths else old)


def revised(
    obj: dict[str, Any], change: Callable[[Any, str], Any], path: str = ""
) -> dict[str, Any] | None:
    """An RFC 31 object whose parts are changed, given their paths; None takes one away."""
    new = change(obj, path)
    operator, parts = parts_of(obj, path)
    if new is not obj or not parts:
        return new
    found = (revised(part, change, here) for part, here in parts)
    kept = [one for one in found if one is not None]
    return {"and" if operator == "properties" else operator: kept} if kept else None


_names = st.sampled_from([*PROPERTIES, "^a", "^b", "^full", "zz", "^zz", "n1", "aa"])
_hosts = st.sampled_from(["n[0-3]", "n5,n7", "m0[1-4]", "n[0-7]", "zz", "n1", "m1", "m[20-21]"])
_ranks = st.sampled_from(["0", "3-9", "0-30", "12,14,20-25", "99", "40-50", "[1-2]"])
#: RFC 31 objects of every form.
constraints = objects(_names, _hosts, _ranks)

_terms = st.one_of(
    st.sampled_from(["a", "b", "c", "x@gpu", "full", "zz", "a,b", "^a,c", "'b'", "n1", "^zz"]),
    st.sampled_from(["host:n[0-3]", "hosts:n5,n7", "rank:3-9", "ranks:'0-30'", "host: zz"]),
    st.sampled_from(["rank:99", "properties:a,+q", "aa"]),
)
_signed = st.builds(str.__add__, st.sampled_from(["", "", "-"]), _terms)


@st.composite
def _joined(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    joins = st.sampled_from(["&", "|", " ", " and ", " or ", " & "])
    text = draw(inner)
    for part in draw(st.lists(inner, min_size=1, max_size=3)):
        text += draw(joins) + part
    return text


#: Queries with every way to join terms.
queries = st.recursive(
    _signed,
    lambda inner: st.one_of(
        _joined(inner),
        st.builds("({})".format, inner),
        st.builds("not ({})".format, inner),
        st.builds("not {}".format, inner),
    ),
    max_leaves=8,
)

#: What a person types: a query, or JSON in some layout.
texts = st.one_of(
    queries,
    constraints.map(json.dumps),
    constraints.map(lambda obj: " " + json.dumps(obj, indent=1)),
)


#: Hold for every node of a random cluster, or for nearly every one.
IDLE = (
    *("full", "-zz", "(a|-a)", "(zz|full)", "not zz", "(b&-zz|-b)", "rank:0-30", "not (a&-a)"),
    *("(rank:0-29|host:n[0-7])", "not not full", "(c|full,-zz)", "-rank:99"),
)
CULPRITS = ("zz", "a", "-b", "rank:3-9", "(zz|rank:99)", "not (full&-a)", "host:n[0-3]", "nosuch")


def long_query(rng: random.Random, parts: int) -> str:
    """A query of some parts and more, one to three of which keep nodes out."""
    found, left = [], parts
    while left > 0:
        found.append(rng.choice(IDLE))
        left -= 1 + 2 * ("(" in found[-1])
    for _ in range(rng.randint(1, 3)):
        found.insert(rng.randint(0, len(found)), rng.choice(CULPRITS))
    if rng.random() < 0.3:
        return "not (" + "|".join(f"not {one}" for one in found) + ")"
    return "&".join(found)


def without_one(obj: dict[str, object], case: Case) -> int:
    """How many nodes match at most without one operand of an ``and`` of several."""
    operands = obj["and"]
    assert isinstance(operands, list)
    terms = [
        {"properties": [value]} if "properties" in one else one
        for one in operands
        for value in one.get("properties", [None])
    ]
    fails = [[at for at, one in enumerate(terms) if not holds(one, node)] for node in case.nodes]
    only = [at[0] for at in fails if len(at) == 1]
    return sum(not at for at in fails) + max((only.count(at) for at in only), default=0)


def explained(text: str, found: Resources) -> Explanation:
    """A text that is known to be fine, explained."""
    reading = requires.read(text)
    assert reading.constraint is not None, reading.problems
    return the(explain(reading, found))


#: The cluster that ships inside.
DEMO = resources.read_text(files.demo().text)
