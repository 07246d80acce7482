"""``fluxtui fit``: what it says of a job, as text and as JSON, and its exit codes."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fluxtui import cli
from fluxtui.model import jobspec
from fluxtui.notation import shape

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
        "nodelist": ["n[0-3]"],
        "properties": {"batch": "0-2", "debug": "3"},
    },
}
CONFIG = """\
[policy.jobspec.defaults.system]
queue = "batch"
duration = "1h"
[queues.batch]
requires = ["batch"]
[queues.debug]
requires = ["debug"]
policy.limits.job-size.max.nnodes = 1
[queues.secret]
policy.access.allow-user = ["alice"]
"""


def job(text: str, **more: Any) -> dict[str, Any]:
    """The jobspec of a shape."""
    return jobspec.build(shape.to_resources(shape.parse(text)), **more)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Answer for a job beside R.json and flux.toml: exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)
    Path("R.json").write_text(json.dumps(R))
    Path("flux.toml").write_text(CONFIG)

    def answer(document: object, *arguments: str) -> tuple[int, str, str]:
        Path("job.json").write_text(json.dumps(document))
        code = cli.run(["fit", "-r", "R.json", *arguments, "job.json"])
        out, err = capsys.readouterr()
        return code, out, err

    return answer


@pytest.fixture
def lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Answer lines of standard input: exit code, and the answers."""
    monkeypatch.chdir(tmp_path)
    Path("R.json").write_text(json.dumps(R))
    Path("flux.toml").write_text(CONFIG)

    def answer(*inputs: str, options: tuple[str, ...] = ()) -> tuple[int, list[dict[str, Any]]]:
        stream = io.TextIOWrapper(io.BytesIO("".join(f"{i}\n" for i in inputs).encode()))
        monkeypatch.setattr(sys, "stdin", stream)
        code = cli.run(["fit", "-r", "R.json", *options, "-"])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return answer


def test_room_and_where(run: Any) -> None:
    code, out, err = run(job("node=2/slot=2/[core=2;gpu]"))
    assert (code, err) == (0, "")
    assert out == (
        "room       yes, 2 such jobs at once\n"
        "placed     n[0-1]   ranks 0-1\n"
        "           cores 0-3 and gpus 0-1 of ranks 0-1\n"
        "queue      takes it\n"
        "schedulers sched-simple yes, Fluxion yes\n"
    )


def test_no_room_and_what_is_missing(run: Any) -> None:
    code, out, _ = run(job("node=2/slot/core=9"))
    assert code == 1
    assert out == (
        "room       no\n"
        "           resources[0].with[0].with[0].count: needs 9 cores on one node; the largest of "
        "the 4 nodes has 8\n"
        "nearest    8 cores, not 9\n"
        "queue      takes it\n"
        "schedulers sched-simple no, Fluxion no\n"
        "           sched-simple: unsatisfiable request: need 2 node(s) with 9 cores each, only 0 "
        "eligible\n"
        "           Fluxion: Unsatisfiable request\n"
    )


def test_what_the_queue_adds(run: Any) -> None:
    code, out, _ = run(job("node/slot/core"), "-c", "flux.toml", "--user", "alice")
    assert code == 0
    assert "queue      batch takes it\n" in out
    assert "           sets attributes.system.duration: 3600.0\n" in out
    assert '           adds attributes.system.constraints: {"properties": ["batch"]}\n' in out
    assert "others     debug yes, secret yes\n" in out


def test_a_queue_that_refuses(run: Any) -> None:
    code, out, _ = run(job("node=2/slot/core"), "-c", "flux.toml", "--queue", "debug")
    assert code == 1
    assert "queue      debug refuses it\n" in out
    assert "Flux: requested nnodes (2) exceeds policy limit of 1 for queue debug\n" in out
    assert "room       no\n" in out  # its one node
    code, out, err = run(
        job("node/slot/core"), "-c", "flux.toml", "--queue", "secret", "--user", "x"
    )
    assert code == 1
    assert "queue      secret refuses it\n" in out
    assert "no user 'x'" in err
    code, out, _ = run(job("node/slot/core"), "-c", "flux.toml", "--queue", "debgu")
    assert code == 1
    assert "'debgu' is not a valid queue" in out or "Invalid queue 'debgu'" in out


def test_the_status_of_queues(run: Any, tmp_path: Path) -> None:
    status = {"batch": {"enable": False, "start": True, "disable_reason": "maintenance"}}
    (tmp_path / "status.json").write_text(json.dumps(status))
    code, out, _ = run(job("node/slot/core"), "-c", "flux.toml", "--status", "status.json")
    assert code == 1
    assert "maintenance" in out
    status["batch"] = {"enable": True, "start": False, "stop_reason": "dst"}  # type: ignore[dict-item]
    (tmp_path / "status.json").write_text(json.dumps(status))
    code, out, _ = run(job("node/slot/core"), "-c", "flux.toml", "--status", "status.json")
    assert code == 0
    assert "takes it, and does not schedule now" in out


