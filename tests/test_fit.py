"""``fluxtui fit``: what it says of a job, as text and as JSON, and its exit codes."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import cli
from fluxtui.cli import fit_jobs, fit_words
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import queues
from fluxtui.model.queues.status import Status
from fluxtui.model.resources.document import read_text
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.workbench import Cluster, Source, Submission, prospect
from tests.answers.feasibility.graphs import jgf, some, vertex

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
    return jobspec.build(to_resources(parse_shape(text)), **more)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with R.json and flux.toml."""
    monkeypatch.chdir(tmp_path)
    Path("R.json").write_text(json.dumps(R))
    Path("flux.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Answer for a job: exit code, standard output and error."""

    def answer(document: object, *arguments: str) -> tuple[int, str, str]:
        Path("job.json").write_text(json.dumps(document))
        code = cli.run(["fit", "-r", "R.json", *arguments, "job.json"])
        return (code, *capsys.readouterr())

    return answer


@pytest.fixture
def lines(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Answer lines of standard input: exit code, and the answers."""

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
        "room       yes, at most 2 such jobs at once\n"
        "placed     n[0-1]   ranks 0-1\n"
        "           cores 0-3 and gpus 0-1 of ranks 0-1\n"
        "queue      none is configured; Flux takes it\n"
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
        "queue      none is configured; Flux takes it\n"
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
    assert "queue      Flux refuses it\n" in out
    assert "queue debgu is not configured; did you mean debug?" in out
    assert "Flux: Invalid queue 'debgu' specified" in out


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
    assert "queue      batch takes it, and does not schedule now: dst\n" in out


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
    resources = to_resources(parse_shape("slot=3/core=4"))
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


#: A line of standard input, and what its problem says.
BAD_LINES = [
    ('{"resources": [1, {"type": "core"}]}', "a resource is an object; found 1"),
    ('{"jobspec": {"resources": [1]}}', "a resource is an object; found 1"),
    ('{"resources": [], "queu": "debug"}', "unknown key 'queu' beside resources; did you"),
    ('{"resources": [], "queue": 5}', "queue is a string; found 5"),
    ('{"resources": [], "constraints": []}', "constraints is an object; found"),
    ('{"resources": [], "duration": "1h"}', "duration is a number of seconds"),
    (
        '{"jobspec": {"resources": []}, "constraints": {}}',
        "unknown key 'constraints' beside a j",
    ),
    ('{"jobspec": {"resources": []}, "queue": null}', "queue is a string; found null"),
    ('{"resources": [], "tasks": [], "queue": "debug"}', "unknown key 'queue' beside the keys"),
    ('{"jobspec": {"resources": [], "attributes": {"x": 1e999}}}', "is larger than"),
    ('{"jobspec": {"resources": ' + "[" * 300 + "]" * 300 + "}}", "more than 200 levels"),
    ("", "is not finished"),
    ("nonsense", "a value is missing"),
    ("[]", "an object with a jobspec"),
    ('{"jobspec": 5}', "an object with resources"),
    ('{"resources": 5}', "resources is a list; found 5"),
    ('{"resources": []', "is not finished"),
]


def test_a_bad_line_has_problems(lines: Any) -> None:
    code, found = lines(*(line for line, _ in BAD_LINES), json.dumps(job("node/slot/core")))
    assert code == 1
    for (line, says), answer in zip(BAD_LINES, found, strict=False):
        assert says in answer["problems"][0]["message"], line
    assert found[-1]["feasible"] is True
    assert len(found) == len(BAD_LINES) + 1


def test_any_resources_and_any_constraint_have_an_answer(lines: Any) -> None:
    any_resources: list[Any] = [
        [],
        [{}],
        [{"type": "node"}],
        [{"type": "node", "count": -1}],
        [{"type": "node", "count": {"min": 3, "max": 1}}],
        [{"type": "slot", "count": 1, "with": []}],
        [{"type": "node", "count": 1, "with": 5}],
        [{"type": 5, "count": "x"}],
        [{"type": "node", "count": 10**30, "with": [{"type": "slot", "count": 10**30}]}],
    ]
    constraints = [5, "foo", ["x"], "[" * 200_000, {"not": 5}, {"foo": []}]
    wanted = [{"resources": resources} for resources in any_resources]
    for constraint in (*constraints, {"and": [{"ranks": "x"}]}):
        document = job("node/slot/core")
        document["attributes"]["system"]["constraints"] = constraint
        wanted.append({"jobspec": document})
    code, found = lines(*map(json.dumps, wanted))
    assert code == 0
    assert len(found) == len(wanted)
    for answer in found:
        assert answer["feasible"] in (False, None)
        assert answer["placement"] is None
    for answer in found[len(any_resources) :]:
        assert answer["schedulers"]["fluxion"]["feasible"] is False


def test_numbers_without_end_are_refused(run: Any, tmp_path: Path) -> None:
    digits = "0x" + "f" * 5000
    for text in (
        f"policy.limits.duration = {digits}",
        f"policy.limits.job-size.min.nnodes={digits}",
    ):
        (tmp_path / "flux.toml").write_text(text)
        code, _, err = run(job("node/slot/core"), "-c", "flux.toml")
        assert code == 1
        assert "more than 64 bits" in err


def test_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in [
        ([], "a jobspec is missing"),
        (["job.yaml"], "no R document"),
        (["-r", "-", "-"], "cannot hold more than one"),
        (["-r", "-", "-c", "-", "job.yaml"], "cannot hold more than one"),
        (["-r", "demo", "-c", "-", "-"], "cannot hold more than one"),
        (["-r", "-", "-c", "-", "-s", "core"], "cannot hold more than one"),
        (["-r", "demo", "-s", "core", "job.yaml"], "not both"),
        (["-r", "demo", "-q", "gpu", "job.yaml"], "not both"),
        (["-r", "demo", "-q", "gpu"], "a constraint is not a job"),
        (["-r", "demo", "-o", "text", "-"], "JSON Lines"),
    ]:
        assert cli.run(["fit", *arguments]) == 2
        assert says in capsys.readouterr().err


def test_what_cannot_be_read(run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run([1, 2])
    assert (code, out) == (1, "")
    assert "not a jobspec" in err
    assert cli.run(["fit", "-r", "R.json", "nowhere.yaml"]) == 1
    assert "no such file" in capsys.readouterr().err
    assert cli.run(["fit", "-r", "nowhere.json", "job.json"]) == 1
    assert "no such file" in capsys.readouterr().err


def test_a_graph(run: Any, tmp_path: Path) -> None:
    root = vertex("cluster", vertex("node", vertex("socket", some(2, "core")), rank=0))
    (tmp_path / "R.json").write_text(json.dumps(jgf(root)))
    code, out, _ = run(job("node/slot/core=2"))
    assert code == 1
    assert "room       yes in theory, but nothing would be placed\n" in out
    assert "write node/socket/slot" in out
    code, out, _ = run(job("node/slot/core=2"), "-o", "json")
    found = json.loads(out)
    assert (code, found["feasible"], found["placement"]) == (1, True, None)
    assert "write node/socket/slot" in found["reasons"][0]
    assert found["details"][0]["severity"] == "warning"
    code, out, _ = run(job("node/socket/slot/core=2"))
    assert code == 0
    assert "           1 node, 1 socket, 2 core\n" in out
    code, out, _ = run(job("node/socket/slot/core=2"), "-o", "json")
    found = json.loads(out)
    assert code == 0, found
    assert found["schedulers"]["fluxion"]["feasible"] is True
    assert "/cluster0/node1/socket2/core3" in found["placement"]["vertices"]


# Where it may go wrong


NASTY = "x\x1b[31m\x07\x9b2J"
TEXT = st.sampled_from([NASTY, "a", "batch", "\u202e", "\ud800", "gpu"])
VALUES = st.recursive(
    TEXT | st.integers(-2, 9) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
VERTICES = st.recursive(
    st.fixed_dictionaries(
        {"type": TEXT | st.sampled_from(["core", "gpu", "slot"])},
        optional={"count": VALUES, "label": VALUES, "unit": TEXT, NASTY: VALUES},
    ),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["node", "slot", "socket", NASTY]), "count": st.integers(0, 9)},
        optional={"with": st.lists(inner, max_size=2), "label": TEXT},
    ),
    max_leaves=4,
)
SYSTEM = st.fixed_dictionaries(
    {},
    optional={
        "queue": VALUES,
        "duration": VALUES,
        "constraints": VALUES | st.dictionaries(st.sampled_from(["properties", NASTY]), VALUES),
        NASTY: VALUES,
    },
)
NASTY_CONFIG = queues.read_config(
    {
        "queues": {
            "batch": {"requires": ["batch"], "policy": {"access": {"allow-user": [NASTY]}}},
            NASTY: {"policy": {"limits": {"duration": "1m"}}},
        }
    }
)


@given(
    st.lists(VERTICES, max_size=2),
    SYSTEM,
    st.sampled_from([None, NASTY_CONFIG]),
    st.sampled_from([None, NASTY, "batch"]),
    st.booleans(),
)
def test_no_answer_holds_an_escape(
    vertices: list[Any], system: dict[str, Any], config: Any, queue: str | None, enabled: bool
) -> None:
    resources = read_text(json.dumps(R).replace('"debug"', json.dumps(NASTY)))
    cluster = Cluster.of(Source("R"), resources, config)
    status = Status(enabled=enabled, started=False, disable_reason=NASTY, stop_reason=NASTY)
    submission = Submission(None, "x", (), {"batch": status, NASTY: status, "": status})
    document = {"version": 1, "resources": vertices, "attributes": {"system": system}}
    outlook = prospect(fit_jobs.in_queue(document, queue), cluster, submission)
    text = fit_words.answer_text(outlook, cluster)
    assert all(line.isprintable() for line in text.split("\n"))
    json.dumps(fit_words.answer_json(outlook, cluster), allow_nan=False)


def test_the_words_of_a_scheduler_are_printed_without_escapes(run: Any) -> None:
    for arguments in ((), ("--queue", NASTY)):
        code, out, err = run(job(f"node=9/slot/'{NASTY}'=2"), *arguments)
        assert code == 1
        assert "\x1b" not in out + err
        assert "\\x1b[31m" in out


def test_a_jobspec_in_toml_is_refused(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run({})
    Path("job.toml").write_text('day = 2020-01-01\n[[resources]]\ntype = "core"\ncount = 1\n')
    for output in ("text", "json"):
        assert cli.run(["fit", "-r", "R.json", "-o", output, "job.toml"]) == 1
        out, err = capsys.readouterr()
        assert (out, err) == ("", "job.toml: a jobspec is YAML or JSON; this is TOML [RFC 14]\n")


@pytest.mark.parametrize("text", ["1e999", "[" * 300 + "]" * 300])
def test_what_json_cannot_hold_is_a_problem(
    run: Any, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    run({})
    written = json.dumps(job("node/slot/core", constraints={"a": "HERE"}))
    Path("job.json").write_text(written.replace('"HERE"', text))
    assert cli.run(["fit", "-r", "R.json", "-o", "json", "job.json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("job.json: ")


ALLOWED = '[queues.a]\npolicy.access.allow-group = ["staff"]\n'


def test_the_groups_of_an_unknown_user_are_an_open_question(run: Any) -> None:
    Path("groups.toml").write_text(ALLOWED)
    arguments = ("-c", "groups.toml", "--queue", "a", "--user", "no-such-user")
    code, out, err = run(job("node/slot/core"), *arguments)
    assert code == 1
    assert "queue      a may refuse it\n" in out
    assert "there is no user 'no-such-user' here" in err
    code, out, _ = run(job("node/slot/core"), *arguments, "-o", "json")
    found = json.loads(out)
    assert (code, found["admitted"], found["feasible"]) == (1, None, True)
    assert found["reasons"] == found["queues"][0]["reasons"]
    assert "only members of staff may submit to queue a" in found["reasons"][0]
    assert found["queues"][0]["admitted"] is None
    assert found["queues"][0]["words"] == []


@pytest.mark.parametrize(
    ("text", "says"),
    [(None, "there is no such file"), ("[queues\n", "no.toml, line 1"), ("{", "no.toml")],
)
def test_a_configuration_that_cannot_be_read_ends_it(run: Any, text: str | None, says: str) -> None:
    if text is not None:
        Path("no.toml").write_text(text)
    code, out, err = run(job("node/slot/core"), "-c", "no.toml")
    assert (code, out) == (1, "")
    assert says in err
    assert len([line for line in err.splitlines() if not line.startswith(" ")]) == 1


@pytest.mark.parametrize("text", ["[queues.a]\nrequires = 5\n", '[queues.a]\nhosts = "n[0-9]"\n'])
def test_other_errors_of_a_configuration_are_said_once(run: Any, text: str) -> None:
    Path("odd.toml").write_text(text)
    code, out, err = run(job("node/slot/core"), "-c", "odd.toml", "--queue", "a")
    assert code == 1
    assert "queue      a takes it\n" in out
    messages = [line for line in err.splitlines() if not line.startswith(" ")]
    assert len(messages) == 1
    assert "odd.toml, line 2" in messages[0]


def test_an_empty_configuration_sets_nothing(run: Any) -> None:
    Path("empty.toml").write_text("\n")
    code, out, err = run(job("node/slot/core"), "-c", "empty.toml")
    assert (code, err) == (0, "")
    assert "queue      Flux takes it\n" in out


def test_a_status_of_no_queue_is_a_warning(run: Any) -> None:
    Path("status.json").write_text('{"batsh": {"enable": true, "start": true}}')
    code, _, err = run(job("node/slot/core"), "-c", "flux.toml", "--status", "status.json")
    assert code == 0
    assert err == (
        "warning: the status is that of queue 'batsh', which is not configured; "
        "did you mean batch? [RFC 33]\n"
    )


def test_a_jobspec_that_is_not_legal_is_wrong_input(run: Any) -> None:
    document = job("node/slot/core")
    del document["tasks"]
    code, out, err = run(document)
    assert code == 1
    assert "a jobspec needs its tasks" in err
    assert "room       yes" in out


def test_other_queues(run: Any) -> None:
    status = {"batch": {"enable": True, "start": True}, "secret": {"enable": True, "start": False}}
    Path("status.json").write_text(json.dumps(status))
    arguments = ("-c", "flux.toml", "--status", "status.json", "--user", "alice")
    _, out, _ = run(job("node=2/slot/core"), *arguments)
    assert "others     debug no (max nnodes), secret stopped\n" in out
    _, out, _ = run(job("node/slot/core"), *arguments, "-o", "json")
    assert [queue["feasible"] for queue in json.loads(out)["queues"]] == [True] * 3
    document = job("node/slot/core", constraints={"ranks": ["0"]})
    _, out, _ = run(document, *arguments)
    assert "others     debug no (no room), secret stopped\n" in out
    _, out, _ = run(job("node=2/slot/core"), *arguments, "-o", "json")
    debug = json.loads(out)["queues"][1]
    assert (debug["admitted"], debug["feasible"]) == (False, False)
    assert debug["reasons"][0].startswith("2 nodes are asked for; queue debug takes at most 1")
    assert debug["words"] == ["requested nnodes (2) exceeds policy limit of 1 for queue debug"]


def test_flux_that_looks_for_room_first(run: Any) -> None:
    Path("first.toml").write_text(f'{CONFIG}[ingest.validator]\nplugins = ["feasibility"]\n')
    code, out, _ = run(job("node=4/slot/core"), "-c", "first.toml", "--user", "alice")
    assert code == 1
    assert "queue      batch refuses it\n" in out
    assert "Flux looks for room before it takes a job" in out


def test_a_queue_beside_a_jobspec(lines: Any) -> None:
    document = job("node/slot/core")
    line = json.dumps({"jobspec": document, "queue": "debug"})
    _, found = lines(line, json.dumps({"jobspec": document}), options=("-c", "flux.toml"))
    assert [answer["queue"] for answer in found] == ["debug", "batch"]
    assert found[0]["placement"]["ranks"] == "3"
    _, found = lines(line, options=("-c", "flux.toml", "--queue", "batch"))
    assert found[0]["queue"] == "batch"


# A job of a shape


def test_a_shape_and_a_constraint(capsys: pytest.CaptureFixture[str]) -> None:
    def answer(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(["fit", "-r", "demo", *arguments])
        return (code, *capsys.readouterr())

    code, out, err = answer("-s", "node=4/slot/core=8", "-q", "gpu", "-o", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["jobspec"]["attributes"]["system"]["constraints"] == {
        "properties": ["gpu", "batch"]
    }
    code, out, _ = answer("-s", "node=4/slot/core=8", "-q", "-gpu", "-o", "json")
    assert code == 0
    assert "not" in json.dumps(json.loads(out)["jobspec"]["attributes"])
    code, out, _ = answer("-s", "node/slot/core=8", "-q", '{"ranks": ["9"]}', "-o", "json")
    assert json.loads(out)["placement"]["ranks"] == "9"
    code, out, err = answer("-s", "node=4/slo[t/core", "-q", "gpu|")
    assert (code, out) == (1, "")
    assert "\n  node=4/slo[t/core\n            ^" in err
    assert "\n  gpu|\n     ^" in err
    code, out, err = answer("-s", "node/slot/core", "-q", "gpux")
    assert code == 1
    assert "warning: no node has property 'gpux'; did you mean gpu" in err
    code, out, err = answer("-s", "node/slot/core", "-q", " ")
    assert (code, out) == (1, "")
    assert "the query is empty" in err


@pytest.mark.parametrize("form", ["json", "yaml", "object"])
def test_resources_alone(run: Any, capsys: pytest.CaptureFixture[str], form: str) -> None:
    expected = run(job("node=2/slot/core=9"))
    cli.run(["shape", "-o", "yaml" if form == "yaml" else "json", "node=2/slot/core=9"])
    text = capsys.readouterr().out
    Path("shape.txt").write_text(f'{{"resources": {text}}}' if form == "object" else text)
    assert cli.run(["fit", "-r", "R.json", "shape.txt"]) == 1
    assert capsys.readouterr() == (expected[1], "")
    Path("shape.txt").write_text('[{"type": "slot", "count": 1,\n "with": [{"typ": 5}]}]')
    assert cli.run(["fit", "-r", "R.json", "shape.txt"]) == 1
    assert '\n   "with": [{"typ": 5}]}]\n' in capsys.readouterr().err
