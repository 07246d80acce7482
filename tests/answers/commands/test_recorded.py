"""What Flux itself makes of command lines, beside what is read from them and written as them.

The rows and how they were recorded are described in ``flux.py`` beside this file.
"""

import shlex
from operator import itemgetter
from typing import Any

import pytest

from fluxtui.answers.commands import differences, flux_from, scripts
from fluxtui.answers.commands.jobs import Rendering
from fluxtui.answers.commands.translation import from_command, to_command
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem
from tests.answers.commands import flux
from tests.each import for_each

LINES = flux.rows("flux_lines.jsonl")
SAID = flux.rows("flux_said.jsonl")

Row = dict[str, Any]


def read(row: Row) -> tuple[dict[str, Any] | None, list[Problem]]:
    """What the line of a row is read as, with the script that is beside it."""
    if "script" not in row:
        found = from_command(row["line"], flux.ENVIRON)
        document = None if found.document is None else dict(found.document)
        return document, list(found.problems)
    program, command, *words = shellwords.split(row["line"]).value
    assert program.text == "flux"
    script = scripts.read(row["script"], "flux")
    placed = scripts.Command(f"flux {command.text}", words, script=script)
    document, line = flux_from.from_command(placed, flux.ENVIRON)
    return document, line.problems


def test_there_are_enough_rows() -> None:
    assert len([row for row in LINES if row["made"]]) >= 200
    assert len([row for row in LINES if row["made"] is None]) >= 50
    assert len([row for row in SAID if row["made"]]) >= 300


@for_each("row", LINES, itemgetter("line"))
def test_a_line_is_read_as_what_flux_makes_of_it(row: Row) -> None:
    document, problems = read(row)
    errors = [problem.message for problem in problems if problem.severity == "error"]
    if row["made"] is None:
        assert errors
    else:
        assert errors == []
        assert document == row["made"]


def _rendering(row: Row) -> Rendering:
    """The rendering of the document that is the line of the row."""
    name = " ".join(shlex.split(row["line"])[:2])
    (found,) = to_command(row["document"], [name])
    assert found.text == row["line"]
    return found


@for_each("row", SAID, itemgetter("line"))
def test_a_written_line_is_exact_just_where_flux_makes_the_same_of_it(row: Row) -> None:
    found = _rendering(row)
    assert row["made"] is not None, "Flux takes every line that is written"
    assert found.exact == (differences.between(row["document"], row["made"]) == ())
    assert found.exact or found.notes
    document, problems = read(row)
    assert problems == []
    assert document == row["made"]


def test_most_of_it_is_exact() -> None:
    assert sum(_rendering(row).exact for row in SAID) > len(SAID) / 2


@pytest.mark.skipif(not flux.installed(), reason="there is no Flux that answers")
@for_each("row", [*LINES[::8], *SAID[::8]], itemgetter("line"))
def test_the_installed_flux_answers_as_the_recorded_one(row: Row) -> None:
    assert flux.ask(row["line"], row.get("script")) == row["made"]
