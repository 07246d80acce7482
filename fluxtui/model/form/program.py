"""The notations of a job's command, script, environment and dependencies.

All but the script are split into words as in a shell. The script is stored in the job as ``flux
batch`` does it (RFC 37).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from fluxtui.model.form.field import (
    Context,
    Notation,
    Place,
    all_of,
    begun,
    offers,
    read_json,
    remark,
    system,
    task,
    wrong,
)
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.notation import dependency, environment, shellwords
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.json_value import identical, same
from fluxtui.notation.problem import Completion, Parsed, Problem, Span, counted, is_printable
from fluxtui.notation.shellwords import Word

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


class _Command(Notation):
    """A program and its arguments; written as a JSON list if a word has unprintable characters."""

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        return wrong("a task needs a command; type a program and its arguments", text)

    def read(self, text: str, context: Context) -> Parsed[Any]:
        split = shellwords.split(text)
        words: Any = [word.text for word in split.value]
        problems = split.problems
        if text.lstrip()[0] == "[":  # a JSON list, or the program [
            try:
                listed = load(text)
            except ValueError:
                listed = None
            if self.is_legal(listed):
                words, problems = listed, ()
        if any(problem.severity == "error" for problem in problems):
            return Parsed(MISSING, problems)
        tasks = context.document.get("tasks")
        if isinstance(tasks, list) and len(tasks) > 1:
            message = f"this is the first of {len(tasks):,} tasks; V1 has only one"
            problems = (*problems, remark(message, text, "one task", rule="RFC 25"))
        return Parsed(words, problems)

    def is_legal(self, value: Any) -> bool:
        is_list = isinstance(value, list) and bool(value)
        return is_list and all(isinstance(word, str) for word in value)

    def write(self, value: Any) -> str:
        return shellwords.join(value) if all(map(is_printable, value)) else dump(value)

    def describe(self, value: Any, context: Context) -> str:
        if jobspec.SCRIPT in value:
            return "a Flux instance that runs the script"
        return counted(len(value) - 1, "argument") if len(value) > 1 else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Complete the tags that Flux fills in, after ``{``."""
        before = text[:cursor]
        start = before.rfind("{{")
        start = len(before) - 1 if start < 0 and before.endswith("{") else start
        return offers(before[start:], Span(start, len(before)), _TAGS) if start >= 0 else []


COMMAND: Final = _Command()

# The script

# The command of a job that runs a script, and the placeholder command of a job without one.
_RUN_SCRIPT = ["flux", "broker", jobspec.SCRIPT]
_PLAIN = ["app"]

_COMMAND_PLACE = task("command")
_FILE = system("files", "script", drop=1)
_OLD = system("batch", "script", drop=1)
_OPTIONS = system("shell", "options", drop=1)


def _shell_options() -> dict[str, Any]:
    """Return the shell options that ``flux batch`` sets along with the script."""
    output = {"stdout": {"type": "file", "path": jobspec.BATCH_OUTPUT}}
    return {"output": output, **jobspec.instance_options()}


def runs_script(command: object) -> bool:
    """Whether the raw command of a document runs the job's script."""
    return isinstance(command, list) and jobspec.SCRIPT in command


