"""The verdicts on a jobspec: by RFC 14, by RFC 25 (V1), and whether flux-core accepts it.

No RFC says what flux-core accepts. The third verdict follows flux-core 0.88 at submission: its
``jobspec`` validator, which is stricter than RFC 14 and laxer than RFC 25, and what its job manager
requires of duration, queue and dependencies. Existing queues, limits, hosts and jobs are ignored.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fluxtui.model.constraint.tree import OPERATORS
from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import KEYS, V1
from fluxtui.model.jobspec.program import (
    TASK_KEYS,
    check_command,
    check_dependencies,
    task_attributes,
)
from fluxtui.model.jobspec.request import (
    MAX_INTEGER,
    MAX_LEVELS,
    MAX_PROBLEMS,
    ROOT,
    RequestVertex,
    ResourceRequest,
    parse,
)
from fluxtui.notation import count as counts
from fluxtui.notation import dependency, duration
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import (
    Problem,
    at,
    did_you_mean,
    nearest,
    printable,
    shortened,
)

RULE = "flux-core"

#: The dependency schemes built into flux-core; a site may add others.
SCHEMES = tuple(name for name, scheme in dependency.SCHEMES.items() if scheme.in_flux)

#: Characters that flux-core refuses in a property; RFC 20 forbids more.
ILLEGAL = "&'\"`|()"

_TASK_COUNTS = ("per_slot", "total", "per_resource")

# How many levels of lists and dictionaries can be sent.
_MAX_JSON_LEVELS = 980

# flux-core truncates larger ids to 32 bits.
_MAX_ID, _BITS, _MAX_DIGITS = 2**31 - 1, 2**32 - 1, 19
_MAX_HOSTS = 1 << 20

# flux-core has no room in memory for a later time.
_LATEST = 1e112

_BLANK = " \t\n\v\f\r"
_STRTOUL = re.compile(rf"[{_BLANK}]*\+?([0-9]+)")
_VERTEX = re.compile(r"resources(\[[0-9]+\](\.with\[[0-9]+\])*)?")


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict: whose it is, the problems, and warnings about what is legal but surprising.

    The first problem of ``flux-core`` is the one that flux-core itself would report.
    """

    name: str
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


class Verdicts(NamedTuple):
    """All verdicts on a jobspec, in display order."""

    canonical: Ruling
    v1: Ruling
    flux: Ruling

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All distinct problems, in that order."""
        return tuple(dict.fromkeys(p for ruling in self for p in ruling.problems))


def verdicts(document: Mapping[str, Any], request: ResourceRequest | None = None) -> Verdicts:
    """Return the verdicts on a jobspec; request is its resources, if parsed already."""
    request = parse(document.get("resources")) if request is None else request
    checked = jobspec.check(document, request)
    v1 = tuple(problem for problem in checked.warnings if problem.rule == V1)
    others = tuple(problem for problem in checked.warnings if problem.rule != V1)
    return Verdicts(
        Ruling("RFC 14", checked.problems, others),
        Ruling("V1", checked.v1_problems, v1),
        Ruling(RULE, check_submission(document, request)),
    )


def by_vertex(problems: Iterable[Problem]) -> dict[str, tuple[Problem, ...]]:
    """Group resource problems by the path of their vertex, or ``resources`` for the list."""
    grouped: dict[str, list[Problem]] = {}
    for problem in problems:
        vertex = _VERTEX.match(problem.path or "")
        if vertex is not None:
            grouped.setdefault(vertex[0], []).append(problem)
    return {path: tuple(listed) for path, listed in grouped.items()}


class _Passes:
    """What flux-core refuses in its three passes; each sees only what the earlier ones accept."""

    def __init__(self) -> None:
        self.first, self.second, self.last = (Report(RULE, MAX_PROBLEMS) for _ in range(3))

    def vertex_has(self, vertex: RequestVertex, key: str, whose: str, code: str) -> bool:
        """Return whether a vertex has a key; report a missing one in the second pass."""
        if key not in vertex.fields:
            message = f"flux-core wants the {key} of a {whose}, which is missing"
            self.second.error(message, vertex.path, key, code=code)
        return key in vertex.fields

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of all passes, in the order in which flux-core would find them."""
        return (*self.first.problems, *self.second.problems, *self.last.problems)


