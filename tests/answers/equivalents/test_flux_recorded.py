"""What Flux itself makes of command lines, beside what `hear` and `say` make of them.

The rows and how they were recorded are described in ``flux.py`` beside this file.
"""

from typing import Any

import pytest

from fluxtui.answers.commands import Saying, hear, same, say, scripts
from fluxtui.answers.commands.flux import from_command
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem
from tests.answers.equivalents import flux

LINES = flux.rows("flux_lines.jsonl")
SAID = flux.rows("flux_said.jsonl")

Row = dict[str, Any]


def heard(row: Row) -> tuple[dict[str, Any] | None, list[Problem]]:
    """What the line of a row is heard as, with the script that is beside it."""
    if "script" not in row:
        found = hear(row["line"], flux.ENVIRON)
        document = None if found.document is None else dict(found.document)
        return document, list(found.problems)
    program, command, *words = shellwords.split(row["line"]).value
    assert program.text == "flux"
    script = scripts.read(row["script"], "flux")
    document, line = from_command.read(command.text, words, flux.ENVIRON, (), script)
    return document, line.problems


def _id(row: Row) -> str:
    return str(row["line"])[:70]


def test_there_are_enough_rows() -> None:
    assert len([row for row in LINES if row["made"]]) >= 200
    assert len([row for row in LINES if row["made"] is None]) >= 50
    assert len([row for row in SAID if row["made"]]) >= 300


@pytest.mark.parametrize("row", LINES, ids=_id)
def test_a_line_is_heard_as_what_flux_makes_of_it(row: Row) -> None:
    document, problems = heard(row)
    errors = [problem.message for problem in problems if problem.severity == "error"]
    if row["made"] is None:
        assert errors
    else:
        assert errors == []
        assert document == row["made"]


def _saying(row: Row) -> Saying:
    """The saying of the document that is the line of the row."""
    (saying,) = [saying for saying in say(row["document"]) if saying.text == row["line"]]
    return saying


@pytest.mark.parametrize("row", SAID, ids=_id)
def test_what_is_said_is_exact_just_where_flux_makes_the_same_of_it(row: Row) -> None:
    saying = _saying(row)
    assert row["made"] is not None, "Flux takes every line that is said"
    assert saying.exact == (same.differences(row["document"], row["made"]) == ())
    assert saying.exact or saying.notes
    document, problems = heard(row)
    assert problems == []
    assert document == row["made"]


def test_most_of_it_is_exact() -> None:
    exact = [row for row in SAID if _saying(row).exact]
    assert len(exact) > len(SAID) / 2


@pytest.mark.skipif(not flux.installed(), reason="there is no Flux that answers")
@pytest.mark.parametrize("row", [*LINES[::8], *SAID[::8]], ids=_id)
def test_the_installed_flux_answers_as_the_recorded_one(row: Row) -> None:
    assert flux.ask(row["line"], row.get("script")) == row["made"]
