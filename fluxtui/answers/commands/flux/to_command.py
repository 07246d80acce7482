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

from fluxtui.answers.commands import differences, scripts
from fluxtui.answers.commands.differences import Difference
from fluxtui.answers.commands.flux import from_command
from fluxtui.answers.commands.flux.resources import ResourceOptions
from fluxtui.answers.commands.job import (
    SCRIPT_NAME,
    STREAMS,
    Attributes,
    Job,
    drop,
    is_seconds,
    value_at,
)
from fluxtui.answers.commands.results import Rendering, refusal, rendering
from fluxtui.answers.commands.values import seconds
from fluxtui.model.jobspec import batch
from fluxtui.notation import duration, shellwords
from fluxtui.notation.problem import Problem, Span, is_digits
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.shellwords import Word


def renderings(job: Job, names: Sequence[str]) -> list[Rendering]:
    """A job written for these of the four programs, in the order of ``names``."""
    resources = ResourceOptions(job)
    if resources.trouble is not None:
        return [refusal(name, resources.trouble) for name in names]
    writer = _Writer(job, resources)
    return [writer.rendering(name) for name in names]


def _after_options(command: Sequence[str]) -> list[str]:
    """The command, kept apart from the options where it could be taken for one."""
    return ["--", *command] if command[0].startswith("-") or not command[0] else list(command)


