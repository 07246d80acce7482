"""A running Flux as it was recorded: what is heard, what is said, what comes of faults."""

import ast
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.answers.feasibility import pending
from fluxtui.answers.feasibility.pending import why
from fluxtui.bridge.live import connection as pipe
from fluxtui.bridge.live import helper, watch
from fluxtui.bridge.live.connection import FLUX, connect
from fluxtui.bridge.live.job import Order, ending, events_of, raise_order, urgency_order
from fluxtui.cli import fit_jobs
from fluxtui.model.live import jobs, snapshot
from fluxtui.model.live.nodes import STATES
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem
from fluxtui.opening import live
from fluxtui.workbench import Cluster, Outlook, Source, Submission, prospect
from tests.cli.transcripts import run
from tests.each import for_each, the
from tests.live.conversation import RECORDINGS, broken, stand_in

NAMES = ("simple-owner", "fluxion-guest")


@pytest.fixture(params=NAMES)
def played(request: pytest.FixtureRequest, play: Callable[[str], None]) -> str:
    """The name of the recording that the flux command plays."""
    name: str = request.param
    play(name)
    return name


@pytest.fixture
def owner(play: Callable[[str], None]) -> Snapshot:
    """An instance of sched-simple as its owner sees it, which the flux command plays."""
    play("simple-owner")
    return recorded("simple-owner")


@cache
def recorded(name: str) -> Snapshot:
    """An instance as it was recorded."""
    with tempfile.TemporaryDirectory() as folder:
        command = stand_in(Path(folder), "play", RECORDINGS / f"{name}.jsonl")
        connection = the(connect(environ={FLUX: command}).value)
        found, problems = live.snapshot_of(connection)
        connection.close()
    assert not problems
    return the(found)


def read(document: Mapping[str, Any], before: Snapshot | None = None) -> Snapshot:
    """A document as it is read."""
    return the(snapshot.read(document, before).value)


def says(folder: Path, script: str) -> dict[str, str]:
    """The environment in which the flux command runs a shell script."""
    command = folder / "other"
    command.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    command.chmod(0o755)
    return {FLUX: str(command), "PATH": "/usr/bin:/bin"}


def outlook_of(found: Snapshot, shape: str) -> Outlook:
    """What is said of a job in queue batch, which has started."""
    cluster = Cluster.of(Source("here"), found.resources, found.config, found)
    job = the(fit_jobs.from_texts(shape, None, found.resources)[0])
    return prospect(fit_jobs.in_queue(job, "batch"), cluster, Submission(user=None))


@for_each("name, scheduler, policy, nodes, cores", [
    (name, *row)
    for name in NAMES
    for row in (
        ("sched-simple", None, "node[7-8]", "node7"),
        ("sched-fluxion-qmanager", None, None, None),
        ("sched-fluxion-qmanager", "first", None, None),
        ("sched-fluxion-qmanager", "low", "node[7-8]", None),
        ("sched-fluxion-qmanager", "high", "node[28-29]", None),
        ("sched-fluxion-qmanager", "hinodex", "node[28-29]", "node29"),
    )
])  # fmt: skip
def test_nodes_are_named_where_the_policy_of_the_scheduler_tells_them(
    name: str, scheduler: str, policy: str | None, nodes: str | None, cores: str | None
) -> None:
    document, free = recorded(name).document, {"offline": "0-6,10-27", "drain": {}}
    match = {"sched-fluxion-resource": {"match-policy": policy} if policy else {}}
    found = read({
        **{name: document[name] for name in ("snapshot", "asked", "hello", "queues")},
        "status": {**document["status"], **free},
        "config": {**document["config"], **match},
        "scheduler": scheduler,
    })  # fmt: skip
    for shape, where in (
        ("node=2/slot/core", nodes),
        ("slot/core", cores),
        ("node=5/slot/core", "node[7-9,28-29]"),
    ):
        outlook = outlook_of(found, shape)
        placement = outlook.placement
        hosts = found.resources.hosts_of(placement.mask) if placement is not None else None
        assert (hosts, bool(the(outlook.now).unplaced)) == (where, where is None), shape


