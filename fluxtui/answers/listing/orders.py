"""Orders the nodes of a cluster, and sorts them into a few shades to colour them.

Everything here takes time for each node, each kind of node or each vertex: run it in the
background.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import or_
from typing import Literal

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources.graph import NODE, Graph
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.model.resources.topology import Domain, inside_words
from fluxtui.notation.problem import counted
from fluxtui.notation.sets.bits import less, runs
from fluxtui.notation.sets.host_index import natural
from fluxtui.notation.sets.hostlist import Style
from fluxtui.notation.sets.idset import IdSet, to_mask

#: The maximum number of sections; more would take screen space without helping.
MAX_SECTIONS = 1000

#: The words for the inside of nodes of which nothing is known.
NOTHING_INSIDE = "no domains"

#: The maximum number of shades, not counting the one for none.
MAX_SHADES = 6


def of_groups(groups: Iterable[tuple[str, Iterable[tuple[int, int]]]]) -> Order:
    """Nodes in named groups, each with ascending ranges of indices; empty groups are left out."""
    rows: array[int] = array("I")
    sections: list[Section] = []
    for name, ranges in groups:
        start = len(rows)
        for first, last in ranges:
            rows.extend(range(first, last + 1))
        if len(rows) > start:
            sections.append(Section(name, start, len(rows)))
    return Order(rows, sections, rising=True)


def by_host(resources: Resources) -> Order:
    """All nodes by their host names in natural order: n2 comes before n10.

    Nodes without a host come last, by rank. Hosts with the same prefix before their number are a
    section, unless there would be too many.
    """
    # The ranges of the hosts by style: first and last number, and the index of the first.
    styles: dict[Style, list[tuple[int, int, int]]] = {}
    hosts = resources.hosts
    for style, *span in zip(*hosts.rows, hosts.before, strict=False):  # before also has the total
        styles.setdefault(style, []).append((span[0], span[1], span[2]))
    rows: array[int] = array("I")
    sections: list[Section] = []
    rising = True
    for style in sorted(styles, key=lambda style: (natural(style[0]), style[1], natural(style[2]))):
        start, ranges = len(rows), sorted(styles[style])
        if all(last < after for (_, last, _), (after, _, _) in pairwise(ranges)):
            for first, last, index in ranges:
                rows.extend(range(index, index + last - first + 1))
            rising &= all(a < b for (_, _, a), (_, _, b) in pairwise(ranges))
        else:  # names repeat
            each = (
                (first + place, index + place)
                for first, last, index in ranges
                for place in range(last - first + 1)
            )
            rows.extend(index for _, index in sorted(each))
            rising = False
        sections.append(Section(style[0], start, len(rows)))
    unnamed = range(resources.hosts.count, resources.node_count)
    if unnamed:
        sections.append(Section("no host", len(rows), len(rows) + len(unnamed)))
        rows.extend(unnamed)
    if len(sections) > MAX_SECTIONS or len(sections) * 3 > len(rows):
        sections = [Section("", 0, len(rows))]
        rising = rising and all(a < b for a, b in pairwise(rows))
    if rising and len(sections) == 1 and len(rows) == resources.node_count:
        return Order(range(len(rows)), sections)
    return Order(rows, sections, rising=rising)


#: Things that nodes have a number of: cores, gpus, GiB of memory.
What = Literal["cores", "gpus", "memory"]


def by_value(resources: Resources, what: What, *, most_first: bool) -> Order:
    """All nodes by their number of cores or gpus, or by memory; a section for each number."""
    found = masks_by_number(resources.planes(what), resources.everything)
    return of_groups(
        (amount(what, number), runs(found[number])) for number in sorted(found, reverse=most_first)
    )


def amount(what: What, number: int) -> str:
    """A number with its noun or unit: ``96 cores``, ``no gpu``, ``504 GiB``."""
    if what == "memory":
        return f"{number:,} GiB" if number else "memory unknown"
    noun = what.removesuffix("s")
    return counted(number, noun) if number else f"no {noun}"


#: Descriptions of the inside of a node, for documents with topologies.
INSIDE: Mapping[str, Callable[[Domain], str]] = {
    "inside": inside_words,
    "memory": lambda node: amount("memory", node.all_memory) if node.all_memory else "",
}


def insides(resources: Resources) -> dict[str, int]:
    """The nodes by their `inside_words`, as masks, those with the fewest domains first."""
    found: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for one in resources.topologies:
        words = inside_words(one.node)
        found[words] = found.get(words, 0) | to_mask(one.indices)
        sizes[words] = sum(one.node.counts.values())
    rest = less(resources.everything, reduce(or_, found.values(), 0))
    if rest:
        found[""], sizes[""] = found.get("", 0) | rest, 0
    return {words: found[words] for words in sorted(found, key=lambda words: (sizes[words], words))}


def by_inside(resources: Resources) -> Order:
    """All nodes by their domains inside, those with the most domains first."""
    groups = reversed(insides(resources).items())
    return of_groups((words or NOTHING_INSIDE, runs(mask)) for words, mask in groups)


def by_property(resources: Resources, name: str) -> Order:
    """The nodes that have a property, then those that do not."""
    mask = resources.properties.get(name, 0)
    rest = less(resources.everything, mask)
    return of_groups(((name, runs(mask)), (f"not {name}", runs(rest))))


def by_container(resources: Resources, graph: Graph, type_: str) -> Order:
    """The nodes by the vertex of a type, such as a rack, that contains them; others come last."""
    indices = node_indices(graph, resources)
    found: dict[int, list[int]] = {}
    for row, index in indices.items():
        around = graph.upward(graph.parents[row])
        above = next((vertex for vertex in around if graph.types[vertex] == type_), -1)
        found.setdefault(above, []).append(index)
    groups = [
        (graph.names[row] if row >= 0 else f"in no {type_}", IdSet.of(found[row]).ranges)
        for row in sorted(found, key=lambda row: (row < 0, row))
    ]
    rest = less(resources.everything, to_mask(IdSet.of(indices.values())))
    return of_groups([*groups, ("not in the graph", runs(rest))])


def container_types(graph: Graph) -> tuple[str, ...]:
    """The types of the vertices that contain nodes, innermost first."""
    found: dict[str, None] = {}
    seen: set[int] = set()
    for row, type_ in enumerate(graph.types):
        above = graph.parents[row] if type_ == NODE else -1
        while above >= 0 and above not in seen:
            seen.add(above)
            found.setdefault(graph.types[above])
            above = graph.parents[above]
    return tuple(found)


# Shades


@dataclass(frozen=True, slots=True)
class Shade:
    """Nodes with similar values; level is 0 for no value, else a step from 1, or -1 if bad."""

    words: str
    mask: int
    level: int


def masks_by_number(planes: Iterable[tuple[int, int]], nodes: int) -> dict[int, int]:
    """The nodes by the sum of the weights of the planes that contain them; sums ascend."""
    found = {0: nodes} if nodes else {}
    for weight, plane in planes:
        halves = [
            half
            for number, mask in found.items()
            for half in ((number, less(mask, plane)), (number + weight, mask & plane))
        ]
        found = {number: mask for number, mask in halves if mask}
    return dict(sorted(found.items()))


def shades_by_value(resources: Resources, what: What) -> tuple[Shade, ...]:
    """The nodes by their number of cores or gpus, or by memory, ascending; many different numbers
    are combined into ranges of equal length.
    """
    found = masks_by_number(resources.planes(what), resources.everything)
    values = [value for value in found if value]
    words = [f"{value:,}" for value in values]
    steps = {value: step for step, value in enumerate(values, 1)}
    if len(values) > MAX_SHADES:
        length = 1
        while (values[-1] - 1) // length >= MAX_SHADES:
            length *= 2
        words = [f"{low + 1:,}-{low + length:,}" for low in range(0, MAX_SHADES * length, length)]
        steps = {value: (value - 1) // length + 1 for value in values}
    words = [f"{word} GiB" for word in words] if what == "memory" else words
    masks: dict[int, int] = {}
    for value, mask in found.items():
        step = steps.get(value, 0)
        masks[step] = masks.get(step, 0) | mask
    none = amount(what, 0) if what == "memory" else "none"
    return tuple(
        Shade(words[step - 1] if step else none, mask, step) for step, mask in masks.items()
    )


def shades_by_inside(resources: Resources) -> tuple[Shade, ...]:
    """The nodes by their domains inside; only the most frequent kinds have their own shades."""
    found = insides(resources)
    named = sorted((words for words in found if words), key=lambda words: -found[words].bit_count())
    levels = {
        words: at for at, words in enumerate(filter(set(named[:MAX_SHADES]).__contains__, found), 1)
    }
    rest = reduce(or_, (found[words] for words in named[MAX_SHADES:]), 0)
    shades = [Shade(NOTHING_INSIDE, found.get("", 0), 0), Shade("others", rest, 0)]
    shades += [Shade(words, found[words], level) for words, level in levels.items()]
    return tuple(shade for shade in shades if shade.mask)


def shades_by_property(resources: Resources, name: str) -> tuple[Shade, ...]:
    """The nodes that have a property, and those that do not."""
    mask = resources.properties.get(name, 0)
    rest = less(resources.everything, mask)
    shades = (Shade(name, mask, MAX_SHADES), Shade(f"not {name}", rest, 0))
    return tuple(shade for shade in shades if shade.mask)


def shades_by_state(resources: Resources, graph: Graph | None) -> tuple[Shade, ...]:
    """The nodes that are down, or in a vertex that is, and the others; () if none has a status."""
    if graph is None or not graph.statuses:
        return ()
    indices = node_indices(graph, resources)
    found = (index for row, index in indices.items() if any(map(graph.is_down, graph.upward(row))))
    down = to_mask(IdSet.of(found))
    shades = (Shade("down", down, -1), Shade("up", less(resources.everything, down), MAX_SHADES))
    return tuple(shade for shade in shades if shade.mask)
