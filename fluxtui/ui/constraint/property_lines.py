"""The lines of the Properties pane: a row for each, and details of the one under the cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rich.cells import set_cell_size
from rich.text import Text

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import bar, wrap
from fluxtui.ui.kit.wording import DOT, property_name, shorten
from fluxtui.workbench import Ask

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Related, Standing

Order: TypeAlias = Literal["document", "name", "nodes", "match"]
ORDERS: tuple[Order, ...] = ("document", "name", "nodes", "match")

# A property as the constraint asks for it: its sign, in words, and the role of its style. The
# signs are those of a query, but for the first.
STANDINGS: Mapping[Standing, tuple[str, str, str]] = {
    "required": ("✓", "required", "good"),
    "excluded": ("-", "excluded", "label"),
    "either": ("|", "one of several alternatives", "slot"),
    "both": ("±", "required and excluded", "problem"),
}
RELATIONS = ("always with", "within", "holds", "never with")

MARK = 2  # columns of the sign before a name
BAR_LIMIT = 24
NAME_LIMIT = 32  # of another property

# How many ranges of ranks and of hosts are shown: the first that fits.
RANGES = (16, 8, 4, 2, 1)


class Detail(NamedTuple):
    """How much detail to show about the other properties.

    counts  how many nodes each of them has
    named   how many of a kind are named
    kinds   how many kinds there are
    """

    counts: bool
    named: int
    kinds: int = len(RELATIONS)


# The first that fits is used.
DETAILS = (
    *(Detail(*much) for much in product((True, False), (12, 8, 5, 3, 2, 1))),
    *(Detail(False, 1, kinds) for kinds in (3, 2, 1, 0)),
)


# Which properties are listed, and in which order


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
    """Those of the names, as they are shown, that contain a text, whatever the case."""
    wanted = text.strip().casefold()
    return tuple(name for name in names if wanted in property_name(name).casefold())


# The list


class Columns(NamedTuple):
    """How wide the parts of a row are: names are cut last, bars take what is left."""

    name: int
    digits: int
    bar: int
    nodes: int

    @classmethod
    def fit(cls, widest: int, nodes: int, *, asked: bool, room: int) -> Columns:
        """The columns for names up to so wide, on a cluster of so many nodes, in so much room."""
        digits = len(f"{nodes:,}")
        numbers = MARK + digits + 3 + (digits + 1 if asked else 0)
        name = max(min(widest, room - numbers), 6)
        return cls(name, digits, max(min(room - numbers - name, BAR_LIMIT), 0), nodes)


def row(
    name: str,
    standing: Standing | None,
    counts: tuple[int, int | None],
    columns: Columns,
    style: Palette,
    *,
    stale: bool = False,
) -> Text:
    """One row: what is asked of a property, its name, how many nodes have it and of them match.

    The last is None where nothing is asked; stale is what is asked by an earlier text.
    """
    sign, _, role = STANDINGS[standing] if standing is not None else (" ", "", "plain")
    count, matching = counts
    look = style.plain if matching is None or matching else style.quiet
    name = shorten(property_name(name), columns.name)
    line = Text(style=style.plain, no_wrap=True, end="")
    line.append(sign.ljust(MARK), style.faint if stale else style.role(role))
    line.append(set_cell_size(name, columns.name), look)
    line.append(f"  {count:>{columns.digits},} ", style.quiet)
    shown = count if matching is None else matching
    lit, rest = bar(shown, count, columns.nodes, columns.bar)
    line.append(lit, style.quiet if matching is None else style.match)
    line.append(rest, style.faint)
    if matching is not None:
        line.append(f" {matching:>{columns.digits},}", style.match if matching else look)
    return line


def frame_words(filter_: str, shown: int, whole: int, by: Order, *, asked: bool) -> str:
    """What the list holds: what it is filtered and sorted by, and what its numbers are."""
    words = [f"{shown:,} of {whole:,} contain {shorten(printable(filter_), 16)}"] if filter_ else []
    words += [f"by {by}"] if by != "document" else []
    return DOT.join([*words, "nodes, matching" if asked else "nodes"])


# One property


class PropertySummary(NamedTuple):
    """What is known about one property.

    standing  what the constraint asks of it, None where it does not name it
    selected  how many of its nodes are selected
    related   what the other properties are to it, None as long as that is not known
    counts    how many nodes each of these has
    """

    name: str
    resources: Resources
    standing: Standing | None
    selected: int
    related: Related | None
    counts: Mapping[str, int]

    @property
    def mask(self) -> int:
        """Its nodes."""
        return self.resources.properties[self.name]


def summary_lines(about: PropertySummary, style: Palette, width: int, height: int) -> list[Text]:
    """The lines about a property, to be wrapped at a width; as much as goes into the height."""

    def rows(lines: Sequence[Text]) -> int:
        return sum(len(wrap(line, max(width, 1))) for line in lines)

    head = Text()
    for ranges in RANGES:
        head = _joined(_nodes(about, ranges, style), style)
        if rows([head]) <= max(height // 2, 1):
            break
    lines = [head]
    notes = [_joined([Text(note, style.quiet)], style) for note in _notes(about.name)]
    for with_notes, detail in product((True, False), DETAILS):
        relations = _joined(list(_relations(about, detail, style))[: detail.kinds], style)
        lines = [head, relations, *(notes if with_notes else ())]
        if rows(lines) <= height:
            break
    return [line for line in lines if line.plain]


def _joined(parts: Iterator[Text] | list[Text], style: Palette) -> Text:
    line = Text(style=style.plain, end="")
    for number, part in enumerate(parts):
        line.append(DOT if number else "", style.faint).append_text(part)
    return line


def _nodes(about: PropertySummary, ranges: int, style: Palette) -> Iterator[Text]:
    """The name, what the constraint asks of it, and its nodes, in so many ranges."""
    name = Text(shorten(property_name(about.name), NAME_LIMIT), style.strong)
    if about.standing is not None:
        _, words, role = STANDINGS[about.standing]
        name.append(f" {words}", style.role(role))
    yield name
    resources, mask = about.resources, about.mask
    if not mask:
        yield Text("on no node", style.quiet)
        return
    if mask == resources.everything:
        yield Text("on every node", style.plain)
    else:
        yield Text.assemble(("ranks ", style.quiet), (resources.ranks_text(mask, ranges)))
    if about.selected:
        yield Text(f"{about.selected:,} selected", style.label)
    hosts = resources.hosts_of(mask, ranges)
    if hosts and mask != resources.everything:
        yield Text(printable(hosts), style.quiet)


def _relations(about: PropertySummary, detail: Detail, style: Palette) -> Iterator[Text]:
    others = len(about.resources.properties) - 1
    if not about.mask or not others:
        return
    if about.related is None:
        yield Text(f"comparing with {counted(others, 'other')} …", style.quiet)
        return
    if not any(about.related):
        yield Text("overlaps each of the other properties", style.quiet)
    for words, names in zip(RELATIONS, about.related, strict=True):
        if not names:
            continue
        text = Text(words, style.quiet)
        for number, name in enumerate(names[: detail.named]):
            text.append(", " if number else " ", style=style.faint)
            text.append(shorten(property_name(name), NAME_LIMIT), style=style.plain)
            if detail.counts and names is not about.related.same:
                text.append(f" {about.counts[name]:,}", style=style.quiet)
        if len(names) > detail.named:
            text.append(f" and {len(names) - detail.named:,} more", style=style.quiet)
        yield text


def _notes(name: str) -> list[str]:
    """What the form of a name says (RFC 20)."""
    notes = []
    if name.startswith("+"):
        notes.append("+ is local to this instance; a job's R does not have it")
    suffix = shorten(printable(name.partition("@")[2]), NAME_LIMIT)
    if suffix:
        notes.append(f"@{suffix} is for the scheduler, which may apply it to {suffix}")
    return notes


# In the constraint


class PropertyToggle:
    """Adds properties to the constraint and removes them.

    What is taken out and put in again at once, or put in and taken out, leaves the text as it
    was, though the condition was in its midst.
    """

    def __init__(self) -> None:
        # The last change: the text before and after it, the property, whether it was wanted.
        self._last: tuple[str, str, str, bool] | None = None

    def toggled(self, ask: Ask, name: str, *, wanted: bool) -> str | None:
        """The new text; None if the text has an error or would be too long."""
        from fluxtui.answers.explain.properties import standings, turned

        last = self._last
        if last is not None and last[1:] == (ask.text, name, wanted) and not ask.stale:
            text: str | None = last[0]
        else:
            text = turned(ask.requires, name, wanted=wanted)
        # What was turned into its opposite is not turned back by the same key: that takes it out.
        opposite = "excluded" if wanted else "required"
        was_opposite = standings(ask.requires.constraint).get(name) == opposite
        is_kept = text is not None and not was_opposite
        self._last = (ask.text, text, name, wanted) if text is not None and is_kept else None
        return text
