"""What flux-core asks of the constraints (RFC 31) and dependencies (RFC 26) of a submitted job.

Its validator of constraints is laxer than the RFC: any sequence will do for the values of an
operator, and so a string passes for a list of its characters. Which hosts there are depends on the
instance, and so do the jobs that may be waited for.
"""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.constraint.tree import OPERATORS
from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec import program
from fluxtui.model.jobspec.request import MAX_PROBLEMS
from fluxtui.notation import dependency, duration
from fluxtui.notation.problem import Problem, at, nearest, printable

RULE = "flux-core"


class Notes:
    """What flux-core refuses, by the three passes it makes over a jobspec.

    Each pass finds what the ones before have let through.
    """

    def __init__(self) -> None:
        self.first, self.second, self.last = (Report(RULE, MAX_PROBLEMS) for _ in range(3))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All of them, in the order in which flux-core would find them."""
        return (*self.first.problems, *self.second.problems, *self.last.problems)


#: Levels of a constraint that flux-core's validator goes down before it gives up.
MAX_LEVELS = 490

#: What a property may not hold in flux-core, which is less than RFC 20 forbids.
ILLEGAL = "&'\"`|()"

# Of a longer number flux-core keeps the last 32 bits.
_MAX_ID, _BITS, _MAX_DIGITS = 2**31 - 1, 2**32 - 1, 19
_MAX_HOSTS = 1 << 20


def check_constraint(notes: Notes, constraint: object, path: str) -> None:
    """Note what flux-core refuses in a constraint, whatever its hosts and properties are."""
    stack: list[tuple[Any, str, int]] = [(constraint, path, 1)]
    while stack:
        value, here, level = stack.pop()
        if not notes.second.is_dictionary(value, "a constraint", here, "constraint-invalid"):
            continue
        if level > MAX_LEVELS:
            message = f"flux-core's validator fails at more than {MAX_LEVELS} levels of constraints"
            notes.second.error(message, here, code="constraint-invalid")
            continue
        inner: list[tuple[Any, str, int]] = []
        for operator, values in value.items():
            below = at(here, str(operator))
            if not isinstance(values, list | tuple | str):
                message = (
                    f"the values of {printable(str(operator))} are a list; found {shown(values)}"
                )
                notes.second.error(message, below, "a list", code="constraint-invalid")
            elif operator in ("and", "or", "not"):
                inner += [(part, at(below, i), level + 1) for i, part in enumerate(values)]
            else:
                _operands(notes, str(operator), values, below)
        stack.extend(reversed(inner))


def _operands(
    notes: Notes, operator: str, values: list[Any] | tuple[Any, ...] | str, path: str
) -> None:
    """The values of properties, hostlist and ranks."""
    if operator not in OPERATORS:
        near = nearest(operator, OPERATORS)
        hint = f"; did you mean {near}?" if near else ""
        message = f"flux-core knows no operator '{printable(operator[:40])}'{hint}"
        expected = [near] if near else OPERATORS
        notes.second.error(message, path, *expected, code="constraint-invalid")
        return
    if operator == "properties":
        wrong, code = _property, "property-name"
    else:
        wrong, code = _hosts if operator == "hostlist" else _ranks, "constraint-nodes"
    for number, value in enumerate(values):
        if message := wrong(value):
            where = at(path, number)
            is_text = isinstance(value, str)
            notes.second.error(message, where, code=code if is_text else "constraint-invalid")


def _property(value: object) -> str:
    """What is wrong with the name of a property; empty where flux-core takes it."""
    if not isinstance(value, str | list | tuple | Mapping):
        return f"a property is a string; found {shown(value)}"
    for char in value:
        if isinstance(char, list | dict):
            return f"a property is a string; found {shown(value)}"
        if isinstance(char, str) and len(char) == 1 and char in ILLEGAL:
            return f"flux-core refuses a property with {char} in its name"
    return ""


def _hosts(value: object) -> str:
    """What is wrong with a hostlist."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple | Mapping) or not all(isinstance(t, str) for t in texts):
        return f"a hostlist is a string; found {shown(value)}"
    wrong = next((text for text in texts if not reads_hosts(text)), None)
    return "" if wrong is None else f"flux-core reads no hosts from '{printable(wrong[:40])}'"


def _ranks(value: object) -> str:
    """What is wrong with an idset of ranks; a number or a list of numbers passes for one."""
    if isinstance(value, list | tuple | Mapping):
        try:
            text = ",".join(str(part) for part in sorted(value))
        except TypeError:
            return f"ranks are an idset, which is a string; found {shown(value)}"
    elif isinstance(value, str | int):
        text = str(value)
    else:
        return f"ranks are an idset, which is a string; found {shown(value)}"
    return "" if reads_ids(text) else f"flux-core reads no ranks from '{printable(text[:40])}'"


def reads_ids(text: str) -> bool:
    """Whether flux-core reads the text as an idset; it skips commas with nothing between them."""
    if len(text) >= 2 and text[0] == "[" and text[-1] == "]":
        text = text[1:-1]
    last = -1
    for part in text.split(","):
        if not part:
            continue
        found = re.fullmatch(r"(0|[1-9][0-9]*)(?:-(0|[1-9][0-9]*))?", part, re.ASCII)
        if found is None or max(map(len, part.split("-"))) > _MAX_DIGITS:
            return False
        first = int(found[1]) & _BITS
        top = first if found[2] is None else int(found[2])
        if first <= last or (found[2] is not None and top <= first) or top & _BITS > _MAX_ID:
            return False
        last = top & _BITS
    return True


