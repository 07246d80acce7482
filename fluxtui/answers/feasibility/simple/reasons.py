"""Why a job does not fit: the sentence of sched-simple, and what is missing in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fluxtui.answers.feasibility.feasibility import CONSTRAINT
from fluxtui.answers.feasibility.simple.node_classes import Classes, Need
from fluxtui.answers.feasibility.simple.request import Asked, Request
from fluxtui.answers.feasibility.wording import amount, number
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem


@dataclass(frozen=True, slots=True)
class Scope:
    """The nodes that a job may use: how many, of how many.

    own_reading is set where sched-simple reads the constraint otherwise than RFC 31, so that
    other nodes are left.
    """

    nodes: int
    total: int
    own_reading: bool = False

    @property
    def which(self) -> str:
        """What follows the word nodes where a constraint leaves some out."""
        if self.nodes == self.total:
            return ""
        reading = " as sched-simple reads the constraint" if self.own_reading else ""
        return f" that {'matches' if self.nodes == 1 else 'match'}{reading}"

    @property
    def all(self) -> str:
        """All these nodes, as the subject of a sentence."""
        if self.nodes == 1:
            return f"the one node{self.which}" if self.which else "the only node"
        return f"the {number(self.nodes)} nodes{self.which}"

    @property
    def reading(self) -> str:
        """What follows the word constraint where sched-simple has a reading of its own."""
        return " as sched-simple reads it" if self.own_reading else ""


def refusal(request: Request, need: Need, classes: Classes) -> str:
    """sched-simple's error text for a request that does not fit; the need is not a strict one."""
    if request.listed is not None:
        noun = "node" if request.listed is request.nodes else "slot"
        return (
            f"{noun} count specifies discrete valid values that this scheduler does not support; "
            f"use a simple min-max range instead"
        )
    try:
        return f"unsatisfiable request: {_refusal(need, classes)}"
    except ValueError as error:  # a number with more digits than Python writes, here as there
        return str(error)


def _refusal(need: Need, classes: Classes) -> str:
    found = need.eligible(classes) if need.nodes else 0
    if need.whole:
        return f"need {need.nodes} exclusive node(s), only {found} eligible"
    if need.nodes:
        cores, gpus = need.slots * need.cores, need.slots * need.gpus
        more = f" and {gpus} GPUs" if gpus else ""
        return f"need {need.nodes} node(s) with {cores} cores{more} each, only {found} eligible"
    found = replace(need, gpus=0).slots_in(classes)
    if found < need.slots:
        total = sum(group.cores * group.nodes for group in classes)
        return (
            f"need {need.slots} slot(s) of {need.cores} core(s), only {found} such slot(s) "
            f"available (total cores: {total})"
        )
    total = sum(group.gpus * group.nodes for group in classes)
    return (
        f"need {need.slots} slot(s) with {need.gpus} GPU(s) each, only {need.slots_in(classes)} "
        f"available (total GPUs: {total})"
    )


def unsupported(asked: Asked) -> Problem:
    """Why sched-simple does not support a count with single legal values."""
    read = counts.from_json(asked.written).value
    said = counts.describe(read) if read is not None else "single values"
    message = f"sched-simple takes one number or a range without steps here, not {said}"
    return Problem(message, None, asked.path, ("a number", "a range such as 2-8"))


def reasons(request: Request, need: Need, classes: Classes, scope: Scope) -> tuple[Problem, ...]:
    """What is missing for a request that does not fit, from one node up to all of them."""
    if request.listed is not None:
        return (unsupported(request.listed),)
    if not scope.total:
        return (Problem("the cluster has no nodes"),)
    if not scope.nodes:
        nobody = (
            "the only node does not meet"
            if scope.total == 1
            else f"none of the cluster's {number(scope.total)} nodes meets"
        )
        return (Problem(f"{nobody} the constraint{scope.reading}", None, CONSTRAINT),)
    return tuple(_missing(request, need, classes, scope))


def _missing(request: Request, need: Need, classes: Classes, scope: Scope) -> Iterable[Problem]:
    if request.nodes is None:
        there = need.slots_in(classes)
        if not there:
            return _on_one_node(request, replace(need, slots=1), classes, scope)
        wanted = f"{amount('slot', need.slots)} of {_holding(need.cores, need.gpus)}"
        verb = "has" if scope.nodes == 1 else "have"
        message = f"needs {wanted}; {scope.all} {verb} room for {number(there)}"
        return [Problem(message, None, request.slots.path)]
    found = need.eligible(classes)
    missing = [] if found else _on_one_node(request, need, classes, scope)
    nodes = amount("whole node" if need.whole else "node", need.nodes)
    if scope.nodes < need.nodes:
        message = f"needs {nodes}; {_there(scope)}"
        missing.append(Problem(message, None, request.nodes.path))
    elif found:
        each = " each" if need.nodes > 1 else ""
        wanted = f"{nodes} with {_holding(need.slots * need.cores, need.slots * need.gpus)}{each}"
        verb = "has" if found == 1 else "have"
        message = f"needs {wanted}; {number(found)} of {scope.all} {verb} them"
        missing.append(Problem(message, None, request.nodes.path))
    return missing


def _there(scope: Scope) -> str:
    """How many nodes there are at all."""
    if scope.nodes == scope.total:
        return f"the cluster has {number(scope.nodes)}"
    verb = "matches" if scope.nodes == 1 else "match"
    return f"{number(scope.nodes)} {verb} the constraint{scope.reading}"


def _holding(cores: int, gpus: int) -> str:
    """``8 cores and 2 gpus``; gpus are left out where there are none."""
    return f"{amount('core', cores)} and {amount('gpu', gpus)}" if gpus else amount("core", cores)


def _on_one_node(request: Request, need: Need, classes: Classes, scope: Scope) -> list[Problem]:
    """No node has what is asked of one: too few cores, too few gpus, or not both together."""
    cores, gpus = need.slots * need.cores, need.slots * need.gpus
    found = []
    largest = max((group.cores for group in classes), default=0)
    if cores > largest:
        there = f"the largest of {scope.all}" if scope.nodes > 1 else scope.all
        has = number(largest) if largest else "none"
        path = request.cores_path if need.cores > largest else request.slots.path
        found.append(_beyond(need.slots, need.cores, "core", f"{there} has {has}", path))
    largest = max((group.gpus for group in classes), default=0)
    if gpus > largest:
        there, has = scope.all, number(largest) if largest else "none"
        if scope.nodes > 1:
            there, has = f"none of {there}", f"more than {has}" if largest else "any"
        path = request.gpus_path if need.gpus > largest else request.slots.path
        found.append(_beyond(need.slots, need.gpus, "gpu", f"{there} has {has}", path))
    if found:
        return found
    with_cores = sum(group.nodes for group in classes if group.cores >= cores)
    with_gpus = sum(group.nodes for group in classes if group.gpus >= gpus)
    message = (
        f"needs {_holding(cores, gpus)} on one node; of {scope.all} {number(with_cores)} "
        f"{'has' if with_cores == 1 else 'have'} the cores and {number(with_gpus)} the gpus, "
        f"but none has both"
    )
    return [Problem(message, None, request.slots.path)]


def _beyond(slots: int, each: int, noun: str, there: str, path: str) -> Problem:
    """More of something than any node has; how it adds up where it is that of several slots."""
    made = f" ({amount('slot', slots)} of {number(each)})" if slots > 1 else ""
    message = f"needs {amount(noun, slots * each)} on one node{made}; {there}"
    return Problem(message, None, path)
