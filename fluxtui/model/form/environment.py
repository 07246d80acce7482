"""The field of the environment of a job: words <-> variables (RFC 14)."""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field, read_json, wrong
from fluxtui.model.form.place import system
from fluxtui.notation import environment, shellwords
from fluxtui.notation.json_text import dump
from fluxtui.notation.problem import Completion, Parsed, Span

_PATH = "attributes.system.environment"
_place = system("environment")

#: Enough to choose from on one screen.
_MOST = 50


def _read(text: str, context: Context) -> Parsed[Any]:
    """Words that are done one after the other, or a JSON object for what no word says."""
    if not text.strip():
        return Parsed(MISSING)
    if text.lstrip()[0] == "{":
        return _read_json(text)
    found = environment.parse(text, context.environ)
    problems = tuple(problem._replace(path=_PATH) for problem in found.problems)
    return Parsed(found.variables if found.ok else MISSING, problems)


def _read_json(text: str) -> Parsed[Any]:
    found = read_json(text, _PATH)
    if not found.ok or _legal(found.value):
        return found
    return wrong(
        "the value of a variable is a string, or null to unset it",
        text, _PATH, '{"NAME":"value"}',
    )  # fmt: skip


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if not _legal(value):
        raise ValueError("not an environment")
    try:
        return environment.format(value)
    except ValueError:
        return dump(value)


def _legal(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and (held is None or isinstance(held, str))
        for name, held in value.items()
    )


def _describe(value: Any, context: Context = NOWHERE) -> str:
    if not _legal(value):
        return ""
    unset = sum(held is None for held in value.values())
    number = len(value) - unset
    if not value:
        return "no variables but those of Flux"
    words = [f"{number:,} variable{'' if number == 1 else 's'}"] if number else []
    return ", ".join([*words, *([f"{unset:,} to unset"] if unset else [])])


def _complete(text: str, cursor: int, context: Context) -> list[Completion]:
    """Names and patterns of one's own environment; behind '-' those that are set so far."""
    before = text[:cursor]
    words = shellwords.split(before).value
    word = words[-1] if words and words[-1].span.end == len(before) else None
    begun = word.text if word else ""
    span = word.span if word else Span(len(before), len(before))
    if "=" in begun or begun.startswith(("{", "^", "/")):
        return []
    earlier = environment.parse(before[: span.start], context.environ).variables
    if begun.startswith("-"):
        name = begun[1:]
        found = {f"-{known}": "takes it away again" for known in earlier if known.startswith(name)}
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


ENVIRONMENT = Field(
    "environment",
    "Environment",
    "Environment",
    "OMP_NUM_THREADS=4 PATH · blank: none",
    "The variables the job starts with, done word by word: NAME=value sets one, NAME or OMP_* "
    "takes from your environment, -NAME takes away.",
    _PATH,
    _read,
    _write,
    _describe,
    _complete,
    _place.get,
    _place.put,
)