def check_submission(
    document: object, request: ResourceRequest | None = None
) -> tuple[Problem, ...]:
    """Return why flux-core would refuse a jobspec, in the order in which it finds the problems.

    request is the resources, if parsed already.
    """
    passes = _Passes()
    first = passes.first
    if not isinstance(document, Mapping):
        _values(first, document)
        what, code = "a jobspec is a dictionary", "jobspec-not-dictionary"
        passes.second.wrong(what, document, "", *KEYS, code=code)
        return passes.problems
    request = parse(document.get("resources")) if request is None else request
    _values(first, document)
    for key in KEYS:
        if key not in document:
            message = f"flux-core wants the {key} of a jobspec, which is missing"
            first.error(message, "", key, code=f"{key}-missing")
    for key in document:
        if key not in KEYS:
            message = "flux-core accepts only the four keys of a jobspec; found "
            message += f"'{printable(str(key))}'"
            first.error(message, at("", str(key)), *KEYS, code="jobspec-key-unknown")
    version = document.get("version", 1)
    if version != 1:
        first.wrong("flux-core takes only version 1", version, "version", "1", code="flux-version")
    elif not isinstance(version, int):
        first.wrong("version is a whole number", version, "version", "1", code="flux-version")
    if "resources" in document:
        _resources(passes, request)
    if "tasks" in document:
        _tasks(passes, document["tasks"])
    if "attributes" in document:
        _attributes(passes, document["attributes"])
    return passes.problems


def refused_by_flux_alone(document: object) -> tuple[Problem, ...]:
    """Return why flux-core would refuse a jobspec, without what RFC 25 (V1) refuses there too."""
    known = {problem.path for problem in jobspec.check(document).v1_problems}
    return tuple(problem for problem in check_submission(document) if problem.path not in known)


def _resources(passes: _Passes, request: ResourceRequest) -> None:
    """Check all vertices, parents first; flux-core checks some keys and accepts any others."""
    report = passes.second
    # The validator iterates over a string as over a list, and an empty one holds nothing to refuse.
    if request.raw == "" or not passes.first.is_list(
        request.raw, "resources", ROOT, "resources-not-list"
    ):
        return
    for vertex in request.walk():
        if not vertex.is_readable:
            code = "resource-not-dictionary"
            report.is_dictionary(vertex.raw, "a resource", vertex.path, code)
            continue
        fields = vertex.fields
        if passes.vertex_has(vertex, "type", "resource", "type-missing") and vertex.type is None:
            report.is_string(fields["type"], "a type", vertex.path_of("type"), "type-not-string")
        if vertex.number is None:
            _count(passes, vertex)
        for key in ("id", "unit", "label"):
            if key in fields:
                report.is_string(fields[key], key, vertex.path_of(key), f"{key}-not-string")
        if fields.get("exclusive", False) not in (True, False):
            where, what = vertex.path_of("exclusive"), "exclusive is true or false"
            code = "exclusive-not-boolean"
            report.wrong(what, fields["exclusive"], where, "true", "false", code=code)
        if vertex.is_slot:
            passes.vertex_has(vertex, "label", "slot", "slot-label-missing")
        inner = fields.get("with", [])
        if not isinstance(inner, list | tuple):
            if inner not in ("", {}):  # these pass as an empty list
                where, what = vertex.path_of("with"), "with is a list of resources"
                report.wrong(what, inner, where, "a list", code="with-not-list")
        elif inner and not vertex.children:
            message = f"flux-core's validator fails at more than {MAX_LEVELS} levels of resources"
            report.error(message, vertex.path_of("with"), code="resources-too-deep")


def _count(passes: _Passes, vertex: RequestVertex) -> None:
    name, report = printable(vertex.type or "resource"), passes.second
    if not passes.vertex_has(vertex, "count", name, "count-missing"):
        return
    count, path = vertex.fields["count"], vertex.path_of("count")
    if not isinstance(count, int):
        found = shown(count) if vertex.count is None else counts.describe(vertex.count)
        found = f"'{shortened(count)}'" if isinstance(count, str) else found
        # A string or range that is illegal by RFC 14 is refused earlier than a legal one.
        report = report if vertex.count is None else passes.last
        message = f"flux-core takes only a whole number for a count; found {found}"
        report.error(message, path, "a number", code="flux-count")
    elif count < 1 and vertex.type in ("node", "slot", "core"):
        what = f"flux-core wants 1 or more of a {name}"
        report.wrong(what, count, path, "1 or more", code="flux-count-zero")
    elif count < 0:
        report.wrong("a count is not below 0", count, path, "0 or more", code="flux-count-zero")


