"""Shell words: those of Python's shlex, with their places, and problems where it raises."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span
from tests import hostile
from tests.each import for_each


def texts(line: str) -> list[str]:
    """The words of a line that has no problem."""
    parsed = shellwords.split(line)
    assert parsed.problems == ()
    return [word.text for word in parsed.value]


def test_a_part_of_a_word_is_placed_unless_quotes_are_in_the_way() -> None:
    plain, quoted = shellwords.split("--ntasks=x5 --ntasks='x5'").value
    assert plain.part(9) == Span(9, 11)
    assert plain.part(2, 8) == Span(2, 8)
    assert quoted.part(9) == quoted.span == Span(12, 25)


SIGNS = st.text(st.sampled_from("ab=- \t\n\\'\"$`!#é"), max_size=12)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(SIGNS | TEXT | st.sampled_from(hostile.TEXTS), max_size=6))
def test_split_undoes_join(words: list[str]) -> None:
    line = shellwords.join(words)
    assert texts(line) == words
    assert shellwords.is_plain(line)
    if all(map(shellwords.is_plain, words)):
        assert shlex.split(line) == words


@given(SIGNS.filter(lambda line: "$'" not in line))
def test_the_same_words_as_shlex(line: str) -> None:
    parsed = shellwords.split(line)
    for word in parsed.value:
        assert 0 <= word.span.start < word.span.end <= len(line)
    try:
        known = shlex.split(line)
    except ValueError:
        assert parsed.problems
        return
    assert not parsed.problems
    # Before these, shlex keeps a backslash that a shell drops.
    if not any(escape in line for escape in ("\\\n", "\\$", "\\`")):
        assert [word.text for word in parsed.value] == known


@for_each("line", [
    r"$'a'", r"$'a\0b'c", "\"$'a'\" '$'x", r"a$'\x1b'b $'\e[0m' \$x $'' '$'",
    r"$'\'\\\"\a\n\t\033\x9\cA\q'", r"$'\c?\c\\a\c[\cz'", r"$'\xc2\x9b\u00e9\U0001F600日'",
])  # fmt: skip
def test_escapes_are_those_of_bash(line: str) -> None:
    assert texts(line) == hostile.read_by("bash", line, "--norc")


WORDS = [
    *hostile.TEXTS, *(f"--name={text}" for text in hostile.TEXTS),
    "\x1b\n", "\n\x1b\n", "%1", "<(id)", *(chr(n) for n in range(1, 0x120)),
    "".join(map(chr, range(1, 0x120))),
]  # fmt: skip
SHELLS = {
    "bash": ["--norc", "-O", "extglob"],
    "dash": [],
    "zsh": ["-f", "-o", "extendedglob", "-o", "magicequalsubst"],
}


@for_each("shell", SHELLS)
def test_a_line_is_the_same_bytes_to_each_shell(shell: str) -> None:
    line = shellwords.join(WORDS)
    assert not hostile.raw(line)
    assert texts(line) == WORDS
    assert hostile.read_by(shell, line, *SHELLS[shell]) == WORDS


@for_each("shell", ["bash", "zsh"])
def test_a_line_is_pasted_into_a_shell_with_its_history(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    words = [text for text in hostile.TEXTS if "\n" not in text]
    typed = f"{shellwords.join([sys.executable, '-c', hostile.SHOW, *words])} >out\n"
    done = subprocess.run(
        [program, *SHELLS[shell], "-i"],
        check=False,
        input=f"HISTFILE=; set -o histexpand 2>/dev/null\ntrue first\n{typed}exit\n",
        text=True,
        errors="replace",  # bash may cut what it shows of the line within a character
        capture_output=True,
        cwd=tmp_path,
        env={"LC_ALL": "C.UTF-8", "HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PS1": ""},
    )
    assert json.loads((tmp_path / "out").read_text()) == words, done.stderr


@for_each("text", [r"$'\x80abc'", r"x$'\xff'", r"$'\ud83d'"])
def test_bytes_that_are_no_text_are_a_problem(text: str) -> None:
    (_, word), (problem,) = shellwords.split(f"a {text}", 5)
    assert "\\x" in word.text
    assert word.text.isascii()
    assert "is not UTF-8" in problem.message
    assert problem.span == (7, 7 + len(text))