@for_each("name", NAMES)
def test_each_state_is_its_own(name: str) -> None:
    found = recorded(name)
    nodes, away = found.nodes, "owner" in name
    hosts = {state: found.resources.hosts_of(mask) for state, mask in nodes.by_state.items()}
    expected = {"excluded": "node1", "offline": "node[5-6]" if away else "", "torpid": ""}
    expected |= {"housekeeping": "node0" if away else ""}
    assert {state: hosts[state] for state in expected} == expected
    assert found.resources.hosts_of(nodes.drain) == ("node[2,12]" if away else "node[2,5-6,12]")
    assert found.resources.hosts_of(nodes.up) == "node[0,3-4,7-11,13-39]"
    assert hosts["partly"]
    masks = [nodes.mask(state) for state in STATES]
    assert sum(mask.bit_count() for mask in masks) == 40
    assert nodes.mask("drained") | nodes.mask("draining") == nodes.drain
    assert nodes.up | nodes.down == nodes.everything
    cleaned, drain = nodes.cleaned_at(0), the(nodes.drain_of(2))
    assert (cleaned is not None and cleaned.job[0] == "ƒ" and cleaned.since is not None) == away
    assert (drain.reason, drain.since is not None) == ("fan broken", True)
    assert [nodes.state(index) for index in (1, 2, 35)] == ["excluded", "drained", "free"]
    assert nodes.counts(found.resources.properties["ssd"]).ever == 4
    assert found.scheduler == ("sched-simple" if away else "sched-fluxion-qmanager")
    assert (found.version, found.is_owner) == ("0.88.0", away)
    assert not found.statuses["debug"].started
    assert found.statuses["debug"].stop_reason == "noon"
    # What is left of a node is known by core.
    busy = sum(job.cores or 0 for job in (found.jobs or {}).values() if job.state == "RUN")
    left = found.resources.whole.cores - nodes.unused.whole.cores
    assert left == busy + away  # the core of a job that has ended


def test_housekeeping_goes_on_when_its_job_has_ended() -> None:
    r = {"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-1"}}]}}
    used = {"execution": {"R_lite": [{"rank": "0-2", "children": {"core": "0-1"}}]}}
    document = {
        "status": {"R": r},
        "allocated": {"R": used},
        "jobs": [{"id": 1, "state": 16, "ranks": "0,3"}],
        "housekeeping": {"ƒ2": {"allocated": "0-1", "t_start": 9.0}, "ƒ3": 5},
    }

    def states(**asked: float) -> list[str]:
        found = read({**document, "asked": asked})
        return [found.nodes.state(index) for index in range(4)]

    tidied = ["allocated", "housekeeping"]
    assert states(jobs=1, allocated=2, housekeeping=3) == [*tidied, "allocated", "free"]
    # What is newer decides, and a job that ended a moment ago may still be cleaned up.
    assert states(jobs=2, allocated=1, housekeeping=3) == [*tidied, "free", "allocated"]
    assert states(jobs=3, allocated=1, housekeeping=2) == [*tidied, "allocated", "allocated"]


def test_why_each_job_waits(played: str) -> None:
    found, connection = recorded(played), the(connect().value)
    said = Counter[str]()
    for job in the(found.jobs).values():
        jobspec = live.jobspec_of(connection, job.id).value
        assert (jobspec is None) == ("guest" in played)
        said[why(job, found, jobspec)[0].kind] += 1
    connection.close()
    expected = {"done": 3, "held": 1, "dependency": 1, "begin": 1, "queue": 1}
    assert said == expected | {"busy": 1, "ahead": 1, "down": 1}


