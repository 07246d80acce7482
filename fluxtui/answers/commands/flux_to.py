"""Writes jobspecs as ``flux submit``, ``run``, ``batch`` and ``alloc`` lines (flux-core 0.88).

A line is exact when the program makes the same resources, tasks and attributes of it. What that
leaves open is written down in `fluxtui.answers.commands.differences`: a line does not mention the
environment, the working directory and the resource limits where the jobspec does not, and then
Flux takes those of the shell; it numbers the version 1, and calls the slot of the only task
``task``. On a terminal ``flux alloc`` adds the shell option ``pty.interactive``.

Each line is read back by ``from_command``, which is tested against Flux itself; the notes say what
differs then.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.answers.commands import differences, flux_from, reading, scripts
from fluxtui.answers.commands.differences import Difference
from fluxtui.answers.commands.flux_from import LABEL, Layout
from fluxtui.answers.commands.foreign import demand_of
from fluxtui.answers.commands.job import (
    SCRIPT_NAME,
    STREAMS,
    Attributes,
    Job,
    Rendering,
    after_options,
    drop,
    is_seconds,
    option,
    refusal,
    rendering,
    take,
    value_at,
    when,
)
from fluxtui.answers.commands.scripts import Command
from fluxtui.model.jobspec import batch
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest
from fluxtui.notation import duration, shellwords
from fluxtui.notation.problem import Span, is_digits, printable
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.resources import from_resources
from fluxtui.notation.shape.tree import Vertex, check, walk
from fluxtui.notation.shellwords import Word


def renderings(job: Job, names: Sequence[str]) -> list[Rendering]:
    """A job written for these of the four programs, in the order of ``names``."""
    resources = _Resources(job)
    if resources.trouble is not None:
        return [refusal(name, resources.trouble) for name in names]
    writer = _Writer(job, resources)
    return [writer.rendering(name) for name in names]


class _Writer:
    """Writes one job for several programs."""

    def __init__(self, job: Job, resources: "_Resources") -> None:
        self.job = job
        self.resources = resources
        # Any jobspec of one task.
        words, shell = self._options("submit")
        words = ["flux", "submit", *words, *shell, *after_options(job.command)]
        self.program = self._judged(words)

    def rendering(self, name: str) -> Rendering:
        """The job written for one program."""
        if name == "flux batch":
            return self._batch() if self.job.script is None else self._script(self.job.script)
        if name == "flux alloc":
            return self._alloc()
        text = self.program.text
        if name == "flux run" and text is not None:
            text = text.replace("submit", "run", 1)
        return replace(self.program, name=name, text=text)

    def _options(self, program: str, *, carried: str | None = None) -> tuple[list[str], list[str]]:
        """The options for the resources, times and places, and those for the job shell.

        carried is the script that the line names, which need not be among its files.
        """
        attributes = _FluxOptions(self.job.document.get("attributes"), program)
        if program == "alloc" and self.job.script is not None:
            attributes.system.pop("files", None)
        if carried and attributes.system.get("files") == {"script": batch.script_entry(carried)}:
            del attributes.system["files"]
        instance = program in ("batch", "alloc")
        words = None
        if not instance:
            # The option for the tasks of a node may be one for resources.
            words = take(attributes.options, "per-resource", self.resources.counted) or None
        if words is None:
            words = self.resources.words(instance=instance)
        return [*words, *attributes.placement()], attributes.shell()

    def _judged(
        self, words: list[str], *, script: str | None = None, header: str | None = None
    ) -> Rendering:
        """The rendering of some words, exact when they read back as the jobspec."""
        found, refused = _read_back(words, self.job.document, script)
        if refused is not None:
            return refused
        notes = [*self.job.notes(), *differences.sentences(found)]
        return rendering(" ".join(words[:2]), words, header, not found, notes)

    def _batch(self) -> Rendering:
        """``flux batch``: the program wrapped in a script."""
        if not self.job.inner:
            return refusal("flux batch", "flux batch runs a script, and there is none")
        options, shell = self._options("batch")
        steps, shell = self._steps(self.job.inner, shell)
        options += shell
        line = shellwords.join(steps)
        header = scripts.with_directives(scripts.of_command(steps), "# flux: ", options)
        if steps[0].startswith("-"):
            steps = ["--", *steps]
        elif line.split(" ") != steps:
            steps = [line]
        return self._nested(["flux", "batch", *options, "--wrap", *steps], [batch.SCRIPT], header)

    def _script(self, script: str) -> Rendering:
        """``flux batch`` with the script that the job carries."""
        if not script.startswith("#!"):
            return refusal("flux batch", "flux batch wants a script with a #! line")
        ending = [SCRIPT_NAME, *self.job.inner]
        bare = self._judged(["flux", "batch", *ending], script=script)
        if bare.exact:
            return replace(bare, script=script)
        options, shell = self._options("batch", carried=script)
        options += [*shell, *self._broker_options()]
        header = scripts.with_directives(script, "# flux: ", options)
        return self._judged(["flux", "batch", *options, *ending], script=script, header=header)

    def _broker_options(self) -> list[str]:
        return [f"--broker-opts={word}" for word in self.job.broker_options]

    def _alloc(self) -> Rendering:
        """``flux alloc``: a Flux instance, or one that runs the program."""
        job = self.job
        options, shell = self._options("alloc")
        words = ["flux", "alloc", *options]
        if job.kind == "alloc":
            words += [*shell, *self._broker_options()]
            dashed = job.inner[:1] != ("--",) and "".join(job.inner[:1]).startswith("-")
            words += ["--", *job.inner] if dashed else job.inner
            return self._judged(words)
        start = () if job.script is None else (f"./{SCRIPT_NAME}",)
        steps, shell = self._steps((*start, *job.inner), shell)
        return self._nested([*words, *shell, *steps], steps)

    def _steps(self, inner: Sequence[str], shell: list[str]) -> tuple[list[str], list[str]]:
        """What runs within a new instance: the words, and the shell options of the instance.

        A program needs its own ``flux run`` there, with all that concerns its tasks.
        """
        if self.job.kind != "program":
            return list(inner), shell
        attributes = _FluxOptions(self.job.document.get("attributes"), "run")
        words = take(attributes.options, "per-resource", self.resources.counted)
        words = words or self.resources.words()
        return ["flux", "run", *words, *attributes.shell(), *after_options(inner)], []

    def _nested(
        self, words: list[str], inner: Sequence[str], header: str | None = None
    ) -> Rendering:
        """The rendering of a line that starts a Flux instance first, which is never exact."""
        task = {**self.job.task, "command": ["flux", "broker", *inner]}
        found, refused = _read_back(words, {**self.job.document, "tasks": [task]})
        if refused is not None:
            return refused
        name, kind = " ".join(words[:2]), self.job.kind
        lead = {
            "program": f"{name} starts a Flux instance first, and the program runs inside it",
            "start": f"{name} starts 'flux broker' on each node in place of this command",
            "alloc": f"{name} copies what the instance runs into a script",
            "batch": f"{name} runs the script from its own place, without a copy",
        }[kind]
        # Within the instance a 'flux run' starts the program, and loses what that loses.
        lost = self.program.notes if kind == "program" else self.job.notes()
        own = [found for found in found if not found.path.startswith(_INSTANCE_PATHS)]
        notes = dict.fromkeys((lead, *lost, *differences.sentences(own)))
        return rendering(name, words, header, False, tuple(notes))


#: What an instance has that a program does not, or the other way round.
_INSTANCE_PATHS = (
    "tasks[0].command",
    "tasks[0].count",
    "attributes.system.job",
    "attributes.system.shell",
    "attributes.system.files",
)


def _read_back(
    words: Sequence[str], wanted: Mapping[str, Any], script: str | None = None
) -> tuple[tuple[Difference, ...], Rendering | None]:
    """Where what Flux makes of some words differs from what is wanted, or that it refuses them."""
    name = " ".join(words[:2])
    placed = [Word(word, Span(0, len(word))) for word in words[2:]]
    read = None if script is None else scripts.read(script, "flux")
    made, line = flux_from.from_command(Command(name, placed, script=read), {})
    errors = (problem.message for problem in line.problems if problem.severity == "error")
    if (message := next(errors, None)) is not None:
        return (), refusal(name, f"no {name} line can express it: {message}")
    return differences.between(wanted, made), None


# Attributes


class _FluxOptions(Attributes):
    """Turns the attributes of a jobspec into option words."""

    def __init__(self, attributes: object, program: str) -> None:
        self.program = program
        # System attributes with a key that no dotted path can name are all set as one.
        self.whole: Mapping[Any, Any] | None = None
        system = value_at(attributes, "system")
        if isinstance(system, Mapping) and not all(map(_is_key, system)):
            self.whole = system
            attributes = {**attributes, "system": {}}  # type: ignore[dict-item]
        super().__init__(attributes)
        if self.options and not self.system["shell"]:
            del self.system["shell"]

    def placement(self) -> list[str]:
        """The options for when and where the job runs: all that is not for the job shell."""
        words: list[str] = []
        for path, write in (
            ("duration", _time),
            ("queue", lambda value: _valued("-q", "--queue", value)),
            ("bank", lambda value: _valued("-B", "--bank", value)),
            ("job.name", option("--job-name", joined=True)),
            ("cwd", option("--cwd", joined=True)),
            ("constraints", _constraints),
            ("dependencies", _dependencies),
            ("environment", _environment),
        ):
            words += take(self.system, path, write)
        if self.whole is not None and (text := _json(self.whole)) != "null":
            words.append(f"--setattr=.system={text}")
        # What has no option of its own.
        for key, value in self.system.items():
            reserved = key in ("user", "system", "attributes") or key[0] == "^"
            leaves = _leaves(f"system.{key}" if reserved else key, value)
            words += [f"--setattr={text}" for text in leaves]
        for key, value in self.others.items():
            if _is_key(key) and isinstance(value, Mapping) and value and all(map(_is_key, value)):
                leaves = _leaves(key if key == "user" else f".{key}", value)
                words += [f"--setattr={text}" for text in leaves]
            elif _is_key(key):
                words.append(f"--setattr=.{key}={_json(value)}")
        return words

    def shell(self) -> list[str]:
        """The options for the job shell, which says how the tasks are run."""
        if not all(_is_key(key) and key[0] != "^" for key in self.options):
            return [f"--setattr=shell.options={_json(self.options)}"]
        if self.program in ("batch", "alloc"):
            for key, value in batch.instance_options().items():
                take(self.options, key, when(value))
        words = self._unbuffered() + self._streams() + take(self.options, "rlimit", _limits)
        if self.options.get("rlimit") and isinstance(self.options["rlimit"], Mapping):
            words.append("--rlimit=-*")
        words += take(self.options, "signal", _signal) + take(self.options, "taskmap", _taskmap)
        for key, value in self.options.items():
            for text in _leaves(str(key), value):
                words += ["-o", text]
        return words

    def _unbuffered(self) -> list[str]:
        """``-u``, where all four options it sets are there."""
        wanted = {
            "output.stdout.buffer": {"type": "none"},
            "output.stderr.buffer": {"type": "none"},
            "output.batch-timeout": 0.05,
            "input.batch-timeout": 0,
        }
        if any(value_at(self.options, *path.split(".")) != value for path, value in wanted.items()):
            return []
        for path in wanted:
            drop(self.options, *path.split("."))
        return ["-u"]

    def _streams(self) -> list[str]:
        """``--input``, ``--output`` and ``--error`` with ``-l``."""
        if self.program == "alloc":
            return []
        words, labels = [], []
        for name, (kind, stream) in STREAMS.items():
            entry = value_at(self.options, kind, stream)
            path = _file(kind, entry)
            if path is None:
                if name == "output" and self.program == "batch":
                    words.append("--output=none")
                continue
            if kind == "output":
                labels.append(value_at(entry, "label") is True)
            if (self.program, path) != ("batch", batch.OUTPUT) or name != "output":
                words.append(f"--{name}={path}")
            drop(self.options, kind, stream, "type")
            drop(self.options, kind, stream, "path")
        if labels and all(labels):
            words.append("-l")
            for stream in ("stdout", "stderr"):
                drop(self.options, "output", stream, "label")
        return words


def _file(kind: str, stream: object) -> str | None:
    """The file of a stream that an option can name: not a word the option takes otherwise."""
    path = value_at(stream, "path")
    if value_at(stream, "type") != "file" or not isinstance(path, str) or path in ("none", "kvs"):
        return None
    return None if kind == "input" and is_digits(path[:1]) else path


# What writes one attribute as options; None where none can express it.


def _time(amount: Any) -> list[str] | None:
    if not is_seconds(amount):
        return None
    return ["-t", _time_text(amount)] if amount else []


def _time_text(amount: float) -> str:
    """A duration in seconds as a text that Flux reads back exactly, with a unit (RFC 23)."""
    text = duration.format(amount)
    return text if text[-1:].isalpha() and reading.seconds(text) == amount else f"{amount!r}s"


def _valued(short: str, long: str, value: Any) -> list[str] | None:
    """``-q name``, or ``--queue=value`` where the value could be taken for an option."""
    if not isinstance(value, str):
        return None
    if re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./+:-]*", value):
        return [short, value]
    return [f"{long}={value}"]


def _constraints(constraint: Any) -> list[str] | None:
    text = from_constraint(constraint)
    tree = parse_query(text).tree if text else None
    if tree is None or to_constraint(tree) != constraint:
        return None
    return [f"--requires={text}"]


def _dependencies(entries: Any) -> list[str] | None:
    if not isinstance(entries, list | tuple) or not entries:
        return None
    texts = [dependency_text(entry) for entry in entries]
    return None if None in texts else [f"--dependency={text}" for text in texts]


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _environment(variables: Any) -> list[str] | None:
    if not isinstance(variables, Mapping):
        return None
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in variables):
        return [f"--setattr=environment={_json(variables)}"]
    words, later = ["--env=-*"], []
    for name, value in variables.items():
        if isinstance(value, str) and value.isprintable() and "{{" not in value:
            words.append(f"--env={name}={value.replace('$', '$$')}")
        else:
            later.append(f"--setattr=environment.{name}={_json(value)}")
    return words + later


def _limits(limits: Any) -> list[str] | None:
    if not isinstance(limits, Mapping) or not limits:
        return None
    if not all(flux_from.is_limit(name, value) for name, value in limits.items()):
        return None
    texts = (f"{name}={'unlimited' if value < 0 else value}" for name, value in limits.items())
    return [f"--rlimit=-*,{','.join(texts)}"]


def _signal(signal: Any) -> list[str] | None:
    if not isinstance(signal, Mapping) or set(signal) != {"signum", "timeleft"}:
        return None
    number, left = signal["signum"], signal["timeleft"]
    is_number = isinstance(number, int) and 0 < number < 10000
    if not is_number or not is_seconds(left) or left == 0:
        return None
    return [f"--signal={number}@{_time_text(left)}"]


def _taskmap(entry: Any) -> list[str] | None:
    text = dependency_text(entry)
    return None if text is None else [f"--taskmap={text.removesuffix(':')}"]


def dependency_text(entry: object) -> str | None:
    """The RFC 26 URI of a dependency or of a task map, or None where no URI can express it."""
    if not isinstance(entry, Mapping):
        return None
    scheme, value = entry.get("scheme"), entry.get("value")
    if not isinstance(scheme, str) or not isinstance(value, str):
        return None
    further = {key: inner for key, inner in entry.items() if key not in ("scheme", "value")}
    text = f"{scheme}:{value}"
    if further:
        text += "?" + "&".join(f"{key}={inner}" for key, inner in further.items())
    return text if flux_from.uri(text) == entry and text.isprintable() else None


def _is_key(key: object) -> bool:
    """Whether a key can be one step of a dotted path."""
    return isinstance(key, str) and key != "" and not any(sign in key for sign in ".=")


def _leaves(path: str, value: Any) -> Iterator[str]:
    """``path=value`` for each value in dictionaries, or for all of one whose keys have dots."""
    if isinstance(value, Mapping) and value and all(map(_is_key, value)):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif isinstance(value, str) and value.isprintable() and flux_from.json_value(value) == value:
        yield f"{path}={value}"
    else:
        yield f"{path}={_json(value)}"


def _json(value: Any) -> str:
    """JSON of printable characters; null for what JSON cannot hold, so that it reads back so."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text if text.isprintable() else json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError):
        return "null"


