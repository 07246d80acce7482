"""The ``execution`` part of an R document: R_lite, nodelist, properties, times (RFC 20)."""

from math import isfinite
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec.resources import shown
from fluxtui.model.resources.entries import Entries
from fluxtui.model.resources.r_lite import Draft, read_idset, read_lite
from fluxtui.notation.problem import at
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hostlist import Builder, HostList, names_into
from fluxtui.notation.sets.hostlist import parse_into as parse_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.wording import counted

ILLEGAL = frozenset("!&'\"^`|()")
_CONTROLS = frozenset(map(chr, (*range(32), *range(127, 160))))


def read_execution(raw: object, report: Report) -> Draft | None:
    """Read the ``execution`` dictionary; None where there is nothing to read.

    Problems are noted with paths that begin with ``execution``.
    """
    if not isinstance(raw, dict):
        report.error(
            f"execution is a dictionary; found {shown(raw)}", "execution", "an object with R_lite"
        )
        return None
    draft = Draft()
    read_lite(raw, draft, report)
    _read_nodelist(raw, draft, report)
    _read_properties(raw, draft, report)
    _read_times(raw, draft, report)
    if "nslots" in raw:
        nslots = raw["nslots"]
        if type(nslots) is int and nslots > 0:
            draft.nslots = nslots
        else:
            report.error(
                f"nslots is a whole number of 1 or more; found {shown(nslots)}",
                "execution.nslots",
                "1 or more",
            )
    return draft


def _read_nodelist(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    path = "execution.nodelist"
    entries = raw.get("nodelist")
    if not isinstance(entries, list):
        message = "nodelist is missing" if "nodelist" not in raw else "nodelist is not an array"
        report.error(message, path, "an array of host names or hostlists")
        draft.hosts = _hosts_of_entries(raw.get("R_lite"), draft.ranks)
        return
    out = Builder()
    faults = len(report.problems)
    if set(map(type, entries)) != {str} or not names_into(out, entries):
        for number, entry in enumerate(entries):
            where = at(path, number)
            if not isinstance(entry, str):
                report.error(
                    f"an entry of nodelist is a string; found {shown(entry)}",
                    where,
                    "a host name or hostlist",
                )
                continue
            for problem in parse_hosts(out, entry):
                report.add(problem._replace(span=None, path=where))
    draft.hosts = out.done()
    if draft.ranks and draft.hosts.count != draft.ranks.count:
        report.error(
            f"nodelist names {counted(draft.hosts.count, 'host')} for "
            f"{counted(draft.ranks.count, 'rank')}",
            path,
            counted(draft.ranks.count, "host"),
        )
        if len(report.problems) > faults + 1:
            # Which ranks the unreadable entries stood for is not known: no name is better than a
            # wrong one.
            draft.hosts = HostList()


def _hosts_of_entries(entries: object, ranks: IdSet) -> HostList:
    """The hosts by the ``node`` key that Fluxion once wrote into each entry of one rank."""
    if not isinstance(entries, list | Entries) or not ranks or ranks.count > len(entries):
        return HostList()
    names: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("node"), str):
            names[str(entry.get("rank"))] = entry["node"]
    if not all(str(rank) in names for rank in ranks):
        return HostList()
    out = Builder()
    parse_hosts(out, ",".join(names[str(rank)] for rank in ranks))
    hosts = out.done()
    return hosts if hosts.count == ranks.count else HostList()


def _read_properties(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    if "properties" not in raw:
        return
    path = "execution.properties"
    properties = raw["properties"]
    if not isinstance(properties, dict):
        report.error("properties is a dictionary of idsets by name", path, "an object")
        return
    for key, value in properties.items():
        where = at(path, key)
        name = checked_property(key, where, report)
        if value == "":
            report.warning(f"property '{name}' is on no rank", where)
            draft.properties[name] = idset.EMPTY
            continue
        ids = read_idset(value, f"property '{name}'", where, report)
        outside = ids.count - draft.ranks.locate(ids).count
        if outside and draft.ranks:
            report.warning(
                f"property '{name}' names {counted(outside, 'rank')} that R_lite does not have",
                where,
            )
        draft.properties[name] = ids


def checked_property(name: str, path: str, report: Report) -> str:
    """The name of a property as it can be shown; noted where RFC 20 forbids it, or it is odd."""
    wrong = sorted(ILLEGAL.intersection(name))
    if wrong:
        report.error(
            f"property name '{name}' holds '{wrong[0]}', which no property name may",
            path,
            "none of ! & ' \" ^ ` | ( )",
        )
    elif not name:
        report.warning("a property has an empty name, which no query can say", path)
    elif not _CONTROLS.isdisjoint(name):
        report.warning(f"property name '{name}' holds control characters", path)
    try:
        name.encode()
    except UnicodeEncodeError:
        report.error("a property name is not valid UTF-8", path)
        return name.encode("utf-8", "backslashreplace").decode()
    return name


def _read_times(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    draft.starttime = _time(raw, "starttime", report)
    draft.expiration = _time(raw, "expiration", report)
    start, end = draft.starttime, draft.expiration
    if start is not None and end is not None and end <= start:
        report.error(
            "expiration is not after starttime", "execution.expiration", f"more than {start:g}"
        )


def _time(raw: dict[str, Any], key: str, report: Report) -> float | None:
    """Seconds since the epoch; None where unset, which 0 means too."""
    if key not in raw:
        return None
    value, path = raw[key], at("execution", key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        report.error(
            f"{key} is a number; found {shown(value)}", path, "seconds since 1970-01-01 00:00 UTC"
        )
        return None
    if abs(value) > 1e15 or not isfinite(value):
        report.error(f"{key} is no time", path, "seconds since 1970-01-01 00:00 UTC")
        return None
    if value < 0:
        report.warning(f"{key} lies before 1970", path)
    return float(value) or None
