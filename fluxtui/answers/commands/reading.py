"""Shared by the readers of several systems: building the jobspec, and reading option values.

Durations, signals and environments are read as flux-core 0.88 reads them; dependencies, exported
variables and node features as Slurm does, whose syntax PBS shares.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from string import Template
from typing import Any

from fluxtui.answers.commands.jobs import STREAMS, UNBUFFERED, copied
from fluxtui.answers.commands.options import Line, Note, OptionUse
from fluxtui.answers.commands.scripts import WHOLE
from fluxtui.answers.commands.variables import KEPT, Variables
from fluxtui.model.form.settings import signal_number
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.dependency import is_job_id
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import Problem, Span, printable, shortened

# The system attributes that options set, in the order that Flux writes them.
_ORDER = ("duration", "cwd", "job", "queue", "bank", "project", "files", "shell", "environment",
          "dependencies", "constraints")  # fmt: skip


class JobBuilder:
    """Builds the jobspec of a line; one_each says that each node has just one slot."""

    def __init__(self, line: Line, label: str = "default") -> None:
        self.line = line
        self.label = label
        self.resources: list[dict[str, Any]] = []
        self.count = {"per_slot": 1}
        self.one_each = False
        self.duration = 0.0
        texts = {key: line.text(key) for key in ("cwd", "queue", "bank", "project")}
        self.system: dict[str, Any] = {key: text for key, text in texts.items() if text is not None}
        if (name := line.text("name")) is not None:
            self.system["job"] = {"name": name}
        self.constraints: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.broker_options: list[str] = []

    def set_file(self, stream: str, path: str) -> None:
        """Send a stream (a key of ``STREAMS``) to a file."""
        kind, name = STREAMS[stream]
        entry = self.options.setdefault(kind, {}).setdefault(name, {})
        entry.update(type="file", path=path)
        if kind == "output" and self.line.get("label"):
            entry["label"] = True

    def set_unbuffered(self) -> None:
        """Pass on output and input at once, as ``flux run -u`` does."""
        for path, value in UNBUFFERED.items():
            *above, last = path.split(".")
            tree = self.options
            for key in above:
                tree = tree.setdefault(key, {})
            tree[last] = copied(value)

    def lay_out(
        self, nodes: Any, slots: int, inside: Sequence[dict[str, Any]], *, exclusive: bool = False
    ) -> None:
        """Request nodes (an RFC 14 count) with slots in each, or only slots if nodes is None."""
        slot = {"type": "slot", "count": slots, "label": self.label, "with": list(inside)}
        keys = {"exclusive": True} if exclusive else {}
        node = {"type": "node", "count": nodes, **keys, "with": [slot]}
        self.resources = [slot if nodes is None else node]

    def document(self, command: Sequence[str]) -> dict[str, Any]:
        """Return the jobspec that runs a command in each slot."""
        system = {"duration": self.duration, **self.system}
        if self.constraints:
            first, *others = self.constraints
            system["constraints"] = {"and": self.constraints} if others else first
        if self.options:
            system["shell"] = {"options": self.options}
        system = {key: system[key] for key in _ORDER if key in system}
        task = {"command": list(command), "slot": self.label, "count": dict(self.count)}
        return {
            "version": 1,
            "resources": self.resources,
            "tasks": [task],
            "attributes": {"system": system},
        }

    def allocation(self, command: Sequence[str]) -> dict[str, Any]:
        """Return the jobspec of an instance with one broker per node, as in RFC 14 and RFC 25."""
        if not self.one_each:
            self.options["per-resource"] = {"type": "node"}
        return self.document(["flux", "start", *command])

    def broker(self, program: Sequence[str]) -> dict[str, Any]:
        """Return the jobspec of an instance that runs a program, as ``flux alloc`` makes it."""
        self.options.update(jobspec.instance_options())
        self.leave_tasks()
        return self.document(["flux", "broker", *self.broker_options, *program])

    def leave_tasks(self) -> None:
        """Make each slot run one broker, however many tasks share the slot later."""
        if "per_slot" in self.count:
            self.line.tasks = self.count["per_slot"]
            self.count = {"per_slot": 1}

    def name_batch(self, name: str) -> None:
        """Give the job a name and an output file, as ``flux batch`` does."""
        self.system.setdefault("job", {"name": name})
        if self.line.get("output") is None:
            self.set_file("output", jobspec.BATCH_OUTPUT)

    def run_script(
        self, text: str | None, words: Sequence[str], arguments: Sequence[str]
    ) -> dict[str, Any]:
        """Return the jobspec that ``flux batch`` makes of a script; notes say what is not known.

        text is empty if there are only directives, None if only the words are known.
        """
        if text is None:
            name = " ".join(["the script", *map(printable, words[:1])])
            note = f"{name} is not read here: its text and its directives are left out"
            self.line.lost(WHOLE, note, "convert the script itself")
            return self.broker(words or ["batch"])
        if not text:
            note = "the commands of the script are not here; 'app' takes their place"
            self.line.note(WHOLE, note, "remark")
            return self.document(["app"])
        self.system.setdefault("files", {})["script"] = jobspec.script_entry(text)
        return self.broker([jobspec.SCRIPT, *arguments])

    def run_given_script(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the jobspec of the line's script, which gets a ``#!`` line if it has none."""
        script = self.line.command.script
        text = None if script is None and words else ""
        if script is not None and script.body:
            self.name_batch("batch")
            text = script.text
            if not text.startswith("#!"):
                self.line.note(WHOLE, "the script has no #! line and gets '#!/bin/sh'", "remark")
                text = f"#!/bin/sh\n{text}"
        return self.run_script(text, words, words)


