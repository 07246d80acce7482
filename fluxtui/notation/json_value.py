"""JSON values: what they are, whether two are the same, and what became of the parts of one."""

import json
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["map", "list", "scalar"]

# Pairs of items of two lists beyond which they are matched by their places alone.
_MOST = 1_000_000


def kind(value: object) -> Kind:
    """What a JSON value is."""
    if isinstance(value, dict):
        return "map"
    return "list" if isinstance(value, list | tuple) else "scalar"


def shown(value: object) -> str:
    """A value of a document in few words: numbers as they are, else its kind."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int) and value.bit_length() > 100:  # Python writes no number without end
        return "a long number"
    if isinstance(value, int | float):
        return str(value) if len(str(value)) <= 24 else "a long number"
    kinds = ((str, "a string"), (Mapping, "a dictionary"), (list, "a list"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "another value")


def is_whole(value: object, least: int = 1) -> bool:
    """Whether a value is an integer of at least this much; true and 2.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def identical(one: Any, other: Any, *, ordered: bool = True) -> bool:
    """Whether two JSON values are equal and of the same types throughout; 1, 1.0 and true differ.

    A list and a tuple may be the same, and so may two NaN. ordered is about keys of mappings.
    """
    pairs = [(one, other)]  # no recursion: there may be a thousand levels
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
                # Version 0 writes each value by its type and has no references.
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
    """Whether two JSON values say the same: `identical`, whatever the order of keys."""
    return identical(one, other, ordered=False)


@dataclass(frozen=True, slots=True)
class Gap:
    """Between two entries that stay: old ones go, from first up to last; added new ones come."""

    first: int
    last: int
    added: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """The pairs of entries that stay, old and new by place, and the gaps with what changes."""

    pairs: tuple[tuple[int, int], ...]
    gaps: tuple[Gap, ...]


def of_lists(old: Sequence[Any], new: Sequence[Any]) -> Alignment:
    """Which items of a list became which; those of a pair may differ within."""
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
    """Which keys stay; a new one goes after the one that it follows in the new mapping.

    A key that became another one at its place, with the same value, stays as a pair.
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
    """The alignment with as many old entries as size, from the place that each new one had."""
    pairs: list[tuple[int, int]] = []
    added: dict[int, list[int]] = {}  # the new ones that follow each old one
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
    for one in (*(pair[0] for pair in pairs), size):
        if one > before + 1 or before in added:
            gaps.append(Gap(before + 1, one, tuple(added.get(before, ()))))
        before = one
    return Alignment(tuple(pairs), tuple(gaps))


def _middle(
    old: Sequence[Any], new: Sequence[Any], olds: range, news: range
) -> list[tuple[int, int]]:
    """The pairs of two stretches that begin and end with something different."""
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
    import difflib  # costs 1 ms and is wanted only where several items changed at once

    befores, afters = [name(old[i]) for i in olds], [name(new[j]) for j in news]
    for tag, i, iend, j, jend in difflib.SequenceMatcher(None, befores, afters).get_opcodes():
        if tag in {"equal", "replace"}:
            yield olds[i:iend], news[j:jend], tag == "equal"


def canonical(value: Any) -> str:
    """A text that is the same for the same value, and no other."""
    return json.dumps(value, sort_keys=True, default=repr)


def _head(value: Any) -> str:
    """What a value goes by where it changes otherwise: its type, or the first it holds."""
    if isinstance(value, dict) and value:
        return canonical(value.get("type", next(iter(value.values()))))
    return kind(value)
