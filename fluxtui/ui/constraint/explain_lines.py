"""The lines that explain a constraint: why nothing matches, what to change, the parts with counts.

First comes the answer with the numbered changes, then the tree of the parts, then oddities and why
selected nodes do not match.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation.problem import Problem, counted, how_many, is_digits, printable
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets.bits import has
from fluxtui.ui.constraint.explanations import MOST, Advice, in_order
from fluxtui.ui.kit.lines import LazyLines
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import expected_words, shorten, styled_line, wrap
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation, Line, Part
    from fluxtui.answers.explain.why import Why

YES, NO, ODD, NONE, MORE = "✓", "✗", "!", "∅", "·"

# The columns that a guide always keeps: its last branch and a sign that it is cut.
MIN_GUIDE = 3

# In narrower panes the counts have shorter titles.
ROOMY = 44

#: A sign, the words after it, and the roles of both.
Sentence: TypeAlias = tuple[str, str, str, str]


class Parts:
    """The parts of a constraint, a row each, and which of them is selected.

    path is the path of the selected part, which may not have a row of its own.
    """

    def __init__(self, explanation: Explanation | None = None, path: str = "") -> None:
        self.explanation = explanation
        self.path = path
        self.rows: list[Line] = []
        if explanation is not None:
            from fluxtui.answers.explain.explanation import lines

            self.rows.extend(lines(explanation.root))
        self._row_by_path = {path: n for n, row in enumerate(self.rows) for path in _paths(row)}

    @property
    def row(self) -> int:
        """The row that shows the selected part."""
        return self._row_by_path.get(self.path, 0)

    @property
    def part(self) -> Part | None:
        """The selected part; None without a constraint."""
        return self.rows[self.row].part if self.rows else None

    def follow(self, cursor: int) -> None:
        """Select the smallest part at a position in the text, if there is one."""
        part = self.explanation.part_at(cursor) if self.explanation is not None else None
        if part is not None:
            self.path = part.path


class Question(NamedTuple):
    """What to explain.

    parts    the parts of the current constraint
    node     the index of the node to explain; None for none
    advice   what is odd and what to change; None while that is not known
    choices  what the numbered keys do, the best first
    typing   whether the constraint is being typed
    """

    state: State
    parts: Parts
    node: int | None = None
    advice: Advice | None = None
    choices: Sequence[str] = ()
    typing: bool = False


class Listing(NamedTuple):
    """The lines of an explanation.

    choices     the choice, from 0, for each row of a numbered line
    top, parts  the row of the first part, and how many rows the parts take
    """

    lines: Sequence[Text] = ()
    choices: Mapping[int, int] = {}
    top: int = 0
    parts: int = 0

    def stop(self, row: int, by: int) -> int:
        """Return the row so many choices or parts after a row; before it if negative."""
        firsts = {choice: at for at, choice in reversed([*self.choices.items()])}
        stops = [*sorted(firsts.values()), *range(self.top, self.top + self.parts)]
        return stops[min(max(bisect(stops, row) - 1 + by, 0), len(stops) - 1)] if stops else row


def listing(question: Question, style: Palette, width: int) -> Listing:
    """Return the lines that explain a constraint, at a width; 0 if that is not known yet."""
    parts, why = question.parts, _why(question)

    def rows(sentence: Sentence) -> list[Text]:
        sign, words, mark, look = sentence
        line = styled_line(
            (sign, style.role(mark)), " ", (printable(words), style.role(look)), style=style.plain
        )
        return wrap(line, width, hang=2) if 2 < width < line.cell_len else [line]

    head: list[Text] = []
    choices: dict[int, int] = {}
    for sentence in _above(question, why):
        top = len(head)
        head += rows(sentence)
        if is_digits(sentence[0]):
            choices.update(dict.fromkeys(range(top, len(head)), int(sentence[0]) - 1))
    tail = [row for sentence in _below(question) for row in rows(sentence)]
    if not parts.rows and question.state.known_queue is None:
        return Listing([*head, *tail], choices, len(head))
    table = _Table(question, why, style, width)
    head.append(table.titles())
    tail = [*table.queue_rows(), *tail]
    top, count = len(head), len(parts.rows)

    def made(row: int) -> Text:
        if row < top:
            return head[row]
        return (
            table.part_row(parts.rows[row - top]) if row < top + count else tail[row - top - count]
        )

    return Listing(LazyLines(top + count + len(tail), made), choices, top, count)


def sentences(question: Question) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences above the tree, and those below it."""
    return [*_above(question, _why(question))], [*_below(question)]


