"""What holds for every jobspec and every text."""

import json
import shlex
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.commands import PROGRAMS, Known, hear, looks_like_command, same, say
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.conformance.cases import rows

Document = dict[str, Any]

SMALL = st.integers(1, 8)
COUNTS = st.one_of(
    SMALL, st.sampled_from(["2", "1-4", "2+", "1,3", "4-16:4", "2-16:2:*"]),
    SMALL.map(lambda n: {"min": n}),
    st.tuples(SMALL, SMALL).map(
        lambda both: {"min": min(both), "max": max(both), "operator": "+", "operand": 1}
    ),
)  # fmt: skip
LABELS = st.sampled_from(["task", "default", "foo", "a b"])
WORDS = st.sampled_from(
    ["app", "a b", "it's", "x=1", "-v", "--", "", "é", "$HOME", "{{id}}", 'a"b', "\\n", "4", "|"]
)
NAMES = st.sampled_from(["batch", "my queue", "-x", "a=b", "ünï", "x;y", "$q", "'q'"])
VALUES = st.recursive(
    st.sampled_from([1, 0, True, False, None, "s", "1", "a b", "a\nb", 1.5, "{{x}}", "NaN", "é"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b", "c.d", "e=f"]), inner, max_size=2)
    ),
    max_leaves=4,
)
PLAIN = st.sampled_from(
    [{"properties": ["a"]}, {"properties": ["a", "b"]}, {"hostlist": ["n[1-4]"]},
     {"ranks": ["0-3"]}, {"properties": ["^x"]}, {}]
)  # fmt: skip
CONSTRAINTS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"and": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"or": parts}),
        inner.map(lambda part: {"not": [part]}),
    ),
    max_leaves=4,
)
DEPENDENCIES = st.sampled_from(
    [{"scheme": "afterok", "value": "f1234"}, {"scheme": "Fluid", "value": "x"},
     {"scheme": "string", "value": "foo", "type": "in", "scope": "user"},
     {"scheme": "s", "value": "a#b"}, {"scheme": "s", "value": "v", "k": "5"}]
)  # fmt: skip
VARIABLES = st.dictionaries(
    st.sampled_from(["A", "B", "h-i", "J.k"]),
    st.sampled_from(["1", "$x", "{{id}}", "a b", "", None, "l\nm"]),
    max_size=3,
)
FILE = {"type": "file", "path": "out-{{id}}"}
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "output": st.sampled_from([{"stdout": FILE}, {"stdout": {**FILE, "label": True}}, {}]),
        "signal": st.sampled_from([{"signum": 10, "timeleft": 60}, {"signum": 10}]),
        "taskmap": st.sampled_from([{"scheme": "cyclic", "value": ""}, {"scheme": 4}]),
        "per-resource": st.sampled_from([{"type": "node", "count": 4}, {"type": "core"}]),
        "rlimit": st.sampled_from([{"core": -1}, {}]),
        "mpi": VALUES,
    },
)
SYSTEM = st.fixed_dictionaries(
    {"duration": st.sampled_from([0, 60, 3600.0, 0.5, 1 / 3, 1e6])},
    optional={
        "queue": NAMES, "bank": NAMES, "cwd": st.sampled_from(["/a b", "rel"]),
        "job": st.fixed_dictionaries({"name": NAMES}), "environment": VARIABLES,
        "constraints": CONSTRAINTS, "dependencies": st.lists(DEPENDENCIES, max_size=2),
        "shell": OPTIONS.map(lambda options: {"options": options}), "project": VALUES,
    },
)  # fmt: skip
TASKS = st.sampled_from([{"per_slot": 1}] * 4 + [{"total": 5}, {"per_slot": 2}])


@st.composite
def vertices(draw: st.DrawFn, depth: int = 2) -> Document:
    kinds = ["node", "core", "gpu", "socket", "memory", "rack", "my type"]
    out: Document = {"type": draw(st.sampled_from(kinds)), "count": draw(COUNTS)}
    extra = {"exclusive": st.booleans(), "unit": st.sampled_from(["GB", "1", "g b"])}
    out.update(draw(st.fixed_dictionaries({}, optional=extra)))
    if depth and draw(st.booleans()):
        out["with"] = draw(st.lists(vertices(depth - 1), min_size=1, max_size=2))
    return out