# Resources


class _Resources:
    """The options for the resources and the number of tasks of a job, for all Flux commands.

    layout        what plain options can ask for; None where it takes a shape, ``shape``
    trouble       why no shape can ask for the resources
    per_resource  what tasks are counted by, and how many for each, where a slot does not run one
    """

    def __init__(self, job: Job) -> None:
        count = job.task.get("count")
        count = count if isinstance(count, Mapping) else {}
        layout = _layout_of(job.request)
        self.layout = None if layout is None else _with_tasks(layout, count)
        self.shape, self.trouble = "", None
        if layout is None:
            self.shape, self.trouble = shape_of(job.document["resources"], job.task.get("slot"))
        self.per_resource: tuple[str, Any] | None = None
        per_slot, wanted = count.get("per_slot"), count.get("per_resource")
        if isinstance(wanted, Mapping):
            self.per_resource = str(wanted.get("type")), wanted.get("count")
        elif count != {"per_slot": 1} and self.trouble is None:
            each = 1
            if self.layout is None:
                each = _per_node(job)
            elif self.layout.nodes and isinstance(per_slot, int):
                each = per_slot * self.layout.slots
            self.per_resource = ("node", each) if each > 1 else None

    def words(self, *, instance: bool = False) -> list[str]:
        """The options; instance says for ``flux batch`` and ``alloc``, which need a number."""
        counted = None
        if self.per_resource is not None and not instance:
            kind, number = self.per_resource
            counted = self.counted({"type": kind, "count": number})
        if counted is not None:
            return counted
        words = [f"--resources-shape={self.shape}"]
        if self.layout is not None:
            words = _layout_words(self.layout, instance=instance)
        if self.per_resource is not None and not instance:
            kind, number = self.per_resource
            words += ["-o", f"per-resource.type={kind}"]
            words += [] if number == 1 else ["-o", f"per-resource.count={number}"]
        return words

    def counted(self, per_resource: Any) -> list[str] | None:
        """The options that count tasks by node or core, where they make these resources.

        per_resource is the shell option of that name; None where there are no such options.
        """
        layout = self.layout
        if layout is None or layout.total is not None:
            return None
        if not isinstance(per_resource, Mapping) or set(per_resource) != {"type", "count"}:
            return None
        kind, number = per_resource["type"], per_resource["count"]
        if kind not in ("node", "core") or not isinstance(number, int) or number < 1:
            return None
        ending = [f"--tasks-per-{kind}={number}"]
        if layout.nodes is None:
            alone = layout.cores == 1 and not layout.gpus
            return [f"--cores={layout.slots}", *ending] if alone else None
        if layout.slots != 1 or (layout.exclusive and layout.cores > 1):
            return None
        words = [f"-N{layout.nodes}"]
        if not layout.exclusive:
            words.append(f"--cores={layout.nodes * layout.cores}")
        gpus = [f"--gpus-per-node={layout.gpus}"] if layout.gpus else []
        return [*words, *ending, *gpus]


