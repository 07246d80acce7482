"""Reading the queues of a configuration for the nodes of a document."""

from dataclasses import replace

from fluxtui.bridge import config_files
from fluxtui.model import queues
from fluxtui.model.queues import membership
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.workbench import Cluster


def no_progress(done: int, size: int) -> None:
    """Ignore how much of a document has been read."""


def reconfigured(
    cluster: Cluster, table: config_files.Table, unread: tuple[Problem, ...]
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster with the queues of another configuration.

    unread are the problems of reading it: None if there are any and it has no queues. The returned
    problems include those of the settings. Not for the event loop if the cluster is large.
    """
    resources = cluster.resources.with_properties(_own_properties(cluster))
    read, found, _ = with_queues(table, unread, resources)
    if unread and not read.queues:
        return None, unread
    found.prepare()
    return Cluster.of(cluster.source, found, read, cluster.snapshot), read.problems


def _own_properties(cluster: Cluster) -> dict[str, int]:
    """Return the properties of the resources without those added for queue membership."""
    listed = cluster.config.queues if cluster.config is not None else ()
    added = {f"+{queue.name}" for queue in listed if queue.hosts is not None}
    return {name: mask for name, mask in cluster.resources.properties.items() if name not in added}


def read_queues(
    where: str, found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...], tuple[Problem, ...]]:
    """Read the queues of a configuration, and add its queue memberships to the resources.

    The problems of the configuration have the file, line and column. Those that do not concern the
    settings alone are returned as well: what cannot be read, and hosts that the cluster lacks.
    """
    table, unread = config_files.read(where)
    if table is None:
        return queues.Config(problems=unread), found, unread, ()
    read, found, missing = with_queues(table, unread, found)
    return read, found, unread, missing


def with_queues(
    table: config_files.Table, unread: tuple[Problem, ...], found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...]]:
    """Do the same for a configuration that was read, with unread as the problems of reading it.

    The problems returned are the hosts of queues that the cluster does not have.
    """
    read = queues.read_config(table.table)
    found, missing = membership(read, found)
    missing = config_files.locate(missing, table)
    problems = (*unread, *config_files.locate(read.problems, table), *missing)
    return replace(read, problems=problems), found, missing
