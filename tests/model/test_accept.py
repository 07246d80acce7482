"""Whether flux-core takes a jobspec in, against what a running instance did."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.each import for_each
from tests.model.cases import Case, cases
from tests.model.jobspecs import BASE, JSON, changed


@for_each("case", cases("accepted.txt"), lambda case: case.given)
def test_takes_what_flux_core_takes_and_names_the_cause(case: Case) -> None:
    found = verdicts.check_submission(case.document)
    if case.lines == ["taken"]:
        assert found == ()
        return
    first = found[0]
    assert (first.path or "(no path)") == case.lines[0]
    assert (first.rule, first.severity) == ("flux-core", "error")


@for_each("values, path", [
    # Each is refused; flux-core says what comes first here.
    ({"version": 2, "resources/0/count": 0}, "version"),
    ({"resources/0/count": 0, "attributes": []}, "attributes"),
    ({"resources/0/count": "2-4", "tasks/0/slot": 5}, "tasks[0].slot"),
    ({"resources/0/count": "2-", "tasks/0/slot": 5}, "resources[0].count"),
    ({"attributes/system/queue": 5, "resources/0/unit": 5}, "resources[0].unit"),
    ({"attributes/system/duration": "1h", "tasks/0/count": {}}, "tasks[0].count"),
])  # fmt: skip
def test_names_first_what_flux_core_finds_first(values: dict[str, Any], path: str) -> None:
    document = BASE
    for place, value in values.items():
        document = changed(place, value, document)
    assert verdicts.check_submission(document)[0].path == path


def test_says_everything_that_is_wrong() -> None:
    resources = to_resources(parse_shape("[node=2-4/slot/core=2+;gpu=1,2]"))
    paths = [problem.path for problem in verdicts.check_submission(jobspec.build(resources))]
    assert paths == [
        "resources[0].count",
        "resources[0].with[0].with[0].count",
        "resources[1].count",
    ]


def nested(levels: int) -> Any:
    resources: list[Any] = []
    for _ in range(levels):
        resources = [{"type": "x", "count": 1, "with": resources}]
    return changed("resources", resources)


def test_what_is_not_json_or_too_deep() -> None:
    for value in (None, 5, "x", [], float("nan")):
        assert verdicts.check_submission(value)[-1].message.startswith("a jobspec is a dictionary")
    for number in (float("inf"), float("nan")):
        (problem,) = verdicts.check_submission(changed("attributes/system/duration", number))
        assert problem.path == "attributes.system.duration"
        assert "JSON" in problem.message
    assert verdicts.check_submission(nested(489)) == ()
    assert any(
        "490 levels" in problem.message for problem in verdicts.check_submission(nested(491))
    )


@given(JSON)
def test_never_raises_on_any_json(value: Any) -> None:
    for place in ("resources", "resources/0/with", "tasks", "tasks/0/count", "attributes"):
        document = changed(place, value)
        before = copy.deepcopy(document)
        verdicts.check_submission(document)
        assert json.dumps(document) == json.dumps(before)  # left as it was
    for key in ("dependencies", "constraints", "duration", "job"):
        verdicts.check_submission(changed(f"attributes/system/{key}", value))
    verdicts.check_submission(value)


@given(st.text(alphabet="\x1b[]\0\x9b\u202eab", max_size=12))
def test_messages_hold_no_control_characters(word: str) -> None:
    document = changed("attributes/system/dependencies", [{"scheme": word, "value": "x"}])
    document[word] = 1
    document["attributes"]["system"]["constraints"] = {word: ["a"], "ranks": [word]}
    document["resources"][0]["count"] = word
    for problem in verdicts.check_submission(document):
        assert problem.message.isprintable(), problem
