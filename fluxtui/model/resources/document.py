"""R documents (RFC 20), in today's form and in the one before it, and bare JGF graphs."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from fluxtui.model.documents import json_value
from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.resources import graph
from fluxtui.model.resources.execution import (
    MAX_RANKS,
    Draft,
    Entries,
    checked_property,
    read_execution,
)
from fluxtui.model.resources.graph import Edges, Graph
from fluxtui.model.resources.resource_set import Node, NodeKind, Resources, Totals
from fluxtui.notation.problem import Parsed, Problem, Span, position
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hostlist import Builder, HostList
from fluxtui.notation.sets.hostlist import parse_into as parse_hosts
from fluxtui.notation.sets.idset import IdSet

__all__ = [
    "MAX_RANKS",
    "Node",
    "NodeKind",
    "Resources",
    "Totals",
    "document_of",
    "is_resources",
    "parse_json",
    "read",
    "read_text",
]

if TYPE_CHECKING:
    from fluxtui.model.documents.json_stream import Told

RULE = "RFC 20"

# Where a document may have a graph, and the objects whose members are read one by one.
_GRAPHS = ((), ("graph",), ("scheduling", "graph"))
_WALKED = {*_GRAPHS, ("execution",), ("execution", "properties"), ("scheduling",)}


def read_text(text: str) -> Resources:
    """Read an R document from JSON text; if it is not JSON, a problem says where."""
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
        found = json_value.syntax_problem(error, text)
        message = found.message
        if found.span is not None:
            line, column = position(text, found.span.start)
            kind, _, what = message.partition(": ")
            message = f"{kind}: line {line}, column {column}: {what}"
        return None, (replace(found, message=message, span=found.span or Span(0, 0)),)
    if constants:
        return document, (Problem(f"'{constants[0]}' is not JSON", rule=json_value.RULE),)
    return document, ()


def document_of(data: bytes | bytearray, told: "Told | None" = None) -> Any:
    """The JSON document of a large text in UTF-8, for `read`; None where it is no plain JSON.

    Its long lists are taken piece by piece. told hears how many bytes have been read; what it
    raises ends the reading.
    """
    from fluxtui.model.documents import json_stream

    takers: dict[json_stream.Path, Callable[[], json_stream.Taker]] = {
        ("execution", "R_lite"): Entries,
        ("execution", "nodelist"): json_stream.Plain,
        **{(*path, "nodes"): Graph for path in _GRAPHS},
        **{(*path, "edges"): Edges for path in _GRAPHS},
    }
    try:
        return json_stream.read(data, _WALKED, takers, told or (lambda done: None))
    except json_stream.NotReadError:
        return None


def is_resources(document: object) -> bool:
    """The JSON document is an R document or a resource graph, by its keys."""
    if not isinstance(document, dict):
        return False
    bare = graph.is_graph(document) or isinstance(document.get("graph"), dict)
    return bare or "execution" in document or "scheduling" in document


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
            parsed = graph.read(bare, path)
            draft = _from_graph(parsed, path, report)
            return _finish(draft, document, parsed.value, "graph", report)
    _check_version(document, report)
    writer, raw = _read_scheduling(document, report)
    path = "scheduling.graph"
    carried = graph.read(raw, path) if raw is not None else None
    form: Literal["execution", "scheduling"] = "execution"
    if "execution" in document:
        found = read_execution(document["execution"], report)
        if found is None and carried is not None:
            found, form = _from_graph(carried, path, report), "scheduling"
        elif found is not None and carried is not None and not found.hosts:
            _hosts_from_graph(found, carried.value)
    elif carried is not None:
        report.warning("today's RFC 20 requires execution beside scheduling", "execution")
        found, form = _from_graph(carried, path, report), "scheduling"
    else:
        report.error("execution is missing", "execution", "an object with R_lite and nodelist")
        found = None
    own = carried.value if carried is not None else None
    return _finish(found or Draft(), document, own, form, report, writer)


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


def _from_graph(parsed: Parsed[Graph], path: str, report: Report) -> Draft:
    """Ranks, hosts, cores, gpus and properties as the vertices of a graph give them."""
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
            report.add(replace(problem, span=None, path=path))
    draft.kinds = {kind: IdSet.of(ranks) for kind, ranks in kinds.items()}
    draft.hosts = out.done()
    for name, ranks in properties.items():
        draft.properties[checked_property(name, path, report)] = IdSet.of(ranks)
    if draft.hosts.count != draft.ranks.count:
        draft.hosts = HostList()
    return draft


def _hosts_from_graph(draft: Draft, carried: Graph) -> None:
    """Take the host names from the graph where the execution part gives none."""
    nodes = graph.nodes(carried).value
    if IdSet.of(node.rank for node in nodes) == draft.ranks:
        out = Builder()
        out.names(node.host for node in nodes)
        draft.hosts = out.done()


def _finish(
    draft: Draft,
    document: dict[str, Any],
    carried: Graph | None,
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
        graph=carried,
        form=form,
        problems=report.problems,
    )
