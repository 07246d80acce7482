import gc
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import fluxtui
from fluxtui import cli
from fluxtui.model.constraint import requires, tree
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
        "properties": {"gpu": "0-1", "debug": "1,3"},
        "starttime": 0,
        "expiration": 0,
    },
}


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "R.json"
    path.write_text(json.dumps(R))
    return str(path)


def fluxtui_command(*arguments, stdin=""):
    """Run the real command; standard input and the answers are bytes-clean text."""
    return subprocess.run(
        [sys.executable, "-m", "fluxtui", *arguments],
        input=stdin.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )


def answers(done):
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


@pytest.fixture
def run(capsys):
    """Run the command in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = cli.run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


# The command itself.


def test_version():
    done = fluxtui_command("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"fluxtui {fluxtui.__version__}\n")


@pytest.mark.parametrize(
    "arguments", [(), ("shape",), ("query",), ("match",), ("check",), ("fit",), ("compare",)]
)
def test_help(run, arguments):
    code, out, err = run(*arguments, "--help")
    assert (code, err) == (0, "")
    assert "examples:" in out
    assert "exit codes:" in out
    assert max(map(len, out.splitlines())) <= 82


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["shap", "node"], "there is no verb 'shap'; did you mean shape?"),
        (["xyzzy"], "the verbs are shape, query, match"),
        (["-r", "x", "match"], "the verb comes first: fluxtui match"),
        (["--shap", "x"], "unrecognized arguments"),
        (["shape"], "SHAPE"),
        (["shape", "node", "node"], "unrecognized arguments"),
        (["shape", "-o", "xml", "node"], "invalid choice"),
        (["shape", "-", "-o", "yaml"], "JSON Lines"),
        (["query"], "an expression is missing"),
        (["query", "-", "a"], "goes with no other word"),
        (["query", "--foo", "a"], "unrecognized arguments"),
        (["match", "gpu"], "-r FILE"),
        (["match", "-r"], "expected one argument"),
        (["match", "-r", "a", "-r", "b", "gpu"], "-r is given twice"),
        (["-r", "a", "-r", "-"], "standard input comes first"),
        (["-r", "-", "-r", "-"], "standard input is read once"),
        (["match", "-r", "demo"], "an expression is missing"),
        (["match", "-r", "-", "-"], "standard input cannot hold both"),
        (["match", "-r", "demo", "-", "-o", "hosts"], "JSON Lines"),
    ],
)
def test_wrong_usage(run, arguments, says):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert "--help" in err


@pytest.fixture
def launched(monkeypatch):
    """The options that the workbench was started with, and whether collecting was on then."""
    seen = {}
    launch = types.ModuleType("fluxtui.ui.launch")
    launch.launch = lambda **options: seen.update(options, collects=gc.isenabled()) or 0
    monkeypatch.setitem(sys.modules, "fluxtui.ui.launch", launch)
    return seen


def test_the_workbench_gets_the_options(launched, run, document, tmp_path):
    assert run("-r", "demo", "-q", "-gpu", "-s", "node", "--theme", "dusk") == (0, "", "")
    given = {"resources": "demo", "shape": "node", "requires": "-gpu", "theme": "dusk"}
    absent = dict.fromkeys(("config", "jobspec", "queue", "user", "status", "stage"))
    assert launched == {**given, **absent, "others": [], "restore": False, "collects": False}
    assert run("--restore", document, str(tmp_path))[0] == 0
    assert (launched["others"], launched["restore"]) == ([document, str(tmp_path)], True)


@pytest.mark.parametrize("was_on", [True, False])
def test_collecting_is_left_as_it_was(launched, run, was_on):
    try:
        gc.enable() if was_on else gc.disable()
        assert run() == (0, "", "")
        assert (launched["collects"], gc.isenabled()) == (False, was_on)
    finally:
        gc.enable()


@pytest.mark.parametrize("more", [("-s", "node"), ("-q", ""), ("-j", "job.yaml")])
def test_a_draft_has_a_job_of_its_own(run, more):
    code, _, err = run("--restore", *more)
    assert code == 2
    assert "brings back a job of its own" in err


HEAVY = {"textual", "rich", "yaml", "jsonschema", "pyperclip", "click", "fluxtui.ui"}


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["--version"], {"argparse", "json", "typing", "fluxtui.notation"}),
        (["shape", "slot=4/node"], {"argparse", "fluxtui.model"}),
        (["shape", "-o", "shape", "slot=4/node"], {"fluxtui.model"}),
        (["query", "gpu&-debug"], {"fluxtui.model"}),
        (["query", "host:n1"], set()),
        (["match", "-r", "demo", "gpu"], set()),
        (["check", str(Path(fluxtui.__file__).parent / "demo" / "R.json")], set()),
        (["fit", "-r", "demo", "JOB"], set()),
        (["compare", "demo", "demo"], set()),
    ],
)
def test_headless_verbs_load_little(arguments, more, tmp_path):
    job = tmp_path / "job.json"
    job.write_text(json.dumps(jobspec.build(to_resources(parse_shape("node/slot/core")))))
    arguments = [str(job) if word == "JOB" else word for word in arguments]
    code = (
        "import sys; before = set(sys.modules); from fluxtui import cli;"
        f"code = cli.run({arguments!r});"
        "print('\\n'.join(set(sys.modules) - before), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.splitlines())
    assert not loaded & (HEAVY | more)


@pytest.mark.parametrize("goes_away", [False, True])
def test_lines_are_answered_as_they_come(goes_away):
    """A reader that goes away ends it quietly."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fluxtui", "query", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )
    for name in ("a", "b"):
        process.stdin.write(name.encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"constraint": {"properties": [name]}}
    if goes_away:
        process.stdout.close()
        process.stdin.write(b"a\n" * 100)
    process.stdin.close()
    assert process.wait() == (141 if goes_away else 0)
    assert process.stderr.read() == b""
    process.stderr.close()
    process.stdout.close()


