"""Options that are wrong: their problems, and where these are."""

from typing import Any

from fluxtui.answers.commands.translation import from_command
from tests.answers.commands.reading import command, notes, problems, shape_of
from tests.each import for_each


@for_each("row", [
    ("srun --ntask-per-node=4 app", "--ntask-per-node",
     "srun has no option '--ntask-per-node'; did you mean --ntasks-per-node?",
     ("--ntasks-per-node",)),
    ("srun -y app", "-y", "srun has no option '-y'", ()),
    ("srun --nod 4 app", "--nod", "'--nod' is short for several options of srun",
     ("--nodefile", "--nodes", "--nodelist")),
    ("flux run --ntask 4 app", "--ntask", "flux run takes no shortened '--ntask'; write --ntasks",
     ("--ntasks",)),
    ("flux run --node=4 app", "--node", "flux run takes no shortened '--node'; write --nodes",
     ("--nodes",)),
    ("srun --label=1 app", "=1", "--label takes no value", ("--label",)),
    ("srun -n", "-n", "the value of -n is missing", ("a value",)),
    ("srun -n four app", "four", "-n takes a whole number of 1 or more; found 'four'",
     ("a whole number of 1 or more",)),
    ("srun -N4 --ntasks=0 app", "0", "--ntasks takes a whole number of 1 or more; found '0'",
     ("a whole number of 1 or more",)),
    ("flux run --env -FOO app", "-FOO", "a value that begins with '-' is attached: --env=-FOO",
     ("--env=-FOO",)),
    ("flux run -N4 -n2 app", "4", "4 nodes do not hold 2 slots", ("1 to 2, the number of slots",)),
    ("flux run -x app", "-x", "nodes are given whole only where -N says how many", ("-N NODES",)),
    ("flux alloc -t 1h", "flux alloc -t 1h",
     "flux alloc needs a number of slots (-n) or nodes (-N)", ("-n SLOTS", "-N NODES")),
    ("flux run -N2 -n4 --tasks-per-node=2 app", "-n4",
     "-n does not go with an option that counts by node or core", ()),
    ("flux run --dependency=:x app", ":x", "':x' is not a dependency; write scheme:value",
     ("afterok:f1234",)),
    ("flux run --signal=FOO app", "FOO", "'FOO' is not a signal", ("SIGUSR1", "USR1", "10")),
    ("srun -N x app", "x", "-N takes a number of nodes", ("4", "2-8", "2,4,8", "2-8:2")),
    ("srun -t 1:2:3:4 app", "1:2:3:4", "'1:2:3:4' is not a time of Slurm",
     ("minutes", "hours:minutes:seconds", "days-hours")),
    ("srun -C 'a&' app", "'a&'", "'a&' is not a list of node features",
     ("a feature such as gpu", "gpu&ib", "a|b")),
    ("srun --mem=lots app", "lots", "--mem takes an amount of memory", ("4096", "4G")),
    ("qsub -l nodes=0", "nodes=0", "-l takes a whole number of 1 or more; found '0'",
     ("a whole number of 1 or more",)),
    ("flux run --setattr=.system=1 --add-file='x=a\\nb' app",
     "--add-file='x=a\\nb'",
     "system has a value already and holds no other keys", ()),
    ("qsub -l walltime=1:x -- app", "walltime=1:x", "'1:x' is not a time of PBS",
     ("hours:minutes:seconds", "seconds")),
])  # fmt: skip
def test_what_is_wrong(row: tuple[Any, ...]) -> None:
    text, where, message, expected = row
    assert (where, message, expected) in problems(text)
    assert from_command(text).document is not None


def test_problems_of_shapes_and_constraints_have_spans_of_their_own() -> None:
    assert problems("flux run --resources-shape=slot/core=0 app")[0][0] == "0"
    assert problems("flux run --requires=gpu --requires='a&' app")[0][0] == "--requires='a&'"
    assert problems("flux run --requires=gpu& app")[0][0] == "&"
    assert problems("flux run -t 5x app")[0][0] == "5x"
    assert problems("srun -w n[1-] app")[0][0] == "-"


def test_the_value_of_an_unknown_option_is_not_taken_for_the_command() -> None:
    assert command(from_command("srun --ntask-per-node 4 app")) == ["app"]
    assert command(from_command("flux run --ntask 4 app")) == ["app"]
    assert command(from_command("srun --something app")) == ["app"]


def test_unclosed_quotes() -> None:
    assert problems("srun app 'a b") == [
        ("'a b", "the quote ' is not closed", ("the closing '",)),
    ]


def test_options_that_a_jobspec_does_not_hold_are_noted() -> None:
    text = "srun -n2 --mail-type=END --mpi pmix -q high app"
    assert [where for where, _ in notes(text)] == ["--mail-type=END", "--mpi pmix", "-q high"]
    assert notes(text)[1][1].startswith("--mpi tells Slurm how to start tasks")
    assert notes("flux submit --cc=1-4 app") == [
        ("--cc=1-4", "--cc makes several jobs of one; a jobspec is one job")
    ]
    assert notes("flux run -v --dry-run app") == []


def test_long_names_may_be_cut_short_in_slurm() -> None:
    read = from_command("srun --cpus-per-t 2 --gpus-per-t=1 --ntasks=3 app")
    assert read.problems == ()
    assert shape_of(read) == "slot=3/[core=2;gpu]"


def test_bundles_of_short_options() -> None:
    assert shape_of(from_command("flux run -xN2 -n4 app")) == "node=2{x}/slot=2/core"
    assert ("-xN", "-N needs its value here: -NVALUE", ()) in problems("flux run -xN 2 app")
    assert shape_of(from_command("srun -lN2 -n4 app")) == "node=2/slot=2/core"
    assert shape_of(from_command("srun -lN 2 -n4 app")) == "node=2/slot=2/core"