def is_without_memory(line: Line, found: OptionUse) -> bool:
    """Whether memory is not to be requested; a note says so."""
    if line.command.memory == "none":
        note = "memory is left out: version 1 of a jobspec (RFC 25) asks for none"
        line.lost(found, note, "ask for the cores or whole nodes that have enough")
    return line.command.memory == "none"


def from_pattern(line: Line, found: OptionUse, path: str, patterns: Mapping[str, str]) -> str:
    """Replace the patterns of another system in a file name by the templates of Flux."""
    for pattern, template in patterns.items():
        path = path.replace(pattern, template)
    if re.search(r"%[0-9]*[a-zA-Z]", path):
        line.note(found, "a pattern of this file name has no counterpart")
    return path


def array_note(name: str, span: Span) -> Note:
    """The note on an option that requests an array of jobs."""
    text = f"{name} submits several jobs; a jobspec is one job"
    return Note(text, span, "lost", ARRAY, "array")


#: What to do in Flux for an array of jobs.
ARRAY = "submit each with the number in its environment: flux batch --env=FLUX_JOB_CC=1 ..."


def core_vertices(count: int, gpus: int = 0) -> list[dict[str, Any]]:
    """The vertices for cores, and for gpus if there are any."""
    cores: list[dict[str, Any]] = [{"type": "core", "count": count}]
    return [*cores, {"type": "gpu", "count": gpus}] if gpus else cores


def memory_vertex(amount: int) -> dict[str, Any]:
    """The vertex for at least so many MB of memory, in GB if even (RFC 14, use case 2.5)."""
    unit, least = ("MB", amount) if amount % 1024 else ("GB", amount // 1024)
    return {"type": "memory", "count": {"min": least}, "unit": unit}


_UNITS = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}


def megabytes(text: str) -> int | None:
    """Parse memory such as ``4096``, ``4G`` or ``4gb`` to MB (the default unit), or None."""
    found = re.fullmatch(r"([^+-].*?)(?:([KMGTP])B?)?", text.strip().upper(), re.DOTALL)
    try:
        value = float(found[1]) * _UNITS[found[2] or ""] if found else -1.0
    except (ValueError, OverflowError):
        return None
    return math.ceil(value) if 0 <= value < 1e15 else None


# The units of a duration that Flux rounds to whole microseconds.
_ROUNDED = {"ms": "milliseconds", "m": "minutes", "h": "hours", "d": "days"}


