"""``fluxtui fit``: is there room for a job, will the queue take it, and why not."""

from collections.abc import Mapping
from typing import Any

from fluxtui import opening
from fluxtui.answers.fit import Fit
from fluxtui.bridge import files
from fluxtui.cli.fit_words import answer_json, answer_text
from fluxtui.cli.options import Parser
from fluxtui.cli.output import answer_lines, print_json, refusal, report
from fluxtui.model import jobspec
from fluxtui.notation.source import Problem
from fluxtui.workbench import Cluster, Outlook, Submission, prospect

_DESCRIPTION = """\
Say of a jobspec (RFC 14, YAML or JSON) whether there is room for it on the
cluster of an R document, by each of Flux's two schedulers, whether the queue
takes it (RFC 33), what is missing if not, and where it would be placed."""

_EPILOG = """\
examples:
  fluxtui fit -r R.json job.yaml
  fluxtui fit -r R.json -c /etc/flux/system/conf.d --queue debug job.yaml
  fluxtui fit -r demo -o json job.yaml
  fluxtui fit -r R.json - < jobs.jsonl

The cluster is taken to be idle. Where the R document carries a resource graph,
or is one (JGF), Fluxion's verdict counts; else that of sched-simple, read
strictly, and Fluxion's for requests that sched-simple does not read.

With '-', each line of standard input is {"jobspec": {...}}, or
{"resources": [...], "constraints": {...}, "queue": "..."}, and is answered by a
line with {"feasible", "admitted", "reasons", "placement", "schedulers", ...} or
{"problems": [...]}.

exit codes: 0 there is room and the queue takes it (of '-': every line had an
answer), 1 not so, or an input is wrong, 2 wrong usage"""


def _parser() -> Parser:
    parser = Parser("fluxtui fit", _DESCRIPTION, _EPILOG, "fluxtui fit [options] -r R JOBSPEC")
    add = parser.add_argument
    add("jobspec", metavar="JOBSPEC", nargs="?", help="a jobspec, or '-' for one a line")
    add(
        "-r",
        "--resources",
        metavar="R",
        help="an R document; '-' is standard input, 'demo' the cluster that ships inside",
    )
    add("-c", "--config", metavar="PATH", help="a Flux TOML file or directory (queues, policy)")
    add("--queue", metavar="NAME", help="the queue, in the place of the one the job names")
    add("--user", metavar="NAME", help="who submits, for queues that only some may use (you)")
    add("--status", metavar="FILE", help="how the queues stand, as JSON (RFC 33)")
    add("-o", "--output", choices=("text", "json"), help="how to answer (text)")
    return parser


def run(arguments: list[str]) -> int:
    """Answer for one jobspec or many; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.jobspec is None:
        parser.error("a jobspec is missing; '-' reads one a line from standard input")
    if options.resources is None:
        parser.error("no R document to look for room in; give one with -r FILE, or try -r demo")
    if options.jobspec == "-" and "-" in (options.resources, options.config):
        parser.error("standard input cannot hold both the jobspecs and another document")
    if options.jobspec == "-" and options.output == "text":
        parser.error("'-' answers in JSON Lines and takes no other output")
    cluster = _cluster(options.resources, options.config)
    submission, problems = opening.open_submission(options.user, options.status)
    report(problems)
    if cluster is None or submission is None:
        return 1
    if options.jobspec == "-":
        return answer_lines(lambda line: _line(line, options.queue, cluster, submission))
    found = _read(options.jobspec)
    if found is None:
        return 1
    outcome, fit = _answer(_in_queue(found, options.queue), cluster, submission)
    if options.output == "json":
        print_json(answer_json(outcome, fit, cluster))
    else:
        print(answer_text(outcome, fit, cluster))
    return 0 if fit.feasible and outcome.admitted is not False else 1


def _answer(
    job: Mapping[str, Any], cluster: Cluster, submission: Submission
) -> tuple[Outlook, Fit]:
    return prospect(job, cluster.resources, cluster.yard, cluster.config, submission)


def _line(line: str, queue: str | None, cluster: Cluster, submission: Submission) -> dict[str, Any]:
    """Answer one line of JSON Lines."""
    from fluxtui.model import document

    read = document.read_json(line)
    if not read.readable or any(p.severity == "error" for p in read.problems):
        return refusal(read.problems or (Problem("the line is empty"),))
    found, problems = _job_of(read.value)
    if found is None:
        return refusal(problems)
    return answer_json(*_answer(_in_queue(found, queue), cluster, submission), cluster)


def _job_of(value: object) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """The jobspec of a line: as it is, or built around resources, constraints and a queue."""
    keys = ("jobspec", "resources")
    if not isinstance(value, dict) or not any(key in value for key in keys):
        message = "the line is an object with a jobspec, or with resources"
        return None, (Problem(message, expected=('{"jobspec": ...}', '{"resources": [...]}')),)
    if "jobspec" in value or "tasks" in value:
        found = value.get("jobspec", value)
        if not isinstance(found, dict) or not isinstance(found.get("resources"), list):
            return None, (Problem("a jobspec is an object with resources", path="jobspec"),)
        return found, ()
    resources = value["resources"]
    if not isinstance(resources, list):
        message = "resources is a list"
        return None, (Problem(message, None, "resources", ("a list",), "RFC 14"),)
    job = jobspec.build([v for v in resources if isinstance(v, dict)] and resources)
    system = job["attributes"]["system"]
    system |= {key: value[key] for key in ("constraints", "queue", "duration") if key in value}
    return job, ()


def _in_queue(job: Mapping[str, Any], queue: str | None) -> Mapping[str, Any]:
    """The jobspec with another queue, where one is given."""
    if queue is None:
        return job
    attributes = job.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    system = attributes.get("system")
    system = system if isinstance(system, Mapping) else {}
    return {**job, "attributes": {**attributes, "system": {**system, "queue": queue}}}


def _read(name: str) -> dict[str, Any] | None:
    """The jobspec of a file; its problems are printed, None where there is nothing to judge."""
    from fluxtui.model import document

    source, problems = files.read_file(name)
    if source is None:
        report(problems)
        return None
    found = document.read(source.text, source.name)
    report(found.problems, source.text, source.name)
    if any(problem.severity == "error" for problem in found.problems):
        return None
    value = found.value
    if not isinstance(value, dict) or not isinstance(value.get("resources"), list):
        report((Problem("this is no jobspec: it has no resources", rule="RFC 14"),), None, name)
        return None
    report(found.located(jobspec.check(value).problems), source.text, source.name)
    return value


def _cluster(resources: str, config: str | None) -> Cluster | None:
    """The cluster with its queues; problems are printed, None where nothing is usable."""
    cluster, problems = opening.open_cluster(resources, config)
    report(problems)
    if cluster is None:
        return None
    found = cluster.resources
    usable = found.node_count > 0 or found.ok
    wrong = found.problems
    if usable:  # what is wrong with it does not keep it from answering
        wrong = tuple(problem._replace(severity="warning") for problem in wrong)
    report(wrong, None, cluster.source.name)
    if cluster.config is not None:
        report(cluster.config.problems)
    return cluster if usable else None
