"""Which nodes are highlighted, how, and what the glyphs mean.

What is selected comes before all of it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from rich.style import Style
from rich.text import Text

from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import Compared, State

MATCH, STALE, OTHER, PLACED, SHARED = "■", "□", "·", "▣", "◪"
SELECTED, UNMATCHED = "◆", "◇"
MARKED = "▁"  # selected while two constraints are compared: such nodes are underlined
GAINED, LOST = "▲", "▽"

#: The glyphs of nodes that can be a share of a cell, and what a part of one looks like.
FULL = "■□"
PARTS = "▁▂▃▄▅▆"

_MARKED = Style(underline=True)

NAME_LIMIT = 16


class Highlight(NamedTuple):
    """How some nodes look: which, as a mask, their glyph, and the role of its colour.

    Marked ones are underlined beside that: they are selected, and the glyph says something else.
    Of several nodes that are drawn as one, those with the highest `over` decide, however few.
    """

    mask: int
    glyph: str
    role: str
    marked: bool = False
    over: int = 0

    def style(self, palette: Palette) -> Style:
        """The style of the glyph."""
        style = palette.role(self.role)
        return style + palette.selected + _MARKED if self.marked else style


#: How nodes look that no highlight holds, where nothing is asked.
DARK = Highlight(0, "■", "quiet")
UNLIT = Highlight(0, OTHER, "unlit")


def steps(glyph: str) -> str:
    """What shares of a cell look like, from a few of its nodes to all."""
    return PARTS + glyph if glyph in FULL else "◈◆" if glyph == "◆" else glyph


class Mark(NamedTuple):
    """What a glyph means, and the role of its colour."""

    glyph: str
    words: str
    role: str = "quiet"


class KeyHint(NamedTuple):
    """A key and what it does; it is named only while the view has the focus."""

    keys: str
    words: str


GOING_ON = KeyHint("n p", "next, previous")

# What can be done with the nodes that are selected.
_SELECTION_KEYS = (
    KeyHint("x", "writes the constraint"),
    KeyHint("w", "saves"),
    KeyHint("esc", "clears"),
)


class Highlights(NamedTuple):
    """How the nodes of a state look.

    lights    groups of nodes, the first that holds a node counts
    dark      how all other nodes look
    mask      the nodes that next and previous go through
    legend    what each glyph means
    good      the nodes that match; all where nothing is asked
    selected  the nodes that are selected
    more      other words and keys where there is room, the most important first
    """

    lights: tuple[Highlight, ...]
    dark: Highlight
    mask: int
    legend: tuple[Mark, ...]
    good: int
    selected: int = 0
    more: tuple[str | KeyHint, ...] = (GOING_ON,)


def highlights_of(state: State) -> Highlights:
    """How the nodes of a state look: a highlighted queue, else the answer.

    While a constraint is kept, it is the answer against that one; while two documents are compared,
    what differs between them.
    """
    if state.looked_at is not None:
        found = _queue(state, state.looked_at)
    elif state.compared is not None:
        found = _changed(state, state.compared)
    elif state.kept is not None:
        found = _compared(state)
    else:
        found = _answer(state)
    if not state.selected:
        return found
    if state.looked_at is None and (state.kept is not None or state.compared is not None):
        return _with_marked(found, state.selected)
    return _with_selected(found, state)


def _with_selected(found: Highlights, state: State) -> Highlights:
    """The highlights with the selected nodes on top; matching ones are filled."""
    selected = state.selected
    inside, outside = selected & found.good, less(selected, found.good)
    others = outside.bit_count()
    count = f"{selected.bit_count():,} selected"
    if inside:
        marks = [Mark(SELECTED, count, "slot")]
        marks += [Mark(UNMATCHED, f"{others:,} no match", "slot")] if others else []
    else:
        marks = [Mark(UNMATCHED, f"{count}, no match", "slot")]
    is_written = selected == state.ask.mask
    return found._replace(
        lights=(
            Highlight(inside, SELECTED, "slot", over=2),
            Highlight(outside, UNMATCHED, "slot", over=2),
            *found.lights,
        ),
        legend=tuple(marks),
        selected=selected,
        more=(
            *_SELECTION_KEYS[1 if is_written else 0 :],
            *(f"{mark.glyph} {mark.words}" for mark in found.legend),
        ),
    )


def _with_marked(found: Highlights, selected: int) -> Highlights:
    """The comparison with the selected nodes marked."""
    marked = (light._replace(mask=light.mask & selected, marked=True) for light in found.lights)
    neither = Highlight(selected, OTHER, "quiet", marked=True)
    return found._replace(
        lights=(*marked, neither, *found.lights),
        legend=(*found.legend[:3], Mark(MARKED, f"{selected.bit_count():,} selected")),
        selected=selected,
        more=(*_SELECTION_KEYS, *found.more),
    )


def _queue(state: State, name: str) -> Highlights:
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
    legend = [Mark(MATCH, f"in {_short(name) or 'the queue'}", "slot")]
    if own & others:
        legend.append(Mark(SHARED, "in another queue too", "slot"))
    legend.append(Mark(OTHER, "others", "unlit"))
    lights = (Highlight(own & others, SHARED, "slot"), Highlight(own, MATCH, "slot"))
    return Highlights(lights, UNLIT, own, tuple(legend), own)


def _compared(state: State) -> Highlights:
    """The nodes of the constraint, B, against those of the one that is kept, A."""
    comparison = state.comparison
    assert comparison is not None
    gained, lost, both = comparison.gained, comparison.lost, comparison.both
    glyph, role = (STALE, "stale") if state.ask.stale else (MATCH, "match")
    lights = (
        Highlight(gained, GAINED, "count", over=1),
        Highlight(lost, LOST, "problem", over=1),
        Highlight(both, glyph, role),
    )
    legend = (
        Mark(GAINED, f"{gained.bit_count():,} gained", "count"),
        Mark(LOST, f"{lost.bit_count():,} lost", "problem"),
        Mark(glyph, f"{both.bit_count():,} both", role),
        Mark(OTHER, "neither", "unlit"),
    )
    more = ("A stops", GOING_ON)
    return Highlights(lights, UNLIT, gained | lost, legend, state.ask.mask, more=more)


def _changed(state: State, compared: Compared) -> Highlights:
    """What differs from another document; nodes that only that one has are counted."""
    changes = compared.changes
    added = Mark(GAINED, f"{changes.added.bit_count():,} added", "count")
    removed = Mark(LOST, f"{changes.removed.bit_count():,} removed", "problem")
    if state.cluster is compared.after:
        here, elsewhere = added, removed
        mask, other, changed = changes.added, changes.removed, changes.changed
    else:
        here, elsewhere = removed, added
        mask, other, changed = changes.removed, changes.added, changes.changed_before
    same = less(state.cluster.resources.everything, mask | changed)
    legend = [here, Mark(SHARED, f"{changed.bit_count():,} changed", "slot")]
    legend += [elsewhere] if other else []
    legend.append(Mark(OTHER, f"{same.bit_count():,} same", "unlit"))
    lights = (Highlight(mask, here.glyph, here.role), Highlight(changed, SHARED, "slot"))
    more = (KeyHint("d", "stops"), KeyHint("D", "lists"), GOING_ON)
    return Highlights(lights, UNLIT, mask | changed, tuple(legend), state.ask.mask, more=more)


def _answer(state: State) -> Highlights:
    """The nodes that match, those of them that the queue leaves, and a placement."""
    ask = state.ask
    asked = ask.constraint is not None
    chosen = state.known_queue
    placement = state.outlook.placement
    lights: list[Highlight] = []
    legend: list[Mark] = []

    def add(mask: int, glyph: str, role: str, words: str, over: int = 0) -> None:
        lights.append(Highlight(mask, glyph, role, over=over))
        legend.append(Mark(glyph, words, role))

    if placement is not None:
        old = state.outlook.old
        role, words = ("quiet", "last placed") if old else ("placed", "placed")
        add(placement.mask, PLACED, role, words, over=1)
    if not asked and chosen is None and not ask.stale:
        mask = placement.mask if placement is not None else ask.mask
        return Highlights(tuple(lights), DARK, mask, tuple(legend), ask.mask)
    mask, queue = state.left, _short(chosen or "")
    if ask.stale:
        add(mask, STALE, "stale", "last match")
    else:
        add(mask, MATCH, "match", "match" if asked else f"in {queue}")
    if mask != ask.mask and asked:
        add(less(ask.mask, mask), STALE, "quiet", f"match, not in {queue}")
    legend.append(Mark(OTHER, "no match" if asked or ask.stale else "others", "unlit"))
    return Highlights(tuple(lights), UNLIT, mask, tuple(legend), ask.mask if asked else mask)


def _short(name: str) -> str:
    return printable(name)[:NAME_LIMIT]


# The legend, in the colours of the view


def legend_line(
    marks: Iterable[Mark],
    more: Iterable[str | KeyHint],
    room: int,
    palette: Palette,
    *,
    keys: bool,
) -> Text:
    """What the glyphs mean, and after it as much of the rest as there is room for.

    The keys are named only where they work; a click on one does what it does.
    """
    line = Text(style=palette.quiet, no_wrap=True, end="")
    for mark in marks:
        line.append("  " if line else "").append(mark.glyph, palette.role(mark.role))
        line.append(f" {mark.words}")
    gap = "   " if line else ""
    for hint in more:
        if isinstance(hint, str):
            part = Text(hint)
        elif keys:
            part = hint_text(hint, palette)
        else:
            continue
        if line.cell_len + len(gap) + part.cell_len > room:
            break
        line.append(gap).append_text(part)
        gap = "  "
    return line


# The keys of hints, in Textual's names where they are others.
_NAMES = {"esc": "escape", "/": "slash", "+": "plus", "-": "minus", "*": "asterisk", "→": "right"}


def hint_text(hint: KeyHint, palette: Palette) -> Text:
    """A key and what it does; a click on it presses the key."""
    key = hint.keys.split()[0]
    press = f"app.simulate_key({_NAMES.get(key, key)!r})"
    text = Text(hint.keys, palette.key).append(f" {hint.words}", palette.quiet)
    text.stylize(Style(meta={"@click": press}))
    return text
