"""The keys of a whole Flux configuration: what Flux refuses, and what makes a change take effect.

This follows the code of flux-core 0.88: RFC 33 describes only queues and policy, and what modules
do with the other tables at ``flux config reload`` is not documented.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from fluxtui.model.documents.report import Report
from fluxtui.model.queues import NO_DEFAULT, REFUSED, Config
from fluxtui.model.resources import resource_table
from fluxtui.notation import duration
from fluxtui.notation.problem import Problem, at

#: What it takes for a change to take effect, from the least to the most disruptive.
Effect = Literal["reload", "scheduler", "resource", "restart", "unknown"]
EFFECTS: tuple[Effect, ...] = get_args(Effect)

_CORE = "flux-core 0.88"

_Kind = Literal["flag", "number", "count", "positive", "text", "duration", "list", "table", "only"]
_TYPES: dict[str, tuple[type, str]] = {
    "flag": (bool, "true or false"),
    "number": (int, "a whole number"),
    "count": (int, "a whole number of 0 or more"),
    "positive": (int, "a whole number of 1 or more"),
    "text": (str, "a string"),
    "duration": (str, "a duration such as '30m'"),
    "list": (list, "an array"),
    "table": (dict, "a table"),
    "only": (dict, "a table"),
}


_LEAST = {"count": 0, "positive": 1}


@dataclass(frozen=True, slots=True)
class _Row:
    """Keys of one table with values of one kind; kind ``only`` is a table with no other keys.

    Without keys the row is about the table itself and all its keys that have no row of their own.
    """

    table: str
    effect: Effect
    kind: _Kind | None = None
    keys: str = ""


_ROWS = (
    _Row("queues", "reload"),
    _Row("policy", "reload"),
    _Row("access", "reload", "only"),
    _Row("access", "reload", "flag", "allow-guest-user allow-root-owner private-mode"),
    _Row("access", "reload", "table", "roles"),
    _Row("exec", "reload"),
    _Row("exec", "reload", "text", "imp service method job-shell term-signal kill-signal"),
    _Row("exec", "reload", "duration", "kill-timeout max-kill-timeout barrier-timeout"),
    _Row("exec", "reload", "text", "shell-exit-timeout"),
    _Row("exec", "reload", "positive", "max-kill-count"),
    _Row("exec", "reload", "table", "sdexec-properties"),
    _Row("ingest", "reload"),
    _Row("ingest", "reload", "number", "batch-count"),
    _Row("ingest", "reload", "text", "buffer-size"),
    _Row("ingest", "reload", "table", "frobnicator validator"),
    *(
        row
        for table in ("ingest.frobnicator", "ingest.validator")
        for row in (
            _Row(table, "reload", "flag", "disable"),
            _Row(table, "reload", "list", "plugins args"),
        )
    ),
    _Row("job-manager", "restart"),
    _Row("job-manager", "restart", None, "plugins"),
    _Row("job-manager", "reload", "duration", "inactive-age-limit"),
    _Row("job-manager", "reload", "count", "inactive-num-limit"),
    _Row("job-manager", "reload", "flag", "stop-queues-on-restart"),
    _Row("job-manager.housekeeping", "reload", "only"),
    _Row("job-manager.housekeeping", "reload", "list", "command"),
    _Row("job-manager.housekeeping", "reload", "duration", "release-after"),
    _Row("job-manager.housekeeping", "reload", "flag", "use-systemd-unit exit-on-first-error"),
    _Row("kvs", "reload"),
    _Row("kvs", "reload", "duration", "checkpoint-period"),
    _Row("heartbeat", "reload", "only"),
    _Row("heartbeat", "reload", "duration", "period timeout"),
    _Row("heartbeat", "reload", "positive", "warn_thresh"),
    _Row("tbon", "restart"),
    _Row("tbon", "reload", "duration", "torpid_min torpid_max"),
    _Row("systemd", "restart"),
    _Row("systemd", "reload", None, "sdbus-debug sdexec-debug"),
    _Row("resource", "resource"),  # checked by `resource_table`
    _Row("resource", "reload", None, "journal-max"),
    _Row("bootstrap", "restart"),
    _Row("fake-resources", "restart"),
    _Row("modules", "restart"),
    _Row("content", "restart"),
    _Row("content-sqlite", "restart"),
    _Row("content-files", "restart"),
    *(
        _Row(name, "scheduler")
        for name in (
            "sched-simple", "sched-fluxion-qmanager", "sched-fluxion-resource",
            "sched-fluxion-feasibility",
        )
    ),
)  # fmt: skip

_BY_PATH = {
    f"{row.table}.{key}" if key else row.table: row
    for row in _ROWS
    for key in (row.keys.split() or [""])
}
_ONLY: dict[str, tuple[str, ...]] = {
    table: tuple(key for row in _ROWS if row.table == table for key in row.keys.split())
    for table in (row.table for row in _ROWS if row.kind == "only")
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One key whose values differ between two configurations; a missing value is None.

    path  its steps, joined by dots; for a table that only one of them has, that of the table
    """

    path: str
    before: Any
    after: Any
    effect: Effect


