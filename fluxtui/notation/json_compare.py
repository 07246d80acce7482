"""JSON values compared: whether two are the same, and what became of the parts of one."""

import json
import marshal
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

Kind = Literal["map", "list", "scalar"]

# Pairs of items that are looked at to find which changed into which; more would take too long.
_PAIRS = 256
# Pairs of items of two lists beyond which they are matched by their places alone.
_MOST = 1_000_000


def kind(value: object) -> Kind:
    """What a JSON value is."""
    if isinstance(value, dict):
        return "map"
    return "list" if isinstance(value, list | tuple) else "scalar"


def identical(one: Any, other: Any, *, ordered: bool = True) -> bool:
    """Whether two JSON values are equal and of the same types throughout; 1, 1.0 and true differ.

    A list and a tuple may be the same, and so may two NaN. Without ordered the order of the keys of
    a mapping does not count.
    """
    if one is other:
        return True
    if isinstance(one, list | tuple):
        if not isinstance(other, list | tuple) or len(one) != len(other):
            return False
        return all(identical(a, b, ordered=ordered) for a, b in zip(one, other, strict=True))
    if isinstance(one, Mapping):
        if not isinstance(other, Mapping) or len(one) != len(other):
            return False
        try:
            # Version 0 writes each value by its type and has no references.
            if marshal.dumps(one, 0) == marshal.dumps(other, 0):  # type: ignore[arg-type]
                return True
        except ValueError:  # such as a date, or too many levels
            pass
        if ordered and list(one) != list(other):
            return False
        return all(
            key in other and identical(value, other[key], ordered=ordered)
            for key, value in one.items()
        )
    if type(one) is not type(other):
        return False
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values say the same: `identical`, whatever the order of keys."""
    return identical(one, other, ordered=False)


class Gap(NamedTuple):
    """What lies between two entries that stay: old ones that go, and new ones that come.

    The old ones are those from first up to last, which is not among them; added holds the places
    of the new ones.
    """

    first: int
    last: int
    added: tuple[int, ...]


class Alignment(NamedTuple):
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
    middle = _middle(old, new, range(start, len(old) - end), range(start, len(new) - end))
    tail = ((len(old) - i, len(new) - i) for i in range(end, 0, -1))
    pairs = (*((i, i) for i in range(start)), *middle, *tail)
    return Alignment(pairs, _gaps(pairs, len(old), len(new)))


def of_mappings(old: dict[str, Any], new: dict[str, Any]) -> Alignment:
    """Which keys stay; a new one stands after the one that it follows in the new mapping.

    A key that became another one at its place, with the same value, stays as a pair.
    """
    keys, wanted = list(old), list(new)
    places = {key: place for place, key in enumerate(keys)}
    pairs: list[tuple[int, int]] = []
    added: dict[int, list[int]] = {}
    after = -1
    for place, key in enumerate(wanted):
        if key in places:
            after = places[key]
        elif _renamed(keys, place, old, new, key):
            after = place
        else:
            added.setdefault(after, []).append(place)
            continue
        pairs.append((after, place))
    pairs.sort()
    return Alignment(tuple(pairs), _gaps_of(pairs, len(keys), added))


def _renamed(
    keys: list[str], place: int, old: dict[str, Any], new: dict[str, Any], key: str
) -> bool:
    return place < len(keys) and keys[place] not in new and same(old[keys[place]], new[key])


def _gaps(pairs: Sequence[tuple[int, int]], old: int, new: int) -> tuple[Gap, ...]:
    """The gaps between pairs that keep their order."""
    gaps = []
    i = j = 0
    for one, other in (*pairs, (old, new)):
        if one > i or other > j:
            gaps.append(Gap(i, one, tuple(range(j, other))))
        i, j = one + 1, other + 1
    return tuple(gaps)


def _gaps_of(
    pairs: Sequence[tuple[int, int]], old: int, added: dict[int, list[int]]
) -> tuple[Gap, ...]:
    """The gaps between the entries that stay, with those to be added after each."""
    gaps = []
    before = -1
    for one in (*(pair[0] for pair in pairs), old):
        wanted = tuple(added.get(before, ()))
        if one > before + 1 or wanted:
            gaps.append(Gap(before + 1, one, wanted))
        before = one
    return tuple(gaps)


def _middle(
    old: Sequence[Any], new: Sequence[Any], olds: range, news: range
) -> list[tuple[int, int]]:
    """The pairs of two stretches that begin and end with something different."""
    if len(olds) * len(news) <= _PAIRS:
        return _likely(old, new, olds, news)
    in_place = list(zip(olds, news, strict=False))
    if len(olds) * len(news) > _MOST:
        return in_place
    if len(olds) == len(news) and all(_likeness(old[i], new[j]) >= 0.5 for i, j in in_place):
        return in_place
    import difflib  # costs 1 ms and is wanted only where many items changed at once

    matcher = difflib.SequenceMatcher(
        None, [_text(old[i]) for i in olds], [_text(new[j]) for j in news]
    )
    pairs: list[tuple[int, int]] = []
    for tag, i, iend, j, jend in matcher.get_opcodes():
        some, others = olds[i:iend], news[j:jend]
        if tag == "equal" or len(some) * len(others) > _PAIRS:
            pairs += zip(some, others, strict=False)
        elif tag == "replace":
            pairs += _likely(old, new, some, others)
    return pairs


def _text(value: Any) -> str:
    """A text that is the same for the same value, and no other."""
    return json.dumps(value, sort_keys=True)


def _likely(
    old: Sequence[Any], new: Sequence[Any], olds: range, news: range
) -> list[tuple[int, int]]:
    """The pairs, in order, that have the most in common."""
    if not olds or not news:
        return []
    likeness = [[_likeness(old[i], new[j]) for j in news] for i in olds]
    # best[i][j]: the most that the items from i and from j on have in common.
    best = [[0.0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for i in range(len(olds) - 1, -1, -1):
        for j in range(len(news) - 1, -1, -1):
            paired = likeness[i][j] + best[i + 1][j + 1]
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(olds) and j < len(news):
        if best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs.append((olds[i], news[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(one: Any, other: Any) -> float:
    """How much two values have in common; never nothing, for one may have become the other."""
    if kind(one) != kind(other):
        return 0.001
    if same(one, other):
        return 2
    if isinstance(one, dict):
        found = [0.1 + _alike(one[key], other[key]) for key in one if key in other]
    elif isinstance(one, list | tuple):
        found = [0.1, *map(_alike, one, other)]
    else:
        return 0.05 if type(one) is type(other) else 0.01
    return sum(found) / max(len(one), len(other), 1)


def _alike(one: Any, other: Any) -> float:
    """How much two parts of values have in common, without a look at parts of theirs."""
    return 0.9 if same(one, other) else 0.1 if kind(one) == kind(other) else 0
