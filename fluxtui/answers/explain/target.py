"""Nodes as a person names them: by rank, by host, or by a set of either (RFC 22, RFC 29)."""

import re
from dataclasses import dataclass, replace

from fluxtui.answers.explain import names
from fluxtui.model.constraint.tree import Hostlist, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Parsed, Problem, Severity, Span
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import HostList

# What can only be an idset, well formed or not, where no host has that name.
_LIKE_IDS = re.compile(r"\[?[0-9][0-9,\s-]*\]?")


@dataclass(frozen=True, slots=True)
class Target:
    """Nodes that were named.

    mask    the nodes, as a mask of rank indices
    is_set  they were named as a set; else by one rank or one host, which several nodes may share
    """

    mask: int
    is_set: bool


def find(text: str, resources: Resources) -> Parsed[Target]:
    """The nodes of a rank or an idset, or of a host or a hostlist.

    What is written as a rank is one, unless only a host has that name; ``rank:`` or ``host:``
    before it, as in a query, leaves no doubt. What the cluster does not have is a warning where it
    has some of the others, else an error.
    """
    offset = len(text) - len(text.lstrip())
    text = text.strip()
    kind, colon, rest = text.partition(":")
    if colon and kind in ("rank", "host"):
        text, offset = rest, offset + len(kind) + 1
    else:
        kind = ""
    ids = idset.parse(text, offset) if kind != "host" else Parsed(idset.EMPTY)
    if ids.ok and ids.value:
        mask = resources.mask_of_ranks(ids.value)
        if mask or kind or not resources.indices_of_host(text):
            found = Ranks((text,), ids.value)
            return _found(Target(mask, ids.value.count > 1), found, resources)
    listed = hostlist.parse(text, offset) if text else Parsed(HostList())
    mask = resources.mask_of_hosts(listed.value) if listed.ok else 0
    if mask and kind != "rank":
        target = Target(mask, listed.value.count > 1)
        return _found(target, Hostlist((text,), listed.value), resources)
    place = Span(offset, offset + len(text))
    return Parsed(Target(0, True), _refused(text, kind, place, ids, listed, resources))


def _refused(
    text: str,
    kind: str,
    place: Span,
    ids: Parsed[idset.IdSet],
    listed: Parsed[HostList],
    resources: Resources,
) -> tuple[Problem, ...]:
    """What is wrong with a text that names no node; kind is the operator before it."""
    if resources.properties.get(text):
        message = f"'{text}' is a property, neither a rank nor a host"
        return (Problem(message, place, None, _wanted(resources)),)
    if kind == "rank" and text:
        if not listed.ok or not resources.mask_of_hosts(listed.value):
            return ids.problems
        what = "a host" if listed.value.count == 1 else "a list of hosts"
        return (Problem(f"'{text}' is {what}, not a rank; write host:{text}", place),)
    if not ids.ok and _LIKE_IDS.fullmatch(text):
        return ids.problems
    if not listed.ok:
        return listed.problems
    if not listed.value:
        return (Problem("no node is named", None, None, ("a rank", "a host")),)
    for unknown in names.unknown(Hostlist((text,), listed.value), resources):
        if kind or unknown.near or listed.value.count > 1:
            return (_plain(unknown.problem, "error"),)
    message = f"'{text}' is neither a rank nor a host of the cluster"
    return (Problem(message, place, None, _wanted(resources)),)


def _wanted(resources: Resources) -> tuple[str, ...]:
    """How nodes of this cluster are named."""
    if not resources.node_count:
        return ("a rank", "a host")
    host = resources.host(0)
    rank = f"a rank such as {resources.rank(min(3, resources.node_count - 1))}"
    return (rank, f"a host such as {host}") if host else (rank,)


def _found(target: Target, named: Ranks | Hostlist, resources: Resources) -> Parsed[Target]:
    severity: Severity = "warning" if target.mask else "error"
    problems = (one.problem for one in names.unknown(named, resources))
    return Parsed(target, tuple(_plain(problem, severity) for problem in problems))


def _plain(problem: Problem, severity: Severity) -> Problem:
    """A problem of what was typed, not of a constraint."""
    return replace(problem, path=None, severity=severity, rule="")
