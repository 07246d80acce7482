"""A cluster in a node table: sorted, filtered and folded as a person asks, in the background."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from fluxtui.answers.listing.lister import OF_FOLDS, FoldedListing, Key, Lister, Wanted
from fluxtui.answers.listing.rows import Listing, Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.kit.whole import Whole
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.node_table import NodeTable
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.table_cells import Cells
from fluxtui.ui.nodes.table_columns import USUAL, Column, columns_of
from fluxtui.ui.nodes.table_foot import TableFoot
from fluxtui.ui.nodes.table_words import Says, filter_words, foot_words
from fluxtui.workbench import Ask, Cluster

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

LISTING = "listing"  # what is found


class ClusterTable(Whole, Vertical):
    """The table of the nodes with its foot, and what is listed in it.

    Where it takes more than a few operations on masks it is found in the background; what is shown
    stays until then, and of several wishes the last one counts.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", show=False),
        Binding("S", "turn", "Turn the order", show=False),
        # With priority, so that what is typed right after is already for the filter.
        Binding("slash", "filter", "Filter", show=False, priority=True),
        Binding("m", "only_matching", "Matching rows", show=False),
        Binding("f", "fold", "Fold", show=False),
        Binding("c", "columns", "Columns", show=False),
        Binding("v", "words_or_marks", "Words or marks", show=False),
    ]

    DEFAULT_CSS = "ClusterTable { height: 1fr; } ClusterTable > NodeTable { height: 1fr; }"

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self.table = NodeTable(handlers, id="node-table")
        self.table.on_sort = self.sort_by
        self.table.on_escape = self._drop_filter
        self.table.on_title = self._name_title
        self.foot = TableFoot(self._typed, self._leave_filter, id="table-foot")
        self.parts = self.table, self.foot
        self.on_columns: Callable[[tuple[str, ...]], None] = lambda names: None
        self.names: tuple[str, ...] = USUAL
        self.wanted = Wanted()
        self._cluster: Cluster | None = None
        self._cells: Cells | None = None
        self._lister = Lister(Resources())
        self._good = 0
        self._ask: Ask | None = None
        self._standings: Mapping[str, Standing] = {}
        self._opened: tuple[int, ...] = ()
        self._title = ""  # of the property that the mouse is over
        self._tasks = LatestTasks(self)
        self._is_due = False
        self._keeps_filter = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash is a letter where one types."""
        # Not has_focus, which is told a little after the focus has gone.
        return action != "filter" or self.screen.focused is self.table

    def on_unmount(self) -> None:
        """What is being found is not wanted any more."""
        self._tasks.cancel_all()

    # What there is to show

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, sorted as those of the one before were."""
        resources = cluster.resources
        self._tasks.cancel(LISTING)
        self._cluster, self._cells = cluster, Cells(cluster)
        self._lister, self._good = Lister(resources), resources.everything
        if self.wanted.key.name not in (*resources.properties, ""):
            self.wanted = replace(self.wanted, key=Key())
        if not self._keeps_filter:
            self.foot.close()
            self.wanted = replace(self.wanted, text="")
        self.table.show_nodes(self._cells)
        self._show(Order(range(resources.node_count)), Wanted())
        if not self._keeps_filter:
            self._opened = ()
        self._list()

    @contextmanager
    def keeping_filter(self) -> Iterator[None]:
        """A document that is shown meanwhile is the same one, read again: its filter goes on."""
        self._keeps_filter = True
        try:
            yield
        finally:
            self._keeps_filter = False

    def show_match(self, good: int, ask: Ask) -> None:
        """Say which nodes match, and what the constraint asks of properties."""
        changed, self._good = good != self._good, good
        if self._cells is not None:
            self._cells.show_match(good, ask.counted if ask.constraint is not None else None)
        if ask is not self._ask:
            before, self._ask = self._ask, ask
            self._standings = _standings(ask)
            if before is not None and (before.constraint is None) != (ask.constraint is None):
                self.put_columns(self.names)
        self.table.show_standings(self._standings)
        if changed and (self.wanted.only or self.wanted.key.by == "match"):
            self._list()
        self._say()

    def come_into_sight(self) -> None:
        """List what became due while nobody saw it."""
        if self._is_due:
            self._list()
        self._say()

    # Listing

    def want(self, wanted: Wanted) -> None:
        """List this."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.table.keep_on_top(None)
            self._list()

    def _list(self) -> None:
        """List what is wanted: at once where that is quick, else when it is found."""
        self._tasks.cancel(LISTING)
        self._is_due = not self.display
        if self._is_due:
            return
        lister, wanted, good = self._lister, self.wanted, self._good
        listing = lister.at_once(wanted, good)
        if listing is not None:
            self._show(listing, wanted)
        elif self.is_attached:
            self._tasks.start(
                LISTING,
                lambda stop: lister.find(wanted, good, stop),
                lambda found: self._show(found, wanted),
            )
            self._say()
        else:
            self._is_due = True

    def _show(self, listing: Listing, wanted: Wanted) -> None:
        """Show a listing that was found."""
        if isinstance(self.table.listing, FoldedListing):
            self._opened = self.table.listing.opened
        if isinstance(listing, FoldedListing):
            listing.open_again(self._opened)
        self.table.show_listing(listing, wanted.key, self._columns(listing))
        self._say()

    def _columns(self, listing: Listing) -> tuple[Column, ...]:
        assert self._cluster is not None
        config = self._cluster.config
        queues = [queue.name for queue in config.queues] if config is not None else []
        resources = self._cluster.resources
        many = ""
        if isinstance(listing, FoldedListing):
            asked = self._ask is not None and self._ask.constraint is not None
            many = f"{listing.largest:,} of " * asked + f"{listing.largest:,}"
        return columns_of(self.names, resources, queues, folded=many)

    def put_columns(self, names: tuple[str, ...]) -> None:
        """Show these columns, in this order."""
        self.names = names
        if self._cluster is not None:
            listing = self.table.listing
            self.table.show_listing(listing, self.table.key, self._columns(listing))
            self._say()

    # What a person asks for

    def sort_by(self, key: Key) -> None:
        """Sort by this; by the same again, the other way round."""
        now = self.wanted.key
        key = now.turned() if now.is_alike(key) else key
        self.want(replace(self.wanted, key=key))

    def action_turn(self) -> None:
        """Sort the other way round."""
        self.want(replace(self.wanted, key=self.wanted.key.turned()))

    def action_sort(self) -> None:
        """Ask what to sort by."""
        from fluxtui.ui.nodes.table_choices import sort_picker

        if self._cluster is not None:
            names = tuple(self._cluster.resources.properties)
            picker = sort_picker(self.wanted.key, names, folded=self.wanted.folded)
            self.app.push_screen(picker, self._take_key)

    def _take_key(self, key: Key | None) -> None:
        if key is not None:
            self.sort_by(key)

    def action_only_matching(self) -> None:
        """List those nodes alone that match, or all again."""
        self.want(replace(self.wanted, only=not self.wanted.only))

    def action_fold(self) -> None:
        """Have one row for all nodes that are alike, or one for each again."""
        key = self.wanted.key if self.wanted.key.by not in OF_FOLDS else Key()
        self.want(replace(self.wanted, folded=not self.wanted.folded, key=key))

    def action_columns(self) -> None:
        """Ask which columns to show."""
        from fluxtui.ui.nodes.table_choices import columns_picker

        if self._cluster is not None:
            names = tuple(self._cluster.resources.properties)
            self.app.push_screen(columns_picker(self.names, names, self._take_columns))

    def _take_columns(self, names: tuple[str, ...]) -> None:
        self.put_columns(names)
        self.on_columns(names)

    def action_words_or_marks(self) -> None:
        """Show the properties as marks where they are words, or as words."""
        other = {"marks": "properties", "properties": "marks"}
        names = tuple(dict.fromkeys(other.get(name, name) for name in self.names))
        self._take_columns(names if names != self.names else (*names, "marks"))

    # The filter

    def action_filter(self) -> None:
        """Type what to list."""
        self.foot.open()

    def _typed(self, text: str) -> None:
        self.want(replace(self.wanted, text=text))

    def _leave_filter(self, keep: bool) -> None:
        """Go to the rows, and keep the filter or drop it."""
        self.table.focus()
        if not (keep and self.wanted.text.strip()):
            self.foot.close()
            self._say()

    def _drop_filter(self) -> bool:
        """List all nodes again; whether there was a filter."""
        was_open = self.foot.is_open
        if was_open:
            self._leave_filter(keep=False)
        return was_open

    # What is said in the foot

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self._say()

    def on_descendant_blur(self) -> None:
        """Name no key that does nothing."""
        self._say()

    def _name_title(self, name: str) -> None:
        self._title = name
        self._say()

    def _say(self) -> None:
        """Say in the foot what is listed, and what the marks mean."""
        count = self._cluster.resources.node_count if self._cluster is not None else 0
        found = self._lister.filtered(self.wanted.text)
        self.foot.show_found(filter_words(found, self.table.listing, count), count)
        only, title, key = self.wanted.only, self._title, self.wanted.key
        keys = self.is_attached and self.screen.focused is self.table
        says = Says(only, self.is_finding, self.names, self._standings, found, title, key, keys)
        self.foot.say(foot_words(self.table.listing, count, says))

    @property
    def is_finding(self) -> bool:
        """A listing is being found."""
        return self._tasks.is_running(LISTING)


def _standings(ask: Ask) -> "Mapping[str, Standing]":
    """What the constraint asks of each property that it names."""
    if ask.constraint is None:
        return {}
    from fluxtui.answers.explain.properties import standings

    return standings(ask.constraint)