def seconds(text: str) -> float | None:
    """The seconds that Flux reads in a duration, with or without a unit (RFC 23), or None."""
    found = re.fullmatch(r"(.*?)(ms|[smhd])?", text, re.DOTALL)
    try:
        number = float(found[1]) if found and len(text) <= 100 else float("nan")
        unit = found[2] if found else None
        if unit in _ROUNDED:
            number = timedelta(**{_ROUNDED[unit]: number}).total_seconds()
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number < float("inf") else None


def set_signal(job: JobBuilder, found: OptionUse, text: str) -> None:
    """Set the shell option of ``--signal=[SIG][@TIME]``: the number, and seconds before the end."""
    name, _, time = text.partition("@")
    number, timeleft = signal_number(name), seconds(time) if time else 60.0
    if number is None:
        message = f"'{shortened(name)}' is not a signal"
        job.line.problem(found, message, "SIGUSR1", "USR1", "10")
    elif timeleft is None:
        message = f"'{shortened(time)}' is not a time before the end of a job"
        job.line.problem(found, message, "60s", "5m")
    else:
        job.options["signal"] = {"signum": number, "timeleft": timeleft}


def add_errors(line: Line, found: OptionUse, problems: Iterable[Problem], offset: int = 0) -> None:
    """Add the errors that another parser found in a value, which begins at offset of its text."""
    first, last = found.value_span
    for problem in problems:
        if problem.severity == "error":
            span = found.value_span  # the whole value if it is quoted
            if problem.span is not None and last - first == len(found.text):
                start = first - offset
                span = Span(*(min(max(start + place, first), last) for place in problem.span))
            line.problems.append(replace(problem, span=span))


def environment(
    line: Line, rules: Sequence[OptionUse], *, sets_more: bool = False
) -> tuple[dict[str, Any] | None, dict[str, str]]:
    """The environment that ``--env`` rules make, and the templates that the job shell fills in.

    None if it is left to the submission. sets_more says that other options set variables, too.
    The rules are also kept as ``line.variables``.
    """
    variables: dict[str, Any] = dict(line.environ)
    templates: dict[str, str] = {}
    known = bool(line.environ)
    # The same in terms of the environment at submission, which may not be known.
    inherits, values, copied, taken = True, dict[str, str](), list[str](), list[str]()
    unfilled: frozenset[str] = frozenset()
    for rule in rules:
        name, equals, value = rule.text.partition("=")
        if name.startswith("^"):
            line.note(rule, f"{rule.name} names a file, which is not read here")
        elif name.startswith("-"):
            pattern = rule.text[1:]
            for removed in _matching(line, rule, pattern, variables):
                del variables[removed]
                values.pop(removed, None)
            known = known or pattern == "*"
            inherits = inherits and pattern != "*"
            copied = [kept for kept in copied if kept != pattern and pattern != "*"]
            taken = [*taken, pattern] if inherits else []
        elif not equals:
            for key in _matching(line, rule, name, line.environ):
                variables.setdefault(key, line.environ[key])
            copied += [] if inherits or name in values else [name]
            taken = [kept for kept in taken if kept != name]
        elif "{{" in value:
            templates[name] = value
        else:
            variables[name] = values[name] = _filled(line, rule, value, variables)
            is_unfilled = not line.environ and "$" in value.replace("$$", "")
            unfilled = unfilled | {name} if is_unfilled else unfilled - {name}
    if rules:
        line.variables = Variables(inherits, values, tuple(copied), tuple(taken), unfilled)
    is_kept = (rules or sets_more) and (known or variables)
    return (variables if is_kept else None), templates


def _matching(line: Line, rule: OptionUse, pattern: str, names: Mapping[str, Any]) -> list[str]:
    if not pattern.startswith("/"):
        return matching(names, pattern)
    expression = pattern[1:].rstrip("/")
    # Nested repetitions may take forever; without groups there are none.
    if "(" in expression or len(expression) > 100:
        line.note(rule, "a regular expression with groups is not applied here")
        return []
    try:
        return [name for name in names if re.match(expression, name)]
    except re.error as error:
        line.problem(rule, f"the regular expression is wrong: {error}")
        return []


