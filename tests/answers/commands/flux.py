"""What Flux makes of command lines: recorded answers, and those of a Flux that is installed.

``python -m tests.answers.commands.flux`` asks the ``flux`` on the path again and writes the
answers into the files of recorded rows. Each row has the ``line``, the ``script`` that the line
calls script.sh if it has one, and ``made``: the jobspec that ``--dry-run`` prints, or null where
Flux refuses the line. The rows of ``flux_said.jsonl`` also have the ``document`` that was said.
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
from pathlib import Path
from typing import Any

from fluxtui.answers.commands import jobs

HERE = Path(__file__).parent
FILES = ("flux_lines.jsonl", "flux_said.jsonl")

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


if __name__ == "__main__":
    for name in FILES:
        recorded = rows(name)
        for row in recorded:
            row["made"] = ask(row["line"], row.get("script"))
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in recorded)
        (HERE / name).write_text(text, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(recorded)} rows\n")
