"""What is said of a property: how it stands to the constraint and to the other properties."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.text import Text

from fluxtui.answers.explain.properties import standings
from fluxtui.answers.explain.properties import turned as turned_text
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import DOT, property_name, shorten
from fluxtui.workbench import Ask


class _Turn(NamedTuple):
    """The last turn: what stood there before and after it, and what was turned."""

    before: str
    after: str
    name: str
    wanted: bool


class Turner:
    """Turns properties in the constraint (`fluxtui.answers.explain.properties`).

    What is taken out and put in again at once, or put in and taken out, leaves the text as it was,
    though the condition stood in its midst.
    """

    def __init__(self) -> None:
        self._last: _Turn | None = None

    def turned(self, ask: Ask, name: str, *, wanted: bool) -> str | None:
        """The text after the turn; None where the text is wrong, or would be too long."""
        last = self._last
        if last is not None and last[1:] == (ask.text, name, wanted) and not ask.stale:
            text: str | None = last.before
        else:
            text = turned_text(ask.requires, name, wanted=wanted)
        # What was turned round is not turned back by the same key: that takes it out.
        opposite = "excluded" if wanted else "required"
        round_ = standings(ask.requires.constraint).get(name) == opposite
        self._last = None
        if text is not None and not round_:
            self._last = _Turn(ask.text, text, name, wanted)
        return text


if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations

Order: TypeAlias = Literal["document", "name", "nodes", "match"]
ORDERS: tuple[Order, ...] = ("document", "name", "nodes", "match")


def ordered(
    properties: Mapping[str, int], by: Order, match: int, stop: Callable[[], bool]
) -> tuple[str, ...] | None:
    """The names of properties in an order, the most nodes first; None once stop says so.

    match is the mask of the nodes that match. Counts each property: not for the event loop.
    """
    if by == "document":
        return tuple(properties)
    if by == "name":
        return tuple(sorted(properties, key=_natural))
    counts: dict[str, int] = {}
    for name, mask in properties.items():
        if stop():
            return None
        counts[name] = (mask if by == "nodes" else mask & match).bit_count()
    return tuple(sorted(properties, key=lambda name: -counts[name]))


def _natural(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Names in the order of a person: ``rack2`` before ``rack10``, whatever the case."""
    key: list[str | tuple[int, str]] = []
    for number, piece in enumerate(re.split(r"([0-9]+)", name.casefold())):
        digits = piece.lstrip("0")
        key.append((len(digits), digits) if number % 2 else piece)
    return key, name


