"""A constraint in as few characters as the laws of logic find, equal on every cluster (RFC 31).

What is promised of the result, where no limit of `simplest_laws` is met:

- It matches the same nodes as the constraint, whatever the cluster.
- No operand is twice in a row, nor says all or nothing, nor follows from a single condition (a
  property, a host, a rank) beside it or around it, nor from another row that is within it. There
  is one list of ranks and one of hosts in a row at most, and no row within one of its own kind.
- What several rows have in common stands before them, where that is shorter.
- Of each part and its opposite with ``not`` before it, the shorter one stands there; several
  parts go under one ``not`` where that is shorter. None is put before ``^``, which would have to
  be read twice: ``a|b`` stays an ``or`` in JSON, though ``not`` of ``^a,^b`` is shorter.

It is not the shortest of all: that takes more than linear time. Of ``a&b|-a&c|b&c`` the last part
follows from both others together, and stays.
"""

import json
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from fluxtui.answers.explain import simplest_sets as sets
from fluxtui.answers.explain.simplest_laws import OTHER, Has, Item, Kind, Laws, Long, Row
from fluxtui.answers.explain.simplest_sets import Among
from fluxtui.model.constraint.tree import And, Constraint, Everything, Not, Or, Properties, to_json
from fluxtui.notation.query.format import from_constraint

#: What no node satisfies.
NOTHING = Not(())

#: More characters than any text has.
FAR = 1 << 30

#: Times that rows are taken apart and put together again.
ROUNDS = 4


def simplest(
    constraint: Constraint, *, is_json: bool = False, named: int = sets.MAX_NAMED
) -> Constraint:
    """The same in fewer characters, as a query or as JSON; see above for what is promised.

    Lists of hosts whose names have their number within are looked at for so many names; those
    that are left stay as they were written.

    What all nodes satisfy is ``{}``. What none does is `NOTHING`, or where a query has to say it
    ``x&-x`` with a property of its own.
    """
    writer = _Writer(is_json, named)
    laws = writer.laws
    item = laws.reduced(laws.read(constraint))
    for _ in range(ROUNDS):
        before, item = item, laws.reduced(laws.factored(item))
        if item is before:
            break
    if not isinstance(item, bool):
        return writer.best(item, True).constraint
    return Everything() if item else _never(constraint, is_json)


def _never(constraint: Constraint, is_json: bool) -> Constraint:
    """What no node satisfies."""
    names = [] if is_json else sorted({value.removeprefix("^") for value in _values(constraint)})
    terms = [term for term in (Properties((name,)) for name in names) if _query(term)]
    if not terms:
        return NOTHING
    term = min(terms, key=lambda term: len(_query(term)))
    return And((term, Not((term,))))


def _values(constraint: Constraint) -> Sequence[str]:
    """The properties that a constraint names anywhere."""
    if isinstance(constraint, Properties):
        return constraint.values
    if isinstance(constraint, And | Or | Not):
        return [value for part in constraint.values for value in _values(part)]
    return ()


def _query(constraint: Constraint) -> str:
    """The query of a term; blank where there is none."""
    return from_constraint(to_json(constraint)) or ""


class _Written(NamedTuple):
    """A constraint, the characters of its text, and what it is on the outside.

    shape  ``not`` is one around more than a term; a term may be negated
    """

    length: int
    constraint: Constraint
    shape: Literal["term", "not", "and", "or"]


#: A part of a row, and its opposite.
_Pair: TypeAlias = tuple[_Written, _Written]


