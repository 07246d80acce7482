"""The notations of single values: strings, directories, seconds and constraints."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from posixpath import normpath
from typing import Any

from fluxtui.model.constraint import requires, tree
from fluxtui.model.form.field import (
    Context,
    Notation,
    offers,
    read_string,
    remark,
    write_string,
    wrong,
)
from fluxtui.model.form.place import MISSING, system, task
from fluxtui.notation import duration
from fluxtui.notation.json_compare import identical
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.problem import (
    MAX_LENGTH,
    Completion,
    Parsed,
    Problem,
    Span,
    nearest,
    printable,
)
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint

# Strings


def _no_choices(context: Context) -> Mapping[str, str]:
    return {}


def _no_problems(text: str, value: str, path: str, context: Context) -> tuple[Problem, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class String(Notation):
    """A string, in double quotes where it needs them.

    choices  the words that are offered, each with its meaning
    check    what is odd about a string: its text, itself, the path of the field
    """

    choices: Callable[[Context], Mapping[str, str]] = _no_choices
    check: Callable[[str, str, str, Context], tuple[Problem, ...]] = _no_problems

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The string, with what is odd about it."""
        value = read_string(text)
        return Parsed(value, self.check(text, value, path, context))

    def is_legal(self, value: Any) -> bool:
        """Any string."""
        return isinstance(value, str)

    def write(self, value: Any) -> str:
        """The string, in quotes where it needs them."""
        return write_string(value)

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """The choices."""
        return offers(text, cursor, self.choices(context))


def queues(context: Context) -> Mapping[str, str]:
    """The queues that are known, each with a word."""
    known = context.queues
    return known if isinstance(known, Mapping) else dict.fromkeys(known, "a queue")


def known_queue(text: str, value: str, path: str, context: Context) -> tuple[Problem, ...]:
    """A warning for a queue that is not among those known."""
    known = queues(context)
    if not known or value in known:
        return ()
    near = nearest(value, known)
    hint = f"; did you mean {near}?" if near else ""
    message = f"there is no queue '{printable(value[:60])}'{hint}"
    expected = (near,) if near else tuple(known)[:10]
    return (remark(message, text, path, *expected, rule="RFC 33"),)


def banks(context: Context) -> Mapping[str, str]:
    """The banks that are known."""
    return dict.fromkeys(context.banks, "a bank")


def program_name(context: Context) -> Mapping[str, str]:
    """The name of the program that the command runs."""
    command = task("command").get(context.document)
    first = command[0] if isinstance(command, list) and command else ""
    program = first.rpartition("/")[2] if isinstance(first, str) else ""
    return {program: "the program's name"} if program else {}


_DISTRIBUTIONS = {
    "block": "fill one node before the next",
    "cyclic": "one task to each node in turn",
}


def distributions(context: Context) -> Mapping[str, str]:
    """The distributions of RFC 14."""
    return _DISTRIBUTIONS


def unused_distribution(text: str, value: str, path: str, context: Context) -> tuple[Problem, ...]:
    """A warning that flux-core ignores a distribution."""
    word = value if value in _DISTRIBUTIONS else "cyclic"
    advice = f"taskmap.scheme={word}"
    message = f"flux-core takes no notice of it; type {advice} at Shell options"
    return (remark(message, text, path, advice, rule="flux-core"),)


class Directory(String):
    """An absolute path; ``.`` and ``~`` lead to one."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The path from the root."""
        value = read_string(text)
        head, _, rest = value.partition("/")
        start = {".": context.cwd, "~": context.environ.get("HOME", "")}.get(head)
        if start is None:
            if value.startswith("/"):
                return Parsed(value)
            message = "the directory of a job is a path from the root; it begins with '/'"
            known = context.cwd.startswith("/") and not value.startswith("~")
            absolute = normpath(f"{context.cwd}/{value}") if known else "/..."
            return wrong(message, text, path, absolute)
        if not start.startswith("/"):
            what = "the directory you are in" if head == "." else "your home directory"
            return wrong(f"{what} is not known; type a path that begins with '/'", text, path, "/")
        return Parsed(f"{start.rstrip('/')}/{rest.lstrip('/')}" if rest else start)

    def is_legal(self, value: Any) -> bool:
        """A path from the root."""
        return isinstance(value, str) and value.startswith("/")


def directories(context: Context) -> Mapping[str, str]:
    """Where the person is, and their home."""
    found = {}
    if context.cwd:
        found = {".": f"where you are: {printable(context.cwd)}"}
        found[context.cwd] = "the directory you are in"
    if home := context.environ.get("HOME"):
        found.setdefault(home, "your home directory")
    return {write_string(word): meaning for word, meaning in found.items()}


