"""Helpers for tests of what command lines are read as."""

from collections.abc import Mapping
from typing import Any

from fluxtui.answers.commands.translation import ReadCommand, from_command
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.resources import from_resources


def document(text: str | ReadCommand, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The jobspec that a text is read as."""
    found = from_command(text, environ) if isinstance(text, str) else text
    assert found.document is not None
    return dict(found.document)


def shape_of(text: str | ReadCommand) -> str:
    """The resources as a shape, without the label of the only slot."""
    tree = from_resources(document(text)["resources"])
    assert tree.ok
    return format_shape(tree.value).replace("{task}", "")


def system(text: str | ReadCommand, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The system attributes."""
    found: dict[str, Any] = document(text, environ)["attributes"]["system"]
    return found


def command(text: str | ReadCommand) -> list[str]:
    """The words of the command."""
    words: list[str] = document(text)["tasks"][0]["command"]
    return words


def tasks(text: str | ReadCommand) -> dict[str, Any]:
    """The number of tasks."""
    count: dict[str, Any] = document(text)["tasks"][0]["count"]
    return count


def notes(text: str) -> list[tuple[str, str]]:
    """What is noted of a text, each with the characters it is about."""
    return [(text[slice(*note.span)], note.text) for note in from_command(text).notes]


def problems(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is wrong with a text: the characters, the message, what was expected."""
    out = []
    for problem in from_command(text).problems:
        assert problem.span is not None
        out.append((text[slice(*problem.span)], problem.message, problem.expected))
    return out
