"""A snapshot: the answers of a Flux instance at one moment, as a document that opens anywhere.

The document is an object with ``"snapshot": 1`` and the answers as Flux gave them:

``hello``         which instance it is, and as which user it was asked
``asked``         when each of the others was asked, in seconds since the epoch
``status``        from ``resource.status``: R (RFC 20), drain, online, offline, exclude, torpid
``allocated``     from ``resource.sched-status``: ``R`` of what is in use, ``of`` its ranks
``housekeeping``  from ``job-manager.stats-get``: nodes being cleaned up, by job id
``queues``        the status of each queue (RFC 33) by name
``config``        the configuration
``scheduling``    that part of R if it holds topologies (RFC 49), otherwise null
``scheduler``     the name of the scheduler module, null if there is none
``jobs``          the active jobs as in the job list
``users``         names by userid, as far as known
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model import queues
from fluxtui.model.documents.document import MAX_LEVELS
from fluxtui.model.documents.report import Report
from fluxtui.model.live import jobs, nodes
from fluxtui.model.live.jobs import InQueue, Job, Places
from fluxtui.model.live.nodes import NodeStates
from fluxtui.model.queues import Config, Status
from fluxtui.model.resources import document as documents
from fluxtui.model.resources import topology
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Parsed, Problem
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.idset import IdSet, from_mask

_END = 1e11  # seconds since the epoch; later times are beyond any calendar


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A Flux instance at one moment.

    document   the answers it was read from
    resources  its nodes, with queue membership as properties
    nodes      the states of the nodes
    config     its queues and policy
    statuses   the status of its queues, by name; the anonymous queue's name is empty
    jobs       the visible active jobs by id, as `jobs.in_order`; None if no list was obtained
    places     an index from nodes to these jobs
    in_queue   the numbers of these jobs in each queue, by name
    problems   what was malformed and left out
    """

    document: Mapping[str, Any]
    resources: Resources
    nodes: NodeStates
    config: Config
    statuses: Mapping[str, Status]
    jobs: Mapping[int, Job] | None
    places: Places
    in_queue: Mapping[str, InQueue]
    problems: tuple[Problem, ...] = ()

    @property
    def taken(self) -> float:
        """When its nodes were requested, in seconds since the epoch; 0 if unknown."""
        return _asked(self.document, "status")

    @property
    def version(self) -> str:
        """The version of Flux; empty if unknown."""
        return str(_part(self.document, "hello").get("version") or "")

    @property
    def scheduler(self) -> str:
        """The scheduler module; empty if there is none or it is unknown."""
        name = self.document.get("scheduler")
        return name if isinstance(name, str) else ""

    @property
    def match_policy(self) -> str:
        """The match policy of Fluxion, ``first`` by default; empty for other schedulers."""
        if not self.scheduler.startswith("sched-fluxion"):
            return ""
        config = _part(self.document, "config")
        return str(_part(config, "sched-fluxion-resource").get("match-policy") or "first")

    @property
    def userid(self) -> int | None:
        """The userid of the user who took the snapshot."""
        userid = _part(self.document, "hello").get("userid")
        return userid if isinstance(userid, int) else None

    @property
    def user(self) -> str:
        """The name of that user, or ``user 1000`` if it is not known."""
        name = _part(self.document, "users").get(str(self.userid))
        return name if isinstance(name, str) else f"user {self.userid}"

    @property
    def is_owner(self) -> bool:
        """Whether the user who took the snapshot owns the instance."""
        hello = _part(self.document, "hello")
        return hello.get("owner") is not None and hello.get("owner") == hello.get("userid")

    def jobs_at(self, index: int) -> tuple[Job, ...]:
        """Return the visible jobs that run on a node."""
        return self.places.at(self.resources.rank(index))


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, Mapping) else {}


