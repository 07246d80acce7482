"""Rules of Fluxion that a request breaks whatever the numbers, and what puts them right.

They are about siblings, levels and what is exclusive. Functions that look for what is wrong give
problems by path in the request; an empty list where nothing is.
"""

from collections.abc import Mapping, Set
from dataclasses import replace

from fluxtui.answers.feasibility.fluxion.reading import RULE, Request, Requested, walk
from fluxtui.answers.feasibility.fluxion.subtree_classes import Levels
from fluxtui.answers.feasibility.wording import Nouns, a
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.wording import listed


def broken(request: Request) -> list[Problem]:
    """What never fits on any graph."""
    found: list[Problem] = []
    if sum(wanted.is_slot for wanted in request) > 1:
        second = [wanted for wanted in request if wanted.is_slot][1]
        found.append(_problem("two slots side by side at the top never fit (Fluxion)", second.path))
    _broken(request, None, "", found)
    return found


def _broken(siblings: Request, parent: Requested | None, holder: str, found: list[Problem]) -> None:
    """Siblings; holder names what is exclusive above them, if anything is."""
    others = [wanted for wanted in siblings if not wanted.is_slot]
    for wanted in siblings:
        if wanted.is_slot and others:
            kinds = listed([other.type for other in others])
            message = (
                f"a slot beside another resource never fits (Fluxion); put {kinds} into the slot"
            )
            found.append(_problem(message, wanted.path))
        if wanted.is_slot and parent is not None and parent.is_slot:
            found.append(_problem("a slot directly in a slot never forms (Fluxion)", wanted.path))
        if wanted.is_slot and not wanted.kids:
            found.append(_problem("a slot with nothing in it never forms (Fluxion)", wanted.path))
        if not wanted.least:
            found.append(_problem("a count of 0 never fits (Fluxion)", wanted.count_path))
        if holder and wanted.exclusive is False and not wanted.is_slot:
            message = f"exclusive is false below {holder}, which Fluxion never fits"
            found.append(_problem(message, at(wanted.path, "exclusive")))
    _twins(others, found)
    for wanted in siblings:
        below = holder or ("a slot" if wanted.is_slot else "")
        if not below and wanted.exclusive:
            below = f"an exclusive {wanted.type}"
        _broken(wanted.kids, wanted, below, found)


def _twins(siblings: list[Requested], found: list[Problem]) -> None:
    seen: set[str] = set()
    for wanted in siblings:
        if wanted.type in seen:
            message = f"two siblings of type {wanted.type} never fit (Fluxion)"
            found.append(_problem(message, wanted.path))
        seen.add(wanted.type)


def misplaced(request: Request, levels: Levels, graph: str) -> list[Problem]:
    """What the graph has nowhere, or not where the request looks for it; graph is what it is."""
    found: list[Problem] = []
    waiting: list[tuple[Requested, Requested | None]] = [(wanted, None) for wanted in request]
    kids = children(levels)
    while waiting:
        wanted, parent = waiting.pop()
        problem = None
        if wanted.is_slot:
            problem = _slot(wanted, parent, levels, graph)
        elif wanted.type not in kids:
            problem = _problem(f"{graph} has no {wanted.type}", at(wanted.path, "type"))
        elif parent is not None and not parent.is_slot and wanted.type not in kids[parent.type]:
            problem = _level(wanted, parent, kids)
        if problem is None:
            waiting.extend((kid, wanted) for kid in wanted.kids)
        else:
            found.append(problem)
    return sorted(found, key=lambda problem: problem.path or "")


def _level(wanted: Requested, parent: Requested, kids: Mapping[str, Set[str]]) -> Problem:
    """A type that is not a direct child of the one above it."""
    way = chain(kids, parent.type, wanted.type)
    if way is None:
        message = f"no {parent.type} of this graph has {a(wanted.type)} below it"
        return _problem(message, wanted.path)
    written = "/".join(way)
    message = f"{wanted.type} is not a direct child of {parent.type} in this graph: write {written}"
    return _problem(message, wanted.path, written)


def _slot(slot: Requested, parent: Requested | None, levels: Levels, graph: str) -> Problem | None:
    """A slot that has no vertex to form at."""
    kids = children(levels)
    for kid in slot.kids:
        if kid.type not in kids:
            return _problem(f"{graph} has no {kid.type}", at(kid.path, "type"))
    types = sorted({kid.type for kid in slot.kids})
    what, places = listed(types), slot_places(slot, levels)
    if not places:
        message = f"no vertex of this graph has {what} among its children, so no slot forms"
        return _problem(message, slot.path)
    if parent is None or parent.type in places or not kids[parent.type].isdisjoint(places):
        return None
    way = _shortest(kids, parent.type, places)
    if not way:
        message = f"no {parent.type} of this graph has {what} below it, as a slot needs"
        return _problem(message, slot.path)
    written = "/".join((*way, "slot"))
    message = (
        f"a slot forms at {parent.type} or one level below it, and {what} "
        f"{'is' if len(types) == 1 else 'are'} deeper in this graph: write {written}"
    )
    return _problem(message, slot.path, written)


def children(levels: Levels) -> dict[str, set[str]]:
    """The types of the children of each type."""
    found: dict[str, set[str]] = {}
    for kind, kids in levels:
        found.setdefault(kind, set()).update(kids)
    return found


def chain(kids: Mapping[str, Set[str]], top: str, bottom: str) -> tuple[str, ...] | None:
    """The types from one down to another, as few as can be; None if there is no such path."""
    ways: list[tuple[str, ...]] = [(top,)]
    seen: set[str] = set()
    for way in ways:
        for kind in sorted(kids.get(way[-1], ())):
            if kind == bottom:
                return (*way, kind)
            if kind not in seen:
                seen.add(kind)
                ways.append((*way, kind))
    return None


