"""Fluxion's decision on forms: does a request fit an empty graph, the first match counting.

A vertex matches a want when it has its type, no constraint keeps it out, and for each child of
the want its own children that match have units enough. Levels may be left out only above the
first match. README, "How Fluxion decides", says the rest in numbers.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from fluxtui.answers.feasibility.fluxion.request import Want
from fluxtui.answers.feasibility.fluxion.subtree_classes import Form

# Fluxion counts these at every vertex and looks no further where there are too few below.
COUNTED = ("core", "node")


@dataclass(slots=True)
class Judge:
    """Judges wants on forms, and keeps what it found.

    leaves  the types that have a vertex without children; counted at clusters only
    strict  also asks that Fluxion would really allocate something: a slot that forms one level
            below the vertex that should hold it is found by Fluxion and then forgotten
    """

    leaves: Set[str] = frozenset()
    strict: bool = False
    _fits: dict[tuple[Form, Want, bool], bool] = field(default_factory=dict)
    _slots: dict[tuple[Form, Want], int] = field(default_factory=dict)
    _found: dict[tuple[Form, tuple[Want, ...]], Mapping[str, int]] = field(default_factory=dict)

    @property
    def work(self) -> int:
        """How much was judged so far: what two judges have in common counts for each."""
        return len(self._fits) + len(self._slots) + len(self._found)

    def satisfied(self, root: Form, wants: tuple[Want, ...]) -> bool:
        """Whether a graph has room for a request; wants are those at its top."""
        if conflict(wants) or not wants or (wants[0].slot and len(wants) > 1):
            return False
        found = self.found(root, wants)
        return all(0 < want.least <= found.get(want.type, 0) for want in wants)

    def found(self, form: Form, wants: tuple[Want, ...]) -> Mapping[str, int]:
        """The units of each type that the wants at the top find at a vertex and below.

        A vertex of a wanted type hides what is below it, and so does one at which a slot forms.
        """
        key = (form, wants)
        if key not in self._found:
            self._found[key] = self._look(form, wants)
        return self._found[key]

    def _look(self, form: Form, wants: tuple[Want, ...]) -> Mapping[str, int]:
        if not form.size:
            return {}
        for want in wants:
            if want.slot:
                if not self.enough(form, want):
                    return {}
                if forms_at(form, want):
                    return {want.type: self.slots(form, want)}
            elif want.type == form.type:
                return {want.type: form.size} if self.fits(form, want, False) else {}
        total: dict[str, int] = {}
        for kid, times in form.kids:
            if kid.kids or any(want.type == kid.type for want in wants):
                for kind, units in self.found(kid, wants).items():
                    total[kind] = total.get(kind, 0) + units * times
        return total

    def fits(self, form: Form, want: Want, held: bool) -> bool:
        """Whether a vertex of the wanted type matches; held where all above is exclusive."""
        key = (form, want, held)
        found = self._fits.get(key)
        if found is None:
            found = self._fits[key] = self._matches(form, want, held)
        return found

    def _matches(self, form: Form, want: Want, held: bool) -> bool:
        held = held or want.exclusive is True
        if held and want.exclusive is False:
            return False
        if not form.size or not self.enough(form, want) or conflict(want.kids):
            return False
        if want.kids and want.kids[-1].slot:
            formed = self.formed(form, want, held)
            return all(0 < slot.least <= formed for slot in want.kids)
        return all(0 < kid.least <= self.units(form, kid, held) for kid in want.kids)

    def units(self, form: Form, want: Want, held: bool) -> int:
        """The units of the children of a vertex that match a want."""
        return sum(
            kid.size * times
            for kid, times in form.kids
            if kid.type == want.type and self.fits(kid, want, held)
        )

    def formed(self, form: Form, want: Want, held: bool) -> int:
        """How many slots form for a want that holds them: at the vertex, or one level lower."""
        slot = want.kids[-1]
        if forms_at(form, slot):
            return self.slots(form, slot)
        if len(want.kids) > 1 or (self.strict and not held):
            return 0
        return sum(
            self.slots(kid, slot) * times
            for kid, times in form.kids
            if kid.size and forms_at(kid, slot) and self.enough(kid, slot)
        )

    def slots(self, form: Form, slot: Want) -> int:
        """How many slots form at a vertex whose children have all types of the slot.

        Fluxion looks for as many as are wanted at their largest, then gives each slot the
        largest legal count of what it has found, always in whole vertices.
        """
        key = (form, slot)
        found = self._slots.get(key)
        if found is None:
            clash = conflict(slot.kids) or any(kid.slot for kid in slot.kids)
            each = [self.bundles(form, kid, slot.most) for kid in slot.kids]
            found = self._slots[key] = 0 if clash else min(each, default=0)
        return found

    def bundles(self, form: Form, want: Want, times: int) -> int:
        """For how many of so many slots the children of a vertex suffice."""
        if want.type in form.uneven:
            return self._packed(form, want, times)
        units, share = self.share(form, want, times)
        if not share:
            return 0
        size = form.kids_of(want.type)[0][0].size
        return units // size // -(-share // size)

    def share(self, form: Form, want: Want, times: int) -> tuple[int, int]:
        """The units that Fluxion finds for so many slots, and how many of them each slot takes."""
        if want.type in form.uneven:
            found = self._looked(form, want, times)
            units = sum(found.values())
        else:
            fitting = [(kid, n) for kid, n in form.kids_of(want.type) if self.fits(kid, want, True)]
            if not fitting:
                return 0, 0
            size = fitting[0][0].size
            units = min(sum(n for _, n in fitting), -(-want.most // size) * times) * size
        return units, want.greatest(units) if want.least else 0

    def _packed(self, form: Form, want: Want, times: int) -> int:
        """The same where sizes differ, so that the order makes a difference."""
        sizes = self._looked(form, want, times)
        share = want.greatest(sum(sizes.values())) if want.least else 0
        order = [sizes[at] for at in form.uneven[want.type].packed if at in sizes]
        return packed(order, share) if share else 0

    def _looked(self, form: Form, want: Want, times: int) -> dict[int, int]:
        """The places and sizes of the children that Fluxion takes note of for so many slots."""
        sizes: dict[int, int] = {}
        shares = units = 0
        for place, kid in enumerate(form.uneven[want.type].looked):
            if shares < times and self.fits(kid, want, True):
                sizes[place] = kid.size
                units += kid.size
                if units >= want.most:
                    shares, units = shares + 1, 0
        return sizes

    def enough(self, form: Form, want: Want) -> bool:
        """Fluxion goes below a vertex only where it counts enough of some types below it."""
        if not form.present:
            return True
        cluster = form.type == "cluster"
        return all(
            units <= form.below.get(kind, 0)
            for kind, units in want.need.items()
            if (kind in COUNTED and kind != form.type) or (cluster and kind in self.leaves)
        )


def forms_at(form: Form, slot: Want) -> bool:
    """A slot forms at a vertex whose children have all types of the slot."""
    return all(kid.type in form.present for kid in slot.kids)


def packed(sizes: list[int], share: int) -> int:
    """How many bundles of at least a share of units whole vertices make, taken in order."""
    bundles = units = 0
    for size in sizes:
        units += size
        if units >= share:
            bundles, units = bundles + 1, 0
    return bundles


def conflict(wants: tuple[Want, ...]) -> bool:
    """Siblings that Fluxion never finds together: of one type, or a slot and another type."""
    slots = sum(want.slot for want in wants)
    if slots:
        return slots < len(wants)
    return len({want.type for want in wants}) < len(wants)


def visible(form: Form, wants: tuple[Want, ...]) -> dict[str, dict[Form, int]]:
    """What Fluxion looks at for each want at the top: vertices of its type, by form.

    For a slot they are those at which it forms. What is below them is hidden.
    """
    memo: dict[Form, dict[str, dict[Form, int]]] = {}

    def look(form: Form) -> dict[str, dict[Form, int]]:
        if form in memo:
            return memo[form]
        found: dict[str, dict[Form, int]] = {want.type: {} for want in wants}
        here = next(
            (w for w in wants if w.type == form.type or (w.slot and forms_at(form, w))), None
        )
        if here is not None:
            found[here.type][form] = 1
        else:
            for kid, times in form.kids:
                for kind, forms in look(kid).items():
                    for its, count in forms.items():
                        found[kind][its] = found[kind].get(its, 0) + count * times
        memo[form] = found
        return found

    return look(form)
