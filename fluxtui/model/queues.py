"""Queues and policy of a Flux configuration (RFC 33), with both forms of ``requires``.

A configuration is passed in as the plain tables that a TOML or JSON parser returns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from fluxtui.model.constraint import tree
from fluxtui.model.documents.report import Report
from fluxtui.model.property_name import ALLOWED, illegal_words
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import duration
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import (
    Parsed,
    Problem,
    WithProblems,
    at,
    nearest,
    shortened,
)
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hostlist import Builder, HostList

RULE = "RFC 33"

#: Code: there are several queues and no default, which Flux accepts.
NO_DEFAULT = "no-default-queue"
#: Code: RFC 33 allows this and flux-core refuses it.
REFUSED = "refused-by-flux-core"

#: Hosts of longer lists are only counted, not looked up one by one.
MAX_NAMED = 20_000

# How many missing properties a message lists, and how many queues a problem suggests.
_MOST, _MOST_EXPECTED = 5, 20


@dataclass(frozen=True, slots=True)
class Setting:
    """An effective value, durations in seconds, and its path in the configuration."""

    value: Any
    path: str


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue with the policy that applies to its jobs; the anonymous queue's name is empty.

    requires  the RFC 31 object added to every job, from ``requires`` or ``hosts`` of the queue or
              of its parent; for an empty array ``{"properties": []}``, which Flux adds too
    hosts     the hostlist that declares its members, or ``all``
    parent    the queue behind a virtual queue
    policy    settings by key; the queue's override its parent's, which override the global ones:
              ``limits.duration``, ``limits.job-size.max.nnodes`` etc. (-1 is unlimited),
              ``defaults.duration``, ``access.allow-user``, ``access.allow-group``
    """

    name: str
    requires: dict[str, Any] | None = None
    hosts: str | None = None
    parent: str | None = None
    policy: Mapping[str, Setting] = field(default_factory=dict)

    def under(self, prefix: str) -> dict[str, Setting]:
        """Return the settings of one table, such as ``limits``, keyed without that prefix."""
        start = f"{prefix}."
        return {k.removeprefix(start): s for k, s in self.policy.items() if k.startswith(start)}

    def is_kin(self, other: "Queue") -> bool:
        """Whether both are the same queue, or share a parent, or one is the other's parent."""
        return (self.parent or self.name) == (other.parent or other.name)


@dataclass(frozen=True, slots=True)
class Ingest:
    """What Flux does to a job at submission (flux-config-ingest(5)): fill in the default queue
    and duration, add what the queue requires, ask the scheduler whether the job is feasible.
    """

    defaults: bool = True
    constraints: bool = True
    feasibility: bool = False


@dataclass(frozen=True, slots=True)
class Config(WithProblems):
    """The queues of a configuration, in document order; default is for jobs that name no queue.

    Without queues, jobs go to the anonymous queue, which has the global policy. table is the whole
    configuration.
    """

    queues: tuple[Queue, ...] = ()
    default: str | None = None
    anonymous: Queue = Queue("")
    problems: tuple[Problem, ...] = ()
    ingest: Ingest = field(default_factory=Ingest)
    table: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def queue(self, name: str | None) -> Queue | None:
        """The queue of this name, or None; without a name the default or the anonymous queue."""
        if not self.queues:
            return self.anonymous if not name else None
        wanted = name or self.default
        return next((queue for queue in self.queues if queue.name == wanted), None)

    def children(self, name: str) -> tuple[Queue, ...]:
        """The virtual queues whose parent is this queue."""
        return tuple(queue for queue in self.queues if queue.parent == name)


