"""``fluxtui --spec``: the command line for machines, as one JSON document.

It has each verb with its options, exit codes and answers, and a JSON Schema of each answer.
"""

import argparse
import json
from pkgutil import get_data
from typing import TYPE_CHECKING, Any

from fluxtui import __version__
from fluxtui.cli.verbs import VERBS, parsers

if TYPE_CHECKING:
    from fluxtui.cli.options import Parser


def schemas() -> dict[str, Any]:
    """The JSON Schema (2020-12) of every answer, by its name under ``$defs``."""
    found: dict[str, Any] = json.loads(get_data("fluxtui.cli", "schemas.json") or b"")
    return found


def spec() -> dict[str, Any]:
    """The whole command line."""
    summaries = {verb.name: verb.summary for verb in VERBS}
    declared = parsers()
    return {
        "name": "fluxtui",
        "version": __version__,
        **_command(declared.pop("")),
        "verbs": [
            {"name": name, "summary": summaries[name], **_command(parser)}
            for name, parser in declared.items()
        ],
        "schemas": schemas(),
    }


def _command(parser: "Parser") -> dict[str, Any]:
    """What one verb declares, or the program without a verb."""
    actions = [one for one in parser.declared() if one.help != argparse.SUPPRESS]
    return {
        "description": " ".join((parser.description or "").split()),
        "options": [
            {"names": list(one.option_strings), **_value(one)}
            for one in actions
            if one.option_strings
        ],
        "arguments": [
            {"name": one.metavar or one.dest, **_value(one)}
            for one in actions
            if not one.option_strings
        ],
        "exit_codes": {str(code): means for code, means in sorted(parser.exits.items())},
        "answers": [
            {"with": options, "schema": f"#/schemas/$defs/{name}"}
            for options, name in parser.answers.items()
        ],
    }


def _value(action: argparse.Action) -> dict[str, Any]:
    """What an option or an argument takes; an option that takes nothing has no value."""
    takes = action.nargs != 0
    value = action.metavar or action.dest.upper()
    named = {"value": value} if takes and action.option_strings else {}
    choices = {"choices": list(action.choices)} if action.choices is not None else {}
    return {**named, **choices, "help": action.help or ""}
