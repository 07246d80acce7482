"""Reads ``flux submit``, ``run``, ``batch`` and ``alloc`` lines as jobspecs (flux-core 0.88).

The working directory, environment and resource limits of the caller are left out.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlparse

from fluxtui.answers.commands import reading
from fluxtui.answers.commands.jobs import STREAMS
from fluxtui.answers.commands.options import Line, OptionUse, table
from fluxtui.answers.commands.reading import JobBuilder, core_vertices
from fluxtui.answers.commands.scripts import WHOLE, Command
from fluxtui.answers.commands.variables import Variables
from fluxtui.notation import duration
from fluxtui.notation.environment import matching
from fluxtui.notation.problem import Span, shortened
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import idset
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources

#: The label that Flux gives its slots.
LABEL = "task"

_COMMON = """
# kept
=-B/--bank =-q/--queue =-t/--time-limit =--job-name>name =-o/--setopt =-S/--setattr
=--add-file =--dependency =--require/--requires
# counts from the moment of submission, which a jobspec does not know
=--begin-time@begin
# kept
=--env =--env-remove>env =--env-file>env =--rlimit =--input =--output =--error
-u/--unbuffered -l/--label-io>label =--cwd =--signal =-N/--nodes -x/--exclusive
=--resources-shape
# names a file, which is not read here
=--resources-json
# says how the job is submitted or watched, which a jobspec does not hold
=--urgency@urgency =--flags
# ignored
--quiet --dry/--dry-run --debug-emulate --list-plugins ?--help
"""
_TASKS = """
# kept
=--taskmap =-n/--ntasks>count =-c/--cores-per-task>cores-per =-g/--gpus-per-task>gpus-per
=--cores =--tasks-per-node =--tasks-per-core =--gpus-per-node
# ignored
-v/--verbose
# says how the job is submitted or watched, which a jobspec does not hold
=--wait-event
"""
_INSTANCE = """
# kept
=-n/--nslots>count =-c/--cores-per-slot>cores-per =-g/--gpus-per-slot>gpus-per
=--broker-opt/--broker-opts =--conf ?--dump =--add-brokers
"""
_SUBMIT = """--wait --watch =--log =--log-stderr
# submits several jobs; a jobspec is one job
=--cc =--bcc
# ignored
--progress --jps
"""
_OPTIONS = {
    "flux submit": _COMMON + _TASKS + _SUBMIT,
    "flux run": _COMMON + _TASKS,
    "flux batch": f"{_COMMON}{_INSTANCE}--wrap",
    "flux alloc": f"{_COMMON}{_INSTANCE}--bg\n# ignored\n-v/--verbose",
}


# Options of other programs, and what they are called in Flux.
_ELSEWHERE = {
    "--account": "--bank", "--partition": "--queue", "--priority": "--urgency",
    "--time": "--time-limit", "--begin": "--begin-time", "--constraint": "--requires",
    "--chdir": "--cwd",
}  # fmt: skip
_OF_SLOTS = {
    "--ntasks": "--nslots", "--cpus-per-task": "--cores-per-slot",
    "--cores-per-task": "--cores-per-slot", "--gpus-per-task": "--gpus-per-slot",
}  # fmt: skip
_OF_TASKS = {
    "--nslots": "--ntasks", "--cpus-per-task": "--cores-per-task",
    "--ntasks-per-node": "--tasks-per-node", "--cores-per-slot": "--cores-per-task",
    "--gpus-per-slot": "--gpus-per-task",
}  # fmt: skip


def from_command(command: Command, environ: Mapping[str, str]) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command, and the line with notes and problems."""
    is_instance = command.program in ("flux alloc", "flux batch")
    elsewhere = _ELSEWHERE | (_OF_SLOTS if is_instance else _OF_TASKS)
    line = Line(command, environ, table(_OPTIONS[command.program]), elsewhere=elsewhere)
    if command.script is not None:
        line.problems += command.script.problems
        if rest := line.read(command.script.words):
            span = Span(rest[0].span.start, rest[-1].span.end)
            line.note(span, "flux batch ignores this; characters such as | need quotes")
    words = [word.text for word in line.read(command.words)]
    if command.program != "flux alloc" and words[:1] == ["--"]:
        words = words[1:]
    text = _script(line, words) if command.program == "flux batch" else None
    if line.text("urgency") == "16":  # the default
        line.notes = [note for note in line.notes if note.extra != "urgency"]
    if not is_instance and not words:
        line.problem(WHOLE, "the command to run is missing", "a program")
    job = JobBuilder(line, LABEL)
    _lay_out(job, is_instance)
    _read_attributes(job)
    if is_instance and text != "":
        _read_broker(job, words)
    if not is_instance:
        document = job.document(words or ["app"])
    elif command.program == "flux alloc":
        document = job.broker(words)
    else:
        if text != "":
            job.name_batch(words[0] if words else "batch")
        document = job.run_script(text, words, words[1:])
    attributes = document["attributes"]
    for found in line.all("setopt"):
        _assign(attributes, line, found, "system.shell.options.")
    for found in line.all("setattr"):
        _assign(attributes, line, found, "system.")
    for found in line.all("add-file"):
        _add_file(line, attributes, found)
    return document, line