def read_config(table: object) -> Config:
    """Read the queues and the policy of a Flux configuration. Never raises."""
    report = Report(RULE)
    if not isinstance(table, dict):
        report.wrong("a configuration is a table", table, "", "a table")
        return Config(problems=report.problems)
    common = _read_policy(table.get("policy", {}), "policy", report)
    raw = table.get("queues", {})
    if not isinstance(raw, dict):
        report.wrong("queues is a table of queues", raw, "queues", "[queues.NAME]")
        raw = {}
    bodies = {str(name): body for name, body in raw.items()}
    plain = {name: _read_queue(name, body, report) for name, body in bodies.items()}
    queues = tuple(
        _inherit(queue, plain, bodies[queue.name], common, report) for queue in plain.values()
    )
    default = common.get("defaults.queue")
    path = "policy.jobspec.defaults.system.queue"
    names = tuple(islice(plain, _MOST_EXPECTED))
    if default is None and len(plain) > 1:
        message = f"{len(plain)} queues and no default; Flux accepts this and refuses jobs that "
        message += "name no queue"
        report.error(message, path, *names, code=NO_DEFAULT)
    elif default is not None and default.value not in plain:
        hint = report.hint(default.value, plain)
        report.error(f"default queue '{default.value}' is not configured{hint}", path, *names)
    default_name = None if default is None else str(default.value)
    anonymous, ingest = Queue("", policy=common), _read_ingest(table)
    return Config(queues, default_name, anonymous, report.problems, ingest, table)


def _read_queue(name: str, body: object, report: Report) -> Queue:
    """Read a queue as written, without its parent's settings and the global policy."""
    path = at("queues", name)
    if not isinstance(body, dict):
        report.wrong(f"queue '{name}' is a table", body, path, "a table")
        return Queue(name)
    report.check_keys(body, "a queue", path, "requires", "policy", "hosts", "parent")
    texts = _strings(body, path, report, "hosts", "parent")
    hosts, parent = texts.get("hosts"), texts.get("parent")
    if hosts is not None and "requires" in body:
        report.error("a queue has hosts or requires, not both", path, "hosts", "requires")
    requires = _requires(body.get("requires"), at(path, "requires"), report)
    if hosts is not None:
        requires = {"properties": [f"+{name}"]}
    if hosts is not None and hosts != "all":
        where, parsed = at(path, "hosts"), hostlist.parse(hosts)
        report.take(parsed.problems, where)
        if parsed.ok and not parsed.value:
            report.error("hosts names no host", where, "a hostlist", "all")
    policy = _read_policy(body.get("policy", {}), at(path, "policy"), report)
    default = policy.pop("defaults.queue", None)
    if default is not None:
        report.error("a queue does not name the default queue", default.path)
    return Queue(name, requires, hosts, parent, policy)


def _strings(body: dict[str, Any], path: str, report: Report, *keys: str) -> dict[str, str]:
    """Return the strings found under these keys; another value is reported and left out."""
    strings: dict[str, str] = {}
    for key in keys:
        value = body.get(key)
        if value is not None and report.is_string(value, key, at(path, key), ""):
            strings[key] = value
    return strings


def _requires(value: object, path: str, report: Report) -> dict[str, Any] | None:
    """Return the RFC 31 object for ``requires``, an array of properties or a constraint table."""
    if value is None:
        return None
    if isinstance(value, dict):
        parsed = tree.read(value, path)
        for problem in parsed.problems:
            report.add(replace(problem, span=None))
        message = "today's RFC 33 takes an array of properties here, not a constraint table"
        report.warning(message, path)
        return value if parsed.ok else None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        message = f"requires is an array of property names; found {_entries_shown(value)}"
        report.error(message, path, '["NAME", ...]')
        return None
    for number, name in enumerate(value):
        if wrong := illegal_words(name.removeprefix("^"), name):
            report.error(wrong, at(path, number), ALLOWED)
        elif " " in name or "\t" in name:
            message = f"property name '{name}' holds white space, which flux-core refuses here"
            report.warning(message, at(path, number), code=REFUSED)
    return {"properties": list(value)}


