"""The keys of the map of the cluster, as the help, the legend and the palette have them."""

from typing import NamedTuple


class MapKey(NamedTuple):
    """A key: as it is shown, what it does, and the call of the map that the palette offers.

    A call that is empty is one of moving about, which nobody looks for by its name.
    """

    shown: str
    help: str
    label: str = ""
    call: tuple[str, ...] = ()


MAP_KEYS = (
    MapKey("← → ↑ ↓  page up, down", "go from cell to cell"),
    MapKey("n  p", "to the next cell with a match, and back"),
    MapKey("+", "look from nearer; ctrl and the wheel too", "Zoom in", ("zoom", "1")),
    MapKey("-", "look from farther", "Zoom out", ("zoom", "-1")),
    MapKey("z", "show all nodes at once", "All nodes", ("fit",)),
    MapKey(
        "enter", "look at this cell from nearer; a double click too", "Zoom in here", ("enter",)
    ),
    MapKey("o", "order by rank, host, cores, gpus, a property, racks", "Order", ("order",)),
    MapKey("c", "colour by match, cores, gpus, a property, state", "Colour", ("colour",)),
    MapKey("g  /", "go to a rank, or to a host by how its name begins", "Go to", ("jump",)),
    MapKey("l", "the whole legend", "Legend", ("legend",)),
    MapKey("space  shift+arrows", "select the nodes of a cell; of all cells passed"),
)
