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
from tests.each import for_each, the
from tests.model.jobspecs import job
from tests.opened import after

HALF = "\ud800"


def test_what_is_no_character() -> None:
    assert no_character("no de é 日 😀 \x1b") is None
    assert the(no_character("a\udcffb")).message == "the byte 0xff is not UTF-8"
    found = the(no_character("ab\ud83d"))
    assert (found.message, found.span) == (r"\ud83d is half of a character", (2, 3))


def test_texts() -> None:
    for text in (f"node{{a:{HALF}}}", f"no{HALF}de", f'slot{{"{HALF}"}}/core'):
        found = parse_shape(text)
        (problem,) = found.problems
        assert "half of a character" in problem.message
        assert text[slice(*problem.span)] == HALF
        assert found.vertices == ()
    for text in (HALF, f"gpu&'{HALF}'", json.dumps({"properties": [HALF]}), f'{{"{HALF}": []}}'):
        asked = requires.read(text)
        assert asked.constraint is None
        assert asked.problems
    assert not parse_query(HALF).tree
    assert not shellwords.split(f"app {HALF}").value


def test_fields_keep_the_text_and_the_job_what_it_held() -> None:
    for field in fields.FIELDS:
        state = after(workbench.start(None, "slot=4/core"), workbench.TypeField(field.name, HALF))
        assert state.job.typed[field.name] == HALF
        assert state.job.unread[field.name]
        assert HALF not in json.dumps(state.jobspec(), ensure_ascii=False)


TEXT = json.dumps(job("slot{a}/core", duration=0))


@for_each("halved", [
    TEXT.replace('"a"', r'"a\ud800"'), TEXT.replace('"app"', r'"\udc00"'),
    TEXT.replace('"duration"', r'"duration\ud800"'),
])  # fmt: skip
def test_jobspecs_in_json(halved: str, tmp_path: Path) -> None:
    state = after(workbench.start(), workbench.TypeJobspec(halved, "json"))
    problem = the(state.job.raw).problems[0]
    assert "half of a character" in problem.message
    assert problem.span is not None
    path = tmp_path / "job.json"
    path.write_text(halved)
    found, problems = opening.open_jobspec(str(path))
    assert the(found).job.raw is not None
    assert "half of a character" in problems[0].message


def test_two_halves_are_a_character() -> None:
    whole = TEXT.replace('"a"', r'"a\ud83d\ude00"')
    state = after(workbench.start(), workbench.TypeJobspec(whole, "json"))
    assert state.jobspec()["tasks"][0]["slot"] == "a😀"


def test_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["shape"], ["query"], ["match", "-r", "demo"]):
        assert cli.run([*verb, os.fsdecode(b"g\xff")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "the byte 0xff is not UTF-8" in err