def test_an_interrupt_ends_it_quietly(monkeypatch, run):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_dispatch", interrupt)
    assert run("query", "a") == (130, "", "")


# fluxtui shape


def test_shape(run):
    import yaml

    code, out, err = run("shape", "slot=4/node")
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {"type": "slot", "count": 4, "label": "default", "with": [{"type": "node", "count": 1}]}
    ]
    code, out, _ = run("shape", "slot/core=2-4", "-o", "yaml", "--slot-label", "L")
    (slot,) = yaml.safe_load(out)
    assert (code, slot["label"]) == (0, "L")
    assert slot["with"][0]["count"] == {"min": 2, "max": 4, "operator": "+", "operand": 1}
    code, out, _ = run("shape", "slot/core=2-4", "--counts", "string")
    assert json.loads(out)[0]["with"][0]["count"] == "2-4"
    assert run("shape", "slot/core=2-4", "--output=shape")[1] == "slot/core=2-4\n"
    code, out, err = run("shape", "slot=4/[core;")
    assert (code, out) == (1, "")
    assert "\n  slot=4/[core;\n" in err
    assert "^" in err


def test_shape_lines():
    done = fluxtui_command("shape", "-", stdin='node\n{"shape": "core=2"}\n\nnode=[\n{"a": 1}\n')
    found = answers(done)
    assert (done.returncode, done.stderr) == (1, b"")
    assert [key for answer in found for key in answer] == ["resources"] * 2 + ["problems"] * 3
    assert found[1]["resources"] == [{"type": "core", "count": 2}]


# fluxtui query


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["gpu&-debug"], "gpu -debug"),
        (["-gpu"], "-gpu"),
        (["--", "-gpu"], "-gpu"),
        (["gpu", "-debug"], "gpu -debug"),
        (["-debug", "or", "gpu"], "-debug or gpu"),
        (["-host:n1"], "-host:n1"),
    ],
)
def test_query_words_may_begin_with_a_dash(run, arguments, text):
    code, out, err = run("query", *arguments)
    assert (code, err) == (0, "")
    assert json.loads(out) == tree.to_json(requires.read(text).constraint)


