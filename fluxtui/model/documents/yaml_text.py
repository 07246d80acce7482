"""Reading YAML as used in Flux documents: plain values, and where each of them is.

YAML can represent more than JSON, to which Flux converts its documents. What JSON does not have
(dates, infinities, keys that are not strings, custom tags) is a problem, and the value is read as
a string. A duplicate key is a problem too.

Limits keep a hostile text from costing more than an honest one; an alias counts as much as the
value it refers to. Reading stops at the first limit that is exceeded.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fluxtui.notation.problem import MAX_PROBLEMS, Problem, Span, at, shortened, surrogate_problem

MAX_CHARACTERS = 4 << 20
MAX_DEPTH = 100
MAX_NODES = 50_000

RULE = "YAML"

# The most characters of a number, since reading one takes more than linear time.
MAX_NUMBER = 100

_DECIMAL = re.compile(r"-?[1-9][0-9]{,4000}")  # as many digits as Python reads from JSON, nearly
_DIGITS = re.compile(r"[-+]?[0-9.][0-9a-fA-FxX_.:]*+")
_MARK_WITHIN = re.compile("(?<=[\n\r\x85\u2028\u2029])\ufeff")
_TAG = "tag:yaml.org,2002:"
# Halves of a character as JSON escapes them; YAML escapes whole characters only (1.1, 5.6).
_HALVES = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")


@dataclass(slots=True)
class Mark:
    """Where a value is, with the spans of the keys and the marks of its parts, by key or index.

    span    of a scalar the whole; of a list or mapping its start, up to its first part
    end     the end of the value; in block style, the start of what follows
    style   of a scalar ``'``, ``"``, ``|``, ``>`` or nothing; of a list ``[`` or, in block style,
            ``-``; of a mapping ``{`` or ``:``
    anchor  whether it has an anchor, to which aliases elsewhere may refer
    alias   the span of the alias if this is one; span, parts, end and style are of its anchor
    odd     why the keys of a mapping differ from those written in it; "" if they do not
    last    of a mapping with odd keys, the key and value written last in it
    """

    span: Span
    parts: dict[str | int, tuple[Span, "Mark"]] = field(default_factory=dict)
    end: int = 0
    style: str = ""
    anchor: bool = False
    alias: Span | None = None
    odd: str = ""
    last: "tuple[Span, Mark] | None" = None


class _StopError(Exception):
    """Stops reading; the arguments are message, span and what was expected."""


def read(text: str) -> tuple[Any, Mark | None, tuple[Problem, ...]]:
    """Read a YAML text, which may be JSON: its value, its mark, and its problems.

    Never raises. Problems about a place have spans. The mark is None if the text was not read.
    """
    if len(text) > MAX_CHARACTERS:
        limit = f"not read: YAML of more than {MAX_CHARACTERS >> 20} MiB"
        return None, None, (Problem(limit, rule=RULE),)
    import yaml

    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):  # YAML 1.1, 5.1
        message = f"the text holds the control character U+{ord(found[0]):04X}"
        return None, None, (Problem(message, Span(*found.span()), None, (), RULE),)
    if found := _MARK_WITHIN.search(text):  # LibYAML skips it, PyYAML makes it part of a name
        message = "YAML readers differ on a byte order mark within the text"
        return None, None, (Problem(message, Span(*found.span()), None, (), RULE),)
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    problems: list[Problem] = []
    try:
        value, mark = _Composer(yaml, iter(loader(text).get_event, None), problems).document()
    except _StopError as stop:
        message, span, *expected = stop.args
        return None, None, (*problems, Problem(message, span, None, tuple(expected), RULE))
    except yaml.MarkedYAMLError as error:
        return None, None, (*problems, _syntax_problem(error, text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None, None, (Problem("not YAML", rule=RULE),)
    return value, mark, tuple(problems)


class _Composer:
    """Makes values from the events of a YAML parser; see `read`."""

    def __init__(self, yaml: Any, events: Iterator[Any], problems: list[Problem]) -> None:
        self.yaml = yaml
        self.events = events
        self.resolver: Any = yaml.resolver.Resolver()
        self.constructor: Any = yaml.constructor.SafeConstructor()
        self.words: dict[str, tuple[Any, Problem | None]] = {}
        # The values of anchors, with marks and sizes; None while they are still being read.
        self.anchors: dict[str, tuple[Any, Mark, int] | None] = {}
        self.problems = problems
        self.steps: list[str | int] = []
        self.nodes = 0

    def document(self) -> tuple[Any, Mark]:
        """The only document of the stream; an empty stream is null."""
        next(self.events)  # the start of the stream
        event = next(self.events)
        if isinstance(event, self.yaml.StreamEndEvent):
            return None, Mark(_span(event))
        found = self.node(next(self.events), 1)
        next(self.events)  # the end of the document
        event = next(self.events)
        if not isinstance(event, self.yaml.StreamEndEvent):
            raise _StopError("a second YAML document begins here", _span(event), "one document")
        return found

    def error(self, message: str, span: Span, *expected: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            path = at("", *self.steps) or None
            self.problems.append(Problem(message, span, path, expected, RULE))

    def count(self, size: int, span: Span) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            message = f"not read: more than {MAX_NODES:,} values"
            if self.anchors:
                message += ", with aliases written out"
            raise _StopError(message, span)

    def node(self, event: Any, depth: int) -> tuple[Any, Mark]:
        """node : alias | scalar | sequence | mapping"""
        span = _span(event)
        if isinstance(event, self.yaml.AliasEvent):
            return self.alias(event.anchor, span)
        before, anchor = self.nodes, event.anchor
        self.count(1, span)
        if anchor is not None:
            self.anchors[anchor] = None
        mark = Mark(span, {}, span.end)
        value: Any
        if isinstance(event, self.yaml.ScalarEvent):
            mark.style = event.style or ""
            value, problem = self.scalar(event)
            if problem:
                self.error(problem.message, span, *problem.expected)
        elif depth > MAX_DEPTH:
            raise _StopError(f"not read: nested deeper than {MAX_DEPTH} levels", span)
        else:
            # The only tag allowed is the one that is implied anyway.
            is_list = isinstance(event, self.yaml.SequenceStartEvent)
            if event.tag not in (None, "!", f"{_TAG}{'seq' if is_list else 'map'}"):
                tag = shortened(event.tag)
                self.error(f"the tag '{tag}' has no meaning in a document of Flux", span)
            mark.style = ("[" if is_list else "{") if event.flow_style else "-" if is_list else ":"
            value = self.sequence(mark, depth) if is_list else self.mapping(mark, depth)
        if anchor is not None:
            mark.anchor = True
            if self.anchors[anchor] is None:  # not redefined within the value
                self.anchors[anchor] = value, mark, self.nodes - before
        return value, mark

    def alias(self, name: str, span: Span) -> tuple[Any, Mark]:
        anchor = self.anchors.get(name)
        if anchor is None:
            shown = shortened(name)
            message = f"no anchor '&{shown}' before the alias '*{shown}'"
            if name in self.anchors:
                message = f"the alias '*{shown}' is within its own anchor"
            raise _StopError(message, span)
        value, known, size = anchor
        self.count(size, span)
        return value, Mark(known.span, known.parts, known.end, known.style, alias=span)

    def sequence(self, mark: Mark, depth: int) -> list[Any]:
        found: list[Any] = []
        for event in self.events:
            if isinstance(event, self.yaml.SequenceEndEvent):
                mark.end = event.end_mark.index
                break
            self.steps.append(len(found))
            value, inner = self.node(event, depth + 1)
            mark.parts[len(found)] = (inner.span, inner)
            found.append(value)
            self.steps.pop()
        return found

    def mapping(self, mark: Mark, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        merged: list[tuple[Any, Mark]] = []
        last: tuple[Span, Mark] | None = None
        for event in self.events:
            if isinstance(event, self.yaml.MappingEndEvent):
                mark.end = event.end_mark.index
                break
            span = _span(event)
            merge = (  # the key ``<<`` without quotes
                isinstance(event, self.yaml.ScalarEvent)
                and event.value == "<<"
                and event.implicit[0]
                and event.tag is None
            )
            key = "<<" if merge else self.key(event, span, depth, mark)
            self.steps.append(key)
            if merge:
                mark.odd = "a merge key '<<'"
            if key in found:
                mark.odd = "a duplicate key"
                self.error(f"duplicate key '{shortened(str(key))}'", span)
            value, inner = self.node(next(self.events), depth + 1)
            last = (span, inner)
            if merge:
                merged += self.merge(value, inner, span)
            else:
                found[key] = value
                mark.parts[key] = (span, inner)
            self.steps.pop()
        if mark.odd:
            mark.last = last
        for value, inner in merged:
            for key in value:
                found.setdefault(key, value[key])
                if key in inner.parts:
                    mark.parts.setdefault(key, inner.parts[key])
        return found

    def key(self, event: Any, span: Span, depth: int, around: Mark) -> str:
        """Read a key; if it is not a string, report that and use its text."""
        if isinstance(event, self.yaml.ScalarEvent) and event.anchor is None:
            word, problem = self.scalar(event)
            if problem is None and isinstance(word, str):  # the fast path, without a mark
                self.count(1, span)
                return word
        value, mark = self.node(event, depth + 1)
        if isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            around.odd = "a key that is a list or a mapping"
            self.error("a key is a string; found a list or a mapping", mark.span, "a string")
            return f"?{len(self.problems)}"
        word = str(getattr(event, "value", value))
        shown = "null" if value is None else str(value).lower()
        message = f"the key '{shortened(word)}' is not a string: YAML reads {shortened(shown)}"
        self.error(message, mark.span, f'"{shortened(word)}" in quotes')
        return word

    def merge(self, value: Any, mark: Mark, span: Span) -> list[tuple[Any, Mark]]:
        """The mappings of a merge key ``<<``, whose keys are added unless they exist."""
        if isinstance(value, dict):
            parts = [(value, mark)]
        elif isinstance(value, list) and all(isinstance(part, dict) for part in value):
            parts = [(part, mark.parts[index][1]) for index, part in enumerate(value)]
        else:
            self.error("'<<' merges mappings, but none follows", span, "an alias of a mapping")
            parts = []
        self.count(sum(len(part) for part, _ in parts), span)
        return parts

    def scalar(self, event: Any) -> tuple[Any, Problem | None]:
        """The value of a scalar, a string if it is no other JSON value, and its problem or None."""
        if event.tag is not None or not event.implicit[0]:
            return self._read(event)
        # A document repeats the same few words many times.
        found = self.words.get(event.value)
        if found is None:
            found = self.words[event.value] = self._read(event)
        return found

    def _read(self, event: Any) -> tuple[Any, Problem | None]:
        word: str = event.value
        tag = event.tag
        long = Problem(f"the number '{word[:20]}…' is too long")
        if len(word) > MAX_NUMBER and tag is None and event.implicit[0]:
            # Resolving the type of a long word may take much more memory than the word itself.
            if _DECIMAL.fullmatch(word):
                return int(word), None
            return word, long if _DIGITS.fullmatch(word) else None
        if tag is None or tag == "!":
            tag = self.resolver.resolve(self.yaml.ScalarNode, word, event.implicit)
        kind = tag.removeprefix(_TAG)
        if kind in {"str", "merge", "value"}:
            return word, surrogate_problem(word)  # PyYAML without libyaml lets surrogates through
        if kind in {"int", "float"} and len(word) > MAX_NUMBER:
            return word, long
        if kind in _NAMES:
            try:
                value = self.constructor.construct_object(self.yaml.ScalarNode(tag, word))
            except (ValueError, KeyError, IndexError, OverflowError):
                return word, Problem(f"'{word}' is not {_NAMES[kind]}")
            self.constructor.constructed_objects.clear()
            if isinstance(value, float) and not math.isfinite(value):
                return value, Problem(f"'{word}' is a number that JSON does not have")
            return value, None
        if kind == "timestamp":
            message = f"'{word}' is a date in YAML, which JSON does not have"
            return word, Problem(message, expected=(f'"{word}" in quotes',))
        if kind == "binary":
            return word, Problem("binary values have no place in a document of Flux")
        words = f"the tag '{shortened(tag)}' has no meaning in a document of Flux"
        return word, Problem(words)


def _span(event: Any) -> Span:
    start, end = event.start_mark.index, event.end_mark.index
    return Span(start, max(start, end))


_NAMES = {"null": "null", "bool": "true or false", "int": "a whole number", "float": "a number"}

# Part of a message of PyYAML or libyaml, the message for users, and what would be right.
_WORDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("mapping values are not allowed", "a ':' makes a key where none is allowed",
     ("the indentation of the keys around it", "quotes around a value that holds ': '")),
    ("could not find expected ':'", "no ':' follows the key", ("KEY: VALUE",)),
    ("sequence entries are not allowed", "a list begins on the line of its key", ("a new line",)),
    ("expected '-' indicator", "a list ends here, and what follows does not fit", ("'- '",)),
    ("expected key", "a key of the mapping must begin here", ("a key, indented as those before",)),
    ("but found '-'", "a key of the mapping must begin here", ("a key, indented as those before",)),
    ("expected <block end>", "the indentation does not fit what comes before", ()),
    ("expected ',' or ']'", "the list is not closed", ("','", "']'")),
    ("expected ',' or '}'", "the mapping is not closed", ("','", "'}'")),
    ("unexpected end of stream", "the string is not closed", ("a closing quote",)),
    ("unknown escape character", "the string has an escape that YAML does not know", ()),
    ("did not find expected hex", "the escape has too few digits", (r"\x41", r"\u0041")),
    ("hexadecimal numbers", "the escape has too few digits", (r"\x41", r"\u0041")),
    ("incompatible YAML", "a version of YAML that cannot be read", ("%YAML 1.1",)),
    ("<document start>", "nothing may follow the end of the document", ()),
    ("comment or line break", "the text of '|' or '>' begins on a line of its own", ()),
    ("chomping or indentation", "the text of '|' or '>' begins on a line of its own", ()),
    ("directive name", "'%' begins a directive, which has no name", ("quotes around it",)),
    ("alphabetic or numeric", "an anchor or alias without a name", ()),
    ("tag URI", "the tag is not closed", ("'>'",)),
    ("expected '>'", "the tag is not closed", ("'>'",)),
    ("tab character", "a tab cannot indent in YAML", ("spaces",)),
    ("nesting depth", f"nested deeper than {MAX_DEPTH} levels", ()),
)  # fmt: skip


def _escape(text: str, start: int) -> tuple[Span, str, tuple[str, ...]]:
    """The span of an escape that is no character, what is wrong with it, and what is right."""
    found = _HALVES.match(text, start)
    if found is None or found[2] is None:
        end = start + (10 if text[start + 1] == "U" else 6)
        return (
            Span(start, end),
            f"{text[start:end]} is not a character",
            ("a Unicode character",),
        )
    whole = 0x10000 + ((int(found[1], 16) & 0x3FF) << 10) + (int(found[2], 16) & 0x3FF)
    message = f"{found[0]} is one character in JSON, which YAML escapes as a whole"
    return Span(*found.span()), message, (f"\\U{whole:08X}", "the character itself")


def _syntax_problem(error: Any, text: str) -> Problem:
    """A syntax error of the YAML parser as a problem with a span."""
    mark = error.problem_mark or error.context_mark
    reason = str(error.problem or "")
    index = min(mark.index, len(text)) if mark is not None else len(text)
    if "could not find expected ':'" in reason and error.context_mark is not None:
        index = error.context_mark.index
    span = Span(index, min(index + 1, len(text)))
    sign = text[index : index + 1]
    message = "this cannot be read"
    expected: tuple[str, ...] = ()
    if "invalid Unicode" in reason:
        span, message, expected = _escape(text, text.rfind("\\", 0, index))
    elif "cannot start any token" in reason:
        message, expected = f"a value cannot begin with '{sign}'", ("the value in quotes",)
        if sign == "\t":
            message, expected = "a tab cannot indent in YAML", ("spaces",)
    elif "node content" in reason and sign.strip():
        message, expected = f"'{sign}' where a value must be", ("a value",)
    elif "node content" in reason:
        last = len(text[:index].rstrip()) - 1
        span = Span(max(last, 0), last + 1)
        message = "a value must follow here"
        closing = {"[": ("a value", "']'"), "{": ("KEY: VALUE", "'}'")}
        expected = closing.get(text[last : last + 1], ("a value",))
    else:
        known = ((words, right) for piece, words, right in _WORDS if piece in reason)
        message, expected = next(known, (message, expected))
    return Problem(f"not YAML: {message}", span, None, expected, RULE)
