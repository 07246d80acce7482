"""Batch scripts: their directives (RFC 36, Slurm, PBS), and scripts that are written."""

from typing import Any

import pytest

from fluxtui.answers.commands import scripts
from fluxtui.answers.commands.scripts import looks_like_command
from fluxtui.answers.commands.translation import from_command
from tests.answers.commands.reading import command, notes, problems, shape_of, system
from tests.each import for_each

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


def test_a_slurm_script() -> None:
    assert looks_like_command(SBATCH)
    found = from_command(SBATCH)
    assert (found.what, found.problems) == ("sbatch script", ())
    assert [note.text.partition(",")[0] for note in found.notes] == ["srun in line 9: use flux run"]
    assert shape_of(found) == "node=2/slot=16/core"
    assert command(found) == ["flux", "broker", "{{tmpdir}}/script"]
    assert system(found) == {
        "duration": 129600.0,
        "queue": "gpu",
        "job": {"name": "my job"},
        "files": {"script": {"mode": 0o100700, "data": SBATCH, "encoding": "utf-8"}},
        "shell": {
            "options": {
                "output": {"stdout": {"type": "file", "path": "flux-{{id}}.out"}},
                "per-resource": {"type": "node"},
                "mpi": "none",
                "exit-timeout": "none",
            }
        },
    }


def test_a_pbs_script() -> None:
    found = from_command(PBS)
    assert (found.what, found.problems) == ("qsub script", ())
    assert shape_of(found) == "node=4/slot=8/core"
    assert system(found)["duration"] == 5400
    assert system(found)["job"] == {"name": "night"}
    assert system(found)["files"]["script"]["data"] == PBS


def test_a_flux_script() -> None:
    found = from_command(FLUX)
    assert (found.what, found.problems, found.notes) == ("flux batch script", (), ())
    assert shape_of(found) == "node=4{x}/slot/core"
    assert found.document is not None
    assert found.document["attributes"]["user"] == {"note": 'It\'s a "job"'}
    assert system(found)["duration"] == 3600


@for_each("row", [
    ("# flux: -N4 -c 2\n", ["-N4", "-c", "2"]),
    ("#FLUX: -N4\n#\n#FLUX: -c2\n", ["-N4", "-c2"]), ("flux: --queue=batch\n", ["--queue=batch"]),
    ('"""\nflux: -n4\nflux: --job-name="my job"\n"""\n', ["-n4", "--job-name=my job"]),
    ("-- flux: -N1 --exclusive\n-- flux: --output=job.out\nlocal app\n",
     ["-N1", "--exclusive", "--output=job.out"]),
    ("#flux: -q a # -N4\n#flux: # -N8\n", ["-q", "a"]),
    ("#flux: --setattr=user.foo=\"\"\"{\"key\": 42}\"\"\"\n", ['--setattr=user.foo={"key": 42}']),
    ("# flux: -S user.a=\"\"\"\n# flux: [config]\n# flux:   item = 1\n# flux: \"\"\"\n",
     ["-S", "user.a=[config]\n  item = 1\n"]),
    ("#flux: -S a='b\\c' -q 'x\\'y' -B \"a\\\"b\"\n", ["-S", "a=b\\c", "-q", "x'y", "-B", 'a"b']),
    ("#flux: --requires=a|b\n", ["--requires=a", "|", "b"]),
])  # fmt: skip
def test_words_of_flux_directives(row: tuple[Any, ...]) -> None:
    text, words = row
    read = scripts.read(text, "flux")
    assert read.problems == []
    assert [word.text for word in read.words] == words


def test_places_of_words() -> None:
    read = scripts.read(FLUX, "flux", 100)
    found = [FLUX[start - 100 : end - 100] for _, (start, end) in read.words]
    assert found[:4] == ["-N4", "--exclusive", "-t", "1h"]
    assert found[4].startswith("--setattr=user.note='''It's")
    read = scripts.read(SBATCH, "SBATCH", 7)
    assert [SBATCH[start - 7 : end - 7] for _, (start, end) in read.words] == [
        "--nodes=2",
        "--ntasks-per-node=16",
        "-t",
        "1-12",
        "-p",
        "gpu",
        '--job-name="my job"',
    ]


