"""How the nodes of an instance are: up, free, drained and why, as bit sets over their indices.

What counts is what Flux answers to ``resource.status``, of the cores in use to
``resource.sched-status``, and of what goes on after a job to ``job-manager.stats-get``; the states
are called as the flux commands call them, and RFC 27 has the words *up* and *down*.
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

#: What a node is, in the one word that matters most; in the order in which they are looked for.
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
    """Nodes that were drained at one time for one reason, as a mask and by their ranks.

    since is in seconds since the epoch; who did it Flux does not say.
    """

    mask: int
    ranks: IdSet
    reason: str
    since: float | None


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """Nodes that are cleaned up after a job, by its id in F58; since when as of `Drain`."""

    mask: int
    job: str
    since: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes of a set there are, are up, and are up with nothing of them in use."""

    ever: int
    up: int
    free: int


@dataclass(frozen=True, slots=True, eq=False)
class NodeStates:
    """The nodes of an instance as masks over the indices of its resources.

    everything  all nodes
    excluded    withheld from jobs by the configuration
    offline     without a broker that answers
    lost        those of them that went away while the instance ran, and on which the scheduler no
                longer counts; on a system instance none
    torpid      with a broker that is slow to answer
    drains      what is drained or draining, and why
    cleaned     what is cleaned up after a job (housekeeping), but for nodes where another one runs
    allocated   nodes of which something is in use, by jobs or by housekeeping
    full        those of them of which no core is left
    unused      the cores and gpus of each node that nobody uses, whatever else the node is

    Of these follow drain, all that is drained or draining, and by_state, the nodes in each state of
    `STATES`, in that order; each node is in one.
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
        """Work out once what follows from the rest: drain, and the one state of each node."""
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
        """The nodes on which no job starts now."""
        return self.excluded | self.offline | self.torpid | self.drain

    @property
    def schedulable(self) -> int:
        """The nodes on which some job may run some day, as the scheduler sees it now."""
        return less(self.everything, self.excluded | self.lost)

    @property
    def up(self) -> int:
        """The nodes on which a job may start, as far as there is room."""
        return less(self.everything, self.down)

    @property
    def free(self) -> int:
        """The nodes that are up and of which nothing is in use."""
        return self.by_state["free"]

    @property
    def used(self) -> int:
        """The nodes that are up and of which something is in use."""
        return less(self.up, self.free)

    def mask(self, state: str) -> int:
        """The nodes of a name of `named`."""
        return self.named[state]

    @property
    def named(self) -> dict[str, int]:
        """The nodes by all names that there are: `STATES`, and ``up``, ``used`` and ``down``."""
        return {**self.by_state, "up": self.up, "used": self.used, "down": self.down}

    def state(self, index: int) -> NodeState:
        """What a node is, in one word."""
        # Most nodes are in one of the last, and each look costs a copy of the mask.
        return next(state for state in reversed(STATES) if has(self.by_state[state], index))

    def in_use(self, index: int, kind: NodeKind) -> tuple[IdSet, IdSet]:
        """The cores and gpus in use of a node that has those of a kind."""
        # Not by `Resources.kind_at`: that is for many nodes, and first looks at all of them.
        left = next((one for one in self.unused.kinds if index in one.indices), None)
        if left is None:
            return kind.cores, kind.gpus
        return kind.cores - left.cores, kind.gpus - left.gpus

    def drain_of(self, index: int) -> Drain | None:
        """Why and since when a node is drained or draining; None where it is not."""
        rank = self.unused.rank(index)
        return next((drain for drain in self.drains if rank in drain.ranks), None)

    def cleaned_at(self, index: int) -> Housekeeping | None:
        """After which job and since when a node is cleaned up; None where it is not."""
        return next((one for one in self.cleaned if has(one.mask, index)), None)

    def counts(self, mask: int) -> Counts:
        """How many of some nodes there are for jobs, are up now, and are free now."""
        return Counts(
            (mask & self.schedulable).bit_count(),
            (mask & self.up).bit_count(),
            (mask & self.free).bit_count(),
        )


def read(
    document: Mapping[str, Any], running: int | None, resources: Resources
) -> tuple[NodeStates, Report]:
    """The states of nodes from the document of a snapshot, and what was malformed. Never raises.

    resources is the R of its status, read, and running the nodes of the jobs that run, None where
    these are not known. Where they are newer than what the scheduler said is in use, they decide: a
    node of a job is then in use as a whole unless the scheduler said how much of it is, and one of
    no job is not.
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
    names = ("jobs", "allocated", "housekeeping")
    jobs, scheduler, after = (moment(_part(document, "asked").get(name)) or 0 for name in names)
    if running is not None and (jobs > scheduler or document.get("allocated") is None):
        held = reduce(or_, (one.mask for one in cleaned), running)
        if 0 < after < jobs:  # the nodes of jobs that ended since may be cleaned up by now
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
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}


def _ids(text: object, path: str, report: Report) -> IdSet:
    """The ids of an idset; none where it is not one."""
    if not isinstance(text, str):
        report.wrong("ranks are an idset", text, path, "an idset")
    if not isinstance(text, str) or not text:
        return idset.EMPTY
    parsed = idset.parse(text)
    report.take(parsed.problems, path)
    return parsed.value


#: Nodes, and the cores and gpus of each that are in use; the masks are disjoint.
_Used = list[tuple[int, IdSet, IdSet]]


def _used(allocated: object, resources: Resources) -> _Used:
    """What an R says is in use, by the indices of the resources."""
    if not isinstance(allocated, Mapping):
        return []
    found = document.read(allocated)
    return [
        (
            resources.mask_of_ranks(found.ranks.pick(kind.indices)),
            kind.cores,
            kind.gpus,
        )
        for kind in found.kinds
    ]


def _unused(used: _Used, resources: Resources) -> tuple[Resources, int, int]:
    """The resources with what is left of each node, the nodes in use, and those without a core."""
    kinds: dict[tuple[IdSet, IdSet], int] = {}
    busy = full = 0
    for kind in resources.kinds:
        left = kind.mask
        for mask, cores, gpus in used:
            mine = left & mask
            if not mine or not (cores or gpus):
                continue
            busy |= mine
            left = less(left, mine)
            rest = (kind.cores - cores, kind.gpus - gpus)
            kinds[rest] = kinds.get(rest, 0) | mine
            full |= 0 if rest[0] else mine
        if left:
            key = (kind.cores, kind.gpus)
            kinds[key] = kinds.get(key, 0) | left
    found = tuple(
        NodeKind(cores, gpus, from_mask(mask)) for (cores, gpus), mask in kinds.items() if mask
    )
    # Fluxion's graph is that of the whole instance, and says nothing of what is in use.
    return replace(resources, kinds=found, graph=None, _cache={}), busy, full
