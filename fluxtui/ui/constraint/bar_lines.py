"""The line below the constraint: its problems, or how it compares with the one that is kept."""

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.query.tree import shown
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import State
from fluxtui.workbench.comparing import Comparison, Kept

#: The end of a line that is cut, with the key that shows it whole.
MORE = "… esc 6"

LEAST, MOST = 8, 40  # characters of the kept constraint
CUT = 2  # columns of the sign that not all of which nodes they are is shown
NAMED = 8  # ranges of host names


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Problems in the order they are shown, errors first.

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


def comparison_words(state: State, room: int, style: Palette) -> Text:
    """``A gpu 48 · B 31: +9 gained, −26 lost``, then which nodes these are.

    What A is, is cut so that the counts fit into so many columns. Blank where nothing is kept.
    """
    kept, comparison = state.kept, state.comparison
    if kept is None or comparison is None:
        return Text()
    counts = Text(" ").append(f"{kept.mask.bit_count():,}", style=style.match)
    if kept.text.strip() == state.ask.text.strip():
        counts.append(" is kept: type another one here; A in a pane stops", style=style.quiet)
    else:
        counts.append(f"{wording.DOT}B ", style=style.quiet)
        counts.append(f"{state.ask.mask.bit_count():,}", style=style.match)
        counts.append(": ", style=style.quiet)
        counts.append_text(_difference(comparison, style))
    text = Text("A ", style=style.quiet, end="")
    limit = min(max(room - text.cell_len - counts.cell_len - CUT, LEAST), MOST)
    text.append(wording.shorten(_name(kept), limit), style=style.plain)
    text.append_text(counts)
    return text.append(_which(state, comparison), style=style.quiet)


def _name(kept: Kept) -> str:
    return printable(" ".join(kept.text.split())) or "all nodes"


def _difference(comparison: Comparison, style: Palette) -> Text:
    if not comparison.gained and not comparison.lost:
        return Text("the same nodes", style=style.plain)
    return Text.assemble(
        (f"+{comparison.gained.bit_count():,} gained", style.count),
        (", ", style.quiet),
        (f"−{comparison.lost.bit_count():,} lost", style.problem),
    )


def _which(state: State, comparison: Comparison) -> str:
    """The hosts of the nodes that are gained, then of those that are lost."""
    hosts_of = state.cluster.resources.hosts_of
    masks = (("gained", comparison.gained), ("lost", comparison.lost))
    named = (f"{name} {printable(hosts_of(mask, limit=NAMED))}" for name, mask in masks if mask)
    return "".join(wording.DOT + words for words in named)
