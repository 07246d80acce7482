"""The resource table of a configuration: its settings, the nodes it lists, and those left out."""

import json
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import verdict
from fluxtui.model.resources import resource_table
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.resources.resource_table import ResourceTable
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist, idset
from tests.each import for_each, the
from tests.model.cases import Case, cases
from tests.test_messages import TABLE

NODES = '[[resource.config]]\nhosts = "n[0-7]"\ncores = "0-3"\n'

Node = tuple[str, str, str, str]


def read(text: str) -> ResourceTable:
    return resource_table.read_table(tomllib.loads(text))


def test_what_is_right_is_taken() -> None:
    table = read(
        '[resource]\nexclude = "n0"\nscheduling = "s.json"\nnoverify = true\nnorestrict = false\n'
        'rediscover = false\njournal-max = 5\nhistory = "30d"\nno-update-watch = true\n'
        '[resource.verify]\ndefault = "strict"\nhostname = "ignore"\ncore = "allow-extra"\n'
        'gpu = "allow-missing"\n' + NODES
    )
    assert (table.problems, table.has_nodes, table.path) == ((), True, None)
    assert (table.excluded, table.scheduling) == ("n0", "s.json")
    assert the(table.resources).node_count == 8


def test_nodes_may_be_elsewhere_or_nowhere() -> None:
    elsewhere = read('[resource]\npath = "/etc/R"\n')
    assert (elsewhere.path, elsewhere.has_nodes) == ("/etc/R", True)
    assert not read("[resource]\nnoverify = true\n").has_nodes
    assert read("[queues.a]\n") == ResourceTable()
    # A path beside entries does not count.
    table = read('[resource]\npath = "/etc/R"\n' + NODES)
    assert table.path is None
    assert [(p.path, p.severity) for p in table.problems] == [("resource.path", "warning")]


BOOT = """
[[bootstrap.hosts]]
host = "m"
[[bootstrap.hosts]]
host = "n[0-7],m"
[[resource.config]]
hosts = "n[4-7,0-3]"
cores = "0-3"
[[resource.config]]
hosts = "m"
cores = "0-15"
"""


@for_each("hosts", ["n[0-7]", "n[0-6]", "n[0-8]", "x[0-7]"])
def test_ranks_are_those_of_the_brokers_where_these_are_the_nodes(hosts: str) -> None:
    table = read(BOOT.replace("n[0-7]", hosts))
    found, is_same = the(table.resources), hosts == "n[0-7]"
    assert found.hosts_of(found.everything) == ("m,n[0-7]" if is_same else "n[4-7,0-3],m")
    assert found.cores_at(found.host_index.places("m")[0]) == 16
    warned = [(problem.path, problem.severity) for problem in table.problems]
    assert warned == ([] if is_same else [("bootstrap.hosts", "warning")])


@for_each("hosts", ["5", "[5]", "[{}]", "[{ host = 5 }]", "[{ host = 'n[' }]"])
def test_brokers_that_cannot_be_read_do_not_count(hosts: str) -> None:
    table = read(f"[bootstrap]\nhosts = {hosts}\n" + NODES)
    assert table.problems == ()
    assert the(table.resources).node_count == 8


@for_each("text, mask, said", [
    ("0-1", 0b11, ""), ("[2,7]", 0b10000100, ""), ("n[1-2],n7", 0b10000110, ""),
    ("6-9", 0b11000000, "rank 8-9"), ("n[6-9]", 0b11000000, "names n[8-9]"),
    ("n1,n[1-2]", 0b110, ""), ("n1,n1,m", 0b10, "names m,"), ("n[", 0, "not closed"), ("", 0, ""),
])  # fmt: skip
def test_nodes_that_get_no_jobs(text: str, mask: int, said: str) -> None:
    resources = the(read(NODES).resources)
    found = resource_table.excluded(text, resources)
    assert found.value == mask
    assert found.ok is (not said)
    assert said in "".join(problem.message for problem in found.problems)


