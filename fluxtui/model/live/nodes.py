"""The states of an instance's nodes (up, free, drained and why) as bit sets over their indices.

The sources are Flux's answers to ``resource.status``, to ``resource.sched-status`` for the cores in
use, and to ``job-manager.stats-get`` for housekeeping after jobs. The states have the names that
the flux commands use; *up* and *down* are from RFC 27.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any, Literal, get_args

from fluxtui.model.documents.report import Report
from fluxtui.model.live.jobs import moment
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import has, less
from fluxtui.notation.sets.idset import IdSet, from_mask

#: The most important state of a node; the first that applies, in this order, is its state.
NodeState = Literal[
    "excluded",
    "offline",
    "draining",
    "drained",
    "torpid",
    "housekeeping",
    "allocated",
    "partly",
    "free",
]
STATES: tuple[NodeState, ...] = get_args(NodeState)


@dataclass(frozen=True, slots=True)
class Drain:
    """Nodes that were drained at the same time for the same reason, as a mask and as ranks.

    since is in seconds since the epoch; Flux does not report who drained them.
    """

    mask: int
    ranks: IdSet
    reason: str
    since: float | None


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """Nodes that are being cleaned up after a job, given by its id in F58; since as in `Drain`."""

    mask: int
    job: str
    since: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes of a set are ever schedulable, are up, and are up with nothing in use."""

    ever: int
    up: int
    free: int