def _inherit(
    queue: Queue, queues: dict[str, Queue], body: object, common: dict[str, Setting], report: Report
) -> Queue:
    """Return the queue with the settings of its parent and the global policy added."""
    base = {key: setting for key, setting in common.items() if key != "defaults.queue"}
    if queue.parent is None:
        return replace(queue, policy={**base, **queue.policy})
    path = at("queues", queue.name)
    parent, where = queues.get(queue.parent), at(path, "parent")
    if parent is None:
        hint = report.hint(queue.parent, queues)
        message = f"parent queue '{queue.parent}' is not configured{hint}"
        report.error(message, where, *islice(queues, _MOST_EXPECTED))
    elif parent is queue:
        report.error(f"queue '{queue.name}' is its own parent", where, "another queue")
    elif parent.parent is not None:
        report.error(f"parent queue '{parent.name}' is itself a virtual queue", where)
    for key in ("requires", "hosts"):
        if isinstance(body, dict) and key in body:
            report.error(f"a virtual queue has no {key} of its own", at(path, key))
    if "scheduler" in queue.policy:
        report.error("a virtual queue has no scheduler policy", queue.policy["scheduler"].path)
    if parent is None or parent is queue:
        return replace(queue, policy={**base, **queue.policy})
    policy = {**base, **parent.policy, **queue.policy}
    return replace(queue, requires=parent.requires, policy=policy)


# Policy


def _read_policy(table: object, path: str, report: Report) -> dict[str, Setting]:
    """Read a policy table as settings by key; see `Queue`."""
    out: dict[str, Setting] = {}
    body = _table(table, path, report, ("jobspec", "limits", "access", "scheduler"))
    system, where = body, path
    for table_name, keys in (
        ("jobspec", ("defaults",)),
        ("defaults", ("system",)),
        ("system", ("duration", "queue")),
    ):
        where = at(where, table_name)
        system = _table(system.get(table_name, {}), where, report, keys)
    _read_duration(system, where, "defaults.duration", out, report)
    queue = system.get("queue")
    if isinstance(queue, str):
        out["defaults.queue"] = Setting(queue, at(where, "queue"))
    elif "queue" in system:
        report.wrong("the default queue is a string", queue, at(where, "queue"), "a queue name")
    where = at(path, "limits")
    limits = _table(body.get("limits", {}), where, report, ("job-size", "duration"))
    _read_duration(limits, where, "limits.duration", out, report)
    where = at(where, "job-size")
    bounds = _table(limits.get("job-size", {}), where, report, ("max", "min"))
    for bound, sizes in bounds.items():
        counts = _table(sizes, at(where, bound), report, ("nnodes", "ncores", "ngpus"))
        for key, value in counts.items():
            place = at(where, bound, key)
            if isinstance(value, int) and not isinstance(value, bool) and value >= -1:
                out[f"limits.job-size.{bound}.{key}"] = Setting(value, place)
            else:
                what = f"{key} is a whole number of 0 or more"
                report.wrong(what, value, place, "-1 for no limit")
    where = at(path, "access")
    access = _table(body.get("access", {}), where, report, ("allow-user", "allow-group"))
    for key, value in access.items():
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            out[f"access.{key}"] = Setting(tuple(value), at(where, key))
        else:
            message = f"{key} is an array of names; found {_entries_shown(value)}"
            report.error(message, at(where, key), '["NAME", ...]')
    if "scheduler" in body:
        out["scheduler"] = Setting(body["scheduler"], at(path, "scheduler"))
    return out


