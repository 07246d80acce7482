"""How large a request is, as Flux counts it for the limits on job size (RFC 33)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fluxtui.answers.admission.refusal import Refusal, refusal
from fluxtui.model.jobspec.vertex_place import Place, path_of
from fluxtui.notation import count as notation
from fluxtui.notation.count import Range
from fluxtui.notation.problem import at

#: No number here grows beyond this: a request nested deeply enough could make one of any length.
MOST = 10**24

#: What limits are on, and the type of resource that each is about.
SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


@dataclass(frozen=True, slots=True)
class Counts:
    """A request in numbers; nnodes is 0 where only slots are asked for.

    Flux counts the last node, slot, core and gpu of the request: the nodes times all that
    stands above them, and of cores and gpus those of a slot, times the slots, times the nodes.
    What stands between a slot and its cores, and a second slot, it leaves out.

    in_all  nodes, cores and gpus of the request as RFC 14 has them: each count times all those
            above, and all vertices of the type together
    paths   where the count of each stands in the jobspec, by ``nnodes`` and so on
    """

    nnodes: int
    ncores: int
    ngpus: int
    in_all: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)

    def of(self, size: str) -> int:
        """The number that a limit such as ``ncores`` is compared with."""
        return {"nnodes": self.nnodes, "ncores": self.ncores, "ngpus": self.ngpus}[size]


@dataclass(slots=True)
class _Tally:
    """What is counted so far; see `Counts`."""

    last: dict[str, int] = field(default_factory=dict)
    in_all: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def add(self, kind: str, number: int, above: int, place: Place) -> None:
        """Count one vertex; above is the product of the counts above it."""
        self.last[kind] = min(number * above, MOST) if kind == "node" else number
        self.in_all[kind] = min(self.in_all.get(kind, 0) + number * above, MOST)
        self.places[kind] = place

    def done(self) -> Counts:
        """All that was counted."""
        slots = self.last.get("slot", 0) * (self.last.get("node", 0) or 1)
        return Counts(
            self.last.get("node", 0),
            min(slots * self.last.get("core", 0), MOST),
            min(slots * self.last.get("gpu", 0), MOST),
            {size: self.in_all.get(kind, 0) for size, kind in SIZES.items()},
            {
                size: at(path_of("resources", self.places[kind]), "count")
                for size, kind in SIZES.items()
                if kind in self.places
            },
        )


def counts(jobspec: Mapping[str, Any]) -> Counts | Refusal:
    """The size of a request; a refusal where Flux cannot tell it.

    It reads only counts that are whole numbers of 1 or more, and wants a slot with cores.
    Flux keeps numbers in 32 bits; here they go further. Never raises.
    """
    resources = jobspec.get("resources")
    if not isinstance(resources, list | tuple):
        return _uncounted("resources is a list", "resources", "")
    tally = _Tally()
    stack: list[tuple[Any, Place, int, int]] = [
        (resources[i], (None, i), 0, 1) for i in range(len(resources) - 1, -1, -1)
    ]
    while stack:
        vertex, place, level, above = stack.pop()
        if not isinstance(vertex, Mapping) or not isinstance(vertex.get("type"), str):
            path = path_of("resources", place)
            return _uncounted("a resource is a dictionary with a type", path, "")
        kind, number = vertex["type"], vertex.get("count")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            path = at(path_of("resources", place), "count")
            return _no_number(kind, number, path, level, jobspec.get("version"))
        tally.add(kind, number, above, place)
        children = vertex.get("with", ())
        if not isinstance(children, list | tuple):
            words, path = f"level {level + 1}: must be an array", path_of("resources", place)
            return _uncounted("with is a list of resources", at(path, "with"), words)
        below, all_above = level + 1, min(above * number, MOST)
        stack += [
            (children[i], (place, i), below, all_above) for i in range(len(children) - 1, -1, -1)
        ]
    return _whole(tally)


def _whole(tally: _Tally) -> Counts | Refusal:
    """The counts, where there is a slot with cores."""
    if "slot" not in tally.last:
        message = "Flux counts cores by the slot, and no slot is asked for"
        return _uncounted(message, "resources", "Unable to determine slot count", "a slot")
    if "core" not in tally.last:
        message = "Flux counts slots by their cores, and no core is asked for"
        return _uncounted(message, "resources", "Unable to determine slot size", "a core")
    return tally.done()


def _no_number(kind: str, value: object, path: str, level: int, version: object) -> Refusal:
    """The refusal of a count that is no whole number of 1 or more."""
    if isinstance(value, int) and not isinstance(value, bool):
        message = f"the count of {kind} is {value}, and Flux counts from 1"
        said = value == 0 and kind not in ("node", "slot", "core")
        words = f"Invalid count 0 for type '{kind}'" if said else ""
        return _uncounted(message, path, words, "1 or more")
    read = notation.from_json(value)
    if not read.ok:
        return _uncounted(f"the count of {kind} is no number", path, "", "a whole number")
    what = "a text" if isinstance(read.value, int) else "a set of numbers"
    what = "a range" if isinstance(read.value, Range) else what
    name = "str" if isinstance(value, str) else "dict"
    words = f"resource count must be an integer for type '{kind}' (got '{name}')"
    if version != 1:
        found = "string" if isinstance(value, str) else "object"
        words = f"level {level}: Expected integer, got {found}"
    message = f"the count of {kind} is {what}, and Flux compares one whole number with its limits"
    return refusal("range", None, None, words, message, path, "a whole number", rule="RFC 25")


def _uncounted(message: str, path: str, words: str, *expected: str) -> Refusal:
    return refusal("counts", None, None, words, message, path, *expected, rule="RFC 25")
