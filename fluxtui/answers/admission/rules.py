"""What a queue demands of a job: its limits, its access lists, and that it is open (RFC 33)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fluxtui.answers.admission.refusal import RULE, Kind, Person, Refusal, refusal
from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.request import ROOT, RequestVertex, ResourceRequest
from fluxtui.model.queues.policy import Setting
from fluxtui.model.queues.queues import Queue
from fluxtui.model.queues.status import Status
from fluxtui.notation import duration
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.wording import counted

DURATION = "attributes.system.duration"
QUEUE = "attributes.system.queue"

#: No number here grows beyond this: a request nested deeply enough could make one of any length.
MOST = 10**24

#: What limits are on, and the type of resource that each is about.
SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


@dataclass(frozen=True, slots=True)
class Counts:
    """A request in numbers; nnodes is 0 where only slots are asked for.

    Flux counts the last node, slot, core and gpu of the request: the nodes times all that
    is above them, and of cores and gpus those of a slot, times the slots, times the nodes.
    What is between a slot and its cores, and a second slot, it leaves out.

    in_all  nodes, cores and gpus of the request as RFC 14 has them: each count times all those
            above, and all vertices of the type together
    paths   where the count of each is in the jobspec, by ``nnodes`` and so on
    """

    nnodes: int
    ncores: int
    ngpus: int
    in_all: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)

    def of(self, size: str) -> int:
        """The number that a limit such as ``ncores`` is compared with."""
        return {"nnodes": self.nnodes, "ncores": self.ncores, "ngpus": self.ngpus}[size]


def counts(request: ResourceRequest, version: object = 1) -> Counts | Refusal:
    """The size of a request; a refusal where Flux cannot tell it. version is that of the jobspec.

    Flux reads only counts that are whole numbers of 1 or more, and needs a slot with cores. It
    keeps numbers in 32 bits; here they go further.
    """
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
        nodes,
        min(slots * cores, MOST),
        min(slots * gpus, MOST),
        {size: in_all.get(kind, 0) for size, kind in SIZES.items()},
        {size: last[kind].path_of("count") for size, kind in SIZES.items() if kind in last},
    )


def _no_number(vertex: RequestVertex, version: object) -> Refusal:
    """The refusal of a count that is not a whole number of 1 or more."""
    kind, value, path = vertex.type, vertex.fields.get("count"), vertex.path_of("count")
    if isinstance(value, int) and not isinstance(value, bool):
        message = f"the count of {kind} is {value}, and Flux counts from 1"
        said = value == 0 and kind not in ("node", "slot", "core")
        words = f"Invalid count 0 for type '{kind}'" if said else ""
        return _uncounted(message, path, words, "1 or more")
    if vertex.count is None:
        return _uncounted(f"the count of {kind} is not a number", path, "", "a whole number")
    what = "a text" if isinstance(vertex.count, int) else "a set of numbers"
    what = "a range" if isinstance(vertex.count, Range) else what
    name = "str" if isinstance(value, str) else "dict"
    words = f"resource count must be an integer for type '{kind}' (got '{name}')"
    if version != 1:
        found = "string" if isinstance(value, str) else "object"
        words = f"level {vertex.depth}: Expected integer, got {found}"
    message = f"the count of {kind} is {what}, and Flux compares one whole number with its limits"
    return refusal("range", None, None, words, message, path, "a whole number", rule="RFC 25")


def _uncounted(message: str, path: str, words: str, *expected: str) -> Refusal:
    return refusal("counts", None, None, words, message, path, *expected, rule="RFC 25")


def who(queue: Queue) -> str:
    """A queue in a sentence."""
    return f"queue {queue.name}" if queue.name else "Flux"


def _of(queue: Queue) -> str:
    """What Flux adds to its own sentences."""
    return f" for queue {queue.name}" if queue.name else ""


def disabled(queue: Queue, status: Status) -> Iterator[Refusal]:
    """A disabled queue takes no jobs."""
    if status.enabled:
        return
    why = f": {status.disable_reason}" if status.disable_reason else ""
    to = f" to {queue.name}" if queue.name else ""
    words = f"job submission{to} is disabled{why}"
    message = f"{who(queue)} takes no jobs{why}"
    yield refusal("disabled", None, None, words, message, QUEUE)


def sizes(queue: Queue, counts: Counts) -> Iterator[Refusal]:
    """The limits on job size that the request does not keep, in the order Flux checks them."""
    for bound in ("max", "min"):
        for size in SIZES:
            setting = queue.policy.get(f"limits.job-size.{bound}.{size}")
            if setting is None or setting.value < 0:
                continue
            asked, limit = counts.of(size), setting.value
            if asked > limit if bound == "max" else asked < limit:
                yield _size(queue, bound, size, counts, setting)


def _size(queue: Queue, bound: str, size: str, counts: Counts, setting: Setting) -> Refusal:
    asked, limit = counts.of(size), setting.value
    over = bound == "max"
    verb = "exceeds" if over else "is under"
    words = f"requested {size} ({asked}) {verb} policy limit of {limit}{_of(queue)}"
    what = "is" if asked == 1 else "are"
    alone = ", as slots without nodes count as none" if size == "nnodes" and not asked else ""
    most = "at most" if over else "at least"
    message = (
        f"{counted(asked, SIZES[size])} {what} asked for{alone}; "
        f"{who(queue)} takes {most} {limit:,} ({setting.path})"
    )
    kind: Kind = f"{bound} {size}"  # type: ignore[assignment]
    path, expected = counts.paths.get(size, ROOT), f"{most} {counted(limit, SIZES[size])}"
    return refusal(kind, asked, limit, words, message, path, expected)


def miscounted(queue: Queue, counts: Counts) -> Iterator[Problem]:
    """Where Flux compares another number with a limit than the request has."""
    for size, number in counts.in_all.items():
        limits = (queue.policy.get(f"limits.job-size.{bound}.{size}") for bound in ("max", "min"))
        if number != counts.of(size) and any(s is not None and s.value >= 0 for s in limits):
            found = counts.of(size)
            message = (
                f"Flux compares {counted(found, SIZES[size])} with its limits, "
                f"though the request has {number:,} in all"
            )
            path = counts.paths.get(size, ROOT)
            yield Problem(message, None, path, (), RULE, "warning")


def malformed(value: object) -> Iterator[Refusal]:
    """A duration is a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return
    words = "" if isinstance(value, bool) else "attributes.system.duration must be a number"
    message = f"duration is a number of seconds; found {shown(value)}"
    yield refusal("jobspec", None, None, words, message, DURATION, "3600", rule="RFC 25")


