"""The lines that explain a constraint: why nothing matches, what to change, the parts with counts.

First comes the answer with the numbered changes, then the tree of the parts, then oddities and what
keeps selected nodes out.
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
from fluxtui.ui.constraint.explanations import MOST, Advice, in_order
from fluxtui.ui.kit.lines import MadeLines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import wrap
from fluxtui.ui.kit.wording import expected_words, shorten
from fluxtui.workbench import Ask, State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation, Line, Part
    from fluxtui.answers.explain.why import Why

YES, NO, ODD, NONE, MORE = "✓", "✗", "!", "∅", "·"

# Columns of a guide that stay where there is little room: its last branch, and a sign of more.
MIN_GUIDE = 3

# Texts for which it is known what was selected: as many as a person may want to go back to.
MOST_TEXTS = 200

# Below so many columns the counts have shorter titles.
ROOMY = 44

# The styles of the signs, by their roles; every other sign is a number.
_ROLES = {YES: "good", NO: "problem", ODD: "warning", MORE: "quiet"}

#: A sign and the words after it.
Sentence: TypeAlias = tuple[str, str]


class Question(NamedTuple):
    """What to explain.

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
    tail: list[Text] = []
    choices: dict[int, int] = {}
    why = _why(question)

    def say(
        lines: list[Text],
        sign: str,
        words: str,
        look: Style | None = None,
        mark: Style | None = None,
    ) -> None:
        mark = mark or (style.role(_ROLES[sign]) if sign in _ROLES else style.key)
        look = look or (style.quiet if sign == MORE else style.plain)
        parts = (sign, mark), " ", (printable(words), look)
        line = Text.assemble(*parts, style=style.plain, end="")
        lines += wrap(line, width, hang=2) if 2 < width < line.cell_len else [line]

    answer = no_match(question)
    if answer is not None:
        say(head, NO, answer, style.strong)
    for sentence in _problems(question):
        say(head, *sentence)
    for number, words in enumerate(question.choices):
        before = len(head)
        say(head, str(number + 1), words)
        choices.update(dict.fromkeys(range(before, len(head)), number))
    for sentence in _no_change(question):
        say(head, *sentence)
    if why is not None:
        mark = style.good if why.matches else style.quiet  # to be out is no problem
        say(head, YES if why.matches else NO, why.sentence, mark=mark)
    for sentence in (*_odd(question), *_of_sets(question)):
        say(tail, *sentence)
    tree = question.tree
    if tree is None and question.state.known_queue is None:
        return Listing([*head, *tail], choices, len(head), 0)

    table = _Table(question, why, style, width)
    head.append(table.titles())
    ends = [*table.queue_rows(), *tail]
    parts, top = len(tree.rows) if tree is not None else 0, len(head)

    def made(row: int) -> Text:
        if row < top:
            return head[row]
        if tree is not None and row < top + parts:
            return table.part_row(tree, tree.rows[row - top])
        return ends[row - top - parts]

    return Listing(MadeLines(top + parts + len(ends), made), choices, top, parts)


# Above the tree


def no_match(question: Question) -> str | None:
    """Why no node matches, or none in the job's queue; None if one does."""
    explanation, advice = question.explanation, question.advice
    if explanation is None or question.state.ask.stale:
        return None
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


def _problems(question: Question) -> Iterator[Sentence]:
    """What is wrong with the text, where, and what was expected; what an empty one means."""
    ask, typing = question.state.ask, question.typing
    if ask.blank:
        count = counted(question.state.cluster.resources.node_count, "node")
        more = " Try one of these:" if question.choices else ""
        yield MORE, f"Empty matches all {count}.{more}"
    # Beside a tree what is merely unfinished is left out while one types: the tree would go up and
    # down with every other key.
    if not ask.stale or (question.explanation is not None and typing and is_unfinished(ask)):
        return
    problems = in_order(ask.problems)
    for problem in problems[:MOST]:
        words = f"{_where(problem, ask.text)}{problem.message}{expected_words(problem)}"
        yield NO if problem.severity == "error" else ODD, words
    others = how_many(problems[MOST:])
    if others:
        yield MORE, f"and {others:,} more"


def is_unfinished(ask: Ask) -> bool:
    """Whether a constraint's only errors are at its end, where typing continues."""
    end = len(ask.text.rstrip())
    errors = [p for p in ask.problems if p.severity == "error"]
    return all(p.span is None or p.span.end >= end for p in errors)


