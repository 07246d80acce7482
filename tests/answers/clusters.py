"""R documents at random, small enough to be looked at node by node."""

from typing import Any

from hypothesis import strategies as st

from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Node, Resources
from fluxtui.notation.sets.idset import IdSet
from tests.model.clusters import document, lite
from tests.notation.sets.host_expressions import encode

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