def test_json(run: Any) -> None:
    code, out, _ = run(job("node=2/slot/[core=3;gpu]"), "-c", "flux.toml", "-o", "json")
    found = json.loads(out)
    assert code == 0
    assert found["feasible"] is True
    assert found["admitted"] is True
    assert found["reasons"] == []
    assert found["placement"] == {
        "ranks": "0-1",
        "hosts": "n[0-1]",
        "R_lite": [{"rank": "0-1", "children": {"core": "0-2", "gpu": "0"}}],
    }
    assert found["schedulers"] == {
        "sched-simple": {"feasible": True, "reasons": []},
        "fluxion": {"feasible": True, "reasons": []},
    }
    assert found["queue"] == "batch"
    assert found["fits"] == 3
    assert found["jobspec"]["attributes"]["system"]["queue"] == "batch"
    assert [queue["queue"] for queue in found["queues"]] == ["batch", "debug", "secret"]


def test_lines(lines: Any) -> None:
    resources = shape.to_resources(shape.parse("slot=3/core=4"))
    code, found = lines(
        json.dumps({"jobspec": job("node/slot/core")}),
        json.dumps({"resources": resources, "constraints": {"ranks": ["0"]}}),
        json.dumps({"resources": resources, "queue": "debug"}),
        json.dumps(job("node=5/slot/core")),
        options=("-c", "flux.toml"),
    )
    assert code == 0
    assert [answer["feasible"] for answer in found] == [True, False, False, False]
    assert [answer["queue"] for answer in found] == ["batch", "batch", "debug", "batch"]
    assert found[1]["reasons"] == [
        "needs 3 slots of 4 cores; the one node that matches has room for 2"
    ]
    assert found[1]["nearest"]["change"] == "2 slots, not 3"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "is not finished"),
        ("nonsense", "a value is missing"),
        ("[]", "an object with a jobspec"),
        ('{"jobspec": 5}', "an object with resources"),
        ('{"resources": 5}', "resources is a list"),
        ('{"resources": []', "is not finished"),
    ],
)
def test_a_bad_line_has_problems(lines: Any, line: str, says: str) -> None:
    code, found = lines(line, json.dumps(job("node/slot/core")))
    assert code == 1
    assert says in found[0]["problems"][0]["message"]
    assert found[1]["feasible"] is True


@pytest.mark.parametrize(
    "resources",
    [
        [],
        [5],
        [{}],
        [{"type": "node"}],
        [{"type": "node", "count": -1}],
        [{"type": "node", "count": {"min": 3, "max": 1}}],
        [{"type": "slot", "count": 1, "with": []}],
        [{"type": "node", "count": 1, "with": 5}],
        [{"type": 5, "count": "x"}],
        [{"type": "node", "count": 10**30, "with": [{"type": "slot", "count": 10**30}]}],
    ],
)
def test_any_resources_have_an_answer(lines: Any, resources: list[Any]) -> None:
    code, found = lines(json.dumps({"resources": resources}))
    assert code == 0
    assert found[0]["feasible"] in (False, None)
    assert found[0]["placement"] is None


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in [
        ([], "a jobspec is missing"),
        (["job.yaml"], "no R document"),
        (["-r", "-", "-"], "cannot hold both"),
        (["-r", "demo", "-o", "text", "-"], "JSON Lines"),
    ]:
        assert cli.run(["fit", *arguments]) == 2
        assert says in capsys.readouterr().err


def test_what_cannot_be_read(run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run([1, 2])
    assert (code, out) == (1, "")
    assert "no jobspec" in err
    assert cli.run(["fit", "-r", "R.json", "nowhere.yaml"]) == 1
    assert "no such file" in capsys.readouterr().err
    assert cli.run(["fit", "-r", "nowhere.json", "job.json"]) == 1
    assert "no such file" in capsys.readouterr().err


def test_a_graph(run: Any, tmp_path: Path) -> None:
    vertices = [("cluster", -1), ("node", 0), ("socket", 1), ("core", 2), ("core", 2)]
    nodes = [
        {
            "id": str(row),
            "metadata": {
                "type": kind,
                "id": 0,
                "rank": 0 if kind == "node" else -1,
                "name": f"{kind}{row}",
            },
        }
        for row, (kind, _) in enumerate(vertices)
    ]
    edges = [
        {"source": str(parent), "target": str(row)}
        for row, (_, parent) in enumerate(vertices)
        if parent >= 0
    ]
    (tmp_path / "R.json").write_text(json.dumps({"graph": {"nodes": nodes, "edges": edges}}))
    code, out, _ = run(job("node/slot/core=2"))
    assert code == 0
    assert "room       yes, it is said, but nothing would be placed\n" in out
    assert "write node/socket/slot" in out
    code, out, _ = run(job("node/socket/slot/core=2"), "-o", "json")
    found = json.loads(out)
    assert code == 0, found
    assert found["schedulers"]["fluxion"]["feasible"] is True
    assert "/cluster0/node1/socket2/core3" in found["placement"]["vertices"]
