"""Whether a queue takes a job, why not, and what Flux makes of the job (RFC 33).

Of what flux-core and RFC 33 do differently the RFC counts: access lists are kept. How a request is
counted RFC 33 leaves open; there flux-core counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from fluxtui.answers.admission import rules
from fluxtui.answers.admission.counts import Counts, counts
from fluxtui.answers.admission.refusal import RULE, Person, Refusal, Request, request
from fluxtui.answers.admission.stored import Change, changes, fill, route
from fluxtui.model.queues.queues import Config, Queue
from fluxtui.model.queues.status import Status, effective
from fluxtui.notation.problem import Problem

__all__ = [
    "AS_WRITTEN",
    "Admission",
    "Change",
    "Counts",
    "Person",
    "Refusal",
    "admit",
    "changes",
    "counts",
    "matrix",
]


class _AsWritten(Enum):
    YES = True


#: The queue that the jobspec itself names, if it names one.
AS_WRITTEN: Final = _AsWritten.YES

#: What is said of a queue where no configuration is open.
UNKNOWN: Final = "queues unknown: open a configuration with -c"


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer of one queue.

    queue      its name; of a queue that is not configured the name that was asked for; empty for
               the anonymous queue, and where no queue is named and none is the default
    admitted   None where it depends on who submits, or on queues, which are not known
    refusals   all that speaks against the job; the first is the one Flux would report
    stored     the jobspec as Flux will store it; None where it is refused. It shares with the
               jobspec what is the same in both
    schedules  the queue is started; False only says that the job would wait
    held       why the queue does not schedule, in a few words; empty where it does
    notes      what else is worth knowing: who may submit, and what Flux counts in its own way
    filled     the jobspec with what the queue adds, also where it is refused; None where it has
               not the form of a jobspec
    """

    queue: str
    admitted: bool | None
    refusals: tuple[Refusal, ...] = ()
    stored: dict[str, Any] | None = None
    schedules: bool = True
    held: str = ""
    notes: tuple[Problem, ...] = ()
    filled: dict[str, Any] | None = None


def admit(
    jobspec: Mapping[str, Any],
    config: Config,
    queue: str | _AsWritten | None = AS_WRITTEN,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> Admission:
    """Whether a job is taken, by the queue that its jobspec names or by another.

    queue is a name, or None as though the jobspec named none. Without a user the access lists are
    an open question; queues without a status are enabled and started. Never raises, whatever the
    jobspec holds.
    """
    found = request(jobspec)
    if not isinstance(queue, _AsWritten):
        found = _naming(found, queue)
    answers = _Answers(config, counts(found.document), user, effective(config, statuses or {}))
    return _routed(found, answers, config)


def matrix(
    jobspec: Mapping[str, Any],
    config: Config,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> tuple[Admission, ...]:
    """The answer of every queue to a job, as though the jobspec named it, in document order.

    The anonymous queue answers where there is no other. Never raises.
    """
    return admit_everywhere(jobspec, config, user, statuses)[1]


def admit_everywhere(
    jobspec: Mapping[str, Any],
    config: Config | None,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
) -> tuple[Admission, tuple[Admission, ...]]:
    """What `admit` and `matrix` say of a job, whose size is counted once for both.

    Without a configuration nothing is known of the queue that a job names: it may be taken. A job
    that names none is answered as by a configuration without queues.
    """
    found = request(jobspec)
    if config is None:
        unknown = _in_unknown_queue(found, user, statuses or {})
        if unknown is not None:
            return unknown, (unknown,)
        config = Config()
    answers = _Answers(config, counts(found.document), user, effective(config, statuses or {}))
    everywhere = tuple(answers.of(_naming(found, q.name), q) for q in config.queues)
    if not everywhere:
        everywhere = (answers.of(_naming(found, None), config.anonymous),)
    return _routed(found, answers, config), everywhere


def _in_unknown_queue(
    found: Request, user: Person | None, statuses: Mapping[str, Status]
) -> Admission | None:
    """The answer to a job that names a queue nothing is known of; None where it names none."""
    name = found.system.get("queue")
    if not isinstance(name, str) or not name:
        return None
    answer = _Answers(Config(), counts(found.document), user, statuses).of(found, Queue(name))
    note = Problem(UNKNOWN, None, rules.QUEUE, (), RULE, "warning")
    admitted = False if answer.refusals else None
    return replace(answer, admitted=admitted, stored=None, notes=(note,))


def _naming(found: Request, queue: str | None) -> Request:
    """The request as though it named a queue, or none."""
    system = {key: value for key, value in found.system.items() if key != "queue"}
    if queue is not None:
        system["queue"] = queue
    return Request(found.document, found.attributes, system, found.wrong)


@dataclass(frozen=True, slots=True)
class _Answers:
    """What queues answer, all to one request; what is the same for all is worked out once."""

    config: Config
    counts: Counts | Refusal
    user: Person | None
    statuses: Mapping[str, Status]

    def of(self, found: Request, queue: Queue) -> Admission:
        """The answer of one queue that is configured."""
        status = self.statuses.get(queue.name, Status())
        system, unfilled = dict(found.system), None
        if not found.wrong:
            system, unfilled = fill(found, self.config, queue)
        asked, duration = found.system.get("duration", 0), system.get("duration", 0)
        default = queue.policy.get("defaults.duration") if duration is not asked else None
        refusals = [*found.wrong, *([unfilled] if unfilled else []), *rules.malformed(duration)]
        refusals += self._refusals(queue, status)
        refusals += rules.too_long(queue, duration, default)
        notes = list(rules.ahead(queue))
        if isinstance(self.counts, Counts):
            notes += rules.miscounted(queue, self.counts)
        allowed, outsider = rules.access(queue, self.user)
        if outsider is not None and allowed is None:
            notes.append(outsider.problem._replace(severity="warning"))
        elif outsider is not None:
            refusals.append(outsider)
        filled = None if found.wrong else _stored(found, system)
        return Admission(
            queue.name,
            False if refusals else allowed,
            tuple(refusals),
            None if refusals else filled,
            status.started,
            status.why_stopped,
            tuple(notes),
            filled,
        )

    def _refusals(self, queue: Queue, status: Status) -> Iterator[Refusal]:
        """What speaks against the size of the job and against the queue, in the order of Flux."""
        uncounted = self.counts if isinstance(self.counts, Refusal) and self._sized() else None
        if uncounted is not None and uncounted.kind == "range":
            yield uncounted
        yield from rules.disabled(queue, status)
        if uncounted is not None and uncounted.kind != "range":
            yield uncounted
        if isinstance(self.counts, Counts):
            yield from rules.sizes(queue, self.counts)

    def _sized(self) -> bool:
        """Whether Flux counts the request at all: it does where there are queues or limits."""
        if self.config.queues:
            return True
        return any(key.startswith("limits.job-size.") for key in self.config.anonymous.policy)


def _stored(found: Request, system: dict[str, Any]) -> dict[str, Any]:
    """The jobspec with other system attributes; only what leads to them is copied."""
    return {**found.document, "attributes": {**found.attributes, "system": system}}


def _routed(found: Request, answers: _Answers, config: Config) -> Admission:
    """The answer of the queue that a job goes to."""
    target = route(config, found.system)
    if isinstance(target, Refusal):
        name = target.asked if isinstance(target.asked, str) else ""
        return Admission(name, False, (target, *found.wrong))
    return answers.of(found, target)
