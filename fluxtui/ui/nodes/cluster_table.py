"""The table with sorting, filtering and folding in the background."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType

from fluxtui.answers.explain.properties import Standing, standings
from fluxtui.answers.listing.filtering import Filtered
from fluxtui.answers.listing.lister import OF_FOLDS as BY_FOLDS
from fluxtui.answers.listing.lister import FoldedListing, Key, Lister, Wanted
from fluxtui.answers.listing.rows import Listing, Order
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.nodes.cluster import Part
from fluxtui.ui.nodes.highlights import Highlights
from fluxtui.ui.nodes.node_table import HAS, LACKS, UNWANTED, NodeTable
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.table_columns import (
    DOWN,
    MANY,
    OF_FOLDS,
    ONE,
    UP,
    USUAL,
    USUAL_LIVE,
    Column,
    columns_of,
    kinds_of,
)
from fluxtui.workbench import Ask, Cluster, State

LISTING = "listing"  # the background task
ROOMY = 5  # from this height on, the line below the rows is shown
GAP = "   "  # between two parts of that line
HINT = "ranks 0-3, hosts n[0-3], part of a name, a property, {}; -word: not"
HINT_LIVE = "ranks 0-3, hosts n[0-3], a property, {}, free, down; -word: not, a|b: either"


class ClusterTable(Part):
    """The table of the nodes, with a line about the listing or the filter prompt below it.

    Slow listings are prepared in the background while the current one stays; the last request
    wins.
    """

    view: NodeTable
    prompt_id = "table-filter"

    BINDINGS: ClassVar[list[BindingType]] = [
        # Keys that ask something come first, so that what is typed right after goes there.
        bind("table.filter", "slash", "find", "Filter",
             "List only nodes by host, rank, property, state or what is inside (numa:8)",
             footer=True, first=True),
        bind("table.sort", "o", "sort", "Sort",
             "Choose what to sort by; a click on a heading does too", footer=True, first=True),
        bind("table.turn", "O", "turn", "Reverse", "Reverse the order"),
        bind("table.matching", "m", "only_matching", "Matching",
             "List only the nodes that match, or all of them", footer=True),
        bind("table.fold", "f", "fold", "Fold",
             "One row for all identical nodes, or one for each", footer=True),
        bind("table.columns", "c", "columns", "Columns", "Choose the columns and their order",
             first=True),
        bind("table.marks", "v", "words_or_marks", "Marks", "Show properties as marks or as words"),
        bind("filter.keep", "down", "go_to_rows", "", "Go to the rows", first=True),
    ]  # fmt: skip

    def __init__(self, handlers: Handlers, say_keys: Callable[[], None]) -> None:
        self.view = NodeTable(handlers, id="node-table")
        super().__init__(self.view, say_keys, id="table")
        self.view.on_sort = self.sort_by
        self.view.on_escape = self._close_filter
        self._words = OneLine(id="table-words")
        self.parts = self.view, self._words
        self._on_columns = handlers.columns
        self.wanted = Wanted()
        self._chosen: tuple[str, ...] | None = None  # the columns; None for the usual ones
        self._lister = Lister(Resources())
        self._good = 0
        self._ask: Ask | None = None
        self._listed = Wanted()  # what the current rows were listed for
        self._is_kept = False  # whether the filter stays when its prompt closes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys in the rows, and in the filter the one that goes to the rows."""
        if action == "go_to_rows":
            focused = self.screen.focused
            return any(focused is prompt.entry for prompt in self.query(Prompt))
        return super().check_action(action, parameters)

    # Input

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, sorted like the ones before.

        The filter stays if it is the same document read again.
        """
        resources, is_other = cluster.resources, cluster.source != self.cluster.source
        if is_other:
            self._close_filter()
        super().show_cluster(cluster)
        self._lister, self._good = Lister(resources, self.states), resources.everything
        is_known = self.wanted.key.by != "state" or self.states
        if not is_known or self.wanted.key.name not in (*resources.properties, ""):
            self.wanted = replace(self.wanted, key=Key())
        self.view.show_nodes(cluster)
        self._show(Order(range(resources.node_count)), Wanted())
        self.view.opened = () if is_other else self.view.opened
        self._list()

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux at a later moment, listed by their new states."""
        super().refresh_cluster(cluster)
        self._lister = self._lister.at(self.states)
        self.view.cells.show_cluster(cluster)
        self.view.refresh()
        wanted, top = self.wanted, self.view.scroll_offset.y
        if top:  # the user has scrolled: stay there rather than go back to the cursor
            self.view.keep_on_top(self.view.first_of(top))
        if wanted.text.strip() or wanted.folded or wanted.key.by == "state":
            self._list()
        else:
            self._show_again()

    def show_lights(self, highlights: Highlights, state: State) -> None:
        """Show which nodes match, by which parts, and what the constraint asks of properties."""
        ask, changed, before = state.ask, highlights.good != self._good, self._ask
        self._good, self._ask = highlights.good, ask
        has_constraint = ask.constraint is not None
        if ask is not before:
            self.view.standings = standings(ask.constraint)
        self.view.cells.show_match(highlights.good, ask.counted if has_constraint else None)
        super().show_lights(highlights, state)
        if before is not None and (before.constraint is not None) != has_constraint:
            self._show_again()
        if changed and (self.wanted.only or self.wanted.key.by == "match"):
            self._list()
        self._say()

    # Listing

    def want(self, wanted: Wanted) -> None:
        """List the nodes as wanted."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.view.keep_on_top(None)
            self._list()

    def _list(self) -> None:
        """List what is wanted, at once if that is quick, else in the background."""
        self.tasks.cancel(LISTING)
        lister, wanted, good = self._lister, self.wanted, self._good
        listing = lister.at_once(wanted, good)
        if listing is not None:
            self._show(listing, wanted)
            return
        self.tasks.start(
            LISTING,
            lambda stop: lister.find(wanted, good, stop),
            lambda found: self._show(found, wanted),
        )
        self._say()

    def _show(self, listing: Listing, wanted: Wanted) -> None:
        """Show a listing; after a change of the filter, from the top."""
        is_other, self._listed = wanted.text != self._listed.text, wanted
        self.view.show_listing(listing, wanted.key, self._columns(listing), from_top=is_other)
        self._say()

    def _show_again(self) -> None:
        """Show the same rows, possibly with other columns."""
        self._show(self.view.listing, self._listed)

    # Columns

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns: the chosen ones, else the usual ones for this document."""
        if self._chosen is not None:
            return self._chosen
        usual = USUAL_LIVE if self.states else USUAL
        return _other(usual) if len(self.cluster.resources.properties) > MANY else usual

    def put_columns(self, names: tuple[str, ...] | None) -> None:
        """Show these columns, in this order; None for the usual ones."""
        self._chosen = names
        self._show_again()

    def _columns(self, listing: Listing) -> tuple[Column, ...]:
        width = 0
        if isinstance(listing, FoldedListing):
            has_constraint = self._ask is not None and self._ask.constraint is not None
            largest = f"{listing.largest:,}"
            width = len(f"{largest} of {largest}" if has_constraint else largest)
        return columns_of(self.names, self.cluster, folded=width)

    def action_columns(self) -> None:
        """Ask which columns to show."""
        usual = USUAL_LIVE if self.states else USUAL
        self.app.push_screen(columns_picker(self.names, usual, self.cluster, self._take_columns))

    def _take_columns(self, names: tuple[str, ...]) -> None:
        self.put_columns(names)
        self._on_columns(names)

    def action_words_or_marks(self) -> None:
        """Switch the properties between marks and words."""
        names = _other(self.names)
        self._take_columns(names if names != self.names else (*names, "marks"))

    # Sorting and folding

    def sort_by(self, key: Key) -> None:
        """Sort by a key; if already sorted by it, reverse the order."""
        now = self.wanted.key
        self.want(replace(self.wanted, key=now.reversed() if now.is_alike(key) else key))

    def action_turn(self) -> None:
        """Reverse the order."""
        self.want(replace(self.wanted, key=self.wanted.key.reversed()))

    def action_sort(self) -> None:
        """Ask what to sort by."""

        def take(key: Key | None) -> None:
            if key is not None:
                self.sort_by(key)

        self.app.push_screen(sort_picker(self.wanted, self.cluster), take)

    def action_only_matching(self) -> None:
        """List only matching nodes, or all."""
        self.want(replace(self.wanted, only=not self.wanted.only))

    def action_fold(self) -> None:
        """Fold identical nodes into one row, or unfold them."""
        key = self.wanted.key if self.wanted.key.by not in BY_FOLDS else Key()
        self.want(replace(self.wanted, folded=not self.wanted.folded, key=key))

    # The filter

    async def action_find(self) -> None:
        """Ask for a filter; it applies as it is typed."""
        prompt, self._is_kept = await self.prompt(), False
        prompt.ask("Filter", self.wanted.text, self._keep, self._filter, note=self._note)
        prompt.entry.select_all()
        self._say()

    def filter_by(self, text: str) -> None:
        """List only the nodes that a text matches."""
        self.want(replace(self.wanted, text=text))

    def _filter(self, text: str) -> Problem | None:
        self.filter_by(text)
        found = self._lister.filtered(text)
        return found.problem if found is not None else None

    def _note(self, text: str) -> str:
        if text.strip():
            return GAP.join(words for words, _ in self._foot())
        from fluxtui.answers.listing import amounts

        example = printable(amounts.example(self.cluster.resources))
        return (HINT_LIVE if self.states else HINT).format(example)

    def _keep(self, text: str) -> None:
        self._is_kept = True

    def action_go_to_rows(self) -> None:
        """Keep the filter and go to the rows."""
        self._close_filter(keep=True)

    def _close_filter(self, *, keep: bool = False) -> bool:
        """Close the prompt, and keep or clear the filter; return whether there was either."""
        self._is_kept = keep
        had_text = bool(self.wanted.text)
        had_filter = self.close_prompt() or had_text
        if not keep:
            self.filter_by("")
        self._say()
        return had_filter

    def leave_prompt(self) -> None:
        """Go back to the rows."""
        super().leave_prompt()
        self._close_filter(keep=self._is_kept)
        if self._is_kept and self.view.at is None:
            self.view.go_to(0)  # the node with the cursor is not listed

    # The line below the rows

    def on_resize(self) -> None:
        """Fit the words to the new width."""
        self._say()

    def _foot(self) -> list[tuple[str, str]]:
        count, found = self.cluster.resources.node_count, self._lister.filtered(self.wanted.text)
        parts = [("listing …", "match")] if LISTING in self.tasks.running else []
        return [*parts, *foot_words(self.view.listing, count, self.wanted, found)]

    def _say(self) -> None:
        """Say what is listed and what the marks mean, as far as there is room."""
        style = palette_of(self)
        self.look_again()
        is_asking = Prompt.open_in(self) is not None
        self._words.display = self.size.height >= ROOMY and not is_asking
        self.view.nothing = nothing_words(self.wanted)
        parts = self._foot()
        if self.wanted.text.strip():
            parts.append(("esc clears the filter", "faint"))
        if self.cluster.resources.properties:
            parts += marks_words(self.names, self.view.standings)
        if self.view.columns.width > self.view.columns.room:
            parts.append(("← → more columns", "faint"))
        line = Text(" ")
        for words, role in parts:
            part = Text(GAP if len(line) > 1 else "").append(words, style.role(role))
            if line.cell_len + part.cell_len > (self.size.width or 80) and len(line) > 1:
                break
            line.append_text(part)
        self._words.show(line)


