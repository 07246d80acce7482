"""The stage list that ships: every example of RFC 31, and the same in a cluster's names."""

from fluxtui import library, workbench
from fluxtui.library import stages
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.workbench import Cluster
from tests.ui.helpers import cluster, demo

RFC31 = [example for example in library.entries() if example.rfc == "RFC 31"]
ADDED = ", on this cluster"


def count(on: Cluster, text: str) -> int:
    return workbench.start(on, "", text).ask.totals.nodes


def test_every_example_of_rfc_31_is_there_as_it_is() -> None:
    steps = stages.rfc31(demo().resources).steps
    own = [step for step in steps if not step.title.endswith(ADDED)]
    assert [(s.title, s.note) for s in own] == [(e.title, e.text) for e in RFC31]
    for step, example in zip(own, RFC31, strict=True):
        read = requires.read(step.constraint)
        assert read.ok
        assert read.constraint is not None
        assert to_json(read.constraint) == example.constraint


def test_twins_match_some_nodes_and_not_all() -> None:
    twins = [s for s in stages.rfc31(demo().resources).steps if s.title.endswith(ADDED)]
    assert len(twins) == 8
    for step in twins:
        state = workbench.start(demo(), "", step.constraint)
        assert 0 < state.ask.totals.nodes < 196, step
        assert state.ask.problems == (), step


def test_a_twin_follows_its_example_and_names_what_stands_for_what() -> None:
    steps = stages.rfc31(demo().resources).steps
    titles = [step.title for step in steps]
    at = titles.index("With one of two properties")
    assert steps[at + 1].title == f"With one of two properties{ADDED}"
    assert steps[at + 1].constraint == "ssd|bigmem"
    assert steps[at + 1].note == "The same in the names of this cluster: bigmem for huge."


def test_a_cluster_without_nodes_or_properties() -> None:
    none = stages.rfc31(cluster(0).resources).steps
    assert len(none) == len(RFC31)
    bare = stages.rfc31(cluster(8).resources).steps
    assert [s.constraint for s in bare if s.title.endswith(ADDED)] == [
        "host:n[0-1]",
        "-host:n[0-1]",
        "host:n[0-1] ssd",
    ]


def test_names_that_a_query_cannot_take_stand_for_nothing() -> None:
    odd = cluster(8, {"and": "0-3", "a:b": "0-3", "x": "2-5", "y": "4-7"})
    twins = [s for s in stages.rfc31(odd.resources).steps if s.title.endswith(ADDED)]
    assert {s.constraint for s in twins} >= {"x|y", "^x", "not (x y)"}
    assert all(count(odd, s.constraint) for s in twins)
