"""The lines of the Properties pane: a row for each, and details of the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rich.text import Text

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.sets.host_index import natural
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import DOT, bar, fitted, property_name, shorten, styled_line, wrap

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Related, Standing
    from fluxtui.model.live.nodes import Counts

Order: TypeAlias = Literal["document", "name", "nodes", "match"]
ORDERS: tuple[Order, ...] = ("document", "name", "nodes", "match")

# A property as the constraint asks for it: its sign, in words, and the role of its style. The
# signs are those of a query, but for the first.
STANDINGS: Mapping[Standing | None, tuple[str, str, str]] = {
    None: (" ", "", "plain"),
    "required": ("✓", "required", "good"),
    "excluded": ("-", "excluded", "label"),
    "either": ("|", "one of several alternatives", "slot"),
    "both": ("±", "required and excluded", "problem"),
}
RELATIONS = ("always with", "within", "holds", "never with")

MARK = 2  # columns of the sign before a name
LEAST_NAME = 6
BAR_LIMIT = 24
NAME_LIMIT = 32  # of another property

# How much is said of a property, the first that fits: how many ranges of ranks and hosts, how many
# properties of a kind are named, and how many kinds and notes there are.
DETAILS = (
    *((ranges, names, 9) for ranges, names in ((16, 12), (8, 8), (4, 5), (2, 3), (1, 2), (1, 1))),
    *((1, 1, parts) for parts in (4, 3, 2, 1, 0)),
)


def ordered(properties: Mapping[str, int], by: Order, match: int) -> tuple[str, ...]:
    """The names of properties in an order, the most nodes first.

    match is the mask of the nodes that match. Counts each property: not for the event loop.
    """
    if by == "document":
        return tuple(properties)
    if by == "name":
        return tuple(sorted(properties, key=lambda name: (natural(name.casefold()), name)))
    among = match if by == "match" else -1
    return tuple(sorted(properties, key=lambda name: -(properties[name] & among).bit_count()))


def row(
    name: str,
    standing: Standing | None,
    counts: tuple[int, int | None],
    style: Palette,
    *,
    now: Counts | None = None,
    widest: int,
    nodes: int,
    room: int,
    stale: bool = False,
) -> Text:
    """One row: what is asked of a property, its name, how many nodes have it and of them match.

    The last is None where nothing is asked; stale is what is asked by an earlier text. now is how
    many of these are up and free, on a running Flux. Names, the widest of them so wide, are cut
    last, and a bar of the cluster's nodes takes what room is left.
    """
    sign, _, role = STANDINGS[standing]
    count, matching = counts
    digits = len(f"{nodes:,}")
    behind = [] if matching is None else [(matching, "", style.match)]
    behind += [] if now is None else [(now.up, " up", style.plain), (now.free, " free", style.good)]
    numbers = MARK + digits + 3 + sum(digits + 1 + len(words) for _, words, _ in behind)
    name_width = max(min(widest, room - numbers), LEAST_NAME)
    bar_width = max(min(room - numbers - name_width, BAR_LIMIT), 0)
    lit, rest = bar(count if matching is None else matching, count, nodes, bar_width)
    look = style.plain if matching is None or matching else style.quiet
    line = styled_line(
        (sign.ljust(MARK), style.faint if stale else style.role(role)),
        (fitted(property_name(name), name_width), look),
        (f"  {count:>{digits},} ", style.quiet),
        (lit, style.quiet if matching is None else style.match),
        (rest, style.faint),
        style=style.plain,
    )
    for number, words, lit_look in behind:
        line.append(f" {number:>{digits},}", lit_look if number else look)
        line.append(words, style.quiet)
    return line


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


def summary_lines(about: PropertySummary, style: Palette, width: int, height: int) -> list[Text]:
    """The lines about a property, to be wrapped at a width; as much as goes into the height."""
    lines: list[Text] = []
    for ranges, names, parts in DETAILS:
        head = _joined([*_nodes(about, ranges, style)], style)
        others = [*_relations(about, names, style), *_notes(about.name, style)][:parts]
        lines = [head, *([_joined(others, style)] if others else ())]
        if sum(len(wrap(line, max(width, 1))) for line in lines) <= height:
            break
    return lines


def _joined(parts: Sequence[Text], style: Palette) -> Text:
    line = Text(style=style.plain, end="")
    for number, part in enumerate(parts):
        line.append(DOT if number else "", style.faint).append_text(part)
    return line


def _nodes(about: PropertySummary, ranges: int, style: Palette) -> Iterator[Text]:
    """The name, what the constraint asks of it, and its nodes, in so many ranges."""
    resources, mask = about.resources, about.resources.properties[about.name]
    _, words, role = STANDINGS[about.standing]
    name = Text(shorten(property_name(about.name), NAME_LIMIT), style.strong)
    yield name.append(f" {words}" if words else "", style.role(role))
    if not mask:
        yield Text("on no node", style.quiet)
    elif mask == resources.everything:
        yield Text("on every node", style.plain)
    else:
        yield Text.assemble(("ranks ", style.quiet), resources.ranks_text(mask, ranges))
    if about.selected:
        yield Text(f"{about.selected:,} selected", style.label)
    hosts = resources.hosts_of(mask, ranges) if mask != resources.everything else ""
    if hosts:
        yield Text(printable(hosts), style.quiet)


def _relations(about: PropertySummary, most: int, style: Palette) -> Iterator[Text]:
    """The other properties of each kind, so many by their names."""
    others = len(about.resources.properties) - 1
    if not about.resources.properties[about.name] or not others:
        return
    if about.related is None:
        yield Text(f"comparing with {counted(others, 'other')} …", style.quiet)
    elif not any(about.related):
        yield Text("overlaps each of the other properties", style.quiet)
    for words, names in zip(RELATIONS, about.related or (), strict=False):
        text = Text(words, style.quiet)
        for number, name in enumerate(names[:most]):
            text.append(", " if number else " ", style.faint)
            text.append(shorten(property_name(name), NAME_LIMIT), style.plain)
            if words != "always with":
                text.append(f" {about.counts[name]:,}", style.quiet)
        if len(names) > most:
            text.append(f" and {len(names) - most:,} more", style.quiet)
        if names:
            yield text


def _notes(name: str, style: Palette) -> Iterator[Text]:
    """What the form of a name says (RFC 20)."""
    if name.startswith("+"):
        yield Text("+ is local to this instance; a job's R does not have it", style.quiet)
    suffix = shorten(printable(name.partition("@")[2]), NAME_LIMIT)
    if suffix:
        words = f"@{suffix} is for the scheduler, which may apply it to {suffix}"
        yield Text(words, style.quiet)
