"""A running Flux, asked again and again: its state as one document.

After a first look at all of it at most one RPC a second goes out, and where nodes may have changed
every other one asks for them. What costs Flux much is asked less often: no kind of question takes
more than a hundredth of the time. That jobs start and end Flux says by itself, in a stream, and to
the owner that nodes are otherwise; what that changes is asked only then.
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

#: Seconds between two RPCs at least.
SLOT = 1.0
#: What is asked again waits so many times as long as its last answer took.
SHARE = 100
#: Seconds until what was refused to this person is asked for again.
DENIED_FOR = 3000.0
#: So many times in a row an answer is waited for before the instance is looked for anew.
PATIENCE = 3
#: Seconds until the first attempt to find an instance again that was lost; each doubles it.
BACK_OFF, LONGEST_BACK_OFF = 1.0, 30.0

_ACTIVE = [2, 4, 8, 16, 32]  # depend, priority, sched, run, cleanup (RFC 21)
_JOBS = {
    "max_entries": 0,  # all: those that run come last, and say which nodes are in use
    "since": 0.0,
    "constraint": {"states": _ACTIVE},
    "attrs": [
        *("userid", "urgency", "priority", "t_submit", "t_depend", "t_run", "t_cleanup"),
        *("t_inactive", "state", "name", "queue", "ntasks", "ncores", "nnodes", "duration"),
        *("ranks", "expiration", "annotations", "dependencies", "success", "result"),
    ],
}

_R = {"key": "resource.R", "namespace": "primary", "flags": 0}

#: What is raised where an answer is not of the form that is known.
_OTHER = (KeyError, TypeError, AttributeError, ValueError, RecursionError)

#: When a job has come to another state, as the job list has it.
_TIMES = ("t_depend", "t_run", "t_cleanup", "t_inactive")
_ENDED = 64

#: A picture: the parts by name, ``hello``, and when each was ``asked``, in seconds since the epoch.
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the picture: the RPC, and seconds from one to the next.

    calm is what they are while Flux says that no job changes.
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
#: What is cleaned up after jobs, which goes on when these have ended.
HOUSEKEEPING = _Part("housekeeping", "job-manager.stats-get", {}, 3.0, 60.0)
#: What nodes have inside (RFC 49), which only R in the KVS says, to the owner. It stays as it is,
#: but an answer may fail.
SCHEDULING = _Part("scheduling", "kvs.lookup", _R, 600.0, 600.0)
#: The jobs that are in another state since, for where it takes long to ask for all of them.
CHANGED = _Part("changed", "job-list.list", None, 1.0, math.inf)
_AT_ONCE = (STATUS, CONFIG, SCHEDULER, SCHEDULING, QUEUES, JOBS, HOUSEKEEPING)
_PARTS = (*_AT_ONCE, ALLOCATED)  # which on a large instance takes half a second


@dataclass(frozen=True, slots=True)
class Heard:
    """What is known of an instance by now.

    document  its picture, None where there never was one; a new object whenever it changed
    problem   why the picture is not that of this moment, None where it is
    """

    document: Document | None
    problem: Problem | None = None


@dataclass(slots=True)
class _Rounds:
    """Whose turn it is: when each part was asked last, what that took, and what is stirred.

    Of what the last two answers took the less counts, as one may be slow by chance; and of that,
    what is over the quickest of all parts: the rest is the way there, as by ``ssh://``.
    """

    last: dict[str, float] = field(default_factory=dict)
    took: dict[str, tuple[float, ...]] = field(default_factory=dict)
    stirred: set[str] = field(default_factory=set)
    _asked: str = ""  # last

    @property
    def has_many_jobs(self) -> bool:
        """It takes too long to ask for all jobs whenever one of them changes."""
        return SHARE * self._took(JOBS) > JOBS.period

    def due(self, parts: Sequence[_Part], now: float) -> _Part | None:
        """The part that is most overdue, or how the nodes are; None where none is."""
        late = {part.name: self._late(part, now) for part in parts}
        if STATUS.name in self.stirred and self._asked != STATUS.name and late[STATUS.name] >= 1:
            return STATUS
        most = max(parts, key=lambda part: late[part.name])
        return most if late[most.name] >= 1 else None

    def _late(self, part: _Part, now: float) -> float:
        """How many of its periods have passed since a part was asked."""
        if part.name not in self.last:
            return float("inf")
        period = part.period if part.name in self.stirred else part.calm
        return (now - self.last[part.name]) / max(period, SHARE * self._took(part))

    def _took(self, part: _Part) -> float:
        way = min(map(min, self.took.values()), default=0.0)
        return min(self.took.get(part.name, (way,))) - way

    def answered(self, part: _Part, began: float, problem: Problem | None) -> None:
        """Take note that a part has been asked for."""
        now = self.last[part.name] = time.monotonic()
        self._asked = part.name
        self.stirred.discard(part.name)
        if problem is None or problem.code == LATE:
            self.took[part.name] = (*self.took.get(part.name, ())[-1:], now - began)
        elif problem.code == DENIED:
            self.last[part.name] += DENIED_FOR


class Picture:
    """The document of one connection, made of answers."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.document: Document = {
            "snapshot": 1,
            "hello": connection.hello.to_json(),
            "asked": {},
        }
        self._queues: list[str] = []
        self._changed = 0.0  # when a job last came to another state, as far as is known

    def whole(self) -> Parsed[Document | None]:
        """Ask for all parts once; what is refused is left out with a warning.

        None where the nodes themselves cannot be asked for.
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
        """The queues that the configuration has; the anonymous one is the empty name."""
        queues = (self.document.get("config") or {}).get("queues")
        return list(queues) if isinstance(queues, dict) and queues else [""]

    def parts(self, among: Iterable[_Part]) -> Iterator[_Part]:
        """Those parts that this instance has.

        There is housekeeping only where it is configured, and the graph of Fluxion is not asked
        for, which may be large.
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
        """The parts as of `parts`, that of the queues once for each of them."""
        for part in self.parts(among):
            for _ in self.names() if part is QUEUES else ("",):
                yield part

    def ask_first(self, queue: str) -> None:
        """Have a queue be the next that is asked for."""
        self._queues = [queue, *(name for name in self._queues if name != queue)]

    def ask(self, part: _Part) -> Problem | None:
        """Ask for a part; the document is a new one where the answer is not as before."""
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
        except _OTHER:  # Fluxion answers null on its own topic
            return Problem(f"Flux answers {part.topic} in a form that is not known", code=OLD)
        asked = {**self.document["asked"], key: time.time()}
        if found == self.document.get(key):
            self.document["asked"] = asked
        else:
            self.document = {**self.document, key: found, **more, "asked": asked}
        return None

    def _found(self, part: _Part, queue: str, answer: Any) -> Any:
        """What of an answer belongs in the document."""
        if not isinstance(answer, dict):
            raise TypeError
        if part is ALLOCATED:
            # Only the ranks of it: the rest is that of the status once more.
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
    """When one of some jobs last came to another state, in seconds since the epoch; 0 for never."""
    return max((moment(job.get(name)) or 0.0 for job in jobs for name in _TIMES), default=0.0)