# Seconds


def is_time(value: object) -> bool:
    """A number of seconds as RFC 14 has it: 0 or more, finite, and no more than a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < math.inf and (isinstance(value, float) or value.bit_length() < 1024)


def same_time(one: Any, other: Any) -> bool:
    """The same number of seconds, 3600 or 3600.0."""
    return is_time(one) and is_time(other) and bool(one == other)


@dataclass(frozen=True, slots=True)
class Seconds(Notation):
    """A finite number of seconds, typed as RFC 23 has it.

    endless   why it may not be infinite
    instead   what to type in place of that
    """

    endless: str
    instead: str

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The seconds."""
        start = len(text) - len(text.lstrip())
        found = duration.parse(text.strip(), start)
        if found.value is None:
            return Parsed(MISSING, tuple(_finite(problem, path) for problem in found.problems))
        if math.isinf(found.value):
            return wrong(self.endless, text, path, self.instead)
        return Parsed(found.value)

    def is_legal(self, value: Any) -> bool:
        """See `is_time`."""
        return is_time(value)

    def write(self, value: Any) -> str:
        """A duration; ValueError for an integer with more digits than a float holds."""
        seconds = float(value)
        if seconds != value:
            raise ValueError("more digits than a number can hold")
        return duration.format(seconds)

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Durations, but for the endless one; blanks before them are no part of them."""
        start = len(text) - len(text.lstrip())
        return [
            replace(offer, span=Span(offer.span.start + start, offer.span.end + start))
            for offer in duration.completions(text[start:], cursor - start)
            if offer.text != "inf"
        ]


def _finite(problem: Problem, path: str) -> Problem:
    """A problem of a duration that cannot be endless."""
    expected = tuple(word for word in problem.expected if word != "inf")
    return replace(problem, path=path, expected=expected)


def _in_words(value: Any) -> str:
    """``1 hour 30 minutes = 5,400 s``; seconds alone need no second name."""
    words = duration.describe(value)
    seconds = f"{value:,.15g}"
    return words if words.startswith(f"{seconds} second") else f"{words} = {seconds} s"


class Duration(Seconds):
    """The limit of a job; 0, which a blank text is too, leaves it to the queue (RFC 14)."""

    def blank(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """No limit of its own."""
        return Parsed(0.0)

    def write(self, value: Any) -> str:
        """The duration, blank for 0."""
        text = super().write(value)
        return "" if text == "0" else text

    def describe(self, value: Any, context: Context) -> str:
        """How long it is."""
        return _in_words(value) if value else "no limit of its own: the queue's default"


class Preemptible(Seconds):
    """After how long a job may be preempted, which is shorter than its duration."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The seconds, with a warning where the job has ended by then."""
        found = super().read(text, path, context)
        limit = system("duration").get(context.document)
        if found.value is MISSING or not is_time(limit) or not 0 < limit <= found.value:
            return found
        message = f"the job ends after {duration.describe(limit)}, before it could be preempted"
        shorter = duration.format(float(limit) / 2)
        return Parsed(found.value, (*found.problems, remark(message, text, path, shorter)))

    def describe(self, value: Any, context: Context) -> str:
        """From when on it may be preempted."""
        return f"after {_in_words(value)}" if value else "from the start"


# Constraints


class Constraint(Notation):
    """A query (RFC 35) or an object (RFC 31); a blank one leaves it to the constraint bar."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The RFC 31 object.

        What a property may be called is RFC 20's matter, and no reason to refuse a jobspec.
        """
        found = requires.read(text)
        problems = tuple(
            replace(p, path=path, severity="warning" if p.rule == "RFC 20" else p.severity)
            for p in found.problems
        )
        if found.blank or any(problem.severity == "error" for problem in problems):
            return Parsed(MISSING, problems)
        if found.is_json:
            return Parsed(load(text), problems)
        value = to_constraint(found.tree) if found.tree is not None else MISSING
        return Parsed(value, problems)

    def is_legal(self, value: Any) -> bool:
        """What RFC 31 does not refuse."""
        problems = tree.read(value).problems
        return all(p.severity != "error" or p.rule == "RFC 20" for p in problems)

    def write(self, value: Any) -> str:
        """The query, or JSON where no query has the same meaning."""
        text = from_constraint(value)
        if text and text.isprintable() and len(text) <= MAX_LENGTH:
            found = parse_query(text)
            if found.ok and found.tree is not None and identical(to_constraint(found.tree), value):
                return text
        return dump(value)

    def describe(self, value: Any, context: Context) -> str:
        """Words for a constraint that leaves the choice open."""
        return "every node" if value == {} else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Terms of the query, by the names of the cluster."""
        return requires.completions(text, cursor, context.names)
