"""Whether a request of any RFC 14 form fits a resource graph, as Fluxion decides it.

The rules are those of Fluxion with its policy ``first`` on an idle graph, quirks included, except
that constraints are matched by RFC 31.
"""

from collections.abc import Mapping
from dataclasses import replace

from fluxtui.answers.feasibility.feasibility import (
    CONSTRAINT,
    Feasibility,
    Nearest,
    amount,
    lowered,
)
from fluxtui.answers.feasibility.fluxion import reading, reasons
from fluxtui.answers.feasibility.fluxion.judge import Counter, Judge, TooMuchError, Trial
from fluxtui.answers.feasibility.fluxion.placement import place
from fluxtui.answers.feasibility.fluxion.prepared_graph import Levels, PreparedGraph
from fluxtui.answers.feasibility.fluxion.reading import NAME, Request, Requested, replaced, walk
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import ROOT, ResourceRequest
from fluxtui.notation.count import Range, describe
from fluxtui.notation.problem import capped, listed
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import from_mask


def check_feasibility(
    request: ResourceRequest,
    constraint: object,
    prepared: PreparedGraph,
    allowed: int | None = None,
    *,
    with_placement: bool = True,
    downwards: bool = False,
) -> Feasibility:
    """Return whether Fluxion can ever satisfy a request, and with which vertices.

    with_placement requests a placement, counts and the nearest request besides the verdict. allowed
    is a mask of nodes, which excludes no vertex without a rank; without a graph it replaces the
    constraint. downwards is as for `place`. Warnings say why Fluxion calls a request satisfiable
    but would allocate nothing.
    """
    value = None
    if constraint is not None and (prepared.graph is not None or allowed is None):
        value, problems = tree.read(constraint, CONSTRAINT)
        if value is None:
            errors = tuple(p for p in problems if p.severity == "error")
            words = f"Jobspec error: {reading.constraint_refusal(constraint)}"
            return Feasibility(NAME, False, words, errors)
    parsed = reading.read(request, prepared.types)
    if isinstance(parsed, Feasibility):
        return parsed
    selection = prepared.select(value, allowed)
    filtered, judge = prepared.filter(selection), Judge(prepared.leaves)
    root, notes = filtered.root_for(parsed), reading.empty_or(value)
    if root is None or not judge.satisfied(root, parsed):
        near = _nearest(prepared, selection, parsed) if with_placement else None
        problems = capped((*reasons.why_not(filtered, parsed, judge), *notes))
        return Feasibility(NAME, False, "Unsatisfiable request", problems, fits=0, nearest=near)
    if not with_placement:
        return Feasibility(NAME, True)
    most = Trial(judge, root).largest_of_ranges(parsed)
    strict, quirks = Judge(prepared.leaves, strict=True), reasons.quirks(parsed)
    up = prepared.filter(less(selection, prepared.filterable.down))
    up_root = up.root_for(parsed)
    if up_root is not None and strict.satisfied(up_root, parsed) and not quirks:
        placement = place(up, strict, parsed, downwards=downwards)
        fits = Counter(strict).fits(up_root, parsed)
        problems = capped((*reasons.shared(parsed), *notes))
        return Feasibility(NAME, True, "", problems, placement, fits, most)
    if not quirks and not strict.satisfied(root, parsed):
        quirks = [reasons.forgotten(parsed, prepared.levels)]
    elif not quirks and prepared.graph is not None:
        rows, types = list(prepared.filterable.numbers), prepared.graph.types
        down = {types[rows[number]] for number in from_mask(prepared.filterable.down)}
        what = listed(sorted(down))
        message = f"Fluxion calls this satisfiable, but only by using what is down: {what}"
        quirks = [reasons.problem(message, ROOT, severity="warning")]
    return Feasibility(NAME, True, reasons=(*quirks, *notes), largest=most)


def _nearest(prepared: PreparedGraph, selection: int, request: Request) -> Nearest | None:
    """Return the nearest request for which Fluxion would allocate something, or else that fits.

    Violated rules are corrected first; then as few counts as possible are lowered.
    """
    corrector = _Corrector(prepared.levels, prepared.units)
    corrected = corrector.siblings(request)
    up = less(selection, prepared.filterable.down)
    try:
        for strict, left in ((True, up), (False, selection)):
            # The graph has to keep the levels that were inserted as well.
            root = prepared.filter(left).root_for((*request, *corrected))
            if root is None:
                continue
            fits = Trial(Judge(prepared.leaves, strict), root)
            found, changes = corrected, corrector.changes
            if not changes or not fits(corrected):
                fewer = _with_lower_counts(corrected, fits, prepared.units)
                if fewer is None:
                    continue
                found, changes = fewer[0], [*changes, *fewer[1]]
            return Nearest(tuple(each.to_json() for each in found), "; ".join(changes))
    except TooMuchError:
        pass
    return None


