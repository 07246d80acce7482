"""The open clusters, and the comparison of two of them."""

import os.path
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fluxtui.model.queues import Status
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench.cluster import Cluster, Source

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes, Row
    from fluxtui.workbench.rehearsal import Rehearsal


@dataclass(frozen=True, slots=True)
class Document:
    """An open cluster, and what the user had there when they last left it.

    cursor    as in the state; None if the cluster was never left
    selected  as in the state; 0 if the cluster was never left
    what_if   the statuses assumed for its queues
    """

    cluster: Cluster
    cursor: int | None = None
    selected: int = 0
    what_if: Mapping[str, Status] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two open clusters and their differences, with rows that describe these.

    rehearsed  what the configuration of the second changes; None if either has none
    requeued   the nodes that change queues, as masks over the nodes after and those before
    """

    before: Cluster
    after: Cluster
    changes: "Changes"
    rows: "tuple[Row, ...]"
    rehearsed: "Rehearsal | None" = None
    requeued: tuple[int, int] = (0, 0)

    def changed_in(self, cluster: Cluster) -> int:
        """Return the nodes of one of the clusters that are in both and differ."""
        if cluster is self.after:
            return self.changes.changed | self.requeued[0]
        return self.changes.changed_before | self.requeued[1]

    def refreshed(self, before: Cluster, after: Cluster) -> "Compared":
        """Return the comparison with before replaced by after, if it is one of the two."""
        if not self.holds(before):
            return self
        one, other = (after if one is before else one for one in (self.before, self.after))
        return replace(self, before=one, after=other)

    def holds(self, cluster: Cluster) -> bool:
        """Whether the cluster is one of the two."""
        return cluster is self.before or cluster is self.after


def nothing() -> Cluster:
    """Return the empty cluster that is used when none is open."""
    return Cluster(Source("nothing open"), Resources())


def is_nothing(cluster: Cluster) -> bool:
    """Whether the cluster is the empty one that is used when none is open."""
    return not cluster.resources.node_count and not cluster.resources.problems


def is_same(one: Source, other: Source, cwd: str) -> bool:
    """Whether two sources are the same document, perhaps with another spelling of its path."""
    if one is other or (one.builtin and other.builtin):
        return True
    if one.path is None or other.path is None:
        return False
    paths = (os.path.normpath(os.path.join(cwd, path)) for path in (one.path, other.path))
    return len(set(paths)) == 1
