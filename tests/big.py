"""R documents (RFC 20) of as many nodes as are asked for, in every form that is hard to read."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

CORES = 48
RACK = 64  # nodes


def grouped(count: int) -> dict[str, Any]:
    """One R_lite entry, one hostlist range, and a property for each half of the nodes."""
    half = count // 2
    return _document(
        [_entry(f"0-{count - 1}", "0-47", "0-3")],
        [f"node[0-{count - 1}]"],
        {"batch": f"0-{half - 1}", "debug": f"{half}-{count - 1}"},
    )


def alternating(count: int) -> dict[str, Any]:
    """Every other rank of one kind, in four entries: next to nothing but idset text."""
    quarter = count // 4
    entries = []
    for start, stop in ((0, quarter * 2), (quarter * 2, count)):
        entries.append(_entry(_listed(range(start, stop, 2)), "0-47", "0-3"))
        entries.append(_entry(_listed(range(start + 1, stop, 2)), "0-31"))
    return _document(entries, [f"node[0-{count - 1}]"], {"even": _listed(range(0, count, 2))})


def groups(count: int, how_many: int = 1000) -> dict[str, Any]:
    """A thousand R_lite groups, each with cores of its own, their ranks interleaved."""
    how_many = min(how_many, count)
    entries = [
        _entry(_listed(range(group, count, how_many)), f"0-{group % 500 + 1}", str(group // 500))
        for group in range(how_many)
    ]
    return _document(entries, [f"node[0-{count - 1}]"], {})


def prefixes(count: int, how_many: int = 1000) -> dict[str, Any]:
    """A thousand host prefixes, changing from one rank to the next; each name stands alone."""
    names = [f"rack{rank % how_many}-node{rank // how_many:05d}" for rank in range(count)]
    return _document([_entry(f"0-{count - 1}", "0-47")], names, {})


def bracketed(count: int, how_many: int = 1000) -> dict[str, Any]:
    """A thousand host prefixes, the names of each in brackets, every third number missing."""
    size = -(-count // how_many)
    entries = []
    for start in range(0, count, size):
        numbers = (n + n // 2 for n in range(min(size, count - start)))
        entries.append(f"r{start // size}n[{','.join(map(str, numbers))}]")
    return _document([_entry(f"0-{count - 1}", "0-47")], entries, {})


def properties(count: int, how_many: int = 200, seed: int = 1) -> dict[str, Any]:
    """Two hundred overlapping properties: blocks, stripes, and nodes taken at random."""
    rng = random.Random(seed)
    found = {}
    for number in range(how_many):
        kind = number % 4
        if kind == 0:
            start = rng.randrange(count)
            ranks = f"{start}-{min(start + count // 3 + 1, count)}" if start + 1 < count else "0"
            ranks = ranks.replace(f"-{count}", f"-{count - 1}")
        elif kind == 1:
            size = max(count // (50 + number), 2)
            starts = range(number % size, count - size, size * 2)
            ranks = ",".join(f"{start}-{start + size - 1}" for start in starts) or "0"
        elif kind == 2:
            ranks = _listed(range(number % 7, count, 101 + number))
        else:
            ranks = _listed(sorted(rng.sample(range(count), max(count // 200, 1))))
        found[f"property{number}"] = ranks
    return _document([_entry(f"0-{count - 1}", "0-47")], [f"node[0-{count - 1}]"], found)


def fragmented(count: int) -> dict[str, Any]:
    """All of it at once: interleaved groups, single names of a thousand prefixes, properties."""
    document = groups(count)
    document["execution"]["nodelist"] = prefixes(count)["execution"]["nodelist"]
    document["execution"]["properties"] = properties(count)["execution"]["properties"]
    return document


#: The documents above by name.
DOCUMENTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "grouped": grouped,
    "alternating": alternating,
    "groups": groups,
    "prefixes": prefixes,
    "bracketed": bracketed,
    "properties": properties,
    "fragmented": fragmented,
}


def text(document: dict[str, Any]) -> str:
    """The document as Flux writes one: JSON without white space."""
    return json.dumps(document, separators=(",", ":"))


def with_graph(count: int, megabytes: float, cores: int = CORES) -> Iterator[str]:
    """The text of a grouped R with a scheduling.graph of about so many megabytes, in pieces.

    The graph goes on for whole nodes with their cores and gpus until it is as large; it may hold
    fewer nodes than the R has.
    """
    head = text(grouped(count))
    yield head[:-1] + ',"scheduling":{"graph":'
    yield from graph_text(int(megabytes * 1e6), cores, count)
    yield "}}"


def bare_graph(megabytes: float, cores: int = CORES) -> Iterator[str]:
    """The text of a bare JGF document of about so many megabytes, in pieces."""
    yield '{"graph":'
    yield from graph_text(int(megabytes * 1e6), cores)
    yield "}"


def graph_text(size: int, cores: int = CORES, most: int | None = None) -> Iterator[str]:
    """A resource graph as Fluxion writes one: cluster, racks of 64 nodes, sockets, cores, gpus.

    size is that of the text in characters, roughly; most the number of nodes not to go beyond.
    """
    edges: list[tuple[int, int]] = []
    vertices = _Vertices()
    yield '{"nodes":[' + vertices.add("cluster", "cluster", 0, "/cluster0", -1)
    written = 0
    rank = 0
    while written * 1.5 < size and (most is None or rank < most):
        parts = list(_node_text(vertices, rank, cores, edges))
        written += sum(map(len, parts))
        yield "," + ",".join(parts)
        rank += 1
    yield '],"edges":['
    for start in range(0, len(edges), 1000):
        yield ("," if start else "") + ",".join(
            f'{{"source":"{source}","target":"{target}","metadata":{{"subsystem":"containment"}}}}'
            for source, target in edges[start : start + 1000]
        )
    yield "]}"


class _Vertices:
    """Writes vertices and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, kind: str, base: str, number: int, path: str, rank: int, more: str = "") -> str:
        """One vertex as Fluxion writes it, exclusive, of size 1."""
        row, self.count = self.count, self.count + 1
        name = path.rpartition("/")[2]
        return (
            f'{{"id":"{row}","metadata":{{"type":"{kind}","basename":"{base}","name":"{name}",'
            f'"id":{number},"uniq_id":{row},"rank":{rank},"exclusive":true,"unit":"","size":1,'
            f'{more}"paths":{{"containment":"{path}"}}}}}}'
        )


