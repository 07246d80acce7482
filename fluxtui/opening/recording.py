"""Recording a running Flux picture by picture, and opening a record at one of them."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from fluxtui.bridge import config_files, files, paths
from fluxtui.bridge.live.connection import LATE, Connection, connect
from fluxtui.bridge.live.record import Record, Recorder
from fluxtui.bridge.live.watch import SHARE
from fluxtui.model.live import snapshot as snapshots
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.notation.problem import Parsed, Problem
from fluxtui.opening import live
from fluxtui.opening.queues import reconfigured
from fluxtui.workbench import Cluster, Source

__all__ = ["Record", "Recorder", "begin", "open_instance", "read", "record"]

#: The longest time between two pictures in seconds, however long Flux takes for one.
LONGEST = 600.0


def begin(folder: str) -> Parsed[Recorder | None]:
    """Return the recorder for a folder; None with the problem if it cannot be used."""
    try:
        return Parsed(Recorder(files.expanded(folder)))
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError)
        why = "there is no such directory" if missing else files.reason(error)
        return Parsed(None, (Problem(f"cannot record into '{folder}': {why}"),))


def record(
    recorder: Recorder,
    connection: Connection | None,
    where: str,
    every: float,
    say: Callable[[str], object],
    document_of: Callable[[Snapshot], Mapping[str, Any]],
) -> None:
    """Record a picture every ``every`` seconds, until an exception such as KeyboardInterrupt.

    Flux spends no more than a hundredth of its time on this, unless a picture takes longer than
    `LONGEST` allows for. connection is that to the instance at where, which is opened again when it
    is lost. say is called with one line when something goes wrong, and when it works again;
    document_of returns the document to record for a snapshot.
    """
    trouble = ""
    took, before = 0.0, 0.0  # seconds of the last two pictures; one may be slow by chance
    while True:
        began = time.monotonic()
        problems: tuple[Problem, ...] = ()
        kind = "lost"
        if connection is None:
            connection, problems = connect(files.uri_of(where), os.environ)
        if connection is not None:
            started = time.monotonic()
            found, problems = live.snapshot_of(connection)
            took, before = time.monotonic() - started, took
            if found is None or connection.lost is not None:
                connection.close()
                connection = None
            else:
                problems, kind = _kept(recorder, document_of(found)), "unwritten"
        if (kind if problems else "") != trouble:
            retry = f"; it is tried again every {every:g} s"
            say(problems[0].message + retry if problems else "the pictures go on")
            trouble = kind if problems else ""
        is_late = any(problem.code == LATE for problem in problems)
        rests = min(SHARE * min(took, before), LONGEST) if is_late or not problems else 0
        time.sleep(max(began + every - time.monotonic(), rests))


def _kept(recorder: Recorder, document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Record a picture; return the problem if it cannot be written."""
    try:
        recorder.keep(document)
    except OSError as error:
        message = f"cannot write into '{recorder.folder}': {files.reason(error)}"
        return (Problem(message),)
    return ()


def open_instance(where: str) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of an instance as it is now, or of a recorded picture (`paths.record_in`).

    Problems are as for `live.open_live`. Not for the event loop.
    """
    if files.is_live(where):
        return live.open_live(where)
    folder, moment = paths.record_in(where) or (where, "")
    found = Record(folder)
    number, problems = found.at(moment)
    return (None, problems) if number is None else read(found, number, where)


def read(
    record: Record,
    number: int,
    where: str,
    before: Cluster | None = None,
    config: str | None = None,
) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """Return the cluster of one picture, which shares what is unchanged with the one before.

    where is its path; the queues of config, if given, replace its own. Reads files: not for the
    event loop.
    """
    if number + 1 >= len(record.times):
        record.look()  # more may have been recorded meanwhile
    document, problems = record.read(number)
    if document is None:
        return None, problems
    old = before.snapshot if before is not None else None
    found, problems = snapshots.read(document, old)
    if found is None:
        return None, problems
    cluster = live.cluster_of(found, Source(record.folder.name, where), before)
    table, unread = config_files.read(config) if config is not None else (None, ())
    other = reconfigured(cluster, table, unread)[0] if table is not None else None
    return other or cluster, problems
