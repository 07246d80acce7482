"""Changes that may fix the ``attributes`` of a jobspec, most likely first."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.edit import NOTHING, Case, Change, get, put, renamed, short
from fluxtui.model.constraint.tree import ILLEGAL, OPERATORS
from fluxtui.model.jobspec.submit_check import SCHEMES
from fluxtui.notation import dependency, duration
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset

#: The system attributes that RFC 14 and flux-core know.
SYSTEM = (
    "duration", "preemptible-after", "cwd", "queue", "bank", "project", "environment", "job",
    "shell", "files", "dependencies", "constraints",
)  # fmt: skip

_JOB = ("attributes", "system", "job")
_NOT_IN_NAMES = re.compile(f"(?!^\\^)[{re.escape(ILLEGAL)}]")

_STRINGS = ("cwd", "queue", "bank", "project")

# Steps to the constraint: attributes, system, constraints.
_ABOVE = 3


def changes(case: Case) -> Iterator[Change]:
    """What may fix a problem whose path leads into the attributes."""
    code = case.problem.code
    if case.steps[1:] in ((), ("system",)):
        yield from _duration_missing(case)
    elif code == "attribute-unknown":
        yield from _moved(case)
    elif case.steps[1:] in (("system", "duration"), ("system", "preemptible-after")):
        yield from _seconds(case)
        if case.key == "duration":
            return
    elif code.endswith("-value-not-string") or (len(case.steps) == 3 and case.key in _STRINGS):
        yield from case.as_string()
    elif case.steps[1:3] == ("system", "dependencies"):
        yield from _dependencies(case)
        if len(case.steps) > 4:
            yield "drop the dependency", case.first(4).without()
            return
    elif case.steps[1:3] == ("system", "constraints"):
        yield from _constraints(case)
    if len(case.steps) > 2 or code in ("attribute-unknown", "user-not-dictionary"):
        yield from case.dropped()
    if len(case.steps) > _ABOVE and case.steps[2] == "constraints":
        yield "drop the constraints", case.first(_ABOVE).without()


def _duration_missing(case: Case) -> Iterator[Change]:
    """The least that V1 asks for: a duration of 0 leaves it to the queue."""
    found = case.value if isinstance(case.value, Mapping) else {}
    if len(case.steps) == 1:
        yield "add a duration: 0", case.having({**found, "system": {"duration": 0}})
    else:
        label = "duration: 0" if isinstance(case.value, Mapping) else "add a duration: 0"
        yield label, case.having({**found, "duration": 0})


def _moved(case: Case) -> Iterator[Change]:
    """A key beside system and user, moved into one of them."""
    attributes, rest = case.document["attributes"], case.without()
    for section in ("system", "user") if case.key in SYSTEM else ("user",):
        held = attributes.get(section, {})
        if isinstance(held, Mapping) and case.key not in held:
            moved = put(rest, ["attributes", section], {**held, case.key: case.value})
            yield f"move '{short(case.key)}' to attributes.{section}", moved


def _seconds(case: Case) -> Iterator[Change]:
    """A number of seconds."""
    read = duration.parse(case.value) if isinstance(case.value, str) else None
    if read is not None and read.ok and read.value is not None and read.value < float("inf"):
        seconds = int(read.value) if read.value.is_integer() else read.value
        words = duration.describe(read.value)
        yield f"{case.key}: {seconds}, which is {words}", case.having(seconds)
    if case.key == "duration":
        yield "duration: 0", case.having(0)


def _dependencies(case: Case) -> Iterator[Change]:
    """A list of dictionaries with scheme and value (RFC 26)."""
    value, code = case.value, case.problem.code
    if isinstance(value, str) and len(case.steps) < 5:
        if entry := dependency.parse(value).value:
            made: Any = [entry] if code == "dependencies-not-list" else entry
            yield f"wait for {short(value)}", case.having(made)
    elif code == "dependencies-not-list" and isinstance(value, Mapping) and value:
        yield "make it a list", case.having([value])
    elif code == "dependency-job-unnamed":
        yield from _named_job(case)
    elif len(case.steps) > 4:
        yield from case.as_string()
        near = case.problem.expected
        if code == "dependency-scheme-unknown" and len(near) == 1 and near[0] in SCHEMES:
            yield f"scheme: {near[0]}", case.having(near[0])


def _named_job(case: Case) -> Iterator[Change]:
    """The job with a name, after its program."""
    command = get(case.document, ["tasks", 0, "command", 0])
    name = command.rsplit("/", 1)[-1] if isinstance(command, str) else ""
    job = get(case.document, _JOB)
    named = {**(job if isinstance(job, Mapping) else {}), "name": name or "app"}
    yield f"name the job {short(named['name'])}", put(case.document, _JOB, named)


def _constraints(case: Case) -> Iterator[Change]:
    """A part of a constraint (RFC 31)."""
    value, last = case.value, case.steps[-1]
    if value is NOTHING:
        return
    if isinstance(value, Mapping):
        if len(value) > 1:
            joined = {"and": [{key: part} for key, part in value.items()]}
            yield "put an and around them", case.having(joined)
    elif isinstance(last, str) and len(case.steps) > _ABOVE:
        yield from _operator(case, last)
    else:
        operator = next(step for step in reversed(case.steps) if isinstance(step, str))
        yield from _operand(case, operator)


def _operator(case: Case, name: str) -> Iterator[Change]:
    """A name that is not an operator, or values that are not a list."""
    outer = case.first(-1)
    near = case.problem.expected[0] if len(case.problem.expected) == 1 else ""
    if near in OPERATORS and near not in outer.value:
        yield f"call the operator {near}", outer.having(renamed(outer.value, name, near))
    if not isinstance(case.value, list | tuple) and case.value is not None:
        yield "make it a list", case.having([case.value])


def _operand(case: Case, operator: str) -> Iterator[Change]:
    """A constraint that is not a dictionary, or a wrong value of an operator."""
    value = case.value
    whole = operator in ("and", "or", "not", "constraints")
    if whole and isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        yield "put an and around them", case.having({"and": value})
    elif whole:
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            label = f"ask for the properties {short(', '.join(names))}"
            yield label, case.having({"properties": names})
    elif isinstance(value, str):
        if operator == "properties" and len(case.first(-1).value) == 1:
            yield from _query(case)
        for text in _texts(value, operator):
            yield f"{operator}: {short(text)}", case.having(text)
    else:
        yield from case.as_string()


def _query(case: Case) -> Iterator[Change]:
    """The only property of a constraint, read as a query (RFC 35)."""
    read, outer = parse_query(case.value), case.first(-2)
    if read.ok and read.tree is not None and len(outer.value) == 1:
        yield f"read it as a query: {short(case.value)}", outer.having(to_constraint(read.tree))


def _texts(value: str, operator: str) -> Iterator[str]:
    """What the text of a property, a hostlist or an idset may have meant."""
    plain = value.replace("\0", "")
    if operator == "properties":
        if name := _NOT_IN_NAMES.sub("", plain):
            yield name
    elif operator == "ranks":
        if ids := idset.parse(plain).value:
            yield str(ids)
    elif operator == "hostlist":
        found = hostlist.parse(plain)
        if found.value.count:
            yield str(found.value)
