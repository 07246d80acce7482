"""Documents as text: reading JSON, YAML and TOML, finding their parts, and writing values.

The text itself decides which of the formats it is in. If it is in none of them, the file name
decides which one was meant.
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
    shortened,
    surrogate_problem,
)

Form = Literal["json", "yaml", "toml"]

Mark: TypeAlias = "yaml_text.Mark | JsonMark"

JSON = "RFC 8259"

#: In a longer text, the spans of problems are not looked up.
MAX_LOCATED = 16 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a text.

    form      the format that the text is in, or was meant to be in
    readable  whether there is a value; if not, problems say why
    mark      where the value of a JSON or YAML text and its parts are; else None
    """

    text: str
    form: Form
    value: Any = None
    readable: bool = False
    problems: tuple[Problem, ...] = ()
    mark: "Mark | None" = field(default=None, repr=False)

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Give problems with a path the span that `reacher` finds for it."""
        reach = functools.cache(self.reacher)  # made only once and only if needed
        return tuple(
            p if p.span is not None or p.path is None else replace(p, span=reach()(p.path)[0])
            for p in problems
        )

    def reacher(self) -> Callable[[str], tuple[Span | None, int]]:
        """A function that returns the span of the key or item at a path, and its number of steps.

        If the document does not have it, these are of the last part on the way that exists. The
        span is None if no part exists or if the document is too large to search.
        """
        if not self.readable or len(self.text) > MAX_LOCATED:
            return lambda path: (None, 0)
        root = _mark_of_toml(self.text) if self.form == "toml" else self.mark

        def find(path: str) -> tuple[Span | None, int]:
            found, here, number = None, root, 0
            for step in steps(path):
                try:
                    place = here.parts.get(step) if here is not None else None
                except RecursionError:  # JSON that is nested almost too deeply to be read
                    place = None
                if place is None:
                    break
                (found, here), number = place, number + 1
            return found, number

        return find


def read(text: str, name: str = "") -> Document:
    """Read a text of JSON, YAML or TOML. Never raises.

    name is the file name, which decides the format that was meant if the text is in none.
    """
    begins = text.lstrip()[:1]
    meant = _meant(text, name, begins)
    forms: list[Form] = []
    if begins in {"{", "["}:
        forms.append("json")
    if looks_like_toml(text):
        forms.append("toml")
    # Broken JSON is often valid YAML with another meaning: NaN would be a word.
    if "json" not in forms or meant == "yaml":
        forms.append("yaml")
    tried: dict[Form, Document] = {}
    for form in forms:
        found = tried[form] = _READERS[form](text)
        # Nearly every text is YAML, most of them a single plain word.
        if found.readable and (form == meant or isinstance(found.value, dict | list)):
            return found
    return tried[meant] if meant in tried else _READERS[meant](text)


def read_yaml(text: str) -> Document:
    """Read a YAML text, of which JSON is a part. Never raises."""
    value, mark, problems = yaml_text.read(text)
    return Document(text, "yaml", value, mark is not None, problems, mark)


# JSON

# Messages of Python's reader, with the words shown to users.
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
    """Read a JSON text; after a syntax error, which has a span, there is no value. Never raises.

    Infinity and NaN are problems. A duplicate key in an object is a warning, since the last one
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
    # In longer texts the problem of a duplicate key has no span.
    if twice and len(text) <= 1 << 18 and (located := json_text.parse(text)).ok:
        warnings = located.problems
    return Document(text, "json", value, True, warnings, JsonMark(text))


def broken_beginning(text: str) -> Problem | None:
    """The problem of the beginning of a JSON text, whatever follows; None if it may be valid."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        # A text cut within a string, or in a number or word of up to 16 characters, may be valid.
        is_cut = isinstance(error, json.JSONDecodeError) and (
            error.msg.startswith("Unterminated string") or error.pos > len(text) - 16
        )
        return None if is_cut else syntax_problem(error, text)
    return None


def syntax_problem(error: Exception, text: str) -> Problem:
    """An error of Python's JSON reader as a problem, in words for the author of the text."""
    if isinstance(error, json.JSONDecodeError):
        place = min(error.pos, len(text))
        words = _WORDS.get(error.msg, "this cannot be read")
        if not text[place:].strip() and "string" not in words:
            words = "the text is not finished"
        span = Span(place, min(place + 1, len(text)))
        return Problem(f"not JSON: {words}", span, None, (), JSON)
    if isinstance(error, RecursionError):
        return Problem("not read: JSON nested too deeply", rule=JSON)
    found = re.search(r"[0-9]{4301}", text)  # one digit more than Python reads
    where = Span(found.start(), found.start() + 1) if found else None
    return Problem("not read: a number in the JSON is too long", where, rule=JSON)


