"""Completions at the cursor of a constraint: a query (RFC 35), or JSON (RFC 31)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import json_text
from fluxtui.notation.problem import MAX_LENGTH, Completion, Span, Token
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.completion import property_offers, rank_offers
from fluxtui.notation.sets import host_index, idset
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.idset import IdSet

#: With more bits in all property masks, or more ranges of hosts, collecting the names takes longer
#: than a keystroke may wait.
MAX_BITS = 2_000_000
MAX_RANGES = 500

_LEAVES = {
    "properties": "nodes with all of these properties",
    "hostlist": "nodes with one of these hosts",
    "ranks": "nodes with one of these ranks",
}
_JOINS = {
    "and": "all of these hold",
    "or": "one of these holds",
    "not": "these do not all hold",
}
# Completions within an idset or a hostlist that do not complete the string.
_SIGNS = ("[", "]", ",", "-")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a cluster, for completion.

    properties maps each property, in document order, to its number of nodes; the i-th rank has the
    i-th host.
    """

    properties: Mapping[str, int] = field(default_factory=dict)
    hosts: HostIndex = host_index.NO_HOSTS
    ranks: IdSet = idset.EMPTY

    @classmethod
    def of(cls, resources: Resources) -> "Names":
        """The names of an R document; see `are_many`."""
        counts = {name: mask.bit_count() for name, mask in resources.properties.items()}
        return cls(counts, resources.host_index, resources.ranks)


def are_many(resources: Resources) -> bool:
    """Whether collecting the names of this R document takes longer than a keystroke may wait."""
    bits = len(resources.properties) * resources.node_count
    return bits > MAX_BITS or len(resources.hosts.rows[0]) > MAX_RANGES


@dataclass(slots=True)
class _Level:
    """An object or array that contains the cursor.

    sign   ``{`` or ``[``
    under  the operator to which it belongs; "" for the constraint itself
    key    the last key of the object
    comes  what comes next: ``key``, ``:``, ``value`` or ``,``
    """

    sign: str
    under: str
    key: str = ""
    comes: str = "value"


def completions(text: str, cursor: int, names: Names) -> list[Completion]:
    """Completions at the cursor of a query or of JSON, best first, with names of the cluster.

    A word of JSON replaces what is typed of it and includes the punctuation that must follow it.
    """
    if len(text) > MAX_LENGTH:
        return []
    if not text[:cursor].lstrip().startswith("{"):
        return query_completions(text, cursor, names.properties, names.hosts, names.ranks)
    before = text[:cursor]
    tokens = list(json_text.parse(before).tokens)
    start = cursor
    if tokens and tokens[-1].kind == "error" and tokens[-1].span.end == cursor:
        start = tokens.pop().span.start
    begun = before[start:]
    level = _level(before, tokens)
    if level is None or "\\" in begun:
        return []
    closed = begun.startswith('"') and text[cursor : cursor + 1] == '"'
    out = []
    for word, after in _words(level, begun.removeprefix('"'), names):
        quoted = json.dumps(word.text, ensure_ascii=False)
        written = quoted[:-1] if closed and not after else quoted + after
        out.append(replace(word, text=written, span=Span(start, cursor)))
    return out if begun else out + _signs(level, cursor)


def _level(text: str, tokens: list[Token]) -> _Level | None:
    """The innermost object or array open at the end of a text; None if there is none."""
    levels: list[_Level] = []
    for token in tokens:
        piece = text[slice(*token.span)]
        level = levels[-1] if levels else _Level("", "")
        if piece in ("{", "["):
            under = level.key if level.sign == "{" else level.under
            levels.append(_Level(piece, under, comes="key" if piece == "{" else "value"))
        elif piece in ("}", "]"):
            del levels[-1:]
            if levels:
                levels[-1].comes = ","
        elif piece == ",":
            level.comes = "key" if level.sign == "{" else "value"
        elif piece == ":":
            level.comes = "value"
        elif level.comes == "key":
            level.key = piece.strip('"')
            level.comes = ":"
        else:
            level.comes = ","
    return levels[-1] if levels else None


def _words(level: _Level, typed: str, names: Names) -> list[tuple[Completion, str]]:
    """The words that begin with the typed text, each with the punctuation that must follow it."""
    here = Span(0, 0)
    if level.comes == "key" and not level.key and level.under in ("", *_JOINS):
        keys = [(Completion(name, here, about), ': ["') for name, about in _LEAVES.items()]
        keys += [(Completion(name, here, about), ': [{"') for name, about in _JOINS.items()]
        return [(key, after) for key, after in keys if key.text.startswith(typed)]
    if level.comes != "value" or level.sign != "[":
        return []
    offers: list[Completion] = []
    end = len(typed)
    if level.under == "properties" and "," not in typed:
        nodes = names.ranks.count
        offers = property_offers(typed, end, names.properties, nodes, quoted=True)
    elif level.under == "hostlist":
        offers = host_index.completions(typed, end, names.hosts)
    elif level.under == "ranks":
        offers = rank_offers(typed, names.hosts, names.ranks)
    words = (offer for offer in offers if offer.text not in _SIGNS)
    return [(replace(word, text=typed[: word.span.start] + word.text), "") for word in words]


def _signs(level: _Level, cursor: int) -> list[Completion]:
    here = Span(cursor, cursor)
    signs: list[tuple[str, str]] = []
    if level.comes == ":":
        signs = [(": [", "a list")]
    elif level.comes == "value" and level.sign == "{":
        signs = [("[", "a list")] if level.key in (*_LEAVES, *_JOINS) else []
    elif level.comes == "value" and level.under in _JOINS:
        signs = [("{", "a constraint")]
    elif level.comes == ",":
        signs = [(",", "another one")] if level.sign == "[" else []
        close = ("]", "the end of the list") if level.sign == "[" else ("}", "the end")
        signs.append(close)
    elif level.comes == "key" and not level.key:
        signs = [("}", "every node")]
    return [Completion(sign, here, meaning) for sign, meaning in signs]