class _Writer:
    """Makes constraints of items, by the length of their texts."""

    def __init__(self, is_json: bool, named: int) -> None:
        self.laws = Laws(self.length, named)
        self.is_json = is_json
        self.plain: dict[str, bool] = {}
        self.found: dict[tuple[Item, bool], _Written] = {}

    def best(self, item: Item, wanted: bool) -> _Written:
        """The shortest text of an item, or of its opposite."""
        found = self.found.get((item, wanted))
        if found is None:
            if isinstance(item, Row):
                direct = self.row(item, wanted)
                found = self.shorter(direct, self.negated(self.row(item, not wanted)))
            elif isinstance(item, Among):
                found = self.listed(item, wanted)
            elif isinstance(item, Has):
                found = self.has(item, wanted)
            elif isinstance(item, Long):
                own = self.term(item.name)
                found = own if item.wanted is wanted else self.negated(own)
            else:
                found = self.term(Everything() if item is wanted else NOTHING)
            self.found[item, wanted] = found
        return found

    def length(self, item: Item, kind: Kind | None) -> int:
        """The characters of an item, in a row of some kind with what stands before it, or alone."""
        written = self.best(item, True)
        if kind is None:
            return written.length
        return self.inside(kind, written) + len(", " if self.is_json else "&")

    def shorter(self, *several: _Written) -> _Written:
        return min(several, key=lambda one: one.length)

    # Single conditions

    def term(self, constraint: Constraint) -> _Written:
        """A term as it is."""
        if not self.is_json and isinstance(constraint, Properties):
            values = constraint.values
            if all(map(self.is_plain, values)):
                return _Written(sum(map(len, values)) + len(values) - 1, constraint, "term")
        text = "" if self.is_json else _query(constraint)
        return _Written(len(text or _json(constraint)), constraint, "term")

    def is_plain(self, value: str) -> bool:
        """A property, or ``^`` and one, that is its own query."""
        if value not in self.plain:
            self.plain[value] = _query(Properties((value,))) == value != ""
        return self.plain[value]

    def has(self, item: Has, wanted: bool) -> _Written:
        """A property or its opposite; ``-a`` rather than ``^a`` in a query."""
        own = self.term(Properties((item.name,)))
        if item.wanted is wanted:
            return own
        return self.shorter(self.negated(own), self.term(Properties((f"^{item.name}",))))

    def listed(self, item: Among, wanted: bool) -> _Written:
        """A list, or a longer one without a few: ``rank:0-99&-rank:7,31,66``."""
        inside = item.wanted is wanted
        own = self.term(sets.term(item.places, self.laws.written.get(item.places)))
        whole = sets.filled(item.places)
        gaps = sets.without(whole, item.places)
        plain = own if inside else self.negated(own)
        if not gaps.parts:
            return plain
        wide, few = self.term(sets.term(whole)), self.term(sets.term(gaps))
        parts = [wide, self.negated(few)] if inside else [self.negated(wide), few]
        return self.shorter(plain, self.joined("and" if inside else "or", parts))

    # Rows

    def negated(self, written: _Written) -> _Written:
        """The opposite, with ``not`` before it; never the best where ``^`` would stand behind."""
        length, constraint, shape = written
        if any(_is_signed(part) for part in _parts(constraint)):
            length += FAR
        if self.is_json:
            if isinstance(constraint, And):  # not is around all of its values together
                return _Written(length, Not(constraint.values), "not")
            return _Written(length + len('{"not": []}'), Not((constraint,)), "not")
        sign = "-" if shape == "term" and not isinstance(constraint, Not) else "not ()"
        return _Written(length + len(sign), Not((constraint,)), "term" if sign == "-" else "not")

    def joined(self, kind: Kind, parts: Sequence[_Written]) -> _Written:
        """All of some, or any of them; those of the same kind are taken apart."""
        if len(parts) == 1:
            return parts[0]
        values: list[Constraint] = []
        length = 0
        for part in parts:
            if isinstance(part.constraint, And | Or) and part.shape == kind:
                values += part.constraint.values
            else:
                values.append(part.constraint)
            length += self.inside(kind, part)
        if self.is_json:
            length += len(f'{{"{kind}": []}}') + len(", ") * (len(parts) - 1)
        else:
            length += len(parts) - 1
        return _Written(length, (And if kind == "and" else Or)(tuple(values)), kind)

    def inside(self, kind: Kind, part: _Written) -> int:
        """The characters of a part within a row."""
        if self.is_json:
            return part.length - (len(f'{{"{kind}": []}}') if part.shape == kind else 0)
        return part.length + (len("()") if kind == "and" and part.shape == "or" else 0)

    def row(self, row: Row, wanted: bool) -> _Written:
        """A row, or its opposite with ``and`` for ``or`` and the other way round."""
        kind = row.kind if wanted else OTHER[row.kind]
        found = self.grouped(kind, self.parts(row, wanted, kind))
        names = (item for item in row.items if isinstance(item, Has))
        if kind == "or" or not any(item.wanted is not wanted for item in names):
            return found
        return self.shorter(found, self.grouped(kind, self.parts(row, wanted, kind, signed=True)))

    def grouped(self, kind: Kind, pairs: Sequence[_Pair]) -> _Written:
        """Parts in a row, those whose opposites are shorter under one ``not``."""
        other = OTHER[kind]
        plain = self.joined(kind, [own for own, _ in pairs])
        under: list[_Written] = []
        rest: list[_Written] = []
        for own, opposite in pairs:
            if self.inside(other, opposite) < self.inside(kind, own):
                under.append(opposite)
            else:
                rest.append(own)
        if len(under) < 2:
            return plain
        return self.shorter(
            plain, self.joined(kind, [*rest, self.negated(self.joined(other, under))])
        )

    def parts(self, row: Row, wanted: bool, kind: Kind, *, signed: bool = False) -> list[_Pair]:
        """What stands in a row, each with its opposite.

        Properties of an ``and``, and those that one of an ``or`` does not want, are one list, also
        with those of the other sign (``a,^b``) if they are to be signed.
        """
        pairs: list[_Pair] = []
        names: list[str] = []
        place = 0
        for item in row.items:
            if isinstance(item, Has):
                has = item.wanted is wanted
                if has is (kind == "and") or signed:
                    place = place if names else len(pairs)
                    names.append(item.name if has is (kind == "and") else f"^{item.name}")
                    continue
            pairs.append((self.best(item, wanted), self.best(item, not wanted)))
        if len(names) == 1:
            name = names[0]
            one = Has(name.removeprefix("^"), (name[:1] != "^") is (kind == "and"))
            pairs.insert(place, (self.best(one, True), self.best(one, False)))
        elif names:
            own = self.term(Properties(tuple(names)))
            pair = (own, self.negated(own))
            pairs.insert(place, pair if kind == "and" else pair[::-1])
        return pairs


def _parts(constraint: Constraint) -> Sequence[Constraint]:
    """What stands in a row; a term alone."""
    return constraint.values if isinstance(constraint, And | Or) else (constraint,)


def _is_signed(constraint: Constraint) -> bool:
    """It has a property that is not wanted, written with ``^``."""
    return isinstance(constraint, Properties) and any(v[:1] == "^" for v in constraint.values)


def _json(constraint: Constraint) -> str:
    return json.dumps(to_json(constraint), ensure_ascii=False)
