"""The nodes that are members of queues (RFC 33, "Queue Membership and Resource Properties")."""

from collections.abc import Iterator, Sequence

from fluxtui.model.documents.report import Report
from fluxtui.model.queues.queues import RULE, Config, Queue
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hostlist import Builder, HostList
from fluxtui.notation.sets.hostlist import format as format_hosts

#: Hosts of longer lists are counted, not looked up one by one.
MAX_NAMED = 20_000
# Properties that are named of those that no node has.
_MOST = 5


def membership(config: Config, resources: Resources) -> tuple[Resources, tuple[Problem, ...]]:
    """The resources with the property ``+NAME`` on the hosts of each queue that has hosts.

    Problems name hosts that are not in the cluster, and what queues require and no node has.
    """
    report = Report(RULE)
    added: dict[str, int] = {}
    for queue in config.queues:
        if queue.hosts is None or queue.parent is not None:
            continue
        mask = resources.everything
        if queue.hosts != "all":
            hosts, problems = hostlist.parse(queue.hosts)
            mask = resources.mask_of_hosts(hosts)
            if not any(problem.severity == "error" for problem in problems):
                _check(queue.name, hosts, mask, resources, report)
        added[f"+{queue.name}"] = mask
    if added:
        resources = resources.with_properties({**resources.properties, **added})
    for queue in config.queues:
        if queue.hosts is None and queue.parent is None:
            _check_required(queue, resources, report)
    return resources, report.problems


def lacking(queue: Queue, resources: Resources) -> tuple[str, ...]:
    """The properties that a queue requires and no node has; members have theirs already.

    Only those of an array, or that a constraint lists: what it joins or negates is another matter.
    """
    names = queue.requires.get("properties") if queue.requires is not None else None
    return tuple(
        name
        for name in (names if isinstance(names, list | tuple) else ())
        if isinstance(name, str) and name[:1] != "^" and not resources.properties.get(name)
    )


def requires_in_vain(names: Sequence[str]) -> str:
    """What is said of a queue of which some properties are `lacking`: the first of them."""
    listed = ", ".join(f"'{name}'" for name in names[:_MOST])
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return f"requires {listed}{more}, which no node has"


def _check_required(queue: Queue, resources: Resources, report: Report) -> None:
    """Say which properties that a queue requires the cluster does not have."""
    names = lacking(queue, resources)
    if names and resources.node_count:
        path = at("queues", queue.name, "requires")
        report.warning(f"queue '{queue.name}' {requires_in_vain(names)}", path)


def _check(name: str, hosts: HostList, mask: int, resources: Resources, report: Report) -> None:
    """Say which hosts of a queue the cluster does not have."""
    path = at("queues", name, "hosts")
    if not mask:
        report.error(f"no host of queue '{name}' is in the cluster", path)
        return
    if hosts.count > MAX_NAMED:
        missing = hosts.count - mask.bit_count()
        if missing > 0:
            report.error(f"{missing:,} of {hosts.count:,} hosts are not in the cluster", path)
        return
    names = list(_missing(hosts, resources))
    if names:
        found = Builder()
        found.names(names)
        which = format_hosts(found.done(), 5)
        said = f"host {which} is" if len(names) == 1 else f"{len(names):,} hosts are"
        more = "" if len(names) == 1 else f": {which}"
        report.error(f"{said} not in the cluster{more}", path)


def _missing(hosts: HostList, resources: Resources) -> Iterator[str]:
    """The names that the cluster does not have, each once."""
    index = resources.host_index
    return (name for name in dict.fromkeys(hosts) if not index.places(name))
