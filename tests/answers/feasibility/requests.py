"""Small jobspecs and clusters for tests of sched-simple."""

from typing import Any

from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import idset
from tests.model.clusters import document as r_document
from tests.model.clusters import lite
from tests.model.jobspecs import resources_of
from tests.model.topologies import UNEVEN, domains, tree, xeon

Job = dict[str, Any]


def job(text: str, constraint: Any = None) -> Job:
    """The jobspec of a shape (RFC 46)."""
    return with_resources(resources_of(text), constraint)


def with_resources(resources: Any, constraint: Any = None, **keys: Any) -> Job:
    """A jobspec of these resources, whatever they are."""
    constraints = {} if constraint is None else {"constraints": constraint}
    built = jobspec.build([], duration=60.0)
    built["attributes"]["system"] |= constraints
    return {**built, "resources": resources, **keys}


def cluster(
    entries: list[tuple[str, str, str]], properties: dict[str, str] | None = None
) -> Resources:
    """Resources of (ranks, cores, gpus); hosts are n0, n1 and so on by place."""
    made = (lite(ranks, cores, gpus or None) for ranks, cores, gpus in entries)
    count = sum(idset.parse(ranks).value.count for ranks, _, _ in entries)
    hosts = f"n[0-{count - 1}]" if count > 1 else "n0"
    read = document.read(r_document(*made, nodelist=[hosts], properties=properties or {}))
    assert read.ok, read.problems
    return read


#: Three nodes with cores alone, one large one with two gpus, two small ones with four.
MIXED = cluster(
    [("0-2", "0-7", ""), ("3", "0-15", "0-1"), ("4-5", "0-3", "0-3")],
    {"plain": "0-2", "large": "3", "one": "0", "gpu": "3-5"},
)

#: The clusters of recorded answers, by name.
CLUSTERS = {
    "mixed": MIXED,
    "even": cluster([("0-3", "0-7", "")]),
    "single": cluster([("0", "0-3", "0")]),
    "bare": cluster([("0", "0-3", "")]),
    "seven": cluster([("0-6", "0-7", "")], {"one": "0", "large": "1"}),
    "four": cluster([("0-3", "0-7", "0-1")], {"a": "0-1", "b": "1-2"}),
    "gaps": cluster(
        [("0,7", "4-7", ""), ("2", "3,7,9-12", "5"), ("3,5", "0,2,4,6", "1,3"), ("9", "0-5", "")]
    ),
    "none": Resources(),
    "xeon": document.read(xeon(properties={"a": "0-1"})),
    "inside": document.read(
        tree(
            ("0-1", UNEVEN, "0-19", "0"),
            ("2", {"cores": "0-19", "gpus": "0"}, "0-19", "0"),
            ("3", {"socket": domains(2, 8, gpus=2)}, "0-15", "0-3"),
            properties={"large": "3"},
        )
    ),
    "deep": document.read(
        tree(
            ("0", {"socket": [{"numa": domains(2, 8)}, {"numa": domains(2, 8, 2)}]}, "0-31", "0-3"),
            ("1", {"socket": [{"cores": "0-7"}, {"cores": "8-15", "gpus": "0-1"}]}, "0-15", "0-1"),
        )
    ),
    # An allocated R: the topology is that of whole nodes, of two nodes a part was allocated.
    "part": document.read(
        tree(("0-1", UNEVEN, "0-3", ""), ("2-3", UNEVEN, "0-19", "0"), properties={"full": "2-3"})
    ),
}
