"""Why Fluxion does not fit a request: a rule that it violates, or what is missing, in numbers.

Rules are about siblings, levels and exclusiveness, and do not depend on numbers. Problems have
paths in the request.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fluxtui.answers.feasibility.feasibility import CONSTRAINT, amount, plural_of, with_article
from fluxtui.answers.feasibility.fluxion.judge import Judge, can_form, visible
from fluxtui.answers.feasibility.fluxion.prepared_graph import (
    FILTERED,
    FilteredGraph,
    Levels,
    SubtreeClass,
)
from fluxtui.answers.feasibility.fluxion.reading import (
    RULE,
    Request,
    Requested,
    allocated,
    walk,
    words,
)
from fluxtui.notation.count import Range, describe
from fluxtui.notation.problem import Problem, Severity, at, listed


def problem(message: str, path: str, *expected: str, severity: Severity = "error") -> Problem:
    """Return a problem at a path in the request."""
    return Problem(message, None, path, expected, RULE, severity)


def why_not(filtered_graph: FilteredGraph, request: Request, judge: Judge) -> Sequence[Problem]:
    """Return why a request does not fit what a constraint leaves of a graph."""
    prepared, root = filtered_graph.prepared, filtered_graph.root
    graph = "the graph" if prepared.graph else "an R without a graph"
    found = list(_violations(request)) or _misplaced(request, prepared.levels, graph)
    if found:
        return found
    nodes, whole = prepared.filterable.filtered, prepared.classes[prepared.root]
    matching, total = (filtered_graph.selection & nodes).bit_count(), nodes.bit_count()
    if root is None or (total and not matching and judge.satisfied(whole, request)):
        nobody = "the only node does not satisfy"
        if total != 1:
            nobody = f"none of the cluster's {total:,} nodes satisfies"
        return [Problem(f"{nobody} the constraint", None, CONSTRAINT, (), "RFC 31")]
    shortage = _Shortage(judge, prepared.units, request, whole, root, matching < total)
    have = judge.available(root, request)
    return [problem for wanted in request for problem in shortage.of(wanted, have)]


def _violations(
    siblings: Request, parent: Requested | None = None, holder: str = ""
) -> Iterator[Problem]:
    """Yield what never fits on any graph; holder names an exclusive ancestor, if there is one."""
    slots = [wanted for wanted in siblings if wanted.is_slot]
    others = [wanted for wanted in siblings if not wanted.is_slot]
    if parent is None and len(slots) > 1:
        yield problem("two slots side by side at the top never fit (Fluxion)", slots[1].path)
    for wanted in siblings:
        if wanted.is_slot and others:
            kinds = listed([other.type for other in others])
            message = "a slot beside another resource never fits (Fluxion)"
            yield problem(f"{message}; put {kinds} into the slot", wanted.path)
        if wanted.is_slot and parent is not None and parent.is_slot:
            yield problem("a slot directly in a slot never forms (Fluxion)", wanted.path)
        if wanted.is_slot and not wanted.kids:
            yield problem("a slot with nothing in it never forms (Fluxion)", wanted.path)
        if not wanted.least:
            yield problem("a count of 0 never fits (Fluxion)", wanted.count_path)
        if holder and wanted.exclusive is False and not wanted.is_slot:
            message = f"exclusive is false below {holder}, which Fluxion never fits"
            yield problem(message, at(wanted.path, "exclusive"))
    seen: set[str] = set()
    for wanted in others:
        if wanted.type in seen:
            message = f"two siblings of type {wanted.type} never fit (Fluxion)"
            yield problem(message, wanted.path)
        seen.add(wanted.type)
    for wanted in siblings:
        exclusive = f"an exclusive {wanted.type}" if wanted.exclusive else ""
        yield from _violations(
            wanted.kids, wanted, holder or ("a slot" if wanted.is_slot else exclusive)
        )


def _misplaced(request: Request, levels: Levels, graph: str) -> list[Problem]:
    """Return what the graph does not have at all, or not there; graph is a noun phrase for it."""
    found: list[Problem] = []
    waiting: list[tuple[Requested, Requested | None]] = [(wanted, None) for wanted in request]
    kids = children(levels)
    while waiting:
        wanted, parent = waiting.pop()
        fault = None
        if wanted.is_slot:
            fault = _misplaced_slot(wanted, parent, levels, graph)
        elif wanted.type not in kids:
            fault = problem(f"{graph} has no {wanted.type}", at(wanted.path, "type"))
        elif parent is not None and not parent.is_slot and wanted.type not in kids[parent.type]:
            message = f"no {parent.type} of this graph has {with_article(wanted.type)} below it"
            way = "/".join(chain(levels, parent.type, [wanted.type]))
            if way:
                message = f"{wanted.type} is not a direct child of {parent.type} in this graph"
                message = f"{message}: write {way}"
            fault = problem(message, wanted.path, *filter(None, [way]))
        if fault is None:
            waiting.extend((kid, wanted) for kid in wanted.kids)
        else:
            found.append(fault)
    return sorted(found, key=lambda one: one.path or "")


def _misplaced_slot(
    slot: Requested, parent: Requested | None, levels: Levels, graph: str
) -> Problem | None:
    """Return the problem of a slot that has no vertex to form at; None if it has one."""
    kids = children(levels)
    for kid in slot.kids:
        if kid.type not in kids:
            return problem(f"{graph} has no {kid.type}", at(kid.path, "type"))
    types = sorted({kid.type for kid in slot.kids})
    what, places = listed(types), slot_places(slot, levels)
    if not places:
        message = f"no vertex of this graph has {what} among its children, so no slot forms"
        return problem(message, slot.path)
    if parent is None or parent.type in places or not kids[parent.type].isdisjoint(places):
        return None
    way = chain(levels, parent.type, places)
    if not way:
        message = f"no {parent.type} of this graph has {what} below it, as a slot needs"
        return problem(message, slot.path)
    written = "/".join((*way, "slot"))
    message = (
        f"a slot forms at {parent.type} or one level below it, and {what} "
        f"{'is' if len(types) == 1 else 'are'} deeper in this graph: write {written}"
    )
    return problem(message, slot.path, written)


def children(levels: Levels) -> dict[str, set[str]]:
    """Return the types of the children of each type."""
    found: dict[str, set[str]] = {}
    for kind, kids in levels:
        found.setdefault(kind, set()).update(kids)
    return found


def chain(levels: Levels, top: str, bottoms: Iterable[str]) -> tuple[str, ...]:
    """Return the types from ``top`` down to the nearest of others; empty without such a path."""
    kids = children(levels)
    ways = []
    for bottom in bottoms:
        waiting: list[tuple[str, ...]] = [(top,)]
        seen: set[str] = set()
        for way in waiting:
            below = kids.get(way[-1], set())
            if bottom in below:
                ways.append((*way, bottom))
                break
            waiting.extend((*way, kind) for kind in sorted(below - seen))
            seen |= below
    return min(ways, key=len, default=())


def slot_places(slot: Requested, levels: Levels) -> list[str]:
    """Return the types of the vertices at which a slot can form, sorted."""
    types = {kid.type for kid in slot.kids}
    return sorted({kind for kind, inner in levels if types <= inner})


def quirks(request: Request) -> list[Problem]:
    """Return warnings where Fluxion reads only the last of several sibling slots."""
    found = []
    for wanted in walk(request):
        if len(wanted.kids) > 1 and all(kid.is_slot for kid in wanted.kids):
            slots = f"the {len(wanted.kids)} slots side by side"
            message = f"of {slots}, Fluxion counts and allocates only the last"
            found.append(problem(message, wanted.kids[0].path, severity="warning"))
    return found


def shared(siblings: Request) -> list[Problem]:
    """Return warnings about what is neither in a slot nor exclusive, and so not allocated."""
    found: list[Problem] = []
    given = allocated(siblings)
    for wanted in siblings:
        if wanted not in given:
            message = (
                f"{wanted.type} is neither in a slot nor exclusive: Fluxion requires it but "
                "does not allocate it to the job"
            )
            found.append(problem(message, wanted.path, "exclusive: true", severity="warning"))
        elif not wanted.is_slot and wanted.exclusive is not True:
            found += shared(wanted.kids)
    return found


def forgotten(request: Request, levels: Levels) -> Problem:
    """Return the warning about a slot that Fluxion matches one level lower, but never allocates."""
    kids, where, written = children(levels), request[0].path, ""
    for wanted in walk(request):
        if wanted.kids and wanted.kids[0].is_slot:
            slot = wanted.kids[0]
            lower = [kind for kind in slot_places(slot, levels) if kind in kids[wanted.type]]
            if lower:
                where, written = slot.path, f"{wanted.type}/{lower[0]}/slot"
                break
    message = (
        "Fluxion calls this satisfiable but allocates nothing for it, as the slot forms one "
        f"level below where it is written: write {written}"
    )
    return problem(message, where, written, severity="warning")


@dataclass(frozen=True, slots=True)
class _Shortage:
    """A request and a graph that it does not fit; finds the level at which something is missing.

    whole is the class of the graph, seen that of what the constraint leaves, if constrained.
    """

    judge: Judge
    units: Mapping[str, str]
    request: Request
    whole: SubtreeClass
    seen: SubtreeClass
    constrained: bool

    def _units_of(self, kind: str) -> int:
        """Return how many units of a type the graph has."""
        own = self.whole.size if self.whole.type == kind else 0
        return self.whole.below.get(kind, 0) + own

    def _needs(self, wanted: Requested) -> str:
        return f"needs {amount(wanted.type, wanted.least, self.units)}"

    def of(self, wanted: Requested, found: Mapping[str, int]) -> list[Problem]:
        """Return what is missing for a top-level resource; found has available units by type."""
        have = found.get(wanted.type, 0)
        if have >= wanted.least:
            return []
        there = visible(self.seen, self.request)[wanted.type]
        if wanted.is_slot:
            return self._slots(wanted, there, have)
        total = _sum(there.items())
        if total < wanted.least:
            message = f"{self._needs(wanted)}; {self._too_few(wanted, total)}"
            return [problem(message, wanted.count_path)]
        if not have:
            return self._why_no_match(wanted, list(there), False)
        others = f"{have:,} of {total:,} {'has' if have == 1 else 'have'} that"
        return [problem(f"needs {wanted.words(self.units)}; {others}", wanted.count_path)]

    def _too_few(self, wanted: Requested, total: int) -> str:
        """Say that there are not so many of a type at all, or not where Fluxion looks."""
        looked = visible(self.whole, self.request)
        everywhere, below = _sum(looked[wanted.type].items()), self._units_of(wanted.type)
        if self.constrained and everywhere >= wanted.least:
            return f"{total:,} of {everywhere:,} {'is' if total == 1 else 'are'} eligible"
        hiding = [
            with_article(kind)
            for kind, subtrees in sorted(looked.items())
            if any(subtree.below.get(wanted.type) for subtree in subtrees)
        ]
        if below > everywhere and hiding:
            return (
                f"{below - everywhere:,} of {below:,} are below {listed(hiding, 'or')}, where "
                "Fluxion does not look, since that is requested beside them"
            )
        place = "cluster" if self.whole.type == "cluster" else "graph"
        left = f", of which the constraint leaves {total:,}" if total < everywhere else ""
        return f"the {place} has {everywhere:,}{left}"

    def _why_no_match(
        self, wanted: Requested, there: Sequence[SubtreeClass], under_exclusive: bool
    ) -> list[Problem]:
        """Return why none of these vertices is a match."""
        under_exclusive = under_exclusive or wanted.exclusive is True
        subtrees = [subtree for subtree in there if subtree.size]
        if wanted.kids and wanted.kids[-1].is_slot:
            found = self._nested_slots(wanted, subtrees, under_exclusive)
        else:
            found = self._missing(wanted.kids, subtrees, wanted.type, under_exclusive, "")
        if found:
            return found
        # Fluxion's pruning compares total counts below, which can exceed what each vertex needs.
        for kind, needed in wanted.need.items():
            most = max(subtree.below.get(kind, 0) for subtree in subtrees)
            if most < needed and kind != "slot":
                message = (
                    f"Fluxion counts {amount(kind, needed, self.units)} in all for one "
                    f"{wanted.type}; {self._largest(wanted.type)} has {most:,}"
                )
                return [problem(message, wanted.path)]
        return []

    def _missing(
        self,
        siblings: Sequence[Requested],
        subtrees: Sequence[SubtreeClass],
        holder: str,
        under_exclusive: bool,
        who: str,
    ) -> list[Problem]:
        """Return what none of these vertices has enough of; who is the slot that needs it."""
        units = self.judge.units
        for wanted in siblings:
            best = max(units(subtree, wanted, under_exclusive) for subtree in subtrees)
            if best >= wanted.least:
                continue
            most = max(_sum(subtree.kids_of(wanted.type)) for subtree in subtrees)
            needs, has = self._needs(wanted), f"{self._largest(holder)} has {most:,}"
            if most < wanted.least and self.constrained and wanted.type in FILTERED:
                has = f"the constraint leaves {f'at most {most:,}' if most else 'none'}"
            elif most >= wanted.least and not best:
                below = [kid for subtree in subtrees for kid, _ in subtree.kids_of(wanted.type)]
                return self._why_no_match(wanted, list(dict.fromkeys(below)), under_exclusive)
            elif most >= wanted.least:
                needs = f"needs {wanted.words(self.units)}"
                has = f"{self._largest(holder)} has {best:,}"
            return [problem(f"{who}{needs} {self._on(holder)}; {has}", wanted.count_path)]
        if len(siblings) > 1 and not any(
            all(units(subtree, wanted, under_exclusive) >= wanted.least for wanted in siblings)
            for subtree in subtrees
        ):
            together = f"no {holder} has all of it at once: {words(siblings, self.units)}"
            return [problem(together, siblings[0].path)]
        return []

    def _on(self, holder: str) -> str:
        only = holder == self.whole.type and self._units_of(holder) == 1
        return f"in the {holder}" if only else f"on one {holder}"

    def _largest(self, holder: str) -> str:
        """Return the vertex that has most, as the subject of a sentence."""
        there = self._units_of(holder)
        if holder == self.whole.type and there == 1:
            return "it"
        left = _count(self.seen, holder, {}) if self.constrained else there
        which = " that the constraint leaves" if left < there else ""
        if which and holder == "node":
            which = " that matches" if left == 1 else " that match"
        if left == 1:
            return f"the only {holder}{which}"
        return f"the largest of the {left:,} {plural_of(holder)}{which}" if left else "the largest"

    def _nested_slots(
        self, wanted: Requested, subtrees: Sequence[SubtreeClass], under_exclusive: bool
    ) -> list[Problem]:
        """Return what is missing for slots below a vertex; several are all formed like the last."""
        slot, needed = wanted.kids[-1], max(kid.least for kid in wanted.kids)
        best = max(self.judge.formed(subtree, wanted, under_exclusive) for subtree in subtrees)
        anchors = [subtree for subtree in subtrees if can_form(subtree, slot)] or [
            kid
            for subtree in subtrees
            for kid, _ in subtree.kids
            if can_form(kid, slot) and kid.size
        ]
        if not best:
            return self._no_slot(slot, dict.fromkeys(anchors, 1))
        if best >= needed:
            return []
        has = f"{self._largest(wanted.type)} has room for {best:,}"
        needs = f"needs {amount('slot', needed)} of {words(slot.kids, self.units)}"
        message = f"{needs} {self._on(wanted.type)}; {has}"
        return [problem(message, slot.count_path), *self._hints(slot, anchors)]

    def _slots(
        self, slot: Requested, anchors: Mapping[SubtreeClass, int], have: int
    ) -> list[Problem]:
        """Return what is missing for slots at the top level."""
        if not have:
            return self._no_slot(slot, anchors)
        whole = self.judge.available(self.whole, self.request).get("slot", 0)
        limited = self.constrained and whole > have
        who = "what the constraint leaves has" if limited else "there is"
        message = f"needs {slot.words(self.units)}; {who} room for {have:,}"
        hints = [*self._hints(slot, anchors), *self._hidden(slot, anchors)]
        return [problem(message, slot.count_path), *hints]

    def _no_slot(self, slot: Requested, anchors: Mapping[SubtreeClass, int]) -> list[Problem]:
        """Return why not a single slot forms."""
        if not anchors:
            kinds = listed([kid.type for kid in slot.kids])
            message = f"the constraint leaves no vertex with {kinds} for a slot"
            return [problem(message, slot.path)]
        holders = sorted({subtree.type for subtree in anchors})
        found = self._missing(slot.kids, list(anchors), listed(holders, "or"), True, "a slot ")
        return [*found, *self._hidden(slot, anchors)]

    def _hints(self, slot: Requested, anchors: Iterable[SubtreeClass]) -> Iterator[Problem]:
        """Yield what makes slots larger than they look."""
        for kid in slot.kids:
            best = max(anchors, key=lambda subtree: _sum(subtree.kids_of(kid.type)), default=None)
            if best is None:
                continue
            units, share = self.judge.share(best, kid, slot.most)
            if isinstance(kid.count, Range) and share > kid.least:
                there = amount(kid.type, units, self.units)
                of = f"all {there}" if share == units else f"{share:,} of {there}"
                message = (
                    f"the count in a slot is taken greedily: {describe(kid.count)} takes {of} "
                    f"on {with_article(best.type)}"
                )
                yield problem(message, kid.count_path)
            elif units and units // kid.least > self.judge.bundles(best, kid, slot.most):
                sizes = sorted({its.size for its, _ in best.kids_of(kid.type)})
                of = listed([f"{size:,}" for size in sizes], "or")
                message = f"{kid.type} comes in {of}"
                if len(sizes) == 1:
                    times = -(-kid.least // sizes[0])
                    taken = f"{times:,} vertices" if times > 1 else "a vertex"
                    message = f"{amount(kid.type, kid.least, self.units)} takes {taken} of {of}"
                yield problem(f"a slot takes whole vertices: {message}", kid.count_path)

    def _hidden(self, slot: Requested, anchors: Collection[SubtreeClass]) -> Iterator[Problem]:
        """Yield that a slot forms high up, so that usable vertices deeper down do not count."""
        holders = listed(sorted({subtree.type for subtree in anchors}), "or")
        for kid in slot.kids:
            memo: dict[SubtreeClass, int] = {}
            deeper = any(
                _count(below, kid.type, memo) > (below.size if below.type == kid.type else 0)
                for subtree in anchors
                for below, _ in subtree.kids
            )
            if deeper:
                message = (
                    f"a slot forms at the first vertex that has {kid.type} among its children, "
                    f"here {holders}; what is deeper does not count"
                )
                yield problem(message, slot.path)


def _count(subtree: SubtreeClass, kind: str, memo: dict[SubtreeClass, int]) -> int:
    """Return the units of a type at a vertex and below, of those that may be used."""
    if subtree not in memo:
        own = subtree.size if subtree.type == kind else 0
        memo[subtree] = own + sum(_count(kid, kind, memo) * times for kid, times in subtree.kids)
    return memo[subtree]


def _sum(kids: Iterable[tuple[SubtreeClass, int]]) -> int:
    return sum(subtree.size * times for subtree, times in kids)
