"""The environment of a job, written as words that are applied one after the other.

======================  ==========================================================================
``NAME=value``          sets a variable; except in single quotes, ``$OTHER`` and ``${OTHER}`` are
                        replaced by the value set so far, else by that of the user's environment
``NAME``, ``OMP_*``     copies variables from the user's environment unless they are set already
``-NAME``               removes a variable that earlier words have set; if none has, it asks for
                        the variable to be unset (null, RFC 14)
``-OMP_*``              removes the variables matching a pattern that earlier words have set
======================  ==========================================================================

These are the rules of ``flux submit --env``, except that there are no files and no regular
expressions, and that nothing is set at first. Words and quotes are those of a shell.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fluxtui.notation import shellwords
from fluxtui.notation.problem import (
    MAX_PROBLEMS,
    Problem,
    Span,
    WithProblems,
    capped,
    is_printable,
    nearest,
    printable,
    shortened,
)
from fluxtui.notation.shellwords import Word

RULE = "RFC 14"

#: The most words with patterns, since each is compared with every variable.
MAX_PATTERNS = 100

_GLOB = re.compile(r"[*?\[]")

# A variable in a word of a shell, and the pieces of words outside and inside double quotes.
_VARIABLE = r"\$(?P<brace>\{)?(?P<name>(?(brace)[^}]*|[A-Za-z_]\w*))(?(brace)\})"
_FILLED = re.compile(rf"""'[^']*'|\\.|"(?:[^"\\]|\\.)*"|{_VARIABLE}""", re.DOTALL)
_INSIDE = re.compile(rf"\\.|{_VARIABLE}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_SPECIAL = re.compile(r'[$`"\\]')

# A name that needs no quotes before '='.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_@%+:,./][A-Za-z0-9_@%+:,./-]*")

