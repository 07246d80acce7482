"""The orders that the nodes of a cluster can be in: by rank, by host, by what they have.

All of them look at every node or at every range of the document: in the background.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from fluxtui.answers.listing.order import Order, Section
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.notation.sets.bits import fill, less
from fluxtui.notation.sets.host_index import natural
from fluxtui.notation.sets.hosts import Style
from fluxtui.notation.sets.idset import from_mask
from fluxtui.notation.wording import counted

#: More sections would waste the screen rather than order it.
MAX_SECTIONS = 1000

# The range of hosts of one style: its first and last number, and the index of the first node.
_Range = tuple[int, int, int]


def by_rank(resources: Resources, runs: Sequence[tuple[int, int]] = ()) -> Order:
    """All nodes by their ranks; runs, as of `host_runs`, are sections called by their hosts."""
    named = (
        Section(resources.hosts_of(((1 << (stop - start)) - 1) << start, limit=1), start, stop)
        for start, stop in runs
    )
    return Order.of_all(resources.node_count, named)


def by_host(resources: Resources) -> Order:
    """All nodes by their host names, in the order in which a person would count them.

    n2 comes before n10; nodes without a host come last, by rank. Hosts with the same letters
    before their number are a section, unless that makes more than help.
    """
    rows: array[int] = array("I")
    sections: list[Section] = []
    rising = True
    for style, ranges in sorted(_styles(resources), key=lambda found: _natural(found[0])):
        start = len(rows)
        ranges.sort()
        if all(last < after for (_, last, _), (after, _, _) in pairwise(ranges)):
            for first, last, index in ranges:
                rows.extend(range(index, index + last - first + 1))
            rising &= all(a < b for (_, _, a), (_, _, b) in pairwise(ranges))
        else:  # names that repeat
            rows.extend(index for _, index in sorted(_each(ranges)))
            rising = False
        sections.append(Section(style[0], start, len(rows)))
    left = range(resources.hosts.count, resources.node_count)
    if left:
        sections.append(Section("no host", len(rows), len(rows) + len(left)))
        rows.extend(left)
    if len(sections) > MAX_SECTIONS or len(sections) * 3 > len(rows):
        sections = [Section("", 0, len(rows))]
        rising = rising and all(a < b for a, b in pairwise(rows))
    if rising and len(sections) == 1 and len(rows) == resources.node_count:
        return Order.of_all(len(rows), sections)
    return Order(rows, sections, rising=rising)


def _styles(resources: Resources) -> Iterator[tuple[Style, list[_Range]]]:
    """The ranges of the hosts by their style."""
    found: dict[Style, list[_Range]] = {}
    rows = zip(*resources.hosts.columns, strict=False)  # the last column has its sum too
    for style, first, last, index in rows:
        found.setdefault(style, []).append((first, last, index))
    yield from found.items()


def _each(ranges: Iterable[_Range]) -> Iterator[tuple[int, int]]:
    """Number and index of each host."""
    for first, last, index in ranges:
        yield from zip(range(first, last + 1), range(index, index + last - first + 1), strict=True)


def _natural(style: Style) -> tuple[object, ...]:
    """What styles of host names are sorted by: the numbers within a prefix count as numbers."""
    prefix, width, suffix = style
    return (natural(prefix), width, natural(suffix))


def ranges_by_number(
    resources: Resources, what: Literal["cores", "gpus"]
) -> dict[int, list[tuple[int, int]]]:
    """The nodes by how many cores or gpus they have, as ranges of indices, first to last.

    Numbers and ranges ascend; each node is in one range.
    """
    found: dict[int, list[tuple[int, int]]] = {}
    for kind in resources.kinds:
        ranges = zip(kind.indices.starts, kind.indices.ends, strict=True)
        found.setdefault(getattr(kind, what).count, []).extend(ranges)
    known = filled([pair for ranges in found.values() for pair in ranges], resources.node_count)
    found.setdefault(0, []).extend(from_mask(less(resources.everything, known)).ranges)
    return {number: sorted(found[number]) for number in sorted(found) if found[number]}


def filled(ranges: Sequence[tuple[int, int]], size: int) -> int:
    """The mask of the nodes in disjoint ranges of indices below size, first to last."""
    return fill([first for first, _ in ranges], [last for _, last in ranges], size)


def by_value(resources: Resources, what: Literal["cores", "gpus"], *, most_first: bool) -> Order:
    """All nodes by how many cores or gpus they have; a section for each number."""
    noun = what[:-1]
    rows: array[int] = array("I")
    sections: list[Section] = []
    found = ranges_by_number(resources, what)
    for number in reversed(found) if most_first else found:
        start = len(rows)
        for first, last in found[number]:
            rows.extend(range(first, last + 1))
        name = counted(number, noun) if number else f"no {noun}"
        sections.append(Section(name, start, len(rows)))
    return Order(rows, sections, rising=True)


def by_property(resources: Resources, name: str) -> Order:
    """The nodes that have a property, then those that have not."""
    mask = resources.properties.get(name, 0)
    return Order.of_groups(((name, mask), (f"not {name}", less(resources.everything, mask))))


def by_container(resources: Resources, graph: Graph, type_: str) -> Order:
    """The nodes by the vertex of a type, such as a rack, that contains them in the graph.

    Those within none come last.
    """
    found: dict[int, list[int]] = {}
    for row, index in node_indices(graph, resources).items():
        found.setdefault(_container(graph, row, type_), []).append(index)
    rows: array[int] = array("I")
    sections: list[Section] = []
    for row in sorted(found, key=lambda row: (row < 0, row)):
        start = len(rows)
        rows.extend(sorted(found[row]))
        name = graph.names[row] if row >= 0 else f"in no {type_}"
        sections.append(Section(name, start, len(rows)))
    known = Order(rows, (), rising=False).nodes(0, len(rows))
    rest = less(resources.everything, known)
    if rest:
        start = len(rows)
        rows.extend(Order.of_groups((("", rest),)).rows)
        sections.append(Section("not in the graph", start, len(rows)))
    return Order(rows, sections, rising=True)


def _container(graph: Graph, row: int, type_: str) -> int:
    """The vertex of a type that a vertex is within; -1 for none."""
    row = graph.parents[row]
    while row >= 0 and graph.types[row] != type_:
        row = graph.parents[row]
    return row


def container_types(graph: Graph) -> tuple[str, ...]:
    """The types of the vertices that contain nodes, the innermost first."""
    found: dict[str, None] = {}
    seen: set[int] = set()
    for row, type_ in enumerate(graph.types):
        above = graph.parents[row] if type_ == "node" else -1
        while above >= 0 and above not in seen:
            seen.add(above)
            found.setdefault(graph.types[above])
            above = graph.parents[above]
    return tuple(found)
