"""How nodes are highlighted and coloured by their values, and the legend that explains it."""

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
IN_USE, DOWN = "◧", "✗"  # nodes of a running Flux; a free one looks like a node of a document
GAINED, LOST = "▲", "▽"

#: Glyphs that are replaced by one of PARTS where only some nodes of a cell are highlighted.
FULL = "■□"
PARTS = "▁▂▃▄▅▆"

NAME_LIMIT = 16


class Highlight(NamedTuple):
    """How the nodes of a mask look: glyph, the role of its colour, and what it means.

    In a cell of several nodes the highlight with the highest `over` wins, however few it covers.
    """

    mask: int
    glyph: str
    role: str
    words: str = ""
    over: int = 0


#: How nodes without a highlight look: without a constraint, and where there is one.
DARK = Highlight(0, "■", "quiet")
UNLIT = Highlight(0, OTHER, "unlit")


def steps(glyph: str) -> str:
    """The glyphs for a cell of which a few to all nodes are highlighted, in that order."""
    return PARTS + glyph if glyph in FULL else "◈◆" if glyph == "◆" else glyph


class KeyHint(NamedTuple):
    """A key and what it does; shown only while the view has the focus."""

    keys: str
    words: str


GOING_ON = KeyHint("n p", "next, previous")

# What can be done with the selected nodes.
_SELECTION_KEYS = (
    KeyHint("x", "writes the constraint"),
    KeyHint("w", "saves"),
    KeyHint("esc", "clears"),
)


