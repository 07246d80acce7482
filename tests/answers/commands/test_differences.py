"""Where two jobspecs ask for different things."""

from typing import Any

from fluxtui.answers.commands import differences
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each

Document = dict[str, Any]


def document(text: str, label: str = "default", **system: Any) -> Document:
    resources = to_resources(parse_shape(text), label)
    out = jobspec.build(resources, ["app"], slot_label=label)
    out["attributes"]["system"].update(system)
    return out


def counted(text: str, count: object) -> Document:
    out = document(text)
    out["resources"][0]["count"] = count
    return out


OPTIONS, LIMITS = {"mpi": "none"}, {"rlimit": {"core": 0}}
PLAIN = document("slot/core")


@for_each("pair", [
    (document("node=2/slot/core"), document("node=2/slot/core", "task")),
    (document("slot/[core;gpu]"), document("slot/[gpu;core]")),
    (document("slot=2-4/core"), {**document("slot=2-4/core"), "version": 9}),
    (counted("slot/core", {"min": 2}), counted("slot/core", "2+")),
    (document("slot/core", duration=0), document("slot/core", duration=0.0)),
    (PLAIN, document("slot/core", environment={"A": "1"}, cwd="/x")),
    (PLAIN, document("slot/core", shell={"options": LIMITS})),
    (document("slot/core", shell={"options": OPTIONS}),
     document("slot/core", shell={"options": {**OPTIONS, **LIMITS}})),
    (document("[slot{default}/core;slot{b}/core]"),
     document("[slot{task}/core;slot{b}/core]", "task")),
])  # fmt: skip
def test_what_is_no_difference(pair: tuple[Document, Document]) -> None:
    assert differences.between(*pair) == ()


def many(value: int) -> Document:
    return document("slot/core", x={str(number): value for number in range(20)})


def retasked(**task: Any) -> Document:
    out = document("slot{db}/core", "db")
    out["tasks"][0].update(task)
    return out


@for_each("row", [
    (document("slot=2/core"), document("slot=2/core=3"),
     ["resources[0].with[0].count comes out as 3, not 1"]),
    (document("slot=2-4/core"), document("slot=2/core"),
     ['resources[0].count comes out as 2, not "2-4"']),
    (document("slot/core", environment={"A": "1"}), PLAIN,
     ['attributes.system.environment is left out: {"A": "1"}']),
    (PLAIN, document("slot/core", queue="a"), ["attributes.system.queue is added: a"]),
    (document("slot/core", queue="a\x1b[31m"), PLAIN,
     ["attributes.system.queue is left out: a\\x1b[31m"]),
    (document("[slot{default}/core;slot{b}/core]"), document("[slot{default}/core;slot{c}/core]"),
     ["resources[1].label comes out as c, not b"]),
    (retasked(slot="other"), document("slot{task}/core", "task"),
     ["resources[0].label comes out as task, not db"]),
    (PLAIN, document("[slot{task}/core;memory]", "task"),
     ['resources comes out as [{"type": "memory", "count": 1}, {"type": "slot", "count"..., '
                'not [{"type": "slot", "count": 1, "label": "default", "with":...'
]),
    (retasked(), retasked(count={"total": 5}),
     ['tasks[0].count comes out as {"total": 5}, not {"per_slot": 1}']),
])  # fmt: skip
def test_differences_in_sentences(row: tuple[Document, Document, list[str]]) -> None:
    first, second, expected = row
    assert differences.sentences(differences.between(first, second)) == expected


def test_many_differences_are_counted() -> None:
    found = differences.sentences(differences.between(many(1), many(2)))
    assert len(found) == 7
    assert found[-1] == "14 more places differ"
