"""The two notations by example, as the help shows them."""

from typing import Literal, NamedTuple


class Notation(NamedTuple):
    """An example: under which heading, of which input, its text, and what it means."""

    group: str
    kind: Literal["shape", "requires"]
    text: str
    meaning: str


_SHAPE = {
    "core=4": "4 cores anywhere",
    "slot=10/core=2": "10 slots of 2 cores each, on any nodes",
    "node=4/slot/[core=8;gpu]": "on each of 4 nodes one slot of 8 cores and a gpu",
    "node=2/slot=4/core": "on each of 2 nodes 4 slots of one core",
    "slot=4/node": "4 slots, each a whole node (RFC 14, beyond V1)",
    "node{x}/slot/core": "a node for this job alone; {-x} may share it",
    "slot=2{db}/core=4": "slots with the label db",
    "node=2-8/slot/core": "2 to 8 nodes; 2+ is 2 or more",
    "node=2-8:2/slot/core": "2, 4, 6 or 8 nodes; 2-8:2:* is 2, 4 or 8",
    "node=1,4,9/slot/core": "one of these numbers of nodes",
    "slot/[core=2;memory=4{unit:GB}]": "a unit, or any other key and value in braces",
}
_QUERY = {
    "gpu": "nodes with the property gpu",
    "gpu&-debug": "gpu and not debug; gpu -debug is the same",
    "gpu|bigmem": "gpu or bigmem",
    "not (gpu|debug)": "neither of the two",
    "host:dune[001-016]": "by host name (RFC 29)",
    "rank:0-15": "by rank (RFC 22)",
}
_JSON = {
    '{"properties": ["gpu", "^debug"]}': "gpu and not debug",
    '{"hostlist": ["dune[001-016]"]}': "by host name",
    '{"ranks": ["0-15"]}': "by rank",
    '{"or": [{"properties": ["gpu"]}, {"ranks": ["0-3"]}]}': "either of the two; also and, not",
}

EXAMPLES = (
    *(Notation("Shape: what you need (RFC 46)", "shape", *one) for one in _SHAPE.items()),
    *(Notation("Requires: which nodes (RFC 35)", "requires", *one) for one in _QUERY.items()),
    *(Notation("Requires, as JSON (RFC 31)", "requires", *one) for one in _JSON.items()),
)