class Highlights(NamedTuple):
    """How the nodes of a state look.

    lights    groups of nodes; a node belongs to the first that contains it
    dark      how all other nodes look
    mask      the nodes that bars count and that "select matches" selects
    good      the nodes that match; all of them if nothing is asked for
    legend    what each glyph means
    more      other words and keys to show where there is room, the most important first
    selected  the selected nodes
    through   the nodes that next and previous step through
    values    colours by value for matching nodes that are in none of the lights; may be empty
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
    """Looks up how nodes look, one by one or many at once: the first light with a node counts."""

    def __init__(self, highlights: Highlights) -> None:
        self._dark, self._shares = highlights.dark, highlights.shares
        self.are_lit = bool(highlights.lights)  # some nodes are highlighted
        self._lights: list[tuple[Highlight, int, bytes]] = []  # each without nodes of earlier ones
        covered = 0
        for light in highlights.lights:
            mask = less(light.mask, covered)
            covered |= light.mask
            self._lights.append((light, mask, as_bytes(mask)))

    def of(self, index: int) -> Highlight:
        """Return how a node looks."""
        return next((light for light, _, data in self._lights if is_in(data, index)), self._dark)

    def placed(self, index: int) -> "tuple[Share, Highlight] | None":
        """Return what the placement takes of a node, and how that looks; None for nothing."""
        light = next((light for light, *_ in self._lights if light.glyph == PLACED), None)
        share = next((share for share in self._shares if has(share.mask, index)), None)
        return (share, light) if share is not None and light is not None else None

    def counts(self, nodes: int) -> list[tuple[Highlight, int]]:
        """Return how many nodes of a mask are in each light; lights with none are left out."""
        counts = ((light, (mask & nodes).bit_count()) for light, mask, _ in self._lights)
        return [(light, count) for light, count in counts if count]


def as_bytes(mask: int) -> bytes:
    """Return a mask as bytes: unlike shifting an int, testing one bit of them copies nothing."""
    return mask.to_bytes(mask.bit_length() // 8 + 1, "little")


def is_in(data: bytes, index: int) -> bool:
    """Return whether a mask as bytes contains a node."""
    return index >> 3 < len(data) and bool(data[index >> 3] >> (index & 7) & 1)


def highlights_of(state: State) -> Highlights:
    """Return how the nodes of a state look, with the selected ones on top.

    In this order: a highlighted queue, what differs between two compared documents, the match
    against that of the constraint that was kept, the match.
    """
    if state.looked_at is not None:
        highlights = _queue(state, state.looked_at)
    elif state.compared is not None:
        highlights = _changed(state, state.compared)
    elif state.kept is not None:
        highlights = _compared(state)
    else:
        highlights, placement = _answer(state), state.outlook.placement
        highlights = highlights._replace(shares=placement.shares if placement is not None else ())
        if state.selected and state.ask.constraint is None:
            highlights = highlights._replace(through=state.selected)
    return _with_selected(highlights, state) if state.selected else highlights


def _highlights(
    lights: Sequence[Highlight],
    dark: Highlight,
    mask: int,
    good: int,
    more: tuple[str | KeyHint, ...] = (GOING_ON,),
) -> Highlights:
    legend = tuple(light for light in (*lights, dark) if light.words)
    return Highlights(tuple(lights), dark, mask, good, legend, more, through=mask)


def _with_selected(highlights: Highlights, state: State) -> Highlights:
    """Return the highlights with the selected nodes on top, those that match as filled glyphs."""
    selected = state.selected
    inside, outside = selected & highlights.good, less(selected, highlights.good)
    count, others = f"{selected.bit_count():,} selected", f"{outside.bit_count():,} no match"
    lights = (
        Highlight(inside, SELECTED, "slot", count if inside else "", over=2),
        Highlight(outside, UNMATCHED, "slot", others if inside else f"{count}, no match", over=2),
    )
    keys = _SELECTION_KEYS[1 if selected == state.ask.mask else 0 :]  # already the constraint
    return highlights._replace(
        lights=(*lights, *highlights.lights),
        legend=tuple(light for light in lights if light.mask),
        more=(*keys, *(f"{light.glyph} {light.words}" for light in highlights.legend)),
        selected=selected,
    )


def _queue(state: State, name: str) -> Highlights:
    """Highlight the nodes of one queue, and which of them another queue covers as well."""
    cluster = state.cluster
    covered, others, config = cluster.covered(name), 0, cluster.config
    queue = config.queue(name) if config is not None else None
    if config is not None and queue is not None:
        for other in config.queues:
            others |= 0 if queue.is_kin(other) else cluster.covered(other.name)
    shared = covered & others
    lights = (
        Highlight(less(covered, others), MATCH, "slot", f"in {_short(name) or 'the queue'}"),
        Highlight(shared, SHARED, "slot", "in another queue too" if shared else ""),
    )
    return _highlights(lights, UNLIT._replace(words="others"), covered, covered)


def _compared(state: State) -> Highlights:
    """Highlight the nodes of the constraint, B, against those of the kept one, A."""
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
    return _highlights(lights, dark, gained | lost, state.ask.mask, ("A stops", GOING_ON))


def _changed(state: State, compared: Compared) -> Highlights:
    """Highlight what differs from another document; nodes only in that one are just counted."""
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
    return _highlights(lights, dark, here.mask | changed, state.ask.mask, more)


def _answer(state: State) -> Highlights:
    """Highlight the nodes that match, which of them are in the queue, and a placement."""
    ask, chosen, placement = state.ask, state.known_queue, state.outlook.placement
    has_constraint = ask.constraint is not None
    is_last = ask.stale and has_constraint  # without an earlier one there is no last match
    lights: list[Highlight] = []
    if placement is not None:
        old = state.outlook.old
        role, words = ("quiet", "last placed") if old else ("placed", "placed")
        lights.append(Highlight(placement.mask, PLACED, role, words, over=1))
    if not has_constraint and chosen is None:
        mask = placement.mask if placement is not None else ask.mask
        dark = UNLIT if ask.stale else DARK  # no constraint matches all nodes
        return _highlights([*lights, *_now(state, ask.mask, "quiet")], dark, mask, ask.mask)
    mask, queue = state.left, _short(chosen or "")
    if is_last:
        lights.append(Highlight(mask, STALE, "stale", "last match"))
    elif state.cluster.snapshot is not None:
        lights += _now(state, mask, "match")
    else:
        lights.append(Highlight(mask, MATCH, "match", "match" if has_constraint else f"in {queue}"))
    if mask != ask.mask and has_constraint:
        left_out = less(ask.mask, mask)
        lights.append(Highlight(left_out, STALE, "quiet", f"match, not in {queue}"))
    dark = UNLIT._replace(words="no match" if has_constraint else "others")
    return _highlights(lights, dark, mask, ask.mask if has_constraint else mask)


def _now(state: State, mask: int, role: str) -> list[Highlight]:
    """Highlight which nodes of a running Flux are free, used or down; none for a document."""
    if state.cluster.snapshot is None:
        return []
    nodes = state.cluster.snapshot.nodes
    groups = (
        (MATCH, role, "free", nodes.free),
        (IN_USE, role, "used", nodes.used),
        (DOWN, "problem", "out of service", nodes.down),
    )
    return [
        Highlight(some, glyph, look, f"{some.bit_count():,} {words}")
        for glyph, look, words, group in groups
        if (some := mask & group)
    ]


def _short(name: str) -> str:
    return printable(name)[:NAME_LIMIT]


# Colours by the values of the nodes

#: The glyph and the role for each state of a node of a running Flux, the best state first.
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
    """Return the style of the word for a state; states in use (role "slot") are plain."""
    role = STATES[state][1] if state in STATES else "slot"
    return palette.plain if role == "slot" else palette.role(role)


#: What the words for states mean that a legend shows for a running Flux.
MEANINGS: Mapping[str, str] = {
    "free": "nothing on it is in use",
    "partly": "some of its cores are in use",
    "allocated": "none of its cores is left",
    "used": "partly, allocated, or in housekeeping",
    "housekeeping": "being cleaned up after a job",
    "torpid": "its broker is slow to answer",
    "draining": "drained as soon as its jobs have ended",
    "drained": "taken out of service: no job starts on it",
    "offline": "its broker does not answer",
    "excluded": "withheld from jobs by the configuration",
    "out of service": "draining, drained, offline, excluded or torpid",
}


def in_colours(highlights: Highlights, values: tuple[Highlight, ...]) -> Highlights:
    """Return highlights with the match replaced by the colours of the nodes' values."""
    if not values:
        return highlights
    of_match = (MATCH, STALE, OTHER, IN_USE, DOWN)
    lights = tuple(light for light in highlights.lights if light.glyph not in of_match)
    shown = [light for light in highlights.legend if light.glyph not in of_match]
    others = [light for light in highlights.legend if light.glyph == OTHER]
    return highlights._replace(lights=lights, legend=(*shown, *values, *others), values=values)


# The legend, in the colours of the view


def legend_line(
    marks: Iterable[Highlight],
    more: Iterable[str | KeyHint],
    room: int,
    palette: Palette,
    *,
    keys: bool,
) -> Text:
    """Return what the glyphs mean, followed by as much of the rest as fits into the room.

    Where the marks do not fit, their numbers are dropped as needed, from the second mark on, and
    then those with the longest words are left out. Keys are shown only if `keys` is true; a click
    on one does the same as the key.
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


# Textual's names for the keys of hints, where they differ.
_NAMES = {"esc": "escape", "/": "slash", "+": "plus", "-": "minus", "*": "asterisk", "→": "right"}


def hint_text(hint: KeyHint, palette: Palette) -> Text:
    """Return a key and what it does; a click on it presses the key."""
    key = hint.keys.split()[0]
    press = f"app.simulate_key({_NAMES.get(key, key)!r})"
    text = Text(hint.keys, palette.key).append(f" {hint.words}", palette.quiet)
    text.stylize(Style(meta={"@click": press}))
    return text
