"""A running Flux instance as a cluster: queried once, followed, or opened from a snapshot."""

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

#: The flag for the current jobspec, with later updates applied (FLUX_JOB_LOOKUP_CURRENT).
_CURRENT = 2

#: How many jobspecs are requested at most, one after the other; that takes up to a second.
MOST_JOBSPECS = 1000


@dataclass(frozen=True, slots=True)
class Seen:
    """A running instance as last seen.

    cluster  None if it was never seen; the same object if nothing has changed
    problem  why the cluster is out of date, in one line; None if it is current
    """

    cluster: Cluster | None
    problem: Problem | None = None


def cluster_of(found: Snapshot, source: Source, before: Cluster | None = None) -> Cluster:
    """Return the cluster of a snapshot, which shares what is unchanged with the one before."""
    if before is not None and before.resources is found.resources:
        return before.at(found)
    return Cluster.of(source, found.resources, found.config, found)


def open_live(where: str) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of a running instance as it is now; where is as in `files.is_live`.

    Problems say why there is none, or what Flux does not show to this user. Waits for Flux: not for
    the event loop.
    """
    found, problems = take(where)
    if found is None:
        return None, problems
    return cluster_of(found, _source(found, where)), problems


def take(
    where: str = files.LIVE, arguments: Sequence[str] | None = None
) -> Parsed[Snapshot | None]:
    """Return a snapshot of an instance as it is now; what Flux refuses becomes a warning.

    arguments is the command of a helper to use instead of that of `connect`.
    """
    connection, problems = connect(files.uri_of(where), os.environ, arguments)
    if connection is None:
        return Parsed(None, problems)
    try:
        return snapshot_of(connection)
    finally:
        connection.close()


def snapshot_of(connection: Connection) -> Parsed[Snapshot | None]:
    """Return a snapshot taken over an open connection; see `take`."""
    document, refused = Picture(connection).whole()
    if document is None:
        return Parsed(None, refused)
    found, problems = snapshots.read(document)
    if found is None:
        return Parsed(None, problems)
    return Parsed(found, tuple(replace(p, severity="warning") for p in (*refused, *problems)))


def follow(
    told: Callable[[Seen], object],
    where: str = files.LIVE,
    environ: Mapping[str, str] = os.environ,
    arguments: Sequence[str] | None = None,
) -> Watch:
    """Follow an instance; told is called in another thread whenever something has changed.

    `Watch.start` begins, and returns at once; `Watch.close` ends it; `Watch.connection` is for
    other requests. The workbench passes the cluster to `RefreshCluster` if its resources are those
    of the previous one, else to `ReloadCluster`.
    """
    last: list[Cluster] = []

    def hear(heard: Heard) -> None:
        before = last[0] if last else None
        problem = heard.problem
        old = before.snapshot if before is not None else None
        if heard.document is not None and (old is None or old.document is not heard.document):
            found, problems = snapshots.read(heard.document, old)
            if found is not None:
                last[:] = [cluster_of(found, _source(found, where), before)]
            else:
                problem = problem or problems[0]
        told(Seen(last[0] if last else None, problem))

    return Watch(hear, files.uri_of(where), environ, arguments)


def jobspec_of(connection: Connection, id_: int) -> Parsed[dict[str, Any] | None]:
    """Return the current jobspec of a job; Flux refuses that of another user's job."""
    from fluxtui.bridge.live.job import look_up

    return look_up(connection, id_, "jobspec", _CURRENT)


def pending_jobspecs(
    where: str, found: Snapshot, connection: Connection | None = None
) -> dict[int, Mapping[str, Any]]:
    """Return the jobspecs of pending jobs that Flux shows to this user, by job id.

    Without a connection one is opened. Waits for Flux: not for the event loop.
    """
    mine = [job for job in (found.jobs or {}).values() if job.is_pending]
    mine = [job for job in mine if found.is_owner or job.userid == found.userid][:MOST_JOBSPECS]
    opened = connection or (connect(files.uri_of(where), os.environ).value if mine else None)
    if opened is None:
        return {}
    try:
        answers = ((job.id, jobspec_of(opened, job.id).value) for job in mine)
        return {id_: jobspec for id_, jobspec in answers if jobspec is not None}
    finally:
        if connection is None:
            opened.close()


def parts_of_jobs(connection: Connection, jobs: Iterable[Job], rank: int) -> dict[int, NodeKind]:
    """Return the cores and gpus of a node that each job has, by job id, for the user's own jobs.

    Flux refuses those of other users. Waits for Flux: not for the event loop.
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
    """Return the cluster of a text that is a snapshot; None if the text is something else."""
    found = snapshots.from_text(source.text)
    if found is None:
        return None
    if found.value is None:
        return None, found.problems
    path = str(source.path) if source.path is not None else None
    return cluster_of(found.value, Source(source.name, path)), found.problems


def snapshot_text(document: Mapping[str, Any]) -> str:
    """Return a snapshot as the text of a file, with the key ``"snapshot"`` first."""
    import json

    return json.dumps({"snapshot": 1, **document}, indent=1) + "\n"


def _source(found: Snapshot, where: str) -> Source:
    """Return the source of an instance, named after its host or its address."""
    hello = found.document.get("hello")
    host = hello.get("host") if isinstance(hello, Mapping) else None
    uri = files.uri_of(where)
    name = f"Flux at {uri}" if uri else f"Flux on {host or 'this host'}"
    return Source(name, files.instance(uri))
