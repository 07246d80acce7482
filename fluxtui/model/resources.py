"""R documents (RFC 20), in today's form and in the one before it, and bare JGF graphs."""

import json
from dataclasses import replace
from typing import Any, Literal

from fluxtui.model import graph, json_text
from fluxtui.model.jobspec_resources import shown
from fluxtui.model.report import Report
from fluxtui.model.resource_set import Node, NodeKind, Resources, Totals
from fluxtui.model.resources_execution import (
    checked_property,
    read_execution,
)
from fluxtui.model.resources_lite import MAX_RANKS, Draft
from fluxtui.notation import idset
from fluxtui.notation.hostlist import Builder, HostList
from fluxtui.notation.hostlist import parse_into as parse_hosts
from fluxtui.notation.idset import IdSet
from fluxtui.notation.source import Problem, Span, position

__all__ = [
    "MAX_RANKS",
    "Node",
    "NodeKind",
    "Resources",
    "Totals",
    "parse_json",
    "read",
    "read_text",
]

RULE = "RFC 20"


def read_text(text: str) -> Resources:
    """Read an R document from JSON text; where it is no JSON, a problem says where."""
    document, problems = parse_json(text)
    if any(problem.span is not None for problem in problems):
        return Resources(problems=problems)
    found = read(document)
    return replace(found, problems=(*problems, *found.problems)) if problems else found


def parse_json(text: str) -> tuple[Any, tuple[Problem, ...]]:
    """The JSON document and what is wrong with the text; a syntax error has a span."""
    constants: list[str] = []
    try:
        document = json.loads(text, parse_constant=constants.append)
    except (ValueError, RecursionError) as error:
        found = json_text.syntax_problem(error, text)
        message = found.message
        if found.span is not None:
            line, column = position(text, found.span.start)
            kind, _, what = message.partition(": ")
            message = f"{kind}: line {line}, column {column}: {what}"
        return None, (found._replace(message=message, span=found.span or Span(0, 0)),)
    if constants:
        return document, (Problem(f"'{constants[0]}' is not JSON", rule=json_text.RULE),)
    return document, ()


def read(document: object) -> Resources:
    """Read an R document, or a bare JGF graph, from its JSON object.

    Never raises. All problems are in the result, which holds as much as makes sense.
    A document with ``scheduling.graph`` alone is valid by the older RFC 20; a warning says
    that today's asks for ``execution``.
    """
    report = Report(RULE)
    if not isinstance(document, dict):
        report.error("an R document is a JSON object", "", "an object with version and execution")
        return Resources(problems=report.problems)
    if "execution" not in document and "version" not in document:
        bare = document if graph.is_graph(document) else document.get("graph")
        if isinstance(bare, dict):
            path = "" if bare is document else "graph"
            return _finish(_from_graph(bare, path, report), document, bare, "graph", report)
    _check_version(document, report)
    writer, raw = _read_scheduling(document, report)
    form: Literal["execution", "scheduling"] = "execution"
    if "execution" in document:
        draft = read_execution(document["execution"], report)
        if draft is None and raw is not None:
            draft, form = _from_graph(raw, "scheduling.graph", report), "scheduling"
        elif draft is not None and raw is not None and not draft.hosts:
            _hosts_from_graph(draft, raw)
    elif raw is not None:
        report.warning("today's RFC 20 requires execution beside scheduling", "execution")
        draft, form = _from_graph(raw, "scheduling.graph", report), "scheduling"
    else:
        report.error("execution is missing", "execution", "an object with R_lite and nodelist")
        draft = None
    return _finish(draft or Draft(), document, raw, form, report, writer)


def _check_version(document: dict[str, Any], report: Report) -> None:
    if "version" not in document:
        report.error("version is missing", "version", "1")
    elif type(document["version"]) is not int or document["version"] != 1:
        report.error(f"version is the number 1; found {shown(document['version'])}", "version", "1")


def _read_scheduling(document: dict[str, Any], report: Report) -> tuple[str | None, Any]:
    """The writer and the raw graph of the scheduling part, None for what it does not have."""
    if "scheduling" not in document:
        return None, None
    scheduling = document["scheduling"]
    if not isinstance(scheduling, dict):
        report.error(
            f"scheduling is a dictionary; found {shown(scheduling)}", "scheduling", "an object"
        )
        return None, None
    writer = scheduling.get("writer")
    if "writer" in scheduling and not isinstance(writer, str):
        report.error(
            f"writer is a string; found {shown(writer)}",
            "scheduling.writer",
            "a URI such as 'fluxion:'",
        )
        writer = None
    raw = scheduling.get("graph")
    if raw is not None and not isinstance(raw, dict):
        report.error("a graph is an object with nodes and edges", "scheduling.graph", "an object")
        raw = None
    return writer, raw


def _from_graph(raw: object, path: str, report: Report) -> Draft:
    """Ranks, hosts, cores, gpus and properties as the vertices of a graph give them."""
    parsed = graph.read(raw, path)
    found = graph.nodes(parsed.value, path)
    for problem in (*parsed.problems, *found.problems):
        report.add(problem)
    draft = Draft(ranks=IdSet.of(node.rank for node in found.value))
    kinds: dict[tuple[IdSet, IdSet], list[int]] = {}
    properties: dict[str, list[int]] = {}
    out = Builder()
    for node in found.value:
        kinds.setdefault((node.cores, node.gpus), []).append(node.rank)
        for name in node.properties:
            properties.setdefault(name, []).append(node.rank)
        for problem in parse_hosts(out, node.host):
            report.add(problem._replace(span=None, path=path))
    draft.kinds = {kind: IdSet.of(ranks) for kind, ranks in kinds.items()}
    draft.hosts = out.done()
    for name, ranks in properties.items():
        draft.properties[checked_property(name, path, report)] = IdSet.of(ranks)
    if draft.hosts.count != draft.ranks.count:
        draft.hosts = HostList()
    return draft


def _hosts_from_graph(draft: Draft, raw: object) -> None:
    """Take the host names from the graph where the execution part gives none."""
    nodes = graph.nodes(graph.read(raw).value).value
    if IdSet.of(node.rank for node in nodes) == draft.ranks:
        out = Builder()
        out.names(node.host for node in nodes)
        draft.hosts = out.done()


def _finish(
    draft: Draft,
    document: dict[str, Any],
    raw: object | None,
    form: Literal["execution", "scheduling", "graph"],
    report: Report,
    writer: str | None = None,
) -> Resources:
    """The draft with rank numbers turned into rank indices."""
    ranks = draft.ranks
    if not isinstance(document.get("attributes", {}), dict):
        report.warning("attributes is a dictionary", "attributes", "an object")
    if ranks.count > MAX_RANKS:
        report.error(f"more than {MAX_RANKS:,} ranks", "execution.R_lite")
        draft, ranks = Draft(), idset.EMPTY
    hosts = draft.hosts
    if hosts.count > ranks.count:
        # A mask over hosts must not outgrow the nodes, however many names there are.
        hosts = hosts.pick([(0, ranks.count - 1)])
    return Resources(
        ranks=ranks,
        hosts=hosts,
        kinds=tuple(
            NodeKind(cores, gpus, ranks.locate(ids))
            for (cores, gpus), ids in draft.kinds.items()
            if ids
        ),
        properties={
            name: idset.to_mask(ranks.locate(ids)) for name, ids in draft.properties.items()
        },
        starttime=draft.starttime,
        expiration=draft.expiration,
        nslots=draft.nslots,
        writer=writer,
        graph=raw,
        form=form,
        problems=report.problems,
    )
