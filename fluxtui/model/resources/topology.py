"""The sub-node topology in an R document, for TreePool (RFC 49).

A node is a tree of locality domains, such as sockets with numa domains, each with cores, gpus,
memory and storage of its own. Nodes with equal trees share one object.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, TypeGuard

from fluxtui.model.documents.report import Report
from fluxtui.notation.problem import Problem, at, plural
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

RULE = "RFC 49"

#: ``scheduling.writer`` of a document with topologies.
WRITER = "TreePool"

#: The name of the outermost domain, the node.
NODE = "node"

#: Limits for one node, and for the number of different topologies; no machine comes near.
MAX_DEPTH, MAX_DOMAINS, MAX_ID, MAX_TOPOLOGIES = 32, 4096, (1 << 16) - 1, 256

_CHILDREN = "scheduling.children"
_NAMED = 5  # how many ranges a message lists


@dataclass(frozen=True, slots=True)
class Storage:
    """A device or mount point in a node: its path and its capacity in a unit such as ``GiB``."""

    path: str
    capacity: float
    unit: str = "GiB"

    def __str__(self) -> str:
        """Return text such as ``/l/ssd 200 GiB``."""
        return f"{self.path} {self.capacity:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class Domain:
    """A locality domain; the outermost is the node.

    name     its locality name, such as ``socket`` or ``numa``; ``node`` for the node
    cores    node-local ids of the cores that are in no inner domain; gpus likewise
    memory   its own memory in GiB, None if not given
    domains  the inner domains, in document order
    empty    keys that are present but empty, ``cores`` or a locality name: TreePool does not look
             for these deeper inside

    all_cores, all_gpus and all_memory are derived and include all inner domains; memory that is
    not given counts as 0.
    """

    name: str
    cores: IdSet = idset.EMPTY
    gpus: IdSet = idset.EMPTY
    memory: int | None = None
    storage: tuple[Storage, ...] = ()
    domains: tuple["Domain", ...] = ()
    empty: tuple[str, ...] = ()
    all_cores: IdSet = field(init=False, compare=False, repr=False)
    all_gpus: IdSet = field(init=False, compare=False, repr=False)
    all_memory: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Compute the derived fields once, because every level reads them repeatedly."""
        inner = self.domains
        cores = _together(self.cores, *(one.all_cores for one in inner))
        gpus = _together(self.gpus, *(one.all_gpus for one in inner))
        memory = sum((one.all_memory for one in inner), self.memory or 0)
        object.__setattr__(self, "all_cores", cores)
        object.__setattr__(self, "all_gpus", gpus)
        object.__setattr__(self, "all_memory", memory)

    def cut(self, cores: IdSet, gpus: IdSet) -> "Domain":
        """Return this node with only these cores and gpus; it gets those that are in no domain."""

        def part(domain: "Domain") -> "Domain":
            if not (domain.all_cores - cores or domain.all_gpus - gpus):
                return domain  # the usual case
            inner = tuple(map(part, domain.domains))
            kept = domain.cores & cores, domain.gpus & gpus
            return replace(domain, cores=kept[0], gpus=kept[1], domains=inner)

        node = part(self)
        extra = cores - node.all_cores, gpus - node.all_gpus
        if not any(extra):
            return node
        return replace(node, cores=node.cores | extra[0], gpus=node.gpus | extra[1])

    def walk(self) -> Iterator["Domain"]:
        """Yield this domain and all domains inside, each before those it contains."""
        waiting = [self]
        while waiting:
            domain = waiting.pop()
            yield domain
            waiting.extend(reversed(domain.domains))

    @property
    def counts(self) -> dict[str, int]:
        """The number of inner domains by locality name, outermost first."""
        counts: dict[str, int] = {}
        for domain in self.walk():
            if domain is not self:
                counts[domain.name] = counts.get(domain.name, 0) + 1
        return counts


def _together(*sets: IdSet) -> IdSet:
    """Return the union of idsets; the very same object if only one is not empty."""
    filled = [one for one in sets if one]
    if len(filled) < 2:  # the usual case
        return filled[0] if filled else idset.EMPTY
    return IdSet.from_ranges(r for one in filled for r in one.ranges)


#: A node of unknown topology.
WHOLE = Domain(NODE)


@dataclass(frozen=True, slots=True)
class Topology:
    """A domain tree and the rank indices of the nodes that have it."""

    node: Domain
    indices: IdSet


