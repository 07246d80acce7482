"""The small notations answer as it is recorded; see `tests.notation.answers`."""

from tests.notation.answers import FILE, rerun


def test_answers_are_as_recorded() -> None:
    recorded = FILE.read_text(encoding="utf-8")
    assert rerun(recorded) == recorded