def _filled(line: Line, rule: OptionUse, value: str, variables: Mapping[str, Any]) -> str:
    template, known = Template(value), {**line.environ, **variables}
    try:
        filled = template.substitute(known) if line.environ else template.safe_substitute(known)
    except (ValueError, KeyError) as error:
        what = "a $ with no name behind it" if isinstance(error, ValueError) else str(error)
        line.problem(rule, f"the value cannot be filled in: {what}", "$$ for a $")
        return value
    if not line.environ and "$" in value.replace("$$", ""):
        line.note(rule, "variables that are not known here stay as they are written")
    return filled


def assigned(line: Line) -> list[OptionUse]:
    """The variables set before a command, as ``--env`` rules."""
    return [OptionUse("--env", word.text, word.span, word.span) for word in line.command.assigned]


def _is_slurm(line: Line) -> bool:
    return line.command.program in ("sbatch", "salloc", "srun")


def set_exported(job: JobBuilder) -> None:
    """Set the environment from ``NAME,NAME=VALUE`` and from variables before the command.

    It is left to the submission if there are neither. ``~NAME`` takes a variable out.
    """
    line, rules = job.line, assigned(job.line)
    if rules:
        job.system["environment"] = environment(line, rules)[0] or {}
    found = line.get("export")
    # Commas within quotes belong to a part.
    parts = re.findall(r"""(?:'[^']*'|"[^"]*"|[^,])+""", found.text if found else "")
    if found is None or parts in ([], ["ALL"]):
        return
    earlier = line.variables or Variables()
    own, before = earlier.values, {**line.environ, **earlier.values}
    inherits = "ALL" in parts
    out, values = (dict(before), dict(own)) if inherits else ({}, {})
    copied, removed = [], []
    for part in (re.sub(r"""(['"])(.*?)\1""", r"\2", part) for part in parts):
        name, equals, value = part.partition("=")
        if part in ("ALL", "NONE", "NIL"):
            continue
        if name.startswith("~"):
            out.pop(name[1:], None)
            values.pop(name[1:], None)
            removed.append(name[1:])
        elif equals or name in own:
            out[name] = values[name] = value if equals else own[name]
        else:
            copied += [] if inherits else [name]
            if name in before:
                out[name] = before[name]
    if out or not inherits:
        job.system["environment"] = out
    if "ALL" in parts and any("=" in part for part in parts) and _is_slurm(line):
        line.note(found, KEPT)
    unfilled = frozenset(name for name in earlier.unfilled if values.get(name) == own[name])
    line.variables = Variables(inherits, values, tuple(copied), tuple(removed), unfilled)


_KINDS = ("after", "afterany", "afterok", "afternotok")
# What Slurm and PBS also have.
_OTHER_KINDS = (
    "aftercorr", "afterburstbuffer", "expand", "before", "beforeany", "beforeok", "beforenotok",
    "on", "runone",
)  # fmt: skip
# A job of Slurm (123, 123_4, 123_*) or PBS (123.server, 123[4]); a shell may fill in the id.
_JOB_ID = re.compile(r"[0-9]+(_([0-9]+|\*)|\[[0-9]*\])?(\.[\w.-]+)?|.*\$.*", re.DOTALL)

#: The note on dependencies, whose jobs no other system knows by the same ids.
JOB_IDS = "job ids are kept as written; put in those that the jobs get in the other system"


def set_dependencies(job: JobBuilder, found: OptionUse, text: str, system: str) -> None:
    """Set the RFC 26 dependencies of ``afterok:1:2,afterany:3``, whose job ids are of system."""
    line, out = job.line, []
    if "?" in text:
        line.note(found, "Flux waits for all dependencies, not for any of them")
    for part in re.split(r"[,?]", text):
        kind, *ids = part.split(":")
        if kind == "singleton":
            out.append({"scheme": kind, "value": ""})
            if line.get("name") is None and line.command.program == "srun":
                note = "Flux refuses a singleton whose job has no name of its own"
                line.note(found, note, instead="name it by --job-name")
        elif kind in _OTHER_KINDS:
            line.lost(found, f"Flux has no dependency '{kind}'")
        elif kind not in _KINDS or not ids:
            message = f"'{shortened(part)}' is not a dependency"
            line.problem(found, message, *(f"{name}:JOBID" for name in _KINDS))
        else:
            for job_id in ids:
                plain, plus, _ = job_id.partition("+")
                if plus:
                    line.note(found, "Flux does not wait for some time after a job has begun")
                plain = plain.removesuffix("()")
                if not (_JOB_ID.fullmatch(plain) or is_job_id(plain)):
                    message = f"'{shortened(plain)}' is not the id of a job of {system}"
                    line.problem(found, message, f"a number such as {kind}:123")
                out.append({"scheme": kind, "value": plain})
    if out:
        job.system["dependencies"] = out
    if any(entry["value"] for entry in out):
        line.note(found, JOB_IDS)