def _tasks(passes: _Passes, tasks: object) -> None:
    report = passes.second
    if tasks == "" or not passes.first.is_list(tasks, "tasks", "tasks", "tasks-not-list"):
        return
    for number, task in enumerate(tasks):
        path = at("tasks", number)
        if not report.is_dictionary(task, "a task", path, "task-not-dictionary"):
            continue
        for key in TASK_KEYS[:3]:
            if key not in task:
                message = f"flux-core wants the {key} of a task, which is missing"
                report.error(message, path, key, code=f"task-{key}-missing")
        if "count" in task:
            _task_count(passes, task["count"], at(path, "count"))
        if not isinstance(slot := task.get("slot", ""), str):
            what, code = "slot is the label of a slot", "task-slot-not-string"
            report.wrong(what, slot, at(path, "slot"), "a string", code=code)
        task_attributes(report, task, path)
        if "command" in task:
            check_command(report, task["command"], at(path, "command"))


def _task_count(passes: _Passes, count: object, path: str) -> None:
    """Check for one key, per_slot or total, with a number; per_resource is refused at the end."""
    report, expected = passes.second, _TASK_COUNTS[:2]
    if not isinstance(count, Mapping):
        what, code = "the count of a task is a dictionary", "task-count-not-dictionary"
        report.wrong(what, count, path, *expected, code=code)
        return
    key = next(iter(count), None)
    if len(count) != 1 or key not in _TASK_COUNTS:
        found = ", ".join(f"'{printable(str(key))}'" for key in count) or "nothing"
        message = f"the count of a task is either per_slot or total; found {found}"
        report.error(message, path, *expected, code="task-count-keys")
    elif key == "per_resource":
        message = "flux-core takes only per_slot and total; found per_resource"
        passes.last.error(message, path, *expected, code="flux-per-resource")
    elif not isinstance(count[key], int) or count[key] <= 0:
        what = f"{key} is a whole number of 1 or more"
        report.wrong(what, count[key], at(path, key), "1 or more", code="task-count-not-number")


def _attributes(passes: _Passes, attributes: object) -> None:
    """Check for system and user; flux-core checks parts of system and stores the rest unchecked."""
    second, last = passes.second, passes.last
    code = "attributes-not-dictionary"
    if not passes.first.is_dictionary(attributes, "attributes", "attributes", code):
        return
    for key in attributes:
        if key not in ("system", "user"):
            message = f"attributes hold only system and user; found '{printable(str(key))}'"
            path = at("attributes", str(key))
            second.error(message, path, "system", "user", code="attribute-unknown")
    if "system" not in attributes:
        message = "flux-core wants attributes.system, with at least a duration"
        last.error(message, "attributes", "system", code="duration-missing")
        return
    system, path = attributes["system"], at("attributes", "system")
    if not second.is_dictionary(system, "system", path, "system-not-dictionary"):
        return
    if "dependencies" in system:
        where = at(path, "dependencies")
        for here, entry in check_dependencies(second, system["dependencies"], where):
            _dependency(last, system, entry, here)
    if "constraints" in system:
        _constraint(second, system["constraints"], at(path, "constraints"))
    seconds, where = system.get("duration"), at(path, "duration")
    if "duration" not in system:
        message = "flux-core wants a duration; 0 leaves it to the queue"
        last.error(message, path, "duration", code="duration-missing")
    # The validator accepts true as a number, the job manager does not.
    elif isinstance(seconds, bool) or not isinstance(seconds, int | float):
        what, code = "duration is a number of seconds", "duration-not-seconds"
        last.wrong(what, seconds, where, "a number", code=code)
    if not isinstance(queue := system.get("queue", ""), str):
        what, code = "queue is the name of a queue", "queue-not-string"
        last.wrong(what, queue, at(path, "queue"), "a string", code=code)


