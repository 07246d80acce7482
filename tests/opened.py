"""Files as the workbench opens them, without its screen."""

from functools import cache
from pathlib import Path

from fluxtui import opening, workbench


@cache
def demo() -> workbench.Cluster:
    """The cluster that ships inside."""
    cluster, problems = opening.open_cluster("demo", None)
    assert cluster is not None, problems
    return cluster


def opened_state(path: Path, on: workbench.Cluster | None = None) -> workbench.State:
    """The state of a workbench after the jobspec of a file was opened in it."""
    found, problems = opening.open_any(str(path), None, on or demo())
    assert isinstance(found, opening.OpenedJob), problems
    return workbench.step(workbench.start(on or demo()), found.jobspec.edit)
