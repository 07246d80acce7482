"""Why there is no room: the sentence of sched-simple, and what is missing in numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from fluxtui.answers.feasibility.simple.count import Asked
from fluxtui.answers.feasibility.simple.node_classes import Need, Pile, eligible, slots_in
from fluxtui.answers.feasibility.simple.request import SYSTEM, Request
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, at

CONSTRAINT = at(SYSTEM, "constraints")

# Numbers above are rounded in sentences; no cluster has that many of anything.
_MOST = 10**15


class Scope(NamedTuple):
    """The nodes that a job may use: how many, of how many.

    oddly tells that sched-simple reads the constraint otherwise than RFC 31, with other nodes.
    """

    nodes: int
    total: int
    oddly: bool = False

    @property
    def which(self) -> str:
        """What follows the word nodes where a constraint leaves some out."""
        if self.nodes == self.total:
            return ""
        reading = " as sched-simple reads the constraint" if self.oddly else ""
        return f" that {'matches' if self.nodes == 1 else 'match'}{reading}"

    @property
    def all(self) -> str:
        """All these nodes, as the subject of a sentence."""
        if self.nodes == 1:
            return f"the one node{self.which}" if self.which else "the only node"
        return f"the {number(self.nodes)} nodes{self.which}"


def number(value: int) -> str:
    """A number with separators; a very large one by its power of ten."""
    if value < _MOST:
        return f"{value:,}"
    return f"about 10^{int((value.bit_length() - 1) * 0.30103)}"


def many(value: int, noun: str) -> str:
    """``1 node``, ``1,234 nodes``."""
    return f"{number(value)} {noun}" if value == 1 else f"{number(value)} {noun}s"


def holding(cores: int, gpus: int) -> str:
    """``8 cores and 2 gpus``; gpus are left out where there are none."""
    return f"{many(cores, 'core')} and {many(gpus, 'gpu')}" if gpus else many(cores, "core")


def refusal(need: Need, among: Sequence[Pile]) -> str:
    """What sched-simple says of a need that finds no room; the need is not a strict one."""
    try:
        return f"unsatisfiable request: {_refusal(need, among)}"
    except ValueError as error:  # a number with more digits than Python writes, here as there
        return str(error)


def _refusal(need: Need, among: Sequence[Pile]) -> str:
    if need.whole:
        found = eligible(need, among)
        return f"need {need.nodes} exclusive node(s), only {found} eligible"
    if need.nodes:
        cores, gpus = need.slots * need.cores, need.slots * need.gpus
        more = f" and {gpus} GPUs" if gpus else ""
        found = eligible(need, among)
        return f"need {need.nodes} node(s) with {cores} cores{more} each, only {found} eligible"
    found = slots_in(need._replace(gpus=0), among)
    if found < need.slots:
        cores = sum(pile.cores * pile.nodes for pile in among)
        return (
            f"need {need.slots} slot(s) of {need.cores} core(s), only {found} such slot(s) "
            f"available (total cores: {cores})"
        )
    gpus = sum(pile.gpus * pile.nodes for pile in among)
    return (
        f"need {need.slots} slot(s) with {need.gpus} GPU(s) each, only {slots_in(need, among)} "
        f"available (total GPUs: {gpus})"
    )


def listed(request: Request) -> tuple[Asked, str] | None:
    """The first count with single legal values, with what sched-simple says of it."""
    for asked, noun in ((request.nodes, "node"), (request.slots, "slot")):
        if asked is not None and asked.listed:
            return asked, (
                f"{noun} count specifies discrete valid values that this scheduler does not "
                f"support; use a simple min-max range instead"
            )
    return None


def listed_reason(asked: Asked) -> Problem:
    """Our word on a count with single legal values."""
    read = counts.from_json(asked.written).value
    said = counts.describe(read) if read is not None else "single values"
    message = f"sched-simple takes one number or a range without steps here, not {said}"
    return Problem(message, None, asked.path, ("a number", "a range such as 2-8"))


def reasons(
    request: Request, need: Need, among: Sequence[Pile], scope: Scope
) -> tuple[Problem, ...]:
    """What is missing for a need that finds no room, from one node up to all of them."""
    if not scope.total:
        return (Problem("the cluster has no nodes"),)
    if not scope.nodes:
        reading = " as sched-simple reads it" if scope.oddly else ""
        whom = (
            "the only node does not meet"
            if scope.total == 1
            else f"none of the cluster's {number(scope.total)} nodes meets"
        )
        return (Problem(f"{whom} the constraint{reading}", None, CONSTRAINT),)
    if request.nodes is None:
        if slots_in(need, among):
            return (_slots(request, need, among, scope),)
        return tuple(_one_node(request, need._replace(slots=1), among, scope))
    found = eligible(need, among)
    missing = _one_node(request, need, among, scope) if not found else []
    if scope.nodes < need.nodes:
        missing.append(_too_few(request.nodes, need, scope))
    elif found:
        missing.append(_few_have(request.nodes, need, found, scope))
    return tuple(missing)


def _slots(request: Request, need: Need, among: Sequence[Pile], scope: Scope) -> Problem:
    """A slot finds room, but not so many of them."""
    verb = "has" if scope.nodes == 1 else "have"
    wanted = f"{many(need.slots, 'slot')} of {holding(need.cores, need.gpus)}"
    message = f"needs {wanted}; {scope.all} {verb} room for {number(slots_in(need, among))}"
    return Problem(message, None, request.slots.path)


def _nodes(need: Need) -> str:
    return many(need.nodes, "whole node" if need.whole else "node")


def _too_few(asked: Asked, need: Need, scope: Scope) -> Problem:
    """More nodes than there are."""
    verb = "matches" if scope.nodes == 1 else "match"
    reading = " as sched-simple reads it" if scope.oddly else ""
    there = (
        f"the cluster has {number(scope.nodes)}"
        if scope.nodes == scope.total
        else f"{number(scope.nodes)} {verb} the constraint{reading}"
    )
    return Problem(f"needs {_nodes(need)}; {there}", None, asked.path)


def _few_have(asked: Asked, need: Need, found: int, scope: Scope) -> Problem:
    """More nodes than have what is asked of each."""
    each = " each" if need.nodes > 1 else ""
    wanted = f"{_nodes(need)} with {holding(need.slots * need.cores, need.slots * need.gpus)}{each}"
    verb = "has" if found == 1 else "have"
    message = f"needs {wanted}; {number(found)} of {scope.all} {verb} them"
    return Problem(message, None, asked.path)


def _one_node(request: Request, need: Need, among: Sequence[Pile], scope: Scope) -> list[Problem]:
    """No node has what is asked of one: too few cores, too few gpus, or not both together."""
    cores, gpus = need.slots * need.cores, need.slots * need.gpus
    found = []
    largest = max((pile.cores for pile in among), default=0)
    if cores > largest:
        there = f"the largest of {scope.all}" if scope.nodes > 1 else scope.all
        has = number(largest) if largest else "none"
        path = request.cores_path if need.cores > largest else request.slots.path
        found.append(_beyond(need, cores, "core", f"{there} has {has}", path))
    largest = max((pile.gpus for pile in among), default=0)
    if gpus > largest:
        there, has = scope.all, number(largest) if largest else "none"
        if scope.nodes > 1:
            there, has = f"none of {there}", f"more than {has}" if largest else "any"
        path = request.gpus_path if need.gpus > largest else request.slots.path
        found.append(_beyond(need, gpus, "gpu", f"{there} has {has}", path))
    if found:
        return found
    with_cores = sum(pile.nodes for pile in among if pile.cores >= cores)
    with_gpus = sum(pile.nodes for pile in among if pile.gpus >= gpus)
    message = (
        f"needs {holding(cores, gpus)} on one node; of {scope.all} {number(with_cores)} "
        f"{'has' if with_cores == 1 else 'have'} the cores and {number(with_gpus)} the gpus, "
        f"but none has both"
    )
    return [Problem(message, None, request.slots.path)]


def _beyond(need: Need, amount: int, noun: str, there: str, path: str) -> Problem:
    """More of something than any node has; how it adds up where it is that of several slots."""
    each = need.cores if noun == "core" else need.gpus
    made = f" ({many(need.slots, 'slot')} of {number(each)})" if need.slots > 1 else ""
    return Problem(f"needs {many(amount, noun)} on one node{made}; {there}", None, path)
