"""What a constraint asks of properties (RFC 31), and its text when one is added or dropped."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fluxtui.answers.explain.edit import Edits, edited, rewritten, says
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Properties, to_json
from fluxtui.notation.problem import at, common_ends
from fluxtui.notation.query.format import from_constraint

#: What a constraint asks of a property that it names: every node that matches has it, none has it,
#: it is one way among several, or, which no node can do, both of the first.
Standing: TypeAlias = Literal["required", "excluded", "either", "both"]


@dataclass(frozen=True, slots=True)
class Term:
    """One place where a constraint names a property.

    name    the property, without ``^``
    path    the place of the name in the RFC 31 object
    whole   the place of all that asks for just this: that of the ``not`` around it, if one is
    plain   it is written without ``^``
    wanted  the nodes are to have it, all negations counted
    binds   no node matches otherwise
    """

    name: str
    path: str
    whole: str
    plain: bool
    wanted: bool
    binds: bool


def terms(
    constraint: Constraint,
    path: str = "",
    *,
    wanted: bool = True,
    binds: bool = True,
    around: str | None = None,
) -> Iterator[Term]:
    """The places where a constraint names properties, in its order.

    Of a part of it, path says where that is, wanted and binds what is asked of it, and around the
    place of a ``not`` that negates this part alone.
    """
    match constraint:
        case Properties(values):
            alone = len(values) == 1
            binds = binds and (wanted or alone)
            for number, value in enumerate(values):
                here = path if alone else at(path, "properties", number)
                plain = not value.startswith("^")
                whole = around if alone and around is not None else here
                name = value.removeprefix("^")
                yield Term(name, here, whole, plain, wanted == plain, binds)
        case And(values) | Or(values) | Not(values):
            inside = at(path, constraint.operator)
            alone = len(values) == 1
            # Under a negation, ``or`` asks for all of its operands and ``and`` for one of them.
            if isinstance(constraint, Not):
                wanted = not wanted
            all_of = wanted != isinstance(constraint, Or)
            for number, operand in enumerate(values):
                yield from terms(
                    operand,
                    at(inside, number),
                    wanted=wanted,
                    binds=binds and (alone or all_of),
                    around=path if alone and isinstance(constraint, Not) else None,
                )


def standings(constraint: Constraint | None) -> dict[str, Standing]:
    """What a constraint asks of each property that it names; nothing where there is none.

    What binds counts before what is one way among several.
    """
    found: dict[str, Standing] = {}
    for term in terms(constraint) if constraint is not None else ():
        before = found.get(term.name, "either")
        if not term.binds:
            found.setdefault(term.name, "either")
        elif before == ("excluded" if term.wanted else "required"):
            found[term.name] = "both"
        elif before == "either":
            found[term.name] = "required" if term.wanted else "excluded"
    return found


def turned(reading: Requires, name: str, *, wanted: bool) -> str | None:
    """The text of a constraint after a property is turned in it.

    reading  the text as it is now, without an error
    wanted   whether nodes are to have the property, or not to have it

    Where the constraint asks for just that already, it does not any more. Where it asks for the
    opposite, that is turned round in its place. Else it is asked for besides. A query stays a
    query where one can say it, JSON stays JSON. None where the text is wrong, or too long for more.
    """
    if reading.constraint is None:
        return _more(reading, name, wanted) if reading.blank else None
    binding = [term for term in terms(reading.constraint) if term.binds and term.name == name]
    same = [term for term in binding if term.wanted is wanted]
    if same:
        return _without(reading, same)
    return _other_way(reading, name, binding) if binding else _more(reading, name, wanted)


# Out of the constraint


def _without(reading: Requires, unwanted: list[Term]) -> str | None:
    """The text without these terms, and without what only held them together."""
    text = _rewritten(reading, {term.path: None for term in unwanted})
    constraint = requires.read(text or "").constraint
    if text is None or constraint is None:
        return text
    return next((bare for bare in _bared(text, constraint) if says(bare, constraint)), text)


def _bared(text: str, constraint: Constraint) -> Iterator[str]:
    """The text without parentheses around all of it, or without a row around its one operand."""
    bare = text.strip()
    if bare.startswith("(") and bare.endswith(")"):
        yield bare[1:-1].strip()
    elif bare.startswith("{") and isinstance(constraint, And | Or) and len(constraint.values) == 1:
        span = constraint.parts[0].span
        if span is not None:
            yield text[slice(*span)]


# The other way round


def _other_way(reading: Requires, name: str, opposite: list[Term]) -> str | None:
    """The text with the first of these terms negated and without the others."""
    first, *others = opposite
    gone: dict[str, Constraint | None] = {term.path: None for term in others}
    found = [_rewritten(reading, {**gone, **new}) for new in _negations(first, name)]
    texts = [text for text in found if text is not None]
    return min(texts, key=lambda text: _changed(reading.text, text), default=None)


def _negations(term: Term, name: str) -> Iterator[dict[str, Constraint | None]]:
    """What takes the place of a term for its opposite."""
    own, other = Properties((name,)), Properties((f"^{name}",))
    if not term.plain:
        own, other = other, own
    if term.whole != term.path:
        yield {term.whole: own}
        return
    if term.plain:
        yield {term.path: Not((own,))}
    yield {term.path: other}


def _rewritten(reading: Requires, edits: Edits) -> str | None:
    """The text after edits; JSON where no query says it."""
    assert reading.constraint is not None
    text = rewritten(reading, edits)
    if text is None:
        left = edited(reading.constraint, edits)
        text = json.dumps(to_json(left), ensure_ascii=False) if left is not None else ""
    return text


def _changed(old: str, new: str) -> int:
    """How many characters of two texts differ."""
    return max(len(old), len(new)) - sum(common_ends(old, new))


# Into the constraint


def _more(reading: Requires, name: str, wanted: bool) -> str | None:
    """The first text that asks for this besides."""
    literal = Properties((name if wanted else f"^{name}",))
    asked = reading.constraint
    aim = literal if asked is None else And((asked, literal))
    texts = _more_json if reading.is_json else _more_query
    return next((text for text in texts(reading, name, wanted) if says(text, aim)), None)


def _more_query(reading: Requires, name: str, wanted: bool) -> Iterator[str]:
    """Queries that also ask for a property, then JSON: not every name can be written in a query."""
    term = from_constraint(_object(name, wanted, is_json=False))
    text = reading.text.strip()
    if term is not None:
        if not text:
            yield term
        else:
            yield f"{text}&{term}"
            yield f"({text})&{term}"
    added = _object(name, wanted, is_json=True)
    asked = [] if reading.constraint is None else [to_json(reading.constraint)]
    yield json.dumps({"and": [*asked, added]} if asked else added, ensure_ascii=False)


def _more_json(reading: Requires, name: str, wanted: bool) -> Iterator[str]:
    """The JSON with one value more in its array, or in an ``and`` with what is added."""
    text, constraint = reading.text, reading.constraint
    added = json.dumps(_object(name, wanted, is_json=True), ensure_ascii=False)
    piece, last = added, None
    if isinstance(constraint, Properties) and constraint.spans:
        last = constraint.spans[-1]
        piece = json.dumps(name if wanted else f"^{name}", ensure_ascii=False)
    elif isinstance(constraint, And) and constraint.parts:
        last = constraint.parts[-1].span
    if last is not None:
        yield f"{text[: last.end]}, {piece}{text[last.end :]}"
    if constraint is not None and constraint.span is not None:
        start, end = constraint.span
        yield f'{text[:start]}{{"and": [{text[start:end]}, {added}]}}{text[end:]}'


def _object(name: str, wanted: bool, *, is_json: bool) -> dict[str, object]:
    """The RFC 31 object of one term, in the way that its text has it."""
    if wanted:
        return {"properties": [name]}
    return {"properties": [f"^{name}"]} if is_json else {"not": [{"properties": [name]}]}