def test_the_verbs_answer(played: str) -> None:
    code, out, err = run(["match", "-r", "live", "ssd", "-o", "json"])
    assert (code, err) == (0, "")
    assert (json.loads(out)["count"], json.loads(out)["up"]) == (4, 4)
    code, out, _ = run(["match", "-r", "live", "batch", "--state", "drained", "-o", "hosts"])
    assert "node2" in out.replace("[", "")
    for shape, words in (
        ("node=1/slot/core=1", "there is room, but 3 jobs ahead"),
        ("node=20/slot/core=8", "waits until nodes are free"),
        ("node=26/slot/core=8", "waits until nodes are up"),
    ):
        out = run(["fit", "-r", "live", "-o", "json", "-s", shape, "-q", "batch"])[1]
        assert json.loads(out)["now"]["words"] == words
    code, out, _ = run(["jobs", "--all"])
    assert (code, len(out.splitlines())) == (0, 11)
    held = next(line.split()[0] for line in out.splitlines() if "after-success" in line)
    code, out, _ = run(["jobs", "--why", held])
    assert (code, "to succeed; its state is run" in out) == (0, True)
    code, out, _ = run(["jobs", "--all", "--filter", "queue:batch run", "--sort", "nodes"])
    assert [line.split()[1:5] for line in out.splitlines()] == [
        ["state", "user", "queue", "nodes"],
        ["run", "root", "batch", "20"],
        ["run", "root", "batch", "1"],
    ]
    code, out, err = run(["jobs", "--all", "--filter", "run none", "-o", "json"])
    assert (code, out, "is 'none'" in err) == (1, "", True)
    assert [run(["jobs", "--why", name])[0] for name in ("ƒ9999", "no id")] == [1, 2]


def test_a_snapshot_is_checked(tmp_path: Path) -> None:
    nodes, queues = {"rank": "0-1", "children": {"core": "0"}}, {"a": {}}
    r = {"version": 1, "execution": {"R_lite": [nodes], "nodelist": ["n[0-1]"]}}
    document = {"snapshot": 1, "status": {"R": r, "offline": ""}, "config": {"queues": queues}}
    document["queues"] = {"a": {"enable": True, "start": True}}
    path = tmp_path / "site.json"

    def checked() -> tuple[int, str, list[str]]:
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        code, out, _ = run(["check", "-o", "json", str(path)])
        answer = json.loads(out)
        bad = [one for one in answer["problems"] if one.get("severity") != "warning"]
        assert all("line" in one for one in bad)
        return code, answer["kind"], [one["path"] for one in bad]

    assert checked() == (0, "snapshot", [])
    queues["a"]["hots"] = "x"
    nodes["children"]["core"] = "0-x"
    code, kind, paths = checked()
    assert (code, kind) == (1, "snapshot")
    assert {"status.R.execution.R_lite[0].children.core", "config.queues.a.hots"} <= {*paths}
    document["status"], document["config"] = 5, []
    assert run(["check", "-o", "json", str(path)])[0] == 1


