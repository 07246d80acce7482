"""Any file into the workbench: what it is, its content tells."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.bridge import files, paths
from fluxtui.notation.source import Problem
from fluxtui.opening.clusters import cluster_of, open_cluster, reconfigured
from fluxtui.opening.jobspecs import OpenedJobspec, is_spoken, jobspec_in
from fluxtui.opening.stages import stage_in
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.model.stage import Stage


class OpenedCluster(NamedTuple):
    """The file is an R document, or a resource graph."""

    cluster: Cluster


class OpenedConfig(NamedTuple):
    """The path is that of a Flux configuration; cluster is the open one with its queues."""

    cluster: Cluster
    where: str


class OpenedJob(NamedTuple):
    """The file is a jobspec."""

    jobspec: OpenedJobspec


class OpenedStage(NamedTuple):
    """The file is a list of constraints to show."""

    stage: "Stage"


Opened = OpenedCluster | OpenedConfig | OpenedJob | OpenedStage


def open_any(
    where: str,
    config: str | None,
    cluster: Cluster,
    environ: Mapping[str, str] | None = None,
) -> tuple[Opened | None, tuple[Problem, ...]]:
    """What a path leads to: an R document, a jobspec, a configuration, a request in other words, or
    a stage list.

    where is a path, ``-`` for an R document on standard input, or ``demo``. config is the
    configuration beside an R document; cluster the open one, for a configuration; environ the
    environment, for a script. Problems say why nothing could be opened, or what is odd about what
    was. Reads files: not for the event loop.
    """
    if where in ("-", files.DEMO):
        opened, problems = open_cluster(where, config)
        return (None if opened is None else OpenedCluster(opened)), problems
    if paths.is_folder(where):
        return _configured(where, cluster)
    parsed, stamp = files.read_stamped(where)
    if parsed.value is None:
        return None, parsed.problems
    from fluxtui.model import document, stage, verdict

    source = parsed.value
    if len(source.text) > document.MAX_LOCATED:  # nothing else is as large
        return _clustered(source, config)
    found = document.read(source.text, source.name)
    kind = verdict.kind_of(found.value) if found.readable else "unknown"
    if kind in ("R", "JGF"):
        return _clustered(source, config)
    if kind == "config" or (found.form == "toml" and not is_spoken(found)):
        return _configured(where, cluster)
    if found.readable and kind == "unknown" and stage.looks_like(found.value):
        listed, problems = stage_in(found, source)
        return (None if listed is None else OpenedStage(listed)), problems
    jobspec, problems = jobspec_in(found, source, stamp, environ)
    if jobspec is not None:
        return OpenedJob(jobspec), problems
    if not found.readable:
        return None, problems
    what = verdict.judge(found.value, "unknown").problems
    return None, tuple(files.in_file(problem, source) for problem in what)


def _clustered(
    source: files.Source, config: str | None
) -> tuple[Opened | None, tuple[Problem, ...]]:
    found, problems = cluster_of(source, config)
    return (None if found is None else OpenedCluster(found)), problems


def _configured(where: str, cluster: Cluster) -> tuple[Opened | None, tuple[Problem, ...]]:
    found, problems = reconfigured(cluster, where)
    return (None if found is None else OpenedConfig(found, where)), problems
