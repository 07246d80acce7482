"""The jobs of an instance, as its job list has them, and their ids in F58 (RFC 19, RFC 21)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from operator import itemgetter
from typing import Any, Literal

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

JobState = Literal["NEW", "DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP", "INACTIVE"]

_STATES: Mapping[int, JobState] = {
    1: "NEW",
    2: "DEPEND",
    4: "PRIORITY",
    8: "SCHED",
    16: "RUN",
    32: "CLEANUP",
    64: "INACTIVE",
}
#: The states of a job that waits, and of one that has its nodes (RFC 21).
PENDING, RUNNING = ("DEPEND", "PRIORITY", "SCHED"), ("RUN", "CLEANUP")

DEFAULT_URGENCY = 16

_F58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"[0-9]{1,20}")


def f58(id_: int) -> str:
    """A job's id as Flux prints it, such as ``ƒ2oLkTLb`` (RFC 19)."""
    digits = ""
    while id_ or not digits:
        id_, digit = divmod(id_, 58)
        digits = _F58[digit] + digits
    return f"ƒ{digits}"


def parse_id(text: str) -> int | None:
    """The number of an id in F58, decimal or hexadecimal; None where it is none of these."""
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if text[:1] not in ("ƒ", "f") or not 2 <= len(text) <= 13:
        return None
    found = 0
    for sign in text[1:]:
        if sign not in _F58:
            return None
        found = found * 58 + _F58.index(sign)
    return found


@dataclass(frozen=True, slots=True)
class Job:
    """One job as the job list has it; what it does not say is None or empty.

    userid is a number, user its name or else the number; urgency is 0 to 31; times are in seconds
    since the epoch and duration in seconds; ranks is an idset; annotations are the scheduler's and
    the user's (RFC 27). entry is what it was read from.
    """

    id: int
    state: JobState
    userid: int | None = None
    name: str = ""
    queue: str = ""
    urgency: int | None = None
    priority: int | None = None
    submitted: float | None = None
    started: float | None = None
    duration: float | None = None
    expiration: float | None = None
    tasks: int | None = None
    cores: int | None = None
    nodes: int | None = None
    ranks: str = ""
    dependencies: tuple[str, ...] = ()
    annotations: Mapping[str, Any] | None = None
    user: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def f58(self) -> str:
        """The id as Flux prints it."""
        return f58(self.id)

    @property
    def is_pending(self) -> bool:
        """It waits for something."""
        return self.state in PENDING

    @property
    def status(self) -> str:
        """Its state as a word: ``run``, ``sched``, or ``held`` where its urgency keeps it there."""
        return "held" if self.state == "SCHED" and self.urgency == 0 else self.state.lower()

    @property
    def since(self) -> float | None:
        """Since when it runs, or else waits."""
        return self.submitted if self.started is None or self.is_pending else self.started

    @property
    def order(self) -> tuple[int, int]:
        """What comes first is scheduled first: by priority, then by id."""
        return (-(self.priority or 0), self.id)

    @property
    def estimate(self) -> float | None:
        """When the scheduler expects to start it, where it says so."""
        found = self._sched.get("t_estimate")
        return float(found) if found and _is_number(found) else None

    @property
    def reason_pending(self) -> str:
        """Why it waits, in the words of a scheduler that says so; else empty."""
        found = self._sched.get("reason_pending")
        return found if isinstance(found, str) else ""

    @property
    def _sched(self) -> Mapping[str, Any]:
        found = (self.annotations or {}).get("sched")
        return found if isinstance(found, Mapping) else {}

    def mask(self, resources: Resources) -> int:
        """The nodes it has; 0 where it has none."""
        return resources.mask_of_ranks(_ids(self.ranks)) if self.ranks else 0


@lru_cache(8192)  # as each change of one job brings all of them anew
def _ids(text: str) -> IdSet:
    return idset.parse(text).value


