"""Job scripts and command lines, recognised and read as jobspecs for a verdict on them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document

#: A dictionary with any of these is opened as a jobspec, whatever its faults.
KEYS = ("resources", "tasks", "attributes")

#: A key of a jobspec at the beginning of a line, or in quotes.
JOBSPEC = re.compile(
    r"""^[ \t]*\{?[ \t]*(resources|tasks|attributes)[ \t]*:|"(resources|tasks)"\s*:""", re.MULTILINE
)


def is_command(found: "Document") -> bool:
    """Whether a text is a request in other words: a command line or a script."""
    from fluxtui.model import verdict

    value = found.value
    if isinstance(value, dict) and (verdict.kind_of(value) != "unknown" or has_key(value)):
        return False
    if not found.readable and not found.text.startswith("#!") and JOBSPEC.search(found.text):
        return False
    from fluxtui.answers.commands.scripts import looks_like_command

    return looks_like_command(found.text)


def has_key(value: Mapping[str, Any]) -> bool:
    """Whether a dictionary is opened as a jobspec, whatever its faults."""
    return any(key in value for key in KEYS)


@dataclass(frozen=True, slots=True)
class ReadScript:
    """A job script or a command line, as a jobspec of version 1 (RFC 25).

    what     such as ``sbatch script``
    jobspec  None where it is none, which a problem says
    notes    what of it is lost or approximate, as warnings
    """

    what: str
    jobspec: dict[str, Any] | None
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]


#: What a text has that may be a script or a command line.
_SIGNS = ("#SBATCH", "#PBS", "#BSUB", "lux:", "LUX:", "flux ", "srun", "sbatch", "salloc", "qsub",
          "bsub", "jsrun")  # fmt: skip


def script_of(found: "Document") -> ReadScript | None:
    """A text as the job of a script or a command line, or None where it is neither.

    A text in JSON may be one: a string that holds it.
    """
    is_string = found.form == "json" and isinstance(found.value, str)
    text: str = found.value if is_string else found.text
    head = text[:65_536]
    if not any(sign in head for sign in _SIGNS):
        return None
    from fluxtui.answers.commands import conversion, scripts

    if not (scripts.looks_like_command(text) if is_string else is_command(found)):
        return None
    made = conversion.convert(text, "jobspec")
    notes = tuple(
        Problem(f"{note.code}: {note.text}", note.span, severity="warning")
        for note in made.notes
        if note.code != "body"
    )
    document = None if made.document is None else dict(made.document)
    return ReadScript(made.what, document, made.problems, notes)
