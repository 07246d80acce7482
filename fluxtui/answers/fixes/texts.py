"""Corrections of a shape or a query that cannot be read, found by trying small changes.

Each change is made where the first error is, and kept if the text can be read further than before:
what is open is closed, what closes nothing is left out, several resources get their brackets.
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
_SIGNS = re.compile(r"[^\w\s\"'-]+|and|or")
_WORD_END = re.compile(r"(?<=[\w\])}])(?![\w.-])")


@lru_cache(16)
def corrected_shape(text: str) -> str | None:
    """Return the shape (RFC 46) that one with errors may have meant; None if none is found."""
    if len(text) > LONGEST or not _shape_errors(text):
        return None
    plain = text.translate({ord("("): "[", ord(")"): "]"})  # legal in names, and never meant
    return _corrected(plain, _shape_errors, _shape_changes)


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
    found, rest = text[slice(*place)], text[place.end :]
    if found == "!" and (rest[:1].isalpha() or rest[:1] == "("):
        yield [(place, "-" if rest[0] != "(" else "not ")]
    elif found in _CLOSING:
        ends = [place.end + match.start() for match in _WORD_END.finditer(rest)]
        for end in dict.fromkeys((len(text), *reversed(ends))):
            yield [(Span(end, end), _CLOSING[found])]
    elif _SURPLUS.fullmatch(found) or (_SIGNS.fullmatch(found) and rest.strip()):
        is_apart = text[: place.start][-1:] in ("", " ")  # so blanks after it go too
        yield [(Span(place.start, len(text) - len(rest.lstrip()) if is_apart else place.end), "")]
