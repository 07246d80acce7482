"""What is missing for a request that does not fit a graph, in numbers and at which level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fluxtui.answers.feasibility.feasibility import CONSTRAINT
from fluxtui.answers.feasibility.fluxion.judge import Judge, can_form, visible
from fluxtui.answers.feasibility.fluxion.prepared_graph import FILTERED
from fluxtui.answers.feasibility.fluxion.reading import RULE, Request, Requested, words
from fluxtui.answers.feasibility.fluxion.subtree_classes import SubtreeClass
from fluxtui.answers.feasibility.wording import Nouns, a, several
from fluxtui.notation.count import Range, describe
from fluxtui.notation.problem import Problem
from fluxtui.notation.wording import listed


@dataclass(frozen=True, slots=True)
class Shortage:
    """A request beside a graph that it does not fit; looks for the level at which something lacks.

    whole  the class of the graph; seen that of what the constraint leaves of it
    nodes  how many nodes and storage nodes the constraint leaves, and how many there are
    """

    judge: Judge
    nouns: Nouns
    request: Request
    whole: SubtreeClass
    seen: SubtreeClass
    nodes: tuple[int, int]

    def reasons(self) -> list[Problem]:
        """Why a request that breaks no rule does not fit."""
        matters = self._constrained and self.judge.satisfied(self.whole, self.request)
        if matters and not self.nodes[0]:
            return [no_node(self.nodes[1])]
        found = self.judge.found(self.seen, self.request)
        problems: list[Problem] = []
        for wanted in self.request:
            have = found.get(wanted.type, 0)
            if have < wanted.least:
                problems += self.top(wanted, have)
        return problems

    @property
    def _constrained(self) -> bool:
        """The constraint leaves something out."""
        return self.nodes[0] < self.nodes[1]

    def _there(self, kind: str) -> int:
        """How much the graph has of a type."""
        own = self.whole.size if self.whole.type == kind else 0
        return self.whole.below.get(kind, 0) + own

    def top(self, wanted: Requested, have: int) -> list[Problem]:
        """A resource at the top of which only so much is found."""
        there = visible(self.seen, self.request)[wanted.type]
        if wanted.is_slot:
            return self.slots(wanted, there, have)
        total = _units(there.items())
        if total < wanted.least:
            return [self._few(wanted, total)]
        if not have:
            return self.why(wanted, there, False)
        said = f"{have:,} of {total:,} {'has' if have == 1 else 'have'} that"
        return [problem(f"needs {wanted.words(self.nouns)}; {said}", wanted.count_path)]

    def _few(self, wanted: Requested, total: int) -> Problem:
        """There are not so many of a type at all, or not where Fluxion looks."""
        amount = self.nouns.amount
        needs = f"needs {amount(wanted.type, wanted.least)}"
        everywhere = _units(visible(self.whole, self.request)[wanted.type].items())
        if self._constrained and everywhere >= wanted.least:
            left = f"the constraint leaves {total:,} of {everywhere:,}"
            return problem(f"{needs}; {left}", wanted.count_path)
        below = self._there(wanted.type)
        hiding = [
            kind
            for kind, subtrees in visible(self.whole, self.request).items()
            if any(subtree.below.get(wanted.type) for subtree in subtrees)
        ]
        if below > everywhere and hiding:
            kinds = listed([a(kind) for kind in sorted(hiding)], "or")
            hidden = (
                f"{below - everywhere:,} of {below:,} are below {kinds}, where Fluxion does not "
                f"look since that is asked for beside them"
            )
            return problem(f"{needs}; {hidden}", wanted.count_path)
        place = "cluster" if self.whole.type == "cluster" else "graph"
        left = f", of which the constraint leaves {total:,}" if total < everywhere else ""
        return problem(f"{needs}; the {place} has {everywhere:,}{left}", wanted.count_path)

    def why(
        self, wanted: Requested, there: Mapping[SubtreeClass, int], under_exclusive: bool
    ) -> list[Problem]:
        """Why no vertex of these is a match."""
        under_exclusive = under_exclusive or wanted.exclusive is True
        subtrees = [subtree for subtree in there if subtree.size]
        if wanted.kids and wanted.kids[-1].is_slot:
            found = self._nested(wanted, subtrees, under_exclusive)
        else:
            found = self._lacking(wanted.kids, subtrees, wanted.type, under_exclusive, "")
        return found or self._sums(wanted, subtrees)

    def _lacking(
        self,
        siblings: Sequence[Requested],
        subtrees: Sequence[SubtreeClass],
        holder: str,
        under_exclusive: bool,
        who: str,
    ) -> list[Problem]:
        """What no vertex of these has enough of; who is the slot that needs it."""
        for wanted in siblings:
            best = max(self.judge.units(subtree, wanted, under_exclusive) for subtree in subtrees)
            if best >= wanted.least:
                continue
            most = max(_units(subtree.kids_of(wanted.type)) for subtree in subtrees)
            if most < wanted.least:
                return [self._few_on(wanted, holder, most, who)]
            if not best:
                below = {kid: 1 for subtree in subtrees for kid, _ in subtree.kids_of(wanted.type)}
                return self.why(wanted, below, under_exclusive)
            needs = f"{who}needs {wanted.words(self.nouns)} {self._on(holder)}"
            return [problem(f"{needs}; {self._largest(holder)} has {best:,}", wanted.count_path)]
        if len(siblings) > 1 and not any(
            self._all(subtree, siblings, under_exclusive) for subtree in subtrees
        ):
            together = f"no {holder} has all of it at once: {words(siblings, self.nouns)}"
            return [problem(together, siblings[0].path)]
        return []

    def _few_on(self, wanted: Requested, holder: str, most: int, who: str) -> Problem:
        """No vertex has so many children of a type, whatever they are like."""
        needs = f"{who}needs {self.nouns.amount(wanted.type, wanted.least)} {self._on(holder)}"
        if self._constrained and wanted.type in FILTERED:
            left = f"at most {most:,}" if most else "none"
            return problem(f"{needs}; the constraint leaves {left}", wanted.count_path)
        return problem(f"{needs}; {self._largest(holder)} has {most:,}", wanted.count_path)

    def _all(
        self, subtree: SubtreeClass, request: Sequence[Requested], under_exclusive: bool
    ) -> bool:
        return all(
            self.judge.units(subtree, wanted, under_exclusive) >= wanted.least for wanted in request
        )

    def _on(self, holder: str) -> str:
        only = holder == self.whole.type and self._there(holder) == 1
        return f"in the {holder}" if only else f"on one {holder}"

    def _largest(self, holder: str) -> str:
        there = self._there(holder)
        if holder == self.whole.type and there == 1:
            return "it"
        left = _count(self.seen, holder) if self._constrained else there
        which = " that the constraint leaves" if left < there else ""
        if which and holder == "node":
            which = " that matches" if left == 1 else " that match"
        if left == 1:
            return f"the only {holder}{which}"
        return f"the largest of the {left:,} {several(holder)}{which}" if left else "the largest"

    def _nested(
        self, wanted: Requested, subtrees: Sequence[SubtreeClass], under_exclusive: bool
    ) -> list[Problem]:
        """Slots below a vertex; several of them are all made of the last."""
        slot, needed = wanted.kids[-1], max(kid.least for kid in wanted.kids)
        best = max(self.judge.formed(subtree, wanted, under_exclusive) for subtree in subtrees)
        here = [subtree for subtree in subtrees if can_form(subtree, slot)]
        anchors = here or [
            kid
            for subtree in subtrees
            for kid, _ in subtree.kids
            if can_form(kid, slot) and kid.size
        ]
        if not best:
            return self._empty(slot, anchors)
        if best >= needed:
            return []
        text = f"needs {self.nouns.amount('slot', needed)} of {words(slot.kids, self.nouns)}"
        largest = self._largest(wanted.type)
        message = f"{text} {self._on(wanted.type)}; {largest} has room for {best:,}"
        return [problem(message, slot.count_path), *self._hints(slot, anchors)]

    def slots(
        self, slot: Requested, anchors: Mapping[SubtreeClass, int], have: int
    ) -> list[Problem]:
        """Slots at the top."""
        if not have:
            return self._empty(slot, list(anchors))
        text = f"needs {self.nouns.amount('slot', slot.least)} of {words(slot.kids, self.nouns)}"
        whole = self.judge.found(self.whole, self.request).get("slot", 0)
        limited = self._constrained and whole > have
        who = "what the constraint leaves has" if limited else "there is"
        said = problem(f"{text}; {who} room for {have:,}", slot.count_path)
        return [said, *self._hints(slot, list(anchors)), *self._hidden(slot, anchors)]

    def _empty(self, slot: Requested, anchors: Sequence[SubtreeClass]) -> list[Problem]:
        """Not a single slot forms."""
        if not anchors:
            kinds = listed([kid.type for kid in slot.kids])
            message = f"the constraint leaves no vertex with {kinds} for a slot"
            return [problem(message, slot.path)]
        holders = sorted({subtree.type for subtree in anchors})
        found = self._lacking(slot.kids, anchors, listed(holders, "or"), True, "a slot ")
        return found + self._hidden(slot, dict.fromkeys(anchors, 1))

    def _hints(self, slot: Requested, anchors: Iterable[SubtreeClass]) -> list[Problem]:
        """What makes slots larger than they look."""
        found: list[Problem] = []
        for kid in slot.kids:
            best = max(anchors, key=lambda subtree: _units(subtree.kids_of(kid.type)), default=None)
            if best is None:
                continue
            units, share = self.judge.share(best, kid, slot.most)
            if isinstance(kid.count, Range) and share > kid.least:
                there = self.nouns.amount(kid.type, units)
                of = f"all {there}" if share == units else f"{share:,} of {there}"
                message = (
                    f"the count in a slot is taken greedily: {describe(kid.count)} takes {of} "
                    f"on {a(best.type)}"
                )
                found.append(problem(message, kid.count_path))
            elif units and units // kid.least > self.judge.bundles(best, kid, slot.most):
                found.append(
                    self._whole(kid, sorted({its.size for its, _ in best.kids_of(kid.type)}))
                )
        return found

    def _whole(self, kid: Requested, sizes: Sequence[int]) -> Problem:
        wanted = self.nouns.amount(kid.type, kid.least)
        of = listed([f"{size:,}" for size in sizes], "or")
        times = -(-kid.least // sizes[0])
        taken = f"{times:,} vertices" if times > 1 else "a vertex"
        if len(sizes) > 1:
            message = f"a slot takes whole vertices: {kid.type} comes in {of}"
        else:
            message = f"a slot takes whole vertices: {wanted} takes {taken} of {of}"
        return problem(message, kid.count_path)

    def _hidden(self, slot: Requested, anchors: Mapping[SubtreeClass, int]) -> list[Problem]:
        """A slot forms high up, and what is deeper does not count."""
        found = []
        for kid in slot.kids:
            direct = sum(_units(subtree.kids_of(kid.type)) * n for subtree, n in anchors.items())
            below = sum(subtree.below.get(kid.type, 0) * n for subtree, n in anchors.items())
            under_exclusive = sorted({subtree.type for subtree in anchors})
            if direct < below and not self._constrained:
                message = (
                    f"a slot forms at the first vertex that has {kid.type} among its children, "
                    f"here {listed(under_exclusive, 'or')}; what is deeper does not count"
                )
                found.append(problem(message, slot.path))
        return found

    def _sums(self, wanted: Requested, subtrees: Sequence[SubtreeClass]) -> list[Problem]:
        """Fluxion goes by sums of what is below, which can be more than the counts ask for."""
        for kind, units in wanted.need.items():
            most = max(subtree.below.get(kind, 0) for subtree in subtrees)
            if most < units and kind != "slot":
                message = (
                    f"Fluxion counts {self.nouns.amount(kind, units)} in all for one "
                    f"{wanted.type}; {self._largest(wanted.type)} has {most:,}"
                )
                return [problem(message, wanted.path)]
        return []


def _count(subtree: SubtreeClass, kind: str) -> int:
    """The units of a type at a vertex and below, of those that may be taken."""
    memo: dict[SubtreeClass, int] = {}

    def count(subtree: SubtreeClass) -> int:
        if subtree not in memo:
            own = subtree.size if subtree.type == kind else 0
            memo[subtree] = own + sum(count(kid) * times for kid, times in subtree.kids)
        return memo[subtree]

    return count(subtree)


def _units(kids: Iterable[tuple[SubtreeClass, int]]) -> int:
    return sum(subtree.size * times for subtree, times in kids)


def problem(message: str, path: str) -> Problem:
    """What is missing, by path in the request."""
    return Problem(message, None, path, (), RULE)


def no_node(total: int) -> Problem:
    """None of so many nodes satisfies the constraint."""
    nobody = (
        "the only node does not satisfy"
        if total == 1
        else f"none of the cluster's {total:,} nodes satisfies"
    )
    return Problem(f"{nobody} the constraint", None, CONSTRAINT, (), "RFC 31")
