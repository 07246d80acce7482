"""What an answer costs grows with the document and no faster, and what is no document is refused.

Times are of the processor and are compared as ratios, so that a busy machine does not matter.
"""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fluxtui import cli
from fluxtui.answers import compare
from fluxtui.bridge import config_files
from fluxtui.cli import fit_words
from fluxtui.model import queues
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import resource_table
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers, same_names
from fluxtui.workbench import Cluster, Source, prospect

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
    },
}
#: Four times as much may cost six times as much; more than linear would be sixteen times.
TIMES, MOST = 4, 6


def seconds(work: Callable[[], object]) -> float:
    """The least processor time of three runs."""
    found = []
    gc.disable()
    try:
        for _ in range(3):
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(found)


def grows_as_its_input(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """Four times the size takes less than six times as long; work makes what is measured."""
    small, large = work(size), work(TIMES * size)
    return any(seconds(large) < MOST * seconds(small) for _ in range(3))


def many_tasks(count: int, kind: dict[str, Any], *, inside: bool, label: str = "s") -> Any:
    """A jobspec of so many slots and tasks."""
    slots = [
        {"type": "slot", "count": 1, "label": f"s{n}", "with": [{"type": "core", "count": 1}]}
        for n in range(count)
    ]
    return {
        "version": 1,
        "resources": [{"type": "node", "count": 1, "with": slots}] if inside else slots,
        "tasks": [{"command": ["a"], "slot": f"{label}{n}", "count": kind} for n in range(count)],
        "attributes": {"system": {"duration": 1}},
    }


PER_CORE = {"per_resource": {"type": "core", "count": 1}}


@pytest.mark.parametrize(
    ("kind", "label", "inside"),
    [
        ({"per_slot": 1}, "s", False),
        ({"total": 1}, "other", True),
        (PER_CORE, "s", True),
        (PER_CORE, "other", False),
        (PER_CORE, "", False),
    ],
)
def test_a_check_of_many_slots_and_tasks(kind: dict[str, Any], label: str, inside: bool) -> None:
    """Of as many tasks in as many slots, or without a label in one slot of as many types."""

    def work(count: int) -> Callable[[], object]:
        if label:
            document = many_tasks(count, kind, inside=inside, label=label)
        else:
            document = many_tasks(1, kind, inside=inside)
            more = [{"type": f"t{n}", "count": 1} for n in range(count)]
            document["resources"][0]["with"] += more
            document["tasks"] *= count
        return lambda: jobspec.check(document)

    assert grows_as_its_input(work, 150)


def test_each_task_is_judged_by_its_own_slot() -> None:
    document = many_tasks(3, {"per_resource": {"type": "gpu", "count": 1}}, inside=True)
    document["resources"][0]["with"][1]["with"] = [{"type": "gpu", "count": 1}]
    found = [problem.path for problem in jobspec.check(document).problems]
    assert found == [f"tasks[{n}].count.per_resource.type" for n in (0, 2)]


def configuration(count: int) -> dict[str, Any]:
    """So many queues, each with a property of its own that no node has."""
    return {"queues": {f"q{n}": {"requires": [f"p{n}"]} for n in range(count)}}


def test_a_job_is_shown_to_many_queues() -> None:
    found = resources.read(R)
    job = jobspec.build([{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}]}])

    def work(count: int) -> Callable[[], object]:
        config = queues.read_config(configuration(count))
        cluster = Cluster.of(Source("test"), found, config)

        def ask() -> None:
            outlook = prospect(job, cluster)
            fit_words.answer_text(outlook, cluster)
            fit_words.answer_json(outlook, cluster)

        return ask

    assert grows_as_its_input(work, 200)


