"""Reads ``flux submit``, ``run``, ``batch`` and ``alloc`` lines as jobspecs (flux-core 0.88).

What those commands take from where they run is left out where the line does not mention it: the
working directory, the environment, and the resource limits.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlparse

from fluxtui.answers.commands import options, scripts
from fluxtui.answers.commands.flux.resources import (
    LABEL,
    Layout,
    instance_layout,
    shaped,
    task_layout,
)
from fluxtui.answers.commands.job import STREAMS
from fluxtui.answers.commands.options import (
    WHOLE,
    Found,
    Line,
    Option,
    OptionSyntax,
    add,
    each,
    keep,
    kept,
    leave,
    listed,
    silent,
    table,
)
from fluxtui.answers.commands.values import environment, seconds, signal
from fluxtui.model.jobspec import batch
from fluxtui.notation import duration
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import Span, printable
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import idset
from fluxtui.notation.shellwords import Word

#: Flux takes no abbreviations, and its options end at the first word that is not one.
SYNTAX = OptionSyntax(abbreviated=False, guarded=True)

_UNKEPT = leave("says how the job is submitted or watched, which a jobspec does not hold")
_MANY = leave("makes several jobs of one; a jobspec is one job")
_CLOCK = leave("counts from the moment of submission, which a jobspec does not know")
_FILE = leave("names a file, which is not read here")

_COMMON = (
    *kept("=-B/--bank =-q/--queue =-t/--time-limit =--job-name"),
    *listed("=-o/--setopt =-S/--setattr =--add-file =--dependency =--require/--requires"),
    *each("=--begin-time", _CLOCK),
    *listed("=--env"),
    *each("=--env-remove", add("env", "-")),
    *each("=--env-file", add("env", "^")),
    *listed("=--rlimit"),
    *kept("=--input =--output =--error -u/--unbuffered -l/--label-io =--cwd =--signal"),
    *kept("=-N/--nodes -x/--exclusive =--resources-shape"),
    *each("=--resources-json", _FILE),
    *each("=--urgency =--flags", _UNKEPT),
    *each("--quiet --dry/--dry-run --debug-emulate --list-plugins ?--help", silent),
)
_VERBOSE = each("-v/--verbose", silent)

_TASKS = (
    *kept("=--taskmap"),
    *each("=-n/--ntasks", keep("count")),
    *each("=-c/--cores-per-task", keep("cores-per")),
    *each("=-g/--gpus-per-task", keep("gpus-per")),
    *kept("=--cores =--tasks-per-node =--tasks-per-core =--gpus-per-node"),
    *_VERBOSE,
)
_SUBMIT = (
    *each("=--cc =--bcc", _MANY),
    *each("=--wait-event --wait --watch =--log =--log-stderr", _UNKEPT),
    *each("--progress --jps", silent),
)
_INSTANCE = (
    *each("=-n/--nslots", keep("count")),
    *each("=-c/--cores-per-slot", keep("cores-per")),
    *each("=-g/--gpus-per-slot", keep("gpus-per")),
    *listed("=--broker-opt/--broker-opts =--conf"),
    *kept("?--dump =--add-brokers"),
)

_PROGRAMS = {
    "submit": (*_COMMON, *_TASKS, *_SUBMIT),
    "run": (*_COMMON, *_TASKS, *each("=--wait-event", _UNKEPT)),
    "batch": (*_COMMON, *_INSTANCE, *kept("--wrap")),
    "alloc": (*_COMMON, *_INSTANCE, *_VERBOSE, *kept("--bg")),
}


@cache
def _options(program: str) -> dict[str, Option]:
    """The options of ``submit``, ``run``, ``batch`` or ``alloc`` by their names."""
    return table(_PROGRAMS[program])


def read(
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind ``flux PROGRAM``, and the line with notes and problems.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    """
    line = Line(f"flux {program}")
    known = _options(program)
    line.lists["env"] = list(assigned)
    if script is not None:
        line.problems += script.problems
        behind = options.read(line, script.words, known, SYNTAX)
        if behind:
            span = Span(behind[0].span.start, behind[-1].span.end)
            line.note(span, "flux batch takes no notice of this; signs such as | need quotes")
    command = [word.text for word in options.read(line, words, known, SYNTAX)]
    if program == "alloc":
        return _allocation(line, command, environ), line
    if command[:1] == ["--"]:
        command = command[1:]
    if program == "batch":
        return _batch(line, command, environ, script), line
    if not command:
        line.problem(WHOLE, "the command to run is missing", "a program")
        command = ["app"]
    return _tasks(line, command, environ), line


