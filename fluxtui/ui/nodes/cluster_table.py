"""The table with sorting, filtering and folding, done in the background."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from fluxtui.answers.listing.lister import OF_FOLDS, FoldedListing, Key, Lister, Wanted
from fluxtui.answers.listing.rows import Listing, Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Whole
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.node_table import HAS, LACKS, UNWANTED, NodeTable
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.table_columns import DOWN, MANY, ONE, UP, USUAL, Column, columns_of
from fluxtui.workbench import Ask, Cluster

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing
    from fluxtui.answers.listing.filtering import Filtered

LISTING = "listing"  # the background task
ROOMY = 5  # rows that leave one for the words
GAP = "   "  # between two parts of the line below the rows
EXAMPLE_LIMIT = 20  # characters of a name in the empty filter

_TOTALS: Mapping[str, str] = {"all-cores": "all cores", "all-gpus": "all gpus"}


class FilterBar(Whole, Horizontal):
    """The line with the filter, while there is one; leave says whether the filter is kept."""

    DEFAULT_CSS = """
    FilterBar { height: 1; display: none; }
    FilterBar Entry { width: 1fr; }
    FilterBar #filter-label { width: 8; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("filter.drop", "escape", "leave(False)", "", "Clear the filter", first=True),
        bind("filter.keep", "down", "leave(True)", "", "Go to the rows", first=True),
    ]

    def __init__(self, on_edit: Callable[[str], None], on_leave: Callable[[bool], None]) -> None:
        super().__init__()
        self._leave = on_leave
        self.entry = Entry(on_edit, lambda: on_leave(True), "", id="table-filter")
        self._label = OneLine(id="filter-label")
        self._found = OneLine(id="filter-words")
        self.parts = self._label, self.entry, self._found

    def ask(self) -> None:
        """Open the filter."""
        self._label.show(Text(" Filter ", style=palette_of(self).quiet))
        self.display = True
        self.screen.set_focus(self.entry)  # at once, as the next key may already be typed
        self.entry.select_all()

    def say(self, words: str, count: int) -> None:
        """Say what the filter leaves of so many nodes; what is typed has all the other room."""
        width = len(f" {count:,} of {count:,} nodes") if self.entry.value else 0
        self._found.styles.width = width
        self._found.show(Text(f" {words}", style=palette_of(self).quiet))

    def action_leave(self, keep: bool) -> None:
        """Go to the rows, and keep or clear the filter."""
        self._leave(keep)

    def close(self) -> None:
        """Clear the text."""
        self.entry.value = ""
        self.display = False