def test_a_snapshot_opens_anywhere(
    played: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, options in (("site.json", []), ("public.json", ["--redact"])):
        where = str(tmp_path / name)
        code, out, err = run(["snapshot", "-o", where, *options])
        assert (code, err) == (0, "")
        assert "40 nodes" in out
    # What names people is for its owner alone.
    assert (tmp_path / "site.json").stat().st_mode & 0o077 == 0
    assert (tmp_path / "public.json").stat().st_mode & 0o040
    monkeypatch.setenv(FLUX, "/nonexistent")
    alive = [run([*verb, "-r", str(tmp_path / "site.json")]) for verb in _asking()]
    public = [run([*verb, "-r", str(tmp_path / "public.json")]) for verb in _asking()]
    assert [code for code, _, _ in alive] == [0, 0, 0]
    # Users are numbered from 1 there, and jobs have no names.
    assert [out for _, out, _ in public[:2]] == [out for _, out, _ in alive[:2]]
    text = (tmp_path / "public.json").read_text()
    for word in ("fan broken", "swap", "noon", '"true"', "allow-guest-user", "site"):
        assert word not in text
    whole = the(snapshot.from_text((tmp_path / "site.json").read_text()))
    assert len(the(whole.value).jobs or {}) == 10
    # A name is in its row and its column, whatever it holds.
    document = json.loads((tmp_path / "site.json").read_text())
    for job, name in zip(document["jobs"], ("a\nb", "日本"), strict=False):
        job["name"] = name
    (tmp_path / "odd.json").write_text(json.dumps(document))
    code, out, _ = run(["jobs", "--all", "-r", str(tmp_path / "odd.json")])
    assert (code, len(out.splitlines())) == (0, 11)
    assert "  a\\nb" in out
    assert "  日本" in out


def _asking() -> list[list[str]]:
    return [
        ["match", "batch", "--state", "free"],
        ["fit", "-s", "node=1/slot/core=1", "-q", "batch", "--user", "somebody"],
        ["jobs", "--all"],
    ]


def heard(seconds: float, until: Callable[[list[watch.Heard]], bool]) -> list[watch.Heard]:
    """What a watch tells until that is enough; the helper has ended then."""
    told: list[watch.Heard] = []
    enough = threading.Event()

    def hear(one: watch.Heard) -> None:
        told.append(one)
        if until(told):
            enough.set()

    watching = watch.Watch(hear)
    watching.start()
    assert enough.wait(seconds), told
    watching.close()
    return told


def test_the_watch_tells_what_changes(played: str) -> None:
    told = heard(20, lambda told: "allocated" in (told[-1].document or {}))
    assert all(one.problem is None for one in told)
    first = the(told[0].document)
    # The nodes are there before what costs Flux much is asked for.
    assert {"status", "config", "queues", "jobs"} <= set(first)
    assert "allocated" not in first
    early, late = (read(the(one.document)) for one in (told[0], told[-1]))
    assert early.nodes.allocated == late.nodes.allocated  # as the jobs have the same nodes


@for_each("status, queues, waits, code", [
    (*row, code)
    for code in ("", pipe.LATE)
    for row in (
        ((0.01, 0.01), 0.001, 10.0),
        ((0.01, 5.0), 0.001, 10.0),  # slow by chance
        ((0.3, 0.5), 0.3, 10.0),  # far away
        ((0.5, 0.6), 0.001, 49.9),  # Flux has much to do for it
    )
])  # fmt: skip
def test_what_costs_flux_much_is_asked_less_often(
    status: tuple[float, float], queues: float, waits: float, code: str
) -> None:
    rounds, late = watch._Rounds(), Problem("no answer in time", code=code) if code else None
    for part, seconds in ((watch.QUEUES, queues), *((watch.STATUS, one) for one in status)):
        rounds.answered(part, time.monotonic() - seconds, late)
    at = rounds.last["status"]
    assert rounds.due([watch.STATUS], at + waits - 0.1) is None
    assert rounds.due([watch.STATUS], at + waits + 0.1) is watch.STATUS


#: What an older Flux, or another one, may answer.
ODD = [
    {"error": {"errno": 38, "message": "Function not implemented"}},
    {"result": None},
    {"result": {"jobs": 3, "all": None, "mods": [5], "queues": 5}},
    {"result": {"jobs": [{"id": 1, "state": 8, "userid": [1], "t_run": "x"}, 5]}},
]


@pytest.mark.parametrize("part", watch._PARTS, ids=lambda part: part.name)
@for_each("said", ODD)
def test_a_topic_that_is_answered_otherwise_costs_what_it_says_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: watch._Part, said: dict[str, object]
) -> None:
    whole, odd = recorded("simple-owner"), broken(tmp_path, "simple-owner", part.topic, said)
    monkeypatch.setenv(FLUX, stand_in(tmp_path, "play", odd))
    found, problems = live.take()
    if part is watch.STATUS:
        assert found is None
        assert len(problems) == 1
        return
    assert {problem.severity for problem in problems} <= {"warning"}
    for name in ("status", "jobs", "queues", "config", "allocated"):
        if name != part.name and (name, part.name) != ("queues", "config"):
            assert the(found).document[name] == whole.document[name], name
    for verb in _asking():
        code, _, err = run([*verb, "-r", "live"])
        assert "Traceback" not in err
        assert code in (0, 1)
    told = heard(20, lambda told: "jobs" in (told[-1].document or {}) or part is watch.JOBS)
    assert told[-1].problem is None


