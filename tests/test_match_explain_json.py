"""``fluxtui match`` explaining itself in JSON."""

import json
import subprocess
import sys

from fluxtui.answers.explain import names, relaxations
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.findings import findings
from fluxtui.bridge import files
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.resources import document


def test_json_is_as_it_was(match_demo):
    code, out, _ = match_demo("gpu", "-o", "json")
    found = {"ranks": "164-187", "hosts": "dunegpu[01-24]", "count": 24}
    assert (code, json.loads(out)) == (0, found)


def test_json_says_what_is_known(match_demo):
    text = "gpu & bigmen & -debug"
    code, out, err = match_demo(text, "-o", "json", "--explain", "--why", "dunegpu13")
    found = json.loads(out)
    assert code == 1
    assert "did you mean bigmem" in err
    assert list(found) == ["ranks", "hosts", "count", "explain", "why"]
    cluster = document.read_text(files.demo().text)
    reading = requires.read(text)
    explanation = explain(reading, cluster)
    unknown = names.unknown(reading.constraint, cluster)
    told = found["explain"]
    assert told["nodes"] == 196
    steps = [(step["words"], step["alone"], step["left"], step["empties"])
             for step in told["funnel"]]  # fmt: skip
    assert steps == [
        ("gpu", 24, 24, False), ("bigmen", 0, 0, True), ("not debug", 174, 0, False)
    ]  # fmt: skip
    assert [text[slice(*step["span"])] for step in told["funnel"]] == ["gpu", "bigmen", "-debug"]
    flat, waiting = [], [told["tree"]]
    while waiting:
        part = waiting.pop(0)
        waiting = part.get("parts", []) + waiting
        flat.append((part["path"], part["alone"], part["left"], part.get("adds")))
    parts = list(explanation.root.walk())
    assert flat == [(part.path, part.alone, part.left, part.adds) for part in parts]
    (name,) = told["names"]
    assert (name["near"], name["path"]) == (
        [{"name": "bigmem", "count": 8}],
        "and[0].properties[1]",
    )
    assert text[slice(*name["span"])] == "bigmen"
    offered = relaxations.relaxations(explanation, unknown)
    assert [(one["expression"], one["count"], one["sentence"]) for one in told["relaxations"]] == [
        (one.text, one.count, one.sentence) for one in offered
    ]
    assert [one["constraint"] for one in told["relaxations"]] == [
        to_json(one.constraint) for one in offered
    ]
    (node,) = found["why"]["nodes"]
    assert node["sentence"] == "dunegpu13 is out: it is in debug and not in bigmen"
    assert (node["rank"], node["host"], node["matches"]) == (176, "dunegpu13", False)
    assert [part["holds"] for part in node["parts"]] == [
        False, False, True, False, False, True
    ]  # fmt: skip


def test_json_of_marks_and_of_a_set(match_demo):
    text = "gpu&batch&gpu"
    _, out, _ = match_demo(text, "-o", "json", "--explain", "--why", "0-170")
    found = json.loads(out)
    cluster = document.read_text(files.demo().text)
    told = [(mark["kind"], mark["message"], mark["paths"]) for mark in found["explain"]["marks"]]
    assert told == [
        (mark.kind, mark.message, list(mark.paths))
        for mark in findings(explain(requires.read(text), cluster))
    ]
    assert [mark[0] for mark in told] == ["redundant", "duplicate"]
    why = found["why"]
    assert (why["count"], why["out"]) == (171, 164)
    assert why["sentence"] == "164 of 171 nodes are out because they are not in gpu"
    (group,) = why["groups"]
    assert (group["count"], group["ranks"]) == (164, "0-163")


def test_lines(match_demo):
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", "match", "-r", "demo", "-", "--explain", "--why", "0"],
        input=b'gpu&login\nfoo:1\n{"properties": ["login"]}\n',
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(one) for one in found] == [
        ["ranks", "hosts", "count", "explain", "why"],
        ["problems"],
        ["ranks", "hosts", "count", "explain", "why"],
    ]
    assert found[2]["why"]["nodes"][0]["sentence"] == "dune-login1 matches: it is in login"
