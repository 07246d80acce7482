import gc
import io
import json
import os
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest

import fluxtui
from fluxtui import cli
from fluxtui.answers import compare
from fluxtui.cli import output
from fluxtui.cli.verbs import NAMES
from fluxtui.model import verdict
from fluxtui.model.jobspec import jobspec
from tests.cli.transcripts import FILES, rerun
from tests.each import for_each
from tests.model.clusters import alike
from tests.model.jobspecs import BASE, job

R = alike(4, "0-7", properties={"gpu": "0-1", "debug": "1,3"}, starttime=0, expiration=0)


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


@pytest.fixture
def run(capsys):
    """Run the command in this process: exit code, standard output, standard error."""

    def call(*arguments):
        code = cli.run(list(arguments))
        out, err = capsys.readouterr()
        return code, out, err

    return call


# The command itself.


@for_each("verb", ["", *NAMES])
def test_help(run, verb):
    code, out, err = run(*verb.split(), "--help")
    assert (code, err) == (0, "")
    assert "examples:" in out
    assert "exit codes:" in out
    assert max(map(len, out.splitlines())) <= 82


@for_each(
    "line",
    ["shape -o xml node", "match -r demo gpu -o xml", "check -o xml a", "compare a b --by name"],
)
def test_a_choice_that_there_is_not(run, line):
    code, out, err = run(*shlex.split(line))
    assert (code, out) == (2, "")
    assert "invalid choice" in err
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
    more = {"others": [], "restore": False, "find_live": True, "collects": False}
    assert launched == {**given, **absent, **more}
    assert run("--restore", document, str(tmp_path))[0] == 0
    assert (launched["others"], launched["restore"]) == ([document, str(tmp_path)], True)
    assert run("--live") == run("--no-live") == (0, "", "")
    assert (launched["resources"], launched["find_live"]) == (None, False)
    # A running Flux is named like a file, and so is the demo.
    for name in ("demo", "live", "live:ƒabc", "local:///run/flux/local", "ssh://a/b"):
        assert run(name, document) == run("-r", name, document) == (0, "", "")
        assert (launched["resources"], launched["others"]) == (name, [document])
        assert run(document, name) == (0, "", "")
        assert (launched["resources"], launched["others"]) == (None, [document, name])
    # Collecting is left as it was.
    try:
        for switch in (gc.disable, gc.enable):
            switch()
            was_on = gc.isenabled()
            assert run() == (0, "", "")
            assert (launched["collects"], gc.isenabled()) == (False, was_on)
    finally:
        gc.enable()


HEAVY = {"textual", "rich", "yaml", "jsonschema", "pyperclip", "click", "fluxtui.ui"}


@for_each("arguments, more", [
    (["--version"], {"argparse", "json", "typing", "fluxtui.notation"}),
    (["shape", "slot=4/node"], {"argparse", "fluxtui.model"}),
    (["shape", "-o", "shape", "slot=4/node"], {"fluxtui.model"}),
    (["query", "gpu&-debug"], {"fluxtui.model"}),
    (["query", "host:n1"], set()),
    (["match", "-r", "demo", "gpu"], {"fluxtui.answers.explain.explanation"}),
    (["check", str(Path(fluxtui.__file__).parent / "demo" / "R.json")], set()),
    (["fit", "-r", "demo", "JOB"], set()),
    (["compare", "demo", "demo"], set()),
])  # fmt: skip
def test_headless_verbs_load_little(arguments, more, tmp_path):
    path = tmp_path / "job.json"
    path.write_text(json.dumps(job("node/slot/core")))
    arguments = [str(path) if word == "JOB" else word for word in arguments]
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_transcript(path, agree):
    """The verbs answer what their transcripts say; see `tests.cli.transcripts`."""
    agree(path, rerun(path))


# Beyond what the transcripts say