def _layout_of(request: ResourceRequest) -> Layout | None:
    """The layout of resources that plain options can ask for; None for all others."""
    vertices: Sequence[RequestVertex] = request.roots
    nodes, exclusive = None, False
    if len(vertices) == 1 and vertices[0].type == "node":
        exclusive = vertices[0].exclusive is True
        nodes = _number(vertices[0], "with", *(["exclusive"] if exclusive else []))
        if nodes is None:
            return None
        vertices = vertices[0].children
    if len(vertices) != 1 or not vertices[0].is_slot:
        return None
    slots, inside = _number(vertices[0], "with", "label"), vertices[0].children
    kinds, numbers = [vertex.type for vertex in inside], [_number(vertex) for vertex in inside]
    if slots is None or None in numbers or kinds not in (["core"], ["core", "gpu"]):
        return None
    cores, gpus = numbers[0] or 1, (numbers[1] or 0 if len(numbers) > 1 else 0)
    return Layout(nodes, exclusive, slots, cores, gpus)


def _number(vertex: RequestVertex, *further: str) -> int | None:
    """The count of a vertex that is one number and has no other keys than these."""
    if set(vertex.fields) != {"type", "count", *further}:
        return None
    return vertex.count if isinstance(vertex.count, int) else None


def _with_tasks(layout: Layout, count: Mapping[str, Any]) -> Layout:
    """The layout with slots for as many tasks as there are, where it can have them."""
    per_slot, total = count.get("per_slot", 1), count.get("total")
    if isinstance(total, int) and total >= (layout.nodes or 1):
        return replace(layout, total=total)
    if not isinstance(per_slot, int) or per_slot < 2 or layout.nodes is not None:
        return layout
    # Slots are all there is to count tasks by: each task gets its part of one.
    if layout.cores % per_slot or layout.gpus % per_slot:
        return layout
    cores, gpus = layout.cores // per_slot, layout.gpus // per_slot
    return replace(layout, slots=layout.slots * per_slot, cores=cores, gpus=gpus)