class _ScriptPlace(Place):
    """The script among the files of the job; setting it also sets command and shell options."""

    __slots__ = ()

    def get(self, document: Mapping[str, Any]) -> Any:
        """Return the text of the script; the whole file entry if it does not hold text."""
        entry = _FILE.get(document)
        if entry is MISSING:
            return _OLD.get(document)
        if isinstance(entry, Mapping) and entry.get("encoding") == "utf-8" and "data" in entry:
            return entry["data"]
        return entry

    def changed(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """Return a document that runs a script as ``flux batch`` does, or no longer runs one."""
        if value is MISSING:
            return _without_script(document)
        entry = _FILE.get(document)
        if entry is MISSING and _OLD.get(document) is not MISSING:
            return _OLD.put(document, value)
        known = dict(entry) if isinstance(entry, Mapping) else {"mode": jobspec.SCRIPT_MODE}
        if "size" in known and isinstance(value, str):
            known["size"] = len(value.encode("utf-8", "surrogatepass"))
        made = _FILE.put(document, {**known, "data": value, "encoding": "utf-8"})
        if entry is not MISSING:
            return made
        # Add the command and shell options that a script needs, keeping what is already set.
        if not runs_script(_COMMAND_PLACE.get(made)):
            made = _COMMAND_PLACE.put(made, list(_RUN_SCRIPT))
        options = _OPTIONS.get(made) or {}
        if not isinstance(options, Mapping):
            return made
        missing = {key: value for key, value in _shell_options().items() if key not in options}
        return _OPTIONS.put(made, {**options, **missing})


def _without_script(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document without the script, and with a plain command if it ran the script."""
    made = _OLD.put(_FILE.put(document, MISSING), MISSING)
    if not runs_script(_COMMAND_PLACE.get(made)):
        return made
    made = _COMMAND_PLACE.put(made, list(_PLAIN))
    options = _OPTIONS.get(made)
    if not isinstance(options, Mapping):
        return made
    batch = _shell_options()
    kept = {key: value for key, value in options.items() if key not in batch or value != batch[key]}
    return _OPTIONS.put(made, kept or MISSING) if len(kept) < len(options) else made


SCRIPT_PLACE: Final = _ScriptPlace(_FILE.steps)


def replaced_by_script(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the text of the command that was replaced when the document got a script.

    Return "" if anything else changed too, or if the command was only the placeholder.
    """
    command = _COMMAND_PLACE.get(before)
    if not isinstance(command, list) or runs_script(command) or command == _PLAIN:
        return ""
    with_script = SCRIPT_PLACE.put(before, SCRIPT_PLACE.get(now))
    if _COMMAND_PLACE.get(now) != _RUN_SCRIPT or not identical(with_script, now):
        return ""
    return COMMAND.write(command) if COMMAND.is_legal(command) else ""


class _Script(Notation):
    """The script verbatim."""

    def read(self, text: str, context: Context) -> Parsed[Any]:
        problems = []
        if not text.startswith("#!"):
            message = "flux batch expects a script to begin with '#!' and an interpreter"
            first = Span(0, len(text.split("\n", 1)[0]))
            problems.append(Problem(message, first, None, ("#!/bin/sh",), "flux-core", "warning"))
        document = context.document
        if _FILE.get(document) is not MISSING and not runs_script(_COMMAND_PLACE.get(document)):
            command = shellwords.join(_RUN_SCRIPT)
            message = f"the command does not run the script; this would: {command}"
            problems.append(remark(message, text, command, rule="flux-core"))
        return Parsed(text, tuple(problems))

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip())

    def write(self, value: Any) -> str:
        return str(value)

    def describe(self, value: Any, context: Context) -> str:
        return counted(len(value.splitlines()), "line")

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        if "\n" in text[:cursor]:
            return []
        first = {
            "#!/bin/sh": "a script for any shell",
            "#!/bin/bash": "a script for bash",
            "#!/usr/bin/env python3": "a script in Python",
        }
        return offers(*begun(text, cursor), first)


SCRIPT: Final = _Script()

# Dependencies


DEPENDENCY_PLACE: Final = system("dependencies", same=same)  # ignoring the order of keys


def _last_word(text: str, cursor: int) -> tuple[str, Span]:
    """Return the word that ends at the cursor and its span; an empty word there if none does."""
    end = len(text[:cursor])
    words = shellwords.split(text[:cursor]).value
    if words and words[-1].span.end == end:
        return words[-1].text, words[-1].span
    return "", Span(end, end)


class _Dependencies(Notation):
    """RFC 26 words, or a JSON object where no word fits; or the whole list as JSON."""

    def read(self, text: str, context: Context) -> Parsed[Any]:
        if text.lstrip()[0] == "[":  # an empty or malformed list is shown as JSON
            parsed = read_json(text)
            if not parsed.ok:
                return parsed
            read = [_dependency_object(entry, all_of(text)) for entry in parsed.value]
            problems = [problem for entry_read in read for problem in entry_read.problems]
            if not read:
                message = "an empty list waits for nothing, and so does a blank line"
                problems.append(remark(message, text, rule=dependency.RULE))
            good = all(entry_read.value is not None for entry_read in read)
            return Parsed(parsed.value if good else MISSING, tuple(problems))
        split = shellwords.split(text)
        if not split.ok:
            return Parsed(MISSING, split.problems)
        problems, entries = list(split.problems), []
        for number, word in enumerate(split.value):
            entry, found = _dependency(word)
            problems += [replace(p, path=f"{DEPENDENCY_PLACE.path}[{number}]") for p in found]
            if entry is None:
                continue
            entries.append(entry)
            name = system("job", "name").get(context.document)
            if entry["scheme"] == "singleton" and not isinstance(name, str):
                message = "flux-core refuses a singleton without a job name; type one above"
                expected = ("a job name",)
                problems.append(Problem(message, word.span, None, expected, "flux-core", "warning"))
        good = len(entries) == len(split.value)
        return Parsed(entries if good else MISSING, tuple(problems))

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, list) and all(map(_is_dependency, value))

    def write(self, value: Any) -> str:
        return " ".join(map(_dependency_word, value)) if value else "[]"

    def describe(self, value: Any, context: Context) -> str:
        more = [f"+{len(value) - 1}"] if len(value) > 1 else []
        return ", ".join([*map(dependency.describe, value[:1]), *more])

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Complete schemes, and after the '?' of schemes that take them keys and values."""
        word, span = _last_word(text, cursor)
        scheme, question, query = word.partition("?")
        if not question:
            schemes = dependency.SCHEMES.items()
            waits = {f"{name}:" if known.value else name: known.meaning for name, known in schemes}
            return offers(word, span, {offer: f"waits {what}" for offer, what in waits.items()})
        if scheme.partition(":")[0] not in dependency.WITH_KEYS:
            return []
        last = query.rpartition("&")[2]
        span = Span(span.end - len(last), span.end)
        key, equals, _ = last.partition("=")
        if equals:
            values = dependency.KEYS.get(key, {}).items()
            return offers(last, span, {f"{key}={name}": what for name, what in values})
        keys = {"type=": "in, out or inout", "scope=": "user or global"}
        return offers(last, span, {key: what for key, what in keys.items() if key not in query})


def _dependency(word: Word) -> Parsed[dict[str, Any] | None]:
    """Parse one dependency, written as a word or as a JSON object."""
    is_json = word.text.startswith("{")
    parsed: Parsed[Any] = read_json(word.text) if is_json else dependency.parse(word.text)
    if is_json and parsed.ok:
        return _dependency_object(parsed.value, word.span)
    spans = (word.part(*p.span) if p.span else word.span for p in parsed.problems)
    moved = zip(parsed.problems, spans, strict=True)
    problems = tuple(replace(problem, span=span) for problem, span in moved)
    return Parsed(None if is_json else parsed.value, problems)


def _dependency_object(entry: Any, span: Span) -> Parsed[dict[str, Any] | None]:
    if not _is_dependency(entry):
        message = "a dependency has a scheme and a value, both of them strings"
        expected = '{"scheme":"afterok","value":"ƒ2oLkTLb"}'
        return Parsed(None, (Problem(message, span, None, (expected,), dependency.RULE),))
    return Parsed(entry, tuple(dependency.check(entry, span)))


def _is_dependency(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    return isinstance(entry.get("scheme"), str) and isinstance(entry.get("value"), str)


def _dependency_word(entry: Mapping[str, Any]) -> str:
    """Return a dependency as an RFC 26 word, or as JSON if no such word expresses it."""
    try:
        text = dependency.format(entry)
    except ValueError:
        text = dump(entry)
    if not is_printable(text) or text[0] in "{[":  # these would be read as JSON
        text = dump(entry)
    # Characters that are common in URIs need no quotes here.
    plain = text.replace("?", "").replace("&", "").replace(";", "").replace("ƒ", "")
    return text if shellwords.quote_value(plain) == plain else shellwords.quote_value(text)


DEPENDENCIES: Final = _Dependencies()

# The environment


class _Environment(Notation):
    """Words that are applied one after the other, or a JSON object where no words fit."""

    def read(self, text: str, context: Context) -> Parsed[Any]:
        if text.lstrip()[0] == "{":
            parsed = read_json(text)
            if not parsed.ok or self.is_legal(parsed.value):
                return parsed
            message = "the value of a variable is a string, or null to unset it"
            return wrong(message, text, '{"NAME":"value"}')
        applied = environment.parse(text, context.environ)
        return Parsed(applied.variables if applied.ok else MISSING, applied.problems)

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, dict) and all(
            isinstance(name, str) and (held is None or isinstance(held, str))
            for name, held in value.items()
        )

    def write(self, value: Any) -> str:
        try:
            return environment.format(value)
        except ValueError:
            return dump(value)

    def describe(self, value: Any, context: Context) -> str:
        unset = sum(held is None for held in value.values())
        words = [counted(len(value) - unset, "variable")] if len(value) > unset else []
        words += [f"{unset:,} to unset"] if unset else []
        return ", ".join(words) or "no variables but those of Flux"

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        """Complete names from the user's environment; after '-' the variables set so far."""
        word, span = _last_word(text, cursor)
        if "=" in word or word.startswith(("{", "^", "/")):
            return []
        earlier = environment.parse(text[: span.start], context.environ).variables
        if word.startswith("-"):
            choices = {f"-{name}": "removes it again" for name in earlier}
        else:
            choices = {
                name: f"from your environment: {environment.shown(name, value)}"
                for name, value in sorted(context.environ.items())
                if name not in earlier
            }
        offered = offers(word, span, choices)[:50]  # enough to choose from on one screen
        return [replace(offer, text=shellwords.quote_value(offer.text)) for offer in offered]


ENVIRONMENT: Final = _Environment()
