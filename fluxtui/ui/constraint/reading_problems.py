"""What is wrong with a constraint: what the line below it says, and what its reading lists."""

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from fluxtui.notation.problem import Problem, how_many, printable
from fluxtui.notation.query.tree import shown
from fluxtui.ui.constraint.reading_lines import MOST, NO, ODD
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.wording import expected_words
from fluxtui.workbench import Ask

#: The end of a line that is cut, with the key that shows it whole.
MORE = "… F3"


def said(problems: Sequence[Problem]) -> list[Problem]:
    """Problems in the order they are told, errors first.

    An error says what to write instead, where a warning at the same place does.
    """
    warnings = [p for p in problems if p.severity == "warning"]
    advice = {p.span.start: p for p in reversed(warnings) if p.span is not None}
    errors = []
    for problem in problems:
        if problem.severity != "error":
            continue
        better = advice.pop(problem.span.start, None) if problem.span is not None else None
        if better is not None:
            warnings.remove(better)
        errors.append(replace(better, severity="error") if better is not None else problem)
    return errors + warnings


def fitted(problem: Problem, text: str, room: int) -> str:
    """The message of a problem of a text for a line of so many columns below its characters.

    What stands under them need not be said again, and a line that is cut says where to read on.
    """
    message = printable(problem.message)
    if cell_len(message) <= room:
        return message
    if problem.span is not None:
        message = message.removeprefix(printable(shown(text[slice(*problem.span)])) + " ")
    if cell_len(message) <= room:
        return message
    return set_cell_size(message, max(room - len(MORE), 0)).rstrip() + MORE


def problem_lines(ask: Ask, style: Palette) -> list[Text]:
    """What is wrong with a constraint, where, and what would be right there."""
    told = said(ask.problems)
    lines = [_line(problem, ask.text, style) for problem in told[:MOST]]
    more = how_many(told[MOST:])
    if more:
        lines.append(Text(f"  and {more:,} more", style=style.quiet, end=""))
    return lines


def _line(problem: Problem, text: str, style: Palette) -> Text:
    wrong = problem.severity == "error"
    sign = (NO, style.problem) if wrong else (ODD, style.warning)
    message, where = problem.message, ""
    if problem.span is not None:
        piece = text[slice(*problem.span)].strip()
        if not piece:
            where = "at the end: " if problem.span.start >= len(text.rstrip()) else ""
        elif shown(piece.removesuffix(":")) not in message:  # an operator is named without it
            where = f"at {shown(piece)}: "
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


class ReadingProblems(LinesView):
    """Lists what is wrong with a constraint that cannot be read, in as many lines as it takes.

    Beside a tree it takes no more than a part of the room; away while nothing is wrong.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True, hang=2)
        self.can_focus = False
        self.display = False

    def show_problems(self, ask: Ask | None, *, alone: bool, typing: bool) -> None:
        """Show those of a constraint, None where it is not shown; alone without a tree below.

        While one types beside a tree, what is merely unfinished is not listed: the tree would go
        up and down with every other key.
        """
        if ask is None or not ask.stale or (typing and not alone and is_unfinished(ask)):
            self.display = False
        else:
            self.display = True
            self.styles.max_height = "100%" if alone else "40%"
            self.show_lines(problem_lines(ask, palette_of(self)))
