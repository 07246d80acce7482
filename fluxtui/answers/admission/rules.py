"""What a queue demands of a job: its limits, its access lists, and that it is open (RFC 33)."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.admission.counts import SIZES, Counts
from fluxtui.answers.admission.refusal import RULE, Kind, Person, Refusal, refusal
from fluxtui.model.documents.json_value import shown
from fluxtui.model.queues.policy import Setting
from fluxtui.model.queues.queues import Queue
from fluxtui.model.queues.status import Status
from fluxtui.notation import duration
from fluxtui.notation.problem import Problem, at

DURATION = "attributes.system.duration"
QUEUE = "attributes.system.queue"


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
    alone = ", as slots alone count for none" if size == "nnodes" and not asked else ""
    most = "at most" if over else "at least"
    message = (
        f"{many(asked, size)} {what} asked for{alone}; "
        f"{who(queue)} takes {most} {limit:,} ({setting.path})"
    )
    kind: Kind = f"{bound} {size}"  # type: ignore[assignment]
    path = counts.paths.get(size, "resources")
    return refusal(kind, asked, limit, words, message, path, f"{most} {many(limit, size)}")


def many(number: int, size: str) -> str:
    """A number of nodes, cores or gpus in words."""
    return f"{number:,} {SIZES[size]}" + ("" if number == 1 else "s")


def miscounted(queue: Queue, counts: Counts) -> Iterator[Problem]:
    """Where Flux compares another number with a limit than the request has."""
    for size, number in counts.in_all.items():
        limits = (queue.policy.get(f"limits.job-size.{bound}.{size}") for bound in ("max", "min"))
        if number != counts.of(size) and any(s is not None and s.value >= 0 for s in limits):
            found = counts.of(size)
            message = (
                f"Flux compares {many(found, size)} with its limits, "
                f"though the request has {number:,} in all"
            )
            path = counts.paths.get(size, "resources")
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