def test_a_verdict_judges_the_table_with_the_queues() -> None:
    text = '[queues.a]\nhosts = "n[6-9]"\n[resource]\nexclude = "m"\n' + NODES
    found = verdict.judge(tomllib.loads(text), "config")
    assert not found.valid
    assert found.summary == "1 queue; 8 nodes, 32 cores"
    assert {problem.path for problem in found.problems} == {"queues.a.hosts", "resource.exclude"}
    fine = verdict.judge(tomllib.loads("[queues.a]\n" + NODES), "config")
    assert (fine.valid, fine.problems) == (True, ())


# The nodes that it lists: what flux-core makes of them, and what is said of the rest


def listed(entries: object) -> tuple[Resources, tuple[Problem, ...]]:
    found = resource_table.read_table({"resource": {"config": entries}})
    return the(found.resources), found.problems


def fails(problems: tuple[Problem, ...]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def nodes(resources: Resources) -> list[Node]:
    """The nodes as the recorded cases have them."""
    return [
        (node.host, str(node.cores), str(node.gpus), " ".join(sorted(node.properties)))
        for node in map(resources.node, range(resources.node_count))
    ]


def recorded(case: Case) -> tuple[list[dict[str, Any]], list[Node]]:
    """The entries of a recorded case, and its nodes."""
    given = [line for line in case.lines if line.startswith("{")]
    entries = [json.loads(line) for line in given] or json.loads(case.given)
    found = []
    for line in case.lines[len(given) :]:
        hosts, _, parts = line.partition(": ")
        cores, gpus, *properties = ["" if part == "-" else part for part in parts.split()]
        found += [(host, cores, gpus, " ".join(properties)) for host in hosts.split()]
    return entries, found


@for_each("case", cases("configured.txt"))
def test_what_flux_core_makes_of_it(case: Case) -> None:
    if case.lines == ["refused"]:
        assert fails(listed(json.loads(case.given))[1])
        return
    entries, wanted = recorded(case)
    resources, problems = listed(entries)
    assert not fails(problems), problems
    assert nodes(resources) == wanted
    assert list(resources.ranks) == list(range(len(wanted)))


@for_each("text, message", [row[:2] for row in TABLE["resource table"]])
def test_what_flux_takes_and_is_odd_has_its_nodes(text: str, message: str) -> None:
    if text.startswith("resource.config") and message.startswith("warning"):
        table = read(text)
        assert the(table.resources).node_count
        assert not fails(table.problems)


# Against plain loops over hosts

HOST = st.sampled_from(
    ["a", "b[0-3]", "b2", "b[1-2]", "b[08-11]", "b10", "c[1-2]-x", "c1-x", "d1[8-9]"]
)
HOSTS = st.lists(HOST, min_size=1, max_size=4).map(",".join)
IDS = st.sampled_from(["0", "0-3", "1,3", "2-5", "6"])
NAMED = st.lists(st.sampled_from(["p", "q", "+r"]), max_size=3)
ENTRY = st.fixed_dictionaries(
    {"hosts": HOSTS}, optional={"cores": IDS, "gpus": IDS, "properties": NAMED}
)


def plainly(entries: list[dict[str, Any]]) -> list[Node] | None:
    """What the entries come to, host by host; None where Flux would refuse them."""
    found: dict[str, tuple[set[int], set[int], set[str]]] = {}
    for entry in entries:
        for host in hostlist.parse(entry["hosts"]).value:
            cores, gpus, properties = found.setdefault(host, (set(), set(), set()))
            for key, known in (("cores", cores), ("gpus", gpus)):
                ids = set(idset.parse(entry.get(key, "")).value)
                if ids & known:
                    return None
                known.update(ids)
            properties |= set(entry.get("properties", ()))
    if not all(cores or gpus for cores, gpus, _ in found.values()):
        return None
    return [
        (host, str(idset.IdSet.of(cores)), str(idset.IdSet.of(gpus)), " ".join(sorted(names)))
        for host, (cores, gpus, names) in found.items()
    ]


@given(st.lists(ENTRY, min_size=1, max_size=5))
def test_it_is_what_loops_over_hosts_find(entries: list[dict[str, Any]]) -> None:
    wanted = plainly(entries)
    resources, problems = listed(entries)
    assert fails(problems) is (wanted is None), problems
    if wanted is not None:
        assert nodes(resources) == wanted
