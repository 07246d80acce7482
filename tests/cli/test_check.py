"""``fluxtui check``: what it says of files and of lines, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fluxtui import cli
from tests.model.jobspecs import BASE, RFC25, changed

GOOD_R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0"}}],
        "nodelist": ["n[0-3]"],
    },
}
JOB = """\
version: 1
resources:
- type: node
  count: 1
  with:
  - type: socket
    count: 1
    with:
    - type: slot
      label: default
      count: 1
      with:
      - {type: core, count: 1}
tasks:
- command: [app]
  slot: default
  count: {per_slot: 1}
attributes:
  system: {duration: 0}
"""
CONFIG = """\
# queues
[queues.batch]
requires = ["batch"]

[queues.debug]
requires = ["debug"]
[queues.debug.policy.limits]
duration = "1x"

[policy.jobspec.defaults.system]
queue = "batsh"
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write files into an empty directory and check them: exit code and standard output."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, **contents: str) -> tuple[int, str]:
        for name, content in contents.items():
            Path(name.replace("_", ".")).write_text(content)
        code = cli.run(["check", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out

    return call


def test_a_mix_of_files(run: Any) -> None:
    (config,) = [CONFIG.replace("batsh", "batch").replace("1x", "1h")]
    code, out = run(
        "a.job", "R.json", "f.toml", a_job=JOB, R_json=json.dumps(GOOD_R), f_toml=config
    )
    assert code == 0
    assert out.splitlines() == [
        "a.job   jobspec  ok           RFC 14, not V1",
        "  a.job:6: resources[0].with[0]: RFC 25 allows only slot under node; found socket"
        " [RFC 25]",
        "R.json  R        ok           4 nodes, 32 cores, 4 gpus",
        "f.toml  config   ok           2 queues, default batch",
    ]


def test_problems_of_a_configuration_have_lines(run: Any) -> None:
    code, out = run("f", f=CONFIG)
    assert code == 1
    lines = out.splitlines()
    assert lines[0] == "f  config   2 problems   2 queues, default batsh"
    assert lines[1].startswith("  f:8: queues.debug.policy.limits.duration: ")
    assert lines[3] == (
        "  f:11: policy.jobspec.defaults.system.queue: default queue 'batsh' is not configured; "
        "did you mean batch? [RFC 33]"
    )


def test_a_directory_is_one_configuration(run: Any) -> None:
    Path("conf.d").mkdir()
    Path("conf.d/a.toml").write_text('[queues.batch]\nhosts = "n[0-"\n')
    Path("conf.d/b.toml").write_text("[queues.batch]\npolicy.limits.duration = 3\n")
    Path("conf.d/c.toml").write_text("x = = 1\n")
    code, out = run("conf.d")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].split() == ["conf.d", "config", "3", "problems", "1", "queue"]
    assert "  conf.d/c.toml:1: invalid value [TOML]" in lines
    assert any(line.startswith("  conf.d/a.toml:2: queues.batch.hosts: ") for line in lines)
    assert any(
        line.startswith("  conf.d/b.toml:2: queues.batch.policy.limits.duration: ")
        for line in lines
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (JOB, "jobspec"),
        (json.dumps(BASE), "jobspec"),
        (json.dumps(BASE, indent=2), "jobspec"),
        (json.dumps(GOOD_R), "R"),
        ('[queues.a]\nrequires = ["a"]\n', "config"),
        ("# flux\ntbon.fanout = 4\n", "config"),
        ('{"queues": {"a": {"requires": ["a"]}}}', "config"),
        ('{"graph": {"nodes": [], "edges": []}}', "JGF"),
        ('["a", "b"]', "unknown"),
        ("word", "unknown"),
        ("{}", "unknown"),
    ],
)
def test_the_content_tells_the_kind(run: Any, content: str, kind: str) -> None:
    names = ["x.json", "x.yaml", "x.toml", "x", "demo"]  # whatever the name means elsewhere
    for name in names:
        Path(name).write_text(content)
    _, out = run("-o", "json", *names)
    assert [json.loads(line)["kind"] for line in out.splitlines()] == [kind] * len(names)


def test_json_output(run: Any) -> None:
    code, out = run("-o", "json", "a", "b", a=JOB, b=json.dumps(GOOD_R))
    first, second = map(json.loads, out.splitlines())
    assert code == 0
    (problem,) = first.pop("problems")
    assert first == {"file": "a", "kind": "jobspec", "valid": True, "v1": False, "canonical": True}
    assert (problem["line"], problem["path"]) == (6, "resources[0].with[0]")
    assert problem["rule"] == "RFC 25"
    nothing: dict[str, Any] = {"v1": None, "canonical": None, "problems": []}
    assert second == {"file": "b", "kind": "R", "valid": True, **nothing}
    assert run("--v1", "a")[0] == 1
    assert run("--v1", "a", a=json.dumps(BASE))[0] == 0


