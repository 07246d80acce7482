"""What nodes of a cluster can be asked for by: properties, hosts and ranks, with their counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet

#: Beyond these to work out the names takes longer than a key may wait: bits of all property masks
#: together, and ranges of hosts.
MAX_BITS = 2_000_000
MAX_RANGES = 500


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a cluster, for completion.

    properties  each with the number of nodes that have it, in document order
    hosts       the host names, found by how they begin
    ranks       the ranks; rank i has host i
    """

    properties: Mapping[str, int] = field(default_factory=dict)
    hosts: HostIndex = HostIndex(HostList())
    ranks: IdSet = idset.EMPTY

    @classmethod
    def of(cls, resources: Resources) -> "Names":
        """The names of an R document; of a large one not to be worked out while a key waits."""
        counts = {name: mask.bit_count() for name, mask in resources.properties.items()}
        return cls(counts, resources.host_index, resources.ranks)


def are_many(resources: Resources) -> bool:
    """To work out the names of this R document takes longer than a key may wait."""
    bits = len(resources.properties) * resources.node_count
    return bits > MAX_BITS or len(resources.hosts.rows[0]) > MAX_RANGES
