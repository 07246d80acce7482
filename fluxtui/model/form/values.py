"""Notations of single values: strings, directories, slots, counts, seconds and constraints."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from posixpath import normpath
from typing import Any, Final

from fluxtui.model.constraint import completion, requires, tree
from fluxtui.model.documents.report import Report
from fluxtui.model.form.field import (
    Context,
    Notation,
    all_of,
    begun,
    offers,
    problems_at,
    read_json,
    read_string,
    remark,
    system,
    task,
    write_string,
    wrong,
)
from fluxtui.model.jobspec.jobspec import MISSING, V1, check_v1_program
from fluxtui.model.jobspec.request import (
    CANONICAL,
    RequestVertex,
    ResourceRequest,
    count_words,
    parse,
)
from fluxtui.notation import duration
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.json_value import identical, is_whole
from fluxtui.notation.problem import (
    MAX_LENGTH,
    Completion,
    Parsed,
    Problem,
    counted,
    did_you_mean,
    is_printable,
    nearest,
    printable,
    shortened,
)
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint

# Strings


@dataclass(frozen=True, slots=True)
class _String(Notation):
    """A string, in double quotes where it needs them.

    choices  the words offered by completion, each with its meaning
    check    returns the problems of a text and of the string it means
    """

    choices: Callable[[Context], Mapping[str, str]] = lambda context: {}
    check: Callable[[str, str, Context], tuple[Problem, ...]] = lambda text, value, context: ()

    def read(self, text: str, context: Context) -> Parsed[Any]:
        value = read_string(text)
        return Parsed(value, self.check(text, value, context))

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, str)

    def write(self, value: Any) -> str:
        return write_string(value)

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        return offers(*begun(text, cursor), self.choices(context))


def _unknown_queue(text: str, value: str, context: Context) -> tuple[Problem, ...]:
    known = context.queues
    if not known or value in known:
        return ()
    near = nearest(value, known)
    message = f"there is no queue '{shortened(value)}'{did_you_mean(near)}"
    expected = (near,) if near else known[:10]
    return (remark(message, text, *expected, rule="RFC 33"),)


def _program_name(context: Context) -> Mapping[str, str]:
    command = task("command").get(context.document)
    first = command[0] if isinstance(command, list) and command else ""
    program = first.rpartition("/")[2] if isinstance(first, str) else ""
    return {program: "the program's name"} if program else {}


_DISTRIBUTIONS = {
    "block": "fill one node before the next",
    "cyclic": "one task to each node in turn",
}


def _unused_distribution(text: str, value: str, context: Context) -> tuple[Problem, ...]:
    advice = f"taskmap.scheme={value if value in _DISTRIBUTIONS else 'cyclic'}"
    message = f"flux-core ignores this; type {advice} at Shell options"
    return (remark(message, text, advice, rule="flux-core"),)


STRING: Final = _String()
QUEUE: Final = _String(lambda context: dict.fromkeys(context.queues, "a queue"), _unknown_queue)
JOB_NAME: Final = _String(_program_name)
DISTRIBUTION: Final = _String(lambda context: _DISTRIBUTIONS, _unused_distribution)


class _Directory(_String):
    """An absolute path; ``.`` and ``~`` are expanded."""

    def read(self, text: str, context: Context) -> Parsed[Any]:
        value = read_string(text)
        head, _, rest = value.partition("/")
        start = {".": context.cwd, "~": context.environ.get("HOME", "")}.get(head)
        if start is None:
            if value.startswith("/"):
                return Parsed(value)
            message = "the directory of a job is a path from the root; it begins with '/'"
            known = context.cwd.startswith("/") and not value.startswith("~")
            return wrong(message, text, normpath(f"{context.cwd}/{value}") if known else "/...")
        if not start.startswith("/"):
            what = "the directory you are in" if head == "." else "your home directory"
            return wrong(f"{what} is not known; type a path that begins with '/'", text, "/")
        return Parsed(f"{start.rstrip('/')}/{rest.lstrip('/')}" if rest else start)

    def is_legal(self, value: Any) -> bool:
        return isinstance(value, str) and value.startswith("/")


def _directories(context: Context) -> Mapping[str, str]:
    choices = {}
    if context.cwd:
        choices = {".": f"where you are: {printable(context.cwd)}"}
        choices[context.cwd] = "the directory you are in"
    if home := context.environ.get("HOME"):
        choices.setdefault(home, "your home directory")
    return {write_string(word): meaning for word, meaning in choices.items()}


DIRECTORY: Final = _Directory(_directories)

# Slots and counts of tasks (RFC 14)

_SLOT, _COUNT = task("slot"), task("count")


def _request(context: Context) -> ResourceRequest:
    return parse(context.document.get("resources"))


class _Slot(_String):
    """The label of a slot in the resources."""

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        labels = _request(context).labels or ["default"]
        return wrong("a task runs in a slot; type its label", text, *labels)

    def describe(self, value: Any, context: Context) -> str:
        return _in_slots(_request(context).slot(value))


def _unknown_slot(text: str, value: str, context: Context) -> tuple[Problem, ...]:
    request = _request(context)
    if not request.raw:
        return ()
    problems = problems_at(_SLOT, _SLOT.put(context.document, value), request)
    return tuple(replace(problem, span=all_of(text)) for problem in problems)


def _slots(context: Context) -> Mapping[str, str]:
    slots = _request(context).by_label.items()
    return {write_string(label): _in_slots(slot) or "a slot" for label, slot in slots}


def _in_slots(slot: RequestVertex | None) -> str:
    """Describe a slot: ``8 slots of core ×2, memory ×4 GB``; the number only if it is fixed."""
    parts = []
    for vertex in slot.children if slot is not None else ():
        if vertex.is_readable:
            kind, count = vertex.fields.get("type", "?"), vertex.fields.get("count", 1)
            unit = vertex.fields.get("unit")
            words = str(kind) if count == 1 and not unit else f"{kind} ×{count_words(count)}"
            parts.append(printable(f"{words} {unit}" if isinstance(unit, str) else words))
    if slot is None or not parts:
        return ""
    lead = "" if slot.total is None else f"{counted(slot.total, 'slot')} of "
    return f"{lead}{', '.join(parts)}"


SLOT: Final = _Slot(_slots, _unknown_slot)

# How people write counts: in all, per slot, per resource, or ``2 per NAME`` for either of these.
_TOTAL = re.compile(r"(?:total\s*[=:]?\s*)?(-?[0-9]{1,4300})(?:\s+(?:total|tasks?|in all))?")
_PER_SLOT = re.compile(r"per_slot\s*[=:]?\s*(-?[0-9]{1,4300})")
_PER_RESOURCE = re.compile(r"per_resource\s*=\s*([^\s=]+)\s*=\s*(-?[0-9]{1,4300})")
_PER = re.compile(
    r"(?:(-?[0-9]{1,4300})\s*)?(?:tasks?\s+)?"
    r"(?:(?:per|in each|in every|for each)\s+|/\s*)([A-Za-z][A-Za-z0-9_.-]*)"
)
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


class _Count(Notation):
    """``per_slot=N``, ``total=N``, ``per_resource=TYPE=N``, and free-form variants of these."""

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        return Parsed({"per_slot": 1})

    def read(self, text: str, context: Context) -> Parsed[Any]:
        word = text.strip()
        count: Any = _count(word)
        if word[0] == "{":
            parsed_json = read_json(text)
            if not parsed_json.ok:
                return parsed_json
            count = parsed_json.value
        elif count is None:
            message = f"'{shortened(word)}' does not say how many tasks there are"
            return wrong(message, text, "per_slot=1", "total=5", "per_resource=core=2")
        document, report = _COUNT.put(context.document, count), Report(V1)
        request = _request(context)
        check_v1_program(report, document, request)
        about = [p for p in report.problems if (p.path or "").startswith(_COUNT.path)]
        beyond = (replace(problem, severity="warning") for problem in about)
        named = (*problems_at(_COUNT, document, request), *beyond)
        problems = tuple(replace(problem, span=all_of(text)) for problem in named)
        if not self.is_legal(count):
            return Parsed(MISSING, problems)
        parsed = Parsed(count, problems)
        return Parsed(count, (*_refused_count(text, count), *problems)) if parsed.ok else parsed

    def is_legal(self, value: Any) -> bool:
        if not isinstance(value, dict) or len(value) != 1:
            return False
        ((key, number),) = value.items()
        if key == "per_resource" and isinstance(number, dict):
            return is_whole(number.get("count")) and isinstance(number.get("type"), str)
        return key in ("per_slot", "total") and is_whole(number)

    def write(self, value: Any) -> str:
        ((key, number),) = value.items()
        if key != "per_resource":
            return f"{key}={number}"
        if len(number) == 2 and _TYPE.fullmatch(number["type"]):
            return f"per_resource={number['type']}={number['count']}"
        return dump(value)  # the type cannot be written as a word

    def describe(self, value: Any, context: Context) -> str:
        ((key, count),) = value.items()
        if key == "per_resource":
            return f"{_tasks(count['count'])} for each {count['type']} of a slot"
        slot = _request(context).slot(_SLOT.get(context.document))
        slots = None if slot is None else slot.total
        if key == "total":
            return f"{_tasks(count)} in {'all' if slots is None else counted(slots, 'slot')}"
        every = f": {_tasks(count * slots)} in all" if slots else ""
        return f"{_tasks(count)} in each slot{every}"

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        choices = {"per_slot=1": "one task in each slot", "total=": "a number of tasks in all"}
        label = _SLOT.get(context.document)
        for slot in _request(context).slots():
            if slot.label is None or (label is not MISSING and slot.label != label):
                continue
            for vertex in slot.below():
                if vertex.type is not None and _TYPE.fullmatch(vertex.type):
                    meaning = f"one task for each {vertex.type} of a slot"
                    choices[f"per_resource={vertex.type}=1"] = meaning
        return offers(*begun(text, cursor), choices)


def _count(word: str) -> dict[str, Any] | None:
    if found := _PER_SLOT.fullmatch(word):
        return {"per_slot": int(found[1])}
    if found := _TOTAL.fullmatch(word):
        return {"total": int(found[1])}
    if found := _PER_RESOURCE.fullmatch(word):
        return {"per_resource": {"type": found[1], "count": int(found[2])}}
    if found := _PER.fullmatch(word):
        number = int(found[1] or 1)
        if found[2] in ("slot", "slots"):
            return {"per_slot": number}
        return {"per_resource": {"type": found[2], "count": number}}
    return None


def _refused_count(text: str, count: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Warn about a legal count that flux-core refuses, with what to type in its place."""
    message, advice = "flux-core runs one task in each slot; total=N sets another number", "total=N"
    if "per_resource" in count:
        kind, number = count["per_resource"]["type"], count["per_resource"]["count"]
        message = "flux-core refuses per_resource; total=N sets how many tasks there are"
        if kind in ("node", "core"):
            more = "" if number == 1 else f" per-resource.count={number}"
            advice = f"per-resource.type={kind}{more}"
            message = f"flux-core refuses per_resource; type {advice} at Shell options"
    elif count.get("per_slot", 1) == 1:
        return ()
    return (remark(message, text, advice, rule="flux-core"),)


