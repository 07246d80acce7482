"""Reading a jobspec from a file, for a verdict on it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fluxtui.bridge import files
from fluxtui.model.jobspec import jobspec as jobspecs
from fluxtui.notation.problem import Problem, Span
from fluxtui.opening.kinds import another_kind, are_vertices

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document

NO_JOBSPEC = Problem("this is not a jobspec: it has no resources", rule="RFC 14")


@dataclass(frozen=True, slots=True)
class ReadJobspec:
    """A jobspec as it was read from a file.

    jobspec   the document, completed if it holds only resources; None if it is not a jobspec
    problems  why it is not a jobspec, or warnings on the text, located where possible
    source    the text and its name; both empty if nothing could be read
    document  the parsed text
    """

    jobspec: dict[str, Any] | None
    problems: tuple[Problem, ...]
    source: files.Source
    document: "Document | None" = None

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems of the jobspec with the spans that their paths have in the text."""
        if self.document is None:
            return tuple(problems)
        reach, is_list = self.document.reacher(), isinstance(self.document.value, list)

        def span(problem: Problem) -> Span | None:
            path = problem.path
            if problem.span is not None or path is None:
                return problem.span
            return reach(path.removeprefix("resources") if is_list else path)[0]

        return tuple(replace(problem, span=span(problem)) for problem in problems)

    def in_file(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems of the text with the name of the file, the line and the column."""
        if not self.source.name:
            return tuple(problems)
        return in_file(problems, self.source)


def read_jobspec(path: str) -> ReadJobspec:
    """Read a jobspec (RFC 14) from a YAML or JSON file.

    A list of resources, on its own or in an object, as ``fluxtui shape`` prints it, is completed
    with defaults. A script or a command line is converted (see `script_of`).
    """
    from fluxtui.model.documents import (
        document,  # the YAML reader, which the first frame does not need
    )

    source, problems = files.read_file(path)
    if source is None:
        return ReadJobspec(None, problems, files.Source("", ""))
    found = document.read(source.text, source.name)
    from fluxtui.opening.scripts import script_of

    if (script := script_of(found)) is not None:
        problems = (*script.problems, *script.notes)
        return ReadJobspec(script.jobspec, problems, source)
    if found.form == "toml":
        message = "a jobspec is YAML or JSON; this is TOML"
        return ReadJobspec(None, (Problem(message, rule="RFC 14"),), source)
    if not found.readable or any(p.severity == "error" for p in found.problems):
        return ReadJobspec(None, found.problems, source)
    jobspec, problems = jobspec_of(found.value)
    if jobspec is None:
        other = another_kind(found, "jobspec", rule="RFC 14")
        problems = problems if other is None else (other,)
    return ReadJobspec(jobspec, (*found.problems, *found.located(problems)), source, found)


def jobspec_of(value: object) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """Return the jobspec of a document or resources list; None with problems if it is neither."""
    from fluxtui.model.documents.document import not_json

    invalid = not_json(value)
    if invalid is not None:
        return None, (invalid,)
    if isinstance(value, dict) and value.keys() == {"resources"}:
        value = value["resources"]
    if are_vertices(value):
        return jobspecs.build(value), ()
    if isinstance(value, dict) and isinstance(value.get("resources"), list):
        return value, ()
    return None, (NO_JOBSPEC,)


def in_file(problems: Iterable[Problem], source: files.Source) -> tuple[Problem, ...]:
    """Return problems of a text with the name of its file, the line and the column."""
    return tuple(files.in_file(problem, source) for problem in problems)
