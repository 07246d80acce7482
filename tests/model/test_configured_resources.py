"""Nodes that a configuration lists: what flux-core makes of them, and what is said of the rest."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.resources.document import Resources
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist, idset
from tests.each import for_each
from tests.model.cases import Case, cases
from tests.model.configured_cases import REFUSED, TAKEN

Node = tuple[str, str, str, str]


def read(entries: object) -> tuple[Resources, tuple[Problem, ...]]:
    found = read_table({"resource": {"config": entries}})
    assert found.resources is not None
    return found.resources, found.problems


def fails(problems: tuple[Problem, ...]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def nodes(resources: Resources) -> list[Node]:
    """The nodes as the recorded cases have them."""
    looked = [resources.node(index) for index in range(resources.node_count)]
    return [
        (node.host, str(node.cores), str(node.gpus), " ".join(sorted(node.properties)))
        for node in looked
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


@for_each("case", cases(TAKEN))
def test_what_flux_core_makes_of_it(case: Case) -> None:
    entries, wanted = recorded(case)
    resources, problems = read(entries)
    assert not fails(problems), problems
    assert nodes(resources) == wanted
    assert str(resources.ranks) == str(idset.IdSet.between(0, len(wanted) - 1))


@for_each("text", REFUSED.split("\n")[1:-1])
def test_what_flux_core_refuses(text: str) -> None:
    assert fails(read(json.loads(text))[1])


PROBLEMS = [
    ([{"hosts": "a", "cores": "0"}, {"cores": "1"}], "resource.config[1]", "hosts is missing"),
    ([{"hosts": "a", "cores": 4}], "resource.config[0].cores", "not a count; found 4"),
    ([{"hosts": "a", "core": "0"}], "resource.config[0].core", "did you mean cores?"),
    ([{"hosts": "a[0-3]", "cores": "0-7"}, {"hosts": "a[2-5]", "cores": "6-9"}],
     "resource.config[1].cores", "cores 6-7 of a[2-3] are given in resource.config[0] too"),
    ([{"hosts": "a,b,a", "gpus": "0"}], "resource.config[0].hosts", "a is named twice in hosts"),
    ([{"hosts": "a[0-3]", "cores": "0"}, {"hosts": "b[0-9],a0"}], "resource.config[1].hosts",
     "b[0-9] have neither cores nor gpus"),
    ([{"hosts": "a", "cores": "0-"}], "resource.config[0].cores", "the last id is missing"),
    ({"hosts": "a"}, "resource.config", "an array of tables; found a dictionary"),
    ([{"hosts": "a[0-99999999]", "cores": "0"}], "resource.config[0].hosts", "more than"),
]  # fmt: skip


@for_each("case", PROBLEMS)
def test_a_problem_says_what_is_wrong_where(case: tuple[object, str, str]) -> None:
    entries, path, said = case
    _, problems = read(entries)
    first = problems[0]
    assert first.path == path
    assert said in first.message


def test_what_could_not_be_read_is_not_said_to_be_missing() -> None:
    _, problems = read([{"hosts": "a", "cores": 5}, {"hosts": "b", "gpus": "x", "cores": "0"}])
    assert [problem.path for problem in problems] == [
        "resource.config[0].cores",
        "resource.config[1].gpus",
    ]


ODD = [
    ([{"hosts": "a", "gpus": "0"}], "gpus and no core"),
    ([{"hosts": "a b", "cores": "0"}], "RFC 29 uses commas"),
    ([{"hosts": "a", "cores": "0", "properties": ["!x"]}], "flux-core takes it"),
]


@for_each("case", ODD)
def test_what_flux_takes_and_is_odd_is_a_warning(case: tuple[list[Any], str]) -> None:
    entries, said = case
    resources, problems = read(entries)
    assert not fails(problems)
    assert resources.node_count
    assert said in problems[0].message


def test_a_million_hosts_stay_ranges() -> None:
    resources, problems = read(
        [
            {"hosts": "n[0-999999]", "cores": "0-63"},
            {"hosts": "n[500000-999999]", "gpus": "0-7", "properties": ["gpu"]},
        ]
    )
    assert not problems
    assert resources.node_count == 1_000_000
    assert len(resources.hosts.rows[0]) == 1
    assert resources.whole.cores == 64_000_000
    assert resources.properties["gpu"].bit_count() == 500_000


# Against plain loops over hosts

HOSTS = st.lists(
    st.sampled_from(
        ["a", "b[0-3]", "b2", "b[1-2]", "b[08-11]", "b10", "c[1-2]-x", "c1-x", "d1[8-9]"]
    ),
    min_size=1,
    max_size=4,
).map(",".join)
IDS = st.sampled_from(["0", "0-3", "1,3", "2-5", "6"])
ENTRY = st.fixed_dictionaries(
    {"hosts": HOSTS},
    optional={
        "cores": IDS,
        "gpus": IDS,
        "properties": st.lists(st.sampled_from(["p", "q", "+r"]), max_size=3),
    },
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
    resources, problems = read(entries)
    assert fails(problems) is (wanted is None), problems
    if wanted is not None:
        assert nodes(resources) == wanted


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["hosts", "cores", "gpus", "properties", "x"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(ANYTHING)
def test_it_never_raises(entries: object) -> None:
    resources, problems = read(entries)
    assert fails(problems) or resources.node_count
