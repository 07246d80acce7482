"""Rules of Fluxion that a request breaks whatever the numbers: siblings, levels, exclusive.

Each function gives what is wrong, by path in the request; empty where nothing is.
"""

from collections.abc import Mapping, Set

from fluxtui.answers.feasibility.fluxion.request import Want, each
from fluxtui.answers.feasibility.fluxion.words import a, listed
from fluxtui.notation.problem import Problem, at

#: The types of vertices with those of their children, as the graph has them.
Levels = Set[tuple[str, frozenset[str]]]


def broken(wants: tuple[Want, ...]) -> list[Problem]:
    """What never fits on any graph."""
    found: list[Problem] = []
    if sum(want.slot for want in wants) > 1:
        second = [want for want in wants if want.slot][1]
        found.append(_problem("two slots side by side at the top never fit (Fluxion)", second.path))
    _broken(wants, None, "", found)
    return found


def _broken(
    wants: tuple[Want, ...], parent: Want | None, holder: str, found: list[Problem]
) -> None:
    """Siblings, below what is exclusive if a holder is named."""
    others = [want for want in wants if not want.slot]
    for want in wants:
        if want.slot and others:
            kinds = listed([other.type for other in others])
            message = (
                f"a slot beside another resource never fits (Fluxion); put {kinds} into the slot"
            )
            found.append(_problem(message, want.path))
        if want.slot and parent is not None and parent.slot:
            found.append(_problem("a slot directly in a slot never forms (Fluxion)", want.path))
        if want.slot and not want.kids:
            found.append(_problem("a slot with nothing in it never forms (Fluxion)", want.path))
        if not want.least:
            found.append(_problem("a count of 0 never fits (Fluxion)", want.where))
        if holder and want.exclusive is False and not want.slot:
            message = f"exclusive is false below {holder}, which Fluxion never fits"
            found.append(_problem(message, at(want.path, "exclusive")))
    _twins(others, found)
    for want in wants:
        held = holder or ("a slot" if want.slot else "")
        if not held and want.exclusive:
            held = f"an exclusive {want.type}"
        _broken(want.kids, want, held, found)


def _twins(wants: list[Want], found: list[Problem]) -> None:
    seen: set[str] = set()
    for want in wants:
        if want.type in seen:
            message = f"two siblings of type {want.type} never fit (Fluxion)"
            found.append(_problem(message, want.path))
        seen.add(want.type)


def misplaced(wants: tuple[Want, ...], levels: Levels, graph: str) -> list[Problem]:
    """What the graph has nowhere, or not where the request looks for it; graph is what it is."""
    found: list[Problem] = []
    waiting: list[tuple[Want, Want | None]] = [(want, None) for want in wants]
    kids = children(levels)
    while waiting:
        want, parent = waiting.pop()
        problem = None
        if want.slot:
            problem = _slot(want, parent, levels, graph)
        elif want.type not in kids:
            problem = _problem(f"{graph} has no {want.type}", at(want.path, "type"))
        elif parent is not None and not parent.slot and want.type not in kids[parent.type]:
            problem = _level(want, parent, kids)
        if problem is None:
            waiting.extend((kid, want) for kid in want.kids)
        else:
            found.append(problem)
    return sorted(found, key=lambda problem: problem.path or "")


def _level(want: Want, parent: Want, kids: Mapping[str, Set[str]]) -> Problem:
    """A type that is no direct child of that above it."""
    way = chain(kids, parent.type, want.type)
    if way is None:
        message = f"no {parent.type} of this graph has {a(want.type)} below it"
        return _problem(message, want.path)
    written = "/".join(way)
    message = f"{want.type} is not a direct child of {parent.type} in this graph: write {written}"
    return _problem(message, want.path, written)


def _slot(slot: Want, parent: Want | None, levels: Levels, graph: str) -> Problem | None:
    """A slot that has no vertex to form at."""
    types = {kid.type for kid in slot.kids}
    kids = children(levels)
    for kid in slot.kids:
        if kid.type not in kids:
            return _problem(f"{graph} has no {kid.type}", at(kid.path, "type"))
    places = {kind for kind, inner in levels if types <= inner}
    what = listed(sorted(types))
    if not places:
        message = f"no vertex of this graph has {what} among its children, so no slot forms"
        return _problem(message, slot.path)
    if parent is None or parent.type in places or not places.isdisjoint(kids[parent.type]):
        return None
    ways = [way for place in sorted(places) if (way := chain(kids, parent.type, place))]
    if not ways:
        message = f"no {parent.type} of this graph has {what} below it, as a slot needs"
        return _problem(message, slot.path)
    written = "/".join((*min(ways, key=len), "slot"))
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
    """The types from one down to another, as few as can be; None where there is no way."""
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


def oddities(wants: tuple[Want, ...]) -> list[Problem]:
    """What Fluxion reads in a way nobody means: of several slots side by side only the last."""
    return [
        _problem(
            f"of the {len(want.kids)} slots side by side Fluxion counts and gives what is in the "
            f"last one only",
            want.kids[0].path,
        )._replace(severity="warning")
        for want in each(wants)
        if len(want.kids) > 1 and all(kid.slot for kid in want.kids)
    ]


def forgotten(wants: tuple[Want, ...], levels: Levels) -> Problem:
    """The slot that Fluxion finds one level too low, and then gives nothing for it."""
    kids, found = children(levels), None
    for want in each(wants):
        slot = want.kids[0] if want.kids and want.kids[0].slot else None
        if slot is None:
            continue
        types = {kid.type for kid in slot.kids}
        lower = sorted(kind for kind, inner in levels if types <= inner)
        lower = [kind for kind in lower if kind in kids[want.type]]
        if lower:
            found = (slot, f"{want.type}/{lower[0]}/slot")
            break
    where, written = (found[0].path, found[1]) if found else (wants[0].path, "")
    message = (
        "Fluxion calls this satisfiable and then gives nothing for it, since the slot forms one "
        f"level lower than it stands: write {written}"
    )
    return _problem(message, where, written)._replace(severity="warning")


def _problem(message: str, path: str, *expected: str) -> Problem:
    return Problem(message, None, path, expected, "RFC 14")
