"""The Properties pane: the nodes of each property, and what the constraint requires of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.notation.sets.bits import less
from fluxtui.ui.constraint.explanations import examples
from fluxtui.ui.constraint.property_lines import (
    MARK,
    ORDERS,
    Columns,
    Order,
    PropertySummary,
    PropertyToggle,
    containing,
    frame_words,
    ordered,
    row,
    summary_lines,
)
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView, columns_for
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import property_name, shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations, Standing
    from fluxtui.model.cancellation import Stop
    from fluxtui.ui.kit.prompt import Prompt

NOTHING = Resources()
EXAMPLES = 3


class PropertiesPane(Pane):
    """Lists the properties; keys add them to the constraint and remove them.

    on_edit is called with another text of the constraint, on_select with the mask of the nodes to
    select.
    """

    title = "Properties"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            bind(f"properties.{name}", key, name, label, help, footer=True, first=name == "filter")
            for name, key, label, help in (
                (
                    "exclude",
                    "exclamation_mark",
                    "Exclude",
                    "Exclude the nodes that have it, or stop excluding them",
                ),
                ("filter", "slash", "Filter", "Show only properties whose names contain a text"),
                ("sort", "o", "Sort", "Sort by name, nodes, matching nodes, or as in the document"),
            )
        ),
        bind("properties.show_all", "escape", "show_all", ""),
        *(bind(f"properties.try_{n}", str(n), f"try({n})", "") for n in range(1, EXAMPLES + 1)),
    ]

    def __init__(
        self, on_edit: Callable[[str], None], on_select: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit, self._on_select = on_edit, on_select
        self._state: State | None = None
        self._resources = NOTHING
        self._match = 0
        self._counts: dict[str, int] = {}  # the nodes of the properties that were counted
        self._standings: dict[str, Standing] = {}
        self._relations: Relations | None = None
        self._order: Order = "document"
        self._filter = ""
        self._names: tuple[str, ...] = ()  # all, in the order in force
        self._rows: tuple[str, ...] = ()  # those that the filter lets pass
        self._widest = 0
        self._summarized: tuple[object, ...] = ()  # what the lines about a property follow from
        self._at: str | None = None  # the one with the cursor
        self._toggle = PropertyToggle()
        self._tasks = LatestTasks(self)
        self._prompt: Prompt | None = None  # made on first use
        self._filtered_for_good = False
        self.view = PropertyList(self._choose, self._moved, self.action_select, id="properties")
        self.details = LinesView(id="property-details", wrap=True)
        self.details.can_focus = False

    def compose(self) -> ComposeResult:
        """The list, and what is known of the property with the cursor."""
        yield self.view
        yield self.details

    # The state

    def show(self, state: State) -> None:
        """Show the properties of the open document, counted within the match."""
        self._state = state
        ask, resources = state.ask, state.cluster.resources
        is_new = resources is not self._resources
        if is_new:
            self._tasks.cancel_all()
            self._resources, self._relations, self._counts = resources, None, {}
            self._names = tuple(resources.properties)
            self._list()
            self._relate()
        is_other = ask.mask is not self._match
        self._match = ask.mask
        if (is_other and self._order == "match") or (is_new and self._order != "document"):
            self._sort()
        self._standings = {}
        if ask.constraint is not None:
            from fluxtui.answers.explain.properties import standings

            self._standings = standings(ask.constraint)
        self._show_rows()

    def on_mount(self) -> None:
        """Compare the properties of what was shown before."""
        self.call_after_refresh(self._relate)

    def on_unmount(self) -> None:
        """Stop background work."""
        self._tasks.cancel_all()

    def on_resize(self) -> None:
        """Recompute the column widths."""
        if self._state is not None:
            self.call_after_refresh(self._show_rows)

    # In the background: what they are to each other, and their order

    def _relate(self) -> None:
        if self.is_mounted and self._names and self._relations is None:
            properties = self._resources.properties

            def relate(stop: Stop) -> Relations | None:
                from fluxtui.answers.explain.properties import relations

                return relations(properties, stop)

            self._tasks.start("property-relations", relate, self._related)

    def _related(self, found: Relations) -> None:
        self._relations = found
        self._counts.update(found.counts)
        self._show_details()

    def _sort(self) -> None:
        if self.is_mounted and self._names:
            work = partial(ordered, self._resources.properties, self._order, self._match)
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
        self._rows = containing(self._names, self._filter)
        self._widest = max((cell_len(property_name(name)) for name in self._rows), default=0)
        if self._at not in self._rows:
            at = min(self.view.row, len(self._rows) - 1)
            self._at = self._rows[at] if self._rows else None
        if self._at is not None:
            self.view.put_row(self._rows.index(self._at))

    def _show_rows(self) -> None:
        if self._state is None:
            return
        view, rows = self.view, self._rows
        if rows:
            nodes, asked = self._resources.node_count, self._state.ask.constraint is not None
            room = columns_for(view, len(rows)) or 40
            columns = Columns.fit(self._widest, nodes, asked=asked, room=room)
            view.show_lines(MadeLines(len(rows), partial(self._row, rows, columns, asked)))
        elif self._names:
            words = shorten(printable(self._filter), 24)
            view.show_lines([self.line((f"No property name contains {words}.", self.style.quiet))])
        else:
            view.show_lines(list(self._things_to_try()))
        self._show_details()
        self.say_keys()

    def _row(self, rows: tuple[str, ...], columns: Columns, asked: bool, number: int) -> Text:
        name = rows[number]
        matching = (self._match & self._resources.properties[name]).bit_count() if asked else None
        stale = self._state is not None and self._state.ask.stale
        counts = self._count(name), matching
        return row(name, self._standings.get(name), counts, columns, self.style, stale=stale)

    def _count(self, name: str) -> int:
        if name not in self._counts:
            self._counts[name] = self._resources.properties[name].bit_count()
        return self._counts[name]

    def _things_to_try(self) -> Iterator[Text]:
        """What a cluster without properties can be asked."""
        found = examples(self._resources)
        yield self.line(("This cluster has no properties.", self.style.quiet))
        if found:
            yield self.line(("Try hosts or ranks:", self.style.quiet))
        width = max((len(text) for text, _ in found), default=0)
        for number, (text, count) in enumerate(found, 1):
            nodes = f"  {counted(count, 'node')}"
            yield self.line(
                (f"{number} ", self.style.key), text.ljust(width), (nodes, self.style.quiet)
            )

    def _moved(self, number: int) -> None:
        if number < len(self._rows):  # not where the rows are a hint
            self._at = self._rows[number]
            self._show_details()

    def _show_details(self) -> None:
        asking = self._prompt is not None and self._prompt.display
        self.details.display = self._at is not None and not asking
        if self._at is None or self._state is None or asking:
            return
        name, resources, relations = self._at, self._resources, self._relations
        standing, size = self._standings.get(name), self.details.size
        selected = (self._state.selected & resources.properties[name]).bit_count()
        # Of thousands of properties it takes a while to find what they are to one.
        about = (name, resources, relations, standing, selected, size, self.style)
        if about != self._summarized:
            self._summarized = about
            related = relations.of(name) if relations is not None else None
            summary = PropertySummary(name, resources, standing, selected, related, self._counts)
            width, height = size.width or 40, size.height or 4
            self.details.show_lines(summary_lines(summary, self.style, width, height))

    # Actions

    def _put(self, *, wanted: bool) -> None:
        """Ask for the property with the cursor, or against it; where that is done, no longer."""
        if self._at is None or self._state is None:
            return
        ask = self._state.ask
        text = self._toggle.toggled(ask, self._at, wanted=wanted)
        if text is not None:
            self._on_edit(text)
        elif ask.stale:
            self.notify("Finish the constraint first: it has an error.", timeout=4)
        else:
            self.notify("The constraint would be too long.", severity="warning", timeout=4)

    def _choose(self, number: int) -> None:
        if number < len(self._rows):
            self._put(wanted=True)
        elif not self._names:
            self.action_try(number - 1)

    def action_exclude(self) -> None:
        """Exclude the property under the cursor, or stop excluding it."""
        self._put(wanted=False)

    def action_try(self, number: int) -> None:
        """Require an example by its number."""
        found = examples(self._resources)
        if 0 < number <= len(found):
            self._on_edit(found[number - 1][0])

    def action_select(self) -> None:
        """Add its nodes to the selection, or remove them if all are selected."""
        if self._at is None or self._state is None:
            return
        mask, selected = self._resources.properties[self._at], self._state.selected
        self._on_select(less(selected, mask) if mask & selected == mask else selected | mask)

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._sort()
        self.say_keys()

    async def action_filter(self) -> None:
        """Ask for a text to filter the names by."""
        if self._prompt is None:
            from fluxtui.ui.kit.prompt import Prompt

            self._prompt = Prompt(self._asked, id="property-filter")
            await self.mount(self._prompt)
        self._filtered_for_good = False
        self._prompt.ask("Name contains", self._filter, self._keep_filter, self._filtered)
        self._show_details()

    def _filtered(self, text: str) -> Problem | None:
        if text != self._filter:
            self._filter = text
            self._list()
            self._show_rows()
        return None if self._rows else Problem("no property name contains this")

    def _keep_filter(self, text: str) -> None:
        self._filtered_for_good = True

    def _asked(self) -> None:
        """Close the question; without an answer, show all properties."""
        if not self._filtered_for_good:
            self._filtered("")
        self._show_rows()
        self.view.focus()

    def action_show_all(self) -> None:
        """Show all properties again."""
        self._filtered("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys that have nothing to do, and letters while typing."""
        if action == "filter":
            return self.has_keys(self.view)
        if action == "show_all":
            return bool(self._filter)
        if action == "try":
            return not self._names
        return super().check_action(action, parameters)

    def say_keys(self) -> None:
        """Describe in the frame what is listed and what the numbers mean."""
        asked = self._state is not None and self._state.ask.constraint is not None
        shown, whole = len(self._rows), len(self._names)
        words = frame_words(self._filter, shown, whole, self._order, asked=asked) if whole else ""
        self.say_in_frame(words)


class PropertyList(RowsView):
    """The rows; a click on the sign before a name toggles it at once.

    on_row is called with the row that a person comes to, on_select where they select its nodes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            bind(f"properties.{name}", keys, name, label, help, footer=True)
            for name, keys, label, help in (
                ("choose", "enter", "Require", "Require the property, or stop requiring it"),
                ("select", "space,a", "Select", "Select its nodes, or deselect them"),
            )
        ),
    ]

    def __init__(
        self,
        on_choose: Callable[[int], None],
        on_row: Callable[[int], None],
        on_select: Callable[[], None],
        *,
        id: str,
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row, self._on_select = on_row, on_select

    def action_move(self, by: int) -> None:
        """Move the cursor, and report where it is."""
        super().action_move(by)
        self._on_row(self.row)

    def action_select(self) -> None:
        """Select the nodes of the row."""
        self._on_select()

    def on_click(self, event: events.Click) -> None:
        """On the sign: choose; elsewhere a second click does."""
        offset = event.get_content_offset(self)
        row = offset.y + self.scroll_offset.y if offset is not None else len(self.lines)
        if offset is not None and offset.x < MARK and row < len(self.lines):
            event.prevent_default()
            self.action_move(row - self.row)
            self.action_choose()
