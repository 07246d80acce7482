"""Reads the options of a command line by a table of them, each with its span in the text."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fluxtui.answers.commands.results import Note
from fluxtui.notation.problem import MAX_PROBLEMS, Problem, Span, is_digits, nearest, printable
from fluxtui.notation.shellwords import Word

Takes = Literal["nothing", "value", "perhaps"]


#: The span of what concerns a command line as a whole.
WHOLE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Found:
    """One option of a command line.

    name   the option as it is written in full, such as ``--nodes`` or ``-N``
    value  the value, or None where it has none
    span   the option with its value; value_span is the value alone
    """

    name: str
    value: str | None
    span: Span
    value_span: Span

    @property
    def text(self) -> str:
        """The value, empty where there is none."""
        return self.value or ""


class Line:
    """The options of one command line by the names the tables keep them under.

    values has the last use of each option, lists every use of those that may be repeated.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self.values: dict[str, Found] = {}
        self.lists: dict[str, list[Found]] = {}
        self.notes: list[Note] = []
        self.problems: list[Problem] = []

    def text(self, name: str) -> str | None:
        """The value of an option, or None where it is not given."""
        found = self.values.get(name)
        return None if found is None else found.text

    def has(self, name: str) -> bool:
        """Whether an option is given."""
        return name in self.values

    def note(self, where: Found | Span, text: str) -> None:
        """Add a note on what is left out or read approximately."""
        self.notes.append(Note(text, where.span if isinstance(where, Found) else where))

    def problem(self, where: Found | Span, message: str, *expected: str) -> None:
        """Add a problem; its rule is the program."""
        span = where.value_span if isinstance(where, Found) else where
        self.problems.append(Problem(message, span, None, expected, self.program))

    def whole(self, name: str, least: int = 1) -> int | None:
        """The whole number of an option; None where it is not given or wrong, which is noted."""
        found = self.values.get(name)
        return None if found is None else self.number(found, found.text, least)

    def number(self, found: Found, text: str, least: int = 1) -> int | None:
        """A whole number of at least so much, or None with a problem."""
        digits = text.strip().removeprefix("+")
        if is_digits(digits) and len(digits) <= 15 and int(digits) >= least:
            return int(digits)
        wanted = f"a whole number of {least} or more"
        shown = printable(text[:40])
        self.problem(found, f"{found.name} takes {wanted}; found '{shown}'", wanted)
        return None


Meaning: TypeAlias = Callable[[Line, Found], None]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a program: its names, whether it takes a value, and what it does.

    ``perhaps`` is a value that only counts when it is attached: ``--name=value``, ``-nvalue``.
    """

    names: tuple[str, ...]
    takes: Takes
    means: Meaning


def keep(name: str) -> Meaning:
    """Keeps the option in the line's values; the last use counts."""

    def mean(line: Line, found: Found) -> None:
        line.values[name] = found

    return mean


def add(name: str, lead: str = "") -> Meaning:
    """Adds the option to one of the line's lists, with ``lead`` before its value."""

    def mean(line: Line, found: Found) -> None:
        line.lists.setdefault(name, []).append(replace(found, value=lead + found.text))

    return mean


def leave(why: str) -> Meaning:
    """Leaves the option out, with a note that starts with its name and goes on with ``why``."""

    def mean(line: Line, found: Found) -> None:
        line.note(found, f"{found.name} {why}")

    return mean


def silent(line: Line, found: Found) -> None:
    """Ignores an option that has nothing to do with the job, such as ``--verbose``."""


@dataclass(frozen=True, slots=True)
class OptionSyntax:
    """How a program reads the options of its command line.

    abbreviated  a long name may be cut short where only one option begins so
    guarded      as Python's argparse does: a value in a word of its own may not begin with a dash,
                 an option in a bundle of short ones needs its value attached, and ``-n=4`` is
                 ``-n 4``
    """

    abbreviated: bool = True
    guarded: bool = False


def each(text: str, means: Meaning) -> tuple[Option, ...]:
    """Options that all mean the same, such as ``-Q/--quiet =--comment ?--usage``.

    One behind ``=`` takes a value, one behind ``?`` may take one when it is attached.
    """
    takes: dict[str, Takes] = {"=": "value", "?": "perhaps"}
    return tuple(
        Option(tuple(name.lstrip("=?").split("/")), takes.get(name[0], "nothing"), means)
        for name in text.split()
    )


def kept(text: str) -> tuple[Option, ...]:
    """Options in the notation of `each`, each kept under its last name without the dashes."""
    return tuple(option for names in text.split() for option in each(names, keep(_key(names))))


def listed(text: str) -> tuple[Option, ...]:
    """Like `kept`, for options that may be repeated: each has a list under its last name."""
    return tuple(option for names in text.split() for option in each(names, add(_key(names))))


def _key(names: str) -> str:
    return names.rpartition("/")[2].lstrip("=?-")


def table(options: Iterable[Option]) -> dict[str, Option]:
    """The options by each of their names."""
    return {name: option for option in options for name in option.names}


def read(
    line: Line, words: Sequence[Word], known: Mapping[str, Option], syntax: OptionSyntax
) -> tuple[Word, ...]:
    """Put all options into the line; gives the words behind them (a leading ``--`` included)."""
    reader = _Reader(line, words, known, syntax)
    while reader.place < len(words):
        word = words[reader.place]
        if word.text == "--" or not word.text.startswith("-") or word.text == "-":
            break
        if syntax.guarded and is_digits(word.text[1:].replace(".", "", 1)):
            break
        reader.place += 1
        if word.text.startswith("--"):
            reader.long(word)
        else:
            reader.short(word)
    return tuple(words[reader.place :])


