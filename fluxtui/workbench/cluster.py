"""The open cluster: an R document with the queues of a configuration beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fluxtui.answers import matching
from fluxtui.answers.listing.rows import host_runs
from fluxtui.model.queues import Config, Status
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.topology import described

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
    from fluxtui.model.live.snapshot import Snapshot
    from fluxtui.notation.shape.completion import Known

SIMPLE = "sched-simple"  # the name of its module

#: Beyond these the room for a job is looked for beside the event loop: vertices of a graph, kinds
#: of nodes, and queues times nodes.
MAX_VERTICES = 5_000
MAX_KINDS = 200
MAX_ASKED = 5_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from: the name people know it by, and its path where it has one."""

    name: str
    path: str | None = None
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """The open R document and the configuration beside it.

    coverage   the nodes of each queue of the configuration, as masks by its name, in its order
    stretches  the nodes grouped by their host names: (start, stop) indices, in order
    snapshot   how the nodes, queues and jobs of a running instance are; None of a document
    """

    source: Source
    resources: Resources
    config: Config | None = None
    coverage: Mapping[str, int] = field(default_factory=dict)
    stretches: tuple[tuple[int, int], ...] = ()
    snapshot: "Snapshot | None" = None
    _prepared_graph: list["PreparedGraph"] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        source: Source,
        resources: Resources,
        config: Config | None = None,
        snapshot: "Snapshot | None" = None,
    ) -> "Cluster":
        """The cluster with all that is worked out once; for a large one not on the event loop."""
        queues = config.queues if config is not None else ()
        coverage = {queue.name: matching.covered(queue.requires, resources) for queue in queues}
        cluster = cls(source, resources, config, coverage, host_runs(resources), snapshot)
        if resources.graph is not None and not cluster.is_large:
            _ = (
                cluster.prepared_graph
            )  # of a large one it is built where the first room is looked for
        return cluster

    @property
    def graph(self) -> Graph | None:
        """The resource graph beside the nodes, None where there is none."""
        return self.resources.graph

    def at(self, snapshot: "Snapshot") -> "Cluster":
        """The same cluster at another moment, of which the snapshot has the same resources."""
        return replace(self, snapshot=snapshot)

    @property
    def statuses(self) -> Mapping[str, Status]:
        """The status of the queues of a running instance, by name; empty of a document."""
        return self.snapshot.statuses if self.snapshot is not None else {}

    @property
    def prepared_graph(self) -> "PreparedGraph":
        """The resources as Fluxion sees them, built at first use."""
        if not self._prepared_graph:
            from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph

            self._prepared_graph.append(PreparedGraph.of(self.resources))
        return self._prepared_graph[0]

    def covered(self, queue: str) -> int:
        """The nodes of a queue: all for the anonymous one, none for one that is not configured.

        Where there is no configuration, nothing is known of queues, and any may have all nodes.
        """
        missing = 0 if queue and self.config is not None else self.resources.everything
        return self.coverage.get(queue, missing)

    def has_queue(self, name: str) -> bool:
        """The configuration has a queue of this name."""
        return self.config is not None and self.config.queue(name) is not None

    @property
    def types(self) -> "Known":
        """The types that the scheduler which decides takes, as suggestions.

        TreePool knows cores, gpus and the domains inside nodes (RFC 49), and sched-simple without
        it only the former. With a resource graph it is Fluxion, which knows what is in that,
        whatever it is called. Of what R does not tell there may be anything.
        """
        from fluxtui.notation.shape.completion import ANY, USUAL, Known
        from fluxtui.notation.shape.tree import TYPES

        resources, snapshot = self.resources, self.snapshot
        if resources.graph is not None and not resources.for_tree_pool:
            found = {*resources.graph.types}
            others = sorted(found.difference(TYPES, {""}))
            named = {name: words for name, words in TYPES.items() if name in {*found, "slot"}}
            return Known(named | dict.fromkeys(others, "in the resource graph"))
        if resources.for_tree_pool or (snapshot is not None and snapshot.scheduler == SIMPLE):
            usual = {name: TYPES[name] for name in USUAL}
            return Known(usual, described(resources.topologies))
        return ANY

    @property
    def is_large(self) -> bool:
        """A look for room takes longer than a frame."""
        vertices = len(self.graph.types) if self.graph is not None else 0
        resources = self.resources
        left = self.snapshot.nodes.unused if self.snapshot is not None else resources
        return (
            vertices > MAX_VERTICES
            or max(len(resources.kinds), len(left.kinds)) > MAX_KINDS
            or len(self.coverage) * resources.node_count > MAX_ASKED
        )
