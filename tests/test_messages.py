"""What is said of bad inputs, word by word; the table is messages.toml."""

import tomllib
from pathlib import Path

from fluxtui.answers.commands.translation import PROGRAMS
from tests.each import for_each
from tests.messages import READERS, WITHIN, read

TABLE = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
ROWS = [(kind, *row) for kind, rows in TABLE.items() for row in rows]


#: Rules of none of the RFCs.
OTHER_RULES = (
    *("flux-core", "flux-config-resource(5)", "settings", "theme", "POSIX shell", "YAML", "TOML"),
    *(*PROGRAMS, "#SBATCH", "#PBS", ""),
)


@for_each("kind, text, message, where, expected", ROWS)
def test_message(kind: str, text: str, message: str, where: str, expected: str) -> None:
    problems = read(kind, text)
    first = problems[0]
    place = text[slice(*first.span)] if first.span else first.path or ""
    said = f"{'warning: ' if first.severity == 'warning' else ''}{first.message}"
    assert (said, place, ", ".join(first.expected)) == (message, where, expected)
    assert first.rule.startswith("RFC ") or first.rule in OTHER_RULES
    for problem in problems:
        assert not problem.message.removesuffix("#!").endswith((".", "!"))
        assert len(problem.message) <= 160
        for word in ("token", "parse", "invalid", "syntax", "Error", "Exception"):
            assert word not in problem.message.replace(text, "")


def test_there_are_messages_of_every_kind() -> None:
    assert set(TABLE) == set(READERS)


@for_each("kind, text", [row[:2] for row in ROWS if row[0] in WITHIN])
def test_places_count_from_where_the_text_begins(kind: str, text: str) -> None:
    alone, within = WITHIN[kind](text, 0), WITHIN[kind](text, 7)
    assert within.value == alone.value
    moved = [(start + 7, end + 7) for start, end in (one.span for one in alone.problems)]
    assert [tuple(one.span) for one in within.problems] == moved
