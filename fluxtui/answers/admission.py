"""Whether a queue admits a job, why not, and how Flux stores the job (RFC 33).

Where flux-core and RFC 33 differ, the RFC is followed: access lists are enforced. RFC 33 does not
say how a request is counted; that follows flux-core.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fluxtui.model.jobspec import jobspec as jobspecs
from fluxtui.model.jobspec.request import ROOT, RequestVertex, ResourceRequest, parse
from fluxtui.model.queues import RULE, Config, Queue, Setting, Status, effective
from fluxtui.notation import duration
from fluxtui.notation.count import Range
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, at, counted, did_you_mean, nearest

#: The note on a queue if no configuration is open.
UNKNOWN: Final = "queues unknown: open a configuration with -c"

_SYSTEM = "attributes.system"
DURATION = f"{_SYSTEM}.duration"
QUEUE = f"{_SYSTEM}.queue"

#: Numbers are capped here, because a deeply nested request could make arbitrarily long ones.
MOST = 10**24

#: The sizes that limits apply to, each with its resource type.
SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


@dataclass(frozen=True, slots=True)
class Person:
    """Who submits: the names of a UNIX user and of their groups; None if unknown."""

    name: str | None = None
    groups: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a queue does not admit a job.

    kind     what it is about, in the order Flux checks: ``queue``, ``jobspec``, ``default
             duration``, ``range`` (a count that is not one number), ``disabled``, ``counts`` (any
             other count that Flux refuses), ``max nnodes`` etc., ``duration``, ``access``,
             ``feasibility``
    words    the exact message of Flux; empty if Flux would not report this
    problem  the same, worded for users
    asked    what the job asks for: a number, seconds (None without a duration), a queue, a user
    allowed  what the queue allows, in the same form; for access the names by key
    """

    kind: str
    words: str
    problem: Problem
    asked: Any = None
    allowed: Any = None


