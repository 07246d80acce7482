"""``--spec`` and ``--man`` say what there is: each JSON answer is held to the schema it names."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fluxtui.cli import verbs
from fluxtui.cli.manual import manual
from fluxtui.cli.spec import schemas, spec
from tests.cli.transcripts import FILES, run

DEFINED = schemas()["$defs"]
DECLARED = verbs.parsers()


def checker(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": DEFINED})


CHECKERS = {name: checker(name) for name in DEFINED}


def schema_of(words: list[str]) -> str | None:
    """The name of the schema of what a command line prints; None where it is no JSON."""
    verb, *rest = words
    answers = DECLARED[verb].answers
    if "-" in rest and "-" in answers and rest[rest.index("-") - 1] not in {"-r", "-c"}:
        return answers["-"]
    forms = (f"{one} {rest[rest.index(one) + 1]}" for one in ("-o", "--output") if one in rest)
    form = next(forms, "").replace("--output", "-o")
    form = f"--why ID {form}" if "--why" in rest and verb == "jobs" else form
    return answers.get(form)


def disagreement(name: str, value: object) -> str:
    """What a schema says against a value, in a line; empty where it fits."""
    found = next(iter(CHECKERS[name].iter_errors(value)), None)
    return f"{name}: {found.json_path}: {found.message[:200]}" if found is not None else ""


def recorded() -> Iterator[tuple[str, str, Any]]:
    """The JSON answers of all transcripts: the command line, the name of its schema, the value."""
    for path in FILES:
        command, name = "", None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("$ fluxtui "):
                command = line.removeprefix("$ fluxtui ").removesuffix(" <<EOF")
                words = shlex.split(command)
                name = schema_of(words) if words and words[0] in verbs.NAMES else None
            elif name is not None and line.startswith((": ", "| {", "| [")):
                try:
                    yield command, name, json.loads(line[2:])
                except ValueError:
                    continue  # the first line of several


def test_the_schemas_are_schemas() -> None:
    jsonschema.Draft202012Validator.check_schema(schemas())
    assert not disagreement("spec", spec())


def test_recorded_answers_are_as_their_schemas_say() -> None:
    answers = list(recorded())
    wrong = [
        f"{command}: {said}" for command, name, v in answers if (said := disagreement(name, v))
    ]
    assert not wrong
    seen = {name for _, name, _ in answers}
    assert {"shape", "match", "match_line", "check", "check_line", "fit", "fit_line"} <= seen
    assert {"shape_line", "query_line", "constraint", "R", "compare"} <= seen


def test_answers_of_a_running_flux_are_too(
    play: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    running = str(Path(__file__).parents[2] / "screenshots" / "running.json")
    conf = tmp_path / "conf.d"
    conf.mkdir()
    (conf / "queues.toml").write_text("[queues.night]\n[queues.batch]\n[tbon]\nfanout = 4\n")
    (conf / "policy.toml").write_text("[policy.limits]\nduration = '1h'\n")
    play("simple-owner")
    listed = run(["jobs", "-r", running, "--all", "-o", "json"])[1]
    waits = next(job["f58"] for job in json.loads(listed) if job["state"] == "SCHED")
    answers = [
        ["jobs", "-r", running, "--all", "-o", "json"],
        ["jobs", "-r", running, "--why", waits, "-o", "json"],
        ["compare", "-o", "json", running, str(conf)],
        ["compare", "-o", "json", running, running],
        ["match", "-r", running, "-o", "json", "gpu"],
        ["match", "-r", running, "-o", "R", "gpu"],
        ["fit", "-r", running, "-o", "json", "-s", "node=8/slot/core"],
        ["fit", "-r", "live", "-o", "json", "-s", "node=400/slot/core"],
        ["config", "-o", "json"],
        ["snapshot", "-o", str(tmp_path / "site.json")],
    ]
    for words in answers:
        _, out, err = run(words)
        name = schema_of(words) if words[0] != "snapshot" else "snapshot"
        text = (tmp_path / "site.json").read_text() if words[0] == "snapshot" else out
        assert name is not None, words
        assert text, (words, err)
        assert not disagreement(name, json.loads(text)), words


def test_each_schema_that_is_named_is_there_and_each_is_named() -> None:
    text = json.dumps(DEFINED)
    named = {name for parser in DECLARED.values() for name in parser.answers.values()}
    assert named <= DEFINED.keys()
    used = set(re.findall(r"#/\$defs/(\w+)", text))
    assert DEFINED.keys() == named | used


def test_the_manual_has_every_option_of_every_verb() -> None:
    page = manual()
    plain = page.replace("\\-", "-")
    for parser in DECLARED.values():
        for action in parser.declared():
            for name in action.option_strings:
                assert f"\\fB{name}\\fR" in plain, name
        assert all(means.split()[0] in plain for means in parser.exits.values())
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE"}


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_takes_the_manual() -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning"],
        input=manual().encode(),
        capture_output=True,
        check=False,
    )
    lines = done.stdout.decode().splitlines()
    assert [line for line in lines if "missing date" not in line] == []  # the version says it
