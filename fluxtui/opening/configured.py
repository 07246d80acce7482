"""Clusters whose nodes are listed in a Flux configuration, or in a file that it names."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fluxtui.bridge import config_files, files, watching
from fluxtui.bridge.config_files import Table
from fluxtui.bridge.watching import Watched
from fluxtui.model.resources import document, resource_table
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.resource_table import ResourceTable
from fluxtui.notation.problem import Problem, shortened
from fluxtui.opening.kinds import resources_of
from fluxtui.opening.queues import no_progress, read_queues, reconfigured, with_queues
from fluxtui.workbench import Cluster, Source

Problems = tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Configured:
    """The cluster that was built from the nodes of a configuration.

    cluster   None if it could not be built: problems say why
    problems  warnings on the configuration; those on the nodes are in the resources themselves
    files     further files that were read
    listed    whether the configuration lists nodes or names a file that does
    """

    cluster: Cluster | None = None
    problems: Problems = ()
    files: Watched = Watched()
    listed: bool = True


def open_configured(
    where: str, config: str | None, *, source: files.Source | None = None, strict: bool = False
) -> Configured:
    """Return the cluster of a configuration file or directory; see `configured`.

    source is its text, if that has been read already.
    """
    read = config_files.read(where) if source is None else config_files.read_source(source)
    table, unread = read
    if table is None:
        return Configured(problems=unread)
    found = configured(table, unread, "" if where == "-" else where, config, strict=strict)
    if found.listed:
        return found
    message = f"'{table.name}' lists no nodes: it has neither resource.config nor resource.path"
    expected = ("[[resource.config]]", "an R document")
    return replace(found, problems=(*unread, Problem(message, expected=expected)))


def edited(
    where: str, beside: Cluster, source: files.Source | None = None
) -> tuple[Cluster | None, Problems]:
    """Return what a cluster becomes with a configuration; None with problems if it cannot be read.

    Its nodes are those that the configuration lists, or those of ``beside`` if both list the same
    or the configuration lists none. As in Flux, every file of it has to be readable.
    """
    read = config_files.read(where) if source is None else config_files.read_source(source)
    table, unread = read
    if table is None or unread:
        return None, unread
    if _listing(table.table) != _listing(beside.config.table if beside.config else {}):
        found = configured(table, (), where)
        if found.listed:
            return found.cluster, found.problems
    changed, problems = reconfigured(beside, table, ())
    if changed is None:
        return None, problems
    return replace(changed, source=Source(table.name, where or None), snapshot=None), problems


def _listing(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a configuration that define where nodes come from."""
    found = table.get("resource")
    known = found if isinstance(found, Mapping) else {}
    return {key: known.get(key) for key in ("config", "path", "scheduling")}


def configured(
    table: Table, unread: Problems, where: str, config: str | None = None, *, strict: bool = False
) -> Configured:
    """Return the cluster of a configuration that was read, with its queues.

    unread are the problems of reading it; where is its path, empty for a text without one; config
    is another configuration whose queues replace its own. If strict, there is no cluster if part of
    a configuration cannot be read. Reads the files that the configuration names: not for the event
    loop.
    """
    listed = resource_table.read_table(table.table)
    if not listed.has_nodes:
        return Configured(listed=False)
    if strict and unread:
        return Configured(problems=unread)
    found, problems, read_from = _nodes(listed, table)
    if found is None:
        return Configured(problems=unread + problems, files=read_from)
    if config is None:
        read, found, missing = with_queues(table, unread, found)
    else:
        read, found, unread, missing = read_queues(config, found)
        if strict and unread:
            return Configured(problems=unread, files=read_from)
    problems += unread + missing + _excluded(listed, found, table)
    found.prepare()
    cluster = Cluster.of(Source(table.name, where or None), found, read)
    return Configured(cluster, problems, read_from)


