"""What an answer costs grows with its input and no faster, and what is no document is refused.

Times are of the processor and are compared as ratios, so that a busy machine does not matter.
"""

import json
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.answers import compare
from fluxtui.answers.commands.translation import from_command, to_command
from fluxtui.answers.explain import explanation, names, relaxations
from fluxtui.answers.listing.filtering import Filter
from fluxtui.bridge import config_files
from fluxtui.cli import fit_words
from fluxtui.model import queues
from fluxtui.model.constraint import requires
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation import environment
from fluxtui.notation.problem import ENOUGH, MAX_LENGTH, MAX_OF_LIST, MAX_PROBLEMS
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers, same_names
from fluxtui.notation.shape.edit import duplicate, step_count, toggle_exclusive
from fluxtui.notation.shape.format import revise
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.node import node_lines
from fluxtui.workbench import Cluster, Source, State, prospect
from tests import big
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.model.topologies import Topo, tree
from tests.opened import demo
from tests.pace import seconds_here, within

#: Four times as much may cost six times as much; more than linear would be sixteen times.
TIMES, MOST = 4, 6
#: A text that is read in less may be four times a hiccup of the machine.
LEAST = 0.02

#: Makes what is measured, of a size.
Work = Callable[[int], Callable[[], object]]


# Jobs and queues

CORE = {"type": "core", "count": 1}
PER_CORE = {"per_resource": CORE}
JOB = jobspec.build([{"type": "slot", "count": 1, "with": [CORE]}])


def many_tasks(count: int, kind: dict[str, Any], *, inside: bool, label: str = "s") -> Any:
    """A jobspec of so many slots and tasks; without a label in one slot of as many types."""
    slots: list[dict[str, Any]] = [
        {"type": "slot", "count": 1, "label": f"s{n}", "with": [CORE]}
        for n in range(count if label else 1)
    ]
    if not label:
        slots[0]["with"] = [CORE, *({"type": f"t{n}", "count": 1} for n in range(count))]
    return {
        "version": 1,
        "resources": [{"type": "node", "count": 1, "with": slots}] if inside else slots,
        "tasks": [
            {"command": ["a"], "slot": f"{label or 's'}{n if label else 0}", "count": kind}
            for n in range(count)
        ],
        "attributes": {"system": {"duration": 1}},
    }


def checked(kind: dict[str, Any], label: str, *, inside: bool) -> Work:
    def work(count: int) -> Callable[[], object]:
        document = many_tasks(count, kind, inside=inside, label=label)
        return lambda: jobspec.check(document)

    return work


def written(count: int) -> Callable[[], object]:
    """A job of so many slots as command lines."""
    slots = many_tasks(count, {}, inside=False)["resources"]
    return lambda: to_command(jobspec.build(slots), ("srun", "qsub"))


def configured(count: int) -> tuple[Cluster, queues.Config]:
    """Four nodes, and so many queues, each with a property of its own that no node has."""
    config = queues.read_config(
        {"queues": {f"q{n}": {"requires": [f"p{n}"]} for n in range(count)}}
    )
    return Cluster.of(Source("test"), cluster("0-3", "n[0-3]"), config), config


def shown_to_queues(count: int) -> Callable[[], object]:
    on, _ = configured(count)

    def ask() -> None:
        outlook = prospect(JOB, on)
        fit_words.answer_text(outlook, on)
        fit_words.answer_json(outlook, on)

    return ask


# Hosts


def numbered(step: int) -> Work:
    def work(count: int) -> Callable[[], object]:
        numbers = range(0, 2 * count, 2)[::step]
        many = hostlist.parse(",".join(f"n{number}" for number in numbers)).value
        return lambda: HostNumbers().add(many)

    return work


def found_hosts(here: Callable[[int], str], asked: Callable[[int], str]) -> Work:
    def work(count: int) -> Callable[[], object]:
        many, wanted = (
            hostlist.parse(",".join(map(expression, range(count)))).value
            for expression in (here, asked)
        )
        return lambda: (HostIndex(many).mask(wanted), same_names(many, wanted))

    return work


# What nodes have inside (RFC 49), and graphs


