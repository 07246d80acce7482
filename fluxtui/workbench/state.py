"""The state of the workbench: the open cluster, the job being built, and the answers."""

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
    """The shape and everything derived from it.

    text       the text of the shape input, valid or not
    shape      its parse: tokens, problems, and the tree as far as it could be built
    vertices   the tree to show: that of this text, or the previous one if this text has no vertex
    resources  the vertices as an RFC 14 resources list
    canonical  the problems that make the resources invalid under RFC 14; empty if they are valid
    whole      the resources of the last finished text; empty if there was none
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
        """Whether the shape input is blank."""
        return not self.text.strip()

    @property
    def syntax(self) -> tuple[Problem, ...]:
        """The problems of the text itself (RFC 46)."""
        return self.shape.problems

    @property
    def unfinished(self) -> bool:
        """Whether the text has problems, or ends with the beginning of a known type."""
        if not self.shape.ok:
            return True
        last = self.shape.tokens[-1] if self.shape.tokens else None
        if last is None or last.kind != "type" or last.span.end != len(self.text.rstrip()):
            return False
        word = self.text[last.span.start : last.span.end]
        return word not in TYPES and any(name.startswith(word) for name in TYPES)

    @property
    def stale(self) -> bool:
        """Whether the vertices are those of an earlier text, because this text has none."""
        return not self.blank and bool(self.vertices) and not self.shape.vertices


@dataclass(frozen=True, slots=True)
class Ask:
    """The constraint and its answer.

    text        the text of the constraint input
    requires    its parse: tokens, problems, and the constraint if it has one
    constraint  the constraint that is answered: that of this text, or the last valid one; None for
                no constraint
    mask        the matching rank indices as a bit set
    totals      nodes, cores and gpus of the mask
    hints       warnings that depend on the cluster, such as a property that no node has
    counted     the constraint as a tree, each part with the nodes that it matches on its own
    resources   the cluster resources that the constraint was matched against
    """

    text: str
    requires: requires.Requires
    constraint: Constraint | None = None
    mask: int = 0
    totals: Totals = Totals(0, 0, 0)
    hints: tuple[Problem, ...] = ()
    counted: matching.Matched | None = None
    resources: Resources | None = None

    @property
    def blank(self) -> bool:
        """Whether the constraint input is blank."""
        return not self.text.strip()

    def is_of(self, cluster: Cluster) -> bool:
        """Whether the answer belongs to this cluster."""
        return self.resources is cluster.resources

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the text, then the warnings that depend on this cluster."""
        return self.requires.problems + self.hints

    @property
    def stale(self) -> bool:
        """Whether the answer is that of an earlier text, as this one is unfinished or invalid."""
        return not self.blank and self.requires.constraint is None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The user's environment, current folder and process limits, which a job may inherit.

    limits are resource limits as returned by `bridge.person.limits`.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    limits: Mapping[str, int] = field(default_factory=dict)

    def given_to(self, jobspec: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a jobspec with cwd, environment and limits added, as ``flux submit`` sends it.

        What the jobspec already sets is kept.
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
    """Whether a list holds the very same vertex objects as a shape."""
    if not isinstance(listed, list) or len(listed) != len(resources):
        return False
    return all(one is other for one, other in zip(listed, resources, strict=True))


@dataclass(frozen=True, slots=True)
class State:
    """Everything that the workbench knows.

    cursor      the index of the selected node (0 is the smallest rank), None without nodes
    job         the whole jobspec, and its texts other than those of the shape and the constraint
    submission  who submits the job, and to which queue
    verdicts    the verdicts of the RFCs and flux-core on the whole jobspec; None without a job
    outlook     which queues accept the job, and whether it fits
    looked_at   the queue whose nodes are highlighted; None for none
    selected    the nodes that the user selected, as a bit set over indices; 0 for none
    kept        the constraint that others are compared with; None if none is kept
    around      the environment, folder and limits that the job may inherit
    documents   the open clusters, the active one among them; empty if none is open
    compared    the active cluster compared with another open one; None without a comparison
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
        """The index, from 0, of the active document; 0 if none is open."""
        places = (n for n, one in enumerate(self.documents) if one.cluster is self.cluster)
        return next(places, 0)

    @property
    def empty(self) -> bool:
        """Whether there is no job yet: neither a shape nor any other part of one."""
        return self.job.document is None and not self.build.resources

    def jobspec(self, resources: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """Return the whole jobspec (RFC 14), with these resources instead of its own if given."""
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
        """The parsed resources of the jobspec; the request of the shape if they are the same."""
        document = self.job.document
        if document is None:
            return self.build.request
        listed = document.get("resources")
        return self.build.request if _are_same(listed, self.build.resources) else parse(listed)

    @property
    def faults(self) -> tuple[Problem, ...]:
        """The problems of the whole jobspec, by the rules that apply to it.

        Rules of V1 do not apply to a job that asks for what only TreePool supports.
        """
        found = self.verdicts.problems if self.verdicts is not None else ()
        return tuple(one for one in found if not (self.outlook.domain and one.rule == jobspec.V1))

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the constraint with the kept one; None if none is kept."""
        return None if self.kept is None else compare(self.kept.mask, self.ask.mask)

    @property
    def known_queue(self) -> str | None:
        """The chosen queue; None if none was chosen or the cluster does not have it."""
        queue = self.submission.queue
        return queue if queue is not None and self.cluster.has_queue(queue) else None

    @property
    def left(self) -> int:
        """The nodes that the constraint and the chosen queue, if the cluster has it, allow."""
        queue = self.known_queue
        return self.ask.mask if queue is None else self.ask.mask & self.cluster.covered(queue)

    @property
    def stale(self) -> bool:
        """Whether the jobspec is that of earlier texts, because a current text cannot be read."""
        return self.build.stale or self.ask.stale or self.job.raw is not None
