"""Tell what kind a document is, and whether it is a valid document of that kind.

The kind is recognized by the content: by keys that only this kind has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import membership
from fluxtui.model.resources import document, graph
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import (
    LONGEST_MESSAGE,
    MAX_PROBLEMS,
    Problem,
    at,
    counted,
    did_you_mean,
    elided_problem,
    nearest,
    shortened,
)

Kind = Literal["jobspec", "R", "JGF", "config", "snapshot", "stage", "script", "unknown"]

_KEYS: dict[Kind, tuple[str, ...]] = {
    "R": ("execution", "scheduling"),
    "jobspec": ("resources", "tasks"),
    "config": ("queues", "policy"),
}

#: Tables of a Flux configuration that RFC 33 does not describe; they are not checked.
TABLES = (
    "access", "accounting", "archive", "bootstrap", "content", "cron", "exec", "fluxion",
    "heartbeat", "ingest", "job-exec", "job-manager", "job-list", "kvs", "resource",
    "sched-fluxion-qmanager", "sched-fluxion-resource", "sched-simple", "systemd", "tbon",
)  # fmt: skip

_EXPECTED = (
    "resources and tasks of a jobspec",
    "version and execution of an R document",
    "queues, policy or resource of a configuration",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The kind of a document, whether it is valid, and its problems.

    kind       ``JGF`` is a resource graph on its own, ``stage`` a stage list, ``snapshot`` the
               recorded state of a running Flux, ``script`` a job script or a command line
    valid      whether no problem is an error
    canonical  whether it is legal by RFC 14; None if it is no jobspec, False if of unknown kind
    v1         the same for RFC 25, the jobspec that Flux accepts today
    summary    the content of the document in a few words; may be empty
    problems   errors and warnings; why a legal jobspec is not V1 is among the warnings
    """

    kind: Kind
    valid: bool
    canonical: bool | None = None
    v1: bool | None = None
    summary: str = ""
    problems: tuple[Problem, ...] = ()

    def with_problems(self, problems: tuple[Problem, ...]) -> "Verdict":
        """Return this verdict with the problems of the document's text added."""
        if not problems:
            return self
        bad = any(problem.severity == "error" for problem in problems)
        both = _tidy((*problems, *self.problems))
        if not bad:
            return replace(self, problems=both)
        legal = None if self.v1 is None else False
        return replace(self, valid=False, v1=legal, canonical=legal, problems=both)

    def to_json(self) -> dict[str, Any]:
        """The verdict as a JSON object, without its summary."""
        return {
            "kind": self.kind,
            "valid": self.valid,
            "v1": self.v1,
            "canonical": self.canonical,
            "problems": [problem.to_json() for problem in self.problems],
        }


def unreadable(*problems: Problem) -> Verdict:
    """Return the verdict on a document that could not be read."""
    return Verdict("unknown", False, False, False, "", problems)


def judge(value: object, kind: Kind | None = None, *, need_v1: bool = False) -> Verdict:
    """Return the verdict on the value of a document; by default its kind is recognized.

    With need_v1 a jobspec is valid only if it is V1. Never raises; problems have paths.
    """
    kind = kind or kind_of(value)
    if kind == "jobspec":
        spec = jobspec.check(value)
        named = {problem.path for problem in spec.problems}
        beyond = [
            p if need_v1 else replace(p, severity="warning")
            for p in spec.v1_problems
            if p.path not in named
        ]
        warnings = [p for p in spec.warnings if p.path not in named]
        valid = spec.v1 if need_v1 else spec.canonical
        summary = "" if not spec.canonical else "RFC 14 and V1" if spec.v1 else "RFC 14, not V1"
        problems = _tidy((*spec.problems, *beyond, *warnings))
        return Verdict(kind, valid, spec.canonical, spec.v1, summary, problems)
    if kind == "config":
        return _config(value)
    if kind == "snapshot" and isinstance(value, Mapping):
        return _snapshot(value)
    if kind == "unknown":
        return unreadable(_what(value))
    resources = document.read(value)
    summary = ", ".join(resources.whole.words()) if resources.node_count else ""
    return Verdict(kind, resources.ok, None, None, summary, _tidy(resources.problems))


def kind_of(value: object) -> Kind:
    """Return the kind of a document, recognized by its keys."""
    if not isinstance(value, Mapping):
        return "unknown"
    if "snapshot" in value:
        from fluxtui.model.live.snapshot import is_snapshot

        if is_snapshot(value):
            return "snapshot"
    counts = {kind: sum(key in value for key in keys) for kind, keys in _KEYS.items()}
    best = max(counts, key=lambda kind: counts[kind])
    if counts[best]:
        return best
    if graph.is_graph(value) or isinstance(value.get("graph"), Mapping):
        return "JGF"
    if any(isinstance(value.get(table), Mapping) for table in TABLES):
        return "config"
    return "unknown"


