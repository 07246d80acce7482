"""Which nodes are lit, how, and what the glyphs mean: the match, the placement, or a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fluxtui.notation.source import printable
from fluxtui.ui.widgets.nodes_view import DARK, Light
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.room import Placement

MATCH, STALE, OTHER, PLACED, SHARED = "■", "□", "·", "▣", "◪"

NAME_LIMIT = 16


@dataclass(frozen=True, slots=True)
class Lit:
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
    queues = cluster.config.queues if cluster.config is not None else ()
    for queue, mask in zip(queues, cluster.coverage, strict=True):
        # A virtual queue and its parent are one set of nodes.
        if name not in (queue.name, queue.parent) and not _parent_of(state, name, queue.name):
            others |= mask
    words = printable(name)[:NAME_LIMIT] or "the queue"
    legend = [(MATCH, f"in {words}"), (OTHER, "not")]
    if own & others:
        legend.insert(1, (SHARED, "in another queue too"))
    lights = (Light(own & others, SHARED, "slot"), Light(own, MATCH, "slot"))
    return Lit(lights, Light(0, OTHER, "faint"), own, tuple(legend))


def _parent_of(state: State, name: str, other: str) -> bool:
    """The other queue is behind the virtual queue of this name."""
    config = state.cluster.config
    queue = config.queue(name) if config is not None else None
    return queue is not None and queue.parent == other


def _answer(state: State) -> Lit:
    """The nodes that match, those of them that the queue leaves, and a placement."""
    ask = state.ask
    asked = ask.constraint is not None
    chosen = state.submission.queue
    placement = placement_of(state)
    lights: list[Light] = []
    legend: list[tuple[str, str]] = []
    if placement is not None:
        role = "stale" if state.outlook.stale else "match"
        lights.append(Light(placement.mask, PLACED, role))
        legend.append((PLACED, "placed"))
    if not asked and chosen is None:
        mask = placement.mask if placement is not None else ask.mask
        return Lit(tuple(lights), DARK, mask, tuple(legend))
    mask = ask.mask if chosen is None else ask.mask & state.cluster.covered(chosen)
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


def placement_of(state: State) -> Placement | None:
    """The placement to show, if the job has room."""
    found = state.outlook.fit
    return found.own.placement if found is not None else None
