"""``fluxtui --spec``: a description of the command line for machines, as one JSON document.

It has the options, exit codes and answers of each verb, and a JSON Schema for each answer.
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
    """The JSON Schemas (2020-12) of all answers, by name under ``$defs``."""
    found: dict[str, Any] = json.loads(get_data("fluxtui.cli", "schemas.json") or b"")
    return found


def spec() -> dict[str, Any]:
    """The description of the whole command line."""
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
    """The description of one verb, or of the program without a verb."""
    actions = [action for action in parser.declared() if action.help != argparse.SUPPRESS]
    return {
        "description": " ".join((parser.description or "").split()),
        "options": [
            {"names": list(action.option_strings), **_value(action)}
            for action in actions
            if action.option_strings
        ],
        "arguments": [
            {"name": action.metavar or action.dest, **_value(action)}
            for action in actions
            if not action.option_strings
        ],
        "exit_codes": {str(code): means for code, means in sorted(parser.exits.items())},
        "answers": [
            {"with": options, "schema": f"#/schemas/$defs/{name}"}
            for options, name in parser.answers.items()
        ],
    }


def _value(action: argparse.Action) -> dict[str, Any]:
    """The value, choices and help of an option or argument; a flag has no value."""
    takes = action.nargs != 0
    value = action.metavar or action.dest.upper()
    named = {"value": value} if takes and action.option_strings else {}
    choices = {"choices": list(action.choices)} if action.choices is not None else {}
    return {**named, **choices, "help": action.help or ""}
