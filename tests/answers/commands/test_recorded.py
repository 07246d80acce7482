"""What Flux itself makes of command lines, beside what is read from them and written as them.

``python -m tests.answers.commands.test_recorded`` asks the ``flux`` on the path again and writes
the answers into the files of recorded rows. Each row has the ``line``, the ``script`` that the line
calls script.sh if it has one, and ``made``: the jobspec that ``--dry-run`` prints, or null where
Flux refuses the line. The rows of ``flux_said.jsonl`` also have the ``document`` that was written,
those of ``flux_converted.jsonl`` the ``text`` of another system that the line and the script were
converted from.
They were recorded with flux-core 0.88.

Not recorded is what Flux takes from where it runs: the working directory where there is no
``--cwd``, the resource limits where there is no ``--rlimit``, and of the environment all but the
variables of ``ENVIRON`` and those that the line names.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.commands import flux_from, jobs, scripts
from fluxtui.answers.commands.conversion import convert
from fluxtui.answers.commands.translation import from_command, to_command
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem
from tests.each import for_each, the

HERE = Path(__file__).parent
FILES = ("flux_lines.jsonl", "flux_said.jsonl", "flux_converted.jsonl")

#: The environment that the lines are submitted with.
ENVIRON = {"FOO": "bar", "LD_X": "1", "A": "one"}


def rows(name: str) -> list[dict[str, Any]]:
    """The recorded rows of a file."""
    text = (HERE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def installed() -> bool:
    """Whether there is a Flux that answers."""
    asked = ["flux", "--version"]
    is_there = shutil.which("flux") is not None
    return is_there and not subprocess.run(asked, capture_output=True, check=False).returncode


def ask(line: str, script: str | None = None) -> dict[str, Any] | None:
    """The jobspec that the installed Flux makes of a line; None where it refuses."""
    program, command, *words = shlex.split(line)
    with tempfile.TemporaryDirectory() as place:
        if script is not None:
            Path(place, "script.sh").write_text(script, encoding="utf-8")
        answer = subprocess.run(
            [program, command, "--dry-run", *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=place,
            env={"PATH": os.environ["PATH"], **ENVIRON},
            check=False,
        )
    if answer.returncode != 0:
        return None
    made: dict[str, Any] = json.loads(answer.stdout)
    return told(made, f"{line}\n{script or ''}", place)


def told(made: dict[str, Any], text: str, place: str) -> dict[str, Any]:
    """What Flux made of a line, without what it took from where it ran."""
    system = made["attributes"]["system"]
    if any(f"--setattr={quote}.system=" in text for quote in ("", "'", '"')):
        return made
    if system.get("cwd") == os.path.realpath(place):
        del system["cwd"]
    environment = system.pop("environment")
    if "--env" in text or "environment" in text:
        kept = {name: environment[name] for name in environment if name in ENVIRON or name in text}
        system["environment"] = kept
    if "rlimit" not in text and jobs.value_at(system, "shell", "options", "rlimit"):
        jobs.drop(system, "shell", "options", "rlimit")
    return made


LINES = rows("flux_lines.jsonl")
SAID = rows("flux_said.jsonl")
CONVERTED = rows("flux_converted.jsonl")

Row = dict[str, Any]


def read(row: Row) -> tuple[dict[str, Any] | None, list[Problem]]:
    """What the line of a row is read as, with the script that is beside it."""
    if "script" not in row:
        found = from_command(row["line"], ENVIRON)
        document = None if found.document is None else dict(found.document)
        return document, list(found.problems)
    program, command, *words = shellwords.split(row["line"]).value
    assert program.text == "flux"
    script = scripts.read(row["script"], "flux")
    placed = scripts.Command(f"flux {command.text}", words, script=script)
    document, line = flux_from.from_command(placed, ENVIRON)
    return document, line.problems


@for_each("row", [*LINES, *SAID, *CONVERTED], itemgetter("line"))
def test_a_line_is_read_as_what_flux_makes_of_it(row: Row) -> None:
    document, problems = read(row)
    errors = [problem.message for problem in problems if problem.severity == "error"]
    if row["made"] is None:
        assert errors
    else:
        assert errors == []
        assert document == row["made"]


@for_each("row", SAID, itemgetter("line"))
def test_a_written_line_is_exact_just_where_flux_makes_the_same_of_it(row: Row) -> None:
    (found,) = to_command(row["document"], [" ".join(shlex.split(row["line"])[:2])])
    assert found.text == row["line"]
    assert row["made"] is not None, "Flux takes every line that is written"
    assert found.exact == (jobs.differences(row["document"], row["made"]) == ())
    assert found.exact or found.notes


@for_each("row", CONVERTED, itemgetter("text"))
def test_flux_makes_of_a_conversion_what_it_says(row: Row) -> None:
    found = convert(row["text"], "flux")
    assert row["made"] is not None, "Flux takes every line and script that is written"
    key, written = ("script", found.script) if "script" in row else ("line", found.command)
    assert written == row[key]
    differ = jobs.differences(the(found.document), row["made"])
    # Its name is that of the file, or of the command; the script has directives.
    own = ("attributes.system.job", "attributes.system.files")
    rest = [one for one in differ if not one.path.startswith(own)]
    assert rest == [] or found.notes
    environment = jobs.value_at(row["made"], "attributes", "system", "environment")
    if environment is not None and not found.notes:
        meant = from_command(row["text"], ENVIRON).document
        assert jobs.value_at(meant, "attributes", "system", "environment") == environment


@pytest.mark.skipif(not installed(), reason="there is no Flux that answers")
@for_each("row", [*LINES[::8], *SAID[::8], *CONVERTED[::8]], itemgetter("line"))
def test_the_installed_flux_answers_as_the_recorded_one(row: Row) -> None:
    assert ask(row["line"], row.get("script")) == row["made"]


if __name__ == "__main__":
    for name in FILES:
        recorded = rows(name)
        for row in recorded:
            row["made"] = ask(row["line"], row.get("script"))
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in recorded)
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(recorded)} rows\n")
