"""Writes jobspecs as ``flux submit``, ``run``, ``batch`` and ``alloc`` lines (flux-core 0.88).

A line is exact if ``from_command``, which is tested against Flux itself, reads it back as the
same jobspec; otherwise the notes say what differs (see `jobs.differences`). On a terminal ``flux
alloc`` adds the shell option ``pty.interactive``.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

from fluxtui.answers.commands import flux_from, jobs, reading, scripts
from fluxtui.answers.commands.flux_from import LABEL, Layout
from fluxtui.answers.commands.foreign import demand_of
from fluxtui.answers.commands.jobs import STREAMS, Attributes, Job, Rendering
from fluxtui.answers.commands.scripts import Command
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest
from fluxtui.notation import duration, shellwords
from fluxtui.notation.problem import Span, is_digits, is_printable, shortened
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import Vertex, check, from_resources, walk
from fluxtui.notation.shellwords import Word


def renderings(job: Job, names: Sequence[str]) -> list[Rendering]:
    """Write a job for those of the four programs that are in names, in their order."""
    writer = _Writer(job)
    if writer.trouble is not None:
        return [jobs.refusal(name, writer.trouble) for name in names]
    return [writer.rendering(name) for name in names]


class _Writer:
    """Writes one job for several programs.

    layout        the resources, if plain options can request them; None if a shape is needed
    trouble       why no shape can request them
    per_resource  the shell option per-resource, if not every slot runs exactly one task
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.broker_options = [f"--broker-opts={word}" for word in job.broker_options]
        count = job.task.get("count")
        count = count if isinstance(count, Mapping) else {}
        layout = _layout_of(job.request)
        self.layout = None if layout is None else _with_tasks(layout, count)
        self.shape, self.trouble = "", None
        if layout is None:
            # Flux gives its own label to the slots that the task runs in.
            renamed = _renamed(job.document["resources"], job.task.get("slot"))
            tree = from_resources(renamed, LABEL)
            wrong = [problem.message for problem in tree.problems if problem.severity == "error"]
            wrong = wrong or [problem.message for problem in check(tree.value)]
            wrong = wrong or [word for word in map(_unread_in, walk(tree.value)) if word]
            self.trouble = wrong[0] if wrong else None
            self.shape = "" if wrong else format_shape(tree.value)
        self.per_resource: Mapping[str, Any] | None = None
        per_slot, wanted = count.get("per_slot"), count.get("per_resource")
        if isinstance(wanted, Mapping):
            self.per_resource = {"type": str(wanted.get("type")), "count": wanted.get("count")}
        elif count != {"per_slot": 1} and self.trouble is None:
            each = 1
            if self.layout is None:
                # The tasks per node, if it is the same for all nodes.
                demand = demand_of(job, "Flux")
                nodes = 0 if demand.further_slots else demand.nodes
                if isinstance(nodes, int) and nodes > 0:
                    total = demand.total or nodes * demand.each * demand.tasks
                    each = 1 if total % nodes else total // nodes
            elif self.layout.nodes and isinstance(per_slot, int):
                each = per_slot * self.layout.slots
            self.per_resource = {"type": "node", "count": each} if each > 1 else None

    @cached_property
    def program(self) -> Rendering:
        """The ``flux submit`` line, which can express any jobspec with one task."""
        words = [*chain(*self._options("submit")), *jobs.after_options(self.job.command)]
        return self._judged(["flux", "submit", *words])

    def rendering(self, name: str) -> Rendering:
        if name == "flux batch":
            return self._batch() if self.job.script is None else self._script(self.job.script)
        if name == "flux alloc":
            return self._alloc()
        text = self.program.text and self.program.text.replace("submit", name[5:], 1)
        return replace(self.program, name=name, text=text)

    def _options(self, program: str, *, carried: str | None = None) -> list[list[str]]:
        """The options for the resources, for when and where the job runs, and for the job shell."""
        attributes = _FluxOptions(self.job.document.get("attributes"), program)
        if program == "alloc" and self.job.script is not None:
            attributes.system.pop("files", None)
        if carried and attributes.system.get("files") == {"script": jobspec.script_entry(carried)}:
            del attributes.system["files"]
        instance = program in ("batch", "alloc")
        words: list[str] = []
        if not instance:
            # The options for tasks per node or core also request the resources.
            words = jobs.take(attributes.options, "per-resource", self._counted)
        is_given = instance or "per-resource" in attributes.options
        words = words or self._resource_words(instance, None if is_given else self.per_resource)
        return [words, attributes.placement(), attributes.shell()]

    def _judged(
        self,
        words: list[str],
        *,
        script: str | None = None,
        header: str | None = None,
        inner: Sequence[str] | None = None,
    ) -> Rendering:
        """The rendering of words; it is never exact if inner runs in a new Flux instance."""
        job, name = self.job, " ".join(words[:2])
        placed = [Word(word, Span(0, len(word))) for word in words[2:]]
        read = None if script is None else scripts.read(script, "flux")
        made, line = flux_from.from_command(Command(name, placed, script=read), {})
        for problem in line.problems:
            if problem.severity == "error":
                return jobs.refusal(name, f"no {name} line can express it: {problem.message}")
        if inner is None:
            found = jobs.differences(job.document, made)
            notes = [*job.notes(), *jobs.sentences(found)]
            return jobs.rendering(name, words, header, not found, notes)
        task = {**job.task, "command": ["flux", "broker", *inner]}
        found = jobs.differences({**job.document, "tasks": [task]}, made)
        lead = {
            "program": f"{name} starts a Flux instance first, and the program runs inside it",
            "start": f"{name} starts 'flux broker' on each node in place of this command",
            "alloc": f"{name} copies what the instance runs into a script",
            "batch": f"{name} runs the script from its own place, without a copy",
        }[job.kind]
        # 'flux run' starts the program in the instance, with the same losses as 'flux submit'.
        lost = self.program.notes if job.kind == "program" else job.notes()
        # An instance and a program always differ in these.
        other = [f"attributes.system.{key}" for key in ("job", "shell", "files")]
        paths = ("tasks[0].command", "tasks[0].count", *other)
        relevant = [difference for difference in found if not difference.path.startswith(paths)]
        lead = jobs.Remark(lead, code="remark")
        notes = [*dict.fromkeys((lead, *lost, *jobs.sentences(relevant)))]
        return jobs.rendering(name, words, header, False, notes)

    def _batch(self) -> Rendering:
        if not self.job.inner:
            return jobs.refusal("flux batch", "flux batch runs a script, and there is none")
        options, placement, shell = self._options("batch")
        steps, shell = self._steps(self.job.inner, shell)
        options += [*placement, *shell]
        header = scripts.with_directives(scripts.of_command(steps), "# flux: ", options)
        line = shellwords.join(steps)
        if steps[0].startswith("-"):
            steps = ["--", *steps]
        elif line.split(" ") != steps:
            steps = [line]
        words = ["flux", "batch", *options, "--wrap", *steps]
        return self._judged(words, inner=[jobspec.SCRIPT], header=header)

    def _script(self, script: str) -> Rendering:
        if not script.startswith("#!"):
            return jobs.refusal("flux batch", "flux batch wants a script with a #! line")
        ending = [jobs.SCRIPT_NAME, *self.job.inner]
        bare = self._judged(["flux", "batch", *ending], script=script)
        if bare.exact:
            return replace(bare, script=script)
        options = [*chain(*self._options("batch", carried=script)), *self.broker_options]
        header = scripts.with_directives(script, "# flux: ", options)
        return self._judged(["flux", "batch", *options, *ending], script=script, header=header)

    def _alloc(self) -> Rendering:
        job = self.job
        options, placement, shell = self._options("alloc")
        words = ["flux", "alloc", *options, *placement]
        if job.kind == "alloc":
            dashed = job.inner[:1] != ("--",) and "".join(job.inner[:1]).startswith("-")
            inner = ["--", *job.inner] if dashed else job.inner
            return self._judged([*words, *shell, *self.broker_options, *inner])
        start = () if job.script is None else (f"./{jobs.SCRIPT_NAME}",)
        steps, shell = self._steps((*start, *job.inner), shell)
        return self._judged([*words, *shell, *steps], inner=steps)

    def _steps(self, inner: Sequence[str], shell: list[str]) -> tuple[list[str], list[str]]:
        """The command in a new instance (``flux run`` for a program), and the shell options."""
        if self.job.kind != "program":
            return list(inner), shell
        options, _, shell = self._options("run")
        return ["flux", "run", *options, *shell, *jobs.after_options(inner)], []

    def _resource_words(self, instance: bool, option: Mapping[str, Any] | None) -> list[str]:
        if (counted := self._counted(option)) is not None:
            return counted
        words = [f"--resources-shape={self.shape}"]
        if self.layout is not None:
            words = _layout_words(self.layout, instance)
        if option is not None:
            words += ["-o", f"per-resource.type={option['type']}"]
            words += [] if option["count"] == 1 else ["-o", f"per-resource.count={option['count']}"]
        return words

    def _counted(self, per_resource: Any) -> list[str] | None:
        """The options that count tasks per node or core as this shell option does, or None."""
        layout = self.layout
        if layout is None or layout.total is not None or not isinstance(per_resource, Mapping):
            return None
        kind, number = per_resource.get("type"), per_resource.get("count")
        is_plain = len(per_resource) == 2 and kind in ("node", "core")
        if not is_plain or not isinstance(number, int) or number < 1:
            return None
        ending = [f"--tasks-per-{kind}={number}"]
        if layout.nodes is None:
            is_single_core = layout.cores == 1 and not layout.gpus
            return [f"--cores={layout.slots}", *ending] if is_single_core else None
        if layout.slots != 1 or (layout.exclusive and layout.cores > 1):
            return None
        words = [f"-N{layout.nodes}"]
        if not layout.exclusive:
            words.append(f"--cores={layout.nodes * layout.cores}")
        gpus = [f"--gpus-per-node={layout.gpus}"] if layout.gpus else []
        return [*words, *ending, *gpus]


