"""The Properties pane: the nodes of each property, and what the constraint requires of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import BindingType

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, counted, plural, printable
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.host_index import natural
from fluxtui.ui.constraint.explanations import examples
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LazyLines, LinesView, RowsView, columns_for
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.prompt import Filtered, Prompt
from fluxtui.ui.kit.text import DOT, bar, fitted, property_name, shorten, styled_line, wrap
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import EditRequires, Select, State

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Related, Relations, Standing
    from fluxtui.model.cancellation import Stop
    from fluxtui.model.live.nodes import Counts


Order: TypeAlias = Literal["document", "name", "nodes", "match"]
ORDERS: tuple[Order, ...] = ("document", "name", "nodes", "match")

# What the constraint asks of a property: sign, words, and the role of the style. The signs for
# excluded and alternatives are those of a query.
STANDINGS: Mapping[Standing | None, tuple[str, str, str]] = {
    None: (" ", "", "plain"),
    "required": ("✓", "required", "good"),
    "excluded": ("-", "excluded", "label"),
    "either": ("|", "one of several alternatives", "slot"),
    "both": ("±", "required and excluded", "problem"),
}
RELATIONS = ("always with", "within", "holds", "never with")

MARK = 2  # columns of the sign before a name
LEAST_NAME = 6  # columns of a name, at least
BAR_LIMIT = 24  # columns of a bar, at most
NAME_LIMIT = 32  # columns of a name among the details, at most

# How much is shown about a property; the first that fits: how many ranges of ranks and of hosts,
# how many related properties of a kind, and how many kinds and notes.
DETAILS = (
    *((ranges, names, 9) for ranges, names in ((16, 12), (8, 8), (4, 5), (2, 3), (1, 2), (1, 1))),
    *((1, 1, parts) for parts in (4, 3, 2, 1, 0)),
)


def ordered(properties: Mapping[str, int], by: Order, match: int) -> tuple[str, ...]:
    """Return the names of properties in an order; by nodes or match, the most nodes first.

    match is the mask of the nodes that match. Counts every property: not for the event loop.
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
    """Return the row of a property: what the constraint asks of it, its name, counts and a bar.

    counts are how many nodes have it and how many of these match, None without a constraint; stale
    says that the constraint is that of an earlier text. now is how many are up and free on a
    running Flux. widest is the width of the widest name; names are cut after the bar is gone.
    """
    sign, _, role = STANDINGS[standing]
    count, matching = counts
    digits = len(f"{nodes:,}")
    more = [] if matching is None else [(matching, "", style.match)]
    more += [] if now is None else [(now.up, " up", style.plain), (now.free, " free", style.good)]
    numbers = MARK + digits + 3 + sum(digits + 1 + len(words) for _, words, _ in more)
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
    for number, words, lit_look in more:
        line.append(f" {number:>{digits},}", lit_look if number else look)
        line.append(words, style.quiet)
    return line


class PropertySummary(NamedTuple):
    """What is known about one property.

    standing  what the constraint asks of it; None if it does not name it
    selected  how many of its nodes are selected
    related   how the other properties relate to it; None while that is not known
    counts    how many nodes each property has
    """

    name: str
    resources: Resources
    standing: Standing | None
    selected: int
    related: Related | None
    counts: Mapping[str, int]


def summary_lines(about: PropertySummary, style: Palette, width: int, height: int) -> list[Text]:
    """Return the lines about a property, as much as fits into a height when wrapped at a width."""
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
    """Yield the name, what the constraint asks of it, and its nodes, in at most so many ranges."""
    resources, mask = about.resources, about.resources.properties[about.name]
    _, words, role = STANDINGS[about.standing]
    name = Text(shorten(property_name(about.name), NAME_LIMIT), style.strong)
    yield name.append(f" {words}" if words else "", style.role(role))
    if not mask:
        yield Text("on no node", style.quiet)
    elif mask == resources.everything:
        yield Text("on every node", style.plain)
    else:
        yield Text.assemble(
            (f"{plural('rank', mask.bit_count())} ", style.quiet),
            resources.ranks_text(mask, ranges),
        )
    if about.selected:
        yield Text(f"{about.selected:,} selected", style.label)
    hosts = resources.hosts_of(mask, ranges) if mask != resources.everything else ""
    if hosts:
        yield Text(printable(hosts), style.quiet)


def _relations(about: PropertySummary, most: int, style: Palette) -> Iterator[Text]:
    """Yield the other properties by their relation to this one, naming at most so many of each."""
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
    """Yield what the form of a name means (RFC 20)."""
    if name.startswith("+"):
        yield Text("+ is local to this instance; a job's R does not have it", style.quiet)
    suffix = shorten(printable(name.partition("@")[2]), NAME_LIMIT)
    if suffix:
        words = f"@{suffix} is for the scheduler, which may apply it to {suffix}"
        yield Text(words, style.quiet)