@dataclass(frozen=True, slots=True, eq=False)
class NodeStates:
    """The nodes of an instance as masks over the indices of its resources.

    everything  all nodes
    excluded    withheld from jobs by the configuration
    offline     without a broker that answers
    lost        offline nodes that went away while the instance ran, and that the scheduler no
                longer counts on; none on a system instance
    torpid      with a broker that is slow to answer
    drains      drained or draining nodes, and why
    cleaned     nodes in housekeeping after a job, except where another job runs
    allocated   nodes that are at least partly in use, by jobs or by housekeeping
    full        allocated nodes without a free core
    unused      the cores and gpus of each node that are not in use, whatever its state

    Derived from these are drain, the mask of all drained or draining nodes, and by_state, the nodes
    in each state of `STATES`, in that order; each node is in exactly one.
    """

    everything: int
    excluded: int
    offline: int
    lost: int
    torpid: int
    drains: tuple[Drain, ...]
    cleaned: tuple[Housekeeping, ...]
    allocated: int
    full: int
    unused: Resources
    drain: int = field(init=False)
    by_state: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Compute the derived fields once: drain, and the one state of each node."""
        drain = reduce(or_, (one.mask for one in self.drains), 0)
        away = self.excluded | self.offline
        up = less(self.everything, away | self.torpid | drain)
        cleaned = self.allocated & reduce(or_, (one.mask for one in self.cleaned), 0)
        masks = {
            "excluded": self.excluded,
            "offline": less(self.offline, self.excluded),
            "draining": less(drain & self.allocated, away),
            "drained": less(drain, self.allocated | away),
            "torpid": less(self.torpid, away | drain),
            "housekeeping": cleaned & up,
            "allocated": less(self.full, cleaned) & up,
            "partly": less(self.allocated, self.full | cleaned) & up,
            "free": less(up, self.allocated),
        }
        object.__setattr__(self, "drain", drain)
        object.__setattr__(self, "by_state", masks)

    @property
    def down(self) -> int:
        """The nodes on which no job can start now."""
        return self.excluded | self.offline | self.torpid | self.drain

    @property
    def schedulable(self) -> int:
        """The nodes that the scheduler would ever use for a job, up or not."""
        return less(self.everything, self.excluded | self.lost)

    @property
    def up(self) -> int:
        """The nodes on which a job may start if there is room."""
        return less(self.everything, self.down)

    @property
    def free(self) -> int:
        """The nodes that are up with nothing in use."""
        return self.by_state["free"]

    @property
    def used(self) -> int:
        """The nodes that are up and at least partly in use."""
        return less(self.up, self.free)

    def mask(self, state: str) -> int:
        """Return the nodes with a name from `named`."""
        return self.named[state]

    @property
    def named(self) -> dict[str, int]:
        """The nodes by name: the `STATES`, and ``up``, ``used`` and ``down``."""
        return {**self.by_state, "up": self.up, "used": self.used, "down": self.down}

    def state(self, index: int) -> NodeState:
        """Return the state of a node."""
        # Most nodes are in one of the last states, and every test copies the mask.
        return next(state for state in reversed(STATES) if has(self.by_state[state], index))

    def in_use(self, index: int, kind: NodeKind) -> tuple[IdSet, IdSet]:
        """Return the cores and gpus in use on a node of a kind."""
        # `Resources.kind_at` would first index all nodes, which is too much for a single one.
        unused = next((one for one in self.unused.kinds if index in one.indices), None)
        if unused is None:
            return kind.cores, kind.gpus
        return kind.cores - unused.cores, kind.gpus - unused.gpus

    def drain_of(self, index: int) -> Drain | None:
        """Return why and since when a node is drained or draining; None if it is not."""
        rank = self.unused.rank(index)
        return next((drain for drain in self.drains if rank in drain.ranks), None)

    def cleaned_at(self, index: int) -> Housekeeping | None:
        """Return after which job and since when a node is cleaned up; None if it is not."""
        return next((one for one in self.cleaned if has(one.mask, index)), None)

    def counts(self, mask: int) -> Counts:
        """Count the nodes of a mask that are schedulable, up and free."""
        return Counts(
            (mask & self.schedulable).bit_count(),
            (mask & self.up).bit_count(),
            (mask & self.free).bit_count(),
        )


def read(
    document: Mapping[str, Any], running: int | None, resources: Resources
) -> tuple[NodeStates, Report]:
    """Read node states from the document of a snapshot, and report what is malformed. Never raises.

    resources is the parsed R of its status, and running the mask of nodes with running jobs, None
    if unknown. If the jobs are newer than the scheduler's allocations, they decide: a node with a
    job is in use, as a whole unless the scheduler listed a part of it, and no other node is.
    """
    report, status, allocated = (
        Report("RFC 27"),
        _part(document, "status"),
        _part(document, "allocated"),
    )

    def named(key: str) -> int:
        return resources.mask_of_ranks(_ids(status.get(key, ""), f"status.{key}", report))

    def entries(of: Mapping[str, Any], key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, entry in _part(of, key).items():
            yield name, entry if isinstance(entry, Mapping) else {}

    drains, cleaned = [], []
    for ranks, entry in entries(status, "drain"):
        found, reason = _ids(ranks, "status.drain", report), entry.get("reason")
        words = reason if isinstance(reason, str) else ""
        since = moment(entry.get("timestamp"))
        drains.append(Drain(resources.mask_of_ranks(found), found, words, since))
    for job, entry in entries(document, "housekeeping"):
        mask = resources.mask_of_ranks(_ids(entry.get("allocated", ""), "housekeeping", report))
        cleaned.append(Housekeeping(less(mask, running or 0), job, moment(entry.get("t_start"))))
    used, offline = _used(allocated.get("R"), resources), named("offline")
    idsets = allocated.get("of")
    idsets = idsets if isinstance(idsets, list) else []
    listed = (_ids(one, "allocated.of", report) for one in idsets)
    of = reduce(or_, map(resources.mask_of_ranks, listed), 0)
    asked = _part(document, "asked")
    names = ("jobs", "allocated", "housekeeping")
    jobs_asked, scheduler_asked, cleaned_asked = (moment(asked.get(name)) or 0 for name in names)
    if running is not None and (jobs_asked > scheduler_asked or document.get("allocated") is None):
        held = reduce(or_, (one.mask for one in cleaned), running)
        if 0 < cleaned_asked < jobs_asked:  # nodes of jobs that ended may be cleaned up by now
            held = reduce(or_, (mask for mask, _, _ in used), held)
        used = [(mask & held, cores, gpus) for mask, cores, gpus in used]
        known = reduce(or_, (mask for mask, _, _ in used), 0)
        used += [(kind.mask & less(held, known), kind.cores, kind.gpus) for kind in resources.kinds]
    unused, busy, full = _unused(used, resources)
    states = NodeStates(
        resources.everything,
        named("exclude"),
        offline,
        less(offline, of) if of else 0,
        named("torpid"),
        tuple(drains),
        tuple(cleaned),
        busy,
        full,
        unused,
    )
    return states, report


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, Mapping) else {}


def _ids(text: object, path: str, report: Report) -> IdSet:
    """Parse an idset; empty if it is malformed."""
    if not isinstance(text, str):
        report.wrong("ranks are an idset", text, path, "an idset")
    if not isinstance(text, str) or not text:
        return idset.EMPTY
    parsed = idset.parse(text)
    report.take(parsed.problems, path)
    return parsed.value


#: Masks of nodes with the cores and gpus in use on each; the masks are disjoint.
_Used = list[tuple[int, IdSet, IdSet]]


def _used(allocated: object, resources: Resources) -> _Used:
    """Read what is in use from an R, with masks over the indices of the resources."""
    if not isinstance(allocated, Mapping):
        return []
    resource_set = document.read(allocated)
    return [
        (
            resources.mask_of_ranks(resource_set.ranks.pick(kind.indices)),
            kind.cores,
            kind.gpus,
        )
        for kind in resource_set.kinds
    ]


def _unused(used: _Used, resources: Resources) -> tuple[Resources, int, int]:
    """Return the unused resources, the nodes in use, and the nodes without a free core."""
    kinds: dict[tuple[IdSet, IdSet], int] = {}
    busy = full = 0
    for kind in resources.kinds:
        left = kind.mask
        for mask, cores, gpus in used:
            affected = left & mask
            if not affected or not (cores or gpus):
                continue
            busy |= affected
            left = less(left, affected)
            rest = (kind.cores - cores, kind.gpus - gpus)
            kinds[rest] = kinds.get(rest, 0) | affected
            full |= 0 if rest[0] else affected
        if left:
            key = (kind.cores, kind.gpus)
            kinds[key] = kinds.get(key, 0) | left
    unused = tuple(
        NodeKind(cores, gpus, from_mask(mask)) for (cores, gpus), mask in kinds.items() if mask
    )
    # Fluxion's graph describes the whole instance regardless of what is in use.
    return replace(resources, kinds=unused, graph=None, _cache={}), busy, full
