"""Jobspecs written for each program (``requests.toml``), and where two of them differ."""

import json
import tomllib
from pathlib import Path
from typing import Any

from fluxtui.answers.commands import jobs
from fluxtui.answers.commands.jobs import Rendering
from fluxtui.answers.commands.translation import PROGRAMS, from_command, to_command
from fluxtui.answers.commands.variables import LOGIN
from fluxtui.model.jobspec import jobspec
from fluxtui.notation import shellwords
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.each import for_each

Document = dict[str, Any]

REQUESTS: list[Document] = tomllib.loads(
    Path(__file__).with_name("requests.toml").read_text(encoding="utf-8")
)["request"]


def document(text: str, label: str = "default", **system: Any) -> Document:
    tree = parse_shape(text)
    assert tree.ok
    out = jobspec.build(to_resources(tree, label), ["app"], slot_label=label)
    out["attributes"]["system"].update(system)
    return out


def requested(request: Document) -> Document:
    """The jobspec of a request."""
    out = document(request["shape"], **json.loads(request.get("attributes", "{}")))
    words = [word.text for word in shellwords.split(request["command"]).value]
    out["tasks"][0] |= {"command": words, "count": request.get("tasks", {"per_slot": 1})}
    return out


def retasked(text: str = "slot{db}/core", **task: Any) -> Document:
    out = document(text, "db")
    out["tasks"][0].update(task)
    return out


def program_of(line: str) -> str:
    return next(name for name in PROGRAMS if line == name or line.startswith(f"{name} "))


def renderings(request: Document) -> dict[str, Rendering]:
    return {found.name: found for found in to_command(requested(request))}


def what(request: Document) -> object:
    return request["what"]


@for_each("each", REQUESTS, what)
def test_requests_are_written_and_read_again(each: Document) -> None:
    found = renderings(each)
    for row in each.get("approximate", ()):
        approximate = found[program_of(row["line"])]
        assert (approximate.text or approximate.name) == row["line"]
        assert (approximate.exact, list(approximate.notes)) == (False, row["why"])
        if approximate.text is not None:
            read = from_command(row["line"])
            assert (read.problems, read.document is None) == ((), False)
    for line in each.get("exact", ()):
        exact = found[program_of(line)]
        assert (exact.text, exact.exact, exact.notes) == (line, True, ())
        read, arguments = from_command(line), ""
        if "script.sh" in line:
            script = requested(each)["attributes"]["system"]["files"]["script"]["data"]
            command, arguments = line.split(" script.sh")
            read = from_command(f"{command} <<EOF\n{script}EOF\n")
        assert read.problems == ()
        assert read.document is not None
        read.document["tasks"][0]["command"] += arguments.split()
        assert jobs.differences(requested(each), read.document) == ()


@for_each("each", REQUESTS, what)
def test_a_script_asks_for_the_same_resources(each: Document) -> None:
    for found in renderings(each).values():
        if found.text is None or found.script is None or "script.sh" in found.text:
            continue
        both = [from_command(text).document or {} for text in (found.text, found.script)]
        one, other = (dict(read["attributes"]["system"]) for read in both)
        for key in ("job", "files", "shell"):
            one.pop(key, None)
            other.pop(key, None)
        assert (both[0]["resources"], one) == (both[1]["resources"], other)


@for_each("names", [("qsub",), ("flux alloc", "srun"), ("flux run",), ()])
def test_only_what_is_named_is_written(names: tuple[str, ...]) -> None:
    job = document("node=4/slot/core=8")
    every = {found.name: found for found in to_command(job)}
    assert tuple(every) == PROGRAMS
    assert to_command(job, names) == tuple(every[name] for name in names)
    assert tuple(found.name for found in to_command({"version": "none"}, names)) == names


DEEP: Any = 1
for _ in range(900):
    DEEP = {"k": DEEP}
MANY: dict[str, Any] = {"A": "1", **{f"V{number}": None for number in range(1_000)}}
UNSET = "Slurm has no counterpart of"
QSUB, FIRST = (
    "qsub -l select=1:ncpus=1",
    ("qsub runs one command on the first node, and mpiexec starts the tasks"),
)
EMPTY = document("slot/core")
EMPTY["resources"][0] |= {"count": 0, "with": [{"type": "node", "count": {"min": 1, "max": 4}}]}
SEVERAL = document("slot/core")
SEVERAL["tasks"] *= 2
BROKER = document("node=2/slot=4/[core=2;memory=8{unit:GB}]")
BROKER["tasks"][0]["command"] = ["flux", "broker"]


