"""Completion: what is offered, and what real shells make of it where they are installed."""

import argparse
import os
import shutil
import sys
from pathlib import Path

import pytest

from fluxtui.cli import completing, verbs
from fluxtui.cli.completion import SHELLS, script
from tests import hostile
from tests.each import for_each
from tests.ui.documents import document, write_document
from tests.ui.terminal import Terminal

BREAKS = " \t\n\"'@><=;|&(:"
RUNNING = Path(__file__).parents[2] / "screenshots" / "running.json"


def offered(line: str, shell: str = "fish") -> list[str]:
    """The words that are offered at the end of a line, behind the flags."""
    flags, *found = completing.answer(line, shell, BREAKS)
    return [flags[0], *(words[0] for words in found)]


def test_every_value_is_completed_or_free() -> None:
    for name, parser in verbs.parsers().items():
        for action in parser.declared():
            known = action.choices is not None or action.dest in completing.VALUES
            takes = action.nargs != 0 and not isinstance(action, argparse._HelpAction)
            assert not takes or known or action.dest in completing.FREE, (name, action.dest)


@for_each("line, flags, first", [
    ("fluxtui sn", "files", ["snapshot"]),
    ("fluxtui -r demo sn", "files", []),  # a verb comes first
    ("fluxtui fit --sh", "words", ["--shape"]),
    ("fluxtui fit -s node --sh", "words", []),
    ("fluxtui -r demo --reso", "words", ["--resources"]),  # again for another one
    ("fluxtui -r de", "files", ["demo"]),
    ("fluxtui -r demo --theme cla", "words", ["clarity"]),
    ("fluxtui check -o ", "words", ["text", "json"]),
    ("fluxtui match -r demo --state f", "words", ["free"]),
    ("fluxtui match -r demo 'gpu&-de", "nospace", ["gpu&-debug"]),
    ("fluxtui match -r demo gpu and -de", "nospace", ["-debug"]),
    ("fluxtui match -r demo -de", "nospace", ["-debug"]),
    ("fluxtui match -r demo --why dunem", "nospace", ["dunemem[1-8]", "dunemem1", "dunemem2"]),
    ("fluxtui match -r demo rank:0 -o ex", "words", ["explain"]),
    ("fluxtui -r demo --requires=gp", "nospace", ["--requires=gpu"]),
    ("fluxtui query ho", "nospace", ["host:"]),
    ("fluxtui shape slot=4/nod", "nospace", ["slot=4/node"]),
    ("fluxtui fit -r demo --queue ", "words", ["batch", "debug", "gpu"]),
    (f"fluxtui jobs -r {RUNNING} --why ƒk", "words", ["ƒkZFuCb"]),
    ("fluxtui jobs --sort ti", "words", ["time"]),
    ("fluxtui completion z", "words", ["zsh"]),
    ("fluxtui snapshot --every ", "words", []),
    ("X=1 /opt/bin/fluxtui fit --sh", "words", ["--shape"]),
])  # fmt: skip
def test_what_is_offered(line: str, flags: str, first: list[str]) -> None:
    found = offered(line)
    assert found[0] == flags
    assert found[1 : len(first) + 1] == first
    assert first or len(found) == 1


@for_each("line, first", [
    ("fluxtui match -r demo host:dune-l", "dune-login\\[1-4\\]"),  # from the last colon on
    ("fluxtui match -r demo 'host:dune-l", "host:dune-login[1-4]"),  # from the quote on
    ("fluxtui -r demo --requires='gp", "gpu"),
    ("fluxtui -r demo --requires=gp", "gpu"),
    ("fluxtui match -r demo --why dunem", "dunemem\\[1-8\\]"),
])  # fmt: skip
def test_what_bash_puts_in(line: str, first: str) -> None:
    assert offered(line, "bash")[1] == first


ASKED = {
    "fluxtui snap": "fluxtui snapshot",
    "fluxtui match -r demo 'gpu&-de": "fluxtui match -r demo 'gpu&-debug",
    "fluxtui match -r demo host:dune-lo": "fluxtui match -r demo host:dune-login",
    "fluxtui fit -r demo --queue deb": "fluxtui fit -r demo --queue debug",
    "fluxtui fit --sha": "fluxtui fit --shape",
    "fluxtui check my": "fluxtui check my\\ job.yaml",
    "fluxtui -r ./si": "fluxtui -r ./site.json",
}


@for_each("text", [*hostile.SHELL.values(), *hostile.MARKUP.values()])
def test_bash_reads_what_is_put_in_as_the_word(text: str) -> None:
    word = f"node{text}"
    for typed in ("no", "'no", '"no'):
        kept = typed[0] if typed[0] in "'\"" else ""
        line = f"{kept}{completing._for_bash(word, typed, '')}{kept}"
        if "\n" not in text:  # no such word is offered
            assert hostile.read_by("bash", line, "--norc") == [word]


def test_a_word_that_is_not_seen_is_not_offered(folder: Path) -> None:
    names = {"gpu": "0", **{f"gpu{text}": "0" for text in hostile.UNSEEN.values()}}
    write_document(folder / "R.json", document(2, names))
    for shell in SHELLS:
        assert len(offered("fluxtui match -r R.json gp", shell)) == 2


STARTED = {
    "bash": (["--norc", "--noprofile", "-i"], "PS1='> '"),
    "zsh": (["-f", "-i"], "PROMPT='> '; autoload -Uz compinit; compinit -u -d ./dump"),
    "fish": (["--no-config", "-i"], "function fish_prompt; echo '> '; end; clear"),
}
RUN = "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files, a home of its own, and the command on the search path."""
    program = tmp_path / "bin" / "fluxtui"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m fluxtui "$@"\n')
    program.chmod(0o755)
    for shell in SHELLS:
        (tmp_path / shell).write_text(script(shell))
    (tmp_path / "my job.yaml").write_text("")
    (tmp_path / "site.json").write_text("")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_a_real_shell(shell: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    arguments, prepare = STARTED[shell]
    with Terminal(shell, *arguments, program=("-c", RUN), columns=100, rows=60) as terminal:
        terminal.send(f"{prepare}\n")
        terminal.send(f". ./{shell}; echo rea''dy\n")
        terminal.wait_until(lambda shown: shown.rstrip().endswith("ready\n>"), "a prompt")
        for typed, becomes in ASKED.items():
            terminal.send(f"{typed}\t")
            terminal.wait_for(f"> {becomes}")
            terminal.send("\x15")  # nothing is left of the line
            terminal.wait_until(lambda shown: shown.rstrip().endswith("\n>"), "an empty line")
