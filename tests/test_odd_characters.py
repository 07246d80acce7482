"""Digits of other scripts, numbers of very many digits, and halves of characters end no reader.

The laws that hold for every text are those of `tests.campaign`.
"""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fluxtui
from fluxtui import cli, opening, workbench
from fluxtui.answers.listing import orders
from fluxtui.answers.matching import find
from fluxtui.model.constraint import requires
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import verdicts
from fluxtui.notation import count, dependency, duration, shellwords
from fluxtui.notation.problem import surrogate_problem
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import idset
from fluxtui.notation.shape.parser import parse_shape
from tests.campaign.programs import KINDS
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.model.jobspecs import job
from tests.opened import after

ODD = "²②٣３Ⅷ𝟙"  # digits and numbers of other scripts
#: What reads all that a person may type.
READERS = [KINDS[name] for name in (
    *("idset", "hostlist", "count", "duration", "dependency", "environment", "settings", "JSON"),
    *("shellwords", "shape", "query", "requires", "filter", "form fields", "any text"),
    *("shape completion", "constraint completion"),
)]  # fmt: skip


def read_everywhere(text: str) -> None:
    for read in READERS:
        read(text)
    for words in ("srun -N{} x", "flux run -N{} x", "qsub -l select={} x", "srun --gres=gpu:{} x"):
        KINDS["from flux"](words.replace("{}", text))


@given(st.text(st.sampled_from(f"{ODD}0123456789-,+:=/[]{{}}n"), max_size=8))
def test_no_digit_of_another_script_ends_a_reader(text: str) -> None:
    for typed in (text, f"slot={text}", f"core=[{text}", f"node{{x:{text}}}", f"rank:{text}"):
        read_everywhere(typed)
    if set(text) & set(ODD):
        assert not any(read(text).ok for read in (count.parse, idset.parse, duration.parse))


def test_no_very_long_number_ends_anything() -> None:
    long = "9" * 5000  # more digits than `int` reads
    for lead in ("", "slot=", "core=[", "core=1-", "node{x:", "rank:", "rank:1,", "host:n["):
        read_everywhere(lead + long)
    assert not dependency.is_job_id(long)
    assert dependency.is_job_id(f"+{'0' * 5000}7")
    hosts = (f"a[0-{long}]", f"a[{long}-{long}]", f"a[{'0' * 5000}1-{'0' * 5000}2]")
    assert list(map(verdicts.reads_hosts, hosts)) == [False, True, True]
    some = cluster("0-2", [f"a{long}-b1", f"a1{long}-b1", "a7-b1"])
    assert list(orders.by_host(some).indices(0, 3)) == [2, 0, 1]
    assert find(some, f"a{long}b", 5) == []
    assert find(some, f"a{long}-b1", 5) == [0]


def test_no_module_asks_for_the_digits_of_other_scripts() -> None:
    found = []
    for path in Path(fluxtui.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name != "problem.py" and re.search(r"\.is(digit|decimal|numeric)\(", text):
            found.append(f"{path.name}: fluxtui.notation.problem.is_digits is meant")
        if re.search(r"(?<!\\)\\d", text):
            found.append(f"{path.name}: [0-9] is meant")
    assert found == []


# Lone surrogates, which UTF-8 cannot say, are refused wherever they come in

HALF = "\ud800"


def test_what_is_no_character() -> None:
    assert surrogate_problem("no de é 日 😀 \x1b") is None
    assert the(surrogate_problem("a\udcffb")).message == "the byte 0xff is not UTF-8"
    found = the(surrogate_problem("ab\ud83d"))
    assert (found.message, found.span) == (r"\ud83d is half of a character", (2, 3))


def test_halves_in_texts() -> None:
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
    for field in FIELDS:
        state = after(workbench.start(None, "slot=4/core"), workbench.TypeField(field.name, HALF))
        assert state.job.typed[field.name] == HALF
        assert state.job.unread[field.name]
        assert HALF not in json.dumps(state.jobspec(), ensure_ascii=False)


TEXT = json.dumps(job("slot{a}/core", duration=0))


@for_each("halved", [
    TEXT.replace('"a"', r'"a\ud800"'), TEXT.replace('"app"', r'"\udc00"'),
    TEXT.replace('"duration"', r'"duration\ud800"'),
])  # fmt: skip
def test_halves_in_a_jobspec(halved: str, tmp_path: Path) -> None:
    state = after(workbench.start(), workbench.TypeJobspec(halved, "json"))
    problem = the(state.job.raw).problems[0]
    assert "half of a character" in problem.message
    assert problem.span is not None
    path = tmp_path / "job.json"
    path.write_text(halved)
    found, problems = opening.open_jobspec(str(path))
    assert the(found).job.raw is not None
    assert "half of a character" in problems[0].message
    whole = TEXT.replace('"a"', r'"a\ud83d\ude00"')  # two halves are a character
    state = after(workbench.start(), workbench.TypeJobspec(whole, "json"))
    assert state.jobspec()["tasks"][0]["slot"] == "a😀"


def test_bytes_that_are_no_characters_in_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in (["shape"], ["query"], ["match", "-r", "demo"]):
        assert cli.run([*verb, os.fsdecode(b"g\xff")]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "the byte 0xff is not UTF-8" in err
