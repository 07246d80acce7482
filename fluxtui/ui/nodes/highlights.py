"""Which nodes are lit, how, and what the glyphs mean: the match, the placement, or a queue.

What is selected stands before all of it.
"""

from typing import NamedTuple

from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import less
from fluxtui.ui.nodes.nodes_view import DARK, Highlight
from fluxtui.workbench import Compared, State

MATCH, STALE, OTHER, PLACED, SHARED = "■", "□", "·", "▣", "◪"
SELECTED, UNMATCHED = "◆", "◇"
MARKED = "▁"  # selected while two constraints are compared: such nodes are underlined
GAINED, LOST = "▲", "▽"

NAME_LIMIT = 16


class KeyHint(str):
    """Words that name a key which works in the cluster alone: said while that has the focus."""

    __slots__ = ()


GOING_ON = KeyHint("n p next, previous")


class Lit(NamedTuple):
    """How the nodes of a state look.

    lights    groups of nodes, the first that holds a node counts
    dark      how all other nodes look
    mask      the nodes that next and previous go through
    legend    what each glyph means, as glyph and words
    good      the nodes that match; all where nothing is asked
    selected  the nodes that are selected
    more      what else is said where there is room, such as keys; what matters most is first
    """

    lights: tuple[Highlight, ...]
    dark: Highlight
    mask: int
    legend: tuple[tuple[str, str], ...]
    good: int
    selected: int = 0
    more: tuple[str, ...] = (GOING_ON, KeyHint("space selects"))


def lit(state: State) -> Lit:
    """How the nodes of a state look: those of the queue that is looked at, else the answer.

    While a constraint is kept, it is the answer against that one; while two documents are compared,
    what differs between them.
    """
    if state.looked_at is not None:
        found = _queue(state, state.looked_at)
    elif state.compared is not None:
        found = _changed(state, state.compared)
    else:
        found = _answer(state) if state.kept is None else _compared(state)
    if not state.selected:
        return found
    compared = state.kept is not None or state.compared is not None
    is_compared = compared and state.looked_at is None
    return (_with_marked if is_compared else _with_selected)(found, state)


# What can be done with the nodes that are selected.
_KEYS = (KeyHint("x writes the constraint"), KeyHint("w saves"), KeyHint("esc clears"))


def _with_selected(found: Lit, state: State) -> Lit:
    """The same with the nodes that are selected; full are those that match."""
    selected = state.selected
    inside, outside = selected & found.good, less(selected, found.good)
    lights = (
        Highlight(inside, SELECTED, "slot", over=2),
        Highlight(outside, UNMATCHED, "slot", over=2),
    )
    others = outside.bit_count()
    count = f"{inside.bit_count() + others:,} selected"
    marks = [(SELECTED if inside else UNMATCHED, count if inside else f"{count}, no match")]
    if inside and others:
        marks.append((UNMATCHED, f"{others:,} no match"))
    written = selected == state.ask.mask
    usual = (f"{glyph} {words}" for glyph, words in found.legend)
    return found._replace(
        lights=(*lights, *found.lights),
        legend=tuple(marks),
        selected=selected,
        more=(*(_KEYS[1:] if written else _KEYS), *usual),
    )


def _with_marked(found: Lit, state: State) -> Lit:
    """The comparison with the nodes that are selected; they keep what it says of them."""
    selected = state.selected
    marked = (light._replace(mask=light.mask & selected, marked=True) for light in found.lights)
    neither = Highlight(selected, OTHER, "quiet", marked=True)
    return found._replace(
        lights=(*marked, neither, *found.lights),
        legend=(*found.legend[:3], (MARKED, f"{selected.bit_count():,} selected")),
        selected=selected,
        more=(*_KEYS, *found.more),
    )


