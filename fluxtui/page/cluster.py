"""The nodes of a cluster as a page gets them, grouped: a million cost what their text costs."""

import json
from collections.abc import Mapping
from typing import Any

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask

# What would end a script or begin a comment in HTML.
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def cluster_json(resources: Resources) -> str:
    """The ranks, hosts, properties and sizes of all nodes as JSON that may stand in HTML.

    Ranks are an idset and hosts a hostlist. Properties and kinds, which are cores, gpus and nodes,
    have their nodes as idsets of places, counted from 0 in the order of the ranks.
    """
    kinds: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for kind in resources.kinds:
        size = kind.cores.count, kind.gpus.count
        kinds.setdefault(size, []).extend(kind.indices.ranges)
    data: Mapping[str, Any] = {
        "ranks": str(resources.ranks),
        "hosts": format_hosts(resources.hosts),
        "properties": [[name, str(from_mask(mask))] for name, mask in resources.properties.items()],
        "kinds": [[*size, str(IdSet.from_ranges(ranges))] for size, ranges in kinds.items()],
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.translate(_ESCAPES)
