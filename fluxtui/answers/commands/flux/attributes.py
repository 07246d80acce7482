"""The option words that make Flux give a job certain attributes."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.commands.flux import values
from fluxtui.answers.commands.flux.build import BATCH_OUTPUT, INSTANCE_OPTIONS
from fluxtui.notation import duration
from fluxtui.notation.problem import is_digits
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint


def time_text(seconds: float) -> str:
    """A duration as Flux reads it back exactly, with a unit (RFC 23)."""
    for text in (duration.format(seconds), f"{seconds!r}s"):
        if text[-1:].isalpha() and values.seconds(text) == seconds:
            return text
    return f"{seconds!r}s"


def valued(short: str, long: str, value: str) -> list[str]:
    """``-q name``, or ``--queue=value`` where the value could be taken for an option."""
    if re.fullmatch(r"[A-Za-z0-9_./][A-Za-z0-9_./+:-]*", value):
        return [short, value]
    return [f"{long}={value}"]


class Attributes:
    """Turns the attributes of a jobspec into words; what is left at the end has no own option."""

    def __init__(self, attributes: object, program: str) -> None:
        self.program = program
        self.attributes: dict[Any, Any] = (
            dict(attributes) if isinstance(attributes, Mapping) else {}
        )
        system = self.attributes.pop("system", None)
        # A key that no dotted path can name: all system attributes are set as one.
        self.whole: dict[Any, Any] | None = None
        if isinstance(system, Mapping) and not all(map(_is_key, system)):
            self.whole, system = dict(system), None
        self.system: dict[Any, Any] = dict(system) if isinstance(system, Mapping) else {}
        shell = self.system.get("shell")
        options = shell.get("options") if isinstance(shell, Mapping) else None
        self.options: dict[Any, Any] = _copied(options) if isinstance(options, Mapping) else {}
        if isinstance(options, Mapping):
            self.system["shell"] = {k: v for k, v in self.system["shell"].items() if k != "options"}
            if not self.system["shell"] and options:
                del self.system["shell"]

    def placing(self) -> list[str]:
        """What says when and where the job runs, as itself: all that is not for the job shell."""
        words: list[str] = []
        seconds = self.system.pop("duration", 0)
        if _is_number(seconds):
            words += ["-t", time_text(seconds)] if seconds else []
        else:
            self.system["duration"] = seconds
        for short, key in (("-q", "queue"), ("-B", "bank")):
            if isinstance(self.system.get(key), str):
                words += valued(short, f"--{key}", self.system.pop(key))
        job = self.system.get("job")
        if isinstance(job, Mapping) and isinstance(job.get("name"), str):
            words.append(f"--job-name={job['name']}")
            self.system["job"] = {key: value for key, value in job.items() if key != "name"}
            if not self.system["job"]:
                del self.system["job"]
        if isinstance(self.system.get("cwd"), str):
            words.append(f"--cwd={self.system.pop('cwd')}")
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
        for key, value in self.attributes.items():
            if not _is_key(key):
                continue
            lead = key if key == "user" else f".{key}"
            if isinstance(value, Mapping) and value and all(map(_is_key, value)):
                words += [f"--setattr={text}" for text in _leaves(lead, value)]
            else:
                words.append(f"--setattr=.{key}={_json(value)}")
        return words

    def shell(self) -> list[str]:
        """What tells the job shell how to run the tasks."""
        words: list[str] = []
        if not all(isinstance(key, str) and _is_key(key) and key[0] != "^" for key in self.options):
            return [f"--setattr=shell.options={_json(self.options)}"]
        if self.program in ("batch", "alloc"):
            for key, value in INSTANCE_OPTIONS.items():
                if self.options.get(key) == value:
                    del self.options[key]
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
            _drop(self.options, "output", name, "buffer")
        _drop(self.options, "output", "batch-timeout")
        _drop(self.options, "input", "batch-timeout")
        return ["-u"]

    def _streams(self) -> list[str]:
        """``--input``, ``--output`` and ``--error`` with ``-l``."""
        if self.program == "alloc":
            return []
        words, labels = [], []
        for kind, name, option in _STREAMS:
            group = self.options.get(kind)
            stream = group.get(name) if isinstance(group, Mapping) else None
            path = _file(kind, stream)
            if path is None:
                if name == "stdout" and self.program == "batch":
                    words.append("--output=none")
                continue
            if kind == "output":
                labels.append(isinstance(stream, Mapping) and stream.get("label") is True)
            if (self.program, path) != ("batch", BATCH_OUTPUT) or name != "stdout":
                words.append(f"{option}={path}")
            _drop(self.options, kind, name, "type")
            _drop(self.options, kind, name, "path")
        if labels and all(labels):
            words.append("-l")
            for name in ("stdout", "stderr"):
                _drop(self.options, "output", name, "label")
        return words

    def _limits(self) -> list[str]:
        limits = self.options.get("rlimit")
        if not isinstance(limits, Mapping) or not limits:
            return []
        if not all(values.is_limit(name, value) for name, value in limits.items()):
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
            if isinstance(number, int) and 0 < number < 10000 and _is_number(left) and left > 0:
                words.append(f"--signal={number}@{time_text(left)}")
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


_STREAMS = (
    ("input", "stdin", "--input"),
    ("output", "stdout", "--output"),
    ("output", "stderr", "--error"),
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = re.compile(r"[A-Za-z0-9_./+:\[\](),-]*|[^\x00-\x7f][\w.-]*")


def dependency_text(entry: object) -> str | None:
    """The RFC 26 URI of a dependency or of a task map, or None where none says all of it."""
    if not isinstance(entry, Mapping):
        return None
    scheme, value = entry.get("scheme"), entry.get("value")
    if not isinstance(scheme, str) or not isinstance(value, str):
        return None
    further = {key: inner for key, inner in entry.items() if key not in ("scheme", "value")}
    text = f"{scheme}:{value}"
    if further:
        text += "?" + "&".join(f"{key}={inner}" for key, inner in further.items())
    return text if values.uri(text) == entry and text.isprintable() else None


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
    elif isinstance(value, str) and value.isprintable() and values.json_value(value) == value:
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


def _is_number(value: object) -> bool:
    """Whether a value is a number of seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and math.isfinite(value)


def _copied(value: Any) -> Any:
    """Dictionaries copied all the way down, so that parts can be taken out."""
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return value


def _drop(tree: dict[Any, Any], *path: str) -> None:
    """Take out what stands at a path, and what is empty after that."""
    inner = tree.get(path[0])
    if len(path) == 1 or not isinstance(inner, dict):
        tree.pop(path[0], None)
        return
    _drop(inner, *path[1:])
    if not inner:
        del tree[path[0]]