def too_long(queue: Queue, value: object, default: Setting | None) -> Iterator[Refusal]:
    """The limit on duration; 0 in a job is no duration, and as a limit is none.

    default is the setting that the value comes from, where the job has none of its own.
    """
    setting = queue.policy.get("limits.duration")
    if setting is None or not setting.value or any(malformed(value)):
        return
    limit, seconds = setting.value, _float(value)
    if seconds and not seconds > limit:
        return
    asked = fsd(seconds) if seconds else "unlimited"
    words = f"requested duration ({asked}) exceeds policy limit of {fsd(limit)}{_of(queue)}"
    takes = f"{who(queue)} takes at most {duration.describe(limit)}"
    if math.isinf(limit):
        takes = f"under a limit, even an infinite one, {who(queue)} wants one"
    found = f"{duration.describe(seconds)} is asked for" if seconds else "no duration is asked for"
    if default is not None and seconds:
        found = f"{duration.describe(seconds)} is the default duration ({default.path})"
    message = f"{found}; {takes} ({setting.path})"
    expected = "a duration" if math.isinf(limit) else f"at most {duration.format(limit)}"
    yield refusal("duration", seconds or None, limit, words, message, DURATION, expected)


def _float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def fsd(seconds: float) -> str:
    """A duration as Flux puts it in its refusals, with two digits: ``1.1h`` for 4000 s."""
    if math.isinf(seconds):
        return "infinity"
    if 0 < seconds < 0.1:
        return f"{seconds * 1000:.2g}ms"
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "m"), (86400, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.2g}{unit}"
    return f"{seconds / 86400:.2g}d"


def ahead(queue: Queue) -> Iterator[Problem]:
    """Where a queue is configured in a way that flux-core does not know yet."""
    if queue.hosts is not None and queue.parent is None:
        path = at("queues", queue.name, "hosts")
        message = f"{who(queue)} has hosts, which flux-core 0.88 does not take yet ({path})"
        yield Problem(message, None, QUEUE, (), RULE, "warning")


def access(queue: Queue, person: Person | None) -> tuple[bool | None, Refusal | None]:
    """Whether a person may submit to a queue, and who may where that is not so.

    None where it depends on what is not known of the person. RFC 33 exempts nobody.
    """
    settings = {key: queue.policy.get(f"access.{key}") for key in ("allow-user", "allow-group")}
    if not any(settings.values()):
        return True, None
    lists = {key: setting.value if setting else () for key, setting in settings.items()}
    users, groups = lists["allow-user"], lists["allow-group"]
    found = person or Person()
    if found.name in users or not set(groups).isdisjoint(found.groups or ()):
        return True, None
    unknown = (bool(users) and found.name is None) or (bool(groups) and found.groups is None)
    return (None if unknown else False), _outsider(queue, found, settings, lists)


def _outsider(
    queue: Queue,
    person: Person,
    settings: Mapping[str, Setting | None],
    lists: dict[str, Any],
) -> Refusal:
    """The refusal of a person that no access list has; flux-core has no words for it."""
    parts = [f"user {_names(lists['allow-user'])}"] if lists["allow-user"] else []
    parts += [f"members of {_names(lists['allow-group'])}"] if lists["allow-group"] else []
    may = f"only {' and '.join(parts)} may" if parts else "nobody may"
    paths = ", ".join(setting.path for setting in settings.values() if setting)
    to = f"submit to queue {queue.name}" if queue.name else "submit"
    message = f"{may} {to} ({paths}); flux-core 0.88 does not enforce this yet"
    return refusal("access", person.name, lists, "", message, QUEUE)


def _names(names: tuple[str, ...], most: int = 5) -> str:
    """Names with commas; of many only the first ones."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
