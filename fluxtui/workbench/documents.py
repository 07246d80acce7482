"""The clusters that are open beside one another, and two of them compared."""

import os.path
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fluxtui.model.queues import Status
from fluxtui.model.resources.resource_set import Resources
from fluxtui.workbench.cluster import Cluster, Source

if TYPE_CHECKING:
    from fluxtui.answers.compare import Changes, Row


@dataclass(frozen=True, slots=True)
class Document:
    """A cluster that is open, and where a person was when they went to another.

    cursor, selected  as of the state, of the one in force too but when that is left; None, 0
                      where nobody has been yet
    what_if           what was supposed of the queues there
    """

    cluster: Cluster
    cursor: int | None = None
    selected: int = 0
    what_if: Mapping[str, Status] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two open clusters, and what differs from one to the other; rows tell it."""

    before: Cluster
    after: Cluster
    changes: "Changes"
    rows: "tuple[Row, ...]"

    def refreshed(self, before: Cluster, after: Cluster) -> "Compared":
        """The same with a cluster as it is by now, where it is one of the two."""
        if not self.holds(before):
            return self
        one, other = (after if one is before else one for one in (self.before, self.after))
        return Compared(one, other, self.changes, self.rows)

    def holds(self, cluster: Cluster) -> bool:
        """The cluster is one of the two."""
        return cluster is self.before or cluster is self.after


def nothing() -> Cluster:
    """The cluster where none is open."""
    return Cluster(Source("nothing open"), Resources())


def is_nothing(cluster: Cluster) -> bool:
    """The cluster is that where none is open."""
    return not cluster.resources.node_count and not cluster.resources.problems


def is_same(one: Source, other: Source, cwd: str) -> bool:
    """Two documents are the same one, read at another time or from another way to its file."""
    if one is other or (one.builtin and other.builtin):
        return True
    if one.path is None or other.path is None:
        return False
    paths = (os.path.normpath(os.path.join(cwd, path)) for path in (one.path, other.path))
    return len(set(paths)) == 1
