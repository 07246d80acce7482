"""What to change: each text that is offered gives the number of nodes it promises."""

import json

import pytest
from hypothesis import assume, given

from fluxtui.answers.explain import names
from fluxtui.answers.explain.logic import normal
from fluxtui.answers.explain.relaxations import Relaxation, best_pairs, relaxations
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain.cases import Case, clusters, count, demo, explained, texts
from tests.answers.explain.test_marks import without


def offered(case: Case, text: str) -> tuple[Relaxation, ...]:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    unknown = names.unknown(reading.constraint, case.resources)
    found = relaxations(explanation, unknown, None)
    before = count(to_json(reading.constraint), case)
    assert all(one.count > before for one in found)
    return found


@given(clusters(), texts)
def test_a_relaxation_gives_what_it_promises(case: Case, text: str) -> None:
    for one in offered(case, text):
        typed = requires.read(one.text)
        assert typed.constraint is not None
        assert typed.is_json == text.lstrip().startswith("{")
        assert count(to_json(typed.constraint), case) == one.count
        assert normal(typed.constraint) == normal(one.constraint)
        assert one.sentence.endswith("1 node" if one.count == 1 else f": {one.count} nodes")


@given(clusters(), texts)
def test_no_single_part_that_helps_is_missed(case: Case, text: str) -> None:
    """Every part whose absence lets more nodes match is offered, but for the whole."""
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    found = {one.changes[0].path for one in relaxations(explanation, (), None)}
    obj = to_json(reading.constraint)
    before = count(obj, case)
    for step in explanation.funnel if len(explanation.funnel) > 1 else ():
        rest = without(obj, {step.path})
        assert rest is not None
        if count(rest, case) > before:
            # An 'or' of one stands for that one.
            assert any(path == step.path or path.startswith(f"{step.path}.") for path in found)


@given(clusters(), texts)
def test_a_pair_gives_more_than_either_alone(case: Case, text: str) -> None:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    unknown = names.unknown(reading.constraint, case.resources)
    single = {
        (one.changes[0].path, one.changes[0].kind): one.count
        for one in relaxations(explanation, unknown, None)
    }
    for one in best_pairs(explanation, unknown, most=None):
        typed = requires.read(one.text).constraint
        assert typed is not None
        assert count(to_json(typed), case) == one.count > explanation.count
        for change in one.changes:
            assert one.count > single.get((change.path, change.kind), 0)


