"""Changes to a document that leave all they do not touch the same object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from fluxtui.model.jobspec.request import MAX_DEPTH
from fluxtui.notation.problem import printable

Steps: TypeAlias = Sequence[str | int]

#: What stands at a place that the document does not have.
NOTHING = object()


def get(document: Any, steps: Steps) -> Any:
    """What stands at a place; NOTHING where the document does not go that far."""
    for step in steps:
        key = _key(document, step)
        if key is NOTHING:
            return NOTHING
        document = document[key]
    return document


def put(document: Any, steps: Steps, value: Any) -> Any:
    """The document with a value at a place; a dictionary stands in for what leads nowhere."""
    if not steps:
        return value
    step = steps[0]
    if isinstance(document, list | tuple):
        inner = put(document[int(step)], steps[1:], value)
        return [*document[: int(step)], inner, *document[int(step) + 1 :]]
    key = _key(document, step)
    key = step if key is NOTHING else key
    held = document if isinstance(document, Mapping) else {}
    return {**held, key: put(held.get(key), steps[1:], value)}


def without(document: Any, steps: Steps) -> Any:
    """The document without the key or entry at a place, which it has."""
    *outer, last = steps
    place = get(document, outer)
    if isinstance(place, list | tuple):
        return put(document, outer, [*place[: int(last)], *place[int(last) + 1 :]])
    key = _key(place, last)
    return put(document, outer, {k: v for k, v in place.items() if k != key})


def renamed(mapping: Mapping[Any, Any], old: str, new: str) -> dict[Any, Any]:
    """The dictionary with another name for a key, in the same place."""
    return {new if str(key) == old else key: value for key, value in mapping.items()}


def each(resources: Any, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Any:
    """A resources list with every vertex changed; what does not change is the same object."""
    if not isinstance(resources, list | tuple):
        return resources
    return _each(resources, change, 0)


def _each(
    listed: Sequence[Any], change: Callable[[Mapping[str, Any]], Mapping[str, Any]], depth: int
) -> Sequence[Any]:
    out = []
    for vertex in listed:
        changed = change(vertex) if isinstance(vertex, Mapping) else vertex
        inner = changed.get("with") if isinstance(changed, Mapping) else None
        if isinstance(inner, list | tuple) and depth < MAX_DEPTH:
            below = _each(inner, change, depth + 1)
            changed = changed if below is inner else {**changed, "with": below}
        out.append(changed)
    same = all(new is old for new, old in zip(out, listed, strict=True))
    return listed if same else out


def vertices(resources: Any) -> Iterator[Mapping[str, Any]]:
    """Every vertex that is a dictionary, parents first."""
    stack = list(reversed(resources)) if isinstance(resources, list | tuple) else []
    while stack:
        vertex = stack.pop()
        if isinstance(vertex, Mapping):
            yield vertex
            inner = vertex.get("with")
            if isinstance(inner, list | tuple):
                stack.extend(reversed(inner))


def keys_in_words(keys: list[str]) -> str:
    """``the key 'a'``, or several of them."""
    shown = [f"'{printable(key[:40])}'" for key in keys[:2]]
    if len(keys) == 1:
        return f"the key {shown[0]}"
    more = f" and {len(keys) - 2} more" if len(keys) > 2 else ""
    return f"the keys {', '.join(shown) if more else ' and '.join(shown)}{more}"


def word_of(value: Any) -> str | None:
    """A value as the word it was most likely meant to be."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _key(document: Any, step: str | int) -> Any:
    """The key or index that a step of a path means here; keys that are no strings count too."""
    if isinstance(document, Mapping):
        if step in document:
            return step
        return next((key for key in document if str(key) == step), NOTHING)
    if isinstance(document, list | tuple) and isinstance(step, int) and step < len(document):
        return step
    return NOTHING