def effect_of(path: str) -> Effect:
    """Return what it takes for a change of a key to take effect."""
    while path:
        if path in _BY_PATH:
            return _BY_PATH[path].effect
        path = path.rpartition(".")[0]
    return "unknown"


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Setting, ...]:
    """Return the keys whose values differ, in the order of before, then of after."""
    return tuple(_changed(before, after, ""))


def _changed(before: Mapping[str, Any], after: Mapping[str, Any], lead: str) -> Iterator[Setting]:
    for key in dict.fromkeys((*before, *after)):
        path, was, now = f"{lead}{key}", before.get(key), after.get(key)
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _changed(was, now, f"{path}.")
        elif was != now:
            yield Setting(path, was, now, _most(path, was if now is None else now))


def _most(path: str, value: Any) -> Effect:
    """Return what it takes for a key to take effect, for a table the most of any of its keys."""
    if not isinstance(value, Mapping) or not value:
        return effect_of(path)
    effects = {_most(f"{path}.{key}", inner) for key, inner in value.items()}
    return max(effects - {"unknown"}, key=EFFECTS.index, default="unknown")


def check(table: object) -> tuple[Problem, ...]:
    """Return what Flux refuses in tables other than queues, policy and resource. Never raises."""
    report = Report("flux-config(5)")
    for path, row in _BY_PATH.items():
        value = _part(table, path.split("."))
        if value is None or row.kind is None:
            continue
        type_, words = _TYPES[row.kind]
        key = path.rpartition(".")[2]
        least = _LEAST.get(row.kind)
        is_low = least is not None and isinstance(value, int) and value < least
        if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)) or is_low:
            report.wrong(f"{key} is {words}", value, path, words)
        elif row.kind == "only" and isinstance(value, dict):
            report.check_keys(value, path, path, *_ONLY[path])
        elif row.kind == "duration" and isinstance(value, str):
            report.take(duration.parse(value).problems, path)
    return report.problems


def too_new(table: object) -> tuple[Problem, ...]:
    """Return which keys of queues RFC 33 has and flux-core does not load yet. Never raises."""
    report, queues = Report(_CORE), _part(table, ["queues"])
    for name, queue in queues.items() if isinstance(queues, Mapping) else ():
        body = queue if isinstance(queue, Mapping) else {}
        keys = [key for key in ("hosts", "parent") if key in body]
        keys += ["requires"] if isinstance(body.get("requires"), Mapping) else []
        for key in keys:
            form = " as a table" if key == "requires" else ""
            message = f"Flux does not load a queue with {key}{form} yet"
            report.error(message, at("queues", str(name), key))
    return report.problems


def _part(table: object, steps: list[str]) -> object:
    for step in steps:
        table = table.get(step) if isinstance(table, Mapping) else None
    return table


def refusals(config: Config) -> tuple[Problem, ...]:
    """Return why Flux would not load a configuration, without what only RFC 33 forbids."""
    listed = resource_table.read_table(config.table).problems
    problems = (*config.problems, *listed, *check(config.table), *too_new(config.table))
    refused = (
        p for p in problems if (p.severity == "error" and p.code != NO_DEFAULT) or p.code == REFUSED
    )
    return tuple(replace(problem, span=None) for problem in refused)
