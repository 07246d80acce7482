"""The keys of the graph of the cluster, as the help and the palette have them."""

from typing import NamedTuple


class GraphKey(NamedTuple):
    """A key: as it is shown, what it does, and the action of the tree that the palette offers.

    An action that is empty is one of moving about, which nobody looks for by its name.
    """

    shown: str
    help: str
    label: str = ""
    action: str = ""


GRAPH_KEYS = (
    GraphKey("↑ ↓ page up, down", "go from row to row"),
    GraphKey("→  ←", "open and go in; close and go out"),
    GraphKey("enter", "open or close; from an edge to its other end", "Open or close", "turn"),
    GraphKey("*", "open all that is below", "Open all below", "open_all"),
    GraphKey("-", "close all that is below", "Close all below", "close_all"),
    GraphKey("/", "look for a part of a name, a type or a path", "Find", "find"),
    GraphKey(
        "space  shift+↑ ↓",
        "select all nodes below; of all rows passed",
        "Select all nodes below",
        "toggle_selected",
    ),
)