# The pane


class _Details(LinesView):
    """The lines about a property; they depend on its height, which may change on its own."""

    def __init__(self, on_size: Callable[[], object]) -> None:
        super().__init__(id="property-details", wrap=True)
        self._on_size = on_size

    def on_resize(self) -> None:
        """Make the lines for the new size."""
        self._on_size()


class PropertiesPane(WorkbenchPane, Filtered):
    """Lists the properties; keys add them to the constraint and remove them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("properties.exclude", "exclamation_mark", "exclude", "Exclude",
             "Exclude the nodes that have it, or stop excluding them", footer=True),
        bind("properties.filter", "slash", "filter('Name contains')", "Filter",
             "Show only properties whose names contain a text", footer=True, first=True),
        bind("properties.sort", "o", "sort", "Sort",
             "Sort by name, nodes, matching nodes, or as in the document", footer=True),
        bind("properties.show_all", "escape", "show_all", ""),
        bind("properties.rows", "down", "go_to_rows", "", "Keep the filter and go to the rows",
             first=True),
    ]  # fmt: skip

    view: PropertyList

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._standings: dict[str, Standing] = {}
        self._relations: Relations | None = None
        self._order: Order = "document"
        self._names: tuple[str, ...] = ()  # all properties, in the current order
        self._rows: tuple[str, ...] = ()  # the properties that pass the filter
        self._widest = 0
        self._at: str | None = None  # the property with the cursor
        self._summarized: tuple[object, ...] = ()  # what the current details depend on
        self._tasks = LatestTasks(self)
        self.view = PropertyList(self, id="properties")
        self.details = _Details(self._show_details)
        self.details.can_focus = False
        self.parts = (self.view, self.details)

    # The state

    @property
    def _resources(self) -> Resources:
        return self.state.cluster.resources

    def show(self, state: State) -> None:
        """Show the properties of the open document, counted within the match."""
        before = self.shown
        super().show(state)
        is_new = before is None or before.cluster.resources is not state.cluster.resources
        is_other_match = before is None or before.ask.mask is not state.ask.mask
        self._standings = {}
        if state.ask.constraint is not None:
            from fluxtui.answers.explain.properties import standings

            self._standings = standings(state.ask.constraint)
        if is_new:
            self._tasks.cancel_all()
            self._relations, self._names = None, tuple(self._resources.properties)
        if (is_other_match and self._order == "match") or (is_new and self._order != "document"):
            self._sort()
        if is_new:
            self._list()
        else:
            self._show_rows()

    def on_resize(self) -> None:
        """Recompute the column widths."""
        self.call_after_refresh(self._show_rows)

    def _sort(self) -> None:
        if self.is_mounted:
            properties, order, match = self._resources.properties, self._order, self.state.ask.mask
            self._tasks.start(
                "property-order", lambda stop: ordered(properties, order, match), self._sorted
            )

    def _sorted(self, names: tuple[str, ...]) -> None:
        if names != self._names:
            self._names = names
            if not self.view.row:
                self._at = None  # a cursor in the first row stays there
            self._list()
            self.view.go_to(self.view.row)

    def _list(self) -> None:
        """List the names that pass the filter; the cursor stays on its property."""
        wanted = self.filter_text.strip().casefold()
        names = {name: property_name(name) for name in self._names}
        self._rows = tuple(name for name in names if wanted in names[name].casefold())
        self._widest = max((cell_len(names[name]) for name in self._rows), default=0)
        if self._at not in self._rows:
            self._at = self._rows[: self.view.row + 1][-1] if self._rows else None
        if self._at is not None:
            self.view.put_row(self._rows.index(self._at))
        self._show_rows()

    def _show_rows(self) -> None:
        if self.shown is None:
            return
        view, rows = self.view, self._rows
        if rows:
            room = columns_for(view, len(rows)) or 40
            view.show_lines(LazyLines(len(rows), lambda number: self._row(rows[number], room)))
        else:
            words = [f"No property name contains {shorten(printable(self.filter_text), 24)}."]
            if not self._names:
                words = ["This cluster has no properties."]
                words += [
                    f"Ask for hosts or ranks: {text}" for text, _ in examples(self._resources)
                ]
            view.show_lines([self.line((line, self.style.quiet)) for line in words])
        self._show_details()
        self.say_keys()

    def _row(self, name: str, room: int) -> Text:
        ask, resources = self.state.ask, self._resources
        mask, is_asked = resources.properties[name], ask.constraint is not None
        snapshot, left = self.state.cluster.snapshot, mask & ask.mask if is_asked else mask
        count = mask.bit_count() if self._relations is None else self._relations.counts[name]
        return row(
            name,
            self._standings.get(name),
            (count, left.bit_count() if is_asked else None),
            self.style,
            now=snapshot.nodes.counts(left) if snapshot is not None else None,
            widest=self._widest,
            nodes=resources.node_count,
            room=room,
            stale=ask.stale,
        )

    def say_keys(self) -> None:
        """Describe in the frame what is listed and what the numbers mean."""
        words = []
        if self.filter_text:
            shown, whole = len(self._rows), len(self._names)
            words = [f"{shown:,} of {whole:,} contain {shorten(printable(self.filter_text), 16)}"]
        words += [f"by {self._order}"] if self._order != "document" else []
        is_asked = self.state.ask.constraint is not None
        words += ["nodes, matching" if is_asked else "nodes"]
        self.say_in_frame(DOT.join(words) if self._names else "")

    # The property with the cursor

    def move_to(self, number: int) -> None:
        """Show what is known about the property in a row."""
        if number < len(self._rows):  # otherwise the rows are a hint
            self._at = self._rows[number]
            self._show_details()

    def _show_details(self) -> None:
        is_asking = Prompt.open_in(self) is not None
        self.details.display = self._at is not None and not is_asking
        if self._at is None or is_asking:
            return
        if self._relations is None and "property-relations" not in self._tasks.running:
            self._relate()
        name, resources, relations = self._at, self._resources, self._relations
        standing, size = self._standings.get(name), self.details.size
        selected = (self.state.selected & resources.properties[name]).bit_count()
        # With thousands of properties it takes a while to find how they relate to one.
        about = (name, resources, relations, standing, selected, size, self.style)
        if about != self._summarized:
            self._summarized = about
            related = relations.of(name) if relations is not None else None
            counts = relations.counts if relations is not None else {}
            summary = PropertySummary(name, resources, standing, selected, related, counts)
            width, height = size.width or 40, size.height or 4
            self.details.show_lines(summary_lines(summary, self.style, width, height))

    def _relate(self) -> None:
        """Find in the background how the properties relate to each other."""
        properties = self._resources.properties

        def relate(stop: Stop) -> Relations | None:
            from fluxtui.answers.explain.properties import relations

            return relations(properties, stop)

        def show(relations: Relations) -> None:
            self._relations = relations
            self._show_details()

        if self.is_mounted:
            self._tasks.start("property-relations", relate, show)

    # Actions

    def require(self, *, wanted: bool = True) -> None:
        """Require or exclude the property with the cursor; if that is already so, stop that."""
        if self._at is None:
            return
        from fluxtui.answers.explain.properties import toggled

        ask = self.state.ask
        text = toggled(ask.requires, self._at, wanted=wanted)
        if text is not None:
            self.app.edit(EditRequires(text))
        elif ask.stale:
            self.notify("Finish the constraint first: it has an error.", timeout=4)
        else:
            self.app.warn("The constraint would be too long.", timeout=4)

    def action_exclude(self) -> None:
        """Exclude the property under the cursor, or stop excluding it."""
        self.require(wanted=False)

    def select(self) -> None:
        """Add the property's nodes to the selection, or remove them if all are selected."""
        if self._at is not None:
            mask, selected = self._resources.properties[self._at], self.state.selected
            left = less(selected, mask) if mask & selected == mask else selected | mask
            self.app.edit(Select(left))

    def action_sort(self) -> None:
        """Switch to the next order."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._sort()
        self.say_keys()

    def put_filter(self, text: str) -> Problem | None:
        """List the properties whose names contain a text."""
        if text != self.filter_text:
            self.filter_text = text
            self._list()
        self._show_details()
        return None if self._rows else Problem("no property name contains this")


class PropertyList(RowsView):
    """The rows; a click on the sign before a name toggles it at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("properties.choose", "enter", "choose", "Require",
             "Require the property, or stop requiring it", footer=True),
        bind("properties.select", "space,a", "select", "Select",
             "Select its nodes, or deselect them", footer=True),
    ]  # fmt: skip

    def __init__(self, pane: PropertiesPane, *, id: str) -> None:
        super().__init__(lambda row: pane.require(), pane.move_to, id=id)
        self._pane = pane

    def action_select(self) -> None:
        """Select the nodes of the property with the cursor."""
        self._pane.select()

    def on_click(self, event: events.Click) -> None:
        """Toggle the property if its sign is clicked; elsewhere, only on a double click."""
        row, offset = self.row_under(event), event.get_content_offset(self)
        if row is not None and offset is not None and offset.x < MARK:
            event.prevent_default()
            self.action_move(row - self.row)
            self.action_choose()
