"""A property turned in the constraint, and turned back."""

from typing import NamedTuple

from fluxtui.answers.explain.properties import standings
from fluxtui.answers.explain.properties import turned as turned_text
from fluxtui.workbench import Ask


class _Turn(NamedTuple):
    """The last turn: what stood there before and after it, and what was turned."""

    before: str
    after: str
    name: str
    wanted: bool


class Turner:
    """Turns properties in the constraint (`fluxtui.answers.explain.properties`).

    What is taken out and put in again at once, or put in and taken out, leaves the text as it was,
    though the condition stood in its midst.
    """

    def __init__(self) -> None:
        self._last: _Turn | None = None

    def turned(self, ask: Ask, name: str, *, wanted: bool) -> str | None:
        """The text after the turn; None where the text is wrong, or would be too long."""
        last = self._last
        if last is not None and last[1:] == (ask.text, name, wanted) and not ask.stale:
            text: str | None = last.before
        else:
            text = turned_text(ask.requires, name, wanted=wanted)
        # What was turned round is not turned back by the same key: that takes it out.
        opposite = "excluded" if wanted else "required"
        round_ = standings(ask.requires.constraint).get(name) == opposite
        self._last = None
        if text is not None and not round_:
            self._last = _Turn(ask.text, text, name, wanted)
        return text
