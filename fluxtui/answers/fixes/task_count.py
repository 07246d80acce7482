"""Changes that may mend the count of a task, most likely first."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fluxtui.answers.fixes.edit import get, put, vertices
from fluxtui.answers.fixes.resources import Change
from fluxtui.model.documents.json_value import is_whole
from fluxtui.model.jobspec.resources import slots, walk
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, is_digits, printable

#: One task in each slot.
ONE = {"per_slot": 1}

# Types that are offered for one.
_OFFERED = 4


class Case(NamedTuple):
    """A problem of a task: where the task is, and the steps from it to the key."""

    problem: Problem
    document: Mapping[str, Any]
    place: list[str | int]
    rest: list[str | int]

    @property
    def task(self) -> Any:
        """What stands where a task should."""
        return get(self.document, self.place)

    @property
    def steps(self) -> list[str | int]:
        """The steps to what the problem is about."""
        return [*self.place, *self.rest]

    def having(self, key: str, value: Any) -> Any:
        """The document with a key of the task."""
        return put(self.document, [*self.place, key], value)


def changes(case: Case) -> Iterator[Change]:
    """How many tasks: one key, which V1 and flux-core know, with a number."""
    count = case.task.get("count")
    if is_whole(count):
        yield f"total: {count}", case.having("count", {"total": count})
    if isinstance(count, Mapping):
        key = str(case.rest[1]) if len(case.rest) > 1 else ""
        if len(count) > 1:
            yield from _one_key(case, count)
        if isinstance(count.get("per_resource"), Mapping):
            yield from _per_resource(case, count["per_resource"], within=key == "per_resource")
        if key in ("per_slot", "total"):
            yield from _number_of(case, key, count[key])
    yield "per_slot: 1", case.having("count", ONE)


def _one_key(case: Case, count: Mapping[Any, Any]) -> Iterator[Change]:
    """Several keys: each alone."""
    for key in ("per_slot", "total", "per_resource"):
        if key in count:
            others = ", ".join(printable(str(other)[:20]) for other in count if other != key)
            yield f"drop {others}, keep {key}", case.having("count", {key: count[key]})


def _number_of(case: Case, key: str, value: Any) -> Iterator[Change]:
    """Another number of tasks: the one that was meant, one that is allowed, or as many in all."""
    number = number_in(value)
    if number is not None and number is not value:
        yield f"{key}: {number}", case.having("count", {key: number})
    if key == "per_slot":
        yield "per_slot: 1", case.having("count", ONE)
        yield from _as_many(case, value)
        return
    # RFC 25 keeps total between the number of nodes and the count of the slot.
    for words in case.problem.expected:
        bound = words.rsplit(" ", 1)[-1]
        if is_whole(value) and is_digits(bound):
            yield f"total: {bound}", case.having("count", {"total": int(bound)})


def _per_resource(case: Case, each: Mapping[Any, Any], *, within: bool) -> Iterator[Change]:
    """Tasks for each of a resource: with a type or number that it has, or in the words of V1."""
    label = case.task.get("slot")
    slot = next((s for s in _slots(case) if s.get("label") == label), {})
    inside = list(vertices(slot.get("with")))
    if within:
        types = dict.fromkeys(v["type"] for v in inside if isinstance(v.get("type"), str))
        number = number_in(each.get("count")) or 1
        for kind in [each.get("type"), *types][: _OFFERED + 1]:
            made = {"per_resource": {"type": kind, "count": number}}
            words = f"{number} for each {printable(str(kind)[:40])}"
            yield f"per_resource: {words}", case.having("count", made)
        return
    yield "per_slot: 1", case.having("count", ONE)
    meant = [vertex for vertex in inside if vertex.get("type") == each.get("type")]
    if len(meant) == 1 and any(vertex is meant[0] for vertex in slot["with"]):
        per_slot, per = meant[0].get("count"), each.get("count")
        if is_whole(per_slot) and is_whole(per):
            yield from _as_many(case, int(per_slot or 1) * int(per or 1))


def _slots(case: Case) -> list[Mapping[str, Any]]:
    return list(slots(case.document.get("resources")))


def _as_many(case: Case, per_slot: Any) -> Iterator[Change]:
    """The same number of tasks in all, where that is a plain number."""
    tasks = _in_slots(case, per_slot)
    if tasks is not None:
        yield f"total: {tasks}, as many tasks", case.having("count", {"total": tasks})


def _in_slots(case: Case, number: Any) -> int | None:
    """So many tasks for each slot in all slots; None where that is no number."""
    if not is_whole(number):
        return None
    total = int(number)
    label = case.task.get("slot")
    chain: list[Any] = []
    for _, vertex, depth in walk(case.document.get("resources")):
        if not isinstance(vertex, Mapping):
            return None
        chain = [*chain[:depth], vertex.get("count")]
        if vertex.get("type") == "slot" and vertex.get("label") == label:
            for count in chain:
                if not is_whole(count):
                    return None
                total *= int(count or 0)
            return total
    return None


def number_in(value: Any) -> int | None:
    """A positive whole number that a value stands for."""
    if is_whole(value):
        return int(value)
    if isinstance(value, float) and value.is_integer() and 1 <= value < 1e9:
        return int(value)
    read = counts.parse(value).value if isinstance(value, str) else None
    return read if isinstance(read, int) and read > 0 else None