def _with_lower_counts(
    request: Request, fits: Trial, units: Mapping[str, str]
) -> tuple[Request, list[str]] | None:
    """Return the request with other counts so that it fits, and the changes; None if none do."""
    if len(list(walk(request))) > 40:  # more resources than anybody writes
        return None
    # A range in a slot, which Fluxion takes greedily, becomes the largest count that fits.
    for wanted in walk(request):
        count = fits.largest(request, wanted)
        if count is not None:
            found = replaced(request, wanted.path, count)
            return (found, [_change(wanted, count, units)]) if fits(found) else None
    lowerable = [wanted for wanted in walk(request) if wanted.least > 1]
    bounds = [(1, one.least) for one in lowerable]

    def put(request: Request, index: int, count: int) -> Request:
        return replaced(request, lowerable[index].path, count)

    in_slots = {kid.path for one in walk(request) if one.is_slot for kid in walk(one.kids)}
    changes = []
    for index, least in sorted(lowered(request, bounds, put, fits).items()):
        wanted = lowerable[index]
        old = wanted.count
        new: int | Range = least
        # A range only begins lower; in a slot it becomes a number, as Fluxion takes it greedily.
        if isinstance(old, Range) and old.operator == "+" and wanted.path not in in_slots:
            new = replace(old, min=least)
        if new != old:
            request = replaced(request, wanted.path, new)
            changes.append(_change(wanted, new, units))
    return (request, changes) if changes and fits(request) else None


def _change(wanted: Requested, count: int | Range, units: Mapping[str, str]) -> str:
    """Describe a change: ``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
    if isinstance(count, Range):
        return f"at least {amount(wanted.type, count.min, units)}, not {wanted.least:,}"
    old = wanted.count
    was = describe(old) if isinstance(old, Range) else f"{old:,}"
    return f"{amount(wanted.type, count, units)}, not {was}"


class _Corrector:
    """Corrects violated rules in a request, without changing what it asks for."""

    def __init__(self, levels: Levels, units: Mapping[str, str]) -> None:
        self.levels = levels
        self.units = units
        self.changes: list[str] = []

    def siblings(
        self, siblings: Request, parent: Requested | None = None, under_exclusive: bool = False
    ) -> Request:
        return tuple(self._fixed(here, parent, under_exclusive) for here in self._grouped(siblings))

    def _fixed(self, here: Requested, parent: Requested | None, under_exclusive: bool) -> Requested:
        if under_exclusive and here.exclusive is False and not here.is_slot:
            self.changes.append(f"{here.type} without exclusive: false")
            here = replace(here, exclusive=None)
        inner = under_exclusive or here.is_slot or here.exclusive is True
        here = replace(here, kids=self.siblings(here.kids, here, inner))
        if parent is None or parent.is_slot:
            return here
        # The levels missing between the two, the highest first.
        missing = reasons.chain(self.levels, parent.type, [here.type])[1:-1]
        if here.is_slot:
            places = reasons.slot_places(here, self.levels)
            way = reasons.chain(self.levels, parent.type, places)
            missing = () if parent.type in places else way[1:]
        if missing:
            self.changes.append("/".join((parent.type, *missing, here.type)))
        for kind in reversed(missing):
            here = Requested(f"{here.path}.level", kind, 1, (here,))
        return here

    def _grouped(self, siblings: Request) -> Request:
        """Move the siblings of a single slot into it, and merge equal siblings."""
        slots = [here for here in siblings if here.is_slot]
        others = tuple(here for here in siblings if not here.is_slot)
        if len(slots) == 1 and others and isinstance(slots[0].count, int) and slots[0].least:
            slot, types = slots[0], {kid.type for kid in slots[0].kids}
            if types.isdisjoint(other.type for other in others):
                shares = tuple(replace(one, count=-(-one.least // slot.least)) for one in others)
                amounts = listed([amount(one.type, one.least, self.units) for one in shares])
                change = f"{amounts} in each slot, not beside them"
                if slot.count == 1:
                    change = f"{listed([o.type for o in others])} in the slot, not beside it"
                self.changes.append(change)
                inner = others if slot.count == 1 else shares
                return (replace(slot, kids=(*slot.kids, *inner)),)
        merged: dict[str, Requested] = {}
        joined: set[str] = set()
        for here in siblings:
            twin = merged.get(here.type)
            if twin is None or not _alike(twin, here):
                merged[here.type if twin is None else here.path] = here
            else:
                merged[here.type] = replace(twin, count=twin.least + here.least)
                joined.add(here.type)
        for kind in sorted(joined):
            self.changes.append(f"one {kind} of count {merged[kind].least:,}, not several")
        return tuple(merged.values())


def _alike(one: Requested, two: Requested) -> bool:
    fixed = isinstance(one.count, int) and isinstance(two.count, int)
    same = [kid.to_json() for kid in one.kids] == [kid.to_json() for kid in two.kids]
    return fixed and same and not one.is_slot and one.exclusive == two.exclusive
