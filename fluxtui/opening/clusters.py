"""Opening a cluster: an R document with the queues of a configuration."""

from fluxtui.bridge import config_files, files, paths
from fluxtui.model.queues import Config
from fluxtui.notation.problem import Problem
from fluxtui.opening.kinds import resources_of
from fluxtui.opening.queues import no_progress, read_queues, reconfigured
from fluxtui.workbench import Cluster, Source


def open_cluster(
    where: str,
    config: str | None,
    *,
    strict: bool = False,
    progress: files.Progress = no_progress,
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of an R document with the queues of a configuration.

    where is a path, ``-`` or ``demo``; config a TOML file or directory, None for the demo's own
    configuration or for none. A configuration that lists nodes is a cluster too, with its own
    queues if config is None. The cluster is None without a readable document, and if strict also
    without a readable configuration; the problems say why, or what is wrong with the configuration.
    progress is called with how much of a large document has been read; an exception that it raises
    ends the reading. Reads files: not for the event loop.
    """
    if files.is_instance(where):
        from fluxtui.opening.recording import open_instance

        return _with_config(open_instance(where), config)
    if where not in ("-", files.DEMO) and paths.is_folder(where):
        return _configured(where, config, strict=strict)
    source, problems = files.read_source(where, progress)
    if source is None:
        return None, problems
    if not source.may_be_snapshot and config_files.is_one(source):
        return _configured(where, config, source=source, strict=strict)
    return cluster_of(source, config, builtin=where == files.DEMO, strict=strict)


def _configured(
    where: str, config: str | None, *, source: files.Source | None = None, strict: bool
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of a configuration that lists its nodes."""
    from fluxtui.opening.configured import open_configured

    found = open_configured(where, config, source=source, strict=strict)
    return found.cluster, found.problems


def cluster_of(
    source: files.Source, config: str | None, *, builtin: bool = False, strict: bool = False
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of a text that was read; see `open_cluster`."""
    if source.may_be_snapshot:
        from fluxtui.opening.live import in_source

        from_snapshot = in_source(source)
        if from_snapshot is not None:
            return _with_config(from_snapshot, config)
    found = resources_of(source)
    read: Config | None = None
    warnings: tuple[Problem, ...] = ()
    if config is not None or builtin:
        read, found, unread, missing = read_queues(config or files.DEMO, found)
        if strict and unread:
            return None, unread
        warnings = unread + missing
    found.prepare()
    name = f"{source.name} (built in)" if builtin else source.name
    path = str(source.path) if source.path is not None else None
    return Cluster.of(Source(name, path, builtin), found, read), warnings


def _with_config(
    opened: tuple[Cluster | None, tuple[Problem, ...]], config: str | None
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of an instance, with the queues of a configuration instead of its own."""
    cluster, problems = opened
    if cluster is None or config is None:
        return opened
    table, unread = config_files.read(config)
    if table is None:
        return None, unread
    found, more = reconfigured(cluster, table, unread)
    return found, problems + more