class _Writer:
    """Writes one job for several programs."""

    def __init__(self, job: Job, resources: ResourceOptions) -> None:
        self.job = job
        self.resources = resources
        self.program = self._program()

    def rendering(self, name: str) -> Rendering:
        """The job written for one program."""
        if name == "flux batch":
            return self._batch()
        if name == "flux alloc":
            return self._alloc()
        text = self.program.text
        if name == "flux submit" or text is None:
            return replace(self.program, name=name)
        return replace(self.program, name=name, text=text.replace("submit", "run", 1))

    def _attributes(self, program: str) -> "AttributeOptions":
        return AttributeOptions(self.job.document.get("attributes"), program)

    def _resources(self, attributes: "AttributeOptions", *, instance: bool = False) -> list[str]:
        """The options for resources, and for the tasks of a node where there is one for those."""
        option = attributes.options.get("per-resource")
        if option is not None and not instance:
            words = self.resources.words(option=option)
            if words is not None:
                del attributes.options["per-resource"]
                return words
        return self.resources.words(instance=instance) or []

    def _program(self) -> Rendering:
        """``flux submit``: any jobspec of one task."""
        attributes = self._attributes("submit")
        words = ["flux", "submit", *self._resources(attributes), *attributes.placement()]
        words += [*attributes.shell(), *_after_options(self.job.command)]
        return self._judged(words)

    def _judged(
        self, words: list[str], *, script: str | None = None, header: str | None = None
    ) -> Rendering:
        """The rendering of some words, exact when they read back as the jobspec."""
        found, refused = _read_back(words, self.job.document, script)
        if refused is not None:
            return refused
        notes = (*self.job.notes(), *differences.sentences(found))
        return rendering(" ".join(words[:2]), words, header, not found, notes)

    def _batch(self) -> Rendering:
        """``flux batch``: the script of the job, or the program wrapped in one."""
        if self.job.script is not None:
            return self._script(self.job.script)
        if not self.job.inner:
            return refusal("flux batch", "flux batch runs a script, and there is none")
        attributes = self._attributes("batch")
        options = [*self._resources(attributes, instance=True), *attributes.placement()]
        steps, shell = self._steps(attributes, self.job.inner)
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
        attributes = self._attributes("batch")
        if attributes.system.get("files") == {"script": batch.script_entry(script)}:
            del attributes.system["files"]
        options = [*self._resources(attributes, instance=True), *attributes.placement()]
        options += [*attributes.shell(), *self._broker_options()]
        header = scripts.with_directives(script, "# flux: ", options)
        return self._judged(["flux", "batch", *options, *ending], script=script, header=header)

    def _broker_options(self) -> list[str]:
        return [f"--broker-opts={word}" for word in self.job.broker_options]

    def _alloc(self) -> Rendering:
        """``flux alloc``: a Flux instance, or one that runs the program."""
        job, attributes = self.job, self._attributes("alloc")
        if job.script is not None:
            attributes.system.pop("files", None)
        words = ["flux", "alloc", *self._resources(attributes, instance=True)]
        words += attributes.placement()
        if job.kind == "alloc":
            words += [*attributes.shell(), *self._broker_options()]
            dashed = job.inner[:1] != ("--",) and "".join(job.inner[:1]).startswith("-")
            words += ["--", *job.inner] if dashed else job.inner
            return self._judged(words)
        start = () if job.script is None else (f"./{SCRIPT_NAME}",)
        steps, shell = self._steps(attributes, (*start, *job.inner))
        return self._nested([*words, *shell, *steps], steps)

    def _steps(
        self, attributes: "AttributeOptions", inner: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """What runs within a new instance: the words, and the options the instance has instead.

        A program needs its own ``flux run`` there, with all that concerns its tasks.
        """
        if self.job.kind != "program":
            return list(inner), attributes.shell()
        own = self._attributes("run")
        words = ["flux", "run", *self._resources(own), *own.shell()]
        return [*words, *_after_options(inner)], []

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
    made, problems = read_words(words, script)
    if problems:
        name = " ".join(words[:2])
        return (), refusal(name, f"no {name} line can express it: {problems[0].message}")
    return differences.between(wanted, made), None


def read_words(
    words: Sequence[str], script: str | None = None
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The jobspec that Flux makes of a line in words, and the problems it would refuse them for."""
    placed = [Word(word, Span(0, len(word))) for word in words[2:]]
    read = None if script is None else scripts.read(script, "flux")
    document, line = from_command.read(words[1], placed, {}, (), read)
    return document, tuple(p for p in line.problems if p.severity == "error")


def _time_text(amount: float) -> str:
    """A duration in seconds as a text that Flux reads back exactly, with a unit (RFC 23)."""
    text = duration.format(amount)
    return text if text[-1:].isalpha() and seconds(text) == amount else f"{amount!r}s"


def _valued(short: str, long: str, value: str) -> list[str]:
    """``-q name``, or ``--queue=value`` where the value could be taken for an option."""
    if re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./+:-]*", value):
        return [short, value]
    return [f"{long}={value}"]


class AttributeOptions(Attributes):
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
        amount = self.system.get("duration", 0)
        if is_seconds(amount):
            self.system.pop("duration", None)
            words += ["-t", _time_text(amount)] if amount else []
        for short, key in (("-q", "queue"), ("-B", "bank")):
            if (text := self.take_text(key)) is not None:
                words += _valued(short, f"--{key}", text)
        for option, path in (("--job-name", ("job", "name")), ("--cwd", ("cwd",))):
            if (text := self.take_text(*path)) is not None:
                words.append(f"{option}={text}")
        words += self._constraints() + self._dependencies() + self._environment()
        if self.whole is not None and (text := _json(self.whole)) != "null":
            words.append(f"--setattr=.system={text}")
        return words + self._further()

    def _constraints(self) -> list[str]:
        constraint = self.system.get("constraints")
        if constraint is None:
            return []
        text = from_constraint(constraint)
        tree = parse_query(text).tree if text else None
        if text is None or tree is None or to_constraint(tree) != constraint:
            return []
        del self.system["constraints"]
        return [f"--requires={text}"]

    def _dependencies(self) -> list[str]:
        entries = self.system.get("dependencies")
        if not isinstance(entries, list | tuple) or not entries:
            return []
        texts = [dependency_text(entry) for entry in entries]
        if None in texts:
            return []
        del self.system["dependencies"]
        return [f"--dependency={text}" for text in texts]

    def _environment(self) -> list[str]:
        variables = self.system.get("environment")
        if not isinstance(variables, Mapping):
            return []
        del self.system["environment"]
        if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in variables):
            return [f"--setattr=environment={_json(variables)}"]
        words, later = ["--env=-*"], []
        for name, value in variables.items():
            if isinstance(value, str) and value.isprintable() and "{{" not in value:
                words.append(f"--env={name}={value.replace('$', '$$')}")
            else:
                later.append(f"--setattr=environment.{name}={_json(value)}")
        return words + later

    def _further(self) -> list[str]:
        """What has no option of its own."""
        words = [
            f"--setattr={text}"
            for key, value in self.system.items()
            for text in _leaves(_own(key), value)
        ]
        for key, value in self.others.items():
            if not _is_key(key):
                continue
            lead = key if key == "user" else f".{key}"
            if isinstance(value, Mapping) and value and all(map(_is_key, value)):
                words += [f"--setattr={text}" for text in _leaves(lead, value)]
            else:
                words.append(f"--setattr=.{key}={_json(value)}")
        return words

    def shell(self) -> list[str]:
        """The options for the job shell, which says how the tasks are run."""
        words: list[str] = []
        if not all(isinstance(key, str) and _is_key(key) and key[0] != "^" for key in self.options):
            return [f"--setattr=shell.options={_json(self.options)}"]
        if self.program in ("batch", "alloc"):
            for key, value in batch.instance_options().items():
                self.drop_option(key, value)
        words += self._unbuffered() + self._streams() + self._limits() + self._known()
        for key, value in self.options.items():
            for text in _leaves(str(key), value):
                words += ["-o", text]
        return words

    def _unbuffered(self) -> list[str]:
        """``-u``, where all four options it sets are there."""
        output, source = self.options.get("output"), self.options.get("input")
        none = {"type": "none"}
        if not (isinstance(output, Mapping) and isinstance(source, Mapping)):
            return []
        streams = [output.get("stdout"), output.get("stderr")]
        if not all(isinstance(s, Mapping) and s.get("buffer") == none for s in streams):
            return []
        if output.get("batch-timeout") != 0.05 or source.get("batch-timeout") != 0:
            return []
        for name in ("stdout", "stderr"):
            drop(self.options, "output", name, "buffer")
        drop(self.options, "output", "batch-timeout")
        drop(self.options, "input", "batch-timeout")
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

    def _limits(self) -> list[str]:
        limits = self.options.get("rlimit")
        if not isinstance(limits, Mapping) or not limits:
            return []
        if not all(from_command.is_limit(name, value) for name, value in limits.items()):
            return ["--rlimit=-*"]
        del self.options["rlimit"]
        texts = (f"{name}={'unlimited' if value < 0 else value}" for name, value in limits.items())
        return [f"--rlimit=-*,{','.join(texts)}"]

    def _known(self) -> list[str]:
        """``--signal`` and ``--taskmap``."""
        words = []
        signal = self.options.get("signal")
        if isinstance(signal, Mapping) and set(signal) == {"signum", "timeleft"}:
            number, left = signal["signum"], signal["timeleft"]
            if isinstance(number, int) and 0 < number < 10000 and is_seconds(left) and left > 0:
                words.append(f"--signal={number}@{_time_text(left)}")
                del self.options["signal"]
        text = dependency_text(self.options.get("taskmap"))
        if text is not None:
            words.append(f"--taskmap={text.removesuffix(':')}")
            del self.options["taskmap"]
        return words


def _file(kind: str, stream: object) -> str | None:
    """The file of a stream that an option can name: not a word the option takes otherwise."""
    if not isinstance(stream, Mapping) or stream.get("type") != "file":
        return None
    path = stream.get("path")
    if not isinstance(path, str) or path in ("none", "kvs"):
        return None
    return None if kind == "input" and is_digits(path[:1]) else path


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


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
    return text if from_command.uri(text) == entry and text.isprintable() else None


def _own(key: str) -> str:
    """The key of a system attribute as ``--setattr`` takes it."""
    return f"system.{key}" if key in ("user", "system", "attributes") or key[0] == "^" else key


def _is_key(key: object) -> bool:
    """Whether a key can be one step of a dotted path."""
    return isinstance(key, str) and key != "" and not any(sign in key for sign in ".=")


def _leaves(path: str, value: Any) -> Iterator[str]:
    """``path=value`` for each value in dictionaries, or for all of one whose keys have dots."""
    if isinstance(value, Mapping) and value and all(map(_is_key, value)):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}", inner)
    elif isinstance(value, str) and value.isprintable() and from_command.json_value(value) == value:
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
