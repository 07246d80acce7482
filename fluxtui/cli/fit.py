"""``fluxtui fit``: does a job fit, will its queue accept it, and why not."""

import argparse
from collections.abc import Mapping
from typing import Any

from fluxtui import opening
from fluxtui.cli import fit_jobs
from fluxtui.cli.fit_words import answer_json, answer_text, will_run
from fluxtui.cli.options import Parser, add_resources, add_submission, add_texts, joined
from fluxtui.cli.output import answer_lines, print_json, print_text, refusal, report, usable
from fluxtui.notation.problem import Problem
from fluxtui.workbench import Cluster, Submission, prospect

_DESCRIPTION = """\
Check whether a jobspec (RFC 14, YAML or JSON) fits on the cluster of
an R document, by each of Flux's two schedulers, whether the queue accepts it
(RFC 33), what is missing if not, and where it would be placed."""

_EPILOG = """\
examples:
  fluxtui fit -r R.json job.yaml
  fluxtui fit -r R.json -c /etc/flux/system/conf.d --queue debug job.yaml
  fluxtui fit -r demo -s 'node=4/slot/core=8' -q gpu
  fluxtui fit -r demo -o json job.yaml
  fluxtui fit -r R.json - < jobs.jsonl

JOBSPEC may also be what 'fluxtui shape' prints: resources alone, with the rest
left to Flux; or a job script or a command line of Flux, Slurm, PBS or LSF. The
cluster is taken to be idle. Where the R document carries a resource graph, or is
one (JGF), Fluxion's verdict counts; else that of sched-simple, read strictly, and
Fluxion's for requests that sched-simple does not read.

With '-', each line of standard input is {"jobspec": {...}}, {"script": "..."} or
{"resources": [...]}, and is answered by a line with {"feasible", "admitted",
"reasons", "placement", "schedulers", ...} or {"problems": [...]}. Both may have a
"queue" too, resources also "constraints" and "duration", in seconds. --queue
replaces every queue that a job or a line names.

Whether a queue takes a job is not known (null) where that depends on the groups
of a user unknown to this system."""

_EXITS = {
    0: "the job fits, and the queue accepts it (of '-': every line had an answer)",
    1: "it does not, or either is unknown, or an input is wrong: a configuration that has "
    "errors, a jobspec that is not legal",
}
_ANSWERS = {"-o json": "fit", "-": "fit_line"}


def parser() -> Parser:
    """The parser of the verb."""
    usage = (
        "fluxtui fit [options] -r R JOBSPEC\n       fluxtui fit [options] -r R -s SHAPE [-q EXPR]"
    )
    declared = Parser("fluxtui fit", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, usage)
    add = declared.add_argument
    add("jobspec", metavar="JOBSPEC", nargs="?", help="a jobspec, or '-' for one per line")
    add_resources(declared)
    add_texts(declared, "instead of JOBSPEC: the shape of the job", "its constraint")
    add_submission(declared)
    add("-o", "--output", choices=("text", "json"), help="how to answer (text)")
    return declared


def run(arguments: list[str]) -> int:
    """Answer for one jobspec or many, and return the exit code."""
    options = _options(arguments)
    cluster = _cluster(options.resources, options.config)
    submission, problems = opening.open_submission(options.user, options.status)
    report(problems)
    if cluster is None or submission is None:
        return 1
    report(opening.unknown_queues(submission, cluster))
    if options.jobspec == "-":
        return answer_lines(lambda line: _line(line, options.queue, cluster, submission))
    if options.shape is not None:
        job, legal = fit_jobs.from_texts(options.shape, options.requires, cluster.resources)
    else:
        job, legal = fit_jobs.from_file(options.jobspec, cluster.resources)
    if job is None:
        return 1
    outlook = prospect(fit_jobs.in_queue(job, options.queue), cluster, submission)
    if options.output == "json":
        print_json(answer_json(outlook, cluster))
    else:
        print_text(answer_text(outlook, cluster))
    configured = cluster.config is None or cluster.config.ok
    return 0 if legal and configured and will_run(outlook) else 1


def _options(arguments: list[str]) -> argparse.Namespace:
    """Parse and check the command line; exit 2 on wrong usage."""
    declared = parser()
    options = declared.parse_args(joined(arguments))
    inputs = (options.jobspec, options.resources, options.config)
    if options.jobspec is not None and (options.shape, options.requires) != (None, None):
        declared.error("give a jobspec, or a shape and a constraint, not both")
    if options.requires is not None and options.shape is None:
        declared.error("a constraint is not a job; give the shape with -s SHAPE")
    if options.jobspec is None and options.shape is None:
        declared.error("a jobspec is missing; '-' reads one a line from standard input")
    if options.resources is None:
        declared.error("no R document to fit the job on; give one with -r FILE, or try -r demo")
    if inputs.count("-") > 1:
        declared.error("standard input cannot hold more than one of jobspecs, R and configuration")
    if options.jobspec == "-" and options.output == "text":
        declared.error("'-' answers in JSON Lines and takes no other output")
    return options


def _line(line: str, queue: str | None, cluster: Cluster, submission: Submission) -> dict[str, Any]:
    """The answer to one line of JSON Lines."""
    from fluxtui.model.documents import document

    read = document.read_json(line)
    if not read.readable or any(p.severity == "error" for p in read.problems):
        return refusal(read.problems or (Problem("the line is empty"),))
    found, problems = fit_jobs.of_line(read.value)
    if found is None:
        return refusal(read.located(problems))
    job: Mapping[str, Any] = fit_jobs.in_queue(found, queue)
    return answer_json(prospect(job, cluster, submission), cluster)


def _cluster(resources: str, config: str | None) -> Cluster | None:
    """Open the cluster with its queues, and print problems; None if it is not usable."""
    cluster, problems = opening.open_cluster(resources, config, strict=True)
    if cluster is None:
        report(problems)
        return None
    known = cluster.config.problems if cluster.config is not None else ()
    report(problem for problem in problems if problem not in known)
    if not usable(cluster.resources, cluster.source.name):
        return None
    report(known)
    return cluster
