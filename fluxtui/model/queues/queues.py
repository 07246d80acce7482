"""Queues and policy of a Flux configuration (RFC 33), in both forms of ``requires``.

A configuration comes in as the plain tables that TOML or JSON gives.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from fluxtui.model.constraint import tree
from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.queues.policy import (
    Ingest,
    Setting,
    entries_shown,
    merged,
    read_ingest,
    read_policy,
)
from fluxtui.model.resources.execution import ILLEGAL
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import hostlist

RULE = "RFC 33"

_KEYS = ("requires", "policy", "hosts", "parent")


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue with the policy that counts for its jobs.

    name      empty for the anonymous queue of a configuration without queues
    requires  the RFC 31 object added to every job, from ``requires`` or ``hosts`` of the
              queue or of its parent; None where nothing is added, and of an empty array
              ``{"properties": []}``, which Flux adds
    hosts     the hostlist, or ``all``, that declares its members; None where it has none
    parent    the queue behind a virtual queue; None for others
    policy    settings by key, own before parent before global: ``limits.duration``
              (seconds), ``limits.job-size.max.nnodes`` and the like (-1 is unlimited),
              ``defaults.duration`` (seconds), ``access.allow-user``, ``access.allow-group``
    """

    name: str
    requires: dict[str, Any] | None = None
    hosts: str | None = None
    parent: str | None = None
    policy: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def limits(self) -> dict[str, Setting]:
        """The limits alone, such as ``duration`` and ``job-size.max.nnodes``."""
        return self._under("limits.")

    @property
    def defaults(self) -> dict[str, Setting]:
        """The defaults of jobs alone: ``duration``."""
        return self._under("defaults.")

    @property
    def restricted(self) -> bool:
        """Only some users or groups may submit."""
        return "access.allow-user" in self.policy or "access.allow-group" in self.policy

    def is_kin(self, other: "Queue") -> bool:
        """Both queues are one, or one is behind the other, or the same one is behind both."""
        return (self.parent or self.name) == (other.parent or other.name)

    def _under(self, prefix: str) -> dict[str, Setting]:
        return {
            key.removeprefix(prefix): setting
            for key, setting in self.policy.items()
            if key.startswith(prefix)
        }


@dataclass(frozen=True, slots=True)
class Config:
    """The queues of a configuration, in document order.

    default    the queue of jobs that name none; None where there is none
    anonymous  the queue of jobs where there is no named one; its policy is the global one
    ingest     what Flux does to a job before it asks the queue
    """

    queues: tuple[Queue, ...] = ()
    default: str | None = None
    anonymous: Queue = Queue("")
    problems: tuple[Problem, ...] = ()
    ingest: Ingest = field(default_factory=Ingest)

    @property
    def ok(self) -> bool:
        """No problem is an error (warnings may stand)."""
        return not any(p.severity == "error" for p in self.problems)

    def queue(self, name: str | None) -> Queue | None:
        """The queue of this name; of no name the default or anonymous one, if there is one."""
        if not self.queues:
            return self.anonymous if not name else None
        wanted = name or self.default
        return next((queue for queue in self.queues if queue.name == wanted), None)

    def children(self, name: str) -> tuple[Queue, ...]:
        """The virtual queues that this queue backs."""
        return tuple(queue for queue in self.queues if queue.parent == name)


def read_config(table: object) -> Config:
    """Read the queues and the policy of a Flux configuration.

    Never raises. Other tables are left alone (for the nodes see
    `fluxtui.model.resources.resource_table`). Problems have paths such as
    ``queues.batch.policy.limits.duration``.
    """
    report = Report(RULE)
    if not isinstance(table, dict):
        report.error(f"a configuration is a table; found {shown(table)}", "", "a table")
        return Config(problems=report.problems)
    common = read_policy(table.get("policy", {}), "policy", report)
    raw = table.get("queues", {})
    if not isinstance(raw, dict):
        report.error(f"queues is a table of queues; found {shown(raw)}", "queues", "[queues.NAME]")
        raw = {}
    own = {str(name): _read_queue(str(name), body, report) for name, body in raw.items()}
    bodies = {str(name): body for name, body in raw.items()}
    queues = tuple(_inherit(queue, own, bodies, common, report) for queue in own.values())
    default = _default(common, own, report)
    return Config(
        queues,
        default,
        Queue("", policy=common),
        report.problems,
        read_ingest(table),
    )