def _node_text(
    vertices: _Vertices, rank: int, cores: int, edges: list[tuple[int, int]]
) -> Iterator[str]:
    rack, place = divmod(rank, RACK)
    below = f"/cluster0/rack{rack}"
    if not place:
        edges.append((0, vertices.count))
        yield vertices.add("rack", "rack", rack, below, -1)
    node = vertices.count
    here = f"{below}/node{rank}"
    edges.append((_rack_row(rack, cores), node))
    yield vertices.add("node", "node", rank, here, rank, '"properties":{"batch":""},')
    for socket in range(2):
        row, inside = vertices.count, f"{here}/socket{socket}"
        edges.append((node, row))
        yield vertices.add("socket", "socket", socket, inside, rank)
        for kind, many in (("core", cores // 2), ("gpu", 2)):
            for number in range(socket * many, (socket + 1) * many):
                edges.append((row, vertices.count))
                yield vertices.add(kind, kind, number, f"{inside}/{kind}{number}", rank)


def _rack_row(rack: int, cores: int) -> int:
    """The row of a rack: behind the cluster, and the racks before it with all they hold."""
    return 1 + rack * (1 + RACK * (3 + cores // 2 * 2 + 4))


def _document(
    entries: list[dict[str, Any]], nodelist: list[str], named: dict[str, str]
) -> dict[str, Any]:
    execution: dict[str, Any] = {"R_lite": entries, "starttime": 0.0, "expiration": 0.0}
    execution["nodelist"] = nodelist
    if named:
        execution["properties"] = named
    return {"version": 1, "execution": execution}


def _entry(ranks: str, cores: str, gpus: str = "") -> dict[str, Any]:
    children = {"core": cores, "gpu": gpus} if gpus else {"core": cores}
    return {"rank": ranks, "children": children}


def _listed(ranks: "range | list[int]") -> str:
    return ",".join(map(str, ranks)) or "0"
