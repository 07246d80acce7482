"""What is told of constraints is as it is recorded; see `tests.answers.explain.answers`."""

from tests.answers.explain.answers import FILE, answer
from tests.recorded import Agree, rerun


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(FILE, rerun(FILE, answer))
