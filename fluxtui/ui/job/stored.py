"""The jobspec as Flux stores it, beside what was asked for."""

from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents.document import dump
from fluxtui.notation.problem import at


def stored_lines(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What Flux stores of the jobspec that is asked for, as lines of YAML.

    A line begins with ``+`` where Flux adds it, with ``-`` where it takes it out, else with blanks.
    """
    from fluxtui.answers.admission import changes

    changed = {change.path: change for change in changes(asked, stored)}
    rest = {key: value for key, value in stored.items() if key != "attributes"}
    lines = _dumped(rest, "  ")
    lines.append("  attributes:")
    for name, value in stored["attributes"].items():
        if name != "system":
            lines += _dumped({name: value}, "    ")
    lines.append("    system:")
    before = asked.get("attributes", {}).get("system", {})
    for key in dict.fromkeys((*before, *stored["attributes"]["system"])):
        change = changed.get(at("attributes.system", str(key)))
        if change is None:
            lines += _dumped({key: before[key]}, "      ")
            continue
        if change.before is not None:
            lines += _dumped({key: change.before}, "-     ")
        if change.after is not None:
            lines += _dumped({key: change.after}, "+     ")
    return lines


def _dumped(document: Mapping[str, Any], lead: str) -> list[str]:
    """A part of a jobspec as lines of YAML behind a lead."""
    return [lead + line for line in dump(document, "yaml").splitlines()]
