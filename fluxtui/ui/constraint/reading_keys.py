"""What the keys of a constraint's tree do to the part that is selected.

Every edit is loaded with the first key that needs it, as the first frame does without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fluxtui.answers.explain.edit import Edited
    from fluxtui.answers.explain.explanation import Explanation, Part


#: What the pane shows: the tree, or the RFC 31 object.
Form: TypeAlias = Literal["tree", "json"]

_FORMS: dict[Form, str] = {"tree": "Tree", "json": "JSON"}


class Question(NamedTuple):
    """A question that comes before an edit: what is asked for, and the edit for an answer."""

    text: str
    edit: Callable[[str], Edited]


class PartKey(NamedTuple):
    """One key of the tree.

    key    its names for Textual
    shown  how it is written in the help
    word   what it does, in a word for the frame
    help   the same, in words
    act    the edit of a part of an explanation, or the question before it
    """

    key: str
    shown: str
    word: str
    help: str
    act: Callable[[Explanation, Part], Edited | Question]


def _negate(explanation: Explanation, part: Part) -> Edited:
    from fluxtui.answers.explain.edit import negate

    return negate(explanation, part)


def _swap(explanation: Explanation, part: Part) -> Edited:
    from fluxtui.answers.explain.edit import swap

    return swap(explanation, part)


def _delete(explanation: Explanation, part: Part) -> Edited:
    from fluxtui.answers.explain.edit import delete

    return delete(explanation, part)


def _join(explanation: Explanation, part: Part, operator: Literal["and", "or"]) -> Question:
    from fluxtui.answers.explain.edit import join

    return Question(operator, lambda text: join(explanation, part, operator, text))


def _and(explanation: Explanation, part: Part) -> Question:
    return _join(explanation, part, "and")


def _or(explanation: Explanation, part: Part) -> Question:
    return _join(explanation, part, "or")


PART_KEYS = (
    PartKey(
        "exclamation_mark,minus", "!  -", "not", "ask for the opposite; take a not away", _negate
    ),
    PartKey("o", "o", "and/or", "make an and an or, and the other way round", _swap),
    PartKey("d,delete", "d  delete", "drop", "leave the part out", _delete),
    PartKey("a,ampersand", "a  &", "and", "ask for something else as well", _and),
    PartKey("vertical_line", "|", "or", "or let something else do", _or),
)

#: All keys of the pane, for the help.
READING_KEYS = (
    *((key.shown, key.help) for key in PART_KEYS),
    ("1 … 9", "take a change that is offered"),
    ("enter", "go on in the text, at the part"),
    ("j", "the RFC 31 object, which enter edits; and the tree again"),
)

# How the keys are told in the frame, the longest that fits.
_FRAME = (
    "! not · o and/or · d drop · & and · | or · j JSON",
    "! not  o and/or  d drop  & |  j JSON",
    "! not  o and/or  d drop  & |  j",
    "! not  o swap  d drop  & |",
    "! o d & | edit  j JSON",
    "! o d & | edit",
    "! o d & |",
)


def form_names(form: Form) -> str:
    """The names of all forms for the frame, as markup, that of the one in sight marked."""
    marks = {known: "b" if known == form else "dim" for known in _FORMS}
    return " │ ".join(f"[{marks[known]}]{name}[/]" for known, name in _FORMS.items())


class Doing(NamedTuple):
    """What a person is about in the pane.

    tree     the tree of a constraint is shown
    inside   the keys are for the tree
    stale    it is that of an earlier text
    ways     how many ways there are for a number to take
    """

    tree: bool
    inside: bool
    stale: bool
    ways: int


def frame_words(width: int, doing: Doing) -> str:
    """What can be done, in so many columns."""
    numbers = "1" if doing.ways == 1 else f"1-{doing.ways}" if doing.ways else ""
    if doing.stale:
        return "stale"
    if not doing.tree:
        return ""
    if doing.inside:
        return _keys(width, numbers)
    return f"F3, then {numbers} takes a change" if numbers else ""


def _keys(width: int, numbers: str) -> str:
    for words in _FRAME:
        whole = f"{numbers} change · {words}" if numbers else words
        if len(whole) <= width:
            return whole
    return f"{numbers} change" if numbers else "F1"
