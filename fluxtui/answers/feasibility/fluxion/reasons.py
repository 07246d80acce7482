"""What is missing for a request that finds no room on a graph, in numbers and at which level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fluxtui.answers.feasibility.fluxion.build import FILTERED
from fluxtui.answers.feasibility.fluxion.judge import Judge, forms_at, visible
from fluxtui.answers.feasibility.fluxion.request import Want
from fluxtui.answers.feasibility.fluxion.subtree_classes import Form
from fluxtui.answers.feasibility.fluxion.words import Nouns, a, listed, plural
from fluxtui.notation.count import Range, describe
from fluxtui.notation.problem import Problem

#: Where the constraint of a job stands.
CONSTRAINT = "attributes.system.constraints"


@dataclass(frozen=True, slots=True)
class Scene:
    """A request before a graph: seen is what the constraint leaves of it, whole all of it.

    there  how much the graph has of each type, whether the request asks for it or not
    nodes  how many nodes and storage nodes the constraint leaves, and how many there are
    """

    judge: Judge
    nouns: Nouns
    wants: tuple[Want, ...]
    seen: Form | None
    whole: Form
    there: Mapping[str, int]
    nodes: tuple[int, int]

    @property
    def constrained(self) -> bool:
        """The constraint leaves something out."""
        return self.nodes[0] < self.nodes[1]


def reasons(scene: Scene) -> list[Problem]:
    """Why a request that breaks no rule finds no room."""
    left, total = scene.nodes
    matters = scene.constrained and scene.judge.satisfied(scene.whole, scene.wants)
    if scene.seen is None or (matters and not left):
        nodes = (
            "the only node does not satisfy"
            if total == 1
            else f"none of the cluster's {total:,} nodes"
        )
        message = nodes if total == 1 else f"{nodes} satisfies"
        return [Problem(f"{message} the constraint", None, CONSTRAINT, (), "RFC 31")]
    found = scene.judge.found(scene.seen, scene.wants)
    problems: list[Problem] = []
    for want in scene.wants:
        have = found.get(want.type, 0)
        if have < want.least:
            problems += _Shortage(scene, scene.seen).top(want, have)
    return problems


class _Shortage:
    """Looks for the level at which something is short."""

    def __init__(self, scene: Scene, seen: Form) -> None:
        self.scene = scene
        self.judge = scene.judge
        self.nouns = scene.nouns
        self.seen = seen

    def top(self, want: Want, have: int) -> list[Problem]:
        """A want at the top of which only so much is found."""
        there = visible(self.seen, self.scene.wants)[want.type]
        if want.slot:
            return self.slots(want, there, have)
        total = _units(there.items())
        if total < want.least:
            return [self._few(want, total)]
        if not have:
            return self.why(want, there, False)
        said = f"{have:,} of {total:,} {'has' if have == 1 else 'have'} that"
        return [problem(f"needs {self.nouns.wanted(want)}; {said}", want.where)]

    def _few(self, want: Want, total: int) -> Problem:
        """There are not so many of a type at all, or not where Fluxion looks."""
        scene, many = self.scene, self.nouns.many
        needs = f"needs {many(want.type, want.least)}"
        everywhere = _units(visible(scene.whole, scene.wants)[want.type].items())
        if scene.constrained and everywhere >= want.least:
            left = f"the constraint leaves {total:,} of {everywhere:,}"
            return problem(f"{needs}; {left}", want.where)
        below = scene.there.get(want.type, 0)
        hiding = [
            kind
            for kind, forms in visible(scene.whole, scene.wants).items()
            if any(form.below.get(want.type) for form in forms)
        ]
        if below > everywhere and hiding:
            kinds = listed([a(kind) for kind in sorted(hiding)], "or")
            hidden = (
                f"{below - everywhere:,} of {below:,} stand below {kinds}, where Fluxion does not "
                f"look since that is asked for beside them"
            )
            return problem(f"{needs}; {hidden}", want.where)
        place = "cluster" if scene.whole.type == "cluster" else "graph"
        left = f", of which the constraint leaves {total:,}" if total < everywhere else ""
        return problem(f"{needs}; the {place} has {everywhere:,}{left}", want.where)

    def why(self, want: Want, there: Mapping[Form, int], held: bool) -> list[Problem]:
        """Why no vertex of these is a match for a want."""
        held = held or want.exclusive is True
        forms = [form for form in there if form.size]
        if want.kids and want.kids[-1].slot:
            found = self._nested(want, forms, held)
        else:
            found = self._lacking(want.kids, forms, want.type, held, "")
        return found or self._sums(want, forms)

    def _lacking(
        self, wants: Sequence[Want], forms: Sequence[Form], holder: str, held: bool, who: str
    ) -> list[Problem]:
        """What no vertex of these has enough of; who is the slot that needs it."""
        for want in wants:
            best = max(self.judge.units(form, want, held) for form in forms)
            if best >= want.least:
                continue
            most = max(_units(form.kids_of(want.type)) for form in forms)
            if most < want.least:
                return [self._few_on(want, holder, most, who)]
            if not best:
                below = {kid: 1 for form in forms for kid, _ in form.kids_of(want.type)}
                return self.why(want, below, held)
            needs = f"{who}needs {self.nouns.wanted(want)} {self._on(holder)}"
            return [problem(f"{needs}; {self._largest(holder)} has {best:,}", want.where)]
        if len(wants) > 1 and not any(self._all(form, wants, held) for form in forms):
            together = f"no {holder} has all of it at once: {self.nouns.all(wants)}"
            return [problem(together, wants[0].path)]
        return []

    def _few_on(self, want: Want, holder: str, most: int, who: str) -> Problem:
        """No vertex has so many children of a type, whatever they are like."""
        needs = f"{who}needs {self.nouns.many(want.type, want.least)} {self._on(holder)}"
        if self.scene.constrained and want.type in FILTERED:
            left = f"at most {most:,}" if most else "none"
            return problem(f"{needs}; the constraint leaves {left}", want.where)
        return problem(f"{needs}; {self._largest(holder)} has {most:,}", want.where)

    def _all(self, form: Form, wants: Sequence[Want], held: bool) -> bool:
        return all(self.judge.units(form, want, held) >= want.least for want in wants)

    def _on(self, holder: str) -> str:
        only = holder == self.scene.whole.type and self.scene.there.get(holder) == 1
        return f"in the {holder}" if only else f"on one {holder}"

    def _largest(self, holder: str) -> str:
        there = self.scene.there.get(holder, 0)
        if holder == self.scene.whole.type and there == 1:
            return "it"
        left = _count(self.seen, holder) if self.scene.constrained else there
        which = " that the constraint leaves" if left < there else ""
        if which and holder == "node":
            which = " that matches" if left == 1 else " that match"
        if left == 1:
            return f"the only {holder}{which}"
        return f"the largest of the {left:,} {plural(holder)}{which}" if left else "the largest"

    def _nested(self, want: Want, forms: Sequence[Form], held: bool) -> list[Problem]:
        """Slots below a vertex; several of them are all made of the last."""
        slot, needed = want.kids[-1], max(kid.least for kid in want.kids)
        best = max(self.judge.formed(form, want, held) for form in forms)
        here = [form for form in forms if forms_at(form, slot)]
        anchors = here or [
            kid for form in forms for kid, _ in form.kids if forms_at(kid, slot) and kid.size
        ]
        if not best:
            return self._empty(slot, anchors)
        if best >= needed:
            return []
        text = f"needs {self.nouns.many('slot', needed)} of {self.nouns.all(slot.kids)}"
        largest = self._largest(want.type)
        said = problem(f"{text} {self._on(want.type)}; {largest} has room for {best:,}", slot.where)
        return [said, *self._hints(slot, anchors)]

    def slots(self, slot: Want, anchors: Mapping[Form, int], have: int) -> list[Problem]:
        """Slots at the top."""
        if not have:
            return self._empty(slot, list(anchors))
        text = f"needs {self.nouns.many('slot', slot.least)} of {self.nouns.all(slot.kids)}"
        whole = self.judge.found(self.scene.whole, self.scene.wants).get("slot", 0)
        who = (
            "what the constraint leaves has"
            if self.scene.constrained and whole > have
            else ("there is")
        )
        said = problem(f"{text}; {who} room for {have:,}", slot.where)
        return [said, *self._hints(slot, list(anchors)), *self._hidden(slot, anchors)]

    def _empty(self, slot: Want, anchors: Sequence[Form]) -> list[Problem]:
        """Not a single slot forms."""
        if not anchors:
            kinds = listed([kid.type for kid in slot.kids])
            message = f"the constraint leaves no vertex with {kinds} for a slot"
            return [problem(message, slot.path)]
        holders = sorted({form.type for form in anchors})
        found = self._lacking(slot.kids, anchors, listed(holders, "or"), True, "a slot ")
        return found + self._hidden(slot, dict.fromkeys(anchors, 1))

    def _hints(self, slot: Want, anchors: Iterable[Form]) -> list[Problem]:
        """What makes slots larger than they look."""
        found: list[Problem] = []
        for kid in slot.kids:
            best = max(anchors, key=lambda form: _units(form.kids_of(kid.type)), default=None)
            if best is None:
                continue
            units, share = self.judge.share(best, kid, slot.most)
            if isinstance(kid.count, Range) and share > kid.least:
                there = self.nouns.many(kid.type, units)
                of = f"all {there}" if share == units else f"{share:,} of {there}"
                message = (
                    f"the count in a slot is taken greedily: {describe(kid.count)} takes {of} "
                    f"on {a(best.type)}"
                )
                found.append(problem(message, kid.where))
            elif units and units // kid.least > self.judge.bundles(best, kid, slot.most):
                found.append(
                    self._whole(kid, sorted({its.size for its, _ in best.kids_of(kid.type)}))
                )
        return found

    def _whole(self, kid: Want, sizes: Sequence[int]) -> Problem:
        wanted = self.nouns.many(kid.type, kid.least)
        of = listed([f"{size:,}" for size in sizes], "or")
        times = -(-kid.least // sizes[0])
        taken = f"{times:,} vertices" if times > 1 else "a vertex"
        if len(sizes) > 1:
            return problem(f"a slot takes whole vertices: {kid.type} comes in {of}", kid.where)
        return problem(f"a slot takes whole vertices: {wanted} takes {taken} of {of}", kid.where)

    def _hidden(self, slot: Want, anchors: Mapping[Form, int]) -> list[Problem]:
        """A slot forms high up, and what is deeper does not count."""
        found = []
        for kid in slot.kids:
            direct = sum(_units(form.kids_of(kid.type)) * n for form, n in anchors.items())
            below = sum(form.below.get(kid.type, 0) * n for form, n in anchors.items())
            held = sorted({form.type for form in anchors})
            if direct < below and not self.scene.constrained:
                message = (
                    f"a slot forms at the first vertex that has {kid.type} among its children, "
                    f"here {listed(held, 'or')}; what is deeper does not count"
                )
                found.append(problem(message, slot.path))
        return found

    def _sums(self, want: Want, forms: Sequence[Form]) -> list[Problem]:
        """Fluxion goes by sums of what is below, which can be more than the counts ask for."""
        for kind, units in want.need.items():
            most = max(form.below.get(kind, 0) for form in forms)
            if most < units and kind != "slot":
                message = (
                    f"Fluxion counts {self.nouns.many(kind, units)} in all for one {want.type}; "
                    f"{self._largest(want.type)} has {most:,}"
                )
                return [problem(message, want.path)]
        return []


def _count(form: Form, kind: str) -> int:
    """The units of a type at a vertex and below, of those that may be taken."""
    memo: dict[Form, int] = {}

    def count(form: Form) -> int:
        if form not in memo:
            own = form.size if form.type == kind else 0
            memo[form] = own + sum(count(kid) * times for kid, times in form.kids)
        return memo[form]

    return count(form)


def _units(kids: Iterable[tuple[Form, int]]) -> int:
    return sum(form.size * times for form, times in kids)


def problem(message: str, path: str) -> Problem:
    """What is missing, by path in the request."""
    return Problem(message, None, path, (), "RFC 14")
