"""The request that finds room on a graph and is nearest to one that does not.

What breaks a rule of Fluxion is put right first, if that can be done without asking for something
else. Then as few counts as possible go down, none further than it must; of several ways the one
counts that takes the least away, measured by what was asked, and of equal ones the higher level.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from fluxtui.answers.feasibility.feasibility import Nearest
from fluxtui.answers.feasibility.fluxion.count import largest_of
from fluxtui.answers.feasibility.fluxion.mend import mended
from fluxtui.answers.feasibility.fluxion.request import Want, each, replaced
from fluxtui.answers.feasibility.fluxion.rules import Levels
from fluxtui.answers.feasibility.fluxion.words import Nouns
from fluxtui.answers.feasibility.nearest import bisect
from fluxtui.notation.count import Range, describe

Wants = tuple[Want, ...]
Test = Callable[[Wants], bool]
Raised = list[tuple[Want, int]]

# Counts that are lowered together at most; with more counts than so many they are lowered one by
# one, and with more than people write they are not looked at.
TOGETHER, MANY, MOST = 2, 8, 40


def nearest(wants: Wants, levels: Levels, nouns: Nouns, test: Test, most: int) -> Nearest | None:
    """The nearest request with room, None where none was found; test says what has room.

    most is more than there is of anything.
    """
    changed, changes = mended(wants, levels, nouns)
    if changes and test(changed):
        return _nearest(changed, changes)
    lowered = _lowered(changed, nouns, test, most)
    if lowered is None or not test(lowered[0]):
        return None
    return _nearest(lowered[0], [*changes, *lowered[1]])


def _nearest(wants: Wants, changes: Sequence[str]) -> Nearest:
    return Nearest(tuple(want.to_json() for want in wants), "; ".join(changes))


def _lowered(wants: Wants, nouns: Nouns, test: Test, most: int) -> tuple[Wants, list[str]] | None:
    """The wants with fewer and smaller counts, and what was changed."""
    if sum(1 for _ in each(wants)) > MOST:
        return None
    fixed = _greedy(wants, nouns, test, most)
    if fixed is not None:
        return fixed
    parts = [want for want in each(wants) if want.least > 1]
    sizes = range(1, (TOGETHER if len(parts) <= MANY else 1) + 1)
    for size in (*sizes, len(parts)):
        found = [
            raised
            for chosen in combinations(parts, size)
            for raised in _raised(wants, chosen, test)
        ]
        if found:
            return _written(wants, min(found, key=_loss), nouns)
    return None


def _written(wants: Wants, best: Raised, nouns: Nouns) -> tuple[Wants, list[str]]:
    """The wants with new counts; one in a slot becomes a number, since of a range all is taken."""
    held = {kid.path for want in each(wants) if want.slot for kid in each(want.kids)}
    changes = []
    for want, count in best:
        new = count if want.path in held else _count(want, count)
        if new != want.count:
            wants = replaced(wants, want.path, new)
            changes.append(_change(want, new, nouns))
    return wants, changes


def _greedy(wants: Wants, nouns: Nouns, test: Test, most: int) -> tuple[Wants, list[str]] | None:
    """A range in a slot, of which Fluxion takes too much, made the largest count that fits."""
    for want in each(wants):
        if isinstance(want.count, Range):
            count = largest_of(want, _tried(wants, want, test), most)
            if count is not None:
                change = f"{nouns.many(want.type, count)}, not {describe(want.count)}"
                return _put(wants, want, count), [change]
    return None


def _tried(wants: Wants, want: Want, test: Test) -> Callable[[int], bool]:
    return lambda count: test(_put(wants, want, count))


def _put(wants: Wants, want: Want, count: int) -> Wants:
    return replaced(wants, want.path, count)


def _raised(wants: Wants, chosen: Sequence[Want], test: Test) -> Iterator[Raised]:
    """Some counts at their smallest, and from there as far up as there is room, in any order."""
    for want in chosen:
        wants = _put(wants, want, 1)
    if not chosen or not test(wants):
        return
    for order in permutations(chosen) if len(chosen) <= TOGETHER else (chosen,):
        found, now = dict[str, int](), wants
        for want in order:
            top = want.least
            count = bisect(_tried(now, want, test), top, 1) or 1
            found[want.path] = count
            now = _put(now, want, count)
        yield [(want, found[want.path]) for want in chosen]


def _loss(raised: Raised) -> float:
    return sum(1 - count / want.least for want, count in raised)


def _count(want: Want, count: int) -> int | Range:
    """The count in the form of the old one: a range only begins lower."""
    if isinstance(want.count, Range) and want.count.operator == "+":
        return replace(want.count, min=count)
    return count


def _change(want: Want, count: int | Range, nouns: Nouns) -> str:
    """``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
    if isinstance(count, Range):
        return f"at least {nouns.many(want.type, count.min)}, not {want.least:,}"
    was = describe(want.count) if isinstance(want.count, Range) else f"{want.count:,}"
    return f"{nouns.many(want.type, count)}, not {was}"
