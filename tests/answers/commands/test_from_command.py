"""What command lines and scripts are read as, recorded whole: ``readings.txt``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fluxtui.answers.commands import reading, scripts, slurm
from fluxtui.answers.commands.pbs import walltime
from fluxtui.answers.commands.scripts import looks_like_command
from fluxtui.answers.commands.translation import from_command
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from tests.each import for_each, the
from tests.pace import within
from tests.recorded import Agree, rerun
from tests.test_messages import TABLE

RECORDED = Path(__file__).with_name("readings.txt")
ENVIRON = {"HOME": "/h", "X": "1", "LD_A": "2"}


def answers(line: str) -> Iterator[str]:
    """What a text is read as: its resources, the tasks and attributes, notes and problems."""
    kind, _, given = line.partition("[")
    text, *known = json.loads(f"[{given}")
    if kind:
        yield json.dumps([word.text for word in scripts.read(text, "flux").words])
        return
    found = from_command(text, ENVIRON if known else None)
    assert looks_like_command(text) == bool(found.what)
    if found.document is not None:
        assert json.dumps(found.document)
        (task,) = found.document["tasks"]
        count = "" if task["count"] == {"per_slot": 1} else f", {json.dumps(task['count'])}"
        shape = format_shape(from_resources(found.document["resources"]).value)
        yield f"{found.what}: {shape.replace('{task}', '')}{count}: {json.dumps(task['command'])}"
        for part, attributes in found.document["attributes"].items():
            for key, value in attributes.items():
                if (key, value) != ("duration", 0):
                    shown = json.dumps(value).replace(json.dumps(text), "the text")
                    yield f"{part}.{key} = {shown}"
    for note in found.notes:
        yield f"note {json.dumps(text[slice(*note.span)])}: {note.text}"
    for problem in found.problems:
        yield f"{problem.severity} {json.dumps(text[slice(*problem.span)])}: {problem.message}"


def test_texts_are_read_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


@for_each("read, text, seconds", [
    (slurm.seconds, "30", 1800), (slurm.seconds, "1:30", 90), (slurm.seconds, "2:00:00", 7200),
    (slurm.seconds, "1-12", 129600), (slurm.seconds, "1-12:30", 131400),
    (slurm.seconds, "1-00:00:30", 86430), (slurm.seconds, "0", 0), (slurm.seconds, "UNLIMITED", 0),
    (slurm.seconds, "90:61", 5461), (slurm.seconds, "1:2:3:4", None), (slurm.seconds, "1h", None),
    (slurm.seconds, "-5", None), (slurm.seconds, "1-", None), (slurm.seconds, "", None),
    (walltime, "90", 90), (walltime, "1:30", 90), (walltime, "1:30:00", 5400),
    (walltime, "0:0:0.5", 0.5), (walltime, "1-2", None), (walltime, "x", None),
])  # fmt: skip
def test_times(read: Any, text: str, seconds: float | None) -> None:
    assert read(text) == seconds


@for_each("seconds", [1, 59, 60, 3600, 86399, 86400, 129600, 10**7])
def test_a_time_that_is_written_reads_back(seconds: int) -> None:
    assert slurm.seconds(slurm.time_text(seconds)) == seconds


A, B, C = ({"properties": [name]} for name in "abc")


@for_each("text, constraint", [
    ("a&b|c", {"or": [{"properties": ["a", "b"]}, C]}), ("a&(b|c)", {"and": [A, {"or": [B, C]}]}),
])  # fmt: skip
def test_features_are_read_as_they_are_written(text: str, constraint: dict[str, Any]) -> None:
    for features in (text, reading.features_text(constraint)):
        document: Any = from_command(f"srun -C '{features}' app").document
        assert document["attributes"]["system"]["constraints"] == constraint


@for_each("constraint", [
    {"not": [A]}, {"properties": ["^a"]}, {"properties": ["a b"]}, {"properties": []},
    {"hostlist": ["n1"]}, {"and": [A, {"ranks": ["0"]}]}, {}, None,
])  # fmt: skip
def test_what_features_cannot_express(constraint: object) -> None:
    assert reading.features_text(constraint) is None


@for_each("row", TABLE["command"])
def test_what_is_wrong_leaves_a_jobspec(row: list[str]) -> None:
    is_one = row[0] != "hello" and "bulksubmit" not in row[0]
    assert (from_command(row[0]).document is not None) == is_one


def test_a_command_that_is_too_long() -> None:
    read = from_command("srun app " + "x" * 70_000)
    message = "the text has 70,009 characters; more than 65,536 are not read"
    assert (read.document, read.problems[0].message) == (None, message)


HEAD = "#!/bin/sh\n#SBATCH -N2\n"
WORDS: list[list[str]] = [
    ["-N4", "-t", "1h"], ["--job-name=my job", "--x=it's", "-q", "a b"],
    ["--x=a\\b", "--y=a'b\\c\"d", "--z=#x", "--w=a|b", "--v="],
]  # fmt: skip
KINDS: tuple[scripts.Kind, ...] = ("flux", "SBATCH", "PBS")


@for_each("kind, words", [(kind, words) for kind in KINDS for words in WORDS])
def test_what_is_put_at_the_head_of_a_script_is_read_there(
    kind: scripts.Kind, words: list[str]
) -> None:
    lead = "# flux: " if kind == "flux" else f"#{kind} "
    script = the(scripts.with_directives("#!/bin/sh\nhostname\n", lead, words))
    assert script.startswith(f"#!/bin/sh\n{lead}")
    assert script.endswith("hostname\n")
    read = scripts.read(script, kind)
    assert ([word.text for word in read.words], read.problems) == (words, [])
    assert scripts.with_directives(script, lead, words) is None


@for_each("piece", ["(/", "srun a\n"])
def test_srun_is_looked_for_at_once(piece: str) -> None:
    text = HEAD + piece * (60_000 // len(piece)) + "\nmysrun\n"
    within(1, lambda: from_command(text))