def refusal(
    kind: str,
    words: str,
    message: str,
    path: str,
    *expected: str,
    asked: object = None,
    allowed: object = None,
    rule: str = RULE,
) -> Refusal:
    """Return a refusal with its problem, whose code is the kind."""
    problem = Problem(message, None, path, expected, rule, code=kind.replace(" ", "-"))
    return Refusal(kind, words, problem, asked, allowed)


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer of one queue, given by its name or by the name that was asked for.

    admitted   None if it depends on an unknown user or on unknown queues
    refusals   everything that speaks against the job; the first is the one Flux would report
    stored     the jobspec as Flux would store it; None if it is refused
    schedules  whether the queue is started; if not, the job would wait, and held says why
    filled     the jobspec with what the queue adds, even if it is refused; None if it is malformed
    """

    queue: str
    admitted: bool | None
    refusals: tuple[Refusal, ...] = ()
    stored: dict[str, Any] | None = None
    schedules: bool = True
    held: str = ""
    notes: tuple[Problem, ...] = ()
    filled: dict[str, Any] | None = None

    @property
    def refused(self) -> str:
        """The verb of a refusal; flux-core takes a job that only an access list refuses."""
        only_access = all(refusal.kind == "access" for refusal in self.refusals)
        return "is not for this user" if self.refusals and only_access else "refuses it"


def admit_everywhere(
    jobspec: Mapping[str, Any],
    config: Config | None,
    user: Person | None = None,
    statuses: Mapping[str, Status] | None = None,
    request: ResourceRequest | None = None,
) -> tuple[Admission, tuple[Admission, ...]]:
    """Return the answer of the queue a job names, and of each queue as if the job named it.

    Without a user, access lists leave the answer open; queues without a status are enabled and
    started; without a configuration a named queue may admit the job. Never raises.
    """
    job = _take_apart(jobspec)
    request = request or parse(job.document.get("resources"))
    size = counts(request, job.document.get("version"))
    name = job.system.get("queue")
    if config is None and isinstance(name, str) and name:
        answer = _Answers(Config(), size, user, statuses or {}).of(job, Queue(name))
        note = Problem(UNKNOWN, None, QUEUE, (), RULE, "warning", code="queues-unknown")
        admitted = False if answer.refusals else None
        answer = replace(answer, admitted=admitted, stored=None, notes=(note,))
        return answer, (answer,)
    config = config or Config()
    answers = _Answers(config, size, user, effective(config, statuses or {}))
    others = {key: value for key, value in job.system.items() if key != "queue"}
    everywhere = tuple(
        answers.of(replace(job, system={**others, "queue": queue.name}), queue)
        for queue in config.queues
    ) or (answers.of(replace(job, system=others), config.anonymous),)
    target = route(config, job.system)
    if isinstance(target, Refusal):
        asked = target.asked if isinstance(target.asked, str) else ""
        return Admission(asked, False, (target, *job.wrong)), everywhere
    return answers.of(job, target), everywhere


@dataclass(frozen=True, slots=True)
class _Job:
    """The parts of a jobspec, and the refusals of malformed ones."""

    document: Mapping[str, Any]
    attributes: Mapping[str, Any]
    system: Mapping[str, Any]
    wrong: tuple[Refusal, ...] = ()


def _take_apart(jobspec: object) -> _Job:
    wrong: list[Refusal] = []

    def part(value: object, name: str, path: str) -> Mapping[str, Any]:
        if isinstance(value, Mapping):
            return value
        message = f"{name} is a dictionary; found {shown(value)}"
        wrong.append(refusal("jobspec", "", message, path, "{...}", rule="RFC 14"))
        return {}

    document = part(jobspec, "a jobspec", "")
    attributes = part(document.get("attributes", {}), "attributes", "attributes")
    system = part(attributes.get("system", {}), _SYSTEM, _SYSTEM)
    path = f"{_SYSTEM}.constraints"
    constraint = part(system.get("constraints", {}), "a constraint", path)
    if "properties" in constraint and not isinstance(constraint["properties"], list | tuple):
        message = "properties of a constraint is an array of names"
        where = f"{path}.properties"
        wrong.append(refusal("jobspec", "", message, where, "[...]", rule="RFC 31"))
    return _Job(document, attributes, system, tuple(wrong))


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers of queues to one request; what is the same for all queues is computed once."""

    config: Config
    counts: "Counts | Refusal"
    user: Person | None
    statuses: Mapping[str, Status]

    def of(self, job: _Job, queue: Queue) -> Admission:
        """Return the answer of one configured queue."""
        status = self.statuses.get(queue.name, Status())
        system, unfilled = dict(job.system), None
        if not job.wrong:
            system, unfilled = _fill(job.system, self.config, queue)
        asked, seconds = job.system.get("duration", 0), system.get("duration", 0)
        default = queue.policy.get("defaults.duration") if seconds is not asked else None
        refusals = [*job.wrong, *([unfilled] if unfilled else []), *_malformed(seconds)]
        size = self.counts if is_counted(self.config) else None
        uncounted = [size] if isinstance(size, Refusal) else []
        refusals += [refused for refused in uncounted if refused.kind == "range"]
        if not status.enabled:
            why = f": {status.disable_reason}" if status.disable_reason else ""
            words = f"job submission{f' to {queue.name}' if queue.name else ''} is disabled{why}"
            message = f"{who(queue)} accepts no jobs{why}"
            refusals.append(refusal("disabled", words, message, QUEUE))
        if isinstance(self.counts, Counts):
            refusals += _sizes(queue, self.counts)
        refusals += [refused for refused in uncounted if refused.kind != "range"]
        refusals += _too_long(queue, seconds, default)
        notes = []
        if queue.hosts is not None and queue.parent is None:
            path = at("queues", queue.name, "hosts")
            message = f"{who(queue)} has hosts, which flux-core 0.88 does not support yet ({path})"
            notes.append(Problem(message, None, QUEUE, (), RULE, "warning"))
        if isinstance(self.counts, Counts):
            notes += _miscounted(queue, self.counts)
        allowed, outsider = _access(queue, self.user)
        if outsider is not None and allowed is None:
            notes.append(replace(outsider.problem, severity="warning"))
        elif outsider is not None:
            refusals.append(outsider)
        # Copy only the path to the system attributes.
        attributes = {**job.attributes, "system": system}
        filled = None if job.wrong else {**job.document, "attributes": attributes}
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


# What Flux adds to a job


