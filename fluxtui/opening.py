"""Documents into the workbench: a cluster with its queues, a jobspec as its texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.bridge import config_files, files, person
from fluxtui.model import queue_status, queues, resources
from fluxtui.model.resources import Resources
from fluxtui.notation import query, shape
from fluxtui.notation.source import Problem
from fluxtui.workbench import Cluster, Source, Submission


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
    read: queues.Config | None = None
    wrong: tuple[Problem, ...] = ()
    if config is not None or builtin:
        read, found, wrong = _open_config(config or files.DEMO, found)
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), wrong


def _open_config(
    where: str, found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...]]:
    """The queues of a configuration, and the resources with the members of its queues.

    The problems of the configuration have the file, line and column. Given beside it are those
    that are not of its settings alone: what cannot be read, and hosts the cluster does not have.
    """
    table, unread = files.read_config(where)
    if table is None:
        return queues.Config(problems=unread), found, unread
    read = queues.read_config(table.table)
    found, missing = queues.membership(read, found)
    missing = config_files.locate(missing, table)
    problems = (*unread, *config_files.locate(read.problems, table), *missing)
    return replace(read, problems=problems), found, (*unread, *missing)


@dataclass(frozen=True, slots=True)
class OpenedJobspec:
    """A jobspec as the workbench starts with it: its texts, its queue, and the document itself."""

    shape: str
    requires: str
    queue: str | None
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
    queue = system.get("queue") if isinstance(system, dict) else None
    queue = queue if isinstance(queue, str) else None
    return OpenedJobspec(shape.format(vertices), requires, queue, value), problems


def open_submission(
    user: str | None, status: str | None, queue: str | None = None
) -> tuple[Submission | None, tuple[Problem, ...]]:
    """Who submits, to which queue, and how the queues stand (RFC 33).

    user is the one who runs the program where none is named; status is a JSON file. The problems
    say what could not be read of it, in which case there is no submission, and of whom nothing is
    known.
    """
    from fluxtui.answers.admission import Person

    found: tuple[Problem, ...] = ()
    who = person.groups_of(user)
    if who is None and user is not None:
        message = f"there is no user '{user}' here, so their groups are not known"
        found = (Problem(message, severity="warning"),)
        who = (user, ())
    whom = Person(*who) if who is not None else None
    if status is None:
        return Submission(queue, whom), found
    from fluxtui.model import document

    source, problems = files.read_file(status)
    if source is None:
        return None, found + problems
    read = document.read_json(source.text)
    statuses, wrong = queue_status.read_status(read.value) if read.readable else ({}, ())
    problems = tuple(files.in_file(p, source) for p in (*read.problems, *read.located(wrong)))
    bad = any(problem.severity == "error" for problem in problems)
    return None if bad else Submission(queue, whom, statuses), found + problems
