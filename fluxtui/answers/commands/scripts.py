"""Directives in batch scripts: ``#flux:`` (RFC 36), ``#SBATCH`` and ``#PBS`` lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span, printable
from fluxtui.notation.shellwords import Word

Kind = Literal["flux", "SBATCH", "PBS"]

_FLUX = re.compile(r"([^\w\n]*)(flux:|FLUX:)(.*)")
_OTHER = re.compile(r"#(SBATCH|PBS)(?=\s|$)(.*)")
_TRIPLE = ('"""', "'''")


@dataclass(slots=True)
class Script:
    """A batch script.

    kind    whose directives it has
    words   the words of all its directives, in order
    body    it holds more than directives, comments and blank lines
    offset  where it starts in the text that holds it
    """

    text: str
    kind: Kind
    words: list[Word] = field(default_factory=list)
    body: bool = False
    problems: list[Problem] = field(default_factory=list)
    offset: int = 0

    def span(self, start: int, line: str) -> Span:
        """The span of a line that starts at an index of the text."""
        return Span(self.offset + start, self.offset + start + len(line))

    def problem(self, span: Span, message: str, *expected: str) -> None:
        """Add a problem of a directive."""
        rule = "RFC 36" if self.kind == "flux" else f"#{self.kind}"
        self.problems.append(Problem(message, span, None, expected, rule))


def kind_of(text: str) -> Kind | None:
    """Whose directives come first in a text; None where it holds none."""
    for line, _ in _lines(text):
        other = _OTHER.match(line)
        if other is not None:
            return "SBATCH" if other[1] == "SBATCH" else "PBS"
        flux = _FLUX.match(line)
        if flux is not None and (not flux[3].strip() or _is_flux(flux)):
            return "flux"
    return None


def _is_flux(found: re.Match[str]) -> bool:
    """Whether a line is a directive rather than, say, a key of a YAML document."""
    return found[3].lstrip()[:1] in ("-", "#") or bool(found[1])


def read(text: str, kind: Kind, offset: int = 0) -> Script:
    """The directives of a script, with spans that count from ``offset``."""
    script = Script(text, kind, offset=offset)
    if kind == "flux":
        _Flux(script).read()
    else:
        _read_other(script)
    script.body = any(
        line.strip() and not line.lstrip().startswith("#") and not _FLUX.match(line)
        for line, _ in _lines(text)
    )
    return script


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Each line without its break, and where it starts."""
    place = 0
    for line in text.split("\n"):
        yield line.removesuffix("\r"), place
        place += len(line) + 1


def _read_other(script: Script) -> None:
    """``#SBATCH`` and ``#PBS`` lines count up to the first command."""
    ended = False
    for line, start in _lines(script.text):
        found = _OTHER.match(line)
        if found is None or found[1] != script.kind:
            ended = ended or (bool(line.strip()) and not line.lstrip().startswith("#"))
        elif ended:
            message = f"#{script.kind} lines count only before the first command"
            script.problem(script.span(start, line), message, "the line further up")
        else:
            value = _uncommented(found[2])
            words, problems = shellwords.split(value, script.offset + start + found.start(2))
            script.words.extend(words)
            script.problems.extend(problems)


def _uncommented(value: str) -> str:
    """The text up to a ``#`` that begins a word outside of quotes."""
    for found in re.finditer(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?<=\s)#""", value):
        if found[0] == "#":
            return value[: found.start()]
    return value