#: The name of a variable whose value may be a secret.
_SECRET = re.compile(r"TOKEN|SECRET|PASS|CREDENTIAL|PRIVATE|_KEY$|APIKEY|AUTH", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Environment(WithProblems):
    """The environment of a job that a text describes; the value None unsets a variable."""

    variables: dict[str, str | None]
    words: tuple[Word, ...] = ()
    problems: tuple[Problem, ...] = ()


def parse(text: str, environ: Mapping[str, str]) -> Environment:
    """Read the words of an environment; environ is the user's, from which variables are copied."""
    split = shellwords.split(text)
    reader = _Reader(text, environ)
    reader.problems += split.problems
    if split.ok:
        for word in split.value:
            reader.word(word)
    return Environment(reader.variables, split.value, capped(reader.problems))


class _Reader:
    def __init__(self, text: str, environ: Mapping[str, str]) -> None:
        self.text = text
        self.environ = environ
        self.variables: dict[str, str | None] = {}
        self.problems: list[Problem] = []
        self.patterns = 0

    def note(self, message: str, span: Span, *expected: str) -> None:
        self.problems.append(Problem(message, span, None, expected, RULE))

    def warn(self, message: str, span: Span, *expected: str, rule: str = RULE) -> None:
        self.problems.append(Problem(message, span, None, expected, rule, "warning"))

    def word(self, word: Word) -> None:
        if word.text.startswith("-"):
            self.remove(word.text[1:], word.span)
        elif word.text.startswith("^"):
            message = "variables are not read from a file here; type NAME=value for each"
            self.note(message, word.span, "NAME=value")
        elif "=" in word.text:
            self.set(word)
        else:
            self.take(word.text, word.span)

    def set(self, word: Word) -> None:
        """NAME '=' value"""
        name, _, value = word.text.partition("=")
        if not name:
            self.note("the name of a variable is missing before '='", word.span, "NAME=value")
            return
        if name[0] == "$":
            shown = shortened(name)
            message = f"a variable is set by its name alone, without '$'; found '{shown}'"
            bare = name[1:] if _PLAIN_NAME.fullmatch(name[1:]) else "NAME"
            self.note(message, word.span, f"{bare}=value")
            return
        if "$" in value:
            filled = self.filled(word)
            if filled is None:
                return
            value = filled.partition("=")[2]
        if "{{" in value:
            option = f"env-expand.{name}"
            message = f"Flux expands double braces only with the shell option '{shortened(option)}'"
            self.warn(message, word.span, f"{option}=...", rule="flux-core")
        self.variables.pop(name, None)
        self.variables[name] = value

    def filled(self, word: Word) -> str | None:
        """The text of a word with its variables filled in; None if one of them is not set."""
        missing: list[str] = []

        def value(found: re.Match[str]) -> str:
            name = found["name"]
            known = self.variables.get(name)
            known = self.environ.get(name) if known is None else known
            if known is None:
                missing.append(name)
            return known or ""

        def inside(found: re.Match[str]) -> str:
            return found[0] if found["name"] is None else _SPECIAL.sub(r"\\\g<0>", value(found))

        def outside(found: re.Match[str]) -> str:
            if found[0][0] == '"':
                return _INSIDE.sub(inside, found[0])
            if found["name"] is None:
                return found[0]
            return shellwords.quote_value(value(found))

        raw = self.text[slice(*word.span)]
        made = _FILLED.sub(outside, raw)
        for name in missing:
            self.unknown(name, word.span, "in single quotes '$' is literal")
        if missing:
            return None
        return word.text if made == raw else shellwords.split(made).value[0].text

    def unknown(self, name: str, span: Span, advice: str = "") -> None:
        shown = shortened(name)
        if advice and not _NAME.fullmatch(name):
            message = f"'${{{shown}}}' is not expanded; {advice}"
            self.note(message, span, "$NAME", "${NAME}")
            return
        near = nearest(name, self.environ) if len(self.problems) < MAX_PROBLEMS else None
        hint = f"; did you mean {printable(near)}?" if near else f"; {advice}" if advice else ""
        expected = (near,) if near else (f"{name}=value",)
        self.note(f"{shown} is not set in your environment{hint}", span, *expected)

    def take(self, name: str, span: Span) -> None:
        """NAME or a pattern, copied from the user's environment."""
        if not name:
            self.note("a word is empty; type NAME=value", span, "NAME=value")
            return
        found = self.matched(name, span, self.environ, "no variable of your environment")
        if found is None and name not in self.environ:
            self.unknown(name, span)
            return
        if found is None and self.variables.get(name) is not None:
            message = f"{shortened(name)} is already set, so nothing is copied"
            self.warn(message, span, f"-{name} {name}")
        for key in [name] if found is None else found:
            if self.variables.get(key) is None:
                self.variables[key] = self.environ[key]

    def remove(self, name: str, span: Span) -> None:
        """'-' and a NAME or a pattern."""
        if not name:
            self.note("the name of a variable is missing after '-'", span, "-NAME", "-OMP_*")
            return
        held = (key for key, value in self.variables.items() if value is not None)
        found = self.matched(name, span, held, "no variable set before it")
        if found is None and self.variables.get(name) is None:
            self.variables[name] = None
            advice = "a job has only the variables that are set here, so leave it out"
            message = f"flux-core sets {shortened(name)} to the text '(null)'; {advice}"
            self.warn(message, span, rule="flux-core")
            return
        for key in [name] if found is None else found:
            del self.variables[key]

    def matched(self, name: str, span: Span, among: Iterable[str], none: str) -> list[str] | None:
        """The names in among that a pattern matches; None if name is not a pattern."""
        if name.startswith("/"):
            message = "patterns are not regular expressions here; type a pattern such as OMP_*"
            self.note(message, span, "OMP_*")
            return []
        if not _GLOB.search(name):
            return None
        self.patterns += 1
        if self.patterns > MAX_PATTERNS:
            if self.patterns == MAX_PATTERNS + 1:
                message = f"more than {MAX_PATTERNS:,} patterns; those from here on are not read"
                self.note(message, span, f"at most {MAX_PATTERNS:,} patterns")
            return []
        found = matching(among, name)
        if not found:
            self.warn(f"{none} matches '{shortened(name)}'", span)
        return found


# Replaces an opening bracket that is never closed; no name of a variable contains it.
_OPEN = "\ue000"


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """The names that a shell pattern matches, in their order."""
    from fnmatch import translate  # needed only for patterns

    # A bracket that is never closed is an ordinary character. For each of these, `translate` would
    # search to the end of the pattern.
    closed = pattern.rfind("]") + 1
    pattern = pattern[:closed] + pattern[closed:].replace("[", _OPEN)
    try:
        like = re.compile(translate(pattern).replace(_OPEN, r"\["))
    except re.error:
        return []
    return [name for name in names if like.match(name)]


def format(variables: Mapping[str, str | None]) -> str:
    """The words that `parse` reads as the same variables, whatever the user's environment is.

    ValueError if there are none, as for names with ``=`` and unprintable characters.
    """
    if not variables:
        raise ValueError("an empty environment cannot be written")
    return " ".join(_word(name, value) for name, value in variables.items())


def _word(name: str, value: str | None) -> str:
    if not name or not is_printable(name):
        raise ValueError("a name is empty or cannot be printed")
    if value is None:
        if _GLOB.search(name) or name[0] == "/":
            raise ValueError("a name reads as a pattern")
        return shellwords.quote_value(f"-{name}")
    if "=" in name or name[0] in "-^{$" or not is_printable(value):
        raise ValueError("a name or a value has no word")
    if not _PLAIN_NAME.fullmatch(name):
        return shellwords.quote_value(f"{name}={value}")
    return f"{name}={shellwords.quote_value(value) if value else ''}"


def shown(name: str, value: str) -> str:
    """The value of a variable for display: short, printable, and hidden if it may be a secret."""
    if _SECRET.search(name):
        return f"{len(value):,} characters"
    return shortened(value)
