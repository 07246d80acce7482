"""Machines with storage in their racks: what Fluxion was seen to do with jobs there.

Each cell of a table is one constraint: ``-`` where Fluxion calls the request unsatisfiable, else
how many such jobs it starts on the empty machine until it has no room for one more.
"""

from typing import Any

from tests.answers.feasibility.graphs import Vertex, judged, nodes, prepared, some, vertex
from tests.each import for_each
from tests.model.jobspecs import resources_of


def chassis(first: int, *sizes: int) -> Vertex:
    """Four nodes, of which the last is in another queue, and storage beside them."""
    return vertex(
        "chassis",
        [vertex("ssd", id=number, size=size, unit="GiB") for number, size in enumerate(sizes)],
        nodes(3, some(4, "core"), first=first, properties={"batch": ""}),
        nodes(1, some(4, "core"), first=first + 3, properties={"debug": ""}),
    )


EVEN = [chassis(0, 100, 100, 100, 100), chassis(4, 100, 100, 100, 100)]

RACKS = prepared(vertex("cluster", EVEN))

#: The same with two nodes that are in no chassis and in no queue.
LOGIN = prepared(
    vertex("cluster", nodes(2, some(4, "core"), first=8, properties={"login": ""}), EVEN)
)

#: The first chassis has 2,464 GiB, the second 1,700.
UNEVEN = prepared(vertex("cluster", chassis(0, 616, 616, 616, 616), chassis(4, 453, 453, 794)))

BATCH = {"properties": ["batch"]}

CONSTRAINTS: list[Any] = [
    None,
    BATCH,
    {"properties": ["^batch"]},
    {"properties": ["login"]},
    {"hostlist": ["n[0-1]"]},
    {"ranks": ["2-4"]},
]

# A slot forms where all that it holds is directly below, and hides what is further down: of nodes
# alone it forms at the cluster as soon as one node is there, and no constraint leads it lower.
# What is neither in a slot nor exclusive is left to all jobs.
SLOTS = [
    # on RACKS, on LOGIN
    ("slot/node",                                     "8 6 2 - 2 3",    "2 - 2 2 - -"),
    ("slot=2/node",                                   "4 3 1 - 1 1",    "1 - 1 1 - -"),
    ("slot=3/node",                                   "2 2 - - - 1",    "- - - - - -"),
    ("slot{rabbit}/node/slot{task}/core",             "8 6 2 - 2 3",    "2 - 2 2 - -"),
    ("slot{rabbit}/node=2/slot{task}/core",           "4 2 - - 1 1",    "1 - 1 1 - -"),
    ("node/slot/core",                                "32 24 8 - 8 12", "40 24 16 8 8 12"),
    ("node=3{x}/slot/core",                           "2 2 - - - 1",    "3 2 1 - - 1"),
    ("slot/core",                                     "32 24 8 - 8 12", "40 24 16 8 8 12"),
    ("chassis/slot/node",                             "8 6 2 - 2 3",    "8 6 2 - 2 3"),
    ("chassis=2/slot/node",                           "4 3 1 - - 1",    "4 3 1 - - 1"),
    ("slot/chassis/node",                             "2 2 2 - 1 2",    "2 2 2 - 1 2"),
    ("slot/[node;ssd=100]",                           "8 6 2 - 2 3",    "8 6 2 - 2 3"),
    ("slot=7/[node;ssd=100]",                         "1 - - - - -",    "1 - - - - -"),
    ("slot{rabbit}/[node/slot{task}/core;ssd]",       "8 6 2 - 2 3",    "8 6 2 - 2 3"),
    ("slot{rabbit}/[node=3/slot{task}/core;ssd=400]", "2 2 - - - -",    "2 2 - - - -"),
    ("chassis/slot/[node;ssd=400]",                   "2 2 2 - 1 2",    "2 2 2 - 1 2"),
    ("chassis/[node=3/slot/core;ssd=400{x}]",         "2 2 - - - -",    "2 2 - - - -"),
    ("slot/ssd",                                      "8 8 8 8 8 8",    "8 8 8 8 8 8"),
    ("[node/slot/core;ssd=100{x}]",                   "8 8 8 - 8 8",    "8 8 8 8 8 8"),
    ("[node/slot/core;ssd=100]",                      "32 24 8 - 8 12", "40 24 16 8 8 12"),
    ("chassis/[node/slot/core;ssd=200]",              "32 24 8 - 8 12", "32 24 8 - 8 12"),
]  # fmt: skip

