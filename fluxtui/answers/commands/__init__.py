"""The same request in other words: command lines and scripts of Flux, Slurm and PBS.

`say` writes a jobspec as those programs would be asked for it, each line marked exact or
approximate; `hear` reads a pasted command line or script as a jobspec.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fluxtui.answers.commands.saying import PROGRAMS, Heard, Known, Remark, Saying

if TYPE_CHECKING:
    from fluxtui.answers.commands.request import Request

__all__ = ["PROGRAMS", "Heard", "Known", "Remark", "Saying", "hear", "looks_like_command", "say"]


def say(
    document: Mapping[str, Any], names: Collection[str] = PROGRAMS, *, known: Known | None = None
) -> tuple[Saying, ...]:
    """A jobspec in the words of each of ``PROGRAMS`` that is named, in their order.

    Takes any RFC 14 jobspec, legal or not, and never raises. Where a program cannot say it, the
    text is None and a note says why. Where the task's slot is not there, Flux is asked for just
    that, with a note; the others have no words for it. What ``exact`` means is written down in
    `flux_say`, `slurm_say` and `pbs_say`; for each exact text, ``hear(text)`` gives the same
    resources, tasks and attributes. Only ``flux batch`` names a file, ``script.sh``, which holds
    the script that the job carries; `hear` reads its ``script`` instead.

    known is what the caller keeps from one time to the next, so that only the vertices that
    changed are looked at; what is said does not depend on it.
    """
    from fluxtui.answers.commands import request

    wanted = [name for name in PROGRAMS if name in names]
    found = request.read(document)
    if isinstance(found, str):
        return tuple(Saying(name, None, notes=(found,)) for name in wanted)
    try:
        return tuple(_sayings(found, wanted, known))
    except RecursionError:
        note = "the jobspec is nested too deep for a command line"
        return tuple(Saying(name, None, notes=(note,)) for name in wanted)


def _sayings(found: "Request", wanted: Sequence[str], known: Known | None) -> Iterator[Saying]:
    """What the programs take that are wanted, one kind of them after the other."""
    flux = [name for name in wanted if name.startswith("flux ")]
    if flux:
        from fluxtui.answers.commands.flux import to_command

        yield from to_command.sayings(found, flux, known)
    if found.slotless is not None:
        others = [name for name in wanted if name not in flux]
        yield from (Saying(name, None, notes=(found.slotless,)) for name in others)
        return
    slurm = [name for name in wanted if name in ("srun", "sbatch", "salloc")]
    if slurm:
        from fluxtui.answers.commands.slurm import to_command as slurm_say

        yield from slurm_say.sayings(found, slurm)
    if "qsub" in wanted:
        from fluxtui.answers.commands.pbs import to_command as pbs_say

        yield pbs_say.saying(found)


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
    from fluxtui.answers.commands import from_command

    return from_command.hear(text, environ or {})


def looks_like_command(text: str) -> bool:
    """Whether a pasted text may be something that `hear` reads; cheap."""
    from fluxtui.answers.commands import pasted

    return pasted.looks_like_command(text)