FATAL = """echo '{"fatal": {"errno": %s, "message": "%s"}}'"""
NOT_RUN = "flux could not run the helper of fluxtui: "
GONE = "local:///gone/local-0"
FAULTS = [
    ("exit 1", "", "live-old", f"{NOT_RUN}it ended at once"),
    ("head -c 300000 /dev/zero >&2; echo >&2; echo at last >&2; exit 1", "", "live-old",
     f"{NOT_RUN}at last"),
    ("echo \"flux: 'python' is not a flux command\" >&2; exit 1", "", "live-old",
     f"{NOT_RUN}flux: 'python' is not a flux command"),
    (FATAL % (2, "x"), "", "live-not-found",
     "no Flux instance answers here; --uri names another one"),
    (FATAL % (2, "x"), GONE, "live-not-found", f"no Flux instance answers at {GONE}"),
    (FATAL % (1, "x"), "", "live-denied", "the Flux instance is not open to you"),
    (FATAL % (5, "Unable to connect to Flux: I/O error"), "", "live-not-found",
     "Flux cannot be reached: I/O error"),
    ("sleep 9", "", "live-late", "Flux has not answered within 0.3 seconds"),
]  # fmt: skip


@for_each("script, uri, code, message", FAULTS)
def test_what_keeps_flux_from_being_found_is_one_line(
    tmp_path: Path, script: str, uri: str, code: str, message: str
) -> None:
    environ, timeout = says(tmp_path, script), 0.3 if "sleep" in script else 5.0
    for asked, more in ((uri, {}), *([("", {"FLUX_URI": uri})] if uri else [])):
        found, problems = connect(asked, {**environ, **more}, timeout=timeout)
        assert found is None
        assert [(p.code, p.message) for p in problems] == [(code, message)]


def test_there_is_no_flux(tmp_path: Path) -> None:
    _, problems = connect(environ={"PATH": str(tmp_path)})
    assert [p.message for p in problems] == ["there is no flux command here"]
    _, problems = connect(environ={"PATH": str(tmp_path), FLUX: "nosuch"})
    assert problems[0].code == pipe.NO_FLUX
    assert "nosuch" in problems[0].message


HELLO = """echo '{"hello": 1, "attributes": {}, "host": "h"}'"""


def test_what_flux_refuses_is_one_line(tmp_path: Path) -> None:
    answers = [
        '{"id": 1, "error": {"errno": 1, "message": "Operation not permitted"}}',
        '{"id": 2, "error": {"errno": 38, "message": "x"}}',
        '{"id": 3, "error": {"errno": 22, "message": "no such queue"}}',
        '{"id": 4, "error": {"errno": 1, "message": "guests can only adjust urgency <= default"}}',
        '{"lost": {"errno": 104, "message": "x"}}',
    ]
    script = HELLO + "".join(f"; read line; echo '{answer}'" for answer in answers)
    connection = the(connect(environ=says(tmp_path, script)).value)
    said = [connection.ask("a.topic", timeout=5).problems[0] for _ in range(6)]
    assert [problem.message for problem in said] == [
        "Flux refuses a.topic: only the owner of the instance may do that",
        "this version of Flux has no a.topic",
        "Flux refuses a.topic: no such queue",
        "Flux refuses a.topic: guests can only adjust urgency <= default",
        *2 * ["the Flux instance has ended or cannot be reached"],
    ]
    told: list[object] = []
    connection.follow("a.topic", {}, told.append)
    assert told == [None]
    connection.close()
    connection.close()