@for_each("row", [
    ("#!/bin/sh\n#flux: -n1\nhost\n#flux: -c2\n", "#flux: -c2",
     "a directive comes after the first line that is not one"),
    ("#!/bin/sh\n#flux: -n1\n# flux: -c2\nhost\n", "# flux: -c2",
     "all directives begin with '#flux:'"),
    ("#!/bin/sh\n#flux: -n1\n#flux: hello\nhost\n", "hello",
     "a directive begins with an option; found 'hello'"),
    ("#!/bin/sh\n#flux: -n1 -q 'x\nhost\n", "'x", "the quote ' is not closed"),
    ("#!/bin/sh\n#flux: -n1 --time=4\nhost\n", "--time",
     "flux batch takes no shortened '--time'; write --time-limit"),
    ("#!/bin/sh\n#SBATCH -N4\nhost\n#SBATCH -c2\n", "#SBATCH -c2",
     "#SBATCH lines count only before the first command"),
    ("#!/bin/sh\n#SBATCH -N4 --tme=10\nhost\n", "--tme",
     "sbatch has no option '--tme'; did you mean --time?"),
    ("#!/bin/sh\n#SBATCH -N4 four\nhost\n", "four", "'four' is not an option of sbatch"),
    ("#!/bin/sh\n#PBS -l nodes=4+\n#PBS -l nodes=[x]\nhost\n", "nodes=[x]",
     "'[x]' asks for no nodes"),
    ("hostname\n#flux: -n1\necho\n", "hostname", "flux batch wants a script that begins with #!"),
])  # fmt: skip
def test_what_is_wrong_in_a_script(row: tuple[Any, ...]) -> None:
    text, where, message = row
    assert (where, message) in [(place, said) for place, said, _ in problems(text)]
    assert from_command(text).document is not None


def test_directives_alone_ask_for_resources() -> None:
    for text in ("#SBATCH -N4\n#SBATCH -t 10\n", "#PBS -l nodes=4\n", "# flux: -N4 -n4\n"):
        found = from_command(text)
        assert found.problems == ()
        assert shape_of(found) == "node=4/slot/core"
        assert command(found) == ["app"]
        assert (
            found.notes[0].text
            == "the commands of the script are not here; 'app' takes their place"
        )


def test_a_script_without_a_first_line() -> None:
    text = "#SBATCH -N4\nhostname\n"
    assert system(from_command(text))["files"]["script"]["data"] == f"#!/bin/sh\n{text}"
    assert notes(text) == [("#SBATCH -N4", "the script has no #! line and gets '#!/bin/sh'")]


def test_the_first_kind_of_directive_counts() -> None:
    both = "#!/bin/sh\n#SBATCH -N4\n#PBS -l nodes=2\n# flux: -N1\nhost\n"
    assert from_command(both).what == "sbatch script"
    assert shape_of(from_command(both)) == "node=4/slot/core"


def test_a_script_without_directives_is_read_for_its_first_command() -> None:
    found = from_command("#!/bin/sh\n# srun -n9 old\nmodule load x\nsrun -n4 app\nsrun -n5 more\n")
    assert found.what == "srun command line"
    assert shape_of(found) == "slot=4/core"


@pytest.mark.parametrize("kind", ["flux", "SBATCH", "PBS"])
@pytest.mark.parametrize(
    "words",
    [
        ["-N4", "-t", "1h"],
        ["--job-name=my job", "--x=it's", "-q", "a b"],
        ["--x=a\\b", "--y=a'b\\c\"d", "--z=#x", "--w=a|b", "--v="],
    ],
)
def test_what_is_put_at_the_head_of_a_script_is_read_there(
    kind: scripts.Kind, words: list[str]
) -> None:
    lead = "# flux: " if kind == "flux" else f"#{kind} "
    script = scripts.with_directives("#!/bin/sh\nhostname\n", lead, words)
    assert script is not None
    assert script.startswith(f"#!/bin/sh\n{lead}")
    assert script.endswith("hostname\n")
    read = scripts.read(script, kind)
    assert read.problems == []
    assert [word.text for word in read.words] == words
    assert scripts.with_directives(script, lead, words) is None
