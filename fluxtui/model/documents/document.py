"""A document as text: what is in it, in which format, where its parts are; and written anew.

JSON, YAML and TOML are told apart by the text itself. The name of the file decides only which of
them a text was meant to be that is none.
"""

import ast
import functools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Literal, TypeAlias

from fluxtui.model.documents import yaml_text
from fluxtui.notation import json_text
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import (
    Problem,
    Span,
    at,
    is_printable,
    no_character,
    shortened,
)

Form = Literal["json", "yaml", "toml"]

Mark: TypeAlias = "yaml_text.Mark | JsonMark"

JSON = "RFC 8259"

#: A larger JSON text is read, and the places of its parts are not looked for.
MAX_LOCATED = 16 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a text.

    form      the format that the text is in, or was meant to be in
    readable  there is a value; without one, problems say why
    mark      where the value of a JSON or YAML text and its parts are
    """

    text: str
    form: Form
    value: Any = None
    readable: bool = False
    problems: tuple[Problem, ...] = ()
    mark: "Mark | None" = field(default=None, repr=False)

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems with the place in the text that their path leads to, or leads towards."""
        reach = functools.cache(self.reacher)  # made once, and only where it is needed
        return tuple(
            p if p.span is not None or p.path is None else replace(p, span=reach()(p.path)[0])
            for p in problems
        )

    def reacher(self) -> Callable[[str], tuple[Span | None, int]]:
        """Finds the key or item that a path leads to, and how many steps lead there.

        Where the document does not have it, the last one on the way that it has; None where it
        has none of them, or is too large to look.
        """
        if not self.readable or len(self.text) > MAX_LOCATED:
            return lambda path: (None, 0)
        root = _mark_of_toml(self.text) if self.form == "toml" else self.mark

        def find(path: str) -> tuple[Span | None, int]:
            found, here, number = None, root, 0
            for step in steps(path):
                try:
                    place = here.parts.get(step) if here is not None else None
                except RecursionError:  # a value of JSON that is nested as deeply as can be read
                    place = None
                if place is None:
                    break
                (found, here), number = place, number + 1
            return found, number

        return find


def read(text: str, name: str = "") -> Document:
    """Read a text of JSON, YAML or TOML. Never raises.

    name is that of the file; where the text is none of them, it tells which one was meant.
    """
    begins = text.lstrip()[:1]
    meant = _meant(text, name, begins)
    forms: list[Form] = []
    if begins in {"{", "["}:
        forms.append("json")
    if looks_like_toml(text):
        forms.append("toml")
    # Much that is broken JSON is YAML, and then says something else: NaN would be a word.
    if "json" not in forms or meant == "yaml":
        forms.append("yaml")
    tried: dict[Form, Document] = {}
    for form in forms:
        found = tried[form] = _READERS[form](text)
        # Nearly every text that is not YAML otherwise is one plain word of it.
        if found.readable and (form == meant or isinstance(found.value, dict | list)):
            return found
    return tried[meant] if meant in tried else _READERS[meant](text)


def read_yaml(text: str) -> Document:
    """Read a YAML text, of which JSON is a part. Never raises."""
    value, mark, problems = yaml_text.read(text)
    return Document(text, "yaml", value, mark is not None, problems, mark)


# JSON

# What Python's reader says, and what a person is told.
_WORDS = {
    "Expecting value": "a value is missing here",
    "Expecting ',' delimiter": "a ',' is missing here",
    "Expecting ':' delimiter": "a ':' is missing here",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
    "Illegal trailing comma before end of object": "nothing follows the ','",
    "Illegal trailing comma before end of array": "nothing follows the ','",
    "Unterminated string starting at": "the string is not closed",
    "Invalid control character at": "the string holds a control character or a line break",
    "Invalid \\escape": "the string has an escape that JSON does not know",
    "Invalid \\uXXXX escape": "four hexadecimal digits are missing after \\u",
    "Extra data": "nothing may follow the end of the document",
}