# Storage is given in whole vertices, and all of a slot is in one chassis.
AMOUNTS = [
    # with no constraint, BATCH, and the property debug
    ("slot/[node;ssd=616]",             "6 5 2"),
    ("slot/[node;ssd=617]",             "4 4 2"),
    ("slot=2/[node;ssd=616]",           "3 2 1"),
    ("slot=6/[node;ssd=100]",           "1 1 -"),
    ("slot=7/[node;ssd=100]",           "1 - -"),
    ("slot=4/[node;ssd=616]",           "1 1 -"),
    ("slot=5/[node;ssd=616]",           "1 1 -"),
    ("slot=4/[node;ssd=700]",           "1 1 -"),
    ("slot=5/[node;ssd=700]",           "- - -"),
    ("slot=3/[node;ssd=1232]",          "1 1 -"),
    ("slot=4/[node;ssd=1232]",          "- - -"),
    ("slot/[node=3;ssd=2464]",          "1 1 -"),
    ("slot/[node=3;ssd=2465]",          "- - -"),
    ("slot=2/[node=3;ssd=1700]",        "1 1 -"),
    ("slot=2/[node=3;ssd=1701]",        "- - -"),
    ("slot=2/[node=2;ssd=1247]",        "1 1 -"),
    ("chassis=2/slot/[node;ssd=1700]",  "1 1 1"),
    ("chassis=2/slot/[node;ssd=1701]",  "- - -"),
    ("chassis=2/slot=2/[node;ssd=794]", "1 1 -"),
    ("[node=6/slot/core;ssd=4164{x}]",  "1 1 -"),
    ("[node=6/slot/core;ssd=4165{x}]",  "- - -"),
    ("slot/ssd=4164",                   "- - -"),
    ("slot=4/ssd=616",                  "1 1 1"),
    ("slot=6/ssd=616",                  "1 1 1"),
]  # fmt: skip


def seen(text: str, constraint: Any, place: Any) -> str:
    """What is answered, as a cell."""
    found = judged(resources_of(text), constraint, place)
    return "-" if found.feasible is False else str(found.fits)


@for_each("shape, racks, login", SLOTS)
def test_a_slot_at_the_top_and_a_constraint(shape: str, racks: str, login: str) -> None:
    assert " ".join(seen(shape, each, RACKS) for each in CONSTRAINTS) == racks
    assert " ".join(seen(shape, each, LOGIN) for each in CONSTRAINTS) == login


@for_each("shape, amounts", AMOUNTS)
def test_amounts_of_storage_count_by_chassis(shape: str, amounts: str) -> None:
    constraints = (None, BATCH, {"properties": ["debug"]})
    assert " ".join(seen(shape, each, UNEVEN) for each in constraints) == amounts


def test_says_that_what_a_constraint_leaves_is_too_deep() -> None:
    said = "a slot forms at the first vertex that has node among its children, here cluster"
    for place, text, constraint, deeper in (
        (LOGIN, "slot/node", BATCH, True),
        (LOGIN, "slot=3/node", None, True),
        (LOGIN, "slot=3/node", {"properties": ["login"]}, False),
        (RACKS, "slot=7/node", BATCH, False),
    ):
        reasons = judged(resources_of(text), constraint, place).reasons
        assert any(said in reason.message for reason in reasons) is deeper, (text, constraint)
