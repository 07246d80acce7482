"""R documents (RFC 20) of a line, from which tests start, and random ones."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Node, Resources
from fluxtui.notation.sets.idset import IdSet
from tests.notation.sets.host_expressions import encode


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


# At random, small enough to be looked at node by node

PROPERTIES = ("gpu", "+batch", "mi50@gpu", "=1+1", "a, b", "line\nbreak", "none")
KINDS = (("0", None), ("0-3", None), ("0-3", "0"), ("1,3", "0-1,7"), ("4-47", None))


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """An R document that RFC 20 finds nothing wrong with."""
    ranks = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=24)))
    entries: dict[tuple[str, str | None], list[int]] = {}
    for rank in ranks:
        entries.setdefault(draw(st.sampled_from(KINDS)), []).append(rank)
    order = draw(st.permutations(list(entries.items())))
    made = (lite(str(IdSet.of(of)), core, gpu) for (core, gpu), of in order)
    names = st.builds("{}{}".format, st.sampled_from(("n", "dune-", "x0y")), st.integers(0, 12))
    hosts = draw(st.lists(names, min_size=len(ranks), max_size=len(ranks)))
    execution: dict[str, Any] = {"nodelist": [encode(hosts)]}
    some = st.sets(st.sampled_from(ranks), min_size=1).map(lambda ids: str(IdSet.of(ids)))
    execution["properties"] = draw(st.dictionaries(st.sampled_from(PROPERTIES[:-1]), some))
    if draw(st.booleans()):
        execution["properties"]["none"] = ""
    if draw(st.booleans()):
        execution |= {"starttime": 10, "expiration": 20.5, "nslots": 3}
    return document(*made, **execution)


#: Clusters of the documents above, each with some of its nodes as a mask.
taken = documents().flatmap(
    lambda document: st.tuples(
        st.just(resources.read(document)),
        st.integers(0, (1 << resources.read(document).node_count) - 1),
    )
)


def nodes(cluster: Resources, mask: int | None = None) -> list[Node]:
    """The nodes of a mask, or all, by ascending rank, each looked at alone."""
    return [
        cluster.node(index)
        for index in range(cluster.node_count)
        if mask is None or mask >> index & 1
    ]
