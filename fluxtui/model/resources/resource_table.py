"""The ``resource`` table of a Flux configuration, by flux-config-resource(5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.resources.configured import read_entries
from fluxtui.model.resources.document import MAX_RANKS
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import duration
from fluxtui.notation.problem import Parsed, Problem, at
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import HostNumbers, same_names
from fluxtui.notation.sets.hostlist import Builder, HostList
from fluxtui.notation.sets.hostlist import format as format_hosts

RULE = "flux-config-resource(5)"

#: Hosts of a longer list are not looked up one by one.
MAX_NAMED = 1000

_MODES = ("strict", "allow-extra", "allow-missing", "ignore")
_VERIFIED = ("default", "hostname", "core", "gpu")


@dataclass(frozen=True, slots=True)
class ResourceTable:
    """What a configuration says of the nodes.

    resources   those that it lists itself; None where it lists none
    path        the R document that has them else; None where there is none, or it does not count
    scheduling  the JSON file with the scheduling part of R; None where there is none
    excluded    the idset or hostlist of nodes that get no jobs; empty where there are none
    problems    what is wrong, with paths such as ``resource.config[0].hosts``
    """

    resources: Resources | None = None
    path: str | None = None
    scheduling: str | None = None
    excluded: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def has_nodes(self) -> bool:
        """The configuration says which nodes there are, or where that is written."""
        return self.resources is not None or self.path is not None


def read_table(config: object) -> ResourceTable:
    """Read the ``resource`` table of a whole configuration. Never raises; reads no file."""
    report = Report(RULE)
    table = config.get("resource") if isinstance(config, Mapping) else None
    if table is None:
        return ResourceTable()
    if not isinstance(table, Mapping):
        report.error(f"resource is a table; found {shown(table)}", "resource", "[resource]")
        return ResourceTable(problems=report.problems)
    for key, value in table.items():
        path = at("resource", str(key))
        if key == "config":
            continue
        if key in _SETTINGS:
            _SETTINGS[key](value, path, report)
        else:
            hint = report.hint(str(key), (*_SETTINGS, "config"))
            report.error(f"resource has no key '{key}'{hint}", path, "config", *_SETTINGS)
    order = _ranked(config)
    resources = read_entries(table["config"], report, order) if "config" in table else None
    if resources is not None and order is not None:
        _check_order(resources, order, report)
    where = _text(table, "path")
    if resources is not None and where is not None:
        report.warning("path is ignored, as config lists the nodes", "resource.path")
        where = None
    scheduling = _text(table, "scheduling")
    if scheduling is not None and resources is None and where is None:
        report.error("scheduling needs path or config beside it", "resource.scheduling", "path")
    return ResourceTable(
        resources, where, scheduling, _text(table, "exclude") or "", report.problems
    )


def _ranked(config: object) -> HostList | None:
    """The hosts of ``bootstrap.hosts``, by which Flux numbers the ranks; None without any."""
    table = config.get("bootstrap") if isinstance(config, Mapping) else None
    listed = table.get("hosts") if isinstance(table, Mapping) else None
    if not isinstance(listed, list):
        return None
    numbers = HostNumbers()
    for entry in listed:
        name = entry.get("host") if isinstance(entry, Mapping) else None
        hosts = hostlist.parse(name).value if isinstance(name, str) else HostList()
        if numbers.count + hosts.count > MAX_RANKS:
            return None
        numbers.add(hosts)
    return numbers.hosts() if numbers.count else None


def _check_order(resources: Resources, order: HostList, report: Report) -> None:
    """Say so where Flux could not number the nodes by ``bootstrap.hosts``."""
    if resources.node_count and not same_names(resources.hosts, order):
        report.warning(
            f"bootstrap.hosts ({order.count:,}) and resource.config ({resources.node_count:,}) do "
            "not name the same hosts, as Flux wants it to number the ranks by the first",
            "bootstrap.hosts",
            "the hosts of resource.config",
        )


def excluded(text: str, resources: Resources) -> Parsed[int]:
    """The nodes that ``exclude`` names, as a mask; an idset of ranks or a hostlist.

    Problems name what the cluster does not have; they have no spans.
    """
    report = Report(RULE)
    path = "resource.exclude"
    ranks = idset.parse(text)
    if ranks.ok:
        mask = resources.mask_of_ranks(ranks.value)
        if mask.bit_count() < ranks.value.count:
            missing = idset.format(ranks.value - resources.ranks, 5)
            report.error(f"exclude names rank {missing}, which the cluster does not have", path)
        return Parsed(mask, report.problems)
    hosts = hostlist.parse(text)
    for problem in hosts.problems:
        report.add(replace(problem, message=f"exclude: {problem.message}", span=None, path=path))
    mask = resources.mask_of_hosts(hosts.value)
    if hosts.ok and mask.bit_count() < hosts.value.count:
        out = Builder()
        out.names(n for n in hosts.value.pick([(0, MAX_NAMED - 1)]) if not _has(resources, n))
        absent = out.done()
        if absent or hosts.value.count > MAX_NAMED:  # else some are named twice
            names = format_hosts(absent, 5) or "hosts"
            report.error(f"exclude names {names}, which the cluster does not have", path)
    return Parsed(mask, report.problems)


def _has(resources: Resources, name: str) -> bool:
    return bool(resources.host_index.places(name))


def _text(table: Mapping[str, Any], key: str) -> str | None:
    value = table.get(key)
    return value if isinstance(value, str) else None


# What else may stand in the table, by its keys


def _is_text(value: object, path: str, report: Report) -> None:
    if not isinstance(value, str):
        report.error(f"{path} is a string; found {shown(value)}", path, "a string")


def _is_flag(value: object, path: str, report: Report) -> None:
    if not isinstance(value, bool):
        report.error(f"{path} is true or false; found {shown(value)}", path, "true", "false")


def _is_count(value: object, path: str, report: Report) -> None:
    if type(value) is not int:
        report.error(f"{path} is a whole number; found {shown(value)}", path, "a number")


def _is_duration(value: object, path: str, report: Report) -> None:
    if not isinstance(value, str):
        report.error(f"{path} is a duration string; found {shown(value)}", path, '"30d"')
        return
    for problem in duration.parse(value).problems:
        report.add(replace(problem, span=None, path=path))


def _is_verify(value: object, path: str, report: Report) -> None:
    if isinstance(value, bool):
        return
    if not isinstance(value, Mapping):
        message = f"verify is true, false or a table; found {shown(value)}"
        report.error(message, path, "true", "false", "[resource.verify]")
        return
    for key, mode in value.items():
        where = at(path, str(key))
        if key not in _VERIFIED:
            hint = report.hint(str(key), _VERIFIED)
            report.error(f"verify has no key '{key}'{hint}", where, *_VERIFIED)
        elif mode not in _MODES:
            said = f"'{mode}'" if isinstance(mode, str) else shown(mode)
            report.error(f"{key} takes one of four values; found {said}", where, *_MODES)


_SETTINGS: dict[str, Callable[[object, str, Report], None]] = {
    "path": _is_text,
    "scheduling": _is_text,
    "exclude": _is_text,
    "verify": _is_verify,
    "noverify": _is_flag,
    "norestrict": _is_flag,
    "rediscover": _is_flag,
    "no-update-watch": _is_flag,
    "journal-max": _is_count,
    "history": _is_duration,
}