_SPACE = re.compile(r"[ \t\r\n]*")

_DECODER: Any = json.JSONDecoder()


class JsonMark:
    """Where a value of a JSON text is, in the form of `fluxtui.model.documents.yaml_text.Mark`.

    The parts of a list or object are found lazily, so that finding a part of a large document
    scans only what leads to it. The text must be valid JSON.
    """

    anchor = False
    alias = None
    last = None

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        """Take the text, and the start and end of the value; by default it is the whole text."""
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
        """Why the keys of an object differ from those written; "" if they do not."""
        return "a duplicate key" if self.parts and self._repeated else ""

    @functools.cached_property
    def parts(self) -> dict[str | int, tuple[Span, "JsonMark"]]:
        """The parts with the spans of their keys, by key or index; the last of duplicate keys."""
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
    """The index of the next character that is not white space."""
    match = _SPACE.match(text, index)
    return match.end() if match else index


#: The most levels of lists and objects; writing more of them may fail.
MAX_LEVELS = 200


def not_json(value: object, *, only_text: bool = True) -> Problem | None:
    """Why a value cannot be written as JSON, with the path of the offending part; None if it can.

    Numbers must be finite and keys must be strings; there are no dates. Strings may contain lone
    surrogates only if only_text is false.
    """
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        here, steps = waiting.pop()
        message = ""
        if isinstance(here, dict):
            odd = next((key for key in here if not isinstance(key, str)), None)
            if odd is not None:
                message = f"a key is a string; found {shown(odd)}"
            elif only_text and (lone := next(filter(None, map(surrogate_problem, here)), None)):
                message = f"in a key {lone.message}"
            else:
                waiting += [(child, (*steps, key)) for key, child in here.items()]
        elif isinstance(here, list | tuple):
            waiting += [(child, (*steps, key)) for key, child in enumerate(here)]
        elif isinstance(here, float) and not math.isfinite(here):
            message = "a number is too large for a JSON document of Flux"
        elif isinstance(here, str):
            if only_text and (lone := surrogate_problem(here)) is not None:
                message = lone.message
        elif here is not None and not isinstance(here, int | float):
            message = f"'{here}' is not a JSON value"
        if len(steps) > MAX_LEVELS and not message:
            message, steps = f"more than {MAX_LEVELS} nested levels are not read", ()
        if message:
            return Problem(message, None, at("", *steps) or None, (), JSON)
    return None


# TOML

