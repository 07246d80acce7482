"""Corrections of a shape or a query that cannot be read, found by trying small changes.

Each change is made where the first error is, and kept if the text has fewer errors after it, or if
it can be read further: what is open is closed, several resources get their brackets, and a sign
that joins or closes nothing is left out. A word is never changed or joined to another one, and a
sign that may mean something, such as a negation, is never left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from fluxtui.model.constraint import requires
from fluxtui.notation.problem import Problem, Span, is_digits, splice
from fluxtui.notation.shape.parser import parse_shape

LONGEST = 400  # characters of a text for which corrections are tried
STEPS = 3  # changes to one text
TRIES = 40  # changes that are tried at one place

_Edit = tuple[Span, str]
_CLOSING = {"[": "]", "{": "}", "(": ")", '"': '"', "'": "'"}
_BEGINNINGS, _ENDS = ("", ";", ",", "[", "/"), ("", ";", ",", "]", "}")
_SURPLUS = re.compile(r"[\]})]+")
_SIGNS = re.compile(r"[;,/&|]+|and|or")
_QUOTED = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|'[^']*')")
_QUOTE = re.compile(r"[\"']")
_BRACKETS = str.maketrans("()", "[]")
_WORD_END = re.compile(r"(?<=[\w\])}])(?![\w.-])")


@lru_cache(16)
def corrected_shape(text: str) -> str | None:
    """Return the shape (RFC 46) that one with errors may have meant; None if none is found."""
    if len(text) > LONGEST or not _shape_errors(text):
        return None
    found = _corrected(text, _shape_errors, _shape_changes)
    if found is None or "(" in found:  # legal in the name of a type, and hardly meant in one
        pieces = _QUOTED.split(text)
        pieces[::2] = [piece.translate(_BRACKETS) for piece in pieces[::2]]
        found = _corrected("".join(pieces), _shape_errors, _shape_changes) or found
    return found


@lru_cache(16)
def corrected_query(text: str) -> str | None:
    """Return the query (RFC 35) that one with errors may have meant; None if none is found."""
    if len(text) > LONGEST or text.lstrip()[:1] == "{" or not _query_errors(text):
        return None
    return _corrected(text, _query_errors, _changes)


def _shape_errors(text: str) -> list[Problem]:
    return _errors(parse_shape(text).problems)


def _query_errors(text: str) -> list[Problem]:
    return _errors(requires.read(text).problems)


def _errors(problems: Sequence[Problem]) -> list[Problem]:
    found = [p for p in problems if p.severity == "error"]
    return sorted(found, key=lambda problem: problem.span or Span(0, 0))


def _corrected(
    text: str,
    errors_of: Callable[[str], list[Problem]],
    changes: Callable[[str, Span], Iterator[list[_Edit]]],
) -> str | None:
    """Change a text step by step until it has no errors; None if it cannot be done."""
    errors = errors_of(text)
    for _ in range(STEPS):
        if not errors or (place := errors[0].span) is None:
            break
        for _, change in zip(range(TRIES), changes(text, place), strict=False):
            tried = splice(text, change)
            left = errors_of(tried)
            further = bool(left) and (left[0].span or place) > place
            if len(left) < len(errors) or (further and len(left) == len(errors)):
                text, errors = tried, left
                break
        else:
            return None
    return None if errors else text


def _shape_changes(text: str, place: Span) -> Iterator[list[_Edit]]:
    """Yield changes to a shape at its first error, the likeliest first."""
    found, before = text[slice(*place)], text[: place.start].rstrip()
    rest = text[place.end :].lstrip()
    if found == "," and rest:
        yield [(place, ";")]
    if found in (";", ",") and rest[:1] not in _ENDS and before[-1:] not in _BEGINNINGS:
        # Several resources, which need brackets below a slash or at the start.
        starts = [at + 1 for at in range(place.start) if text[at] == "/"]
        for start in (*reversed(starts), 0):
            yield [(Span(start, start), "["), (place, ";"), (Span(len(text), len(text)), "]")]
    if is_digits(found[:1]):  # a count without its sign
        yield [(Span(len(before), place.end), f"={found}")]
    yield from _changes(text, place)


def _changes(text: str, place: Span) -> Iterator[list[_Edit]]:
    """Yield changes to any text at its first error: close what is open, leave out a sign."""
    found, before, rest = text[slice(*place)], text[: place.start], text[place.end :]
    if found == "!":
        yield from _negations(text, place)
    elif found in _CLOSING:
        ends = [place.end + match.start() for match in _WORD_END.finditer(rest)]
        # A quotation mark begins a word; the signs behind that are hardly meant to be in it.
        ends = ends[:1] if found in "\"'" else [len(text), *reversed(ends)]
        for end in dict.fromkeys(ends):
            yield [(Span(end, end), _CLOSING[found])]
    elif found == ")":
        yield [(Span(0, 0), "(")]
        if not rest.strip() and "|" not in before:
            yield [(place, "")]
    elif _SURPLUS.fullmatch(found):
        if not rest.strip():
            yield [(place, "")]
    elif found == "=" and rest[:1] == "=":
        yield [(place, "")]
    elif (
        _SIGNS.fullmatch(found)
        and rest.lstrip()[:1] not in ("", ")")
        and not (before[-1:] + rest[:1]).isalnum()
        and not _QUOTE.search(text)  # which may be an apostrophe, and the sign within its quotes
    ):
        is_apart = before[-1:] in ("", " ")  # so blanks after it go too
        yield [(Span(place.start, len(text) - len(rest.lstrip()) if is_apart else place.end), "")]


def _negations(text: str, place: Span) -> Iterator[list[_Edit]]:
    """Yield the ``!`` of other languages as a negation, where a term may begin."""
    before, rest = text[: place.start].rstrip(), text[place.end :].lstrip()
    begins = before[-1:] in ("", "&", "|", "(") or re.search(r"\b(and|or|not)$", before)
    if begins and (rest[:1].isalpha() or rest[:1] == "("):
        end = len(text) - len(rest)
        yield [(Span(place.start, end), "not " if rest[0] == "(" else "-")]
