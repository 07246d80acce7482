"""Which queue a job goes to, and what Flux adds to it on the way (RFC 33)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.admission.refusal import Refusal, refusal
from fluxtui.answers.admission.rules import DURATION, QUEUE
from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues.policy import Setting
from fluxtui.model.queues.queues import Config, Queue
from fluxtui.notation.problem import at, nearest


@dataclass(frozen=True, slots=True)
class Job:
    """The parts of a jobspec that admission is about; empty where the document has no such part.

    wrong  what has not the form of a jobspec
    """

    document: Mapping[str, Any]
    attributes: Mapping[str, Any]
    system: Mapping[str, Any]
    wrong: tuple[Refusal, ...] = ()


def take_apart(jobspec: object) -> Job:
    """Take a jobspec apart. Never raises."""
    wrong: list[Refusal] = []
    document = _part(jobspec, "a jobspec", "", wrong)
    attributes = _part(document.get("attributes", {}), "attributes", "attributes", wrong)
    path = "attributes.system"
    system = _part(attributes.get("system", {}), path, path, wrong)
    constraints = system.get("constraints", {})
    asked = _part(constraints, "a constraint", f"{path}.constraints", wrong)
    if "properties" in asked and not isinstance(asked["properties"], list | tuple):
        message = "properties of a constraint is an array of names"
        here = f"{path}.constraints.properties"
        wrong.append(refusal("jobspec", None, None, "", message, here, "[...]", rule="RFC 31"))
    return Job(document, attributes, system, tuple(wrong))


def _part(value: object, name: str, path: str, wrong: list[Refusal]) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    message = f"{name} is a dictionary; found {shown(value)}"
    wrong.append(refusal("jobspec", None, None, "", message, path, "{...}", rule="RFC 14"))
    return {}


@dataclass(frozen=True, slots=True)
class Change:
    """One attribute that Flux sets: its path, and its value before and after.

    None stands for one that is not there.
    """

    path: str
    before: Any
    after: Any


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """What is different in the system attributes of two jobspecs, in the order of the second."""
    old, new = jobspec.system(before), jobspec.system(after)
    keys = dict.fromkeys((*new, *old))
    path = "attributes.system"
    return tuple(
        Change(at(path, str(key)), old.get(key), new.get(key))
        for key in keys
        if key not in old or key not in new or old[key] != new[key]
    )


def route(config: Config, system: Mapping[str, Any]) -> Queue | Refusal:
    """The queue that a job goes to by its attributes, or why there is none.

    What names no queue goes to the default one, or to the anonymous one of a configuration
    without queues. An empty name and a name that no queue has are refused.
    """
    named = system.get("queue")
    if "queue" in system and not isinstance(named, str):
        message = "queue is a string"
        return refusal("jobspec", named, None, "", message, QUEUE, rule="RFC 14")
    known = {queue.name: queue for queue in config.queues}
    wanted = named or (config.default if config.ingest.defaults else None)
    if not named and wanted is None and known and config.ingest.defaults:
        return _nowhere(config, named, "no queue specified")
    if wanted and wanted not in known and (known or named):
        fills = (config.ingest.defaults and known) or config.ingest.constraints
        words = (
            f"Invalid queue '{wanted}' specified" if fills else f"'{wanted}' is not a valid queue"
        )
        return _nowhere(config, wanted, words)
    if named == "":
        return _nowhere(config, named, "'' is not a valid queue")
    if not known:
        return config.anonymous
    return known[wanted] if wanted else _nowhere(config, None, "a named queue is required")


def _nowhere(config: Config, named: str | None, words: str) -> Refusal:
    """The refusal of a job that goes to no queue."""
    names = tuple(queue.name for queue in config.queues)
    if not named:
        message = "no queue is named" if named is None else "the name of the queue is empty"
        if names and config.default is None:
            message += ", and none is the default"
    elif not names:
        message = f"queue {named} is not configured; there is only the queue without a name"
    else:
        near = nearest(named, names)
        message = f"queue {named} is not configured" + (f"; did you mean {near}?" if near else "")
    return refusal("queue", named or "", names, words, message, QUEUE, *names[:20])


def fill(job: Job, config: Config, queue: Queue) -> tuple[dict[str, Any], Refusal | None]:
    """The system attributes as Flux stores them in a queue, and why it could not fill them in.

    The default duration takes the place of 0, the name of the default queue is filled in, and
    what the queue requires is added to the constraint.
    """
    system = dict(job.system)
    wrong = None
    if config.ingest.defaults:
        if queue.name:
            system.setdefault("queue", queue.name)
        setting = queue.policy.get("defaults.duration")
        if setting is not None and _unset(system.get("duration", 0)):
            if math.isinf(setting.value):
                wrong = _endless(setting)
            else:
                system["duration"] = setting.value
    if config.ingest.constraints and queue.requires is not None:
        system["constraints"] = joined(system.get("constraints"), queue.requires)
    return system, wrong


def _unset(duration: object) -> bool:
    """Whether a duration counts as none."""
    return duration == 0 and not isinstance(duration, bool)


def _endless(setting: Setting) -> Refusal:
    words = "duration must be a normal, finite value"
    message = f"a job without a duration gets an infinite one, which Flux refuses ({setting.path})"
    return refusal("default duration", None, setting.value, words, message, DURATION, "a duration")


def joined(asked: Mapping[str, Any] | None, requires: Mapping[str, Any]) -> dict[str, Any]:
    """A job's constraint and what its queue requires, both at once.

    Properties are added to those the job has at the top, each once; anything else goes with the
    constraint into an ``and``. What comes in is not changed.
    """
    if asked is None:
        return dict(requires)
    if "properties" in requires and "properties" in asked:
        names = list(asked["properties"])
        for name in requires["properties"]:
            if name not in names:
                names.append(name)
        return {**asked, "properties": names}
    return {"and": [dict(asked), dict(requires)]}
