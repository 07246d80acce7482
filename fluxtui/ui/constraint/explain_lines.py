"""The lines of the reading of a constraint: its tree with counts, and what is said below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation.problem import Problem, how_many, printable
from fluxtui.notation.query import tree as query_tree
from fluxtui.notation.sets.bits import has
from fluxtui.ui.constraint.bar_lines import in_order
from fluxtui.ui.constraint.explanations import MOST
from fluxtui.ui.kit.lines import MadeLines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import expected_words
from fluxtui.workbench import Ask, State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation, Line, Part
    from fluxtui.answers.explain.why import Why
    from fluxtui.ui.constraint.explanations import Advice
    from fluxtui.ui.job.fixes import Fix

YES, NO, ODD, NONE, SET = "✓", "✗", "!", "∅", "·"


# Columns of a guide that stay where there is little room: its last branch, and a sign of more.
MIN_GUIDE = 3


class Columns(NamedTuple):
    """How wide the counts are: of the nodes that a part matches alone, and that are left."""

    alone: int
    left: int

    @classmethod
    def of(cls, nodes: int, *, adds: bool) -> Columns:
        """The columns for a cluster of so many nodes; adds: there is an ``or``."""
        digits = len(f"{nodes:,}")
        return cls(max(digits, len("alone")), max(digits + adds, len("left")))


class TreeLines:
    """Makes the lines of the parts of one constraint.

    node is the index of the node that is looked at; decides are the paths of the terms that keep
    it out, marked those of what is odd.
    """

    def __init__(self, explanation: Explanation, style: Palette) -> None:
        from fluxtui.answers.explain.explanation import lines

        self.explanation = explanation
        self.style = style
        self.rows: list[Line] = list(lines(explanation.root))
        self.columns = Columns.of(
            explanation.total, adds=any(row.part.adds is not None for row in self.rows)
        )
        self.node: int | None = None
        self.decides: frozenset[str] = frozenset()
        self.marked: frozenset[str] = frozenset()
        self.room = 0  # columns for a line; 0 while that is not known
        self._steps = frozenset(_funnel(explanation.root))

    def look_at(self, node: int | None, why: Why | None, advice: Advice | None) -> None:
        """Let the lines be about a node, and mark what is odd."""
        self.node = node
        self.decides = frozenset(why.paths if why is not None and not why.matches else ())
        self.marked = marked(self.explanation, advice) if advice is not None else frozenset()

    def line(self, number: int) -> Text:
        """The line of one part."""
        row = self.rows[number]
        part, style = row.part, self.style
        paths = told(row)
        left = f"{part.left:,}" if part.adds is None else f"+{part.adds:,}"
        counts = self._look_of_left(part)
        look = style.slot if part.parts and row.words == part.label else style.plain
        flag = (ODD, style.warning) if self.marked & paths else (" ", style.quiet)
        if part.empties:
            flag, counts, look = (NONE, style.problem), style.problem, style.problem
        words = printable(row.words)
        line = Text.assemble(
            self._tick(part, paths),
            (
                f" {part.alone:>{self.columns.alone},}",
                style.quiet if part.alone else style.problem,
            ),
            (f"  {left:>{self.columns.left}} ", counts),
            flag,
            " ",
            style=style.plain,
            no_wrap=True,
            end="",
        )
        room = self.room - line.cell_len - cell_len(words) if self.room else len(row.guide)
        return line.append(_cut(row.guide, room), style.faint).append(words, look)

    def _look_of_left(self, part: Part) -> Style:
        """Only what is left of the whole constraint stands out: below ``not`` it goes on inside."""
        if "not[" in part.path:
            return self.style.faint
        count = part.left if part.adds is None else part.adds
        if not count:
            return self.style.quiet
        return self.style.match if part.path in self._steps else self.style.plain

    def _tick(self, part: Part, paths: frozenset[str]) -> tuple[str, Style]:
        """Whether the node that is looked at satisfies a part, and whether that keeps it out."""
        if self.node is None:
            return (" ", self.style.quiet)
        if has(part.mask, self.node):
            return (YES, self.style.quiet)
        return (NO, self.style.problem if self.decides & paths else self.style.quiet)

    def row_of(self, path: str) -> int | None:
        """The row of the part with a path."""
        return self._row_by_path.get(path)

    @cached_property
    def _row_by_path(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, row in enumerate(self.rows):
            for path in told(row):
                found.setdefault(path, number)
        return found


def told(row: Line) -> frozenset[str]:
    """The paths of the parts that a line tells: with a ``not`` of one term, that of the term."""
    part = row.part
    inner = part.walk() if row.words != part.label else (part,)
    return frozenset(one.path for one in inner)


def _funnel(part: Part) -> Iterator[str]:
    """The paths of what has to hold one after the other, and of the rows that it stands in."""
    from fluxtui.answers.explain.explanation import is_row

    yield part.path
    for inner in part.parts if is_row(part) else ():
        yield from _funnel(inner)


def _cut(guide: str, room: int) -> str:
    """A guide in so many columns: what leads to a part from far away goes before its words do."""
    if len(guide) <= max(room, MIN_GUIDE):
        return guide
    return "…" + guide[len(guide) - max(room, MIN_GUIDE) + 1 :]


def legend(columns: Columns, state: State, node: int | None, style: Palette) -> Text:
    """What the columns are, over them, with the name of the node that the signs are about."""
    heads = f"  {'alone':>{columns.alone}}  {'left':>{columns.left}}"
    said = ""
    if node is not None:
        resources = state.cluster.resources
        name = resources.host(node) or f"rank {resources.rank(node)}"
        said = f"   {YES}{NO} {printable(name)}"
    return Text.assemble((heads + said, style.faint), no_wrap=True, end="")


def queue_lines(
    state: State, queue: str, columns: Columns, node: int | None, style: Palette
) -> list[Text]:
    """What the chosen queue adds to the constraint, and what both leave."""
    masks = [(state.cluster.covered(queue), f"in queue {printable(queue)}")]
    if state.ask.counted is not None:
        masks.append((state.left, "both"))
    lines = []
    for number, (mask, words) in enumerate(masks):
        count = mask.bit_count()
        look = style.match if count else style.problem
        alone, left = (f"{count:,}", "") if number == 0 else ("", f"{count:,}")
        tick = " " if node is None else YES if has(mask, node) else NO
        lines.append(
            Text.assemble(
                (tick, style.quiet),
                (f" {alone:>{columns.alone}}  {left:>{columns.left}}   ", look),
                (words, style.quiet),
                style=style.plain,
                no_wrap=True,
                end="",
            )
        )
    return lines


def shown(
    state: State, tree: TreeLines | None, node: int | None, style: Palette
) -> tuple[Text, Sequence[Text], int]:
    """The legend, the lines of the tree with those of a queue, and how many of them are parts."""
    columns = Columns.of(state.cluster.resources.node_count, adds=False)
    columns = tree.columns if tree is not None else columns
    queue = state.known_queue
    more = queue_lines(state, queue, columns, node, style) if queue is not None else []
    parts = len(tree.rows) if tree is not None else 0

    def made(row: int) -> Text:
        return tree.line(row) if tree is not None and row < parts else more[row - parts]

    return legend(columns, state, node, style), MadeLines(parts + len(more), made), parts


class Said(NamedTuple):
    """What the sentences below a tree are about.

    part      the part that is selected
    why       why the node that is looked at is in or out, None where there is none
    advice    what is odd and what to change; None while that is not worked out
    ways      what a number takes, the best first
    looking   pairs of changes are being looked for
    selected  the nodes that a person selected; 0 where none is
    """

    part: Part
    why: Why | None
    advice: Advice | None
    ways: Sequence[Fix]
    looking: bool
    selected: int


def sentences(explanation: Explanation, said: Said, style: Palette) -> list[Text]:
    """What is to be said of a constraint: what to change, why a node is out, what is odd."""
    lines: list[Text] = []

    def say(sign: tuple[str, Style], words: str, look: Style = style.plain) -> None:
        lines.append(Text.assemble(sign, " ", (printable(words), look), style=style.plain, end=""))

    for number, way in enumerate(said.ways, 1):
        say((str(number), style.key), way.words)
    untried = said.advice.untried if said.advice is not None else ""
    if said.looking and not said.ways:
        say((SET, style.quiet), "looking for pairs of changes …", style.quiet)
    elif said.advice is not None and not said.advice.matches and not said.ways:
        from fluxtui.answers.explain.relaxations import nothing_helps

        say((SET, style.quiet), nothing_helps(untried, said.advice.within), style.quiet)
    if untried and not said.looking:
        say((SET, style.quiet), untried, style.quiet)
    for sign, words in _why(explanation, said):
        say((sign, style.quiet), words, style.quiet if sign == SET else style.plain)
    for words in _odd(explanation, said):
        say((ODD, style.warning), words)
    return lines


def _why(explanation: Explanation, said: Said) -> list[tuple[str, str]]:
    """Why the node is in or out, and what keeps a set of nodes out, each after its sign."""
    from fluxtui.answers.explain.why import why_set

    found = []
    if said.why is not None:
        found.append((YES if said.why.matches else NO, said.why.sentence))
    sets = [said.selected] if said.selected else []
    whole = said.part is explanation.root
    sets.append(explanation.everything if whole else said.part.mask)
    for mask in dict.fromkeys(mask for mask in sets if mask):
        told = why_set(explanation, mask)
        if told.out or not whole:
            found.append((SET, told.sentence))
    return found


def _odd(explanation: Explanation, said: Said) -> list[str]:
    """What is odd, first of the part that is selected."""
    if said.advice is None:
        return []
    marks = sorted(said.advice.marks, key=lambda mark: said.part.path not in mark.paths)
    words = [one.problem.message for one in said.advice.unknown]
    return list(dict.fromkeys([*words, *(mark.message for mark in marks)]))[:MOST]


def marked(explanation: Explanation, advice: Advice) -> frozenset[str]:
    """The paths of the parts that something is odd about."""
    paths = {one.term for one in advice.unknown}
    for mark in advice.marks:
        paths |= set(mark.paths)
        if not mark.paths and mark.problem.span is not None:
            part = explanation.part_at(mark.problem.span.start)
            paths |= {part.path} if part is not None else set()
    return frozenset(paths)


# What is wrong with it


def problem_lines(ask: Ask, style: Palette) -> list[Text]:
    """What is wrong with a constraint, where, and what would be right there."""
    problems = in_order(ask.problems)
    lines = [_problem_line(problem, ask.text, style) for problem in problems[:MOST]]
    more = how_many(problems[MOST:])
    if more:
        lines.append(Text(f"  and {more:,} more", style=style.quiet, end=""))
    return lines


def _problem_line(problem: Problem, text: str, style: Palette) -> Text:
    wrong = problem.severity == "error"
    sign = (NO, style.problem) if wrong else (ODD, style.warning)
    message, where = problem.message, ""
    if problem.span is not None:
        piece = text[slice(*problem.span)].strip()
        if not piece:
            where = "at the end: " if problem.span.start >= len(text.rstrip()) else ""
        elif (
            query_tree.shown(piece.removesuffix(":")) not in message
        ):  # an operator is named without it
            where = f"at {query_tree.shown(piece)}: "
    return Text.assemble(
        sign,
        " ",
        (printable(where), style.quiet),
        (printable(message), style.plain),
        (expected_words(problem), style.quiet),
        style=style.plain,
        end="",
    )


def is_unfinished(ask: Ask) -> bool:
    """All that keeps a constraint from being read is at its end, where one types on."""
    end = len(ask.text.rstrip())
    errors = [p for p in ask.problems if p.severity == "error"]
    return all(p.span is None or p.span.end >= end for p in errors)