def _read_queue(name: str, body: object, report: Report) -> Queue:
    """A queue as it is written, before its parent and the global policy count."""
    path = at("queues", name)
    if not isinstance(body, dict):
        report.error(f"queue '{name}' is a table; found {shown(body)}", path, "a table")
        return Queue(name)
    for key in body:
        if key not in _KEYS:
            hint = report.hint(str(key), _KEYS)
            report.error(f"a queue has no key '{key}'{hint}", at(path, str(key)), *_KEYS)
    hosts = _string(body, "hosts", path, report)
    parent = _string(body, "parent", path, report)
    if hosts is not None and "requires" in body:
        report.error("a queue has hosts or requires, not both", path, "hosts", "requires")
    requires = _requires(body.get("requires"), at(path, "requires"), report)
    if hosts is not None:
        _check_hosts(hosts, at(path, "hosts"), report)
        requires = {"properties": [f"+{name}"]}
    policy = read_policy(body.get("policy", {}), at(path, "policy"), report)
    named = policy.pop("defaults.queue", None)
    if named is not None:
        report.error("a queue does not name the default queue", named.path)
    return Queue(name, requires, hosts, parent, policy)


def _string(body: dict[str, Any], key: str, path: str, report: Report) -> str | None:
    value = body.get(key)
    if value is None or isinstance(value, str):
        return value
    report.error(f"{key} is a string; found {shown(value)}", at(path, key), "a string")
    return None


def _check_hosts(hosts: str, path: str, report: Report) -> None:
    if hosts == "all":
        return
    parsed = hostlist.parse(hosts)
    for problem in parsed.problems:
        report.add(replace(problem, span=None, path=path))
    if parsed.ok and not parsed.value:
        report.error("hosts names no host", path, "a hostlist", "all")


def _requires(value: object, path: str, report: Report) -> dict[str, Any] | None:
    """The RFC 31 object that ``requires`` stands for: an array of properties, or a table."""
    if value is None:
        return None
    if isinstance(value, dict):
        parsed = tree.read(value, path)
        for problem in parsed.problems:
            report.add(replace(problem, span=None))
        report.warning(
            "today's RFC 33 takes an array of properties here, not a constraint table", path
        )
        return value if parsed.ok else None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        report.error(
            f"requires is an array of property names; found {entries_shown(value)}",
            path,
            '["NAME", ...]',
        )
        return None
    for number, name in enumerate(value):
        wrong = sorted(ILLEGAL.intersection(name.removeprefix("^")))
        if wrong:
            message = f"property name '{name}' holds '{wrong[0]}', which no property name may"
            report.error(message, at(path, number), "none of ! & ' \" ^ ` | ( )")
        elif " " in name or "\t" in name:
            message = f"property name '{name}' holds white space, which flux-core refuses here"
            report.warning(message, at(path, number))
    return {"properties": list(value)}


def _inherit(
    queue: Queue,
    own: dict[str, Queue],
    bodies: dict[str, Any],
    common: dict[str, Setting],
    report: Report,
) -> Queue:
    """The queue with what its parent and the global policy add."""
    base = {key: setting for key, setting in common.items() if key != "defaults.queue"}
    if queue.parent is None:
        return replace(queue, policy=merged(base, queue.policy))
    path = at("queues", queue.name)
    parent = own.get(queue.parent)
    where = at(path, "parent")
    if parent is None:
        hint = report.hint(queue.parent, own)
        message = f"parent queue '{queue.parent}' is not configured{hint}"
        report.error(message, where, *islice(own, 20))
    elif parent is queue:
        report.error(f"queue '{queue.name}' is its own parent", where, "another queue")
    elif parent.parent is not None:
        report.error(f"parent queue '{parent.name}' is itself a virtual queue", where)
    body = bodies.get(queue.name)
    for key in ("requires", "hosts"):
        if isinstance(body, dict) and key in body:
            report.error(f"a virtual queue has no {key} of its own", at(path, key))
    if "scheduler" in queue.policy:
        report.error("a virtual queue has no scheduler policy", queue.policy["scheduler"].path)
    if parent is None or parent is queue:
        return replace(queue, policy=merged(base, queue.policy))
    return replace(
        queue,
        requires=parent.requires,
        policy=merged(base, parent.policy, queue.policy),
    )


def _default(common: dict[str, Setting], queues: dict[str, Queue], report: Report) -> str | None:
    setting = common.get("defaults.queue")
    path = "policy.jobspec.defaults.system.queue"
    if setting is not None:
        name = str(setting.value)
        if name not in queues:
            hint = report.hint(name, queues)
            message = f"default queue '{name}' is not configured{hint}"
            report.error(message, path, *islice(queues, 20))
        return name
    if len(queues) > 1:
        report.error(
            f"{len(queues)} queues and none of them is the default; Flux takes this and "
            "refuses jobs that name no queue",
            path,
            *islice(queues, 20),
        )
    return None
