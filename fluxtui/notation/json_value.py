"""JSON values: their kinds, equality of two values, and alignment of lists and mappings."""

import json
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["map", "list", "scalar"]

# Two lists with more pairs of items than this are aligned by position alone.
_MOST = 1_000_000


def kind(value: object) -> Kind:
    """The kind of a JSON value."""
    if isinstance(value, dict):
        return "map"
    return "list" if isinstance(value, list | tuple) else "scalar"


def shown(value: object) -> str:
    """A value of a document in a few words: a number or constant itself, else its kind."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and value.bit_length() > 100:  # str() may refuse a very long number
        return "a long number"
    if isinstance(value, int | float):
        return str(value) if len(str(value)) <= 24 else "a long number"
    kinds = ((str, "a string"), (Mapping, "a dictionary"), (list, "a list"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "another value")


def is_whole(value: object, least: int = 1) -> bool:
    """Whether a value is an integer of at least ``least``; true and 2.0 are not integers."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def identical(one: Any, other: Any, *, ordered: bool = True) -> bool:
    """Whether two JSON values are equal with equal types throughout; 1, 1.0 and true differ.

    A list equals a tuple of equal items, and NaN equals NaN. ordered: the order of keys counts.
    """
    pairs = [(one, other)]  # not recursive: there may be a thousand levels
    while pairs:
        one, other = pairs.pop()
        if one is other:
            continue
        if isinstance(one, list | tuple):
            if not isinstance(other, list | tuple) or len(one) != len(other):
                return False
            pairs += zip(one[::-1], other[::-1], strict=True)
        elif isinstance(one, Mapping):
            if not isinstance(other, Mapping) or len(one) != len(other):
                return False
            try:
                # Version 0 distinguishes all types and has no references.
                if marshal.dumps(one, 0) == marshal.dumps(other, 0):  # type: ignore[arg-type]
                    continue
            except ValueError:  # such as a date, or too many levels
                pass
            if one.keys() != other.keys() or (ordered and list(one) != list(other)):
                return False
            pairs += [(value, other[key]) for key, value in one.items()]
        elif type(one) is not type(other):
            return False
        elif isinstance(one, float):
            if repr(one) != repr(other):
                return False
        elif one != other:
            return False
    return True


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are `identical` apart from the order of keys."""
    return identical(one, other, ordered=False)


@dataclass(frozen=True, slots=True)
class Gap:
    """A place between entries that stay: old entries first up to last go, new ones are added."""

    first: int
    last: int
    added: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The entries that stay, as pairs of old and new index, and the gaps between them."""

    pairs: tuple[tuple[int, int], ...]
    gaps: tuple[Gap, ...]


def of_lists(old: Sequence[Any], new: Sequence[Any]) -> Alignment:
    """Align the items of two lists; the two items of a pair may differ in their contents."""
    most = min(len(old), len(new))
    start = 0
    while start < most and same(old[start], new[start]):
        start += 1
    end = 0
    while end < most - start and same(old[-1 - end], new[-1 - end]):
        end += 1
    olds, news = range(start, len(old) - end), range(start, len(new) - end)
    origins = {new: old for old, new in _middle(old, new, olds, news)}
    origins |= {place: place for place in range(start)}
    origins |= {len(new) - place: len(old) - place for place in range(1, end + 1)}
    return _alignment([origins.get(place) for place in range(len(new))], len(old))


def of_mappings(old: dict[str, Any], new: dict[str, Any]) -> Alignment:
    """Align the keys of two mappings; a new key goes after its predecessor in the new mapping.

    A key that was renamed in place, with the same value, forms a pair with its new name.
    """
    keys = list(old)
    places = {key: place for place, key in enumerate(keys)}
    origins = []
    for place, key in enumerate(new):
        origin = places.get(key)
        if origin is None and place < len(keys) and keys[place] not in new:
            origin = place if same(old[keys[place]], new[key]) else None
        origins.append(origin)
    return _alignment(origins, len(keys))


def _alignment(origins: Sequence[int | None], size: int) -> Alignment:
    """The alignment of ``size`` old entries, from the old index of each new entry or None."""
    pairs: list[tuple[int, int]] = []
    added: dict[int, list[int]] = {}  # the new entries that follow each old one
    before = -1
    for place, origin in enumerate(origins):
        if origin is None:
            added.setdefault(before, []).append(place)
        else:
            before = origin
            pairs.append((origin, place))
    pairs.sort()
    gaps = []
    before = -1
    for kept in (*(pair[0] for pair in pairs), size):
        if kept > before + 1 or before in added:
            gaps.append(Gap(before + 1, kept, tuple(added.get(before, ()))))
        before = kept
    return Alignment(tuple(pairs), tuple(gaps))


def _middle(
    old: Sequence[Any], new: Sequence[Any], olds: range, news: range
) -> list[tuple[int, int]]:
    """Align two stretches whose first items differ and whose last items differ."""
    in_place = list(zip(olds, news, strict=False))
    if len(olds) * len(news) <= 1 or len(olds) * len(news) > _MOST:
        return in_place
    pairs: list[tuple[int, int]] = []
    for some, others, is_equal in _stretches(old, new, olds, news, canonical):
        if is_equal or len(some) == len(others):
            pairs += zip(some, others, strict=True)
            continue
        for few, more, _ in _stretches(old, new, some, others, _head):
            pairs += zip(few, more, strict=False)
    return pairs


def _stretches(
    old: Sequence[Any], new: Sequence[Any], olds: range, news: range, name: Callable[[Any], str]
) -> Iterator[tuple[range, range, bool]]:
    import difflib  # takes 1 ms and is needed only if several items changed at once

    befores, afters = [name(old[i]) for i in olds], [name(new[j]) for j in news]
    for tag, i, iend, j, jend in difflib.SequenceMatcher(None, befores, afters).get_opcodes():
        if tag in {"equal", "replace"}:
            yield olds[i:iend], news[j:jend], tag == "equal"


def canonical(value: Any) -> str:
    """A text that is equal for two values exactly if the values are equal."""
    return json.dumps(value, sort_keys=True, default=repr)


def _head(value: Any) -> str:
    """What identifies a value whose contents changed: its ``type``, or its first value."""
    if isinstance(value, dict) and value:
        return canonical(value.get("type", next(iter(value.values()))))
    return kind(value)
