"""Whether a queue takes a job, why not, and what Flux makes of the job (RFC 33).

Of what flux-core and RFC 33 do differently the RFC counts: access lists are kept. How a request is
counted RFC 33 leaves open; there flux-core counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fluxtui.answers.admission import rules
from fluxtui.answers.admission.refusal import RULE, Person, Refusal
from fluxtui.answers.admission.rules import Counts, counts
from fluxtui.answers.admission.stored import Job, fill, route, take_apart
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.queues.queues import Config, Queue
from fluxtui.model.queues.status import Status, effective
from fluxtui.notation.problem import Problem

#: The note on a queue where no configuration is open.
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


def admit_everywhere(
    jobspec: Mapping[str, Any],
    config: Config | None,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
    request: ResourceRequest | None = None,
) -> tuple[Admission, tuple[Admission, ...]]:
    """Whether a job is admitted: by the queue it names, and by each queue as though it named it.

    The queues are in document order; the anonymous queue answers where there is no other. Without
    a user the access lists are an open question; queues without a status are enabled and started.
    Without a configuration nothing is known of the queue that a job names: it may be admitted. A
    job that names none is answered as by a configuration without queues. request is the parsed
    resources, from whoever has them already. Never raises, whatever the jobspec holds.
    """
    job = take_apart(jobspec)
    if request is None:
        request = parse(job.document.get("resources"))
    size = counts(request, job.document.get("version"))
    name = job.system.get("queue")
    if config is None and isinstance(name, str) and name:
        answer = _Answers(Config(), size, user, statuses or {}).of(job, Queue(name))
        note = Problem(UNKNOWN, None, rules.QUEUE, (), RULE, "warning", code="queues-unknown")
        admitted = False if answer.refusals else None
        answer = replace(answer, admitted=admitted, stored=None, notes=(note,))
        return answer, (answer,)
    config = config or Config()
    answers = _Answers(config, size, user, effective(config, statuses or {}))
    everywhere = tuple(answers.of(_naming(job, queue.name), queue) for queue in config.queues)
    if not everywhere:
        everywhere = (answers.of(_naming(job, None), config.anonymous),)
    target = route(config, job.system)
    if isinstance(target, Refusal):
        asked = target.asked if isinstance(target.asked, str) else ""
        return Admission(asked, False, (target, *job.wrong)), everywhere
    return answers.of(job, target), everywhere


def _naming(job: Job, queue: str | None) -> Job:
    """The job as though it named a queue, or none."""
    system = {key: value for key, value in job.system.items() if key != "queue"}
    if queue is not None:
        system["queue"] = queue
    return replace(job, system=system)


@dataclass(frozen=True, slots=True)
class _Answers:
    """What queues answer, all to one request; what is the same for all is worked out once."""

    config: Config
    counts: Counts | Refusal
    user: Person | None
    statuses: Mapping[str, Status]

    def of(self, job: Job, queue: Queue) -> Admission:
        """The answer of one queue that is configured."""
        status = self.statuses.get(queue.name, Status())
        system, unfilled = dict(job.system), None
        if not job.wrong:
            system, unfilled = fill(job, self.config, queue)
        asked, duration = job.system.get("duration", 0), system.get("duration", 0)
        default = queue.policy.get("defaults.duration") if duration is not asked else None
        refusals = [*job.wrong, *([unfilled] if unfilled else []), *rules.malformed(duration)]
        refusals += self._refusals(queue, status)
        refusals += rules.too_long(queue, duration, default)
        notes = list(rules.ahead(queue))
        if isinstance(self.counts, Counts):
            notes += rules.miscounted(queue, self.counts)
        allowed, outsider = rules.access(queue, self.user)
        if outsider is not None and allowed is None:
            notes.append(replace(outsider.problem, severity="warning"))
        elif outsider is not None:
            refusals.append(outsider)
        filled = None if job.wrong else _stored(job, system)
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


def _stored(job: Job, system: dict[str, Any]) -> dict[str, Any]:
    """The jobspec with other system attributes; only what leads to them is copied."""
    return {**job.document, "attributes": {**job.attributes, "system": system}}
