"""What the bar of the constraint says of it against the one that is kept: counts, and which."""

from rich.text import Text

from fluxtui.notation.problem import printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import State
from fluxtui.workbench.comparing import Comparison, Kept

LEAST, MOST = 8, 40  # characters of the kept constraint
CUT = 2  # columns of the sign that not all of which nodes they are is shown
NAMED = 8  # ranges of host names


def words(state: State, room: int, style: Palette) -> Text:
    """``A gpu 48 · B 31: +9 gained, −26 lost``, then which nodes these are.

    What A is, is cut so that the counts fit into so many columns. Blank where nothing is kept.
    """
    kept, comparison = state.kept, state.comparison
    if kept is None or comparison is None:
        return Text()
    counts = Text(" ").append(f"{kept.mask.bit_count():,}", style=style.match)
    if kept.text.strip() == state.ask.text.strip():
        counts.append(" is kept: write another one here, ctrl+k ends", style=style.quiet)
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
    """How many nodes are gained and lost."""
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
