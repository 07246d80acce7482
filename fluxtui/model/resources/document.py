"""Read R documents (RFC 20), in today's form and the previous one, and bare JGF graphs."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from fluxtui.model.documents.document import JSON, syntax_problem
from fluxtui.model.documents.report import Report
from fluxtui.model.property_name import ALLOWED, illegal_words
from fluxtui.model.resources import graph, topology
from fluxtui.model.resources.graph import NODE, Edges, Graph
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.model.resources.topology import Topology
from fluxtui.notation.problem import Parsed, Problem, Span, at, counted, is_digits, plural, position
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hostlist import Builder, HostList, names_into
from fluxtui.notation.sets.hostlist import parse_into as parse_hosts
from fluxtui.notation.sets.idset import IdSet, from_mask, repeated

if TYPE_CHECKING:
    from fluxtui.model.documents.json_stream import Progress

RULE = "RFC 20"

# A mask has one bit for each node; a document with more ranks is taken for a mistake.
MAX_RANKS = 1 << 24

# Up to this many ranks that occur in several entries are merged one by one.
MAX_REPEATS = 1 << 16

# Ranks are dense if the largest is below this many times the number of their ranges.
_SPREAD = 64

# Paths at which a document may have a graph, and of objects whose members are streamed one by one.
_GRAPHS = ((), ("graph",), ("scheduling", "graph"))
_WALKED = {*_GRAPHS, ("execution",), ("execution", "properties"), ("scheduling",)}

_WHOLE = object()
_CONTROLS = frozenset(map(chr, (*range(32), *range(127, 160))))
_EPOCH = "seconds since 1970-01-01 00:00 UTC"

Kind = tuple[IdSet, IdSet]  # cores and gpus


class Entries:
    """The entries of an R_lite that is read in batches, kept as columns and not as objects.

    Iterating yields each entry as the dictionary it was in the document.
    """

    def __init__(self) -> None:
        self._ranks: list[Any] = []  # _WHOLE if the entry is not just a rank and children
        self._children: list[Any] = []  # the whole entry in that case
        self._known: dict[tuple[str, str | None], dict[str, str]] = {}

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Append the next entries."""
        for entry in elements:
            children = self._shared(entry)
            self._ranks.append(_WHOLE if children is None else entry["rank"])
            self._children.append(entry if children is None else children)

    def _shared(self, entry: Any) -> dict[str, str] | None:
        """The children of an entry that has only these and a rank; equal ones are one object."""
        if type(entry) is not dict or len(entry) != 2 or "rank" not in entry:
            return None
        children = entry.get("children")
        if type(children) is not dict or type(children.get("core")) is not str:
            return None
        gpu = children.get("gpu")
        if len(children) != 1 and (len(children) != 2 or type(gpu) is not str):
            return None
        return self._known.setdefault((children["core"], gpu), children)

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[Any]:
        for rank, found in zip(self._ranks, self._children, strict=True):
            yield found if rank is _WHOLE else {"rank": rank, "children": found}


def document_of(data: bytes | bytearray, progress: "Progress | None" = None) -> Any:
    """Parse a large UTF-8 JSON text for `read`; None if it is not plain JSON.

    progress is called with the number of bytes read so far; an exception from it ends the reading.
    """
    from fluxtui.model.documents import json_stream

    takers: dict[json_stream.Path, Callable[[], json_stream.Taker]] = {
        ("execution", "R_lite"): Entries,
        ("execution", "nodelist"): json_stream.Plain,
        **{(*path, "nodes"): Graph for path in _GRAPHS},
        **{(*path, "edges"): Edges for path in _GRAPHS},
    }
    try:
        return json_stream.read(data, _WALKED, takers, progress or (lambda done: None))
    except json_stream.NotReadError:
        return None


def read_text(text: str) -> Resources:
    """Read an R document from JSON text; if it is not JSON, a problem says where it is wrong."""
    constants: list[str] = []
    try:
        document = json.loads(text, parse_constant=constants.append)
    except (ValueError, RecursionError) as error:
        problem = syntax_problem(error, text)
        message = problem.message
        if problem.span is not None:
            line, column = position(text, problem.span.start)
            kind, _, what = message.partition(": ")
            message = f"{kind}: line {line}, column {column}: {what}"
        span = problem.span or Span(0, 0)
        return Resources(problems=(replace(problem, message=message, span=span),))
    resources = read(document)
    if not constants:
        return resources
    problem = Problem(f"'{constants[0]}' is not JSON", rule=JSON)
    return replace(resources, problems=(problem, *resources.problems))


