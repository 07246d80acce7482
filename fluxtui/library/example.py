"""The examples, read from the JSON files beside this one."""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import get_data
from typing import Any

from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources

# The order of the library: what a person wants first is what comes near to a real job.
_FILES = ("fluxtui", "rfc25", "rfc14", "rfc46", "rfc31")


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A request in the words of another system, such as Slurm or OAR, as an RFC gives it."""

    system: str
    command: str


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    id           unique, such as ``rfc25-2.1``
    rfc          where it comes from: ``RFC 25``; ``fluxtui`` for our own
    section      where there, such as ``Use case 2.1``; for our own, what it is about
    title        a few words
    text         what it asks for, in one to three sentences
    shape        its resources as a shape (RFC 46); empty where it is about nodes only
    requires     its constraint as a person types it: a query (RFC 35), or JSON where no query
                 says it; empty where it has none
    constraint   the same constraint as an RFC 31 object; None where it has none
    document     the whole jobspec (RFC 14); None where the RFC gives only a part of one
    equivalents  the same request elsewhere, as far as the RFC lists it
    """

    id: str
    rfc: str
    section: str
    title: str
    text: str
    shape: str = ""
    requires: str = ""
    constraint: Mapping[str, Any] | None = field(default=None, hash=False)
    document: Mapping[str, Any] | None = field(default=None, hash=False)
    equivalents: tuple[Equivalent, ...] = ()

    @property
    def resources(self) -> Sequence[Mapping[str, Any]]:
        """The RFC 14 resources list that it opens with; empty where it has none."""
        if self.document is not None:
            found: Sequence[Mapping[str, Any]] = self.document["resources"]
            return found
        return to_resources(parse_shape(self.shape)) if self.shape else []


@functools.cache
def entries() -> tuple[Example, ...]:
    """All examples: our own starting points first, then RFC 25, 14, 46 and 31, in their order."""
    return tuple(example for name in _FILES for example in _read(name))


def _read(name: str) -> list[Example]:
    book = json.loads(get_data("fluxtui.library", f"{name}.json") or b"")
    return [_example(book["rfc"], entry) for entry in book["examples"]]


def _example(rfc: str, entry: dict[str, Any]) -> Example:
    """An example from its entry in a file, where the constraint of a jobspec stands only once."""
    document = entry.get("document")
    if document is not None and "constraint" not in entry:
        entry["constraint"] = jobspec.system(document).get("constraints")
    entry["equivalents"] = tuple(Equivalent(*pair) for pair in entry.get("equivalents", ()))
    return Example(rfc=rfc, **entry)
