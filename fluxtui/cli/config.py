"""``fluxtui config``: the configuration in force, and where each value comes from."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fluxtui.bridge import settings, themes
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.bridge.settings import SHARES, InForce, Settings
from fluxtui.cli.options import Parser
from fluxtui.cli.output import print_json, print_text, report
from fluxtui.notation.problem import Problem, printable

_DESCRIPTION = """\
Show the configuration that is in force, where each value comes from, and what is
wrong with the file. The file need not exist; FLUXTUI_CONFIG names another one."""

_EPILOG = """\
examples:
  fluxtui config
  fluxtui config --theme nord             as if that option were given
  fluxtui config -o json | jq .settings.theme
  fluxtui config --keys                   the ids of bindings, for the keymap
  fluxtui config --example > "$(fluxtui config --path)"    a file to begin with
  $EDITOR "$(fluxtui config --path)"

Options override the environment, then comes what was chosen in the workbench
(its theme), then the file, then what is built in."""

_EXITS = {
    0: "fine",
    1: "something in the file is wrong",
}
_ANSWERS = {"-o json": "config"}

#: A file with every setting, to start from; a test reads it.
EXAMPLE = """\
# The configuration of fluxtui. Each line is optional; fluxtui config says what is in force.

# theme = "paper"                      # dusk, paper, contrast, clarity, Textual's, or your own
# preset = "auto"                      # keys: default, ide (those that IDEs leave free), or auto
# resources = "demo"                   # what opens without -r: an R document or a configuration
# config = "/etc/flux/system/conf.d"   # what is read without -c: queues and policy
# live = true                          # first the Flux that runs here; false: never by itself

[start]
# pane = "map"       # tree form text commands, map table graph, node explain properties queues fit
# maximized = false

[layout]             # percent of the screen, until a border is dragged
# job = 40           # the width of the zone Job
# details = 25       # the width of the zone Details, where three zones are side by side
# cluster = 65       # the height of the zone Cluster above Details

[keymap]             # the id of a binding = its keys; fluxtui config --keys lists them
# save = "ctrl+s,alt+s"
# map.zoom_in = ["plus", "="]

# Jobs of your site to begin with, among the examples.
# [[templates]]
# name = "Two GPU nodes"
# description = "A short run on whole nodes with gpus"
# shape = "node=2/slot/[core=8;gpu]"   # or: jobspec = "FILE"
# requires = "gpu&-debug"
# form = {duration = "1h", queue = "batch"}
"""


def run(arguments: list[str]) -> int:
    """Show the configuration, and return the exit code."""
    options = parser().parse_args(arguments)
    path = settings.path(os.environ)
    if options.path:
        print_text(str(path))
        return 0
    if options.example:
        print_text(EXAMPLE.removesuffix("\n"))
        return 0
    found = settings.load(os.environ)
    if options.keys:
        print_text("\n".join(_bindings(found)))
        return 0
    problems = found.problems
    if found.keymap:  # checking it imports all widgets
        problems += found.check_keymap(*_bound(found))
    if found.templates:
        problems += found.check_templates()
    values = _values(options, found)
    found = replace(found, problems=(*problems, *_of_theme(values["theme"].value or "")))
    keymap = {
        name: InForce(keys, settings.origin(found, found.places[name]))
        for name, keys in found.keymap.items()
    }
    if options.output == "json":
        print_json(_to_json(str(path), found, values, keymap))
    else:
        print_text("\n".join(_lines(str(path), found, values, keymap)))
        report(found.problems, found.source.text if found.source is not None else None)
    return 1 if any(problem.severity == "error" for problem in found.problems) else 0


def _of_theme(name: str) -> tuple[Problem, ...]:
    """What is wrong with the theme in force, as the workbench says it."""
    if name in themes.theme_paths():
        return themes.read_theme(themes.theme_paths()[name]).problems
    from fluxtui.ui.terminal.themed import built_in, load_theme

    return () if built_in(name)[1] else load_theme(name)[1]


def _bound(found: Settings) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The keys in force of all bindings of the workbench, by id, and those without a keymap."""
    from fluxtui.ui.kit import keys

    preset = settings.preset_in_force(found, os.environ).value
    keys.use_keymap(partial(settings.keys_in_force, found, preset))
    return keys.load_all(), keys.OWN


def _bindings(found: Settings) -> list[str]:
    """A line for each binding: its id and its keys."""
    bound, _ = _bound(found)
    width = max(map(len, bound))
    return [f"{name:{width}}  {keys or '-'}" for name, keys in sorted(bound.items())]


def _values(options: argparse.Namespace, found: Settings) -> dict[str, InForce]:
    """The values in force, by their names in the file."""
    chosen = next(iter(Chosen().load(THEME)), None)

    def of(name: str, value: str | None, default: str | None = None) -> InForce:
        return InForce(default if value is None else value, settings.origin(found, name))

    values = {
        "theme": settings.theme_in_force(options.theme, chosen, found, themes.DEFAULT),
        "preset": settings.preset_in_force(found, os.environ),
        "resources": of("resources", found.resources, "demo"),
        "config": of("config", found.config),
        "live": settings.live_in_force(found, os.environ),
        "start.pane": of("start.pane", found.pane),
        "start.maximized": of("start.maximized", "true" if found.maximized else "false"),
    }
    for name in SHARES:
        share = found.layout.get(name)
        values[f"layout.{name}"] = of(f"layout.{name}", None if share is None else str(share))
    for name in ("resources", "config"):
        if (given := getattr(options, name)) is not None:
            values[name] = InForce(given, f"option --{name}")
    return values


def _lines(
    path: str, found: Settings, values: dict[str, InForce], keymap: dict[str, InForce]
) -> list[str]:
    """The answer as text, in three columns: the name, the value, and where it comes from."""
    status = "" if found.source is not None else "not there, which is fine"
    rows = [("file", path, status)]
    rows += [(name, value or "-", origin) for name, (value, origin) in values.items()]
    rows += [(f"keymap.{name}", keys or "-", origin) for name, (keys, origin) in keymap.items()]
    for template in found.templates:
        origin = settings.origin(found, template.place)
        rows.append(
            (f"template {printable(template.name)}", template.jobspec or template.shape, origin)
        )
    first = max(len(name) for name, _, _ in rows)
    second = min(40, max(len(value) for _, value, _ in rows[1:]))
    return [f"{name:{first}}  {value:{second}}  {origin}".rstrip() for name, value, origin in rows]


def _to_json(
    path: str, found: Settings, values: dict[str, InForce], keymap: dict[str, InForce]
) -> dict[str, Any]:
    return {
        "file": path,
        "read": found.source is not None,
        "settings": {name: value._asdict() for name, value in values.items()},
        "keymap": {name: value._asdict() for name, value in keymap.items()},
        "templates": [
            {**template._asdict(), "origin": settings.origin(found, template.place)}
            for template in found.templates
        ],
        "problems": [problem.to_json() for problem in found.problems],
    }


def parser() -> Parser:
    """The parser of the verb."""
    usage = "fluxtui config [options]"
    declared = Parser("fluxtui config", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    add = declared.add_argument
    add("-o", "--output", choices=("text", "json"), default="text", help="how to answer (text)")
    add("--path", action="store_true", help="only where the file is, or would be")
    add("--keys", action="store_true", help="only the ids of all bindings, with their keys")
    add("--example", action="store_true", help="only a file with every setting")
    add("--theme", metavar="NAME", help="the theme that the workbench would be given")
    add("-r", "--resources", metavar="FILE", help="the document that it would be given")
    add("-c", "--config", metavar="PATH", help="the configuration that it would be given")
    return declared
