"""Random RFC 31 objects, and what RFC 31 says of each single node of them.

Nothing here uses the code under test: hosts and ranks are expanded letter by letter.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st


def objects(
    properties: st.SearchStrategy[str], hosts: st.SearchStrategy[str], ranks: st.SearchStrategy[str]
) -> st.SearchStrategy[dict[str, Any]]:
    """Constraints of every form, with these operands; empty lists are among them."""
    leaves: st.SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({}),
        st.builds(lambda v: {"properties": v}, st.lists(properties, max_size=3)),
        st.builds(lambda v: {"hostlist": v}, st.lists(hosts, max_size=2)),
        st.builds(lambda v: {"ranks": v}, st.lists(ranks, max_size=2)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda operator, values: {operator: values},
            st.sampled_from(["and", "or", "not"]),
            st.lists(inner, max_size=4),
        ),
        max_leaves=9,
    )


@dataclass(frozen=True)
class Machine:
    """One node, as plainly as can be."""

    rank: int
    host: str
    properties: frozenset[str]


@cache
def expanded_ids(text: str) -> set[int]:
    """The ids of an RFC 22 text."""
    found: set[int] = set()
    for part in text.strip("[]").split(","):
        if part:
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


@cache
def expanded_hosts(text: str) -> set[str]:
    """The names of an RFC 29 text with at most one pair of brackets in a name."""
    found: set[str] = set()
    inner, depth, parts = "", 0, []
    for letter in text + ",":
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            parts.append(inner)
            inner = ""
        else:
            inner += letter
    for part in filter(None, parts):
        head, bracket, rest = part.partition("[")
        if not bracket:
            found.add(part)
            continue
        body, _, tail = rest.partition("]")
        for piece in body.split(","):
            first, _, last = piece.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            found |= {f"{head}{number:0{len(first)}d}{tail}" for number in numbers}
    return found


def holds(obj: dict[str, Any], node: Machine) -> bool:
    """RFC 31: whether one node satisfies a constraint."""
    if not obj:
        return True
    ((operator, values),) = obj.items()
    if operator == "properties":
        return all(
            value[1:] not in node.properties if value[:1] == "^" else value in node.properties
            for value in values
        )
    if operator == "hostlist":
        return any(node.host in expanded_hosts(value) for value in values)
    if operator == "ranks":
        return any(node.rank in expanded_ids(value) for value in values)
    if not values:
        return operator != "not"
    found = (holds(value, node) for value in values)
    if operator == "or":
        return any(found)
    return all(found) if operator == "and" else not all(found)
