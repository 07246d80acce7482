"""The keys of the constraint's tree at work: an edit of the text, or a question before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from textual.widget import Widget

from fluxtui.model.constraint import completion
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.constraint.reading_keys import PART_KEYS, Question
from fluxtui.ui.kit.prompt import Prompt

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
