"""Reading an open cluster again from where it came from."""

from dataclasses import dataclass

from fluxtui.bridge import config_files, files, paths, watching
from fluxtui.bridge.watching import Watched
from fluxtui.notation.problem import Problem
from fluxtui.opening.anything import OpenedCluster, open_any
from fluxtui.opening.queues import reconfigured
from fluxtui.workbench import Cluster


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an open cluster comes from.

    where       the path of the document, or ``demo``; empty if it cannot be read again
    config      the path of its configuration; None if there is none
    own_queues  as for `open_any`
    files       the files that were read, with their stamps at that time
    """

    where: str = ""
    config: str | None = None
    own_queues: bool = True
    files: Watched = Watched()

    @property
    def is_rereadable(self) -> bool:
        """Whether there is something that can be read again."""
        return bool(self.where) or self.config is not None


def open_again(
    origin: Origin, cluster: Cluster
) -> tuple[OpenedCluster | None, tuple[Problem, ...]]:
    """Return the cluster from the current files; None if the open one should be kept.

    That is the case if the document cannot be read, has lost all its nodes, or has errors and had
    none, or if a configuration cannot be read: the problems then say why, else they are warnings.
    Reads files: not for the event loop.
    """
    if not origin.where:
        return _queues_again(origin.config, cluster)
    where = origin.where
    folder = where if paths.is_folder(where) and not files.is_instance(where) else None
    broken = _unread(origin.config) + _unread(folder)
    if broken:
        return None, broken
    opened, problems = open_any(origin.where, origin.config, cluster, own_queues=origin.own_queues)
    if not isinstance(opened, OpenedCluster):
        message = "it is no longer an R document or a configuration that lists nodes"
        return None, problems if opened is None and problems else (Problem(message),)
    resources, before = opened.cluster.resources, cluster.resources
    errors = tuple(problem for problem in resources.problems if problem.severity == "error")
    if (errors and before.ok) or (before.node_count and not resources.node_count):
        return None, errors or (Problem("it has no nodes"),)
    return opened, problems


def _unread(config: str | None) -> tuple[Problem, ...]:
    """Return the problems of a configuration of which not every file can be read."""
    return config_files.read(config).problems if config is not None else ()


def _queues_again(
    config: str | None, cluster: Cluster
) -> tuple[OpenedCluster | None, tuple[Problem, ...]]:
    """Return the same nodes with the queues of the current configuration."""
    if config is None:
        return None, (Problem("it comes from no file that could be read again"),)
    read_from = watching.see(config)
    table, unread = config_files.read(config)
    if table is None or unread:
        return None, unread
    found, problems = reconfigured(cluster, table, unread)
    return (None if found is None else OpenedCluster(found, read_from)), problems
