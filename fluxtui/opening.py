"""Documents into the workbench: a cluster with its queues, a jobspec as its texts."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fluxtui.bridge import config_files, files, person
from fluxtui.model import jobspec as jobspecs
from fluxtui.model import queue_status, queues, resources
from fluxtui.model.jobspec_resources import shown
from fluxtui.model.resources import Resources
from fluxtui.notation import query, shape
from fluxtui.notation.source import Problem, Span, nearest
from fluxtui.workbench import Cluster, Source, Submission

if TYPE_CHECKING:
    from fluxtui.model.document import Document

NO_JOBSPEC = Problem("this is no jobspec: it has no resources", rule="RFC 14")


def open_cluster(
    where: str, config: str | None, *, strict: bool = False
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an R document with the queues of a configuration beside it.

    where is a path, ``-`` or ``demo``; config a TOML file or directory, None for the demo's own
    beside the demo and for none beside others. Without a readable document there is no cluster,
    and if strict none without a readable configuration; the problems say why, or what is wrong
    with the configuration. Reads files: not for the event loop.
    """
    source, problems = files.read_source(where)
    if source is None:
        return None, problems
    found = resources.read_text(source.text)
    builtin = where == files.DEMO
    read: queues.Config | None = None
    wrong: tuple[Problem, ...] = ()
    if config is not None or builtin:
        read, found, unread, missing = _open_config(config or files.DEMO, found)
        if strict and unread:
            return None, unread
        wrong = unread + missing
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), wrong


def _open_config(
    where: str, found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...], tuple[Problem, ...]]:
    """The queues of a configuration, and the resources with the members of its queues.

    The problems of the configuration have the file, line and column. Given beside it are those
    that are not of its settings alone: what cannot be read, and hosts the cluster does not have.
    """
    table, unread = config_files.read(where)
    if table is None:
        return queues.Config(problems=unread), found, unread, ()
    read = queues.read_config(table.table)
    found, missing = queues.membership(read, found)
    missing = config_files.locate(missing, table)
    problems = (*unread, *config_files.locate(read.problems, table), *missing)
    return replace(read, problems=problems), found, unread, missing


@dataclass(frozen=True, slots=True)
class Written:
    """A jobspec as it was read from a file.

    jobspec   the document, or one around it where it holds nothing but resources; None where the
              file is no jobspec
    problems  why it is none, or what is odd about the text, each with its place where it has one
    source    the text and its name; both empty where nothing could be read
    document  the text as it was read
    """

    jobspec: dict[str, Any] | None
    problems: tuple[Problem, ...]
    source: files.Source
    document: "Document | None" = None

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems of the jobspec with the place in the text that their path leads to."""
        if self.document is None:
            return tuple(problems)
        reach, alone = self.document.reacher(), isinstance(self.document.value, list)

        def span(problem: Problem) -> Span | None:
            path = problem.path
            if problem.span is not None or path is None:
                return problem.span
            return reach(path.removeprefix("resources") if alone else path)[0]

        return tuple(problem._replace(span=span(problem)) for problem in problems)

    def in_file(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems of the text with the name of the file, the line and the column."""
        if not self.source.name:
            return tuple(problems)
        return tuple(files.in_file(problem, self.source) for problem in problems)


def read_jobspec(path: str) -> Written:
    """Read a jobspec (RFC 14) from a file of YAML or JSON.

    A list of resources, alone or in an object, as ``fluxtui shape`` prints it, is one with the
    rest left to Flux.
    """
    from fluxtui.model import document  # the YAML reader, which the first frame does not need

    source, problems = files.read_file(path)
    if source is None:
        return Written(None, problems, files.Source("", ""))
    found = document.read(source.text, source.name)
    if found.form == "toml":
        message = "a jobspec is YAML or JSON; this is TOML"
        return Written(None, (Problem(message, rule="RFC 14"),), source)
    if not found.readable or any(p.severity == "error" for p in found.problems):
        return Written(None, found.problems, source)
    jobspec, wrong = jobspec_of(found.value)
    return Written(jobspec, (*found.problems, *found.located(wrong)), source, found)


