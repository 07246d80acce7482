"""Lone surrogates, which UTF-8 cannot say, are refused wherever they come in."""

import json
import os
from pathlib import Path

import pytest

from fluxtui import cli, opening, workbench
from fluxtui.model.constraint import requires
from fluxtui.model.form import fields
from fluxtui.notation import shellwords
from fluxtui.notation.problem import no_character
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.workbench import History, TypeField, TypeJobspec
from tests.each import the

HALF = "\ud800"
JOB = {
    "version": 1,
    "resources": [
        {"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]}
    ],
    "tasks": [{"command": ["app"], "slot": "a", "count": {"per_slot": 1}}],
    "attributes": {"system": {"duration": 0}},
}


def test_what_is_no_character() -> None:
    assert no_character("no de é 日 😀 \x1b") is None
    byte = the(no_character("a\udcffb"))
    assert byte.message == "the byte 0xff is not UTF-8"
    found = the(no_character("ab\ud83d"))
    assert (found.message, found.span) == (r"\ud83d is half of a character", (2, 3))


def test_texts() -> None:
    for text in (f"node{{a:{HALF}}}", f"no{HALF}de", f'slot{{"{HALF}"}}/core'):
        found = parse_shape(text)
        (problem,) = found.problems
        assert "half of a character" in problem.message
        assert problem.span is not None
        assert text[slice(*problem.span)] == HALF
        assert found.vertices == ()
    for text in (HALF, f"gpu&'{HALF}'", json.dumps({"properties": [HALF]}), f'{{"{HALF}": []}}'):
        asked = requires.read(text)
        assert asked.constraint is None
        assert asked.problems
    assert not parse_query(HALF).tree
    assert not shellwords.split(f"app {HALF}").value


def test_fields_keep_the_text_and_the_job_what_it_held() -> None:
    state = workbench.start(None, "slot=4/core")
    for field in fields.FIELDS:
        after = History(state).do(TypeField(field.name, HALF)).state
        assert after.job.typed[field.name] == HALF
        assert after.job.unread[field.name]
        assert HALF not in json.dumps(after.jobspec(), ensure_ascii=False)


@pytest.mark.parametrize("place", ["label", "command", "key"])
def test_jobspecs_in_json(place: str, tmp_path: Path) -> None:
    text = json.dumps(JOB)
    halved = {
        "label": text.replace('"a"', r'"a\ud800"'),
        "command": text.replace('"app"', r'"\udc00"'),
        "key": text.replace('"duration"', r'"duration\ud800"'),
    }[place]
    state = History(workbench.start()).do(TypeJobspec(halved, "json")).state
    assert state.job.raw is not None
    assert "half of a character" in state.job.raw.problems[0].message
    assert state.job.raw.problems[0].span is not None
    path = tmp_path / "job.json"
    path.write_text(halved)
    found, problems = opening.open_jobspec(str(path))
    assert found is not None
    assert found.job.raw is not None
    assert "half of a character" in problems[0].message
    whole = text.replace('"a"', r'"a\ud83d\ude00"')
    state = History(workbench.start()).do(TypeJobspec(whole, "json")).state
    assert state.jobspec()["tasks"][0]["slot"] == "a😀"


def test_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["shape"], ["query"], ["match", "-r", "demo"]):
        assert cli.run([*verb, os.fsdecode(b"g\xff")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "the byte 0xff is not UTF-8" in err