def _queue(state: State, name: str) -> Lit:
    """The nodes of one queue, and which of them another queue covers as well."""
    cluster = state.cluster
    own = cluster.covered(name)
    others = 0
    config = cluster.config
    queue = config.queue(name) if config is not None else None
    if config is not None and queue is not None:
        for other in config.queues:
            if not queue.is_kin(other):
                others |= cluster.covered(other.name)
    words = printable(name)[:NAME_LIMIT] or "the queue"
    legend = [(MATCH, f"in {words}"), (OTHER, "not")]
    if own & others:
        legend.insert(1, (SHARED, "in another queue too"))
    lights = (Highlight(own & others, SHARED, "slot"), Highlight(own, MATCH, "slot"))
    return Lit(lights, Highlight(0, OTHER, "faint"), own, tuple(legend), own)


def _compared(state: State) -> Lit:
    """The nodes of the constraint, B, against those of the one that is kept, A."""
    comparison = state.comparison
    assert comparison is not None
    both, gained, lost = comparison.both, comparison.gained, comparison.lost
    old = state.ask.stale
    lights = (
        Highlight(gained, GAINED, "count", over=1),
        Highlight(lost, LOST, "problem", over=1),
        Highlight(both, STALE if old else MATCH, "stale" if old else "match"),
    )
    legend = (
        (GAINED, f"{gained.bit_count():,} gained"),
        (LOST, f"{lost.bit_count():,} lost"),
        (lights[-1].glyph, f"{both.bit_count():,} both"),
        (OTHER, "neither"),
    )
    more = ("ctrl+k ends", GOING_ON)
    dark = Highlight(0, OTHER, "faint")
    return Lit(lights, dark, gained | lost, legend, state.ask.mask, more=more)


def _changed(state: State, compared: Compared) -> Lit:
    """What differs from another document; nodes that only that one has are counted."""
    changes = compared.changes
    added, removed = changes.added, changes.removed
    if state.cluster is compared.after:
        own, other, changed = (added, GAINED, "count", "added"), removed, changes.changed
        elsewhere = (LOST, f"{other.bit_count():,} removed")
    else:
        own, other, changed = (removed, LOST, "problem", "removed"), added, changes.changed_before
        elsewhere = (GAINED, f"{other.bit_count():,} added")
    mask, glyph, role, word = own
    same = less(state.cluster.resources.everything, mask | changed)
    legend = [
        (glyph, f"{mask.bit_count():,} {word}"),
        (SHARED, f"{changed.bit_count():,} changed"),
        (OTHER, f"{same.bit_count():,} same"),
    ]
    if other:
        legend.insert(2, elsewhere)
    lights = (Highlight(mask, glyph, role), Highlight(changed, SHARED, "slot"))
    more = (KeyHint("d ends"), KeyHint("D lists"), GOING_ON)
    good = state.ask.mask
    return Lit(lights, Highlight(0, OTHER, "faint"), mask | changed, tuple(legend), good, more=more)


def _answer(state: State) -> Lit:
    """The nodes that match, those of them that the queue leaves, and a placement."""
    ask = state.ask
    asked = ask.constraint is not None
    chosen = state.known_queue
    placement = state.outlook.placement
    lights: list[Highlight] = []
    legend: list[tuple[str, str]] = []
    if placement is not None:
        old = state.outlook.old
        lights.append(Highlight(placement.mask, PLACED, "stale" if old else "match", over=1))
        legend.append((PLACED, "last placed" if old else "placed"))
    if not asked and chosen is None and not ask.stale:
        mask = placement.mask if placement is not None else ask.mask
        return Lit(tuple(lights), DARK, mask, tuple(legend), ask.mask)
    mask = state.left
    if ask.stale:
        lights.append(Highlight(mask, STALE, "stale"))
        legend.append((STALE, "last match"))
    else:
        lights.append(Highlight(mask, MATCH, "match"))
        legend.append((MATCH, "match" if asked else f"in {printable(chosen or '')[:NAME_LIMIT]}"))
    if mask != ask.mask and asked:
        lights.append(Highlight(less(ask.mask, mask), STALE, "quiet"))
        legend.append((STALE, f"match, not in {printable(chosen or '')[:NAME_LIMIT]}"))
    legend.append((OTHER, "no match" if asked or ask.stale else "not"))
    good = ask.mask if asked else mask
    return Lit(tuple(lights), Highlight(0, OTHER, "faint"), mask, tuple(legend), good)