def _why(question: Question) -> Why | None:
    if question.parts.explanation is None or question.node is None:
        return None
    from fluxtui.answers.explain.why import why

    return why(question.parts.explanation, question.node)


# Above the tree


def _above(question: Question, why: Why | None) -> Iterator[Sentence]:
    """Yield why nothing matches, errors in the text, changes, and why a node matches or not."""
    ask, advice, choices = question.state.ask, question.advice, question.choices
    reason = _no_match(question)
    if reason is not None:
        yield NO, reason, "problem", "strong"
    if ask.blank:
        count = counted(question.state.cluster.resources.node_count, "node")
        more = " Try one of these:" if choices else ""
        yield MORE, f"Empty matches all {count}.{more}", "quiet", "quiet"
    # Above a tree, the errors of a text that is merely unfinished are left out while it is typed:
    # otherwise the tree would jump up and down with every other key.
    end = len(ask.text.rstrip())
    errors = [problem for problem in ask.problems if problem.severity == "error"]
    is_unfinished = all(p.span is None or p.span.end >= end for p in errors)
    is_temporary = bool(question.parts.rows) and question.typing and is_unfinished
    problems = in_order(ask.problems) if ask.stale and not is_temporary else []
    for problem in problems[:MOST]:
        words = f"{_where(problem, ask.text)}{problem.message}{expected_words(problem)}"
        is_error = problem.severity == "error"
        yield NO if is_error else ODD, words, "problem" if is_error else "warning", "plain"
    others = how_many(problems[MOST:])
    if others:
        yield MORE, f"and {others:,} more", "quiet", "quiet"
    for number, words in enumerate(choices, 1):
        yield str(number), words, "key", "plain"
    if advice is not None and not choices and advice.looking:
        yield MORE, "looking for pairs of changes …", "quiet", "quiet"
    elif advice is not None and not choices and not advice.matches:
        from fluxtui.answers.explain.relaxations import nothing_helps

        if (explanation := question.parts.explanation) is not None:
            words = nothing_helps(explanation, advice.untried, advice.within)
            yield MORE, words, "quiet", "quiet"
    if advice is not None and advice.untried and not advice.looking:
        yield MORE, advice.untried, "quiet", "quiet"
    if why is not None:  # a node that does not match is not a problem, so the sign is quiet
        yield YES if why.matches else NO, why.sentence, "good" if why.matches else "quiet", "plain"


def _no_match(question: Question) -> str | None:
    """Return why no node matches, or none in the job's queue; None if one does."""
    explanation, advice = question.parts.explanation, question.advice
    if explanation is None or question.state.ask.stale:
        return None
    if explanation.mask:
        if advice is None or advice.matches or advice.within is None:
            return None
        count = counted(explanation.count, "node")
        verb = "matches" if explanation.count == 1 else "match"
        return f"{count} {verb}, but none in queue {advice.within.queue}"
    steps = explanation.funnel
    number = next((number for number, step in enumerate(steps) if step.empties), None)
    if number is None:
        return "No node matches"
    words = shown(steps[number].words)
    if not number:
        return f"No node matches {words}"
    left = steps[number - 1].left
    last = "the last node" if left == 1 else f"the last {left:,} nodes"
    return f"No node matches: {words} rules out {last}"


def _where(problem: Problem, text: str) -> str:
    """Return where in the text a problem is; empty if its message quotes that piece of text."""
    if problem.span is None:
        return ""
    piece = text[slice(*problem.span)].strip()
    if not piece:
        return "at the end: " if problem.span.start >= len(text.rstrip()) else ""
    is_quoted = shown(piece.removesuffix(":")) in problem.message  # an operator: without the colon
    return "" if is_quoted else f"at {shown(piece)}: "


# The tree


