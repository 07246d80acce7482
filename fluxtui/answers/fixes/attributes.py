"""Changes that may mend the ``attributes`` of a jobspec, most likely first."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fluxtui.answers.fixes import constraint
from fluxtui.answers.fixes.edit import NOTHING, get, keys_in_words, put, without, word_of
from fluxtui.answers.fixes.resources import Change
from fluxtui.model.jobspec.submit_attributes import SCHEMES
from fluxtui.notation import dependency, duration
from fluxtui.notation.problem import Problem, printable

#: What RFC 14 and flux-core know among the system attributes.
SYSTEM = (
    "duration", "preemptible-after", "cwd", "queue", "bank", "project", "environment", "job",
    "shell", "files", "dependencies", "constraints",
)  # fmt: skip

# What V1 asks for at least; a duration of 0 leaves it to the queue.
_LEAST: dict[str, Any] = {"duration": 0}


class Case(NamedTuple):
    """A problem of the attributes: the document, and the steps to what it is about."""

    problem: Problem
    document: Mapping[str, Any]
    steps: list[str | int]

    @property
    def value(self) -> Any:
        """What stands there."""
        return get(self.document, self.steps)

    def having(self, value: Any) -> Any:
        """The document with something else there."""
        return put(self.document, self.steps, value)


def changes(
    problem: Problem, document: Mapping[str, Any], steps: list[str | int]
) -> Iterator[Change]:
    """What may mend a problem whose path leads into the attributes."""
    case = Case(problem, document, steps)
    if len(steps) == 1:
        yield from _whole(case)
    elif len(steps) == 2:
        yield from _section(case)
    elif steps[1] == "system":
        change = _BY_KEY.get(str(steps[2]))
        if change is not None:
            yield from change(case)
    key = steps[1:3]
    part = key == ["system", "dependencies"] and len(steps) > 4
    if len(steps) > 2 and key != ["system", "duration"] and not part:
        yield from dropped(case)


def dropped(case: Case) -> Iterator[Change]:
    """The document without what the path leads to."""
    last = case.steps[-1]
    if case.value is not NOTHING:
        what = "drop the entry" if isinstance(last, int) else f"drop {keys_in_words([last])}"
        yield what, without(case.document, case.steps)


def _whole(case: Case) -> Iterator[Change]:
    """The attributes themselves: not there, no dictionary, or without system."""
    found = case.value
    kept = found if isinstance(found, Mapping) else {}
    yield "add a duration: 0", case.having({**kept, "system": _LEAST})


def _section(case: Case) -> Iterator[Change]:
    """The system and user attributes, and what stands beside them."""
    name, attributes = str(case.steps[1]), case.document["attributes"]
    rest = without(case.document, case.steps) if case.value is not NOTHING else case.document
    if name not in ("system", "user"):
        for section in ("system", "user") if name in SYSTEM else ("user",):
            held = attributes.get(section, {})
            if isinstance(held, Mapping) and name not in held:
                key = printable(name[:40])
                moved = put(rest, ["attributes", section], {**held, name: case.value})
                yield f"move '{key}' to attributes.{section}", moved
    elif name == "system" and isinstance(case.value, Mapping):
        yield "duration: 0", case.having({**case.value, **_LEAST})
    elif name == "system":
        yield "add a duration: 0", case.having(_LEAST)
    if name != "system":
        yield f"drop {keys_in_words([name])}", rest


def _time(case: Case) -> Iterator[Change]:
    """A number of seconds."""
    key, value = str(case.steps[-1]), case.value
    read = duration.parse(value) if isinstance(value, str) else None
    if read is not None and read.ok and read.value is not None and read.value < float("inf"):
        seconds = int(read.value) if read.value.is_integer() else read.value
        yield f"{key}: {seconds}, which is {duration.describe(read.value)}", case.having(seconds)
    if key == "duration":
        yield "duration: 0", case.having(0)


def _name(case: Case) -> Iterator[Change]:
    """A string."""
    word = word_of(case.value)
    if word is not None:
        yield f"{case.steps[-1]}: '{word}'", case.having(word)


def _strings(case: Case) -> Iterator[Change]:
    """A dictionary of strings, or one of them."""
    if len(case.steps) == 4:
        word = word_of(case.value)
        if word is not None:
            yield f"make it the string '{word}'", case.having(word)


def _dependencies(case: Case) -> Iterator[Change]:
    """A list of dictionaries with scheme and value (RFC 26)."""
    value, place = case.value, case.steps[:4]
    if len(case.steps) == 3:
        if isinstance(value, Mapping) and value:
            yield "make it a list", case.having([value])
        elif isinstance(value, str) and (entry := dependency.parse(value).value):
            yield f"wait for {printable(value[:40])}", case.having([entry])
    elif len(case.steps) == 4:
        if isinstance(value, str) and (entry := dependency.parse(value).value):
            yield f"wait for {printable(value[:40])}", case.having(entry)
        elif isinstance(value, Mapping) and value.get("scheme") == "singleton":
            yield from _named_job(case)
    else:
        word = word_of(value) if value is not NOTHING else None
        if word is not None:
            yield f"{case.steps[4]}: '{word}'", case.having(word)
        if case.steps[4] == "scheme" and len(case.problem.expected) == 1:
            near = case.problem.expected[0]
            if near in SCHEMES:
                yield f"scheme: {near}", case.having(near)
        yield "drop the dependency", without(case.document, place)


def _named_job(case: Case) -> Iterator[Change]:
    """The job with a name, after its program."""
    command = get(case.document, ["tasks", 0, "command", 0])
    name = command.rsplit("/", 1)[-1] if isinstance(command, str) else ""
    job = get(case.document, ["attributes", "system", "job"])
    held = job if isinstance(job, Mapping) else {}
    named = {**held, "name": name or "app"}
    label = f"name the job {printable(named['name'][:40])}"
    yield label, put(case.document, ["attributes", "system", "job"], named)


def _constraints(case: Case) -> Iterator[Change]:
    yield from constraint.changes(case.problem, case.document, case.steps)
    whole = case._replace(steps=case.steps[:3])
    if len(case.steps) > 3:
        yield from dropped(case)
        yield "drop the constraints", without(case.document, whole.steps)


_BY_KEY: dict[str, Callable[[Case], Iterator[Change]]] = {
    "duration": _time,
    "preemptible-after": _time,
    "cwd": _name,
    "queue": _name,
    "bank": _name,
    "project": _name,
    "environment": _strings,
    "job": _strings,
    "dependencies": _dependencies,
    "constraints": _constraints,
}