def _where(problem: Problem, text: str) -> str:
    """The characters that a problem is about, where its message does not name them."""
    if problem.span is None:
        return ""
    piece = text[slice(*problem.span)].strip()
    if not piece:
        return "at the end: " if problem.span.start >= len(text.rstrip()) else ""
    named = shown(piece.removesuffix(":")) in problem.message  # an operator, without its colon
    return "" if named else f"at {shown(piece)}: "


def _no_change(question: Question) -> Iterator[Sentence]:
    """That there is nothing to change, or not yet, and what was not tried."""
    advice = question.advice
    if advice is None:
        return
    if not question.choices and advice.looking:
        yield MORE, "looking for pairs of changes …"
    elif not question.choices and not advice.matches:
        from fluxtui.answers.explain.relaxations import nothing_helps

        yield MORE, nothing_helps(advice.untried, advice.within)
    if advice.untried and not advice.looking:
        yield MORE, advice.untried


def _why(question: Question) -> Why | None:
    if question.explanation is None or question.node is None:
        return None
    from fluxtui.answers.explain.why import why

    return why(question.explanation, question.node)


# The tree


class Tree:
    """The parts of a constraint, one row each.

    adds says that there is an ``or``, whose operands add nodes to those of the operands before.
    """

    def __init__(self, explanation: Explanation) -> None:
        from fluxtui.answers.explain.explanation import lines

        self.rows: list[Line] = list(lines(explanation.root))
        self.adds = any(row.part.adds is not None for row in self.rows)
        #: The paths of what has to hold one after the other, and of the rows that it is in.
        self.steps = frozenset(_funnel(explanation.root))

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


class SelectedPart:
    """The selected part of a constraint, by its path."""

    def __init__(self) -> None:
        self._explanation: Explanation | None = None
        self._path_by_text: dict[str, str] = {}  # what was selected last in earlier texts
        #: The lines of the tree; None without a constraint.
        self.tree: Tree | None = None
        #: The path of the part, which may be one that the line of another part shows.
        self.path = ""

    @property
    def row(self) -> int:
        """The row of the part in the tree; 0 where there is none."""
        return (self.tree.row_of(self.path) if self.tree is not None else None) or 0

    @property
    def part(self) -> Part | None:
        """The part; None without a constraint."""
        return self.tree.rows[self.row].part if self.tree is not None else None

    def show(self, explanation: Explanation | None, wanted: str | None) -> None:
        """Show another constraint.

        Selects the part with the path that is wanted; without one, what was selected when this
        text was seen last, as after an undo; else what is where the part was.
        """
        before = self.part
        if self._explanation is not None:
            text = self._explanation.reading.text
            self._path_by_text.pop(text, None)
            self._path_by_text[text] = self.path
            if len(self._path_by_text) > MOST_TEXTS:
                del self._path_by_text[next(iter(self._path_by_text))]
        self._explanation = explanation
        self.tree = Tree(explanation) if explanation is not None else None
        if explanation is None:
            self.path = wanted or self.path
            return
        if wanted is None:
            wanted = self._path_by_text.get(explanation.reading.text, self.path)
        self.path = wanted
        if explanation.part(wanted) is None:
            self.path = ""
            self.follow(before.span.start if before is not None and before.span is not None else 0)

    def follow(self, cursor: int) -> None:
        """Select the smallest part at a place of the text, where one is."""
        part = self._explanation.part_at(cursor) if self._explanation is not None else None
        if part is not None:
            self.path = part.path