@pytest.mark.parametrize("verb", ["query", "check"])
def test_a_line_that_is_no_text_or_too_deep_has_an_answer(verb):
    done = fluxtui_command(verb, "-", stdin='gpu\n"\udcff"\n' + "[" * 100_000 + "\n{}\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr, len(answers)) == (1, b"", 4)
    assert "line 2 is not UTF-8" in answers[1]["problems"][0]["message"]
    assert answers[2]["problems"]


def test_a_line_that_is_too_long_is_not_kept(monkeypatch):
    monkeypatch.setattr(output, "LONGEST_INPUT", 10)
    lines = list(output._lines(io.BytesIO(b"short\n" + b"x" * 100 + b"\nlast")))
    assert lines == [b"short\n", None, b"last"]


@for_each("content, kind", [
    (json.dumps(BASE), "jobspec"),
    (json.dumps(BASE, indent=2), "jobspec"),
    (json.dumps(R), "R"),
    ('[queues.a]\nrequires = ["a"]\n', "config"),
    ("# flux\ntbon.fanout = 4\n", "config"),
    ('{"queues": {"a": {"requires": ["a"]}}}', "config"),
    ('{"graph": {"nodes": [], "edges": []}}', "JGF"),
    ('["a", "b"]', "unknown"),
    ("word", "unknown"),
    ("{}", "unknown"),
])  # fmt: skip
def test_the_content_tells_the_kind(run, tmp_path, monkeypatch, content, kind):
    monkeypatch.chdir(tmp_path)
    names = ["x.json", "x.yaml", "x.toml", "x", "demo"]  # whatever the name means elsewhere
    for name in names:
        Path(name).write_text(content)
    _, out, _ = run("check", "-o", "json", *names)
    assert [json.loads(line)["kind"] for line in out.splitlines()] == [kind] * len(names)


def test_many_problems_and_huge_values_are_cut(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("many").write_text(json.dumps({**BASE, "tasks": [5] * 5000}))
    lines = run("check", "many")[1].splitlines()
    assert "100+ problems" in lines[0]
    assert len(lines) < 60
    deep = {**BASE, "attributes": {"system": {"duration": 0, "constraints": "[" * 200_000}}}
    Path("deep").write_text(json.dumps(deep))
    code, out, _ = run("fit", "-r", "demo", "deep", "-o", "json")
    assert (code, json.loads(out)["schedulers"]["fluxion"]["feasible"]) == (1, False)
    digits = "0x" + "f" * 5000
    for key in ("policy.limits.duration", "policy.limits.job-size.min.nnodes"):
        Path("flux.toml").write_text(f"{key} = {digits}")
        code, _, err = run("fit", "-r", "demo", "-c", "flux.toml", "-s", "slot/core")
        assert code == 1
        assert "more than 64 bits" in err


def test_what_was_not_tried_is_said(run):
    text = "&".join(f"(nosuch{number}|nosuch)" for number in range(800))
    said = "two changes at once are tried for up to 400 parts only"
    _, out, _ = run("match", "-r", "demo", text, "-o", "explain")
    assert " ".join(out.split()).endswith(f"and 781 more more no change of one part helps; {said}")
    _, out, _ = run("match", "-r", "demo", text, "-o", "json", "--explain")
    told = json.loads(out)["explain"]
    assert (told["relaxations"], told["untried"]) == ([], said)


@for_each("text", [
    "&".join(f"-rank:{number}" for number in range(60)),
    "not " * 40 + "gpu",
    "host:" + ",".join(f"n{number}x" for number in range(900)),
    "|".join(f"'property number {number}'" for number in range(30)),
])  # fmt: skip
def test_explanations_fit_eighty_columns(run, text):
    _, out, _ = run("match", "-r", "demo", text, "-o", "explain", "--why", "3")
    for line in (line for line in out.splitlines() if line.strip() not in text):
        assert len(line) <= 80 or line.startswith(" " * 12), line  # an expression to type


def test_a_fault_of_the_program_is_a_sentence(run, monkeypatch, tmp_path):
    def fail(*_, **__):
        raise RuntimeError("the cause")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(verdict, "judge", fail)
    monkeypatch.setattr(compare, "report", fail)
    (tmp_path / "a").write_text("{}")
    for code, arguments in ((1, ["check", str(tmp_path / "a")]), (2, ["compare", "demo", "demo"])):
        found, out, err = run(*arguments)
        assert (found, out) == (code, "")  # 1 would say that two documents differ
        assert err.startswith("fluxtui stopped because of a fault of its own.\n")
    logs = [*(tmp_path / "state").rglob("*.log")]
    assert str(logs[-1]) in err or str(logs[0]) in err
    assert "the cause" in logs[0].read_text()


# Streams that are closed, and a disk that is full

CLOSED = b"standard output is closed"
WHERE_ANSWERS_GO = [
    *(("1>&-", arguments, code, b"", CLOSED) for arguments, code in (
        ("shape core", 1), ("query gpu", 1), ("match -r demo gpu -o csv", 1),
        ("check job.json", 1), ("fit -r demo -s slot/core", 1), ("compare demo demo", 2),
        ("--version", 1), ("--help", 1), ("shape --help", 1),
    )),
    ("1>&-", "shape", 2, b"", b"arguments are required"),  # nothing is lost
    ("1>&- 2>&-", "query gpu", 1, b"", b""),
    ("2>&-", "query gpu", 0, b'{"properties":["gpu"]}', b""),
    ("2>&-", "check none", 1, b"noneunknown1problem", b""),
    ("<&-", "query gpu", 0, b'{"properties":["gpu"]}', b""),
    ("<&-", "check -", None, b"", b""),
    ("", "--version", 0, f"fluxtui{fluxtui.__version__}".encode(), b""),
    *([("1>/dev/full", "query gpu", 1, b"",
        b"fluxtui: cannot write the answer: no space left on device\n")]
      if Path("/dev/full").exists() else []),
]  # fmt: skip


@for_each("closed, arguments, code, answer, said", WHERE_ANSWERS_GO)
def test_an_answer_that_cannot_be_given_is_no_success(
    closed, arguments, code, answer, said, tmp_path
):
    """The real command with streams that the shell closes."""
    (tmp_path / "job.json").write_text(json.dumps(jobspec.build([])))
    line = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "fluxtui"]
    done = subprocess.run(
        [*line, *arguments.split()],
        capture_output=True, check=False, cwd=tmp_path, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == code or (code is None and done.returncode in {0, 1})
    assert b"".join(done.stdout.split()).startswith(answer)
    assert said in done.stderr
    assert (CLOSED in done.stderr) == (said == CLOSED)
    assert b"Traceback" not in done.stderr