class _FluxOptions(Attributes):
    def __init__(self, attributes: object, program: str) -> None:
        self.program = program
        # If a key cannot be part of a dotted path, all system attributes are set together.
        self.whole_system: Mapping[Any, Any] | None = None
        system = jobs.value_at(attributes, "system")
        if isinstance(system, Mapping) and not all(map(_is_key, system)):
            self.whole_system = system
            attributes = {**attributes, "system": {}}  # type: ignore[dict-item]
        super().__init__(attributes)
        if self.options and not self.system["shell"]:
            del self.system["shell"]

    def placement(self) -> list[str]:
        """The options for when and where the job runs: all but those for the job shell."""
        words: list[str] = []
        plain = ("duration", "queue", "bank", "job.name", "cwd")
        for key in (*plain, "constraints", "dependencies", "environment"):
            words += jobs.take(self.system, key, partial(_written, key))
        if self.whole_system is not None and (text := _json(self.whole_system)) != "null":
            words.append(f"--setattr=.system={text}")
        # Attributes without an option of their own.
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
        if not all(_is_key(key) and key[0] != "^" for key in self.options):
            return [f"--setattr=shell.options={_json(self.options)}"]
        if self.program in ("batch", "alloc"):
            for key, value in jobspec.instance_options().items():
                jobs.take(self.options, key, jobs.when(value))
        words = jobs.take_unbuffered(self.options) + self._streams()
        for key in ("rlimit", "signal", "taskmap"):
            words += jobs.take(self.options, key, partial(_written, key))
            remaining = self.options.get(key)
            if key == "rlimit" and isinstance(remaining, Mapping) and remaining:
                words.append("--rlimit=-*")
        for key, value in self.options.items():
            for text in _leaves(str(key), value):
                words += ["-o", text]
        return words

    def _streams(self) -> list[str]:
        if self.program == "alloc":
            return []
        words, labels = [], []
        for name, (kind, stream) in STREAMS.items():
            match jobs.value_at(self.options, kind, stream):
                # Not words that have another meaning for the option.
                case {"type": "file", "path": str() as path} as entry if path not in (
                    "none",
                    "kvs",
                ) and not (kind == "input" and is_digits(path[:1])):
                    if kind == "output":
                        labels.append(entry.get("label") is True)
                    if (self.program, name, path) != ("batch", "output", jobspec.BATCH_OUTPUT):
                        words.append(f"--{name}={path}")
                    jobs.drop(self.options, kind, stream, "type")
                    jobs.drop(self.options, kind, stream, "path")
                case _ if name == "output" and self.program == "batch":
                    words.append("--output=none")
        if labels and all(labels):
            words.append("-l")
            for stream in ("stdout", "stderr"):
                jobs.drop(self.options, "output", stream, "label")
        return words


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+:-]*")


