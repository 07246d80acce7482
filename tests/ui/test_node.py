"""What the Node pane says of a node and of its document, without an app."""

from dataclasses import replace

from fluxtui import workbench
from fluxtui.model.resources import document
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import idset
from fluxtui.ui.constraint.explanations import Explanations
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.inside import Mark, inside_lines
from fluxtui.ui.nodes.node import document_lines, kinds_of_problems, node_lines
from fluxtui.workbench import Cluster, Source, State
from tests.model.topologies import UNEVEN, XEON, apu, domains, tree, xeon
from tests.ui.documents import cluster, demo
from tests.ui.documents import document as r_document

STYLE = Palette.of({})
GPU_NODE, DEBUG_NODE = 170, 178  # both in gpu, the second in debug


def of_node(state: State, index: int) -> list[str]:
    explanation = Explanations(None, lambda: None).explain(state)  # type: ignore[arg-type]
    return [line.plain for line in node_lines(state, index, explanation, STYLE)]


def of_document(state: State) -> list[str]:
    return [line.plain for line in document_lines(state, STYLE)]


def test_a_node_has_its_place_its_parts_and_its_properties() -> None:
    state = workbench.start(demo())
    name, cores, gpus, properties = of_node(state, DEBUG_NODE)[:4]
    assert name == f"{state.cluster.resources.host(DEBUG_NODE)} · rank {DEBUG_NODE}"
    assert (cores, gpus) == ("64 cores  0-63", "8 gpus    0-7")
    assert properties.split()[:3] == ["batch", "debug", "gpu"]
    bare = workbench.start(cluster(2))
    assert of_node(bare, 1) == ["n1 · rank 1", "4 cores   0-3", "no properties"]
    quoted = workbench.start(cluster(2, {"": "0", "x": "0"}))
    assert of_node(quoted, 0)[-1] == '""  x'
    # The cores that a placement takes.
    assert of_node(workbench.start(cluster(2), "core=3"), 0)[1] == "4 cores   0-3   ▣ 0-2"
    assert of_node(workbench.start(cluster(2), "node"), 0)[1] == "4 cores   0-3   ▣ all"


def inside(document_: object, shape: str = "", index: int = 0) -> list[str]:
    """The lines of a node from its properties on."""
    at = Cluster.of(Source("test"), document.read(document_))
    lines = [line.rstrip() for line in of_node(workbench.start(at, shape), index)]
    return lines[lines.index("no properties") + 1 :]


def test_each_domain_is_told_with_what_it_is_in_and_with_the_gpus_near_its_cores() -> None:
    assert inside(xeon())[4:] == [
        "  numa 3  15 cores 45-59    gpu 3",
        "socket 1  60 cores 60-119   gpus 4-7",
        "  numa 4  15 cores 60-74    gpu 4",
        "  numa 5  15 cores 75-89    gpu 5",
        "  numa 6  15 cores 90-104   gpu 6",
        "  numa 7  15 cores 105-119  gpu 7",
    ]
    # Cores that are in no domain, of which a part is short of memory.
    assert inside(tree(("0", UNEVEN, "0-23", "0"))) == [
        "numa 0   8 cores 0-7   gpu 0  64 GiB",
        "numa 1  12 cores 8-19",
        "in no domain  4 cores 20-23",
    ]
    assert not inside(tree(("0", {"cores": "0-7"}, "0-7", "")))


def test_equal_domains_are_one_line_where_that_hides_nothing() -> None:
    two = {"socket": [{"numa": domains(4, 4, at, 0)} for at in (0, 4)]}
    found = [
        (two, ["socket 0    16 cores 0-15", "  numa 0-3   4 cores each, 0-15",
               "socket 1    16 cores 16-31", "  numa 4-7   4 cores each, 16-31"]),
        # Where their ids are not in order, the ids of all would not say whose they are.
        ({"numa": [{"cores": "0,2-3"}, {"cores": "1,4-5"}]},
         ["numa 0  3 cores 0,2-3", "numa 1  3 cores 1,4-5"]),
        ({"numa": [{"cores": "0-3", "memory": 8}, {"cores": "4-7", "memory": 9}]},
         ["numa 0  4 cores 0-3  8 GiB", "numa 1  4 cores 4-7  9 GiB"]),
        ({"numa": [{"cores": "0-3"}, {"cores": "4-7", "storage": [{"path": "/a", "capacity": 1}]}]},
         ["numa 0  4 cores 0-3", "numa 1  4 cores 4-7  /a 1 GiB"]),
    ]  # fmt: skip
    for topo, wanted in found:
        assert inside(tree(("0", topo, "0-31", "")))[: len(wanted)] == wanted


def test_what_the_placement_takes_of_domains_is_told() -> None:
    assert inside(xeon(), "node/slot=2/[core=8;gpu]")[:4] == [
        "socket 0  60 cores 0-59     gpus 0-3  ▣ 16 cores",
        "  numa 0  15 cores 0-14     gpu 0     ▣ 0-7, gpu 0",
        "  numa 1  15 cores 15-29    gpu 1     ▣ 15-22, gpu 1",
        "  numa 2  15 cores 30-44    gpu 2",
    ]
    assert inside(apu("0-1"), "slot/socket{x}")[:2] == [
        "socket 0  24 cores 0-23   gpu 0  126 GiB  ▣ all",
        "socket 1  24 cores 24-47  gpu 1  126 GiB",
    ]


