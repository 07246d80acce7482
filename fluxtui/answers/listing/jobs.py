"""The jobs of an instance as a person wants them listed: whose, by what is typed, in what order."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import cache
from typing import Any, NamedTuple

from fluxtui.model.live.jobs import PENDING, Job, begin_time, parse_id
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.duration import brief
from fluxtui.notation.problem import Problem, Span, shortened

#: The hosts of so many ranges of nodes are named.
HOSTS_NAMED = 5

#: Jobs that are listed within a few milliseconds.
FEW = 500


class By(NamedTuple):
    """What jobs are sorted by: its name, what comes first then, and the key that sorts so."""

    title: str
    first: str
    key: Callable[[Job], Any] = lambda job: 0


def _since(job: Job) -> float:
    return math.inf if job.since is None else job.since


#: What jobs may be sorted by; equal ones stay as they are scheduled.
ORDERS: Mapping[str, By] = {
    "order": By("order", "jobs that run, then those that wait, as they are scheduled"),
    "job": By("job", "oldest first", lambda job: job.id),
    "state": By("state", "by its name", lambda job: job.status),
    "user": By("user", "by name", lambda job: job.user),
    "queue": By("queue", "by name", lambda job: job.queue),
    "nodes": By("nodes", "most first", lambda job: -(job.nodes or 0)),
    "time": By("time", "those that run or wait longest first", _since),
    "name": By("name", "by name", lambda job: job.name),
    "urgency": By("urgency", "most urgent first", lambda job: -(job.urgency or 0)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be listed: the jobs of all users or those of the person who asks, all that a text
    leaves, by one of ORDERS, down for the other way round.
    """

    everybody: bool = False
    text: str = ""
    by: str = "order"
    down: bool = False

    def sorted_by(self, by: str) -> "Wanted":
        """The same in another order; in the same one, reversed."""
        return replace(self, by=by, down=by == self.by and not self.down)


@dataclass(frozen=True, slots=True)
class Listed:
    """Jobs in their order, of so many before the text was looked at.

    rows   the place of each by its id
    runs   how many of them have their nodes
    words  what the text was taken for; problem is a word of it that fits no job
    """

    jobs: tuple[Job, ...] = ()
    count: int = 0
    rows: Mapping[int, int] = field(default_factory=dict)
    runs: int = 0
    words: str = ""
    problem: Problem | None = None


def listed(snapshot: Snapshot, wanted: Wanted) -> Listed:
    """The jobs that are wanted; those of all users where it is not known who asks."""
    mine, everybody = snapshot.userid, wanted.everybody or snapshot.userid is None
    all_ = (snapshot.jobs or {}).values()
    jobs = [job for job in all_ if everybody or job.userid == mine]
    count = len(jobs)
    jobs, words, problem = found(jobs, wanted.text)
    if wanted.by != "order":
        jobs.sort(key=ORDERS[wanted.by].key, reverse=wanted.down)
    elif wanted.down:
        jobs.reverse()
    rows = {job.id: row for row, job in enumerate(jobs)}
    runs = sum(not job.is_pending for job in jobs)
    return Listed(tuple(jobs), count, rows, runs, words, problem)


def where(job: Job, resources: Resources, at: float) -> str:
    """The hosts a job has, or when it is expected to start, at a time, or what it depends on."""
    if mask := job.mask(resources):
        return resources.hosts_of(mask, limit=HOSTS_NAMED)
    if job.is_pending and job.estimate is not None:
        return f"starts in {brief(job.estimate - at)}"
    return ", ".join(_waits_for(one, at) for one in job.dependencies)


def _waits_for(dependency: str, at: float) -> str:
    """A dependency as Flux writes it (RFC 26); of a begin time, how long that is."""
    begins = begin_time(dependency)
    return dependency if begins is None else f"begins in {brief(begins - at)}"


def lasts(job: Job, at: float) -> str:
    """How long a job runs, or has waited, at a time: ``12m``."""
    return brief(at - job.since) if job.since is not None else ""


# What is typed to find some


def _states(job: Job) -> tuple[str, ...]:
    """What a state is called: ``run`` and ``running``, ``held`` and ``pending``."""
    more = ("pending", "waiting") if job.is_pending else ("running",)
    return (job.status, job.state.lower(), *more)


_FIELDS: Mapping[str, Callable[[Job], tuple[str, ...]]] = {
    "id": lambda job: (str(job.id), job.f58),
    "state": _states,
    "queue": lambda job: (job.queue,),
    "user": lambda job: (job.user, str(job.userid)),
    "name": lambda job: (job.name,),
}
_NAMES = ("state", "queue", "user")
_UNFINISHED = {f"{name}:" for name in _FIELDS}