def _parts(document: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
    part = _part(document, name)
    return {key: entry for key, entry in part.items() if isinstance(entry, Mapping)}


def _asked(document: Mapping[str, Any], name: str) -> float:
    time = jobs.moment(_part(document, "asked").get(name)) or 0.0
    return time if 0 <= time < _END else 0.0


def is_snapshot(document: object) -> bool:
    """Whether a JSON document is a snapshot, by its keys."""
    return isinstance(document, Mapping) and document.get("snapshot") == 1 and "status" in document


def from_text(text: str) -> Parsed[Snapshot | None] | None:
    """Read a snapshot from text; None if the text is something else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read(document) if is_snapshot(document) else None


def read(document: Mapping[str, Any], before: Snapshot | None = None) -> Parsed[Snapshot | None]:
    """Read a snapshot; its value is None if it does not list any nodes. Never raises.

    Parts that are unchanged from the snapshot before are reused.
    """
    report = Report("RFC 20")
    old = before.document if before is not None else {}
    r, table, inside = _described(document)
    if before is not None and (r, table, inside) == _described(old):
        resources, config = before.resources, before.config
    else:
        is_whole = isinstance(r, Mapping) and isinstance(inside, Mapping)
        resources = documents.read({**r, "scheduling": inside} if is_whole else r)
        if not resources.node_count:
            problems = resources.problems or (Problem("the instance has no nodes"),)
            return Parsed(None, tuple(replace(p, path=None) for p in problems))
        config = queues.read_config(table if isinstance(table, Mapping) else {})
        resources, missing = queues.membership(config, resources)
        resources.prepare()
        config = replace(config, problems=(*config.problems, *missing))
    raw_jobs = document.get("jobs")
    by_id: Mapping[int, Job] | None = None
    places = Places(())
    in_queue: Mapping[str, InQueue] = {}
    if before is not None and raw_jobs is old.get("jobs"):
        by_id, places, in_queue = before.jobs, before.places, before.in_queue
    elif isinstance(raw_jobs, list):
        users = _part(document, "users")
        known = before.jobs if before is not None and users == _part(old, "users") else None
        by_id = jobs.read_all(raw_jobs, users, known or {})
        places, in_queue = Places(by_id.values()), jobs.by_queue(by_id.values())
    running = resources.mask_of_ranks(places.ranks) if by_id is not None else None
    states, node_report = nodes.read(document, running, resources)
    statuses = queues.read_status(dict(_part(document, "queues")))
    report.take(statuses.problems, "queues")
    problems = (*node_report.problems, *report.problems)
    return Parsed(
        Snapshot(
            *(document, resources, states, config, statuses.value, by_id, places, in_queue),
            problems,
        ),
        problems,
    )


def _described(document: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the parts of a document that rarely change: R, configuration and topologies."""
    return _part(document, "status").get("R"), document.get("config"), document.get("scheduling")


def redacted(snapshot: Snapshot, users: dict[Any, int] | None = None) -> dict[str, Any]:
    """Return the document without names of people, hosts, jobs and files, and without reasons.

    Hosts become ``node0`` and so on by rank, and users are numbered from 1 as they occur; users
    holds the numbers given so far and is extended. Properties, queues, limits and amounts stay.
    """
    document, resources = snapshot.document, snapshot.resources
    status = dict(_part(document, "status"))
    users = {} if users is None else users

    def user(number: object) -> int:
        key = number if isinstance(number, int) else None
        return users.setdefault(key, len(users) + 1)

    hello = _part(document, "hello")
    me = {key: user(hello[key]) for key in ("owner", "userid") if hello.get(key) is not None}
    kept = {key: hello.get(key) for key in ("version", "size", "level")}
    status["R"] = _without_hosts(status.get("R"), resources)
    drains = _parts(status, "drain")
    status["drain"] = {ranks: {**entry, "reason": ""} for ranks, entry in drains.items()}
    names = ("snapshot", "asked", "scheduler", "housekeeping")
    out = {name: document[name] for name in names if name in document}
    if resources.topologies:
        every = IdSet.between(0, resources.node_count - 1)
        inside = topology.to_json(resources.topologies, resources.ranks, every, with_storage=False)
        out["scheduling"] = {"writer": topology.WRITER, "children": inside}
    out |= {"hello": {**kept, **me}, "status": status, "redacted": True}
    if "allocated" in document:
        used = _part(document, "allocated")
        out["allocated"] = {**used, "R": _without_hosts(used.get("R"), resources)}
    out["config"] = _public(_part(document, "config"), resources)
    out["queues"] = {
        name: {key: "" if key.endswith("reason") else value for key, value in queue.items()}
        for name, queue in _parts(document, "queues").items()
    }
    if isinstance(document.get("jobs"), list):
        dropped = ("name", "cwd", "nodelist", "project", "bank", "exception_note")
        out["jobs"] = [
            {key: value for key, value in job.items() if key not in dropped}
            | ({"userid": user(job["userid"])} if "userid" in job else {})
            | {"annotations": {"sched": _part(_part(job, "annotations"), "sched")}}
            for job in document["jobs"]
            if isinstance(job, Mapping)
        ]
    return out


def _without_hosts(r: object, resources: Resources) -> object:
    """Return the R with each host renamed by its rank index in the resources."""
    if not isinstance(r, Mapping) or not isinstance(r.get("execution"), Mapping):
        return None
    mask = resources.mask_of_ranks(documents.read(r).ranks)
    execution = {**r["execution"], "nodelist": [f"node[{from_mask(mask)}]"]}
    return {"version": 1, "execution": execution}


def _public(table: Mapping[str, Any], resources: Resources) -> dict[str, Any]:
    """Return the queues, policy and ingest tables of a configuration without people and hosts."""
    tables: dict[str, Any] = {}
    for name in ("queues", "policy", "ingest"):
        if isinstance(table.get(name), Mapping):
            tables[name] = _no_people(table[name])
    for queue in tables.get("queues", {}).values():
        hosts = queue.get("hosts") if isinstance(queue, dict) else None
        if isinstance(hosts, str) and hosts != "all":
            mask = resources.mask_of_hosts(hostlist.parse(hosts).value)
            queue["hosts"] = f"node[{from_mask(mask)}]"
    return tables


def _no_people(value: Any, levels: int = MAX_LEVELS) -> Any:
    """Return a table without access lists, and without what is nested deeper than any real one."""
    if not isinstance(value, Mapping) or not levels:
        return {} if isinstance(value, Mapping) else value
    return {key: _no_people(one, levels - 1) for key, one in value.items() if key != "access"}
