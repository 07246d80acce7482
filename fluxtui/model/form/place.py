"""Where the parts of a jobspec stand that fields are about: how they are found and put in (RFC 14).

Keys that are put in stand in the order of RFC 14's examples; what is not touched stays the same
object.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from fluxtui.model.form.field import MISSING
from fluxtui.notation.json_compare import identical

#: A value -> whether two values say the same; the second is not put in place of the first then.
Same = Callable[[Any, Any], bool]

_SYSTEM = (
    "duration", "preemptible-after", "cwd", "environment", "queue", "bank", "project",
    "dependencies", "constraints", "job", "shell", "files",
)  # fmt: skip

# The keys of each dictionary in the order of RFC 14, by what leads to it.
_ORDERS: Final[Mapping[tuple[str | int, ...], tuple[str, ...]]] = {
    (): ("version", "resources", "tasks", "attributes"),
    ("tasks", 0): ("command", "slot", "count", "attributes", "distribution"),
    ("attributes",): ("system", "user"),
    ("attributes", "system"): _SYSTEM,
}


class Place(NamedTuple):
    """The keys and indices that lead to a part, and which dictionaries go when it was all of them.

    steps  such as ``("attributes", "system", "job", "name")``
    drop   so many of the dictionaries around the part are taken away once they are empty
    same   whether a new value says the same as the old one
    """

    steps: tuple[str | int, ...]
    drop: int = 0
    same: Same = identical

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
        """A document with this part; the same one where it says so already."""
        old = self.get(document)
        if old is value or (old is not MISSING and self.same(old, value)):
            return document if isinstance(document, dict) else dict(document)
        made = _with(document, self, 0, kept(old, value))
        return made if isinstance(made, dict) else {}


def kept(old: Any, new: Any) -> Any:
    """The new value, with the old objects for those parts of it that say the same."""
    if identical(old, new):
        return old
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: kept(old.get(key, MISSING), value) for key, value in new.items()}
    return new


def system(*keys: str, drop: int = 0, same: Same = identical) -> Place:
    """The place of a system attribute."""
    return Place(("attributes", "system", *keys), drop, same)


def task(key: str) -> Place:
    """The place of a key of the first task."""
    return Place(("tasks", 0, key))


def _with(here: Any, place: Place, depth: int, value: Any) -> Any:
    """What stands so deep on the way to a place, with a value put in there."""
    if depth == len(place.steps):
        return value
    step = place.steps[depth]
    if isinstance(step, int):
        items = list(here) if isinstance(here, list | tuple) else []
        if step >= len(items):
            items.append({})
        items[step] = _with(items[step], place, depth + 1, value)
        return items
    known: Mapping[str, Any] = here if isinstance(here, Mapping) else {}
    inner = _with(known.get(step), place, depth + 1, value)
    if value is MISSING and not inner and depth >= len(place.steps) - 1 - place.drop:
        return {key: known[key] for key in known if key != step}
    return with_key(known, step, inner, _ORDERS.get(place.steps[:depth], ()))


def with_key(
    mapping: Mapping[str, Any], key: str, value: Any, order: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A dictionary with a key in it; a new one stands before those that follow it in the order."""
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


#: System attributes that have a field of their own, those within a dictionary by its keys.
OWNED: Final[Mapping[str, Any]] = {
    **dict.fromkeys(_SYSTEM[:9]),
    "job": {"name": None},
    "shell": {"options": None},
    "files": {"script": None},
    "batch": {"script": None},
}
