"""What a field of a jobspec is: one line of a form, a text <-> a part of the document.

A text means a value, ``MISSING`` where the part is not there. `Field.write` gives the canonical
text of a value; one that has none, since RFC 14 does not know it, raises ValueError and is shown as
JSON.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from fluxtui.model.constraint.names import Names
from fluxtui.notation.json_text import dump, load, quoted
from fluxtui.notation.problem import Completion, Parsed, Problem, Severity, Span, printable


class _Missing:
    """The value of a part that is not there; false in a condition."""

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False


#: The value of a part of a document that is not there.
MISSING: Final = _Missing()


class Context(NamedTuple):
    """What the reading of a field may depend on beside its text.

    environ     the environment of the person who writes
    cwd         the directory of that person, absolute; "" where it is not known
    resources   the RFC 14 resources in force
    queues      the names of the queues, with a word on each where they are a mapping
    banks       the names of banks, where they are known
    document    the whole jobspec
    names       what the nodes of the cluster can be asked for by
    """

    environ: Mapping[str, str] = {}
    cwd: str = ""
    resources: Sequence[Mapping[str, Any]] = ()
    queues: Mapping[str, str] | Sequence[str] = ()
    banks: Sequence[str] = ()
    document: Mapping[str, Any] = {}
    names: Names = Names()


#: A context in which nothing is known.
NOWHERE: Final = Context()

#: Text -> value; ``MISSING`` where it is blank or cannot be read. Problems have spans in the text.
Read: TypeAlias = Callable[[str, Context], Parsed[Any]]
Complete: TypeAlias = Callable[[str, int, Context], list[Completion]]


class Describe(Protocol):
    """A value in words; "" where there is nothing to say. Never raises."""

    def __call__(self, value: Any, context: Context = NOWHERE) -> str:
        """The words."""


class Field(NamedTuple):
    """One line of the form.

    name       what the field is called: ``duration``
    label      what stands before it, of 14 columns at most
    group      the part of the form it is in
    hint       what stands in it while it is blank: an example, and what blank means
    help       a sentence or two that teach
    path       the part of the document that it is about: ``attributes.system.duration``
    read       text -> value; problems have spans in the text
    write      value -> the canonical text, "" for MISSING; ValueError where the value has none
    describe   the value in words, "" where there is nothing to say
    complete   what may stand at a place in a text
    get        document -> value, MISSING where the part is not there
    put        document, value -> a new document
    multiline  the text has many lines
    """

    name: str
    label: str
    group: str
    hint: str
    help: str
    path: str
    read: Read
    write: Callable[[Any], str]
    describe: Describe
    complete: Complete
    get: Callable[[Mapping[str, Any]], Any]
    put: Callable[[Mapping[str, Any], Any], dict[str, Any]]
    multiline: bool = False


def all_of(text: str) -> Span:
    """Where a text stands without the blanks around it."""
    start = len(text) - len(text.lstrip())
    return Span(start, max(start, len(text.rstrip())))


def wrong(message: str, text: str, path: str, *expected: str, rule: str = "RFC 14") -> Parsed[Any]:
    """What is read from a text that says nothing: no value, and an error about all of it."""
    return Parsed(MISSING, (Problem(message, all_of(text), path, expected, rule),))


def remark(
    message: str,
    text: str,
    path: str,
    *expected: str,
    rule: str = "RFC 14",
    severity: Severity = "warning",
) -> Problem:
    """A problem about all of a text; a warning unless said otherwise."""
    return Problem(message, all_of(text), path, expected, rule, severity)


def without_completions(text: str, cursor: int, context: Context) -> list[Completion]:
    """Nothing is offered."""
    return []


def offers(
    text: str, cursor: int, choices: Mapping[str, str] | Sequence[tuple[str, str]]
) -> list[Completion]:
    """The choices that go on from all that stands before the cursor, in place of it."""
    pairs = choices.items() if isinstance(choices, Mapping) else choices
    begun = text[:cursor].lstrip()
    span = Span(min(cursor, len(text)) - len(begun), min(cursor, len(text)))
    return [
        Completion(word, span, meaning)
        for word, meaning in pairs
        if word.startswith(begun) and word != begun
    ]


def read_string(text: str) -> Any:
    """The string of a text; MISSING for a blank one.

    In double quotes it is a string of JSON, so that every string has a text.
    """
    word = text.strip()
    if not word:
        return MISSING
    if len(word) > 1 and word[0] == word[-1] == '"':
        try:
            return str(load(word))
        except ValueError:
            return word
    return word


def read_json(text: str, path: str) -> Parsed[Any]:
    """The value of a JSON text; MISSING with the problems where it is none."""
    try:
        return Parsed(load(text))
    except ValueError:
        pass
    from fluxtui.notation import json_text

    problems = tuple(problem._replace(path=path) for problem in json_text.parse(text).problems)
    return Parsed(MISSING, problems) if problems else wrong("this is no JSON", text, path)


def write_string(value: object) -> str:
    """The text that `read_string` reads as a string; ValueError for what is none."""
    if value is MISSING:
        return ""
    if not isinstance(value, str):
        raise ValueError("not a string")
    plain = value and value == value.strip() and value.isprintable() and value[0] != '"'
    return value if plain else quoted(value)


def literal(value: object) -> str:
    """A value that no field has a text for, as JSON or as near to it as can be."""
    try:
        return dump(value)
    except ValueError:
        pass
    import json

    try:
        return printable(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):
        return "a value that cannot be shown"