def _written(key: str, value: Any) -> list[str] | None:
    """The options for an attribute or a shell option; None if none can express it."""
    match key, value:
        case "duration", _ if jobs.is_seconds(value):
            return ["-t", _time_text(value)] if value else []
        case "queue" | "bank", str():
            # A value that could be taken for an option is attached to the name.
            short = "-q" if key == "queue" else "-B"
            return [short, value] if _PLAIN.fullmatch(value) else [f"--{key}={value}"]
        case "job.name" | "cwd", str():
            return [f"--{key.replace('.', '-')}={value}"]
        case "constraints", _:
            text = from_constraint(value)
            tree = parse_query(text).tree if text else None
            is_same = tree is not None and to_constraint(tree) == value
            return [f"--requires={text}"] if is_same else None
        case "dependencies", [_, *_]:
            texts = [dependency_text(entry) for entry in value]
            return None if None in texts else [f"--dependency={text}" for text in texts]
        case "environment", Mapping():
            if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in value):
                return [f"--setattr=environment={_json(value)}"]
            words, attributes = ["--env=-*"], []
            for name, text in value.items():
                if isinstance(text, str) and is_printable(text) and "{{" not in text:
                    words.append(f"--env={name}={text.replace('$', '$$')}")
                else:
                    attributes.append(f"--setattr=environment.{name}={_json(text)}")
            return words + attributes
        case "rlimit", Mapping() if value and all(
            name in flux_from.LIMITS and type(number) is int and number >= -1
            for name, number in value.items()
        ):
            limits = (f"{name}={'unlimited' if n < 0 else n}" for name, n in value.items())
            return [f"--rlimit=-*,{','.join(limits)}"]
        case "signal", {"signum": int(number), "timeleft": left, **rest} if not rest:
            is_known = 0 < number < 10000 and jobs.is_seconds(left) and left > 0
            return [f"--signal={number}@{_time_text(left)}"] if is_known else None
        case "taskmap", _ if (text := dependency_text(value)) is not None:
            return [f"--taskmap={text.removesuffix(':')}"]
    return None


