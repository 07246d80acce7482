"""Whether two jobspecs ask for the same."""

from typing import Any

import pytest

from fluxtui.answers.commands import same
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources

Document = dict[str, Any]


def document(text: str, label: str = "default", **system: Any) -> Document:
    resources = to_resources(parse_shape(text), label)
    out = jobspec.build(resources, ["app"], slot_label=label)
    out["attributes"]["system"].update(system)
    return out


OPTIONS = {"options": {"mpi": "none"}}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (document("node=2/slot/core"), document("node=2/slot/core", "task")),
        (document("slot/[core;gpu]"), document("slot/[gpu;core]")),
        (document("slot=2-4/core"), {**document("slot=2-4/core"), "version": 9}),
        (document("slot/core", duration=0), document("slot/core", duration=0.0)),
        (document("slot/core"), document("slot/core", environment={"A": "1"}, cwd="/x")),
        (document("slot/core"), document("slot/core", shell={"options": {"rlimit": {"core": 0}}})),
        (
            document("slot/core", shell=OPTIONS),
            document("slot/core", shell={"options": {"mpi": "none", "rlimit": {"core": 0}}}),
        ),
    ],
)
def test_the_same(first: Document, second: Document) -> None:
    assert same.differences(first, second) == ()


def test_counts_that_are_written_differently() -> None:
    one, other = document("slot=2+/core"), document("slot=2+/core")
    other["resources"][0]["count"] = "2+"
    assert one["resources"][0]["count"] == {"min": 2}
    assert same.differences(one, other) == ()


@pytest.mark.parametrize(
    ("first", "second", "sentences"),
    [
        (
            document("slot=2/core"),
            document("slot=2/core=3"),
            ("resources[0].with[0].count comes out as 3, not 1",),
        ),
        (
            document("slot=2-4/core"),
            document("slot=2/core"),
            ('resources[0].count comes out as 2, not "2-4"',),
        ),
        (
            document("slot/core", environment={"A": "1"}),
            document("slot/core"),
            ('attributes.system.environment is left out: {"A": "1"}',),
        ),
        (
            document("slot/core"),
            document("slot/core", queue="a"),
            ("attributes.system.queue is added: a",),
        ),
    ],
)
def test_differences_in_words(
    first: Document, second: Document, sentences: tuple[str, ...]
) -> None:
    assert same.sentences(same.differences(first, second)) == sentences


def test_the_label_of_one_of_two_slots_matters_only_where_the_task_runs() -> None:
    two = document("[slot{default}/core;slot{b}/core]")
    other = document("[slot{task}/core;slot{b}/core]", "task")
    assert same.differences(two, other) == ()
    assert same.differences(two, document("[slot{default}/core;slot{c}/core]")) != ()


def test_the_slot_of_the_task_is_called_as_either_side_calls_it() -> None:
    one, other = document("slot{db}/core", "db"), document("slot{task}/core", "task")
    one["tasks"][0]["slot"] = "other"
    assert same.sentences(same.differences(one, other)) == (
        "resources[0].label comes out as task, not db",
    )
    more = document("[slot{task}/core;memory]", "task")
    (sentence,) = same.sentences(same.differences(document("slot/core"), more))
    assert "slot" in sentence
    assert "u0000" not in sentence
    found = same.of_resources(one["resources"], "db", more["resources"], "task")
    assert [d.first[0]["label"] for d in found] == ["db"]


def test_the_count_of_a_task_is_one_place() -> None:
    one, other = document("slot/core"), document("slot/core")
    other["tasks"][0]["count"] = {"total": 5}
    assert same.sentences(same.differences(one, other)) == (
        'tasks[0].count comes out as {"total": 5}, not {"per_slot": 1}',
    )


def test_many_differences_are_counted() -> None:
    one = document("slot/core", x={str(number): 1 for number in range(20)})
    other = document("slot/core", x={str(number): 2 for number in range(20)})
    found = same.sentences(same.differences(one, other))
    assert len(found) == 7
    assert found[-1] == "14 more places differ"


def test_what_is_shown_is_printable() -> None:
    one = document("slot/core", queue="a\x1b[31m")
    assert "\x1b" not in same.sentences(same.differences(one, document("slot/core")))[0]
