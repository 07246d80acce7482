"""The ``policy`` and ``ingest`` tables of a configuration: limits, defaults, access (RFC 33)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.notation import duration
from fluxtui.notation.problem import at

SIZES = ("nnodes", "ncores", "ngpus")


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that counts, and the place in the configuration it comes from.

    value is seconds for durations, a whole number for sizes, a tuple of names for access,
    the table itself for ``scheduler``.
    """

    value: Any
    path: str


def merged(*layers: Mapping[str, Setting]) -> dict[str, Setting]:
    """Settings key by key; later layers win."""
    out: dict[str, Setting] = {}
    for layer in layers:
        out.update(layer)
    return out


def read_policy(table: object, path: str, report: Report) -> dict[str, Setting]:
    """Read a policy table as settings by key; see `fluxtui.model.queues.queues.Queue`."""
    out: dict[str, Setting] = {}
    body = _table(table, path, report, ("jobspec", "limits", "access", "scheduler"))
    if "jobspec" in body:
        _read_defaults(body["jobspec"], at(path, "jobspec"), out, report)
    if "limits" in body:
        _read_limits(body["limits"], at(path, "limits"), out, report)
    if "access" in body:
        _read_access(body["access"], at(path, "access"), out, report)
    if "scheduler" in body:
        out["scheduler"] = Setting(body["scheduler"], at(path, "scheduler"))
    return out


def _table(raw: object, path: str, report: Report, keys: tuple[str, ...]) -> dict[str, Any]:
    """The known entries of a table; others are errors."""
    if not isinstance(raw, dict):
        report.error(f"{path} is a table; found {shown(raw)}", path, "a table")
        return {}
    for key in raw:
        if key not in keys:
            hint = report.hint(str(key), keys)
            report.error(f"{path} has no key '{key}'{hint}", at(path, str(key)), *keys)
    return {key: raw[key] for key in keys if key in raw}


def _read_defaults(raw: object, path: str, out: dict[str, Setting], report: Report) -> None:
    body = _table(raw, path, report, ("defaults",))
    path = at(path, "defaults")
    body = _table(body.get("defaults", {}), path, report, ("system",))
    path = at(path, "system")
    body = _table(body.get("system", {}), path, report, ("duration", "queue"))
    _read_duration(body, path, "defaults.duration", out, report)
    if "queue" in body:
        if isinstance(body["queue"], str):
            out["defaults.queue"] = Setting(body["queue"], at(path, "queue"))
        else:
            report.error(
                f"the default queue is a string; found {shown(body['queue'])}",
                at(path, "queue"),
                "a queue name",
            )


def _read_limits(raw: object, path: str, out: dict[str, Setting], report: Report) -> None:
    body = _table(raw, path, report, ("job-size", "duration"))
    _read_duration(body, path, "limits.duration", out, report)
    where = at(path, "job-size")
    sizes = _table(body.get("job-size", {}), where, report, ("max", "min"))
    for bound, table in sizes.items():
        found = _table(table, at(where, bound), report, SIZES)
        for key, value in found.items():
            place = at(where, bound, key)
            if isinstance(value, int) and not isinstance(value, bool) and value >= -1:
                out[f"limits.job-size.{bound}.{key}"] = Setting(value, place)
            else:
                report.error(
                    f"{key} is a whole number of 0 or more; found {shown(value)}",
                    place,
                    "-1 for no limit",
                )


def _read_duration(
    body: dict[str, Any], path: str, key: str, out: dict[str, Setting], report: Report
) -> None:
    if "duration" not in body:
        return
    value, where = body["duration"], at(path, "duration")
    if not isinstance(value, str):
        report.error(
            f"duration is a string; found {shown(value)}", where, "a duration such as '1h'"
        )
        return
    parsed = duration.parse(value)
    for problem in parsed.problems:
        report.add(replace(problem, span=None, path=where))
    if parsed.value is not None and parsed.ok:
        out[key] = Setting(parsed.value, where)


def entries_shown(value: object) -> str:
    """A value that is not an array of strings, in few words."""
    if not isinstance(value, list):
        return shown(value)
    return f"{next(shown(v) for v in value if not isinstance(v, str))} in it"


def _read_access(raw: object, path: str, out: dict[str, Setting], report: Report) -> None:
    body = _table(raw, path, report, ("allow-user", "allow-group"))
    for key, value in body.items():
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            out[f"access.{key}"] = Setting(tuple(value), at(path, key))
        else:
            report.error(
                f"{key} is an array of names; found {entries_shown(value)}",
                at(path, key),
                '["NAME", ...]',
            )


@dataclass(frozen=True, slots=True)
class Ingest:
    """What Flux does to a job between submission and queue.

    No RFC describes the table; flux-core does, in flux-config-ingest(5).

    defaults     the default queue and duration are filled in
    constraints  what the queue requires is added to the job's constraint
    feasibility  the scheduler is asked whether there is room at all
    """

    defaults: bool = True
    constraints: bool = True
    feasibility: bool = False


def read_ingest(table: Mapping[str, Any]) -> Ingest:
    """The steps that a whole configuration asks for; what is malformed counts as not there.

    Jobs are filled in where the configuration has queues or defaults of jobspecs, or names the
    plugins to do it, unless that is disabled.
    """
    frobnicator = _tables(table, "ingest", "frobnicator")
    named = _names(frobnicator.get("plugins"))
    wanted = named or "queues" in table or "defaults" in _tables(table, "policy", "jobspec")
    on = bool(wanted) and frobnicator.get("disable") is not True
    checks = _names(_tables(table, "ingest", "validator").get("plugins"))
    return Ingest(
        defaults=on and (not named or "defaults" in named),
        constraints=on and (not named or "constraints" in named),
        feasibility="feasibility" in checks,
    )


def _tables(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """The table within tables; an empty one where there is none."""
    for key in keys:
        found = table.get(key)
        table = found if isinstance(found, dict) else {}
    return table


def _names(value: object) -> list[str]:
    """The plugins of an array; one entry may hold several with commas between."""
    entries = value if isinstance(value, list) else ()
    return [name for entry in entries if isinstance(entry, str) for name in entry.split(",")]
