"""RFC 20's example, and an R document in each of its forms."""

from typing import Any

from fluxtui.model.resources import document as resources
from tests.each import for_each

EXECUTION = {
    "R_lite": [{"rank": "19-22", "children": {"core": "0-47", "gpu": "0-7"}}],
    "nodelist": ["node[186-189]"],
    "starttime": 1676560542,
    "expiration": 1676562342,
}


def vertex(ident: int, kind: str, rank: int, path: str) -> dict[str, Any]:
    name = path.rsplit("/", 1)[1]
    metadata = {
        "type": kind,
        "uuid": str(ident),
        "basename": name.rstrip("0123456789"),
        "name": name,
        "id": ident,
        "properties": {},
        "size": 1,
        "unit": "",
        "rank": rank,
        "paths": {"containment": path},
    }
    return {"id": str(ident), "metadata": metadata}


GRAPH = {
    "nodes": [
        vertex(0, "cluster", -1, "/c0"),
        vertex(1, "node", 19, "/c0/node186"),
        vertex(2, "core", 19, "/c0/node186/core0"),
        vertex(3, "core", 19, "/c0/node186/core1"),
        vertex(4, "gpu", 19, "/c0/node186/gpu0"),
    ],
    "edges": [
        {
            "source": source,
            "target": target,
            "metadata": {"subsystem": "containment", "relationship": "contains"},
        }
        for source, target in (("0", "1"), ("1", "2"), ("1", "3"), ("1", "4"))
    ],
}


def test_the_example() -> None:
    found = resources.read({"version": 1, "execution": EXECUTION})
    assert found.problems == ()
    assert (str(found.ranks), str(found.hosts)) == ("19-22", "node[186-189]")
    assert (found.node_count, found.whole.cores, found.whole.gpus) == (4, 192, 32)
    assert (found.starttime, found.expiration) == (1676560542, 1676562342)
    assert found.node(0).host == "node186"


@for_each(
    "case",
    [
        ({"execution": EXECUTION}, "execution", 4, 192),
        ({"scheduling": {"graph": GRAPH}}, "scheduling", 1, 2),
        ({"execution": EXECUTION, "scheduling": {"graph": GRAPH}}, "execution", 4, 192),
    ],
)
def test_each_form(case: tuple[dict[str, Any], str, int, int]) -> None:
    document, form, nodes, cores = case
    found = resources.read({"version": 1, **document})
    assert found.ok
    assert (found.form, found.node_count, found.whole.cores) == (form, nodes, cores)
    assert found.host(0) == "node186"
    assert (found.graph is not None) == ("scheduling" in document)
