"""``fluxtui match -o R`` and ``-o csv``: the nodes that match as documents of their own."""

import csv
import io
import json
import subprocess
import sys

import pytest

from fluxtui import cli
from fluxtui.model.resources import document as resources
from tests.answers.test_export_graph import racks

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["h[0-3]"],
        "properties": {"gpu": "0-1", "+debug": "1,3", "last": "3"},
        "expiration": 20.5,
        "nslots": 4,
    },
    "scheduling": {"writer": "fluxion:", "graph": racks()},
}


@pytest.fixture
def match(capsys, tmp_path):
    """Run the verb on the document: exit code, standard output, standard error."""
    path = tmp_path / "R.json"
    path.write_text(json.dumps(R))

    def call(*arguments):
        code = cli.run(["match", "-r", str(path), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_nodes_as_an_r_document(match):
    code, out, err = match("gpu", "-o", "R")
    assert code == 0
    assert out.count("\n") == 1
    found = json.loads(out)
    read = resources.read(found)
    assert read.problems == ()
    assert found["execution"] == {
        "R_lite": [{"rank": "0-1", "children": {"core": "0-7"}}],
        "starttime": 0.0,
        "expiration": 20.5,
        "nodelist": ["h[0-1]"],
        "properties": {"gpu": "0-1", "+debug": "1"},
    }
    assert (
        err == "warning: nslots is left out: it counts the slots of the whole allocation [RFC 20]\n"
    )


def test_the_graph_is_cut_or_left_out(match):
    found = json.loads(match("gpu", "-o", "R")[1])
    names = {vertex["metadata"]["name"] for vertex in found["scheduling"]["graph"]["nodes"]}
    assert names == {"tiny0", "rack0", "h0", "h1", "core0", "pdu0"}
    assert found["scheduling"]["writer"] == "fluxion:"
    code, out, err = match("gpu", "-o", "R", "--no-graph")
    assert code == 0
    assert "scheduling" not in json.loads(out)
    assert "graph" not in err
    code, out, err = match("{}", "-o", "R")
    assert (code, err) == (0, "")
    assert json.loads(out)["execution"]["nslots"] == 4  # all nodes keep the slots


def test_one_match_reads_what_another_wrote(match):
    _, out, _ = match("-last", "-o", "R")
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", "match", "-r", "-", "+debug"],
        input=out,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_the_nodes_as_a_table(match):
    columns = ["rank", "host", "cores", "gpus", "core_ids", "gpu_ids"]
    code, out, err = match("gpu", "--output=csv")
    assert (code, err) == (0, "")
    assert list(csv.reader(io.StringIO(out, newline=""))) == [
        [*columns, "properties"],
        ["0", "h0", "8", "0", "0-7", "", "gpu"],
        ["1", "h1", "8", "0", "0-7", "", "gpu|+debug"],
    ]
    code, out, _ = match("host:h3", "-o", "csv", "--matrix")
    heading = ",".join([*columns, "gpu", "+debug", "last"])
    assert (code, out.splitlines()) == (0, [heading, "3,h3,8,0,0-7,,0,1,1"])
    for form, said in (("R", []), ("csv", [",".join([*columns, "properties"])])):
        code, out, err = match("gpu&last", "-o", form)
        assert (code, out.splitlines()) == (1, said)
        assert err.endswith("no rank matches\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gpu", "-o", "R", "--matrix"], "--matrix goes with -o csv"),
        (["gpu", "-o", "csv", "--no-graph"], "--no-graph goes with -o R"),
        (["gpu", "--matrix"], "--matrix goes with -o csv"),
        (["gpu", "-o", "R", "--explain"], "-o R leaves no room to explain"),
        (["gpu", "-o", "csv", "--why", "0"], "-o csv leaves no room to explain"),
        (["gpu", "-o", "csv", "--shortest"], "-o csv leaves no room to explain"),
        (["gpu", "-o", "xml"], "invalid choice"),
        (["-", "-o", "R"], "JSON Lines"),
        (["-", "-o", "csv"], "JSON Lines"),
    ],
)
def test_wrong_usage(match, arguments, message):
    code, out, err = match(*arguments)
    assert (code, out) == (2, "")
    assert message in err
