"""What an answer on admission is made of: the person who submits, and why a queue refuses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fluxtui.model.documents.json_value import shown
from fluxtui.notation.problem import Problem

RULE = "RFC 33"

#: What a refusal is about, in the order in which Flux would come upon it: ``range`` is a count
#: of several numbers, ``counts`` a request that Flux cannot count for another reason, and the
#: sizes are those of ``limits.job-size``.
Kind = Literal[
    "queue",
    "jobspec",
    "default duration",
    "range",
    "disabled",
    "counts",
    "max nnodes",
    "max ncores",
    "max ngpus",
    "min nnodes",
    "min ncores",
    "min ngpus",
    "duration",
    "access",
    "feasibility",
]


@dataclass(frozen=True, slots=True)
class Person:
    """Who submits: the names of a UNIX user and of the groups; None where they are not known."""

    name: str | None = None
    groups: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a queue does not take a job.

    asked    what the job asks for: a number, seconds (None without a duration), a queue, a user
    allowed  what the queue allows of it, alike; for access the names by key
    words    what Flux itself says, letter by letter; empty where it says nothing of the kind:
             access is not enforced yet, and a jobspec that is not legal is refused before
    problem  the same for a person: with the path in the jobspec, and the setting by its path in
             the configuration
    """

    kind: Kind
    asked: Any
    allowed: Any
    words: str
    problem: Problem


def refusal(
    kind: Kind,
    asked: object,
    allowed: object,
    words: str,
    message: str,
    path: str,
    *expected: str,
    rule: str = RULE,
) -> Refusal:
    """A refusal with its problem."""
    return Refusal(kind, asked, allowed, words, Problem(message, None, path, expected, rule))


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a jobspec that admission is about; empty where the document has no such part.

    wrong  what has not the form of a jobspec
    """

    document: Mapping[str, Any]
    attributes: Mapping[str, Any]
    system: Mapping[str, Any]
    wrong: tuple[Refusal, ...] = ()


def request(jobspec: object) -> Request:
    """Take a jobspec apart. Never raises."""
    wrong: list[Refusal] = []
    document = _part(jobspec, "a jobspec", "", wrong)
    attributes = _part(document.get("attributes", {}), "attributes", "attributes", wrong)
    path = "attributes.system"
    system = _part(attributes.get("system", {}), path, path, wrong)
    constraints = system.get("constraints", {})
    asked = _part(constraints, "a constraint", f"{path}.constraints", wrong)
    if "properties" in asked and not isinstance(asked["properties"], list | tuple):
        message = "properties of a constraint is an array of names"
        here = f"{path}.constraints.properties"
        wrong.append(refusal("jobspec", None, None, "", message, here, "[...]", rule="RFC 31"))
    return Request(document, attributes, system, tuple(wrong))


def _part(value: object, name: str, path: str, wrong: list[Refusal]) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    message = f"{name} is a dictionary; found {shown(value)}"
    wrong.append(refusal("jobspec", None, None, "", message, path, "{...}", rule="RFC 14"))
    return {}
