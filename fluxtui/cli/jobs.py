"""``fluxtui jobs``: the active jobs of a running Flux, and why one of them waits."""

import argparse
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fluxtui.answers.feasibility.pending import Reason, why
from fluxtui.answers.listing.jobs import ORDERS, Wanted, lasts, listed, where
from fluxtui.bridge import files
from fluxtui.cli.options import Parser, add_resources
from fluxtui.cli.output import print_json, print_text, remark, report
from fluxtui.model.live.jobs import Job, parse_id
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.notation.duration import describe
from fluxtui.notation.problem import Problem, columns_of, printable

_DESCRIPTION = """\
List the active jobs of a running Flux, or of a snapshot of one, or say why one
of them waits: held by a dependency, its urgency or its begin time, its queue
stopped, its nodes never enough, not up or not free, and what is ahead of it."""

_BY = f"what to sort by: {', '.join(ORDERS)} (order: as they are scheduled)"

_EPILOG = """\
A word of a filter is an id, a state (run, pending, held, ...), a queue, a user or
part of a name; state:, queue:, user: and name: say which. A - before a word
excludes the jobs that it fits.

examples:
  fluxtui jobs
  fluxtui jobs --all --filter "pending queue:debug" --sort time
  fluxtui jobs --why ƒ2oLkTLb
  fluxtui jobs -r site.json --why 1234567890 -o json

Flux shows the jobspec of a job to its owner and to the owner of the instance
only; for other jobs the numbers of nodes and tasks are used."""

_EXITS = {
    0: "fine",
    1: "there is no such job, or no Flux",
}
_ANSWERS = {"-o json": "jobs", "--why ID -o json": "job"}


def parser() -> Parser:
    """The parser of the verb."""
    declared = Parser(
        "fluxtui jobs", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, "fluxtui jobs [options]"
    )
    add = declared.add_argument
    add_resources(declared)
    add("--all", action="store_true", help="the jobs of all users, not only yours")
    add("--filter", metavar="TEXT", default="", help="only jobs that fit all words: see below")
    add("--sort", choices=tuple(ORDERS), default="order", metavar="BY", help=_BY)
    add("--why", metavar="ID", help="why this job waits, or how it ended")
    add("-o", "--output", choices=("text", "json"), default="text", help="output format (text)")
    return declared


def run(arguments: list[str]) -> int:
    """List jobs, or explain one, and return the exit code."""
    declared = parser()
    options = declared.parse_args(arguments)
    id_ = parse_id(options.why) if options.why is not None else None
    if options.why is not None and id_ is None:
        declared.error(f"'{options.why}' is not a job ID, such as ƒ2oLkTLb")
    source = options.resources or files.LIVE
    found, jobspec, over, problems = _open(source, id_)
    report(problems)
    if found is None:
        return 1
    if found.jobs is None:
        remark("fluxtui jobs: this instance does not show its jobs")
        return 1
    at = time.time() if files.is_live(source) else found.taken
    if id_ is None:
        return _list(found, options, at)
    job = found.jobs.get(id_)
    if job is None and over:
        reason = Reason("done", f"it is over: {over}")
        return _explain(Job(id_, "INACTIVE"), (reason,), options)
    if job is None:
        remark(f"fluxtui jobs: {options.why} is not among the active jobs")
        return 1
    return _explain(job, why(job, found, jobspec, at), options)


def _open(
    where: str, id_: int | None
) -> tuple[Snapshot | None, Mapping[str, Any] | None, str, tuple[Problem, ...]]:
    """Return an instance, the jobspec of a job if Flux shows it, how the job ended, and problems.

    The end is in words, and empty for an active or unknown job.
    """
    from fluxtui import opening

    if not files.is_live(where):
        cluster, problems = opening.open_cluster(where, None)
        if cluster is not None and cluster.snapshot is None:
            message = f"'{where}' is not a snapshot, so it has no jobs"
            return None, None, "", (Problem(message, expected=("live", "a snapshot")),)
        return (cluster.snapshot if cluster is not None else None), None, "", problems
    from fluxtui.bridge.live.connection import connect
    from fluxtui.bridge.live.job import how
    from fluxtui.opening import live

    connection, problems = connect(files.uri_of(where), os.environ)
    if connection is None:
        return None, None, "", problems
    jobspec, over = None, ""
    try:
        found, problems = live.snapshot_of(connection)
        if id_ is not None and found is not None:
            # Refused for another user's job; the entry of the job list is used then.
            jobspec = live.jobspec_of(connection, id_).value
            words, is_over = how(connection, id_).value or ("", False)
            over = words if is_over else ""
    finally:
        connection.close()
    return found, jobspec, over, problems


def _list(found: Snapshot, options: argparse.Namespace, at: float) -> int:
    wanted = Wanted(options.all, options.filter, options.sort)
    shown = listed(found, wanted)
    if shown.problem is not None:
        report((shown.problem,), options.filter)
        return 1
    if options.output == "json":
        print_json([_json(job) for job in shown.jobs])
    elif shown.jobs:
        print_text("\n".join(_table(shown.jobs, found, at)))
    elif options.filter:
        remark("no job fits the filter")
    else:
        remark(
            "no active job"
            + ("" if options.all or not found.jobs else " of yours; --all lists all")
        )
    return 0


def _json(job: Job) -> dict[str, Any]:
    names = (name for name in job.__slots__ if name != "entry")
    return {"f58": job.f58} | {name: getattr(job, name) for name in names}


def _table(jobs: Iterable[Job], found: Snapshot, at: float) -> Iterator[str]:
    """Yield a line for each job, with aligned columns."""
    rows = [("job", "state", "user", "queue", "nodes", "time", "limit", "name", "where")]
    rows += [
        (
            *(job.f58, job.status, job.user, job.queue),
            "" if job.nodes is None else f"{job.nodes:,}",
            lasts(job, at),
            describe(job.duration) if job.duration else "",
            *(job.name, where(job, found.resources, at)),
        )
        for job in jobs
    ]
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(columns_of, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = zip(row, widths, strict=True)
        yield "  ".join(cell + " " * (width - columns_of(cell)) for cell, width in cells).rstrip()


def _explain(job: Job, reasons: tuple[Reason, ...], options: argparse.Namespace) -> int:
    if options.output == "json":
        entries = [
            {"kind": reason.kind, "message": reason.message, "change": reason.change or None}
            for reason in reasons
        ]
        print_json({"job": _json(job), "reasons": entries})
        return 0
    print_text(printable(f"{job.f58}  {job.state}  {job.name}".rstrip()))
    for reason in reasons:
        print_text(f"  {printable(reason.message)}")
        if reason.change:
            print_text(f"    try: {reason.change}")
    return 0
