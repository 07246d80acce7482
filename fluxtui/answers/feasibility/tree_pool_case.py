"""A request and the nodes that it may use, with their topologies (RFC 49), as TreePool sees it.

A slot has one whole domain, or cores and gpus of one. Equal nodes are handled as one group.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import groupby
from operator import or_
from typing import Any

from fluxtui.answers.feasibility import sched_simple_reading as reading
from fluxtui.answers.feasibility.feasibility import (
    CONSTRAINT,
    Nearest,
    Placement,
    Share,
    amount,
    bisect,
    jobs_at_once,
    lowered,
    number,
    placement_of,
)
from fluxtui.answers.feasibility.sched_simple import Lowerable, holding, unsupported, with_counts
from fluxtui.answers.feasibility.sched_simple_reading import Request
from fluxtui.model.jobspec.request import RequestVertex, parse
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.topology import MAX_ID, Domain
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.bits import has, less, lowest
from fluxtui.notation.sets.idset import IdSet, from_mask, to_mask

#: The ids of cores and gpus that a topology may have.
_NODE_LOCAL = IdSet.between(0, MAX_ID)

#: Cores and gpus of one node, as masks over their ids.
Parts = tuple[int, int]


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes with the same cores, gpus and topology.

    levels  domains as cores and gpus, by level, the innermost first, the whole node last
    """

    mask: int
    cores: int
    gpus: int
    levels: tuple[tuple[Parts, ...], ...]
    node: Domain

    @property
    def size(self) -> tuple[int, int]:
        """The key by which nodes are sorted: the numbers of cores and gpus."""
        return self.cores.bit_count(), self.gpus.bit_count()

    def inner(self, outer: int) -> tuple[tuple[Parts, ...], ...]:
        """Return the levels without the ``outer`` outermost, but at least the innermost."""
        return self.levels[:-outer] or self.levels[:1]

    def name_inside(self, outer: int) -> str:
        """Return the name of the outermost domains of `inner`; empty for the whole node."""
        groups = self.inner(outer)[-1]
        inside = [one for one in self.node.walk() if one is not self.node]
        return next((one.name for one in inside[::-1] if _parts(one) in groups), "")


def _parts(domain: Domain) -> Parts:
    return to_mask(domain.all_cores), to_mask(domain.all_gpus)


def _levels(domain: Domain) -> tuple[list[list[Parts]], Parts]:
    """Return the domains by level, the innermost first, and everything in them.

    A level equal to the one below is left out; gpus count only if their domain lists cores too.
    """
    if domain.cores or "cores" in domain.empty:
        own = to_mask(domain.cores), to_mask(domain.gpus)
        return [[own]], own
    below = [*map(_levels, domain.domains)]
    merged = [
        [parts for levels, _ in below if depth < len(levels) for parts in levels[depth]]
        for depth in range(max((len(levels) for levels, _ in below), default=0))
    ]
    whole = _union(parts for _, parts in below)
    if whole[0] and not (merged and set(merged[-1]) == {whole}):
        merged.append([whole])
    return merged, whole


def _union(parts: Iterable[Parts]) -> Parts:
    cores = gpus = 0
    for one in parts:
        cores, gpus = cores | one[0], gpus | one[1]
    return cores, gpus


def named(domain: Domain, name: str) -> list[Parts]:
    """Return the domains with a locality name, from the first level that has any.

    TreePool treats storage as empty domains.
    """
    if name == "storage" and domain.storage:
        return [(0, 0)] * len(domain.storage)
    if name in domain.empty:
        return []
    found = [_parts(inner) for inner in domain.domains if inner.name == name]
    if found:
        return found
    return [parts for inner in domain.domains for parts in named(inner, name)]


