"""The examples, read from the JSON files in this folder."""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import get_data
from typing import Any

from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources

# The order of the library: the examples closest to a real job come first.
_FILES = ("fluxtui", "rfc25", "rfc14", "rfc46", "rfc31")


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The same request for another system, such as Slurm or OAR, as given in an RFC."""

    system: str
    command: str


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    id           unique, such as ``rfc25-2.1``
    rfc          the source: ``RFC 25``, or ``fluxtui`` for our own
    section      the section in it, such as ``Use case 2.1``; for our own, the topic
    title        a few words
    text         what it requests, in one to three sentences
    shape        its resources as a shape (RFC 46); empty if it only constrains nodes
    requires     its constraint as a user types it: a query (RFC 35), or JSON if no query can
                 express it; empty if it has none
    constraint   the same constraint as an RFC 31 object; None if it has none
    document     the whole jobspec (RFC 14); None if the RFC gives only a part of one
    equivalents  the same request for other systems, as listed in the RFC
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
        """The RFC 14 resources list of the example; empty if it has none."""
        if self.document is not None:
            found: Sequence[Mapping[str, Any]] = self.document["resources"]
            return found
        return to_resources(parse_shape(self.shape)) if self.shape else []


@functools.cache
def entries() -> tuple[Example, ...]:
    """All examples: our own first, then those of RFC 25, 14, 46 and 31, in the order of each."""
    return tuple(example for name in _FILES for example in _read(name))


def _read(name: str) -> list[Example]:
    book = json.loads(get_data("fluxtui.library", f"{name}.json") or b"")
    return [_example(book["rfc"], entry) for entry in book["examples"]]


def _example(rfc: str, entry: dict[str, Any]) -> Example:
    """Read an entry of a file, in which the constraint of a jobspec is not repeated."""
    document = entry.get("document")
    if document is not None and "constraint" not in entry:
        entry["constraint"] = jobspec.system(document).get("constraints")
    entry["equivalents"] = tuple(Equivalent(*pair) for pair in entry.get("equivalents", ()))
    return Example(rfc=rfc, **entry)
