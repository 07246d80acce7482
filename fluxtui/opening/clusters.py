"""A cluster: an R document with the queues of a configuration beside it."""

from dataclasses import replace

from fluxtui.bridge import config_files, files, paths
from fluxtui.model import queues
from fluxtui.model.queues import membership
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.workbench import Cluster, Source


def untold(done: int, size: int) -> None:
    """Nobody wants to hear how much of a document has been read."""


def resources_of(source: files.Source) -> Resources:
    """What a document that was read says of its nodes."""
    if source.document is not None:
        return resources.read(source.document)
    return resources.read_text(source.text)


def open_cluster(
    where: str, config: str | None, *, strict: bool = False, told: files.Told = untold
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an R document with the queues of a configuration beside it.

    where is a path, ``-`` or ``demo``; config a TOML file or directory, None for the demo's own
    beside the demo and for none beside others. A configuration that lists nodes is a cluster too,
    with its own queues where config is None. Without a readable document there is no cluster,
    and if strict none without a readable configuration; the problems say why, or what is wrong
    with the configuration. told hears how much of a large document has been read; what it raises
    ends the reading. Reads files: not for the event loop.
    """
    if files.is_live(where):
        from fluxtui.opening.live import open_live

        return _beside(open_live(where), config)
    if where not in ("-", files.DEMO) and paths.is_folder(where):
        return _configured(where, config, strict=strict)
    source, problems = files.read_source(where, told)
    if source is None:
        return None, problems
    from fluxtui.model.live import snapshot

    if not snapshot.looks_like(source.text) and config_files.is_one(source):
        return _configured(where, config, source=source, strict=strict)
    return cluster_of(source, config, builtin=where == files.DEMO, strict=strict)


def _configured(
    where: str, config: str | None, *, source: files.Source | None = None, strict: bool
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of a configuration that lists its nodes."""
    from fluxtui.opening.configured import open_configured

    found = open_configured(where, config, source=source, strict=strict)
    return found.cluster, found.problems


def cluster_of(
    source: files.Source, config: str | None, *, builtin: bool = False, strict: bool = False
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of a text that was read, as `open_cluster` makes it."""
    from fluxtui.opening.live import in_source

    taken = in_source(source)
    if taken is not None:
        return _beside(taken, config)
    found = resources_of(source)
    read: queues.Config | None = None
    wrong: tuple[Problem, ...] = ()
    if config is not None or builtin:
        read, found, unread, missing = read_queues(config or files.DEMO, found)
        if strict and unread:
            return None, unread
        wrong = unread + missing
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), wrong


def _beside(
    opened: tuple[Cluster | None, tuple[Problem, ...]], config: str | None
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an instance, with the queues of a configuration in place of its own."""
    cluster, problems = opened
    if cluster is None or config is None:
        return opened
    table, unread = config_files.read(config)
    if table is None:
        return None, unread
    found, wrong = reconfigured(cluster, table, unread)
    return found, problems + wrong


def reconfigured(
    cluster: Cluster, table: config_files.Table, unread: tuple[Problem, ...]
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster with the queues of another configuration; unread are the problems of reading it.

    There is none where that has no queues for these; the problems are as of `open_cluster`, with
    those of the settings too. For a large cluster not for the event loop.
    """
    resources = cluster.resources.with_properties(_own_properties(cluster))
    read, found, _ = with_queues(table, unread, resources)
    if unread and not read.queues:
        return None, unread
    found.prepare()
    return Cluster.of(cluster.source, found, read, cluster.snapshot), read.problems


def _own_properties(cluster: Cluster) -> dict[str, int]:
    """The properties of the resources without those that say who is a member of a queue."""
    listed = cluster.config.queues if cluster.config is not None else ()
    added = {f"+{queue.name}" for queue in listed if queue.hosts is not None}
    return {name: mask for name, mask in cluster.resources.properties.items() if name not in added}


def read_queues(
    where: str, found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...], tuple[Problem, ...]]:
    """The queues of a configuration, and the resources with the members of its queues.

    The problems of the configuration have the file, line and column. Given beside it are those
    that are not of its settings alone: what cannot be read, and hosts the cluster does not have.
    """
    table, unread = config_files.read(where)
    if table is None:
        return queues.Config(problems=unread), found, unread, ()
    read, found, missing = with_queues(table, unread, found)
    return read, found, unread, missing


def with_queues(
    table: config_files.Table, unread: tuple[Problem, ...], found: Resources
) -> tuple[queues.Config, Resources, tuple[Problem, ...]]:
    """The same of a configuration that was read, unread being the problems of that.

    Given beside them are the hosts of queues that the cluster does not have.
    """
    read = queues.read_config(table.table)
    found, missing = membership(read, found)
    missing = config_files.locate(missing, table)
    problems = (*unread, *config_files.locate(read.problems, table), *missing)
    return replace(read, problems=problems), found, missing