def test_of_many_queues_some_are_shown() -> None:
    config = queues.read_config(configuration(500))
    cluster = Cluster.of(Source("test"), resources.read(R), config)
    job = jobspec.build([{"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}]}])
    outlook = prospect(job, cluster)
    (others,) = [
        line
        for line in fit_words.answer_text(outlook, cluster).splitlines()
        if line.startswith("others")
    ]
    assert "q39 no" in others
    assert "q40 no" not in others
    assert others.endswith("and 460 more; -o json has all")
    assert len(fit_words.answer_json(outlook, cluster)["queues"]) == 500
    assert all(len(problem.expected) <= 20 for problem in config.problems)


def test_the_places_of_problems_in_many_files(tmp_path: Path) -> None:
    def work(count: int) -> Callable[[], object]:
        folder = tmp_path / str(count)
        folder.mkdir()
        for n in range(count):
            text = f'[queues.q{n}]\nrequires = ["p"]\nhosts = "h{n}"\n'
            (folder / f"q{n:05}.toml").write_text(text)
        table = config_files.read(str(folder)).value
        assert table is not None
        problems = queues.read_config(table.table).problems
        assert len(problems) > 100
        found = config_files.locate(problems, table)
        assert found[1].message.startswith("q00001.toml, line 1, column 2: ")
        return lambda: config_files.locate(problems, table)

    # There are a hundred problems in both: what they cost hardly grows at all.
    assert grows_as_its_input(work, 300)
    assert cli.run(["check", str(tmp_path / "300")]) == 1


def test_a_later_file_that_has_more_of_a_path_counts(tmp_path: Path) -> None:
    (tmp_path / "1.toml").write_text("[queues.a]\npolicy.limits.duration = 1\n")
    (tmp_path / "2.toml").write_text("[queues.a]\nrequires = []\n[queues.b]\n")
    table = config_files.read(str(tmp_path)).value
    assert table is not None
    origins = config_files.Origins(table.parts)

    def file(path: str) -> str | None:
        part, _ = origins.find(path)
        return part.source.name if part is not None else None

    assert file("queues.a.policy.limits.duration") == "1.toml"
    assert file("queues.a.requires") == "2.toml"
    assert file("queues.a") == "2.toml"
    assert file("queues.c") == "2.toml"
    assert file("policy") is None
    assert file("") is None


# Hosts


def boot(*hosts: str, nodes: str) -> resource_table.ResourceTable:
    """The nodes of a configuration that numbers them by bootstrap.hosts."""
    return resource_table.read_table(
        {
            "bootstrap": {"hosts": [{"host": host} for host in hosts]},
            "resource": {"config": [{"hosts": nodes, "cores": "0-3"}]},
        }
    )


def test_hosts_that_flux_begins_with_are_compared_by_their_ranges() -> None:
    last, all_of_them = "n[0-9999998]", "n[0-9999999]"
    start = time.process_time()
    (problem,) = boot(last, "m", nodes=all_of_them).problems
    assert "do not name the same hosts" in problem.message
    assert boot("n[1-9999999]", "n0", nodes=all_of_them).problems == ()
    assert time.process_time() - start < 1  # name by name it takes some 10 s


@pytest.mark.parametrize("step", [2, -2])
def test_single_hosts_get_numbers_in_any_order(step: int) -> None:
    def numbered(count: int) -> Callable[[], object]:
        numbers = range(0, 2 * count, 2)[:: 1 if step > 0 else -1]
        many = hostlist.parse(",".join(f"n{number}" for number in numbers)).value
        return lambda: HostNumbers().add(many)

    assert grows_as_its_input(numbered, 4_000)


HOSTS_OF_RANGES: dict[str, tuple[Callable[[int], str], Callable[[int], str]]] = {
    "numbers in the suffix": (lambda n: f"x[0-20]-eth{n}", lambda n: f"x[0-30]-eth{n}"),
    "numbers at two places": (lambda n: f"x[0-20]-eth{n}", lambda n: f"x{n}-eth[0-20]"),
    "many within one": (
        lambda n: f"n[{2 * n}-{2 * n + 1}]" if n else "n[0-10000000]",
        lambda n: f"n[{9_000_000 + 20 * n}-{9_000_000 + 20 * n + 18}]",
    ),
}


@pytest.mark.parametrize("kind", HOSTS_OF_RANGES)
def test_ranges_of_hosts_are_found_in_time_with_their_text(kind: str) -> None:
    here, asked = HOSTS_OF_RANGES[kind]

    def found(count: int) -> Callable[[], object]:
        many, wanted = (
            hostlist.parse(",".join(map(expression, range(count)))).value
            for expression in (here, asked)
        )
        return lambda: (HostIndex(many).mask(wanted), same_names(many, wanted))

    assert grows_as_its_input(found, 300)


def test_a_million_hosts_with_a_suffix_are_paired_as_ranges() -> None:
    before = hostlist.parse("m,n[0-999999]-eth1,x1-eth[3-30]").value
    after = hostlist.parse("n[0-999999]-eth1,x[0-20]-eth5").value
    start = time.process_time()
    found = compare.by_host(before, after)
    assert time.process_time() - start < 1
    assert found is not None
    assert found.paired().bit_count() == 1_000_001
    twice = hostlist.parse("n[0-999999]-eth1,n5-eth[1,7]").value
    assert compare.by_host(twice, after) is None


# Documents that are none


@pytest.mark.parametrize("element", ["1", "[]", "{}", '"a"'])
def test_a_graph_of_no_vertices(element: str) -> None:
    count = 80_000
    text = '{"graph": {"nodes": [' + ",".join([element] * count) + '], "edges": []}}'
    start = time.process_time()
    found = resources.read(resources.document_of(text.encode()))
    assert time.process_time() - start < 1
    assert not found.ok
    assert found.problems[0].message == "a vertex has an id and metadata"
    assert sum(problem.many for problem in found.problems) > count


def memory_of(*arguments: str) -> int:
    """The most memory of a command, in bytes; getrusage would count what its parent has, too."""
    said = (
        "import sys; from fluxtui import cli; cli.run(sys.argv[1:]); "
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", said, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1]) * 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory is not known")
@pytest.mark.parametrize(
    ("verb", "first", "indent"),
    [
        (("check",), "edges", None),
        (("match", "rank:0", "-r"), "nodes", 1),
    ],
)
def test_a_large_graph_takes_little_memory(
    tmp_path: Path, verb: tuple[str, ...], first: str, indent: int | None
) -> None:
    vertices, edges = [], []
    for n in range(55_000):
        kind, above = ("core", n - n % 35) if n % 35 else ("node", 0)
        data = {"type": kind, "name": f"{kind}{n}", "id": n % 35, "uniq_id": n, "rank": n // 35}
        where = {"containment": f"/c0/node{n // 35}/{kind}{n}"}
        data |= {"exclusive": False, "unit": "", "size": 1, "paths": where}
        vertices.append({"id": str(n), "metadata": data})
        told = {"subsystem": "containment", "name": {"containment": "contains"}}
        edges.append({"source": str(above), "target": str(n), "metadata": told})
    lists = {"nodes": vertices, "edges": edges[1:]}
    graph = {first: lists[first], **lists}
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"graph": graph}, indent=indent))
    size = path.stat().st_size
    assert size > 16 << 20
    assert memory_of(*verb, str(path)) < 30_000_000 + 2.5 * size