def is_resources(document: object) -> bool:
    """Whether a JSON document is an R document or a resource graph, by its keys."""
    if not isinstance(document, dict):
        return False
    bare = graph.is_graph(document) or isinstance(document.get("graph"), dict)
    return bare or "execution" in document or "scheduling" in document


@dataclass(slots=True)
class Draft:
    """What has been read so far; ranks are rank numbers here, not indices."""

    ranks: IdSet = idset.EMPTY
    kinds: dict[Kind, IdSet] = field(default_factory=dict)
    hosts: HostList = field(default_factory=HostList)
    properties: dict[str, IdSet] = field(default_factory=dict)
    starttime: float | None = None
    expiration: float | None = None
    nslots: int | None = None


def read(document: object) -> Resources:
    """Read an R document, or a bare JGF graph, from its JSON object. Never raises."""
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
    version = document.get("version")
    if "version" not in document:
        report.error("version is missing", "version", "1")
    elif type(version) is not int or version != 1:
        report.wrong("version is the number 1", version, "version", "1")
    writer, raw, children = _read_scheduling(document, report)
    path = "scheduling.graph"
    carried = graph.read(raw, path) if raw is not None else None
    form: Literal["execution", "scheduling"] = "execution"
    partial: Draft | None = None
    if "execution" in document:
        partial = _read_execution(document["execution"], report)
        if partial is None and carried is not None:
            partial, form = _from_graph(carried, path, report), "scheduling"
        elif partial is not None and carried is not None and not partial.hosts:
            other = _from_graph(carried, path, Report(RULE))
            if other.ranks == partial.ranks:
                partial.hosts = other.hosts
    elif carried is not None:
        report.warning("today's RFC 20 requires execution beside scheduling", "execution")
        partial, form = _from_graph(carried, path, report), "scheduling"
    else:
        report.error("execution is missing", "execution", "an object with R_lite and nodelist")
    resource_graph = carried.value if carried is not None else None
    draft = partial or Draft()
    inside = _topologies(writer, children, draft, report)
    return _finish(draft, document, resource_graph, form, report, writer, inside)


def _read_scheduling(document: dict[str, Any], report: Report) -> tuple[str | None, Any, Any]:
    """Return the writer, the raw graph and the raw topologies of the scheduling part, or None."""
    if "scheduling" not in document:
        return None, None, None
    scheduling = document["scheduling"]
    if not isinstance(scheduling, dict):
        report.wrong("scheduling is a dictionary", scheduling, "scheduling", "an object")
        return None, None, None
    writer, raw = scheduling.get("writer"), scheduling.get("graph")
    if "writer" in scheduling and not isinstance(writer, str):
        report.wrong("writer is a string", writer, "scheduling.writer", "a URI such as 'fluxion:'")
        writer = None
    if raw is not None and not isinstance(raw, dict):
        report.error("a graph is an object with nodes and edges", "scheduling.graph", "an object")
        raw = None
    return writer, raw, scheduling.get("children")


def _topologies(
    writer: str | None, children: object, draft: Draft, report: Report
) -> tuple[Topology, ...]:
    """Read the topologies of a document whose writer is TreePool (RFC 49)."""
    if writer != topology.WRITER:
        return ()
    own_report = Report(topology.RULE)
    path = "scheduling.children"
    if children is None:
        message = "TreePool of flux-core needs children, though RFC 49 does not"
        own_report.warning(message, path, code="topology-children")
        topologies: tuple[Topology, ...] = ()
    else:
        topologies = topology.read(children, draft.ranks, own_report)
        for problem in topology.against(topologies, draft.kinds, draft.ranks):
            own_report.add(problem)
        wanted = IdSet.between(0, draft.ranks.count - 1)
        # The ranks of a job are renumbered when it starts an instance.
        is_allocated = draft.starttime or draft.nslots
        if topologies and draft.ranks != wanted and not is_allocated:
            message = f"TreePool of flux-core 0.88 loads these nodes only as ranks {wanted}"
            own_report.warning(message, "execution.R_lite", code="topology-rank-origin")
    for problem in own_report.problems:
        report.add(problem)
    return topologies


