"""What Slurm's options ask for."""

import json
import time
from typing import Any

from fluxtui.answers.commands import reading
from fluxtui.answers.commands.slurm import seconds as slurm_seconds
from fluxtui.answers.commands.slurm import time_text
from fluxtui.answers.commands.translation import from_command
from tests.answers.commands.reading import command, notes, shape_of, system, tasks
from tests.each import for_each


@for_each("row", [
    ("", "slot/core", {"per_slot": 1}),
    ("-n10 -c 2", "slot=10/core=2", {"per_slot": 1}), ("-N4", "node=4/slot/core", {"per_slot": 1}),
    ("-N3-30", "node=3-30/slot/core", {"per_slot": 1}),
    ("-N4,9,16,25", "node=4,9,16,25/slot/core", {"per_slot": 1}),
    ("-N3-30:9", "node=3-30:9/slot/core", {"per_slot": 1}),
    ("-N1k", "node=1024/slot/core", {"per_slot": 1}),
    ("-N4 -n20", "node=4/slot=5/core", {"per_slot": 1}),
    ("-N4 --ntasks-per-node=5", "node=4/slot=5/core", {"per_slot": 1}),
    ("-n8 --tasks-per-node=4", "node=2/slot=4/core", {"per_slot": 1}),
    ("-n5 -N4", "node=4/slot/core", {"total": 5}),
    ("-n5 -N4 --ntasks-per-node=2", "node=4/slot=2/core", {"total": 5}),
    ("-n2 -N4", "node=2/slot/core", {"per_slot": 1}),
    ("-N4 --exclusive", "node=4{x}/slot/core", {"per_slot": 1}),
    ("-N4 -n16 --gpus-per-task=1", "node=4/slot=4/[core;gpu]", {"per_slot": 1}),
    ("-N2 -n8 --gpus-per-node=4", "node=2/slot=4/[core;gpu]", {"per_slot": 1}),
    ("-N2 -n6 -c 2 --gpus-per-node=4", "node=2/slot/[core=6;gpu=4]", {"per_slot": 3}),
    ("-N2 --gres=gpu:a100:2", "node=2/slot/[core;gpu=2]", {"per_slot": 1}),
    ("-n4 -G 8", "slot=4/[core;gpu=2]", {"per_slot": 1}),
    ("-N2 -n4 --gpus=2", "node=2/slot/[core=2;gpu]", {"per_slot": 2}),
    ("-n10 --mem-per-cpu=2048", "slot=10/[memory=2+{unit:GB};core]", {"per_slot": 1}),
    ("-n2 -c 3 --mem-per-cpu=500M", "slot=2/[memory=1500+{unit:MB};core=3]", {"per_slot": 1}),
    ("-n10 -N2 --mem=4096", "slot=2/node/memory=4+{unit:GB}", {"total": 10}),
    ("-N2 --ntasks-per-node=4 -c 2 --mem=16G --gres=gpu:4",
     "slot=2/node/[core=8;gpu=4;memory=16+{unit:GB}]", {"total": 8}),
    ("--mem=1G", "slot/[core;memory=1+{unit:GB}]", {"per_slot": 1}),
    ("-N4 --sockets-per-node=2 --cores-per-socket=4", "slot=4/node{-x}/socket=2+/core=4+",
     {"per_slot": 1}),
    ("-N4 -B '2:4:*'", "slot=4/node{-x}/socket=2+/core=4+", {"per_slot": 1}),
    ("-N4 -B 2 --exclusive", "slot=4/node/socket=2+", {"per_slot": 1}),
])  # fmt: skip
def test_resources(row: tuple[Any, ...]) -> None:
    options, shape, count = row
    read = from_command(f"srun {options} app")
    assert read.problems == ()
    assert shape_of(read) == shape
    assert tasks(read) == count


@for_each("row", [
    ("30", 1800), ("1:30", 90), ("2:00:00", 7200), ("1-12", 129600), ("1-12:30", 131400),
    ("1-00:00:30", 86430), ("0", 0), ("UNLIMITED", 0), ("90:61", 5461), ("1:2:3:4", None),
    ("1h", None), ("-5", None), ("1-", None), ("", None),
])  # fmt: skip
def test_times(row: tuple[Any, ...]) -> None:
    text, seconds = row
    assert slurm_seconds(text) == seconds


