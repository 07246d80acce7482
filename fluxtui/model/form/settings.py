"""The notation of settings, ``KEY=VALUE`` with dotted keys: shell options and other attributes.

The options are those of Flux's job shell (flux-shell-options(7) of flux-core 0.88). RFC 14 leaves
them to the shell and its plugins, so any other option may be valid too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fluxtui.model.documents.document import steps
from fluxtui.model.form.field import (
    Context,
    Notation,
    Place,
    all_of,
    problems_at,
    remark,
    system,
    task,
)
from fluxtui.model.form.program import ENVIRONMENT
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.model.jobspec.request import CANONICAL
from fluxtui.notation import duration, settings
from fluxtui.notation.problem import (
    Completion,
    Parsed,
    Problem,
    Span,
    counted,
    is_digits,
    nearest,
    printable,
)
from fluxtui.notation.settings import Known, Setting


@dataclass(frozen=True, slots=True)
class _Settings(Notation):
    """A dictionary written as settings.

    noun   the noun for one entry
    known  keys offered by completion
    check  yields problems with a text and its settings; may change their value in place
    legal  whether a dictionary is legal by RFC 14
    """

    noun: str = "setting"
    known: Mapping[str, Known] = field(default_factory=dict)
    check: Callable[[str, settings.Settings], Iterable[Problem]] = lambda text, found: ()
    legal: Callable[[dict[str, Any]], bool] = lambda value: True

    def read(self, text: str, context: Context) -> Parsed[Any]:
        parsed = settings.parse(text)
        if parsed.value is None or not parsed.ok:
            return Parsed(MISSING, parsed.problems)
        return Parsed(parsed.value, (*parsed.problems, *self.check(text, parsed)))

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, dict) and self.legal(value)

    def write(self, value: Any) -> str:
        return settings.format(value)

    def describe(self, value: Any, context: Context) -> str:
        return counted(len(value), self.noun) if value else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        return settings.completions(text, cursor, self.known)


SETTINGS: Final = _Settings()


def _located(
    text: str, found: settings.Settings, place: Place, document: dict[str, Any]
) -> Iterator[Problem]:
    """Yield the problems of a part of a document with the spans of the settings concerned."""
    for problem in problems_at(place, document):
        inner = tuple(map(str, steps((problem.path or "")[len(place.path) :])))
        span = found.place(inner) if inner else None
        expected = problem.expected
        for entry in found.entries if "a string" in expected else ():
            if entry.path == inner and isinstance(entry.value, int | float) and entry.value_span:
                key, value = (text[slice(*part)] for part in (entry.key_span, entry.value_span))
                expected = (f'{key}="{value}"',)
        yield replace(problem, span=span or all_of(text), expected=expected)


# The attributes of a task


def _check_task_settings(text: str, found: settings.Settings) -> Iterator[Problem]:
    """Check the attributes of a task by RFC 14; numeric values of variables become strings."""
    value = found.value or {}
    for entry in found.entries:
        if len(entry.path) != 2 or entry.path[0] != "environment":
            continue
        if entry.value_span is None:
            name = text[slice(*entry.key_span)]
            message = f"a variable needs a value; {name} has none"
            yield Problem(message, entry.key_span, None, (f"{name}=value",), "RFC 14")
            value["environment"][entry.path[1]] = ""
        elif isinstance(entry.value, int | float):
            value["environment"][entry.path[1]] = text[slice(*entry.value_span)]
    yield from _located(text, found, task("attributes"), {"tasks": [{"attributes": value}]})
    message = "flux-core ignores the attributes of a task"
    if any(isinstance(held, dict | list) for held in value.values()):
        message += ", and Fluxion refuses a job that has lists or dictionaries in them"
    if value:
        yield remark(message, text, rule="flux-core")


TASK_SETTINGS: Final = _Settings(
    known={"environment.NAME": Known("a variable of these tasks only")},
    check=_check_task_settings,
    legal=lambda value: ENVIRONMENT.is_legal(value.get("environment", {})),
)

# System attributes

#: System attributes that have a field of their own, with its label.
OWNED: Final[Mapping[tuple[str, ...], str]] = {
    ("duration",): "Duration", ("preemptible-after",): "Preemptible", ("cwd",): "Directory",
    ("environment",): "Environment", ("queue",): "Queue", ("bank",): "Bank",
    ("project",): "Project", ("dependencies",): "Dependencies", ("constraints",): "Constraints",
    ("job", "name"): "Job name", ("shell", "options"): "Shell options",
    ("files", "script"): "Script", ("batch", "script"): "Script",
}  # fmt: skip


def _check_system_settings(text: str, found: settings.Settings) -> Iterator[Problem]:
    """Report attributes that belong in a field of their own; check the others by RFC 14."""
    value = found.value or {}
    for keys, label in OWNED.items():
        if Place(keys).get(value) is not MISSING:
            span = found.place(keys) or all_of(text)
            message = f"{'.'.join(keys)} has a field of its own; type it at {label}"
            yield Problem(message, span, None, (label,), CANONICAL)
    yield from _located(text, found, system(), {"attributes": {"system": value}})


class _FurtherSystem(Place):
    """The system attributes that have no field of their own."""

    __slots__ = ()

    def get(self, document: Mapping[str, Any]) -> Any:
        """Return these attributes; MISSING if there are none."""
        attributes = super().get(document)
        if not isinstance(attributes, Mapping):
            return attributes
        for keys in OWNED:
            attributes = Place(keys, drop=1).put(attributes, MISSING)
        return attributes or MISSING

    def changed(self, document: Mapping[str, Any], value: Any) -> dict[str, Any]:
        """Return the document with these attributes; those with a field of their own are kept."""
        current = super().get(document)
        if isinstance(current, Mapping) and (value is MISSING or isinstance(value, Mapping)):
            merged = dict(value) if isinstance(value, Mapping) else {}
            for keys in OWNED:
                part, around = Place(keys).get(current), Place(keys[:-1]).get(merged)
                if part is not MISSING and (around is MISSING or isinstance(around, Mapping)):
                    merged = Place(keys).put(merged, part)
            value = {key: merged[key] for key in (*current, *merged) if key in merged}
        return system().put(document, value)


FURTHER_SYSTEM: Final = _FurtherSystem(system().steps)
SYSTEM_SETTINGS: Final = _Settings(
    known={
        "job.note": Known("anything to find the job by; strings only"),
        "exec.test.run_duration": Known("only pretend to run, this long", (("1s", "a second"),)),
        "alloc-bypass.R": Known("resources to take without asking the scheduler"),
    },
    check=_check_system_settings,
)

# The options of the job shell

_ON = ("1", "yes")
_AFFINITY = (
    ("per-task", "each task gets its own part"),
    ("on", "each task gets all that the job has on the node"),
    ("off", "tasks are not bound"),
    ("map:", "one entry for each task, such as map:0-1;2-3"),
)
_BUFFER = (("line", "by line"), ("none", "at once"))
_SCHEMES = (
    ("block", "fill one node before the next"),
    ("cyclic", "one to each node in turn"),
    ("hostfile", "by a file"),
    ("manual", "by a map"),
)
_STREAM = (("file", "a file"), ("kvs", "Flux keeps it"), ("term", "the terminal"))

# The numbers of Linux signals by their names without SIG.
_SIGNALS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9,
    "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16,
    "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
    "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27, "WINCH": 28, "IO": 29, "PWR": 30, "SYS": 31,
}  # fmt: skip

_OPTIONS: Final[dict[str, Known]] = {
    "cpu-affinity": Known("bind tasks to cores", _AFFINITY),
    "gpu-affinity": Known("which gpus a task sees", _AFFINITY),
    "mpi": Known("which MPI to set up", (("none", "none"), ("spectrum", "Spectrum MPI"))),
    "pmi": Known("how tasks find each other", (("simple", "the usual"), ("off", "not at all"))),
    "verbose": Known("how much the shell logs", (("1", "what it does"), ("2", "in detail"))),
    "exit-timeout": Known("how long others may run once a task has ended",
                           (("none", "no limit"), ("5m", "5 minutes"))),
    "exit-on-error": Known("end the job once a task fails", (_ON,)),
    "pty": Known("give each task a terminal", (_ON,)),
    "pty.interactive": Known("a terminal for flux job attach", (_ON,)),
    "pty.ranks": Known("the tasks that get a terminal", (("all", "all tasks"), ("0", "the first"))),
    "pty.capture": Known("keep what is written to the terminal", (_ON,)),
    "output.stdout.type": Known("where the output goes", _STREAM),
    "output.stdout.path": Known("the file of the output", (("flux-{{id}}.out", "by job"),)),
    "output.stderr.type": Known("where errors go", _STREAM),
    "output.stderr.path": Known("the file of the errors", (("flux-{{id}}.err", "by job"),)),
    "output.stdout.label": Known("put the task's number before each line", (("true", "yes"),)),
    "output.stderr.label": Known("put the task's number before each line", (("true", "yes"),)),
    "output.stdout.buffer.type": Known("when output is passed on", _BUFFER),
    "output.stderr.buffer.type": Known("when errors are passed on", _BUFFER),
    "output.mode": Known("what to do with existing files",
                           (("truncate", "overwrite"), ("append", "append"))),
    "output.limit": Known("the most that Flux keeps", (("50M", "50 megabytes"),)),
    "output.batch-timeout": Known("how long output is gathered", (("0.5s", "half a second"),)),
    "input.stdin.type": Known("where the input comes from", (("file", "a file"),)),
    "input.stdin.path": Known("the file of the input"),
    "input.limit": Known("the most that is read", (("1M", "1 megabyte"),)),
    "input.batch-timeout": Known("how long input is gathered", (("0.5s", "half a second"),)),
    "per-resource.type": Known("tasks by resource, not by slot",
                           (("node", "on each node"), ("core", "on each core"))),
    "per-resource.count": Known("how many tasks per resource", (("1", "one"), ("2", "two"))),
    "taskmap.scheme": Known("which node each task is on", _SCHEMES),
    "taskmap.value": Known("what the scheme of the taskmap needs"),
    "signal.signum": Known("a signal before the time is up", (("10", "SIGUSR1"), ("15", "TERM"))),
    "signal.timeleft": Known("how long before it", (("60", "a minute"),)),
    "rlimit.core": Known("the largest core file", (("-1", "any"), ("0", "none"))),
    "rlimit.nofile": Known("how many files may be open"),
    "rlimit.stack": Known("the largest stack", (("-1", "any"),)),
    "env-expand": Known("variables in which Flux fills in {{...}}"),
    "oom.adjust": Known("what to kill first when memory runs out", (("500", "this job sooner"),)),
    "stage-in": Known("copy files of flux archive to the nodes", (_ON,)),
    "stage-in.names": Known("which archives", (("main", "the usual one"),)),
    "stage-in.pattern": Known("which of their files"),
    "stage-in.destination": Known("where to put them"),
    "hwloc.xmlfile": Known("describe the node in a file", (_ON,)),
    "hwloc.restrict": Known("but only what the job has", (_ON,)),
    "sysmon": Known("report memory and load at the end", (_ON,)),
    "sysmon.period": Known("how often to measure", (("5s", "every 5 seconds"),)),
    "nosetpgrp": Known("keep tasks in the shell's process group", (_ON,)),
    "userrc": Known("a Lua file that the shell reads too"),
    "initrc": Known("a Lua file in place of the system's"),
    "stop-tasks-in-exec": Known("stop each task for a debugger", (_ON,)),
    "coprocess": Known("programs that run beside the job"),
    "coprocess-kill-timeout": Known("how long they have to end", (("10s", "10 seconds"),)),
    "pmi-simple.nomap": Known("do not give tasks the map of nodes", (_ON,)),
    "pmi-simple.exchange.k": Known("the width of the exchange tree", (("2", "two"),)),
    "rexec-shutdown-timeout": Known("how long helpers have to end", (("60s", "60 seconds"),)),
}  # fmt: skip

# Groups of options, each with an example.
_GROUPS: Final = {
    "taskmap": "taskmap.scheme=cyclic",
    "per-resource": "per-resource.type=node",
    "output": "output.mode=append",
    "input": "input.limit=1M",
    "rlimit": "rlimit.core=0",
    "env-expand": "env-expand.NAME={{tmpdir}}",
    "pmi-simple": "pmi-simple.nomap=1",
}

# The first components of the options.
_TOP = tuple(dict.fromkeys(name.partition(".")[0] for name in _OPTIONS))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_period(value: Any) -> bool:
    if isinstance(value, str):
        return duration.parse(value).ok
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_affinity(value: Any) -> bool:
    """Whether cpu-affinity takes a value: one of the modes after any verbose and dry-run."""
    if not isinstance(value, str):
        return False
    rest = re.sub(r"\A(?:(?:verbose|dry-run)(?:,|\Z))*", "", value)
    return rest in ("", "on", "off", "per-task") or rest.startswith("map:")


_AFFINITIES = (_is_affinity, "on, off, per-task or map:LIST", ("per-task", "off"))

# Tests of an option's value, with a description and examples; the shell fails on other values.
_TAKES: Final[dict[str, tuple[Callable[[Any], bool], str, tuple[str, ...]]]] = {
    "verbose": (_is_whole, "a whole number", ("1", "2")),
    "exit-timeout": (lambda v: v == "none" or _is_period(v), "a duration or none", ("5m", "none")),
    "cpu-affinity": _AFFINITIES,
    "gpu-affinity": _AFFINITIES,
    "mpi": (lambda v: isinstance(v, str), "a word", ("none",)),
    "pmi": (lambda v: isinstance(v, str), "a list of words", ("simple", "off")),
    "output.mode": (
        lambda v: v in ("truncate", "append"), "truncate or append", ("truncate", "append")
    ),
    "per-resource.count": (
        lambda v: _is_whole(v) and v > 0, "a whole number of 1 or more", ("1",)
    ),
    "per-resource.type": (lambda v: v in ("node", "core"), "node or core", ("node", "core")),
    "taskmap.scheme": (lambda v: isinstance(v, str), "a word", ("block", "cyclic")),
    "signal.signum": (_is_whole, "the number of a signal", ("10",)),
    "signal.timeleft": (_is_period, "a duration", ("60",)),
}  # fmt: skip


def _check_shell_options(text: str, found: settings.Settings) -> Iterator[Problem]:
    """Warn about options and values flux-core does not accept; RFC 14 allows any."""
    unknown = 0
    for entry in found.entries:
        for message, span, expected in _check_value(entry):
            yield Problem(message, span, None, expected, "flux-core", "warning")
        first = entry.path[0]
        if first in _TOP or len(first) < 4 or unknown >= 3:
            continue
        unknown += 1
        if near := nearest(first, _TOP):
            message = f"flux-core has no shell option '{printable(first)}'; did you mean {near}?"
            yield Problem(message, entry.key_span, None, (near,), "flux-core", "warning")


def _check_value(entry: Setting) -> Iterator[tuple[str, Span, tuple[str, ...]]]:
    """Yield what is wrong with the value of an option, its span, and what is expected."""
    name, value = ".".join(entry.path), entry.value
    if name == "signal" and not (isinstance(value, dict) or (_is_whole(value) and value in (0, 1))):
        # The shell takes a dictionary, 0 for no signal and any other number for the default one;
        # with any other value it fails the job.
        wanted = _signal_options(str(value)) or "signal.signum=10 signal.timeleft=60"
        message = f"signal takes two options, {wanted}"
        if _is_whole(value):
            message = f"signal={value} sends SIGUSR1 a minute before the end, whatever the number"
        yield message, entry.span, (wanted,)
    if name in _TAKES:
        is_taken, words, expected = _TAKES[name]
        if not is_taken(value):
            yield f"{name} takes {words}", entry.value_span or entry.span, expected
    if name in _GROUPS and not isinstance(value, dict):
        example = _GROUPS[name]
        yield f"{name} is a group of options, such as {example}", entry.span, (example,)


def _signal_options(text: str) -> str:
    """Return the options for ``SIGUSR1@60`` as in ``flux submit --signal``; "" if malformed."""
    name, _, time = text.strip().partition("@")
    number, left = signal_number(name.upper()), time.lower() or "60"
    if number is None or not duration.parse(left).ok:
        return ""
    return f"signal.signum={number} signal.timeleft={left}"


def signal_number(name: str) -> int | None:
    """Return the number of a signal, given by number or by name with or without SIG.

    An empty name is SIGUSR1, as in ``--signal=@60``. None if there is no such signal.
    """
    if is_digits(name) and len(name) < 5:
        return int(name) or None
    return _SIGNALS.get((name or "USR1").removeprefix("SIG"))


SHELL_OPTIONS: Final = _Settings("option", _OPTIONS, _check_shell_options)