class ClusterTable(Whole, Vertical):
    """The table of the nodes, the filter below it while there is one, and a line of words.

    Slow listings are prepared in the background while the current one stays; the last request
    counts. on_columns is called with the chosen columns.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that keys typed right after go to the filter.
        bind(
            "table.filter",
            "slash",
            "filter",
            "Filter",
            "List only nodes whose host, rank or properties match a text",
            footer=True,
            first=True,
        ),
        bind(
            "table.sort",
            "o",
            "sort",
            "Sort",
            "Choose what to sort by; a click on a heading does too",
            footer=True,
        ),
        bind("table.turn", "O", "turn", "Reverse", "Reverse the order"),
        bind(
            "table.matching",
            "m",
            "only_matching",
            "Matching",
            "List only the nodes that match, or all of them",
            footer=True,
        ),
        bind(
            "table.fold",
            "f",
            "fold",
            "Fold",
            "One row for all identical nodes, or one for each",
            footer=True,
        ),
        bind("table.columns", "c", "columns", "Columns", "Choose the columns and their order"),
        bind("table.marks", "v", "words_or_marks", "Marks", "Show properties as marks or as words"),
    ]

    DEFAULT_CSS = """
    ClusterTable { height: 1fr; }
    ClusterTable > NodeTable { height: 1fr; }
    """

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self.table = NodeTable(handlers, id="node-table")
        self.table.on_sort = self.sort_by
        self.table.on_escape = self._drop_filter
        self.table.on_title = self._name_title
        self.table.on_sight = self._say
        self.filter = FilterBar(self._typed, self._leave_filter)
        self._words = OneLine(id="table-words")
        self.parts = self.table, self.filter, self._words
        self.on_columns: Callable[[tuple[str, ...]], None] = lambda names: None
        self.wanted = Wanted()
        self._chosen: tuple[str, ...] | None = None
        self._cluster: Cluster | None = None
        self._lister = Lister(Resources())
        self._good = 0
        self._ask: Ask | None = None
        self._standings: Mapping[str, Standing] = {}
        self._opened: tuple[int, ...] = ()
        self._text = ""  # of the filter, as what is listed had it
        self._title: str | None = None  # the property that the mouse is over
        self._tasks = LatestTasks(self)
        self._keeps_filter = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the slash to the input."""
        # Not has_focus, which changes a little after the focus has gone.
        return action != "filter" or self.screen.focused is self.table

    def on_unmount(self) -> None:
        """Cancel background work."""
        self._tasks.cancel_all()

    # Input

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, sorted as those of the one before were."""
        resources, before = cluster.resources, self._cluster
        keeps = self._keeps_filter and before is not None and cluster.source == before.source
        self._cluster, self._keeps_filter = cluster, False
        self._tasks.cancel(LISTING)
        self._lister, self._good = Lister(resources), resources.everything
        if self.wanted.key.name not in (*resources.properties, ""):
            self.wanted = replace(self.wanted, key=Key())
        if not keeps:
            if self.filter.entry.has_focus:
                self.screen.set_focus(self.table)
            self.filter.close()
            self.wanted = replace(self.wanted, text="")
        self.filter.entry.placeholder = filter_hint(resources)
        self.table.show_nodes(cluster)
        self._show(Order(range(resources.node_count)), Wanted())
        if not keeps:
            self._opened = ()
        self._list()

    def keep_filter(self) -> None:
        """Keep the filter for the next document, which is the current one reloaded."""
        self._keeps_filter = True

    def show_match(self, good: int, ask: Ask) -> None:
        """Say which nodes match, and what the constraint asks of properties."""
        changed, self._good = good != self._good, good
        before, self._ask = self._ask, ask
        is_asked = ask.constraint is not None
        if ask is not before:
            self._standings = _standings(ask)
        self.table.show_match(good, ask.counted if is_asked else None, self._standings)
        if before is not None and (before.constraint is not None) != is_asked:
            self._show_columns()
        if changed and (self.wanted.only or self.wanted.key.by == "match"):
            self._list()
        self._say()

    # Listing

    def want(self, wanted: Wanted) -> None:
        """List the nodes as wanted."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.table.keep_on_top(None)
            self._list()

    def _list(self) -> None:
        """List what is wanted: at once where that is quick, else when it is found."""
        self._tasks.cancel(LISTING)
        lister, wanted, good = self._lister, self.wanted, self._good
        listing = lister.at_once(wanted, good)
        if listing is not None:
            self._show(listing, wanted)
            return
        self._tasks.start(
            LISTING,
            lambda stop: lister.find(wanted, good, stop),
            lambda found: self._show(found, wanted),
        )
        self._say()

    @property
    def is_finding(self) -> bool:
        """Whether a listing is being prepared."""
        return self._tasks.is_running(LISTING)

    def _show(self, listing: Listing, wanted: Wanted) -> None:
        """Show a listing that was found; another filter shows what it leaves from the top."""
        if isinstance(self.table.listing, FoldedListing):
            self._opened = self.table.listing.opened
        if isinstance(listing, FoldedListing):
            listing.open_again(self._opened)
        self.table.show_listing(listing, wanted.key, self._columns(listing))
        if wanted.text != self._text:
            self._text = wanted.text
            self.table.show_from_top()
        self._say()

    # Columns

    @property
    def names(self) -> tuple[str, ...]:
        """The columns: those that were chosen, else the usual ones for this document."""
        if self._chosen is not None:
            return self._chosen
        cluster = self._cluster
        is_many = cluster is not None and len(cluster.resources.properties) > MANY
        return _other(USUAL) if is_many else USUAL

    def put_columns(self, names: tuple[str, ...] | None) -> None:
        """Show these columns, in this order; None for the usual ones."""
        self._chosen = names
        self._show_columns()

    def _show_columns(self) -> None:
        if self._cluster is not None:
            listing = self.table.listing
            self.table.show_listing(listing, self.table.key, self._columns(listing))
            self._say()

    def _columns(self, listing: Listing) -> tuple[Column, ...]:
        assert self._cluster is not None
        config = self._cluster.config
        queues = [queue.name for queue in config.queues] if config is not None else []
        many = ""
        if isinstance(listing, FoldedListing):
            asked = self._ask is not None and self._ask.constraint is not None
            many = f"{listing.largest:,} of " * asked + f"{listing.largest:,}"
        return columns_of(self.names, self._cluster.resources, queues, folded=many)

    def action_columns(self) -> None:
        """Choose the columns."""
        from fluxtui.ui.nodes.table_choices import columns_picker

        if self._cluster is not None:
            names = tuple(self._cluster.resources.properties)
            self.app.push_screen(columns_picker(self.names, names, self._take_columns))

    def _take_columns(self, names: tuple[str, ...]) -> None:
        self.put_columns(names)
        self.on_columns(names)

    def action_words_or_marks(self) -> None:
        """Switch the properties between marks and words."""
        names = _other(self.names)
        self._take_columns(names if names != self.names else (*names, "marks"))

    # Sorting and folding

    def sort_by(self, key: Key) -> None:
        """Sort by a key; by the same key again, reverse."""
        now = self.wanted.key
        self.want(replace(self.wanted, key=now.turned() if now.is_alike(key) else key))

    def action_turn(self) -> None:
        """Reverse the order."""
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
        """List only matching nodes, or all."""
        self.want(replace(self.wanted, only=not self.wanted.only))

    def action_fold(self) -> None:
        """Fold identical nodes into one row, or unfold them."""
        key = self.wanted.key if self.wanted.key.by not in OF_FOLDS else Key()
        self.want(replace(self.wanted, folded=not self.wanted.folded, key=key))

    # The filter

    def action_filter(self) -> None:
        """Open the filter."""
        self.filter.ask()

    def _typed(self, text: str) -> None:
        self.want(replace(self.wanted, text=text))

    def _leave_filter(self, keep: bool) -> None:
        self.screen.set_focus(self.table)  # at once, as the next key may already be typed
        if keep and self.wanted.text.strip():
            self.table.go_to_listed()
        else:
            self.filter.close()
            self._say()

    def _drop_filter(self) -> bool:
        """Clear the filter; return whether there was one."""
        had_filter = self.filter.display
        if had_filter:
            self._leave_filter(keep=False)
        return had_filter

    # The line below the rows

    def on_resize(self) -> None:
        """Fit the words to the new width."""
        self._words.display = self.size.height >= ROOMY
        self._say()

    def _name_title(self, name: str | None) -> None:
        self._title = name
        self._say()

    def _say(self) -> None:
        """Say what is listed, and what the marks mean; the last parts where there is room."""
        count = self._cluster.resources.node_count if self._cluster is not None else 0
        found, style = self._lister.filtered(self.wanted.text), palette_of(self)
        is_read = found is not None and found.problem is None
        words = listed_words(self.table.listing, count) if is_read else ""
        self.filter.say(words, count)
        self.table.nothing = nothing_words(self.wanted)
        parts = foot_words(self.table.listing, count, self.wanted, found)
        if self.is_finding:
            parts.insert(0, ("listing …", "match"))
        if self._title is not None:  # it may be cut where it is
            parts.insert(0, (property_name(self._title), "plain"))
        parts += marks_words(self.names, self._standings)
        hidden = self.table.columns_out_of_sight
        if hidden:
            parts.append((f"← → {counted(hidden, 'more column')}", "faint"))
        line, room = Text(" "), self.size.width or 80
        for words, role in parts:
            gap = GAP if len(line) > 1 else ""
            if line.cell_len + cell_len(gap + words) > room and len(line) > 1:
                break
            line.append(gap + words, style.role(role))
        self._words.show(line)


