"""Puts right what breaks a rule of Fluxion, where that asks for nothing else."""

from collections.abc import Mapping, Set

from fluxtui.answers.feasibility.fluxion.request import Want, want
from fluxtui.answers.feasibility.fluxion.rules import Levels, chain, children
from fluxtui.answers.feasibility.fluxion.words import Nouns, listed

Wants = tuple[Want, ...]


def mended(wants: Wants, levels: Levels, nouns: Nouns) -> tuple[Wants, list[str]]:
    """The wants with what can be put right, and what was changed, such as ``node/socket/core``."""
    mender = _Mender(levels, nouns)
    changed = mender.siblings(wants, None, held=False)
    return changed, mender.changes


class _Mender:
    """Goes through a request, parents first."""

    def __init__(self, levels: Levels, nouns: Nouns) -> None:
        self.nouns = nouns
        self.levels = levels
        self.kids: Mapping[str, Set[str]] = children(levels)
        self.changes: list[str] = []

    def siblings(self, wants: Wants, parent: Want | None, *, held: bool) -> Wants:
        """Siblings below a parent; held is what is below a slot or something exclusive."""
        wants = self._gathered(wants)
        return tuple(self._one(here, parent, held) for here in wants)

    def _one(self, here: Want, parent: Want | None, held: bool) -> Want:
        if held and here.exclusive is False and not here.slot:
            self.changes.append(f"{here.type} without exclusive: false")
            here = want(here.path, here.type, here.count, here.kids, None, here.raw)
        inner = held or here.slot or here.exclusive is True
        here = here.with_kids(self.siblings(here.kids, here, held=inner))
        if parent is None or parent.slot:
            return here
        for kind in self._missing(here, parent):
            here = want(f"{here.path}.level", kind, 1, (here,))
        return here

    def _missing(self, here: Want, parent: Want) -> list[str]:
        """The levels that are left out between a want and its parent, the lowest first."""
        levels = self._between(here, parent)
        if levels:
            self.changes.append("/".join((parent.type, *levels, here.type)))
        return levels[::-1]

    def _between(self, here: Want, parent: Want) -> list[str]:
        if not here.slot:
            return list(chain(self.kids, parent.type, here.type) or ())[1:-1]
        types = {kid.type for kid in here.kids}
        places = sorted(kind for kind, inner in self.levels if types <= inner)
        if parent.type in places:
            return []
        ways = [way for place in places if (way := chain(self.kids, parent.type, place))]
        shortest = min(ways, key=len) if ways else ()
        return list(shortest[1:])

    def _filled(self, slot: Want, others: Wants) -> Want:
        """The slot with its share of what stands beside it."""
        if slot.count == 1:
            self.changes.append(f"{listed([o.type for o in others])} in the slot, not beside it")
            return slot.with_kids((*slot.kids, *others))
        shares = tuple(other.with_count(-(-other.least // slot.least)) for other in others)
        said = listed([self.nouns.many(share.type, share.least) for share in shares])
        self.changes.append(f"{said} in each slot, not beside them")
        return slot.with_kids((*slot.kids, *shares))

    def _gathered(self, wants: Wants) -> Wants:
        """What stands beside a single slot goes into it; equal siblings become one."""
        slots = [here for here in wants if here.slot]
        others = tuple(here for here in wants if not here.slot)
        if len(slots) == 1 and others and isinstance(slots[0].count, int) and slots[0].least:
            types = {kid.type for kid in slots[0].kids}
            if types.isdisjoint(other.type for other in others):
                return (self._filled(slots[0], others),)
        merged: dict[str, Want] = {}
        joined: set[str] = set()
        for here in wants:
            twin = merged.get(here.type)
            if twin is None or not _alike(twin, here):
                merged[here.type if twin is None else here.path] = here
            else:
                merged[here.type] = twin.with_count(twin.least + here.least)
                joined.add(here.type)
        for kind in sorted(joined):
            self.changes.append(f"one {kind} of count {merged[kind].least:,}, not several")
        return tuple(merged.values())


def _alike(one: Want, two: Want) -> bool:
    """Two siblings of one type that differ in their count at most."""
    fixed = isinstance(one.count, int) and isinstance(two.count, int)
    same = [kid.to_json() for kid in one.kids] == [kid.to_json() for kid in two.kids]
    return fixed and same and not one.slot and one.exclusive == two.exclusive