def read(children: object, ranks: IdSet, report: Report) -> tuple[Topology, ...]:
    """Read the topologies under ``scheduling.children``; problems go to the report.

    ranks are those of the document. The ranks of the topologies must be the same, or as many: they
    are then ranks of the enclosing instance and are mapped in order (RFC 49, Sub-instance
    Initialization).
    """
    if not isinstance(children, list):
        report.wrong(
            "children is an array of objects",
            children,
            _CHILDREN,
            "an array",
            code="topology-children",
        )
        return ()
    nodes: list[tuple[Domain, IdSet]] = []
    for number, entry in enumerate(children):
        path = at(_CHILDREN, number)
        if not isinstance(entry, dict):
            report.wrong(
                "an entry of children is an object",
                entry,
                path,
                "ranks and topo",
                code="topology-entry",
            )
            continue
        node_ranks = _ids(entry, "ranks", path, report)
        if "ranks" not in entry:
            report.error(
                "ranks is missing",
                at(path, "ranks"),
                "an idset such as 0-15",
                code="topology-ranks",
            )
        for key in entry:
            if key not in ("ranks", "topo"):
                report.warning(
                    f"an entry has ranks and topo, and no '{key}'",
                    at(path, key),
                    code="topology-entry-key",
                )
        topo = entry.get("topo")
        if not isinstance(topo, dict):
            message = "topo is an object" if "topo" in entry else "topo is missing"
            report.error(
                message, at(path, "topo"), "an object with cores or domains", code="topology-topo"
            )
            continue
        node = _Reader(report).domain(topo, NODE, at(path, "topo"), 0)
        if not node.all_cores and not any("cores" in one.empty for one in node.walk()):
            message = "a topology without cores is not loaded by TreePool"
            report.error(message, at(path, "topo"), "cores", code="topology-no-cores")
            continue
        nodes.append((node, node_ranks))
    return _placed(nodes, ranks, report)


def _placed(
    nodes: list[tuple[Domain, IdSet]], ranks: IdSet, report: Report
) -> tuple[Topology, ...]:
    """Return the topologies with rank indices; equal ones are merged.

    Return () if a rank has several, or if their number of ranks is not that of the document.
    """
    if repeated := _repeated(node_ranks for _, node_ranks in nodes):
        verb = "has" if repeated.count == 1 else "have"
        words = f"{plural('rank', repeated.count)} {idset.format(repeated, _NAMED)} {verb}"
        report.error(f"{words} more than one topology", _CHILDREN, code="topology-repeated")
        return ()
    where, listed = ranks, IdSet.from_ranges(r for _, ids in nodes for r in ids.ranges)
    if listed != ranks:
        if listed.count != ranks.count:
            expected = f"ranks {idset.format(ranks, _NAMED)}"
            known = f"{listed.count:,} {plural('rank', listed.count)}"
            message = f"{known} in topologies, but R has {ranks.count:,}"
            report.error(message, _CHILDREN, expected, code="topology-rank-count")
            return ()
        where = listed  # ranks of the enclosing instance, mapped in order
    merged: dict[Domain, list[tuple[int, int]]] = {}
    for domain, node_ranks in nodes:
        if node_ranks:  # TreePool drops a topology without ranks
            merged.setdefault(domain, []).extend(where.locate(node_ranks).ranges)
    if len(merged) > MAX_TOPOLOGIES:
        report.error(
            f"more than {MAX_TOPOLOGIES} different topologies", _CHILDREN, code="topology-too-many"
        )
        return ()
    return tuple(Topology(one, IdSet.from_ranges(indices)) for one, indices in merged.items())


def _repeated(sets: Iterable[IdSet]) -> IdSet:
    """Return the ids that are in more than one of the sets."""
    twice: list[tuple[int, int]] = []
    end = -1
    for first, last in sorted(r for one in sets for r in one.ranges):
        if first <= end:
            twice.append((first, min(last, end)))
        end = max(end, last)
    return IdSet.from_ranges(twice)


def against(
    topologies: tuple[Topology, ...], kinds: Mapping[tuple[IdSet, IdSet], IdSet], ranks: IdSet
) -> Iterator[Problem]:
    """Yield warnings on cores and gpus that are in no domain; kinds maps (cores, gpus) to ranks.

    Nodes may have fewer than their topologies, as in an allocation (RFC 49, Allocated R).
    """
    for topology in topologies:
        cores, gpus = topology.node.all_cores, topology.node.all_gpus
        for kind, kind_ranks in kinds.items():
            outside = kind[0] - cores, kind[1] - gpus
            if not any(outside) or not (affected := topology.indices & ranks.locate(kind_ranks)):
                continue
            named = idset.format(ranks.pick(affected), _NAMED)
            who = f"{plural('rank', affected.count)} {named}"
            for noun, ids in zip(("core", "gpu"), outside, strict=True):
                if ids:
                    what = f"{plural(noun, ids.count)} {idset.format(ids, _NAMED)} of {who}"
                    be, them = ("is", "it") if ids.count == 1 else ("are", "them")
                    message = f"{what} {be} in no domain, so no slot can use {them}"
                    yield Problem(
                        message, None, _CHILDREN, rule=RULE, severity="warning",
                        code="topology-outside",
                    )  # fmt: skip


