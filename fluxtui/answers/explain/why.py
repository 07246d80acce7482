"""Why a node is in or out, and what keeps a set of nodes out (RFC 31)."""

from collections.abc import Iterator
from dataclasses import dataclass

from fluxtui.answers.explain.clauses import Clause
from fluxtui.answers.explain.explanation import Explanation
from fluxtui.answers.explain.parts import Part
from fluxtui.answers.explain.words import Claim, is_property, phrase, predicate
from fluxtui.model.resource_set import Resources
from fluxtui.notation.bits import has, less


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
    groups    the same, each once, under what keeps most of them out; the largest group first
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
    holds = tuple((part, has(part.mask, index)) for _, part in explanation.root.walk())
    matches = holds[0][1]
    found = reasons(explanation.clause, 1 << index, matches)
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
    return (clause.path for clause in claim.clause.walk() if clause.kind == "term")


def reasons(clause: Clause, group: int, holds: bool) -> list[Claim]:
    """What decides that a clause holds for every node of a group, or for none of them.

    Of an ``and`` that fails the operands that fail, of an ``or`` that holds the first operand that
    does. Where the nodes of the group have different reasons the claim is the clause itself.
    """
    if clause.kind == "term":
        return [Claim(clause, holds)]
    if clause.kind == "not":
        return reasons(clause.clauses[0], group, not holds)
    if holds is (clause.kind == "and"):
        return [claim for inner in clause.clauses for claim in reasons(inner, group, holds)]
    if holds:
        deciding = [inner for inner in clause.clauses if not less(group, inner.mask)]
        deciding = sorted(deciding, key=lambda inner: inner.kind not in ("term", "not"))[:1]
    else:
        deciding = [inner for inner in clause.clauses if not group & inner.mask]
    found = [claim for inner in deciding for claim in reasons(inner, group, holds)]
    return found if deciding else [Claim(clause, holds)]


def why_set(explanation: Explanation, mask: int) -> WhySet:
    """What keeps the nodes of a set out, as few reasons as tell it all."""
    mask &= explanation.everything
    out = less(mask, explanation.mask)
    total = explanation.total if mask == explanation.everything else mask.bit_count()
    whom = _whom(explanation, mask)
    groups = tuple(
        Group(part, count, step.path, _sentence(step, part, count, total, whom))
        for step, part, count in _grouped(explanation.clause, out)
    )
    return WhySet(total, out, groups, _all_said(groups, total, whom))


def _grouped(clause: Clause, out: int) -> Iterator[tuple[Clause, int, int]]:
    """Each node that is out under the step that keeps most of those left out, and their number."""
    waiting = list(clause.clauses) if clause.kind == "and" else [clause]
    while out:
        counts = [less(out, step.mask).bit_count() for step in waiting]
        count = max(counts)
        at = counts.index(count)
        part = less(out, waiting[at].mask)
        yield waiting.pop(at), part, count
        out ^= part


def _whom(explanation: Explanation, mask: int) -> str:
    """``gpu nodes`` for a set that one property tells, ``nodes not in debug``; else ``nodes``."""
    if mask == explanation.everything or not mask:
        return "nodes"
    for clause in explanation.clause.walk():
        negated = clause.kind == "not" and clause.clauses[0].kind == "term"
        term = clause.clauses[0] if negated else clause
        if clause.mask == mask and term.kind == "term" and is_property(term.constraint):
            said = predicate(clause)
            positive = said.startswith("in ")
            return f"{said.removeprefix('in ')} nodes" if positive else f"nodes {said}"
    for name, nodes in explanation.resources.properties.items():
        if nodes == mask:
            return f"{name} nodes"
    return "nodes"


def _sentence(step: Clause, group: int, count: int, total: int, whom: str) -> str:
    return f"{_amount(count, total, whom)} {_are(count)} out because {_because(step, group, count)}"


def _because(step: Clause, group: int, count: int) -> str:
    said = phrase(reasons(step, group, holds=False))
    if not said:
        return "nothing can match this constraint"
    return f"{'it is' if count == 1 else 'they are'} {said}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _amount(count: int, total: int, whom: str) -> str:
    """``37 of 48 gpu nodes``, ``all 48 gpu nodes``, ``the only gpu node``."""
    if count < total:
        return f"{count:,} of {total:,} {whom}"
    if total == 1:
        return f"the only {whom.replace('nodes', 'node')}" if whom != "nodes" else "the node"
    return f"all {total:,} {whom}"


def _all_said(groups: tuple[Group, ...], total: int, whom: str) -> str:
    if not total:
        return "the set has no node"
    if not groups:
        return f"{_amount(total, total, whom)} {'matches' if total == 1 else 'match'}"
    more = (f"{group.count:,} more {group.sentence.partition(' out ')[2]}" for group in groups[1:])
    return "; ".join((groups[0].sentence, *more))
