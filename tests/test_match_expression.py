"""``fluxtui match --shortest``: from the nodes that match back to an expression."""

import json
import subprocess
import sys

import pytest

from fluxtui import cli


def test_by_properties(match_demo):
    assert match_demo("rank:0-35,100-131,164-195", "--shortest") == (
        0,
        "ssd\n"
        "  100 nodes, by properties\n"
        "  by ranks: rank:0-35,100-131,164-195\n"
        "  by hosts left out: -host:dune[033-096,129-160]\n"
        "  by hosts: host:dune-login[1-4],dune[001-032,097-128],dunegpu[01-24],dunemem[1…\n",
        "",
    )


def test_by_properties_and_a_list(match_demo):
    code, out, err = match_demo("--shortest", "gpu", "-debug", "-host:dunegpu07")
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["gpu&-debug&-rank:170", "  17 nodes, by properties and ranks"]


def test_by_ranks(match_demo):
    assert match_demo("host:dune[001-002]", "--shortest")[1] == (
        "rank:4-5\n  2 nodes, by ranks\n  by hosts: host:dune[001-002]\n"
    )


def test_ranks_left_out(match_demo):
    assert match_demo("--shortest", "-rank:5")[1].splitlines()[:3] == [
        "-rank:5", "  195 nodes, by ranks left out", "  by ranks: rank:0-4,6-195",
    ]  # fmt: skip


def test_every_node(match_demo):
    assert match_demo("gpu|-gpu", "--shortest") == (
        0,
        "{}\n  196 nodes, nothing has to be asked\n",
        "",
    )
    assert match_demo("{}")[0] == 0


def test_no_node(match_demo):
    assert match_demo("gpu&login", "--shortest") == (1, "", "no rank matches\n")
    code, out, _ = match_demo("gpu&login", "--shortest", "-o", "json")
    assert (code, json.loads(out)["shortest"]) == (1, None)


def test_behind_an_explanation(match_demo):
    _, out, _ = match_demo("gpu", "-o", "explain", "--why", "0", "--shortest")
    blocks = out.split("\n\n")
    assert [block.partition("\n")[0].split()[0] for block in blocks] == [
        "matches", "dune-login1", "gpu",
    ]  # fmt: skip


def test_json(match_demo):
    code, out, _ = match_demo("rank:164-187", "--shortest", "-o", "json")
    found = json.loads(out)
    assert (code, list(found)) == (0, ["ranks", "hosts", "count", "shortest"])
    shortest = found["shortest"]
    assert (shortest["expression"], shortest["by"]) == ("gpu", "properties")
    assert shortest["constraint"] == {"properties": ["gpu"]}
    assert [(one["expression"], one["by"], one["constraint"]) for one in shortest["others"]] == [
        ("rank:164-187", "ranks", {"ranks": ["164-187"]}),
        ("host:dunegpu[01-24]", "hosts", {"hostlist": ["dunegpu[01-24]"]}),
    ]


def test_lines():
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", "match", "-r", "demo", "-", "--shortest"],
        input=b'gpu&-debug\n{"properties": ["gpu", "login"]}\nfoo:1\n',
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[0]["shortest"]["expression"] == "gpu&-debug"
    assert found[1]["shortest"] is None
    assert list(found[2]) == ["problems"]


@pytest.mark.parametrize("text", ["gpu&", "foo:1", ""])
def test_what_is_wrong(match_demo, text):
    code, out, err = match_demo(text, "--shortest")
    assert (code, out) == (1, "")
    assert err


def test_wrong_usage(match_demo):
    code, out, err = match_demo("gpu", "--shortest", "-o", "ranks")
    assert (code, out) == (2, "")
    assert "-o ranks leaves no room" in err


def test_no_control_characters(capsys, tmp_path):
    document = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-3", "children": {"core": "0"}}],
            "nodelist": ["n[0-3]"],
            "properties": {"a\x1b[31m": "1"},
        },
    }
    path = tmp_path / "R.json"
    path.write_text(json.dumps(document))
    assert cli.run(["match", "-r", str(path), "rank:1", "--shortest"]) == 0
    assert "\x1b" not in capsys.readouterr().out