class _Table:
    """Makes the rows with counts: nodes that a part matches on its own, and nodes that remain."""

    def __init__(self, question: Question, why: Why | None, style: Palette, width: int) -> None:
        self._question, self._style, self._width = question, style, width
        self._names = ("match", "left") if 0 < width < ROOMY else ("matches", "remaining")
        digits = len(f"{question.state.cluster.resources.node_count:,}")
        plus = any(row.part.adds is not None for row in question.parts.rows)
        self._widths = max(digits, len(self._names[0])), max(digits + plus, len(self._names[1]))
        self._odd = _odd_paths(question)
        # The paths of the terms that exclude the node.
        self._decisive = frozenset(why.paths if why is not None and not why.matches else ())

    def titles(self) -> Text:
        """Return the titles of the counts, and the name of the node that the signs are about."""
        quiet, node = self._style.quiet, self._question.node
        line = self._counts((" ", quiet), (self._names[0], quiet), (self._names[1], quiet))
        if node is not None:
            resources = self._question.state.cluster.resources
            host = resources.host(node) or f"rank {resources.rank(node)}"
            line.append(f"  {YES}{NO} {printable(host)}", quiet)
        return line

    def part_row(self, row: Line) -> Text:
        """Return the row of one part; nodes that remain in the whole constraint are highlighted."""
        part, style, node, paths = row.part, self._style, self._question.node, _paths(row)
        is_decisive = node is not None and not has(part.mask, node) and self._decisive & paths
        left = part.left if part.adds is None else part.adds
        look = style.slot if part.parts and row.words == part.label else style.plain
        flag = (ODD, style.warning) if self._odd & paths else (" ", style.quiet)
        remaining = style.match if left else style.quiet
        if part.empties:
            look = remaining = style.problem
            flag = (NONE, style.problem)
        elif "not[" in part.path:
            remaining = style.faint
        elif left and "or[" in part.path:
            remaining = style.plain
        line = self._counts(
            (self._tick(part.mask), style.problem if is_decisive else style.quiet),
            (f"{part.alone:,}", style.quiet if part.alone else style.problem),
            (f"{left:,}" if part.adds is None else f"+{left:,}", remaining),
        )
        line.append(*flag).append(" ")
        words = printable(row.words)
        room = self._width - line.cell_len - cell_len(words) if self._width else len(row.guide)
        guide = shorten(row.guide, max(room, MIN_GUIDE), "end")
        return line.append(guide, style.faint).append(words, look)

    def queue_rows(self) -> Iterator[Text]:
        """Yield how many nodes the chosen queue has, and how many of them match as well."""
        state, style = self._question.state, self._style
        queue = state.known_queue
        if queue is None:
            return
        rows = [(state.cluster.covered(queue), f"in queue {printable(queue)}")]
        rows += [(state.left, "both")] if state.ask.counted is not None else []
        for mask, words in rows:
            count = (f"{mask.bit_count():,}", style.match if mask else style.problem)
            cells = ("", style.quiet), count
            tick = (self._tick(mask), style.quiet)
            line = self._counts(tick, *(cells if words == "both" else reversed(cells)))
            yield line.append("  ").append(words, style.quiet)

    def _tick(self, mask: int) -> str:
        node = self._question.node
        return " " if node is None else YES if has(mask, node) else NO

    def _counts(self, *cells: tuple[str, Style]) -> Text:
        """Return the sign of the node and the counts, right-aligned."""
        tick, (matches, matches_look), (remaining, remaining_look) = cells
        return styled_line(
            tick,
            (f" {matches:>{self._widths[0]}}", matches_look),
            (f"  {remaining:>{self._widths[1]}} ", remaining_look),
            style=self._style.plain,
        )


def _paths(row: Line) -> frozenset[str]:
    """Return the paths of the parts that a line shows; a ``not`` of one term shows both."""
    part = row.part
    return frozenset(p.path for p in (part.walk() if row.words != part.label else (part,)))


def _odd_paths(question: Question) -> frozenset[str]:
    """Return the paths of the odd parts."""
    explanation, advice = question.parts.explanation, question.advice
    if explanation is None or advice is None:
        return frozenset()
    paths = {unknown.term for unknown in advice.unknown}
    for finding in advice.findings:
        paths |= set(finding.paths)
        if not finding.paths and finding.problem.span is not None:
            part = explanation.part_at(finding.problem.span.start)
            paths |= {part.path} if part is not None else set()
    return frozenset(paths)


# Below the tree


def _below(question: Question) -> Iterator[Sentence]:
    """Yield oddities, those of the selected part first, and why sets of nodes do not match.

    The sets are the selected nodes and the nodes of the selected part.
    """
    explanation, part, advice = question.parts.explanation, question.parts.part, question.advice
    if explanation is None or part is None:
        return
    if advice is not None:
        findings = sorted(advice.findings, key=lambda finding: part.path not in finding.paths)
        words = [unknown.problem.message for unknown in advice.unknown]
        words += [finding.message for finding in findings]
        for message in list(dict.fromkeys(words))[:MOST]:
            yield ODD, message, "warning", "plain"
    from fluxtui.answers.explain.why import why_set

    is_whole = part is explanation.root
    masks = (question.state.selected, explanation.everything if is_whole else part.mask)
    for mask in dict.fromkeys(masks):
        reason = why_set(explanation, mask) if mask else None
        if reason is not None and (reason.out or not is_whole):
            yield MORE, reason.sentence, "quiet", "quiet"