@st.composite
def documents(draw: st.DrawFn) -> Document:
    inside: list[Document] = [{"type": "core", "count": draw(SMALL)}]
    if draw(st.booleans()):
        inside.append({"type": "gpu", "count": draw(SMALL)})
    if draw(st.integers(0, 2)) == 0:
        inside = draw(st.lists(vertices(), min_size=1, max_size=2))
    label = draw(LABELS)
    count = draw(COUNTS if draw(st.integers(0, 3)) == 0 else SMALL)
    slot: Document = {"type": "slot", "count": count, "label": label, "with": inside}
    resources = [slot]
    if draw(st.booleans()):
        resources = [{"type": "node", "count": draw(SMALL), "with": resources}]
        if draw(st.booleans()):
            resources[0]["exclusive"] = draw(st.booleans())
    command = draw(st.lists(WORDS, min_size=1, max_size=3))
    command = ["flux", "start", *command[1:]] if draw(st.integers(0, 3)) == 0 else command
    return {
        "version": 1,
        "resources": resources,
        "tasks": [{"command": command, "slot": label, "count": draw(TASKS)}],
        "attributes": {"system": draw(SYSTEM)},
    }


def _holds(document: Document) -> None:
    """Every saying is heard again as it was meant, and says what it does not say."""
    sayings = say(document)
    assert [saying.name for saying in sayings] == list(PROGRAMS)
    for saying in sayings:
        assert saying.exact or saying.notes
        if saying.text is None:
            assert not saying.exact
            continue
        assert shlex.split(saying.text)[0] == saying.name.split()[0]
        assert looks_like_command(saying.text)
        heard = hear(saying.text)
        assert heard.problems == ()
        assert heard.document is not None
        if saying.exact and "script.sh" not in saying.text:
            assert same.differences(document, heard.document) == ()


@given(documents())
def test_what_is_said_exactly_is_heard_as_the_same(document: Document) -> None:
    _holds(document)


@pytest.mark.parametrize("row", rows("jobspec_v1"), ids=lambda row: row["id"])
def test_recorded_jobspecs(row: Document) -> None:
    if isinstance(row["jobspec"], dict):
        _holds(row["jobspec"])


