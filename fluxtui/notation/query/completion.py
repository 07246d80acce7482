"""Completions at the cursor of a constraint query (RFC 35)."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from fluxtui.notation.problem import Completion, Span, counted
from fluxtui.notation.query.format import term_text
from fluxtui.notation.query.parser import Lexed
from fluxtui.notation.query.tree import Term
from fluxtui.notation.sets import host_index, idset
from fluxtui.notation.sets.host_index import NO_HOSTS, HostIndex
from fluxtui.notation.sets.idset import EMPTY, IdSet

#: The most completions offered: enough to fill one screen.
MOST = 50
#: The most property names considered, so that very many do not slow down typing.
MOST_NAMES = 5_000
_TERMS = (
    ("host:", "nodes by host name, such as host:n[1-3]"),
    ("rank:", "nodes by rank, such as rank:0-3,7"),
    ("not ", "the opposite of what follows"),
)
_JOINS = (("and ", "both sides hold"), ("or ", "one side holds"))


def completions(
    text: str,
    cursor: int,
    properties: Mapping[str, int],
    hosts: HostIndex = NO_HOSTS,
    ranks: IdSet = EMPTY,
) -> list[Completion]:
    """Completions at the cursor, best first; each replaces the part of the word up to the cursor.

    properties maps each name to its number of nodes; the i-th rank of ranks has the i-th host.
    """
    before = text[:cursor]
    lexed = Lexed(before)
    lexemes, quoted = list(lexed.lexemes), bool(lexed.quote)
    word = ""
    if lexed.waiting is not None:
        word = lexed.waiting.text
    elif lexemes and lexemes[-1].kind == "term" and lexemes[-1].chunks[-1].end == len(before):
        word = lexemes.pop().text
    name, colon, operand = word.partition(":")
    operator = Term(name if colon else None, ()).operator
    if operator in {"hostlist", "ranks"}:
        start = cursor - len(operand)
        offers = (
            host_index.completions(operand, len(operand), hosts)
            if operator == "hostlist"
            else rank_offers(operand, hosts, ranks)
        )
        return [replace(offer, span=offer.span.moved(start)) for offer in offers]
    if operator != "properties":
        return []
    nodes = ranks.count
    if colon:
        return property_offers(operand, cursor, properties, nodes, quoted=quoted, named=True)
    found = property_offers(word, cursor, properties, nodes, quoted=quoted)
    if not quoted and "," not in word and not word.startswith("^"):
        previous = lexemes[-1].kind if lexemes else "open"
        words = _TERMS[:2] if previous == "negate" else _TERMS
        words = (*_JOINS, *words) if previous in {"term", "close"} else words
        span = Span(cursor - len(word), cursor)
        found += [Completion(t, span, d) for t, d in words if t.startswith(word)]
    return found[:MOST]


def rank_offers(operand: str, hosts: HostIndex, ranks: IdSet) -> list[Completion]:
    """Completions at the end of an idset of ranks; each rank is described by its host, if known."""

    def host(rank: int) -> str:
        index = ranks.index(rank)
        if index is None or index >= hosts.hosts.count:
            return "a rank of the cluster"
        return hosts.hosts.host(index)

    return idset.completions(operand, len(operand), ranks, host)


def property_offers(
    operand: str,
    cursor: int,
    properties: Mapping[str, int],
    nodes: int,
    *,
    quoted: bool,
    named: bool = False,
) -> list[Completion]:
    """The property names that begin with the text after the last comma, then those that contain it.

    nodes is the number of all nodes, 0 if unknown. named means that ``properties:`` comes before
    the operand, quoted that it is within quotes, where no name needs its own.
    """
    typed = operand.rpartition(",")[2]
    absent = "^" if typed.startswith("^") else ""
    typed = typed.removeprefix("^")
    span = Span(cursor - len(typed) - len(absent), cursor)
    known = list(islice(properties, MOST_NAMES))
    names = [name for name in known if name.startswith(typed)]
    names += [name for name in known if typed in name and not name.startswith(typed)]
    found = []
    for name in islice(names, MOST):
        text = absent + name
        if not quoted:
            try:
                operator = "properties" if named or ":" in text else None
                text = term_text(Term(operator, (text,)))
            except ValueError:
                continue
            text = text.removeprefix("properties:") if named else text
            if "," in operand and text != absent + name:
                continue  # a name that needs quotes of its own cannot be in a list
        count = nodes - properties[name] if absent else properties[name]
        if absent and not nodes:
            found.append(Completion(text, span, "nodes without it"))
        else:
            words = counted(count, "node")
            found.append(Completion(text, span, words, count))
    return found