def _from_graph(parsed: Parsed[Graph], path: str, report: Report) -> Draft:
    """Return a draft of the vertices of type ``node``; if none has a rank they are numbered."""
    for problem in parsed.problems:
        report.add(problem)
    vertices = parsed.value
    rows = [row for row, type_ in enumerate(vertices.types) if type_ == NODE]
    is_ranked = any(vertices.ranks[row] >= 0 for row in rows)
    if rows and not is_ranked:
        report.warning("no node of the graph has a rank; they are numbered in order", path)
    nodes: dict[int, int] = {}  # the row of each rank
    for number, row in enumerate(rows):
        rank, name = vertices.ranks[row] if is_ranked else number, vertices.names[row]
        where = at(path, "nodes", row, "metadata", "rank")
        if rank < 0:
            report.warning(f"node '{name}' has no rank and is left out", where)
        elif rank in nodes:
            first = vertices.names[nodes[rank]]
            report.error(f"nodes '{first}' and '{name}' both have rank {rank}", where)
        else:
            nodes[rank] = row
    if not rows:
        report.error("the graph has no vertex of type 'node'", at(path, "nodes"))
    kinds: dict[Kind, list[int]] = {}
    properties: dict[str, list[int]] = {}
    out = Builder()
    for rank, row in sorted(nodes.items()):
        parts = list(vertices.below(row))
        kind = (_ids(vertices, parts, "core"), _ids(vertices, parts, "gpu"))
        kinds.setdefault(kind, []).append(rank)
        for name in vertices.properties(row):
            properties.setdefault(name, []).append(rank)
        report.take(parse_hosts(out, vertices.names[row]), path)
    hosts = out.done()
    return Draft(
        IdSet.of(nodes),
        {kind: IdSet.of(ranks) for kind, ranks in kinds.items()},
        hosts if hosts.count == len(nodes) else HostList(),
        {_property(name, path, report): IdSet.of(ranks) for name, ranks in properties.items()},
    )


def _ids(vertices: Graph, rows: list[int], type_: str) -> IdSet:
    """The logical ids of vertices; counted from 0 if their own ids repeat or are missing."""
    rows = [row for row in rows if vertices.types[row] == type_]
    ids = {vertices.numbers[row] for row in rows}
    total = sum(vertices.sizes[row] for row in rows)
    is_known = total == len(rows) == len(ids) and -1 not in ids
    return IdSet.of(ids) if is_known else IdSet.between(0, total - 1)


def _finish(
    draft: Draft,
    document: dict[str, Any],
    carried: Graph | None,
    form: Literal["execution", "scheduling", "graph"],
    report: Report,
    writer: str | None = None,
    topologies: tuple[Topology, ...] = (),
) -> Resources:
    """Turn a draft into resources, and its rank numbers into rank indices."""
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
        topologies=topologies,
        form=form,
        problems=report.problems,
    )


# The execution part


def _read_execution(raw: object, report: Report) -> Draft | None:
    if not isinstance(raw, dict):
        report.wrong("execution is a dictionary", raw, "execution", "an object with R_lite")
        return None
    draft = Draft()
    _read_lite(raw, draft, report)
    _read_nodelist(raw, draft, report)
    _read_properties(raw, draft, report)
    start = draft.starttime = _time(raw, "starttime", report)
    end = draft.expiration = _time(raw, "expiration", report)
    if start is not None and end is not None and end <= start:
        path = "execution.expiration"
        report.error("expiration is not after starttime", path, f"more than {start:g}")
    nslots = raw.get("nslots")
    if type(nslots) is int and nslots > 0:
        draft.nslots = nslots
    elif "nslots" in raw:
        path = "execution.nslots"
        report.wrong("nslots is a whole number of 1 or more", nslots, path, "1 or more")
    return draft


@dataclass(slots=True)
class _Group:
    """R_lite entries with the same children; singles are the ranks of entries with one rank."""

    cores: IdSet
    gpus: IdSet
    parts: list[IdSet] = field(default_factory=list)
    singles: list[int] = field(default_factory=list)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        ranges = [pair for part in self.parts for pair in part.ranges]
        return ranges + [(rank, rank) for rank in self.singles]

    @property
    def ranks(self) -> IdSet:
        parts = self.parts + ([IdSet.of(self.singles)] if self.singles else [])
        if len(parts) == 1:
            return parts[0]
        return IdSet.from_ranges(pair for part in parts for pair in part.ranges)


