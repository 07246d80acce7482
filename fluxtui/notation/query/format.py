"""The text of a constraint query, from its tree or from an RFC 31 object (RFC 35)."""

import re
from typing import TypeAlias

from fluxtui.notation.problem import MAX_LENGTH
from fluxtui.notation.query.parser import BAD_NAME, parse
from fluxtui.notation.query.tree import And, Node, Not, Or, Term
from fluxtui.notation.sets import idset

#: A word that needs no quotes. At the start of a text ``{`` would make it JSON.
_PLAIN = re.compile(r"""(?!-|\{|(?:not|and|or)\b)[^()|&\s"']*[^()|&\s"':]""")


def format(tree: Node) -> str:
    """The query text of a tree, with the fewest quotes and parentheses.

    ``parse(format(tree)).tree`` equals tree except for spans. ValueError if no text has this tree,
    as when an operand is missing or contains both kinds of quotation marks. Operands are joined
    by ``&`` and ``|``, never by white space, which would bind differently depending on what
    follows.
    """
    if tree.kind == "term":
        return term_text(tree)
    if tree.kind == "not":
        inner = tree.operand
        if inner.kind == "term":
            return f"-{term_text(inner)}"
        return f"not {format(inner)}" if inner.kind == "not" else f"not ({format(inner)})"
    sign, loosest = ("|", {"or"}) if tree.kind == "or" else ("&", {"or", "and"})
    if len(tree.operands) < 2:
        raise ValueError(f"{tree.kind!r} needs two operands")
    texts = (format(x) if x.kind not in loosest else f"({format(x)})" for x in tree.operands)
    return sign.join(texts)


def term_text(term: Term) -> str:
    """The text of a term, in quotes if necessary; ValueError if no text has this term."""
    splits = term.operator == "properties"
    value = ",".join(term.values)
    if not value or (len(term.values) != 1 and not splits):
        raise ValueError("the operand is missing")
    if splits and any("," in name for name in term.values):
        raise ValueError("a property name holds a comma")
    name = term.name
    if name is None:
        if ":" not in value:
            return value if _PLAIN.fullmatch(value) else _quoted(value)
        raise ValueError("without an operator the operand may hold no colon")
    if BAD_NAME.search(name):
        raise ValueError("the operator name holds a character it may not")
    whole = f"{name}:{value}"
    if _PLAIN.fullmatch(whole):
        return whole
    # An operator joins the quotes that follow it; its own quotes keep it from being a keyword.
    return (f"{name}:" if _PLAIN.match(f"{name}:x") else _quoted(f"{name}:")) + _quoted(value)


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    raise ValueError("a value holds both kinds of quotation marks")


#: A constraint as a tree, or True if it matches everything, or False if nothing.
_Reduced: TypeAlias = Node | bool

_SHORT = {"properties": None, "hostlist": "host", "ranks": "rank"}


def from_constraint(constraint: object) -> str | None:
    """A query that means the same as an RFC 31 object, or None if there is none.

    ``{}`` and every other object that matches everything give the empty text.
    """
    try:
        tree = _reduce(constraint)
        if isinstance(tree, bool):
            return "" if tree else None
        text = format(tree)
        # It may be nested too deep; a text that is too long is reported when it is read.
        return text if len(text) > MAX_LENGTH or parse(text).ok else None
    except (ValueError, RecursionError):
        return None


def _reduce(constraint: object) -> _Reduced:
    if constraint == {} and isinstance(constraint, dict):
        return True
    if not isinstance(constraint, dict) or len(constraint) != 1:
        raise ValueError("not a constraint with one operator")
    ((operator, values),) = constraint.items()
    if not isinstance(operator, str) or not isinstance(values, list | tuple):
        raise ValueError("the values are not a list")
    if operator in {"and", "or", "not"}:
        parts = [_reduce(value) for value in values]
        if operator == "or":
            return _row(Or, parts) if parts else True
        every = _row(And, parts)
        if operator == "not":
            return not every if isinstance(every, bool) else Not(every)
        return every
    if not all(isinstance(value, str) for value in values):
        raise ValueError("a value is not a string")
    return _term(operator, tuple(values))


def _row(kind: type[And] | type[Or], parts: list[_Reduced]) -> _Reduced:
    """All or any of several parts, merged with the first part if that is of the same kind."""
    neutral = kind is And
    trees = [part for part in parts if not isinstance(part, bool)]
    if (not neutral) in parts:
        return not neutral
    if not trees:
        return neutral
    first, *rest = trees
    if isinstance(first, kind):
        trees = [*first.operands, *rest]
    return trees[0] if len(trees) == 1 else kind(tuple(trees))


def _term(operator: str, values: tuple[str, ...]) -> _Reduced:
    """A term, or one term for each value if one term cannot hold them all."""
    name = _SHORT.get(operator, operator)
    if operator == "properties":
        if any(":" in value for value in values):
            name = "properties"
        if values == ("",):  # one empty name has no text, but two have
            values = ("", "")
        return Term(name, values) if values else True
    if operator in {"hostlist", "ranks"}:
        values = tuple(value for value in values if value)
        if not values:
            return False
    if operator == "hostlist":
        return Term(name, (",".join(values),))
    if operator == "ranks" and len(values) > 1:
        read = [idset.parse(value) for value in values]
        if all(parsed.ok for parsed in read):  # text that RFC 22 refuses is kept
            ranges = (pair for parsed in read for pair in parsed.value.ranges)
            values = (str(idset.IdSet.from_ranges(ranges)) or values[0],)
    return _row(Or, [Term(name, (value,)) for value in values])
