"""Completions at the cursor of a shape (RFC 46)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from fluxtui.notation import count as counts
from fluxtui.notation.problem import Completion, Span
from fluxtui.notation.shape.format import own_text
from fluxtui.notation.shape.parser import Parser
from fluxtui.notation.shape.tree import TYPES, Item, Vertex

KEYS = (
    ("x", "exclusive: nobody else on this resource"),
    ("-x", "not exclusive: may be shared"),
    ("unit:", "what is counted, such as GB"),
    ("label:", "a name for this resource"),
    ("id:", "only resources with these ids"),
)


class Known(NamedTuple):
    """The types of resources to suggest, with their descriptions.

    types    the types that the scheduler accepts anywhere
    domains  the parts of nodes that a slot can have as a whole (RFC 49)
    """

    types: Mapping[str, str] = TYPES
    domains: Mapping[str, str] = {}


#: The suggestions if no cluster is known.
ANY = Known()

#: The types that every scheduler accepts.
USUAL = ("node", "slot", "core", "gpu")

VALUES = {
    "exclusive": (("true", "nobody else on it"), ("false", "may be shared")),
    "unit": (("GB", "gigabytes"), ("MB", "megabytes"), ("TB", "terabytes"), ("KB", "kilobytes")),
}

# The text to insert for each code of the lexer, with its description.
SIGNS = {
    "/": ("/", "what is in each of them"),
    "=": ("=", "how many"),
    "{": ("{", "keys, such as x for exclusive"),
    "{label": ("{", "a label and keys"),
    ";": (";", "another resource beside it"),
    "[": ("[", "a list of resources"),
    "]": ("]", "the end of the list"),
    "]array": ("]", "the end of the array"),
    "}": ("}", "the end of the keys"),
    ",": (",", "another key"),
    ",value": (",", "another value"),
    ":": (":", "a value"),
    '"': ('"', "the end of the quoted text"),
    "'": ("'", "the end of the quoted text"),
}

# The code of an unfinished word, by the kind of its token.
_BEGUN = {"type": "type", "slot": "type", "key": "key", "label": "label"}

# The codes that belong to counts, for which `count.completions` has more specific offers.
_COUNTING = {"count", "or more", "to", ":step", "]count"}


def completions(
    text: str, cursor: int, known: Known = ANY, *, in_slot: bool = False
) -> list[Completion]:
    """What may be typed at the cursor: words that complete the one begun, then punctuation.

    The span of a word covers the whole word it replaces; that of a punctuation mark is empty.
    known are the types of the open cluster; in_slot means that text is the contents of a slot.
    """
    cursor = max(0, min(cursor, len(text)))
    parser = Parser(text[:cursor])
    parser.read()
    codes = list(dict.fromkeys(parser.wanted))
    last = parser.tokens[-1] if parser.tokens else None
    here = Span(cursor, cursor)
    span, begun = here, ""
    out = _counts(text, cursor, parser)
    is_word = last is not None and last.kind in (*_BEGUN, "string", "constant")
    if last and is_word and last.span.end == cursor and text[last.span.start] not in "\"'":
        begun = text[last.span.start : cursor]
        end = cursor
        while end < len(text) and (text[end].isalnum() or text[end] in "_-.@"):
            end += 1
        span = Span(last.span.start, end)
        codes.insert(0, _BEGUN.get(last.kind, "value"))
    for code in codes:
        if code in SIGNS:
            sign, meaning = SIGNS[code]
            out.append(Completion(sign, here, meaning))
        elif code not in _COUNTING:
            choices = _choices(code, begun, parser) if code != "type" else known.types.items()
            if code == "type" and known.domains and (in_slot or _is_in_slot(text[: span.start])):
                choices = _with_domains(known, has_keys=text[span.end :].lstrip().startswith("{"))
            out += [
                Completion(word, span, meaning)
                for word, meaning in choices
                if word.startswith(begun) and word != begun
            ]
    return out


def _is_in_slot(before: str) -> bool:
    """Whether a vertex that follows this text is inside a slot."""
    vertices = Parser(f"{before}x").read().vertices
    while vertices and vertices[-1].children:
        if vertices[-1].type == "slot":
            return True
        vertices = vertices[-1].children
    return False


def _with_domains(known: Known, *, has_keys: bool) -> Iterable[tuple[str, str]]:
    """The types that a slot may hold, including whole parts of nodes, which are exclusive."""
    keys = () if has_keys else (Item("exclusive", True),)
    domains = {own_text(Vertex(name, keys=keys)): words for name, words in known.domains.items()}
    others = {name: words for name, words in known.types.items() if name not in known.domains}
    first = {name: others[name] for name in USUAL if name in others}
    return (first | domains | others).items()


def _counts(text: str, cursor: int, parser: Parser) -> list[Completion]:
    start = cursor
    for token in reversed(parser.tokens):
        if token.kind == "punctuation" and text[token.span.start] == "=":
            return [
                replace(offer, span=Span(cursor, cursor))
                for offer in counts.completions(text[start:cursor], cursor - start)
            ]
        if token.kind not in {"count", "error", "punctuation"} or text[token.span.start] in "]{/;":
            break
        start = token.span.start
    return []


def _choices(code: str, begun: str, parser: Parser) -> Iterable[tuple[str, str]]:
    """The words that a code of the lexer allows; begun is the beginning already typed."""
    if code == "key":
        sign = parser.tokens[-2:-1] if begun else parser.tokens[-1:]
        if sign and sign[0].kind == "operator":
            return KEYS[:1]
        return (*KEYS, ("exclusive", KEYS[0][1])) if begun else KEYS
    if code == "value":
        keys = [token.span for token in parser.tokens if token.kind == "key"]
        name = parser.text[slice(*keys[-1])] if keys else ""
        return VALUES.get("exclusive" if name == "x" else name, ())
    if code == "label" and not begun:
        return (("default", "the usual label of a slot"),)
    return ()
