"""What an answer on admission is made of: the person who submits, and why a queue refuses."""

from dataclasses import dataclass
from typing import Any, Literal

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
    """A refusal with its problem, whose code is the kind."""
    problem = Problem(message, None, path, expected, rule, code=kind.replace(" ", "-"))
    return Refusal(kind, asked, allowed, words, problem)
