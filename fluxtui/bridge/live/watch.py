"""Polling a running Flux: its state as one document.

After all parts have been requested once, at most one RPC a second is sent; if nodes may have
changed, every other one asks for them. Expensive parts are requested less often: waiting for any
one part takes at most a hundredth of the time. Flux streams an event when jobs start or end, and,
to the owner, when nodes change; the parts affected are requested only then.
"""

import base64
import json
import math
import os
import pwd
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from queue import SimpleQueue
from typing import Any

from fluxtui.bridge.live.connection import DENIED, LATE, OLD, Connection, connect
from fluxtui.model.live.jobs import moment
from fluxtui.model.resources import topology
from fluxtui.notation.problem import Parsed, Problem

#: The minimum number of seconds between two RPCs.
SLOT = 1.0
#: A part is requested again after this many times the duration of its last answer.
SHARE = 100
#: Seconds before a part is requested again that this user was denied.
DENIED_FOR = 3000.0
#: How many answers in a row may be late before the connection is opened again.
PATIENCE = 3
#: Seconds before the first attempt to connect again; each attempt doubles the wait, up to a limit.
BACK_OFF, LONGEST_BACK_OFF = 1.0, 30.0

_ACTIVE = [2, 4, 8, 16, 32]  # depend, priority, sched, run, cleanup (RFC 21)
_JOBS = {
    "max_entries": 0,  # no limit: running jobs come last, and say which nodes are in use
    "since": 0.0,
    "constraint": {"states": _ACTIVE},
    "attrs": [
        *("userid", "urgency", "priority", "t_submit", "t_depend", "t_run", "t_cleanup"),
        *("t_inactive", "state", "name", "queue", "ntasks", "ncores", "nnodes", "duration"),
        *("ranks", "expiration", "annotations", "dependencies", "success", "result"),
    ],
}

_R = {"key": "resource.R", "namespace": "primary", "flags": 0}

#: Raised while reading an answer of an unknown form.
_UNKNOWN_FORM = (KeyError, TypeError, AttributeError, ValueError, RecursionError)

#: The keys of the job list with the times at which a job changed its state.
_TIMES = ("t_depend", "t_run", "t_cleanup", "t_inactive")
_ENDED = 64

#: A picture: the parts by name, ``hello``, and when each was ``asked``, in seconds since the epoch.
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the picture: the RPC for it, and the seconds between two of them.

    period applies after Flux has streamed a change that affects the part, calm otherwise.
    """

    name: str
    topic: str
    payload: Mapping[str, Any] | None
    period: float
    calm: float


STATUS = _Part("status", "resource.status", None, 1.0, 10.0)
JOBS = _Part("jobs", "job-list.list", _JOBS, 1.0, 30.0)
ALLOCATED = _Part("allocated", "resource.sched-status", None, 5.0, 30.0)
QUEUES = _Part("queues", "job-manager.queue-status", None, 1.0, 1.0)
CONFIG = _Part("config", "config.get", None, 60.0, 60.0)
SCHEDULER = _Part("scheduler", "module.list", {}, 60.0, 60.0)
#: Housekeeping on nodes, which continues after their jobs have ended.
HOUSEKEEPING = _Part("housekeeping", "job-manager.stats-get", {}, 3.0, 60.0)
#: The topology of nodes (RFC 49), which is only in the R of the KVS and readable by the owner. It
#: never changes; it is requested again because an answer may fail.
SCHEDULING = _Part("scheduling", "kvs.lookup", _R, 600.0, 600.0)
#: The jobs whose state changed since the last answer, used if listing all jobs takes too long.
CHANGED = _Part("changed", "job-list.list", None, 1.0, math.inf)
_AT_ONCE = (STATUS, CONFIG, SCHEDULER, SCHEDULING, QUEUES, JOBS, HOUSEKEEPING)
_PARTS = (*_AT_ONCE, ALLOCATED)  # ALLOCATED takes half a second on a large instance


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of an instance at a moment.

    document  its picture, None if there never was one; a new object whenever it changed
    problem   why the picture is not up to date, None if it is
    """

    document: Document | None
    problem: Problem | None = None


