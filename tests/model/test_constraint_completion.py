"""What may be typed next in a constraint: a query, or JSON as RFC 31 wants it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint import completion
from fluxtui.model.constraint.completion import MAX_RANGES, Names, are_many
from fluxtui.notation.problem import Completion
from tests.each import for_each
from tests.model.clusters import cluster

RESOURCES = cluster("0-11", "n[0-11]", **{"gpu": "0-3", "batch": "2-11", "o\\dd": "5"})
NAMES = Names.of(RESOURCES)
KEYS = [
    '{"properties": ["',
    '{"hostlist": ["',
    '{"ranks": ["',
    '{"and": [{"',
    '{"or": [{"',
    '{"not": [{"',
]


def found(text: str, cursor: int | None = None) -> list[Completion]:
    return completion.completions(text, len(text) if cursor is None else cursor, NAMES)


def made(text: str, cursor: int | None = None) -> list[str]:
    """The texts that the offers make."""
    return [text[: o.span.start] + o.text + text[o.span.end :] for o in found(text, cursor)]


@for_each("text, texts", [
    ("{", [*KEYS, "{}"]),
    ('{"properties"', ['{"properties": [']),
    ('{"properties":', ['{"properties":[']),
    ('{"properties": [g', ['{"properties": ["gpu"']),
    ('{"properties": ["gpu"', ['{"properties": ["gpu",', '{"properties": ["gpu"]']),
    ('{"properties": ["gpu"]', ['{"properties": ["gpu"]}']),
    ('{"properties": ["gpu"]}', []),
    ('{"properties": ["gpu"], ', []),
    ('{"and": [', ['{"and": [{']),
    ('{"and": [{"ranks": ["0"]}, {"h', ['{"and": [{"ranks": ["0"]}, {"hostlist": ["']),
    ('{"ranks": ["2-', ['{"ranks": ["2-11"']),
    ('{"hostlist": ["n1', [f'{{"hostlist": ["{n}"' for n in ("n[1,10-11]", "n10", "n11")]),
    ('{"hostlist": ["n[0-1],n11', []),
])  # fmt: skip
def test_json(text: str, texts: list[str]) -> None:
    assert made(text) == texts


def test_counts_and_descriptions() -> None:
    (gpu,) = found('{"properties": ["g')
    assert (gpu.nodes, gpu.description) == (4, "4 nodes")
    (absent,) = found('{"properties": ["^g')
    assert absent.nodes == 8
    assert found('{"hostlist": ["n1')[0].nodes == 3
    assert found('{"ranks": ["1')[0].description == "n10"
    assert all(offer.description for offer in found("{"))


def test_a_quote_that_is_there_is_not_doubled() -> None:
    text = '{"properties": ["g"]}'
    assert made(text, 18) == ['{"properties": ["gpu"]}']


def test_a_query_is_completed_as_one() -> None:
    assert made(" g") == [" gpu"]
    assert found("g")[0].nodes == 4
    assert made("host:n1")[0] == "host:n[1,10-11]"
    assert found("x" * 70_000) == []


@given(st.text('{}[]":,a\\ ^gn1-', max_size=14), st.integers(0, 14))
def test_it_never_fails_and_replaces_what_is_typed(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for start in ('{"and": [{"properties": ["', "{"):
        whole, place = start + text, len(start) + cursor
        for offer in found(whole, place):
            assert 0 <= offer.span.start <= offer.span.end == place
            assert offer.description


@given(
    st.sampled_from(['{"properties": ["', '{"hostlist": ["', '{"ranks": ["']), st.text(max_size=4)
)
def test_words_are_whole_json_strings(start: str, typed: str) -> None:
    text = start + json.dumps(typed)[1:-1]
    for offer in found(text):
        if offer.text.startswith('"'):
            assert isinstance(json.loads(offer.text), str)


def test_many_names_are_told_from_few() -> None:
    assert not are_many(RESOURCES)
    hosts = ",".join(f"n{i}x{i}" for i in range(MAX_RANGES + 1))
    assert are_many(cluster(f"0-{MAX_RANGES}", hosts))
