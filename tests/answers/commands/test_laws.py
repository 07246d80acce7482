"""What holds for every jobspec; what holds for every text is a law of `tests.campaign`."""

import shlex
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.commands import jobs, translation, variables
from fluxtui.answers.commands.conversion import SYSTEMS, from_jobspec
from fluxtui.answers.commands.scripts import looks_like_command
from fluxtui.answers.commands.translation import PROGRAMS, from_command, to_command
from fluxtui.answers.commands.variables import Variables
from tests.conformance.cases import missing, rows
from tests.constraints import objects
from tests.each import for_each

Document = dict[str, Any]

#: Without the recorded answers there is nothing to hold.
RECORDED = [{"id": missing(), "jobspec": None}] if missing() else rows("jobspec_v1")

SMALL = st.integers(1, 8)
COUNTS = st.one_of(
    SMALL,
    st.sampled_from(["2", "1-4", "2+", "1,3", "4-16:4", "2-16:2:*"]),
    SMALL.map(lambda n: {"min": n}),
    SMALL.map(lambda n: {"min": n, "max": 8, "operator": "+", "operand": 1}),
)
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
CONSTRAINTS = objects(st.sampled_from(["a", "b", "^x"]), st.just("n[1-4]"), st.just("0-3"))
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
OPTIONS = st.fixed_dictionaries({}, optional={
    "output": st.sampled_from([{"stdout": FILE}, {"stdout": {**FILE, "label": True}}, {}]),
    "signal": st.sampled_from([{"signum": 10, "timeleft": 60}, {"signum": 10}]),
    "taskmap": st.sampled_from([{"scheme": "cyclic", "value": ""}, {"scheme": 4}]),
    "per-resource": st.sampled_from([{"type": "node", "count": 4}, {"type": "core"}]),
    "rlimit": st.sampled_from([{"core": -1}, {}]),
    "mpi": VALUES,
})  # fmt: skip
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
COMMANDS = st.lists(WORDS, min_size=1, max_size=3)


VERTICES: st.SearchStrategy[Document] = st.deferred(lambda: st.fixed_dictionaries(
    {"type": st.sampled_from(["node", "core", "gpu", "socket", "memory", "rack", "my type"]),
     "count": COUNTS},
    optional={"exclusive": st.booleans(), "unit": st.sampled_from(["GB", "1", "g b"]),
              "with": st.lists(VERTICES, min_size=1, max_size=2)},
))  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> Document:
    gpus = st.lists(SMALL.map(lambda n: {"type": "gpu", "count": n}), max_size=1)
    inside: list[Document] = [{"type": "core", "count": draw(SMALL)}, *draw(gpus)]
    if draw(st.integers(0, 2)) == 0:
        inside = draw(st.lists(VERTICES, min_size=1, max_size=2))
    label = draw(st.sampled_from(["task", "default", "foo", "a b"]))
    count = draw(SMALL | SMALL | COUNTS)
    resources = [{"type": "slot", "count": count, "label": label, "with": inside}]
    if draw(st.booleans()):
        whole = draw(st.sampled_from([{}, {"exclusive": True}, {"exclusive": False}]))
        resources = [{"type": "node", "count": draw(SMALL), "with": resources, **whole}]
    command = draw(COMMANDS | COMMANDS.map(lambda words: ["flux", "start", *words[1:]]))
    return {
        "version": 1,
        "resources": resources,
        "tasks": [{"command": command, "slot": label, "count": draw(TASKS)}],
        "attributes": {"system": draw(SYSTEM)},
    }


def _holds(document: Document) -> None:
    """Every line reads back as it was meant, and has notes on what it does not express."""
    found = to_command(document)
    assert [rendering.name for rendering in found] == list(PROGRAMS)
    for rendering in found:
        assert rendering.exact or rendering.notes
        if rendering.text is None:
            assert not rendering.exact
            continue
        assert shlex.split(rendering.text)[0] == rendering.name.split()[0]
        assert looks_like_command(rendering.text)
        read = from_command(rendering.text)
        assert read.problems == ()
        assert read.document is not None
        if rendering.exact and "script.sh" not in rendering.text:
            assert jobs.differences(document, read.document) == ()
    for target in SYSTEMS:
        converted = from_jobspec(document, target)
        assert (converted.command is None) == bool(converted.problems)
        assert converted.command in [rendering.text for rendering in found]


@given(documents())
def test_an_exact_line_reads_back_as_the_same(document: Document) -> None:
    _holds(document)


HEADS = {"flux": "flux submit", "slurm": "srun", "pbs": "qsub -l nodes=2", "lsf": "bsub -n 4"}
LISTS = st.lists(st.sampled_from("ABCD"), max_size=2, unique=True).map(tuple)
ASKED = st.builds(
    Variables, st.booleans(), VARIABLES.map(lambda found: {k: v for k, v in found.items() if v}),
    LISTS, LISTS,
)  # fmt: skip


@given(ASKED, st.sampled_from(SYSTEMS))
def test_the_environment_that_is_written_is_read_again(asked: Variables, system: str) -> None:
    asked = replace(asked, **{"copied" if asked.inherits else "removed": ()})
    words, lost = variables.write(system, asked)
    if not lost:
        read = translation.read(f"{HEADS[system]} {shlex.join([*words, '--', 'app'])}")
        assert isinstance(read, translation.Reading)
        assert (read.line.variables or Variables()) == asked


@for_each("row", RECORDED, lambda row: row["id"])
def test_recorded_jobspecs(row: Document) -> None:
    if isinstance(row["jobspec"], dict):
        _holds(row["jobspec"])
