"""The lines that explain a constraint: why nothing matches, what to change, the parts with counts.

First comes the answer with the numbered changes, then the tree of the parts, then what else there
is to say: what is odd, and what keeps which nodes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation.problem import Problem, counted, how_many, printable
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import has
from fluxtui.ui.constraint.bar_lines import in_order
from fluxtui.ui.constraint.explanations import MOST, Advice
from fluxtui.ui.kit.lines import MadeLines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import wrap
from fluxtui.ui.kit.wording import expected_words
from fluxtui.workbench import Ask, State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation, Line, Part
    from fluxtui.answers.explain.why import Why

YES, NO, ODD, NONE, MORE = "✓", "✗", "!", "∅", "·"

# Columns of a guide that stay where there is little room: its last branch, and a sign of more.
MIN_GUIDE = 3

# Below so many columns the counts have shorter titles.
ROOMY = 44

#: The sign of a sentence and its style, the words and theirs.
Sentence: TypeAlias = tuple[str, Style, str, Style]


class Question(NamedTuple):
    """What is to be explained.

    explanation  that of the constraint in force; None without one
    tree         its parts
    part         the part that is selected
    node         the index of the node that it is about
    advice       what is odd and what to change; None while that is not known
    choices      what a number does, the best first
    typing       a person is typing the constraint
    """

    state: State
    explanation: Explanation | None = None
    tree: Tree | None = None
    part: Part | None = None
    node: int | None = None
    advice: Advice | None = None
    choices: Sequence[str] = ()
    typing: bool = False


class Listing(NamedTuple):
    """The lines of an answer.

    choices  the rows of the numbered lines, each with its choice, from 0
    top      the row of the first part, and how many rows the parts take
    """

    lines: Sequence[Text]
    choices: Mapping[int, int]
    top: int
    parts: int


def listing(question: Question, style: Palette, width: int) -> Listing:
    """The lines that explain a constraint, in so many columns; 0 where that is not known yet."""
    head: list[Text] = []
    choices: dict[int, int] = {}
    why = _why(question)

    def add(lines: list[Text], sentence: Sentence) -> None:
        sign, look, words, plain = sentence
        parts = (sign, look), " ", (printable(words), plain)
        line = Text.assemble(*parts, style=style.plain, end="")
        lines += wrap(line, width, hang=2) if 2 < width < line.cell_len else [line]

    for sentence in _answer(question, style):
        add(head, sentence)
    for number, words in enumerate(question.choices):
        before = len(head)
        add(head, (str(number + 1), style.key, words, style.plain))
        choices.update(dict.fromkeys(range(before, len(head)), number))
    for sentence in (*_no_change(question, style), *_of_node(why, style)):
        add(head, sentence)

    tail: list[Text] = []
    for sentence in (*_odd(question, style), *_of_sets(question, style)):
        add(tail, sentence)
    tree, queue = question.tree, question.state.known_queue
    if tree is None and queue is None:
        return Listing([*head, *tail], choices, len(head), 0)

    nodes = question.state.cluster.resources.node_count
    columns = Columns.of(nodes, adds=tree is not None and tree.adds, width=width)
    head.append(columns.titles(question, style))
    of_queue = _queue_lines(question, columns, style) if queue is not None else []
    look = Look(question.node, why, marked(question.explanation, question.advice))
    parts, top = len(tree.rows) if tree is not None else 0, len(head)
    ends = [*of_queue, *tail]

    def made(row: int) -> Text:
        if row < top:
            return head[row]
        if tree is not None and row < top + parts:
            return tree.line(row - top, look, columns, style, width)
        return ends[row - top - parts]

    return Listing(MadeLines(top + parts + len(ends), made), choices, top, parts)


# Before the tree


def _answer(question: Question, style: Palette) -> Iterator[Sentence]:
    """What is wrong with the text, or why no node matches; of no constraint, what to try."""
    state, explanation = question.state, question.explanation
    if state.ask.stale:
        # Beside a tree what is merely unfinished is left out while one types: the tree would go up
        # and down with every other key.
        if explanation is None or not (question.typing and is_unfinished(state.ask)):
            yield from _problems(state.ask, style)
    elif explanation is None:
        count = counted(state.cluster.resources.node_count, "node")
        more = " Try one of these:" if question.choices else ""
        yield MORE, style.quiet, f"Empty matches all {count}.{more}", style.quiet
    elif (words := no_match(explanation, question.advice)) is not None:
        yield NO, style.problem, words, style.strong


def no_match(explanation: Explanation, advice: Advice | None) -> str | None:
    """Why no node matches, or none of the queue that the job goes to; None where one does."""
    if explanation.mask:
        if advice is None or advice.matches or advice.within is None:
            return None
        count = counted(explanation.count, "node")
        verb = "matches" if explanation.count == 1 else "match"
        return f"{count} {verb}, but none in queue {advice.within.queue}"
    step = explanation.emptied_by
    if step is None:
        return "No node matches"
    steps = explanation.funnel
    number = steps.index(step)
    words = shown(step.words)
    if not number:
        return f"No node matches {words}"
    left = steps[number - 1].left
    last = "the last node" if left == 1 else f"the last {left:,} nodes"
    return f"No node matches: {words} rules out {last}"


def _no_change(question: Question, style: Palette) -> Iterator[Sentence]:
    """That there is nothing to change, or not yet, and what was not tried."""
    advice = question.advice
    if advice is None or question.state.ask.stale:
        return
    if not question.choices and advice.looking:
        yield MORE, style.quiet, "looking for pairs of changes …", style.quiet
    elif not question.choices and not advice.matches:
        from fluxtui.answers.explain.relaxations import nothing_helps

        words = nothing_helps(advice.untried, advice.within)
        yield MORE, style.quiet, words, style.quiet
    if advice.untried and not advice.looking:
        yield MORE, style.quiet, advice.untried, style.quiet


def _why(question: Question) -> Why | None:
    if question.explanation is None or question.node is None:
        return None
    from fluxtui.answers.explain.why import why

    return why(question.explanation, question.node)


def _of_node(why: Why | None, style: Palette) -> Iterator[Sentence]:
    """Why the node is in or out."""
    if why is not None:
        sign, look = (YES, style.match) if why.matches else (NO, style.quiet)
        yield sign, look, why.sentence, style.plain


# The tree


class Look(NamedTuple):
    """What a tree shows besides counts: a node, why it is out, the parts that are odd."""

    node: int | None = None
    why: Why | None = None
    odd: frozenset[str] = frozenset()

    @property
    def decides(self) -> frozenset[str]:
        """The paths of the terms that keep the node out."""
        return frozenset(self.why.paths if self.why is not None and not self.why.matches else ())


class Columns(NamedTuple):
    """The columns of the counts: of the nodes that a part matches alone, and that remain."""

    matches: int
    remaining: int
    names: tuple[str, str]

    @classmethod
    def of(cls, nodes: int, *, adds: bool, width: int) -> Columns:
        """The columns for a cluster of so many nodes; adds: a count may have a plus before it."""
        digits = len(f"{nodes:,}")
        names = ("match", "left") if 0 < width < ROOMY else ("matches", "remaining")
        return cls(max(digits, len(names[0])), max(digits + adds, len(names[1])), names)

    def titles(self, question: Question, style: Palette) -> Text:
        """What the columns are, with the name of the node that the signs before them are about."""
        matches, remaining = self.names
        heads = f"  {matches:>{self.matches}}  {remaining:>{self.remaining}}"
        if question.node is not None:
            resources = question.state.cluster.resources
            host = resources.host(question.node) or f"rank {resources.rank(question.node)}"
            heads += f"   {YES}{NO} {printable(host)}"
        return Text(heads, style=style.quiet, no_wrap=True, end="")


class Tree:
    """The parts of one constraint, a line for each.

    adds says that there is an ``or``, whose operands add nodes to those of the operands before.
    """

    def __init__(self, explanation: Explanation) -> None:
        from fluxtui.answers.explain.explanation import lines

        self.rows: list[Line] = list(lines(explanation.root))
        self.adds = any(row.part.adds is not None for row in self.rows)
        self._funnel = frozenset(_funnel(explanation.root))

    def row_of(self, path: str) -> int | None:
        """The row that shows the part with a path."""
        return self._row_by_path.get(path)

    @cached_property
    def _row_by_path(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for number, row in enumerate(self.rows):
            for path in _paths(row):
                found.setdefault(path, number)
        return found

    def line(self, number: int, look: Look, columns: Columns, style: Palette, width: int) -> Text:
        """The line of one part, in so many columns; 0 where these are not known."""
        row = self.rows[number]
        part, paths = row.part, _paths(row)
        words = printable(row.words)
        remaining = f"{part.left:,}" if part.adds is None else f"+{part.adds:,}"
        counts = self._style_of_remaining(part, style)
        own = style.slot if part.parts and row.words == part.label else style.plain
        flag = (ODD, style.warning) if look.odd & paths else (" ", style.quiet)
        if part.empties:
            counts = own = style.problem
            flag = (NONE, style.problem)
        tick = (" ", style.quiet)
        if look.node is not None:
            is_in = has(part.mask, look.node)
            decides = not is_in and look.decides & paths
            tick = (YES if is_in else NO, style.problem if decides else style.quiet)
        line = Text.assemble(
            tick,
            (f" {part.alone:>{columns.matches},}", style.quiet if part.alone else style.problem),
            (f"  {remaining:>{columns.remaining}} ", counts),
            flag,
            " ",
            style=style.plain,
            no_wrap=True,
            end="",
        )
        room = width - line.cell_len - cell_len(words) if width else len(row.guide)
        return line.append(_cut(row.guide, room), style.faint).append(words, own)

    def _style_of_remaining(self, part: Part, style: Palette) -> Style:
        """What remains of the whole constraint stands out; below ``not`` it goes on inside."""
        if "not[" in part.path:
            return style.faint
        if not (part.left if part.adds is None else part.adds):
            return style.quiet
        return style.match if part.path in self._funnel else style.plain


def _paths(row: Line) -> frozenset[str]:
    """The paths of the parts that a line shows: with a ``not`` of one term, that of the term."""
    part = row.part
    return frozenset(p.path for p in (part.walk() if row.words != part.label else (part,)))


def _funnel(part: Part) -> Iterator[str]:
    """The paths of what has to hold one after the other, and of the rows that it is in."""
    from fluxtui.answers.explain.explanation import is_row

    yield part.path
    for inner in part.parts if is_row(part) else ():
        yield from _funnel(inner)


def _cut(guide: str, room: int) -> str:
    """A guide in so many columns: what leads to a part from far away goes before its words do."""
    room = max(room, MIN_GUIDE)
    return guide if len(guide) <= room else "…" + guide[len(guide) - room + 1 :]


def _queue_lines(question: Question, columns: Columns, style: Palette) -> list[Text]:
    """What the chosen queue adds to the constraint, and what matches both."""
    state, queue = question.state, question.state.known_queue
    assert queue is not None
    masks = [(state.cluster.covered(queue), f"in queue {printable(queue)}")]
    if state.ask.counted is not None:
        masks.append((state.left, "both"))
    lines = []
    for number, (mask, words) in enumerate(masks):
        count = mask.bit_count()
        matches, remaining = (f"{count:,}", "") if number == 0 else ("", f"{count:,}")
        tick = " "
        if question.node is not None:
            tick = YES if has(mask, question.node) else NO
        counts = f" {matches:>{columns.matches}}  {remaining:>{columns.remaining}}   "
        lines.append(
            Text.assemble(
                (tick, style.quiet),
                (counts, style.match if count else style.problem),
                (words, style.quiet),
                style=style.plain,
                no_wrap=True,
                end="",
            )
        )
    return lines


# Behind the tree


def _of_sets(question: Question, style: Palette) -> Iterator[Sentence]:
    """What keeps out the nodes that are selected, and those of the part that is selected."""
    explanation, part = question.explanation, question.part
    if explanation is None or part is None:
        return
    from fluxtui.answers.explain.why import why_set

    whole = part is explanation.root
    sets = [question.state.selected, explanation.everything if whole else part.mask]
    for mask in dict.fromkeys(mask for mask in sets if mask):
        found = why_set(explanation, mask)
        if found.out or not whole:
            yield MORE, style.quiet, found.sentence, style.quiet


def _odd(question: Question, style: Palette) -> Iterator[Sentence]:
    """What is odd, first of the part that is selected."""
    advice, part = question.advice, question.part
    if advice is None or part is None or question.state.ask.stale:
        return
    findings = sorted(advice.findings, key=lambda finding: part.path not in finding.paths)
    words = [one.problem.message for one in advice.unknown]
    for message in list(dict.fromkeys([*words, *(one.message for one in findings)]))[:MOST]:
        yield ODD, style.warning, message, style.plain


def marked(explanation: Explanation | None, advice: Advice | None) -> frozenset[str]:
    """The paths of the parts that something is odd about."""
    if explanation is None or advice is None:
        return frozenset()
    paths = {one.term for one in advice.unknown}
    for finding in advice.findings:
        paths |= set(finding.paths)
        if not finding.paths and finding.problem.span is not None:
            part = explanation.part_at(finding.problem.span.start)
            paths |= {part.path} if part is not None else set()
    return frozenset(paths)


# What is wrong with the text


def is_unfinished(ask: Ask) -> bool:
    """All that keeps a constraint from being read is at its end, where one types on."""
    end = len(ask.text.rstrip())
    errors = [p for p in ask.problems if p.severity == "error"]
    return all(p.span is None or p.span.end >= end for p in errors)


def _problems(ask: Ask, style: Palette) -> Iterator[Sentence]:
    """What is wrong with a constraint, where, and what would be right there."""
    problems = in_order(ask.problems)
    for problem in problems[:MOST]:
        sign, look = (ODD, style.warning)
        if problem.severity == "error":
            sign, look = (NO, style.problem)
        words = f"{_where(problem, ask.text)}{problem.message}{expected_words(problem)}"
        yield sign, look, words, style.plain
    more = how_many(problems[MOST:])
    if more:
        yield " ", style.quiet, f"and {more:,} more", style.quiet


def _where(problem: Problem, text: str) -> str:
    """The characters that a problem is about, where its message does not name them."""
    if problem.span is None:
        return ""
    piece = text[slice(*problem.span)].strip()
    if not piece:
        return "at the end: " if problem.span.start >= len(text.rstrip()) else ""
    named = shown(piece.removesuffix(":")) in problem.message  # an operator, without its colon
    return "" if named else f"at {shown(piece)}: "
