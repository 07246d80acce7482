"""The problems of a text of any kind, for the table of messages."""

import json
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from fluxtui.answers.commands.translation import from_command
from fluxtui.model import queues
from fluxtui.model.constraint import requires
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.notation import count, dependency, duration, environment, settings
from fluxtui.notation.problem import Parsed, Problem
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources


def _jobspec(text: str) -> Sequence[Problem]:
    """A legal jobspec with the keys of a JSON object in place of its own."""
    document = jobspec.build(to_resources(parse_shape("node/slot/core")))
    verdict = jobspec.check({**document, **json.loads(text)})
    return (*verdict.problems, *verdict.v1_problems)


def _resources(text: str) -> Sequence[Problem]:
    """A legal R document; the keys of a JSON object take the place of its own, or go within."""
    document: dict[str, Any] = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
            "nodelist": ["n[0-3]"],
        },
    }
    for key, value in json.loads(text).items():
        (document if key in document else document["execution"])[key] = value
    return resources.read(document).problems


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
}


def read(kind: str, text: str) -> Sequence[Problem]:
    """What is wrong with a text of this kind, in order."""
    return READERS[kind](text)