def _time_text(amount: float) -> str:
    """Format a duration in seconds, with a unit (RFC 23), so that Flux reads it back exactly."""
    text = duration.format(amount)
    return text if text[-1:].isalpha() and reading.seconds(text) == amount else f"{amount!r}s"


def dependency_text(entry: object) -> str | None:
    """The RFC 26 URI of a dependency or of a task map, or None if no URI can express it."""
    if not isinstance(entry, Mapping):
        return None
    scheme, value = entry.get("scheme"), entry.get("value")
    if not isinstance(scheme, str) or not isinstance(value, str):
        return None
    parameters = {key: inner for key, inner in entry.items() if key not in ("scheme", "value")}
    text = f"{scheme}:{value}"
    if parameters:
        text += "?" + "&".join(f"{key}={inner}" for key, inner in parameters.items())
    return text if flux_from.uri(text) == entry and is_printable(text) else None


def _is_key(key: object) -> bool:
    return isinstance(key, str) and key != "" and not any(sign in key for sign in ".=")


def _leaves(path: str, value: Any) -> Iterator[str]:
    """``path=value`` for each leaf; a dictionary is a leaf if a key cannot be part of a path."""
    if isinstance(value, Mapping) and value and all(map(_is_key, value)):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif isinstance(value, str) and is_printable(value) and flux_from.json_value(value) == value:
        yield f"{path}={value}"
    else:
        yield f"{path}={_json(value)}"


