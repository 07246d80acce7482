"""A constraint as the lines of a tree: each of its parts behind the guides that lead to it."""

from collections.abc import Iterator
from typing import NamedTuple

from fluxtui.answers.explain.parts import Part
from fluxtui.model.constraint.tree import Not


class Line(NamedTuple):
    """A part, what is drawn before it (``│ └ ``), and its words."""

    part: Part
    guide: str
    words: str

    @property
    def note(self) -> str:
        """What is worth saying of its counts; empty where nothing is."""
        if self.part.adds is not None:
            return f"adds {self.part.adds:,}"
        return "nothing is left" if self.part.empties else ""


def lines(root: Part) -> Iterator[Line]:
    """A part and all below it, parents first; ``not`` of a single term is one line."""
    return _lines(root, "", "")


def _lines(part: Part, lead: str, guide: str) -> Iterator[Line]:
    single = isinstance(part.constraint, Not) and len(part.parts) == 1
    told = single and not part.parts[0].parts
    yield Line(part, lead, part.words if told else part.label)
    for number, inner in enumerate(() if told else part.parts):
        last = number == len(part.parts) - 1
        branch, stem = ("└ ", "  ") if last else ("├ ", "│ ")
        yield from _lines(inner, guide + branch, guide + stem)
