"""One problem of a jobspec, and changes to the part that it is about.

Only this module descends into raw values and rebuilds them; parts that a change does not touch
remain the same objects.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any, TypeAlias

from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.model.jobspec.request import MAX_DEPTH, ResourceRequest, parse
from fluxtui.notation.problem import Problem, listed, nearest, plural, shortened

Steps: TypeAlias = Sequence[str | int]

#: The label of a change, and the changed document.
Change: TypeAlias = tuple[str, Any]

#: A change to one vertex; it returns the same object if nothing changes.
VertexChange: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """A problem of a jobspec, and the steps to the part to be changed.

    request holds the resources of the jobspec.
    """

    problem: Problem
    document: Mapping[str, Any]
    request: ResourceRequest
    steps: tuple[str | int, ...] = ()

    @property
    def value(self) -> Any:
        """The value of the part, or MISSING."""
        return jobspec.part_at(self.document, self.steps)

    @property
    def key(self) -> str:
        """The last step."""
        return str(self.steps[-1])

    def first(self, count: int) -> "Case":
        """The case for the part that the first ``count`` steps lead to."""
        return replace(self, steps=self.steps[:count])

    def having(self, value: Any) -> dict[str, Any]:
        """The document with another value here; tasks follow the slots if the resources change."""
        changed: dict[str, Any] = put(self.document, self.steps, value)
        if self.steps[:1] != ("resources",):
            return changed
        return installed(self.document, changed["resources"])

    def with_key(self, key: str, value: Any) -> dict[str, Any]:
        """The document with a key in the dictionary here."""
        return self.having({**self.value, key: value})

    def without(self) -> dict[str, Any]:
        """The document without the part, which must exist."""
        return self.having(MISSING)

    def everywhere(self, change: VertexChange) -> dict[str, Any]:
        """The document with every vertex changed."""
        return installed(self.document, each(self.document["resources"], change))

    def dropped(self) -> Iterator[Change]:
        """The change that drops this part, if it exists."""
        if self.value is not MISSING:
            is_entry = isinstance(self.steps[-1], int)
            yield f"drop {'the entry' if is_entry else keys_in_words([self.key])}", self.without()

    def moved_to(self, section: str) -> Iterator[Change]:
        """The change that moves this part to the system or user attributes, if its key is free."""
        attributes = self.document.get("attributes")
        current = attributes.get(section, {}) if isinstance(attributes, Mapping) else None
        if isinstance(current, Mapping) and self.key not in current:
            value = {**current, self.key: self.value}
            moved = put(self.without(), ["attributes", section], value)
            yield f"move '{short(self.key)}' to attributes.{section}", moved

    def as_string(self) -> Iterator[Change]:
        """The change of the value to the string that it was most likely meant to be."""
        word = word_of(self.value)
        if word is not None:
            is_entry = isinstance(self.steps[-1], int)
            lead = "make it the string" if is_entry else f"{short(self.key)}:"
            yield f"{lead} '{word}'", self.having(word)

    def misspelt(self, known: Sequence[str]) -> Iterator[Change]:
        """The changes that rename a key of the dictionary here to a similar known, missing key."""
        missing = [key for key in known if key not in self.value]
        for key in self.value:
            near = None if key in known else nearest(str(key), missing)
            if near:
                label = f"rename the key '{short(str(key))}' to {near}"
                yield label, self.having(renamed(self.value, str(key), near))


def installed(document: Mapping[str, Any], resources: Any) -> dict[str, Any]:
    """The document with these resources; a task whose slot is gone runs in the first slot."""
    return jobspec.with_resources(document, resources, move_all=True)


def put(document: Any, steps: Steps, value: Any) -> Any:
    """The document with another value at the end of steps, or with nothing there for MISSING.

    A value on the way that is neither a list nor a dictionary becomes a dictionary.
    """
    if not steps:
        return value
    step, *inner = steps
    if isinstance(document, list | tuple):
        at = int(step)
        made = put(document[at], inner, value)
        return [*document[:at], *([] if made is MISSING else [made]), *document[at + 1 :]]
    mapping = document if isinstance(document, Mapping) else {}
    key = jobspec.key_at(mapping, step)
    made = put(mapping.get(key), inner, value)
    if made is MISSING:
        return {name: old for name, old in mapping.items() if name != key}
    return {**mapping, key: made}


def renamed(mapping: Mapping[Any, Any], old: str, new: str) -> dict[Any, Any]:
    """The dictionary with a key renamed, at the same position."""
    return {new if str(key) == old else key: value for key, value in mapping.items()}


def each(resources: Any, change: VertexChange, depth: int = 0) -> Any:
    """Change every vertex of a resources list; parts that do not change are the same objects."""
    if not isinstance(resources, list | tuple) or depth > MAX_DEPTH:
        return resources
    out = []
    for vertex in resources:
        changed = vertex
        if isinstance(vertex, Mapping):
            changed = change(vertex)
            inner = changed.get("with")
            below = each(inner, change, depth + 1)
            changed = changed if below is inner else {**changed, "with": below}
        out.append(changed)
    return resources if are_same(out, resources) else out


def are_same(new: Sequence[Any], old: Any) -> bool:
    """Whether a list holds the same objects as another."""
    return isinstance(old, list | tuple) and len(old) == len(new) and all(map(is_, new, old))


def vertices(resources: Any) -> list[Mapping[str, Any]]:
    """The raw values of all vertices that are dictionaries, parents first."""
    return [vertex.raw for vertex in parse(resources).walk() if vertex.is_readable]


def short(text: object) -> str:
    """A text of the document, shortened for a label."""
    return shortened(str(text))


def keys_in_words(keys: Sequence[object]) -> str:
    """Keys for a label: ``the key 'a'``, ``the keys 'a' and 'b'``."""
    more = [f"{len(keys) - 2} more"] if len(keys) > 2 else []
    words = [*(f"'{short(key)}'" for key in keys[:2]), *more]
    return f"the {plural('key', len(keys))} {listed(words)}"


def word_of(value: Any) -> str | None:
    """A boolean or number as the word it was most likely meant to be; None for other values."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None