def jobspec_of(value: object) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """The jobspec that a document is, or is the resources of; problems say why it is none."""
    from fluxtui.model import json_value

    wrong = json_value.problem(value)
    if wrong is not None:
        return None, (wrong,)
    if isinstance(value, dict) and value.keys() == {"resources"}:
        value = value["resources"]
    if isinstance(value, list) and value and all(isinstance(vertex, dict) for vertex in value):
        return jobspecs.build(value), ()
    if isinstance(value, dict) and isinstance(value.get("resources"), list):
        return value, ()
    return None, (NO_JOBSPEC,)


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
    sense, and the problems say what could not be taken over. A queue that is no name stays in the
    document, which no queue takes.
    """
    written = read_jobspec(path)
    if written.jobspec is None:
        return None, written.in_file(written.problems)
    vertices, problems = shape.from_resources(written.jobspec["resources"])
    system = jobspecs.system(written.jobspec)
    requires, odd = _requires(system)
    queue = system.get("queue")
    if "queue" in system and not isinstance(queue, str):
        message = f"queue is a string; found {shown(queue)}"
        odd += (Problem(message, None, "attributes.system.queue", ("a name",), "RFC 14"),)
        queue = None
    faults = written.located((*problems, *odd))
    opened = OpenedJobspec(shape.format(vertices), requires, queue, written.jobspec)
    return opened, written.in_file((*written.problems, *faults))


def _requires(system: Mapping[str, Any]) -> tuple[str, tuple[Problem, ...]]:
    """The constraint of a jobspec as a text, and what is wrong with it."""
    constraint = system.get("constraints", {})
    if isinstance(constraint, dict):
        text = query.from_constraint(constraint) or json.dumps(constraint)
        return text if constraint else "", ()
    message = f"constraints is an object; found {shown(constraint)}"
    return "", (Problem(message, None, "attributes.system.constraints", ("{...}",), "RFC 31"),)


def open_submission(
    user: str | None, status: str | None, queue: str | None = None
) -> tuple[Submission | None, tuple[Problem, ...]]:
    """Who submits, to which queue, and how the queues stand (RFC 33).

    user is the one who runs the program where none is named; the groups of one that the system
    does not have are not known, which a warning says. status is a JSON file; where it cannot be
    read there is no submission, and the problems say why.
    """
    found: tuple[Problem, ...] = ()
    who: tuple[str, tuple[str, ...] | None] | None = person.groups_of(user)
    if who is None and user is not None:
        message = f"there is no user '{user}' here, so their groups are not known"
        found = (Problem(message, severity="warning"),)
        who = (user, None)
    name, groups = who if who is not None else (None, None)
    if status is None:
        return Submission(queue, name, groups), found
    from fluxtui.model import document

    source, problems = files.read_file(status)
    if source is None:
        return None, found + problems
    read = document.read_json(source.text)
    statuses, wrong = queue_status.read_status(read.value) if read.readable else ({}, ())
    problems = tuple(files.in_file(p, source) for p in (*read.problems, *read.located(wrong)))
    bad = any(problem.severity == "error" for problem in problems)
    return None if bad else Submission(queue, name, groups, statuses), found + problems


def unknown_queues(submission: Submission, cluster: Cluster) -> tuple[Problem, ...]:
    """Warnings of the queues that have a status and are not configured."""
    config = cluster.config or queues.Config()
    names = tuple(queue.name for queue in config.queues) or ("",)
    found = []
    for name in submission.statuses:
        if name not in names:
            near = nearest(name, names) if name else None
            which = f"queue '{name}'" if name else "the queue without a name"
            message = f"the status is that of {which}, which is not configured"
            message += f"; did you mean {near}?" if near else ""
            found.append(Problem(message, rule="RFC 33", severity="warning"))
    return tuple(found)
