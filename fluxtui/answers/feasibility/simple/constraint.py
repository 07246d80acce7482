"""Constraints as sched-simple reads them, which is not quite as RFC 31 has it.

An empty ``or`` matches no node, ``not`` looks at its first value alone and refuses an empty list,
the values of ``ranks`` are joined to one idset, and of several operators in an object one counts.
What it refuses it refuses only where it comes to a node that it has to look at.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fluxtui.answers.feasibility.simple.request import joined_ids
from fluxtui.model.constraint import tree
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less

_NO_HOSTS = "Hostlist(): expected string or Iterable, got <class '{}'>"

# The operators in the order in which they are looked for.
_ORDER = ("properties", "hostlist", "ranks", "and", "or", "not")


class TooDeepError(Exception):
    """The constraint is nested deeper than is read here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The nodes that satisfy a constraint, or the words in which it is refused.

    refused tells the two apart: the words can be empty, where they would be those of Python about
    a value of the wrong type.
    """

    mask: int
    refused: bool = False
    words: str = ""


def read(value: object, resources: Resources) -> Reading:
    """The nodes that satisfy the value of ``attributes.system.constraints``.

    Raises TooDeepError beyond ``constraint.MAX_DEPTH`` levels.
    """
    if not value:
        return Reading(resources.everything)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except RecursionError as error:
            raise TooDeepError from error
        except ValueError as error:
            return Reading(0, refused=True, words=str(error))
    judge = _Judge(resources)
    true, failed = judge.judge(value, resources.everything, 1)
    if not failed:
        return Reading(true)
    # The nodes are asked in rank order, and the first that fails decides.
    _, words = min(judge.failures, key=lambda failure: failure[0] & -failure[0])
    return Reading(0, refused=True, words=words)


def _no_list(values: object) -> str:
    """What sched-simple says of a ``not`` without a list; empty where that is too long to say."""
    try:
        return f"'not' operand must be a non-empty list, got {values!r}"
    except (RecursionError, ValueError):
        return ""


class _Judge:
    """Finds for sets of nodes who satisfies an object, and who fails on it.

    Every method takes the nodes that come to the object at all, as a mask, and returns those that
    satisfy it and those on which it is refused; the former never fail.
    """

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.failures: list[tuple[int, str]] = []

    def fail(self, nodes: int, words: str) -> tuple[int, int]:
        self.failures.append((nodes, words))
        return 0, nodes

    def judge(self, value: object, nodes: int, depth: int) -> tuple[int, int]:
        """One object."""
        if not nodes:
            return 0, 0
        if depth > tree.MAX_DEPTH:
            raise TooDeepError
        if not isinstance(value, Mapping):
            return self.fail(nodes, "")
        name = next((name for name in _ORDER if name in value), None)
        if name is None:
            return self.fail(nodes, f"unknown constraint operator(s): {list(value)}")
        values = value[name]
        if name in ("and", "or", "not"):
            return self.join(name, values, nodes, depth)
        if name == "properties":
            return self.properties(values, nodes)
        try:
            return nodes & self.named(name, values), 0
        except ValueError as error:
            return self.fail(nodes, str(error))

    def join(self, name: str, values: object, nodes: int, depth: int) -> tuple[int, int]:
        """``and``, ``or`` and ``not``, each of which goes no further than it must."""
        if name == "not":
            if not isinstance(values, list) or not values:
                return self.fail(nodes, _no_list(values))
            true, failed = self.judge(values[0], nodes, depth + 1)
            return less(nodes, true | failed), failed
        if not isinstance(values, list):
            kind = type(values).__name__
            return self.fail(nodes, f"'{name}' operand must be a list, got {kind}")
        found, failed, left = 0, 0, nodes
        true, lost = (0, 0) if name == "or" else (nodes, 0)
        for value in values:
            left = less(left, true | lost) if name == "or" else true
            true, lost = self.judge(value, left, depth + 1)
            found, failed = found | true, failed | lost
        return (found if name == "or" else true), failed

    def properties(self, values: object, nodes: int) -> tuple[int, int]:
        """Nodes with all of these, and without those after a ``^``."""
        known = self.resources.properties
        items = _items(values)
        if items is None:
            return self.fail(nodes, f"'{type(values).__name__}' object is not iterable")
        for value in items:
            if not nodes:
                break
            if not isinstance(value, str):
                kind = type(value).__name__
                return self.fail(nodes, f"property constraint must be a string, got {kind}")
            if value.startswith("^"):
                nodes &= ~known.get(value[1:], 0)
            else:
                nodes &= known.get(value, 0)
        return nodes, 0

    def named(self, name: str, values: object) -> int:
        """The nodes of a ``hostlist`` or of ``ranks``, each one text or a list of texts."""
        if name == "ranks":
            return self.resources.mask_of_ranks(joined_ids(_ranks(values)))
        texts = [values] if isinstance(values, str) else _items(values)
        if texts is None:
            raise ValueError(_NO_HOSTS.format(type(values).__name__))
        for text in texts:
            if not isinstance(text, str):
                raise ValueError(_NO_HOSTS.format(type(text).__name__))
            if not tree.read({"hostlist": [text]}).ok:
                raise ValueError(f"Invalid hostlist: '{text}'")
        parsed = tree.read({"hostlist": texts}).value
        assert isinstance(parsed, tree.Hostlist)
        return self.resources.mask_of_hosts(parsed.hosts)


def _items(values: object) -> list[object] | None:
    """What a loop over a JSON value meets: values, keys or characters; None where it has none."""
    return list(values) if isinstance(values, list | tuple | Mapping | str) else None


def _ranks(values: object) -> str:
    """The idset that Flux makes of the values: sorted as they are, and joined by commas.

    Raises ValueError, without words where they would be those of Python.
    """
    if isinstance(values, int | str):
        return str(values)
    items = _items(values)
    if items is None or len({isinstance(item, str) for item in items}) > 1:
        raise ValueError
    try:
        return ",".join(str(item) for item in sorted(items))  # type: ignore[type-var]
    except TypeError:
        raise ValueError from None