# The most characters of a text; the configuration of a large site has far fewer.
_MAX_TOML = 4 << 20
# The most parts of a dotted key, since reading one takes more than linear time.
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
    """Whether the first line that is not blank or a comment looks like TOML."""
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
    """Whether a number exceeds the 64 bits of TOML; Python reads longer ones in hexadecimal."""
    if isinstance(value, dict | list):
        return any(map(_has_long_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and value.bit_length() > 63


def _too_dotted(text: str) -> Span | None:
    """The span of the first line with a key of too many parts, or None."""
    start = 0
    for line in text.split("\n"):
        if line.count(".") >= _MAX_DOTS:
            # Reducing each word to one character keeps the search linear.
            words = re.sub(r"[\w-]+", "x", _TOML_STRING.sub("x", line))
            if _DOTTED.search(words):
                return Span(start, start + len(line))
        start += len(line) + 1
    return None


def _syntax(error: str, text: str) -> tuple[str, Span]:
    """The message and span of a syntax error, from the words of Python's TOML reader."""
    found = re.search(r"\s*\(at (?:line ([0-9]+), column ([0-9]+)|(end of document))\)$", error)
    if not found:
        return "not TOML: this cannot be read", Span(0, 0)
    message = error[: found.start()]
    offset = len(text)
    if not found[3]:
        lines = text.replace("\r\n", " \n").split("\n")[: int(found[1]) - 1]
        offset = min(sum(len(line) + 1 for line in lines) + int(found[2]) - 1, offset)
    span = Span(offset, min(offset + 1, len(text)))
    # The reader prints a dotted name as a tuple of its parts.
    message = _TUPLE.sub(lambda name: "'" + ".".join(_QUOTED.findall(name[1])) + "'", message)
    return f"{message[:1].lower()}{message[1:]}", span


def _mark_of_toml(text: str) -> yaml_text.Mark:
    """Where the keys of a TOML text are, found line by line.

    Keys of inline tables, also of those within arrays, are not found.
    """
    root = yaml_text.Mark(Span(0, 0))
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    start = 0
    within = ""  # the quotes of the multi-line string in which this line begins
    for line in text.split("\n"):
        if not within and (found := _TOML_LINE.match(line)):
            word = "name" if found["table"] else "key"
            parts = tuple(part.strip("\"'") for part in _TOML_PART.findall(found[word]))
            path = () if found["table"] else table
            for number, part in enumerate(parts, 1):
                path = (*path, part)
                if found["table"] == "[[" and number == len(parts):
                    counts[path] = counts.get(path, -1) + 1
                if found["table"] and path in counts:  # within the last table of the array
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


# Choosing the format

_READERS: dict[Form, Callable[[str], Document]] = {
    "json": read_json,
    "yaml": read_yaml,
    "toml": read_toml,
}

_SUFFIXES: dict[str, Form] = {".json": "json", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}

_FLOW = re.compile(r"\s*\{\s*[A-Za-z_]")
_KEY_OF_YAML = re.compile(r"^[ \t-]*[\w-]+:([ \t]|$)", re.MULTILINE)


def _meant(text: str, name: str, begins: str) -> Form:
    """The format that was meant if the text is in none."""
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
    """The keys and indices of a path made by `problem.at`, as far as it can be parsed."""
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

# A plain string in YAML 1.1, which PyYAML writes, but a number in YAML 1.2.
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+")

# These end a line in YAML 1.1 but not in 1.2, so that a block would be read differently; after a
# block that ends with one PyYAML writes a document end marker.
_BREAK = re.compile("[\x85\u2028\u2029]")


def dump(document: object, form: Literal["yaml", "json"] = "yaml") -> str:
    """The document as text that ends with a line break; keys keep their order.

    YAML is in block style, without anchors, with quotes only where a plain word would be read as
    something else in YAML 1.1 or 1.2. A string of several lines is in a literal block. In both
    forms invisible characters, such as those without width, are escaped in double quotes.
    """
    if form == "json":
        text = json.dumps(document, indent=2, ensure_ascii=False)
        return _seen(_whole(text), lambda sign: json.dumps(sign)[1:-1]) + "\n"
    import yaml

    text = yaml.dump(document, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1 << 20)
    text = _seen(text, lambda sign: sign.encode("unicode_escape").decode())
    # PyYAML adds a document end marker after a single plain word.
    return text[: -len("...\n")] if text.endswith("\n...\n") else text


@functools.cache
def _dumper() -> Any:
    """PyYAML's safe dumper without anchors; the fast one if it is available."""
    import yaml

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):  # type: ignore[misc]
        """Writes shared parts in full each time, and strings so that they remain strings."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    Dumper.add_representer(str, _text)
    return Dumper


def _whole(text: str) -> str:
    """The text with ``?`` for each lone surrogate, which JSON can hold but UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _seen(text: str, escape: Callable[[str], str]) -> str:
    """The text with escapes for invisible characters, all of which must be in double quotes."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(c if c in "\n\t" or is_printable(c) else escape(c) for c in text)


def _text(dumper: Any, value: str) -> Any:
    value = _whole(value)
    hides = not value.isascii() and not is_printable(re.sub("[\n\t]", "", value))
    quoted = hides or _BREAK.search(value) or _NUMBER.fullmatch(value)
    style = '"' if quoted else "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)
