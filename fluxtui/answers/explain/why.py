"""Explain in words why a node matches or not, and what keeps a set of nodes out (RFC 31)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from fluxtui.answers.explain.explanation import Explanation, Part, quoted
from fluxtui.answers.matching import Matched, conditions
from fluxtui.model.constraint.tree import Constraint, Hostlist, Properties, Ranks
from fluxtui.notation.problem import listed
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import has, less
from fluxtui.notation.sets.hostlist import Builder
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.sets.idset import format as format_ids

#: The most reasons to group the nodes of a set by; all further ones form one group.
MOST = 50
#: How many reasons one sentence gives.
SENTENCE_GROUPS = 4
#: How many conditions a sentence names; the others are counted.
CONDITIONS = 6
#: How many characters these may take; conditions after the first that exceed it are only counted.
LONGEST = 200
# How many ranges of hosts or of ranks are written out.
_RANGES = 30

#: A part, and whether it holds.
Claim: TypeAlias = tuple[Matched, bool]


# Phrases: ``not in batch``, ``in neither gpu nor bigmem``


def phrase(claims: Iterable[Claim]) -> str:
    """Return claims as a phrase to follow ``it is`` or ``they are``; it may be empty.

    Similar claims are combined: all hosts that a node is not form one list, and so do ranks.
    """
    items: dict[str, None] = {}
    without: dict[str, None] = {}
    apart: dict[type[Constraint], dict[tuple[str, ...], Hostlist | Ranks]] = {}
    for part, holds in dict.fromkeys(claims):
        constraint = part.constraint
        if part.kind != "term":
            inner_phrases = (predicate(inner, holds) for inner in part.parts)
            items[some(inner_phrases, "or", len(part.parts))] = None
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
    phrases = list(items)
    names = list(without)
    if len(names) == 2:
        phrases.append(f"in neither {names[0]} nor {names[1]}")
    elif names:
        several = len(names) > 1
        phrases.append(f"in none of {listed(few(names))}" if several else f"not in {names[0]}")
    phrases += [f"not {_noun([*terms.values()])}" for terms in apart.values()]
    if len(phrases) == 1:
        return phrases[0]
    # A phrase with "either" comes last, so that it is clear where it ends.
    plain = [item for item in phrases if " or " not in item]
    return some([*plain, *(f"either {item}" for item in phrases if " or " in item)])


def predicate(part: Matched, holds: bool = True) -> str:
    """Return a part as a predicate of a node: ``in gpu``, ``not among ranks 0-3``."""
    return phrase(_claims(part, holds)) or "there"


def _claims(part: Matched, holds: bool) -> Iterator[Claim]:
    """Split the claim that a part holds, or does not, into claims that must all be true."""
    if part.kind == "not":
        yield from _claims(part.parts[0], not holds)
    elif part.kind == ("and" if holds else "or"):
        for inner in part.parts:
            yield from _claims(inner, holds)
    else:
        yield part, holds


def some(items: Iterable[str], last: str = "and", count: int | None = None) -> str:
    """List the first of several conditions, and how many more there are; count is their total."""
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
        kept.append(f"{left:,} more")
    return listed(kept, last)


def few(names: Sequence[str]) -> list[str]:
    """Return the first of several names, followed by how many more there are."""
    more = len(names) - CONDITIONS
    return [*names[:CONDITIONS], *([f"{more:,} more"] if more > 0 else [])]


def _noun(terms: Sequence[Hostlist | Ranks]) -> str:
    """Name all hosts, or all ranks, of some terms; empty if the terms list none."""
    ids = [term.ids for term in terms if isinstance(term, Ranks)]
    if ids:
        what, union = "rank", IdSet.from_ranges(pair for one in ids for pair in one.ranges)
        text, count = format_ids(union, _RANGES), union.count
    else:
        out = Builder()
        for term in terms:
            for group in term.hosts.walk() if isinstance(term, Hostlist) else ():
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

    name      its host, with its rank if other nodes share the host; or only its rank
    holds     each part of the constraint, in order, and whether it holds for the node
    sentence  what keeps the node out, or what lets it in, without a full stop
    paths     the paths of the deciding terms in the RFC 31 object
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
    """Explain why the node with this rank index matches or not; IndexError outside."""
    resources = explanation.resources
    rank, host = resources.rank(index), resources.host(index)
    holds = tuple((part, has(part.mask, index)) for part in explanation.root.walk())
    matches = holds[0][1]
    reasons = _reasons(explanation.logic, 1 << index, matches)
    name = host or f"rank {rank}"
    if host and len(resources.host_index.places(host)) > 1:
        name = f"{host} (rank {rank})"
    nothing = "the constraint is empty" if matches else "nothing can match this constraint"
    words = phrase(reasons)
    verb = "matches" if matches else "does not match"
    sentence = f"{name} {verb}: {f'it is {words}' if words else nothing}"
    terms = (one for part, _ in reasons for one in part.walk() if one.kind == "term")
    paths = tuple(dict.fromkeys(one.path for one in terms))
    return Why(index, rank, host, name, matches, holds, sentence, paths)


def _reasons(part: Matched, group: int, holds: bool) -> list[Claim]:
    """Return the claims that decide that a part holds for every node of a group, or for none.

    For an ``and`` that fails these are the failing operands, for an ``or`` that holds the first
    operand that does. If the nodes of the group have different reasons it is the part itself.
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
    """Nodes that are out for one reason; path is that of a part that none of them satisfies."""

    mask: int
    count: int
    path: str
    sentence: str