def _other(names: tuple[str, ...]) -> tuple[str, ...]:
    """The same columns, with the properties as words where they were marks, or as marks."""
    other = {"marks": "properties", "properties": "marks"}
    return tuple(dict.fromkeys(other.get(name, name) for name in names))


def _standings(ask: Ask) -> "Mapping[str, Standing]":
    if ask.constraint is None:
        return {}
    from fluxtui.answers.explain.properties import standings

    return standings(ask.constraint)


# Words


def filter_hint(resources: Resources) -> str:
    """What can be typed into the filter, with names of the open document."""
    names = [resources.host(0), *(f"-{name}" for name in [*resources.properties][:1])]
    examples = [name for name in map(printable, names) if 0 < len(name) <= EXAMPLE_LIMIT]
    return f"host, rank or property: {', '.join(('0-3', *examples))}"


def listed_words(listing: Listing, count: int) -> str:
    """How many nodes are listed, of how many."""
    if listing.node_count == count:
        return f"all {counted(count, 'node')}"
    return f"{listing.node_count:,} of {counted(count, 'node')}"


def nothing_words(wanted: Wanted) -> str:
    """What to show in place of rows when no node is listed."""
    if wanted.text.strip():
        return "No node matches the filter: esc clears it."
    return "No node matches: m lists all nodes." if wanted.only else ""


def foot_words(
    listing: Listing, count: int, wanted: Wanted, found: "Filtered | None"
) -> list[tuple[str, str]]:
    """What is listed, in parts, each with the role of its colour.

    found is what the filter was taken for, None while that is not known.
    """
    parts: list[tuple[str, str]] = []
    if found is not None and found.problem is not None:
        parts.append((printable(found.problem.message), "problem"))
    elif found is not None and found.words:
        parts.append((printable(found.words), "plain"))
    if isinstance(listing, FoldedListing):
        kinds = counted(listing.class_count, "kind")
        order = _TOTALS.get(wanted.key.by, "")  # its column may be out of sight
        by = f", by {order} {DOWN if wanted.key.down else UP}" if order else ""
        parts.append((f"{counted(listing.node_count, 'node')} of {kinds}{by}", "quiet"))
    elif not wanted.text.strip():  # else the filter shows it
        only = " · matching nodes only" if wanted.only else ""
        parts.append((f"{listed_words(listing, count)}{only}", "quiet"))
    return parts


def marks_words(names: Sequence[str], standings: "Mapping[str, Standing]") -> list[tuple[str, str]]:
    """What the marks mean, where there are columns of them."""
    if "marks" not in names and not any(name.startswith(ONE) for name in names):
        return []
    is_excluded = bool({"excluded", "both"} & set(standings.values()))
    return [(f"{HAS} has it  {LACKS} not" + f"  {UNWANTED} excluded" * is_excluded, "quiet")]
