"""A snapshot: what a Flux instance answered at one moment, as a document that opens anywhere.

The document is an object with ``"snapshot": 1`` and the answers as Flux gave them:

``hello``         which instance it is, and as whom it was asked
``asked``         when each of the others was asked, in seconds since the epoch
``status``        of ``resource.status``: R (RFC 20), drain, online, offline, exclude, torpid
``allocated``     of ``resource.sched-status``: ``R`` of what is in use, ``of`` its ranks
``housekeeping``  of ``job-manager.stats-get``: what is cleaned up after jobs, by their ids
``queues``        the status of each queue (RFC 33) by name
``config``        the configuration
``scheduling``    that part of R, where it says what nodes have inside (RFC 49); else null
``scheduler``     the name of the module that schedules; null where none does
``jobs``          the active jobs as the job list has them
``users``         the names of their users by their numbers, as far as they are known
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model import queues
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

_END = 1e11  # seconds since the epoch, beyond which a calendar does not go


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A Flux instance at one moment.

    document   the answers it was read from
    resources  its nodes, with the members of its queues as properties
    nodes      how they are
    config     its queues and policy
    statuses   the status of its queues, by name; the anonymous one is the empty name
    jobs       its active jobs that may be seen, by id, in the order of `jobs.in_order`; None where
               none may
    places     which of them are on a node
    in_queue   how many of them each queue has, by its name
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
        """When its nodes were asked for, in seconds since the epoch; 0 where that is not known."""
        return _asked(self.document, "status")

    @property
    def version(self) -> str:
        """The version of Flux; empty where that is not known."""
        return str(_part(self.document, "hello").get("version") or "")

    @property
    def scheduler(self) -> str:
        """The module that schedules; empty where that is not known, or none does."""
        found = self.document.get("scheduler")
        return found if isinstance(found, str) else ""

    @property
    def match_policy(self) -> str:
        """The match policy of Fluxion, as far as it is configured; empty of other schedulers."""
        if not self.scheduler.startswith("sched-fluxion"):
            return ""
        config = _part(self.document, "config")
        return str(_part(config, "sched-fluxion-resource").get("match-policy") or "first")

    @property
    def userid(self) -> int | None:
        """The number of the user who asked."""
        found = _part(self.document, "hello").get("userid")
        return found if isinstance(found, int) else None

    @property
    def is_owner(self) -> bool:
        """The user who asked owns the instance."""
        hello = _part(self.document, "hello")
        return hello.get("owner") is not None and hello.get("owner") == hello.get("userid")

    def jobs_at(self, index: int) -> tuple[Job, ...]:
        """The jobs that run on a node, as far as they may be seen."""
        return self.places.at(self.resources.rank(index))


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}


def _parts(document: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
    found = _part(document, name)
    return {key: one for key, one in found.items() if isinstance(one, Mapping)}


def _asked(document: Mapping[str, Any], name: str) -> float:
    found = jobs.moment(_part(document, "asked").get(name)) or 0.0
    return found if 0 <= found < _END else 0.0


def is_snapshot(document: object) -> bool:
    """A JSON document is a snapshot, by its keys."""
    return isinstance(document, Mapping) and document.get("snapshot") == 1 and "status" in document


def from_text(text: str) -> Parsed[Snapshot | None] | None:
    """The snapshot of a text; None where the text is that of something else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read(document) if is_snapshot(document) else None


def read(document: Mapping[str, Any], before: Snapshot | None = None) -> Parsed[Snapshot | None]:
    """Read a snapshot; None where it does not say what nodes there are. Never raises.

    What is as in the snapshot before is taken from there.
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
    listed = document.get("jobs")
    found: Mapping[int, Job] | None = None
    places = Places(())
    in_queue: Mapping[str, InQueue] = {}
    if before is not None and listed is old.get("jobs"):
        found, places, in_queue = before.jobs, before.places, before.in_queue
    elif isinstance(listed, list):
        users = _part(document, "users")
        known = before.jobs if before is not None and users == _part(old, "users") else None
        found = jobs.read_all(listed, users, known or {})
        places, in_queue = Places(found.values()), jobs.by_queue(found.values())
    running = resources.mask_of_ranks(places.ranks) if found is not None else None
    states, faults = nodes.read(document, running, resources)
    statuses = queues.read_status(dict(_part(document, "queues")))
    report.take(statuses.problems, "queues")
    problems = (*faults.problems, *report.problems)
    return Parsed(
        Snapshot(
            *(document, resources, states, config, statuses.value, found, places, in_queue),
            problems,
        ),
        problems,
    )


def _described(document: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """What stays of a document: R, the configuration, and what nodes have inside."""
    return _part(document, "status").get("R"), document.get("config"), document.get("scheduling")


def redacted(snapshot: Snapshot, users: dict[Any, int] | None = None) -> dict[str, Any]:
    """The document without names of people, hosts, jobs and files, and without reasons.

    Hosts are ``node0`` and so on in the order of their ranks, users are numbered from 1 in the
    order of their jobs; users has those that have a number already, and takes further ones.
    Properties, queues, limits and amounts stay.
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
    found = {name: document[name] for name in names if name in document}
    if resources.topologies:
        every = IdSet.between(0, resources.node_count - 1)
        inside = topology.to_json(resources.topologies, resources.ranks, every, with_storage=False)
        found["scheduling"] = {"writer": topology.WRITER, "children": inside}
    found |= {"hello": {**kept, **me}, "status": status, "redacted": True}
    if "allocated" in document:
        used = _part(document, "allocated")
        found["allocated"] = {**used, "R": _without_hosts(used.get("R"), resources)}
    found["config"] = _public(_part(document, "config"), resources)
    found["queues"] = {
        name: {key: "" if key.endswith("reason") else one for key, one in queue.items()}
        for name, queue in _parts(document, "queues").items()
    }
    if isinstance(document.get("jobs"), list):
        gone = ("name", "cwd", "nodelist", "project", "bank", "exception_note")
        found["jobs"] = [
            {key: one for key, one in job.items() if key not in gone}
            | ({"userid": user(job["userid"])} if "userid" in job else {})
            | {"annotations": {"sched": _part(_part(job, "annotations"), "sched")}}
            for job in document["jobs"]
            if isinstance(job, Mapping)
        ]
    return found


def _without_hosts(r: object, resources: Resources) -> object:
    """An R whose hosts are called by the order of their ranks in the resources."""
    if not isinstance(r, Mapping) or not isinstance(r.get("execution"), Mapping):
        return None
    mask = resources.mask_of_ranks(documents.read(r).ranks)
    execution = {**r["execution"], "nodelist": [f"node[{from_mask(mask)}]"]}
    return {"version": 1, "execution": execution}


def _public(table: Mapping[str, Any], resources: Resources) -> dict[str, Any]:
    """The queues and the policy of a configuration without people and hosts."""
    found: dict[str, Any] = {}
    for name in ("queues", "policy", "ingest"):
        if isinstance(table.get(name), Mapping):
            found[name] = _no_people(table[name])
    for queue in found.get("queues", {}).values():
        hosts = queue.get("hosts") if isinstance(queue, dict) else None
        if isinstance(hosts, str) and hosts != "all":
            mask = resources.mask_of_hosts(hostlist.parse(hosts).value)
            queue["hosts"] = f"node[{from_mask(mask)}]"
    return found


def _no_people(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {key: _no_people(one) for key, one in value.items() if key != "access"}
