"""``fluxtui check``: verdicts on jobspecs, R documents, configurations, scripts and stage lists."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fluxtui.bridge import config_files, files
from fluxtui.cli.options import Parser, add_resources
from fluxtui.cli.output import MOST_PROBLEMS, answer_lines, cropped, print_json, print_text, report
from fluxtui.model import stage as stages
from fluxtui.model import verdict
from fluxtui.model.documents import document
from fluxtui.model.jobspec.verdicts import refused_by_flux_alone
from fluxtui.model.verdict import Kind, Verdict
from fluxtui.notation.problem import (
    ELIDED,
    MAX_PROBLEMS,
    Problem,
    few,
    how_many,
    position,
    printable,
    render,
    shortened,
)

if TYPE_CHECKING:
    from fluxtui.opening.scripts import ReadScript
    from fluxtui.workbench import Cluster

_DESCRIPTION = """\
Check whether each file is valid: a jobspec (RFC 14, RFC 25) as YAML or JSON, an R
document (RFC 20), a resource graph (JGF), a Flux configuration (RFC 33) as TOML,
one file or a directory of them, a snapshot of a running Flux, a list of
constraints for --stage, or a job script or a command line of Flux, Slurm, PBS or
LSF. A file is recognised by its content."""

_EPILOG = """\
examples:
  fluxtui check jobspec.yaml R.json
  fluxtui check --v1 jobs/*.yaml
  fluxtui check /etc/flux/system/conf.d
  flux resource R | fluxtui check /dev/stdin
  fluxtui check -r live job.yaml
  fluxtui check - < documents.jsonl

A jobspec is valid if it is legal by RFC 14. Whether it is also a jobspec V1
(RFC 25), which is what Flux takes today, is reported too, with the reasons if it
is not; with --v1 a jobspec that is not V1 is invalid. Warnings, on what is
legal and may surprise, do not make a document invalid.

With -r a jobspec is also invalid where the queue of that cluster does not take
it, or it can never start there; 'live' is the Flux that runs here.

With '-o json', each file is answered by a line with {"file", "kind", "valid",
"v1", "canonical", "problems"}: kind is jobspec, R, JGF, config, snapshot, stage,
script or unknown, v1 and canonical (RFC 14) are null for a document that is of
another kind than a job, and false where the kind is unknown. With '-', each line
of standard input is a document as JSON, a script as a string, answered the same
way, without "file"."""

_EXITS = {
    0: "all are valid",
    1: "any is not",
}
_ANSWERS = {"-o json": "check", "-": "check_line"}


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a problem: the file, the line if known, and the text of the file."""

    file: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Checked:
    """The verdict on one file or directory, with the place of each problem."""

    name: str
    verdict: Verdict
    places: tuple[_Place, ...]


def parser() -> Parser:
    """The parser of the verb."""
    declared = Parser(
        "fluxtui check", _DESCRIPTION, _EPILOG, _EXITS, _ANSWERS, "fluxtui check [options] FILE..."
    )
    add = declared.add_argument
    add("files", metavar="FILE", nargs="*", help="a file, a directory of TOML files, or '-'")
    add("-o", "--output", choices=("text", "json"), default=None, help="output format (text)")
    add_resources(declared)
    add("--v1", action="store_true", help="a jobspec has to be V1 (RFC 25) to be valid")
    return declared


def run(arguments: list[str]) -> int:
    """Judge the files, or the lines of standard input, and return the exit code."""
    declared = parser()
    options = declared.parse_args(arguments)
    names: list[str] = options.files
    cluster = None
    if options.resources is not None:
        from fluxtui import opening

        cluster, problems = opening.open_cluster(options.resources, None, strict=True)
        report(problems)
        if cluster is None:
            return 1
    if not names:
        declared.error("a file is missing; '-' reads one document a line from standard input")
    if "-" not in names:
        return _files(names, options.output == "json", options.v1, cluster)
    if len(names) > 1:
        declared.error("'-' reads documents from standard input and goes with no other file")
    if options.output == "text":
        declared.error("'-' answers in JSON Lines and takes no other output")
    return answer_lines(
        lambda line: _answer(line, options.v1, cluster),
        lambda problems: verdict.unreadable(*problems).to_json(),
        lambda found: bool(found["valid"]),
    )


def _answer(line: str, need_v1: bool, cluster: "Cluster | None") -> dict[str, Any]:
    """The answer to one line of JSON Lines."""
    if not line.strip():
        return verdict.unreadable(Problem("the line is empty")).to_json()
    return _judge(document.read_json(line), need_v1, cluster).to_json()


def _judge(found: document.Document, need_v1: bool, cluster: "Cluster | None" = None) -> Verdict:
    """The verdict on a text: its content, its syntax, and whether a job can run on the cluster."""
    from fluxtui import opening

    if (script := opening.script_of(found)) is not None:
        return _judge_script(script, need_v1, cluster)
    if not found.readable:
        return verdict.unreadable(*found.problems)
    if stages.looks_like(found.value) and verdict.kind_of(found.value) == "unknown":
        return _judge_stage(found)
    kind: Kind | None = "config" if found.form == "toml" else None
    judged = verdict.judge(found.value, kind, need_v1=need_v1).with_problems(found.problems)
    if judged.kind != "jobspec" or not judged.valid:
        return judged
    of_flux = refused_by_flux_alone(found.value)
    if cluster is None:
        notes = (replace(problem, severity="warning") for problem in of_flux)
        return replace(judged, problems=_distinct((*judged.problems, *notes)))
    refused = (*_refused(found.value, cluster), *of_flux)
    return replace(judged, valid=not refused, problems=_distinct((*judged.problems, *refused)))


def _distinct(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems without those that another rule has already found; an error beats a warning."""
    found: dict[object, Problem] = {}
    for problem in problems:
        same = (problem.path, problem.code) if problem.path and problem.code else problem
        if same not in found or (found[same].severity, problem.severity) == ("warning", "error"):
            found[same] = problem
    return tuple(found.values())


def _refused(job: Mapping[str, Any], cluster: "Cluster") -> tuple[Problem, ...]:
    """Why the queue does not accept a job, or why it never starts, with names it may misspell."""
    from fluxtui import opening
    from fluxtui.cli.fit_jobs import unknown_names
    from fluxtui.workbench import prospect

    submission, _ = opening.open_submission(None, None)
    outlook = prospect(job, cluster, submission)
    refusals = outlook.own.refusals if outlook.own is not None else ()
    found = tuple(refusal.problem for refusal in refusals)
    if outlook.fit is None or outlook.fit.feasible is not False:
        return found
    return (*found, *outlook.fit.own.reasons, *unknown_names(job, cluster.resources))


def _judge_script(script: "ReadScript", need_v1: bool, cluster: "Cluster | None") -> Verdict:
    """The verdict on a script or a command line, and on its job."""
    valid = not any(problem.severity == "error" for problem in script.problems)
    problems = (*script.problems, *script.notes)
    if script.jobspec is None:
        return Verdict("script", False, False, False, script.what, problems)
    job = verdict.judge(script.jobspec, "jobspec", need_v1=need_v1)
    # Paths in the job do not exist in the text.
    problems += tuple(replace(problem, path=None) for problem in job.problems)
    valid = valid and job.valid
    if cluster is not None and valid and (refused := _refused(script.jobspec, cluster)):
        valid, problems = False, (*refused, *problems)
    return Verdict("script", valid, job.canonical, job.v1, script.what, problems)


def _judge_stage(found: document.Document) -> Verdict:
    """The verdict on a stage list; a step that cannot be shown makes it invalid."""
    stage, problems = stages.read(found)
    count = len(stage.steps) if stage is not None else 0
    valid = not any(problem.severity == "error" for problem in problems)
    summary = "1 step" if count == 1 else f"{count:,} steps"
    return Verdict("stage", valid, None, None, summary, problems)


def _files(names: list[str], as_json: bool, need_v1: bool, cluster: "Cluster | None" = None) -> int:
    code = 0
    width = max(len(printable(name)) for name in names)
    for name in names:
        checked = _directory(name) if os.path.isdir(name) else _file(name, need_v1, cluster)
        if not checked.verdict.valid:
            code = 1
        if as_json:
            print_json(_answer_of(checked), indent=None)
        else:
            print_text(_text(checked, width))
        sys.stdout.flush()
    return code


def _file(name: str, need_v1: bool, cluster: "Cluster | None" = None) -> _Checked:
    source, problems = files.read_file(name, lambda done, size: None, document.MAX_LOCATED)
    if source is None:
        return _placed(name, verdict.unreadable(*problems), "")
    if source.document is not None:
        return _placed(name, verdict.judge(source.document), "")
    found = document.read(source.text, source.name)
    judged = _judge(found, need_v1, cluster)
    return _placed(name, replace(judged, problems=found.located(judged.problems)), source.text)


def _placed(name: str, judged: Verdict, text: str) -> _Checked:
    """The verdict on one text, with the line of each problem that has a span."""
    return _Checked(name, judged, tuple(_place(name, p, text) for p in judged.problems))


def _directory(name: str) -> _Checked:
    """The verdict on the configuration that Flux would read from a directory."""
    found = config_files.read(os.path.join(".", name) if name == files.DEMO else name)
    table = found.value
    if table is None:
        return _placed(name, verdict.unreadable(*found.problems), "")
    read = {part.source.path: part for part in table.parts if not config_files.is_json(part.source)}
    broken: list[tuple[Problem, _Place]] = []
    for path in table.files:
        if path not in read:
            broken += _broken(os.path.join(name, path.name), path, found.problems)
    judged = verdict.judge(table.table, "config")
    origins = config_files.Origins(tuple(read.values()))
    placed = broken + [(p, _origin(name, p, origins)) for p in judged.problems]
    return _Checked(
        name,
        replace(judged, valid=judged.valid and not broken, problems=tuple(p for p, _ in placed)),
        tuple(place for _, place in placed),
    )


def _broken(file: str, path: Path, known: Sequence[Problem]) -> list[tuple[Problem, _Place]]:
    """The problems of a file that could not be read; known are those of the whole directory."""
    source, problems = config_files.read_listed(path)
    if source is None:
        return [(p, _Place(file, None, "")) for p in problems if p in known]
    return [(p, _place(file, p, source.text)) for p in document.read_toml(source.text).problems]


def _origin(name: str, problem: Problem, origins: config_files.Origins) -> _Place:
    """The place of a problem in a directory: the file that sets its path, and the line."""
    part, span = origins.find(problem.path or "")
    if part is None or span is None or part.source.path is None:
        return _Place(name, None, "")
    file = os.path.join(name, part.source.path.name)
    return _place(file, replace(problem, span=span), part.source.text)


def _place(file: str, problem: Problem, text: str) -> _Place:
    line = position(text, problem.span.start)[0] if problem.span and text else None
    return _Place(file, line, text)


def _answer_of(checked: _Checked) -> dict[str, Any]:
    """The answer on one text as a JSON object."""
    answer = {"file": checked.name, **checked.verdict.to_json()}
    for problem, place in zip(answer["problems"], checked.places, strict=True):
        if place.file != checked.name:
            problem["file"] = place.file
        if place.line is not None:
            problem["line"] = place.line
    return answer


def _text(checked: _Checked, width: int) -> str:
    """The answer on one text: a line with the verdict, and below it each problem."""
    found = checked.verdict
    errors = sum(problem.severity == "error" for problem in found.problems)
    count = str(errors) if errors <= MAX_PROBLEMS else f"{MAX_PROBLEMS}+"
    result = "ok" if found.valid else "1 problem" if errors == 1 else f"{count} problems"
    name = printable(checked.name).ljust(width)
    lines = [f"{name}  {found.kind:<8}  {result:<11}  {printable(found.summary)}".rstrip()]
    placed = sorted(zip(found.problems, checked.places, strict=True), key=_order)
    for problem, place in placed[:MOST_PROBLEMS]:
        lines += [f"  {line}" for line in _problem(problem, place, found)]
    more = how_many(problem for problem, _ in placed[MOST_PROBLEMS:])
    if more:
        lines.append(f"  ... and {more:,} more; -o json has all")
    return "\n".join(lines)


def _order(placed: tuple[Problem, _Place]) -> tuple[str, bool, str, int]:
    """The sort key: errors first, then by file and line; problems without a line come first."""
    problem, place = placed
    return problem.severity, problem.code == ELIDED, place.file, place.line or 0


def _problem(problem: Problem, place: _Place, found: Verdict) -> list[str]:
    """The lines of a problem with its place; a syntax problem also shows the line in the text."""
    lead = f"{printable(place.file)}:{place.line}: " if place.line is not None else ""
    if found.v1 is False and problem.rule == "RFC 25":
        problem = replace(problem, severity="error")  # why it is not V1 is more than a warning
    expected = problem.expected
    words = set(_WORD.findall(problem.message))
    if "did you mean" in problem.message or words.issuperset(_WORD.findall(" ".join(expected))):
        expected = ()
    shown = replace(
        problem,
        path=problem.path and shortened(problem.path, LONGEST_PATH),
        expected=few(expected, MOST_EXPECTED),
    )
    if problem.path is not None:  # the path makes the line of the text unnecessary
        return (lead + render(shown)).split("\n")
    return (lead + render(*cropped(shown, place.text or None))).split("\n")


_WORD = re.compile(r"\w+")
#: How many of the expected phrases are shown.
MOST_EXPECTED = 6
#: How many characters of a path are shown.
LONGEST_PATH = 120