def _per_node(job: Job) -> int:
    """The tasks of each node of a job that asks for nodes, where all run as many; else 1."""
    demand = demand_of(job)
    if not isinstance(demand.nodes, int) or demand.further_slots:
        return 1
    total = demand.total or demand.nodes * demand.each * demand.tasks
    return total // demand.nodes if total % demand.nodes == 0 else 1


def _layout_words(layout: Layout, *, instance: bool) -> list[str]:
    """The plain options of a layout, none where it is what Flux gives by itself."""
    nodes, slots, total = layout.nodes, layout.slots, layout.total
    count = total if total is not None else slots * (nodes or 1)
    whole = nodes is not None and layout.exclusive and count == nodes
    words = [] if nodes is None else [f"-N{nodes}"]
    if not whole and (count > 1 or nodes is not None or instance):
        words.append(f"-n{count}")
    if layout.cores > 1:
        words.append(f"-c{layout.cores}")
    if layout.gpus:
        words.append(f"-g{layout.gpus}")
    if layout.exclusive and not whole:
        words.append("-x")
    return words


# From resources to a shape


def shape_of(resources: Sequence[Any], label: object) -> tuple[str, str | None]:
    """The shape that makes Flux ask for resources (RFC 14), and why there is none.

    The slots with the label of the task are called as Flux calls them.
    """
    tree = from_resources(_renamed(resources, label), LABEL)
    wrong = next((p.message for p in tree.problems if p.severity == "error"), None)
    if wrong is None:
        wrong = next((problem.message for problem in check(tree.value)), None)
    if wrong is None:
        wrong = next(filter(None, map(_unread_in, walk(tree.value))), None)
    return ("", wrong) if wrong is not None else (format_shape(tree.value), None)