def lines_checked(*rows: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of the verb for JSON Lines, and its answers."""
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", "check", "-"],
        input="\n".join(rows).encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_lines() -> None:
    code, found = lines_checked(
        json.dumps(RFC25["1.1"]),
        json.dumps(changed("tasks/0/slot", "other")),
        json.dumps(GOOD_R),
        *("", "{", '"\udcff"', "[" * 100_000),
        '{"queues": {"a": {}}}',
        '{"policy": 5}',
    )
    assert code == 1
    assert [(row["kind"], row["valid"]) for row in found] == [
        ("jobspec", True),
        ("jobspec", False),
        ("R", True),
        *[("unknown", False)] * 4,
        ("config", True),
        ("config", False),
    ]
    good = {"kind": "jobspec", "valid": True, "v1": True, "canonical": True, "problems": []}
    assert found[0] == good
    assert [p["path"] for p in found[1]["problems"]] == ["tasks[0].slot"]
    assert all(row["problems"] for row in found if not row["valid"])
    assert lines_checked(json.dumps(BASE))[0] == 0


def test_a_line_that_is_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from fluxtui.cli import output

    monkeypatch.setattr(output, "LONGEST_INPUT", 10)
    lines = list(output._lines(io.BytesIO(b"short\n" + b"x" * 100 + b"\nlast")))
    assert lines == [b"short\n", None, b"last"]


@pytest.mark.parametrize(
    "arguments",
    [(), ("-", "a"), ("-", "-o", "text"), ("-o", "xml", "a"), ("--nope", "a")],
)
def test_wrong_usage(run: Any, arguments: tuple[str, ...]) -> None:
    assert run(*arguments) == (2, "")


def test_what_cannot_be_read_has_a_verdict_too(run: Any) -> None:
    Path("empty").mkdir()
    code, out = run("none", "empty", "blank", blank="")
    assert code == 1
    assert out.splitlines() == [
        "none   unknown  1 problem",
        "  cannot read 'none': there is no such file",
        "empty  unknown  1 problem",
        "  no *.toml file in 'empty'",
        "blank  unknown  1 problem",
        "  'blank' is empty",
    ]


def test_syntax_is_shown_in_its_line(run: Any) -> None:
    code, out = run("a", a='{"resources": [1, 2}\n')
    assert code == 1
    assert out.splitlines()[1:] == [
        "  a:1: not JSON: a ',' is missing here [RFC 8259]",
        '    {"resources": [1, 2}',
        "                       ^",
    ]


def test_control_characters_stay_out_of_the_terminal(run: Any) -> None:
    job = {**BASE, "resources": [{"type": "\x1b[31m", "count": 0}], "\x1b[2J": 1}
    Path("a\x1b[1m").write_text(json.dumps(job))
    assert "\x1b" not in run("a\x1b[1m")[1]


def test_many_problems_are_counted(run: Any) -> None:
    _, out = run("a", a=json.dumps({**BASE, "tasks": [5] * 5000}))
    lines = out.splitlines()
    assert "100+ problems" in lines[0]
    assert len(lines) < 60


def test_a_fault_of_the_program_is_a_sentence(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from fluxtui.model import verdict

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the cause")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(verdict, "judge", fail)
    Path("a").write_text(JOB)
    assert cli.run(["check", "a"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("fluxtui stopped because of a fault of its own.\n")
    (log,) = (tmp_path / "state").rglob("*.log")
    assert str(log) in err
    assert "the cause" in log.read_text()


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fluxtui", "query", "gpu"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env={"XDG_STATE_HOME": str(tmp_path)},
        )
    assert done.returncode == 1
    assert done.stderr == b"fluxtui: cannot write the answer: no space left on device\n"


def test_a_stage_list_is_judged_step_by_step(run: Any) -> None:
    fine = "- {title: One, constraint: gpu}\n- {title: Two, constraint: 'gpu&-debug'}\n"
    Path("fine.yaml").write_text(fine)
    Path("bad.yaml").write_text(f"{fine}- titel: Three\n  constraint: gpu\n- title: Four\n")
    code, out = run("fine.yaml")
    assert (code, out.split()) == (0, ["fine.yaml", "stage", "ok", "2", "steps"])
    code, out = run("fine.yaml", "bad.yaml")
    assert code == 1
    assert "stage    3 problems   3 steps" in out
    assert "bad.yaml:3: [2].titel: unknown key 'titel'; did you mean title?" in out
    assert "bad.yaml:5: [3]: the step has no constraint" in out
    _, out = run("-o", "json", "bad.yaml")
    found = json.loads(out)
    assert (found["kind"], found["valid"], found["v1"]) == ("stage", False, None)
    assert [problem["line"] for problem in found["problems"]] == [3, 3, 5]


def test_names_of_properties_that_are_odd_are_warned_of(run: Any) -> None:
    lite = [{"rank": "0", "children": {"core": "0"}}]
    names = {"\x1b[31mred": "0", "": "0", "fine": "0"}
    execution = {"R_lite": lite, "nodelist": ["n"], "properties": names}
    Path("R.json").write_text(json.dumps({"version": 1, "execution": execution}))
    code, out = run("R.json")
    assert code == 0
    assert "property name '\\x1b[31mred' holds control characters" in out
    assert "a property has an empty name" in out
    assert out.count("warning: ") == 2
