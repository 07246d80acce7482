"""What kind of document this is, and whether it is a valid one of that kind.

The kind is told by the content: by the keys that only this kind has.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from fluxtui.model import queues
from fluxtui.model.documents.report import MAX_PROBLEMS
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import membership
from fluxtui.model.resources import document, graph
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, at, counted, did_you_mean, further, nearest, shortened

Kind = Literal["jobspec", "R", "JGF", "config", "snapshot", "stage", "script", "unknown"]

_KEYS: dict[Kind, tuple[str, ...]] = {
    "R": ("execution", "scheduling"),
    "jobspec": ("resources", "tasks"),
    "config": ("queues", "policy"),
}

#: Tables of a Flux configuration that RFC 33 does not describe, and that are left alone.
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

#: Characters of a message; what is in the document may be longer than any screen.
MAX_MESSAGE = 400


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of a document.

    kind       ``JGF`` is a resource graph on its own, ``stage`` a stage list, ``snapshot`` what a
               running Flux was like, ``script`` a job script or a command line
    valid      no problem is an error
    canonical  legal by RFC 14; None for another kind of document, False where the kind is unknown
    v1         legal by RFC 25, the jobspec that Flux takes today; None likewise
    summary    what the document holds, in a few words; empty where nothing can be said
    problems   errors and warnings; why a legal jobspec is not V1 is among the warnings
    """

    kind: Kind
    valid: bool
    canonical: bool | None = None
    v1: bool | None = None
    summary: str = ""
    problems: tuple[Problem, ...] = ()

    def beside(self, problems: tuple[Problem, ...]) -> "Verdict":
        """The verdict together with problems of the text that the document is in."""
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
    """The verdict on what could not be read."""
    return Verdict("unknown", False, False, False, "", problems)


def judge(value: object, kind: Kind | None = None, *, need_v1: bool = False) -> Verdict:
    """The verdict on the value of a document; of this kind, or of the kind that it shows.

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
    found = document.read(value)
    summary = ", ".join(found.whole.words()) if found.node_count else ""
    return Verdict(kind, found.ok, None, None, summary, _tidy(found.problems))


def kind_of(value: object) -> Kind:
    """The kind of a document, by its keys."""
    if not isinstance(value, Mapping):
        return "unknown"
    if "snapshot" in value:
        from fluxtui.model.live.snapshot import is_snapshot

        if is_snapshot(value):
            return "snapshot"
    found = {kind: sum(key in value for key in keys) for kind, keys in _KEYS.items()}
    best = max(found, key=lambda kind: found[kind])
    if found[best]:
        return best
    if graph.is_graph(value) or isinstance(value.get("graph"), Mapping):
        return "JGF"
    if any(isinstance(value.get(table), Mapping) for table in TABLES):
        return "config"
    return "unknown"


def _config(value: object) -> Verdict:
    from fluxtui.model import config_keys
    from fluxtui.model.resources import resource_table

    found = queues.read_config(value)
    listed = resource_table.read_table(value)
    summary = counted(len(found.queues), "queue") if found.queues else "no queues"
    if found.default is not None and found.queues:
        summary += f", default {found.default}"
    problems: list[Problem] = []
    # Flux itself says nothing of a table whose name is nearly one that has a meaning here.
    for key in islice(value, 1000) if isinstance(value, Mapping) else ():
        near = None if key in (*_KEYS["config"], *TABLES) else nearest(str(key), _KEYS["config"])
        if near and len(problems) < 10:
            message = f"Flux takes no notice of the table '{key}'; did you mean {near}?"
            path = at("", str(key))
            problems.append(Problem(message, None, path, (near,), "RFC 33", severity="warning"))
    problems += [*found.problems, *listed.problems, *config_keys.check(value)]
    if listed.resources is not None and listed.resources.node_count:
        summary += f"; {', '.join(listed.resources.whole.words())}"
        problems += membership(found, listed.resources)[1]
        problems += resource_table.excluded(listed.excluded, listed.resources).problems
    valid = not any(problem.severity == "error" for problem in problems)
    return Verdict("config", valid, None, None, summary, _tidy(tuple(problems)))


def _snapshot(value: Mapping[Any, Any]) -> Verdict:
    """The verdict on a snapshot: on its R, on its configuration, and on the states of nodes."""
    from fluxtui.model.live import snapshot

    found, odd = snapshot.read(value)
    status, config = value["status"], value.get("config")
    resources = document.read(status.get("R") if isinstance(status, Mapping) else None)
    configured = _config({} if config is None else config)
    problems = (
        *_under("status.R", resources.problems),
        *_under("config", configured.problems),
        *(odd if found is not None or not resources.problems else ()),
    )
    valid = not any(problem.severity == "error" for problem in problems)
    summary = ", ".join(resources.whole.words()) if resources.node_count else "no nodes"
    if config is not None:
        summary += f"; {configured.summary}"
    return Verdict("snapshot", valid, None, None, summary, _tidy(problems))


def _under(path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems of a part of a document, with their paths from its top."""
    return tuple(
        replace(p, path=path if not p.path else f"{path}{'' if p.path[0] == '[' else '.'}{p.path}")
        for p in problems
    )


def _what(value: object) -> Problem:
    """Why a document is of no known kind."""
    if value is None or value in ({}, []):
        return Problem("the document is empty", expected=_EXPECTED)
    if isinstance(value, list):
        message = "a list is not a whole document"
        if isinstance(value[0], Mapping) and {"type", "count"} <= value[0].keys():
            message += "; the resources of a jobspec belong under its key resources"
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
    """Problems of a length that can be shown; errors first."""
    ordered = sorted(problems, key=lambda problem: problem.severity)
    if len(ordered) > MAX_PROBLEMS + 1:  # one more: R and configurations say how many are left out
        more = further(ordered[MAX_PROBLEMS:], "more problems, which are left out", "")
        ordered = [*ordered[:MAX_PROBLEMS], more]
    return tuple(
        replace(
            p,
            message=_clipped(p.message),
            path=None if p.path is None else _clipped(p.path),
            expected=tuple(_clipped(e) for e in p.expected[:20]),
        )
        for p in ordered
    )


def _clipped(text: str) -> str:
    if len(text) <= MAX_MESSAGE:
        return text
    return f"{text[: MAX_MESSAGE - 100]}…{text[-80:]}"
