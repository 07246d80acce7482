"""Which nodes are lit, how, and what the glyphs mean: the match, the placement, or a queue."""

from typing import NamedTuple

from fluxtui.notation.source import printable
from fluxtui.ui.widgets.nodes_view import DARK, Light
from fluxtui.workbench import State

MATCH, STALE, OTHER, PLACED, SHARED = "■", "□", "·", "▣", "◪"

NAME_LIMIT = 16


class Lit(NamedTuple):
    """How the nodes of a state look.

    lights  groups of nodes, the first that holds a node counts
    dark    how all other nodes look
    mask    the nodes that next and previous go through
    legend  what each glyph means, as glyph and words
    """

    lights: tuple[Light, ...]
    dark: Light
    mask: int
    legend: tuple[tuple[str, str], ...]


def lit(state: State) -> Lit:
    """How the nodes of a state look: those of the queue that is looked at, else the answer."""
    return _answer(state) if state.looked_at is None else _queue(state, state.looked_at)


def _queue(state: State, name: str) -> Lit:
    """The nodes of one queue, and which of them another queue covers as well."""
    cluster = state.cluster
    own = cluster.covered(name)
    others = 0
    config = cluster.config
    queue = config.queue(name) if config is not None else None
    if config is not None and queue is not None:
        for other, mask in zip(config.queues, cluster.coverage, strict=True):
            if not queue.is_kin(other):
                others |= mask
    words = printable(name)[:NAME_LIMIT] or "the queue"
    legend = [(MATCH, f"in {words}"), (OTHER, "not")]
    if own & others:
        legend.insert(1, (SHARED, "in another queue too"))
    lights = (Light(own & others, SHARED, "slot"), Light(own, MATCH, "slot"))
    return Lit(lights, Light(0, OTHER, "faint"), own, tuple(legend))


def _answer(state: State) -> Lit:
    """The nodes that match, those of them that the queue leaves, and a placement."""
    ask = state.ask
    asked = ask.constraint is not None
    chosen = state.submission.queue
    placement = state.outlook.placement
    lights: list[Light] = []
    legend: list[tuple[str, str]] = []
    if placement is not None:
        old = state.outlook.old
        lights.append(Light(placement.mask, PLACED, "stale" if old else "match"))
        legend.append((PLACED, "last placed" if old else "placed"))
    if not asked and chosen is None:
        mask = placement.mask if placement is not None else ask.mask
        return Lit(tuple(lights), DARK, mask, tuple(legend))
    mask = state.left
    if ask.stale:
        lights.append(Light(mask, STALE, "stale"))
        legend.append((STALE, "last match"))
    else:
        lights.append(Light(mask, MATCH, "match"))
        legend.append((MATCH, "match" if asked else f"in {printable(chosen or '')[:NAME_LIMIT]}"))
    if mask != ask.mask and asked:
        lights.append(Light(ask.mask & ~mask, STALE, "quiet"))
        legend.append((STALE, f"match, not in {printable(chosen or '')[:NAME_LIMIT]}"))
    legend.append((OTHER, "no match" if asked else "not"))
    return Lit(tuple(lights), Light(0, OTHER, "faint"), mask, tuple(legend))
