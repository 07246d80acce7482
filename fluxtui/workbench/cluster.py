"""The open cluster: an R document, with the queues of a configuration if there is one."""

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

SIMPLE = "sched-simple"  # the name of the scheduler's module

#: Beyond these limits the fit of a job is computed in a worker: vertices of a graph, kinds of
#: nodes, and queues times nodes.
MAX_VERTICES = 5_000
MAX_KINDS = 200
MAX_ASKED = 5_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from: the name to show, and its path if it has one."""

    name: str
    path: str | None = None
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """The open R document and its configuration.

    coverage   the nodes of each configured queue as masks by name, in configuration order
    stretches  the nodes grouped by host name: (start, stop) indices, in order
    snapshot   the state of nodes, queues and jobs of a running instance; None for a document
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
        """Return the cluster with what is computed once; not on the event loop for a large one."""
        queues = config.queues if config is not None else ()
        coverage = {queue.name: matching.covered(queue.requires, resources) for queue in queues}
        cluster = cls(source, resources, config, coverage, host_runs(resources), snapshot)
        if resources.graph is not None and not cluster.is_large:
            _ = cluster.prepared_graph  # that of a large one is built with the first fit
        return cluster

    @property
    def graph(self) -> Graph | None:
        """The resource graph of the nodes; None if there is none."""
        return self.resources.graph

    def at(self, snapshot: "Snapshot") -> "Cluster":
        """Return the same cluster at another time, given a snapshot with the same resources."""
        return replace(self, snapshot=snapshot)

    @property
    def statuses(self) -> Mapping[str, Status]:
        """The queue statuses of a running instance by name; empty for a document."""
        return self.snapshot.statuses if self.snapshot is not None else {}

    @property
    def prepared_graph(self) -> "PreparedGraph":
        """The resources as Fluxion sees them, built on first use."""
        if not self._prepared_graph:
            from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph

            self._prepared_graph.append(PreparedGraph.of(self.resources))
        return self._prepared_graph[0]

    def covered(self, queue: str) -> int:
        """Return the nodes of a queue: all for the anonymous one, none for an unconfigured one.

        Without a configuration any queue has all nodes, as nothing is known about queues.
        """
        missing = 0 if queue and self.config is not None else self.resources.everything
        return self.coverage.get(queue, missing)

    def has_queue(self, name: str) -> bool:
        """Whether the configuration has a queue of this name."""
        return self.config is not None and self.config.queue(name) is not None

    @property
    def types(self) -> "Known":
        """The resource types that the scheduler in use supports, as suggestions.

        TreePool knows cores, gpus and the domains inside nodes (RFC 49); sched-simple without it
        knows cores and gpus only. With a resource graph the scheduler is Fluxion, which knows all
        types of the graph. Otherwise any type is possible.
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
        """Whether computing a fit takes longer than a frame."""
        vertices = len(self.graph.types) if self.graph is not None else 0
        resources = self.resources
        left = self.snapshot.nodes.unused if self.snapshot is not None else resources
        return (
            vertices > MAX_VERTICES
            or max(len(resources.kinds), len(left.kinds)) > MAX_KINDS
            or len(self.coverage) * resources.node_count > MAX_ASKED
        )
