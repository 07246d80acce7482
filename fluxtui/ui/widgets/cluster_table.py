"""A cluster in a node table: its columns, and what stands in its rows."""

from collections.abc import Iterator

from fluxtui.model.resources import Resources
from fluxtui.notation.source import printable
from fluxtui.ui.widgets.cluster_map import label_width
from fluxtui.ui.widgets.node_table import Column, NodeTable
from fluxtui.workbench import Cluster

BLOCK = 64  # rows that are made together


def show_table(view: NodeTable, cluster: Cluster) -> None:
    """Show the nodes of a cluster in a table."""
    resources = cluster.resources
    view.show_nodes(resources.node_count, _columns(resources), _Rows(resources).row)


def _columns(resources: Resources) -> tuple[Column, ...]:
    rank = len(str(resources.ranks.last)) if resources.node_count else 4
    return (
        Column("rank", max(rank, 4), "right"),
        Column("host", min(max(label_width(resources), 4), 32)),
        Column("cores", 5, "right"),
        Column("gpus", 4, "right"),
        Column("properties", 0),
    )


class _Rows:
    """The rows of the table, made a block at a time: a mask costs one shift for a whole block."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._first = -1
        self._block: list[tuple[str, ...]] = []

    def row(self, index: int) -> tuple[str, ...]:
        """The values of one node."""
        first = index - index % BLOCK
        if first != self._first:
            self._first, self._block = first, list(self._make(first))
        return self._block[index - first]

    def _make(self, start: int) -> Iterator[tuple[str, ...]]:
        resources = self._resources
        stop = min(start + BLOCK, resources.node_count)
        counts = zip(
            resources.cores_between(start, stop),
            resources.gpus_between(start, stop),
            resources.properties_between(start, stop),
            strict=True,
        )
        for index, (cores, gpus, properties) in enumerate(counts, start):
            yield (
                str(resources.rank(index)),
                printable(resources.host(index)),
                str(cores),
                str(gpus) if gpus else "",
                printable(" ".join(properties)),
            )
