"""A running Flux instance as a cluster: asked once, followed, or opened from a snapshot of it."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.bridge import files
from fluxtui.bridge.live.connection import Connection, connect
from fluxtui.bridge.live.watch import Heard, Picture, Watch
from fluxtui.model.live import snapshot as snapshots
from fluxtui.model.live.jobs import Job
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.resources.resource_set import NodeKind
from fluxtui.notation.problem import Parsed, Problem
from fluxtui.workbench import Cluster, Source

#: The jobspec as it is by now, with what was updated since (FLUX_JOB_LOOKUP_CURRENT).
_CURRENT = 2

#: Jobs whose jobspecs are asked for one after the other; that takes up to a second.
MOST_JOBSPECS = 1000


@dataclass(frozen=True, slots=True)
class Seen:
    """A running instance by now.

    cluster  None where it never was seen; the same object where nothing changed
    problem  why it is not that of this moment, in one line; None where it is
    """

    cluster: Cluster | None
    problem: Problem | None = None


def cluster_of(found: Snapshot, source: Source, before: Cluster | None = None) -> Cluster:
    """The cluster of a snapshot; what does not change is taken from the one before."""
    if before is not None and before.resources is found.resources:
        return before.at(found)
    return Cluster.of(source, found.resources, found.config, found)


def open_live(where: str) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an instance that runs, as it is now; where is as of `files.is_live`.

    Problems say why there is none, or what Flux keeps from this person. Waits for Flux: not for
    the event loop.
    """
    found, problems = take(where)
    if found is None:
        return None, problems
    return cluster_of(found, _source(found, where)), problems


def take(
    where: str = files.LIVE, arguments: Sequence[str] | None = None
) -> Parsed[Snapshot | None]:
    """A snapshot of an instance as it is now; what Flux refuses are warnings.

    arguments start another helper than that of `connect`.
    """
    connection, problems = connect(files.uri_of(where), os.environ, arguments)
    if connection is None:
        return Parsed(None, problems)
    try:
        return taken(connection)
    finally:
        connection.close()


def taken(connection: Connection) -> Parsed[Snapshot | None]:
    """A snapshot by an open connection."""
    document, refused = Picture(connection).whole()
    if document is None:
        return Parsed(None, refused)
    found, wrong = snapshots.read(document)
    if found is None:
        return Parsed(None, wrong)
    return Parsed(found, tuple(replace(p, severity="warning") for p in (*refused, *wrong)))


def follow(
    told: Callable[[Seen], object],
    where: str = files.LIVE,
    environ: Mapping[str, str] = os.environ,
    arguments: Sequence[str] | None = None,
) -> Watch:
    """Follow an instance; told hears of it in another thread whenever something changed.

    `Watch.start` begins, and returns at once; `Watch.close` ends; `Watch.connection` is for further
    questions. The workbench hands the cluster to `RefreshCluster` where its resources are those of
    the one before, else to `ReloadCluster`.
    """
    last: list[Cluster] = []

    def hear(heard: Heard) -> None:
        before = last[0] if last else None
        problem = heard.problem
        old = before.snapshot if before is not None else None
        if heard.document is not None and (old is None or old.document is not heard.document):
            found, wrong = snapshots.read(heard.document, old)
            if found is not None:
                last[:] = [cluster_of(found, _source(found, where), before)]
            else:
                problem = problem or wrong[0]
        told(Seen(last[0] if last else None, problem))

    return Watch(hear, files.uri_of(where), environ, arguments)


def jobspec_of(connection: Connection, id_: int) -> Parsed[dict[str, Any] | None]:
    """The jobspec of a job, with what was updated since; of another's job Flux refuses it."""
    from fluxtui.bridge.live.job import look_up

    return look_up(connection, id_, "jobspec", _CURRENT)


def pending_jobspecs(
    where: str, found: Snapshot, connection: Connection | None = None
) -> dict[int, Mapping[str, Any]]:
    """The jobspecs of the jobs that wait, as far as Flux shows them to this person, by their ids.

    Without a connection one is opened. Waits for Flux: not for the event loop.
    """
    mine = [job for job in (found.jobs or {}).values() if job.is_pending]
    mine = [job for job in mine if found.is_owner or job.userid == found.userid][:MOST_JOBSPECS]
    own = connection or (connect(files.uri_of(where), os.environ).value if mine else None)
    if own is None:
        return {}
    try:
        asked = ((job.id, jobspec_of(own, job.id).value) for job in mine)
        return {id_: jobspec for id_, jobspec in asked if jobspec is not None}
    finally:
        if connection is None:
            own.close()


def parts_of_jobs(connection: Connection, jobs: Iterable[Job], rank: int) -> dict[int, NodeKind]:
    """The cores and gpus of a node that jobs have, by their ids; of others' jobs Flux refuses it.

    Waits for Flux: not for the event loop.
    """
    from fluxtui.bridge.live.job import look_up
    from fluxtui.model.resources import document

    found = {}
    for job in jobs:
        resources = document.read(look_up(connection, job.id, "R").value)
        index = resources.ranks.index(rank)
        if index is not None:
            found[job.id] = resources.kind_at(index)
    return found


def in_source(source: files.Source) -> tuple[Cluster | None, tuple[Problem, ...]] | None:
    """The cluster of a text that is a snapshot; None where the text is that of something else."""
    found = snapshots.from_text(source.text)
    if found is None:
        return None
    if found.value is None:
        return None, found.problems
    path = str(source.path) if source.path is not None else None
    return cluster_of(found.value, Source(source.name, path)), found.problems


def snapshot_text(document: Mapping[str, Any]) -> str:
    """A snapshot as the text of a file, ``"snapshot"`` first."""
    import json

    return json.dumps({"snapshot": 1, **document}, indent=1) + "\n"


def _source(found: Snapshot, where: str) -> Source:
    """What an instance is called: by its host, or its address."""
    hello = found.document.get("hello")
    host = hello.get("host") if isinstance(hello, Mapping) else None
    uri = files.uri_of(where)
    name = f"Flux at {uri}" if uri else f"Flux on {host or 'this host'}"
    return Source(name, files.instance(uri))