class Places:
    """Which of some jobs are on a node, found without a look at each; ranks are those of all.

    The ranges of ranks that jobs have are a binary tree, in the order in which they begin: the
    greatest end is known of all of them, of each half, and so on down to each range.
    """

    def __init__(self, jobs: Iterable[Job]) -> None:
        running = (job for job in jobs if job.state in RUNNING)
        ranges = ((*pair, job) for job in running for pair in _ids(job.ranks).ranges)
        self._ranges = sorted(ranges, key=lambda one: one[:2])
        self.ranks = IdSet.from_ranges(one[:2] for one in self._ranges)
        ends = [last for _, last, _ in self._ranges]
        self._ends = [ends]
        while len(ends) > 1:
            ends = [*map(max, zip_longest(ends[::2], ends[1::2], fillvalue=-1))]
            self._ends.insert(0, ends)

    def at(self, rank: int) -> tuple[Job, ...]:
        """The jobs on the node of a rank, by their ids."""
        count = bisect_left(self._ranges, rank + 1, key=itemgetter(0))  # those that begin by then
        found = [0]
        for depth, ends in zip(reversed(range(len(self._ends))), self._ends, strict=True):
            last = (count - 1) >> depth
            halves = (half for one in found for half in (2 * one, 2 * one + 1))
            found = [half for half in halves if half <= last and ends[half] >= rank]
        return tuple(sorted((self._ranges[one][2] for one in found), key=lambda job: job.id))


@dataclass(frozen=True, slots=True)
class InQueue:
    """How many jobs of a queue run, how many wait, and how many of these before a new one.

    The priority of a new one is taken to be its urgency, the usual one, as without a plugin of the
    site.
    """

    run: int = 0
    wait: int = 0
    ahead: int = 0


def by_queue(jobs: Iterable[Job]) -> dict[str, InQueue]:
    """How many jobs each queue has that has some."""
    found: dict[str, list[int]] = {}
    for job in jobs:
        counts = found.setdefault(job.queue, [0, 0, 0])
        counts[0] += job.state in RUNNING
        counts[1] += job.is_pending
        is_due = job.state == "SCHED" and bool(job.urgency)
        counts[2] += is_due and (job.priority or 0) >= DEFAULT_URGENCY
    return {name: InQueue(*counts) for name, counts in found.items()}


def in_order(jobs: Iterable[Job]) -> dict[int, Job]:
    """Jobs by id: those that run first, then those that wait, as they are scheduled."""
    return {job.id: job for job in sorted(jobs, key=lambda job: (job.is_pending, job.order))}


def read_all(
    listed: Iterable[object], users: Mapping[str, Any], known: Mapping[int, Job]
) -> dict[int, Job]:
    """The jobs of the entries of a job list, in order; what has not changed is as it is known."""
    found = []
    for entry in listed:
        id_ = entry.get("id") if isinstance(entry, Mapping) else None
        old = known.get(id_) if isinstance(id_, int) else None
        job = old if old is not None and old.entry == entry else read(entry, users)
        found += [job] if job is not None else []
    return in_order(found)


def read(entry: object, users: Mapping[str, Any] | None = None) -> Job | None:
    """A job from an entry of the job list; None for what is none. Never raises.

    users has the names of users by their numbers.
    """
    if not isinstance(entry, Mapping) or not is_id(entry.get("id")):
        return None
    number_of_state = entry.get("state")
    state = _STATES.get(number_of_state) if isinstance(number_of_state, int) else None
    if state is None:
        return None

    def number(key: str) -> float | None:
        found = entry.get(key)
        return found if _is_number(found) else None

    def whole(key: str) -> int | None:
        found = number(key)
        return None if found is None else int(found)

    def text(key: str) -> str:
        found = entry.get(key)
        return found if isinstance(found, str) else ""

    listed, annotations = entry.get("dependencies"), entry.get("annotations")
    userid = whole("userid")
    user = "" if userid is None else (users or {}).get(str(userid)) or userid
    return Job(
        entry["id"],
        state,
        userid,
        text("name"),
        text("queue"),
        whole("urgency"),
        whole("priority"),
        number("t_submit"),
        number("t_run"),
        number("duration"),
        number("expiration"),
        whole("ntasks"),
        whole("ncores"),
        whole("nnodes"),
        text("ranks"),
        tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else (),
        annotations if isinstance(annotations, Mapping) else None,
        str(user),
        entry,
    )


def is_id(value: object) -> bool:
    """Whether it is a number that a job may have as its id."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64


def moment(value: object) -> float | None:
    """Seconds since the epoch; None for what is no number, or is beyond any calendar."""
    return float(value) if _is_number(value) else None  # type: ignore[arg-type]


def begin_time(dependency: str) -> float | None:
    """When a job may begin by a dependency, as of `moment`; None for one on something else."""
    scheme, _, value = dependency.partition("=")
    try:
        return moment(float(value)) if scheme == "begin-time" else None
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    # Neither infinite nor beyond any calendar.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18