def reads_hosts(text: str) -> bool:
    """Whether flux-core reads the text as a hostlist, which need not follow RFC 29."""
    for word in _words(text):
        before, bracket, rest = word.partition("[")
        if not bracket:
            if "]" in before:
                return False
            continue
        ids, closing, _ = rest.partition("]")
        if not closing or not all(map(_reads_range, ids.split(","))):
            return False
    return True


def _words(text: str) -> list[str]:
    """The text cut at commas and blanks that stand outside of brackets."""
    words, word, level = [], "", 0
    for char in text:
        if char in "\t, " and (level == 0 or not word):
            words.append(word)
            word = ""
            level = 0
            continue
        level += (char == "[") - (char == "]")
        word += char
    return [word for word in (*words, word) if word]


def _reads_range(text: str) -> bool:
    """Whether C's strtoul finds a range that ascends in ``N``, ``N-`` or ``N-M``."""
    low, _, high = text.partition("-")
    first = re.match(r"[ \t\n\v\f\r]*\+?([0-9]+)", low)
    if first is None or high.startswith("-"):
        return False
    if not high:
        return first.end() == len(low)
    last = re.fullmatch(r"[ \t\n\v\f\r]*\+?([0-9]+)", high)
    if last is None:
        return False
    begin, end = _strtoul(first[1]), _strtoul(last[1])
    return begin <= end and end - begin < _MAX_HOSTS


def _strtoul(digits: str) -> int:
    """The number that C reads: of 64 bits at most."""
    significant = digits.lstrip("0") or "0"
    return min(int(significant[:21]), 2**64 - 1)


#: The schemes that flux-core knows by itself; a site may add others.
SCHEMES = tuple(name for name, scheme in dependency.SCHEMES.items() if scheme.in_flux)

# A later time has no place in flux-core's memory.
_LATEST = 1e112

_BLANK = " \t\n\v\f\r"
_F58 = re.compile(r"[\u0192f][1-9A-HJ-NP-Za-km-z]{1,12}")
_DOTTED = re.compile(r"[0-9a-fA-F]{1,4}(\.[0-9a-fA-F]{1,4}){3}")
_WORDS = re.compile(r"[A-Za-z]+(-+[A-Za-z]+){5,}")
_NUMBER = re.compile(rf"(\+?[0-9]+|0x[0-9a-fA-F]+)[{_BLANK}]*")


def check_dependencies(notes: Notes, system: Mapping[str, Any], path: str) -> None:
    """Note what flux-core refuses in the dependencies of these system attributes.

    path is that of the attributes. Whether a job that is waited for is there is not asked.
    """
    path = at(path, "dependencies")
    entries = program.check_dependencies(notes.second, system["dependencies"], path)
    for here, entry in entries:
        _entry(notes.last, system, entry, here)


def _entry(report: Report, system: Mapping[str, Any], entry: Mapping[str, Any], path: str) -> None:
    """What the job manager makes of one dependency, by its scheme."""
    scheme, value = entry["scheme"], entry["value"]
    shown_value = printable(value[:40])
    if scheme not in SCHEMES:
        near = nearest(scheme, SCHEMES)
        hint = f"; did you mean {near}?" if near else ""
        message = f"flux-core itself knows no dependency scheme '{printable(scheme[:40])}'{hint}"
        expected = (near,) if near else SCHEMES
        report.error(message, at(path, "scheme"), *expected, code="dependency-scheme-unknown")
    elif scheme.startswith("after") and not is_job_id(value):
        message = f"{scheme} takes the id of a job; '{shown_value}' is not one"
        report.error(message, at(path, "value"), "a job id", code="dependency-value")
    elif scheme == "begin-time" and not _is_moment(value):
        message = f"begin-time takes seconds since the epoch; found '{shown_value}'"
        report.error(message, at(path, "value"), "seconds since 1970", code="dependency-value")
    elif scheme == "singleton":
        job = system.get("job", {})
        if not isinstance(job, Mapping) or not isinstance(job.get("name"), str):
            message = "a singleton waits for jobs of its own name, and this job has no name"
            report.error(message, path, "attributes.system.job.name", code="dependency-job-unnamed")


def is_job_id(text: str) -> bool:
    """Whether flux-core reads the text as the id of a job (RFC 19).

    Of ids in words or emoji only the form is looked at.
    """
    text = text.lstrip(_BLANK).removeprefix("job.").lstrip(_BLANK)
    if not text:
        return False
    if "." in text:
        return bool(_DOTTED.fullmatch(text))
    if "-" in text:
        return bool(_WORDS.fullmatch(text))
    if text[:1] in ("f", "\u0192"):
        return bool(_F58.fullmatch(text))
    if not text.isascii():
        return not any(char.isascii() or char.isalpha() for char in text)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return False
    digits = found[1].removeprefix("+").removeprefix("0x").lstrip("0")
    # The largest number of 64 bits stands for no job.
    return len(digits) <= 20 and int(digits or "0", 16 if "x" in text else 10) < 2**64 - 1


def _is_moment(text: str) -> bool:
    """Whether C reads all of the text as a number of seconds; nothing counts as 0."""
    if not text:
        return True
    if text[-1] in "smhd" and not text.lower().lstrip(_BLANK).startswith("0x"):
        return False
    found = duration.parse(text)
    return found.ok and found.value is not None and found.value <= _LATEST