@lru_cache(maxsize=4)
def _all_groups(resources: Resources) -> tuple[NodeGroup, ...]:
    """Return all nodes in groups, best fit first; cached for the most recent resources.

    Of topologies with the same levels TreePool uses the first, even if the others have other names.
    """
    first: dict[tuple[tuple[Parts, ...], ...], Domain] = {}
    found = []
    for one in resources.topologies:
        levels = tuple(map(tuple, _levels(one.node)[0]))
        node = first.setdefault(levels, one.node)
        for kind in resources.kinds:
            if indices := one.indices & kind.indices:
                parts = to_mask(kind.cores & _NODE_LOCAL), to_mask(kind.gpus & _NODE_LOCAL)
                found.append(NodeGroup(to_mask(indices), *parts, levels, node))
    return tuple(sorted(found, key=lambda group: group.size))


def names_inside(resources: Resources, allowed: int) -> tuple[str, ...]:
    """Return the names of the domains inside these nodes, outermost first."""
    some = [one.node.counts for one in _all_groups(resources) if one.mask & allowed]
    some.sort(key=len, reverse=True)  # the node with most names shows their nesting best
    return tuple(dict.fromkeys(name for counts in some for name in counts))


def _taken(group: NodeGroup, request: Request, free: Parts, most: int | None) -> tuple[Parts, int]:
    """Return what a node gives of its free parts, and for how many slots, at most ``most``."""
    if request.domain:
        return _whole_domains(named(group.node, request.domain), free, most)
    size = request.cores.least, request.gpus.least
    if not request.exclusive:
        return _slots(group.levels, free, size, most)
    return _on_whole_node(group.levels, free, size, most) if size[0] else (free, 1)


def _slots(
    levels: Sequence[Sequence[Parts]], free: Parts, size: Parts, most: int | None
) -> tuple[Parts, int]:
    """Allocate slots with so many cores and gpus."""
    return (_of_both if size[1] else _of_cores)(levels, free, size, most)


def _on_whole_node(
    levels: Sequence[Sequence[Parts]], free: Parts, size: Parts, most: int | None
) -> tuple[Parts, int]:
    """Do the same on a whole node, of whose innermost domains R may have less (an allocated R).

    TreePool assumes that each of them is free, even if it shares cores with another.
    """
    each = [_slots([[one]], one, size, None) for one in levels[0]]
    taken, slots = _union(parts for parts, _ in each), sum(count for _, count in each)
    if (most is not None and slots >= most) or (slots and not size[1]):
        return taken, slots if most is None else min(slots, most)
    left = less(free[0], taken[0]), less(free[1], taken[1])
    more, others = _slots(levels[1:], left, size, None if most is None else most - slots)
    return _union((taken, more)), slots + others


def _whole_domains(groups: Sequence[Parts], free: Parts, most: int | None) -> tuple[Parts, int]:
    """Allocate whole domains of which nothing is in use."""
    found = [one for one in groups if not less(one[0], free[0]) and not less(one[1], free[1])]
    found = found[:most]
    return _union(found), len(found)


def _of_cores(
    levels: Sequence[Sequence[Parts]], free: Parts, size: Parts, most: int | None
) -> tuple[Parts, int]:
    """Allocate slots of cores from the innermost level with room for one, fullest domain first."""
    each, left, taken, slots = size[0], free[0], 0, 0
    for groups in levels:
        fits = sorted((left & cores for cores, _ in groups), key=int.bit_count)
        if not fits or fits[-1].bit_count() < each:
            continue
        for group in fits:
            available = group & left
            count = available.bit_count() // each
            count = count if most is None else min(count, most - slots)
            found = lowest(available, count * each)
            taken, left, slots = taken | found, less(left, found), slots + count
        break
    return (taken, 0), slots


