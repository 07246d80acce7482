"""What keeps nodes out, in words: ``not in batch``, ``in neither gpu nor bigmem``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import Constraint, Hostlist, Properties, Ranks
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.hostlist import Builder
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.sets.idset import format as format_ids
from fluxtui.notation.wording import counted, listed

#: Conditions that a sentence names; it counts the others.
MOST = 6
#: Characters that they take; what goes beyond is counted too, but for the first.
LONGEST = 200
# Ranges of hosts or of ranks that are written out.
_RANGES = 30


@dataclass(frozen=True, slots=True)
class Claim:
    """A part holds, or does not."""

    part: Matched
    holds: bool


def is_property(constraint: Constraint) -> bool:
    """A term that asks for one property, or for nodes without it."""
    return isinstance(constraint, Properties) and len(constraint.values) == 1


def excludes(part: Matched) -> bool:
    """A term that asks for nodes without a property."""
    constraint = part.constraint
    if not isinstance(constraint, Properties) or len(constraint.values) != 1:
        return False
    return constraint.values[0].startswith("^")


def phrase(claims: Iterable[Claim]) -> str:
    """What is claimed of a node or of several, to follow ``it is`` or ``they are``.

    Empty where nothing is claimed, as of ``{}``. What is alike is said in one: of all hosts and of
    all ranks that it is not, one list each.
    """
    positive: dict[str, None] = {}
    without: dict[str, None] = {}
    apart: dict[type[Constraint], dict[tuple[str, ...], Hostlist | Ranks]] = {}
    for claim in dict.fromkeys(claims):
        part, holds = claim.part, claim.holds
        constraint = part.constraint
        if part.kind != "term":
            positive[alternatives(part, holds)] = None
        elif isinstance(constraint, Properties) and constraint.values:
            name = constraint.values[0]
            excluded = name.startswith("^")
            word = _short(name[1:] if excluded else name) or "''"
            if holds != excluded:
                positive[f"in {word}"] = None
            else:
                without[word] = None
        elif isinstance(constraint, Hostlist | Ranks) and (noun := _noun(constraint)):
            if holds:
                positive[noun] = None
            else:
                apart.setdefault(type(constraint), {})[constraint.values] = constraint
    items = [*positive, *_neither(list(without))]
    items += [f"not {_together(list(terms.values()))}" for terms in apart.values()]
    if len(items) == 1:
        return items[0]
    # What begins with "either" comes last, so that its end is clear.
    plain = [item for item in items if " or " not in item]
    return some([*plain, *(f"either {item}" for item in items if " or " in item)])


def some(items: Iterable[str], last: str = "and", count: int | None = None) -> str:
    """The first of several conditions, and how many more there are; count is that of all."""
    if count is None:
        items = list(items)
        count = len(items)
    kept: list[str] = []
    room = LONGEST
    for item in islice(items, MOST):
        room -= len(item)
        if kept and room < 0:
            break
        kept.append(item)
    left = count - len(kept)
    if left > 0:
        kept.append(counted(left, "more such thing"))
    return listed(kept, last)


def few(names: Sequence[str]) -> list[str]:
    """The first of several names, and behind them how many more there are."""
    if len(names) <= MOST:
        return list(names)
    return [*names[:MOST], f"{len(names) - MOST:,} more"]


def _neither(names: list[str]) -> list[str]:
    if len(names) == 2:
        return [f"in neither {names[0]} nor {names[1]}"]
    if len(names) > 2:
        return [f"in none of {listed(few(names))}"]
    return [f"not in {name}" for name in names]


def alternatives(part: Matched, holds: bool) -> str:
    """An ``or`` that holds, or an ``and`` that does not, when it is not known for which reason."""
    said = (predicate(inner, holds) for inner in part.parts)
    return some(said, "or", len(part.parts))


def claims_of(part: Matched, holds: bool) -> Iterator[Claim]:
    """What it means that a part holds or does not, as far as that is one row of facts."""
    if part.kind == "not":
        yield from claims_of(part.parts[0], not holds)
    elif part.kind == ("and" if holds else "or"):
        for inner in part.parts:
            yield from claims_of(inner, holds)
    else:
        yield Claim(part, holds)


def predicate(part: Matched, holds: bool = True) -> str:
    """A part as something said of a node: ``in gpu``, ``not among ranks 0-3``."""
    return phrase(claims_of(part, holds)) or "there"


def _together(constraints: Sequence[Hostlist | Ranks]) -> str:
    """All hosts, or all ranks, that some terms ask for, as one noun."""
    if len(constraints) == 1:
        return _noun(constraints[0])
    ids = [one.ids for one in constraints if isinstance(one, Ranks)]
    if ids:
        union = IdSet.from_ranges(ranges for one in ids for ranges in one.ranges)
        return _named("rank", format_ids(union, _RANGES), union.count)
    out = Builder()
    for one in constraints:
        assert isinstance(one, Hostlist)
        for group in one.hosts.walk():
            out.add(group)
    hosts = out.done()
    return _named("host", format_hosts(hosts, _RANGES), hosts.count)


def _noun(constraint: Hostlist | Ranks) -> str:
    """What a list of hosts or of ranks asks of a node; empty for a list of none."""
    text = ",".join(constraint.values)
    if isinstance(constraint, Hostlist):
        return _named("host", text, constraint.hosts.count) if constraint.hosts else ""
    return _named("rank", text, constraint.ids.count) if constraint.ids else ""


def _named(what: str, text: str, count: int) -> str:
    return f"{what} {_short(text)}" if count == 1 else f"among {what}s {_short(text)}"


def _short(text: str) -> str:
    return shown(text)[1:-1]
