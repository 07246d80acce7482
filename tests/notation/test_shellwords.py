"""Shell words: those of Python's shlex, with their places, and problems where it raises."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, is_printable
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


@given(st.lists(SIGNS | TEXT, max_size=6))
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


@for_each("line, words", [
    (r"$'a'", ["a"]), (r"$'a\0b'c", ["ac"]), ("\"$'a'\" '$'x", ["$'a'", "$x"]),
    (r"a$'\x1b'b $'\e[0m' \$x $'' '$'", ["a\x1bb", "\x1b[0m", "$x", "", "$"]),
    (r"$'\'\\\"\a\n\t\033\x9\cA\q'", ["'\\\"\a\n\t\x1b\t\x01\\q"]),
    (r"$'\c?\c\\a\c[\cz'", ["\x7f\x1ca\x1b\x1a"]),
    (r"$'\xc2\x9b\u00e9\U0001F600日'", ["\x9bé😀日"]),
])  # fmt: skip
def test_words_with_escapes(line: str, words: list[str]) -> None:
    assert texts(line) == words
    assert as_bash(line) == words


def as_bash(line: str) -> list[str]:
    """The words of a line as bash makes them."""
    return as_shell("bash", line)


def as_shell(shell: str, line: str) -> list[str]:
    show = "import sys, json; print(json.dumps(sys.argv[1:]))"
    done = subprocess.run(
        [shell, "-c", f"exec {shlex.quote(sys.executable)} -c {shlex.quote(show)} {line}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]},
    )
    found: list[str] = json.loads(done.stdout)
    return found


CODES = "\x1b[201~\r\x9b31m\x07\x7f\u2028\u202e\xa0\ttext'\\é日"


#: Each of these is a word that some shell would take for something else.
WORDS = [
    CODES, f"--name={CODES}", "two\nlines", "\x1b\n", "\n\x1b\n", "=ls", "--a==ls", "~", "~root/x",
    "{a,b}", "a{1..3}", "!!", "it's !1", "$(id)", "`id`", "*", "[a]?", "#x", "%1", "^a^b", "-n",
    "\\033", "a=~", "<(id)", ">x", "&", ";", "|", "", "%s%n", "\u200b", "a\u3164", "\u202eevil",
    "\ufe0f",
    *(chr(n) for n in range(1, 0x120)),
]  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
def test_what_is_quoted_is_read_back_by_each_shell(shell: str) -> None:
    line = shellwords.join(WORDS)
    assert all(is_printable(c) or c == "\n" for c in line)
    assert texts(line) == WORDS
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert as_shell(shell, line) == WORDS


@for_each("text", [r"$'\x80abc'", r"x$'\xff'", r"$'\ud83d'"])
def test_bytes_that_are_no_text_are_a_problem(text: str) -> None:
    (_, word), (problem,) = shellwords.split(f"a {text}", 5)
    assert "\\x" in word.text
    assert word.text.isascii()
    assert "is not UTF-8" in problem.message
    assert problem.span == (7, 7 + len(text))