def nested(depth: int, core: int) -> Topo:
    """Domains, each inside the one before."""
    return reduce(lambda inner, _: {"group": [inner]}, range(depth), {"cores": str(core)})


def chained(depth: int) -> Callable[[], object]:
    """A node of 128 chains of domains."""
    found = tree(("0", {"group": [nested(depth - 1, core) for core in range(128)]}, "0-127", ""))
    return lambda: resources.read(found)


def shown(inside: Callable[[int], Topo]) -> Work:
    """A node that is opened, and shown."""

    def work(count: int) -> Callable[[], object]:
        found = tree(("0", inside(count), "0-4095", ""))
        return lambda: [*node_lines(opened(found), 0, None, Palette.of({}))]

    return work


def opened(found: dict[str, Any]) -> State:
    return workbench.start(Cluster.of(Source("test"), resources.read(found)))


def many_names(count: int) -> Callable[[], object]:
    """A node with domains of so many names is found, and compared with another."""
    one, other = (
        resources.read(
            tree(("0", {f"n{n}": [{"cores": str(n)}] * each for n in range(count)}, "0-4095", ""))
        )
        for each in (1, 2)
    )
    found = compare.changes(one, other)
    return lambda: (Filter(other).nodes("inside:n"), compare.node_changes(found, 0))


def no_vertices(element: str) -> Work:
    def work(count: int) -> Callable[[], object]:
        text = '{"graph": {"nodes": [' + ",".join([element] * count) + '], "edges": []}}'
        return lambda: resources.read(resources.document_of(text.encode()))

    return work


# Files of a configuration


def located(count: int) -> Callable[[], object]:
    """The places of the problems of many files, of which a hundred are told."""
    with tempfile.TemporaryDirectory() as folder:
        for n in range(count):
            text = f'[queues.q{n}]\nrequires = ["p"]\nhosts = "h{n}"\n'
            Path(folder, f"q{n:05}.toml").write_text(text)
        table = the(config_files.read(folder).value)
    problems = queues.read_config(table.table).problems
    assert len(problems) > 100
    return lambda: config_files.locate(problems, table)


# Texts of repeated pieces

OWN = {f"OMP_{number}": "x" for number in range(200)}