class _Reader:
    """Reads option after option; ``place`` is the next word."""

    def __init__(
        self, line: Line, words: Sequence[Word], known: Mapping[str, Option], syntax: OptionSyntax
    ) -> None:
        self.line = line
        self.words = words
        self.known = known
        self.syntax = syntax
        self.place = 0

    def long(self, word: Word) -> None:
        """``--name``, ``--name=value`` or ``--name value``."""
        name, equals, value = word.text.partition("=")
        option = self.named(word, name)
        if option is None:
            self.skip_value(name, attached=bool(equals))
            return
        own = option.names[-1]
        if equals and option.takes == "nothing":
            where = word.part(len(name))
            self.line.problem(where, f"{own} takes no value", own)
        elif equals:
            self.done(option, own, value, word.span, word.part(len(name) + 1))
        elif option.takes == "value":
            self.apart(option, own, word)
        else:
            self.done(option, own, None, word.span, word.span)

    def named(self, word: Word, name: str) -> Option | None:
        """The option of a long name, which may be abbreviated; None with a problem."""
        option = self.known.get(name)
        if option is not None:
            return option
        starting = [full for full in self.known if full.startswith(name) and len(name) > 2]
        options = {id(self.known[full]): self.known[full] for full in starting}
        if self.syntax.abbreviated and len(options) == 1:
            return next(iter(options.values()))
        where = word.part(0, len(name))
        shown = printable(name[:60])
        if self.syntax.abbreviated and options:
            message = f"'{shown}' is short for several options of {self.line.program}"
            self.line.problem(where, message, *starting[:6])
        elif options:
            message = f"{self.line.program} takes no shortened '{shown}'; write {starting[0]}"
            self.line.problem(where, message, *starting[:6])
        else:
            self.unknown(where, name)
        return None

    def near(self, name: str) -> str | None:
        """The option that an unknown one may be a misspelling of, for the first problems only."""
        if len(self.line.problems) >= MAX_PROBLEMS:
            return None
        names = {known.lstrip("-"): known for known in self.known if known[:2] == name[:2]}
        found = nearest(name.lstrip("-"), names)
        return None if found is None else names[found]

    def skip_value(self, name: str, *, attached: bool) -> None:
        """Skip the word that must be the value of an unknown option."""
        starting = [full for full in self.known if full.startswith(name)]
        meant = starting[0] if starting else self.near(name)
        if attached or meant is None or self.known[meant].takes != "value":
            return
        if self.place < len(self.words) and not self.words[self.place].text.startswith("-"):
            self.place += 1

    def unknown(self, where: Span, name: str) -> None:
        """Report an option that the program does not have, with a suggestion."""
        near = self.near(name) if name.startswith("--") else None
        hint = f"; did you mean {near}?" if near else ""
        message = f"{self.line.program} has no option '{printable(name[:60])}'{hint}"
        self.line.problem(where, message, *([near] if near else []))

    def short(self, word: Word) -> None:
        """``-n4``, ``-n 4``, or several such as ``-xN4``."""
        text = word.text
        for place in range(1, len(text)):
            name = f"-{text[place]}"
            option = self.known.get(name)
            if option is None:
                self.unknown(word.part(place, place + 1) if place > 1 else word.span, name)
                return
            rest = text[place + 1 :]
            if option.takes == "nothing":
                span = word.part(0, 2) if place == 1 else word.part(place, place + 1)
                self.done(option, name, None, span, span)
            elif rest:
                skip = 2 if self.syntax.guarded and rest[0] == "=" and place == 1 else 1
                value = rest[skip - 1 :]
                self.done(option, name, value, word.span, word.part(place + skip))
                return
            elif option.takes == "perhaps":
                self.done(option, name, None, word.span, word.span)
                return
            elif place > 1 and self.syntax.guarded:
                self.line.problem(word.span, f"{name} needs its value here: {name}VALUE")
                return
            else:
                self.apart(option, name, word)
                return

    def apart(self, option: Option, name: str, word: Word) -> None:
        """The value is the next word."""
        if self.place == len(self.words):
            self.line.problem(word.span, f"the value of {name} is missing", "a value")
            return
        value = self.words[self.place]
        self.place += 1
        if self.syntax.guarded and self.is_option(value.text):
            joined = f"{name}={value.text}" if name.startswith("--") else f"{name}{value.text}"
            message = f"a value that begins with '-' is attached: {printable(joined[:60])}"
            self.line.problem(value.span, message, printable(joined[:60]))
            return
        self.done(option, name, value.text, Span(word.span.start, value.span.end), value.span)

    def is_option(self, text: str) -> bool:
        """Whether a guarded reader takes a word for an option; ``-4`` and ``-? b`` are values."""
        if len(text) < 2 or text[0] != "-":
            return False
        if text.partition("=")[0] in self.known or text[:2] in self.known:
            return True
        return not is_digits(text[1:].replace(".", "", 1)) and " " not in text

    def done(
        self, option: Option, name: str, value: str | None, span: Span, value_span: Span
    ) -> None:
        option.means(self.line, Found(name, value, span, value_span))
