"""Helpers for tests of what is heard."""

from collections.abc import Mapping
from typing import Any

from fluxtui.answers.commands import Heard, hear
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.resources import from_resources


def shape_of(heard: Heard) -> str:
    """The resources as a shape, without the label of the only slot."""
    assert heard.document is not None
    tree = from_resources(heard.document["resources"])
    assert tree.ok
    return format_shape(tree.value).replace("{task}", "")


def system(heard: Heard) -> Mapping[str, Any]:
    """The system attributes."""
    assert heard.document is not None
    found: Mapping[str, Any] = heard.document["attributes"]["system"]
    return found


def command(heard: Heard) -> list[str]:
    """The words of the command."""
    assert heard.document is not None
    words: list[str] = heard.document["tasks"][0]["command"]
    return words


def tasks(heard: Heard) -> Mapping[str, Any]:
    """The number of tasks."""
    assert heard.document is not None
    count: Mapping[str, Any] = heard.document["tasks"][0]["count"]
    return count


def notes(text: str) -> list[tuple[str, str]]:
    """What is noted of a text, each with the characters it is about."""
    return [(text[slice(*note.span)], note.text) for note in hear(text).notes]


def problems(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is wrong with a text: the characters, the message, what was expected."""
    out = []
    for problem in hear(text).problems:
        assert problem.span is not None
        out.append((text[slice(*problem.span)], problem.message, problem.expected))
    return out
