"""The keys of the views of the cluster, as the help, the legend and the palette have them."""

from typing import NamedTuple


class ViewKey(NamedTuple):
    """A key: as it is shown, what it does, and the call of its view that the palette offers.

    A call is the name of an action and what it is done by. One that is empty is of moving about,
    which nobody looks for by its name.
    """

    shown: str
    help: str
    label: str = ""
    call: tuple[str | int, ...] = ()


MAP_KEYS = (
    ViewKey("← → ↑ ↓  page up, down", "go from cell to cell"),
    ViewKey("n  p", "to the next cell with a match, and back"),
    ViewKey("+", "look from nearer; ctrl and the wheel too", "Zoom in", ("zoom", 1)),
    ViewKey("-", "look from farther", "Zoom out", ("zoom", -1)),
    ViewKey("0", "show all nodes at once", "All nodes", ("fit",)),
    ViewKey(
        "enter", "look at this cell from nearer; a double click too", "Zoom in here", ("enter",)
    ),
    ViewKey("o", "order by rank, host, cores, gpus, a property, racks", "Order", ("order",)),
    ViewKey("c", "colour by match, cores, gpus, a property, state", "Colour", ("colour",)),
    ViewKey("/  g", "go to a rank, or to a host by how its name begins", "Find node", ("find",)),
    ViewKey("l", "the whole legend", "Legend", ("legend",)),
    ViewKey("space  shift+arrows", "select the nodes of a cell; of all cells passed"),
)

TABLE_KEYS = (
    ViewKey("/", "list those that a text finds: hosts, ranks, properties", "Filter", ("filter",)),
    ViewKey("o", "choose what to sort by; or click on a title", "Sort", ("sort",)),
    ViewKey("O", "sort the other way round", "Reverse the order", ("turn",)),
    ViewKey("m", "list those alone that match, or all", "Matching rows", ("only_matching",)),
    ViewKey("f", "one row for all nodes that are alike, or one for each", "Fold", ("fold",)),
    ViewKey("enter  →  ←", "open a folded row to its nodes; close it"),
    ViewKey("c", "choose the columns and their order", "Columns", ("columns",)),
    ViewKey(
        "v", "the properties as marks, or as words", "Properties as marks", ("words_or_marks",)
    ),
    ViewKey("→  ←  shift+wheel", "scroll sideways; the first columns stay"),
    ViewKey("space  shift+↑ ↓", "select the nodes of a row; of all rows passed"),
)

GRAPH_KEYS = (
    ViewKey("↑ ↓ page up, down", "go from row to row"),
    ViewKey("→  ←", "open and go in; close and go out"),
    ViewKey("enter", "open or close; from an edge to its other end", "Open or close", ("turn",)),
    ViewKey("*", "open all that is below", "Open all below", ("open_all",)),
    ViewKey("-", "close all that is below", "Close all below", ("close_all",)),
    ViewKey("/", "look for a part of a name, a type or a path", "Find", ("find",)),
    ViewKey(
        "space  shift+↑ ↓",
        "select all nodes below; of all rows passed",
        "Select all nodes below",
        ("toggle_selected",),
    ),
)

VIEW_KEYS = {"map": MAP_KEYS, "table": TABLE_KEYS, "graph": GRAPH_KEYS}
