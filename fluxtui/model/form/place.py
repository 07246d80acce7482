"""Where the parts of a jobspec are that fields are about: how to find them and put them in.

Keys that are put in follow the order of RFC 14's examples; what is not touched stays the same
object.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fluxtui.notation.json_compare import identical
from fluxtui.notation.problem import at


class _Missing:
    """The value of a part that is not there; false in a condition."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


#: The value of a part of a document that is not there.
MISSING: Final = _Missing()

# The keys of each dictionary in the order of RFC 14, by the steps that lead to it.
_ORDERS: Final[Mapping[tuple[str | int, ...], tuple[str, ...]]] = {
    (): ("version", "resources", "tasks", "attributes"),
    ("tasks", 0): ("command", "slot", "count", "attributes", "distribution"),
    ("attributes",): ("system", "user"),
    ("attributes", "system"): (
        "duration", "preemptible-after", "cwd", "environment", "queue", "bank", "project",
        "dependencies", "constraints", "job", "shell", "files",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """The keys and indices that lead to a part of a jobspec.

    steps  such as ``("attributes", "system", "job", "name")``
    drop   how many of the dictionaries around the part are taken away once they are empty
    same   whether two values mean the same; the second does not replace the first then
    """

    steps: tuple[str | int, ...]
    drop: int = 0
    same: Callable[[Any, Any], bool] = identical

    @property
    def path(self) -> str:
        """The steps as a path: ``attributes.system.job.name``, ``tasks[0].count``."""
        return at("", *self.steps)

    def get(self, document: Mapping[str, Any]) -> Any:
        """The part; MISSING where it is not there, or something on the way is no dictionary."""
        here: Any = document
        for step in self.steps:
            if isinstance(step, int):
                if not isinstance(here, list | tuple) or len(here) <= step:
                    return MISSING
                here = here[step]
            elif isinstance(here, Mapping) and step in here:
                here = here[step]
            else:
                return MISSING
        return here

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with this part, without it for MISSING; the same one where nothing changes."""
        old = self.get(document)
        if old is value or (old is not MISSING and self.same(old, value)):
            return unchanged(document)
        made = self._with(document, 0, _kept(old, value))
        return made if isinstance(made, dict) else {}

    def _with(self, here: Any, depth: int, value: Any) -> Any:
        """What is so deep on the way to the part, with a value put in."""
        if depth == len(self.steps):
            return value
        step = self.steps[depth]
        if isinstance(step, int):
            items = list(here) if isinstance(here, list | tuple) else []
            if step >= len(items):
                items.append({})
            items[step] = self._with(items[step], depth + 1, value)
            return items
        known: Mapping[str, Any] = here if isinstance(here, Mapping) else {}
        inner = self._with(known.get(step), depth + 1, value)
        if value is MISSING and not inner and depth >= len(self.steps) - 1 - self.drop:
            return {key: known[key] for key in known if key != step}
        return with_key(known, step, inner, _ORDERS.get(self.steps[:depth], ()))


def system(*keys: str, drop: int = 0, same: Callable[[Any, Any], bool] = identical) -> Place:
    """The place of a system attribute."""
    return Place(("attributes", "system", *keys), drop, same)


def task(key: str) -> Place:
    """The place of a key of the first task."""
    return Place(("tasks", 0, key))


def unchanged(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document itself where it is a dictionary, else a copy that is one."""
    return document if isinstance(document, dict) else dict(document)


def _kept(old: Any, new: Any) -> Any:
    """The new value, with the old objects for those parts of it that mean the same."""
    if identical(old, new):
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _kept(old.get(key, MISSING), value) for key, value in new.items()}
    return new


def with_key(
    mapping: Mapping[str, Any], key: str, value: Any, order: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A dictionary with a key in it; a new one comes before those that follow it in the order."""
    if key in mapping or key not in order:
        return {**mapping, key: value}
    later = set(order[order.index(key) + 1 :])
    made: dict[str, Any] = {}
    for name, old in mapping.items():
        if name in later and key not in made:
            made[key] = value
        made[name] = old
    made.setdefault(key, value)
    return made
