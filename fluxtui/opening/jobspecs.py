"""Opening a jobspec: from a YAML or JSON file to the job of the workbench."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fluxtui.bridge import files
from fluxtui.bridge.stamps import Stamp
from fluxtui.model.jobspec import jobspec as jobspecs
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, capped
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import Vertex, from_resources
from fluxtui.opening.scripts import JOBSPEC, has_key, is_command, read_script
from fluxtui.opening.written import ReadJobspec, in_file, jobspec_of
from fluxtui.workbench import Job, OpenJob, Raw, constraint_text
from fluxtui.workbench.job import Form

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document


@dataclass(frozen=True, slots=True)
class OpenFile:
    """The file that a job belongs to, as it was when last read or written.

    form is the format of its text; document the jobspec in it, None if it cannot be read.
    """

    path: str
    stamp: Stamp
    text: str
    form: Form
    document: Mapping[str, Any] | None

    @property
    def legible(self) -> Form:
        """The format to show it in: its own, except that a text on one line is shown as YAML."""
        return self.form if "\n" in self.text.strip() else "yaml"


@dataclass(frozen=True, slots=True)
class OpenedJobspec:
    """A jobspec as the workbench uses it: its texts, its queue and the job.

    file is where it was read from; None if the job is not what the file holds, as when that holds
    only resources. what says what the text was if it was not a jobspec, such as ``sbatch script``.
    """

    shape: str
    requires: str
    queue: str | None
    job: Job
    file: OpenFile | None = None
    what: str = ""

    @property
    def document(self) -> Mapping[str, Any]:
        """The whole jobspec; empty if the text cannot be read."""
        return self.job.document or {}

    @property
    def edit(self) -> OpenJob:
        """The edit that opens it in a workbench."""
        return OpenJob(self.shape, self.requires, self.queue, self.job, self.file is not None)


def edit_of(document: Mapping[str, Any]) -> OpenJob:
    """Return the edit that opens a jobspec without a file, such as an example."""
    text, requires, queue, _ = _texts(document)
    return OpenJob(text, requires, queue, Job(document))


def open_jobspec(path: str) -> tuple[OpenedJobspec | None, tuple[Problem, ...]]:
    """Return the jobspec of a file (YAML or JSON); see `jobspec_in`."""
    parsed, stamp = files.read_stamped(path)
    if parsed.value is None:
        return None, parsed.problems
    from fluxtui.model.documents import (
        document,  # the YAML reader, which the first frame does not need
    )

    found = document.read(parsed.value.text, parsed.value.name)
    return jobspec_in(found, parsed.value, stamp)


def jobspec_in(
    found: "Document", source: files.Source, stamp: Stamp | None
) -> tuple[OpenedJobspec | None, tuple[Problem, ...]]:
    """Return the jobspec of a text that was read, or of a command line or script.

    None if the text is neither. A jobspec with problems is opened nevertheless, and the problems
    are those that its texts cannot show. A text that cannot be read but looks like a jobspec is
    opened as a text, to be fixed.
    """
    if is_command(found):
        return _from_command(source)
    if found.form == "toml":
        message = "a jobspec is YAML or JSON; this is TOML"
        return None, in_file((Problem(message, rule="RFC 14"),), source)
    from fluxtui.model.documents.document import not_json

    problems = found.problems
    if found.readable and (invalid := not_json(found.value)) is not None:
        problems += found.located((invalid,))
    if not found.readable or any(problem.severity == "error" for problem in problems):
        return _unreadable(found, problems, source, stamp), in_file(problems, source)
    value = found.value
    if isinstance(value, dict) and has_key(value):
        return _whole(value, found, source, stamp)
    jobspec, refused = jobspec_of(value)
    if jobspec is None:
        return None, in_file((*problems, *found.located(refused)), source)
    text, requires, queue, faults = _texts(jobspec)
    located = ReadJobspec(jobspec, (), source, found).located(faults)
    problems = (*problems, *located)
    return OpenedJobspec(text, requires, queue, Job(jobspec)), in_file(problems, source)


def _from_command(
    source: files.Source,
) -> tuple[OpenedJobspec | None, tuple[Problem, ...]]:
    """Return the job of a command line or script, with notes on what is lost."""
    found = read_script(source.text)
    problems = in_file((*found.problems, *found.remarks), source)
    if found.jobspec is None:
        return None, problems
    edit = edit_of(found.jobspec)
    opened = OpenedJobspec(edit.shape, edit.requires, edit.queue, edit.job, what=found.title)
    return opened, problems


def _whole(
    value: dict[str, Any], found: "Document", source: files.Source, stamp: Stamp | None
) -> tuple[OpenedJobspec, tuple[Problem, ...]]:
    """Return the jobspec of a text; one that holds only resources is completed.

    The completed job is not what the file holds, so it does not belong to the file.
    """
    from fluxtui.model.documents import rewrite

    form: Form = "json" if found.form == "json" else "yaml"
    file = _file(source, stamp, form, value)
    document, problems = value, found.problems
    if value.keys() == {"resources"}:
        built, _ = jobspec_of(value)
        if built is not None:
            document, file = built, None
            message = (
                "it holds only resources; the rest of a jobspec is added, "
                "and saving asks for a file"
            )
            problems += (Problem(message, rule="RFC 14", severity="warning"),)
    text, requires, queue, faults = _texts(document)
    job = Job(
        document, written={form: rewrite.read(found)}, path=file.path if file is not None else None
    )
    problems += found.located(faults)
    return OpenedJobspec(text, requires, queue, job, file), in_file(problems, source)


def _unreadable(
    found: "Document", problems: tuple[Problem, ...], source: files.Source, stamp: Stamp | None
) -> OpenedJobspec | None:
    """Return the jobspec of an unreadable text, to be fixed; None if it is not a jobspec at all."""
    if JOBSPEC.search(found.text) is None or _R.search(found.text) is not None:
        return None
    form: Form = "json" if found.form == "json" else "yaml"
    file = _file(source, stamp, form, None)
    raw = Raw(found.text, form, problems)
    return OpenedJobspec(
        "", "", None, Job(raw=raw, path=file.path if file is not None else None), file
    )


_R = re.compile(r""""(execution|R_lite|scheduling)"\s*:""")


def _file(
    source: files.Source, stamp: Stamp | None, form: Form, document: Mapping[str, Any] | None
) -> OpenFile | None:
    """Return the file of a text; None if it has none."""
    if source.path is None or stamp is None:
        return None
    return OpenFile(str(source.path.absolute()), stamp, source.text, form, document)


def _texts(
    document: Mapping[str, Any],
) -> tuple[str, str, str | None, tuple[Problem, ...]]:
    """Return the shape, constraint and queue of a jobspec, and problems that these cannot show.

    A queue that is not a string is kept in the document, which no queue accepts.
    """
    vertices: tuple[Vertex, ...] = ()
    problems: tuple[Problem, ...] = ()
    if "resources" in document:
        vertices, problems = from_resources(document["resources"])
        problems = capped(problems)
    system = jobspecs.system(document)
    queue, constraints = system.get("queue"), system.get("constraints", {})
    if "queue" in system and not isinstance(queue, str):
        message = f"queue is a string; found {shown(queue)}"
        problems += (Problem(message, None, "attributes.system.queue", ("a name",), "RFC 14"),)
    if not isinstance(constraints, dict):
        message = f"constraints is an object; found {shown(constraints)}"
        path = "attributes.system.constraints"
        problems += (Problem(message, None, path, ("{...}",), "RFC 31"),)
    text = format_shape(vertices) if vertices else ""
    return text, constraint_text(constraints), queue if isinstance(queue, str) else None, problems
