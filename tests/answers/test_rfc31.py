"""Every example of RFC 31, and the empty operators, on a cluster where each makes a difference."""

from typing import Any

import pytest

from fluxtui.answers.matching import match
from fluxtui.model.constraint import tree
from fluxtui.model.resources import document

# host0 ssd; host1 ssd, slowgpu; host2 huge; host3 nothing; host4 slowgpu
CLUSTER = document.read(
    {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-4", "children": {"core": "0-3"}}],
            "nodelist": ["host[0-4]"],
            "properties": {"ssd": "0-1", "slowgpu": "1,4", "huge": "2"},
        },
    }
)


@pytest.mark.parametrize(
    ("example", "ranks"),
    [
        ({"properties": ["ssd"]}, "0-1"),
        ({"properties": ["^slowgpu"]}, "0,2-3"),
        ({"not": [{"properties": ["slowgpu"]}]}, "0,2-3"),
        ({"or": [{"properties": ["ssd"]}, {"properties": ["huge"]}]}, "0-2"),
        ({"hostlist": ["host[0-1]"]}, "0-1"),
        ({"not": [{"hostlist": ["host[0-1]"]}]}, "2-4"),
        ({"and": [{"hostlist": ["host[0-1]"]}, {"properties": ["ssd"]}]}, "0-1"),
        ({"and": [{"hostlist": ["host[1-2]"]}, {"properties": ["ssd"]}]}, "1"),
        ({"ranks": ["0"]}, "0"),
        ({"not": [{"properties": ["ssd", "slowgpu"]}]}, "0,2-4"),
        # The empty operators: always, always, never; and the empty object: always.
        ({"or": []}, "0-4"),
        ({"and": []}, "0-4"),
        ({"not": []}, ""),
        ({}, "0-4"),
    ],
    ids=str,
)
def test_an_example_matches(example: dict[str, Any], ranks: str) -> None:
    read = tree.read(example)
    assert read.ok
    assert read.value is not None
    assert str(CLUSTER.ranks_of(match.match(read.value, CLUSTER))) == ranks