def _json(value: Any) -> str:
    """JSON of printable characters; null for a value that JSON cannot hold."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text if is_printable(text) else json.dumps(value, separators=(",", ":"))
    except (TypeError, ValueError):
        return "null"


def _layout_of(request: ResourceRequest) -> Layout | None:
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
    """The count of a vertex if it is a single number and the vertex has only these keys."""
    if set(vertex.fields) != {"type", "count", *further}:
        return None
    return vertex.count if isinstance(vertex.count, int) else None


def _with_tasks(layout: Layout, count: Mapping[str, Any]) -> Layout:
    per_slot, total = count.get("per_slot", 1), count.get("total")
    if isinstance(total, int) and total >= (layout.nodes or 1):
        return replace(layout, total=total)
    if not isinstance(per_slot, int) or per_slot < 2 or layout.nodes is not None:
        return layout
    # Without nodes, tasks are counted only by slots: each task gets a part of a slot.
    (cores, more), (gpus, others) = divmod(layout.cores, per_slot), divmod(layout.gpus, per_slot)
    if more or others:
        return layout
    return replace(layout, slots=layout.slots * per_slot, cores=cores, gpus=gpus)


def _layout_words(layout: Layout, instance: bool) -> list[str]:
    # flux batch and flux alloc always need a number.
    nodes, slots, total = layout.nodes, layout.slots, layout.total
    count = total if total is not None else slots * (nodes or 1)
    is_by_node = nodes is not None and layout.exclusive and count == nodes  # -N alone means this
    words = [] if nodes is None else [f"-N{nodes}"]
    if not is_by_node and (count > 1 or nodes is not None or instance):
        words.append(f"-n{count}")
    words += [f"-c{layout.cores}"] if layout.cores > 1 else []
    words += [f"-g{layout.gpus}"] if layout.gpus else []
    return [*words, "-x"] if layout.exclusive and not is_by_node else words


def _renamed(resources: Sequence[Any], label: object) -> list[Any]:
    out = []
    for vertex in resources:
        changed: Any = vertex
        if isinstance(vertex, Mapping):
            is_slot_of_task = vertex.get("type") == "slot" and vertex.get("label") == label
            changed = {**vertex, "label": LABEL} if is_slot_of_task else dict(vertex)
            if isinstance(vertex.get("with"), list | tuple):
                changed["with"] = _renamed(vertex["with"], label)
        out.append(changed)
    return out


def _unread_in(vertex: Vertex) -> str | None:
    """Why flux-core 0.88 reads the shape of a vertex as another resource; None if it does not.

    It supports no escapes in quotes and no arrays before the last bracket, ignores the case of
    constants, and takes a label ``x`` for the key ``exclusive``.
    """
    if vertex.type == "slot" and not vertex.children:
        return "a slot holds nothing, which no shape can express"
    words = [_unread(vertex.type, ())]
    if vertex.label is not None:
        words.append("the label x" if vertex.label == "x" else _unread(vertex.label, ()))
    words += [_unread(item.key, ()) or _unread(item.value) for item in vertex.keys or ()]
    word = next(filter(None, words), None)
    return word and f"Flux does not read {shortened(word)} in a shape as RFC 46 defines it"


def _unread(value: object, constants: Sequence[str] = ("true", "false", "null")) -> str | None:
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        words = (_unread(key, ()) or _unread(inner) for key, inner in value.items())
        return next(filter(None, words), None)
    if not isinstance(value, str):
        return None
    is_constant = value.lower() in constants and value not in constants
    is_plain = is_printable(value) and not set(value) & set('"\\')
    return None if is_plain and not is_constant else f"'{value}'"
