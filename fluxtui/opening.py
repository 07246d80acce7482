"""Documents into the workbench: a cluster with its queues, a jobspec as its texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.bridge import files
from fluxtui.model import queues, resources
from fluxtui.notation import query, shape
from fluxtui.notation.source import Problem
from fluxtui.workbench import Cluster, Source


def open_cluster(where: str, config: str | None) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an R document with the queues of a configuration beside it.

    where is a path, ``-`` or ``demo``; config a TOML file or directory, None for the demo's own
    beside the demo and for none beside others. Without a readable document there is no cluster;
    the problems say why, or what is wrong with the configuration. Reads files: not for the event
    loop.
    """
    source, problems = files.read_source(where)
    if source is None:
        return None, problems
    found = resources.read_text(source.text)
    builtin = where == files.DEMO
    table: files.Table | None = None
    config_problems: tuple[Problem, ...] = ()
    if config is not None or builtin:
        table, config_problems = files.read_config(config or files.DEMO)
    read = queues.read_config(table.table) if table is not None else None
    if read is None and config_problems:
        read = queues.Config(problems=config_problems)
    if read is not None:
        found, missing = queues.membership(read, found)
        config_problems += missing
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), config_problems


@dataclass(frozen=True, slots=True)
class OpenedJobspec:
    """A jobspec as the workbench starts with it: its texts, and the document itself."""

    shape: str
    requires: str
    document: Mapping[str, Any]


def open_jobspec(path: str) -> tuple[OpenedJobspec | None, tuple[Problem, ...]]:
    """The jobspec of a file (YAML or JSON).

    There is none where the file is no jobspec at all; of one with faults there is as much as makes
    sense, and the problems say what could not be taken over.
    """
    from fluxtui.model import document  # the YAML reader, which the first frame does not need

    source, problems = files.read_file(path)
    if source is None:
        return None, problems
    found = document.read(source.text, source.name)
    wrong = tuple(files.in_file(p, source) for p in found.problems if p.severity == "error")
    if wrong:
        return None, wrong
    value = found.value
    if not isinstance(value, dict) or not isinstance(value.get("resources"), list):
        return None, (Problem("this is no jobspec: it has no resources", rule="RFC 14"),)
    vertices, problems = shape.from_resources(value["resources"])
    requires = ""
    attributes = value.get("attributes")
    system = attributes.get("system") if isinstance(attributes, dict) else None
    constraint = system.get("constraints") if isinstance(system, dict) else None
    if constraint:
        requires = query.from_constraint(constraint) or json.dumps(constraint)
    return OpenedJobspec(shape.format(vertices), requires, value), problems