def test_query_problems(run):
    code, out, err = run("query", "\x1b[31m|")
    assert (code, out) == (1, "")
    assert "\x1b" not in err
    assert "nothing follows '|'" in err
    code, out, err = run("query", "a|b hots:n1")  # warnings do not keep the answer
    assert code == 0
    assert json.loads(out)["and"][1] == {"hots": ["n1"]}
    assert err.count("warning: ") == 2
    assert "unknown operator 'hots'; did you mean hosts?" in err


@pytest.mark.parametrize("verb", [("query",), ("shape",), ("match", "-r", "demo")])
def test_a_line_with_an_object_says_what_is_wrong_with_its_keys(verb):
    key = "shape" if verb == ("shape",) else "query"
    lines = [{key: 5}, {key: "gpu", "x": 1}, {key: None, "x": 1, "y": 2}]
    if verb == ("query",):
        lines += [{"qury": "gpu"}, {}, {"properties": ["gpu"]}]
    done = fluxtui_command(*verb, "-", stdin="\n".join(map(json.dumps, lines)))
    found = [answer["problems"] for answer in answers(done)]
    assert [[problem["message"] for problem in problems] for problems in found[:3]] == [
        [f"{key} is a string; found 5"],
        ["unknown key 'x'"],
        [f"{key} is a string; found null", "unknown key 'x'", "unknown key 'y'"],
    ]
    assert [problem["path"] for problem in found[2]] == [key, "x", "y"]
    assert found[1][0]["span"] == [17, 20]
    assert [problems[0]["message"] for problems in found[3:]] == [
        "unknown key 'qury'; did you mean query?",
        "the object has no key 'query'",
        "unknown key 'properties'",
    ][: len(lines) - 3]


def test_query_lines():
    lines = 'a|b\n\n{"query": "x\\ny"}\r\n{"q": 1}\n{"query" "x"}\n\udcff\na|\nt:x,y'
    done = fluxtui_command("query", "-", stdin=lines)
    found = answers(done)
    assert done.returncode == 1
    assert found[0] == {"constraint": {"or": [{"properties": ["a"]}, {"properties": ["b"]}]}}
    assert found[2] == {"constraint": {"properties": ["x", "y"]}}
    assert found[7] == {"constraint": {"t": ["x,y"]}}
    assert [n for n, answer in enumerate(found) if "problems" in answer] == [1, 3, 4, 5, 6]
    assert found[6]["problems"] == [
        {
            "message": "nothing follows '|'",
            "span": [1, 2],
            "path": None,
            "expected": ["a property name", "host:", "rank:", "not", "'-'", "'('"],
            "rule": "RFC 35",
        }
    ]


# fluxtui match


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["gpu"], "0-1"),
        (["-gpu"], "2-3"),
        (["-o", "hosts", "gpu", "-debug"], "n0"),
        (["gpu|debug", "--output=hosts"], "n[0-1,3]"),
        (['{"not": [{"ranks": ["0"]}]}'], "1-3"),
        (["{}"], "0-3"),
    ],
)
def test_match(run, document, arguments, answer):
    assert run("match", "-r", document, *arguments) == (0, f"{answer}\n", "")


def test_match_problems(run, document):
    code, out, _ = run("match", "-r", document, "host:n[1-2]", "-o", "json")
    assert (code, json.loads(out)) == (0, {"ranks": "1-2", "hosts": "n[1-2]", "count": 2})
    code, out, err = run("match", "-r", document, "gpu&gpt")
    assert (code, out) == (1, "")
    assert err.splitlines()[:3] == [
        "warning: no node has property 'gpt'; did you mean gpu (2 nodes)? [RFC 31]",
        "  gpu&gpt",
        "      ^^^",
    ]
    assert err.endswith("no rank matches\n")
    code, out, _ = run("match", "-r", document, "gpt", "-o", "json")
    assert (code, json.loads(out)["count"]) == (1, 0)
    code, out, err = run("match", "-r", document, "gpu&hots:n1")
    assert (code, out) == (1, "")
    assert "\n  gpu&hots:n1\n      ^^^^^\n" in err
    code, out, err = run("match", "-r", document, "  ")
    assert (code, out) == (1, "")
    assert "the query is empty" in err


