"""Whether flux-core takes a jobspec in, against what a running instance did."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.documents.document import steps
from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each
from tests.model.accept_cases import ELSEWHERE, REFUSED, TAKEN
from tests.model.jobspecs import BASE, JSON, changed

CAUSED = [
    *((place, value, place) for place, values in REFUSED.items() for value in values),
    *((place, value, cause) for place, values, cause in ELSEWHERE for value in values),
]


@for_each("case", [(place, value) for place, values in TAKEN.items() for value in values])
def test_takes(case: tuple[str, Any]) -> None:
    assert submit_check.check(changed(*case)) == ()


@for_each("case", CAUSED)
def test_refuses_and_names_the_cause(case: tuple[str, Any, str | None]) -> None:
    place, value, cause = case
    first = submit_check.check(changed(place, value))[0]
    if cause == place:
        found = [] if first.path is None else steps(first.path)
        assert "/".join(map(str, found)) == cause
    else:
        assert first.path == cause
    assert first.rule == "flux-core"
    assert first.severity == "error"


@for_each(
    "case",
    [
        # Each is refused; flux-core says what comes first here.
        ({"version": 2, "resources/0/count": 0}, "version"),
        ({"resources/0/count": 0, "attributes": []}, "attributes"),
        ({"resources/0/count": "2-4", "tasks/0/slot": 5}, "tasks[0].slot"),
        ({"resources/0/count": "2-", "tasks/0/slot": 5}, "resources[0].count"),
        ({"attributes/system/queue": 5, "resources/0/unit": 5}, "resources[0].unit"),
        ({"attributes/system/duration": "1h", "tasks/0/count": {}}, "tasks[0].count"),
    ],
)
def test_names_first_what_flux_core_finds_first(case: tuple[dict[str, Any], str]) -> None:
    values, path = case
    document = BASE
    for place, value in values.items():
        document = changed(place, value, document)
    assert submit_check.check(document)[0].path == path


def test_says_everything_that_is_wrong() -> None:
    resources = to_resources(parse_shape("[node=2-4/slot/core=2+;gpu=1,2]"))
    paths = [problem.path for problem in submit_check.check(jobspec.build(resources))]
    assert paths == [
        "resources[0].count",
        "resources[0].with[0].with[0].count",
        "resources[1].count",
    ]


@for_each("value", [None, 5, "x", [], float("nan")])
def test_what_is_no_dictionary_is_no_jobspec(value: Any) -> None:
    assert submit_check.check(value)[-1].message.startswith("a jobspec is a dictionary")


def test_numbers_that_json_does_not_have() -> None:
    for number in (float("inf"), float("nan")):
        (problem,) = submit_check.check(changed("attributes/system/duration", number))
        assert problem.path == "attributes.system.duration"
        assert "JSON" in problem.message


def _nested(levels: int) -> Any:
    resources: list[Any] = []
    for _ in range(levels):
        resources = [{"type": "x", "count": 1, "with": resources}]
    return changed("resources", resources)


def test_as_deep_as_flux_core_goes() -> None:
    assert submit_check.check(_nested(489)) == ()
    assert any("490 levels" in problem.message for problem in submit_check.check(_nested(491)))


@given(JSON)
def test_never_raises_on_any_json(value: Any) -> None:
    for place in ("resources", "resources/0/with", "tasks", "tasks/0/count", "attributes"):
        submit_check.check(changed(place, value))
    for key in ("dependencies", "constraints", "duration", "job"):
        submit_check.check(changed(f"attributes/system/{key}", value))
    submit_check.check(value)


@given(st.text(alphabet="\x1b[]\0\x9b\u202eab", max_size=12))
def test_messages_hold_no_control_characters(word: str) -> None:
    document = changed("attributes/system/dependencies", [{"scheme": word, "value": "x"}])
    document[word] = 1
    document["attributes"]["system"]["constraints"] = {word: ["a"], "ranks": [word]}
    document["resources"][0]["count"] = word
    for problem in submit_check.check(document):
        assert problem.message.isprintable(), problem


def test_a_document_is_left_as_it_was() -> None:
    document = copy.deepcopy(BASE)
    submit_check.check(document)
    assert json.dumps(document) == json.dumps(BASE)