def _tasks(number: int) -> str:
    if number.bit_length() > 100:  # Python limits the digits it writes
        return "very many tasks"
    return "one task" if number == 1 else f"{number:,} tasks"


COUNT: Final = _Count()

# Seconds


def is_time(value: object) -> bool:
    """Whether a value is a number of seconds by RFC 14: 0 or more, finite, and within a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < math.inf and (isinstance(value, float) or value.bit_length() < 1024)


def same_time(first: Any, second: Any) -> bool:
    """Whether two values are the same number of seconds, such as 3600 and 3600.0."""
    return is_time(first) and is_time(second) and bool(first == second)


class _Seconds(Notation):
    """A finite number of seconds, written as an RFC 23 duration."""

    #: Why it may not be infinite, and what to type instead.
    endless: tuple[str, str]

    def read(self, text: str, context: Context) -> Parsed[Any]:
        parsed = duration.parse(text.strip(), all_of(text).start)
        if parsed.value is not None:
            if math.isinf(parsed.value):
                return wrong(self.endless[0], text, self.endless[1])
            return Parsed(parsed.value)
        others = (tuple(word for word in p.expected if word != "inf") for p in parsed.problems)
        problems = zip(parsed.problems, others, strict=True)
        return Parsed(MISSING, tuple(replace(p, expected=words) for p, words in problems))

    def is_legal(self, value: Any) -> bool:
        return is_time(value)

    def write(self, value: Any) -> str:
        seconds = float(value)
        if seconds != value:
            raise ValueError("more digits than a number can hold")
        return duration.format(seconds)

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        start = min(len(text) - len(text.lstrip()), cursor)
        return [
            replace(offer, span=offer.span.moved(start))
            for offer in duration.completions(text[start:], cursor - start)
            if offer.text != "inf"
        ]


def _in_words(value: Any) -> str:
    """Describe seconds: ``1 hour 30 minutes = 5,400 s``; no equation if both sides are equal."""
    words = duration.describe(value)
    seconds = f"{value:,.15g}"
    return words if words.startswith(f"{seconds} second") else f"{words} = {seconds} s"


class _Duration(_Seconds):
    """The time limit of a job; 0 or a blank text leaves it to the queue (RFC 14)."""

    endless = "a jobspec cannot have an infinite duration; 0 sets no limit of its own", "0"

    def blank(self, text: str, context: Context) -> Parsed[Any]:
        return Parsed(0.0)

    def write(self, value: Any) -> str:
        text = super().write(value)
        return "" if text == "0" else text

    def describe(self, value: Any, context: Context) -> str:
        return _in_words(value) if value else "no limit of its own: the queue's default"


class _Preemptible(_Seconds):
    """The time after which a job may be preempted, which is shorter than its duration."""

    endless = "leave this blank if the job must never be preempted", "nothing"

    def read(self, text: str, context: Context) -> Parsed[Any]:
        parsed = super().read(text, context)
        limit = system("duration").get(context.document)
        if parsed.value is MISSING or not is_time(limit) or not 0 < limit <= parsed.value:
            return parsed
        message = f"the job ends after {duration.describe(limit)}, before it could be preempted"
        shorter = duration.format(float(limit) / 2)
        return Parsed(parsed.value, (remark(message, text, shorter, rule=CANONICAL),))

    def describe(self, value: Any, context: Context) -> str:
        return f"after {_in_words(value)}" if value else "from the start"


DURATION: Final = _Duration()
PREEMPTIBLE: Final = _Preemptible()

# Constraints


class _Constraint(Notation):
    """A query (RFC 35) or an object (RFC 31); if blank, the constraint bar applies."""

    def read(self, text: str, context: Context) -> Parsed[Any]:
        parsed = requires.read(text)
        # Legal property names are a matter of RFC 20, and no reason to reject a jobspec.
        problems = tuple(
            replace(p, severity="warning" if p.rule == "RFC 20" else p.severity)
            for p in parsed.problems
        )
        if any(problem.severity == "error" for problem in problems):
            return Parsed(MISSING, problems)
        if parsed.is_json:
            return Parsed(load(text), problems)
        return Parsed(to_constraint(parsed.tree) if parsed.tree is not None else MISSING, problems)

    def is_legal(self, value: Any) -> bool:
        problems = tree.read(value).problems
        return all(p.severity != "error" or p.rule == "RFC 20" for p in problems)

    def write(self, value: Any) -> str:
        text = from_constraint(value)
        if text and is_printable(text) and len(text) <= MAX_LENGTH:
            query = parse_query(text)
            if query.ok and query.tree is not None and identical(to_constraint(query.tree), value):
                return text
        return dump(value)  # no query expresses it

    def describe(self, value: Any, context: Context) -> str:
        return "every node" if value == {} else ""

    def complete(self, text: str, cursor: int, context: Context) -> list[Completion]:
        return completion.completions(text, cursor, context.names)


CONSTRAINT: Final = _Constraint()
