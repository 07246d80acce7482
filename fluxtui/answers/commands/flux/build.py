"""The jobspec that a ``flux submit``, ``run``, ``batch`` or ``alloc`` line makes (flux-core 0.88).

What those commands take from where they run is left out where the line does not say it: the
working directory, the environment, and the resource limits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands.flux import values
from fluxtui.answers.commands.flux.resources import (
    Layout,
    instance_layout,
    shaped,
    task_layout,
)
from fluxtui.answers.commands.options import Found, Line
from fluxtui.notation.problem import printable
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint

#: The label that Flux gives its slots.
LABEL = "task"

#: The shell options of every Flux instance that is started as a job.
INSTANCE_OPTIONS = {"per-resource": {"type": "node"}, "mpi": "none", "exit-timeout": "none"}

#: The file that ``flux batch`` copies its script to, and where its output goes.
SCRIPT = "{{tmpdir}}/script"
BATCH_OUTPUT = "flux-{{id}}.out"

#: The mode of a script that only its owner reads, writes and runs: a plain file, 0700.
SCRIPT_MODE = 0o100700


def tasks(line: Line, command: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """The jobspec of ``flux submit`` and ``flux run``."""
    layout, per_resource = task_layout(line)
    system = _system(line)
    options: dict[str, Any] = {}
    if per_resource:
        options["per-resource"] = per_resource
    _streams(line, options, line.text("output"), _input_file(line), files=True)
    return _document(line, layout, command, system, options, environ)


def allocation(line: Line, command: Sequence[str], environ: Mapping[str, str]) -> dict[str, Any]:
    """The jobspec of ``flux alloc``: a Flux instance with an initial program, or none."""
    layout = instance_layout(line)
    system = _system(line)
    options: dict[str, Any] = {}
    _streams(line, options, None, None, files=False)
    options.update(_instance_options())
    broker = _broker_options(line)
    if line.has("bg"):
        options["pty"] = {"capture": 1}
        broker += [] if command else ["-Sbroker.rc2_none=1"]
    broker += _configuration(line, system)
    words = ["flux", "broker", *broker, *command]
    return _document(line, layout, words, system, options, environ)


def batch(
    line: Line, arguments: Sequence[str], environ: Mapping[str, str], script: str | None, name: str
) -> dict[str, Any]:
    """The jobspec of ``flux batch``: a Flux instance that runs a script.

    script     its text, or None where only its name is known
    name       of the script, for the job where ``--job-name`` gives none
    arguments  of the script
    """
    layout = instance_layout(line)
    system = _system(line)
    system.setdefault("job", {"name": name})
    options: dict[str, Any] = {}
    output = line.text("output")
    output = BATCH_OUTPUT if output is None else output
    _streams(line, options, output, line.text("input"), files=True)
    options.update(_instance_options())
    program = name if script is None else SCRIPT
    broker = _broker_options(line) + _configuration(line, system)
    words = ["flux", "broker", *broker, program, *arguments]
    if script is not None:
        entry = {"mode": SCRIPT_MODE, "data": script, "encoding": "utf-8"}
        system.setdefault("files", {})["script"] = entry
    return _document(line, layout, words, system, options, environ)


def unnamed(line: Line, environ: Mapping[str, str]) -> dict[str, Any]:
    """What the options of ``flux batch`` ask for where there is nothing that it runs."""
    return _document(line, instance_layout(line), ["app"], _system(line), {}, environ)


def _instance_options() -> dict[str, Any]:
    return {**INSTANCE_OPTIONS, "per-resource": {"type": "node"}}


def _broker_options(line: Line) -> list[str]:
    """The words that ``--broker-opts`` and its like put before the initial program."""
    words = [word for found in line.lists.get("broker-opts", ()) for word in found.text.split(",")]
    if (dump := line.values.get("dump")) is not None:
        words += f"-Scontent.dump={dump.value or 'flux-{{jobid}}-dump.tgz'}".split(",")
    if (added := line.values.get("add-brokers")) is not None:
        line.remark(added, "brokers on top of those of the nodes are left out")
    return words


def _configuration(line: Line, system: dict[str, Any]) -> list[str]:
    """The file that ``--conf=KEY=VALUE`` makes, and the broker option that names it."""
    config: dict[str, Any] = {}
    for found in line.lists.get("conf", ()):
        if "=" in found.text and "\n" not in found.text:
            values.assign(config, line, found, "", rooted=False)
        else:
            line.remark(found, "only --conf=KEY=VALUE is read here")
    if not config:
        return []
    system["files"] = {"conf.json": {"mode": 0o100600, "data": config}}
    return ["-c{{tmpdir}}/conf.json"]


def _system(line: Line) -> dict[str, Any]:
    """The system attributes that have options of their own, in the order Flux writes them."""
    system: dict[str, Any] = {"duration": values.time_limit(line) or 0.0}
    if (cwd := line.text("cwd")) is not None:
        system["cwd"] = cwd
    if (name := line.text("name")) is not None:
        system["job"] = {"name": name}
    for key in ("queue", "bank"):
        if (value := line.text(key)) is not None:
            system[key] = value
    return system


def _streams(
    line: Line,
    options: dict[str, Any],
    output: str | None,
    source: str | None,
    *,
    files: bool,
) -> None:
    """The shell options of ``--input``, ``--output``, ``--error``, ``-l`` and ``-u``."""
    paths = {
        ("input", "stdin"): source,
        ("output", "stdout"): output,
        ("output", "stderr"): line.text("error") if files else None,
    }
    for (kind, stream), path in paths.items():
        if path is None or (kind == "output" and path in ("none", "kvs")):
            continue
        put = options.setdefault(kind, {}).setdefault(stream, {})
        put.update(type="file", path=path)
        if kind == "output" and files and line.has("label-io"):
            put["label"] = True
    if line.has("unbuffered"):
        out = options.setdefault("output", {})
        for stream in ("stdout", "stderr"):
            out.setdefault(stream, {})["buffer"] = {"type": "none"}
        out["batch-timeout"] = 0.05
        options.setdefault("input", {})["batch-timeout"] = 0.0


def _input_file(line: Line) -> str | None:
    """The file of ``--input``; a set of task ids is none, it says who gets the input."""
    found = line.values.get("input")
    if found is None:
        return None
    from fluxtui.notation.sets import idset

    if not idset.parse(found.text).problems:
        if line.program == "flux submit":
            line.problem(found, "flux submit gives input to all tasks or none", "a file")
        line.remark(found, "which tasks get the input is not part of a jobspec")
        return None
    return found.text


def _document(
    line: Line,
    layout: Layout,
    command: Sequence[str],
    system: dict[str, Any],
    options: dict[str, Any],
    environ: Mapping[str, str],
) -> dict[str, Any]:
    """The jobspec of a layout and what the further options change in it."""
    attributes: dict[str, Any] = {"system": system}
    if options:
        system["shell"] = {"options": options}
    _apply_options(line, attributes, environ)
    resources = shaped(line, LABEL) or layout.resources(LABEL)
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
    variables, templates = values.environment(line, rules, environ, further=further)
    if variables is not None:
        system["environment"] = variables
    options = system.get("shell", {}).get("options", {})
    if templates:
        options["env-expand"] = templates
    if limits := values.limits(line, line.lists.get("rlimit", ())):
        options["rlimit"] = limits
    if (found := line.values.get("signal")) and (signal := values.signal(line, found)):
        options["signal"] = signal
    if (found := line.values.get("taskmap")) and (entry := _uri(line, found, "taskmap")):
        options["taskmap"] = entry
    if options:
        system.setdefault("shell", {})["options"] = options
    entries = [_uri(line, found, "dependency") for found in line.lists.get("dependency", ())]
    if entries:
        system["dependencies"] = [entry for entry in entries if entry]
    _constraints(line, system)
    for found in line.lists.get("setopt", ()):
        values.assign(attributes, line, found, "system.shell.options.", rooted=False)
    for found in line.lists.get("setattr", ()):
        values.assign(attributes, line, found, "system.", rooted=True)
    for found in line.lists.get("add-file", ()):
        _add_file(line, attributes, found)


def _uri(line: Line, found: Found, what: str) -> dict[str, Any] | None:
    entry = values.uri(found.text)
    if entry is None:
        shown = printable(found.text[:60])
        line.problem(found, f"'{shown}' is no {what}; one is scheme:value", "afterok:f1234")
    return entry


def _constraints(line: Line, system: dict[str, Any]) -> None:
    """All of ``--requires`` together, joined by blanks as Flux joins them (RFC 35)."""
    founds = line.lists.get("requires", ())
    if not founds:
        return
    parsed = parse_query(" ".join(found.text for found in founds))
    for problem in parsed.problems:
        if problem.severity == "error":
            line.problems.append(problem._replace(span=_origin(founds, problem.span)))
    if parsed.tree is not None and not any(p.severity == "error" for p in parsed.problems):
        system["constraints"] = to_constraint(parsed.tree)


def _origin(founds: Sequence[Found], span: Any) -> Any:
    """Where a place of the joined text stands: within the option, or all of it."""
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
        line.remark(found, "the file is not read here, so it is left out")
        return
    first, _, octal = name.partition(":")
    mode = 0o600
    if octal and all(digit in "01234567" for digit in octal):
        name, mode = first, int(octal, 8)
    entry = {"mode": mode | 0o100000, "data": data, "encoding": "utf-8"}
    attributes["system"].setdefault("files", {})[name] = entry
