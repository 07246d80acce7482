"""Why a node is in or out, and what keeps a set of nodes out (RFC 31)."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from fluxtui.answers.explain.explanation import Explanation, Part, quoted
from fluxtui.answers.explain.wording import Claim, is_property, phrase, predicate
from fluxtui.answers.matching import Matched
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import has, less

#: Reasons for which the nodes of a set are out, each with those it keeps out; what is left is one.
MOST = 50
#: Reasons that one sentence names.
SAID = 4


@dataclass(frozen=True, slots=True)
class Why:
    """Why one node matches or does not.

    index      its rank index
    name       its host, with its rank where other nodes share the host; else its rank
    matches    the whole constraint holds for it
    holds      each part of the constraint, in order, and whether it holds for the node
    sentence   what keeps the node out, or what lets it in, without a full stop
    paths      the terms that decide, in the RFC 31 object
    """

    index: int
    rank: int
    host: str
    name: str
    matches: bool
    holds: tuple[tuple[Part, bool], ...]
    sentence: str
    paths: tuple[str, ...]


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

    total     how many nodes the set has
    out       those of them that do not match, as a mask
    groups    the same, each once, under what keeps most of them out; the largest group first, and
              behind ``MOST`` of them all others as one, whose path is that of the whole
    sentence  all of it in one sentence, without a full stop
    """

    total: int
    out: int
    groups: tuple[Group, ...]
    sentence: str


def why(explanation: Explanation, index: int) -> Why:
    """Why the node with this rank index is in or out; IndexError where there is none."""
    resources = explanation.resources
    rank, host = resources.rank(index), resources.host(index)
    holds = tuple((part, has(part.mask, index)) for part in explanation.root.walk())
    matches = holds[0][1]
    found = reasons(explanation.logic, 1 << index, matches)
    name = _name(rank, host, resources)
    said = phrase(found)
    sentence = f"{name} {'matches' if matches else 'is out'}: "
    sentence += f"it is {said}" if said else _nothing(matches)
    paths = tuple(dict.fromkeys(path for claim in found for path in _terms(claim)))
    return Why(index, rank, host, name, matches, holds, sentence, paths)


def _nothing(matches: bool) -> str:
    return "nothing is asked of it" if matches else "nothing can match this constraint"


def _name(rank: int, host: str, resources: Resources) -> str:
    if not host:
        return f"rank {rank}"
    shared = resources.indices_of_host(host).bit_count() > 1
    return f"{host} (rank {rank})" if shared else host


def _terms(claim: Claim) -> Iterator[str]:
    return (part.path for part in claim.part.walk() if part.kind == "term")


def reasons(part: Matched, group: int, holds: bool) -> list[Claim]:
    """What decides that a part holds for every node of a group, or for none of them.

    Of an ``and`` that fails the operands that fail, of an ``or`` that holds the first operand that
    does. Where the nodes of the group have different reasons the claim is the part itself.
    """
    if part.kind == "term":
        return [Claim(part, holds)]
    if part.kind == "not":
        return reasons(part.parts[0], group, not holds)
    if holds is (part.kind == "and"):
        return [claim for inner in part.parts for claim in reasons(inner, group, holds)]
    if holds:
        deciding = [inner for inner in part.parts if not less(group, inner.mask)]
        deciding = sorted(deciding, key=lambda inner: inner.kind not in ("term", "not"))[:1]
    else:
        deciding = [inner for inner in part.parts if not group & inner.mask]
    found = [claim for inner in deciding for claim in reasons(inner, group, holds)]
    return found if deciding else [Claim(part, holds)]


@dataclass(frozen=True, slots=True)
class _Whom:
    """What the nodes of a set are called: ``gpu nodes``, ``nodes not in debug``, ``nodes``.

    said  what the name says of each of them: ``in gpu``; empty where it says nothing
    part  the part of the constraint that asks for just these; None where none does
    """

    name: str = "nodes"
    said: str = ""
    part: Matched | None = None