def _of_both(
    levels: Sequence[Sequence[Parts]], free: Parts, size: Parts, most: int | None
) -> tuple[Parts, int]:
    """Allocate slots with cores and gpus of one domain, from inner levels before outer ones."""
    cores, gpus = free
    taken, slots = (0, 0), 0
    for own_cores, own_gpus in (group for groups in levels for group in groups):
        available = cores & own_cores, gpus & own_gpus
        count = min(available[0].bit_count() // size[0], available[1].bit_count() // size[1])
        count = count if most is None else min(count, most - slots)
        found = lowest(available[0], count * size[0]), lowest(available[1], count * size[1])
        cores, gpus = less(cores, found[0]), less(gpus, found[1])
        taken, slots = (taken[0] | found[0], taken[1] | found[1]), slots + count
    return taken, slots


def _below(group: Sequence[tuple[NodeGroup, int]], stop: int) -> int:
    """Return the total worth of the nodes with indices below stop."""
    below = (1 << stop) - 1
    return sum((one.mask & below).bit_count() * worth for one, worth in group)


def _prefix(group: Sequence[tuple[NodeGroup, int]], most: int, nodes: int) -> int:
    """Return the largest index such that the nodes below it are worth no more than most."""
    (one, worth), *others = group
    if not others:
        rest = one.mask ^ lowest(one.mask, most // worth)
        return (rest & -rest).bit_length() - 1 if rest else nodes
    return bisect(lambda stop: _below(group, stop) <= most, nodes) or 0


@dataclass(frozen=True, slots=True)
class Case:
    """A request and the nodes that it may use, in groups, best fit first."""

    request: Request
    resources: Resources
    allowed: int
    groups: tuple[NodeGroup, ...]

    @classmethod
    def of(cls, request: Request, resources: Resources, allowed: int) -> "Case":
        """Return the case of a request and a mask of nodes."""
        found = (replace(one, mask=one.mask & allowed) for one in _all_groups(resources))
        return cls(request, resources, allowed, tuple(one for one in found if one.mask))

    @classmethod
    def read(cls, resources: object, known: Resources, allowed: int) -> "Case | None":
        """Return the case of a resources list; None if TreePool does not read it as it is meant."""
        parsed = reading.read_tree_plain(parse(resources))
        return None if parsed is None else cls.of(parsed, known, allowed)

    @property
    def taken(self) -> "Case":
        """The case with only the nodes that TreePool takes."""
        return self.of(self.request, self.resources, self.place().mask)

    def is_local(self, outer: int) -> bool:
        """Whether it fits with no slot in a domain of the ``outer`` outermost levels.

        Levels count from the node inwards, as nodes may differ in how many they have; each has one.
        """
        if not self.fits:
            return False
        taken = self.taken
        inner = (replace(one, levels=one.inner(outer)) for one in taken.groups)
        return replace(taken, groups=tuple(inner)).fits

    @property
    def each(self) -> int:
        """The number of slots per node, if the request has nodes."""
        return self.request.slots.least

    def slots_on(self, one: NodeGroup, most: int | None = None) -> int:
        """Return how many slots a node gives to one job."""
        cores, gpus = self.request.cores.least, self.request.gpus.least
        too_few = one.cores.bit_count() < cores and not self.request.exclusive
        if too_few or one.gpus.bit_count() < gpus:
            return 0
        return _taken(one, self.request, (one.cores, one.gpus), most)[1]

    def eligible(self) -> int:
        """Return the nodes that give all slots requested per node, as a mask."""
        fits = (one.mask for one in self.groups if self.slots_on(one, self.each) >= self.each)
        return reduce(or_, fits, 0)

    def slots(self) -> int:
        """Return how many slots all nodes give."""
        return sum(self.slots_on(one) * one.mask.bit_count() for one in self.groups)

    @property
    def starts(self) -> bool:
        """Whether TreePool starts it on these nodes if nothing else runs."""
        if self.request.listed is not None:
            return False
        if self.request.nodes is not None:
            return self.eligible().bit_count() >= self.request.nodes.least
        return self.slots() >= self.request.slots.least

    @property
    def gives_less(self) -> bool:
        """Whether it starts on whole nodes of which some have less than requested."""
        size = self.request.cores.least, self.request.gpus.least
        if not self.request.exclusive or self.request.domain or not size[0] or not self.starts:
            return False
        each = self.each
        return any(
            _slots(one.levels, (one.cores, one.gpus), size, each)[1] < each
            for one in self.taken.groups
        )

    @property
    def fits(self) -> bool:
        """Whether it starts with everything that it requests."""
        return self.starts and not self.gives_less

    # Where it runs

    def place(self) -> Placement:
        """Return the nodes that TreePool takes first, up to the maximum of the request."""
        return placement_of(self._shares())

    def _shares(self) -> Iterator[Share]:
        request = self.request
        wanted = request.nodes or request.slots
        available = self.eligible().bit_count() if request.nodes is not None else self.slots()
        left = available if wanted.most is None else min(wanted.most, available)
        for _, same in groupby(self.groups, key=lambda one: one.size):
            group = [(one, self._worth(one)) for one in same]
            group = [(one, worth) for one, worth in group if worth]
            if not left or not group:
                continue
            stop = _prefix(group, left, self.resources.node_count)
            for one, worth in group:
                if full := one.mask & ((1 << stop) - 1):
                    yield self._share(one, full, worth)
            left -= _below(group, stop)
            if left and stop < self.resources.node_count:  # a part of one more node is needed
                last = next(one for one, _ in group if has(one.mask, stop))
                yield self._share(last, 1 << stop, left)
                left = 0

    def _worth(self, one: NodeGroup) -> int:
        """Return what a node is worth: 1, or its slots if no nodes are requested; 0 if unused."""
        if self.request.nodes is None:
            return self.slots_on(one)
        return int(self.slots_on(one, self.each) >= self.each)

    def _share(self, one: NodeGroup, mask: int, worth: int) -> Share:
        most = worth if self.request.nodes is None else self.each
        cores, gpus = one.cores, one.gpus
        if not self.request.exclusive or self.request.domain:
            (cores, gpus), _ = _taken(one, self.request, (one.cores, one.gpus), most)
        return Share(mask, from_mask(cores), from_mask(gpus))

    # How much more, how much less

    def jobs(self) -> int:
        """Return how many equal jobs fit at once, with nodes packed as well as possible."""
        if self.request.nodes is None:
            slots = sum(self._jobs_on(one, 1) * one.mask.bit_count() for one in self.groups)
            return max(slots, self.slots()) // self.request.slots.least
        by_jobs: dict[int, int] = {}
        for one in self.groups:
            jobs = self._jobs_on(one, self.each)
            by_jobs[jobs] = by_jobs.get(jobs, 0) + one.mask.bit_count()
        return jobs_at_once(by_jobs.items(), self.request.nodes.least)

    def _jobs_on(self, one: NodeGroup, each: int) -> int:
        """Return how many jobs with ``each`` slots a node takes one after the other."""
        if self.request.exclusive:
            return self._worth(one)
        free, jobs = (one.cores, one.gpus), 0
        while True:  # at most once for each level, as the next job goes to an outer one
            taken, slots = _taken(one, self.request, free, None)
            jobs += slots // each
            if not any(taken) or slots % each or self.request.domain or self.request.gpus.least:
                return jobs
            free = less(free[0], taken[0]), less(free[1], taken[1])

    def largest(self) -> Iterator[tuple[str, int]]:
        """Yield the largest count of each range, by the path of the count."""
        nodes, slots = self.request.nodes, self.request.slots
        if nodes is not None and nodes.ranged:
            available = self.eligible().bit_count()
            yield nodes.path, min(available, nodes.most or available)
        elif nodes is None and slots.ranged:
            available = self.slots()
            yield slots.path, min(available, slots.most or available)

    def nearest(self, vertices: Sequence[RequestVertex], *, local: int = 0) -> Nearest | None:
        """Return the nearest request that starts; of equal changes nodes go before slots and cores.

        With local, it is one that `is_local` so far in, with more than half of the cores.
        """
        request = self.request
        if request.nodes is not None and request.nodes.path == request.slots.path:
            return None  # the slots are whole nodes
        names = [
            ("nodes", "node", 1),
            ("slots", "slot", 1),
            ("cores", "core", 1),
            ("gpus", "gpu", 0),
        ]
        if local:
            names = [("cores", "core", request.cores.least // 2 + 1)]
        # The counts as written, since the parsed ones may have been multiplied by outer counts.
        lowerable = [
            Lowerable(name, noun, reading.read_count(count.written, count.path), floor)
            for name, noun, floor in names
            if (count := getattr(request, name)) is not None and count.path
        ]

        def rewritten(found: Mapping[int, int]) -> list[dict[str, Any]]:
            written = {lowerable[at].count.path: lowerable[at].written(found[at]) for at in found}
            return with_counts(vertices, written)

        def fits(found: Mapping[int, int]) -> bool:
            case = Case.read(rewritten(found), self.resources, self.allowed)
            return case is not None and (case.is_local(local) if local else case.fits)

        bounds = [(one.floor, one.count.least) for one in lowerable]
        found = lowered(dict[int, int](), bounds, lambda so_far, at, n: {**so_far, at: n}, fits)
        if not found:
            return None
        words = "; ".join(lowerable[at].change(count) for at, count in sorted(found.items()))
        return Nearest(tuple(rewritten(found)), words)

    # Why not

    def refusal(self) -> str:
        """Return TreePool's error text for a request that it calls unsatisfiable; else nothing."""
        request = self.request
        if request.listed is not None:
            return unsupported(request, request.listed)[0]
        try:
            shortage = self._missing_domains() if request.domain else self._missing_parts()
        except ValueError as error:  # a number with more digits than Python writes
            return str(error)
        return shortage and f"unsatisfiable request: {shortage}"

    def _missing_domains(self) -> str:
        """Return which whole domains are missing, in TreePool's words."""
        nodes, name = self.request.nodes, self.request.domain
        counts = [(len(named(one.node, name)), one.mask.bit_count()) for one in self.groups]
        if nodes is not None:
            found = sum(many for count, many in counts if count >= self.each)
            if found >= nodes.least:
                return ""
            wanted = f"{self.each} exclusive '{name}' container(s)"
            return f"need {nodes.least} node(s) with {wanted} each, only {found} eligible"
        found, least = sum(count * many for count, many in counts), self.request.slots.least
        if found >= least:
            return ""
        return f"need {least} exclusive '{name}' container(s), only {found} available"

    def _missing_parts(self) -> str:
        """Return which cores and gpus are missing, in TreePool's words; it ignores domains here."""
        request = self.request
        cores, gpus = request.cores.least, request.gpus.least
        sizes = [(*one.size, one.mask.bit_count()) for one in self.groups]
        nodes = request.nodes.least if request.nodes is not None else 0
        if request.exclusive:
            found, wanted = sum(n for c, g, n in sizes if c >= cores and g >= gpus), max(nodes, 1)
            if found >= wanted:
                return ""
            return f"need {wanted} exclusive node(s), only {found} eligible"
        if nodes:
            cores, gpus = self.each * cores, self.each * gpus
            found = sum(n for c, g, n in sizes if c >= cores and g >= gpus)
            if found >= nodes:
                return ""
            more = f" and {gpus} GPUs" if gpus else ""
            return f"need {nodes} node(s) with {cores} cores{more} each, only {found} eligible"
        wanted, found = request.slots.least, sum(c // cores * n for c, _, n in sizes)
        if found < wanted:
            total = sum(c * n for c, _, n in sizes)
            return (
                f"need {wanted} slot(s) of {cores} core(s), only {found} such slot(s) available "
                f"(total cores: {total})"
            )
        found = sum(min(c // cores, g // gpus) * n for c, g, n in sizes) if gpus else wanted
        if found >= wanted:
            return ""
        total = sum(g * n for _, g, n in sizes)
        return (
            f"need {wanted} slot(s) with {gpus} GPU(s) each, only {found} available "
            f"(total GPUs: {total})"
        )

    def reasons(self) -> Iterator[Problem]:
        """Yield what is missing if the request does not start, from one node up to all of them."""
        request, nodes = self.request, self.request.nodes
        total, left = self.resources.node_count, self.allowed.bit_count()
        if request.listed is not None:
            yield unsupported(request, request.listed)[1]
            return
        if not left:
            message = f"none of the cluster's {number(total)} nodes meets the constraint"
            yield Problem(message, None, CONSTRAINT)
            return
        if self.gives_less:
            wanted = f"{amount('slot', self.each)} of {self.holding()}"
            fewest = min(one.cores.bit_count() for one in self.taken.groups)
            message = f"needs nodes with {wanted}; TreePool gives whole nodes that have less"
            where = nodes.path if nodes is not None else request.slots.path
            yield Problem(f"{message}, such as one of {amount('core', fewest)}", None, where)
            return
        most = max((self.slots_on(one) for one in self.groups), default=0)
        held, path = self.holding(), (request.cores.path or request.slots.path)
        if request.domain and not any(named(one.node, request.domain) for one in self.groups):
            inside = sorted({name for one in self.groups for name in one.node.counts})
            but = f", but {', '.join(inside)}" if inside else ""
            message = f"no {request.domain} inside nodes{but}"
            yield Problem(message, None, request.domain_path, tuple(inside))
        elif request.gpus.least > (gpus := max((one.size[1] for one in self.groups), default=0)):
            wanted = amount("gpu", request.gpus.least)
            message = f"needs {wanted} on one node; the largest has {gpus}"
            yield Problem(message, None, request.gpus.path)
        elif request.domain and not most:
            message = f"needs {held}; {self._most_of_one()}"
            yield Problem(message, None, request.domain_path)
        elif not most or (nodes is not None and most < self.each):
            wanted = f"{held} on one node"
            if nodes is not None and self.each > 1:
                wanted = f"{amount('slot', self.each)} on one node, each of {held}"
            room = f"the largest has room for {amount('slot', most)}"
            message = f"needs {wanted}; {room if most else 'no node has room for that'}"
            yield Problem(message, None, path if not most else request.slots.path)
        elif nodes is not None:
            found = self.eligible().bit_count()
            message = f"needs {amount('node', nodes.least)}, each with {held}"
            there = f"{number(found)} of {number(left)} {'has' if found == 1 else 'have'} it"
            if found == left:
                be = "is" if left == 1 else "are"
                there = f"{number(left)} of {number(total)} {be} eligible"
                there = f"the cluster has {number(left)}" if left == total else there
            yield Problem(f"{message}; {there}", None, nodes.path)
        else:
            message = f"needs {amount('slot', request.slots.least)} of {held}"
            there = number(self.slots())
            yield Problem(f"{message}; there is room for {there}", None, request.slots.path)
        if not self.refusal() and not self.starts:
            plain = request.exclusive or request.domain
            why = "" if plain else ": slots come from domains of one level"
            yield Problem(f"TreePool accepts it as satisfiable but never starts it{why}")

    def _most_of_one(self) -> str:
        """Return how much of a domain R has, if it has no complete one (an allocated R)."""
        parts = (
            (size[0] & one.cores, size[1] & one.gpus, size)
            for one in self.groups
            for size in named(one.node, self.request.domain)
        )
        cores, gpus, size = max(parts, key=lambda part: (part[0].bit_count(), part[1].bit_count()))
        pairs = (("core", cores, size[0]), ("gpu", gpus, size[1]))
        has_ = [
            f"{number(own.bit_count())} of {amount(kind, whole.bit_count())}"
            for kind, own, whole in pairs
            if own != whole
        ]
        return f"R has at most {' and '.join(has_)} of one"

    def holding(self) -> str:
        """Return what a slot has: ``8 cores and 1 gpu``, ``a whole socket``."""
        request = self.request
        if request.domain:
            return f"a whole {request.domain}"
        if not request.cores.least:
            return "all of it"
        return holding(request.cores.least, request.gpus.least)
