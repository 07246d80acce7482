"""What the workbench opens and does, without its screen."""

from functools import cache
from pathlib import Path
from typing import Any

from fluxtui import opening, workbench
from fluxtui.model import queues
from fluxtui.model.resources import document as resources


@cache
def demo() -> workbench.Cluster:
    """The cluster that ships inside."""
    cluster, problems = opening.open_cluster("demo", None)
    assert cluster is not None, problems
    return cluster


def of_document(
    document: dict[str, Any],
    name: str = "test",
    config: queues.Config | None = None,
    path: str | None = None,
) -> workbench.Cluster:
    """The cluster of an R document."""
    source = workbench.Source(name, path)
    return workbench.Cluster.of(source, resources.read(document), config)


def opened_state(path: Path | str, on: workbench.Cluster | None = None) -> workbench.State:
    """The state of a workbench after the jobspec of a file was opened in it."""
    found, problems = opening.open_any(str(path), None, on or demo())
    assert isinstance(found, opening.OpenedJob), problems
    return after(workbench.start(on or demo()), found.jobspec.edit)


def after(state: workbench.State, *edits: workbench.Edit) -> workbench.State:
    """The state after some edits, one after the other."""
    for edit in edits:
        state = workbench.step(state, edit)
    return state


def done(history: workbench.History, *edits: workbench.Edit) -> workbench.History:
    """The history after some edits, one after the other."""
    for edit in edits:
        history = history.do(edit)
    return history