def why_set(explanation: Explanation, mask: int) -> WhySet:
    """What keeps the nodes of a set out, as few reasons as tell it all."""
    mask &= explanation.everything
    out = less(mask, explanation.mask)
    total = explanation.total if mask == explanation.everything else mask.bit_count()
    whom = _whom(explanation, mask)
    groups: list[Group] = []
    left = out
    for step, kept, count in _grouped(explanation, out):
        if len(groups) == MOST:
            others = left.bit_count()
            sentence = f"{_are_out(others, total, whom)} for other reasons"
            groups.append(Group(left, others, explanation.logic.path, sentence))
            break
        sentence = f"{_are_out(count, total, whom)} because {_because(step, kept, count, whom)}"
        groups.append(Group(kept, count, step.path, sentence))
        left = less(left, kept)
    return WhySet(total, out, tuple(groups), _all_said(groups, total, whom))


def _grouped(explanation: Explanation, out: int) -> Iterator[tuple[Matched, int, int]]:
    """Each node that is out under the step that keeps most of those left out, and their number.

    A step is counted again only while it may be the one: what it kept out before, or keeps out of
    all nodes, is the most that it keeps out now.
    """
    part, total = explanation.logic, explanation.total
    steps = list(part.parts) if part.kind == "and" else [part]
    alone = {part.path: part.alone for part in explanation.funnel}
    waiting = [(alone.get(step.path, 0) - total, at) for at, step in enumerate(steps)]
    heapify(waiting)
    while out:
        _, at = heappop(waiting)
        kept = less(out, steps[at].mask)
        count = kept.bit_count()
        if waiting and (-count, at) > waiting[0]:
            heappush(waiting, (-count, at))
        elif kept:
            yield steps[at], kept, count
            out ^= kept


def _whom(explanation: Explanation, mask: int) -> _Whom:
    """The property that describes a set of nodes: of the constraint, or else of the cluster."""
    if mask == explanation.everything or not mask:
        return _Whom()
    named: _Whom | None = None
    for part, inside in _within(explanation.logic, inside=False):
        negated = part.kind == "not" and part.parts[0].kind == "term"
        term = part.parts[0] if negated else part
        if part.mask == mask and term.kind == "term" and is_property(term.constraint):
            said = predicate(part)
            positive = said.startswith("in ")
            name = f"{said.removeprefix('in ')} nodes" if positive else f"nodes {said}"
            if not inside:
                return _Whom(name, said, part)
            named = named or _Whom(name, said)
    if named is not None:
        return named
    for name, nodes in explanation.resources.properties.items():
        if nodes == mask:
            return _Whom(f"{name} nodes", f"in {name}")
    return _Whom()


def _within(part: Matched, *, inside: bool) -> Iterator[tuple[Matched, bool]]:
    """A part and all below it, and whether each is within a ``not``."""
    yield part, inside
    for inner in part.parts:
        yield from _within(inner, inside=inside or part.kind == "not")


def _are_out(count: int, total: int, whom: _Whom) -> str:
    return f"{_amount(count, total, whom)} {'is' if count == 1 else 'are'} out"


def _because(step: Matched, group: int, count: int, whom: _Whom) -> str:
    said = phrase(reasons(step, group, holds=False))
    if not said:
        return "nothing can match this constraint"
    if said != whom.said:
        return f"{'it is' if count == 1 else 'they are'} {said}"
    # That the gpu nodes are in gpu explains nothing.
    wanted = quoted(step.constraint)
    if whom.part is None:
        return f"{wanted} has to hold"
    return f"no node can satisfy both {quoted(whom.part.constraint)} and {wanted}"


def _amount(count: int, total: int, whom: _Whom) -> str:
    """``37 of 48 gpu nodes``, ``all 48 gpu nodes``, ``both gpu nodes``, ``the only gpu node``."""
    name = whom.name
    if count < total:
        return f"{count:,} of {total:,} {name}"
    if total == 1:
        return f"the only {name.replace('nodes', 'node')}" if name != "nodes" else "the node"
    return f"both {name}" if total == 2 else f"all {total:,} {name}"


def _all_said(groups: list[Group], total: int, whom: _Whom) -> str:
    if not total:
        return "the set has no node"
    if not groups:
        return f"{_amount(total, total, whom)} {'matches' if total == 1 else 'match'}"
    told = groups if len(groups) <= SAID + 1 else groups[:SAID]
    more = [f"{group.count:,} more {group.sentence.partition(' out ')[2]}" for group in told[1:]]
    others = sum(group.count for group in groups[len(told) :])
    if others:
        more.append(f"{others:,} more for other reasons")
    return "; ".join((groups[0].sentence, *more))
