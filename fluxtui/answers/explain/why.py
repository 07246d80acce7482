"""Why a node is in or out, and what keeps a set of nodes out, in words (RFC 31)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from fluxtui.answers.explain.explanation import Explanation, Part, quoted
from fluxtui.answers.matching import Matched, conditions
from fluxtui.model.constraint.tree import Constraint, Hostlist, Properties, Ranks
from fluxtui.notation.problem import counted, listed
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import has, less
from fluxtui.notation.sets.hostlist import Builder
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.sets.idset import format as format_ids

#: Reasons for which the nodes of a set are out, each with those it keeps out; what is left is one.
MOST = 50
#: Reasons that one sentence names.
SAID = 4
#: Conditions that a sentence names; it counts the others.
CONDITIONS = 6
#: Characters that they take; what goes beyond is counted too, but for the first.
LONGEST = 200
# Ranges of hosts or of ranks that are written out.
_RANGES = 30

#: A part, and whether it holds.
Claim: TypeAlias = tuple[Matched, bool]


# Phrases: ``not in batch``, ``in neither gpu nor bigmem``


def phrase(claims: Iterable[Claim]) -> str:
    """What is claimed of a node or of several, to follow ``it is`` or ``they are``; maybe empty.

    What is alike is said in one: of all hosts and of all ranks that it is not, one list each.
    """
    items: dict[str, None] = {}
    without: dict[str, None] = {}
    apart: dict[type[Constraint], dict[tuple[str, ...], Hostlist | Ranks]] = {}
    for part, holds in dict.fromkeys(claims):
        constraint = part.constraint
        if part.kind != "term":
            said = (predicate(inner, holds) for inner in part.parts)
            items[some(said, "or", len(part.parts))] = None
        elif isinstance(constraint, Properties) and constraint.values:
            name = constraint.values[0]
            word = shown(name.removeprefix("^"))[1:-1] or "''"
            if holds != name.startswith("^"):
                items[f"in {word}"] = None
            else:
                without[word] = None
        elif isinstance(constraint, Hostlist | Ranks) and (noun := _noun([constraint])):
            if holds:
                items[noun] = None
            else:
                apart.setdefault(type(constraint), {})[constraint.values] = constraint
    said_of = list(items)
    names = list(without)
    if len(names) == 2:
        said_of.append(f"in neither {names[0]} nor {names[1]}")
    elif names:
        several = len(names) > 1
        said_of.append(f"in none of {listed(few(names))}" if several else f"not in {names[0]}")
    said_of += [f"not {_noun([*terms.values()])}" for terms in apart.values()]
    if len(said_of) == 1:
        return said_of[0]
    # What begins with "either" comes last, so that its end is clear.
    plain = [item for item in said_of if " or " not in item]
    return some([*plain, *(f"either {item}" for item in said_of if " or " in item)])


def predicate(part: Matched, holds: bool = True) -> str:
    """A part as something said of a node: ``in gpu``, ``not among ranks 0-3``."""
    return phrase(_claims(part, holds)) or "there"


def _claims(part: Matched, holds: bool) -> Iterator[Claim]:
    """What it means that a part holds or does not, as far as that is one row of facts."""
    if part.kind == "not":
        yield from _claims(part.parts[0], not holds)
    elif part.kind == ("and" if holds else "or"):
        for inner in part.parts:
            yield from _claims(inner, holds)
    else:
        yield part, holds


def some(items: Iterable[str], last: str = "and", count: int | None = None) -> str:
    """The first of several conditions, and how many more there are; count is that of all."""
    if count is None:
        items = list(items)
        count = len(items)
    kept: list[str] = []
    room = LONGEST
    for item in islice(items, CONDITIONS):
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
    more = len(names) - CONDITIONS
    return [*names[:CONDITIONS], *([f"{more:,} more"] if more > 0 else [])]


def _noun(terms: Sequence[Hostlist | Ranks]) -> str:
    """All hosts, or all ranks, that some terms ask of a node; empty for lists of none."""
    ids = [one.ids for one in terms if isinstance(one, Ranks)]
    if ids:
        what, union = "rank", IdSet.from_ranges(pair for one in ids for pair in one.ranges)
        text, count = format_ids(union, _RANGES), union.count
    else:
        out = Builder()
        for one in terms:
            for group in one.hosts.walk() if isinstance(one, Hostlist) else ():
                out.add(group)
        what, hosts = "host", out.done()
        text, count = format_hosts(hosts, _RANGES), hosts.count
    if len(terms) == 1:
        text = ",".join(terms[0].values)
    short = shown(text)[1:-1]
    return "" if not count else f"{what} {short}" if count == 1 else f"among {what}s {short}"


# One node


@dataclass(frozen=True, slots=True)
class Why:
    """Why one node matches or does not.

    name      its host, with its rank where other nodes share the host; else its rank
    holds     each part of the constraint, in order, and whether it holds for the node
    sentence  what keeps the node out, or what lets it in, without a full stop
    paths     the terms that decide, in the RFC 31 object
    """

    index: int
    rank: int
    host: str
    name: str
    matches: bool
    holds: tuple[tuple[Part, bool], ...]
    sentence: str
    paths: tuple[str, ...]


def why(explanation: Explanation, index: int) -> Why:
    """Why the node with this rank index is in or out; IndexError where there is none."""
    resources = explanation.resources
    rank, host = resources.rank(index), resources.host(index)
    holds = tuple((part, has(part.mask, index)) for part in explanation.root.walk())
    matches = holds[0][1]
    found = _reasons(explanation.logic, 1 << index, matches)
    name = host or f"rank {rank}"
    if host and len(resources.host_index.places(host)) > 1:
        name = f"{host} (rank {rank})"
    nothing = "the constraint is empty" if matches else "nothing can match this constraint"
    said = phrase(found)
    verb = "matches" if matches else "does not match"
    sentence = f"{name} {verb}: {f'it is {said}' if said else nothing}"
    terms = (one for part, _ in found for one in part.walk() if one.kind == "term")
    paths = tuple(dict.fromkeys(one.path for one in terms))
    return Why(index, rank, host, name, matches, holds, sentence, paths)


def _reasons(part: Matched, group: int, holds: bool) -> list[Claim]:
    """What decides that a part holds for every node of a group, or for none of them.

    Of an ``and`` that fails the operands that fail, of an ``or`` that holds the first operand that
    does. Where the nodes of the group have different reasons the claim is the part itself.
    """
    if part.kind == "term":
        return [(part, holds)]
    if part.kind == "not":
        return _reasons(part.parts[0], group, not holds)
    deciding = list(part.parts)
    if holds is not (part.kind == "and"):
        if holds:
            deciding = [inner for inner in part.parts if not less(group, inner.mask)]
            deciding = sorted(deciding, key=lambda inner: inner.kind not in ("term", "not"))[:1]
        else:
            deciding = [inner for inner in part.parts if not group & inner.mask]
        if not deciding:
            return [(part, holds)]
    return [claim for inner in deciding for claim in _reasons(inner, group, holds)]


# A set of nodes


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that are out for one reason; path is the part that none of them satisfies."""

    mask: int
    count: int
    path: str
    sentence: str


