"""Recognising job scripts and command lines, and reading them as jobspecs for a verdict."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document

#: A dictionary with any of these keys is opened as a jobspec, valid or not.
KEYS = ("resources", "tasks", "attributes")

#: A key of a jobspec at the beginning of a line, or in quotes.
JOBSPEC = re.compile(
    r"""^[ \t]*\{?[ \t]*(resources|tasks|attributes)[ \t]*:|"(resources|tasks)"\s*:""", re.MULTILINE
)


def is_command(found: "Document") -> bool:
    """Whether a text is a command line or a job script."""
    from fluxtui.model import verdict

    value = found.value
    if isinstance(value, dict) and (verdict.kind_of(value) != "unknown" or has_key(value)):
        return False
    if not found.readable and not found.text.startswith("#!") and JOBSPEC.search(found.text):
        return False
    from fluxtui.answers.commands.scripts import looks_like_command

    return looks_like_command(found.text)


def has_key(value: Mapping[str, Any]) -> bool:
    """Whether a dictionary is opened as a jobspec, valid or not."""
    return any(key in value for key in KEYS)


@dataclass(frozen=True, slots=True)
class ReadScript:
    """A job script or a command line, converted to a jobspec of version 1 (RFC 25).

    what     its kind, such as ``sbatch script``
    title    its kind, and whether its commands are rewritten
    jobspec  None if it could not be converted, as a problem says
    notes    what of its request is lost or approximate, as warnings
    remarks  what to show when the job is opened, as warnings
    """

    what: str
    title: str
    jobspec: dict[str, Any] | None
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    remarks: tuple[Problem, ...]


#: Words of which every script and command line has at least one.
_SIGNS = ("#SBATCH", "#PBS", "#BSUB", "lux:", "LUX:", "flux ", "srun", "sbatch", "salloc", "qsub",
          "bsub", "jsrun")  # fmt: skip


def script_of(found: "Document") -> ReadScript | None:
    """Return the job of a text that is a script or a command line; None if it is neither.

    It may also be a JSON string that holds one.
    """
    is_string = found.form == "json" and isinstance(found.value, str)
    text: str = found.value if is_string else found.text
    head = text[:65_536]
    if not any(sign in head for sign in _SIGNS):
        return None
    from fluxtui.answers.commands import scripts

    if not (scripts.looks_like_command(text) if is_string else is_command(found)):
        return None
    return read_script(text)


_REWRITTEN = (
    "the script is rewritten for Flux, without its directives and with flux run for srun and its "
    "like; the form shows it"
)


def read_script(text: str) -> ReadScript:
    """Return the job of a script or a command line, as ``fluxtui convert --to jobspec`` does.

    Of the environment it has only what the text gives a value, never the user's own.
    """
    from fluxtui.answers.commands import conversion
    from fluxtui.answers.commands.jobs import value_at

    found = conversion.convert(text, "jobspec")
    document = None if found.document is None else dict(found.document)
    notes = tuple(
        Problem(f"{note.code}: {note.text}", note.span, severity="warning")
        for note in found.notes
        if note.code != "body"
    )
    remarks = [
        Problem(
            f"{note.text}; instead: {note.instead}" if note.instead else note.text,
            note.span,
            severity="warning",
        )
        for note in sorted((*found.notes, *found.remarks), key=lambda note: note.span)
    ]
    title = found.what
    script = value_at(document, "attributes", "system", "files", "script", "data")
    if isinstance(script, str) and script.partition("\n")[2].strip() not in text:
        remarks.insert(0, Problem(_REWRITTEN, severity="warning"))
        title += ", rewritten for Flux"
    return ReadScript(found.what, title, document, found.problems, notes, tuple(remarks))