def test_an_overdue_answer_is_nobodys(tmp_path: Path) -> None:
    script = HELLO + "; read line; sleep 0.4"
    script += """; echo '{"id": 1, "result": 1}'; read line; echo '{"id": 2, "result": 2}'; cat"""
    connection = the(connect(environ=says(tmp_path, script)).value)
    assert connection.ask("a.topic", timeout=0.1).problems[0].code == pipe.LATE
    assert connection.ask("a.topic", timeout=5).value == 2
    connection.close()


def test_a_lost_instance_keeps_its_last_picture(
    played: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "BACK_OFF", 0.1)
    stand, once = pipe.os.environ[FLUX], tmp_path / "once"
    script = f'if [ -e {once} ]; then exit 1; fi; touch {once}; timeout 1 {stand} "$@"'
    monkeypatch.setenv(FLUX, says(tmp_path, script)[FLUX])

    def enough(told: list[watch.Heard]) -> bool:
        return len(told) > 2 and all(one.problem is not None for one in told[-2:])

    told = heard(20, enough)
    assert told[-1].document is told[-2].document
    assert "status" in (told[-1].document or {})
    once.unlink()
    assert heard(20, lambda told: told[-1].problem is None)


def test_the_helper_is_for_an_old_python() -> None:
    text = Path(helper.__file__).read_text(encoding="utf-8")
    tree = ast.parse(text, feature_version=(3, 6))
    names = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
    }
    assert names - set(sys.stdlib_module_names) == {"flux"}
    for new in ("removeprefix", "dataclass", ":=", "capture_output"):
        assert new not in text


def test_the_helper_says_why_it_does_not_begin_and_ends_with_fluxtui(owner: Snapshot) -> None:
    found = subprocess.run(
        [sys.executable, helper.__file__, "local:///nowhere/local-0"],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert json.loads(found.stdout)["fatal"]["message"]
    assert found.returncode == 1
    connection = the(connect().value)
    connection.close()
    assert connection._process.wait(5) is not None


@for_each("number, text", [(0, "ƒ1"), (57, "ƒz"), (58, "ƒ21"), (86570434560, "ƒ3Gtw78K")])
def test_ids(number: int, text: str) -> None:
    assert jobs.f58(number) == text
    assert jobs.parse_id(text) == jobs.parse_id(f"f{text[1:]}") == number
    assert jobs.parse_id(str(number)) == jobs.parse_id(hex(number)) == number


def test_what_is_malformed_is_left_out() -> None:
    assert snapshot.read({"snapshot": 1, "status": {}}).value is None
    r = {"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0"}}]}}
    status = {"R": r, "offline": 3, "drain": {"x": 5, "1": {"reason": 7}}, "exclude": "9"}
    listed = [{"id": 1, "state": 8}, {"id": "x"}, 5, {"id": 2, "state": 3}]
    document = {"snapshot": 1, "status": status, "jobs": listed, "queues": {"a": 1}, "config": 3}
    found, problems = snapshot.read(document)
    found, nodes = the(found), the(found).nodes
    assert problems
    assert (nodes.offline, nodes.drain, nodes.excluded) == (0, 2, 0)
    assert [job.id for job in (found.jobs or {}).values()] == [1]
    assert why((found.jobs or {})[1], found)[-1].kind == "turn"


MALFORMED: list[tuple[tuple[str | int, ...], object]] = [
    *((("jobs", 0, "id"), number) for number in (-1, 1.5, True, 2**70)),
    (("jobs", 0, "state"), []),
    *((("jobs", 0, "urgency"), number) for number in (math.inf, math.nan, 10**400)),
    (("jobs", 0, "annotations"), {"sched": {"t_estimate": math.inf}}),
    (("jobs", 0, "userid"), []),
    (("allocated", "of"), 5),
    (("queues", "debug"), None),
    (("asked", "status"), math.nan),
    (("asked", "jobs"), 10**400),
    (("status", "drain"), {"3": 5}),
    (("status", "drain"), {"3": {"timestamp": 10**400, "reason": "x"}}),
    *((("jobs", 6, "dependencies"), [f"begin-time={time}"]) for time in ("inf", "nan", "1e300")),
]


