"""Opening a stage list: constraints to show one after the other."""

from dataclasses import replace
from typing import TYPE_CHECKING

from fluxtui.bridge import files
from fluxtui.notation.problem import Problem
from fluxtui.opening.written import in_file

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document
    from fluxtui.model.stage import Stage


def open_stage(path: str) -> "tuple[Stage | None, tuple[Problem, ...]]":
    """Return the stage list of a YAML or JSON file; see `stage_in`."""
    source, problems = files.read_file(path)
    if source is None:
        return None, problems
    from fluxtui.model.documents import document

    return stage_in(document.read(source.text, source.name), source)


def stage_in(found: "Document", source: files.Source) -> "tuple[Stage | None, tuple[Problem, ...]]":
    """Return the stage list of a text that was read, titled with the file's name by default.

    None if no step can be shown. Problems have the name of the file, the line and the column.
    """
    from fluxtui.model import stage as stages

    stage, problems = stages.read(found)
    if stage is not None and not stage.title:
        stage = replace(stage, title=source.name)
    return stage, in_file(problems, source)
