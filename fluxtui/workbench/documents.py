"""The clusters that are open beside one another, and two of them compared."""

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
    """Two open clusters, and what differs from one to the other; rows tell it.

    rehearsed what the configuration of the second changes; None where one of them has none
    requeued  the nodes that are in other queues, as masks over those after and those before
    """

    before: Cluster
    after: Cluster
    changes: "Changes"
    rows: "tuple[Row, ...]"
    rehearsed: "Rehearsal | None" = None
    requeued: tuple[int, int] = (0, 0)

    def changed_in(self, cluster: Cluster) -> int:
        """The nodes of one of them that are in both, and not the same."""
        if cluster is self.after:
            return self.changes.changed | self.requeued[0]
        return self.changes.changed_before | self.requeued[1]

    def refreshed(self, before: Cluster, after: Cluster) -> "Compared":
        """The same with a cluster as it is by now, where it is one of the two."""
        if not self.holds(before):
            return self
        one, other = (after if one is before else one for one in (self.before, self.after))
        return replace(self, before=one, after=other)

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