def repeated(piece: str, read: Callable[[str], object], before: str = "") -> Work:
    return lambda size: lambda: read(before + piece * (size // len(piece)))


def environment_of(text: str) -> environment.Environment:
    return environment.parse(text, OWN)


def set_first(text: str) -> environment.Environment:
    """The same behind as much that sets variables."""
    return environment_of("".join(f"A{number}= " for number in range(len(text) // 7)) + text)


def command_of(text: str) -> object:
    return from_command(text, OWN)


def pairs_of(term: str) -> Work:
    def read(size: int) -> object:
        text = "|".join(term.format(number) for number in range(size))
        found = the(explanation.explain(requires.read(text), demo().resources))
        unknown = names.unknown(found.root.constraint, found.resources)
        return relaxations.best_pairs(found, unknown)

    return lambda size: lambda: read(size)


def edited(count: int) -> Callable[[], object]:
    text = "rack/[" + " ; ".join(f"slot=4{{s{n}}}/[core=8;gpu]" for n in range(count)) + "]"
    read = parse_shape(text)
    more = [{"type": "a", "count": 1}, *to_resources(read)]
    return lambda: (
        step_count(read, (0, count - 1, 1), 1),
        toggle_exclusive(read, (0, 0)),
        duplicate(read, (0,)),
        revise(read, more),
    )


QUARTER = MAX_LENGTH // TIMES - 8
WRONG = ("1,", "1,,", "x,", "01,", "7-3,", "1-", "é,")
LISTS = [
    *((parse, piece) for parse in (idset.parse, hostlist.parse) for piece in WRONG),
    *((hostlist.parse, piece) for piece in ("]", "a[x]", "a[1-2]b[", "a][")),
]

#: What is measured, and the smaller size of the two.
WORK: dict[str, tuple[Work, int]] = {
    "tasks in slots": (checked({"per_slot": 1}, "s", inside=False), 150),
    "tasks in no slot": (checked({"total": 1}, "other", inside=True), 150),
    "tasks a core": (checked(PER_CORE, "s", inside=True), 150),
    "tasks a core of no slot": (checked(PER_CORE, "other", inside=False), 150),
    "tasks in one slot of many types": (checked(PER_CORE, "", inside=True), 150),
    "queues": (shown_to_queues, 200),
    "slots in command lines": (written, 150),
    "domains in domains": (chained, 7),
    "domains side by side": (
        shown(lambda n: {"numa": [{"cores": str(c)} for c in range(n)]}), 1000),
    "domains in each other": (shown(lambda n: {"a": [nested(30, c) for c in range(n)]}), 32),
    "domains of many names": (
        shown(lambda n: {f"n{c}": [{"cores": str(c)}] for c in range(n)}), 1000),
    "domains found and compared": (many_names, 500),
    **{f"a graph of {one}": (no_vertices(one), 20_000) for one in ("1", "[]", "{}", '"a"')},
    "files of a configuration": (located, 300),
    "hosts upwards": (numbered(1), 4_000),
    "hosts downwards": (numbered(-1), 4_000),
    "hosts with numbers in the suffix": (
        found_hosts(lambda n: f"x[0-20]-eth{n}", lambda n: f"x[0-30]-eth{n}"), 300),
    "hosts with numbers at two places": (
        found_hosts(lambda n: f"x[0-20]-eth{n}", lambda n: f"x{n}-eth[0-20]"), 300),
    "many hosts within one range": (
        found_hosts(
            lambda n: f"n[{2 * n}-{2 * n + 1}]" if n else "n[0-10000000]",
            lambda n: f"n[{9_000_000 + 20 * n}-{9_000_000 + 20 * n + 18}]"), 300),
}  # fmt: skip
#: The same of texts, in which there is a quarter of what is read at most.
TEXTS: dict[str, tuple[Work, int]] = {
    **{
        f"environment {piece}": (repeated(piece, environment_of, before), QUARTER)
        for before, piece in (("-", "["), ("-", "[!"), ("-", "[]"), ("-", "*a"), ("", "} "),
                              ("", "-A a "), ("", "B* "))
    },
    "environment after much else": (repeated("-*xx ", set_first), QUARTER // 2),
    "environment of patterns after much else": (repeated("-?Z* ", set_first), QUARTER // 2),
    **{
        f"{program} {piece}": (repeated(piece, command_of, f"{program} "), QUARTER // 2)
        for program in ("flux submit", "srun", "qsub")
        for piece in ("--x ", "--nodse=2 ", "--env=A* ", "'", "\\\n", "-l select=1 ")
    },
    **{
        f"{parse.__module__} {piece}": (repeated(piece, parse), 30_000) for parse, piece in LISTS
    },
    **{f"pairs of {term}": (pairs_of(term), 300)
       for term in ("p{}", "rank:{}", "host:n{}", "-p{}")},
    "a shape": (repeated("node=4{x,unit:GB}/slot{a/b}/[core=8;gp];", parse_shape, "["), QUARTER),
    "edits of a shape": (edited, 300),
}  # fmt: skip


@for_each("name", [*WORK, *TEXTS])
def test_what_it_costs_grows_as_its_input(name: str) -> None:
    """Four times the size takes less than six times as long."""
    (work, size), least = (WORK[name], 0.0) if name in WORK else (TEXTS[name], LEAST)
    small, large = work(size), work(TIMES * size)
    small()  # what is imported at first use is no matter
    assert any(seconds_here(large) < MOST * max(seconds_here(small), least) for _ in range(5))


def test_lists_that_are_wrong_all_over_take_little_memory_and_have_few_problems() -> None:
    for parse, piece in LISTS:
        tracemalloc.start()
        try:
            found = parse(piece * (120_000 // len(piece)))
            # A valid list of hosts has an entry for each, in some columns.
            assert tracemalloc.get_traced_memory()[1] < 10_000_000, piece
        finally:
            tracemalloc.stop()
    for parse, text, what in (
        (idset.parse, "1," * 50_000, "idset"),
        (hostlist.parse, "a[x]," * 50_000, "hostlist"),
    ):
        found = parse(text)
        assert len(found.problems) == MAX_OF_LIST + 1
        last = found.problems[-1].message
        assert last == f"more than {ENOUGH:,} problems; the {what} is not read any further"


def test_an_environment_and_a_command_have_no_more_than_so_many_problems() -> None:
    many = environment_of("} " * 5000)
    assert len(many.problems) == MAX_PROBLEMS + 1
    assert sum(problem.many for problem in many.problems) == 5000
    assert environment_of("A* " * environment.MAX_PATTERNS).ok
    patterns = environment_of("A=1 " + "-B* " * environment.MAX_PATTERNS + "-A* -A*")
    assert [one.message for one in patterns.problems if one.severity == "error"] == [
        "more than 100 patterns; those from here on are not read"
    ]
    assert patterns.variables == {"A": "1"}
    found = from_command("srun " + "--nodse=2 " * 200, OWN)  # what was meant, of the first alone
    assert len(found.problems) == MAX_PROBLEMS + 1
    assert all("--nodes" in problem.message for problem in found.problems[:MAX_PROBLEMS])


def test_each_task_is_judged_by_its_own_slot() -> None:
    gpu = {"type": "gpu", "count": 1}
    document = many_tasks(3, {"per_resource": gpu}, inside=True)
    document["resources"][0]["with"][1]["with"] = [gpu]
    found = [problem.path for problem in jobspec.check(document).problems]
    assert found == [f"tasks[{n}].count.per_resource.type" for n in (0, 2)]


def test_of_many_queues_some_are_shown() -> None:
    on, config = configured(500)
    outlook = prospect(JOB, on)
    lines = fit_words.answer_text(outlook, on).splitlines()
    (others,) = [line for line in lines if line.startswith("others")]
    assert "q39 no" in others
    assert "q40 no" not in others
    assert others.endswith("and 460 more; -o json has all")
    assert len(fit_words.answer_json(outlook, on)["queues"]) == 500
    assert all(len(problem.expected) <= 20 for problem in config.problems)


# At once, however many hosts are in a range


def boot(*hosts: str, nodes: str) -> tuple[Any, ...]:
    """The problems of a configuration that numbers its nodes by bootstrap.hosts."""
    table = {
        "bootstrap": {"hosts": [{"host": host} for host in hosts]},
        "resource": {"config": [{"hosts": nodes, "cores": "0-3"}]},
    }
    return read_table(table).problems


def test_hosts_are_compared_by_their_ranges() -> None:
    every = "n[0-9999999]"  # name by name it takes some 10 s
    (problem,) = within(1, lambda: boot("n[0-9999998]", "m", nodes=every))
    assert "do not name the same hosts" in problem.message
    assert within(1, lambda: boot("n[1-9999999]", "n0", nodes=every)) == ()
    before, after, twice = (
        hostlist.parse(text).value
        for text in (
            "m,n[0-999999]-eth1,x1-eth[3-30]",
            "n[0-999999]-eth1,x[0-20]-eth5",
            "n[0-999999]-eth1,n5-eth[1,7]",
        )
    )
    found = within(1, lambda: compare.by_host(before, after))
    assert found.paired().bit_count() == 1_000_001
    assert compare.by_host(twice, after) is None


# The most memory of a command, in bytes; getrusage would count what its parent has, too.
MEMORY = """
import sys
from fluxtui import cli
cli.run(sys.argv[1:])
print(int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0]) * 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory is not known")
@for_each("verb, first, indent", [("check", "edges", None), ("match rank:0 -r", "nodes", 1)])
def test_a_large_graph_takes_little_memory(
    tmp_path: Path, verb: str, first: str, indent: int | None
) -> None:
    path = tmp_path / "graph.json"
    lists = json.loads("".join(big.bare_graph(18)))["graph"]
    path.write_text(json.dumps({"graph": {first: lists[first], **lists}}, indent=indent))
    size = path.stat().st_size
    assert size > 16 << 20
    command = [sys.executable, "-c", MEMORY, *verb.split(), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) < 30_000_000 + 2.5 * size