@for_each("path, value", MALFORMED)
def test_what_is_malformed_breaks_nothing(path: tuple[str | int, ...], value: object) -> None:
    document = json.loads(json.dumps(recorded("simple-owner").document))
    reduce(lambda part, key: part[key], path[:-1], document)[path[-1]] = value
    found = read(document)
    assert found.resources.node_count == 40
    for job in (found.jobs or {}).values():
        assert job.f58
        assert why(job, found)
    json.dumps(snapshot.redacted(found))


@for_each("name", NAMES)
def test_the_workbench_follows_an_instance(name: str) -> None:
    first = recorded(name)
    cluster = live.cluster_of(first, Source("here"))
    # A second snapshot shares what stays.
    second = read({**first.document, "asked": {}, "queues": {}}, first)
    assert (second.resources is first.resources, second.jobs is first.jobs) == (True, True)
    assert live.cluster_of(second, Source("here"), cluster).coverage is cluster.coverage
    state = workbench.start(cluster, "node=20/slot/core=8", "batch")
    assert the(state.outlook.now).words == "waits until nodes are free"
    assert not state.outlook.statuses["debug"].started
    later = read({**first.document, "allocated": {}, "jobs": [], "queues": {}}, first)
    edit = workbench.RefreshCluster(cluster, live.cluster_of(later, Source("here"), cluster))
    after = workbench.step(state, edit)
    assert (after.cluster, after.ask) == (edit.cluster, state.ask)
    assert the(after.outlook.now).words == "starts now"
    assert after.outlook.statuses["debug"].started
    for turned, words in (("started", "is stopped"), ("enabled", "refuses it")):
        now = the(workbench.step(after, workbench.TurnQueue("batch", turned)).outlook.now)
        assert (now.starts, now.words) == (False, f"there is room, but its queue {words}")
    assert [one.cluster for one in after.documents] == [edit.cluster]
    assert workbench.step(after, edit).cluster is edit.cluster


@for_each("scheduler, shape, words", [
    ("sched-simple", "node=2{x}/slot/core=99", "starts now with less than it asks for"),
    ("sched-simple", "node=2/slot/core=99", "can never start"),
    ("sched-simple", "node=99{x}/slot/core=99", "can never start"),
    ("sched-fluxion-qmanager", "node=2{x}/slot/core=99", "can never start"),
])  # fmt: skip
def test_whole_nodes_that_are_too_small_are_given_by_sched_simple_alone(
    scheduler: str, shape: str, words: str
) -> None:
    parts = ("snapshot", "asked", "hello", "queues", "status", "config")
    for whole in map(recorded, NAMES):
        document = {name: whole.document[name] for name in parts} | {"scheduler": scheduler}
        now = the(outlook_of(read(document), shape).now)
        assert (now.ever.feasible, now.words) == (False, words)


@for_each("listed, shape", [
    ({"nnodes": 2, "ncores": 8, "ntasks": 2}, "node=2/slot/core=4"),
    ({"nnodes": 2, "ntasks": 2}, "node=2{x}/slot/core"),
    ({"ncores": 8, "ntasks": 2}, "slot=2/core=4"),
    ({"ntasks": 2}, "slot=2/core"),
    ({}, None),
])  # fmt: skip
def test_the_job_list_stands_in_for_a_jobspec(listed: dict[str, int], shape: str | None) -> None:
    job = the(jobs.read({"id": 1, "state": 8, **listed}))
    meant, _ = fit_jobs.from_texts(shape, None, Resources()) if shape else (None, ())
    found = json.dumps(pending.stand_in(job)).replace('"task"', '"default"')
    assert json.loads(found) == (meant and {"resources": meant["resources"]})