def _script(line: Line, words: list[str]) -> str | None:
    """The text of the script; empty if it has only directives, None if it is not known."""
    script = line.command.script
    if script is not None and not (script.body or script.text[:2] == "#!"):
        return ""
    text = None if script is None else script.text
    if line.get("wrap"):
        inner = " ".join(words) if words else text
        return None if inner is None else f"#!/bin/sh\n{inner}" + ("\n" if words else "")
    if text is not None and not text.startswith("#!"):
        line.problem(WHOLE, "flux batch wants a script that begins with #!", "#!/bin/sh")
    return text


def _read_attributes(job: JobBuilder) -> None:
    line = job.line
    if found := line.get("time-limit"):
        try:
            time: float | None = float(found.text) * 60  # minutes if there is no unit
        except ValueError:
            time = reading.seconds(found.text)
        if time is not None and 0 <= time < float("inf"):
            job.duration = time or 0.0
        else:
            problems = duration.parse(found.text).problems
            line.problems += [replace(problem, span=found.value_span) for problem in problems]
            if not problems:
                line.problem(found, "a time limit is finite", "a number of minutes", "1h")
    _read_streams(job)
    leads = {"--env": "", "--env-remove": "-", "--env-file": "^"}
    rules = [replace(found, value=leads[found.name] + found.text) for found in line.all("env")]
    rules = [*reading.assigned(line), *rules]
    keys = [found.text.partition("=")[0].lstrip(".") for found in line.all("setattr")]
    keys = [key.removeprefix("attributes.").removeprefix("system.") for key in keys]
    sets_more = any(key.startswith("environment.") for key in keys)
    variables, templates = reading.environment(line, rules, sets_more=sets_more)
    if "environment" in keys:
        line.variables = Variables(inherits=False)
    elif sets_more and line.variables is None:
        line.variables = Variables()
    if variables is not None:
        job.system["environment"] = variables
    if templates:
        job.options["env-expand"] = templates
    if rlimit := _limits(line, line.all("rlimit")):
        job.options["rlimit"] = rlimit
    if found := line.get("signal"):
        reading.set_signal(job, found, found.text)
    if (found := line.get("taskmap")) and (entry := _uri(line, found, "taskmap")):
        job.options["taskmap"] = entry
    entries = [_uri(line, found, "dependency") for found in line.all("dependency")]
    if entries:
        job.system["dependencies"] = [entry for entry in entries if entry]
    _read_constraints(job)


def _read_streams(job: JobBuilder) -> None:
    line = job.line
    for stream in STREAMS if line.program != "flux alloc" else ():
        found = line.get(stream)
        may_be_ids = stream == "input" and line.program != "flux batch"
        if found and may_be_ids and not idset.parse(found.text).problems:
            # An idset names the tasks that get the input.
            if line.program == "flux submit":
                line.problem(found, "flux submit gives input to all tasks or none", "a file")
            line.note(found, "which tasks get the input is not part of a jobspec")
        elif found and (stream == "input" or found.text not in ("none", "kvs")):
            job.set_file(stream, found.text)
    if line.get("unbuffered"):
        job.set_unbuffered()


def _read_broker(job: JobBuilder, words: Sequence[str]) -> None:
    line, broker = job.line, job.broker_options
    for found in line.all("broker-opts"):
        broker += found.text.split(",")
    if dump := line.get("dump"):
        broker += f"-Scontent.dump={dump.value or 'flux-{{jobid}}-dump.tgz'}".split(",")
    if added := line.get("add-brokers"):
        line.note(added, "brokers beyond one per node are left out")
    if line.get("bg"):
        job.options["pty"] = {"capture": 1}
        broker += [] if words else ["-Sbroker.rc2_none=1"]
    config: dict[str, Any] = {}
    for found in line.all("conf"):
        if "=" in found.text and "\n" not in found.text:
            _assign(config, line, found, "")
        else:
            line.note(found, "only --conf=KEY=VALUE is read here")
    if config:
        job.system["files"] = {"conf.json": {"mode": 0o100600, "data": config}}
        broker.append("-c{{tmpdir}}/conf.json")


def _uri(line: Line, found: OptionUse, what: str) -> dict[str, Any] | None:
    entry = uri(found.text)
    if entry is None:
        message = f"'{shortened(found.text)}' is not a {what}; write scheme:value"
        line.problem(found, message, "afterok:f1234")
    return entry


