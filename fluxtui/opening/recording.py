"""A record of a running Flux: made picture by picture, and opened at one of them."""

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

#: Seconds from a picture to the next at most, however long Flux takes for one.
LONGEST = 600.0


def begin(folder: str) -> Parsed[Recorder | None]:
    """What keeps pictures in a folder; None with the problem where it cannot."""
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
    """Keep a picture every so many seconds, until an exception such as KeyboardInterrupt.

    Flux spends no more than a hundredth of its time on it, as far as a picture every ten minutes
    allows. connection is that to the instance at
    where, which is looked for again where it is lost. say is told in one line what goes wrong, and
    when it is over; document_of makes what is kept of a snapshot.
    """
    trouble = ""
    took, before = 0.0, 0.0  # by the last picture and the one before: one may be slow by chance
    while True:
        began = time.monotonic()
        wrong: tuple[Problem, ...] = ()
        kind = "lost"
        if connection is None:
            connection, wrong = connect(files.uri_of(where), os.environ)
        if connection is not None:
            asked = time.monotonic()
            found, wrong = live.taken(connection)
            took, before = time.monotonic() - asked, took
            if found is None or connection.lost is not None:
                connection.close()
                connection = None
            else:
                wrong, kind = _kept(recorder, document_of(found)), "unwritten"
        if (kind if wrong else "") != trouble:
            again = f"; it is tried again every {every:g} s"
            say(wrong[0].message + again if wrong else "the pictures go on")
            trouble = kind if wrong else ""
        is_late = any(problem.code == LATE for problem in wrong)
        rests = min(SHARE * min(took, before), LONGEST) if is_late or not wrong else 0
        time.sleep(max(began + every - time.monotonic(), rests))


def _kept(recorder: Recorder, document: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Keep a picture; why it cannot be written."""
    try:
        recorder.keep(document)
    except OSError as error:
        message = f"cannot write into '{recorder.folder}': {files.reason(error)}"
        return (Problem(message),)
    return ()


def open_instance(where: str) -> tuple[Cluster | None, tuple[Problem, ...]]:
    """The cluster of an instance as it is now, or of a picture of a record (`paths.record_in`).

    Problems are as of `live.open_live`. Not for the event loop.
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
    """The cluster of one picture; what does not change is taken from the one before.

    where is its path; the queues of a configuration take the place of its own. Reads files: not for
    the event loop.
    """
    if number + 1 >= len(record.times):
        record.look()  # there may be further ones by now
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
