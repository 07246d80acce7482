"""Documents into the workbench: a cluster with its queues, a jobspec as its texts, any file."""

from fluxtui.opening.anything import (
    Opened,
    OpenedCluster,
    OpenedConfig,
    OpenedJob,
    OpenedStage,
    open_any,
)
from fluxtui.opening.clusters import open_cluster, reconfigured
from fluxtui.opening.jobspecs import OpenedJobspec, OpenFile, edit_of, open_jobspec
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
    "read_jobspec",
    "reconfigured",
    "unknown_queues",
]
