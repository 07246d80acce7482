"""Opening documents in the workbench: clusters with their queues, jobspecs, or any file."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fluxtui.opening.anything import (
        Opened,
        OpenedCluster,
        OpenedConfig,
        OpenedJob,
        OpenedStage,
        open_any,
        open_text,
    )
    from fluxtui.opening.clusters import open_cluster
    from fluxtui.opening.jobspecs import OpenedJobspec, OpenFile, edit_of, open_jobspec
    from fluxtui.opening.scripts import script_of
    from fluxtui.opening.stages import open_stage
    from fluxtui.opening.submission import open_submission, unknown_queues
    from fluxtui.opening.written import NO_JOBSPEC, ReadJobspec, jobspec_of, read_jobspec

__all__ = [
    "NO_JOBSPEC",
    "OpenFile",
    "Opened",
    "OpenedCluster",
    "OpenedConfig",
    "OpenedJob",
    "OpenedJobspec",
    "OpenedStage",
    "ReadJobspec",
    "edit_of",
    "jobspec_of",
    "open_any",
    "open_cluster",
    "open_jobspec",
    "open_stage",
    "open_submission",
    "open_text",
    "read_jobspec",
    "script_of",
    "unknown_queues",
]

# Modules are imported on first use: the first frame needs only the built-in cluster.
_MODULES = {
    "anything": (
        *("Opened", "OpenedCluster", "OpenedConfig", "OpenedJob", "OpenedStage"),
        *("open_any", "open_text"),
    ),
    "clusters": ("open_cluster",),
    "jobspecs": ("OpenedJobspec", "OpenFile", "edit_of", "open_jobspec"),
    "stages": ("open_stage",),
    "submission": ("open_submission", "unknown_queues"),
    "scripts": ("script_of",),
    "written": ("NO_JOBSPEC", "ReadJobspec", "jobspec_of", "read_jobspec"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
