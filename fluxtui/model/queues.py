"""Queues and policy of a Flux configuration (RFC 33), in both forms of ``requires``.

A configuration comes in as the plain tables that TOML or JSON gives.
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
from fluxtui.notation.problem import Parsed, Problem, WithProblems, at
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hostlist import Builder, HostList

RULE = "RFC 33"

#: Several queues, and none of them is the default: Flux takes that.
NO_DEFAULT = "no-default-queue"
#: What RFC 33 takes, and flux-core does not.
REFUSED = "refused-by-flux-core"

#: Hosts of longer lists are counted, not looked up one by one.
MAX_NAMED = 20_000

# Properties that are named of those that no node has, and queues of those that could be meant.
_MOST, _MOST_EXPECTED = 5, 20


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that counts, durations in seconds, and where in the configuration it is."""

    value: Any
    path: str


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue with the policy that counts for its jobs; the anonymous queue has no name.

    requires  the RFC 31 object added to every job, from ``requires`` or ``hosts`` of the queue or
              of its parent; of an empty array ``{"properties": []}``, which Flux adds
    hosts     the hostlist, or ``all``, that declares its members
    parent    the queue behind a virtual queue
    policy    settings by key, own before parent before global: ``limits.duration``,
              ``limits.job-size.max.nnodes`` and the like (-1 is unlimited), ``defaults.duration``,
              ``access.allow-user``, ``access.allow-group``
    """

    name: str
    requires: dict[str, Any] | None = None
    hosts: str | None = None
    parent: str | None = None
    policy: Mapping[str, Setting] = field(default_factory=dict)

    def under(self, prefix: str) -> dict[str, Setting]:
        """The settings of one table, such as ``limits``, by what follows it in their keys."""
        start = f"{prefix}."
        return {k.removeprefix(start): s for k, s in self.policy.items() if k.startswith(start)}

    def is_kin(self, other: "Queue") -> bool:
        """Both queues are one, or one is behind the other, or the same one is behind both."""
        return (self.parent or self.name) == (other.parent or other.name)


@dataclass(frozen=True, slots=True)
class Ingest:
    """What Flux does to a job first (flux-config-ingest(5)): it fills in the default queue and
    duration, adds what the queue requires, and asks the scheduler whether there is room at all.
    """

    defaults: bool = True
    constraints: bool = True
    feasibility: bool = False


@dataclass(frozen=True, slots=True)
class Config(WithProblems):
    """The queues of a configuration, in document order; default is that of jobs that name none.

    Where there are no queues jobs go to the anonymous one, whose policy is the global one. table is
    the whole configuration.
    """

    queues: tuple[Queue, ...] = ()
    default: str | None = None
    anonymous: Queue = Queue("")
    problems: tuple[Problem, ...] = ()
    ingest: Ingest = field(default_factory=Ingest)
    table: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

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
    own = {name: _read_queue(name, body, report) for name, body in bodies.items()}
    queues = tuple(
        _inherit(queue, own, bodies[queue.name], common, report) for queue in own.values()
    )
    default = common.get("defaults.queue")
    path = "policy.jobspec.defaults.system.queue"
    names = tuple(islice(own, _MOST_EXPECTED))
    if default is None and len(own) > 1:
        message = f"{len(own)} queues and none of them is the default; Flux takes this and "
        message += "refuses jobs that name no queue"
        report.error(message, path, *names, code=NO_DEFAULT)
    elif default is not None and default.value not in own:
        hint = report.hint(default.value, own)
        report.error(f"default queue '{default.value}' is not configured{hint}", path, *names)
    named = None if default is None else str(default.value)
    anonymous, ingest = Queue("", policy=common), _read_ingest(table)
    return Config(queues, named, anonymous, report.problems, ingest, table)


def _read_queue(name: str, body: object, report: Report) -> Queue:
    """A queue as it is written, before its parent and the global policy count."""
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
    named = policy.pop("defaults.queue", None)
    if named is not None:
        report.error("a queue does not name the default queue", named.path)
    return Queue(name, requires, hosts, parent, policy)


def _strings(body: dict[str, Any], path: str, report: Report, *keys: str) -> dict[str, str]:
    """The strings of these keys that are there."""
    found: dict[str, str] = {}
    for key in keys:
        value = body.get(key)
        if value is not None and report.is_string(value, key, at(path, key), ""):
            found[key] = value
    return found


def _requires(value: object, path: str, report: Report) -> dict[str, Any] | None:
    """The RFC 31 object that ``requires`` means: an array of properties, or a table."""
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
    queue: Queue, own: dict[str, Queue], body: object, common: dict[str, Setting], report: Report
) -> Queue:
    """The queue with what its parent and the global policy add."""
    base = {key: setting for key, setting in common.items() if key != "defaults.queue"}
    if queue.parent is None:
        return replace(queue, policy={**base, **queue.policy})
    path = at("queues", queue.name)
    parent, where = own.get(queue.parent), at(path, "parent")
    if parent is None:
        hint = report.hint(queue.parent, own)
        message = f"parent queue '{queue.parent}' is not configured{hint}"
        report.error(message, where, *islice(own, _MOST_EXPECTED))
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
    named = system.get("queue")
    if isinstance(named, str):
        out["defaults.queue"] = Setting(named, at(where, "queue"))
    elif "queue" in system:
        report.wrong("the default queue is a string", named, at(where, "queue"), "a queue name")
    where = at(path, "limits")
    limits = _table(body.get("limits", {}), where, report, ("job-size", "duration"))
    _read_duration(limits, where, "limits.duration", out, report)
    where = at(where, "job-size")
    bounds = _table(limits.get("job-size", {}), where, report, ("max", "min"))
    for bound, sizes in bounds.items():
        found = _table(sizes, at(where, bound), report, ("nnodes", "ncores", "ngpus"))
        for key, value in found.items():
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
    """The known entries of a table; others are errors."""
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
    """A value that is not an array of strings, in few words."""
    if not isinstance(value, list):
        return shown(value)
    return f"{next(shown(v) for v in value if not isinstance(v, str))} in it"


def _read_ingest(table: Mapping[str, Any]) -> Ingest:
    """The steps that a whole configuration asks for; what is malformed counts as not there."""

    def inner(*keys: str) -> Mapping[str, Any]:
        found = table
        for key in keys:
            value = found.get(key)
            found = value if isinstance(value, dict) else {}
        return found

    def plugins(of: Mapping[str, Any]) -> list[str]:
        """The plugins of an array; one entry may hold several with commas between."""
        value = of.get("plugins")
        entries = value if isinstance(value, list) else ()
        return [name for entry in entries if isinstance(entry, str) for name in entry.split(",")]

    frobnicator = inner("ingest", "frobnicator")  # which fills in jobs
    named = plugins(frobnicator)
    wanted = named or "queues" in table or "defaults" in inner("policy", "jobspec")
    on = bool(wanted) and frobnicator.get("disable") is not True
    return Ingest(
        defaults=on and (not named or "defaults" in named),
        constraints=on and (not named or "constraints" in named),
        feasibility="feasibility" in plugins(inner("ingest", "validator")),
    )


# Members


def membership(config: Config, resources: Resources) -> tuple[Resources, tuple[Problem, ...]]:
    """The resources with ``+NAME`` on the hosts of each queue that has hosts; problems name hosts
    that are not in the cluster, and what queues require and no node has.
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
            report.warning(f"queue '{queue.name}' {requires_in_vain(names)}", path)
    return resources, report.problems