PIECES = st.sampled_from(
    ["flux submit", "flux batch", "flux alloc", "srun", "sbatch", "salloc", "qsub", "-N", "-n4",
     "-l", "nodes=", "select=", "=", ":", "+", ",", "'", '"', "\\", "\n", "#SBATCH ", "#PBS ",
     "# flux: ", "<<EOF", "EOF", "$ ", " ", ";", "&", ">", "--export=", "-t", "(", "[", "--mem",
     "\x1b", "--env=", "$X", "--rlimit", "--setattr=", "a.b=", "{}", "--resources-shape=",
     "slot/core", "--wrap", "'''", '"""', "-W", "depend=", "n[1-", "--signal", "@", "-B", "é"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=40)


@given(TEXTS, st.sampled_from([{}, {"A": "1"}]))
def test_any_text_is_heard(text: str, environ: dict[str, str]) -> None:
    looks_like_command(text)
    heard = hear(text, environ)
    places = [note.span for note in heard.notes]
    for span in (*places, *(problem.span for problem in heard.problems)):
        assert span is not None
        assert 0 <= span.start <= span.end <= len(text)
    if heard.document is None:
        assert heard.problems
    else:
        json.dumps(heard.document)
        assert len(say(heard.document)) == len(PROGRAMS)


JUNK = st.recursive(
    st.sampled_from([None, 1, "x", True, 1.5, "slot", "node", "4", "flux"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["resources", "tasks", "attributes", "system", "shell", "options", "type", "count",
             "with", "label", "command", "slot", "environment", "constraints", "dependencies",
             "files", "script", "data", "output", "stdout", "path", "rlimit", "job", "name"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JUNK, JUNK, JUNK)
def test_any_document_is_said_or_refused(resources: Any, task: Any, attributes: Any) -> None:
    slot = {"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]}
    whole = {"command": ["a"], "slot": "a", "count": task}
    for document in (
        {"resources": resources, "tasks": [whole], "attributes": attributes},
        {"resources": [slot], "tasks": [task], "attributes": attributes},
        {"resources": [slot], "tasks": [whole], "attributes": {"system": attributes}},
    ):
        for saying in say(document):
            assert saying.exact or saying.notes


def test_a_jobspec_that_is_nested_too_deep() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = {"k": deep}
    document = {
        "resources": [{"type": "slot", "count": 1, "label": "a",
                       "with": [{"type": "core", "count": 1}]}],
        "tasks": [{"command": ["a"], "slot": "a", "count": {"per_slot": 1}}],
        "attributes": {"system": {"deep": deep}},
    }  # fmt: skip
    assert all(saying.notes for saying in say(document))


class _Counted(dict[str, Any]):
    """A vertex that counts how often it is looked at."""

    looks = 0

    def get(self, key: str, default: Any = None) -> Any:
        _Counted.looks += 1
        return super().get(key, default)


@pytest.mark.parametrize("program", ["srun", "qsub"])
def test_a_job_of_many_slots_takes_a_look_at_each(program: str) -> None:
    looks = []
    for count in (100, 200):
        core = {"type": "core", "count": 1}
        slots = [
            _Counted(type="slot", count=1, label=f"s{number}", **{"with": [core]})
            for number in range(count)
        ]
        _Counted.looks = 0
        say(jobspec.build(slots), (program,))
        looks.append(_Counted.looks)
    assert looks[0] > 0
    assert looks[1] <= 2 * looks[0]


@given(
    st.lists(documents(), min_size=1, max_size=3),
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=2, max_size=4),
)
def test_a_vertex_that_stays_is_said_as_a_new_one(
    drawn: list[Document], chosen: list[list[int]]
) -> None:
    pool = [vertex for document in drawn for vertex in document["resources"]]
    after_each_other = [
        {**drawn[len(numbers) % len(drawn)], "resources": [pool[n % len(pool)] for n in numbers]}
        for numbers in chosen
    ]
    alone = [say(deepcopy(document)) for document in after_each_other]
    known = Known()
    assert [say(document, known=known) for document in after_each_other] == alone
    pieces = [say(document, ("flux submit",), known=known) for document in after_each_other]
    assert pieces == [said[:1] for said in alone]


def _two_slots() -> Document:
    return jobspec.build(to_resources(parse_shape("[slot{a}/core;slot{b}/core]")))


def test_what_is_kept_is_the_vertices_of_the_last_job_alone() -> None:
    first, second, known = _two_slots(), _two_slots(), Known()
    say(first, ("flux submit",), known=known)
    kept = known.pieces[id(first["resources"][0])]
    second["resources"][0] = first["resources"][0]
    say(second, ("flux submit",), known=known)
    assert known.pieces[id(first["resources"][0])] is kept
    assert set(known.pieces) == set(map(id, second["resources"]))


def test_without_anything_kept_a_vertex_may_be_changed_in_place() -> None:
    document = _two_slots()
    say(document)
    document["resources"][0]["count"] = 9
    (said,) = say(document, ("flux submit",))
    assert "slot=9{task}" in str(said.text)


@pytest.mark.parametrize(
    ("text", "slot", "note"),
    [
        ("node=2/slot{db}/core", "other", "none has the label 'other'"),
        ("[slot{a}/core;slot{b}/gpu]", "other", "none has the label 'other'"),
        ("[slot{a}/core;slot{b}/gpu]", 4, "it names none by its label"),
        ("node=4/core", "task", "the resources hold none"),
    ],
)
def test_a_task_whose_slot_is_not_there(text: str, slot: object, note: str) -> None:
    document = jobspec.build(to_resources(parse_shape(text)))
    document["tasks"][0]["slot"] = slot
    for saying in say(document):
        assert f"the task has no slot to run in: {note}" in saying.notes
        assert "\0" not in "".join(saying.notes)
        assert saying.text is None or saying.name.startswith("flux ")


def test_what_is_told_is_what_stands_in_the_way() -> None:
    ranges = {"type": "node", "count": {"min": 1, "max": 4}}
    slot = {"type": "slot", "count": 0, "label": "task", "with": [ranges]}
    task = {"command": ["app"], "slot": "task", "count": {"per_slot": 1}}
    (said,) = say({"version": 1, "resources": [slot], "tasks": [task]}, ["flux submit"])
    assert said.notes == ("a count is 1 or more; found 0",)
