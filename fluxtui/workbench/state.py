"""The state of the workbench, the edits, and the step from one state to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers import match as matching
from fluxtui.answers.stretches import stretches
from fluxtui.model import jobspec, requires
from fluxtui.model.constraint import Constraint, to_json
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.queues import Config, Queue
from fluxtui.model.resources import Resources, Totals
from fluxtui.notation import shape
from fluxtui.notation.shape_tree import Vertex
from fluxtui.notation.source import Problem


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
    """

    source: Source
    resources: Resources
    config: Config | None = None
    coverage: tuple[int, ...] = ()
    stretches: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, source: Source, resources: Resources, config: Config | None = None) -> "Cluster":
        """The cluster with all that is worked out once; for a large one not on the event loop."""
        queues = config.queues if config is not None else ()
        coverage = tuple(_covered(queue, resources) for queue in queues)
        return cls(source, resources, config, coverage, stretches(resources))


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

    cursor    the index of the selected node (0 is the smallest rank), None where there is no node
    document  the jobspec that was opened, whose other parts the jobspec keeps; None where none was
    """

    cluster: Cluster
    build: Build
    ask: Ask
    cursor: int | None = None
    document: Mapping[str, Any] | None = None

    def jobspec(self) -> dict[str, Any]:
        """The whole jobspec: the shape's resources and the constraint in force (RFC 14)."""
        resources = list(self.build.resources)
        constraints = to_json(self.ask.constraint) if self.ask.constraint is not None else None
        if self.document is None:
            return jobspec.build(resources, constraints=constraints)
        return jobspec.rebuilt(self.document, resources, constraints)

    @property
    def stale(self) -> bool:
        """The jobspec is that of earlier texts, as one of the texts in force has none."""
        return self.build.stale or self.ask.stale


@dataclass(frozen=True, slots=True)
class TypeShape:
    """The shape input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class TypeRequires:
    """The constraint input now holds this text."""

    text: str


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """Another R document is open."""

    cluster: Cluster


@dataclass(frozen=True, slots=True)
class MoveCursor:
    """Another node is selected, by its index; an index outside the cluster goes to its edge."""

    index: int


Edit = TypeShape | TypeRequires | OpenCluster | MoveCursor


def start(
    cluster: Cluster | None = None,
    shape_text: str = "",
    requires_text: str = "",
    document: Mapping[str, Any] | None = None,
) -> State:
    """The state a workbench opens with; document is the jobspec that the texts were taken from."""
    cluster = cluster or Cluster(Source("nothing open"), Resources())
    blank = State(
        cluster, Build("", shape.parse("")), Ask("", requires.read("")), document=document
    )
    state = step(blank, OpenCluster(cluster))
    return step(step(state, TypeShape(shape_text)), TypeRequires(requires_text))


def step(state: State, edit: Edit) -> State:
    """The state after an edit. Only what depends on the edit is worked out again."""
    match edit:
        case TypeShape(text):
            return state if text == state.build.text else replace(state, build=_build(state, text))
        case TypeRequires(text):
            if text == state.ask.text:
                return state
            ask = state.ask
            ask = _answer(state.cluster, requires.read(text), ask.constraint, ask.counted)
            return replace(state, ask=ask)
        case OpenCluster(cluster):
            cursor = 0 if cluster.resources.node_count else None
            ask = state.ask
            ask = _answer(cluster, ask.requires, ask.constraint, None)
            return replace(state, cluster=cluster, cursor=cursor, ask=ask)
        case MoveCursor(index):
            count = state.cluster.resources.node_count
            cursor = min(max(index, 0), count - 1) if count else None
            return state if cursor == state.cursor else replace(state, cursor=cursor)


def _covered(queue: Queue, resources: Resources) -> int:
    """The nodes a queue's requirement leaves; all where it requires nothing."""
    if queue.requires is None:
        return resources.everything
    constraint = read_constraint(queue.requires).value
    return matching.match(constraint, resources) if constraint is not None else 0


def _build(state: State, text: str) -> Build:
    """The build side for a text; a text without a single vertex keeps the tree that stands."""
    parsed = shape.parse(text)
    if not text.strip():
        return Build(text, parsed)
    if not parsed.vertices:
        return replace(state.build, text=text, shape=parsed)
    resources = shape.to_resources(parsed)
    return Build(
        text,
        parsed,
        parsed.vertices,
        tuple(resources),
        jobspec.check_resources(resources, slot_needed=True),
        jobspec.check_v1_resources(resources),
    )


def _answer(
    cluster: Cluster,
    reading: requires.Requires,
    good: Constraint | None,
    counted: matching.Counted | None,
) -> Ask:
    """The answer to a constraint's text; a bad text is answered by the last good constraint.

    good is that constraint, and counted its answer on this cluster; None where it has none yet.
    """
    resources = cluster.resources
    constraint = None if reading.blank else reading.constraint or good
    if constraint is None:
        everything = resources.everything
        return Ask(reading.text, reading, None, everything, resources.totals(everything))
    if counted is None or constraint is not good:
        counted = matching.counted(constraint, resources)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        hints = reading.located(matching.hints(constraint, resources))
    totals = resources.totals(counted.mask)
    return Ask(reading.text, reading, constraint, counted.mask, totals, hints, counted)
