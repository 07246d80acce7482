"""A cluster: an R document with the queues of a configuration beside it."""

from dataclasses import replace

from fluxtui.bridge import config_files, files
from fluxtui.model import queues, resources
from fluxtui.model.resources import Resources
from fluxtui.notation.source import Problem
from fluxtui.workbench import Cluster, Source


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
    return cluster_of(source, config, builtin=where == files.DEMO, strict=strict)


def cluster_of(
    source: files.Source, config: str | None, *, builtin: bool = False, strict: bool = False
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of a text that was read, as `open_cluster` makes it."""
    found = resources.read_text(source.text)
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


def reconfigured(cluster: Cluster, config: str) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster with the queues of another configuration.

    There is none where that cannot be read; the problems are as of `open_cluster`, with those of
    the settings too. Reads files: not for the event loop.
    """
    resources = replace(cluster.resources, properties=_own_properties(cluster))
    read, found, unread, _ = _open_config(config, resources)
    if unread and not read.queues:
        return None, unread
    found.prepare()
    return Cluster.of(cluster.source, found, read), read.problems


def _own_properties(cluster: Cluster) -> dict[str, int]:
    """The properties of the resources without those that say who is a member of a queue."""
    listed = cluster.config.queues if cluster.config is not None else ()
    added = {f"+{queue.name}" for queue in listed if queue.hosts is not None}
    return {name: mask for name, mask in cluster.resources.properties.items() if name not in added}


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
