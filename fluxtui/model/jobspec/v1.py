"""What RFC 25 (version 1) allows of the ``resources`` of a jobspec, beyond what RFC 14 asks."""

from collections.abc import Iterable, Mapping
from typing import Any

from fluxtui.model.jobspec.resources import KEYS, PLAIN_KEYS, V1, Checker, count_words, is_whole
from fluxtui.model.jobspec.vertex_place import Place, path_of
from fluxtui.notation.problem import Problem, at


def check_v1(
    resources: object, path: str = "resources", only: Iterable[int] | None = None
) -> list[Problem]:
    """What RFC 25 holds against a resources list beyond RFC 14.

    only are the numbers of those vertices at the top that are looked at; all of them without it.
    """
    check = Checker(V1)
    if not isinstance(resources, list | tuple) or not resources:
        return check.problems
    if len(resources) != 1:
        message = f"V1 wants exactly one resource at the top, node or slot; found {len(resources)}"
        check.error(message, path, "node", "slot")
    for number in range(len(resources)) if only is None else only:
        vertex, place = resources[number], (None, number)
        kind = vertex.get("type") if isinstance(vertex, Mapping) else None
        if kind == "node":
            _v1_node(check, vertex, path, place)
        elif kind == "slot":
            _v1_slot(check, vertex, path, place)
        elif isinstance(kind, str):
            message = f"RFC 25 allows only node or slot at the top; found {kind}"
            check.error(message, path_of(path, place), "node", "slot")
    return check.problems


def _children(vertex: Mapping[str, Any], place: Place) -> list[tuple[Place, Any, Any]]:
    """Place, type and vertex of each child that is a dictionary with a type."""
    inner = vertex.get("with")
    return [
        ((place, number), child.get("type"), child)
        for number, child in enumerate(inner if isinstance(inner, list | tuple) else ())
        if isinstance(child, Mapping)
    ]


def _v1_node(check: Checker, vertex: Mapping[str, Any], path: str, place: Place) -> None:
    """node > slot, one of them; only a node may be exclusive."""
    _v1_keys(check, vertex, path, place, "node")
    children = _children(vertex, place)
    slots = [child for child in children if child[1] == "slot"]
    for here, kind, child in children:
        if kind == "slot":
            _v1_slot(check, child, path, here)
        elif isinstance(kind, str):
            message = f"RFC 25 allows only slot under node; found {kind}"
            check.error(message, path_of(path, here), "slot")
    if len(slots) > 1 or (not slots and not children):
        found = len(slots) or "none"
        message = f"a node holds exactly one slot in V1; found {found}"
        node = path_of(path, place)
        check.error(message, at(node, "with") if slots else node, "slot")


def _v1_slot(check: Checker, vertex: Mapping[str, Any], path: str, place: Place) -> None:
    """slot > core, or slot > (core, gpu)."""
    _v1_keys(check, vertex, path, place, "slot")
    found: dict[str, int] = {}
    for here, kind, child in _children(vertex, place):
        if not isinstance(kind, str):
            continue
        if kind not in ("core", "gpu"):
            message = f"RFC 25 allows only core and gpu in a slot; found {kind}"
            check.error(message, path_of(path, here), "core")
            continue
        found[kind] = found.get(kind, 0) + 1
        if found[kind] == 2:
            check.error(f"a slot names {kind} once in V1", path_of(path, here))
        _v1_keys(check, child, path, here, kind)
        if "with" in child:
            message = f"RFC 25 allows nothing under {kind}"
            check.error(message, at(path_of(path, here), "with"))
    if "core" not in found:
        check.error("a slot needs a core in V1", path_of(path, place), "core")


def _v1_keys(check: Checker, vertex: Mapping[str, Any], path: str, place: Place, kind: str) -> None:
    """The keys of a vertex in V1, and its count: one number."""
    count = vertex.get("count")
    if "count" in vertex and not is_whole(count):
        found = f"'{count}'" if isinstance(count, str) else count_words(count)
        where = at(path_of(path, place), "count")
        check.error(f"V1 counts are single integers; found {found}", where, "a number")
    if vertex.keys() <= PLAIN_KEYS:
        return
    here = path_of(path, place)
    for key in vertex:
        if key == "exclusive" and kind != "node":
            check.error(f"RFC 25 allows exclusive only on node; found on {kind}", at(here, key))
        elif key == "id" or key not in KEYS:
            check.error(f"RFC 25 allows no key '{key}' on a resource", here, *KEYS[:3], *KEYS[4:6])