def _other(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns with the properties as words instead of marks, or the other way round."""
    other = {"marks": "properties", "properties": "marks"}
    return tuple(dict.fromkeys(other.get(name, name) for name in names))


# Words


def nothing_words(wanted: Wanted) -> str:
    """Return what to show in place of rows when no node is listed."""
    if wanted.text.strip():
        return "No node matches the filter: esc clears it."
    return "No node matches: m lists all nodes." if wanted.only else ""


def foot_words(
    listing: Listing, count: int, wanted: Wanted, found: Filtered | None
) -> list[tuple[str, str]]:
    """Return what is listed, of `count` nodes, in parts, each with the role of its colour.

    found is what the filter was understood as; None while that is not known.
    """
    parts: list[tuple[str, str]] = []
    if found is not None and found.problem is not None:
        parts.append((printable(found.problem.message), "problem"))
    elif found is not None and found.words:
        parts.append((printable(found.words), "plain"))
    nodes = counted(count, "node")
    if isinstance(listing, FoldedListing):
        order = OF_FOLDS.get(wanted.key.by)  # named here because its column may not be visible
        by = f", by {order.title} {DOWN if wanted.key.down else UP}" if order else ""
        some, kinds = counted(listing.node_count, "node"), counted(listing.class_count, "kind")
        parts.append((f"{some} of {kinds}{by}", "quiet"))
    else:
        words = f"all {nodes}" if listing.count == count else f"{listing.count:,} of {nodes}"
        only = " · matching nodes only" if wanted.only else ""
        parts.append((words + only, "quiet"))
    return parts


def marks_words(names: Sequence[str], standings: Mapping[str, Standing]) -> list[tuple[str, str]]:
    """Return what the marks mean; nothing if no column shows marks."""
    if "marks" not in names and not any(name.startswith(ONE) for name in names):
        return []
    is_excluded = bool({"excluded", "both"} & set(standings.values()))
    return [(f"{HAS} has it  {LACKS} not" + f"  {UNWANTED} excluded" * is_excluded, "quiet")]


# Choosing what to sort by, and which columns to show


def sort_picker(wanted: Wanted, cluster: Cluster) -> Picker[Key]:
    """Return a picker for a column or property to sort by; the current one has its direction."""
    now = wanted.key
    kinds = [*(OF_FOLDS.values() if wanted.folded else ()), *kinds_of(cluster).values()]
    orders = [
        (Key.of(kind.by), "properties" if kind.by == "count" else kind.title, kind.first)
        for kind in kinds
        if kind.by is not None and kind.first
    ]
    words = "nodes that have it first"
    orders += [(Key.of("property", name), name, words) for name in cluster.resources.properties]
    sign = DOWN if now.down else UP
    items = [
        Item(key, title, detail, lead=sign if now.is_alike(key) else "")
        for key, title, detail in orders
    ]
    at = next((at for at, item in enumerate(items) if item.lead), 0)
    return Picker("Sort by", items, enter="sorts; again to reverse", at=at)


def columns_picker(
    shown: Sequence[str],
    usual: tuple[str, ...],
    cluster: Cluster,
    take: Callable[[tuple[str, ...]], object],
) -> Picker[str]:
    """Return a picker for the columns to show and their order; it can reset them to the usual.

    take is called with the columns, at least one.
    """
    known = {name: (kind.title, kind.holds) for name, kind in kinds_of(cluster).items()}
    words = "a column for this property"
    known |= {f"{ONE}{name}": (name, words) for name in cluster.resources.properties}
    wanted = [name for name in shown if name in known]

    def items() -> list[Item[str]]:
        rows = (name for name in order if name in known)  # a document may not have all usual ones
        return [Item(name, *known[name], lead="✓" if name in wanted else " ") for name in rows]

    def toggle(name: str | None) -> None:
        if name in wanted:
            wanted.remove(name)
        elif name is not None:
            wanted.append(name)
        picker.show_items(items())
        picker.move(1)

    def arrange(name: str | None = None, by: int = 0) -> None:
        """Move a column among the shown ones, and list the shown ones first again."""
        if name in wanted:
            at = wanted.index(name)
            wanted.insert(min(max(at + by, 0), len(wanted) - 1), wanted.pop(at))
        order[:] = [*wanted, *(other for other in known if other not in wanted)]
        picker.filter.value = ""
        picker.show_items(items(), at=order.index(name) if name in order else 0)

    def reset(name: str | None) -> None:
        wanted[:] = usual
        arrange()

    def apply(name: str | None) -> None:
        picker.dismiss(None)
        take(tuple(wanted) or usual)

    order = [*wanted, *(name for name in known if name not in wanted)]
    keys: list[RowKey[str]] = [
        RowKey("enter", "applies", apply),
        RowKey("space", "on or off", toggle),
        RowKey("K,ctrl+up,shift+up", "up", lambda name: arrange(name, -1)),
        RowKey("J,ctrl+down,shift+down", "down", lambda name: arrange(name, 1)),
        RowKey("ctrl+r", "resets", reset),
    ]
    picker: Picker[str] = Picker("Columns", items(), enter="", keys=keys, on_click=toggle)
    return picker