@dataclass(slots=True)
class _Rounds:
    """The schedule: when each part was last requested, how long that took, and what has changed.

    The duration of a part is the smaller one of its last two answers, since one may be slow by
    chance, minus that of the fastest part, which is taken for the latency, as of ``ssh://``.
    """

    last: dict[str, float] = field(default_factory=dict)
    took: dict[str, tuple[float, ...]] = field(default_factory=dict)
    stirred: set[str] = field(default_factory=set)  # affected by a change that Flux streamed
    _last_name: str = ""

    @property
    def has_many_jobs(self) -> bool:
        """Whether listing all jobs takes too long to do it on every change of a job."""
        return SHARE * self._took(JOBS) > JOBS.period

    def due(self, parts: Sequence[_Part], now: float) -> _Part | None:
        """The part to request: a stirred status every other time, else the most overdue part."""
        late = {part.name: self._late(part, now) for part in parts}
        is_repeated = self._last_name == STATUS.name
        if STATUS.name in self.stirred and not is_repeated and late[STATUS.name] >= 1:
            return STATUS
        most = max(parts, key=lambda part: late[part.name])
        return most if late[most.name] >= 1 else None

    def _late(self, part: _Part, now: float) -> float:
        """How many of its periods have passed since a part was requested."""
        if part.name not in self.last:
            return float("inf")
        period = part.period if part.name in self.stirred else part.calm
        return (now - self.last[part.name]) / max(period, SHARE * self._took(part))

    def _took(self, part: _Part) -> float:
        latency = min(map(min, self.took.values()), default=0.0)
        return min(self.took.get(part.name, (latency,))) - latency

    def answered(self, part: _Part, began: float, problem: Problem | None) -> None:
        """Note that a part was requested at the time began and answered, or failed, just now."""
        now = self.last[part.name] = time.monotonic()
        self._last_name = part.name
        self.stirred.discard(part.name)
        if problem is None or problem.code == LATE:
            self.took[part.name] = (*self.took.get(part.name, ())[-1:], now - began)
        elif problem.code == DENIED:
            self.last[part.name] += DENIED_FOR


