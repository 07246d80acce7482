"""The options of ``srun``, ``sbatch`` and ``salloc``, as their manuals list them."""

from collections.abc import Iterator
from functools import cache

from fluxtui.answers.commands.options import (
    Manner,
    Meaning,
    Option,
    Takes,
    keep,
    leave,
    silent,
    table,
)

#: Slurm takes long names cut short, and its options end at the first word that is none.
MANNER = Manner(abbreviated=True)

_KEPT = (
    Option(("-N", "--nodes"), "value", keep("nodes")),
    Option(("-n", "--ntasks"), "value", keep("ntasks")),
    Option(("-c", "--cpus-per-task"), "value", keep("cpus")),
    Option(("--tasks-per-node", "--ntasks-per-node"), "value", keep("per-node")),
    Option(("-G", "--gpus"), "value", keep("gpus")),
    Option(("--gpus-per-task",), "value", keep("gpus-per-task")),
    Option(("--gpus-per-node",), "value", keep("gpus-per-node")),
    Option(("--gres",), "value", keep("gres")),
    Option(("--mem",), "value", keep("mem")),
    Option(("--mem-per-cpu",), "value", keep("mem-per-cpu")),
    Option(("--exclusive",), "perhaps", keep("exclusive")),
    Option(("-t", "--time"), "value", keep("time")),
    Option(("-p", "--partition"), "value", keep("partition")),
    Option(("-A", "--account"), "value", keep("account")),
    Option(("-J", "--job-name"), "value", keep("name")),
    Option(("-D", "--workdir", "--chdir"), "value", keep("cwd")),
    Option(("-d", "--dependency"), "value", keep("dependency")),
    Option(("-C", "--constraint"), "value", keep("constraint")),
    Option(("-w", "--nodelist"), "value", keep("nodelist")),
    Option(("-x", "--exclude"), "value", keep("exclude")),
    Option(("--export",), "value", keep("export")),
    Option(("-o", "--output"), "value", keep("output")),
    Option(("-e", "--error"), "value", keep("error")),
    Option(("-i", "--input"), "value", keep("input")),
    Option(("--sockets-per-node",), "value", keep("sockets")),
    Option(("--cores-per-socket",), "value", keep("socket-cores")),
    Option(("-B", "--extra-node-info"), "value", keep("extra")),
    Option(("-m", "--distribution"), "value", keep("distribution")),
    Option(("--signal",), "value", keep("signal")),
)

_WHY = {
    "watch": "says how the job is watched or reported, which a jobspec does not hold",
    "place": "has no counterpart among the resources of a jobspec and is left out",
    "run": "tells Slurm how to start tasks; the Flux job shell has options of its own (-o)",
    "policy": "belongs to Slurm's scheduling and has no counterpart in a jobspec",
    "many": "makes several jobs of one; a jobspec is one job",
}

# A name behind '=' takes a value, one behind '?' may take one when it is attached.
_LEFT = {
    "watch": (
        "=--mail-type =--mail-user =--comment =--acctg-freq =--profile =--wckey =--open-mode "
        "=--bell-after ?--usage --bell --no-bell --parsable --test-only -X/--disable-status "
        ""
    ),
    "place": (
        "=--gpus-per-socket =--cpus-per-gpu =--mem-per-gpu =--mincpus =--tmp =--switches "
        "=--ntasks-per-core =--ntasks-per-socket =--ntasks-per-gpu =--threads-per-core "
        "=-L/--licenses =--bb =--bbf =-F/--nodefile =-S/--core-spec =--thread-spec "
        "=--tres-per-task =-M/--clusters =--cluster-constraint =--prefer --contiguous "
        "-s/--oversubscribe --spread-job --use-min-nodes -O/--overcommit =--hint "
        "=-r/--relative =--het-group =--container =--network"
    ),
    "run": (
        "=--mpi =--cpu-bind =--gpu-bind =--mem-bind =--cpu-freq =--gpu-freq =--tres-bind "
        "?--propagate ?-K/--kill-on-bad-exit ?-k/--no-kill =--prolog =--epilog =--task-prolog "
        "=--task-epilog --multi-prog ?--x11 ?--bcast ?--compress =--export-file ?--get-user-env "
        "--exact --overlap =--oom-kill-step =-T/--threads =--treewidth ?--resv-ports "
        "-E/--preserve-env =-W/--wait --no-shell =--msg-timeout --stepmgr"
    ),
    "policy": (
        "=-q/--qos =--reservation =--priority ?--nice =--deadline =--time-min =--delay-boot "
        "=-b/--begin -H/--hold ?-I/--immediate --requeue --no-requeue --reboot =--power "
        "=--mcs-label =--kill-on-invalid-dep =--uid =--gid =--jobid --ignore-pbs "
        "=--wait-all-nodes -Z/--no-allocate"
    ),
    "many": "=-a/--array",
}

_QUIET = ("-Q/--quiet", "-v/--verbose", "-V/--version", "-h/--help")


def _left() -> Iterator[Option]:
    for why, names in _LEFT.items():
        for name in names.split():
            yield _option(name, leave(_WHY[why]))
    for name in _QUIET:
        yield _option(name, silent)


def _option(text: str, means: Meaning) -> Option:
    takes: Takes = "value" if text[0] == "=" else "perhaps" if text[0] == "?" else "nothing"
    return Option(tuple(text.lstrip("=?").split("/")), takes, means)


_OWN = {
    "srun": (
        Option(("-u", "--unbuffered"), "nothing", keep("unbuffered")),
        Option(("-l", "--label"), "nothing", keep("label")),
        Option(("--pty",), "perhaps", keep("pty")),
    ),
    "sbatch": (
        Option(("--wrap",), "value", keep("wrap")),
        Option(("-W", "--wait"), "nothing", leave(_WHY["watch"])),
    ),
    "salloc": (Option(("-K", "--kill-command"), "perhaps", leave(_WHY["run"])),),
}


@cache
def options(program: str) -> dict[str, Option]:
    """The options of ``srun``, ``sbatch`` or ``salloc`` by their names."""
    return table((*_left(), *_KEPT, *_OWN[program]))
