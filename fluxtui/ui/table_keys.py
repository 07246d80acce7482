"""The keys of the table of nodes, as the help and the palette have them."""

from typing import NamedTuple


class TableKey(NamedTuple):
    """A key: as it is shown, what it does, and the action of the table that the palette offers.

    An action that is empty is one of moving about, which nobody looks for by its name.
    """

    shown: str
    help: str
    label: str = ""
    action: str = ""


TABLE_KEYS = (
    TableKey("/", "list those that a text finds: hosts, ranks, properties", "Filter", "filter"),
    TableKey("s", "choose what to sort by; or click on a title", "Sort", "sort"),
    TableKey("S", "sort the other way round", "Turn the order", "turn"),
    TableKey("m", "list those alone that match, or all", "Matching rows", "only_matching"),
    TableKey("f", "one row for all nodes that are alike, or one for each", "Fold", "fold"),
    TableKey("enter  →  ←", "open a folded row to its nodes; close it"),
    TableKey("c", "choose the columns and their order", "Columns", "columns"),
    TableKey("v", "the properties as marks, or as words", "Properties as marks", "words_or_marks"),
    TableKey("→  ←  shift+wheel", "scroll sideways; the first columns stay"),
    TableKey("space  shift+↑ ↓", "select the nodes of a row; of all rows passed"),
)
