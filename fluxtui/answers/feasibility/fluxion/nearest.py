"""The request that Fluxion fits and that is nearest to one that it does not."""

from dataclasses import replace

from fluxtui.answers.feasibility.feasibility import Nearest, Part, amount, lowered
from fluxtui.answers.feasibility.fluxion.judge import Judge, TooMuchError, Trial
from fluxtui.answers.feasibility.fluxion.prepared_graph import Levels, PreparedGraph, projected
from fluxtui.answers.feasibility.fluxion.reading import Request, Requested, Units, replaced, walk
from fluxtui.answers.feasibility.fluxion.reasons import chain, slot_places
from fluxtui.notation.count import Range, describe
from fluxtui.notation.sets.bits import less
from fluxtui.notation.wording import listed

# Of a request with more resources than people write the counts are not lowered.
_MOST_LOWERED = 40


def nearest_request(prepared: PreparedGraph, selection: int, request: Request) -> Nearest | None:
    """The nearest request for which Fluxion would allocate something, or else that fits.

    What breaks a rule is corrected first; then as few counts as possible go down.
    """
    corrector = _Corrector(prepared.levels, prepared.units)
    corrected = corrector.siblings(request, None, under_exclusive=False)
    # Also the levels that are put in between, so that these can be judged.
    types = frozenset(each.type for each in (*walk(request), *walk(corrected)))
    up = less(selection, prepared.filterable.down)
    try:
        for strict, left in ((True, up), (False, selection)):
            root = prepared.filter(left).root
            if root is None:
                continue
            fits = Trial(Judge(prepared.leaves, strict), projected(root, types))
            found, changes = corrected, corrector.changes
            if not changes or not fits(corrected):
                fewer = _with_less(corrected, fits, prepared.units)
                if fewer is None:
                    continue
                found, changes = fewer[0], [*changes, *fewer[1]]
            return Nearest(tuple(each.to_json() for each in found), "; ".join(changes))
    except TooMuchError:
        pass
    return None


def _with_less(request: Request, fits: Trial, units: Units) -> tuple[Request, list[str]] | None:
    """The request with other counts, so that it fits, and what was changed; None if none do."""
    if sum(1 for _ in walk(request)) > _MOST_LOWERED:
        return None
    # A range in a slot, of which Fluxion takes too much, becomes the largest count that fits.
    for wanted in walk(request):
        count = fits.largest(request, wanted)
        if count is not None:
            found = replaced(request, wanted.path, count)
            return (found, [_change(wanted, count, units)]) if fits(found) else None
    lowerable = [wanted for wanted in walk(request) if wanted.least > 1]
    parts = [Part(one.least, 1, one.least) for one in lowerable]

    def put(request: Request, place: int, count: int) -> Request:
        return replaced(request, lowerable[place].path, count)

    in_slots = {kid.path for one in walk(request) if one.is_slot for kid in walk(one.kids)}
    changes = []
    for place, least in sorted(lowered(request, parts, put, fits).items()):
        wanted = lowerable[place]
        old = wanted.count
        new: int | Range = least
        # A range only begins lower; in a slot it becomes a number, since Fluxion takes all of it.
        if isinstance(old, Range) and old.operator == "+" and wanted.path not in in_slots:
            new = replace(old, min=least)
        if new != old:
            request = replaced(request, wanted.path, new)
            changes.append(_change(wanted, new, units))
    return (request, changes) if changes and fits(request) else None


def _change(wanted: Requested, count: int | Range, units: Units) -> str:
    """``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
    if isinstance(count, Range):
        return f"at least {amount(wanted.type, count.min, units)}, not {wanted.least:,}"
    old = wanted.count
    was = describe(old) if isinstance(old, Range) else f"{old:,}"
    return f"{amount(wanted.type, count, units)}, not {was}"


class _Corrector:
    """Takes out of a request what breaks a rule, as far as that asks for nothing else.

    changes says what, such as ``node/socket/core``.
    """

    def __init__(self, levels: Levels, units: Units) -> None:
        self.levels = levels
        self.units = units
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
        # The levels that are left out between the two, the highest first.
        left_out = chain(self.levels, parent.type, [here.type])[1:-1]
        if here.is_slot:
            places = slot_places(here, self.levels)
            at_parent = parent.type in places
            left_out = () if at_parent else chain(self.levels, parent.type, places)[1:]
        if left_out:
            self.changes.append("/".join((parent.type, *left_out, here.type)))
        for kind in reversed(left_out):
            here = Requested.of(f"{here.path}.level", kind, 1, (here,))
        return here

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
        said = listed([amount(share.type, share.least, self.units) for share in shares])
        self.changes.append(f"{said} in each slot, not beside them")
        return slot.with_kids((*slot.kids, *shares))


def _alike(one: Requested, two: Requested) -> bool:
    """Two siblings of one type that differ in their count at most."""
    fixed = isinstance(one.count, int) and isinstance(two.count, int)
    same = [kid.to_json() for kid in one.kids] == [kid.to_json() for kid in two.kids]
    return fixed and same and not one.is_slot and one.exclusive == two.exclusive