def _since(last: float) -> dict[str, Any]:
    """What asks for the jobs that came to another state since a time."""
    newer = [{name: [f">={last}"]} for name in _TIMES]
    return {"since": last, "constraint": {"or": newer}}


def merged(jobs: Sequence[Any], changed: Sequence[Any]) -> list[Any]:
    """Entries of the job list with those that changed; those that have ended are left out."""
    found = {job["id"]: job for job in (*jobs, *changed)}
    return [job for job in found.values() if job["state"] != _ENDED]


def _users(jobs: list[dict[str, Any]]) -> dict[str, str]:
    """The names of the users of jobs by their numbers; who has none here is left out."""
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
    """What Flux says by itself, and the parts that are to be asked for then."""

    def __init__(self, topic: str, parts: Sequence[_Part]) -> None:
        self.topic = topic
        self._parts = parts
        self._has_said = self._has_ended = False

    def hear(self, said: object) -> None:
        """Take note; said is None once Flux ends the stream, or refuses it to a guest."""
        self._has_ended = said is None
        self._has_said = True

    def stirred(self) -> Sequence[_Part]:
        """The parts to ask for: all the time where Flux does not say when."""
        if self._has_said:
            self._has_said = False  # before the parts are asked for: what is said now counts anew
            return self._parts
        return self._parts if self._has_ended else ()


