"""The nodes of a cluster as a page gets them, grouped: a million cost what their text costs."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet, from_mask

# What would end a script or begin a comment in HTML.
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def _expressions(hosts: HostList) -> Iterator[str]:
    """Hosts in the ranges that they are kept in, which is what close names are looked for in.

    `format` would write out the names of ``n[0-9]-x``.
    """
    alike = groupby(hosts.walk(), key=lambda one: (one.prefix, one.suffix, one.width > 0))
    for (prefix, suffix, is_numbered), ranges in alike:
        if not is_numbered:
            yield from (prefix for _ in ranges)
            continue
        parts = []
        for one in ranges:
            first, last = (f"{number:0{one.width}d}" for number in (one.first, one.last))
            parts.append(first if one.first == one.last else f"{first}-{last}")
        body = ",".join(parts)
        is_name = len(parts) == 1 and not suffix and "-" not in body
        yield f"{prefix}{body}" if is_name else f"{prefix}[{body}]{suffix}"


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
        "hosts": ",".join(_expressions(resources.hosts)),
        "properties": [[name, str(from_mask(mask))] for name, mask in resources.properties.items()],
        "kinds": [[*size, str(IdSet.from_ranges(ranges))] for size, ranges in kinds.items()],
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.translate(_ESCAPES)
