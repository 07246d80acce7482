"""The notations that are words as in a shell: the command, dependencies, the environment."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fluxtui.model.form.field import (
    Context,
    Notation,
    all_of,
    last_word,
    read_json,
    remark,
    wrong,
)
from fluxtui.model.form.place import MISSING, Place, system
from fluxtui.model.jobspec import batch
from fluxtui.notation import dependency, environment, shellwords
from fluxtui.notation.json_compare import identical
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.problem import Completion, Parsed, Problem, Span
from fluxtui.notation.shellwords import Word
from fluxtui.notation.wording import counted

# The command

_TAGS = {
    "{{id}}": "the id of the job",
    "{{name}}": "the name of the job",
    "{{nnodes}}": "how many nodes the job has",
    "{{ntasks}}": "how many tasks the job has",
    "{{taskid}}": "the number of the task, from 0",
    "{{node.name}}": "the host the task is on",
    "{{node.id}}": "the number of the node in the job, from 0",
    "{{tmpdir}}": "a directory of the job on each node",
}


class Command(Notation):
    """A program and its arguments; a JSON list where a word has characters that no line shows."""

    def blank(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """A task cannot do without."""
        return wrong("a task needs a command; type a program and its arguments", text, path)

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The words."""
        if text.lstrip()[0] == "[" and (listed := _listed(text)) is not None:
            return Parsed(listed, _further_tasks(text, context))
        split = shellwords.split(text)
        problems = tuple(replace(problem, path=path) for problem in split.problems)
        if not split.ok:
            return Parsed(MISSING, problems)
        words = [word.text for word in split.value]
        return Parsed(words, (*problems, *_further_tasks(text, context)))

    def is_legal(self, value: Any) -> bool:
        """A list of strings that is not empty."""
        is_list = isinstance(value, list) and bool(value)
        return is_list and all(isinstance(word, str) for word in value)

    def write(self, value: Any) -> str:
        """The words as a shell reads them."""
        return shellwords.join(value) if all(map(str.isprintable, value)) else dump(value)

    def describe(self, value: Any, context: Context) -> str:
        """How many arguments there are."""
        if batch.SCRIPT in value:
            return "a Flux instance that runs the script"
        return counted(len(value) - 1, "argument") if len(value) > 1 else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """The tags that Flux fills in, behind ``{``."""
        before = text[:cursor]
        start = before.rfind("{{")
        start = len(before) - 1 if start < 0 and before.endswith("{") else start
        begun = before[start:] if start >= 0 else ""
        span = Span(start, len(before))
        return [
            Completion(tag, span, meaning)
            for tag, meaning in _TAGS.items()
            if begun and tag.startswith(begun) and tag != begun
        ]


def _listed(text: str) -> list[str] | None:
    """The strings of a JSON list; None where it is none, such as the program ``[``."""
    try:
        found = load(text)
    except ValueError:
        return None
    return found if Command().is_legal(found) else None


def _further_tasks(text: str, context: Context) -> tuple[Problem, ...]:
    """The form shows the first task alone."""
    tasks = context.document.get("tasks")
    if not isinstance(tasks, list) or len(tasks) < 2:
        return ()
    message = f"this is the first of {len(tasks):,} tasks; V1 has only one"
    return (remark(message, text, "tasks", "one task", rule="RFC 25"),)


# Dependencies