@dataclass(frozen=True, slots=True)
class WhySet:
    """Why some of a set of nodes do not match.

    total   how many nodes the set has
    out     the mask of those that do not match
    groups  the same nodes, each in one group, by the part that keeps most of them out; the largest
            group first. After ``MOST`` groups all others form one, with the path of the whole
    """

    total: int
    out: int
    groups: tuple[Group, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class _Name:
    """How to refer to the nodes of a set: ``gpu nodes``, ``nodes not in debug``, ``nodes``.

    implies  what it says about each of them, such as ``in gpu``; empty if nothing
    part     the part of the constraint that selects exactly these nodes, if any
    """

    total: int
    name: str = "nodes"
    implies: str = ""
    part: Matched | None = None

    def some(self, count: int) -> str:
        """Return ``37 of 48 gpu nodes``, ``all 48 gpu nodes``, ``both nodes``, ``the node``."""
        name = self.name
        if count < self.total:
            return f"{count:,} of {self.total:,} {name}"
        if count == 1:
            return f"the only {name.replace('nodes', 'node')}" if name != "nodes" else "the node"
        return f"both {name}" if count == 2 else f"all {count:,} {name}"


def why_set(explanation: Explanation, mask: int) -> WhySet:
    """Explain what keeps the nodes of a set out, with few reasons that cover all of them."""
    mask &= explanation.everything
    out = left = less(mask, explanation.mask)
    total = explanation.total if mask == explanation.everything else mask.bit_count()
    whom = _set_name(explanation, mask, total)
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
    shown_groups = groups if len(groups) <= SENTENCE_GROUPS + 1 else groups[:SENTENCE_GROUPS]
    more = [f"{one.count:,} more {one.sentence.partition(' out ')[2]}" for one in shown_groups[1:]]
    others = sum(group.count for group in groups[len(shown_groups) :])
    if others:
        more.append(f"{others:,} more for other reasons")
    return WhySet(total, out, tuple(groups), "; ".join((groups[0].sentence, *more)))


def _set_name(explanation: Explanation, mask: int, total: int) -> _Name:
    """Name a set of nodes by a property of the constraint, or otherwise of the cluster."""
    if mask in (explanation.everything, 0):
        return _Name(total)
    for part in conditions(explanation.logic):
        term = part.parts[0] if part.kind == "not" else part
        is_property = term.kind == "term" and isinstance(term.constraint, Properties)
        if is_property and part.mask == mask:
            words = predicate(part)
            word = words.removeprefix("in ")
            return _Name(total, f"nodes {words}" if word == words else f"{word} nodes", words, part)
    named = explanation.resources.properties.items()
    found = (_Name(total, f"{name} nodes", f"in {name}") for name, own in named if own == mask)
    return next(found, _Name(total))


def _because(step: Matched, group: int, count: int, whom: _Name) -> str:
    words = phrase(_reasons(step, group, holds=False))
    if not words:
        return "nothing can match this constraint"
    if words != whom.implies:
        return f"{'it is' if count == 1 else 'they are'} {words}"
    # "gpu nodes are out because they are not in gpu" would explain nothing.
    wanted = quoted(step.constraint)
    if whom.part is None:
        return f"{wanted} has to hold"
    return f"no node can satisfy both {quoted(whom.part.constraint)} and {wanted}"
