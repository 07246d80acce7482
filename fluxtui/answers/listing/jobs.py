"""Lists the jobs of an instance: those of a user, filtered by a typed text, and sorted."""

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

#: How many ranges of a job's hosts are shown.
HOSTS_NAMED = 5

#: Up to this many jobs can be listed within a few milliseconds.
FEW = 500


class By(NamedTuple):
    """A sort order for jobs: its title, which jobs come first, and the sort key."""

    title: str
    first: str
    key: Callable[[Job], Any] = lambda job: 0


def _since(job: Job) -> float:
    return math.inf if job.since is None else job.since


#: The sort orders for jobs; jobs with equal keys stay in scheduling order.
ORDERS: Mapping[str, By] = {
    "order": By("order", "running jobs, then waiting jobs, in scheduling order"),
    "job": By("job", "oldest first", lambda job: job.id),
    "state": By("state", "by name", lambda job: job.status),
    "user": By("user", "by name", lambda job: job.user),
    "queue": By("queue", "by name", lambda job: job.queue),
    "nodes": By("nodes", "most first", lambda job: -(job.nodes or 0)),
    "time": By("time", "longest running or waiting first", _since),
    "name": By("name", "by name", lambda job: job.name),
    "urgency": By("urgency", "most urgent first", lambda job: -(job.urgency or 0)),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which jobs to list: those of everybody or of the current user, that match a text; and how:
    by is a key of `ORDERS`, down reverses it.
    """

    everybody: bool = False
    text: str = ""
    by: str = "order"
    down: bool = False

    def sorted_by(self, by: str) -> "Wanted":
        """The same jobs in another order; reversed if the order is already that."""
        return replace(self, by=by, down=by == self.by and not self.down)


@dataclass(frozen=True, slots=True)
class Listed:
    """The listed jobs, in order.

    count  how many there were before the text was applied
    rows   the row of each job by its id
    runs   how many of the jobs have their nodes
    words  a description of the text's meaning; problem is about a word that matches no job
    """

    jobs: tuple[Job, ...] = ()
    count: int = 0
    rows: Mapping[int, int] = field(default_factory=dict)
    runs: int = 0
    words: str = ""
    problem: Problem | None = None


def listed(snapshot: Snapshot, wanted: Wanted) -> Listed:
    """List the wanted jobs; those of all users if the current user is not known."""
    mine, everybody = snapshot.userid, wanted.everybody or snapshot.userid is None
    all_ = (snapshot.jobs or {}).values()
    jobs = [job for job in all_ if everybody or job.userid == mine]
    count = len(jobs)
    jobs, words, problem = filtered(jobs, wanted.text)
    if wanted.by != "order":
        jobs.sort(key=ORDERS[wanted.by].key, reverse=wanted.down)
    elif wanted.down:
        jobs.reverse()
    rows = {job.id: row for row, job in enumerate(jobs)}
    runs = sum(not job.is_pending for job in jobs)
    return Listed(tuple(jobs), count, rows, runs, words, problem)


def where(job: Job, resources: Resources, at: float) -> str:
    """The hosts of a job, or when it is expected to start after a time, or its dependencies."""
    if mask := job.mask(resources):
        return resources.hosts_of(mask, limit=HOSTS_NAMED)
    if job.is_pending and job.estimate is not None:
        return f"starts in {brief(job.estimate - at)}"
    return ", ".join(_waits_for(one, at) for one in job.dependencies)


def _waits_for(dependency: str, at: float) -> str:
    """A dependency as Flux writes it (RFC 26); for a begin time, how long until then."""
    begins = begin_time(dependency)
    return dependency if begins is None else f"begins in {brief(begins - at)}"


def lasts(job: Job, at: float) -> str:
    """How long a job has run or waited at a time: ``12m``."""
    return brief(at - job.since) if job.since is not None else ""


# Filtering by a text


def _states(job: Job) -> tuple[str, ...]:
    """The names of a job's state: ``run`` and ``running``, ``held`` and ``pending``."""
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

#: The words that name a state, whether or not a job is in it.
_STATES = {state.lower() for state in PENDING} | {"run", "cleanup", "held"}
_STATES |= {"pending", "waiting", "running"}


def filtered(jobs: list[Job], text: str) -> tuple[list[Job], str, Problem | None]:
    """The jobs that match a text, and a description of it, or the first word that matches none.

    A job must match every word, and must not match a word after ``-`` or ``!``. A word means the
    first of these that exists, ignoring case: a state; an id; the full name of a queue or a user;
    a part of the name of a job; the beginning of a state, a queue, a user or an id. A word with
    ``*`` or ``?`` is a pattern for any of them as a whole. ``id:``, ``state:``, ``queue:``,
    ``user:`` or ``name:`` before a word selects one of these meanings. ``|`` between words means
    or (``run|held``). A word that matches no job is a problem.
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
            is_wanted = bare == match[0]
            jobs = [job for job in jobs if (job.id in any_of) is is_wanted]
            phrase = " or ".join(meant)
            phrase = f"({phrase})" if len(meant) > 1 and bare != text.strip() else phrase
            words.append(phrase if is_wanted else f"not {phrase}")
    return jobs, "" if problem else " and ".join(words), problem


_Groups = Callable[[str], Mapping[tuple[str, ...], list[int]]]


def _grouped(jobs: Sequence[Job], field: Callable[[Job], tuple[str, ...]]) -> Any:
    """The ids of jobs by the texts of a field in lower case."""
    found: dict[tuple[str, ...], list[int]] = {}
    for job in jobs:
        found.setdefault(field(job), []).append(job.id)
    lowered: dict[tuple[str, ...], list[int]] = {}
    for texts, ids in found.items():
        lowered.setdefault(tuple(map(str.lower, texts)), []).extend(ids)
    return lowered


def _of_word(word: str, groups: _Groups) -> tuple[str | None, str, set[int]]:
    """The field that a word is about, the word without its prefix, and the ids that it matches.

    The field is None if the word matches no job, has no prefix and is not the name of a state.
    """
    kind, colon, rest = word.partition(":")
    kind = kind.lower() if colon and kind.lower() in _FIELDS else ""
    word = rest if kind else word
    if kind in ("", "state") and word.lower() in _STATES:
        kind = "state"
    for name, matches in _ways(word, kind):
        found = (ids for texts, ids in groups(name).items() if any(map(matches, texts)))
        if ids := set[int]().union(*found):
            return name, word, ids
    return kind or None, word, set()


def _ways(word: str, kind: str) -> Iterator[tuple[str, Callable[[str], bool]]]:
    """The possible meanings of a word, most sensible first, each with a function that matches."""
    number, word = parse_id(word), word.lower()
    if number is not None:
        yield from _only(kind, ("id",), str(number).__eq__)
    if "*" in word or "?" in word:
        matches = re.compile(translate(word.replace("[", "[[]"))).match
        yield from _only(kind, (*_NAMES, "name", "id"), lambda text: matches(text) is not None)
        return
    yield from _only(kind, _NAMES, word.__eq__)
    yield from _only(kind, ("name",), lambda text: word in text)
    yield from _only(kind, _NAMES, lambda text: text.startswith(word))
    if word[:1] in ("f", "ƒ") and (kind or len(word) > 2):  # one or two letters are not an id
        yield from _only(kind, ("id",), lambda text: text.startswith(f"ƒ{word[1:]}"))


def _only(
    kind: str, names: Sequence[str], matches: Callable[[str], bool]
) -> Iterator[tuple[str, Callable[[str], bool]]]:
    return ((name, matches) for name in names if kind in ("", name))