def _config(value: object) -> Verdict:
    from fluxtui.model import config_keys
    from fluxtui.model.resources import resource_table

    config = queues.read_config(value)
    table = resource_table.read_table(value)
    summary = counted(len(config.queues), "queue") if config.queues else "no queues"
    if config.default is not None and config.queues:
        summary += f", default {config.default}"
    problems: list[Problem] = []
    # Flux itself does not report a misspelled table name.
    for key in islice(value, 1000) if isinstance(value, Mapping) else ():
        near = None if key in (*_KEYS["config"], *TABLES) else nearest(str(key), _KEYS["config"])
        if near and len(problems) < 10:
            message = f"Flux ignores the table '{key}'; did you mean {near}?"
            path = at("", str(key))
            problems.append(Problem(message, None, path, (near,), "RFC 33", severity="warning"))
    problems += [*config.problems, *table.problems, *config_keys.check(value)]
    problems += [replace(one, severity="warning") for one in config_keys.too_new(value)]
    if table.resources is not None and table.resources.node_count:
        summary += f"; {', '.join(table.resources.whole.words())}"
        problems += membership(config, table.resources)[1]
        problems += resource_table.excluded(table.excluded, table.resources).problems
    valid = not any(problem.severity == "error" for problem in problems)
    return Verdict("config", valid, None, None, summary, _tidy(tuple(problems)))


def _snapshot(value: Mapping[Any, Any]) -> Verdict:
    """Return the verdict on a snapshot: its R, its configuration and the states of its nodes."""
    from fluxtui.model.live import snapshot

    read, odd_problems = snapshot.read(value)
    status, config = value["status"], value.get("config")
    resources = document.read(status.get("R") if isinstance(status, Mapping) else None)
    configured = _config({} if config is None else config)
    problems = (
        *_under("status.R", resources.problems),
        *_under("config", configured.problems),
        *(odd_problems if read is not None or not resources.problems else ()),
    )
    valid = not any(problem.severity == "error" for problem in problems)
    summary = ", ".join(resources.whole.words()) if resources.node_count else "no nodes"
    if config is not None:
        summary += f"; {configured.summary}"
    return Verdict("snapshot", valid, None, None, summary, _tidy(problems))


def _under(path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return the problems of a part of a document with their paths prefixed by that part's."""
    return tuple(
        replace(p, path=path if not p.path else f"{path}{'' if p.path[0] == '[' else '.'}{p.path}")
        for p in problems
    )


def _what(value: object) -> Problem:
    """Return a problem that says why a document is of no known kind."""
    if value is None or value in ({}, []):
        return Problem("the document is empty", expected=_EXPECTED)
    if isinstance(value, list):
        message = "a list is not a whole document"
        if isinstance(value[0], Mapping) and {"type", "count"} <= value[0].keys():
            message += "; the resources of a jobspec belong under its key resources"
        else:
            message += "; a stage list has steps, each with a title and a constraint"
        return Problem(message, expected=_EXPECTED)
    if not isinstance(value, Mapping):
        return Problem(f"a document is a dictionary; found {shown(value)}", expected=_EXPECTED)
    listed = ", ".join(f"'{shortened(str(key))}'" for key in islice(value, 5))
    more = ", ..." if len(value) > 5 else ""
    known = [key for keys in _KEYS.values() for key in keys]
    near = next(filter(None, (nearest(str(key), known) for key in islice(value, 20))), None)
    hint = did_you_mean(near)
    if "R_lite" in value:
        hint = "; R_lite belongs under execution"
    message = f"neither jobspec nor R nor configuration, by its keys {listed}{more}{hint}"
    return Problem(message, expected=_EXPECTED)


def _tidy(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return the problems with errors first, clipped to a number and lengths fit to show."""
    ordered = sorted(problems, key=lambda problem: problem.severity)
    if len(ordered) > MAX_PROBLEMS + 1:  # the extra one may already count the omitted problems
        more = elided_problem(ordered[MAX_PROBLEMS:], "more problems, which are left out", "")
        ordered = [*ordered[:MAX_PROBLEMS], more]
    return tuple(
        replace(
            p,
            message=shortened(p.message, LONGEST_MESSAGE),
            path=None if p.path is None else shortened(p.path, LONGEST_MESSAGE),
            expected=tuple(shortened(e, LONGEST_MESSAGE) for e in p.expected[:20]),
        )
        for p in ordered
    )
