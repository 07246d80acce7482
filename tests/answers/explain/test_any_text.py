"""Whatever is typed, an explanation is given or none, and what is offered keeps its promise."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain import names
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.relaxations import best_pairs, relaxations
from fluxtui.answers.explain.target import find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from tests.answers.explain.cases import demo, explained

CLUSTER = demo()

pieces = st.sampled_from(
    [
        *("gpu", "bigmem", "bigmen", "dune001", "ssd", "properties:", "host:", "rank:", "3-9"),
        *("hosts:dune[001-003]", "rank:0-999999999999", "host:n[0-99999999]-eth0"),
        *("-", "not ", "(", ")", "&", "|", " ", " and ", " or ", ",", "'", '"', "''", "^", "!"),
        *(":", "é", "\x1b", "{", "}", '{"not":[', "]}", "[", "]"),
    ]
)
scrambled = st.lists(pieces, max_size=12).map("".join)


@given(st.one_of(st.text(max_size=20), scrambled))
def test_any_text(text: str) -> None:
    reading = requires.read(text)
    explanation = explain(reading, CLUSTER)
    assert (explanation is None) == (reading.constraint is None)
    if explanation is None or reading.constraint is None:
        return
    for mark in findings(explanation):
        assert mark.message
    unknown = names.unknown(reading.constraint, CLUSTER)
    for one in (*relaxations(explanation, unknown), *best_pairs(explanation, unknown)):
        assert explained(one.text, CLUSTER).count == one.count > explanation.count
    told = why(explanation, 7)
    assert told.matches == bool(explanation.mask >> 7 & 1)
    assert why_set(explanation, CLUSTER.everything).total == CLUSTER.node_count
    for cursor in range(len(text) + 1):
        part = explanation.part_at(cursor)
        assert part is None or part.span is not None


@given(st.one_of(st.text(max_size=20), scrambled))
def test_any_nodes(text: str) -> None:
    found = find(text, CLUSTER)
    assert found.ok == bool(found.value.mask)
    assert found.value.mask | CLUSTER.everything == CLUSTER.everything
