"""The fields whose value is a string: name, queue, bank, project, directory, distribution."""

from collections.abc import Callable, Mapping
from posixpath import normpath
from typing import Any

from fluxtui.model.form.field import (
    MISSING,
    NOWHERE,
    Complete,
    Context,
    Describe,
    Field,
    offers,
    read_string,
    remark,
    without_completions,
    write_string,
    wrong,
)
from fluxtui.model.form.place import Place, system, task
from fluxtui.notation.problem import Completion, Parsed, Problem, nearest, printable

#: What is odd about a string, as it is typed.
Check = Callable[[str, str, Context], tuple[Problem, ...]]


def _nothing(value: Any, context: Context = NOWHERE) -> str:
    """There is nothing to say."""
    return ""


def _string(
    name: str,
    label: str,
    group: str,
    hint: str,
    help: str,
    place: Place,
    path: str,
    check: Check | None = None,
    describe: Describe = _nothing,
    complete: Complete = without_completions,
) -> Field:
    """A field of a string."""

    def read(text: str, context: Context) -> Parsed[Any]:
        value = read_string(text)
        if value is MISSING or check is None:
            return Parsed(value)
        return Parsed(value, check(text, value, context))

    return Field(
        name,
        label,
        group,
        hint,
        help,
        path,
        read,
        write_string,
        describe,
        complete,
        place.get,
        place.put,
    )


_QUEUE = "attributes.system.queue"


def queues(context: Context) -> Mapping[str, str]:
    """The queues that are known, each with a word."""
    known = context.queues
    return known if isinstance(known, Mapping) else dict.fromkeys(known, "a queue")


def _known_queue(text: str, value: str, context: Context) -> tuple[Problem, ...]:
    known = queues(context)
    if not known or value in known:
        return ()
    near = nearest(value, known)
    hint = f"; did you mean {near}?" if near else ""
    message = f"there is no queue '{printable(value[:60])}'{hint}"
    expected = (near,) if near else tuple(known)[:10]
    return (remark(message, text, _QUEUE, *expected, rule="RFC 33"),)


def _complete_queue(text: str, cursor: int, context: Context) -> list[Completion]:
    return offers(text, cursor, queues(context))


def _complete_bank(text: str, cursor: int, context: Context) -> list[Completion]:
    return offers(text, cursor, dict.fromkeys(context.banks, "a bank"))


def _complete_name(text: str, cursor: int, context: Context) -> list[Completion]:
    command = task("command").get(context.document)
    first = command[0] if isinstance(command, list) and command else ""
    program = first.rpartition("/")[2] if isinstance(first, str) else ""
    return offers(text, cursor, {program: "the program's name"} if program else {})


_DISTRIBUTION = "tasks[0].distribution"

_DISTRIBUTIONS = {
    "block": "fill one node before the next",
    "cyclic": "one task to each node in turn",
}


def _unused(text: str, value: str, context: Context) -> tuple[Problem, ...]:
    word = value if value in _DISTRIBUTIONS else "cyclic"
    advice = f"taskmap.scheme={word}"
    message = f"flux-core takes no notice of it; type {advice} at Shell options"
    return (remark(message, text, _DISTRIBUTION, advice, rule="flux-core"),)


def _complete_distribution(text: str, cursor: int, context: Context) -> list[Completion]:
    return offers(text, cursor, _DISTRIBUTIONS)


_CWD = "attributes.system.cwd"


def _read_cwd(text: str, context: Context) -> Parsed[Any]:
    """An absolute path; ``.`` and ``~`` lead to one."""
    value = read_string(text)
    if value is MISSING:
        return Parsed(MISSING)
    head, _, rest = value.partition("/")
    start = {".": context.cwd, "~": context.environ.get("HOME", "")}.get(head)
    if start is None:
        if value.startswith("/"):
            return Parsed(value)
        message = "the directory of a job is a path from the root; it begins with '/'"
        known = context.cwd.startswith("/") and not value.startswith("~")
        meant = normpath(f"{context.cwd}/{value}") if known else "/..."
        return wrong(message, text, _CWD, meant)
    if not start.startswith("/"):
        what = "the directory you are in" if head == "." else "your home directory"
        return wrong(f"{what} is not known; type a path that begins with '/'", text, _CWD, "/")
    return Parsed(f"{start.rstrip('/')}/{rest.lstrip('/')}" if rest else start)


def _write_cwd(value: Any) -> str:
    if isinstance(value, str) and not value.startswith("/"):
        raise ValueError("not an absolute path")
    return write_string(value)


def _complete_cwd(text: str, cursor: int, context: Context) -> list[Completion]:
    choices = {}
    if context.cwd:
        choices = {".": f"where you are: {printable(context.cwd)}"}
        choices[context.cwd] = "the directory you are in"
    home = context.environ.get("HOME")
    if home:
        choices.setdefault(home, "your home directory")
    return offers(text, cursor, {write_string(word): what for word, what in choices.items()})


NAME = _string(
    "job-name",
    "Job name",
    "Task",
    "my run · blank: the program's name",
    "What the job is called in lists such as that of flux jobs. It need not be unique.",
    system("job", "name", drop=1),
    "attributes.system.job.name",
    complete=_complete_name,
)
QUEUE = _string(
    "queue",
    "Queue",
    "Where",
    "batch · blank: the default queue",
    "The queue the job is sent to. Queues have their own nodes, limits and default durations.",
    system("queue"),
    _QUEUE,
    _known_queue,
    complete=_complete_queue,
)
BANK = _string(
    "bank",
    "Bank",
    "Where",
    "physics · blank: your default bank",
    "The account that the job is charged to, where the cluster keeps accounts.",
    system("bank"),
    "attributes.system.bank",
    complete=_complete_bank,
)
PROJECT = _string(
    "project",
    "Project",
    "Where",
    "weather · blank: none",
    "The project that the job is done for, where the cluster keeps accounts.",
    system("project"),
    "attributes.system.project",
)
DISTRIBUTION = _string(
    "distribution",
    "Distribution",
    "Task",
    "cyclic · blank: left to Flux",
    "How the tasks are laid out among their slots: a hint for the launcher (RFC 14).",
    task("distribution"),
    _DISTRIBUTION,
    _unused,
    complete=_complete_distribution,
)
CWD = _string(
    "cwd",
    "Directory",
    "Environment",
    "/home/me/run · . is where you are now · blank: left to Flux",
    "The directory the tasks start in, from the root. It has to be there on the nodes of the job.",
    system("cwd"),
    _CWD,
    complete=_complete_cwd,
)._replace(read=_read_cwd, write=_write_cwd)
