"""TOML texts: their table, and where a key of it is."""

import re
from typing import Any

from fluxtui.model.documents.yaml_text import Mark
from fluxtui.notation.problem import Problem, Span

RULE = "TOML"

#: Characters of a text; the configuration of a large site is far below.
MAX_CHARACTERS = 4 << 20
#: Parts of a dotted key; reading one takes time beyond its length.
MAX_DOTS = 100

_STRING = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_DOTTED = re.compile(rf"x(?:[ \t]*\.[ \t]*x){{{MAX_DOTS}}}")
_KEY = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*\"|'[^'\n]*')"
_LINE = re.compile(
    rf"[ \t]*(?:(?P<table>\[\[?)[ \t]*(?P<name>{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*+)[ \t]*\]"
    rf"|(?P<key>{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*+)[ \t]*=)"
)
_PART = re.compile(_KEY)
_NAME = re.compile(r"\(((?:'[^']*',? ?)+)\)")
_NAMED = re.compile(r"'([^']*)'")
_LONG = re.compile(r'"""|\'\'\'')


def looks_like(text: str) -> bool:
    """The first line that is not a comment is that of a TOML text."""
    for line in text.split("\n", 200):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return _LINE.match(line) is not None
    return False


def read(text: str) -> tuple[dict[str, Any] | None, Problem | None]:
    """The table of a TOML text, or what is wrong with it, with a span. Never raises."""
    import tomllib

    if len(text) > MAX_CHARACTERS:
        return None, Problem(f"not read: TOML of more than {MAX_CHARACTERS >> 20} MiB", rule=RULE)
    found = _too_dotted(text)
    if found is not None:
        message = f"not read: a key of more than {MAX_DOTS} parts"
        return None, Problem(message, found, rule=RULE)
    try:
        table = tomllib.loads(text)
        if _has_long_number(table):
            message = "not read: a number of more than 64 bits"
            return None, Problem(message, rule=RULE)
        return table, None
    except RecursionError:
        return None, Problem("not read: TOML nested too deeply", Span(0, 0), rule=RULE)
    except ValueError as error:
        return None, _syntax(str(error), text)


def _has_long_number(value: Any) -> bool:
    """A number is there that TOML does not have; Python reads any in hexadecimal."""
    if isinstance(value, dict | list):
        return any(map(_has_long_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and value.bit_length() > 63


def _too_dotted(text: str) -> Span | None:
    """The line of a key with too many parts."""
    start = 0
    for line in text.split("\n"):
        if line.count(".") >= MAX_DOTS:
            # With each word as one sign the search stays linear.
            words = re.sub(r"[\w-]+", "x", _STRING.sub("x", line))
            if _DOTTED.search(words):
                return Span(start, start + len(line))
        start += len(line) + 1
    return None


def _syntax(said: str, text: str) -> Problem:
    """The syntax error with its place; the reader gives it in words only."""
    found = re.search(r"\s*\(at (?:line ([0-9]+), column ([0-9]+)|(end of document))\)$", said)
    if not found:
        return Problem("not TOML: this cannot be read", Span(0, 0), rule=RULE)
    message = said[: found.start()]
    if found.group(3):
        offset = len(text)
    else:
        lines = text.replace("\r\n", " \n").split("\n")[: int(found.group(1)) - 1]
        offset = min(sum(len(line) + 1 for line in lines) + int(found.group(2)) - 1, len(text))
    span = Span(offset, min(offset + 1, len(text)))
    # A dotted name comes as the tuple of its parts.
    message = _NAME.sub(lambda name: "'" + ".".join(_NAMED.findall(name[1])) + "'", message)
    return Problem(f"{message[:1].lower()}{message[1:]}", span, rule=RULE)


def mark_of(text: str) -> Mark:
    """Where the keys of a TOML text are, by their lines.

    Keys of inline tables and of tables in arrays that are written on one line are not found.
    """
    root = Mark(Span(0, 0))
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    start = 0
    within = ""  # the quotes of the long string that this line begins in
    for line in text.split("\n"):
        if not within and (found := _LINE.match(line)):
            word = "name" if found["table"] else "key"
            parts = tuple(part.strip("\"'") for part in _PART.findall(found[word]))
            path: tuple[str | int, ...] = parts if found["table"] else (*table, *parts)
            if found["table"] == "[[":
                counts[parts] = counts.get(parts, -1) + 1
                path = (*parts, counts[parts])
            table = path if found["table"] else table
            span = Span(start + found.start(word), start + found.end(word))
            here = root
            for step in path:
                _, here = here.parts.setdefault(step, (span, Mark(span)))
        for quotes in _LONG.findall(line):
            within = "" if quotes == within else within or quotes
        start += len(line) + 1
    return root
