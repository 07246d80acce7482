"""Nodes as a person names them: by rank, by host, or by a set of either (RFC 22, RFC 29)."""

from typing import NamedTuple

from fluxtui.answers.explain import names
from fluxtui.model.constraint import Hostlist, Ranks
from fluxtui.model.resource_set import Resources
from fluxtui.notation import hostlist, idset
from fluxtui.notation.hosts import HostList
from fluxtui.notation.source import Parsed, Problem, Severity


class Target(NamedTuple):
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
    listed = hostlist.parse(text, offset) if kind != "rank" else Parsed(HostList(), ids.problems)
    if not listed.ok:
        return Parsed(Target(0, True), listed.problems)
    if not listed.value:
        problem = Problem("no node is named", None, None, ("a rank", "a host"))
        return Parsed(Target(0, True), (problem,))
    mask = resources.mask_of_hosts(listed.value)
    target = Target(mask, listed.value.count > 1)
    return _found(target, Hostlist((text,), listed.value), resources)


def _found(target: Target, named: Ranks | Hostlist, resources: Resources) -> Parsed[Target]:
    problems = [one.problem for one in names.unknown(named, resources)]
    severity: Severity = "warning" if target.mask else "error"
    return Parsed(
        target,
        tuple(problem._replace(path=None, severity=severity, rule="") for problem in problems),
    )
