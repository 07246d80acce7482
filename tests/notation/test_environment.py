"""The environment of a job in words: the rules of ``flux submit --env``, from nothing on.

The problems are in tests/messages.toml.
"""

import string
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import environment
from tests.each import for_each
from tests.messages import MINE


@for_each("text, variables", [
    ("", {}), ("A=1 B='two words' C=", {"A": "1", "B": "two words", "C": ""}),
    ("A=b=c", {"A": "b=c"}), ("HOME", {"HOME": "/home/me"}),
    ("OMP_*", {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close"}),
    ("OMP_PLACES=x OMP_*", {"OMP_PLACES": "x", "OMP_PROC_BIND": "close"}),
    ("OMP_* OMP_PLACES=x", {"OMP_PLACES": "x", "OMP_PROC_BIND": "close"}),
    ("OMP_* -*BIND", {"OMP_PLACES": "cores"}), ("* -*", {}), ("A=1 -A", {}),
    ("A=1 -A B=2", {"B": "2"}), ("PATH=$PATH:/opt", {"PATH": "/usr/bin:/bin:/opt"}),
    ("PATH=/a PATH=${PATH}:/b", {"PATH": "/a:/b"}),
    ("A=\"$HOME/x\" B='$HOME' C=\\$HOME", {"A": "/home/me/x", "B": "$HOME", "C": "$HOME"}),
    ('A=$QUOTE B="$QUOTE"', {"A": MINE["QUOTE"], "B": MINE["QUOTE"]}),
    ("A=x B=$A$A", {"A": "x", "B": "xx"}), ("A=5$ B=$1", {"A": "5$", "B": "$1"}),
])  # fmt: skip
def test_reads(text: str, variables: dict[str, str]) -> None:
    found = environment.parse(text, MINE)
    assert found.problems == ()
    assert found.variables == variables


NAMES = st.text(string.printable, max_size=5) | st.sampled_from(
    ["A", "B_1", "x%%", "-a", "^", "$x"]
)
TEXTS = st.text(string.printable + "é", max_size=8) | st.sampled_from(["$HOME", "'", '"$A"', "\\"])


@given(st.dictionaries(NAMES, st.none() | TEXTS, max_size=5))
def test_what_is_written_is_read(variables: dict[str, Any]) -> None:
    try:
        text = environment.format(variables)
    except ValueError:
        return
    assert text.isprintable()
    for mine in ({}, MINE):
        found = environment.parse(text, mine)
        assert found.variables == variables
        assert list(found.variables) == list(variables)
        assert found.ok


@for_each("variables, text", [
    ({"A": "1", "B": "two words", "C": None, "D": ""}, "A=1 B='two words' -C D="),
    ({"A": "$HOME", "B": "it's"}, "A='$HOME' B=\"it's\""), ({"A B": "x"}, "'A B=x'"),
])  # fmt: skip
def test_writes(variables: dict[str, Any], text: str) -> None:
    assert environment.format(variables) == text


@for_each("variables", [
    {}, {"a=b": "c"}, {"": "x"}, {"A": "l\n"}, {"-A": "x"}, {"{": "x"}, {"A*": None}, {"/a": None},
])  # fmt: skip
def test_what_no_words_express(variables: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        environment.format(variables)


def test_secrets_are_not_shown() -> None:
    assert environment.shown("API_TOKEN", "abc") == "3 characters"
    assert environment.shown("HOME", "/x\x1b") == "/x\\x1b"


@given(st.text("[]!-a*?^", max_size=7), st.lists(st.text("[]!-a^", min_size=1, max_size=4)))
def test_a_pattern_means_what_it_means_to_fnmatch(pattern: str, names: list[str]) -> None:
    names = [pattern, *names]
    assert environment.matching(names, pattern) == [n for n in names if fnmatchcase(n, pattern)]
