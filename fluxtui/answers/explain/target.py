"""Find nodes named by a person: by rank, by host, or by a set of either (RFC 22, RFC 29)."""

import re
from dataclasses import dataclass, replace

from fluxtui.answers.explain import names
from fluxtui.model.constraint.tree import Hostlist, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Parsed, Problem, Severity, Span, shortened
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import HostList

# Looks like an idset, well formed or not, if no host has that name.
_LIKE_IDS = re.compile(r"\[?[0-9][0-9,\s-]*\]?")


@dataclass(frozen=True, slots=True)
class Target:
    """Nodes that were named.

    mask    the nodes, as a mask of rank indices
    is_set  whether they were named as a set; otherwise by one rank, or one host that several nodes
            may share
    """

    mask: int
    is_set: bool


def find(text: str, resources: Resources) -> Parsed[Target]:
    """Return the nodes of a rank or an idset, or of a host or a hostlist.

    A number is a rank, unless only a host has that name; a prefix ``rank:`` or ``host:``, as in a
    query, decides. Unknown ranks or hosts are a warning if others exist, otherwise an error.
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
        if mask or kind or not resources.host_index.places(text):
            target = Target(mask, ids.value.count > 1)
            return Parsed(target, _missing(Ranks((text,), ids.value), resources, mask))
    listed = hostlist.parse(text, offset) if text else Parsed(HostList())
    hosts_named = Hostlist((text,), listed.value)
    mask = resources.mask_of_hosts(listed.value) if listed.ok else 0
    if mask and kind != "rank":
        target = Target(mask, listed.value.count > 1)
        return Parsed(target, _missing(hosts_named, resources, mask))
    place = Span(offset, offset + len(text))
    expected: tuple[str, ...] = ("a rank", "a host")
    if resources.node_count:
        host = resources.host(0)
        expected = (
            f"a rank such as {resources.rank(min(3, resources.node_count - 1))}",
            *((f"a host such as {host}",) if host else ()),
        )
    missing = _missing(hosts_named, resources, 0) if listed.ok else ()
    if resources.properties.get(text):
        message = f"'{shortened(text)}' is a property, neither a rank nor a host"
        problems: tuple[Problem, ...] = (Problem(message, place, None, expected),)
    elif kind == "rank" and mask:
        what = "a host" if listed.value.count == 1 else "a list of hosts"
        problems = (
            Problem(f"'{shortened(text)}' is {what}, not a rank; write host:{text}", place),
        )
    elif not ids.ok and text and (kind == "rank" or _LIKE_IDS.fullmatch(text)):
        problems = ids.problems
    elif not listed.ok:
        problems = listed.problems
    elif not listed.value:
        problems = (Problem("no node is named", None, None, ("a rank", "a host")),)
    elif missing and (kind or missing[0].expected or listed.value.count > 1):
        problems = missing[:1]
    else:
        message = f"'{shortened(text)}' is neither a rank nor a host of the cluster"
        problems = (Problem(message, place, None, expected),)
    return Parsed(Target(0, True), problems)


def _missing(named: Ranks | Hostlist, resources: Resources, mask: int) -> tuple[Problem, ...]:
    """Return problems for what the cluster does not have; mask has the nodes that exist."""
    severity: Severity = "warning" if mask else "error"
    problems = (one.problem for one in names.unknown(named, resources))
    return tuple(replace(one, path=None, severity=severity, rule="") for one in problems)
