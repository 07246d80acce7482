"""The resource table of a configuration: its settings, the nodes it lists, and those left out."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
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
from tests.recorded import Agree, rerun
from tests.test_messages import TABLE

NODES = '[[resource.config]]\nhosts = "n[0-7]"\ncores = "0-3"\n'

RECORDED = Path(__file__).with_name("tables.txt")

Node = tuple[str, str, str, str]


def read(text: str) -> ResourceTable:
    return resource_table.read_table(tomllib.loads(text))


def answers(line: str) -> Iterator[str]:
    """What the resource table of a configuration says, whose lines have bars between.

    Of ``excluded`` and a text it is which of eight nodes get no jobs, of ``verdict`` that of the
    whole configuration. NODES are these eight.
    """
    text = line.replace("NODES", NODES).replace(" | ", "\n")
    kind, _, rest = text.partition(" ")
    problems: Iterable[Problem]
    if kind == "excluded":
        mask = resource_table.excluded(rest, the(read(NODES).resources))
        yield f"ranks {idset.from_mask(mask.value) or 'none'}"
        problems = mask.problems
    elif kind == "verdict":
        judged = verdict.judge(tomllib.loads(rest), "config")
        yield f"{'valid' if judged.valid else 'not valid'}: {judged.summary}"
        problems = judged.problems
    else:
        table = read(text)
        problems, found = table.problems, table.resources
        settings = {"path": table.path, "scheduling": table.scheduling, "exclude": table.excluded}
        yield ", ".join(f"{key} {value}" for key, value in settings.items() if value) or "nothing"
        yield "nodes" if table.has_nodes else "no nodes"
        if found is not None:
            cores = [found.cores_at(index) for index in range(found.node_count)]
            yield f"{found.hosts_of(found.everything)} with {cores} cores"
    for problem in problems:
        yield f"{problem.severity} {problem.path}: {problem.message}"


def test_tables_are_read_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


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