class Picture:
    """The document of one connection, assembled from answers."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.document: Document = {
            "snapshot": 1,
            "hello": connection.hello.to_json(),
            "asked": {},
        }
        self._queues: list[str] = []
        self._changed = 0.0  # the latest known change of a job's state

    def whole(self) -> Parsed[Document | None]:
        """Request all parts once; a part that is refused is left out, with a problem.

        The value is None if the nodes themselves are not available.
        """
        found: list[Problem] = []
        for part in self.once(_PARTS):
            problem = self.ask(part)
            if problem is not None and part is STATUS:
                return Parsed(None, (problem,))
            if problem is not None:
                found.append(problem)
        return Parsed(self.document, tuple(found))

    def names(self) -> list[str]:
        """The names of the configured queues; an empty name for the anonymous queue."""
        queues = (self.document.get("config") or {}).get("queues")
        return list(queues) if isinstance(queues, dict) and queues else [""]

    def parts(self, among: Iterable[_Part]) -> Iterator[_Part]:
        """Yield the parts that apply to this instance.

        Housekeeping must be configured, and scheduling is left out under Fluxion, whose graph may
        be large, and for guests.
        """
        for part in among:
            manager = (self.document.get("config") or {}).get("job-manager")
            if part is HOUSEKEEPING and not (isinstance(manager, dict) and part.name in manager):
                continue
            fluxion = (self.document.get("scheduler") or "").startswith("sched-fluxion")
            if part is SCHEDULING and (fluxion or not self.connection.hello.is_owner):
                continue
            yield part

    def once(self, among: Iterable[_Part]) -> Iterator[_Part]:
        """Yield the parts as `parts` does, but QUEUES once per queue."""
        for part in self.parts(among):
            for _ in self.names() if part is QUEUES else ("",):
                yield part

    def ask_first(self, queue: str) -> None:
        """Make a queue the next one to be requested."""
        self._queues = [queue, *(name for name in self._queues if name != queue)]

    def ask(self, part: _Part) -> Problem | None:
        """Request a part; the document is replaced by a new one if the answer has changed."""
        payload, name = part.payload, ""
        key = JOBS.name if part is CHANGED else part.name
        if part is CHANGED:
            payload = {**_JOBS, **_since(self._changed)}
        if part is QUEUES:
            self._queues = self._queues or self.names()
            name = self._queues.pop(0)
            payload = {"name": name} if name else {}
        answer, problems = self.connection.ask(part.topic, payload)
        if problems:
            return problems[0]
        try:
            found = self._found(part, name, answer)
            more = {"users": _users(found)} if part in (JOBS, CHANGED) else {}
        except _UNKNOWN_FORM:  # Fluxion answers null on its own topic
            return Problem(f"Flux answers {part.topic} in a form that is not known", code=OLD)
        asked = {**self.document["asked"], key: time.time()}
        if found == self.document.get(key):
            self.document["asked"] = asked
        else:
            self.document = {**self.document, key: found, **more, "asked": asked}
        return None

    def _found(self, part: _Part, queue: str, answer: Any) -> Any:
        """Extract from an answer what belongs in the document."""
        if not isinstance(answer, dict):
            raise TypeError
        if part is ALLOCATED:
            # Only the ranks: the rest repeats the status.
            entries = answer["all"]["execution"]["R_lite"]
            return {"R": answer["allocated"], "of": [entry["rank"] for entry in entries]}
        if part in (JOBS, CHANGED):
            jobs = [job for job in answer["jobs"] if isinstance(job, dict)]
            self._changed = max(self._changed, last_change(jobs))
            return jobs if part is JOBS else merged(self.document.get("jobs", []), jobs)
        if part is HOUSEKEEPING:
            return answer[part.name]["running"]
        if part is SCHEDULING:
            found = json.loads(base64.b64decode(answer["val"]["data"])).get("scheduling") or {}
            is_tree = found.get("writer") == topology.WRITER
            return {key: found.get(key) for key in ("writer", "children")} if is_tree else None
        if part is SCHEDULER:
            modules = answer.get("mods", [])
            return next((one["name"] for one in modules if "sched" in one["services"]), None)
        if part is QUEUES:
            known = self.document.get("queues") or {}
            return {**{n: one for n, one in known.items() if n in self.names()}, queue: answer}
        return answer


def last_change(jobs: Iterable[Mapping[str, Any]]) -> float:
    """The latest change of state among jobs, in seconds since the epoch; 0 if there is none."""
    return max((moment(job.get(name)) or 0.0 for job in jobs for name in _TIMES), default=0.0)


def _since(last: float) -> dict[str, Any]:
    """The payload that requests the jobs whose state changed since a time."""
    newer = [{name: [f">={last}"]} for name in _TIMES]
    return {"since": last, "constraint": {"or": newer}}


def merged(jobs: Sequence[Any], changed: Sequence[Any]) -> list[Any]:
    """Update entries of the job list with changed ones, and drop jobs that have ended."""
    found = {job["id"]: job for job in (*jobs, *changed)}
    return [job for job in found.values() if job["state"] != _ENDED]


def _users(jobs: list[dict[str, Any]]) -> dict[str, str]:
    """The names of the users of jobs by user id; users without a name here are left out."""
    numbers = {number for job in jobs if isinstance(number := job.get("userid"), int)}
    names = ((number, _user(number)) for number in numbers)
    return {str(number): name for number, name in names if name}


@lru_cache
def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except (KeyError, OverflowError):
        return ""


class _Stream:
    """A stream of events from Flux, and the parts that an event affects."""

    def __init__(self, topic: str, parts: Sequence[_Part]) -> None:
        self.topic = topic
        self._parts = parts
        self._has_event = self._has_ended = False

    def hear(self, event: object) -> None:
        """Note an event, or None: the stream has ended, or is refused to a guest."""
        self._has_ended = event is None
        self._has_event = True

    def stirred(self) -> Sequence[_Part]:
        """The parts affected since the last call; always all of them once the stream has ended."""
        if self._has_event:
            self._has_event = False  # reset before the parts are requested, so no event is missed
            return self._parts
        return self._parts if self._has_ended else ()


class Watch:
    """Follows an instance in its own thread, and connects again if the connection is lost."""

    def __init__(
        self,
        on_change: Callable[[Heard], object],
        uri: str = "",
        environ: Mapping[str, str] = os.environ,
        arguments: Sequence[str] | None = None,
    ) -> None:
        """Prepare to follow an instance; `start` begins, `close` ends.

        on_change is called in the thread whenever something changed; for the rest see `connect`.
        """
        self._on_change = on_change
        self._where = (uri, environ, arguments)
        self._stop = threading.Event()
        self._streams = (
            _Stream("job-list.job-stats", (JOBS, CHANGED, ALLOCATED, HOUSEKEEPING)),
            _Stream("resource.journal", (STATUS,)),
        )
        self._wishes: SimpleQueue[tuple[_Part, str]] = SimpleQueue()  # what to request next
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="flux watch", daemon=True)

    @property
    def connection(self) -> Connection | None:
        """The open connection, for other requests; None while there is none."""
        return self._connection

    def ask_queue(self, name: str) -> None:
        """Request a queue next, since it was changed; returns at once."""
        self._wishes.put((QUEUES, name))

    def ask_jobs(self) -> None:
        """Request the jobs next, since one was changed; returns at once."""
        self._wishes.put((JOBS, ""))

    def start(self) -> None:
        """Start the thread; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End, without further calls of on_change. Does not wait: the event loop may call this."""
        self._stop.set()
        if (connection := self._connection) is not None:  # the thread may reset it meanwhile
            connection.close()

    def _run(self) -> None:
        wait, document = BACK_OFF, None
        while not self._stop.is_set():
            connection, problems = connect(*self._where)
            if connection is not None:
                self._connection = connection
                picture = Picture(connection)
                problem = self._follow(picture)
                connection.close()
                self._connection = None
                document = picture.document if "status" in picture.document else document
                wait = BACK_OFF if "status" in picture.document else wait
            else:
                problem = problems[0]
            self._report(Heard(document, problem))
            if self._stop.wait(wait):
                return
            wait = min(2 * wait, LONGEST_BACK_OFF)

    def _follow(self, picture: Picture) -> Problem:
        """Report changes of an instance until the connection is lost; return why it is."""
        connection, rounds = picture.connection, _Rounds({CHANGED.name: 0.0})
        late, times = None, 0  # the last problem of STATUS; how many in a row
        for part in picture.once(_AT_ONCE):
            problem = self._ask(picture, part, rounds)
            if problem is not None and (part is STATUS or connection.lost):
                return problem
        for stream in self._streams:
            connection.follow(stream.topic, {}, stream.hear)

        def reconfigured(config: object) -> None:  # streamed since Flux 0.82
            if config is not None and config != picture.document.get(CONFIG.name):
                self._wishes.put((CONFIG, ""))

        connection.follow(CONFIG.topic, {}, reconfigured)
        last: Heard | None = None
        while connection.lost is None and not self._stop.is_set() and times < PATIENCE:
            if last is None or picture.document is not last.document or late != last.problem:
                last = Heard(picture.document, late)
                self._report(last)
            if self._stop.wait(SLOT):
                break
            rounds.stirred |= {part.name for stream in self._streams for part in stream.stirred()}
            if not rounds.has_many_jobs:
                rounds.stirred.discard(CHANGED.name)
            while not self._wishes.empty():
                part, queue = self._wishes.get()
                if part is QUEUES:
                    picture.ask_first(queue)
                rounds.last.pop(part.name, None)
            due = rounds.due([*picture.parts((*_PARTS, CHANGED))], time.monotonic())
            if due is not None:
                problem = self._ask(picture, due, rounds)
                if due is STATUS:
                    late, times = problem, times + 1 if problem is not None else 0
        return connection.lost or late or Problem("the connection to Flux is closed")

    def _ask(self, picture: Picture, part: _Part, rounds: _Rounds) -> Problem | None:
        """Request a part that is due; its changes may make other parts due too."""
        before, began = picture.document.get(part.name), time.monotonic()
        problem = picture.ask(part)
        rounds.answered(part, began, problem)
        found = picture.document.get(part.name)
        if part in (STATUS, HOUSEKEEPING) and found is not before:
            rounds.stirred.add(ALLOCATED.name)
        if part is HOUSEKEEPING and found:  # Flux sends no event when it is over
            rounds.stirred.add(part.name)
        return problem

    def _report(self, heard: Heard) -> None:
        if not self._stop.is_set():
            self._on_change(heard)