def _read_constraints(job: JobBuilder) -> None:
    """Read all ``--requires`` together, joined by spaces as Flux does (RFC 35)."""
    line, founds = job.line, job.line.all("requires")
    if not founds:
        return
    parsed = parse_query(" ".join(found.text for found in founds))
    for problem in parsed.problems:
        start, place = 0, problem.span.start if problem.span else 0
        for found in founds:
            if place <= start + len(found.text) or found is founds[-1]:
                reading.add_errors(line, found, [problem], start)
                break
            start += len(found.text) + 1
    if parsed.tree is not None and not any(p.severity == "error" for p in parsed.problems):
        job.constraints.append(to_constraint(parsed.tree))


def _add_file(line: Line, attributes: dict[str, Any], found: OptionUse) -> None:
    """Add the file of ``--add-file=[NAME[:PERMS]=]DATA`` (RFC 37); a path has no line breaks."""
    name, _, data = found.text.replace("\\n", "\n").partition("=")
    if "\n" not in data:
        line.note(found, "the file is not read here, so it is left out")
        return
    first, _, octal = name.partition(":")
    mode = 0o600
    if octal and all(digit in "01234567" for digit in octal):
        name, mode = first, int(octal, 8)
    entry = {"mode": mode | 0o100000, "data": data, "encoding": "utf-8"}
    _set(line, found, attributes, ["system", "files", name], entry)


def uri(text: str) -> dict[str, Any] | None:
    """The RFC 26 object of ``scheme:value?key=value`` as Flux reads any URI; None if malformed.

    Unlike in `fluxtui.notation.dependency`, ``#`` ends it and a key may have two values.
    """
    try:
        # A path of only digits would be taken for a port, hence the letters before it.
        parsed = urlparse((text if ":" in text else f"{text}:").replace(":", ":FXX", 1))
        queries = parse_qs(parsed.query) if parsed.query else {}
    except ValueError:
        return None
    if not parsed.scheme or not parsed.path:
        return None
    entry: dict[str, Any] = {"scheme": parsed.scheme, "value": parsed.path.replace("FXX", "", 1)}
    for key, texts in queries.items():
        numbers = [_number(value) for value in texts]
        entry[key] = numbers[0] if len(numbers) == 1 else numbers
    return entry


