"""A cluster whose nodes a Flux configuration lists, or says where they are listed."""

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
from fluxtui.notation.problem import Problem
from fluxtui.opening.queues import (
    read_queues,
    reconfigured,
    resources_of,
    untold,
    with_queues,
)
from fluxtui.workbench import Cluster, Source

Problems = tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Configured:
    """What came of the nodes of a configuration.

    cluster   None where there are none: problems say why
    problems  what is odd about the configuration; what is wrong with the nodes they have themselves
    files     what was read beside the configuration
    listed    the configuration lists nodes or says where they are
    """

    cluster: Cluster | None = None
    problems: Problems = ()
    files: Watched = Watched()
    listed: bool = True


def open_configured(
    where: str, config: str | None, *, source: files.Source | None = None, strict: bool = False
) -> Configured:
    """The cluster of a configuration file or directory; for the rest see `configured`.

    source is its text, where that was read already.
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
    """The cluster that another one becomes with a configuration; problems say why there is none.

    Its nodes are those that the configuration lists, or those of the other cluster where both list
    the same, or it lists none. Flux loads no configuration of which a file cannot be read.
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
    """What a configuration says of where nodes come from."""
    found = table.get("resource")
    known = found if isinstance(found, Mapping) else {}
    return {key: known.get(key) for key in ("config", "path", "scheduling")}


def configured(
    table: Table, unread: Problems, where: str, config: str | None = None, *, strict: bool = False
) -> Configured:
    """The cluster of a configuration that was read, with its queues.

    unread are the problems of reading it, where the path that it was read from (empty for a text
    without one), config another configuration, whose queues take the place of its own. If strict,
    there is no cluster where a part of a configuration cannot be read. Reads the files that the
    configuration names: not for the event loop.
    """
    listed = resource_table.read_table(table.table)
    if not listed.has_nodes:
        return Configured(listed=False)
    if strict and unread:
        return Configured(problems=unread)
    found, wrong, read_from = _nodes(listed, table)
    if found is None:
        return Configured(problems=unread + wrong, files=read_from)
    if config is None:
        read, found, missing = with_queues(table, unread, found)
    else:
        read, found, unread, missing = read_queues(config, found)
        if strict and unread:
            return Configured(problems=unread, files=read_from)
    wrong += unread + missing + _away(listed, found, table)
    found.prepare()
    cluster = Cluster.of(Source(table.name, where or None), found, read)
    return Configured(cluster, wrong, read_from)


def _nodes(listed: ResourceTable, table: Table) -> tuple[Resources | None, Problems, Watched]:
    """The nodes, why there are none or what is odd about them, and what was read for them."""
    own = _at_lines(listed.problems, table)
    read_from = Watched()
    odd: Problems = ()
    found: Resources | None = listed.resources
    if listed.path is not None:
        path, odd = _there(listed.path, "path", table)
        read_from = watching.see(path)
        source, unread = files.read_file(str(path), untold)
        if source is None:
            return None, (*own, *_located(unread, "path", table)), read_from
        found = resources_of(source)
        own += tuple(_of(problem, source) for problem in found.problems)
    assert found is not None
    if listed.scheduling is not None:
        path, more = _there(listed.scheduling, "scheduling", table)
        read_from += watching.see(path)
        found, wrong = _scheduled(found, path)
        odd += more + _located(wrong, "scheduling", table)
    return replace(found, problems=own), odd, read_from


def _of(problem: Problem, source: files.Source) -> Problem:
    """A problem of an R document that a configuration names; a syntax error has its line."""
    return replace(problem, message=f"{source.name}: {problem.message}", span=None)


def _there(written: str, key: str, table: Table) -> tuple[Path, Problems]:
    """The file that a setting names. Flux begins in the folder that it runs in.

    Where there is none from here, the one beside the configuration is taken, and that is said.
    """
    path = files.expanded(written)
    beside = [
        part.source.path.parent
        for part in table.parts
        if part.source.path is not None and key in part.table.get("resource", {})
    ]
    if path.is_absolute() or path.exists() or not beside or not (beside[-1] / path).exists():
        return path, ()
    message = f"{key} '{written}' is read from beside the configuration; Flux looks for it in the"
    problem = Problem(f"{message} folder that it is started in", severity="warning")
    return beside[-1] / path, _located((problem,), key, table)


def _located(problems: Problems, key: str, table: Table) -> Problems:
    """Problems of a file that a setting names, at the place of the setting."""
    rule = resource_table.RULE
    return _at_lines(
        (replace(p, path=f"resource.{key}", rule=rule, span=None) for p in problems), table
    )


def _at_lines(problems: Iterable[Problem], table: Table) -> Problems:
    """Problems with their lines; where the line is known, the path says nothing more."""
    found = config_files.locate(problems, table)
    return tuple(replace(p, path=None) if p.span is not None else p for p in found)


def _scheduled(found: Resources, path: Path) -> tuple[Resources, Problems]:
    """The nodes with their graph or topologies, from a file that holds the scheduling part of R."""
    source, unread = files.read_file(str(path))
    if source is None:
        return found, unread
    from fluxtui.answers.export import subset

    execution = json.dumps(subset(found, found.everything, graph=False)["execution"])
    part = document.read_text(
        f'{{"version": 1, "execution": {execution}, "scheduling": {source.text}}}'
    )
    wrong = tuple(
        replace(problem, message=f"{source.name}: {problem.message}")
        for problem in part.problems
        if problem.severity == "error" and not (problem.path or "").startswith("execution")
    )
    return replace(found, graph=part.graph, writer=part.writer, topologies=part.topologies), wrong


def _away(listed: ResourceTable, found: Resources, table: Table) -> Problems:
    """Which nodes the configuration withholds from jobs, and what is wrong with saying so."""
    if not listed.excluded:
        return ()
    mask, problems = resource_table.excluded(listed.excluded, found)
    if mask:
        count = mask.bit_count()
        nodes = "1 node is" if count == 1 else f"{count:,} nodes are"
        hosts = found.hosts_of(mask, limit=5) or f"rank {found.ranks_text(mask, 5)}"
        message = f"{nodes} excluded: Flux gives no jobs to {hosts}, which count here all the same"
        note = Problem(message, None, "resource.exclude", (), resource_table.RULE, "warning")
        problems = (*problems, note)
    return _at_lines(problems, table)
