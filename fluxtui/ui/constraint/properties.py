"""The properties of the document: their nodes, the constraint's part in them, and each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region

from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.bits import less
from fluxtui.ui.constraint import property_lines as property_words
from fluxtui.ui.constraint.property_lines import (
    ORDERS,
    Counts,
    Order,
    containing,
    ordered,
    related,
)
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView, columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import bar
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import State

BAR_LIMIT = 12
NAME_LIMIT = 24
MARK = 2  # columns of the sign before a name


class PropertyList(RowsView):
    """The rows; a click on the sign before a name chooses it at once.

    on_row is told the row that a person comes to.
    """

    def __init__(
        self, on_choose: Callable[[int], None], on_row: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row

    def action_move(self, by: int) -> None:
        """Move the cursor, and tell where it is."""
        super().action_move(by)
        self._on_row(self.row)

    def go_to(self, row: int) -> None:
        """Put the cursor in a row that its property has come to, and that row in sight."""
        self.put_row(row)
        self.scroll_to_region(Region(self.scroll_offset.x, row, 1, 1), animate=False)

    def on_click(self, event: events.Click) -> None:
        """On the sign: choose; elsewhere a second click does."""
        offset = event.get_content_offset(self)
        row = offset.y + self.scroll_offset.y if offset is not None else len(self.lines)
        if offset is not None and offset.x < MARK and row < len(self.lines):
            event.prevent_default()
            self.action_move(row - self.row)
            self.action_choose()


class Columns(NamedTuple):
    """How wide the parts of a row are; the bar takes what is left, up to its limit."""

    name: int
    digits: int
    bar: int
    nodes: int

    @classmethod
    def fit(cls, widest: int, nodes: int, asked: bool, room: int) -> Columns:
        """The columns for names up to so wide, on a cluster of so many nodes, in so much room."""
        digits = len(f"{nodes:,}")
        numbers = MARK + digits + 3 + (digits + 1 if asked else 0)
        name = max(min(widest, NAME_LIMIT, room - numbers), 6)
        return cls(name, digits, max(min(room - numbers - name, BAR_LIMIT), 0), nodes)


def row(
    mark: tuple[str, Style],
    name: str,
    counts: tuple[int, int | None],
    columns: Columns,
    style: Palette,
) -> Text:
    """One row: the sign and its style, the name, how many nodes have it and how many of them match.

    The last is None where nothing is asked.
    """
    count, matching = counts
    asked = matching is not None
    look = style.plain if matching or not asked else style.faint
    if cell_len(name) > columns.name:
        name = set_cell_size(name, columns.name - 1) + "…"
    line = Text(style=style.plain, no_wrap=True, end="")
    line.append(mark[0].ljust(MARK), style=mark[1])
    line.append(set_cell_size(name, columns.name), style=look)
    line.append(f"  {count:>{columns.digits},} ", style=style.quiet)
    part = count if matching is None else matching
    lit, rest = bar(part, count, columns.nodes, columns.bar)
    line.append(lit, style=style.match if asked else style.quiet)
    line.append(rest, style=style.faint)
    if asked:
        line.append(f" {matching:>{columns.digits},}", style=style.match if matching else look)
    return line


if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations, Standing

# Of ranks and of hosts so many ranges are said: one for so many columns, at most so many.
RANGE, RANGES = 25, 4


class PropertyDetails(LinesView):
    """Its nodes, what the constraint asks of it, and what the other properties are to it.

    relations is what they are to each other, None as long as that is not known.
    """

    can_focus = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True)
        self.relations: Relations | None = None
        self._said: tuple[object, ...] | None = None  # what the lines follow from

    def begin(self) -> None:
        """Another document is open; what was known of the one before is let go."""
        self.relations = self._said = None

    def tell(
        self,
        name: str,
        resources: Resources,
        counts: Counts,
        standing: Standing | None,
        selected: int,
    ) -> None:
        """Tell of a property of a cluster; standing is what the constraint asks of it.

        selected is the mask of the nodes that are selected.
        """
        mask, relations = resources.properties[name], self.relations
        within = (selected & mask).bit_count()
        # Resources and relations are equal only where they are the same.
        said = (name, resources, relations, standing, within, self.size, palette_of(self))
        if said == self._said:
            return
        self._said = said
        ranks, hosts = self._ranges(resources, mask)
        about = property_words.Told(
            name,
            counts.nodes(name),
            resources.node_count,
            ranks,
            hosts,
            standing,
            within,
            relations.of(name) if relations is not None else None,
            counts.known,
            len(resources.properties) - 1,
        )
        width, height = self.size.width or 40, self.size.height or 4
        self.show_lines(property_words.told(about, palette_of(self), width, height))

    def _ranges(self, resources: Resources, mask: int) -> tuple[str, str]:
        """The ranks and the hosts of some nodes, as many as there is room for."""
        limit = min(max(self.size.width // RANGE, 1), RANGES)
        ranks = resources.ranks_text(mask, limit) if mask else ""
        return ranks, resources.hosts_of(mask, limit)


if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations, Standing
    from fluxtui.ui.kit.prompt import Prompt

FRAME = 4  # columns at the lower edge that its ends take
NOTHING = Resources()


class PropertiesPane(Pane):
    """Lists the properties; keys put them into the constraint, and take them out of it.

    on_turn gets a property and whether nodes are to have it (or not to have it), on_select the mask
    of the nodes to select.
    """

    title = "Properties"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("exclamation_mark", "exclude", "Exclude", show=False),
        Binding("a", "select", "Select its nodes", show=False),
        Binding("o", "sort", "Sort", show=False),
        Binding("slash", "filter", "Filter", show=False, priority=True),
        Binding("escape", "show_all", "Show all, leave", show=False),
    ]

    def __init__(
        self,
        on_turn: Callable[[str, bool], None],
        on_select: Callable[[int], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_turn, self._on_select = on_turn, on_select
        self._state: State | None = None
        self._resources = NOTHING
        self._counts = Counts(NOTHING)
        self._standings: dict[str, Standing] = {}
        self._order: Order = "document"
        self._filter = ""
        self._names: tuple[str, ...] = ()  # all, in the order in force
        self._rows: tuple[str, ...] = ()  # those that the filter lets pass
        self._widest = 0
        self._at: str | None = None  # the one with the cursor
        self._tasks = LatestTasks(self)
        self._prompt: Prompt | None = None  # made when it is first asked for
        self._taken = False
        self.view = PropertyList(self._choose, self._moved, id="properties")
        self.details = PropertyDetails(id="property-details")

    def compose(self) -> ComposeResult:
        """The list, and what is known of the property with the cursor."""
        yield self.view
        yield self.details

    # The state

    def show(self, state: State) -> None:
        """Show the properties of the open document, counted within the match."""
        self._state = state
        ask, resources = state.ask, state.cluster.resources
        others = resources is not self._resources
        if others:
            self._resources = resources
            self._counts = Counts(resources)
            self.details.begin()
            self._tasks.cancel_all()
            self._names = tuple(resources.properties)
            self._list()
            self._relate()
        recount = self._counts.within(ask.mask)
        if (recount and self._order == "match") or (others and self._order != "document"):
            self._sort()
        self._standings = _standings(ask.constraint)
        self._show_rows()
        self._say()

    def on_mount(self) -> None:
        """Begin with what was shown before, once it is seen."""
        self.call_after_refresh(self._relate)

    def on_unmount(self) -> None:
        """What is being found is not wanted any more."""
        self._tasks.cancel_all()

    def on_resize(self) -> None:
        """Find the widths of the columns again."""
        if self._state is not None:
            self._show_rows()
            self._say()

    # In the background: how they stand to each other, and their order

    def _relate(self) -> None:
        if self.is_mounted and self._names and self.details.relations is None:
            work = partial(related, self._resources.properties)
            self._tasks.start("property-relations", work, self._related)

    def _related(self, found: Relations) -> None:
        self.details.relations = found
        self._counts.known.update(found.counts)
        self._show_details()

    def _sort(self) -> None:
        if self.is_mounted and self._names:
            properties, match = self._resources.properties, self._counts.match
            work = partial(ordered, properties, self._order, match)
            self._tasks.start("property-order", work, self._sorted)

    def _sorted(self, names: tuple[str, ...]) -> None:
        if names != self._names:
            self._names = names
            if not self.view.row:
                self._at = None  # who is at the top wants to see what is there now
            self._list()
            self._show_rows()
            self.view.go_to(self.view.row)

    # The list

    def _list(self) -> None:
        """List the names that the filter lets pass, with the cursor where it was."""
        self._rows = containing(self._names, self._filter)
        self._widest = max((cell_len(property_name(name)) for name in self._rows), default=0)
        if self._at not in self._rows:
            at = min(self.view.row, len(self._rows) - 1)
            self._at = self._rows[at] if self._rows else None
        if self._at is not None:
            self.view.put_row(self._rows.index(self._at))

    def _show_rows(self) -> None:
        assert self._state is not None
        view, rows = self.view, self._rows
        if not rows:
            none = (f"No name has {property_words.short(self._filter)} in it.",)
            view.show_lines(self.hint(*(none if self._names else ("No properties here.",))))
        else:
            nodes, asked = self._resources.node_count, self._state.ask.constraint is not None
            room = columns_for(view, len(rows)) or 40
            columns = Columns.fit(self._widest, nodes, asked, room)
            make = partial(self._row, rows, columns, asked)
            view.show_lines(MadeLines(len(rows), make))
        self._show_details()

    def _row(self, rows: tuple[str, ...], columns: Columns, asked: bool, number: int) -> Text:
        name = rows[number]
        sign, role = property_words.mark(self._standings.get(name))
        stale = self._state is not None and self._state.ask.stale
        look = self.style.faint if stale else self.style.role(role)
        counts = self._counts.nodes(name), self._counts.matching(name) if asked else None
        return row((sign, look), property_name(name), counts, columns, self.style)

    def _moved(self, number: int) -> None:
        if number < len(self._rows):  # not where the rows are a hint
            self._at = self._rows[number]
            self._show_details()
            self._say()

    def _show_details(self) -> None:
        asking = self._prompt is not None and self._prompt.display
        self.details.display = self._at is not None and not asking
        if self._at is not None and self._state is not None and not asking:
            standing = self._standings.get(self._at)
            self.details.tell(
                self._at, self._resources, self._counts, standing, self._state.selected
            )

    # What a person does

    def _choose(self, number: int) -> None:
        if number < len(self._rows):
            self._on_turn(self._rows[number], True)

    def action_require(self) -> None:
        """Require the property with the cursor, or no longer."""
        if self._at is not None:
            self._on_turn(self._at, True)

    def action_exclude(self) -> None:
        """Exclude the property with the cursor, or no longer."""
        if self._at is not None:
            self._on_turn(self._at, False)

    def action_select(self) -> None:
        """Select its nodes beside those that are selected; where all are, none of them any more."""
        if self._at is None or self._state is None:
            return
        mask, selected = self._resources.properties[self._at], self._state.selected
        self._on_select(less(selected, mask) if mask & selected == mask else selected | mask)

    def action_sort(self) -> None:
        """List them in the next order."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._sort()
        self._say()

    async def action_filter(self) -> None:
        """Ask for a text that the names are to hold."""
        if self._prompt is None:
            from fluxtui.ui.kit.prompt import Prompt

            self._prompt = Prompt(self._asked, id="property-filter")
            await self.mount(self._prompt)
        self._taken = False
        self._prompt.ask("name", self._filter, self._take_filter, self._filtered)
        self._show_details()

    def _filtered(self, text: str) -> Problem | None:
        """Show at once what the text that is being typed leaves."""
        if text != self._filter:
            self._filter = text
            self._list()
            self._show_rows()
            self._say()
        return None if self._rows else Problem("no property has this in its name")

    def _take_filter(self, text: str) -> None:
        self._taken = True

    def _asked(self) -> None:
        """The question is closed: without an answer, all are shown again."""
        if not self._taken:
            self._filtered("")
        self._show_rows()
        self.view.focus()

    async def action_show_all(self) -> None:
        """Show all properties again, or leave."""
        if self._filter:
            self._filtered("")
        else:
            await self.run_action("app.do('leave')")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key of the filter is a letter as the others are."""
        typing = getattr(self.app.focused, "takes_letters", False)
        return not (action == "filter" and typing) and super().check_action(action, parameters)

    def commands(self) -> Iterator[tuple[str, Content, Callable[[], object]]]:
        """What can be done here, for the palette: names, sentences, and what does it."""
        at = property_name(self._at) if self._at is not None else "a property"
        for name, words, action in property_words.COMMANDS:
            yield name, Content(words.format(at)), getattr(self, f"action_{action}")

    # The frame

    def say_keys(self) -> None:
        """Say what can be done here, or what the columns are."""
        self._say()

    def _say(self) -> None:
        """Say in the frame what is listed, and the keys or what the numbers are."""
        shown, whole = len(self._rows), len(self._names)
        title = property_words.title(self.title, self._order, self._filter, shown, whole)
        self.put_title(title)
        standing = self._standings.get(self._at) if self._at is not None else None
        asked = self._state is not None and self._state.ask.constraint is not None
        words = "all nodes, matching" if asked else ""
        if self._at is not None and self.app.focused is self.view:
            room = self.size.width - FRAME
            words = property_words.keys(standing, filtered=bool(self._filter), room=room)
        self.say_in_frame(words)


def _standings(constraint: Constraint | None) -> dict[str, Standing]:
    """What a constraint asks of each property that it names."""
    if constraint is None:
        return {}
    from fluxtui.answers.explain.properties import standings

    return standings(constraint)
