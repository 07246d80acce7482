"""The keys of the constraint's tree at work: an edit of the text, or a question before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from textual.widget import Widget

from fluxtui.model.constraint import completion
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.constraint.explain_lines import TreeLines
from fluxtui.ui.kit.prompt import Prompt

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
EXPLAIN_KEYS = (
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


if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation, Part

# Texts for which it is known what was selected: as many as a person may want to go back to.
MOST_TEXTS = 200


class Selection:
    """The part that is selected in the tree of a constraint, by its path."""

    def __init__(self) -> None:
        self._explanation: Explanation | None = None
        self._before: dict[str, str] = {}  # what was selected last, by the text
        #: The lines of the tree; None without a constraint.
        self.tree: TreeLines | None = None
        #: The path of the part, which may be one that a line of another part tells.
        self.path = ""

    @property
    def row(self) -> int:
        """The row of the part in the tree; 0 where there is none."""
        row = self.tree.row_of(self.path) if self.tree is not None else None
        return row or 0

    @property
    def part(self) -> Part | None:
        """The part; None without a constraint."""
        return self.tree.rows[self.row].part if self.tree is not None else None

    def begin(
        self, explanation: Explanation | None, tree: TreeLines | None, wanted: str | None
    ) -> None:
        """Another constraint is in force, with its tree.

        Selects the part with the path that is wanted; without one, what was selected when this
        text was seen last, as after an undo; else what stands where the part stood.
        """
        before = self.part
        if self._explanation is not None:
            self._note(self._explanation.reading.text)
        self._explanation, self.tree = explanation, tree
        if explanation is None:
            self.path = wanted or self.path
            return
        if wanted is None:
            wanted = self._before.get(explanation.reading.text)
        self.path = self.path if wanted is None else wanted
        if explanation.part(self.path) is None:
            near = before.span.start if before is not None and before.span is not None else 0
            self.path = ""
            self.follow(near)

    def _note(self, text: str) -> None:
        self._before.pop(text, None)
        self._before[text] = self.path
        if len(self._before) > MOST_TEXTS:
            del self._before[next(iter(self._before))]

    def follow(self, cursor: int) -> None:
        """Select the smallest part at a place of the text, where one is."""
        part = self._explanation.part_at(cursor) if self._explanation is not None else None
        if part is not None:
            self.path = part.path


if TYPE_CHECKING:
    from fluxtui.answers.explain.edit import Edited
    from fluxtui.answers.explain.explanation import Explanation, Part
    from fluxtui.model.constraint.completion import Names

UNFINISHED = Problem("finish the constraint first")


class Bar(NamedTuple):
    """The text of the constraint, where a person types it.

    edit    make this its text at one stroke
    type    make this its text, as one types on
    point   select a part of it, without going there; None ends that
    go_to   go there, to this place
    cursor  the place where a person is in it, None while they are elsewhere
    names   the names that may stand in it
    """

    edit: Callable[[str], None]
    type: Callable[[str], None]
    point: Callable[[Span | None], None]
    go_to: Callable[[int], None]
    cursor: Callable[[], int | None]
    names: Callable[[], Names]


class PartEditor:
    """Edits one part of a constraint, after a question at the foot of a pane where one is due.

    pane is where the question stands, back goes from it to the tree, on_problem is called with
    words for what speaks against an edit.
    """

    def __init__(
        self,
        pane: Widget,
        bar: Bar,
        back: Callable[[], object],
        on_problem: Callable[[str], None],
    ) -> None:
        self._pane = pane
        self._bar = bar
        self._back = back
        self._on_problem = on_problem
        self._explanation: Explanation | None = None  # the one in force
        self._prompt: Prompt | None = None
        #: The text cannot be read any more: an edit of its last reading would write over it.
        self.stale = False
        #: Where the edit leads that is being made: the path of a part of the next constraint.
        self.wanted: str | None = None

    @property
    def asking(self) -> Widget | None:
        """Where the answer to an open question is typed; None where there is none."""
        asks = self._prompt is not None and self._prompt.display
        return self._prompt.entry if self._prompt is not None and asks else None

    def begin(self, explanation: Explanation | None) -> None:
        """Another constraint is in force: the answer to an open question would bring it back."""
        self._explanation = explanation
        if self._prompt is not None and self._prompt.display:
            self._prompt.close()

    async def change(self, number: int, part: Part) -> None:
        """Do what the key of a number does to a part."""
        explanation = self._explanation
        if explanation is None:
            return
        found = PART_KEYS[number].act(explanation, part)
        if isinstance(found, Question):
            await self._ask(explanation, found)
        else:
            self._take(found)

    async def _ask(self, explanation: Explanation, question: Question) -> None:
        if self._prompt is None:
            self._prompt = Prompt(self._back, id="part-prompt")
            await self._pane.mount(self._prompt)
            if explanation is not self._explanation:  # another one came meanwhile
                return
        # Who left an open question and asks again finds what they had typed.
        self._prompt.ask(
            question.text,
            self._prompt.entry.value if self._prompt.display else "",
            lambda text: self._take(question.edit(text)),
            lambda text: question.edit(text).problem if text.strip() else None,
            lambda text, cursor: completion.completions(text, cursor, self._bar.names()),
        )

    def _take(self, edited: Edited) -> Problem | None:
        """Hand an edit on; the problem that it has."""
        problem = UNFINISHED if self.stale else edited.problem
        if problem is not None:
            self._on_problem(problem.message)
            return problem
        self.wanted = edited.path
        self._bar.edit(edited.text)
        self.wanted = None
        return None
