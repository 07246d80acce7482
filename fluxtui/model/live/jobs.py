"""The jobs of an instance as in its job list, and their ids in F58 (RFC 19, RFC 21)."""

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
#: The states of jobs that wait, and of jobs that have nodes (RFC 21).
PENDING, RUNNING = ("DEPEND", "PRIORITY", "SCHED"), ("RUN", "CLEANUP")

DEFAULT_URGENCY = 16

_F58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"[0-9]{1,20}")


def f58(id_: int) -> str:
    """Return a job id as Flux prints it, such as ``ƒ2oLkTLb`` (RFC 19)."""
    digits = ""
    while id_ or not digits:
        id_, digit = divmod(id_, 58)
        digits = _F58[digit] + digits
    return f"ƒ{digits}"


def parse_id(text: str) -> int | None:
    """Parse a job id in F58, decimal or hexadecimal; None if it is none of these."""
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if text[:1] not in ("ƒ", "f") or not 2 <= len(text) <= 13:
        return None
    number = 0
    for sign in text[1:]:
        if sign not in _F58:
            return None
        number = number * 58 + _F58.index(sign)
    return number


@dataclass(frozen=True, slots=True)
class Job:
    """One job of the job list; missing values are None or empty.

    user is the name of userid if known, otherwise the number as text; urgency is 0 to 31; times are
    in seconds since the epoch and duration in seconds; ranks is an idset; annotations are the
    scheduler's and the user's (RFC 27). entry is the raw entry.
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
        """Whether it waits for something."""
        return self.state in PENDING

    @property
    def status(self) -> str:
        """Its state as a word: ``run``, ``sched``, or ``held`` if its urgency is 0."""
        return "held" if self.state == "SCHED" and self.urgency == 0 else self.state.lower()

    @property
    def since(self) -> float | None:
        """When it started, or was submitted if it waits; in seconds since the epoch."""
        return self.submitted if self.started is None or self.is_pending else self.started

    @property
    def order(self) -> tuple[int, int]:
        """The key to sort jobs by in scheduling order: by priority, then by id."""
        return (-(self.priority or 0), self.id)

    @property
    def estimate(self) -> float | None:
        """When the scheduler expects to start it, in seconds since the epoch; None if unknown."""
        time = self._sched.get("t_estimate")
        return float(time) if time and _is_number(time) else None

    @property
    def reason_pending(self) -> str:
        """Why it waits, in the scheduler's words; empty if unknown."""
        reason = self._sched.get("reason_pending")
        return reason if isinstance(reason, str) else ""

    @property
    def _sched(self) -> Mapping[str, Any]:
        sched = (self.annotations or {}).get("sched")
        return sched if isinstance(sched, Mapping) else {}

    def mask(self, resources: Resources) -> int:
        """Return the mask of its nodes; 0 if it has none."""
        return resources.mask_of_ranks(_ids(self.ranks)) if self.ranks else 0


@lru_cache(8192)  # because every change to one job sends all of them again
def _ids(text: str) -> IdSet:
    return idset.parse(text).value


class Places:
    """An index from nodes to the jobs on them; ranks is the union of the jobs' ranks.

    It is an interval tree: the ranges of ranks sorted by start, with the greatest end of all of
    them, of each half, and so on down to each range.
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
        """Return the jobs on the node of a rank, ordered by id."""
        count = bisect_left(self._ranges, rank + 1, key=itemgetter(0))  # ranges starting by then
        places = [0]
        for depth, ends in zip(reversed(range(len(self._ends))), self._ends, strict=True):
            last = (count - 1) >> depth
            halves = (half for place in places for half in (2 * place, 2 * place + 1))
            places = [half for half in halves if half <= last and ends[half] >= rank]
        return tuple(sorted((self._ranges[place][2] for place in places), key=lambda job: job.id))


@dataclass(frozen=True, slots=True)
class InQueue:
    """How many jobs of a queue run, wait, and are ahead of a new job.

    A new job is assumed to have the default urgency as its priority, as without a site's plugin.
    """

    run: int = 0
    wait: int = 0
    ahead: int = 0


def by_queue(jobs: Iterable[Job]) -> dict[str, InQueue]:
    """Count the jobs of each queue that has any."""
    by_name: dict[str, list[int]] = {}
    for job in jobs:
        counts = by_name.setdefault(job.queue, [0, 0, 0])
        counts[0] += job.state in RUNNING
        counts[1] += job.is_pending
        is_due = job.state == "SCHED" and bool(job.urgency)
        counts[2] += is_due and (job.priority or 0) >= DEFAULT_URGENCY
    return {name: InQueue(*counts) for name, counts in by_name.items()}


def in_order(jobs: Iterable[Job]) -> dict[int, Job]:
    """Return jobs by id: first those that run, then those that wait, in scheduling order."""
    return {job.id: job for job in sorted(jobs, key=lambda job: (job.is_pending, job.order))}


def read_all(
    listed: Iterable[object], users: Mapping[str, Any], known: Mapping[int, Job]
) -> dict[int, Job]:
    """Read the entries of a job list, as `in_order`; unchanged jobs are taken from known."""
    found = []
    for entry in listed:
        id_ = entry.get("id") if isinstance(entry, Mapping) else None
        old = known.get(id_) if isinstance(id_, int) else None
        job = old if old is not None and old.entry == entry else read(entry, users)
        found += [job] if job is not None else []
    return in_order(found)


def read(entry: object, users: Mapping[str, Any] | None = None) -> Job | None:
    """Read a job from an entry of the job list; None if it is not a job. Never raises.

    users maps userids, as text, to names.
    """
    if not isinstance(entry, Mapping) or not is_id(entry.get("id")):
        return None
    number_of_state = entry.get("state")
    state = _STATES.get(number_of_state) if isinstance(number_of_state, int) else None
    if state is None:
        return None

    def number(key: str) -> float | None:
        value = entry.get(key)
        return value if _is_number(value) else None

    def whole(key: str) -> int | None:
        value = number(key)
        return None if value is None else int(value)

    def text(key: str) -> str:
        value = entry.get(key)
        return value if isinstance(value, str) else ""

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
    """Whether a value is a valid numeric job id."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64


def moment(value: object) -> float | None:
    """Return seconds since the epoch; None if the value is not a number or is out of range."""
    return float(value) if _is_number(value) else None  # type: ignore[arg-type]


def begin_time(dependency: str) -> float | None:
    """Return when a begin-time dependency lets a job begin, as `moment`; None for any other."""
    scheme, _, value = dependency.partition("=")
    try:
        return moment(float(value)) if scheme == "begin-time" else None
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    # The bound excludes infinities and times beyond any calendar.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18