def containing(names: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of the names, as they are shown, that hold a text, whatever the case."""
    wanted = text.strip().casefold()
    return tuple(name for name in names if wanted in property_name(name).casefold())


def related(properties: Mapping[str, int], stop: Callable[[], bool]) -> Relations | None:
    """How properties stand to each other; what finds that is loaded where nothing waits for it."""
    from fluxtui.answers.explain.properties import relations

    return relations(properties, stop)


class Counts:
    """How many nodes have a property, and how many of these match; counted when it is asked for."""

    def __init__(self, resources: Resources, match: int = 0) -> None:
        self.match = match
        self.known: dict[str, int] = {}  # the nodes of those that were asked for
        self._resources = resources

    def within(self, match: int) -> bool:
        """Count within these nodes from now on; whether they are others than before."""
        if match is self.match:
            return False
        self.match = match
        return True

    def nodes(self, name: str) -> int:
        """The nodes that have it."""
        if name not in self.known:
            self.known[name] = self._resources.properties[name].bit_count()
        return self.known[name]

    def matching(self, name: str) -> int:
        """The nodes that have it and match."""
        return (self.match & self._resources.properties[name]).bit_count()


if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Related, Standing
    from fluxtui.ui.constraint.property_lines import Order
    from fluxtui.workbench import Ask

# A property as the constraint asks for it: its sign, in words, and the role of its style. The
# signs are those of a query, but for the first.
STANDINGS: Mapping[Standing, tuple[str, str, str]] = {
    "required": ("✓", "required", "match"),
    "excluded": ("-", "excluded", "label"),
    "either": ("|", "one way of several", "slot"),
    "both": ("±", "required and excluded", "problem"),
}

NAME_LIMIT = 24
SAID = ("always with", "within", "holds", "never with")

FILTER_LIMIT = 16  # characters of the filter that are said

# What can be done with the list, for the palette: a name, a sentence and the action.
COMMANDS = (
    ("Require the property  (enter)", "Ask for {}, or no longer", "require"),
    ("Exclude the property  (!)", "Ask for nodes without {}, or no longer", "exclude"),
    ("Select the property's nodes  (a)", "Select the nodes of {}, or no longer", "select"),
    ("Filter the properties  (/)", "List those that hold a text in their name", "filter"),
    ("Sort the properties  (o)", "By name, by nodes, by nodes that match, or as listed", "sort"),
)


class Detail(NamedTuple):
    """How much is said of the other properties: so many names of a kind, with their counts or not.

    apart  also those that it shares no node with
    """

    counts: bool
    named: int
    apart: bool = True


# The first for which there is room counts.
DETAILS = (
    *(Detail(*much) for much in product((True, False), range(12, 1, -1))),
    Detail(False, 1),
    Detail(False, 1, False),
)


class Told(NamedTuple):
    """All that is told of one property.

    nodes     how many nodes have it, of how many there are
    ranks     which these are; hosts, what they are called; both empty where there are none
    standing  what the constraint asks of it, None where it does not name it
    selected  how many of its nodes are selected
    related   what the other properties are to it, None as long as that is not known
    counts    how many nodes each of these has
    others    how many other properties there are
    """

    name: str
    nodes: int
    whole: int
    ranks: str
    hosts: str
    standing: Standing | None
    selected: int
    related: Related | None
    counts: Mapping[str, int]
    others: int


def mark(standing: Standing | None) -> tuple[str, str]:
    """The sign of a standing, and the role of its style; a blank where there is none."""
    sign, _, role = STANDINGS[standing] if standing is not None else (" ", "", "plain")
    return sign, role


def told(about: Told, style: Palette, width: int, height: int) -> list[Text]:
    """The lines about a property, to be wrapped at a width; as much as goes into the height."""
    head = _line(_where(about, style), style)
    notes = [_line([Text(note, style.quiet)], style) for note in _notes(about.name)]
    left = height - _height(head, width)
    for with_notes, detail in product((True, False), DETAILS):
        if _least(about, detail) > left * width and detail is not DETAILS[-1]:
            continue  # not worth writing
        lines = [_line(_relations(about, style, detail), style), *(notes if with_notes else ())]
        if sum(_height(line, width) for line in lines) <= left:
            break
    return [line for line in (head, *lines) if line.plain]


def _least(about: Told, detail: Detail) -> int:
    """The characters that the names alone take in some detail."""
    names = (name for some in about.related or () for name in some[: detail.named])
    return sum(min(len(name), NAME_LIMIT) for name in names) if detail.apart else 0


def _height(line: Text, width: int) -> int:
    """The rows that a line takes, broken between words as the view does it."""
    return len(textwrap.wrap(line.plain, max(width, 1), break_on_hyphens=False))


def _line(parts: Iterator[Text] | list[Text], style: Palette) -> Text:
    line = Text(style=style.plain, end="")
    for number, part in enumerate(parts):
        if number:
            line.append(DOT, style=style.faint)
        line.append_text(part)
    return line


def _where(about: Told, style: Palette) -> Iterator[Text]:
    """The name, how the constraint asks for it, and its nodes."""
    name = Text(shorten(property_name(about.name), NAME_LIMIT), style.strong)
    if about.standing is not None:
        _, words, role = STANDINGS[about.standing]
        name.append(f" {words}", style.role(role))
    yield name
    if not about.nodes:
        yield Text("on no node", style.quiet)
        return
    if about.nodes == about.whole:
        yield Text("on every node", style.plain)
    if about.selected:
        yield Text(f"{about.selected:,} selected", style.slot)
    yield Text(f"rank{'s' if about.nodes > 1 else ''} {about.ranks}", style.plain)
    if about.hosts:
        yield Text(printable(about.hosts), style.quiet)


def _relations(about: Told, style: Palette, detail: Detail) -> Iterator[Text]:
    """What the other properties are to it, in some detail."""
    if not about.nodes or not about.others:
        return
    if about.related is None:
        yield Text(f"comparing it with {counted(about.others, 'other')} …", style.faint)
        return
    if not any(about.related):
        yield Text("shares only some of its nodes with each other one", style.quiet)
    for words, names in zip(SAID, about.related, strict=True):
        if names and (detail.apart or names is not about.related.apart):
            counts = about.counts if names is not about.related.same and detail.counts else {}
            yield _named(words, names, counts, style, detail)


def _named(
    words: str, names: tuple[str, ...], counts: Mapping[str, int], style: Palette, detail: Detail
) -> Text:
    """Some properties with their counts, and how many more there are."""
    most = detail.named
    text = Text(words, style.quiet)
    for number, name in enumerate(names[:most]):
        text.append(", " if number else " ", style=style.faint)
        text.append(shorten(property_name(name), NAME_LIMIT), style=style.plain)
        if name in counts:
            text.append(f" {counts[name]:,}", style=style.quiet)
    if len(names) > most:
        more = f"{len(names) - most:,}"
        text.append(f" and {more} more" if most > 1 else f" +{more}", style=style.quiet)
    return text


def _notes(name: str) -> list[str]:
    """What the form of a name says (RFC 20)."""
    notes = []
    if name.startswith("+"):
        notes.append("+ is local to this instance: the R of a job does not have it")
    suffix = shorten(printable(name.partition("@")[2]), NAME_LIMIT)
    if suffix:
        notes.append(f"@{suffix} is for the scheduler, which may apply it to {suffix}")
    return notes


def title(name: str, by: Order, filter_: str, shown: int, whole: int) -> str:
    """The title of the list: its order, the filter, and how many of them that shows."""
    text = name if by == "document" else f"{name}  by {by}"
    if filter_:
        text += f"  /{short(filter_)}  {shown:,} of {whole:,}"
    return text


def short(filter_: str) -> str:
    """A filter as it is shown."""
    return shorten(printable(filter_), FILTER_LIMIT)


def keys(standing: Standing | None, *, filtered: bool, room: int) -> str:
    """The keys for the property with the cursor, as many as there is room for."""
    drops = standing in ("required", "both")
    offered = (
        f"enter {'drops it' if drops else 'requires'}",
        f"! {'drops it' if standing == 'excluded' else 'excludes'}",
        "esc shows all" if filtered else "/ filters",
        "o sorts",
        "a selects",
    )
    text = ""
    for words in offered:
        longer = f"{text}  {words}" if text else words
        if cell_len(longer) > room:
            break
        text = longer
    return text
