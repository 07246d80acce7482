"""Which nodes are highlighted, how, and what the glyphs mean; the nodes by their values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation.problem import is_digits, printable
from fluxtui.notation.sets.bits import has, less
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import Compared, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.feasibility import Share

MATCH, STALE, OTHER, PLACED, SHARED = "■", "□", "·", "▣", "◪"
SELECTED, UNMATCHED = "◆", "◇"
IN_USE, DOWN = "◧", "✗"  # of the nodes of a running Flux; a free one looks like one of a document
GAINED, LOST = "▲", "▽"

#: The glyphs of nodes that can be a share of a cell, and what a part of one looks like.
FULL = "■□"
PARTS = "▁▂▃▄▅▆"

NAME_LIMIT = 16


class Highlight(NamedTuple):
    """How some nodes look: which, as a mask, their glyph, the role of its colour, what it means.

    Of several nodes that are drawn as one, those with the highest `over` decide, however few.
    """

    mask: int
    glyph: str
    role: str
    words: str = ""
    over: int = 0


#: How nodes look that no highlight holds, where nothing is asked.
DARK = Highlight(0, "■", "quiet")
UNLIT = Highlight(0, OTHER, "unlit")


def steps(glyph: str) -> str:
    """What shares of a cell look like, from a few of its nodes to all."""
    return PARTS + glyph if glyph in FULL else "◈◆" if glyph == "◆" else glyph


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
    mask      the nodes that are asked for
    good      the nodes that match; all where nothing is asked
    legend    what each glyph means
    more      other words and keys where there is room, the most important first
    selected  the nodes that are selected
    through   those that next and previous go through
    values    by what the nodes that match are coloured where no light holds them, if by anything
    shares    what a placement takes of its nodes
    """

    lights: tuple[Highlight, ...]
    dark: Highlight
    mask: int
    good: int
    legend: tuple[Highlight, ...]
    more: tuple[str | KeyHint, ...] = (GOING_ON,)
    selected: int = 0
    through: int = 0
    values: tuple[Highlight, ...] = ()
    shares: "tuple[Share, ...]" = ()


NOTHING = Highlights((), DARK, 0, 0, ())


class Lamps:
    """How nodes look, one by one or many at once: the first light that holds a node counts."""

    def __init__(self, found: Highlights) -> None:
        self._dark, self._shares = found.dark, found.shares
        self.are_lit = bool(found.lights)  # some nodes are highlighted
        self._own: list[tuple[Highlight, int, bytes]] = []
        known = 0
        for light in found.lights:
            own = less(light.mask, known)
            known |= light.mask
            self._own.append((light, own, as_bytes(own)))

    def of(self, index: int) -> Highlight:
        """How a node looks."""
        return next((light for light, _, data in self._own if is_in(data, index)), self._dark)

    def placed(self, index: int) -> "tuple[Share, Highlight] | None":
        """What the placement takes of a node, and how that looks; None where it takes nothing."""
        light = next((light for light, *_ in self._own if light.glyph == PLACED), None)
        share = next((one for one in self._shares if has(one.mask, index)), None)
        return (share, light) if share is not None and light is not None else None

    def counts(self, nodes: int) -> list[tuple[Highlight, int]]:
        """How many of the nodes of a mask are in each light, but for those without any."""
        found = ((light, (own & nodes).bit_count()) for light, own, _ in self._own)
        return [(light, count) for light, count in found if count]


