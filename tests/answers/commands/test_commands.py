"""Command lines as they are pasted: prompts, variables, ends of lines, and what follows them."""

from typing import Any

from fluxtui.answers.commands.scripts import looks_like_command
from fluxtui.answers.commands.translation import from_command
from tests.answers.commands.reading import command, notes, problems, shape_of, system, tasks
from tests.each import for_each


@for_each("text", [
    "srun -N2 -n4 app", "  srun -N2 -n4 app  ", "$ srun -N2 -n4 app",
    "user@host:~/runs$ srun -N2 -n4 app", "[user@host work]$ srun -N2 -n4 app",
    "> srun -N2 -n4 app", "# srun -N2 -n4 app", "/usr/bin/srun -N2 -n4 app",
    "exec srun -N2 -n4 app", "srun -N2 \\\n    -n4 app", "srun -N2 \\\r\n    -n4 app\r\n",
    "srun -N2 -n4 app  # with a comment", "srun -N2 -n4 app;",
    "Here is how to run it:\n\n    $ srun -N2 -n4 app\n", "srun --nodes=2 --ntasks 4 app",
    "srun --nodes 2 --ntasks=4 app", "srun -N 2 -n 4 -- app", "srun -N1 -N2 -n4 app",
])  # fmt: skip
def test_one_command_in_many_coats(text: str) -> None:
    assert looks_like_command(text)
    read = from_command(text)
    assert read.what == "srun command line"
    assert read.problems == ()
    assert read.notes == ()
    assert shape_of(read) == "node=2/slot=2/core"
    assert command(read) == ["app"]


def test_what_each_program_is_called() -> None:
    for program in ("flux submit", "flux run", "flux alloc", "srun", "salloc"):
        read = from_command(f"{program} -n2 app")
        assert read.what == f"{program} command line"
        assert read.problems == ()
    assert from_command("flux mini run -n2 app").what == "flux run command line"


def test_flux_makes_whole_nodes_of_nodes_alone_and_slurm_does_not() -> None:
    assert shape_of(from_command("flux run -N4 app")) == "node=4{x}/slot/core"
    assert shape_of(from_command("srun -N4 app")) == "node=4/slot/core"


def test_variables_before_the_command_are_part_of_the_environment() -> None:
    text = "FOO=1 BAR='a b' flux submit --env=BAZ=2 app"
    assert system(from_command(text))["environment"] == {"FOO": "1", "BAR": "a b", "BAZ": "2"}
    assert notes(text) == [
        (
            "FOO=1 BAR='a b' flux submit --env=BAZ=2",
            "the environment of the submission comes on top, as it is then",
        )
    ]
    known = from_command(text, {"HOME": "/h"})
    assert system(known)["environment"] == {"HOME": "/h", "FOO": "1", "BAR": "a b", "BAZ": "2"}
    assert known.notes == ()
    assert system(from_command("env A=1 srun app"))["environment"] == {"A": "1"}


@for_each("row", [
    ("", None), ("--env=-*", {}), ("--env='-*' --env=A=1", {"A": "1"}),
    ("--env='-*' --env=HOME", {"HOME": "/h"}), ("--env=-LD_*", {"HOME": "/h", "X": "1"}),
    ("--env-remove=X", {"HOME": "/h", "LD_A": "2"}),
    ("--env='P=$HOME/bin'", {"HOME": "/h", "X": "1", "LD_A": "2", "P": "/h/bin"}),
    ("--env='P=$$5'", {"HOME": "/h", "X": "1", "LD_A": "2", "P": "$5"}),
    ("--env='-/^[HL]/'", {"X": "1"}),
])  # fmt: skip
def test_rules_of_the_environment(row: tuple[Any, ...]) -> None:
    rules, environment = row
    read = from_command(f"flux run {rules} app", {"HOME": "/h", "X": "1", "LD_A": "2"})
    assert read.problems == ()
    assert system(read).get("environment") == environment


@for_each("behind", ["| tee log", "> out.txt", "2>&1", "&& echo done", "& wait"])
def test_what_stands_behind_a_command_is_noted(behind: str) -> None:
    text = f"srun -n4 app x {behind}"
    assert command(from_command(text)) == ["app", "x"]
    assert notes(text) == [(behind, "what follows the command is not part of it")]


def test_only_the_first_of_several_commands_is_read() -> None:
    text = "flux submit -n1 a\nflux submit -n2 b\nflux submit -n3 c\n"
    assert command(from_command(text)) == ["a"]
    assert notes(text) == [("flux submit -n2 b\nflux submit -n3 c", "2 more are not read")]
    assert notes("srun a; srun b\nsrun c") == [
        ("; srun b", "what follows the command is not part of it"),
        ("srun c", "one more command line is not read"),
    ]


def test_a_script_may_come_with_the_command() -> None:
    text = "sbatch -N2 -t 5 <<'EOF'\n#!/bin/sh\n#SBATCH -N4 -n8\nhostname\nEOF\necho done\n"
    read = from_command(text)
    assert shape_of(read) == "node=2/slot=4/core"
    assert system(read)["duration"] == 300
    assert system(read)["files"]["script"]["data"] == "#!/bin/sh\n#SBATCH -N4 -n8\nhostname\n"


def test_a_wrapped_command_is_a_script() -> None:
    read = from_command("sbatch -n4 --wrap='srun ./app'")
    assert command(read) == ["flux", "broker", "{{tmpdir}}/script"]
    assert system(read)["files"]["script"]["data"] == "#!/bin/sh\nsrun ./app\n"
    read = from_command("flux batch -n4 --wrap hostname")
    assert system(read)["files"]["script"]["data"] == "#!/bin/sh\nhostname\n"


def test_a_script_that_is_only_named_is_noted() -> None:
    text = "$ sbatch -N2 job.sh input"
    assert command(from_command(text)) == ["flux", "broker", "job.sh", "input"]
    assert notes(text) == [
        (
            "sbatch -N2 job.sh input",
            "the script job.sh is not read here: its text and its directives are left out",
        )
    ]


@for_each("text", ["", "hello", "slot=2/core", "version: 1\nresources: []", "\x00"])
def test_what_is_no_command(text: str) -> None:
    assert not looks_like_command(text)
    read = from_command(text)
    assert read.document is None
    (problem,) = read.problems
    assert problem.message == "no command line or script of Flux, Slurm or PBS is recognised"
    assert "srun" in problem.expected


def test_many_jobs_are_no_jobspec() -> None:
    read = from_command("flux bulksubmit -n1 echo {} ::: 1 2")
    assert read.document is None
    assert read.problems[0].message == "flux bulksubmit makes many jobs; a jobspec is one"


def test_a_long_text_is_refused() -> None:
    read = from_command("srun app " + "x" * 70_000)
    assert read.document is None
    assert read.problems[0].message.startswith("the text has 70,009 characters")


def test_a_command_that_is_missing() -> None:
    assert problems("flux run -n4") == [
        ("flux run -n4", "the command to run is missing", ("a program",))
    ]
    assert command(from_command("salloc -N4")) == ["flux", "start"]
    assert tasks(from_command("salloc -N4")) == {"per_slot": 1}
