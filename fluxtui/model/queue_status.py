"""The status of queues: what takes jobs, and what schedules them (RFC 33, "Queue Status")."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.queues import RULE, Config
from fluxtui.notation.problem import Parsed, at

#: What ``blocked`` may say so far; any other word means as much as that something blocks.
BLOCKED = {"scheduler": "no scheduler is loaded", "parent": "its parent queue is stopped"}

_REASONS = ("disable_reason", "stop_reason", "blocked", "parent")


@dataclass(frozen=True, slots=True)
class Status:
    """The status of one queue.

    enabled         jobs may be submitted
    started         jobs are scheduled
    disable_reason  why no jobs may be submitted
    stop_reason     why none are scheduled
    blocked         what keeps a queue that nobody stopped from scheduling: ``scheduler``,
                    ``parent``, or a word of later days
    parent          the queue behind a virtual queue
    """

    enabled: bool = True
    started: bool = True
    disable_reason: str | None = None
    stop_reason: str | None = None
    blocked: str | None = None
    parent: str | None = None

    @property
    def started_itself(self) -> bool:
        """Nobody stopped this queue, whatever blocks it."""
        return self.started or self.blocked is not None

    @property
    def why_stopped(self) -> str:
        """Why no jobs are scheduled, in a few words; empty where they are."""
        if self.started:
            return ""
        if self.stop_reason:
            return self.stop_reason
        if self.blocked is not None:
            return BLOCKED.get(self.blocked, f"blocked by '{self.blocked}'")
        return "stopped"


def read_status(document: object) -> Parsed[dict[str, Status]]:
    """Read the status of queues, by name; the anonymous queue has the name ``""``.

    The document is an object with the status of each queue under its name, the status of the
    anonymous queue alone, or an array of statuses with their names, as Flux saves them. Never
    raises; what is malformed is left out.
    """
    report = Report(RULE)
    entries: list[tuple[str, str, Any]] = []  # the name of a queue, the path and the status
    if isinstance(document, list):
        for number, body in enumerate(document):
            path = at("", number)
            name = body.get("name", "") if isinstance(body, dict) else ""
            if isinstance(name, str):
                entries.append((name, path, body))
            else:
                report.error(f"the name of a queue is a string; found {shown(name)}", path)
    elif not isinstance(document, dict):
        report.error(f"a status is an object; found {shown(document)}", "", '{"enable": true}')
    elif any(not isinstance(document.get(key, {}), dict) for key in ("enable", "start")):
        entries = [("", "", document)]
    else:
        entries = [(str(name), at("", str(name)), body) for name, body in document.items()]
    found: dict[str, Status] = {}
    for name, path, body in entries:
        status = _read_one(body, path, report)
        if status is not None:
            found[name] = status
    return Parsed(found, report.problems)


def _read_one(body: object, path: str, report: Report) -> Status | None:
    """One status object; None where its required keys are not right."""
    if not isinstance(body, dict):
        report.error(f"the status of a queue is an object; found {shown(body)}", path, "an object")
        return None
    flags: dict[str, bool] = {}
    for key in ("enable", "start"):
        value = body.get(key)
        if isinstance(value, bool):
            flags[key] = value
        elif key in body:
            report.error(f"{key} is true or false; found {shown(value)}", at(path, key))
        else:
            report.error(f"the status of a queue has no '{key}'", path, key)
    words: dict[str, str] = {}
    for key in _REASONS:
        value = body.get(key)
        if value is not None and report.is_string(value, key, at(path, key), ""):
            words[key] = value
    if len(flags) < 2:
        return None
    if flags["start"] and "blocked" in words:
        message = f"a queue that is started is not blocked; found '{words.pop('blocked')}'"
        report.error(message, at(path, "blocked"), "start = false")
    if not flags["enable"] and "disable_reason" not in words:
        report.warning("a disabled queue says why in disable_reason", path, "disable_reason")
    return Status(flags["enable"], flags["start"], **words)


def effective(config: Config, statuses: Mapping[str, Status]) -> dict[str, Status]:
    """The statuses as they come out: a virtual queue schedules only where its parent does.

    statuses may hold those of queues as they were set or as Flux reports them; a queue without
    one is enabled and started. The result has every queue of the configuration (the anonymous
    one where it has none), and the statuses of others as they are.
    """
    if not config.queues:
        return {"": Status(), **statuses}
    found = {queue.name: statuses.get(queue.name, Status()) for queue in config.queues}
    for queue in config.queues:
        if queue.parent is not None:
            found[queue.name] = _beside(found[queue.name], queue.parent, found.get(queue.parent))
    return {**statuses, **found}


def _beside(own: Status, name: str, parent: Status | None) -> Status:
    """The status of a virtual queue beside that of its parent, if it is known."""
    own = replace(own, parent=name)
    if parent is None or not own.started_itself:
        return own
    if parent.started:
        if own.blocked != "parent":
            return own
        return replace(own, started=True, blocked=None, stop_reason=None)
    if parent.blocked is not None:  # what blocks the parent blocks what stands on it
        return replace(own, started=False, blocked=parent.blocked, stop_reason=parent.why_stopped)
    why = f"parent queue '{name}' is stopped"
    return replace(own, started=False, blocked="parent", stop_reason=why)