def _table(raw: object, path: str, report: Report, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the entries of a table with these keys; any other is reported as an error."""
    if not isinstance(raw, dict):
        report.wrong(f"{path} is a table", raw, path, "a table")
        return {}
    report.check_keys(raw, path, path, *keys)
    return {key: raw[key] for key in keys if key in raw}


def _read_duration(
    body: dict[str, Any], path: str, key: str, out: dict[str, Setting], report: Report
) -> None:
    if "duration" not in body:
        return
    value, where = body["duration"], at(path, "duration")
    if not isinstance(value, str):
        report.wrong("duration is a string", value, where, "a duration such as '1h'")
        return
    parsed = duration.parse(value)
    report.take(parsed.problems, where)
    if parsed.value is not None and parsed.ok:
        out[key] = Setting(parsed.value, where)


def _entries_shown(value: object) -> str:
    """Describe a value that is not an array of strings, in a few words."""
    if not isinstance(value, list):
        return shown(value)
    return f"{next(shown(v) for v in value if not isinstance(v, str))} in it"


def _read_ingest(table: Mapping[str, Any]) -> Ingest:
    """Read which ingest steps a configuration enables; malformed entries are ignored."""

    def inner(*keys: str) -> Mapping[str, Any]:
        part = table
        for key in keys:
            value = part.get(key)
            part = value if isinstance(value, dict) else {}
        return part

    def plugins(of: Mapping[str, Any]) -> list[str]:
        """List the plugins of an array; an entry may hold several, separated by commas."""
        value = of.get("plugins")
        entries = value if isinstance(value, list) else ()
        return [name for entry in entries if isinstance(entry, str) for name in entry.split(",")]

    frobnicator = inner("ingest", "frobnicator")  # which fills in jobs
    listed = plugins(frobnicator)
    wanted = listed or "queues" in table or "defaults" in inner("policy", "jobspec")
    on = bool(wanted) and frobnicator.get("disable") is not True
    return Ingest(
        defaults=on and (not listed or "defaults" in listed),
        constraints=on and (not listed or "constraints" in listed),
        feasibility="feasibility" in plugins(inner("ingest", "validator")),
    )


# Members


def membership(config: Config, resources: Resources) -> tuple[Resources, tuple[Problem, ...]]:
    """Return the resources with the property ``+NAME`` on the hosts of each queue that has hosts.

    The problems name hosts that are not in the cluster, and required properties no node has.
    """
    report = Report(RULE)
    added: dict[str, int] = {}
    for queue in config.queues:
        if queue.hosts is None or queue.parent is not None:
            continue
        mask = resources.everything
        if queue.hosts != "all":
            parsed = hostlist.parse(queue.hosts)
            mask = resources.mask_of_hosts(parsed.value)
            if parsed.ok:
                _check_hosts(queue.name, parsed.value, mask, resources, report)
        added[f"+{queue.name}"] = mask
    if added:
        resources = resources.with_properties({**resources.properties, **added})
    for queue in config.queues:
        names = lacking(queue, resources) if queue.hosts is None and queue.parent is None else ()
        if names and resources.node_count:
            path = at("queues", queue.name, "requires")
            report.warning(f"queue '{queue.name}' {unmet_requirement(names)}", path)
    return resources, report.problems


def lacking(queue: Queue, resources: Resources) -> tuple[str, ...]:
    """The properties that a queue requires and no node has, once `membership` has been applied.

    Only top-level ``properties`` count, not those inside an operator, and no negated one.
    """
    names = (queue.requires or {}).get("properties")
    return tuple(
        name
        for name in (names if isinstance(names, list | tuple) else ())
        if isinstance(name, str) and name[:1] != "^" and not resources.properties.get(name)
    )


def unmet_requirement(names: Sequence[str]) -> str:
    """Return the end of a sentence about a queue that requires properties which no node has."""
    listed = ", ".join(f"'{name}'" for name in names[:_MOST])
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return f"requires {listed}{more}, which no node has"


def _check_hosts(
    name: str, hosts: HostList, mask: int, resources: Resources, report: Report
) -> None:
    path = at("queues", name, "hosts")
    if not mask:
        report.error(f"no host of queue '{name}' is in the cluster", path)
        return
    if hosts.count > MAX_NAMED:
        missing = hosts.count - mask.bit_count()
        if missing > 0:
            report.error(f"{missing:,} of {hosts.count:,} hosts are not in the cluster", path)
        return
    index = resources.host_index
    names = [host for host in dict.fromkeys(hosts) if not index.places(host)]
    if names:
        builder = Builder()
        builder.names(names)
        which = hostlist.format(builder.done(), 5)
        message = f"host {which} is not in the cluster"
        if len(names) > 1:
            message = f"{len(names):,} hosts are not in the cluster: {which}"
        report.error(message, path)


# Status


@dataclass(frozen=True, slots=True)
class Status:
    """The status of one queue: if enabled, jobs may be submitted; if started, they are scheduled.

    blocked says why a queue that nobody stopped does not schedule: ``scheduler``, ``parent``, or a
    word unknown to this version. parent is the queue behind a virtual queue.
    """

    enabled: bool = True
    started: bool = True
    disable_reason: str | None = None
    stop_reason: str | None = None
    blocked: str | None = None
    parent: str | None = None

    @property
    def started_itself(self) -> bool:
        """Whether nobody stopped this queue, even if something else blocks it."""
        return self.started or self.blocked is not None

    @property
    def why_stopped(self) -> str:
        """Why no jobs are scheduled, in a few words; empty if they are."""
        if self.started:
            return ""
        if self.stop_reason:
            return self.stop_reason
        if self.blocked is not None:
            known = {"scheduler": "no scheduler is loaded", "parent": "its parent queue is stopped"}
            return known.get(self.blocked, f"blocked by '{self.blocked}'")
        return "stopped"


def read_status(document: object) -> Parsed[dict[str, Status]]:
    """Read the statuses of queues, by name; the anonymous queue has the name ``""``.

    The document is an object with a status for each name, the bare status of the anonymous queue,
    or an array as Flux saves it. Never raises; malformed statuses are left out.
    """
    report = Report(RULE)
    entries: list[tuple[str, str, Any]] = []  # queue name, path, status
    if isinstance(document, list):
        for number, body in enumerate(document):
            path = at("", number)
            name = body.get("name", "") if isinstance(body, dict) else ""
            if isinstance(name, str):
                entries.append((name, path, body))
            else:
                report.wrong("the name of a queue is a string", name, path)
    elif not isinstance(document, dict):
        report.wrong("a status is an object", document, "", '{"enable": true}')
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
    if not isinstance(body, dict):
        report.wrong("the status of a queue is an object", body, path, "an object")
        return None
    flags: dict[str, bool] = {}
    for key in ("enable", "start"):
        value = body.get(key)
        if isinstance(value, bool):
            flags[key] = value
        elif key in body:
            report.wrong(f"{key} is true or false", value, at(path, key))
        else:
            near = nearest(key, [name for name in body if isinstance(name, str)])
            but = f", but '{shortened(near)}'" if near else ""
            report.error(f"the status of a queue has no '{key}'{but}", path, key)
    words = _strings(body, path, report, "disable_reason", "stop_reason", "blocked", "parent")
    if len(flags) < 2:
        return None
    if flags["start"] and "blocked" in words:
        message = f"a queue that is started is not blocked; found '{words.pop('blocked')}'"
        report.error(message, at(path, "blocked"), "start = false")
    if not flags["enable"] and "disable_reason" not in words:
        report.warning("a disabled queue says why in disable_reason", path, "disable_reason")
    return Status(flags["enable"], flags["start"], **words)


def effective(config: Config, statuses: Mapping[str, Status]) -> dict[str, Status]:
    """Return the effective statuses: a virtual queue schedules only if its parent does.

    A queue without a status is enabled and started; statuses of unknown queues are kept.
    """
    if not config.queues:
        return {"": Status(), **statuses}
    found = {queue.name: statuses.get(queue.name, Status()) for queue in config.queues}
    for queue in config.queues:
        if queue.parent is None:
            continue
        status, parent = replace(found[queue.name], parent=queue.parent), found.get(queue.parent)
        if parent is not None and status.started_itself:
            if not parent.started:
                # Whatever blocks the parent also blocks its virtual queues.
                blocked, why = "parent", f"parent queue '{queue.parent}' is stopped"
                if parent.blocked is not None:
                    blocked, why = parent.blocked, parent.why_stopped
                status = replace(status, started=False, blocked=blocked, stop_reason=why)
            elif status.blocked == "parent":
                status = replace(status, started=True, blocked=None, stop_reason=None)
        found[queue.name] = status
    return {**statuses, **found}
