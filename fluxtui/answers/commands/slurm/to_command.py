"""A jobspec as ``srun``, ``sbatch`` and ``salloc`` lines.

A line is exact where Slurm's manuals let it mean what the jobspec says, as the use cases of
RFC 14 and RFC 25 list them, and where `hear` reads it back as the same jobspec.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands.flux.to_command import SCRIPT_NAME
from fluxtui.answers.commands.foreign_command import judged
from fluxtui.answers.commands.request import Request
from fluxtui.answers.commands.saying import Saying
from fluxtui.answers.commands.scripts import headed, shell_script
from fluxtui.answers.commands.slurm import from_command
from fluxtui.answers.commands.slurm.words import Told
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span
from fluxtui.notation.shellwords import Word


def sayings(request: Request, names: Sequence[str]) -> list[Saying]:
    """What these of the three programs take for a request, in the order of ``names``."""
    if request.demand().further_slots:
        note = "Slurm takes several kinds of slots only as a heterogeneous job"
        return [Saying(name, None, notes=(note,)) for name in names]
    makers = {"srun": _srun, "sbatch": _sbatch, "salloc": _salloc}
    return [makers[name](request) for name in names]


def _srun(request: Request) -> Saying:
    told = Told(request, "srun")
    lead = []
    words = list(request.command)
    if request.kind in ("alloc", "batch"):
        told.one_task_each()
        script = [f"./{SCRIPT_NAME}"] if request.kind == "batch" else []
        words = ["flux", "start", *request.broker_options, *script, *request.inner]
        lead = ["srun starts the Flux instance with 'flux start', one broker a node"]
    line = ["srun", *told.words(), *_behind(words)]
    return judged("srun", line, request, [*lead, *told.notes], _read_back)


def _sbatch(request: Request) -> Saying:
    told = Told(request, "sbatch")
    options = told.words()
    if request.script is not None:
        lead = "sbatch runs the script without a Flux instance: its flux commands become srun"
        line = ["sbatch", *options, SCRIPT_NAME, *request.inner]
        script = headed(request.script, "#SBATCH ", options)
    else:
        lead = "sbatch runs a script, and this one starts the tasks with srun"
        steps = _steps(request, told)
        line = ["sbatch", *options, f"--wrap={shellwords.join(steps)}"]
        script = headed(shell_script(steps), "#SBATCH ", options)
    return judged("sbatch", line, request, [lead, *told.notes], _read_back, script=script)


def _salloc(request: Request) -> Saying:
    told = Told(request, "salloc")
    lead, steps = [], list(request.inner)
    if request.kind == "batch":
        lead = ["salloc runs the script without a Flux instance: its flux commands become srun"]
        steps = [f"./{SCRIPT_NAME}", *steps]
    elif request.kind == "alloc":
        lead = ["salloc gives the resources; 'srun flux start' starts a Flux instance in them"]
    elif request.kind == "program":
        lead = ["salloc gives the resources, and srun starts the tasks in them"]
        steps = _steps(request, told)
    line = ["salloc", *told.words(), *_behind(steps)]
    return judged("salloc", line, request, [*lead, *told.notes], _read_back)


def _steps(request: Request, told: Told) -> list[str]:
    """The ``srun`` that starts the tasks in an allocation, which knows how many there are."""
    inner = list(request.command)
    if request.kind == "alloc":
        inner = ["flux", "start", *request.broker_options, *request.inner]
    return ["srun", *told.per_task(), *_behind(inner)]


def _behind(command: list[str]) -> list[str]:
    """The command, kept apart from the options where it could be taken for one."""
    return ["--", *command] if command and command[0].startswith("-") else command


def _read_back(program: str, words: Sequence[str]) -> Mapping[str, Any]:
    placed = [Word(word, Span(0, len(word))) for word in words]
    return from_command.read(program, placed, {})[0]