def _read_lite(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    path = "execution.R_lite"
    entries = raw.get("R_lite")
    if not isinstance(entries, list | Entries) or not entries:
        message = "R_lite is missing" if "R_lite" not in raw else "R_lite is not a non-empty array"
        report.error(message, path, "an array of one or more entries with rank and children")
        return
    groups: dict[object, _Group] = {}
    total = 0
    for number, entry in enumerate(entries):
        if type(entry) is not dict:
            report.wrong("an R_lite entry is a dictionary", entry, at(path, number), "an object")
            continue
        rank = entry.get("rank")
        group = _group(entry.get("children"), groups, number, report)
        # Fluxion often writes one rank per entry, which needs no idset.
        if type(rank) is str and is_digits(rank) and rank == str(int(rank[:18])):
            group.singles.append(int(rank))
            total += 1
            continue
        where = at(path, number, "rank")
        ids = _read_idset(rank, "rank", where, report)
        if total + ids.count > MAX_RANKS:
            report.error(f"more than {MAX_RANKS:,} ranks; this entry is left out", where)
        elif ids:
            total += ids.count
            group.parts.append(ids)
    sets = [(group, group.ranks) for group in groups.values()]
    draft.ranks = _union([ranks for _, ranks in sets if ranks])
    kinds = [((group.cores, group.gpus), ranks) for group, ranks in sets]
    if draft.ranks.count != total:
        shared = repeated(pair for group in groups.values() for pair in group.pairs)
        kinds = [(kind, ranks - shared) for kind, ranks in kinds]
        kinds += _added_up(sets, shared, report)
    for kind, ranks in kinds:
        known = draft.kinds.get(kind)
        draft.kinds[kind] = ranks if known is None else known | ranks


def _group(children: object, groups: dict[object, _Group], number: int, report: Report) -> _Group:
    """Return the group of an entry with these children; equal children are read only once."""
    body = children if isinstance(children, dict) else {}
    core, gpu = body.get("core"), body.get("gpu", "none")
    # Malformed children get a key of their own, so that each such entry is reported.
    key: object = (core, gpu) if type(core) is str and type(gpu) is str else number
    if key in groups:
        return groups[key]
    path = at("execution.R_lite", number, "children")
    cores = gpus = idset.EMPTY
    if not isinstance(children, dict):
        report.error("children is a dictionary with core", path, "an object")
    elif "core" not in children:
        report.error("children has no core", path, "core")
    else:
        cores = _read_idset(core, "core", at(path, "core"), report)
    if "gpu" in body:
        gpus = _read_idset(gpu, "gpu", at(path, "gpu"), report)
    groups[key] = _Group(cores, gpus)
    return groups[key]


def _read_idset(value: object, what: str, path: str, report: Report) -> IdSet:
    if not isinstance(value, str):
        report.wrong(f"{what} is an idset string", value, path, "a string such as '0-3'")
        return idset.EMPTY
    parsed = idset.parse(value)
    report.take(parsed.problems, path, what)
    if not parsed.value and not parsed.problems:
        report.error(f"{what} holds no id", path, "one or more ids")
    return parsed.value


def _union(sets: list[IdSet]) -> IdSet:
    """Return the union of the sets; if it is dense, by marking each id in a row of digits."""
    if len(sets) <= 1:
        return sets[0] if sets else idset.EMPTY
    size = max(ids.last for ids in sets) + 1
    if size > min(sum(len(ids.starts) for ids in sets) * _SPREAD, MAX_RANKS):
        return IdSet.from_ranges(pair for ids in sets for pair in ids.ranges)
    marks = bytearray(b"0") * size
    for ids in sets:
        for first, last in zip(ids.starts, ids.ends, strict=True):
            if first == last:
                marks[first] = 49
            else:
                marks[first : last + 1] = b"1" * (last - first + 1)
    marks.reverse()
    return from_mask(int(marks, 2))


def _added_up(
    sets: list[tuple[_Group, IdSet]], shared: IdSet, report: Report
) -> list[tuple[Kind, IdSet]]:
    """Merge the cores and gpus of ranks in several entries; return each kind and its ranks."""
    words = f"{_named(shared)} {plural('is', shared.count, 'are')} in more than one R_lite entry"
    report.warning(words, "execution.R_lite")
    filled = (group for group, _ in sets if group.cores or group.gpus)
    clash = [rank for group in filled for rank in repeated(group.pairs)]
    numbers: dict[Kind, int] = {(idset.EMPTY, idset.EMPTY): 0}
    kinds = [*numbers]
    found: dict[int, int] = {}  # the number of each rank's kind
    is_merged = shared.count <= MAX_REPEATS
    for group, ranks in sets if is_merged else ():
        added: dict[int, tuple[int, bool]] = {}  # the merged kind, by the kind before
        for rank in ranks & shared:
            before = found.get(rank, 0)
            if before not in added:
                cores, gpus = kinds[before]
                is_clash = bool(cores & group.cores or gpus & group.gpus)
                kind = cores | group.cores, gpus | group.gpus
                if kind not in numbers:
                    numbers[kind] = len(kinds)
                    kinds.append(kind)
                added[before] = numbers[kind], is_clash
            found[rank], is_clash = added[before]
            if is_clash:
                clash.append(rank)
    if clash or not is_merged:
        wrong = IdSet.of(clash) or shared
        words = f"{_named(wrong)} {plural('has', wrong.count, 'have')} the same core or gpu twice"
        report.error(words, "execution.R_lite")
    by_kind: dict[int, list[int]] = {}
    for rank, number in found.items():
        by_kind.setdefault(number, []).append(rank)
    return [(kinds[number], IdSet.of(ranks)) for number, ranks in by_kind.items()]


def _named(ranks: IdSet) -> str:
    return f"{plural('rank', ranks.count)} {idset.format(ranks, 5)}"


def _read_nodelist(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    path = "execution.nodelist"
    entries = raw.get("nodelist")
    if not isinstance(entries, list):
        message = "nodelist is missing" if "nodelist" not in raw else "nodelist is not an array"
        report.error(message, path, "an array of host names or hostlists")
        draft.hosts = _hosts_of_entries(raw.get("R_lite"), draft.ranks)
        return
    out = Builder()
    faults = len(report.problems)
    if set(map(type, entries)) != {str} or not names_into(out, entries):
        for number, entry in enumerate(entries):
            where = at(path, number)
            if not isinstance(entry, str):
                expected = "a host name or hostlist"
                report.wrong("an entry of nodelist is a string", entry, where, expected)
                continue
            report.take(parse_hosts(out, entry), where)
    draft.hosts = out.done()
    if draft.ranks and draft.hosts.count != draft.ranks.count:
        hosts, ranks = counted(draft.hosts.count, "host"), draft.ranks.count
        message = f"nodelist names {hosts} for {counted(ranks, 'rank')}"
        report.error(message, path, counted(ranks, "host"))
        if len(report.problems) > faults + 1:
            # It is unknown which ranks the unreadable entries belong to, and no name is better
            # than a wrong one.
            draft.hosts = HostList()


def _hosts_of_entries(entries: object, ranks: IdSet) -> HostList:
    """The hosts from the ``node`` key that older Fluxion wrote into each entry of one rank."""
    if not isinstance(entries, list | Entries) or not ranks or ranks.count > len(entries):
        return HostList()
    names: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("node"), str):
            names[str(entry.get("rank"))] = entry["node"]
    if not all(str(rank) in names for rank in ranks):
        return HostList()
    out = Builder()
    parse_hosts(out, ",".join(names[str(rank)] for rank in ranks))
    hosts = out.done()
    return hosts if hosts.count == ranks.count else HostList()


def _read_properties(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    path = "execution.properties"
    properties = raw.get("properties", {})
    if not isinstance(properties, dict):
        report.error("properties is a dictionary of idsets by name", path, "an object")
        return
    for key, value in properties.items():
        where = at(path, key)
        name = _property(key, where, report)
        if value == "":
            report.warning(f"property '{name}' is on no rank", where)
            draft.properties[name] = idset.EMPTY
            continue
        ids = _read_idset(value, f"property '{name}'", where, report)
        outside = ids.count - draft.ranks.locate(ids).count
        if outside and draft.ranks:
            missing = f"{counted(outside, 'rank')} that R_lite does not have"
            report.warning(f"property '{name}' names {missing}", where)
        draft.properties[name] = ids


def _property(name: str, path: str, report: Report) -> str:
    """Return a property name in encodable form; report it if RFC 20 forbids it or it is odd."""
    if wrong := illegal_words(name, name):
        report.error(wrong, path, ALLOWED)
    elif not name:
        report.warning("a property has an empty name, which no query can name", path)
    elif not _CONTROLS.isdisjoint(name):
        report.warning(f"property name '{name}' holds control characters", path)
    try:
        name.encode()
    except UnicodeEncodeError:
        report.error("a property name is not valid UTF-8", path)
        return name.encode("utf-8", "backslashreplace").decode()
    return name


def _time(raw: dict[str, Any], key: str, report: Report) -> float | None:
    """Read a time in seconds since the epoch; None if unset, or 0, which means unset."""
    if key not in raw:
        return None
    value, path = raw[key], at("execution", key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        report.wrong(f"{key} is a number", value, path, _EPOCH)
        return None
    if abs(value) > 1e15 or not isfinite(value):
        report.error(f"{key} is not a time", path, _EPOCH)
        return None
    if value < 0:
        report.warning(f"{key} is before 1970", path)
    return float(value) or None
