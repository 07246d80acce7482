"""The resource table of a configuration: its settings, and the nodes that get no jobs."""

import tomllib

from fluxtui.model import verdict
from fluxtui.model.resources import resource_table
from fluxtui.model.resources.resource_table import ResourceTable
from tests.each import for_each

NODES = '[[resource.config]]\nhosts = "n[0-7]"\ncores = "0-3"\n'


def read(text: str) -> ResourceTable:
    return resource_table.read_table(tomllib.loads(text))


def test_what_is_right_is_taken() -> None:
    table = read(
        '[resource]\nexclude = "n0"\nscheduling = "s.json"\nnoverify = true\nnorestrict = false\n'
        'rediscover = false\njournal-max = 5\nhistory = "30d"\nno-update-watch = true\n'
        '[resource.verify]\ndefault = "strict"\nhostname = "ignore"\ncore = "allow-extra"\n'
        'gpu = "allow-missing"\n' + NODES
    )
    assert table.problems == ()
    assert table.has_nodes
    assert (table.excluded, table.scheduling, table.path) == ("n0", "s.json", None)
    assert table.resources is not None
    assert table.resources.node_count == 8


def test_nodes_may_be_elsewhere_or_nowhere() -> None:
    assert read('[resource]\npath = "/etc/R"\n').path == "/etc/R"
    assert read('[resource]\npath = "/etc/R"\n').has_nodes
    assert not read("[resource]\nnoverify = true\n").has_nodes
    assert read("[queues.a]\n") == ResourceTable()


def test_a_path_beside_entries_does_not_count() -> None:
    table = read('[resource]\npath = "/etc/R"\n' + NODES)
    assert table.path is None
    assert [(p.path, p.severity) for p in table.problems] == [("resource.path", "warning")]


WRONG = [
    ("[resource]\nnoverfy = true", "resource.noverfy", "did you mean noverify?"),
    ("[resource]\npath = 5", "resource.path", "is a string; found 5"),
    ("[resource]\nnoverify = 'yes'", "resource.noverify", "true or false"),
    ("[resource]\njournal-max = true", "resource.journal-max", "whole number"),
    ("[resource]\nhistory = '3 days'", "resource.history", "unit of time"),
    ("[resource]\nhistory = 5", "resource.history", "duration string"),
    ("[resource]\nverify = 'strict'", "resource.verify", "true, false or a table"),
    ("[resource.verify]\ncores = 'strict'", "resource.verify.cores", "did you mean core?"),
    ("[resource.verify]\ncore = 'loose'", "resource.verify.core", "found 'loose'"),
    ("[resource.verify]\ncore = []", "resource.verify.core", "found a list"),
    ("[resource]\nscheduling = 's.json'", "resource.scheduling", "needs path or config"),
    ("[resource]\nconfig = 5", "resource.config", "an array of tables"),
    ("resource = 5", "resource", "is a table"),
]


@for_each("case", WRONG)
def test_what_is_wrong_is_said_with_its_path(case: tuple[str, str, str]) -> None:
    text, path, said = case
    (problem,) = read(text).problems
    assert problem.path == path
    assert said in problem.message


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


def test_ranks_are_those_of_the_brokers_where_these_are_listed() -> None:
    table = read(BOOT)
    assert table.problems == ()
    assert table.resources is not None
    assert table.resources.hosts_of(table.resources.everything) == "m,n[0-7]"
    assert table.resources.node(0).cores.count == 16


@for_each("hosts", ["n[0-6]", "n[0-8]", "x[0-7]"])
def test_other_brokers_than_nodes_are_told(hosts: str) -> None:
    table = read(BOOT.replace("n[0-7]", hosts))
    assert [(p.path, p.severity) for p in table.problems] == [("bootstrap.hosts", "warning")]
    assert table.resources is not None
    assert table.resources.hosts_of(table.resources.everything) == "n[4-7,0-3],m"


@for_each("hosts", ["5", "[5]", "[{}]", "[{ host = 5 }]", "[{ host = 'n[' }]"])
def test_brokers_that_cannot_be_read_do_not_count(hosts: str) -> None:
    table = read(f"[bootstrap]\nhosts = {hosts}\n" + NODES)
    assert table.problems == ()
    assert table.resources is not None
    assert table.resources.node_count == 8


EXCLUDED = [
    ("0-1", 0b11, ""),
    ("[2,7]", 0b10000100, ""),
    ("n[1-2],n7", 0b10000110, ""),
    ("6-9", 0b11000000, "rank 8-9"),
    ("n[6-9]", 0b11000000, "names n[8-9]"),
    ("n1,n[1-2]", 0b110, ""),
    ("n1,n1,m", 0b10, "names m,"),
    ("n[", 0, "not closed"),
    ("", 0, ""),
]


@for_each("case", EXCLUDED)
def test_nodes_that_get_no_jobs(case: tuple[str, int, str]) -> None:
    text, mask, said = case
    resources = read(NODES).resources
    assert resources is not None
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
    assert fine.valid
    assert fine.problems == ()
