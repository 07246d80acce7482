"""Choosing what to sort the table by, and which columns to show."""

from collections.abc import Callable, Sequence

from fluxtui.answers.listing.lister import Key
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.nodes.table_columns import DOWN, ONE, TITLES, UP, USUAL

_ORDERS: Sequence[tuple[Key, str, str]] = (
    (Key.of("rank"), "rank", "as in the document"),
    (Key.of("host"), "host", "natural order: n2 before n10"),
    (Key.of("cores"), "cores", "most first"),
    (Key.of("gpus"), "gpus", "most first"),
    (Key.of("count"), "properties", "most first"),
    (Key.of("match"), "match", "matching nodes first"),
)
_OF_FOLDS: Sequence[tuple[Key, str, str]] = (
    (Key.of("size"), "nodes", "rows with the most nodes first"),
    (Key.of("all-cores"), "all cores", "rows with the most cores first"),
    (Key.of("all-gpus"), "all gpus", "rows with the most gpus first"),
)


def sort_picker(now: Key, names: Sequence[str], *, folded: bool) -> Picker[Key]:
    """Choose what to sort by: a column or a property.

    That in force has the sign of its direction.
    """
    orders = [*(_OF_FOLDS if folded else ()), *_ORDERS]
    orders += [(Key.of("property", name), name, "nodes that have it first") for name in names]
    signs = {True: DOWN if now.down else UP, False: ""}
    items = [
        Item(key, title, detail, lead=signs[now.is_alike(key)]) for key, title, detail in orders
    ]
    at = next((at for at, item in enumerate(items) if item.lead), 0)
    return Picker("Sort by", items, enter="sorts; again to reverse", at=at)


def columns_picker(
    shown: Sequence[str], names: Sequence[str], take: Callable[[tuple[str, ...]], object]
) -> Picker[str]:
    """Choose which columns to show, and in what order.

    names are the properties; take is called with the columns, of which there is at least one.
    """
    known = dict(TITLES)
    known |= {f"{ONE}{name}": (name, "a column for this property") for name in names}
    wanted = [name for name in shown if name in known]
    order = [*wanted, *(name for name in known if name not in wanted)]

    def items() -> list[Item[str]]:
        return [Item(name, *known[name], lead="✓" if name in wanted else " ") for name in order]

    def toggle(name: str | None) -> None:
        if name in wanted:
            wanted.remove(name)
        elif name is not None:
            wanted.append(name)
        picker.show_items(items())
        picker.move(1)

    def arrange(name: str | None, by: int = 0) -> None:
        """Move a column among those that are shown; all of these come first again."""
        if name in wanted and by:
            at = wanted.index(name)
            wanted.insert(min(max(at + by, 0), len(wanted) - 1), wanted.pop(at))
        order[:] = [*wanted, *(name for name in known if name not in wanted)]
        picker.filter.value = ""
        picker.show_items(items(), at=order.index(name) if name in order else 0)

    def reset(name: str | None) -> None:
        wanted[:] = USUAL
        arrange(None)

    def apply(name: str | None) -> None:
        picker.dismiss(None)
        take(tuple(wanted) or USUAL)

    picker: Picker[str] = Picker(
        "Columns",
        items(),
        enter="",
        keys=[
            RowKey("enter", "applies", apply),
            RowKey("space", "on or off", toggle),
            RowKey("K,ctrl+up,shift+up", "up", lambda name: arrange(name, -1)),
            RowKey("J,ctrl+down,shift+down", "down", lambda name: arrange(name, 1)),
            RowKey("ctrl+r", "resets", reset),
        ],
        on_click=toggle,
    )
    return picker