@for_each("seconds", [1, 59, 60, 3600, 86399, 86400, 129600, 10**7])
def test_a_time_that_is_written_reads_back(seconds: int) -> None:
    assert slurm_seconds(time_text(seconds)) == seconds


@for_each("row", [
    ("gpu", {"properties": ["gpu"]}), ("gpu&ib", {"properties": ["gpu", "ib"]}),
    ("gpu,ib", {"properties": ["gpu", "ib"]}),
    ("a|b", {"or": [{"properties": ["a"]}, {"properties": ["b"]}]}),
    ("a|b|c", {"or": [{"properties": ["a"]}, {"properties": ["b"]}, {"properties": ["c"]}]}),
    ("a&b|c", {"or": [{"properties": ["a", "b"]}, {"properties": ["c"]}]}), ("a|b&c",
     {"and": [{"or": [{"properties": ["a"]}, {"properties": ["b"]}]}, {"properties": ["c"]}]}),
    ("a&(b|c)",
     {"and": [{"properties": ["a"]}, {"or": [{"properties": ["b"]}, {"properties": ["c"]}]}]}),
])  # fmt: skip
def test_features(row: tuple[Any, ...]) -> None:
    text, constraint = row
    assert system(from_command(f"srun -C '{text}' app"))["constraints"] == constraint
    written = reading.features_text(constraint)
    assert written is not None
    assert system(from_command(f"srun -C '{written}' app"))["constraints"] == constraint


@for_each("constraint", [
    {"not": [{"properties": ["a"]}]}, {"properties": ["^a"]}, {"properties": ["a b"]},
    {"properties": []}, {"hostlist": ["n1"]},
    {"and": [{"properties": ["a"]}, {"ranks": ["0"]}]}, {}, None,
])  # fmt: skip
def test_what_features_cannot_say(constraint: object) -> None:
    assert reading.features_text(constraint) is None


def test_attributes() -> None:
    read = from_command(
        "srun -N2 -t 90 -p batch -A physics -J 'my job' -D /runs -w n[1-2] -x n7 "
        "-d afterok:12:13,afterany:14 -o out-%j.%t -e err -i in --signal=B:USR1@120 "
        "-m cyclic --pty app"
    )
    assert read.problems == ()
    file = {"type": "file"}
    assert system(read) == {
        "duration": 5400.0,
        "cwd": "/runs",
        "queue": "batch",
        "bank": "physics",
        "job": {"name": "my job"},
        "dependencies": [
            {"scheme": "afterok", "value": "12"},
            {"scheme": "afterok", "value": "13"},
            {"scheme": "afterany", "value": "14"},
        ],
        "constraints": {"and": [{"hostlist": ["n[1-2]"]}, {"not": [{"hostlist": ["n7"]}]}]},
        "shell": {
            "options": {
                "output": {
                    "stdout": {**file, "path": "out-{{id}}.{{taskid}}"},
                    "stderr": {**file, "path": "err"},
                },
                "input": {"stdin": {**file, "path": "in"}},
                "signal": {"signum": 10, "timeleft": 120.0},
                "taskmap": {"scheme": "cyclic", "value": ""},
                "pty": {"interactive": 1},
            }
        },
    }


@for_each("row", [
    ("ALL", None), ("NONE", {}), ("A=1,B=2", {"A": "1", "B": "2"}),
    ("HOME,A=1", {"HOME": "/h", "A": "1"}),
    ("ALL,A=1", {"HOME": "/h", "X": "1", "A": "1"}), ("A='x,y',B=2", {"A": "x,y", "B": "2"}),
])  # fmt: skip
def test_exports(row: tuple[Any, ...]) -> None:
    export, environment = row
    read = from_command(f'srun --export="{export}" app', {"HOME": "/h", "X": "1"})
    assert read.problems == ()
    assert system(read).get("environment") == environment


