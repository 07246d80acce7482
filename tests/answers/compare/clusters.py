"""Pairs of clusters, and what differs between them by a look at node after node."""

from typing import Any, NamedTuple

from hypothesis import strategies as st

from fluxtui.model.resources import document
from fluxtui.model.resources.document import Resources

NAMES = ("n{}", "n0{}", "m{}-x", "m1{}", "k{}e2", "login")
CORES = ("0", "0-3", "0-7", "4-7")
GPUS = ("", "", "0", "0-1")
PROPERTIES = ("gpu", "debug", "batch")


class Plain(NamedTuple):
    """A node by itself."""

    rank: int
    host: str
    cores: str
    gpus: str
    properties: frozenset[str]


def read(nodes: list[Plain]) -> Resources:
    """The R document of nodes with ranks of their own, in any order."""
    nodes = sorted(nodes)
    properties: dict[str, str] = {}
    for name in PROPERTIES:
        ranks = [str(node.rank) for node in nodes if name in node.properties]
        if ranks:
            properties[name] = ",".join(ranks)
    entries = [
        {
            "rank": str(node.rank),
            "children": {"core": node.cores, **({"gpu": node.gpus} if node.gpus else {})},
        }
        for node in nodes
    ]
    hosts = [node.host for node in nodes] if all(node.host for node in nodes) else []
    execution: dict[str, Any] = {"R_lite": entries, "nodelist": hosts, "properties": properties}
    return document.read({"version": 1, "execution": execution})


@st.composite
def nodes(draw: st.DrawFn, *, shared_names: bool = False) -> list[Plain]:
    """Some nodes; the names of no two are the same, unless they may be shared."""
    ranks = draw(st.lists(st.integers(0, 40), unique=True, max_size=14))
    found: list[Plain] = []
    for rank in ranks:
        name = draw(st.sampled_from(NAMES)).format(draw(st.integers(0, 12)))
        if name in {node.host for node in found} and not shared_names:
            continue
        found.append(draw(_node(rank, name)))
    return found


@st.composite
def _node(draw: st.DrawFn, rank: int, host: str) -> Plain:
    return Plain(
        rank,
        host,
        draw(st.sampled_from(CORES)),
        draw(st.sampled_from(GPUS)),
        frozenset(draw(st.sets(st.sampled_from(PROPERTIES)))),
    )


@st.composite
def pairs(draw: st.DrawFn, *, shared_names: bool = False) -> tuple[list[Plain], list[Plain]]:
    """Nodes before and after: most of them stay, some go, come, move or become others."""
    before = draw(nodes(shared_names=shared_names))
    after: list[Plain] = []
    for node in before:
        match draw(st.sampled_from(("stays", "stays", "goes", "moves", "changes", "is renamed"))):
            case "stays":
                after.append(node)
            case "moves":
                after.append(node._replace(rank=draw(st.integers(0, 40))))
            case "changes":
                after.append(draw(_node(node.rank, node.host)))
            case "is renamed":
                after.append(node._replace(host=draw(st.sampled_from(("n3", "n03", "new")))))
    after += draw(nodes(shared_names=shared_names))
    by_rank = {node.rank: node for node in reversed(after)}
    if shared_names:
        return before, list(by_rank.values())
    return before, list({node.host: node for node in by_rank.values()}.values())


class Expected(NamedTuple):
    """What differs, in sets of ranks after; those of what is gone are ranks before."""

    added: set[int]
    removed: set[int]
    moved: set[int]
    resized: dict[tuple[str, str, str], set[int]]
    gained: dict[str, set[int]]
    lost: dict[str, set[int]]

    @property
    def changed(self) -> set[int]:
        """The nodes of both that are not the same."""
        sets = (*self.resized.values(), *self.gained.values(), *self.lost.values())
        return set(self.moved).union(*sets)


def expected(before: list[Plain], after: list[Plain], by: str) -> Expected:
    """The same as is asked of `changes`, by a look at node after node."""
    key = (lambda node: node.rank) if by == "rank" else (lambda node: node.host)
    was = {key(node): node for node in before}
    now = {key(node): node for node in after}
    found = Expected(
        {node.rank for node in after if key(node) not in was},
        {node.rank for node in before if key(node) not in now},
        set(),
        {},
        {},
        {},
    )
    for node in after:
        old = was.get(key(node))
        if old is None:
            continue
        if (old.rank, old.host) != (node.rank, node.host):
            found.moved.add(node.rank)
        for what in ("cores", "gpus"):
            one, other = getattr(old, what), getattr(node, what)
            if one != other:
                found.resized.setdefault((what, one, other), set()).add(node.rank)
        for name in node.properties - old.properties:
            found.gained.setdefault(name, set()).add(node.rank)
        for name in old.properties - node.properties:
            found.lost.setdefault(name, set()).add(node.rank)
    return found
