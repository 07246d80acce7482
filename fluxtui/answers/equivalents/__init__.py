"""The same request in other words: command lines and scripts of Flux, Slurm and PBS.

`say` writes a jobspec as those programs would be asked for it, each line marked exact or
approximate; `hear` reads a pasted command line or script as a jobspec.
"""

from collections.abc import Mapping
from typing import Any

from fluxtui.answers.equivalents.parts import PROGRAMS, Heard, Remark, Saying

__all__ = ["PROGRAMS", "Heard", "Remark", "Saying", "hear", "looks_like_command", "say"]


def say(document: Mapping[str, Any]) -> tuple[Saying, ...]:
    """A jobspec in the words of each of ``PROGRAMS``, in their order.

    Takes any RFC 14 jobspec, legal or not, and never raises. Where a program cannot say it, the
    text is None and a note says why. What ``exact`` means is written down in `flux_say`,
    `slurm_say` and `pbs_say`; for each exact text, ``hear(text)`` gives the same resources, tasks
    and attributes. Only ``flux batch`` names a file, ``script.sh``, which holds the script that
    the job carries; `hear` reads its ``script`` instead.
    """
    from fluxtui.answers.equivalents import flux_say, pbs_say, request, slurm_say

    found = request.read(document)
    if isinstance(found, str):
        return tuple(Saying(name, None, notes=(found,)) for name in PROGRAMS)
    try:
        return (*flux_say.sayings(found), *slurm_say.sayings(found), pbs_say.saying(found))
    except RecursionError:
        note = "the jobspec is nested too deep for a command line"
        return tuple(Saying(name, None, notes=(note,)) for name in PROGRAMS)


def hear(text: str, environ: Mapping[str, str] | None = None) -> Heard:
    """A pasted command line or script as a jobspec, however much of it makes sense.

    Reads ``flux submit``, ``run``, ``batch`` and ``alloc``, ``srun``, ``sbatch``, ``salloc`` and
    ``qsub`` lines, with a prompt, variables or line ends escaped, and scripts with ``flux:``
    (RFC 36), ``#SBATCH`` or ``#PBS`` directives. environ is the environment that the job would be
    submitted with; where it is empty or None, what would be taken from it is left out.

    Of a Flux line the document is what Flux makes of it, without what Flux takes from where it
    runs: the environment where no option says anything of it, the working directory, the resource
    limits. Never raises.
    """
    from fluxtui.answers.equivalents import hearing

    return hearing.hear(text, environ or {})


def looks_like_command(text: str) -> bool:
    """Whether a pasted text may be something that `hear` reads; cheap."""
    from fluxtui.answers.equivalents import commands

    return commands.looks_like_command(text)
