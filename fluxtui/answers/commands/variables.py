"""Which variables a job has, in the terms of the environment that it is submitted from.

A jobspec holds a whole environment and cannot refer to that one, but the command lines of all
systems do. So this is carried from one command line to another beside the jobspec.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fluxtui.answers.commands.jobs import Remark
from fluxtui.notation.problem import is_printable, listed, shortened

#: Names and values of variables that are safe in a comma-separated list.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LISTED = re.compile(r"[^,'\"\\\x00-\x1f]*")


@dataclass(frozen=True, slots=True)
class Variables:
    """The environment of a job; values are added last.

    inherits  whether it begins as the environment at submission, rather than empty
    values    the variables that are set
    copied    names or shell patterns of variables with their values at submission; not if inherits
    removed   names or patterns of variables that are taken out; only if inherits
    unfilled  names of values with ``$NAME`` for a variable at submission, by the rules of Flux
    """

    inherits: bool = True
    values: Mapping[str, str] = field(default_factory=dict)
    copied: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unfilled: frozenset[str] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether the values are all of the environment, so that a jobspec can hold it."""
        return not (self.inherits or self.copied or self.unfilled)


def not_in_jobspec(variables: Variables) -> list[str]:
    """One sentence for each thing that a jobspec does not say of an environment.

    A `Remark` is on something that is only approximate.
    """
    values, removed, copied = (
        listed([shortened(name) for name in names])
        for names in (variables.values, variables.removed, variables.copied)
    )
    out: list[str] = []
    if variables.inherits and values:
        note = f"a jobspec holds a whole environment, and this one has only {values}"
        out.append(Remark(note))
    if removed:
        out.append(f"a jobspec cannot take {removed} out of the environment at submission")
    if copied:
        out.append(f"a jobspec cannot copy {copied} from the environment at submission")
    return out


def write(system: str, variables: Variables) -> tuple[list[str], list[str]]:
    """The options of a system for an environment, and sentences as of `not_in_jobspec`."""
    return _write_flux(variables) if system == "flux" else _write_list(system, variables)


def _write_flux(variables: Variables) -> tuple[list[str], list[str]]:
    words, lost = [] if variables.inherits else ["--env=-*"], []
    options = {"--env-remove": variables.removed, "--env": variables.copied}
    for option, name in [(option, name) for option, names in options.items() for name in names]:
        if NAME.fullmatch(name):
            words.append(f"{option}={name}")
        else:
            lost.append(f"'{shortened(name)}' is not the name of a variable")
    for name, value in variables.values.items():
        if NAME.fullmatch(name) and is_printable(value) and "{{" not in value:
            text = value if name in variables.unfilled else value.replace("$", "$$")
            words.append(f"--env={name}={text}")
        else:
            lost.append(f"{shortened(name)} is left out: Flux has no option for its value")
    return words, lost


_CALLED = {"slurm": "Slurm", "pbs": "PBS", "lsf": "LSF"}


def _write_list(system: str, variables: Variables) -> tuple[list[str], list[str]]:
    """The options of a system that has a comma-separated list of variables."""
    parts, lost, called = [], [], _CALLED[system]
    for name in variables.removed:
        if system == "lsf" and NAME.fullmatch(name):
            parts.append(f"~{name}")
        else:
            shown = shortened(name)
            lost.append(f"{called} cannot take {shown} out of the environment at submission")
    for name in variables.copied:
        if NAME.fullmatch(name):
            parts.append(name)
        else:
            lost.append(f"{called} copies variables by their names, not by '{shortened(name)}'")
    for name, value in variables.values.items():
        if NAME.fullmatch(name) and LISTED.fullmatch(value):
            parts.append(f"{name}={value}")
        else:
            lost.append(f"{shortened(name)} is left out: {called} cannot list its value")
    text = ",".join(parts)
    if system == "pbs":
        words = [*(["-V"] if variables.inherits else []), *(["-v", text] if parts else [])]
        return words, lost if variables.inherits else [*lost, LOGIN]
    everything, none = ("ALL", "NONE") if system == "slurm" else ("all", "none")
    if variables.inherits:
        text = f"{everything},{text}" if parts else ""
        if system == "slurm" and any("=" in part for part in parts):
            lost.append(KEPT)
    words = [f"--export={text or none}"] if system == "slurm" else ["-env", text or none]
    return (words if text or not variables.inherits else []), lost


#: What Slurm does with ALL and a value (``--export`` in sbatch(1)).
KEPT = Remark("with ALL, Slurm keeps the value of the submission if there is one")
#: What PBS does without -V.
LOGIN = Remark("PBS adds the variables to the environment of a login")
