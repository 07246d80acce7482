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
from tests.model.topologies import UNEVEN, XEON, apu, tree, xeon
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
    host = state.cluster.resources.host(DEBUG_NODE)
    assert of_node(state, DEBUG_NODE)[:3] == [
        f"{host} · rank {DEBUG_NODE}",
        "64 cores  0-63",
        "8 gpus    0-7",
    ]
    assert of_node(state, DEBUG_NODE)[3].split()[:3] == ["batch", "debug", "gpu"]
    bare = workbench.start(cluster(2))
    assert of_node(bare, 1) == ["n1 · rank 1", "4 cores   0-3", "no properties"]
    quoted = workbench.start(cluster(2, {"": "0", "x": "0"}))
    assert of_node(quoted, 0)[-1] == '""  x'


def test_the_domains_of_a_node_are_told_and_what_the_placement_takes_of_them() -> None:
    found = [
        (xeon(), "", ["socket 0-1  60 cores, 4 gpus each",
                      "  numa 0-7  15 cores 0-119, 1 gpu 0-7 each"]),
        (xeon(), "node/slot=2/[core=8;gpu]", [
            "socket 0    60 cores, 4 gpus",
            "  numa 0    15 cores 0-14, 1 gpu 0  ▣ 0-7, gpu 0",
            "  numa 1    15 cores 15-29, 1 gpu 1  ▣ 15-22, gpu 1",
            "  numa 2-3  15 cores 30-59, 1 gpu 2-3 each",
            "socket 1    60 cores, 4 gpus",
            "  numa 4-7  15 cores 60-119, 1 gpu 4-7 each",
        ]),
        (apu("0-1"), "slot/socket{x}", ["memory    504 GiB", "storage   /l/ssd 200 GiB",
                     "socket 0    24 cores 0-23, 1 gpu 0, 126 GiB  ▣ all",
                     "socket 1-3  24 cores 24-95, 1 gpu 1-3, 126 GiB each"]),
        (tree(("0", UNEVEN, "0-19", "0")), "", ["numa 0    8 cores 0-7, 1 gpu 0, 64 GiB",
                                                "numa 1    12 cores 8-19"]),
        # Of what a job has been given, that part alone.
        (tree(("0", XEON, "0-7,60-74", "")), "", [
            "socket 0    8 cores", "  numa 0    8 cores 0-7", "  numa 1-3  nothing",
            "socket 1    15 cores", "  numa 4    15 cores 60-74", "  numa 5-7  nothing"]),
    ]  # fmt: skip
    for document_, shape, wanted in found:
        at = Cluster.of(Source("test"), document.read(document_))
        lines = [line.rstrip() for line in of_node(workbench.start(at, shape), 0)]
        assert lines[-1 - len(wanted) : -1] == wanted


def test_of_domains_it_is_told_what_each_mark_holds_of_them() -> None:
    node = document.read(apu("0-1")).inside_at(0)
    ids = [idset.parse(text).value for text in ("0-29", "0", "40-71", "")]
    marks = Mark((ids[0], ids[1]), "P", STYLE.placed), Mark((ids[2], ids[3]), "U", STYLE.slot)
    assert [line.plain for line in inside_lines(node, marks, STYLE)][2:] == [
        "socket 0  24 cores 0-23, 1 gpu 0, 126 GiB  P all",
        "socket 1  24 cores 24-47, 1 gpu 1, 126 GiB  P 24-29  U 40-47",
        "socket 2  24 cores 48-71, 1 gpu 2, 126 GiB  U 48-71",
        "socket 3  24 cores 72-95, 1 gpu 3, 126 GiB",
    ]


def test_the_cores_that_the_placement_takes_are_told_of_any_node() -> None:
    state = workbench.start(cluster(2), "core=3")
    assert of_node(state, 0)[1] == "4 cores   0-3   ▣ 0-2"
    assert of_node(workbench.start(cluster(2), "node"), 0)[1] == "4 cores   0-3   ▣ all"


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
    assert of_document(workbench.start(cluster(2))) == [
        "test",
        "2 nodes · 8 cores",
        "no start time, no expiration",
        "no problems in the document",
    ]
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