@dataclass(frozen=True, slots=True)
class Change:
    """One attribute that Flux sets: its value before and after, None if absent."""

    path: str
    before: Any
    after: Any


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the differences in system attributes of two jobspecs, in the order of the second."""
    old, new = jobspecs.system(before), jobspecs.system(after)
    return tuple(
        Change(at(_SYSTEM, str(key)), old.get(key), new.get(key))
        for key in dict.fromkeys((*new, *old))
        if key not in old or key not in new or old[key] != new[key]
    )


def route(config: Config, system: Mapping[str, Any]) -> Queue | Refusal:
    """Return the queue that a job goes to by its attributes, or why there is none."""
    asked = system.get("queue")
    if "queue" in system and not isinstance(asked, str):
        return refusal("jobspec", "", "queue is a string", QUEUE, asked=asked, rule="RFC 14")
    known = {queue.name: queue for queue in config.queues}
    target = asked or (config.default if config.ingest.defaults else None)
    if not asked and target is None and known and config.ingest.defaults:
        return _nowhere(config, asked, "no queue specified")
    if target and target not in known and (known or asked):
        fills = (config.ingest.defaults and known) or config.ingest.constraints
        words = (
            f"Invalid queue '{target}' specified" if fills else f"'{target}' is not a valid queue"
        )
        return _nowhere(config, target, words)
    if asked == "":
        return _nowhere(config, asked, "'' is not a valid queue")
    if not known:
        return config.anonymous
    return known[target] if target else _nowhere(config, None, "a named queue is required")


def _nowhere(config: Config, asked: str | None, words: str) -> Refusal:
    names = tuple(queue.name for queue in config.queues)
    if not asked:
        message = "no queue is named" if asked is None else "the name of the queue is empty"
        if names and config.default is None:
            message += ", and none is the default"
    elif not names:
        message = f"queue {asked} is not configured; there is only the queue without a name"
    else:
        near = nearest(asked, names)
        message = f"queue {asked} is not configured{did_you_mean(near)}"
    return refusal("queue", words, message, QUEUE, *names[:20], asked=asked or "", allowed=names)


def _fill(
    given: Mapping[str, Any], config: Config, queue: Queue
) -> tuple[dict[str, Any], Refusal | None]:
    """Return the system attributes as Flux stores them, and why it cannot fill them in, if so."""
    system, wrong = dict(given), None
    if config.ingest.defaults:
        if queue.name:
            system.setdefault("queue", queue.name)
        setting, seconds = queue.policy.get("defaults.duration"), system.get("duration", 0)
        if setting is not None and seconds == 0 and not isinstance(seconds, bool):
            if math.isinf(setting.value):
                words = "duration must be a normal, finite value"
                message = "a job without a duration gets an infinite one, which Flux refuses"
                message, kind = f"{message} ({setting.path})", "default duration"
                wrong = refusal(kind, words, message, DURATION, "a duration", allowed=setting.value)
            else:
                system["duration"] = setting.value
    if config.ingest.constraints and queue.requires is not None:
        system["constraints"] = _joined(system.get("constraints"), queue.requires)
    return system, wrong


def _joined(constraint: Mapping[str, Any] | None, requires: Mapping[str, Any]) -> dict[str, Any]:
    if constraint is None:
        return dict(requires)
    if "properties" in requires and "properties" in constraint:
        names = list(constraint["properties"])
        for name in requires["properties"]:
            if name not in names:
                names.append(name)
        return {**constraint, "properties": names}
    return {"and": [dict(constraint), dict(requires)]}


# The size of a request


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a request, keyed by ``nnodes``, ``ncores`` and ``ngpus``.

    by_flux is what Flux compares with limits: the count of the last node vertex times all above it;
    the last core and gpu counts times the last slot count times these nodes. in_all is the total of
    all vertices of a type, times all counts above them (RFC 14). paths are those of the counts.
    """

    by_flux: Mapping[str, int]
    in_all: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)


def is_counted(config: Config) -> bool:
    """Whether Flux counts requests, which it does only if there are queues or size limits."""
    limited = any(key.startswith("limits.job-size.") for key in config.anonymous.policy)
    return bool(config.queues) or limited