class _Table:
    """Makes the rows with counts: of the nodes that a part matches alone, and that remain."""

    def __init__(self, question: Question, why: Why | None, style: Palette, width: int) -> None:
        self._question, self._style, self._width = question, style, width
        self._names = ("match", "left") if 0 < width < ROOMY else ("matches", "remaining")
        digits = len(f"{question.state.cluster.resources.node_count:,}")
        adds = question.tree is not None and question.tree.adds  # a plus before some counts
        self._widths = max(digits, len(self._names[0])), max(digits + adds, len(self._names[1]))
        self._odd = marked(question.explanation, question.advice)
        # The paths of the terms that keep the node out.
        self._decides = frozenset(why.paths if why is not None and not why.matches else ())

    def titles(self) -> Text:
        """What the counts are, with the name of the node that the signs before them are about."""
        quiet, node = self._style.quiet, self._question.node
        line = self._row((" ", quiet), (self._names[0], quiet), (self._names[1], quiet))
        if node is not None:
            resources = self._question.state.cluster.resources
            host = resources.host(node) or f"rank {resources.rank(node)}"
            line.append(f"  {YES}{NO} {printable(host)}", quiet)
        return line

    def part_row(self, tree: Tree, row: Line) -> Text:
        """The row of one part."""
        part, style, node, paths = row.part, self._style, self._question.node, _paths(row)
        is_out = node is not None and not has(part.mask, node)
        own = style.slot if part.parts and row.words == part.label else style.plain
        counts = _style_of_remaining(tree, part, style)
        flag = (ODD, style.warning) if self._odd & paths else (" ", style.quiet)
        if part.empties:
            counts = own = style.problem
            flag = (NONE, style.problem)
        line = self._row(
            (
                self._tick(part.mask),
                style.problem if is_out and self._decides & paths else style.quiet,
            ),
            (f"{part.alone:,}", style.quiet if part.alone else style.problem),
            (f"{part.left:,}" if part.adds is None else f"+{part.adds:,}", counts),
        )
        line.append(*flag).append(" ")
        words = printable(row.words)
        width = self._width
        room = width - line.cell_len - cell_len(words) if width else len(row.guide)
        return line.append(shorten(row.guide, max(room, MIN_GUIDE), "end"), style.faint).append(
            words, own
        )

    def queue_rows(self) -> Iterator[Text]:
        """What the chosen queue adds to the constraint, and what matches both."""
        state, style = self._question.state, self._style
        queue = state.known_queue
        if queue is None:
            return
        rows = [(state.cluster.covered(queue), f"in queue {printable(queue)}")]
        if state.ask.counted is not None:
            rows.append((state.left, "both"))
        for mask, words in rows:
            look = style.match if mask else style.problem
            counts = ((f"{mask.bit_count():,}", look), ("", look))
            line = self._row(
                (self._tick(mask), style.quiet), *(reversed(counts) if words == "both" else counts)
            )
            yield line.append("  ").append(words, style.quiet)

    def _tick(self, mask: int) -> str:
        node = self._question.node
        return " " if node is None else YES if has(mask, node) else NO

    def _row(self, *cells: tuple[str, Style]) -> Text:
        """The sign of the node and the counts, right-aligned."""
        tick, (matches, one), (remaining, other) = cells
        return Text.assemble(
            tick,
            (f" {matches:>{self._widths[0]}}", one),
            (f"  {remaining:>{self._widths[1]}} ", other),
            style=self._style.plain,
            no_wrap=True,
            end="",
        )


def _style_of_remaining(tree: Tree, part: Part, style: Palette) -> Style:
    """What remains of the whole constraint stands out; below ``not`` it goes on inside."""
    if "not[" in part.path:
        return style.faint
    if not (part.left if part.adds is None else part.adds):
        return style.quiet
    return style.match if part.path in tree.steps else style.plain


def _paths(row: Line) -> frozenset[str]:
    """The paths of the parts that a line shows: with a ``not`` of one term, that of the term."""
    part = row.part
    return frozenset(p.path for p in (part.walk() if row.words != part.label else (part,)))


def _funnel(part: Part) -> Iterator[str]:
    from fluxtui.answers.explain.explanation import is_row

    yield part.path
    for inner in part.parts if is_row(part) else ():
        yield from _funnel(inner)


# Below the tree


def _of_sets(question: Question) -> Iterator[Sentence]:
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
            yield MORE, found.sentence


def _odd(question: Question) -> Iterator[Sentence]:
    """Oddities, those of the selected part first."""
    advice, part = question.advice, question.part
    if advice is None or part is None:
        return
    findings = sorted(advice.findings, key=lambda finding: part.path not in finding.paths)
    words = [one.problem.message for one in advice.unknown]
    for message in list(dict.fromkeys([*words, *(one.message for one in findings)]))[:MOST]:
        yield ODD, message


def marked(explanation: Explanation | None, advice: Advice | None) -> frozenset[str]:
    """The paths of the odd parts."""
    if explanation is None or advice is None:
        return frozenset()
    paths = {one.term for one in advice.unknown}
    for finding in advice.findings:
        paths |= set(finding.paths)
        if not finding.paths and finding.problem.span is not None:
            part = explanation.part_at(finding.problem.span.start)
            paths |= {part.path} if part is not None else set()
    return frozenset(paths)