@for_each("shape, own, words", [
    ("slot=2/numa{x}", True, "there is room, but its queue refuses it"),
    ("slot=ALL/numa{x}", True, "waits until nodes are up"),
    ("slot=99/numa{x}", False, "can never start"),
    ("slot/gpu", False, "can never start"),  # though Fluxion would
])  # fmt: skip
def test_the_pool_of_the_scheduler_that_runs_decides(shape: str, own: bool, words: str) -> None:
    found = with_inside({"cores": "0-3", "gpus": "0"})
    cluster = Cluster.of(Source("here"), found.resources, found.config, found)
    nodes = (cluster.covered("batch") & found.nodes.schedulable).bit_count()
    outlook = outlook_of(found, shape.replace("ALL", str(2 * nodes)))
    assert (the(outlook.fit).own.feasible, the(outlook.now).words) == (own, words)


def with_inside(first: dict[str, Any], **more: Any) -> Snapshot:
    """The recorded instance, with two numa domains in each node, and more in the node itself."""
    topo = {**more, "numa": [first, {"cores": "4-7", "gpus": "1"}]}
    inside = {"writer": "TreePool", "children": [{"ranks": "0-39", "topo": topo}]}
    return read({**recorded("simple-owner").document, "scheduling": inside})


def test_a_redacted_snapshot_has_no_paths_of_storage_wherever_it_stands() -> None:
    first = {"cores": "0-3", "gpus": "0", "memory": 64}
    disk = [{"path": "/secret", "capacity": 1, "unit": "TiB"}]
    # In a domain inside it is legal, with a warning.
    found = with_inside({**first, "storage": disk}, storage=disk)
    assert found.resources.topologies[0].node.domains[0].storage
    redacted = snapshot.redacted(found)
    assert "secret" not in json.dumps(redacted)
    assert redacted["scheduling"] == with_inside(first).document["scheduling"]


# One job: what its logs say, how it ended, and the commands that change it


def entry(name: str, **context: object) -> str:
    return json.dumps({"timestamp": 1.5, "name": name, "context": context}) + "\n"


def test_what_a_log_says() -> None:
    stderr = entry("data", stream="stderr", rank="0", data="oh\n")
    for log, printed in (
        (stderr, [("stderr", "oh\n")]),
        (entry("data", stream="stdout", data="aGkK", encoding="base64"), [("stdout", "hi\n")]),
        (entry("data", stream="stdout", data="!", encoding="base64"), [None]),
        (entry("data", stream="stdout", eof=True), [None]),
        (entry("header", data="x") + "{broken\n[]\n", [None]),
    ):
        assert [event.printed for event in events_of({"event": log})] == printed
    log = entry("submit") + entry("finish", status=256)  # a whole one is read as its parts are
    assert [event.status for event in events_of({"eventlog": log})] == [None, 256]
    assert events_of({"event": log}) == events_of({"eventlog": log})
    assert events_of(None) == events_of({"event": 3}) == []
    assert (ending(0), ending(256), ending(9)) == ("exit 0", "exit 1", "signal 9")


@for_each("order, command, payload", [
    (raise_order(7, "ƒ8", 0), "flux cancel ƒ8", {"type": "cancel", "severity": 0}),
    (raise_order(7, "ƒ8", 2, "odd", "why"), "flux job raise --severity=2 --type=odd ƒ8 why",
     {"type": "odd", "severity": 2, "note": "why"}),
    (urgency_order(7, "ƒ8", "hold"), "flux job urgency ƒ8 hold", {"urgency": 0}),
    (urgency_order(7, "ƒ8", "31"), "flux job urgency ƒ8 31", {"urgency": 31}),
    *((urgency_order(7, "ƒ8", text), "", {}) for text in ("", "32", "-1", "soon", "١")),
])  # fmt: skip
def test_orders_are_flux_commands(
    order: Order | None, command: str, payload: dict[str, object]
) -> None:
    assert (order is None) == (command == "")
    if order is not None:
        assert (" ".join(order.command), order.payload) == (command, {"id": 7, **payload})