class Dependencies(Notation):
    """Words of RFC 26, JSON objects among them where no word fits; or the whole list as JSON."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The list of dependencies."""
        if text.lstrip()[0] == "[":
            return _dependency_list(text, path)
        split = shellwords.split(text)
        problems = [replace(problem, path=path) for problem in split.problems]
        if not split.ok:
            return Parsed(MISSING, tuple(problems))
        entries = []
        for number, word in enumerate(split.value):
            found = _dependency(word, path)
            problems += [replace(p, path=f"{path}[{number}]") for p in found.problems]
            if found.value is not None:
                entries.append(found.value)
                problems += _nameless(found.value, word.span, path, context)
        good = len(entries) == len(split.value)
        return Parsed(entries if good else MISSING, tuple(problems))

    def is_legal(self, value: Any) -> bool:
        """A list of dictionaries with a scheme and a value."""
        return isinstance(value, list) and all(map(_is_dependency, value))

    def write(self, value: Any) -> str:
        """A word for each."""
        return " ".join(map(_dependency_word, value)) if value else "[]"

    def describe(self, value: Any, context: Context) -> str:
        """The first, and how many more there are."""
        words = [dependency.describe(entry) for entry in value[:1]]
        return ", ".join([*words, *([f"+{len(value) - 1}"] if len(value) > 1 else [])])

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Schemes, and behind the '?' of those that need them their keys and values."""
        begun, span = last_word(text, cursor, shellwords.split(text[:cursor]).value)
        scheme, question, query = begun.partition("?")
        if not question:
            return [
                Completion(offer, span, f"waits {known.meaning}")
                for name, known in dependency.SCHEMES.items()
                if (offer := f"{name}:" if known.value else name).startswith(begun)
                and offer != begun
            ]
        if scheme.partition(":")[0] not in dependency.WITH_KEYS:
            return []
        last = query.rpartition("&")[2]
        key, equals, _ = last.partition("=")
        span = Span(len(text[:cursor]) - len(last), len(text[:cursor]))
        if equals:
            found = {f"{key}={name}": what for name, what in dependency.KEYS.get(key, {}).items()}
        else:
            found = {"type=": "in, out or inout", "scope=": "user or global"}
        return [
            Completion(offer, span, meaning)
            for offer, meaning in found.items()
            if offer.startswith(last) and offer != last and (equals or offer not in query)
        ]


def _dependency(word: Word, path: str) -> Parsed[dict[str, Any] | None]:
    """One dependency, as a word or as a JSON object."""
    if word.text.startswith("{"):
        found = read_json(word.text, path)
        if found.ok:
            return _dependency_object(found.value, word.span)
        spans = [word.part(*p.span) if p.span else word.span for p in found.problems]
        moved = zip(found.problems, spans, strict=True)
        return Parsed(None, tuple(replace(problem, span=span) for problem, span in moved))
    if len(word.text) == word.span.end - word.span.start:
        return dependency.parse(word.text, word.span.start)
    read = dependency.parse(word.text)
    return Parsed(read.value, tuple(replace(p, span=word.span) for p in read.problems))


def _dependency_object(entry: Any, span: Span) -> Parsed[dict[str, Any] | None]:
    """A value of JSON as a dependency."""
    if not _is_dependency(entry):
        message = "a dependency has a scheme and a value, both of them strings"
        expected = '{"scheme":"afterok","value":"ƒ2oLkTLb"}'
        return Parsed(None, (Problem(message, span, None, (expected,), dependency.RULE),))
    return Parsed(entry, tuple(dependency.check(entry, span)))


def _dependency_list(text: str, path: str) -> Parsed[Any]:
    """The whole list as JSON, as it is shown where it is empty or malformed."""
    found = read_json(text, path)
    if not found.ok:
        return found
    read = [_dependency_object(entry, all_of(text)) for entry in found.value]
    problems = [replace(p, path=path) for one in read for p in one.problems]
    if not read:
        message = "an empty list waits for nothing, and so does a blank line"
        problems.append(remark(message, text, path, rule=dependency.RULE))
    good = all(one.value is not None for one in read)
    return Parsed(found.value if good else MISSING, tuple(problems))


def _is_dependency(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    return isinstance(entry.get("scheme"), str) and isinstance(entry.get("value"), str)


def _nameless(entry: Mapping[str, Any], span: Span, path: str, context: Context) -> list[Problem]:
    """A singleton waits for jobs of its name, and so needs one."""
    name = system("job", "name").get(context.document)
    if entry["scheme"] != "singleton" or isinstance(name, str):
        return []
    message = "flux-core refuses a singleton without a job name; type one above"
    return [Problem(message, span, path, ("a job name",), "flux-core", "warning")]


def _dependency_word(entry: Mapping[str, Any]) -> str:
    """A dependency as a word, in JSON where there is no word of RFC 26 for it."""
    try:
        text = dependency.format(entry)
    except ValueError:
        text = dump(entry)
    if not text.isprintable() or text[0] in "{[":  # which begin what is read as JSON
        text = dump(entry)
    # The signs that a URI is made of need no quotes here.
    plain = text.replace("?", "").replace("&", "").replace(";", "").replace("ƒ", "")
    return text if shellwords.quote_value(plain) == plain else shellwords.quote_value(text)


class DependencyPlace(Place):
    """The list of dependencies; those that mean the same stay the same objects."""

    __slots__ = ()

    def put(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """A document with these dependencies."""
        old = self.get(document)
        if isinstance(value, list) and isinstance(old, list):
            value = [next((was for was in old if _same(was, now)), now) for now in value]
            if len(value) == len(old) and all(map(_same, old, value)):
                value = old
        return super().put(document, value)


def _same(one: Any, other: Any) -> bool:
    """The same dependency, whatever the order of its keys."""
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    return all(identical(one[key], other[key]) for key in one)


# The environment

#: Enough to choose from on one screen.
_MOST = 50


class Environment(Notation):
    """Words that are done one after the other, or a JSON object where no words fit."""

    def read(self, text: str, path: str, context: Context) -> Parsed[Any]:
        """The variables by name, None for one to be unset."""
        if text.lstrip()[0] == "{":
            found = read_json(text, path)
            if not found.ok or self.is_legal(found.value):
                return found
            message = "the value of a variable is a string, or null to unset it"
            return wrong(message, text, path, '{"NAME":"value"}')
        read = environment.parse(text, context.environ)
        problems = tuple(replace(problem, path=path) for problem in read.problems)
        return Parsed(read.variables if read.ok else MISSING, problems)

    def is_legal(self, value: Any) -> bool:
        """A dictionary of strings and None."""
        return isinstance(value, dict) and all(
            isinstance(name, str) and (held is None or isinstance(held, str))
            for name, held in value.items()
        )

    def write(self, value: Any) -> str:
        """A word for each variable."""
        try:
            return environment.format(value)
        except ValueError:
            return dump(value)

    def describe(self, value: Any, context: Context) -> str:
        """How many variables there are."""
        unset = sum(held is None for held in value.values())
        number = len(value) - unset
        if not value:
            return "no variables but those of Flux"
        words = [counted(number, "variable")] if number else []
        return ", ".join([*words, *([f"{unset:,} to unset"] if unset else [])])

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Names and patterns of one's own environment; behind '-' those that are set so far."""
        before = text[:cursor]
        begun, span = last_word(text, cursor, shellwords.split(before).value)
        if "=" in begun or begun.startswith(("{", "^", "/")):
            return []
        earlier = environment.parse(before[: span.start], context.environ).variables
        if begun.startswith("-"):
            name = begun[1:]
            found = {f"-{k}": "takes it away again" for k in earlier if k.startswith(name)}
        else:
            found = dict(_patterns(begun, context.environ))
            for known, value in sorted(context.environ.items()):
                if known.startswith(begun) and known not in earlier:
                    found[known] = f"from your environment: {environment.shown(known, value)}"
        return [
            Completion(shellwords.quote_value(offer) if "*" not in offer else offer, span, meaning)
            for offer, meaning in found.items()
            if offer != begun
        ][:_MOST]


def _patterns(begun: str, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """``OMP_*`` for variables that share the beginning of their names."""
    families: dict[str, int] = {}
    for name in environ:
        head, line, _ = name.partition("_")
        if line and head:
            families[f"{head}_*"] = families.get(f"{head}_*", 0) + 1
    return [
        (pattern, f"{number} variables from your environment")
        for pattern, number in sorted(families.items())
        if number > 1 and pattern[:-1].startswith(begun.rstrip("*"))
    ]