def counts(request: ResourceRequest, version: object = 1) -> Counts | Refusal:
    """Return the size of a request, or a refusal if Flux cannot tell; version is the jobspec's."""
    if not request.is_list:
        return _uncounted("resources is a list", ROOT, "")
    last: dict[str, RequestVertex] = {}
    in_all: dict[str, int] = {}
    for vertex in request.walk():
        if vertex.type is None:
            return _uncounted("a resource is a dictionary with a type", vertex.path, "")
        total = vertex.total
        if total is None:
            return _no_number(vertex, version)
        last[vertex.type] = vertex
        in_all[vertex.type] = min(in_all.get(vertex.type, 0) + total, MOST)
        if not isinstance(vertex.fields.get("with", []), list | tuple):
            words = f"level {vertex.depth + 1}: must be an array"
            return _uncounted("with is a list of resources", vertex.path_of("with"), words)
    if "slot" not in last:
        message = "Flux counts cores by the slot, and no slot is asked for"
        return _uncounted(message, ROOT, "Unable to determine slot count", "a slot")
    if "core" not in last:
        message = "Flux counts slots by their cores, and no core is asked for"
        return _uncounted(message, ROOT, "Unable to determine slot size", "a core")
    nodes = min(last["node"].total or 0, MOST) if "node" in last else 0
    slots = (nodes or 1) * (last["slot"].number or 0)
    cores, gpus = (last[kind].number or 0 if kind in last else 0 for kind in ("core", "gpu"))
    return Counts(
        {"nnodes": nodes, "ncores": min(slots * cores, MOST), "ngpus": min(slots * gpus, MOST)},
        {size: in_all.get(kind, 0) for size, kind in SIZES.items()},
        {size: last[kind].path_of("count") for size, kind in SIZES.items() if kind in last},
    )


def _no_number(vertex: RequestVertex, version: object) -> Refusal:
    kind, value, path = vertex.type, vertex.fields.get("count"), vertex.path_of("count")
    if isinstance(value, int) and not isinstance(value, bool):
        is_refused = value == 0 and kind not in ("node", "slot", "core")
        words = f"Invalid count 0 for type '{kind}'" if is_refused else ""
        message = f"the count of {kind} is {value}, and Flux counts from 1"
        return _uncounted(message, path, words, "1 or more")
    if vertex.count is None:
        return _uncounted(f"the count of {kind} is not a number", path, "", "a whole number")
    what = "a text" if isinstance(vertex.count, int) else "a set of numbers"
    what = "a range" if isinstance(vertex.count, Range) else what
    name, found = ("str", "string") if isinstance(value, str) else ("dict", "object")
    words = f"resource count must be an integer for type '{kind}' (got '{name}')"
    if version != 1:
        words = f"level {vertex.depth}: Expected integer, got {found}"
    message = f"the count of {kind} is {what}, and Flux compares one whole number with its limits"
    return refusal("range", words, message, path, "a whole number", rule="RFC 25")


def _uncounted(message: str, path: str, words: str, *expected: str) -> Refusal:
    return refusal("counts", words, message, path, *expected, rule="RFC 25")


# What a queue demands


def who(queue: Queue) -> str:
    """Return what to call a queue in a sentence; ``Flux`` for the anonymous one."""
    return f"queue {queue.name}" if queue.name else "Flux"


def _of(queue: Queue) -> str:
    return f" for queue {queue.name}" if queue.name else ""


def _sizes(queue: Queue, counts: Counts) -> Iterator[Refusal]:
    for bound in ("max", "min"):
        over = bound == "max"
        verb, most = ("exceeds", "at most") if over else ("is under", "at least")
        allows = "allows" if over else "requires"
        for size, noun in SIZES.items():
            setting = queue.policy.get(f"limits.job-size.{bound}.{size}")
            if setting is None or setting.value < 0:
                continue
            asked, limit = counts.by_flux[size], setting.value
            if asked <= limit if over else asked >= limit:
                continue
            words = f"requested {size} ({asked}) {verb} policy limit of {limit}{_of(queue)}"
            verb_is = "is" if asked == 1 else "are"
            alone = ", as slots without nodes count as none" if noun == "node" and not asked else ""
            message = (
                f"{counted(asked, noun)} {verb_is} requested{alone}; "
                f"{who(queue)} {allows} {most} {limit:,} ({setting.path})"
            )
            path, expected = counts.paths.get(size, ROOT), f"{most} {counted(limit, noun)}"
            kind = f"{bound} {size}"
            yield refusal(kind, words, message, path, expected, asked=asked, allowed=limit)


