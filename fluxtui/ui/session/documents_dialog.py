"""The documents that are open: go to one of them, close it, compare it with the one in force."""

from typing import Literal, NamedTuple

from fluxtui.ui.kit import wording
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.workbench import State


class Chosen(NamedTuple):
    """What is to be done, and with which of the documents, by its number from 0."""

    what: Literal["go", "close", "compare", "open"]
    number: int = 0


def documents_picker(state: State) -> Picker[Chosen]:
    """Ask what to do with which document; the cursor begins at the one after that in force."""
    items = []
    for number, document in enumerate(state.documents):
        source = document.cluster.source
        path = source.path if source.path != source.name else None
        parts = (
            "shown now" if number == state.place else "",
            wording.totals(document.cluster.resources.whole),
            path or "",
        )
        detail = wording.DOT.join(part for part in parts if part)
        items.append(Item(Chosen("go", number), source.name, detail, key=str(number + 1)))

    def end(what: Literal["close", "compare", "open"]) -> RowKey[Chosen]:
        keys = {"close": "x,delete", "compare": "d", "open": "o,ctrl+o"}[what]

        def run(row: Chosen | None) -> None:
            picker.dismiss(Chosen(what, row.number if row is not None else state.place))

        return RowKey(keys, f"{what}s", run)

    several = len(items) > 1
    picker = Picker(
        "Open documents",
        items,
        enter="goes there",
        keys=[
            *([end("compare")] if several else []),
            end("close"),
            end("open"),
            RowKey("ctrl+d,q", "", lambda row: picker.dismiss(None)),
        ],
        at=(state.place + 1) % len(items),
    )
    return picker
