"""Opening any file or text in the workbench; its content tells what it is."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fluxtui.bridge import config_files, files, paths, watching
from fluxtui.bridge.stamps import Stamp
from fluxtui.bridge.watching import Watched
from fluxtui.notation.problem import Problem
from fluxtui.opening.clusters import cluster_of, open_cluster
from fluxtui.opening.jobspecs import OpenedJobspec, jobspec_in
from fluxtui.opening.queues import no_progress, reconfigured
from fluxtui.opening.scripts import is_command
from fluxtui.opening.stages import stage_in
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.model.documents.document import Document
    from fluxtui.model.stage import Stage


@dataclass(frozen=True, slots=True)
class OpenedCluster:
    """The file is an R document, a resource graph, or a configuration that lists nodes.

    files are what it was read from, including its configuration.
    """

    cluster: Cluster
    files: Watched = Watched()


@dataclass(frozen=True, slots=True)
class OpenedConfig:
    """The path is that of a Flux configuration; cluster is the open one with its queues.

    where is empty for a text that has no file. If beside, the open cluster is a running instance or
    a snapshot of one, and cluster is a document of its own, to be compared with it.
    """

    cluster: Cluster
    where: str
    files: Watched = Watched()
    beside: bool = False


@dataclass(frozen=True, slots=True)
class OpenedJob:
    """The file is a jobspec."""

    jobspec: OpenedJobspec


@dataclass(frozen=True, slots=True)
class OpenedStage:
    """The file is a list of constraints to show."""

    stage: "Stage"


Opened = OpenedCluster | OpenedConfig | OpenedJob | OpenedStage
_Answer = tuple[Opened | None, tuple[Problem, ...]]


@dataclass(frozen=True, slots=True)
class _Around:
    """The context in which a text is opened; see `open_any`."""

    config: str | None
    cluster: Cluster
    own_queues: bool


def open_any(
    where: str,
    config: str | None,
    cluster: Cluster,
    *,
    own_queues: bool = True,
    progress: files.Progress = no_progress,
) -> _Answer:
    """Open an R document, jobspec, configuration, script, command line or stage list from a path.

    where is a path, ``-`` for standard input, or ``demo``. config is the configuration for an R
    document; cluster is the open one, for a configuration. A configuration that lists nodes has its
    own queues, unless own_queues is False and config is given. Problems say why nothing could be
    opened, or are warnings. progress is called with how much of a large document has been read; an
    exception it raises ends the reading. Reads files: not for the event loop.
    """
    around = _Around(config, cluster, own_queues)
    if where == files.DEMO or files.is_instance(where):
        beside = watching.see(config) if config is not None else Watched()
        opened, problems = open_cluster(where, config)
        return (None if opened is None else OpenedCluster(opened, beside)), problems
    if where == "-":
        source, problems = files.read_source(where, progress)
        return _opened(source, None, "", around) if source is not None else (None, problems)
    if paths.is_folder(where):
        return _configured(where, None, around)
    parsed, stamp = files.read_stamped(where, progress)
    if parsed.value is None:
        return None, parsed.problems
    return _opened(parsed.value, stamp, where, around)


def open_text(text: str, name: str, config: str | None, cluster: Cluster) -> _Answer:
    """Open a text that has no file, such as a pasted one, as `open_any` does.

    name is used for it in titles and messages.
    """
    if not text.strip():
        return None, (Problem(f"{name} is empty"),)
    around = _Around(config, cluster, own_queues=True)
    return _opened(files.Source(text.removeprefix("\ufeff"), name), None, "", around)


def _opened(source: files.Source, stamp: Stamp | None, where: str, around: _Around) -> _Answer:
    """Open a text that was read; where is its path, empty for a text without one."""
    from fluxtui.model import stage, verdict
    from fluxtui.model.documents import document

    if source.may_be_snapshot:
        return _clustered(source, stamp, where, around)
    # Only clusters are as large.
    if source.document is not None or len(source.text) > document.MAX_LOCATED:
        return _clustered(source, stamp, where, around)
    found = document.read(source.text, source.name)
    kind = verdict.kind_of(found.value) if found.readable else "unknown"
    if kind in ("R", "JGF"):
        return _clustered(source, stamp, where, around)
    if kind == "config" or (found.form == "toml" and not is_command(found)):
        return _configured(where, source, around)
    if found.readable and kind == "unknown" and stage.looks_like(found.value):
        listed, problems = stage_in(found, source)
        return (None if listed is None else OpenedStage(listed)), problems
    return _job(found, source, stamp, around)


def _job(found: "Document", source: files.Source, stamp: Stamp | None, around: _Around) -> _Answer:
    from fluxtui.model import verdict

    jobspec, problems = jobspec_in(found, source, stamp)
    if jobspec is not None:
        return OpenedJob(jobspec), problems
    if not found.readable:
        return None, problems
    what = verdict.judge(found.value, "unknown").problems
    return None, tuple(files.in_file(problem, source) for problem in what)


def _clustered(source: files.Source, stamp: Stamp | None, where: str, around: _Around) -> _Answer:
    read_from = watching.read_as(where, stamp) if where and stamp is not None else Watched()
    if around.config is not None:
        read_from += watching.see(around.config)
    found, problems = cluster_of(source, around.config)
    return (None if found is None else OpenedCluster(found, read_from)), problems


def _configured(where: str, source: files.Source | None, around: _Around) -> _Answer:
    """Open a configuration: a cluster with its queues if it lists nodes, else only queues.

    source is its text; None for a folder.
    """
    from fluxtui.model import queues
    from fluxtui.opening.configured import configured, edited

    read_from = watching.see(where) if where else Watched()
    if around.cluster.snapshot is not None:
        changed, problems = edited(where, around.cluster, source)
        opened = None if changed is None else OpenedConfig(changed, where, read_from, beside=True)
        return opened, problems
    table, unread = config_files.read(where) if source is None else config_files.read_source(source)
    if table is None:
        return None, unread
    has_queues = bool(queues.read_config(table.table).queues)
    beside = None if around.own_queues and has_queues else around.config
    if beside is not None:
        read_from += watching.see(beside)
    nodes = configured(table, unread, where, beside)
    if nodes.cluster is not None:
        read_from += nodes.files
        return OpenedCluster(nodes.cluster, read_from), nodes.problems
    if nodes.listed and not has_queues:
        return None, nodes.problems
    found, problems = reconfigured(around.cluster, table, unread)
    if found is None:
        return None, problems
    warnings = tuple(replace(problem, severity="warning") for problem in nodes.problems)
    return OpenedConfig(found, where, read_from), (*problems, *warnings)
