"""The nodes of a cluster as JSON for a page, grouped, so that a million of them stay small."""

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet, from_mask

# Characters that could end a script or begin a comment in HTML.
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def _expressions(hosts: HostList) -> Iterator[str]:
    """Yield the hosts as expressions with the ranges of the list, in which close names are sought.

    `format` would write out the names of ``n[0-9]-x``.
    """
    alike = groupby(hosts.walk(), key=lambda item: (item.prefix, item.suffix, item.width > 0))
    for (prefix, suffix, is_numbered), ranges in alike:
        if not is_numbered:
            yield from (prefix for _ in ranges)
            continue
        parts = []
        for item in ranges:
            first, last = (f"{number:0{item.width}d}" for number in (item.first, item.last))
            parts.append(first if item.first == item.last else f"{first}-{last}")
        body = ",".join(parts)
        is_name = len(parts) == 1 and not suffix and "-" not in body
        yield f"{prefix}{body}" if is_name else f"{prefix}[{body}]{suffix}"


def cluster_json(resources: Resources) -> str:
    """Return the ranks, hosts, properties and kinds of all nodes as JSON that is safe in HTML.

    ranks is an idset, hosts a hostlist, properties is a list of [name, nodes], and kinds one of
    [cores, gpus, nodes]. nodes is an idset of indices, counted from 0 in the order of the ranks.
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
