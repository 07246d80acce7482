"""How many nodes a constraint and a queue leave, in the few words beside the input."""

from rich.text import Text

from fluxtui.notation.source import printable
from fluxtui.ui import wording
from fluxtui.ui.palette import Palette
from fluxtui.workbench import State


def counted(state: State, style: Palette, *, short: bool = False) -> Text:
    """How many nodes match, and how many of them the job's queue leaves; short without the noun.

    The default queue is named where a job is built and the queue does not have all nodes.
    """
    ask, queue, left = state.ask, state.submission.queue, state.left
    going, cluster = state.outlook.queue, state.cluster
    if queue is None and going and state.outlook.own is not None:
        covered = cluster.covered(going)
        if covered != cluster.resources.everything:
            queue, left = going, ask.mask & covered
    count = Text()
    if not ask.blank and ask.constraint is not None:
        look = style.quiet if ask.stale else style.match
        count.append(f"{ask.totals.nodes:,}", style=look)
        whole = state.cluster.resources.node_count
        nodes = f"{whole:,}" if short else wording.counted(whole, "node")
        count.append(f" of {nodes}", style=style.quiet)
        if ask.stale:
            count.append(" stale", style=style.warning)
    if queue is not None:
        count.append(wording.DOT if count else "", style=style.quiet)
        count.append(f"{left.bit_count():,}", style=style.match if left else style.problem)
        count.append(f" in {wording.shorten(printable(queue), 12)}", style=style.quiet)
    return count