@dataclass(frozen=True, slots=True)
class WhySet:
    """Why some of a set of nodes do not match.

    total   how many nodes the set has
    out     those of them that do not match, as a mask
    groups  the same, each once, under what keeps most of them out; the largest group first, and
            behind ``MOST`` of them all others as one, whose path is that of the whole
    """

    total: int
    out: int
    groups: tuple[Group, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class _Whom:
    """What the nodes of a set are called: ``gpu nodes``, ``nodes not in debug``, ``nodes``.

    said  what the name says of each of them: ``in gpu``; empty where it says nothing
    part  the part of the constraint that asks for just these; None where none does
    """

    total: int
    name: str = "nodes"
    said: str = ""
    part: Matched | None = None

    def some(self, count: int) -> str:
        """``37 of 48 gpu nodes``, ``all 48 gpu nodes``, ``both nodes``, ``the only gpu node``."""
        name = self.name
        if count < self.total:
            return f"{count:,} of {self.total:,} {name}"
        if count == 1:
            return f"the only {name.replace('nodes', 'node')}" if name != "nodes" else "the node"
        return f"both {name}" if count == 2 else f"all {count:,} {name}"


def why_set(explanation: Explanation, mask: int) -> WhySet:
    """What keeps the nodes of a set out, as few reasons as tell it all."""
    mask &= explanation.everything
    out = left = less(mask, explanation.mask)
    total = explanation.total if mask == explanation.everything else mask.bit_count()
    whom = _whom(explanation, mask, total)
    groups: list[Group] = []
    steps = conditions(explanation.logic)
    while left and len(groups) <= MOST:
        step = max(steps, key=lambda step: less(left, step.mask).bit_count())
        kept, path = less(left, step.mask), step.path
        count = kept.bit_count()
        reason = f"because {_because(step, kept, count, whom)}"
        if len(groups) == MOST:
            kept, path, reason = left, explanation.logic.path, "for other reasons"
            count = kept.bit_count()
        verb = "is" if count == 1 else "are"
        groups.append(Group(kept, count, path, f"{whom.some(count)} {verb} out {reason}"))
        left ^= kept
    if not total:
        return WhySet(total, out, (), "the set has no node")
    if not groups:
        sentence = f"{whom.some(total)} {'matches' if total == 1 else 'match'}"
        return WhySet(total, out, (), sentence)
    told = groups if len(groups) <= SAID + 1 else groups[:SAID]
    more = [f"{group.count:,} more {group.sentence.partition(' out ')[2]}" for group in told[1:]]
    others = sum(group.count for group in groups[len(told) :])
    if others:
        more.append(f"{others:,} more for other reasons")
    return WhySet(total, out, tuple(groups), "; ".join((groups[0].sentence, *more)))


def _whom(explanation: Explanation, mask: int, total: int) -> _Whom:
    """The property that describes a set of nodes: of the constraint, or else of the cluster."""
    if mask in (explanation.everything, 0):
        return _Whom(total)
    for part in conditions(explanation.logic):
        term = part.parts[0] if part.kind == "not" else part
        is_property = term.kind == "term" and isinstance(term.constraint, Properties)
        if is_property and part.mask == mask:
            said = predicate(part)
            word = said.removeprefix("in ")
            return _Whom(total, f"nodes {said}" if word == said else f"{word} nodes", said, part)
    named = explanation.resources.properties.items()
    found = (_Whom(total, f"{name} nodes", f"in {name}") for name, own in named if own == mask)
    return next(found, _Whom(total))


def _because(step: Matched, group: int, count: int, whom: _Whom) -> str:
    said = phrase(_reasons(step, group, holds=False))
    if not said:
        return "nothing can match this constraint"
    if said != whom.said:
        return f"{'it is' if count == 1 else 'they are'} {said}"
    # That the gpu nodes are in gpu explains nothing.
    wanted = quoted(step.constraint)
    if whom.part is None:
        return f"{wanted} has to hold"
    return f"no node can satisfy both {quoted(whom.part.constraint)} and {wanted}"
