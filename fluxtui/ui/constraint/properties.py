"""The Properties pane: the nodes of each property, and what the constraint requires of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import BindingType

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.sets.bits import less
from fluxtui.ui.constraint.explanations import examples
from fluxtui.ui.constraint.property_lines import (
    MARK,
    ORDERS,
    Order,
    PropertySummary,
    ordered,
    row,
    summary_lines,
)
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView, columns_for
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text import DOT, property_name, shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations, Standing
    from fluxtui.model.cancellation import Stop


class _Details(LinesView):
    """The lines about a property; as many as go into its height, which may change by itself."""

    def __init__(self, on_size: Callable[[], object]) -> None:
        super().__init__(id="property-details", wrap=True)
        self._on_size = on_size

    def on_resize(self) -> None:
        """Have the lines made for this size."""
        self._on_size()


class PropertiesPane(Pane):
    """Lists the properties; keys add them to the constraint and remove them.

    on_edit is called with another text of the constraint, on_select with the mask of the nodes to
    select.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("properties.exclude", "exclamation_mark", "exclude", "Exclude",
             "Exclude the nodes that have it, or stop excluding them", footer=True),
        bind("properties.filter", "slash", "filter", "Filter",
             "Show only properties whose names contain a text", footer=True, first=True),
        bind("properties.sort", "o", "sort", "Sort",
             "Sort by name, nodes, matching nodes, or as in the document", footer=True),
        bind("properties.show_all", "escape", "show_all", ""),
    ]  # fmt: skip

    def __init__(
        self, on_edit: Callable[[str], None], on_select: Callable[[int], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self._on_edit, self._on_select = on_edit, on_select
        self._state: State | None = None
        self._standings: dict[str, Standing] = {}
        self._relations: Relations | None = None
        self._order: Order = "document"
        self._filter = self._kept_filter = ""
        self._names: tuple[str, ...] = ()  # all, in the order in force
        self._rows: tuple[str, ...] = ()  # those that the filter lets pass
        self._widest = 0
        self._at: str | None = None  # the one with the cursor
        self._summarized: tuple[object, ...] = ()  # what the lines about it follow from
        self._tasks = LatestTasks(self)
        self.view = PropertyList(self, id="properties")
        self.details = _Details(self._show_details)
        self.details.can_focus = False
        self.parts = (self.view, self.details)

    # The state

    @property
    def _resources(self) -> Resources:
        return self._state.cluster.resources if self._state is not None else Resources()

    def show(self, state: State) -> None:
        """Show the properties of the open document, counted within the match."""
        before, self._state = self._state, state
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
        state = self._state
        if state is not None and self.is_mounted:
            properties, order, match = self._resources.properties, self._order, state.ask.mask
            self._tasks.start(
                "property-order", lambda stop: ordered(properties, order, match), self._sorted
            )

    def _sorted(self, names: tuple[str, ...]) -> None:
        if names != self._names:
            self._names = names
            if not self.view.row:
                self._at = None  # who is at the top wants to see what is there now
            self._list()
            self.view.go_to(self.view.row)

    def _list(self) -> None:
        """List the names that the filter lets pass; the cursor stays with its property."""
        wanted = self._filter.strip().casefold()
        names = {name: property_name(name) for name in self._names}
        self._rows = tuple(name for name in names if wanted in names[name].casefold())
        self._widest = max((cell_len(names[name]) for name in self._rows), default=0)
        if self._at not in self._rows:
            self._at = self._rows[: self.view.row + 1][-1] if self._rows else None
        if self._at is not None:
            self.view.put_row(self._rows.index(self._at))
        self._show_rows()

    def _show_rows(self) -> None:
        if self._state is None:
            return
        view, rows = self.view, self._rows
        if rows:
            room = columns_for(view, len(rows)) or 40
            view.show_lines(MadeLines(len(rows), lambda number: self._row(rows[number], room)))
        else:
            words = [f"No property name contains {shorten(printable(self._filter), 24)}."]
            if not self._names:
                words = ["This cluster has no properties."]
                words += [
                    f"Ask for hosts or ranks: {text}" for text, _ in examples(self._resources)
                ]
            view.show_lines([self.line((line, self.style.quiet)) for line in words])
        self._show_details()
        self.say_keys()

    def _row(self, name: str, room: int) -> Text:
        assert self._state is not None
        ask, resources = self._state.ask, self._resources
        mask, is_asked = resources.properties[name], ask.constraint is not None
        snapshot, left = self._state.cluster.snapshot, mask & ask.mask if is_asked else mask
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
        if self._filter:
            shown, whole = len(self._rows), len(self._names)
            words = [f"{shown:,} of {whole:,} contain {shorten(printable(self._filter), 16)}"]
        words += [f"by {self._order}"] if self._order != "document" else []
        is_asked = self._state is not None and self._state.ask.constraint is not None
        words += ["nodes, matching" if is_asked else "nodes"]
        self.say_in_frame(DOT.join(words) if self._names else "")

    # The property with the cursor

    def move_to(self, number: int) -> None:
        """Show what is known of the property in a row."""
        if number < len(self._rows):  # not where the rows are a hint
            self._at = self._rows[number]
            self._show_details()

    def _show_details(self) -> None:
        is_asking = Prompt.open_in(self) is not None
        self.details.display = self._at is not None and not is_asking
        if self._at is None or self._state is None or is_asking:
            return
        if self._relations is None and "property-relations" not in self._tasks.running:
            self._relate()
        name, resources, relations = self._at, self._resources, self._relations
        standing, size = self._standings.get(name), self.details.size
        selected = (self._state.selected & resources.properties[name]).bit_count()
        # Of thousands of properties it takes a while to find what they are to one.
        about = (name, resources, relations, standing, selected, size, self.style)
        if about != self._summarized:
            self._summarized = about
            related = relations.of(name) if relations is not None else None
            counts = relations.counts if relations is not None else {}
            summary = PropertySummary(name, resources, standing, selected, related, counts)
            width, height = size.width or 40, size.height or 4
            self.details.show_lines(summary_lines(summary, self.style, width, height))

    def _relate(self) -> None:
        """Find in the background what the properties are to each other."""
        properties = self._resources.properties

        def relate(stop: Stop) -> Relations | None:
            from fluxtui.answers.explain.properties import relations

            return relations(properties, stop)

        def related(found: Relations) -> None:
            self._relations = found
            self._show_details()

        if self.is_mounted:
            self._tasks.start("property-relations", relate, related)

    # Actions

    def require(self, *, wanted: bool = True) -> None:
        """Require the property with the cursor, or exclude it; where that is done, no longer."""
        if self._at is None or self._state is None:
            return
        from fluxtui.answers.explain.properties import turned

        ask = self._state.ask
        text = turned(ask.requires, self._at, wanted=wanted)
        if text is not None:
            self._on_edit(text)
        elif ask.stale:
            self.notify("Finish the constraint first: it has an error.", timeout=4)
        else:
            self.notify("The constraint would be too long.", severity="warning", timeout=4)

    def action_exclude(self) -> None:
        """Exclude the property under the cursor, or stop excluding it."""
        self.require(wanted=False)

    def select(self) -> None:
        """Add its nodes to the selection, or remove them if all are selected."""
        if self._at is not None and self._state is not None:
            mask, selected = self._resources.properties[self._at], self._state.selected
            self._on_select(less(selected, mask) if mask & selected == mask else selected | mask)

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._sort()
        self.say_keys()

    async def action_filter(self) -> None:
        """Ask for a text to filter the names by; without an answer, all are shown."""
        prompt = await Prompt.within(self, self._end_filtering, id="property-filter")
        self._kept_filter = ""
        prompt.ask("Name contains", self._filter, self._keep_filter, self._put_filter)
        self._show_details()

    def _put_filter(self, text: str) -> Problem | None:
        if text != self._filter:
            self._filter = text
            self._list()
        return None if self._rows else Problem("no property name contains this")

    def _keep_filter(self, text: str) -> None:
        self._kept_filter = text

    def _end_filtering(self) -> None:
        self._put_filter(self._kept_filter)
        self._show_rows()
        self.view.focus()

    def action_show_all(self) -> None:
        """Show all properties again."""
        self._put_filter("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys that have nothing to do, and letters while typing."""
        if action == "filter":
            return self.has_keys(self.view)
        return bool(self._filter) if action == "show_all" else True


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
        """On the sign: choose; elsewhere a second click does."""
        row, offset = self.row_under(event), event.get_content_offset(self)
        if row is not None and offset is not None and offset.x < MARK:
            event.prevent_default()
            self.action_move(row - self.row)
            self.action_choose()
