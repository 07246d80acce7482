"""The properties of the document: their nodes, the constraint's part in them, and each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.bits import less
from fluxtui.ui.constraint import property_words
from fluxtui.ui.constraint.property_details import PropertyDetails
from fluxtui.ui.constraint.property_list import Columns, PropertyList, row
from fluxtui.ui.constraint.property_rows import (
    ORDERS,
    Counts,
    Order,
    containing,
    named,
    ordered,
    related,
)
from fluxtui.ui.kit.lines import MadeLines, columns_for
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import State

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

    title: ClassVar[str] = "Properties"

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
        self._standings = property_words.standings_of(ask)
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
        self._widest = max((cell_len(named(name)) for name in self._rows), default=0)
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
        return row((sign, look), named(name), counts, columns, self.style)

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
        at = named(self._at) if self._at is not None else "a property"
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
        if Content(title) != self._border_title:
            self.border_title = Content(title)
        standing = self._standings.get(self._at) if self._at is not None else None
        asked = self._state is not None and self._state.ask.constraint is not None
        words = "all nodes, matching" if asked else ""
        if self._at is not None and self.app.focused is self.view:
            room = self.size.width - FRAME
            words = property_words.keys(standing, filtered=bool(self._filter), room=room)
        self.say_in_frame(words)
