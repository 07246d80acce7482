"""``fluxtui snapshot``: a running Flux instance as a document that opens anywhere."""

import argparse
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from time import localtime, strftime
from typing import TYPE_CHECKING, Any

from fluxtui.cli.options import Parser
from fluxtui.cli.output import print_text, remark, report
from fluxtui.notation.problem import counted

if TYPE_CHECKING:
    from fluxtui.model.live.snapshot import Snapshot

_DESCRIPTION = """\
Write what a running Flux instance is at this moment: its nodes (RFC 20) and how
they are, drain reasons, queues (RFC 33), configuration and active jobs, as far as
you may see them. The document opens with -r wherever an R document does."""

_EPILOG = """\
examples:
  fluxtui snapshot -o site.json
  fluxtui snapshot --redact -o site.json
  fluxtui snapshot --uri ssh://login1/run/flux/local -o site.json
  fluxtui -r site.json
  fluxtui snapshot --record day --every 5m
  fluxtui -r day
  fluxtui match -r day@09:17 gpu --state free

--redact leaves out what names people, hosts, jobs and files: hosts become node0
and so on, users are numbered, reasons are empty.

--record goes on until ctrl+c or SIGTERM, and keeps a picture only where something
has changed. On a large cluster they come less often than --every says, so that
Flux spends at most a hundredth of its time on them, but never less than one
every ten minutes. With -r DIR the workbench has a time bar to step through them;
other verbs take the last one, or with -r DIR@TIME the last one until then
(09:17, 2026-11-25T09:17)."""

_EXITS = {
    0: "it was written",
    1: "no Flux answers, or nothing could be written",
}
_ANSWERS = {"": "snapshot"}

#: The default and the minimum number of seconds between two pictures.
EVERY, LEAST = 60.0, 2.0


def parser() -> Parser:
    """The parser of the verb."""
    declared = Parser(
        "fluxtui snapshot", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, "fluxtui snapshot [options]"
    )
    add = declared.add_argument
    add("-o", "--output", metavar="FILE", help="where to write, '-' for standard output (-)")
    add("--record", metavar="DIR", help="keep pictures in this folder, one every so often")
    add("--every", metavar="TIME", help="how often: seconds, or a time such as 5m (60)")
    add("--redact", action="store_true", help="without names of people, hosts, jobs and files")
    add(
        "--uri", default="", help="another Flux than that of FLUX_URI: local://, ssh://, a job's id"
    )
    return declared


def run(arguments: list[str]) -> int:
    """Write a snapshot, and return the exit code."""
    declared = parser()
    options = declared.parse_args(arguments)
    if options.record is not None:
        if options.output is not None:
            declared.error("--record and -o cannot be given together")
        return _record(options, _seconds(declared, options.every))
    if options.every is not None:
        declared.error("--every goes with --record")
    from fluxtui.bridge import files
    from fluxtui.opening import live

    found, problems = live.take(files.instance(options.uri))
    report(problems)
    if found is None:
        return 1
    text = live.snapshot_text(_document(options.redact, {}, found))
    if options.output in (None, "-"):
        print_text(text.removesuffix("\n"))
        return 0
    # It names people and their jobs; a redacted snapshot is meant to be shared.
    wrong = files.write_atomic(options.output, text, private=not options.redact)
    report(wrong)
    if wrong:
        return 1
    print_text(f"{options.output}: {_words(found)}")
    return 0


def _document(redact: bool, users: dict[Any, int], found: "Snapshot") -> Mapping[str, Any]:
    """The document to write; users maps the users numbered so far to their numbers."""
    from fluxtui.model.live.snapshot import redacted

    return redacted(found, users) if redact else found.document


def _words(found: "Snapshot") -> str:
    jobs = f", {len(found.jobs):,} jobs" if found.jobs is not None else ""
    return f"{', '.join(found.resources.whole.words())}{jobs}"


def _seconds(parser: Parser, text: str | None) -> float:
    """The seconds of --every; exit 2 if it is not a time, or too short."""
    from fluxtui.notation import duration

    seconds = duration.parse(text).value if text is not None else EVERY
    if seconds is None or not LEAST <= seconds < float("inf"):
        parser.error(f"--every takes a time of {LEAST:g} s or more, such as 60 or 5m")
    return seconds


def _record(options: argparse.Namespace, every: float) -> int:
    """Record pictures until a signal ends it, and return the exit code."""
    from fluxtui.bridge import files
    from fluxtui.bridge.live.connection import connect
    from fluxtui.opening import live, recording

    connection, problems = connect(options.uri)
    if connection is not None:
        found, problems = live.snapshot_of(connection)
    report(problems)
    if connection is None or found is None:
        return 1
    recorder, problems = recording.begin(options.record)
    report(problems)
    if recorder is None:
        return 1
    what = f"a picture every {every:g} s where something has changed; ctrl+c ends it"
    remark(f"{options.record}: {_words(found)}; {what}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # ignored under nohup
            signal.signal(number, signal.default_int_handler)
    document_of = partial(_document, options.redact, {})
    try:
        where = files.instance(options.uri)
        recording.record(recorder, connection, where, every, remark, document_of)
    except KeyboardInterrupt:
        pass
    times = recording.Record(recorder.folder).times
    kept = [at for at in times if at >= int(found.taken)]
    print_text(f"{options.record}: {counted(len(kept), 'picture')}{span(kept)}")
    return 0 if kept else 1


def span(times: Sequence[float]) -> str:
    """`` from ... to ...`` for two or more ordered times, with dates if on different days."""
    if len(times) < 2:
        return ""
    ends = localtime(times[0]), localtime(times[-1])
    form = "%H:%M:%S" if ends[0][:3] == ends[1][:3] else "%Y-%m-%d %H:%M:%S"
    return f" from {strftime(form, ends[0])} to {strftime(form, ends[1])}"