class _Reader:
    """Reads one node; problems go to the report."""

    def __init__(self, report: Report) -> None:
        self._report, self._count = report, 0

    def domain(self, raw: Mapping[str, Any], name: str, path: str, depth: int) -> Domain:
        """Read a locality domain and everything inside it."""
        domains = tuple(self._inside(raw, path, depth))
        result = Domain(
            name,
            _ids(raw, "cores", path, self._report, MAX_ID),
            _ids(raw, "gpus", path, self._report, MAX_ID),
            _memory(raw, path, self._report),
            tuple(_storage(raw, path, self._report, depth)) if "storage" in raw else (),
            domains,
            tuple(key for key, value in raw.items() if _is_empty(key, value)),
        )
        if domains:
            _check_disjoint(result, path, self._report)
        return result

    def _inside(self, raw: Mapping[str, Any], path: str, depth: int) -> Iterator[Domain]:
        report = self._report
        for key, value in raw.items():
            if key in ("cores", "gpus", "memory", "storage"):
                continue
            where = at(path, key)
            if not isinstance(value, list):
                report.wrong(
                    "a locality name has an array of domains",
                    value,
                    where,
                    "an array",
                    code="topology-domains",
                )
                continue
            if depth == MAX_DEPTH:
                report.error(
                    f"domains are nested deeper than {MAX_DEPTH} levels",
                    where,
                    code="topology-too-deep",
                )
                continue
            for number, inner in enumerate(value):
                self._count += 1
                if self._count > MAX_DOMAINS:
                    report.error(
                        f"a node has more than {MAX_DOMAINS:,} domains",
                        where,
                        code="topology-too-many",
                    )
                    break
                if isinstance(inner, dict):
                    yield self.domain(inner, key, at(where, number), depth + 1)
                else:
                    report.wrong(
                        "a domain is an object",
                        inner,
                        at(where, number),
                        "an object",
                        code="topology-domain",
                    )


def _is_empty(key: str, value: object) -> bool:
    """Whether a key of a domain holds nothing that TreePool would read."""
    if key == "cores":
        return isinstance(value, str) and not value.strip()
    return isinstance(value, list) and not any(isinstance(one, dict) for one in value)


def _check_disjoint(domain: Domain, path: str, report: Report) -> None:
    """Report ids that are in two inner domains, or in an inner one and in the domain itself."""
    for noun in ("cores", "gpus"):
        own_ids = getattr(domain, noun)
        inside: list[IdSet] = [getattr(inner, f"all_{noun}") for inner in domain.domains]
        if own_ids and any(inside):
            message = f"a domain with {noun} of its own has no domains with {noun} inside"
            report.warning(message, at(path, noun), code="topology-ids-above")
        if getattr(domain, f"all_{noun}").count < own_ids.count + sum(one.count for one in inside):
            twice = _repeated((own_ids, *inside))
            words = f"{plural(noun[:-1], twice.count)} {idset.format(twice, _NAMED)}"
            report.warning(f"{words} in more than one domain", path, code="topology-ids-repeated")


def _ids(
    raw: Mapping[str, Any], key: str, path: str, report: Report, most: int | None = None
) -> IdSet:
    """Read the idset of a key; empty if it is missing, malformed, or has an id above most."""
    if key not in raw:
        return idset.EMPTY
    value = raw[key]
    if not isinstance(value, str):
        report.wrong(
            f"{key} is an idset",
            value,
            at(path, key),
            "a string such as '0-15'",
            code="topology-idset",
        )
        return idset.EMPTY
    parsed = idset.parse(value)
    report.take(parsed.problems, at(path, key), key)
    if most is not None and parsed.value and parsed.value.last > most:
        report.error(
            f"{key} above {most:,} are not read", at(path, key), code="topology-id-too-large"
        )
        return idset.EMPTY
    return parsed.value