def dependency_text(entries: object, *, singletons: bool) -> str | None:
    """The text of dependencies of Slurm and PBS, or None if they have none such."""
    texts = []
    for entry in entries if isinstance(entries, list | tuple) else ():
        if not isinstance(entry, Mapping) or set(entry) != {"scheme", "value"}:
            return None
        if singletons and entry == {"scheme": "singleton", "value": ""}:
            texts.append("singleton")
            continue
        scheme = "after" if entry["scheme"] == "afterstart" else entry["scheme"]
        if scheme not in _KINDS or not re.fullmatch(r"[^\s,:?+()]+", str(entry["value"])):
            return None
        texts.append(f"{scheme}:{entry['value']}")
    return ",".join(texts) or None


_FEATURE = r"[^\s&|,()\[\]*]+"


def features(line: Line, found: OptionUse) -> dict[str, Any] | None:
    """The RFC 31 object for ``-C``: features joined by ``&`` or ``,`` and ``|``, left to right."""
    plain = found.text.replace("[", "(").replace("]", ")")
    if plain != found.text:
        line.note(found, "the features in brackets may differ from node to node in Flux")
    counted = re.sub(r"\*[0-9]+", "", plain)
    if counted != plain:
        line.note(found, "Flux does not count the nodes that have a feature")
    tokens = re.findall(rf"{_FEATURE}|[&|,()]|\S", counted)
    rest = [*reversed(tokens)]
    tree = _joined(rest) if len(tokens) <= 500 else None  # no real request has more
    if tree is None or rest:
        message = f"'{shortened(found.text)}' is not a list of node features"
        line.problem(found, message, "a feature such as gpu", "gpu&ib", "a|b")
        return None
    return tree


def _joined(rest: list[str], depth: int = 0) -> dict[str, Any] | None:
    """term (('&' | ',' | '|') term)*, from the end of the reversed tokens; None if malformed."""
    tree = _term(rest, depth)
    while tree is not None and rest and rest[-1] in "&,|":
        operator = "or" if rest.pop() == "|" else "and"
        term = _term(rest, depth)
        if term is None:
            return None
        if operator == "and" and "properties" in tree and "properties" in term:
            tree = {"properties": [*tree["properties"], *term["properties"]]}
        else:
            tree = {operator: [*tree.get(operator, [tree]), term]}
    return tree


def _term(rest: list[str], depth: int) -> dict[str, Any] | None:
    """feature | '(' joined ')'"""
    token = rest.pop() if rest else ""
    if token == "(" and depth < 20:
        tree = _joined(rest, depth + 1)
        return tree if rest and rest.pop() == ")" else None
    return {"properties": [token]} if re.fullmatch(_FEATURE, token) else None


def features_text(constraint: object, within: str = "") -> str | None:
    """The ``-C`` text of a constraint of properties, and, and or; within is the outer sign."""
    if not isinstance(constraint, Mapping) or len(constraint) != 1:
        return None
    ((operator, values),) = constraint.items()
    sign = {"and": "&", "or": "|", "properties": "&"}.get(str(operator))
    if sign is None or not isinstance(values, list | tuple) or not values:
        return None
    texts = []
    for part in values:
        text = part if operator == "properties" else features_text(part, sign)
        is_name = isinstance(part, str) and re.fullmatch(_FEATURE, part) and part[0] != "^"
        if text is None or (operator == "properties" and not is_name):
            return None
        texts.append(text)
    is_bare = len(texts) == 1 or within in ("", sign)
    return sign.join(texts) if is_bare else f"({sign.join(texts)})"