def test_match_lines(document):
    lines = 'gpu\n{"or": []}\n{"query": "-gpu"}\nnosuch\n\n{"foo": []}\n{"or"\n'
    done = fluxtui_command("match", "-r", document, "-", stdin=lines)
    found = answers(done)
    assert (done.returncode, done.stderr) == (1, b"")
    assert found[:4] == [
        {"ranks": "0-1", "hosts": "n[0-1]", "count": 2},
        {"ranks": "0-3", "hosts": "n[0-3]", "count": 4},
        {"ranks": "2-3", "hosts": "n[2-3]", "count": 2},
        {"ranks": "", "hosts": "", "count": 0},
    ]
    assert [list(answer) for answer in found[4:]] == [["problems"]] * 3


@pytest.mark.parametrize(
    ("arguments", "stdin", "answer"),
    [
        (["query", "-"], "", b""),
        (["match", "-r", "demo", "-"], "nosuch\n", b'{"ranks": "", "hosts": "", "count": 0}\n'),
        (["match", "-r", "-", "gpu"], json.dumps(R), b"0-1\n"),
    ],
)
def test_standard_input(arguments, stdin, answer):
    done = fluxtui_command(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, answer, b"")


def test_match_with_a_faulty_document(run, tmp_path):
    code, out, err = run("match", "-r", str(tmp_path / "none"), "gpu")
    assert (code, out) == (1, "")
    assert "there is no such file" in err
    path = tmp_path / "broken.json"
    path.write_text('{"execution": ' + "[1, " * 300 + "}")
    code, out, err = run("match", "-r", str(path), "gpu")
    assert (code, out) == (1, "")
    assert "broken.json: " in err
    assert max(map(len, err.splitlines())) < 200
    execution = {**R["execution"], "properties": {"gpu": "0-1", "bad!": "0"}}
    path.write_text(json.dumps({**R, "execution": execution}))  # it still answers
    code, out, err = run("match", "-r", str(path), "gpu")
    assert (code, out) == (0, "0-1\n")
    assert "warning: " in err


# Streams that are closed.

WHERE_ANSWERS_GO = [
    (["shape", "core"], 1),
    (["query", "gpu"], 1),
    (["match", "-r", "demo", "gpu", "-o", "csv"], 1),
    (["check", "job.json"], 1),
    (["fit", "-r", "demo", "-s", "slot/core"], 1),
    (["compare", "demo", "demo"], 2),
    (["--version"], 1),
    (["--help"], 1),
    (["shape", "--help"], 1),
]


def redirected(closed, *arguments, where="."):
    """The real command with streams that the shell closes."""
    line = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "fluxtui", *arguments]
    return subprocess.run(
        line, capture_output=True, check=False, cwd=where, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize(("arguments", "code"), WHERE_ANSWERS_GO)
def test_an_answer_that_cannot_be_given_is_no_success(arguments, code, tmp_path):
    (tmp_path / "job.json").write_text(json.dumps(jobspec.build([])))
    done = redirected("1>&-", *arguments, where=tmp_path)
    assert (done.returncode, done.stdout) == (code, b"")
    assert b"standard output is closed" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("closed", "arguments", "code", "answer"),
    [
        ("1>&-", ["shape"], 2, b""),  # where nothing would be said nothing is lost
        ("1>&- 2>&-", ["query", "gpu"], 1, b""),
        ("2>&-", ["query", "gpu"], 0, b'{"properties":["gpu"]}'),
        ("2>&-", ["check", "none"], 1, b"noneunknown1problem"),
        ("<&-", ["query", "gpu"], 0, b'{"properties":["gpu"]}'),
        ("<&-", ["check", "-"], None, b""),
    ],
)
def test_closed_streams(closed, arguments, code, answer):
    done = redirected(closed, *arguments)
    assert done.returncode == code or (code is None and done.returncode in {0, 1})
    assert b"".join(done.stdout.split()).startswith(answer)
    assert b"Traceback" not in done.stderr
    assert b"standard output" not in done.stderr
