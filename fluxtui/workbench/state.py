"""The state of the workbench: the open cluster, the job that is built, and the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fluxtui.answers import match as matching
from fluxtui.answers.stretches import stretches
from fluxtui.model import graph, jobspec, requires
from fluxtui.model.constraint import Constraint, to_json
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.graph import Graph
from fluxtui.model.queue_status import Status
from fluxtui.model.queues import Config, Queue
from fluxtui.model.resources import Resources, Totals
from fluxtui.notation import shape
from fluxtui.notation.shape_tree import Vertex
from fluxtui.notation.source import Problem
from fluxtui.workbench.outlook import Outlook, Submission

if TYPE_CHECKING:
    from fluxtui.answers.room_graph import Yard


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from: the name people know it by, and its path where it has one."""

    name: str
    path: str | None = None
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """The open R document and the configuration beside it.

    coverage   the nodes of each queue of the configuration, as masks, in its order
    stretches  the nodes grouped by their host names: (start, stop) indices, in order
    graph      the resource graph of the document, None where it has none
    """

    source: Source
    resources: Resources
    config: Config | None = None
    coverage: tuple[int, ...] = ()
    stretches: tuple[tuple[int, int], ...] = ()
    graph: Graph | None = None
    _yard: list["Yard"] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, source: Source, resources: Resources, config: Config | None = None) -> "Cluster":
        """The cluster with all that is worked out once; for a large one not on the event loop."""
        queues = config.queues if config is not None else ()
        coverage = tuple(_covered(queue, resources) for queue in queues)
        found = graph.read(resources.graph).value if resources.graph is not None else None
        cluster = cls(source, resources, config, coverage, stretches(resources), found)
        if found is not None:
            _ = cluster.yard
        return cluster

    @property
    def yard(self) -> "Yard":
        """The resources as Fluxion sees them; of an R without a graph built at first use."""
        if not self._yard:
            from fluxtui.answers.room_graph import Yard

            found, resources = self.graph, self.resources
            self._yard.append(
                Yard.of_resources(resources) if found is None else Yard.of(found, resources)
            )
        return self._yard[0]

    def covered(self, queue: str | None) -> int:
        """The nodes of a queue; all for a name the configuration does not have."""
        queues = self.config.queues if self.config is not None else ()
        for found, mask in zip(queues, self.coverage, strict=True):
            if found.name == queue:
                return mask
        return self.resources.everything


@dataclass(frozen=True, slots=True)
class Build:
    """The shape and all that follows from it.

    text       what stands in the input, whatever its faults
    shape      its parse: tokens, problems, the tree as far as it makes sense
    vertices   the tree to show: this text's, or the last one where this text has none
    resources  the vertices as an RFC 14 resources list
    canonical  why RFC 14 refuses the resources; empty where it does not
    v1         why RFC 25 (jobspec V1) refuses them
    """

    text: str
    shape: shape.Shape
    vertices: tuple[Vertex, ...] = ()
    resources: tuple[Mapping[str, Any], ...] = ()
    canonical: tuple[Problem, ...] = ()
    v1: tuple[Problem, ...] = ()

    @property
    def blank(self) -> bool:
        """Nothing is typed."""
        return not self.text.strip()

    @property
    def syntax(self) -> tuple[Problem, ...]:
        """What is wrong with the text itself (RFC 46)."""
        return self.shape.problems

    @property
    def stale(self) -> bool:
        """The vertices are an earlier text's, because this text has none."""
        return not self.blank and bool(self.vertices) and not self.shape.vertices


@dataclass(frozen=True, slots=True)
class Ask:
    """The constraint and its answer.

    text        what stands in the input
    requires    its reading: tokens, problems, the constraint where it has one
    constraint  what the answer is for: this text's constraint, or the last good one; None asks
                nothing
    mask        the matching rank indices as a bit set
    totals      nodes, cores and gpus of the mask
    hints       warnings that depend on the cluster, such as a property no node has
    counted     the constraint as a tree, each part with the nodes it matches alone
    """

    text: str
    requires: requires.Requires
    constraint: Constraint | None = None
    mask: int = 0
    totals: Totals = field(default_factory=lambda: Totals(0, 0, 0))
    hints: tuple[Problem, ...] = ()
    counted: matching.Counted | None = None

    @property
    def blank(self) -> bool:
        """Nothing is typed."""
        return not self.text.strip()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the text, then what is odd about it on this cluster."""
        return self.requires.problems + self.hints

    @property
    def stale(self) -> bool:
        """The answer is an earlier text's, because this one is unfinished or wrong."""
        return not self.blank and self.requires.constraint is None


@dataclass(frozen=True, slots=True)
class State:
    """All that the workbench knows.

    cursor      the index of the selected node (0 is the smallest rank), None without nodes
    document    the jobspec that was opened, whose other parts the jobspec keeps; None without one
    submission  who submits the job, and to which queue
    outlook     which queues take the job, and whether there is room for it
    looked_at   the queue that is looked at, whose nodes are lit; None where none is
    """

    cluster: Cluster
    build: Build
    ask: Ask
    cursor: int | None = None
    document: Mapping[str, Any] | None = None
    submission: Submission = field(default_factory=Submission)
    outlook: Outlook = field(default_factory=Outlook)
    looked_at: str | None = None

    def jobspec(self) -> dict[str, Any]:
        """The whole jobspec: the shape's resources and the constraint in force (RFC 14)."""
        resources = list(self.build.resources)
        constraints = to_json(self.ask.constraint) if self.ask.constraint is not None else None
        queue = self.submission.queue
        if self.document is None:
            return jobspec.build(resources, constraints=constraints, queue=queue)
        return jobspec.rebuilt(self.document, resources, constraints, queue)

    def turned(self, queue: str, what: str) -> Status:
        """The own status of a queue with one thing the other way; what is enabled or started."""
        status = self.submission.statuses.get(queue, Status())
        if what == "enabled":
            reason = "disabled by hand" if status.enabled else None
            return replace(status, enabled=not status.enabled, disable_reason=reason)
        started = status.started or status.blocked is not None
        reason = "stopped by hand" if started else None
        return replace(status, started=not started, stop_reason=reason, blocked=None)

    @property
    def stale(self) -> bool:
        """The jobspec is that of earlier texts, as one of the texts in force has none."""
        return self.build.stale or self.ask.stale


def _covered(queue: Queue, resources: Resources) -> int:
    """The nodes a queue's requirement leaves; all where it requires nothing."""
    if queue.requires is None:
        return resources.everything
    constraint = read_constraint(queue.requires).value
    return matching.match(constraint, resources) if constraint is not None else 0
