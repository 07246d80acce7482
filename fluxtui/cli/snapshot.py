"""``fluxtui snapshot``: a running Flux instance as a document that opens anywhere."""

from fluxtui.cli.options import Parser
from fluxtui.cli.output import print_text, report

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

--redact leaves out what names people, hosts, jobs and files: hosts become node0
and so on, users are numbered, reasons are empty.

exit codes: 0 it was written, 1 no Flux answers, 2 wrong
usage"""


def run(arguments: list[str]) -> int:
    """Write a snapshot; returns the exit code."""
    parser = Parser("fluxtui snapshot", _DESCRIPTION, _EPILOG, "fluxtui snapshot [options]")
    add = parser.add_argument
    add(
        "-o",
        "--output",
        metavar="FILE",
        default="-",
        help="where to write, '-' for standard output (-)",
    )
    add("--redact", action="store_true", help="without names of people, hosts, jobs and files")
    add(
        "--uri", default="", help="another Flux than that of FLUX_URI: local://, ssh://, a job's id"
    )
    options = parser.parse_args(arguments)
    from fluxtui.bridge import files
    from fluxtui.model.live.snapshot import redacted
    from fluxtui.opening import live

    found, problems = live.take(f"{files.LIVE}:{options.uri}")
    report(problems)
    if found is None:
        return 1
    text = live.snapshot_text(redacted(found) if options.redact else dict(found.document))
    if options.output == "-":
        print_text(text.removesuffix("\n"))
        return 0
    wrong = files.write_atomic(options.output, text)
    report(wrong)
    if wrong:
        return 1
    jobs = f", {len(found.jobs):,} jobs" if found.jobs is not None else ""
    print_text(f"{options.output}: {', '.join(found.resources.whole.words())}{jobs}")
    return 0
