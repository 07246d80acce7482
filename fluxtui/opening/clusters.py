"""A cluster: an R document with the queues of a configuration beside it."""

from fluxtui.bridge import config_files, files, paths
from fluxtui.model.queues import Config
from fluxtui.notation.problem import Problem
from fluxtui.opening.queues import read_queues, reconfigured, resources_of, untold
from fluxtui.workbench import Cluster, Source


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
    if files.is_instance(where):
        from fluxtui.opening.recording import open_instance

        return _beside(open_instance(where), config)
    if where not in ("-", files.DEMO) and paths.is_folder(where):
        return _configured(where, config, strict=strict)
    source, problems = files.read_source(where, told)
    if source is None:
        return None, problems
    if not source.may_be_snapshot and config_files.is_one(source):
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
    if source.may_be_snapshot:
        from fluxtui.opening.live import in_source

        taken = in_source(source)
        if taken is not None:
            return _beside(taken, config)
    found = resources_of(source)
    read: Config | None = None
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
