"""``fluxtui compare``: what it says of two documents, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fluxtui import cli


def document(ranks: str, hosts: str, cores: str = "0-3", **properties: str) -> str:
    execution: dict[str, Any] = {
        "R_lite": [{"rank": ranks, "children": {"core": cores}}],
        "nodelist": [hosts],
    }
    if properties:
        execution["properties"] = properties
    return json.dumps({"version": 1, "execution": execution})


A = document("0-3", "n[0-3]", gpu="0-1")
B = document("1-5", "n[1-5]", gpu="1-2")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write documents into an empty directory and compare: exit code, output, complaints."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, **contents: str) -> tuple[int, str, str]:
        for name, content in {"a": A, "b": B, **contents}.items():
            Path(name).write_text(content)
        code = cli.run(["compare", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return call


def test_the_report(run: Any) -> None:
    code, out, err = run("a", "b")
    assert (code, err) == (1, "")
    assert out == (
        "- a  4 nodes, 16 cores\n"
        "+ b  5 nodes, 20 cores\n"
        "\n"
        "+ 2 nodes  n[4-5]  8 cores\n"
        "-  1 node  n0      4 cores · gpu\n"
        "~  1 node  n2      gained property gpu\n"
        "\n"
        "2 nodes added · 1 removed · 1 changed · 2 the same (matched by host name)\n"
    )


def test_documents_that_are_the_same(run: Any) -> None:
    other = document("0-1,2-3", "n0,n[1-3]", gpu="0,1")
    for name in ("a", "c"):
        assert run("a", name, c=other) == (0, "no change: 4 nodes in both\n", "")
    code, out, _ = run("-o", "json", "a", "c", c=other)
    assert (code, json.loads(out)["same"]) == (0, True)


def test_json_has_all_of_it(run: Any) -> None:
    code, out, _ = run("a", "b", "-o", "json")
    found = json.loads(out)
    assert code == 1
    assert found["added"] == {"count": 2, "ranks": "4-5", "hosts": "n[4-5]"}
    assert found["removed"] == {"count": 1, "ranks": "0", "hosts": "n0"}
    assert found["changed"] == {"count": 1, "ranks": "2", "hosts": "n2"}
    assert found["properties"]["gpu"]["gained"] == found["changed"]
    assert found["properties"]["gpu"]["lost"]["count"] == 0
    assert (found["by"], found["unchanged"]) == ("host", 2)
    assert found["before"] == {"nodes": 4, "cores": 16, "gpus": 0}
    assert found["moved"] == found["cores"] == found["gpus"] == []


def test_by_rank_where_it_is_asked_for(run: Any) -> None:
    other = document("0-3", "m[0-3]", gpu="0-1")
    code, out, _ = run("--by", "rank", "a", "c", c=other)
    assert code == 1
    assert "~ 4 nodes  ranks 0-3  hosts n[0-3] → m[0-3]" in out
    code, out, _ = run("a", "c", c=other)
    assert "+ 2 nodes  m[2-3]  8 cores\n" in out


def test_by_rank_where_names_do_not_tell(run: Any) -> None:
    shared = document("0-3", "n,n,n,n")
    code, out, _ = run("c", "a", c=shared)
    assert code == 1
    assert out.rstrip().endswith("(matched by rank: several nodes share a host name)")
    code, out, err = run("--by", "host", "c", "a", c=shared)
    assert (code, out) == (2, "")
    said = "nodes cannot be matched by host: several nodes share a host name; try --by rank\n"
    assert err == said


def test_standard_input_and_the_demo(run: Any) -> None:
    assert run("demo", "demo")[0] == 0
    command = [sys.executable, "-m", "fluxtui", "compare", "-", "b"]
    done = subprocess.run(command, input=A, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("- standard input  4 nodes, 16 cores\n+ b ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], "the following arguments are required: B"),
        (["-", "-"], "standard input cannot hold both documents"),
        (["a", "b", "--by", "name"], "--by"),
        (["a", "gone"], "cannot read 'gone': there is no such file"),
        (["empty", "b"], "'empty' is empty"),
        (["job", "b"], "execution"),
    ],
)
def test_trouble(run: Any, arguments: list[str], said: str) -> None:
    code, out, err = run(*arguments, empty="", job='{"version": 1}')
    assert (code, out) == (2, "")
    assert said in err


def test_names_are_printed_and_nothing_else(run: Any) -> None:
    hostile = A.replace("gpu", r"\u001b[31mred")
    code, out, _ = run("a", "c", c=hostile)
    assert code == 1
    assert "\x1b" not in out
    assert "\\x1b[31mred" in out


def test_a_fault_is_not_taken_for_a_difference(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fluxtui.answers.compare import words

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(words, "report", fail)
    assert run("a", "b")[0] == 2
