"""What command lines and scripts are read as: resources, attributes, notes and problems."""

import json
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fluxtui.answers.commands import reading, scripts, slurm
from fluxtui.answers.commands.pbs import walltime
from fluxtui.answers.commands.scripts import looks_like_command
from fluxtui.answers.commands.translation import ReadCommand, from_command
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from tests.each import for_each
from tests.test_messages import TABLE

READINGS = tomllib.loads(Path(__file__).with_name("readings.toml").read_text(encoding="utf-8"))
ONE = {"per_slot": 1}
FILE = {"type": "file"}


def document(text: str | ReadCommand, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    found = from_command(text, environ) if isinstance(text, str) else text
    assert found.document is not None
    return dict(found.document)


def shape_of(text: str | ReadCommand) -> str:
    """The resources as a shape, without the label of the only slot."""
    tree = from_resources(document(text)["resources"])
    assert tree.ok
    return format_shape(tree.value).replace("{task}", "")


def system(text: str | ReadCommand, environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    return dict(document(text, environ)["attributes"]["system"])


def command(text: str | ReadCommand) -> list[str]:
    return list(document(text)["tasks"][0]["command"])


def notes(text: str) -> list[tuple[str, str]]:
    """What is noted of a text, each with the characters it is about."""
    return [(text[slice(*note.span)], note.text) for note in from_command(text).notes]


def problems(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is wrong with a text: the characters, the message, what was expected."""
    found = from_command(text).problems
    return [(text[slice(*(p.span or (0, 0)))], p.message, p.expected) for p in found]


@for_each("text", [
    "srun -N2 -n4 app",
    "/usr/bin/srun -N2 -n4 app",
    "exec srun -N2 -n4 app", "srun -N2 \\\n    -n4 app",
    "srun -N2 -n4 app  # with a comment", "srun -N2 -n4 app;",
    "srun --nodes=2 --ntasks 4 app",
    "srun -N 2 -n 4 -- app",
])  # fmt: skip
def test_one_command_in_many_coats(text: str) -> None:
    assert looks_like_command(text)
    read = from_command(text)
    assert (read.what, read.problems, read.notes) == ("srun command line", (), ())
    assert (shape_of(read), command(read)) == ("node=2/slot=2/core", ["app"])


@for_each("row", READINGS["resources"])
def test_resources(row: list[Any]) -> None:
    text, shape, *count = row
    read = from_command(text)
    program = " ".join(text.replace(" mini", "").split()[: 1 + text.startswith("flux")])
    assert (read.what, read.problems) == (f"{program} command line", ())
    assert (shape_of(read), document(read)["tasks"][0]["count"]) == (shape, *(count or [ONE]))
    assert command(read) == (["flux", "start"] if program == "qsub" else ["app"])


@for_each("text, words, attributes, options", [
    ("srun -N2 -t 90 -p batch -A physics -J 'my job' -D /runs -w n[1-2] -x n7 "
     "-d afterok:12:13,afterany:14 -o out-%j.%t -e err -i in --signal=B:USR1@120 "
     "-m cyclic --pty app", ["app"],
     {"duration": 5400.0, "cwd": "/runs", "queue": "batch", "bank": "physics",
      "job": {"name": "my job"},
      "dependencies": [{"scheme": "afterok", "value": "12"}, {"scheme": "afterok", "value": "13"},
                       {"scheme": "afterany", "value": "14"}],
      "constraints": {"and": [{"hostlist": ["n[1-2]"]}, {"not": [{"hostlist": ["n7"]}]}]}},
     {"output": {"stdout": {**FILE, "path": "out-{{id}}.{{taskid}}"},
                 "stderr": {**FILE, "path": "err"}},
      "input": {"stdin": {**FILE, "path": "in"}}, "signal": {"signum": 10, "timeleft": 120.0},
      "taskmap": {"scheme": "cyclic", "value": ""}, "pty": {"interactive": 1}}),
    ("qsub -l nodes=2:ppn=4:bigmem,walltime=1:30:00 -q workq -A physics -P alpha -N night "
     "-W depend=afterok:12:13 -v A=1,B=2 -o out -e err -- ./run x", ["flux", "start", "./run", "x"],
     {"duration": 5400.0, "queue": "workq", "bank": "physics", "project": "alpha",
      "job": {"name": "night"},
      "dependencies": [{"scheme": "afterok", "value": "12"}, {"scheme": "afterok", "value": "13"}],
      "environment": {"A": "1", "B": "2"}, "constraints": {"properties": ["bigmem"]}},
     {"output": {"stdout": {**FILE, "path": "out"}, "stderr": {**FILE, "path": "err"}},
      "per-resource": {"type": "node"}}),
    ("qsub -l nodes=n1+n2", ["flux", "start"],
     {"duration": 0.0, "constraints": {"hostlist": ["n1,n2"]}}, None),
    ("salloc -N2 -n8 ./run", ["flux", "start", "./run"], {"duration": 0.0},
     {"per-resource": {"type": "node"}}),
    ("salloc -N2 ./run", ["flux", "start", "./run"], {"duration": 0.0}, None),
    ("srun -N4 --sockets-per-node=2", ["flux", "start"], {"duration": 0.0}, None),
])  # fmt: skip
def test_attributes(
    text: str, words: list[str], attributes: dict[str, Any], options: dict[str, Any] | None
) -> None:
    read = from_command(text)
    assert (read.problems, command(read)) == ((), words)
    shell = {} if options is None else {"shell": {"options": options}}
    assert system(read) == {**attributes, **shell}
    assert document(read)["tasks"][0]["count"] == ONE
    assert json.dumps(read.document)


@for_each("row", READINGS["environments"])
def test_environments(row: list[Any]) -> None:
    text, *environment = row
    read = from_command(text, {"HOME": "/h", "X": "1", "LD_A": "2"})
    assert (read.problems, read.notes) == ((), ())
    assert system(read).get("environment") == (environment[0] if environment else None)


def test_variables_before_the_command_where_the_environment_is_not_known() -> None:
    text = "FOO=1 BAR='a b' flux submit --env=BAZ=2 app"
    assert system(text)["environment"] == {"FOO": "1", "BAR": "a b", "BAZ": "2"}
    note = "the environment at submission is added"
    assert notes(text) == [("FOO=1 BAR='a b' flux submit --env=BAZ=2", note)]
    assert system("env A=1 srun app")["environment"] == {"A": "1"}


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
    ("a&b|c", {"or": [{"properties": ["a", "b"]}, C]}),
    ("a&(b|c)", {"and": [A, {"or": [B, C]}]}),
])  # fmt: skip
def test_features(text: str, constraint: dict[str, Any]) -> None:
    written = reading.features_text(constraint)
    for features in (text, written):
        assert system(f"srun -C '{features}' app")["constraints"] == constraint


@for_each("constraint", [
    {"not": [A]}, {"properties": ["^a"]}, {"properties": ["a b"]}, {"properties": []},
    {"hostlist": ["n1"]}, {"and": [A, {"ranks": ["0"]}]}, {}, None,
])  # fmt: skip
def test_what_features_cannot_express(constraint: object) -> None:
    assert reading.features_text(constraint) is None


@for_each("row", READINGS["notes"])
def test_notes(row: list[Any]) -> None:
    text, *wanted = row
    assert notes(text) == [(where, note) for note, where in wanted]
    assert from_command(text).problems == ()


@for_each("row", TABLE["command"])
def test_what_is_wrong_leaves_a_jobspec(row: list[str]) -> None:
    is_one = row[0] != "hello" and "bulksubmit" not in row[0]
    assert (from_command(row[0]).document is not None) == is_one


@for_each("text", ["srun --ntask-per-node 4 app", "flux run --ntask 4 app", "srun --something app"])
def test_the_value_of_an_unknown_option_is_not_taken_for_the_command(text: str) -> None:
    assert command(text) == ["app"]


@for_each("text", ["", "hello", "slot=2/core", "version: 1\nresources: []", "\x00"])
def test_what_is_no_command(text: str) -> None:
    message = "not recognised as a command line or script of Flux, Slurm or PBS"
    assert not looks_like_command(text)
    assert [problem[1] for problem in problems(text)] == [message]


def test_a_command_that_is_too_long() -> None:
    read = from_command("srun app " + "x" * 70_000)
    message = "the text has 70,009 characters; more than 65,536 are not read"
    assert (read.document, read.problems[0].message) == (None, message)


SBATCH = """#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=16     # a comment
#SBATCH -t 1-12 -p gpu
#SBATCH --job-name="my job"
# a line that is no directive

module load thing
srun ./app
"""
PBS = """#!/bin/sh
#PBS -l select=4:ncpus=8:mpiprocs=8 -l place=scatter
#PBS -l walltime=01:30:00
#PBS -N night
cd $PBS_O_WORKDIR
mpiexec ./app
"""
FLUX = """#!/bin/sh
# flux: -N4 --exclusive
# flux: -t 1h   # one hour
# a line between
# flux: --setattr=user.note='''It's a "job"'''
flux run -N4 ./app
"""


@for_each("text, program, shape, attributes", [
    (SBATCH, "sbatch", "node=2/slot=16/core",
     {"duration": 129600.0, "queue": "gpu", "job": {"name": "my job"}}),
    (PBS, "qsub", "node=4/slot=8/core", {"duration": 5400.0, "job": {"name": "night"}}),
    (FLUX, "flux batch", "node=4{x}/slot/core", {"duration": 3600.0, "job": {"name": "batch"}}),
])  # fmt: skip
def test_scripts(text: str, program: str, shape: str, attributes: dict[str, Any]) -> None:
    assert looks_like_command(text)
    found = from_command(text)
    assert (found.what, found.problems) == (f"{program} script", ())
    told = [note.text.partition(",")[0] for note in found.notes]
    assert told == (["srun in line 9: use flux run"] if program == "sbatch" else [])
    assert (shape_of(found), command(found)) == (shape, ["flux", "broker", "{{tmpdir}}/script"])
    instance = {"per-resource": {"type": "node"}, "mpi": "none", "exit-timeout": "none"}
    output = {"output": {"stdout": {**FILE, "path": "flux-{{id}}.out"}}}
    assert system(found) == {
        **attributes,
        "files": {"script": {"mode": 0o100700, "data": text, "encoding": "utf-8"}},
        "shell": {"options": {**output, **instance}},
    }
    user = {"note": 'It\'s a "job"'} if program == "flux batch" else None
    assert document(found)["attributes"].get("user") == user


@for_each("text, shape, script", [
    ("sbatch -N2 -t 5 <<'EOF'\n#!/bin/sh\n#SBATCH -N4 -n8\nhostname\nEOF\necho done\n",
     "node=2/slot=4/core", "#!/bin/sh\n#SBATCH -N4 -n8\nhostname\n"),
    ("sbatch -n4 --wrap='srun ./app'", "slot=4/core", "#!/bin/sh\nsrun ./app\n"),
    ("flux batch -n4 --wrap hostname", "slot=4/core", "#!/bin/sh\nhostname\n"),
    ("#SBATCH -N4\nhostname\n", "node=4/slot/core", "#!/bin/sh\n#SBATCH -N4\nhostname\n"),
    # The first kind of directives counts.
    ("#!/bin/sh\n#SBATCH -N4\n#PBS -l nodes=2\n# flux: -N1\nhost\n", "node=4/slot/core", None),
    # Without directives the first command does.
    ("#!/bin/sh\n# srun -n9 old\nmodule load x\nsrun -n4 app\nsrun -n5 more\n", "slot=4/core", ""),
])  # fmt: skip
def test_scripts_that_come_in_other_ways(text: str, shape: str, script: str | None) -> None:
    assert shape_of(text) == shape
    carried = system(text).get("files", {"script": {"data": ""}})["script"]["data"]
    assert carried == (text if script is None else script)


@for_each("text", ["#SBATCH -N4\n#SBATCH -t 10\n", "#PBS -l nodes=4\n", "# flux: -N4 -n4\n"])
def test_directives_alone_ask_for_resources(text: str) -> None:
    found = from_command(text)
    assert (found.problems, shape_of(found), command(found)) == ((), "node=4/slot/core", ["app"])
    message = "the commands of the script are not here; 'app' takes their place"
    assert [note.text for note in found.notes] == [message]


def test_directives_alone_send_streams_to_files() -> None:
    shell = {"options": {"output": {"stdout": {**FILE, "path": "x"}}}}
    assert system("# flux: -N4 --output=x\n") == {"duration": 0.0, "shell": shell}


WORDS: list[list[str]] = [
    ["-N4", "-t", "1h"], ["--job-name=my job", "--x=it's", "-q", "a b"],
    ["--x=a\\b", "--y=a'b\\c\"d", "--z=#x", "--w=a|b", "--v="],
]  # fmt: skip
KINDS: tuple[scripts.Kind, ...] = ("flux", "SBATCH", "PBS")


@for_each("kind, words", [(kind, words) for kind in KINDS for words in WORDS])
def test_what_is_put_at_the_head_of_a_script_is_read_there(
    kind: scripts.Kind,
    words: list[str],
) -> None:
    lead = "# flux: " if kind == "flux" else f"#{kind} "
    script = scripts.with_directives("#!/bin/sh\nhostname\n", lead, words)
    assert script is not None
    assert script.startswith(f"#!/bin/sh\n{lead}")
    assert script.endswith("hostname\n")
    read = scripts.read(script, kind)
    assert ([word.text for word in read.words], read.problems) == (words, [])
    assert scripts.with_directives(script, lead, words) is None


USE = "use flux run, as there is no Slurm in a job of Flux"
HEAD = "#!/bin/sh\n#SBATCH -N2\n"


@for_each("text, where", [
    (f"{HEAD}  OMP_NUM_THREADS=4 /usr/bin/srun \\\n -n 4 app\n", "line 3"),
    (f"{HEAD}cd x && srun app\ndate\nif true; then srun b; fi\n", "lines 3, 5"),
    (HEAD + "srun a\n" * 7, "lines 3, 4, 5, 6, 7 and 2 more"),
    (f"{HEAD}# srun app\necho srun\necho 'a; srun b'\nsrun-old app\nmysrun\n", ""),
    ("sbatch -N2 <<EOF\n#!/bin/sh\nsrun app\nEOF\n", "line 2"),
    ("sbatch -N2 --wrap 'srun app'", "--wrap"),
])  # fmt: skip
def test_a_script_that_starts_tasks_by_srun(text: str, where: str) -> None:
    place = "--wrap 'srun app'" if where == "--wrap" else "srun"
    expected = [(place, f"srun in {where}: {USE}")] if where else []
    assert [(at, note) for at, note in notes(text) if "srun" in note] == expected


@for_each("piece", ["(/", "srun a\n"])
def test_srun_is_looked_for_at_once(piece: str) -> None:
    text = HEAD + piece * (60_000 // len(piece)) + "\nmysrun\n"
    start = time.process_time()
    notes(text)
    assert time.process_time() - start < 1.0
