"""Constraints as rows of conditions, and the laws of logic that make them shorter (RFC 31).

``not`` goes down to the single conditions, so that there are only rows of ``and`` and of ``or``,
each within the other, of conditions that hold or do not.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

from fluxtui.answers.explain import simplest_sets as sets
from fluxtui.answers.explain.simplest_sets import Among, Places, Sort
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Properties,
    Ranks,
)

Kind = Literal["and", "or"]

OTHER: dict[Kind, Kind] = {"and": "or", "or": "and"}

#: Conditions that are compared for rows within others, and to find what rows share, and parts of
#: lists that are compared with others. What else is
#: done grows with the constraint, so that only its size bounds the time (`forms.MAX_PARTS`).
WORK = 12_000
#: Times that what is known of one part is used for the others.
PASSES = 20


class Has(NamedTuple):
    """A property, wanted or not."""

    name: str
    wanted: bool


class Long(NamedTuple):
    """A list of hosts that is too long to look at, wanted or not."""

    name: Hostlist
    wanted: bool


class Row:
    """Two items or more that all hold, or of which any holds. One object for all that are equal."""

    __slots__ = ("items", "kind", "members")

    def __init__(self, kind: Kind, items: tuple["Item", ...]) -> None:
        self.kind = kind
        self.items = items
        self.members = frozenset(items)


Item: TypeAlias = bool | Has | Long | Among | Row


class Laws:
    """Makes rows, none of which has an operand that says nothing; for one constraint."""

    def __init__(self, length: Callable[[Item, Kind | None], int], named: int) -> None:
        """Take what tells the characters of an item, in a row of some kind or alone.

        Of lists of hosts, so many names may be looked at one by one.
        """
        self.length = length
        self.work = WORK
        self.named = named
        #: What lists of hosts name, by their texts.
        self.places: dict[tuple[str, ...], Places | None] = {}
        #: Lists as they were written.
        self.written: dict[Places, str] = {}
        self.rows: dict[tuple[Kind, frozenset[Item]], Row] = {}
        self.opposites: dict[Row, Row] = {}
        self.better: dict[Row, Item] = {}
        self.names: dict[str | Hostlist, bool] = {}
        self.domains: dict[Sort, Among] = {}

    # From a constraint

    def read(self, constraint: Constraint, wanted: bool = True) -> Item:
        """A constraint, or its opposite."""
        match constraint:
            case Everything():
                return wanted
            case Properties(values):
                kind: Kind = "and" if wanted else "or"
                return self.row(kind, (_property(value, wanted) for value in values))
            case Hostlist() | Ranks():
                return self.listed(constraint, wanted)
        if not constraint.values:
            return isinstance(constraint, Not) is not wanted
        kind = "and" if isinstance(constraint, And | Not) else "or"
        wanted = wanted is not isinstance(constraint, Not)
        parts = [self.read(value, wanted) for value in constraint.values]
        return self.row(kind if wanted else OTHER[kind], parts)

    def listed(self, constraint: Hostlist | Ranks, wanted: bool) -> Item:
        """A list, which is kept as it is written where nothing shorter says it."""
        places = self.looked_at(constraint)
        if places is None:
            assert isinstance(constraint, Hostlist)
            return Long(constraint, wanted)
        if not places.parts:
            return not wanted
        if len(constraint.values) == 1:
            self.written.setdefault(places, constraint.values[0])
        return Among(places, wanted)

    def looked_at(self, constraint: Hostlist | Ranks) -> Places | None:
        """What a list names, the same each time; None where too many names were looked at."""
        if isinstance(constraint, Ranks):
            return sets.read(constraint)
        if constraint.values not in self.places:
            count = sets.named(constraint)
            fits = count <= self.named
            self.named -= count if fits else 0
            self.places[constraint.values] = sets.read(constraint) if fits else None
        return self.places[constraint.values]

    # Rows

    def row(self, kind: Kind, items: Iterable[Item]) -> Item:
        """All of some items, or any of them: what is the same or says nothing is left out."""
        decides = kind == "or"
        given = dict.fromkeys(items)
        flat: dict[Item, None] = {}
        for item in given:
            if isinstance(item, bool):
                if item is decides:
                    return decides
            elif isinstance(item, Row) and item.kind == kind:
                flat.update(dict.fromkeys(item.items))
            else:
                flat[item] = None
        placed = [item for item in flat if isinstance(item, Among)]
        if len(placed) > 1:
            joined = sets.joined(placed, any_of=decides)
            if joined is None:
                return decides
            # Each is put in once: to hash it takes as long as it has parts.
            flat = dict.fromkeys(
                one
                for item in flat
                if (one := joined.pop(item.places.sort, None) if isinstance(item, Among) else item)
                is not None
            )
        if any(self.opposite(one) in flat or self.opposite(one) in given for one in flat):
            return decides
        if len(flat) < 2:
            return next(iter(flat), not decides)
        key = (kind, frozenset(flat))
        found = self.rows.get(key)
        if found is None:
            found = self.rows[key] = Row(kind, tuple(flat))
        return found

    def opposite(self, item: Item) -> Item:
        """What holds where an item does not."""
        if isinstance(item, bool):
            return not item
        if not isinstance(item, Row):
            return item._replace(wanted=not item.wanted)
        found = self.opposites.get(item)
        if found is None:
            # No law makes it any shorter, where none does so with the item.
            items = tuple(map(self.opposite, item.items))
            key = (OTHER[item.kind], frozenset(items))
            found = self.rows.setdefault(key, Row(OTHER[item.kind], items))
            self.opposites[item] = found
            self.opposites[found] = item
        return found

    # What is known

    def reduced(self, item: Item) -> Item:
        """The same without what follows from the rest of the row, or from the rows around it.

        Within ``a&(...)`` a holds, and within ``a|(...)`` it does not.
        """
        for _ in range(PASSES):
            before, item = item, self.under(item)
            if item is before:
                break
        return item

    def under(self, item: Item) -> Item:
        """What is left of an item where some names and lists are known."""
        if isinstance(item, Row):
            return self.under_row(item)
        if isinstance(item, Has | Long):
            known = self.names.get(item.name)
            return item if known is None else known is item.wanted
        if isinstance(item, Among) and item.places.sort in self.domains:
            domain = self.domains[item.places.sort]
            self.work -= len(domain.places.parts)
            if self.work < 0:
                return item
            if sets.both(domain, item) is None:
                return False
            if sets.both(domain, item._replace(wanted=not item.wanted)) is None:
                return True
        return item

    def under_row(self, row: Row) -> Item:
        """A row; its single conditions are known in the rows within it."""
        holds = row.kind == "and"
        left: dict[Item, Item]
        left = {item: self.under(item) for item in row.items if not isinstance(item, Row)}
        single = self.row(row.kind, left.values())
        if single is not holds and isinstance(single, bool):
            return single
        domains = dict(self.domains)
        names = []
        for item in single.items if isinstance(single, Row) else (single,):
            if isinstance(item, Has | Long):
                self.names[item.name] = item.wanted is holds
                names.append(item.name)
            elif isinstance(item, Among):
                self.limit(item._replace(wanted=item.wanted is holds))
        left |= {item: self.under_row(item) for item in row.items if isinstance(item, Row)}
        for name in names:
            del self.names[name]
        self.domains = domains
        found = self.row(row.kind, [left[item] for item in row.items])
        return self.absorbed(found) if isinstance(found, Row) else found

    def limit(self, item: Among) -> None:
        """Keep in mind that ranks or hosts are among these, or not."""
        sort = item.places.sort
        found = sets.both(self.domains[sort], item) if sort in self.domains else item
        if found is not None:
            self.domains[sort] = found

    def absorbed(self, row: Row) -> Item:
        """``a&b|a&b&c`` is ``a&b``: rows that hold only where another one does are left out."""
        rows = sorted((i for i in row.items if isinstance(i, Row)), key=lambda r: len(r.items))
        if len(rows) < 2:
            return row
        counts = Counter(member for one in rows for member in one.items)
        shorter: dict[Item, list[Row]] = {}
        gone: set[Item] = set()
        for one in rows:
            near = [other for member in one.items for other in shorter.get(member, ())]
            self.work -= len(near) + 1
            if self.work < 0:
                break
            if any(other.members <= one.members for other in near):
                gone.add(one)
            else:  # under what the fewest have, to be found again by few
                shorter.setdefault(min(one.items, key=counts.__getitem__), []).append(one)
        return self.row(row.kind, [i for i in row.items if i not in gone]) if gone else row

    # What rows share

    def factored(self, item: Item) -> Item:
        """``a&b|a&c`` is ``a&(b|c)`` and ``(a|b)&(a|c)`` is ``a|b&c``, where that is shorter."""
        if not isinstance(item, Row):
            return item
        if item not in self.better:
            found = self.row(item.kind, [self.factored(one) for one in item.items])
            if isinstance(found, Row):
                other = self.row(found.kind, self.shared(found))
                found = min(found, other, key=lambda one: self.length(one, None))
            self.better[item] = found
        return self.better[item]

    def shared(self, row: Row) -> list[Item]:
        """The items of a row, those with a member in common as one, that with most of it first."""
        kind = row.kind
        having: dict[Item, dict[Row, None]] = {}
        for one in row.items:
            if isinstance(one, Row):
                for member in one.items:
                    having.setdefault(member, {})[one] = None
        several = {
            member: self.length(member, kind) for member, held in having.items() if len(held) > 1
        }
        new: dict[Item, list[Item]] = {}
        while several and self.work > 0:
            self.work -= len(several)
            best = max(several, key=lambda one: several[one] * (len(having[one]) - 1))
            del several[best]
            held = list(having[best])
            if len(held) < 2:
                continue
            self.work -= sum(len(one.items) for one in held)
            rest = (self.row(OTHER[kind], [i for i in one.items if i != best]) for one in held)
            inner = self.factored(self.under(self.row(kind, rest)))
            group = self.row(OTHER[kind], [best, inner])
            if self.length(group, kind) < sum(self.length(one, kind) for one in held):
                new |= {one: [] for one in held}
                new[held[0]] = [group]
                for one in held:
                    for member in one.items:
                        having[member].pop(one, None)
        return [item for one in row.items for item in new.get(one, [one])]


def _property(value: str, wanted: bool) -> Has:
    absent = value.startswith("^")
    return Has(value[1:] if absent else value, wanted is not absent)