@for_each("row", [
    ("-N4 -n5", "-n5", "5 tasks share 4 slots, as RFC 25 has it; Flux makes more slots"),
    ("-N4 -n2", "-n2", "2 tasks need no more than 2 nodes"), ("-n4 --exclusive", "--exclusive",
     "nodes are given whole only where -N says how many; left out"),
    ("-p a,b", "-p a,b", "a job names one queue; only a is read"), ("-N2 -w n[1-4]", "-w n[1-4]",
     "Slurm gives the job all of these nodes, Flux as many of them as it asks for"),
    ("-C 'a*2&b'", "-C 'a*2&b'", "Flux does not count the nodes that have a feature"),
    ("-C '[a|b]'", "-C '[a|b]'", "the features in brackets may differ from node to node in Flux"),
    ("-d singleton", "-d singleton", "Flux has no dependency 'singleton'"),
    ("-d afterok:1?afterok:2", "-d afterok:1?afterok:2",
     "Flux waits for all dependencies, not for any of them"), ("-d afterok:1", "-d afterok:1",
     "the job ids are those of Slurm; Flux knows jobs by ids of its own"),
    ("--gres=gpu:a100:2", "--gres=gpu:a100:2",
     "the type 'a100' is left out; a property can name it (-C)"), ("--gres=nvme:1", "--gres=nvme:1",
     "the resource 'nvme' is left out; a jobspec names its own types"),
    ("-n4 --mem=4G", "--mem=4G", "memory of a node needs the number of nodes (-N)"),
    ("-N2 --mem=4G", "--mem=4G",
     "version 1 of a jobspec (RFC 25) has no memory; this is RFC 14, V1 without --mem"),
    ("--mem=0", "--mem=0", "all memory of a node comes with a whole node and is left out"),
    ("-n4 --gpus=6", "--gpus=6", "6 gpus do not spread evenly and are left out"),
    ("-o out-%N", "-o out-%N", "Flux has no counterpart for a pattern of this file name"),
    ("-a 1-10", "-a 1-10", "-a makes several jobs of one; a jobspec is one job"),
])  # fmt: skip
def test_what_is_read_approximately_is_noted(row: tuple[Any, ...]) -> None:
    options, where, text = row
    line = f"sbatch {options} job.sh"
    assert (where, text) in notes(line)
    assert from_command(line).problems == ()


def test_an_allocation_runs_one_broker_a_node() -> None:
    read = from_command("salloc -N2 -n8 ./run")
    assert shape_of(read) == "node=2/slot=4/core"
    assert command(read) == ["flux", "start", "./run"]
    assert system(read)["shell"] == {"options": {"per-resource": {"type": "node"}}}
    assert "shell" not in system(from_command("salloc -N2 ./run"))


def test_no_command_starts_an_instance() -> None:
    read = from_command("srun -N4 --sockets-per-node=2")
    assert command(read) == ["flux", "start"]
    assert read.notes[0].text.startswith("no command is given")
    assert json.dumps(read.document)


@for_each("row", [
    ("srun -n 32 ./app\n", "line 3"),
    ("  OMP_NUM_THREADS=4 /usr/bin/srun \\\n -n 4 app\n", "line 3"),
    ("cd x && srun app\ndate\nif true; then srun b; fi\n", "lines 3, 5"),
    ("for i in 1; do srun app & done\n", "line 3"),
    ("srun a\n" * 7, "lines 3, 4, 5, 6, 7 and 2 more"),
    ("# srun app\necho srun\necho 'a; srun b'\nsrun-old app\nmysrun\n", ""),
])  # fmt: skip
def test_a_script_that_starts_tasks_by_srun(row: tuple[Any, ...]) -> None:
    body, where = row
    text = f"#!/bin/sh\n#SBATCH -N2\n{body}"
    said = [(at, note) for at, note in notes(text) if "srun" in note]
    use = "use flux run, as there is no Slurm in a job of Flux"
    assert said == ([("srun", f"srun in {where}: {use}")] if where else [])


@for_each("piece", ["(/", "(a=", "do/", "srun a\n"])
def test_srun_is_looked_for_at_once(piece: str) -> None:
    text = "#!/bin/sh\n#SBATCH -N2\n" + piece * (60_000 // len(piece)) + "\nmysrun\n"
    start = time.process_time()
    notes(text)
    assert time.process_time() - start < 1.0


def test_srun_in_a_script_of_a_here_document_and_in_wrap() -> None:
    here = "sbatch -N2 <<EOF\n#!/bin/sh\nsrun app\nEOF\n"
    assert ("srun", "srun in line 2: use flux run, as there is no Slurm in a job of Flux") in notes(
        here
    )
    wrapped = [note for _, note in notes("sbatch -N2 --wrap 'srun app'")]
    assert "srun in --wrap: use flux run, as there is no Slurm in a job of Flux" in wrapped