def test_of_a_node_that_was_given_in_part_it_is_told_how_much_of_each_domain() -> None:
    """As R of a job has it: the topology is that of the whole node (RFC 49, Allocated R)."""
    assert inside(tree(("0", XEON, "0-7,60-74", "0"))) == [
        "socket 0     8 of 60 cores 0-7    1 of 4 gpus 0",
        "  numa 0     8 of 15 cores 0-7    gpu 0",
        "  numa 1-3   0 of 15 cores each   0 of 1 gpu",
        "socket 1    15 of 60 cores 60-74  0 of 4 gpus",
        "  numa 4          15 cores 60-74  0 of 1 gpu",
        "  numa 5-7   0 of 15 cores each   0 of 1 gpu",
    ]


def test_of_domains_it_is_told_what_each_mark_holds_of_them() -> None:
    node = document.read(apu("0-1")).inside_at(0)
    ids = [idset.parse(text).value for text in ("0-29", "0", "40-71", "2")]
    placed = Mark((ids[0], ids[1]), "P", STYLE.placed)
    used = Mark((ids[2], ids[3]), "U", STYLE.slot, "A")
    assert [line.plain for line in inside_lines(node, node, (placed, used), STYLE)] == [
        "socket 0  24 cores 0-23   gpu 0  126 GiB  P all",
        "socket 1  24 cores 24-47  gpu 1  126 GiB  P 24-29  U 40-47",
        "socket 2  24 cores 48-71  gpu 2  126 GiB  A all",
        "socket 3  24 cores 72-95  gpu 3  126 GiB",
    ]


def test_of_more_domains_than_a_person_reads_some_are_told() -> None:
    many = tree(("0", {"l3": [{"cores": str(n), "memory": n} for n in range(4096)]}, "0-4095", ""))
    lines = inside(many)
    assert (len(lines), lines[-1]) == (51, "and 4,046 more domains")
    folded = tree(("0", {"l3": [{"cores": str(n)} for n in range(4096)]}, "0-4095", ""))
    assert inside(folded) == ["l3 0-4095  1 core each, 0-4095"]
    wide = tree(("0", {"漢" * 30: [{"cores": "0"}], "a\x1b[1m": [{"cores": "1"}]}, "0-1", ""))
    assert [line.partition("  ")[0] for line in inside(wide)] == ["漢" * 9 + "… 0", "a\\x1b[1m 0"]


def test_it_says_whether_the_node_matches_and_which_conditions_it_meets() -> None:
    state = workbench.start(demo(), requires_text="gpu&-debug")
    out, let_in = of_node(state, DEBUG_NODE), of_node(state, GPU_NODE)
    assert out[1:4] == ["✗ does not match: it is in debug", "  ✓ gpu", "  ✗ not debug"]
    assert out[-1].startswith("batch  ✗ debug  ✓ gpu  ")
    assert let_in[1:4] == ["✓ matches: it is in gpu and not in debug", "  ✓ gpu", "  ✓ not debug"]
    ranks = " ".join(f"-rank:{rank}" for rank in range(60))
    many = of_node(workbench.start(demo(), requires_text=ranks), 0)
    assert many[2:4] == ["  ✗ not rank 0", "  ✓ not rank 1"]
    assert (many[51], many[52]) == ("  ✓ not rank 49", "    and 10 more")
    one = of_node(workbench.start(demo(), requires_text="gpu"), GPU_NODE)
    assert one[1:3] == ["✓ matches: it is in gpu", "64 cores  0-63"]


def test_the_document_has_its_totals_its_time_and_its_problems() -> None:
    said = "test|2 nodes · 8 cores|no start time, no expiration|no problems in the document"
    assert of_document(workbench.start(cluster(2))) == said.split("|")
    timed = document.read(r_document(2, starttime=1_700_000_000, expiration=1_700_003_600))
    state = workbench.start(Cluster.of(Source("timed"), timed))
    assert of_document(state)[2] == (
        "valid from 2023-11-14 22:13 UTC until 2023-11-14 23:13 UTC (expired)"
    )


def test_problems_that_are_alike_are_one_line_and_errors_come_first() -> None:
    alike = [Problem(f"host 'n{n}' twice", severity="warning") for n in range(5)]
    kinds = [Problem(f"of kind {'abcde'[n]}", severity="error") for n in range(4)]
    problems = (*alike, *kinds)
    lines = [line.plain for line in kinds_of_problems(problems, STYLE)]
    assert lines == ["! of kind a", "! of kind b", "! of kind c", "and 2 other kinds, below", ""]
    assert next(line.plain for line in kinds_of_problems(tuple(alike), STYLE)) == (
        "! host 'n0' twice  and 4 more like it"
    )
    state = workbench.start(cluster(2))
    resources = replace(state.cluster.resources, problems=problems)
    wrong = workbench.start(replace(state.cluster, resources=resources))
    assert of_document(wrong)[3] == "all problems of the document"
    assert len(of_document(wrong)) == 4 + len(problems)
