"""The options of Flux's job shell (flux-shell-options(7) of flux-core 0.88), and what they take.

RFC 14 leaves the options to the shell and its plugins, so that any other may be one too.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from fluxtui.notation import duration
from fluxtui.notation.problem import Problem, is_digits, nearest, printable
from fluxtui.notation.settings import Known, Setting

RULE = "flux-core"

# Unknown options of a text that a suggestion is looked for.
_MAX_HINTS = 3

_ON = ("1", "yes")
_AFFINITY = (
    ("per-task", "each task gets its own part"),
    ("on", "each task gets all that the job has on the node"),
    ("off", "tasks are not bound"),
    ("map:", "one entry for each task, such as map:0-1;2-3"),
)
_STREAM = (("file", "a file"), ("kvs", "Flux keeps it"), ("term", "the terminal"))

#: The numbers of Linux signals by their names without SIG.
SIGNALS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9,
    "USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16,
    "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
    "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27, "WINCH": 28, "IO": 29, "PWR": 30, "SYS": 31,
}  # fmt: skip

OPTIONS: Final[dict[str, Known]] = {
    "cpu-affinity": Known("bind tasks to cores", _AFFINITY),
    "gpu-affinity": Known("which gpus a task sees", _AFFINITY),
    "mpi": Known("which MPI to set up", (("none", "none"), ("spectrum", "Spectrum MPI"))),
    "pmi": Known("how tasks find each other", (("simple", "the usual"), ("off", "not at all"))),
    "verbose": Known("how much the shell logs", (("1", "what it does"), ("2", "in detail"))),
    "exit-timeout": Known(
        "how long others may run once a task has ended", (("none", "no limit"), ("5m", "5 minutes"))
    ),
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
    "output.stdout.buffer.type": Known(
        "when output is passed on", (("line", "by line"), ("none", "at once"))
    ),
    "output.stderr.buffer.type": Known(
        "when errors are passed on", (("line", "by line"), ("none", "at once"))
    ),
    "output.mode": Known(
        "files that are there already", (("truncate", "start anew"), ("append", "go on"))
    ),
    "output.limit": Known("the most that Flux keeps", (("50M", "50 megabytes"),)),
    "output.batch-timeout": Known("how long output is gathered", (("0.5s", "half a second"),)),
    "input.stdin.type": Known("where the input comes from", (("file", "a file"),)),
    "input.stdin.path": Known("the file of the input"),
    "input.limit": Known("the most that is read", (("1M", "1 megabyte"),)),
    "input.batch-timeout": Known("how long input is gathered", (("0.5s", "half a second"),)),
    "per-resource.type": Known(
        "tasks by resource, not by slot", (("node", "on each node"), ("core", "on each core"))
    ),
    "per-resource.count": Known("so many tasks for each resource", (("1", "one"), ("2", "two"))),
    "taskmap.scheme": Known(
        "which node each task is on",
        (
            ("block", "fill one node before the next"),
            ("cyclic", "one to each node in turn"),
            ("hostfile", "by a file"),
            ("manual", "by a map"),
        ),
    ),
    "taskmap.value": Known("what the scheme of the taskmap needs"),
    "signal.signum": Known("a signal before the time is over", (("10", "SIGUSR1"), ("15", "TERM"))),
    "signal.timeleft": Known("how long before it", (("60", "a minute"),)),
    "rlimit.core": Known("the largest core file", (("-1", "any"), ("0", "none"))),
    "rlimit.nofile": Known("how many files may be open"),
    "rlimit.stack": Known("the largest stack", (("-1", "any"),)),
    "env-expand": Known("variables in which Flux fills in {{...}}"),
    "oom.adjust": Known("who is ended first when memory is short", (("500", "rather this job"),)),
    "stage-in": Known("copy files of flux archive to the nodes", (_ON,)),
    "stage-in.names": Known("the archives", (("main", "the usual one"),)),
    "stage-in.pattern": Known("the files of them"),
    "stage-in.destination": Known("where they go"),
    "hwloc.xmlfile": Known("describe the node in a file", (_ON,)),
    "hwloc.restrict": Known("but only what the job has", (_ON,)),
    "sysmon": Known("report memory and load at the end", (_ON,)),
    "sysmon.period": Known("how often to look", (("5s", "every 5 seconds"),)),
    "nosetpgrp": Known("keep tasks in the shell's process group", (_ON,)),
    "userrc": Known("a file of Lua that the shell reads too"),
    "initrc": Known("a file of Lua in place of the system's"),
    "stop-tasks-in-exec": Known("stop each task for a debugger", (_ON,)),
    "coprocess": Known("programs that run beside the job"),
    "coprocess-kill-timeout": Known("how long these have to end", (("10s", "10 seconds"),)),
    "pmi-simple.nomap": Known("do not give tasks the map of nodes", (_ON,)),
    "pmi-simple.exchange.k": Known("the width of the exchange tree", (("2", "two"),)),
    "rexec-shutdown-timeout": Known("how long helpers have to end", (("60s", "60 seconds"),)),
}

# Options that are groups of others, and one of these.
_GROUPS: Final = {
    "taskmap": "taskmap.scheme=cyclic",
    "per-resource": "per-resource.type=node",
    "output": "output.mode=append",
    "input": "input.limit=1M",
    "rlimit": "rlimit.core=0",
    "env-expand": "env-expand.NAME={{tmpdir}}",
    "pmi-simple": "pmi-simple.nomap=1",
}

#: The first words of the options.
_TOP = tuple(dict.fromkeys(name.partition(".")[0] for name in OPTIONS))


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _period(value: Any) -> bool:
    if isinstance(value, str):
        return duration.parse(value).ok
    return isinstance(value, int | float) and not isinstance(value, bool)


def _affinity(value: Any) -> bool:
    """What cpu-affinity takes: one of the words behind verbose and dry-run."""
    if not isinstance(value, str):
        return False
    words = value.split(",")
    while words and words[0] in ("verbose", "dry-run"):
        words.pop(0)
    rest = ",".join(words)
    return rest in ("", "on", "off", "per-task") or rest.startswith("map:")


# What an option takes, that in words, and examples; the shell ends the job over other values.
_TAKES: Final[dict[str, tuple[Callable[[Any], bool], str, tuple[str, ...]]]] = {
    "verbose": (_whole, "a whole number", ("1", "2")),
    "exit-timeout": (
        lambda value: value == "none" or _period(value),
        "a duration or none",
        ("5m", "none"),
    ),
    "cpu-affinity": (_affinity, "on, off, per-task or map:LIST", ("per-task", "off")),
    "gpu-affinity": (_affinity, "on, off, per-task or map:LIST", ("per-task", "off")),
    "mpi": (lambda value: isinstance(value, str), "a word", ("none",)),
    "pmi": (lambda value: isinstance(value, str), "a list of words", ("simple", "off")),
    "output.mode": (
        lambda value: value in ("truncate", "append"),
        "truncate or append",
        ("truncate", "append"),
    ),
    "per-resource.count": (
        lambda value: _whole(value) and value > 0,
        "a whole number of 1 or more",
        ("1",),
    ),
    "per-resource.type": (
        lambda value: value in ("node", "core"),
        "node or core",
        ("node", "core"),
    ),
    "taskmap.scheme": (lambda value: isinstance(value, str), "a word", ("block", "cyclic")),
    "signal.signum": (_whole, "the number of a signal", ("10",)),
    "signal.timeleft": (_period, "a duration", ("60",)),
}


def odd(entries: Iterable[Setting]) -> Iterator[Problem]:
    """What is odd about options; warnings, for RFC 14 takes any."""
    unknown = 0
    for entry in entries:
        yield from _odd_value(entry)
        first = entry.path[0]
        if first in _TOP or len(first) < 4 or unknown >= _MAX_HINTS:
            continue
        unknown += 1
        if near := nearest(first, _TOP):
            message = f"flux-core has no shell option '{printable(first)}'; did you mean {near}?"
            yield Problem(message, entry.key_span, None, (near,), RULE, "warning")


def _odd_value(entry: Setting) -> Iterator[Problem]:
    name = ".".join(entry.path)
    if name == "signal":
        yield from _odd_signal(entry)
    takes = _TAKES.get(name)
    if takes is not None and not takes[0](entry.value):
        _, words, expected = takes
        span = entry.value_span or entry.span
        yield Problem(f"{name} takes {words}", span, None, expected, RULE, "warning")
    if name in _GROUPS and not isinstance(entry.value, dict):
        message = f"{name} is a group of options, such as {_GROUPS[name]}"
        yield Problem(message, entry.span, None, (_GROUPS[name],), RULE, "warning")


def _odd_signal(entry: Setting) -> Iterator[Problem]:
    """What the shell's plugin makes of ``signal``: a dictionary, 0 for none, 1 for the usual one.

    It takes any other number for the usual signal too, and ends the job over all else.
    """
    value = entry.value
    if isinstance(value, dict) or (_whole(value) and value in (0, 1)):
        return
    wanted = _signal(str(value)) or "signal.signum=10 signal.timeleft=60"
    message = f"signal takes two options, {wanted}"
    if _whole(value):
        message = f"signal={value} sends SIGUSR1 a minute before the end, whatever the number"
    yield Problem(message, entry.span, None, (wanted,), RULE, "warning")


def _signal(text: str) -> str:
    """The options for ``SIGUSR1@60``, as of ``flux submit --signal``; "" for any other text."""
    name, _, time = text.strip().partition("@")
    number, left = signal_number(name.upper()), time.lower() or "60"
    if number is None or not duration.parse(left).ok:
        return ""
    return f"signal.signum={number} signal.timeleft={left}"


def signal_number(name: str) -> int | None:
    """The number of a signal that is named, with SIG before it or without, or numbered.

    A blank name is SIGUSR1, as in ``--signal=@60``. None where there is no such signal.
    """
    if is_digits(name) and len(name) < 5:
        return int(name) or None
    return SIGNALS.get((name or "USR1").removeprefix("SIG"))
