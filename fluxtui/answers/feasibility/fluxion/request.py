"""`Want`: one resource of a request, as Fluxion sees it (RFC 14)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.problem import at

#: Fluxion counts in 32 bits; a range without a maximum ends there.
LIMIT = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Want:
    """One resource of a request; two of them are the same only if they are one object.

    path       where it stands, such as ``resources[0].with[1]``
    least      the smallest legal count; most the largest that Fluxion looks for
    need       how much of each type is wanted below one of it, each at its smallest
    exclusive  what the request says of it, None where it says nothing
    raw        the object of the request
    """

    path: str
    type: str
    count: int | Range
    least: int
    most: int
    need: Mapping[str, int]
    kids: tuple["Want", ...] = ()
    exclusive: bool | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def slot(self) -> bool:
        """It is a slot, not a vertex of the graph."""
        return self.type == "slot"

    @property
    def where(self) -> str:
        """The path of its count."""
        return at(self.path, "count")

    def greatest(self, limit: int) -> int:
        """The largest legal count up to a limit; 0 where all are above it."""
        return counts.greatest(self.count, limit) or 0

    def with_count(self, count: int | Range) -> "Want":
        """The same want of another count."""
        return want(self.path, self.type, count, self.kids, self.exclusive, self.raw)

    def with_kids(self, kids: tuple["Want", ...]) -> "Want":
        """The same want with others below it."""
        return want(self.path, self.type, self.count, kids, self.exclusive, self.raw)

    def to_json(self) -> dict[str, Any]:
        """The RFC 14 object: as it was read, but for the count and what is below."""
        out = {**self.raw, "type": self.type, "count": counts.to_json(self.count)}
        out.pop("with", None)
        if self.exclusive is None:
            out.pop("exclusive", None)
        if self.kids:
            out["with"] = [kid.to_json() for kid in self.kids]
        return out


def want(
    path: str,
    kind: str,
    count: int | Range,
    kids: tuple[Want, ...] = (),
    exclusive: bool | None = None,
    raw: Mapping[str, Any] | None = None,
) -> Want:
    """A want, with what follows from the counts."""
    need: dict[str, int] = {}
    for kid in kids:
        need[kid.type] = need.get(kid.type, 0) + kid.least
        for below, units in kid.need.items():
            need[below] = need.get(below, 0) + kid.least * units
    least, most = counts.least(count), counts.greatest(count, LIMIT) or 0
    return Want(path, kind, count, least, most, need, kids, exclusive, raw or {})


def each(wants: tuple[Want, ...]) -> Iterator[Want]:
    """All wants, parents first, in the order of the request."""
    waiting = list(reversed(wants))
    while waiting:
        yield (here := waiting.pop())
        waiting.extend(reversed(here.kids))


def replaced(wants: tuple[Want, ...], path: str, count: int | Range) -> tuple[Want, ...]:
    """The wants with another count at a path; those that are not on the way stay as they are."""
    out = []
    for here in wants:
        if here.path == path:
            out.append(here.with_count(count))
            continue
        kids = replaced(here.kids, path, count) if here.kids else ()
        same = all(old is new for old, new in zip(here.kids, kids, strict=True))
        out.append(here if same else here.with_kids(kids))
    return tuple(out)
