"""What is said of bad inputs, word by word; the table is messages.toml."""

import tomllib
from pathlib import Path

import pytest

from tests.messages import READERS, read

TABLE = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
ROWS = [(kind, *row) for kind, rows in TABLE.items() for row in rows]


@pytest.mark.parametrize(("kind", "text", "message", "where", "expected"), ROWS)
def test_message(kind: str, text: str, message: str, where: str, expected: str) -> None:
    problem = read(kind, text)[0]
    place = text[slice(*problem.span)] if problem.span else problem.path or ""
    assert (problem.message, place, ", ".join(problem.expected)) == (message, where, expected)
    assert problem.rule.startswith("RFC ")


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(READERS)
    assert len(ROWS) >= 60


@pytest.mark.parametrize(("kind", "text"), [row[:2] for row in ROWS])
def test_style(kind: str, text: str) -> None:
    for problem in read(kind, text):
        assert not problem.message.endswith((".", "!"))
        assert len(problem.message) <= 160
        for word in ("token", "parse", "invalid", "syntax", "Error", "Exception"):
            assert word not in problem.message.replace(text, "")