# Values that cannot be sent


def _values(report: Report, value: object) -> None:
    """Report each value that is not JSON, or that flux-core's JSON reader refuses."""
    code = "value-not-json"
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        value, trail = stack.pop()
        message, expected = "", list[str]()
        if isinstance(value, str):
            message = _unreadable(value, "a string")
        elif isinstance(value, int):
            if not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
                message = "flux-core reads whole numbers of up to 64 bits; this one is larger"
                expected = [f"at most {MAX_INTEGER}"]
        elif isinstance(value, dict | list | tuple | Mapping):
            below: list[tuple[Any, tuple[str | int, ...]]] = []
            if not isinstance(value, Mapping):
                below = [(item, (*trail, number)) for number, item in enumerate(value)]
            for key, item in value.items() if isinstance(value, Mapping) else ():
                if wrong := _unreadable(str(key), "a key"):
                    report.error(wrong, at("", *trail, str(key)), code=code)
                below.append((item, (*trail, str(key))))
            if len(trail) < _MAX_JSON_LEVELS:
                stack.extend(reversed(below))
            else:
                message = f"more than {_MAX_JSON_LEVELS} levels cannot be sent to flux-core"
        elif isinstance(value, float):
            if not math.isfinite(value):
                message = f"flux-core reads JSON, which has no number {value}"
                expected = ["a finite number"]
        elif value is not None:
            message = f"flux-core reads JSON, which has no form for {shown(value)}"
            expected = ["a string", "a number"]
        if message:
            report.error(message, at("", *trail), *expected, code=code)


def _unreadable(text: str, what: str) -> str:
    if "\0" in text:
        return f"flux-core refuses {what} with a NUL character"
    if text.isascii():
        return ""
    try:
        text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return f"flux-core refuses {what} with half of a character"
    return ""


# Dependencies (RFC 26). Whether the jobs they name exist is not checked.


def _dependency(
    report: Report, system: Mapping[str, Any], entry: Mapping[str, Any], path: str
) -> None:
    scheme, value = entry["scheme"], entry["value"]
    found, where = f"'{shortened(value)}'", at(path, "value")
    if scheme not in SCHEMES:
        message = f"flux-core itself knows no dependency scheme '{shortened(scheme)}'"
        _unknown(report, message, scheme, SCHEMES, at(path, "scheme"), "dependency-scheme-unknown")
    elif scheme.startswith("after") and not dependency.is_job_id(value):
        message = f"{scheme} takes the id of a job; {found} is not one"
        report.error(message, where, "a job id", code="dependency-value")
    elif scheme == "begin-time" and value:  # C reads an empty string as 0
        seconds = duration.parse(value)
        is_hex = value.lower().lstrip(_BLANK).startswith("0x")
        has_unit = value[-1] in "smhd" and not is_hex
        if has_unit or not seconds.ok or seconds.value is None or seconds.value > _LATEST:
            message = f"begin-time takes seconds since the epoch; found {found}"
            report.error(message, where, "seconds since 1970", code="dependency-value")
    elif scheme == "singleton":
        job = system.get("job", {})
        if not isinstance(job, Mapping) or not isinstance(job.get("name"), str):
            message = "a singleton waits for jobs of its own name, and this job has no name"
            report.error(message, path, "attributes.system.job.name", code="dependency-job-unnamed")


def _unknown(
    report: Report, message: str, name: str, known: Sequence[str], path: str, code: str
) -> None:
    near = nearest(name, known)
    report.error(f"{message}{did_you_mean(near)}", path, *([near] if near else known), code=code)


# Constraints (RFC 31). The validator is laxer than the RFC: it accepts any sequence for the values
# of an operator, and so a string passes as a list of its characters. Hosts are not looked up, as
# they depend on the instance.


