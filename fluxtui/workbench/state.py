"""The state of the workbench: the open cluster, the job that is built, and the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fluxtui.answers import matching
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Constraint, to_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources, Totals
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.tree import TYPES, Shape, Vertex
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.comparing import Comparison, Kept, compare
from fluxtui.workbench.documents import Compared, Document
from fluxtui.workbench.job import Job
from fluxtui.workbench.outlook import Outlook, Submission

if TYPE_CHECKING:
    from fluxtui.model.jobspec.verdicts import Verdicts


@dataclass(frozen=True, slots=True)
class Build:
    """The shape and all that follows from it.

    text       what stands in the input, whatever its faults
    shape      its parse: tokens, problems, the tree as far as it makes sense
    vertices   the tree to show: this text's, or the last one where this text has none
    resources  the vertices as an RFC 14 resources list
    canonical  why RFC 14 refuses the resources; empty where it does not
    whole      the resources of the last text that was not unfinished; empty where there was none
    request    the resources as a tree
    """

    text: str
    shape: Shape
    vertices: tuple[Vertex, ...] = ()
    resources: tuple[Mapping[str, Any], ...] = ()
    canonical: tuple[Problem, ...] = ()
    whole: tuple[Mapping[str, Any], ...] = ()
    request: ResourceRequest = parse(())

    @property
    def blank(self) -> bool:
        """Nothing is typed."""
        return not self.text.strip()

    @property
    def syntax(self) -> tuple[Problem, ...]:
        """What is wrong with the text itself (RFC 46)."""
        return self.shape.problems

    @property
    def unfinished(self) -> bool:
        """The text is wrong as it stands, or ends in the beginning of a type."""
        if not self.shape.ok:
            return True
        last = self.shape.tokens[-1] if self.shape.tokens else None
        if last is None or last.kind != "type" or last.span.end != len(self.text.rstrip()):
            return False
        word = self.text[last.span.start : last.span.end]
        return word not in TYPES and any(name.startswith(word) for name in TYPES)

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
    asked       the cluster's resources that the answer is of
    """

    text: str
    requires: requires.Requires
    constraint: Constraint | None = None
    mask: int = 0
    totals: Totals = Totals(0, 0, 0)
    hints: tuple[Problem, ...] = ()
    counted: matching.Matched | None = None
    asked: Resources | None = None

    @property
    def blank(self) -> bool:
        """Nothing is typed."""
        return not self.text.strip()

    def is_of(self, cluster: Cluster) -> bool:
        """The answer is that of this cluster."""
        return self.asked is cluster.resources

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the text, then what is odd about it on this cluster."""
        return self.requires.problems + self.hints

    @property
    def stale(self) -> bool:
        """The answer is an earlier text's, because this one is unfinished or wrong."""
        return not self.blank and self.requires.constraint is None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a person works: the environment, the folder and the limits that a job may take over.

    limits are those of a process (`bridge.person.limits`).
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    limits: Mapping[str, int] = field(default_factory=dict)

    def given_to(self, jobspec: Mapping[str, Any]) -> Mapping[str, Any]:
        """A jobspec as ``flux submit`` sends it from here: with folder, environment and limits.

        What it says of them itself stays.
        """
        here = {"cwd": self.cwd, "environment": dict(self.environ)}
        given = {name: value for name, value in here.items() if value}
        attributes = jobspec.get("attributes") or {}
        system = {**given, **(attributes.get("system") or {})}
        if self.limits:
            shell = system.get("shell") or {}
            options = {"rlimit": dict(self.limits), **(shell.get("options") or {})}
            system["shell"] = {**shell, "options": options}
        return {**jobspec, "attributes": {**attributes, "system": system}}


def _are_same(listed: object, resources: Sequence[Mapping[str, Any]]) -> bool:
    """A list holds the very vertices of a shape."""
    if not isinstance(listed, list) or len(listed) != len(resources):
        return False
    return all(one is other for one, other in zip(listed, resources, strict=True))


@dataclass(frozen=True, slots=True)
class State:
    """All that the workbench knows.

    cursor      the index of the selected node (0 is the smallest rank), None without nodes
    job         the whole jobspec, and its texts beyond those of the shape and the constraint
    submission  who submits the job, and to which queue
    verdicts    what the RFCs and flux-core say of the whole jobspec; None where there is none
    outlook     which queues take the job, and whether there is room for it
    looked_at   the queue that is looked at, whose nodes are lit; None where none is
    selected    the nodes that a person selected, as a bit set over indices; 0 where none is
    kept        the constraint that others are compared with; None where none is kept
    around      the environment and the folder that the job may take over
    documents   the clusters that are open, the one in force among them; empty where none is
    compared    two of them, the one in force and another, compared; None where none are
    """

    cluster: Cluster
    build: Build
    ask: Ask
    cursor: int | None = None
    job: Job = Job()
    submission: Submission = Submission()
    verdicts: "Verdicts | None" = None
    outlook: Outlook = Outlook()
    looked_at: str | None = None
    selected: int = 0
    kept: Kept | None = None
    around: Surroundings = Surroundings()
    documents: tuple[Document, ...] = ()
    compared: Compared | None = None

    @property
    def place(self) -> int:
        """The number, from 0, of the document in force; 0 where none is open."""
        places = (n for n, one in enumerate(self.documents) if one.cluster is self.cluster)
        return next(places, 0)

    @property
    def empty(self) -> bool:
        """There is no job yet: neither a shape nor any other part of one."""
        return self.job.document is None and not self.build.resources

    def jobspec(self, resources: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """The whole jobspec that is written (RFC 14).

        resources stand in for its own where they are given.
        """
        document = self.job.document
        if document is not None:
            if resources is None:
                return dict(document)
            return jobspec.with_resources(document, resources)
        request = self.build.request if resources is None else None
        listed = list(self.build.resources if resources is None else resources)
        constraints = to_json(self.ask.constraint) if self.ask.constraint is not None else None
        queue = self.submission.queue
        return jobspec.build(listed, constraints=constraints, queue=queue, request=request)

    @property
    def request(self) -> ResourceRequest:
        """The resources of the whole jobspec, parsed; those of the shape where it has the same."""
        document = self.job.document
        if document is None:
            return self.build.request
        listed = document.get("resources")
        return self.build.request if _are_same(listed, self.build.resources) else parse(listed)

    @property
    def faults(self) -> tuple[Problem, ...]:
        """What is wrong with the whole jobspec by the rules that it has to keep.

        Those of V1 are not among them where it asks for what only TreePool gives.
        """
        found = self.verdicts.problems if self.verdicts is not None else ()
        return tuple(one for one in found if not (self.outlook.domain and one.rule == jobspec.V1))

    @property
    def comparison(self) -> Comparison | None:
        """The constraint against the one that is kept; None where none is."""
        return None if self.kept is None else compare(self.kept.mask, self.ask.mask)

    @property
    def known_queue(self) -> str | None:
        """The queue that was chosen; None where none was, or the cluster does not have it."""
        queue = self.submission.queue
        return queue if queue is not None and self.cluster.has_queue(queue) else None

    @property
    def left(self) -> int:
        """The nodes that the constraint leaves, and the queue that was chosen where it is known."""
        queue = self.known_queue
        return self.ask.mask if queue is None else self.ask.mask & self.cluster.covered(queue)

    @property
    def stale(self) -> bool:
        """The jobspec is that of earlier texts, as one of the texts in force has none."""
        return self.build.stale or self.ask.stale or self.job.raw is not None
