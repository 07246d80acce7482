"""Properties: their relations on a cluster, their role in a constraint, and toggling one in it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

from fluxtui.answers.explain.edit import edited, expresses, rewritten
from fluxtui.model.cancellation import Stop, never_stop
from fluxtui.model.constraint.requires import Requires, bar_text
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Properties
from fluxtui.notation.sets.idset import from_mask


class Related(NamedTuple):
    """The relation of one property to the others; properties without nodes are left out.

    same    those with exactly the same nodes
    within  its smallest supersets: those with all of its nodes and more, except supersets of others
            in this list; the fewest nodes first
    holds   its subsets, the most nodes first
    apart   those that share no node with it; the most nodes first

    Properties with equally many nodes are in document order.
    """

    same: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Relations:
    """The relations of all properties; counts has their numbers of nodes, in document order."""

    counts: Mapping[str, int]
    # Properties with the same nodes form one set; the sets are numbered by increasing size. Their
    # relations are stored as bit sets over these numbers, because with ten thousand properties
    # lists of names would not fit into memory.
    _sets: tuple[tuple[str, ...], ...] = field(repr=False)
    _number: Mapping[str, int] = field(repr=False)
    _within: list[int] = field(repr=False)
    _apart: list[int] = field(repr=False)

    def of(self, name: str) -> Related:
        """Return the relations of a property; empty if no node has it."""
        number = self._number.get(name)
        if number is None:
            return Related()
        nearest = self._within[number]
        for other in from_mask(nearest):
            nearest &= ~self._within[other]
        holds = [n for n in range(number) if self._within[n] >> number & 1]

        def names(numbers: Iterable[int]) -> tuple[str, ...]:
            return tuple(chain.from_iterable(self._sets[number] for number in numbers))

        def largest(numbers: Iterable[int]) -> tuple[str, ...]:
            return names(sorted(numbers, key=lambda number: -self.counts[self._sets[number][0]]))

        same = tuple(other for other in self._sets[number] if other != name)
        apart = from_mask(self._apart[number])
        return Related(same, names(from_mask(nearest)), largest(holds), largest(apart))


def relations(properties: Mapping[str, int], stop: Stop = never_stop) -> Relations | None:
    """Compute the relations of properties from their masks; None if cancelled.

    Two hundred properties of a million nodes take some tenths of a second.
    """
    same: dict[int, list[str]] = {}
    for name, mask in properties.items():
        same.setdefault(mask, []).append(name)
        if stop():
            return None
    sizes = {mask: mask.bit_count() for mask in same}
    counts = {name: sizes[mask] for name, mask in properties.items()}
    same.pop(0, None)
    masks = sorted(same, key=sizes.__getitem__)
    spans = [((mask & -mask).bit_length(), mask.bit_length()) for mask in masks]
    within, apart = [0] * len(masks), [0] * len(masks)
    for small, mask in enumerate(masks):
        first, last = spans[small]
        for large in range(small + 1, len(masks)):
            if stop():
                return None
            start, end = spans[large]
            # If one ends before the other begins, they need not be compared.
            common = mask & masks[large] if start <= last and first <= end else 0
            if not common:
                apart[small] |= 1 << large
                apart[large] |= 1 << small
            elif common == mask:
                within[small] |= 1 << large
    sets = tuple(tuple(same[mask]) for mask in masks)
    number = {name: n for n, names in enumerate(sets) for name in names}
    return Relations(counts, sets, number, within, apart)


# In a constraint

#: The role of a property in a constraint: every matching node has it, none has it, it is one of
#: several alternatives, or both of the first, which no node can satisfy.
Standing: TypeAlias = Literal["required", "excluded", "either", "both"]


@dataclass(frozen=True, slots=True)
class Term:
    """One occurrence of a property in a constraint.

    whole   the property with the ``not`` around it alone, if there is one
    wanted  whether nodes should have it, all negations considered
    binds   whether every matching node has to comply
    """

    part: Properties
    whole: Constraint
    wanted: bool
    binds: bool

    @property
    def name(self) -> str:
        """The property, without ``^``."""
        return self.part.values[0].removeprefix("^")

    @property
    def is_plain(self) -> bool:
        """Whether it is written without ``^``."""
        return not self.part.values[0].startswith("^")


def terms(
    part: Constraint,
    *,
    wanted: bool = True,
    binds: bool = True,
    around: Constraint | None = None,
) -> Iterator[Term]:
    """Yield the occurrences of properties in a constraint, in order.

    wanted and binds are those of the part itself; around is a ``not`` that negates it alone.
    """
    if isinstance(part, Properties) and len(part.values) == 1:
        yield Term(part, around or part, wanted != part.values[0].startswith("^"), binds)
    parts = part.parts
    inverts = isinstance(part, Not)
    wanted = wanted != inverts
    # Under a negation, ``or`` requires all of its operands and ``and`` one of them.
    binds = binds and (len(parts) == 1 or wanted != isinstance(part, Or))
    around = part if inverts and len(parts) == 1 else None
    for operand in parts:
        yield from terms(operand, wanted=wanted, binds=binds, around=around)


def standings(constraint: Constraint | None) -> dict[str, Standing]:
    """Return the role of each property in a constraint; binding occurrences take precedence."""
    by_name: dict[str, Standing] = {}
    for term in terms(constraint) if constraint is not None else ():
        before = by_name.get(term.name, "either")
        if not term.binds:
            by_name.setdefault(term.name, "either")
        elif before == ("excluded" if term.wanted else "required"):
            by_name[term.name] = "both"
        elif before == "either":
            by_name[term.name] = "required" if term.wanted else "excluded"
    return by_name


def toggled(reading: Requires, name: str, *, wanted: bool) -> str | None:
    """Return the text of a constraint after toggling a property in it, as wanted or excluded.

    If the constraint requires it already, the requirement is removed; if it requires the opposite,
    that is inverted in place; otherwise the requirement is added. A query stays a query if one can
    express the result, JSON stays JSON. None if the text is malformed, or would be too long.
    """
    constraint, is_json = reading.constraint, reading.is_json
    literal: Constraint = Properties((name if wanted or not is_json else f"^{name}",))
    if not wanted and not is_json:
        literal = Not((literal,))
    if constraint is None:
        return bar_text(literal, is_json=False) if reading.blank else None
    binding = [term for term in terms(constraint) if term.binds and term.name == name]
    edits: dict[str, Constraint | None] = {
        term.part.path: None for term in binding if term.wanted is wanted
    }
    if binding and not edits:
        first, *others = binding
        edits = {term.part.path: None for term in others}
        edits[first.whole.path] = _opposite(reading, first)
    elif not edits:
        joined: Constraint = And((constraint, literal))
        if isinstance(constraint, Properties) and isinstance(literal, Properties) and is_json:
            joined = Properties((*constraint.values, *literal.values))
        elif isinstance(constraint, And) and is_json:
            joined = And((*constraint.values, literal))
        edits = {"": joined}
    text = rewritten(reading, edits)
    after = edited(constraint, edits)
    if text is None and after is not None:  # no query expresses it
        text = bar_text(after, is_json=True)
        return text if expresses(text, after) else None
    return text


def _opposite(reading: Requires, term: Term) -> Constraint:
    if term.whole is not term.part:
        return term.part
    start, end = term.part.span or (0, 0)
    is_beside = "," in (reading.text[:start][-1:], reading.text[end:][:1])
    if term.is_plain and not reading.is_json and not is_beside:
        return Not((term.part,))
    return Properties((f"^{term.name}" if term.is_plain else term.name,))