def slot_places(slot: Requested, levels: Levels) -> list[str]:
    """The types of the vertices at which a slot can form, sorted."""
    types = {kid.type for kid in slot.kids}
    return sorted({kind for kind, inner in levels if types <= inner})


def _shortest(kids: Mapping[str, Set[str]], top: str, places: list[str]) -> tuple[str, ...]:
    """The types from one down to the nearest of several; empty if there is no such path."""
    ways = [way for place in places if (way := chain(kids, top, place))]
    return min(ways, key=len, default=())


def oddities(request: Request) -> list[Problem]:
    """What Fluxion reads in a way nobody means: of several slots side by side only the last."""
    return [
        replace(
            _problem(
                f"of the {len(wanted.kids)} slots side by side Fluxion counts and gives what is "
                "in the last one only",
                wanted.kids[0].path,
            ),
            severity="warning",
        )
        for wanted in walk(request)
        if len(wanted.kids) > 1 and all(kid.is_slot for kid in wanted.kids)
    ]


def forgotten(request: Request, levels: Levels) -> Problem:
    """The slot that Fluxion finds one level too low, and then gives nothing for it."""
    kids, where, written = children(levels), request[0].path, ""
    for wanted in walk(request):
        if wanted.kids and wanted.kids[0].is_slot:
            slot = wanted.kids[0]
            lower = [kind for kind in slot_places(slot, levels) if kind in kids[wanted.type]]
            if lower:
                where, written = slot.path, f"{wanted.type}/{lower[0]}/slot"
                break
    message = (
        "Fluxion calls this satisfiable and then gives nothing for it, since the slot forms one "
        f"level below where it is written: write {written}"
    )
    return replace(_problem(message, where, written), severity="warning")


def _problem(message: str, path: str, *expected: str) -> Problem:
    return Problem(message, None, path, expected, RULE)


def corrected(request: Request, levels: Levels, nouns: Nouns) -> tuple[Request, list[str]]:
    """The request without what breaks a rule, as far as that asks for nothing else.

    Beside it what was changed, such as ``node/socket/core``.
    """
    corrector = _Corrector(levels, nouns)
    return corrector.siblings(request, None, under_exclusive=False), corrector.changes


class _Corrector:
    """Goes through a request, parents first."""

    def __init__(self, levels: Levels, nouns: Nouns) -> None:
        self.nouns = nouns
        self.levels = levels
        self.kids = children(levels)
        self.changes: list[str] = []

    def siblings(
        self, siblings: Request, parent: Requested | None, *, under_exclusive: bool
    ) -> Request:
        """Siblings below a parent, perhaps below a slot or something exclusive."""
        gathered = self._gathered(siblings)
        return tuple(self._one(here, parent, under_exclusive) for here in gathered)

    def _one(self, here: Requested, parent: Requested | None, under_exclusive: bool) -> Requested:
        if under_exclusive and here.exclusive is False and not here.is_slot:
            self.changes.append(f"{here.type} without exclusive: false")
            here = Requested.of(here.path, here.type, here.count, here.kids, None, here.raw)
        inner = under_exclusive or here.is_slot or here.exclusive is True
        here = here.with_kids(self.siblings(here.kids, here, under_exclusive=inner))
        if parent is None or parent.is_slot:
            return here
        levels = self._between(here, parent)
        if levels:
            self.changes.append("/".join((parent.type, *levels, here.type)))
        for kind in reversed(levels):
            here = Requested.of(f"{here.path}.level", kind, 1, (here,))
        return here

    def _between(self, here: Requested, parent: Requested) -> list[str]:
        """The levels that are left out between a resource and its parent, the highest first."""
        if not here.is_slot:
            return list(chain(self.kids, parent.type, here.type) or ())[1:-1]
        places = slot_places(here, self.levels)
        if parent.type in places:
            return []
        return list(_shortest(self.kids, parent.type, places)[1:])

    def _gathered(self, siblings: Request) -> Request:
        """What is beside a single slot goes into it; equal siblings become one."""
        slots = [here for here in siblings if here.is_slot]
        others = tuple(here for here in siblings if not here.is_slot)
        if len(slots) == 1 and others and isinstance(slots[0].count, int) and slots[0].least:
            types = {kid.type for kid in slots[0].kids}
            if types.isdisjoint(other.type for other in others):
                return (self._filled(slots[0], others),)
        merged: dict[str, Requested] = {}
        joined: set[str] = set()
        for here in siblings:
            twin = merged.get(here.type)
            if twin is None or not _alike(twin, here):
                merged[here.type if twin is None else here.path] = here
            else:
                merged[here.type] = twin.with_count(twin.least + here.least)
                joined.add(here.type)
        for kind in sorted(joined):
            self.changes.append(f"one {kind} of count {merged[kind].least:,}, not several")
        return tuple(merged.values())

    def _filled(self, slot: Requested, others: Request) -> Requested:
        """The slot with its share of what is beside it."""
        if slot.count == 1:
            self.changes.append(f"{listed([o.type for o in others])} in the slot, not beside it")
            return slot.with_kids((*slot.kids, *others))
        shares = tuple(other.with_count(-(-other.least // slot.least)) for other in others)
        said = listed([self.nouns.amount(share.type, share.least) for share in shares])
        self.changes.append(f"{said} in each slot, not beside them")
        return slot.with_kids((*slot.kids, *shares))


def _alike(one: Requested, two: Requested) -> bool:
    """Two siblings of one type that differ in their count at most."""
    fixed = isinstance(one.count, int) and isinstance(two.count, int)
    same = [kid.to_json() for kid in one.kids] == [kid.to_json() for kid in two.kids]
    return fixed and same and not one.is_slot and one.exclusive == two.exclusive