class Watch:
    """Follows an instance in a thread of its own, and finds it again when it comes back."""

    def __init__(
        self,
        told: Callable[[Heard], object],
        uri: str = "",
        environ: Mapping[str, str] = os.environ,
        arguments: Sequence[str] | None = None,
    ) -> None:
        """told hears what is known whenever that changes, in the thread; the rest is `connect`'s.

        `start` begins, `close` ends.
        """
        self._told = told
        self._where = (uri, environ, arguments)
        self._stop = threading.Event()
        self._streams = (
            _Stream("job-list.job-stats", (JOBS, CHANGED, ALLOCATED, HOUSEKEEPING)),
            _Stream("resource.journal", (STATUS,)),
        )
        self._wishes: SimpleQueue[tuple[_Part, str]] = SimpleQueue()  # what to ask for next
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="flux watch", daemon=True)

    @property
    def connection(self) -> Connection | None:
        """The open connection, for further questions; None while there is none."""
        return self._connection

    def ask_queue(self, name: str) -> None:
        """Ask for a queue next, as it was changed; returns at once."""
        self._wishes.put((QUEUES, name))

    def ask_jobs(self) -> None:
        """Ask for the jobs next, as one was changed; returns at once."""
        self._wishes.put((JOBS, ""))

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End; nothing is told any more. Does not wait, so the event loop may call it."""
        self._stop.set()
        if (connection := self._connection) is not None:  # the thread may let go of it meanwhile
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
            self._tell(Heard(document, problem))
            if self._stop.wait(wait):
                return
            wait = min(2 * wait, LONGEST_BACK_OFF)

    def _follow(self, picture: Picture) -> Problem:
        """Tell of an instance until it is lost; why it is."""
        connection, rounds = picture.connection, _Rounds({CHANGED.name: 0.0})
        late, times = None, 0  # the status is overdue, and was so often
        for part in picture.once(_AT_ONCE):
            problem = self._ask(picture, part, rounds)
            if problem is not None and (part is STATUS or connection.lost):
                return problem
        for stream in self._streams:
            connection.follow(stream.topic, {}, stream.hear)

        def reconfigured(said: object) -> None:  # which Flux says by itself since 0.82
            if said is not None and said != picture.document.get(CONFIG.name):
                self._wishes.put((CONFIG, ""))

        connection.follow(CONFIG.topic, {}, reconfigured)
        told: Heard | None = None
        while connection.lost is None and not self._stop.is_set() and times < PATIENCE:
            if told is None or picture.document is not told.document or late != told.problem:
                told = Heard(picture.document, late)
                self._tell(told)
            if self._stop.wait(SLOT):
                break
            rounds.stirred |= {part.name for one in self._streams for part in one.stirred()}
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
        """Ask for a part that is due; what it changes makes others due too."""
        before, began = picture.document.get(part.name), time.monotonic()
        problem = picture.ask(part)
        rounds.answered(part, began, problem)
        found = picture.document.get(part.name)
        if part in (STATUS, HOUSEKEEPING) and found is not before:
            rounds.stirred.add(ALLOCATED.name)
        if part is HOUSEKEEPING and found:  # Flux does not say when it is over
            rounds.stirred.add(part.name)
        return problem

    def _tell(self, heard: Heard) -> None:
        if not self._stop.is_set():
            self._told(heard)
