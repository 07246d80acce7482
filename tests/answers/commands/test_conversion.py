"""Scripts and command lines of one system in the words of another."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from fluxtui.answers.commands import conversion, jobs
from fluxtui.answers.commands.conversion import KINDS, SYSTEMS, Conversion, System, Target, convert
from tests.each import for_each, the
from tests.recorded import Agree, rerun

RECORDED = Path(__file__).with_name("conversions.txt")
TARGETS: tuple[Target, ...] = get_args(Target)


def answers(line: str) -> Iterator[str]:
    """What a script or a command line becomes, and what is said of it; see the file."""
    target, _, given_ = line.partition(" ")
    head, *body = json.loads(given_)
    text = f"#!/bin/sh\n{head}\n{body[0]}\n" if body else head
    found = convert(text, target.rstrip("+"))  # type: ignore[arg-type]
    if not body:
        system = the(found.document)["attributes"]["system"]
        yield found.command or json.dumps(system.get("environment"))
    rows = the(found.script).splitlines()[1:] if body else []
    yield from (row for row in rows if target.endswith("+") or not _is_directive(row))
    for note in found.notes:
        if not body or note.span.start > len(f"#!/bin/sh\n{head}"):
            instead = f" -> {note.instead}" if note.instead else ""
            yield f"{note.code} {json.dumps(text[slice(*note.span)])}: {note.text}{instead}"


def _is_directive(row: str) -> bool:
    return row.startswith(("# flux:", "#SBATCH", "#PBS", "#BSUB"))


def test_what_starts_tasks_is_written_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


# What each system asks for in its own words; all of it is exact in each of the others.
SAME: tuple[dict[System, str], ...] = (
    {"flux": "-n8 -t 1h -q batch -B physics --job-name=a",
     "slurm": "-n8 -t 1:00:00 -p batch -A physics -J a",
     "lsf": "-n 8 -W 1:00 -q batch -G physics -J a"},
    {"flux": "-N4 -n16 -c2 -g1", "slurm": "-N4 -n16 -c2 --gpus-per-task=1",
     "pbs": "-l select=4:ncpus=8:mpiprocs=4:ngpus=4 -l place=scatter",
     "lsf": "-n 16 -R 'span[ptile=4] affinity[core(2)]' -gpu num=4"},
    {"flux": "-N4 --exclusive", "slurm": "-N4 --exclusive", "lsf": "-nnodes 4"},
    {"flux": "-N2 -n8 -x -t 90m", "slurm": "-N2 -n8 --exclusive -t 90",
     "pbs": "-l select=2:ncpus=4:mpiprocs=4 -l place=scatter:excl -l walltime=1:30:00",
     "lsf": "-n 8 -R span[ptile=4] -x -W 90"},
    {"slurm": "-N2 --ntasks-per-node=4 --mem=8G", "lsf": "-n 8 -R 'rusage[mem=8GB] span[ptile=4]'",
     "pbs": "-l select=2:ncpus=4:mpiprocs=4:mem=8gb -l place=scatter"},
    {"flux": "-N4 -n4 --requires='gpu&ib'", "slurm": "-N4 -C 'gpu&ib'", "pbs": "-l nodes=4:gpu:ib",
     "lsf": "-n 4 -R 'select[gpu && ib] span[ptile=1]'"},
    {"flux": "-n4 --output=x.{{id}} --error=y", "slurm": "-n4 -o x.%j -e y",
     "lsf": "-n 4 -o x.%J -e y"},
    {"flux": "-n4 --begin-time='2030-01-31 10:00'", "slurm": "-n4 --begin=2030-01-31T10:00",
     "pbs": "-l procs=4 -a 203001311000", "lsf": "-n 4 -b 2030:01:31:10:00"},
    {"flux": "-n4 --urgency=hold", "slurm": "-n4 -H", "pbs": "-l procs=4 -h", "lsf": "-n 4 -H"},
    {"slurm": "-n4 -a 1-10:2%3 -J a", "pbs": "-l procs=4 -J 1-10:2%3 -N a",
     "lsf": "-n 4 -J 'a[1-10:2]%3'"},
    {"slurm": "-n4 --mail-type=BEGIN,END,FAIL --mail-user=me@example.org",
     "pbs": "-l procs=4 -m abe -M me@example.org", "lsf": "-n 4 -B -N -u me@example.org"},
    {"slurm": "-n4 --requeue", "pbs": "-l procs=4 -r y", "lsf": "-n 4 -r"},
    {"slurm": "-n4 --no-requeue", "pbs": "-l procs=4 -r n", "lsf": "-n 4 -rn"},
    {"slurm": "-n4 --reservation=x", "lsf": "-n 4 -U x"},
    {"flux": "-n4 --env=A=1 --env='B=x y'", "pbs": "-l procs=4 -V -v 'A=1,B=x y'",
     "lsf": "-n 4 -env 'all, A=1, B=x y'"},
    {"flux": "-n4 --env=-* --env=A=1 --env=PATH", "slurm": "-n4 --export=PATH,A=1",
     "lsf": "-n 4 -env A=1,PATH"},
    {"flux": "-n4 --env-remove=A --env=-B", "lsf": "-n 4 -env all,~A,~B"},
    {"flux": "-n4 --env=-*", "slurm": "-n4 --export=NONE", "lsf": "-n 4 -env none"},
    {"flux": "-n4 --env=-* --env='A=x y'", "slurm": "-n4 --export='A=x y'",
     "lsf": "-n 4 -env 'A=x y'"},
)  # fmt: skip
LEADS = {"flux": "# flux:", "slurm": "#SBATCH", "pbs": "#PBS", "lsf": "#BSUB"}


def script(system: System, options: str) -> str:
    return f"#!/bin/sh\n{LEADS[system]} {options}\nhostname\n"


def meaning(found: Conversion) -> tuple[Any, Any]:
    """The resources and the attributes of a jobspec, without the script."""
    document = jobs.copied(found.document)
    system = document["attributes"]["system"]
    name = system.pop("job", None)
    system.pop("files", None)
    per_resource = jobs.value_at(system, "shell", "options")
    for key in ("per-resource", "mpi", "exit-timeout"):
        per_resource.pop(key, None)
    name = None if name in ({"name": "batch"}, None) else name["name"].partition("[")[0]
    return document["resources"], (name, system)


@for_each("source, target, row", [
    (source, target, row)
    for row in SAME for source in row for target in row if source != target
    if {source, target} & {"slurm", "pbs", "lsf"} or source == "flux"
])  # fmt: skip
def test_what_two_systems_have_is_exact_both_ways(
    source: System, target: System, row: dict[System, str]
) -> None:
    found = convert(script(source, row[source]), target)
    assert [note.text for note in found.notes] == []
    assert found.problems == ()
    assert found.tally.exact == sum(
        (found.tally.exact, found.tally.approximate, found.tally.lost, found.tally.unknown)
    )
    again = convert(the(found.script), source)
    assert [note.text for note in again.notes] == []
    # What is written means what the other system's own words do.
    own, back = script(target, row[target]), the(found.script)
    assert meaning(convert(own, source)) == meaning(convert(back, source))
    assert the(convert(the(again.script), target).script) == found.script


@for_each("text, target, command", [
    ("flux submit -N4 -n16 -g1 app", "slurm",
     "sbatch -n16 -N4 --ntasks-per-node=4 --gpus-per-task=1 --wrap='srun app'"),
    ("flux submit -n1 -g1 app", "slurm", "sbatch -n1 --gpus-per-task=1 --wrap='srun app'"),
    ("flux run -N4 app", "lsf", "bsub -nnodes 4 jsrun -n 4 -r 1 app"),
    ("srun -N4 app", "flux", "flux run -N4 -n4 app"),
    ("jsrun -n12 -c7 -g1 -r6 app", "flux", "flux run -N2 -n12 -c7 -g1 app"),
    ("bsub -n 4 ./a x", "flux", "flux batch -n4 --wrap './a x'"),
    ("qsub -l nodes=2 -- ./a x", "lsf", "bsub -n 2 -R 'span[ptile=1]' ./a x"),
    ("sbatch -n4 --wrap 'srun a; b'", "pbs",
     "qsub -V -l select=4:ncpus=1 -- sh -c 'mpiexec -n 4 a; b'"),
    ("sbatch -n4 --wrap 'srun a; b'", "lsf", "bsub -n 4 'jsrun -n4 a; b'"),
    ("sbatch -N2 'my job.sh'", "lsf", "bsub -n 2 -R 'span[ptile=1]' ./'my job.sh'"),
    ("salloc -N2 srun a", "flux", "flux alloc -N2 -n2 flux run -N2 -n2 a"),
    ("qsub -I -l nodes=2", "lsf", "bsub -Is -n 2 -R 'span[ptile=1]' bash"),
    ("flux alloc -N2", "slurm", "salloc -N2 --exclusive"),
    ("sbatch -N2 job.sh a 'b c'", "flux", "flux batch -N2 -n2 job.sh a 'b c'"),
    ("bsub -nnodes 2 < job.lsf", "slurm", "sbatch -N2 --exclusive job.lsf"),
])  # fmt: skip
def test_a_command_line_becomes_one_of_the_other_system(
    text: str, target: Target, command: str
) -> None:
    assert convert(text, target).command == command


@for_each("target", TARGETS)
def test_memory_is_asked_of_flux_only_where_it_is_wanted(target: Target) -> None:
    text = script("slurm", "-N2 --mem=8G")
    plain, asked = convert(text, target), convert(text, target, memory=True)
    has = ["memory" in json.dumps(the(found.document)["resources"]) for found in (plain, asked)]
    is_foreign = target in ("slurm", "pbs", "lsf")
    assert has == [is_foreign, True]
    assert any(note.code == "lost" for note in plain.notes) == (not is_foreign)


def test_a_tally_counts_each_option_once() -> None:
    text = script("slurm", "-N4 -t 1 --mail-type=END --wibble -C '[a|b]'")
    tally = convert(text, "flux").tally
    assert tally == conversion.Tally(exact=2, approximate=1, lost=1, unknown=1)


def test_directives_of_both_systems_are_not_left() -> None:
    both = "#!/bin/sh\n#SBATCH -N4\n#PBS -l nodes=2\n# flux: -N3\nhostname\n"
    for target in SYSTEMS:
        found = the(convert(both, target, "pbs").script)
        assert found.count(LEADS[target]) >= 1
        assert "nodes=4" not in found
        assert (LEADS["pbs"] in found) == (target == "pbs")
        assert convert(found, "jobspec").document is not None


@for_each("script", [
    "#!/bin/sh\n#BSUB -n 32 -R 'span[ptile=16] select[type==any]' -gpu num=2\nmpirun ./x\n",
    "#!/bin/sh\n#PBS -l nodes=2:ppn=8:gpus=1\n",
    "#!/bin/sh\n#SBATCH --array=1-3\nsrun a : b\n",
])  # fmt: skip
def test_what_is_for_a_system_already_stays_as_it_is(script: str) -> None:
    system = next(name for name, kind in KINDS.items() if f"#{kind}" in script)
    found = convert(script, system)
    assert (found.script, found.notes) == (script, ())