def _nodes(listed: ResourceTable, table: Table) -> tuple[Resources | None, Problems, Watched]:
    """Return the nodes (None if unreadable), problems, and the files that were read for them."""
    problems = _at_lines(listed.problems, table)
    read_from = Watched()
    warnings: Problems = ()
    found: Resources | None = listed.resources
    if listed.path is not None:
        path, warnings = _file_named(listed.path, "path", table)
        read_from = watching.see(path)
        source, unread = files.read_file(str(path), no_progress)
        if source is None:
            return None, (*problems, *_located(unread, "path", table)), read_from
        found = resources_of(source)
        problems += tuple(_of_source(problem, source) for problem in found.problems)
    assert found is not None
    if listed.scheduling is not None:
        path, more = _file_named(listed.scheduling, "scheduling", table)
        read_from += watching.see(path)
        found, unusable = _scheduled(found, path)
        warnings += more + _located(unusable, "scheduling", table)
    return replace(found, problems=problems), warnings, read_from


def _of_source(problem: Problem, source: files.Source) -> Problem:
    """Return a problem of an R document named by a configuration, with the document's name."""
    return replace(problem, message=f"{source.name}: {problem.message}", span=None)


def _file_named(written: str, key: str, table: Table) -> tuple[Path, Problems]:
    """Return the file that a setting names; Flux resolves it from the folder that it runs in.

    If it does not exist from here, one beside the configuration is used, with a warning.
    """
    path = files.expanded(written)
    beside = [
        part.source.path.parent
        for part in table.parts
        if part.source.path is not None and key in part.table.get("resource", {})
    ]
    if path.is_absolute() or path.exists() or not beside or not (beside[-1] / path).exists():
        return path, ()
    message = f"{key} '{written}' is read from the configuration's folder; Flux looks in the"
    problem = Problem(f"{message} folder that it is started in", severity="warning")
    return beside[-1] / path, _located((problem,), key, table)


def _located(problems: Problems, key: str, table: Table) -> Problems:
    """Return the problems of a file that a setting names, located at the setting."""
    rule = resource_table.RULE
    return _at_lines(
        (replace(p, path=f"resource.{key}", rule=rule, span=None) for p in problems), table
    )


def _at_lines(problems: Iterable[Problem], table: Table) -> Problems:
    """Return problems with their lines; the path is dropped if the line is known."""
    found = config_files.locate(problems, table)
    return tuple(replace(p, path=None) if p.span is not None else p for p in found)


def _scheduled(found: Resources, path: Path) -> tuple[Resources, Problems]:
    """Return the nodes with the graph or topologies of a file with the scheduling part of R."""
    source, unread = files.read_file(str(path))
    if source is None:
        return found, unread
    from fluxtui.answers.export import subset

    execution = json.dumps(subset(found, found.everything, graph=False)["execution"])
    part = document.read_text(
        f'{{"version": 1, "execution": {execution}, "scheduling": {source.text}}}'
    )
    errors = tuple(
        replace(problem, message=f"{source.name}: {problem.message}")
        for problem in part.problems
        if problem.severity == "error" and not (problem.path or "").startswith("execution")
    )
    return replace(found, graph=part.graph, writer=part.writer, topologies=part.topologies), errors


def _excluded(listed: ResourceTable, found: Resources, table: Table) -> Problems:
    """Return a note on the nodes excluded from jobs, and the problems of that setting."""
    if not listed.excluded:
        return ()
    mask, problems = resource_table.excluded(listed.excluded, found)
    if mask:
        count = mask.bit_count()
        nodes = "1 node is" if count == 1 else f"{count:,} nodes are"
        hosts = found.hosts_of(mask, limit=5) or f"rank {found.ranks_text(mask, 5)}"
        message = f"{nodes} excluded: Flux runs no jobs on {shortened(hosts, 200)}"
        message += " (still counted here)"
        note = Problem(message, None, "resource.exclude", (), resource_table.RULE, "warning")
        problems = (*problems, note)
    return _at_lines(problems, table)