def as_bytes(mask: int) -> bytes:
    """A mask as bytes: to look at one bit of these copies nothing."""
    return mask.to_bytes(mask.bit_length() // 8 + 1, "little")


def is_in(data: bytes, index: int) -> bool:
    """Whether a mask as bytes has a node."""
    return index >> 3 < len(data) and bool(data[index >> 3] >> (index & 7) & 1)


def highlights_of(state: State) -> Highlights:
    """How the nodes of a state look: a highlighted queue, else the answer; what is selected on top.

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
        placement = state.outlook.placement
        found = _answer(state)._replace(shares=placement.shares if placement is not None else ())
        if state.selected and state.ask.constraint is None:
            found = found._replace(through=state.selected)
    return _with_selected(found, state) if state.selected else found


def _found(
    lights: Sequence[Highlight],
    dark: Highlight,
    mask: int,
    good: int,
    more: tuple[str | KeyHint, ...] = (GOING_ON,),
) -> Highlights:
    legend = tuple(light for light in (*lights, dark) if light.words)
    return Highlights(tuple(lights), dark, mask, good, legend, more, through=mask)


def _with_selected(found: Highlights, state: State) -> Highlights:
    """The highlights with the selected nodes on top; matching ones are filled."""
    selected = state.selected
    inside, outside = selected & found.good, less(selected, found.good)
    count, others = f"{selected.bit_count():,} selected", f"{outside.bit_count():,} no match"
    lights = (
        Highlight(inside, SELECTED, "slot", count if inside else "", over=2),
        Highlight(outside, UNMATCHED, "slot", others if inside else f"{count}, no match", over=2),
    )
    keys = _SELECTION_KEYS[1 if selected == state.ask.mask else 0 :]  # it is written already
    return found._replace(
        lights=(*lights, *found.lights),
        legend=tuple(light for light in lights if light.mask),
        more=(*keys, *(f"{light.glyph} {light.words}" for light in found.legend)),
        selected=selected,
    )


def _queue(state: State, name: str) -> Highlights:
    """The nodes of one queue, and which of them another queue covers as well."""
    cluster = state.cluster
    own, others, config = cluster.covered(name), 0, cluster.config
    queue = config.queue(name) if config is not None else None
    if config is not None and queue is not None:
        for other in config.queues:
            others |= 0 if queue.is_kin(other) else cluster.covered(other.name)
    shared = own & others
    lights = (
        Highlight(less(own, others), MATCH, "slot", f"in {_short(name) or 'the queue'}"),
        Highlight(shared, SHARED, "slot", "in another queue too" if shared else ""),
    )
    return _found(lights, UNLIT._replace(words="others"), own, own)


def _compared(state: State) -> Highlights:
    """The nodes of the constraint, B, against those of the one that is kept, A."""
    comparison = state.comparison
    assert comparison is not None
    gained, lost, both = comparison.gained, comparison.lost, comparison.both
    glyph, role = (STALE, "stale") if state.ask.stale else (MATCH, "match")
    lights = (
        Highlight(gained, GAINED, "count", f"{gained.bit_count():,} gained", over=1),
        Highlight(lost, LOST, "problem", f"{lost.bit_count():,} lost", over=1),
        Highlight(both, glyph, role, f"{both.bit_count():,} both"),
    )
    dark = UNLIT._replace(words="neither")
    return _found(lights, dark, gained | lost, state.ask.mask, ("A stops", GOING_ON))


def _changed(state: State, compared: Compared) -> Highlights:
    """What differs from another document; nodes that only that one has are counted."""
    changes, is_after = compared.changes, state.cluster is compared.after
    added = Highlight(changes.added, GAINED, "count", f"{changes.added.bit_count():,} added")
    removed = Highlight(
        changes.removed, LOST, "problem", f"{changes.removed.bit_count():,} removed"
    )
    here, elsewhere = (added, removed) if is_after else (removed, added)
    changed = compared.changed_in(state.cluster)
    same = less(state.cluster.resources.everything, here.mask | changed)
    lights = [here, Highlight(changed, SHARED, "slot", f"{changed.bit_count():,} changed")]
    lights = [light for light in lights if light.mask]
    if elsewhere.mask:
        lights.append(elsewhere._replace(mask=0))
    dark = UNLIT._replace(words=f"{same.bit_count():,} same")
    more = (KeyHint("d", "stops"), KeyHint("D", "lists"), GOING_ON)
    return _found(lights, dark, here.mask | changed, state.ask.mask, more)


def _answer(state: State) -> Highlights:
    """The nodes that match, those of them that the queue leaves, and a placement."""
    ask, chosen, placement = state.ask, state.known_queue, state.outlook.placement
    asked = ask.constraint is not None
    lights: list[Highlight] = []
    if placement is not None:
        old = state.outlook.old
        role, words = ("quiet", "last placed") if old else ("placed", "placed")
        lights.append(Highlight(placement.mask, PLACED, role, words, over=1))
    if not asked and chosen is None and not ask.stale:
        mask = placement.mask if placement is not None else ask.mask
        return _found([*lights, *_now(state, ask.mask, "quiet")], DARK, mask, ask.mask)
    mask, queue = state.left, _short(chosen or "")
    if ask.stale:
        lights.append(Highlight(mask, STALE, "stale", "last match"))
    elif state.cluster.snapshot is not None:
        lights += _now(state, mask, "match")
    else:
        lights.append(Highlight(mask, MATCH, "match", "match" if asked else f"in {queue}"))
    if mask != ask.mask and asked:
        left_out = less(ask.mask, mask)
        lights.append(Highlight(left_out, STALE, "quiet", f"match, not in {queue}"))
    dark = UNLIT._replace(words="no match" if asked or ask.stale else "others")
    return _found(lights, dark, mask, ask.mask if asked else mask)


def _now(state: State, mask: int, role: str) -> list[Highlight]:
    """What a job finds on some nodes of a running Flux at this moment; nothing of a document."""
    if state.cluster.snapshot is None:
        return []
    nodes = state.cluster.snapshot.nodes
    groups = (
        (MATCH, role, "free", nodes.free),
        (IN_USE, role, "used", nodes.used),
        (DOWN, "problem", "out of service", nodes.down),
    )
    return [
        Highlight(found, glyph, look, f"{found.bit_count():,} {words}")
        for glyph, look, words, group in groups
        if (found := mask & group)
    ]


def _short(name: str) -> str:
    return printable(name)[:NAME_LIMIT]


# By the values of the nodes

#: How the nodes of a running Flux look by their states, the best first: glyph and role.
STATES: Mapping[str, tuple[str, str]] = {
    "free": (MATCH, "good"),
    "partly": (IN_USE, "slot"),
    "allocated": (STALE, "slot"),
    "housekeeping": ("▤", "slot"),
    "torpid": ("~", "stale"),
    "draining": ("▽", "stale"),
    "drained": ("▼", "problem"),
    "offline": (DOWN, "problem"),
    "excluded": ("-", "faint"),
}


def state_style(state: str, palette: Palette) -> Style:
    """The style of the word for a state; one that is usual and allows for jobs is plain."""
    role = STATES[state][1] if state in STATES else "slot"
    return palette.plain if role == "slot" else palette.role(role)


#: What the words mean that a legend has for the nodes of a running Flux.
MEANINGS: Mapping[str, str] = {
    "free": "nothing of it is in use",
    "partly": "some of its cores are in use",
    "allocated": "none of its cores is left",
    "used": "partly, allocated, or in housekeeping",
    "housekeeping": "cleaned up after a job",
    "torpid": "its broker is slow to answer",
    "draining": "drained, once what runs on it has ended",
    "drained": "taken out of service: no job starts on it",
    "offline": "its broker does not answer",
    "excluded": "withheld from jobs by the configuration",
    "out of service": "draining, drained, offline, excluded or torpid",
}


def in_colours(found: Highlights, values: tuple[Highlight, ...]) -> Highlights:
    """Highlights over the values of the nodes, which take the place of those of the match."""
    if not values:
        return found
    of_match = (MATCH, STALE, OTHER, IN_USE, DOWN)
    lights = tuple(light for light in found.lights if light.glyph not in of_match)
    shown = [light for light in found.legend if light.glyph not in of_match]
    others = [light for light in found.legend if light.glyph == OTHER]
    return found._replace(lights=lights, legend=(*shown, *values, *others), values=values)


# The legend, in the colours of the view


def legend_line(
    marks: Iterable[Highlight],
    more: Iterable[str | KeyHint],
    room: int,
    palette: Palette,
    *,
    keys: bool,
) -> Text:
    """What the glyphs mean, and after it as much of the rest as there is room for.

    Where there is too little, as many as needed have no number, from the second on, and then those
    with the longest words are left out. The keys are named only where they work; a click on one
    does what it does.
    """
    line, marks = Text(style=palette.quiet, no_wrap=True, end=""), list(marks)

    def width(mark: Highlight) -> int:
        return cell_len(mark.glyph) + cell_len(mark.words) + 3

    for place, mark in enumerate(marks[1:], 1):
        if sum(map(width, marks)) - 2 > room:
            marks[place] = mark._replace(words=_without_number(mark.words))
    while len(marks) > 1 and sum(map(width, marks)) - 2 > room:
        marks.remove(max(marks[1:], key=width))
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


def _without_number(words: str) -> str:
    number, _, rest = words.partition(" ")
    return rest if rest and is_digits(number.replace(",", "")) else words


# The keys of hints, in Textual's names where they are others.
_NAMES = {"esc": "escape", "/": "slash", "+": "plus", "-": "minus", "*": "asterisk", "→": "right"}


def hint_text(hint: KeyHint, palette: Palette) -> Text:
    """A key and what it does; a click on it presses the key."""
    key = hint.keys.split()[0]
    press = f"app.simulate_key({_NAMES.get(key, key)!r})"
    text = Text(hint.keys, palette.key).append(f" {hint.words}", palette.quiet)
    text.stylize(Style(meta={"@click": press}))
    return text