@for_each("job, program, text, notes", [
    (SEVERAL, "qsub", None, ["a command line runs one task; this jobspec has 2"]),
    (EMPTY, "flux submit", None, ["a count is 1 or more; found 0"]),
    (document("slot/core", deep=DEEP), "srun", None,
     ["the jobspec is nested too deep for a command line"]),
    ({**document("slot=2/core"), "version": 999}, "flux submit", "flux submit -n2 app",
     ["Flux writes version 1, and this has 999"]),
    (retasked(slot="other"), "srun", None,
     ["the task has no slot to run in: none has the label 'other'"]),
    (retasked(slot=4), "flux submit", "flux submit app",
     ["the task has no slot to run in: its slot is not a string",
      "resources[0].label comes out as task, not db"]),
    (retasked("[slot{a}/core;slot{b}/gpu]", slot="other"), "flux submit",
     "flux submit --resources-shape='[slot{a}/core;slot{b}/gpu]' app",
     ["the task has no slot to run in: none has the label 'other'"]),
    # A broker that has a node gets the memory of all its slots.
    (BROKER, "srun", "srun -N2 -c 8 --mem-per-cpu=4096 flux start",
     ["srun starts the Flux instance with 'flux start', one broker a node"]),
    *((document("slot/core", shell={"options": {"signal": {"signum": 10, "timeleft": left}}}),
       "srun", "srun app", ["Slurm has no counterpart of attributes.system.shell.options.signal"])
      for left in (float("inf"), 10**400)),
    (document("slot/core", duration=10**400), "srun", "srun app",
     ["Slurm has no counterpart of attributes.system.duration"]),
    # A variable without words is named, and takes no other with it.
    *((document("slot/core", environment=environment), program, line, notes)
      for environment, program, line, notes in (
          ({"A": "1", "B": "x y"}, "srun", "srun --export='A=1,B=x y' app", []),
          ({"A": "1", "B": None, "C": "x,y"}, "srun", "srun --export=A=1 app",
           [f"{UNSET} attributes.system.environment.{name}" for name in "BC"]),
          ({}, "srun", "srun --export=NONE app", []),
          ({"A": "1", "B": None}, "qsub", f"{QSUB} -v A=1 -- mpiexec -n 1 app",
           [FIRST, LOGIN, "PBS has no counterpart of attributes.system.environment.B"]),
          ({"B": None}, "qsub", f"{QSUB} -- mpiexec -n 1 app",
           [FIRST, "PBS has no counterpart of attributes.system.environment.B"]),
          ({}, "qsub", f"{QSUB} -- mpiexec -n 1 app",
           [FIRST, "PBS has no counterpart of attributes.system.environment"]))),
    (document("slot/core", environment=MANY), "srun", "srun --export=A=1 app",
     [*(f"{UNSET} attributes.system.environment.V{number}" for number in range(5)),
      f"{UNSET} 995 more variables of the environment"]),
])  # fmt: skip
def test_what_is_written_and_noted(
    job: Document, program: str, text: str | None, notes: list[str]
) -> None:
    (found,) = to_command(job, [program])
    assert (found.text, list(found.notes)) == (text, notes)


# Differences


def counted(text: str, count: object) -> Document:
    out = document(text)
    out["resources"][0]["count"] = count
    return out


OPTIONS, LIMITS = {"mpi": "none"}, {"rlimit": {"core": 0}}
PLAIN = document("slot/core")


@for_each("first, second, expected", [
    (document("node=2/slot/core"), document("node=2/slot/core", "task"), []),
    (document("slot/[core;gpu]"), document("slot/[gpu;core]"), []),
    (document("slot=2-4/core"), {**document("slot=2-4/core"), "version": 9}, []),
    (counted("slot/core", {"min": 2}), counted("slot/core", "2+"), []),
    (document("slot/core", duration=0), document("slot/core", duration=0.0), []),
    (PLAIN, document("slot/core", environment={"A": "1"}, cwd="/x"), []),
    (PLAIN, document("slot/core", shell={"options": LIMITS}), []),
    (document("slot/core", shell={"options": OPTIONS}),
     document("slot/core", shell={"options": {**OPTIONS, **LIMITS}}), []),
    (document("[slot{default}/core;slot{b}/core]"),
     document("[slot{task}/core;slot{b}/core]", "task"), []),
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
     ['resources comes out as [{"type": "memory", "count": 1}, {"type…ore", "count": 1}]}], '
      'not [{"type": "slot", "count": 1, "label": …ore", "count": 1}]}]']),
    (retasked(), retasked(count={"total": 5}),
     ['the job runs 5 tasks in all, not 1 task in each slot']),
    (document("slot/core", x={str(number): 1 for number in range(20)}),
     document("slot/core", x={str(number): 2 for number in range(20)}),
     [*(f"attributes.system.x['{number}'] comes out as 2, not 1" for number in range(6)),
      "14 more places differ"]),
])  # fmt: skip
def test_differences_in_sentences(first: Document, second: Document, expected: list[str]) -> None:
    assert jobs.sentences(jobs.differences(first, second)) == expected


@for_each("system", [
    {"job": {"name": "x\nrm -rf ~\n#"}}, {"queue": "q\nid"}, {"cwd": "/a\nid"}, {"bank": "b\nid"},
    {"environment": {"A": "x\nid"}}, {"constraints": {"properties": ["p\nid"]}},
])  # fmt: skip
def test_a_line_break_in_a_name_is_no_command_of_a_script(system: Document) -> None:
    """A directive is one line: what follows a line break in it would be run."""
    for found in to_command(document("slot=2/core", **system)):
        lines = (found.script or "").split("\n")
        commands = [line for line in lines if line and not line.startswith("#")]
        assert all(line.endswith(" app") for line in commands), found
