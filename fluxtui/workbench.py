"""The workbench: one frozen state, and the edits that make the next one.

Nothing here draws, reads or writes. The user interface and the headless verbs hand in edits
and show what comes out, so every behaviour can be tested without a terminal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers import match as matching
from fluxtui.model import jobspec, requires
from fluxtui.model.constraint import Constraint, to_json
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.queues import Config, Queue
from fluxtui.model.resources import Resources, Totals
from fluxtui.notation import shape
from fluxtui.notation.shape_tree import Vertex
from fluxtui.notation.source import Problem

HISTORY_LIMIT = 500


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from: the name people know it by, and its path where it has one."""

    name: str
    path: str | None = None
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class Cluster:
    """The open R document and the configuration beside it.

    coverage  the nodes of each queue of the configuration, as masks, in its order
    """

    source: Source
    resources: Resources
    config: Config | None = None
    coverage: tuple[int, ...] = ()

    @classmethod
    def of(cls, source: Source, resources: Resources, config: Config | None = None) -> "Cluster":
        """The cluster with the coverage of its queues worked out."""
        queues = config.queues if config is not None else ()
        return cls(source, resources, config, tuple(_covered(q, resources) for q in queues))


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
    """

    text: str
    requires: requires.Requires
    constraint: Constraint | None = None
    mask: int = 0
    totals: Totals = field(default_factory=lambda: Totals(0, 0, 0))
    hints: tuple[Problem, ...] = ()

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

    cursor  the index of the selected node (0 is the smallest rank), None where there is no node
    """

    cluster: Cluster
    build: Build
    ask: Ask
    cursor: int | None = None

    def jobspec(self) -> dict[str, Any]:
        """The whole jobspec: the shape's resources and the constraint in force (RFC 14)."""
        constraint = self.ask.constraint
        return jobspec.build(
            list(self.build.resources),
            constraints=to_json(constraint) if constraint is not None else None,
        )


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


def start(cluster: Cluster | None = None, shape_text: str = "", requires_text: str = "") -> State:
    """The state a workbench opens with."""
    cluster = cluster or Cluster(Source("nothing open"), Resources())
    blank = State(cluster, Build("", shape.parse("")), Ask("", requires.read("")))
    state = step(blank, OpenCluster(cluster))
    return step(step(state, TypeShape(shape_text)), TypeRequires(requires_text))


def step(state: State, edit: Edit) -> State:
    """The state after an edit. Only what depends on the edit is worked out again."""
    match edit:
        case TypeShape(text):
            return state if text == state.build.text else replace(state, build=_build(state, text))
        case TypeRequires(text):
            return state if text == state.ask.text else replace(state, ask=_ask(state, text))
        case OpenCluster(cluster):
            cursor = 0 if cluster.resources.node_count else None
            state = replace(state, cluster=cluster, cursor=cursor)
            return replace(state, ask=_ask(state, state.ask.text))
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


def _ask(state: State, text: str) -> Ask:
    """The ask side for a text on the open cluster; a bad text keeps the last good answer."""
    resources = state.cluster.resources
    reading = requires.read(text)
    blank = not text.strip()
    constraint = None if blank else reading.constraint or state.ask.constraint
    if constraint is None:
        return Ask(
            text, reading, None, resources.everything, resources.totals(resources.everything)
        )
    fresh = constraint is not state.ask.constraint
    same = not fresh and len(resources.ranks) and state.ask.mask
    mask = state.ask.mask if same else matching.match(constraint, resources)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        hints = reading.located(matching.hints(constraint, resources))
    return Ask(text, reading, constraint, mask, resources.totals(mask), hints)


@dataclass(frozen=True, slots=True)
class History:
    """The texts that were typed, for undo and redo.

    Typing on in one input is one step until a pause in kind: another input, or a jump of more
    than one character. Moving the cursor and opening a document are not steps.
    """

    state: State
    past: tuple[tuple[str, str], ...] = ()
    future: tuple[tuple[str, str], ...] = ()
    last: type[Edit] | None = None

    def do(self, edit: Edit) -> "History":
        """The history after an edit from a person."""
        after = step(self.state, edit)
        if after is self.state:
            return self
        if not isinstance(edit, TypeShape | TypeRequires):
            return replace(self, state=after)
        before = _texts(self.state)
        grows = self.last is type(edit) and _typed_on(before, _texts(after))
        past = self.past if grows else (*self.past, before)[-HISTORY_LIMIT:]
        return History(after, past, (), type(edit))

    def undo(self) -> "History":
        """The history one step back; itself where there is none."""
        if not self.past:
            return self
        *past, texts = self.past
        future = (*self.future, _texts(self.state))
        return History(_with_texts(self.state, texts), tuple(past), future)

    def redo(self) -> "History":
        """The history one step forward again; itself where there is none."""
        if not self.future:
            return self
        *future, texts = self.future
        past = (*self.past, _texts(self.state))
        return History(_with_texts(self.state, texts), past, tuple(future))


def _texts(state: State) -> tuple[str, str]:
    return (state.build.text, state.ask.text)


def _with_texts(state: State, texts: tuple[str, str]) -> State:
    return step(step(state, TypeShape(texts[0])), TypeRequires(texts[1]))


def _typed_on(before: tuple[str, str], after: tuple[str, str]) -> bool:
    """One character more or less, and not the start of a new word: the same step goes on."""
    longer = sum(map(len, after)) - sum(map(len, before))
    boundary = longer == 1 and any(
        a[-1:] in "/;[{&| " for a, b in zip(after, before, strict=True) if a != b
    )
    return abs(longer) == 1 and not boundary
