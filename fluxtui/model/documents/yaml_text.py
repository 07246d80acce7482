"""YAML texts as Flux's documents use YAML: plain values, and where each of them stands.

YAML can hold more than JSON can, and JSON is what becomes of a document in Flux. What JSON does
not have (dates, infinities, keys that are no strings, tags of one's own) is a problem, and the
value is taken for a string. A key that stands twice in one mapping is a problem too.

Limits, so that a hostile text costs no more than an honest one: ``MAX_CHARACTERS`` of text,
``MAX_DEPTH`` levels, ``MAX_NODES`` values with each alias counted at the full size of what it
stands for, and ``MAX_PROBLEMS`` problems. Reading stops at the first limit that is met.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fluxtui.model.documents import yaml_words
from fluxtui.model.documents.yaml_scalars import Scalars
from fluxtui.notation.problem import Problem, Span, at

MAX_CHARACTERS = 4 << 20
MAX_DEPTH = 100
MAX_NODES = 50_000
MAX_PROBLEMS = 100

RULE = "YAML"

_CONTROL = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # YAML 1.1, 5.1
)


@dataclass(slots=True)
class Mark:
    """Where a value stands, with the marks of its parts and of their keys, by key or index.

    span    of a scalar; of a list or mapping, where it begins, with what stands before its parts
    end     where it ends; in block style, where something else begins
    style   of a scalar ``'``, ``"``, ``|``, ``>`` or nothing; of a list ``[`` or, in block style,
            ``-``; of a mapping ``{`` or ``:``
    anchor  it has an anchor, by which aliases elsewhere may mean it
    alias   the place of the alias that stands for it here; None where it stands here itself
    odd     why a mapping has other keys than those that stand in it; empty where it has not
    last    of such a mapping, the key and the value that stand last in it
    """

    span: Span
    parts: dict[str | int, tuple[Span, "Mark"]] = field(default_factory=dict)
    end: int = 0
    style: str = ""
    anchor: bool = False
    alias: Span | None = None
    odd: str = ""
    last: "tuple[Span, Mark] | None" = None


@dataclass(frozen=True, slots=True)
class YamlText:
    """The value of a YAML text; None, with no mark, where the text could not be read."""

    value: Any
    mark: Mark | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _Anchor:
    """A value that aliases can name; size is None while its end has not been read."""

    value: Any = None
    mark: Mark | None = None
    size: int | None = None


class _StopError(Exception):
    """Reading ends here; see `read`."""

    def __init__(self, message: str, span: Span | None, *expected: str) -> None:
        super().__init__(message)
        self.problem = Problem(message, span, None, expected, RULE)


def read(text: str) -> YamlText:
    """Read a YAML text, of which JSON is a part. Never raises; problems have spans."""
    if len(text) > MAX_CHARACTERS:
        limit = f"not read: YAML of more than {MAX_CHARACTERS >> 20} MiB"
        return YamlText(None, None, (Problem(limit, rule=RULE),))
    found = _CONTROL.search(text)
    if found:
        return YamlText(None, None, (_control(found.start(), found[0]),))
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    problems: list[Problem] = []
    try:
        composer = _Composer(yaml, iter(loader(text).get_event, None), problems)
        value, mark = composer.document()
    except _StopError as stop:
        return YamlText(None, None, (*problems, stop.problem))
    except yaml.MarkedYAMLError as error:
        problem = yaml_words.problem(error, text, RULE)
        return YamlText(None, None, (*problems, problem))
    except (yaml.YAMLError, ValueError, RecursionError):
        return YamlText(None, None, (Problem("not YAML", rule=RULE),))
    return YamlText(value, mark, tuple(problems))


def _control(index: int, sign: str) -> Problem:
    message = f"the text holds the control character U+{ord(sign):04X}"
    return Problem(message, Span(index, index + 1), None, (), RULE)


class _Composer:
    """Makes values of the events of a YAML parser; see `read`."""

    def __init__(self, yaml: Any, events: Iterator[Any], problems: list[Problem]) -> None:
        self.yaml = yaml
        self.events = events
        self.scalars = Scalars()
        self.anchors: dict[str, _Anchor] = {}
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
        self.count(1, span)
        if event.anchor is None:
            return self.content(event, span, depth)
        anchor = self.anchors[event.anchor] = _Anchor()
        before = self.nodes - 1
        value, mark = self.content(event, span, depth)
        mark.anchor = True
        anchor.value, anchor.mark, anchor.size = value, mark, self.nodes - before
        return value, mark

    def content(self, event: Any, span: Span, depth: int) -> tuple[Any, Mark]:
        """content : scalar | sequence | mapping"""
        mark = Mark(span, {}, span.end)
        value: Any
        if isinstance(event, self.scalars.event):
            mark.style = event.style or ""
            value, wrong = self.scalars.value(event)
            if wrong:
                self.error(wrong.message, span, *wrong.expected)
        elif depth > MAX_DEPTH:
            raise _StopError(f"not read: nested deeper than {MAX_DEPTH} levels", span)
        elif isinstance(event, self.yaml.SequenceStartEvent):
            self.tag(event, "seq", span)
            mark.style = "[" if event.flow_style else "-"
            value = self.sequence(mark, depth)
        else:
            self.tag(event, "map", span)
            mark.style = "{" if event.flow_style else ":"
            value = self.mapping(mark, depth)
        return value, mark

    def tag(self, event: Any, kind: str, span: Span) -> None:
        """Only the tag that says what is seen anyway has a meaning."""
        if event.tag not in (None, "!", f"tag:yaml.org,2002:{kind}"):
            self.error(f"the tag '{event.tag}' has no meaning in a document of Flux", span)

    def alias(self, name: str, span: Span) -> tuple[Any, Mark]:
        anchor = self.anchors.get(name)
        if anchor is None:
            raise _StopError(f"no anchor '&{name}' stands before the alias '*{name}'", span)
        if anchor.size is None or anchor.mark is None:
            raise _StopError(f"the alias '*{name}' stands within its own anchor", span)
        self.count(anchor.size, span)
        known = anchor.mark
        return anchor.value, Mark(known.span, known.parts, known.end, known.style, alias=span)

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
            merge = self.scalars.is_merge(event)
            key = "<<" if merge else self.key(event, depth, mark)
            self.steps.append(key)
            if merge:
                mark.odd = "a merge key '<<'"
            if key in found:
                mark.odd = "a key that stands twice"
                self.error(f"the key '{key}' stands twice in one mapping", span)
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

    def key(self, event: Any, depth: int, around: Mark) -> str:
        """A key as a string; another kind of key is a problem, and its text is taken."""
        value, mark = self.node(event, depth + 1)
        if isinstance(value, str):
            return value
        if isinstance(value, dict | list):
            around.odd = "a key that is a list or a mapping"
            self.error("a key is a string; found a list or a mapping", mark.span, "a string")
            return f"?{len(self.problems)}"
        word = str(getattr(event, "value", value))
        shown = "null" if value is None else str(value).lower()
        self.error(
            f"the key '{word}' is no string: YAML reads {shown}", mark.span, f'"{word}" in quotes'
        )
        return word

    def merge(self, value: Any, mark: Mark, span: Span) -> list[tuple[Any, Mark]]:
        """The mappings of a merge key ``<<``, whose keys are added where they are not there."""
        if isinstance(value, dict):
            parts = [(value, mark)]
        elif isinstance(value, list) and all(isinstance(part, dict) for part in value):
            parts = [(part, mark.parts[index][1]) for index, part in enumerate(value)]
        else:
            self.error("'<<' merges mappings, and there is none", span, "an alias of a mapping")
            parts = []
        self.count(sum(len(part) for part, _ in parts), span)
        return parts


def _span(event: Any) -> Span:
    start: int = event.start_mark.index
    end: int = event.end_mark.index
    return Span(start, end) if end > start else Span(start, start)
