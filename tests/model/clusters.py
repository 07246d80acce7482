"""R documents (RFC 20) of a line, from which tests start."""

from collections.abc import Sequence
from typing import Any

from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources


def lite(rank: str, core: str = "0-3", gpu: str | None = None) -> dict[str, Any]:
    """An entry of ``R_lite``."""
    return {"rank": rank, "children": {"core": core} | ({} if gpu is None else {"gpu": gpu})}


def document(*entries: dict[str, Any], **execution: Any) -> dict[str, Any]:
    """An R document with these entries of ``R_lite``, and the rest of its execution part."""
    return {"version": 1, "execution": {"R_lite": list(entries), **execution}}


def alike(
    nodes: int, core: str = "0-3", gpu: str | None = None, **execution: Any
) -> dict[str, Any]:
    """An R document of nodes that are alike, n0 and so on, and the rest of its execution part."""
    last = nodes - 1
    return document(lite(f"0-{last}", core, gpu), **{"nodelist": [f"n[0-{last}]"], **execution})


def cluster(
    ranks: str, hosts: str | Sequence[str] = "", core: str = "0", **properties: str
) -> Resources:
    """A cluster of nodes that are alike but for their properties, each of which has its ranks.

    Without hosts the document has no nodelist, which is its only problem.
    """
    execution: dict[str, Any] = {"properties": properties}
    if hosts:
        execution["nodelist"] = [hosts] if isinstance(hosts, str) else list(hosts)
    found = resources.read(document(lite(ranks, core), **execution))
    assert found.node_count, found.problems
    return found


def vertex(id_: str, type_: str, name: str = "", **more: Any) -> dict[str, Any]:
    """A vertex of a resource graph, with more metadata."""
    return {"id": id_, "metadata": {"type": type_, "name": name, **more}}


def edge(source: str, target: str, **metadata: Any) -> dict[str, Any]:
    """An edge of a resource graph, of containment where it has no metadata."""
    return {"source": source, "target": target} | ({"metadata": metadata} if metadata else {})