def read_json(text: str) -> Document:
    """Read a JSON text; a syntax error has a span, and no value. Never raises.

    Infinity and NaN are problems. A duplicate key in an object is a warning, for the last one
    counts wherever Flux reads JSON.
    """
    constants: list[str] = []
    twice: dict[str, None] = {}

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice[next(key for key, count in counts.items() if count > 1)] = None
        return found

    try:
        value = json.loads(text, parse_constant=constants.append, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        return Document(text, "json", problems=(syntax_problem(error, text),))
    if constants:
        signs = re.finditer(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', text)
        span = next((Span(*sign.span()) for sign in signs if sign[0] == constants[0]), None)
        message = f"'{constants[0]}' is not JSON"
        problem = Problem(message, span, None, ("a number", "null"), JSON)
        return Document(text, "json", problems=(problem,))
    warnings = tuple(
        Problem(
            f"duplicate key '{shortened(key)}'; the last one counts", rule=JSON, severity="warning"
        )
        for key in twice
    )
    # In larger texts the repeated key is named without its place.
    if twice and len(text) <= 1 << 18 and (located := json_text.parse(text)).ok:
        warnings = located.problems
    return Document(text, "json", value, True, warnings, JsonMark(text))


def broken_beginning(text: str) -> Problem | None:
    """What is wrong with the beginning of a JSON text, whatever follows it; None if nothing is."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        # A text cut within a string, a number or a word of up to 16 signs is wrong only at its end.
        is_cut = isinstance(error, json.JSONDecodeError) and (
            error.msg.startswith("Unterminated string") or error.pos > len(text) - 16
        )
        return None if is_cut else syntax_problem(error, text)
    return None


def syntax_problem(error: Exception, text: str) -> Problem:
    """What Python's reader found wrong with a text, in words for the person who wrote it."""
    if isinstance(error, json.JSONDecodeError):
        place = min(error.pos, len(text))
        words = _WORDS.get(error.msg, "this cannot be read")
        if not text[place:].strip() and "string" not in words:
            words = "the text is not finished"
        span = Span(place, min(place + 1, len(text)))
        return Problem(f"not JSON: {words}", span, None, (), JSON)
    if isinstance(error, RecursionError):
        return Problem("not read: JSON nested too deeply", rule=JSON)
    found = re.search(r"[0-9]{4301}", text)  # the digits that Python reads
    where = Span(found.start(), found.start() + 1) if found else None
    return Problem("not read: a number in the JSON is too long", where, rule=JSON)


_SPACE = re.compile(r"[ \t\r\n]*")

_DECODER: Any = json.JSONDecoder()


class JsonMark:
    """A value of a JSON text and its place, as `fluxtui.model.documents.yaml_text.Mark` has it.

    The parts of a list or an object are looked for when they are asked for, so that a part of a
    large document is found by going through what leads to it. The text has to be JSON.
    """

    anchor = False
    alias = None
    last = None

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Take the text, and where the value begins and ends; all of the text by default."""
        if end is None:
            start = _skip(text, start)
            end = len(text.rstrip(" \t\r\n"))
        sign = text[start]
        self._text = text
        self.end = end
        self.style = sign if sign in '{["' else ""
        self.span = Span(start, start + 1 if sign in "{[" else end)
        self._repeated = False

    @property
    def odd(self) -> str:
        """Why an object has other keys than those that are written; empty where it has not."""
        return "a duplicate key" if self.parts and self._repeated else ""

    @functools.cached_property
    def parts(self) -> dict[str | int, tuple[Span, "JsonMark"]]:
        """The parts with the places of their keys, by key or index; a repeated key is its last."""
        text = self._text
        found: dict[str | int, tuple[Span, JsonMark]] = {}
        if self.style not in {"{", "["}:
            return found
        index = _skip(text, self.span.end)
        while text[index] not in "}]":
            if text[index] == ",":
                index = _skip(text, index + 1)
            first, key_end = index, 0
            step: str | int = len(found)
            if self.style == "{":
                step, key_end = scanstring(text, index + 1)
                first = _skip(text, _skip(text, key_end) + 1)
            _, end = _DECODER.scan_once(text, first)
            span = Span(index, key_end or end)
            self._repeated = self._repeated or step in found
            found[step] = span, JsonMark(text, first, end)
            index = _skip(text, end)
        return found


def _skip(text: str, index: int) -> int:
    """The place of the next character that is not white space."""
    match = _SPACE.match(text, index)
    return match.end() if match else index


#: Levels of lists and objects; writing more of them may fail.
MAX_LEVELS = 200


def not_json(value: object, *, only_text: bool = True) -> Problem | None:
    """Why a value cannot be written as JSON, with the path of the part that cannot; None if it can.

    Numbers are finite, keys are strings, dates are none of its values, and strings are text:
    without only_text they may hold lone surrogates.
    """
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        here, steps = waiting.pop()
        message = ""
        if isinstance(here, dict):
            odd = next((key for key in here if not isinstance(key, str)), None)
            if odd is not None:
                message = f"a key is a string; found {shown(odd)}"
            elif only_text and (halved := next(filter(None, map(no_character, here)), None)):
                message = f"in a key {halved.message}"
            else:
                waiting += [(child, (*steps, key)) for key, child in here.items()]
        elif isinstance(here, list | tuple):
            waiting += [(child, (*steps, key)) for key, child in enumerate(here)]
        elif isinstance(here, float) and not math.isfinite(here):
            message = "a number is larger than JSON documents of Flux may have"
        elif isinstance(here, str):
            if only_text and (halved := no_character(here)) is not None:
                message = halved.message
        elif here is not None and not isinstance(here, int | float):
            message = f"'{here}' is not a value that JSON has"
        if len(steps) > MAX_LEVELS and not message:
            message, steps = f"more than {MAX_LEVELS} levels within each other are not read", ()
        if message:
            return Problem(message, None, at("", *steps) or None, (), JSON)
    return None


# TOML

# Characters of a text; the configuration of a large site is far below.
_MAX_TOML = 4 << 20
# Parts of a dotted key; reading one takes time beyond its length.
_MAX_DOTS = 100

_TOML_STRING = re.compile(r'"[^"\n]*"|\'[^\'\n]*\'')
_DOTTED = re.compile(rf"x(?:[ \t]*\.[ \t]*x){{{_MAX_DOTS}}}")
_TOML_KEY = r"(?:[A-Za-z0-9_-]++|\"[^\"\n]*\"|'[^'\n]*')"
_TOML_LINE = re.compile(
    rf"[ \t]*(?:(?P<table>\[\[?)[ \t]*(?P<name>{_TOML_KEY}(?:[ \t]*\.[ \t]*{_TOML_KEY})*+)[ \t]*\]"
    rf"|(?P<key>{_TOML_KEY}(?:[ \t]*\.[ \t]*{_TOML_KEY})*+)[ \t]*=)"
)
_TOML_PART = re.compile(_TOML_KEY)
_TUPLE = re.compile(r"\(((?:'[^']*',? ?)+)\)")
_QUOTED = re.compile(r"'([^']*)'")
_LONG = re.compile(r'"""|\'\'\'')


def looks_like_toml(text: str) -> bool:
    """The first line that is not a comment is that of a TOML text."""
    for line in text.split("\n", 200):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return _TOML_LINE.match(line) is not None
    return False


def read_toml(text: str) -> Document:
    """Read a TOML text. Never raises."""
    import tomllib

    def unread(message: str, span: Span | None = None) -> Document:
        return Document(text, "toml", problems=(Problem(message, span, rule="TOML"),))

    if len(text) > _MAX_TOML:
        return unread(f"not read: TOML of more than {_MAX_TOML >> 20} MiB")
    if (dotted := _too_dotted(text)) is not None:
        return unread(f"not read: a key of more than {_MAX_DOTS} parts", dotted)
    try:
        table = tomllib.loads(text)
        if _has_long_number(table):
            return unread("not read: a number of more than 64 bits")
    except RecursionError:
        return unread("not read: TOML nested too deeply", Span(0, 0))
    except ValueError as error:
        return unread(*_syntax(str(error), text))
    return Document(text, "toml", table, readable=True)


def _has_long_number(value: Any) -> bool:
    """A number is there that TOML does not have; Python reads any in hexadecimal."""
    if isinstance(value, dict | list):
        return any(map(_has_long_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and value.bit_length() > 63


def _too_dotted(text: str) -> Span | None:
    """The line of a key with too many parts."""
    start = 0
    for line in text.split("\n"):
        if line.count(".") >= _MAX_DOTS:
            # With each word as one sign the search stays linear.
            words = re.sub(r"[\w-]+", "x", _TOML_STRING.sub("x", line))
            if _DOTTED.search(words):
                return Span(start, start + len(line))
        start += len(line) + 1
    return None


def _syntax(said: str, text: str) -> tuple[str, Span]:
    """The syntax error and its place; the reader gives it in words only."""
    found = re.search(r"\s*\(at (?:line ([0-9]+), column ([0-9]+)|(end of document))\)$", said)
    if not found:
        return "not TOML: this cannot be read", Span(0, 0)
    message = said[: found.start()]
    offset = len(text)
    if not found[3]:
        lines = text.replace("\r\n", " \n").split("\n")[: int(found[1]) - 1]
        offset = min(sum(len(line) + 1 for line in lines) + int(found[2]) - 1, offset)
    span = Span(offset, min(offset + 1, len(text)))
    # A dotted name comes as the tuple of its parts.
    message = _TUPLE.sub(lambda name: "'" + ".".join(_QUOTED.findall(name[1])) + "'", message)
    return f"{message[:1].lower()}{message[1:]}", span


def _mark_of_toml(text: str) -> yaml_text.Mark:
    """Where the keys of a TOML text are, by their lines.

    Keys of inline tables and of tables in arrays that are written on one line are not found.
    """
    root = yaml_text.Mark(Span(0, 0))
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    start = 0
    within = ""  # the quotes of the long string that this line begins in
    for line in text.split("\n"):
        if not within and (found := _TOML_LINE.match(line)):
            word = "name" if found["table"] else "key"
            parts = tuple(part.strip("\"'") for part in _TOML_PART.findall(found[word]))
            path = () if found["table"] else table
            for number, part in enumerate(parts, 1):
                path = (*path, part)
                if found["table"] == "[[" and number == len(parts):
                    counts[path] = counts.get(path, -1) + 1
                if found["table"] and path in counts:  # a table of the last one in the array
                    path = (*path, counts[path])
            table = path if found["table"] else table
            span = Span(start + found.start(word), start + found.end(word))
            here = root
            for step in path:
                _, here = here.parts.setdefault(step, (span, yaml_text.Mark(span)))
        for quotes in _LONG.findall(line):
            within = "" if quotes == within else within or quotes
        start += len(line) + 1
    return root


# The format of a text

_READERS: dict[Form, Callable[[str], Document]] = {
    "json": read_json,
    "yaml": read_yaml,
    "toml": read_toml,
}

_SUFFIXES: dict[str, Form] = {".json": "json", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}

_FLOW = re.compile(r"\s*\{\s*[A-Za-z_]")
_KEY_OF_YAML = re.compile(r"^[ \t-]*[\w-]+:([ \t]|$)", re.MULTILINE)


def _meant(text: str, name: str, begins: str) -> Form:
    """The format that a text was meant to be in, if it is in none."""
    for suffix, form in _SUFFIXES.items():
        if name.endswith(suffix):
            return form
    if begins == "{":
        return "yaml" if _FLOW.match(text) else "json"
    if looks_like_toml(text) and (begins == "[" or not _KEY_OF_YAML.search(text)):
        return "toml"
    return "json" if begins == "[" else "yaml"


_STEP = re.compile(
    r"""\.?(?P<name>[^.\[\]'"]+)|\[(?P<index>[0-9]{1,9})\]"""
    r"""|\[(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]"""
)


def steps(path: str) -> list[str | int]:
    """The keys and indices of a path that `problem.at` has made; as far as it can be read."""
    found: list[str | int] = []
    index = 0
    while step := _STEP.match(path, index):
        if step["index"] is not None:
            found.append(int(step["index"]))
        else:
            found.append(step["name"] or str(ast.literal_eval(step["quoted"])))
        index = step.end()
    return found


# Writing

# Plain in YAML 1.1, which PyYAML writes, and a number to readers of YAML 1.2.
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+")

# Ends a line in YAML 1.1 and not in 1.2: two readers of a block would take it for two texts, and
# PyYAML marks the end of the document after a block that it ends.
_BREAK = re.compile("[\x85\u2028\u2029]")


def dump(document: object, form: Literal["yaml", "json"] = "yaml") -> str:
    """The document as text that ends with a line break; keys keep their order.

    YAML is in block style, without anchors, with quotes only where a plain word would read as
    something else in YAML 1.1 or 1.2. A text of several lines is in a literal block. What nobody
    would see, such as a character of no width, is an escape in double quotes in both forms.
    """
    if form == "json":
        text = json.dumps(document, indent=2, ensure_ascii=False)
        return _seen(_whole(text), lambda sign: json.dumps(sign)[1:-1]) + "\n"
    import yaml

    text = yaml.dump(document, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1 << 20)
    text = _seen(text, lambda sign: sign.encode("unicode_escape").decode())
    # PyYAML ends a document that is one plain word by a line that is not wanted.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text


@functools.cache
def _dumper() -> Any:
    """PyYAML's safe dumper, the fast one where it is there, without anchors."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        """Writes equal parts out each time, and strings so that they stay strings."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    Dumper.add_representer(str, _text)
    return Dumper


def _whole(text: str) -> str:
    """The text with halves of characters, which JSON can hold and UTF-8 cannot, as ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _seen(text: str, escape: Callable[[str], str]) -> str:
    """The text with escapes for what nobody would see, all of which is in double quotes."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(c if c in "\n\t" or is_printable(c) else escape(c) for c in text)


def _text(dumper: Any, value: str) -> Any:
    value = _whole(value)
    hides = not value.isascii() and not is_printable(re.sub("[\n\t]", "", value))
    quoted = hides or _BREAK.search(value) or _NUMBER.fullmatch(value)
    style = '"' if quoted else "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