#: What is a state, whether or not a job is in it.
_STATES = {state.lower() for state in PENDING} | {"run", "cleanup", "held"}
_STATES |= {"pending", "waiting", "running"}


def found(jobs: list[Job], text: str) -> tuple[list[Job], str, Problem | None]:
    """The jobs that a text leaves, and what it was taken for, or the first word that fits none.

    Jobs have to be what each word says; with ``-`` or ``!`` before it, not to be that. A word is
    the first of these that there is, case not counting: a state; an id; the whole name of a queue
    or a user; a part of the name of jobs; the beginning of a state, a queue, a user or an id.
    With ``*`` or ``?`` in it, it is a pattern of the whole of them. ``id:``, ``state:``,
    ``queue:``, ``user:`` or ``name:`` before it says which of these it is to be. With ``|``
    between words, one of them is enough (``run|held``). A word that fits no job is a problem.
    """
    words, all_, problem = list[str](), jobs, None
    groups = cache(lambda name: _grouped(all_, _FIELDS[name]))
    from fluxtui.answers.listing.filtering import WORD  # not for the first frame

    for match in WORD.finditer(text):
        bare = match[0].lstrip("-!")
        any_of, meant = set[int](), []
        for one in map(str.strip, bare.split("|")):
            if not one or one.lower() in _UNFINISHED:
                continue
            kind, value, ids = _of_word(one, groups)
            if kind is None:
                message = f"no job's id, state, queue, user or name is '{shortened(one)}'"
                problem = problem or Problem(message, Span(*match.span()))
            any_of |= ids
            meant.append(f"{kind} {value}")
        if meant:
            leaves = bare == match[0]
            jobs = [job for job in jobs if (job.id in any_of) is leaves]
            said = " or ".join(meant)
            said = f"({said})" if len(meant) > 1 and bare != text.strip() else said
            words.append(said if leaves else f"not {said}")
    return jobs, "" if problem else " and ".join(words), problem


_Groups = Callable[[str], Mapping[tuple[str, ...], list[int]]]


def _grouped(jobs: Sequence[Job], field: Callable[[Job], tuple[str, ...]]) -> Any:
    """The ids of jobs by what a field of theirs says, in small letters."""
    found: dict[tuple[str, ...], list[int]] = {}
    for job in jobs:
        found.setdefault(field(job), []).append(job.id)
    lowered: dict[tuple[str, ...], list[int]] = {}
    for texts, ids in found.items():
        lowered.setdefault(tuple(map(str.lower, texts)), []).extend(ids)
    return lowered


def _of_word(word: str, groups: _Groups) -> tuple[str | None, str, set[int]]:
    """What a word is taken for, without what says so, and the ids of the jobs that it fits."""
    kind, colon, rest = word.partition(":")
    kind = kind.lower() if colon and kind.lower() in _FIELDS else ""
    word = rest if kind else word
    if kind in ("", "state") and word.lower() in _STATES:
        kind = "state"
    for name, fits in _ways(word, kind):
        found = (ids for texts, ids in groups(name).items() if any(map(fits, texts)))
        if ids := set[int]().union(*found):
            return name, word, ids
    return kind or None, word, set()


def _ways(word: str, kind: str) -> Iterator[tuple[str, Callable[[str], bool]]]:
    """What a word may be, most sensible first, and what tells that it is."""
    number, word = parse_id(word), word.lower()
    if number is not None:
        yield from _only(kind, ("id",), str(number).__eq__)
    if "*" in word or "?" in word:
        fits = re.compile(translate(word.replace("[", "[[]"))).match
        yield from _only(kind, (*_NAMES, "name", "id"), lambda text: fits(text) is not None)
        return
    yield from _only(kind, _NAMES, word.__eq__)
    yield from _only(kind, ("name",), lambda text: word in text)
    yield from _only(kind, _NAMES, lambda text: text.startswith(word))
    if word[:1] in ("f", "ƒ") and (kind or len(word) > 2):  # a letter or two is no id yet
        yield from _only(kind, ("id",), lambda text: text.startswith(f"ƒ{word[1:]}"))


def _only(
    kind: str, names: Sequence[str], fits: Callable[[str], bool]
) -> Iterator[tuple[str, Callable[[str], bool]]]:
    return ((name, fits) for name in names if kind in ("", name))