class _Flux:
    """Reads ``flux:`` directives line by line (RFC 36).

    literal holds the lines of a text in triple quotes that is not closed yet; start is where its
    first line starts, and indent what that begins with.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.sentinel: str | None = None
        self.prefix = ""
        self.ended = False
        self.quotes = ""
        self.literal: list[str] = []
        self.indent = ""
        self.start = 0

    def read(self) -> None:
        script = self.script
        for line, place in _lines(script.text):
            found = _FLUX.match(line)
            span = script.span(place, line)
            if found is None:
                self.other_line(line, span)
            elif self.ended:
                message = "a directive comes after the first line that is not one"
                script.problem(span, message, "the line further up")
            elif self.sentinel not in (None, found[1] + found[2]):
                wanted = str(self.sentinel)
                script.problem(span, f"all directives begin with '{printable(wanted)}'", wanted)
            else:
                self.sentinel, self.prefix = found[1] + found[2], found[1]
                self.directive(found[3], span.start + found.start(3))
        if self.quotes:
            self.unclosed(len(script.text) + script.offset)

    def other_line(self, line: str, span: Span) -> None:
        """A line without a directive ends them, unless it begins as they do or is blank."""
        if self.quotes:
            self.unclosed(span.start)
        if self.sentinel is not None and line.strip():
            self.ended = self.ended or not line.startswith(self.prefix.rstrip())

    def unclosed(self, end: int) -> None:
        message = f"the quotes {self.quotes} are not closed"
        self.script.problem(Span(self.start, end), message, self.quotes)
        self.quotes = ""

    def directive(self, value: str, place: int) -> None:
        """One line behind the sentinel, or one of a literal of several lines."""
        opening = value[-3:]
        if self.quotes:
            self.literal_line(value, place)
        elif opening in _TRIPLE and value.count(opening) % 2:
            self.quotes, self.start = opening, place
            self.indent = value[: len(value) - len(value.lstrip())]
            self.literal = [value[len(self.indent) : -3]]
        else:
            words = _split(value, place, self.script)
            if words and not words[0].text.startswith("-"):
                shown = printable(words[0].text[:40])
                message = f"a directive begins with an option; found '{shown}'"
                self.script.problem(words[0].span, message, "an option such as -N4")
            else:
                self.script.words += words

    def literal_line(self, value: str, place: int) -> None:
        closed = value.endswith(self.quotes)
        text = value[:-3] if closed else value
        self.literal.append(text.removeprefix(self.indent))
        if not closed:
            return
        first, *rest = self.literal
        span = Span(self.start, place + len(value))
        words = list(_split(first, self.start, self.script))
        literal = "\n".join(rest)
        if words and first[-1:].strip():
            literal = words.pop().text + literal
        self.script.words += [*words, Word(literal, span)]
        self.quotes = ""


def _split(value: str, place: int, script: Script) -> list[Word]:
    """The words of a directive: as in a shell, but ``#`` begins a comment anywhere.

    Signs such as ``|`` are words of their own outside of quotes, and a backslash escapes a quote
    or a backslash within both kinds of quotes.
    """
    words: list[Word] = []
    at, end = 0, len(value)
    while at < end:
        if value[at].isspace():
            at += 1
            continue
        if value[at] == "#":
            break
        start, word = at, ""
        if value[at] in _SIGNS:
            while at < end and value[at] in _SIGNS:
                at += 1
            word = value[start:at]
        else:
            while at < end and not value[at].isspace() and value[at] not in _SIGNS + "#":
                piece, at = _piece(value, at, place, script)
                word += piece
        words.append(Word(word, Span(place + start, place + at)))
    return words


_SIGNS = "();<>|&"


def _piece(value: str, at: int, place: int, script: Script) -> tuple[str, int]:
    """The meaning of one character, escape or quoted text, and where it ends."""
    sign = value[at]
    span = Span(place + at, place + len(value))
    if sign == "\\":
        if at + 1 == len(value):
            script.problem(span, "the backslash at the end escapes nothing")
        return value[at + 1 : at + 2], min(at + 2, len(value))
    if sign not in "\"'":
        return sign, at + 1
    triple = value[at : at + 3]
    if triple in _TRIPLE and (close := value.rfind(triple)) >= at + 3:
        return value[at + 3 : close].replace("\\\\", "\\"), close + 3
    close = at + 1
    while close < len(value) and value[close] != sign:
        close += 2 if value[close] == "\\" else 1
    if close >= len(value):
        script.problem(span, f"the quote {sign} is not closed", f"the closing {sign}")
    inside = value[at + 1 : close]
    return re.sub(rf"\\([\\{sign}])", r"\1", inside), min(close + 1, len(value))


def of_command(words: Sequence[str]) -> str:
    """A script that runs one command; in bash where its escapes need that (see `shellwords`)."""
    shell = "sh" if all(map(shellwords.is_plain, words)) else "bash"
    return f"#!/bin/{shell}\n{shellwords.join(words)}\n"


def with_directives(script: str, lead: str, words: Sequence[str]) -> str | None:
    """The script with directives behind its first line, each option on a line of its own.

    lead is what each begins with, such as ``#SBATCH``. None where the script has such directives
    already, which would count as well, and where an option holds control characters, for which a
    directive has no escapes.
    """
    if not all(map(shellwords.is_plain, words)):
        return None
    if any(line.startswith(lead.strip()) for line, _ in _lines(script)):
        return None
    lines: list[str] = []
    for word in words:
        quoted = _quoted(word) if lead.strip().endswith(":") else shellwords.quote(word)
        if word.startswith("-") or not lines:
            lines.append(f"{lead}{quoted}")
        else:
            lines[-1] += f" {quoted}"
    head = "".join(f"{line}\n" for line in lines)
    first, _, rest = script.partition("\n")
    if not first.startswith("#!"):
        return f"#!/bin/sh\n{head}{script}"
    return f"{first}\n{head}{rest}"


def _quoted(word: str) -> str:
    """A word with the quotes a ``flux:`` directive needs."""
    option = re.match(r"--[A-Za-z][A-Za-z-]*=", word)
    first = option[0] if option else ""
    rest = word[len(first) :]
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./*-]*", rest) and word:
        return word
    if "'" not in rest and "\\" not in rest:
        return f"{first}'{rest}'"
    escaped = rest.replace("\\", "\\\\").replace('"', '\\"')
    return f'{first}"{escaped}"'
