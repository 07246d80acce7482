"""The problems of a text of any kind, for the table of messages."""

import json
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fluxtui.answers.commands.translation import from_command
from fluxtui.answers.explain import names, target
from fluxtui.answers.listing.filtering import Filter
from fluxtui.bridge import settings as configuration
from fluxtui.bridge import themes
from fluxtui.bridge.files import Source
from fluxtui.model import queues
from fluxtui.model.constraint import requires, tree
from fluxtui.model.documents import document
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation import count, dependency, duration, environment, settings
from fluxtui.notation.problem import Parsed, Problem
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.parser import parse_shape
from tests.each import the
from tests.model.clusters import alike, cluster
from tests.model.jobspecs import job
from tests.opened import demo


def _jobspec(text: str) -> Sequence[Problem]:
    """A legal jobspec with the keys of a JSON object in place of its own."""
    verdict = jobspec.check({**job("node/slot/core"), **json.loads(text)})
    return (*verdict.problems, *verdict.v1_problems)


def _resources(text: str) -> Sequence[Problem]:
    """A legal R document; the keys of a JSON object take the place of its own, or go within."""
    whole = alike(4, "0-7")
    for key, value in json.loads(text).items():
        (whole if key in whole else whole["execution"])[key] = value
    return resources.read(whole).problems


def _configuration(text: str) -> Sequence[Problem]:
    """A configuration of one's own, in a folder with nothing in it."""
    found = configuration.parse(Source(text, "config.toml"), Path("/nowhere"))
    return (*found.problems, *found.check_templates())


#: A theme that is whole.
THEME = {
    "name": "mine",
    "title": "Mine",
    "dark": False,
    "colors": {name: f"#{number:06x}" for number, name in enumerate(themes.COLORS)},
    "roles": {"match": "#abc"},
}


def _theme(text: str) -> Sequence[Problem]:
    """A whole theme with the keys of a JSON object in place of its own, or within its tables."""
    theme: dict[str, Any] = dict(THEME)
    for key, value in json.loads(text).items():
        whole = isinstance(value, dict) and isinstance(theme.get(key), dict)
        theme[key] = {**theme[key], **value} if whole else value
    return themes.parse_theme(json.dumps(theme)).problems


def _document(text: str) -> Sequence[Problem]:
    is_toml = " = " in text or text[0] == "["
    return document.read(text, "x.toml" if is_toml else "").problems


def _names(text: str) -> Sequence[Problem]:
    found = the(requires.read(text).constraint)
    return names.hints(found, demo().resources)


def _filter(text: str) -> Sequence[Problem]:
    nodes = cluster("0-9", "login[1-2],n[0-7]", batch="0-9")
    problem = Filter(nodes).nodes(text).problem
    return () if problem is None else (problem,)


#: An environment of one's own.
MINE = {
    "HOME": "/home/me",
    "PATH": "/usr/bin:/bin",
    "OMP_PLACES": "cores",
    "OMP_PROC_BIND": "close",
    "QUOTE": 'it\'s $5 "a\\b"',
    "API_TOKEN": "abc",
}

#: Those whose places count from where the text begins in another.
WITHIN: dict[str, Callable[[str, int], Parsed[Any]]] = {
    "idset": idset.parse,
    "hostlist": hostlist.parse,
    "count": count.parse,
    "duration": duration.parse,
}

READERS: dict[str, Callable[[str], Sequence[Problem]]] = {
    "idset": lambda text: idset.parse(text).problems,
    "hostlist": lambda text: hostlist.parse(text).problems,
    "count": lambda text: count.parse(text).problems,
    "duration": lambda text: duration.parse(text).problems,
    "dependency": lambda text: dependency.parse(text).problems,
    "environment": lambda text: environment.parse(text, MINE).problems,
    "command": lambda text: from_command(text).problems,
    "settings": lambda text: settings.parse(text).problems,
    "shape": lambda text: parse_shape(text).problems,
    "query": lambda text: requires.read(text).problems,
    "constraint": lambda text: requires.read(text).problems,
    "jobspec": _jobspec,
    "R": _resources,
    "queues": lambda text: queues.read_config(tomllib.loads(text)).problems,
    "status": lambda text: queues.read_status(json.loads(text)).problems,
    "resource table": lambda text: read_table(tomllib.loads(text)).problems,
    "constraint object": lambda text: tree.read(json.loads(text)).problems,
    "document": _document,
    "configuration": _configuration,
    "theme": _theme,
    "target": lambda text: target.find(text, demo().resources).problems,
    "names": _names,
    "filter": _filter,
}


def read(kind: str, text: str) -> Sequence[Problem]:
    """What is wrong with a text of this kind, in order."""
    return READERS[kind](text)