def _tasks(line: Line, command: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """The jobspec of ``flux submit`` and ``flux run``."""
    layout, per_resource = task_layout(line)
    shell = {"per-resource": per_resource} if per_resource else {}
    paths = {name: line.text(name) for name in ("output", "error")}
    _streams(line, shell, {"input": _input_file(line), **paths}, labelled=line.has("label-io"))
    return _document(line, layout, command, _system(line), shell, environ)


def _allocation(line: Line, command: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """The jobspec of ``flux alloc``: a Flux instance with an initial program, or none."""
    layout, system = instance_layout(line), _system(line)
    shell: dict[str, Any] = {}
    _streams(line, shell, {}, labelled=False)
    shell.update(batch.instance_options())
    broker = _broker_options(line)
    if line.has("bg"):
        shell["pty"] = {"capture": 1}
        broker += [] if command else ["-Sbroker.rc2_none=1"]
    broker += _configuration(line, system)
    words = ["flux", "broker", *broker, *command]
    return _document(line, layout, words, system, shell, environ)


def _batch(
    line: Line, command: list[str], environ: Mapping[str, str], script: scripts.Script | None
) -> dict[str, Any]:
    """The jobspec of ``flux batch``, whose script is given, wrapped, or known by its name alone."""
    if script is not None and not (script.body or script.text[:2] == "#!"):
        line.note(WHOLE, "the commands of the script are not here; 'app' takes their place")
        return _document(line, instance_layout(line), ["app"], _system(line), {}, environ)
    text = _script_text(line, command, script)
    layout, system = instance_layout(line), _system(line)
    name = command[0] if command else "batch"
    system.setdefault("job", {"name": name})
    paths = {name: line.text(name) for name in STREAMS}
    if paths["output"] is None:
        paths["output"] = batch.OUTPUT
    shell: dict[str, Any] = {}
    _streams(line, shell, paths, labelled=line.has("label-io"))
    shell.update(batch.instance_options())
    broker = _broker_options(line) + _configuration(line, system)
    program = name if text is None else batch.SCRIPT
    if text is not None:
        system.setdefault("files", {})["script"] = batch.script_entry(text)
    words = ["flux", "broker", *broker, program, *command[1:]]
    return _document(line, layout, words, system, shell, environ)


def _script_text(line: Line, command: list[str], script: scripts.Script | None) -> str | None:
    """The text of the script that a line gives, wraps a command in, or only names (None)."""
    text = None if script is None else script.text
    if line.has("wrap"):
        if command:
            return f"#!/bin/sh\n{' '.join(command)}\n"
        return None if text is None else f"#!/bin/sh\n{text}"
    if text is None:
        what = f"the script {command[0]}" if command else "the script"
        message = f"{what} is not read here: its text and its directives are left out"
        line.note(WHOLE, message)
    elif not text.startswith("#!"):
        line.problem(WHOLE, "flux batch wants a script that begins with #!", "#!/bin/sh")
    return text


def _broker_options(line: Line) -> list[str]:
    """The words that ``--broker-opts`` and its like put before the initial program."""
    words = [word for found in line.lists.get("broker-opts", ()) for word in found.text.split(",")]
    if (dump := line.values.get("dump")) is not None:
        words += f"-Scontent.dump={dump.value or 'flux-{{jobid}}-dump.tgz'}".split(",")
    if (added := line.values.get("add-brokers")) is not None:
        line.note(added, "brokers on top of those of the nodes are left out")
    return words


def _configuration(line: Line, system: dict[str, Any]) -> list[str]:
    """The file that ``--conf=KEY=VALUE`` makes, and the broker option that names it."""
    config: dict[str, Any] = {}
    for found in line.lists.get("conf", ()):
        if "=" in found.text and "\n" not in found.text:
            assign(config, line, found, "", rooted=False)
        else:
            line.note(found, "only --conf=KEY=VALUE is read here")
    if not config:
        return []
    system["files"] = {"conf.json": {"mode": 0o100600, "data": config}}
    return ["-c{{tmpdir}}/conf.json"]


def _system(line: Line) -> dict[str, Any]:
    """The system attributes that have options of their own, in the order Flux writes them."""
    name = line.text("job-name")
    found = {
        "cwd": line.text("cwd"),
        "job": None if name is None else {"name": name},
        "queue": line.text("queue"),
        "bank": line.text("bank"),
    }
    given = {key: value for key, value in found.items() if value is not None}
    return {"duration": time_limit(line) or 0.0, **given}


def _streams(
    line: Line, shell: dict[str, Any], paths: Mapping[str, str | None], *, labelled: bool
) -> None:
    """The shell options of the files of the streams (by the keys of ``STREAMS``) and of ``-u``."""
    for name, (kind, stream) in STREAMS.items():
        path = paths.get(name)
        if path is None or (kind == "output" and path in ("none", "kvs")):
            continue
        entry = shell.setdefault(kind, {}).setdefault(stream, {})
        entry.update(type="file", path=path)
        if kind == "output" and labelled:
            entry["label"] = True
    if line.has("unbuffered"):
        out = shell.setdefault("output", {})
        for stream in ("stdout", "stderr"):
            out.setdefault(stream, {})["buffer"] = {"type": "none"}
        out["batch-timeout"] = 0.05
        shell.setdefault("input", {})["batch-timeout"] = 0.0


def _input_file(line: Line) -> str | None:
    """The file of ``--input``, or None for a set of task ids, which get the input."""
    found = line.values.get("input")
    if found is None:
        return None
    if not idset.parse(found.text).problems:
        if line.program == "flux submit":
            line.problem(found, "flux submit gives input to all tasks or none", "a file")
        line.note(found, "which tasks get the input is not part of a jobspec")
        return None
    return found.text


def _document(
    line: Line,
    layout: Layout,
    command: Sequence[str],
    system: dict[str, Any],
    shell: dict[str, Any],
    environ: Mapping[str, str],
) -> dict[str, Any]:
    """The jobspec of a layout and what the further options change in it."""
    attributes: dict[str, Any] = {"system": system}
    if shell:
        system["shell"] = {"options": shell}
    _apply_options(line, attributes, environ)
    resources = shaped(line) or layout.resources()
    task = {"command": list(command), "slot": LABEL, "count": layout.task_count()}
    return {
        "version": 1,
        "resources": resources,
        "tasks": [task],
        "attributes": attributes,
    }


#: How ``--setattr`` begins where it sets one variable of the environment.
_VARIABLE = ("environment.", "system.environment.", "attributes.system.environment.")


def _apply_options(line: Line, attributes: dict[str, Any], environ: Mapping[str, str]) -> None:
    """The options that may come several times, and what has no place of its own."""
    system = attributes["system"]
    rules, later = line.lists.get("env", ()), line.lists.get("setattr", ())
    further = any(found.text.startswith(_VARIABLE) for found in later)
    variables, templates = environment(line, rules, environ, further=further)
    if variables is not None:
        system["environment"] = variables
    options = system.get("shell", {}).get("options", {})
    if templates:
        options["env-expand"] = templates
    if rlimit := limits(line, line.lists.get("rlimit", ())):
        options["rlimit"] = rlimit
    if (found := line.values.get("signal")) and (made := signal(line, found)):
        options["signal"] = made
    if (found := line.values.get("taskmap")) and (entry := _uri(line, found, "taskmap")):
        options["taskmap"] = entry
    if options:
        system.setdefault("shell", {})["options"] = options
    entries = [_uri(line, found, "dependency") for found in line.lists.get("dependency", ())]
    if entries:
        system["dependencies"] = [entry for entry in entries if entry]
    _constraints(line, system)
    for found in line.lists.get("setopt", ()):
        assign(attributes, line, found, "system.shell.options.", rooted=False)
    for found in line.lists.get("setattr", ()):
        assign(attributes, line, found, "system.", rooted=True)
    for found in line.lists.get("add-file", ()):
        _add_file(line, attributes, found)


def _uri(line: Line, found: Found, what: str) -> dict[str, Any] | None:
    entry = uri(found.text)
    if entry is None:
        shown = printable(found.text[:60])
        line.problem(found, f"'{shown}' is not a {what}; write scheme:value", "afterok:f1234")
    return entry


def _constraints(line: Line, system: dict[str, Any]) -> None:
    """All of ``--requires`` together, joined by blanks as Flux joins them (RFC 35)."""
    founds = line.lists.get("requires", ())
    if not founds:
        return
    parsed = parse_query(" ".join(found.text for found in founds))
    for problem in parsed.problems:
        if problem.severity == "error":
            line.problems.append(replace(problem, span=_origin(founds, problem.span)))
    if parsed.tree is not None and not any(p.severity == "error" for p in parsed.problems):
        system["constraints"] = to_constraint(parsed.tree)


def _origin(founds: Sequence[Found], span: Any) -> Any:
    """Where a span of the joined text is in the line: within the option, or all of it."""
    start = 0
    for found in founds:
        if span is not None and span.start <= start + len(found.text):
            first, last = found.value_span
            if last - first != len(found.text):
                break
            moved = first - start
            return span._replace(start=span.start + moved, end=min(span.end + moved, last))
        start += len(found.text) + 1
    return found.value_span


def _add_file(line: Line, attributes: dict[str, Any], found: Found) -> None:
    """``--add-file=[NAME[:PERMS]=]PATH`` or text: a text has a line break in it (RFC 37)."""
    name, _, data = found.text.replace("\\n", "\n").partition("=")
    if "\n" not in data:
        line.note(found, "the file is not read here, so it is left out")
        return
    first, _, octal = name.partition(":")
    mode = 0o600
    if octal and all(digit in "01234567" for digit in octal):
        name, mode = first, int(octal, 8)
    entry = {"mode": mode | 0o100000, "data": data, "encoding": "utf-8"}
    attributes["system"].setdefault("files", {})[name] = entry


# Values: time limits, URIs, attributes, limits


def time_limit(line: Line) -> float | None:
    """The seconds of ``-t``: minutes where there is no unit; None where not given or wrong."""
    found = line.values.get("time-limit")
    if found is None:
        return None
    try:
        minutes = float(found.text)
    except ValueError:
        value = seconds(found.text)
    else:
        value = minutes * 60 if 0 <= minutes * 60 < float("inf") else None
    if value is None:
        offset = found.value_span.start
        problems = duration.parse(found.text, offset).problems
        line.problems.extend(replace(problem, span=found.value_span) for problem in problems)
        if not problems:
            line.problem(found, "a job has a time limit that ends", "a number of minutes", "1h")
    return value


def uri(text: str) -> dict[str, Any] | None:
    """The RFC 26 object of ``scheme:value?key=value``, or None for any other text.

    Flux reads it as any URI, so that it differs from `fluxtui.notation.dependency` in odd cases:
    the scheme loses its capitals, a ``#`` ends it, and a key that comes twice has two values.
    """
    try:
        # A path of digits alone would be taken for a port, hence the letters before it.
        parsed = urlparse((text if ":" in text else f"{text}:").replace(":", ":FXX", 1))
    except ValueError:
        return None
    if not parsed.scheme or not parsed.path:
        return None
    entry: dict[str, Any] = {
        "scheme": parsed.scheme,
        "value": parsed.path.replace("FXX", "", 1),
    }
    try:
        queries = parse_qs(parsed.query) if parsed.query else {}
    except ValueError:
        return None
    for key, values in queries.items():
        numbers = [_number(value) for value in values]
        entry[key] = numbers[0] if len(numbers) == 1 else numbers
    return entry


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# Attributes that are nested deeper mean nothing to anyone.
_DEEPEST = 100


def json_value(text: str) -> Any:
    """The value of ``-o`` and ``--setattr``: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def assign(tree: dict[str, Any], line: Line, found: Found, lead: str, *, rooted: bool) -> None:
    """Set the attribute of ``-o KEY=VALUE`` or ``--setattr=KEY=VALUE`` in a tree of them.

    lead is what the key starts with where it is not ``rooted`` by itself. A key alone is 1.
    """
    key, equals, text = found.text.partition("=")
    if key.startswith("^"):
        line.note(found, f"{found.name} names a file, which is not read here")
        return
    value = json_value(text) if equals else 1
    if rooted and key.startswith("."):
        key = key[1:]
    elif rooted and key.startswith("attributes."):
        key = key[len("attributes.") :]
    elif not (rooted and key.startswith(("user.", "system."))):
        key = lead + key
    *path, last = key.split(".")
    if len(path) > _DEEPEST:
        line.problem(found, f"an attribute is at most {_DEEPEST} levels deep")
        return
    for number, step in enumerate(path):
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            below = ".".join(path[: number + 1])
            line.problem(found, f"{printable(below)} has a value already and holds no other keys")
            return
        tree = inner
    tree[last] = value


_LIMITS = (
    "as", "core", "cpu", "data", "fsize", "memlock", "msgqueue", "nice", "nofile", "nproc",
    "ofile", "rss", "rtprio", "rttime", "sigpending", "stack",
)  # fmt: skip


def is_limit(name: object, value: object) -> bool:
    """Whether ``--rlimit=name=value`` can set this limit; -1 is unlimited."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return name in _LIMITS and whole and isinstance(value, int) and value >= -1


def limits(line: Line, rules: Sequence[Found]) -> dict[str, int]:
    """The resource limits that ``--rlimit`` sets; -1 is unlimited.

    Limits of the submitting shell come on top unless ``-*`` comes first.
    """
    out: dict[str, int] = {}
    cleared = False
    for rule in rules:
        for text in rule.text.split(","):
            name, equals, value = text.partition("=")
            name = name.lower()
            if text.startswith("-"):
                cleared = cleared or text == "-*"
                gone = matching(out, name[1:])
                out = {key: limit for key, limit in out.items() if key not in gone}
            elif not equals:
                line.note(rule, f"the limit {printable(name)} is that of the submitting shell")
            elif name not in _LIMITS:
                line.problem(rule, f"'{printable(name[:40])}' is not a resource limit", *_LIMITS)
            elif value in ("unlimited", "infinity", "inf"):
                out[name] = -1
            elif (limit := line.number(rule, value, 0)) is not None:
                out[name] = limit
    if rules and not cleared:
        line.note(rules[0], "the other limits of the submitting shell come on top")
    return out