def _number(text: str) -> Any:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def json_value(text: str) -> Any:
    """The value of ``-o`` and ``--setattr``: the text as JSON, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _assign(tree: dict[str, Any], line: Line, found: OptionUse, lead: str) -> None:
    """Set an attribute by ``KEY=VALUE``, with lead before the key. Without ``=`` the value is 1."""
    key, equals, text = found.text.partition("=")
    if key.startswith("^"):
        line.note(found, f"{found.name} names a file, which is not read here")
        return
    value = json_value(text) if equals else 1
    rooted = lead == "system."
    if rooted and key.startswith((".", "attributes.")):
        key = key.partition(".")[2]
    elif not (rooted and key.startswith(("user.", "system."))):
        key = lead + key
    _set(line, found, tree, key.split("."), value)


def _set(line: Line, found: OptionUse, tree: dict[str, Any], path: list[str], value: Any) -> None:
    *above, last = path
    if len(above) > 100:
        line.problem(found, "an attribute is at most 100 levels deep")
        return
    for number, step in enumerate(above):
        inner = tree.setdefault(step, {})
        if not isinstance(inner, dict):
            below = ".".join(above[: number + 1])
            line.problem(found, f"{shortened(below)} has a value already and holds no other keys")
            return
        tree = inner
    tree[last] = value


#: The resource limits that ``--rlimit`` sets; -1 is unlimited.
LIMITS = (
    "as", "core", "cpu", "data", "fsize", "memlock", "msgqueue", "nice", "nofile", "nproc",
    "ofile", "rss", "rtprio", "rttime", "sigpending", "stack",
)  # fmt: skip


def _limits(line: Line, rules: Sequence[OptionUse]) -> dict[str, int]:
    out: dict[str, int] = {}
    cleared = False
    for rule in rules:
        for text in rule.text.split(","):
            name, equals, value = text.partition("=")
            name = name.lower()
            if text.startswith("-"):
                cleared = cleared or text == "-*"
                for removed in matching(out, name[1:]):
                    del out[removed]
            elif not equals:
                line.note(rule, f"the limit {shortened(name)} is that of the submitting shell")
            elif name not in LIMITS:
                line.problem(rule, f"'{shortened(name)}' is not a resource limit", *LIMITS)
            elif value in ("unlimited", "infinity", "inf"):
                out[name] = -1
            elif (limit := line.number(rule, value, 0)) is not None:
                out[name] = limit
    if rules and not cleared:
        line.note(rules[0], "the other limits of the submitting shell are added")
    return out


@dataclass(frozen=True, slots=True)
class Layout:
    """The number of slots per node, or of all slots if nodes is None; cores and gpus per slot.

    total  the number of tasks, unless each slot runs one
    """

    nodes: int | None = None
    exclusive: bool = False
    slots: int = 1
    cores: int = 1
    gpus: int = 0
    total: int | None = None


def _lay_out(job: JobBuilder, instance: bool) -> None:
    """Request the resources of a shape (RFC 46), or else of plain options in the form of RFC 25."""
    line, shape = job.line, job.line.get("resources-shape")
    for key in () if instance else ("count", "cores-per"):
        if line.text(key) == "":  # an empty value is ignored
            del line.uses[key]
    keys = ("nodes", "count", "cores-per", "gpus-per", "cores", "gpus-per-node")
    numbers = {key: line.whole(key, 0) for key in keys}
    if shape is not None:
        numbers["nodes"] = 1
    if instance and not numbers["count"] and not numbers["nodes"]:
        message = f"{line.program} needs a number of slots (-n) or nodes (-N)"
        line.problem(WHOLE, message, "-n SLOTS", "-N NODES")
    if instance and numbers["cores-per"] == 0:
        line.problem(line.uses["cores-per"][-1], "a slot has 1 core or more", "1 or more")
    given = [kind for kind in ("node", "core") if line.get(f"tasks-per-{kind}")]
    if len(given) == 2:
        span = line.uses["tasks-per-core"][-1].span
        line.problem(span, "tasks are counted per node or per core, not both")
    if given:
        count = line.whole(f"tasks-per-{given[0]}")
        job.options["per-resource"] = {"type": given[0], "count": count or 1}
    if given or line.get("gpus-per-node") or line.get("cores"):
        clash = ["count", "cores-per", *(["gpus-per"] if numbers["gpus-per"] else [])]
        if found := next(filter(None, map(line.get, clash)), None):
            message = f"{found.name} cannot be combined with an option that counts by node or core"
            line.problem(found.span, message)
        layout = _layout_by_resource(line, numbers)
    else:
        layout = _layout_by_slot(line, numbers)
    if layout.total is not None:
        job.count = {"total": layout.total}
    inside = core_vertices(layout.cores, layout.gpus)
    job.lay_out(layout.nodes, layout.slots, inside, exclusive=layout.exclusive)
    if shape is not None:
        tree = parse_shape(shape.text)
        reading.add_errors(line, shape, tree.problems)
        job.resources = to_resources(tree, LABEL, "string") or job.resources


def _layout_by_slot(line: Line, numbers: Mapping[str, int | None]) -> Layout:
    nodes, count, option = numbers["nodes"], numbers["count"], line.get("exclusive")
    exclusive = option is not None or not count
    count = count or nodes or 1
    layout = Layout(None, False, count, numbers["cores-per"] or 1, numbers["gpus-per"] or 0)
    if nodes is None:
        if option is not None:
            line.problem(option.span, f"{option.name} needs the number of nodes (-N)", "-N NODES")
        return layout
    if nodes < 1 or nodes > count:
        wanted = f"1 to {count}, the number of slots" if nodes else "1 or more"
        found = line.uses["nodes"][-1]
        line.problem(found, f"{nodes} nodes do not hold {count} slots", wanted)
        return layout
    total = count if count % nodes else None
    slots = -(-count // nodes)
    return replace(layout, nodes=nodes, exclusive=exclusive, slots=slots, total=total)


def _layout_by_resource(line: Line, numbers: Mapping[str, int | None]) -> Layout:
    nodes, cores, gpus = numbers["nodes"], numbers["cores"], numbers["gpus-per-node"]
    whole, cores_option, gpus_option = map(line.get, ("exclusive", "cores", "gpus-per-node"))
    if cores_option and not cores:
        line.problem(cores_option, "a job has 1 core or more", "1 or more")
    if gpus_option and gpus and nodes is None:
        message = f"{gpus_option.name} needs the number of nodes (-N)"
        line.problem(gpus_option.span, message, "-N NODES")
    if nodes == 0:
        line.problem(line.uses["nodes"][-1], "a job has 1 node or more", "1 or more")
    if not nodes:
        if not cores_option:
            keys = ("tasks-per-node", "tasks-per-core", "gpus-per-node")
            found = next(line.uses[key][-1] for key in keys if line.get(key))
            line.problem(found.span, f"{found.name} needs nodes (-N) or --cores", "-N NODES")
        if whole:
            line.problem(whole.span, f"{whole.name} needs the number of nodes (-N)", "-N NODES")
        return Layout(None, False, cores or 1)
    if cores_option and cores and cores % nodes:
        line.problem(cores_option, f"{cores} cores do not spread evenly over {nodes} nodes")
    exclusive = whole is not None or cores is None
    return Layout(nodes, exclusive, 1, max(1, (cores or nodes) // nodes), gpus or 0)