def lacking(queue: Queue, resources: Resources) -> tuple[str, ...]:
    """The properties that a queue requires and no node has; members have theirs already.

    Only those of an array, or that a constraint lists: what it joins or negates is another matter.
    """
    names = (queue.requires or {}).get("properties")
    return tuple(
        name
        for name in (names if isinstance(names, list | tuple) else ())
        if isinstance(name, str) and name[:1] != "^" and not resources.properties.get(name)
    )


def requires_in_vain(names: Sequence[str]) -> str:
    """What to write after the name of a queue that requires properties which no node has."""
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
        found = Builder()
        found.names(names)
        which = hostlist.format(found.done(), 5)
        message = f"host {which} is not in the cluster"
        if len(names) > 1:
            message = f"{len(names):,} hosts are not in the cluster: {which}"
        report.error(message, path)


# Status


@dataclass(frozen=True, slots=True)
class Status:
    """The status of one queue: enabled, jobs may be submitted; started, jobs are scheduled.

    blocked is what keeps a queue that nobody stopped from scheduling: ``scheduler``, ``parent``, or
    a word of later days; parent the queue behind a virtual queue.
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
            known = {"scheduler": "no scheduler is loaded", "parent": "its parent queue is stopped"}
            return known.get(self.blocked, f"blocked by '{self.blocked}'")
        return "stopped"


def read_status(document: object) -> Parsed[dict[str, Status]]:
    """Read the status of queues, by name; the anonymous queue has the name ``""``.

    The document is an object of statuses by name, only the status of the anonymous queue, or an
    array as Flux saves them. Never raises; what is malformed is left out.
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
            report.error(f"the status of a queue has no '{key}'", path, key)
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
    """The statuses as they come out: a virtual queue schedules only where its parent does.

    A queue without one is enabled and started. Statuses of other queues stay as they are.
    """
    if not config.queues:
        return {"": Status(), **statuses}
    found = {queue.name: statuses.get(queue.name, Status()) for queue in config.queues}
    for queue in config.queues:
        if queue.parent is None:
            continue
        own, parent = replace(found[queue.name], parent=queue.parent), found.get(queue.parent)
        if parent is not None and own.started_itself:
            if not parent.started:
                # What blocks the parent blocks its virtual queues.
                blocked, why = "parent", f"parent queue '{queue.parent}' is stopped"
                if parent.blocked is not None:
                    blocked, why = parent.blocked, parent.why_stopped
                own = replace(own, started=False, blocked=blocked, stop_reason=why)
            elif own.blocked == "parent":
                own = replace(own, started=True, blocked=None, stop_reason=None)
        found[queue.name] = own
    return {**statuses, **found}