def _constraint(report: Report, constraint: object, path: str) -> None:
    code = "constraint-invalid"
    stack: list[tuple[Any, str, int]] = [(constraint, path, 1)]
    while stack:
        value, here, level = stack.pop()
        if not report.is_dictionary(value, "a constraint", here, code):
            continue
        if level > MAX_LEVELS:
            message = f"flux-core's validator fails at more than {MAX_LEVELS} levels of constraints"
            report.error(message, here, code=code)
            continue
        inner: list[tuple[Any, str, int]] = []
        for operator, values in value.items():
            below, name = at(here, str(operator)), printable(str(operator))
            if not isinstance(values, list | tuple | str):
                report.wrong(f"the values of {name} are a list", values, below, "a list", code=code)
            elif operator in ("and", "or", "not"):
                inner += [(part, at(below, i), level + 1) for i, part in enumerate(values)]
            elif operator not in OPERATORS:
                message = f"flux-core knows no operator '{shortened(str(operator))}'"
                _unknown(report, message, str(operator), OPERATORS, below, code)
            else:
                of_text = "property-name" if operator == "properties" else "constraint-nodes"
                for number, operand in enumerate(values):
                    if message := _wrong_operand(operator, operand):
                        its_code = of_text if isinstance(operand, str) else code
                        report.error(message, at(below, number), code=its_code)
        stack.extend(reversed(inner))


def _wrong_operand(operator: str, value: object) -> str:
    """Return what is wrong with a value of an operator; a list or a number may pass as a string."""
    listed: Any = [value] if isinstance(value, str) else value
    is_listed = isinstance(listed, list | tuple | Mapping)
    if operator == "properties":
        for char in value if isinstance(value, str) else listed if is_listed else [[]]:
            if isinstance(char, list | dict):
                return f"a property is a string; found {shown(value)}"
            if isinstance(char, str) and len(char) == 1 and char in ILLEGAL:
                return f"flux-core refuses a property with {char} in its name"
    elif operator == "hostlist":
        if not is_listed or not all(isinstance(text, str) for text in listed):
            return f"a hostlist is a string; found {shown(value)}"
        for text in listed:
            if not reads_hosts(text):
                return f"flux-core reads no hosts from '{shortened(text)}'"
    else:
        try:
            text = ",".join(map(str, sorted([value] if isinstance(value, int) else listed)))
        except TypeError:
            return f"ranks are an idset, which is a string; found {shown(value)}"
        if not reads_ids(text):
            return f"flux-core reads no ranks from '{shortened(text)}'"
    return ""


def reads_ids(text: str) -> bool:
    """Whether flux-core reads the text as an idset; it ignores empty parts between commas."""
    if len(text) >= 2 and text[0] == "[" and text[-1] == "]":
        text = text[1:-1]
    last = -1
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"(0|[1-9][0-9]*)(?:-(0|[1-9][0-9]*))?", part, re.ASCII)
        if match is None or max(map(len, part.split("-"))) > _MAX_DIGITS:
            return False
        first = int(match[1]) & _BITS
        top = first if match[2] is None else int(match[2])
        if first <= last or (match[2] is not None and top <= first) or top & _BITS > _MAX_ID:
            return False
        last = top & _BITS
    return True


def reads_hosts(text: str) -> bool:
    """Whether flux-core reads the text as a hostlist, which need not follow RFC 29."""
    for word in _host_words(text):
        before, bracket, rest = word.partition("[")
        if not bracket and "]" in before:
            return False
        ids, closing, _ = rest.partition("]")
        if bracket and not (closing and all(map(_reads_range, ids.split(",")))):
            return False
    return True


def _host_words(text: str) -> list[str]:
    """Split the text at commas and blanks outside brackets."""
    words, level = [""], 0
    for char in text:
        if char in "\t, " and (level == 0 or not words[-1]):
            words.append("")
            level = 0
        else:
            level += (char == "[") - (char == "]")
            words[-1] += char
    return [word for word in words if word]


def _reads_range(text: str) -> bool:
    """Whether C's strtoul reads an ascending range from ``N``, ``N-`` or ``N-M``."""
    low, _, high = text.partition("-")
    first = _STRTOUL.match(low)
    if first is None or high.startswith("-"):
        return False
    if not high:
        return first.end() == len(low)
    last = _STRTOUL.fullmatch(high)
    if last is None:
        return False
    # strtoul clamps to the largest 64-bit number.
    begin, end = (
        min(int((found[1].lstrip("0") or "0")[:21]), 2**64 - 1) for found in (first, last)
    )
    return begin <= end and end - begin < _MAX_HOSTS