def _miscounted(queue: Queue, counts: Counts) -> Iterator[Problem]:
    """Warn where the number Flux compares with a limit differs from the request's total."""
    for size, number in counts.in_all.items():
        by_flux = counts.by_flux[size]
        limits = (queue.policy.get(f"limits.job-size.{bound}.{size}") for bound in ("max", "min"))
        if number != by_flux and any(s is not None and s.value >= 0 for s in limits):
            message = (
                f"Flux compares {counted(by_flux, SIZES[size])} with its limits, "
                f"though the request has {number:,} in all"
            )
            path = counts.paths.get(size, ROOT)
            yield Problem(message, None, path, (), RULE, "warning")


def _malformed(value: object) -> Iterator[Refusal]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return
    words = "" if isinstance(value, bool) else f"{DURATION} must be a number"
    message = f"duration is a number of seconds; found {shown(value)}"
    yield refusal("jobspec", words, message, DURATION, "3600", rule="RFC 25")


def _too_long(queue: Queue, value: Any, default: Setting | None) -> Iterator[Refusal]:
    """Check the duration limit; 0 is no limit. default is the setting the value is from, if any."""
    setting = queue.policy.get("limits.duration")
    if setting is None or not setting.value or any(_malformed(value)):
        return
    limit = setting.value
    try:
        seconds = float(value)
    except OverflowError:  # an integer of hundreds of digits
        seconds = math.inf
    if seconds and not seconds > limit:
        return
    asked = fsd(seconds) if seconds else "unlimited"
    words = f"requested duration ({asked}) exceeds policy limit of {fsd(limit)}{_of(queue)}"
    limit_words = f"{who(queue)} allows at most {duration.describe(limit)}"
    expected = f"at most {duration.format(limit)}"
    if math.isinf(limit):
        limit_words = f"under a limit, even an infinite one, {who(queue)} requires one"
        expected = "a duration"
    lead = f"{duration.describe(seconds)} is requested" if seconds else "no duration is requested"
    if default is not None and seconds:
        lead = f"{duration.describe(seconds)} is the default duration ({default.path})"
    message = f"{lead}; {limit_words} ({setting.path})"
    given = seconds or None
    yield refusal("duration", words, message, DURATION, expected, asked=given, allowed=limit)


def fsd(seconds: float) -> str:
    """Format a duration as Flux does in its messages, to two digits: ``1.1h`` for 4000 s."""
    if math.isinf(seconds):
        return "infinity"
    if 0 < seconds < 0.1:
        return f"{seconds * 1000:.2g}ms"
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "m"), (86400, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.2g}{unit}"
    return f"{seconds / 86400:.2g}d"


def _access(queue: Queue, person: Person | None) -> tuple[bool | None, Refusal | None]:
    """Return whether a person may submit to a queue, None if unknown, and the refusal if not."""
    settings = {key: queue.policy.get(f"access.{key}") for key in ("allow-user", "allow-group")}
    if not any(settings.values()):
        return True, None
    lists = {key: setting.value if setting else () for key, setting in settings.items()}
    users, groups = lists["allow-user"], lists["allow-group"]
    user = person or Person()
    if user.name in users or not set(groups).isdisjoint(user.groups or ()):
        return True, None
    unknown = (bool(users) and user.name is None) or (bool(groups) and user.groups is None)
    parts = [f"user {_names(users)}"] if users else []
    parts += [f"members of {_names(groups)}"] if groups else []
    may = f"only {' and '.join(parts)} may" if parts else "nobody may"
    paths = ", ".join(setting.path for setting in settings.values() if setting)
    to = f"submit to queue {queue.name}" if queue.name else "submit"
    message = f"{may} {to} ({paths}); flux-core 0.88 does not enforce this yet and takes the job"
    outsider = refusal("access", "", message, QUEUE, asked=user.name, allowed=lists)
    return (None if unknown else False), outsider


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more:,} more" if more > 0 else "")