def _renamed(resources: Sequence[Any], label: object) -> list[Any]:
    out = []
    for vertex in resources:
        changed: dict[str, Any] = {}
        if isinstance(vertex, Mapping):
            if vertex.get("type") == "slot" and vertex.get("label") == label:
                changed["label"] = LABEL
            if isinstance(vertex.get("with"), list | tuple):
                changed["with"] = _renamed(vertex["with"], label)
        out.append({**vertex, **changed} if changed else vertex)
    return out


def _unread_in(vertex: Vertex) -> str | None:
    """Why Flux does not read the shape of a vertex as the same resource.

    flux-core 0.88 knows no escapes in quotes and no arrays before the last bracket, takes
    constants in any case and a slot in any letters, and a label ``x`` for the key ``exclusive``.
    """
    if vertex.type == "slot" and not vertex.children:
        return "a slot holds nothing, which no shape can express"
    words = [_unread_word(vertex.type)]
    if vertex.label is not None:
        words.append("the label x" if vertex.label == "x" else _unread_word(vertex.label))
    words += [_unread_word(item.key) or _unread(item.value) for item in vertex.keys or ()]
    word = next(filter(None, words), None)
    return word and f"Flux does not read {printable(word)[:60]} in a shape as RFC 46 has it"


_CONSTANTS = ("true", "false", "null")


def _unread(value: object) -> str | None:
    """What of a value Flux takes otherwise."""
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        words = (_unread_word(key) or _unread(inner) for key, inner in value.items())
        return next(filter(None, words), None)
    if isinstance(value, str) and value.lower() in _CONSTANTS and value not in _CONSTANTS:
        return f"'{value}'"
    return _unread_word(value)


def _unread_word(word: object) -> str | None:
    """A word that needs escapes, which Flux does not know."""
    if not isinstance(word, str) or (word.isprintable() and not set(word) & set('"\\')):
        return None
    return f"'{word}'"
