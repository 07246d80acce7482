"""What ``qsub`` asks for."""

from typing import Any

from fluxtui.answers.commands.pbs import walltime
from fluxtui.answers.commands.translation import from_command
from tests.answers.commands.reading import command, notes, shape_of, system
from tests.each import for_each


@for_each("row", [
    ("-l nodes=4", "node=4/slot/core"), ("-lnodes=4", "node=4/slot/core"),
    ("-l nodes=4:ppn=5", "node=4/slot=5/core"),
    ("-l nodes=4,mppnppn=5", "node=4/slot=5/core"),
    ("-l mppwidth=20,mppnppn=5,mppdepth=2", "node=4/slot=5/core=2"),
    ("-l nodes=2:ppn=4:gpus=4", "node=2/slot=4/[core;gpu]"),
    ("-l nodes=2:ppn=4:gpus=2", "node=2/slot/[core=4;gpu=2]"),
    ("-l select=10:ncpus=2", "slot=10/core=2"),
    ("-l select=10:ncpus=2:ngpus=1:mem=4gb", "slot=10/[core=2;gpu;memory=4+{unit:GB}]"),
    ("-l select=4:ncpus=8:mpiprocs=4 -l place=scatter", "node=4/slot=4/core=2"),
    ("-l select=4:ncpus=8 -l place=scatter:excl", "node=4{x}/slot/core=8"),
    ("-l select=4:ncpus=8,place=scatter", "node=4/slot/core=8"),
    ("-l ncpus=6,mem=500mb", "slot/[core=6;memory=500+{unit:MB}]"), ("-l procs=16", "slot=16/core"),
    ("", "slot/core"),
])  # fmt: skip
def test_resources(row: tuple[Any, ...]) -> None:
    options, shape = row
    read = from_command(f"qsub {options}")
    assert read.what == "qsub command line"
    assert read.problems == ()
    assert shape_of(read) == shape
    assert command(read) == ["flux", "start"]


def test_attributes() -> None:
    read = from_command(
        "qsub -l nodes=2:ppn=4:bigmem,walltime=1:30:00 -q workq -A physics -P alpha -N night "
        "-W depend=afterok:12:13 -v A=1,B=2 -o out -e err -- ./run x"
    )
    assert read.problems == ()
    assert command(read) == ["flux", "start", "./run", "x"]
    assert system(read) == {
        "duration": 5400.0,
        "queue": "workq",
        "bank": "physics",
        "project": "alpha",
        "job": {"name": "night"},
        "dependencies": [
            {"scheme": "afterok", "value": "12"},
            {"scheme": "afterok", "value": "13"},
        ],
        "environment": {"A": "1", "B": "2"},
        "constraints": {"properties": ["bigmem"]},
        "shell": {
            "options": {
                "output": {
                    "stdout": {"type": "file", "path": "out"},
                    "stderr": {"type": "file", "path": "err"},
                },
                "per-resource": {"type": "node"},
            }
        },
    }


def test_nodes_by_name() -> None:
    read = from_command("qsub -l nodes=n1+n2:ppn=4")
    assert shape_of(read) == "node=2/slot/core"
    assert system(read)["constraints"] == {"hostlist": ["n1,n2"]}


def test_a_script_that_is_only_named() -> None:
    read = from_command("qsub -l nodes=2 -F 'a b' job.sh")
    assert command(read) == ["flux", "broker", "job.sh", "a", "b"]
    assert "job.sh is not read here" in read.notes[0].text


@for_each("row", [
    ("-l nodes=2:ppn=4+1:ppn=8", "nodes=2:ppn=4+1:ppn=8",
     "only the first kind of nodes is read; a task runs in one kind"),
    ("-l select=1:ncpus=1+4:ncpus=8", "select=1:ncpus=1+4:ncpus=8",
     "only the first kind of chunk is read; a task runs in one kind"),
    ("-l nodes=2,software=x", "software=x", "the resource 'software' is left out"),
    ("-l nodes=2 -l mem=8gb", "mem=8gb", "the memory of all the job together is left out"),
    ("-l select=2:ncpus=1 -l place=pack", "place=pack", "'pack' has no counterpart in a jobspec"),
    ("-W group_list=x", "-W group_list=x", "'group_list' has no counterpart in a jobspec"),
    ("-J 1-10", "-J 1-10", "-J makes several jobs of one; a jobspec is one job"),
    ("-M me@here", "-M me@here",
     "-M says how the job is watched or reported, which a jobspec does not hold"),
])  # fmt: skip
def test_what_is_read_approximately_is_noted(row: tuple[Any, ...]) -> None:
    options, where, text = row
    line = f"qsub {options}"
    assert (where, text) in notes(line)
    assert from_command(line).problems == ()


def test_a_launcher_is_noted() -> None:
    line = "qsub -l nodes=2 -- mpiexec -n 2 app"
    assert notes(line) == [(line, "mpiexec starts the tasks; in Flux that is 'flux run'")]


@for_each("row", [
    ("90", 90), ("1:30", 90), ("1:30:00", 5400), ("0:0:0.5", 0.5), ("1-2", None), ("x", None),
])  # fmt: skip
def test_times(row: tuple[Any, ...]) -> None:
    text, seconds = row
    assert walltime(text) == seconds
