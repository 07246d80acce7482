"""A kind of input, and the laws that hold for answers of all kinds."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.notation.problem import MAX_PROBLEMS, Completion, Problem, render
from tests.campaign.mutation import BETWEEN, Source

#: Problems of a few lists, each of which ends with one that counts the others.
MANY = 5 * (MAX_PROBLEMS + 1)
#: Problems that are printed, which takes much more time than to find them.
RENDERED = 2
#: What a rendered line may hold that `str.isprintable` has not.
_SPACES = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input: what is done with one, and where its parts come from.

    run is called with the parts of an input. It raises AssertionError where a law is broken, and
    nothing else; what it returns is the same for the same input.
    """

    name: str
    run: Callable[..., object]
    sources: tuple[Source, ...]

    def __call__(self, text: str) -> object:
        """Do with an input what is done with one of this kind."""
        parts = text.split(BETWEEN)
        return self.run(*parts[: len(self.sources)], *[""] * (len(self.sources) - len(parts)))


def sound(problems: Sequence[Problem], text: str | None = None) -> tuple[str, ...]:
    """Every problem says what, lies in the text, and can be printed; their messages."""
    assert len(problems) <= MANY, "there are more problems than anybody reads"
    for number, problem in enumerate(problems):
        assert problem.message, "a problem has no message"
        *_, last = problem.message.split(" ")  # a name may end in a full stop
        stopped = last.endswith(".") and not last.endswith("...") and last not in (text or "")
        assert not stopped, "a message ends with a full stop"
        assert len(problem.message) < 1000, "a message is longer than anybody reads"
        if text is not None and problem.span is not None:
            inside = 0 <= problem.span.start <= problem.span.end <= len(text)
            assert inside, "a problem lies outside of its text"
        if number < RENDERED:
            lines(render(problem, text).split("\n"))
            json.dumps(problem.to_json())
    return tuple(problem.message for problem in problems)


def lines(shown: Iterable[str]) -> tuple[str, ...]:
    """No line holds what acts on a terminal."""
    found = tuple(shown)
    for line in found:
        if not line.isprintable():
            odd = next((c for c in line if not c.isprintable() and c not in _SPACES), "")
            assert not odd, f"a line holds {odd.encode('unicode_escape').decode()}"
    return found


def offers(found: Sequence[Completion], text: str, cursor: int) -> None:
    """Each completion is for the place that it is asked for, and says something."""
    for one in found:
        span = one.span
        assert 0 <= span.start <= cursor <= len(text), "a completion lies behind the cursor"
        assert span.start <= span.end <= len(text), "a completion lies outside of its text"
        lines([one.description])


def one_json(text: str) -> Any:
    """A line of an answer is one JSON value, in printable ASCII."""
    assert text.isascii(), "an answer is not ASCII"
    lines([text])
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"an answer holds {name}, which JSON lacks")