def told(text: str) -> list[tuple[int, str, str]]:
    explanation = explained(text, demo())
    unknown = names.unknown(explanation.root.constraint, explanation.resources)
    return [(one.count, one.text, one.sentence) for one in relaxations(explanation, unknown)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "gpu & bigmem & -debug",
            [
                (18, "gpu & -debug", "leave out 'bigmem': 18 nodes"),
                (8, "bigmem & -debug", "leave out 'gpu': 8 nodes"),
            ],
        ),
        (
            "(login|bigmem) and gpu",
            [
                (24, "gpu", "leave out 'login or bigmem': 24 nodes"),
                (12, "(login|bigmem)", "leave out 'gpu': 12 nodes"),
            ],
        ),
        (
            "bigmen",
            [(8, "bigmem", "write 'bigmem' for 'bigmen': 8 nodes")],
        ),
        (
            "bigmen,ssd -gpu",
            [
                (8, "bigmem,ssd -gpu", "write 'bigmem' for 'bigmen': 8 nodes"),
                (76, "ssd -gpu", "leave out 'bigmen': 76 nodes"),
            ],
        ),
        (
            "batch host:dune1 ssd",
            [
                (
                    1,
                    "batch host:dune001 ssd",
                    "write 'host dune001' for 'host dune1': 1 node",
                ),
                (88, "batch ssd", "leave out 'host dune1': 88 nodes"),
            ],
        ),
        (
            "host:dune[161-170]",
            [
                (
                    160,
                    "host:dune[001-160]",
                    "write 'host dune[001-160]' for 'host dune[161-170]': 160 nodes",
                )
            ],
        ),
        (
            "rank:300-303",
            [(4, "rank:192-195", "write 'rank 192-195' for 'rank 300-303': 4 nodes")],
        ),
        (
            "dune[001,003]",  # two words for properties, parted at the comma
            [
                (
                    2,
                    "host:dune[001,003]",
                    "write 'host dune[001,003]' for 'dune[001 and 003]': 2 nodes",
                )
            ],
        ),
        (
            "rank:300-303 gpu",
            [(24, "gpu", "leave out 'rank 300-303': 24 nodes")],
        ),
        (
            "-rank:0-195",
            [(196, "rank:0-195", "ask for 'rank 0-195' in place of 'not rank 0-195': 196 nodes")],
        ),
        (
            "not (gpu|-gpu)",
            [
                (172, "not gpu", "leave out 'not gpu': 172 nodes"),
                (24, "not -gpu", "leave out 'gpu': 24 nodes"),
                (
                    196,
                    "gpu|-gpu",
                    "ask for 'gpu or not gpu' in place of 'not (gpu or not gpu)': 196 nodes",
                ),
            ],
        ),
        (
            "dune001 & batch",
            [
                (
                    1,
                    "host:dune001 & batch",
                    "write 'host dune001' for 'dune001': 1 node",
                ),
                (176, "batch", "leave out 'dune001': 176 nodes"),
            ],
        ),
        (
            '{"and": [{"properties": ["gpu", "^gpu"]}, {"ranks": ["0-195"]}]}',
            [
                (
                    172,
                    '{"and": [{"properties": ["^gpu"]}, {"ranks": ["0-195"]}]}',
                    "leave out 'gpu': 172 nodes",
                ),
                (
                    24,
                    '{"and": [{"properties": ["gpu"]}, {"ranks": ["0-195"]}]}',
                    "leave out 'not gpu': 24 nodes",
                ),
            ],
        ),
        (
            '{"not": [{"ranks": ["0-195"]}, {"properties": ["full", "^full"]}]}',
            [],
        ),
        (
            '{"not": [{"ranks": ["0-195"]}, {"ranks": ["0-99999"]}]}',
            [
                (
                    196,
                    '{"and": [{"ranks": ["0-195"]}, {"ranks": ["0-99999"]}]}',
                    "ask for 'rank 0-195 and rank 0-99999' in place of "
                    "'not (rank 0-195 and rank 0-99999)': 196 nodes",
                )
            ],
        ),
        (
            '{"not":[{"ranks":["0-195"]}]}',
            [
                (
                    196,
                    '{"ranks":["0-195"]}',
                    "ask for 'rank 0-195' in place of 'not rank 0-195': 196 nodes",
                )
            ],
        ),
    ],
)
def test_what_is_offered(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert told(text) == expected


def test_pairs_where_no_single_change_helps() -> None:
    explanation = explained("gpu&login&bigmem", demo())
    assert relaxations(explanation) == ()
    assert [(one.count, one.text, one.sentence) for one in best_pairs(explanation)] == [
        (24, "gpu", "leave out 'login' and 'bigmem': 24 nodes"),
        (8, "bigmem", "leave out 'gpu' and 'login': 8 nodes"),
        (4, "login", "leave out 'gpu' and 'bigmem': 4 nodes"),
    ]


def test_what_stands_there_twice_is_left_out_both_times() -> None:
    explanation = explained("gpu&gpu&bigmem", demo())
    assert [(one.count, one.text, one.sentence) for one in best_pairs(explanation)] == [
        (8, "bigmem", "leave out 'gpu' both times: 8 nodes"),
    ]


def test_a_name_and_a_part_may_both_have_to_change() -> None:
    explanation = explained("bigmen & gpu", demo())
    unknown = names.unknown(explanation.root.constraint, explanation.resources)
    found = [
        (one.count, one.text, one.sentence) for one in best_pairs(explanation, unknown, most=None)
    ]
    assert found == [(8, "bigmem", "write 'bigmem' for 'bigmen' and leave out 'gpu': 8 nodes")]


def test_pairs_end_when_they_are_cancelled() -> None:
    text = "&".join(f"rack{number}" for number in range(1, 7))
    explanation = explained(f"{text}&login&bigmem&debug", demo())
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    assert best_pairs(explanation, (), lambda: True) == ()
    best_pairs(explanation, (), cancelled)
    assert asked == 4


def test_only_so_many_are_worked_out() -> None:
    text = "&".join(f"-rank:{number}" for number in range(30))
    assert len(relaxations(explained(text, demo()))) == 10
    assert len(relaxations(explained(text, demo()), (), 3)) == 3


def test_json_keeps_its_layout() -> None:
    text = json.dumps({"and": [{"properties": ["gpu"]}, {"properties": ["login"]}]}, indent=2)
    found = relaxations(explained(text, demo()))
    assert [one.text for one in found] == [
        text.replace(text[text.index(",\n") : text.rindex("\n  ]")], ""),
        text.replace(text[text.index("{\n    ") : text.rindex('{\n      "prop')], ""),
    ]
