"""Property terms of a query with their masks, and queries made of them (RFC 35)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeGuard, TypeVar

from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Properties
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.tree import NOWHERE, And, Node, Not, Or, Term

#: Asked now and then whether the work is still wanted.
Cancelled = Callable[[], bool]

#: Items of a long row after which it is asked again.
WATCHED = 2_000

T = TypeVar("T")


class StoppedError(Exception):
    """The work is not wanted any more."""


def go_on(cancelled: Cancelled) -> None:
    """Nothing, or StoppedError once cancelled says so."""
    if cancelled():
        raise StoppedError


def watched(items: Iterable[T], cancelled: Cancelled) -> Iterator[T]:
    """The same items, StoppedError among them once cancelled says so."""
    for number, item in enumerate(items):
        if not number % WATCHED:
            go_on(cancelled)
        yield item


class Literal(NamedTuple):
    """A property, or the nodes without it.

    cost  the characters of its text
    mask  its nodes
    """

    cost: int
    mask: int
    node: Node


def literals(resources: Resources, cancelled: Cancelled) -> tuple[list[Literal], list[Literal]]:
    """The properties that tell nodes apart, and the same with their opposites.

    Of several that the same nodes have, the shortest. A name that no query can say is left out.
    """
    everything = resources.everything
    shortest: dict[int, Literal] = {}
    for name, mask in resources.properties.items():
        go_on(cancelled)
        if mask in (0, everything):
            continue
        term = _term(name)
        if term is None:
            continue
        found = Literal(len(format_query(term)), mask, term)
        if mask not in shortest or found.cost < shortest[mask].cost:
            shortest[mask] = found
    positive = list(shortest.values())
    for cost, mask, node in positive:
        go_on(cancelled)
        opposite = Literal(cost + 1, everything ^ mask, Not(node))
        held = shortest.get(opposite.mask)
        if held is None or opposite.cost < held.cost:
            shortest[opposite.mask] = opposite
    return positive, list(shortest.values())


def _term(name: str) -> Term | None:
    """The term of a property; None where it would be read as something else."""
    term = Term("properties" if ":" in name else None, (name,), value_spans=(NOWHERE,))
    try:
        text = format_query(term)
    except ValueError:
        return None
    meant = Properties((name,))
    if name.startswith("^") or requires.read(text).constraint != meant:
        return None
    return term


def is_plain(node: Node) -> TypeGuard[Term]:
    """A property without quotes and without an operator, which may stand in a list of several."""
    return node.kind == "term" and node.name is None and format_query(node) == node.values[0]


def both(nodes: Iterable[Node]) -> Node:
    """All of several; many that are negated go under one ``not``."""
    flat = [inner for node in nodes for inner in (node.operands if node.kind == "and" else (node,))]
    negated = [node for node in flat if node.kind == "not"]
    if len(negated) > len("not ()"):
        flat = [node for node in flat if node.kind != "not"]
        flat.append(Not(either(node.operand for node in negated)))
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def either(nodes: Iterable[Node]) -> Node:
    """Any of several; properties that are negated become one list, ``-a,b``."""
    flat = [inner for node in nodes for inner in (node.operands if node.kind == "or" else (node,))]
    lists = [node for node in flat if node.kind == "not" and _is_list(node.operand)]
    if len(lists) > 1:
        names = [value for node in lists for value in _values(node.operand)]
        flat = [node for node in flat if node not in lists]
        flat.append(not_all(dict.fromkeys(names)))
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def not_all(names: Iterable[str]) -> Not:
    """``-a,b``: the nodes that do not have all of these properties."""
    values = tuple(names)
    return Not(Term(None, values, value_spans=(NOWHERE,) * len(values)))


def _is_list(node: Node) -> bool:
    return node.kind == "term" and (len(node.values) > 1 or is_plain(node))


def _values(node: Node) -> tuple[str, ...]:
    return node.values if node.kind == "term" else ()


def evaluate(node: Node, properties: Mapping[str, int], everything: int) -> int:
    """The nodes that a query of properties alone matches."""
    if node.kind == "not":
        return everything ^ evaluate(node.operand, properties, everything)
    if node.kind == "term":
        mask = everything
        for name in node.values:
            mask &= properties[name]
        return mask
    masks = [evaluate(inner, properties, everything) for inner in node.operands]
    mask = masks[0]
    for other in masks[1:]:
        mask = mask & other if node.kind == "and" else mask | other
    return mask
