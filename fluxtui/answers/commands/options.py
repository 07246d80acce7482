"""Parses the options of a command line by a table of the options that its program has."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from fluxtui.answers.commands.scripts import Command
from fluxtui.answers.commands.variables import Variables
from fluxtui.notation.problem import (
    MAX_PROBLEMS,
    Problem,
    Span,
    did_you_mean,
    is_digits,
    nearest,
    printable,
    shortened,
)
from fluxtui.notation.shellwords import Word

#: What happened to the subject of a note: it was left out; it was read or written as something
#: similar; it is in the body of a script and a person has to look at it; or nothing was lost.
Code = Literal["lost", "approximate", "body", "remark"]

#: The code of the problem that a program has no such option, or no such part of an option.
UNKNOWN = "unknown-option"


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was read approximately or left out: why, and where in the text.

    instead  what the user can do about it
    extra    the kind of `extras.Extra` that is asked for, which other systems may support
    """

    text: str
    span: Span
    code: Code = "approximate"
    instead: str = ""
    extra: str = ""


@dataclass(frozen=True, slots=True)
class OptionUse:
    """One use of an option; a shortened name is given in full, and span includes the value."""

    name: str
    value: str | None
    span: Span
    value_span: Span

    @property
    def text(self) -> str:
        """The value, or an empty text if there is none."""
        return self.value or ""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a program.

    takes  ``value``; ``nothing``; or ``perhaps``, a value only if it is attached: ``-nvalue``
    key    the key of its uses in `Line.uses`; None if it is left out, and a note says why
    extra  the kind of `extras.Extra` that it asks for, a second key in `Line.uses`
    """

    names: tuple[str, ...]
    takes: str
    key: str | None
    why: str
    instead: str = ""
    extra: str = ""


@cache
def table(text: str) -> dict[str, Option]:
    """Parse a table of options such as ``-Q/--quiet =--comment ?--usage``; keyed by each name.

    An option after ``=`` takes a value; one after ``?`` may take one. A ``#`` line says what
    happens to the options below it: ``# kept``, under the last name without dashes or the key
    after ``>``; ``# ignored``; or why they are left out, and after ``--`` what to do instead.
    The kind of an extra follows ``@``.
    """
    takes = {"=": "value", "?": "perhaps"}
    out, why, instead = {}, "", ""
    for line in text.splitlines():
        if line.startswith("#"):
            why, _, instead = line[2:].partition(" -- ")
            continue
        for entry in line.split():
            written, _, extra = entry.lstrip("=?").partition("@")
            written, _, key = written.partition(">")
            names = tuple(written.split("/"))
            kept = key or names[-1].lstrip("-") if why == "kept" else None
            option = Option(names, takes.get(entry[0], "nothing"), kept, why, instead, extra)
            out.update(dict.fromkeys(names, option))
    return out


@dataclass(slots=True)
class Line:
    """A command line being parsed, with its notes and problems.

    known      the options of the program by name, see `table`
    uses       the uses of options by their keys
    spans      the span of each option with its value
    elsewhere  options of other programs and what they are called in this one
    tasks      the tasks that share a slot of an instance, whose jobspec runs brokers instead
    variables  the environment that the options ask for; None if there are no such options
    """

    command: Command
    environ: Mapping[str, str]
    known: Mapping[str, Option]
    uses: dict[str, list[OptionUse]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    rest: deque[Word] = field(default_factory=deque)
    spans: list[Span] = field(default_factory=list)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    tasks: int = 1
    variables: Variables | None = None

    @property
    def program(self) -> str:
        """The name of the program, such as ``flux run`` or ``srun``."""
        return self.command.program

    @property
    def is_flux(self) -> bool:
        """Whether options are parsed as by Python's argparse: ``-n=4`` is ``-n 4``.

        A value must be attached if it begins with a dash or follows a bundle of short options.
        """
        return self.program.startswith("flux ")

    @property
    def is_long(self) -> bool:
        """Whether long names have a single dash: ``-nnodes 4``, but ``-n4`` is ``-n 4``."""
        return self.program == "bsub"

    def all(self, key: str) -> Sequence[OptionUse]:
        """All uses of an option."""
        return self.uses.get(key, ())

    def get(self, key: str) -> OptionUse | None:
        """The last use of an option, or None if it is not given."""
        return self.uses[key][-1] if key in self.uses else None

    def text(self, key: str) -> str | None:
        """The last value of an option, or None if it is not given."""
        found = self.get(key)
        return None if found is None else found.text

    def note(
        self, where: OptionUse | Span, text: str, code: Code = "approximate", instead: str = ""
    ) -> None:
        """Add a note on something that is left out or read approximately."""
        span = where.span if isinstance(where, OptionUse) else where
        self.notes.append(Note(text, span, code, instead))

    def lost(self, where: OptionUse | Span, text: str, instead: str = "") -> None:
        """Add a note on something that is left out."""
        self.note(where, text, "lost", instead)

    def unknown(self, span: Span, message: str, *expected: str) -> None:
        """Add the problem that the program has no such option."""
        self.spans.append(span)
        expected = expected or (f"an option of {self.program}",)
        self.problems.append(Problem(message, span, None, expected, self.program, code=UNKNOWN))

    def problem(self, where: OptionUse | Span, message: str, *expected: str) -> None:
        """Add a problem; its rule is the program."""
        span = where.value_span if isinstance(where, OptionUse) else where
        self.problems.append(Problem(message, span, None, expected, self.program))

    def whole(self, key: str, least: int = 1) -> int | None:
        """The whole number given for an option; None if not given, or wrong, with a problem."""
        found = self.get(key)
        return None if found is None else self.number(found, found.text, least)

    def number(self, found: OptionUse, text: str, least: int = 1) -> int | None:
        """Parse a whole number of ``least`` or more; None, with a problem, if it is wrong."""
        digits = text.strip().removeprefix("+")
        if is_digits(digits) and len(digits) <= 15 and int(digits) >= least:
            return int(digits)
        wanted = f"a whole number of {least} or more"
        message = f"{found.name} takes {wanted}; found '{shortened(text)}'"
        self.problem(found, message, wanted)
        return None

    def read_all(self, example: str) -> list[str]:
        """Read the options of the script and of the line; return the words after the latter."""
        script = self.command.script
        if script is not None:
            self.problems += script.problems
            for words in script.directives:
                if words and words[0].text in ("hetjob", "packjob"):
                    note = "only the first part of a heterogeneous job is read"
                    self.lost(words[0].span, note, "submit the others as jobs of their own")
                    break
                self._read_directive(words, example)
        return [word.text for word in self.read(self.command.words)]

    def _read_directive(self, words: Sequence[Word], example: str) -> None:
        """Read one line of directives; the line is not read beyond a word that is not an option."""
        rest = self.read(words)
        if not rest:
            return
        text, expected = rest[0].text, f"an option such as {example}"
        message = f"'{shortened(text)}' is not an option of {self.program}"
        if text[:1] in "\u2010\u2011\u2012\u2013\u2014\u2212":
            message += f": it begins with '{text[:1]}', which is not a dash"
            expected = printable(f"-{text[1:40]}")
        elif text[:1] in "{<[" or text[-1:] in "}>]":
            message += ": a placeholder that was not filled in"
        self.unknown(Span(rest[0].span.start, rest[-1].span.end), message, expected)

    def read(self, words: Sequence[Word]) -> list[Word]:
        """Read the options at the beginning of words; return the rest, with a leading ``--``."""
        rest = self.rest = deque(words)
        while rest:
            word, text = rest[0], rest[0].text
            if not text.startswith("-") or text in ("-", "--"):
                break
            if self.is_flux and is_digits(text[1:].replace(".", "", 1)):
                break
            rest.popleft()
            if text.startswith("--"):
                self._long(word)
            elif self.is_long:
                self._single_dash(word)
            else:
                self._short(word)
        return list(rest)

    def _long(self, word: Word) -> None:
        name, equals, value = word.text.partition("=")
        option = self.known.get(name) or self._shortened(word, name)
        if option is None:
            return
        full_name = option.names[-1]
        if equals and option.takes == "nothing":
            self.problem(word.part(len(name)), f"{full_name} takes no value", full_name)
        elif equals:
            self.use(option, full_name, value, word.span, word.part(len(name) + 1))
        elif option.takes == "value":
            self._separate_value(option, full_name, word)
        else:
            self.use(option, full_name, None, word.span, word.span)

    def _single_dash(self, word: Word) -> None:
        text, option = word.text, self.known.get(word.text)
        if option is not None and option.takes == "value":
            self._separate_value(option, text, word)
            return
        if option is not None:
            self.use(option, text, None, word.span, word.span)
            return
        longer = [name for name in self.known if len(name) > 2]
        near = nearest(text, longer) if text[1:].isalpha() and len(text) > 4 else None
        option = self.known.get(text[:2])
        if option is not None and option.takes != "nothing" and near is None:
            self.use(option, text[:2], text[2:], word.span, word.part(2))
        else:
            message = f"{self.program} has no option '{shortened(text)}'{did_you_mean(near)}"
            self.unknown(word.span, message, *([near] if near else []))
            if self.rest and self.rest[0].text[:1] != "-" and len(self.rest) > 1:
                self.rest.popleft()

    def _shortened(self, word: Word, name: str) -> Option | None:
        starting = [full for full in self.known if full.startswith(name) and len(name) > 2]
        meant = starting[0] if starting else None
        several = len({self.known[full] for full in starting}) > 1
        # Slurm accepts the beginning of a long name if only one option begins with it.
        is_abbreviated = not self.is_flux and self.program not in ("qsub", "bsub")
        if meant is not None and is_abbreviated and not several:
            return self.known[meant]
        shown, expected = shortened(name), starting[:6]
        if is_abbreviated and several:
            message = f"'{shown}' is short for several options of {self.program}"
        elif meant is not None:
            message = f"{self.program} takes no shortened '{shown}'; write {meant}"
        else:
            names = {known.lstrip("-"): known for known in self.known if known.startswith("--")}
            is_early = len(self.problems) < MAX_PROBLEMS
            near = nearest(name.lstrip("-"), names) if is_early else None
            name_here = self.elsewhere.get(name, "")
            meant = name_here if name_here in self.known else None if near is None else names[near]
            expected = [meant] if meant else []
            message = f"{self.program} has no option '{shown}'{did_you_mean(meant)}"
        self.unknown(word.part(0, len(name)), message, *expected)
        # The next word is taken for the value of the option that is meant.
        has_value = meant is not None and self.known[meant].takes == "value"
        if has_value and "=" not in word.text and self.rest and self.rest[0].text[:1] != "-":
            self.rest.popleft()
        return None

    def _short(self, word: Word) -> None:
        for place, letter in enumerate(word.text[1:], 1):
            name, rest = f"-{letter}", word.text[place + 1 :]
            option = self.known.get(name)
            if option is None:
                where = word.part(place, place + 1) if place > 1 else word.span
                self.unknown(where, f"{self.program} has no option '{shortened(name)}'")
                return
            if option.takes == "nothing":
                span = word.part(0 if place == 1 else place, place + 1)
                self.use(option, name, None, span, span)
                continue
            if rest:
                skip = 2 if self.is_flux and rest[0] == "=" and place == 1 else 1
                self.use(option, name, rest[skip - 1 :], word.span, word.part(place + skip))
            elif option.takes == "perhaps":
                self.use(option, name, None, word.span, word.span)
            elif place > 1 and self.is_flux:
                self.problem(word.span, f"{name} needs its value here: {name}VALUE")
            else:
                self._separate_value(option, name, word)
            return

    def _separate_value(self, option: Option, name: str, word: Word) -> None:
        if not self.rest:
            self.problem(word.span, f"the value of {name} is missing", "a value")
            return
        value = self.rest.popleft()
        text = value.text
        # ``-4`` and ``-? b`` are values.
        is_known = text.partition("=")[0] in self.known or text[:2] in self.known
        is_value = is_digits(text[1:].replace(".", "", 1)) or " " in text
        if self.is_flux and len(text) > 1 and text[0] == "-" and (is_known or not is_value):
            shown = shortened(f"{name}{'=' if name.startswith('--') else ''}{text}")
            self.problem(value.span, f"a value that begins with '-' is attached: {shown}", shown)
            return
        self.use(option, name, value.text, Span(word.span.start, value.span.end), value.span)

    def use(
        self, option: Option, name: str, value: str | None, span: Span, value_span: Span
    ) -> None:
        """Record the use of an option, or note that it is left out."""
        found = OptionUse(name, value, span, value_span)
        self.spans.append(span)
        if option.key is not None:
            self.uses.setdefault(option.key, []).append(found)
        elif option.why != "ignored":
            text = f"{name} {option.why}"
            self.notes.append(Note(text, span, "lost", option.instead, option.extra))
        if option.extra:
            self.uses.setdefault(option.extra, []).append(found)