def _memory(raw: Mapping[str, Any], path: str, report: Report) -> int | None:
    if "memory" not in raw:
        return None
    value = raw["memory"]
    if type(value) is int and value >= 0:
        return value
    report.wrong(
        "memory is a whole number of GiB",
        value,
        at(path, "memory"),
        "such as 128",
        code="topology-memory",
    )
    return None


def _storage(
    domain: Mapping[str, Any], above: str, report: Report, depth: int
) -> Iterator[Storage]:
    raw, path = domain["storage"], at(above, "storage")
    if raw is None:
        return
    if not isinstance(raw, list):
        report.wrong(
            "storage is an array of objects", raw, path, "an array", code="topology-storage"
        )
        return
    if depth:
        report.warning(
            "storage belongs to the node itself, not to a domain inside it",
            path,
            code="topology-storage-inside",
        )
    for number, entry in enumerate(raw):
        where = at(path, number)
        if not isinstance(entry, dict):
            report.wrong(
                "storage is an object",
                entry,
                where,
                "path, capacity and unit",
                code="topology-storage",
            )
            continue
        name, capacity, unit = entry.get("path"), entry.get("capacity"), entry.get("unit", "GiB")
        if not isinstance(name, str):
            report.wrong(
                "path is a string",
                name,
                at(where, "path"),
                "such as '/l/ssd'",
                code="topology-storage-path",
            )
        elif not _is_amount(capacity):
            report.wrong(
                "capacity is a number",
                capacity,
                at(where, "capacity"),
                "such as 200",
                code="topology-storage-capacity",
            )
        elif not isinstance(unit, str):
            report.wrong(
                "unit is a string",
                unit,
                at(where, "unit"),
                "such as 'GiB'",
                code="topology-storage-unit",
            )
        else:
            yield Storage(name, capacity, unit)


def inside_words(node: Domain) -> str:
    """Summarize the domains inside a node: ``2 socket, 8 numa``; empty if there are none."""
    return ", ".join(f"{count:,} {name}" for name, count in node.counts.items())


def described(topologies: Sequence[Topology]) -> dict[str, str]:
    """Describe the domains of each locality name, outermost first: ``8 on each node: 15 cores``."""
    nodes = [(one.node.counts, list(one.node.walk())) for one in topologies]
    words: dict[str, str] = {}
    for name in dict.fromkeys(name for counts, _ in nodes for name in counts):
        inside = [domain for _, domains in nodes for domain in domains if domain.name == name]
        on_each = range_words(counts.get(name, 0) for counts, _ in nodes)
        sizes = [
            f"{range_words(ids)} {plural(noun, max(ids))}"
            for noun, ids in (
                ("core", [domain.all_cores.count for domain in inside]),
                ("gpu", [domain.all_gpus.count for domain in inside]),
            )
            if any(ids)
        ]
        words[name] = f"{on_each} on each node" + (f": {', '.join(sizes)}" if sizes else "")
    return words


def range_words(numbers: Iterable[int]) -> str:
    """Return the range of numbers as text: ``8``, or ``4 to 8``."""
    values = [*numbers]
    least, most = min(values), max(values)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _is_amount(value: object) -> TypeGuard[int | float]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < inf  # type: ignore[operator]


def to_json(
    topologies: tuple[Topology, ...], ranks: IdSet, chosen: IdSet, *, with_storage: bool = True
) -> list[dict[str, Any]]:
    """Return ``scheduling.children`` for the chosen rank indices; ranks are those of all nodes.

    Topologies are written whole, even if a job has only a part of a node (RFC 49, Allocated R).
    """
    chosen_topologies = ((one.node, one.indices & chosen) for one in topologies)
    return [
        {"ranks": str(ranks.pick(indices)), "topo": _topo(node, with_storage=with_storage)}
        for node, indices in chosen_topologies
        if indices
    ]


def _topo(domain: Domain, *, with_storage: bool) -> dict[str, Any]:
    """Return a domain as a JSON object, in the form of the document."""
    topo: dict[str, Any] = {}
    if domain.storage and with_storage:
        topo["storage"] = [
            {"path": one.path, "capacity": one.capacity, "unit": one.unit} for one in domain.storage
        ]
    if domain.cores or "cores" in domain.empty:
        topo["cores"] = str(domain.cores)
    if domain.gpus:
        topo["gpus"] = str(domain.gpus)
    if domain.memory is not None:
        topo["memory"] = domain.memory
    for inner in domain.domains:
        topo.setdefault(inner.name, []).append(_topo(inner, with_storage=with_storage))
    for name in domain.empty:
        topo.setdefault(name, [])
    return topo
