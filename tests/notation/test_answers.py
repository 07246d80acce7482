"""The small notations answer as it is recorded; see `tests.notation.answers`."""

from tests.notation.answers import FILE, answer
from tests.recorded import Agree, rerun


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(FILE, rerun(FILE, answer))
