"""The part of a constraint that is selected, and the edits of it: at once, or after a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from textual.widget import Widget

from fluxtui.notation.problem import Problem
from fluxtui.ui.constraint.explain_lines import Tree
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.prompt import Prompt

if TYPE_CHECKING:
    from fluxtui.answers.explain.edit import Edited
    from fluxtui.answers.explain.explanation import Explanation, Part

UNFINISHED = Problem("finish the constraint first")

# Texts for which it is known what was selected: as many as a person may want to go back to.
MOST_TEXTS = 200


class SelectedPart:
    """The part that is selected in the tree of a constraint, by its path."""

    def __init__(self) -> None:
        self._explanation: Explanation | None = None
        self._path_by_text: dict[str, str] = {}  # what was selected last in earlier texts
        #: The lines of the tree; None without a constraint.
        self.tree: Tree | None = None
        #: The path of the part, which may be one that the line of another part shows.
        self.path = ""

    @property
    def row(self) -> int:
        """The row of the part in the tree; 0 where there is none."""
        return (self.tree.row_of(self.path) if self.tree is not None else None) or 0

    @property
    def part(self) -> Part | None:
        """The part; None without a constraint."""
        return self.tree.rows[self.row].part if self.tree is not None else None

    def show(self, explanation: Explanation | None, wanted: str | None) -> None:
        """Another constraint is in force.

        Selects the part with the path that is wanted; without one, what was selected when this
        text was seen last, as after an undo; else what is where the part was.
        """
        before = self.part
        if self._explanation is not None:
            text = self._explanation.reading.text
            self._path_by_text.pop(text, None)
            self._path_by_text[text] = self.path
            if len(self._path_by_text) > MOST_TEXTS:
                del self._path_by_text[next(iter(self._path_by_text))]
        self._explanation = explanation
        self.tree = Tree(explanation) if explanation is not None else None
        if explanation is None:
            self.path = wanted or self.path
            return
        if wanted is None:
            wanted = self._path_by_text.get(explanation.reading.text, self.path)
        self.path = wanted
        if explanation.part(wanted) is None:
            self.path = ""
            self.follow(before.span.start if before is not None and before.span is not None else 0)

    def follow(self, cursor: int) -> None:
        """Select the smallest part at a place of the text, where one is."""
        part = self._explanation.part_at(cursor) if self._explanation is not None else None
        if part is not None:
            self.path = part.path


class PartEditor:
    """Edits one part of a constraint, after a question at the foot of a pane where one is due.

    on_edit is called with another text, on_leave when a person leaves the question, on_problem with
    words for what speaks against an edit. The question completes names as the entry does.
    """

    def __init__(
        self,
        pane: Widget,
        entry: Entry,
        on_edit: Callable[[str], None],
        on_leave: Callable[[], object],
        on_problem: Callable[[str], None],
    ) -> None:
        self._pane = pane
        self._entry = entry
        self._on_edit = on_edit
        self._on_leave = on_leave
        self._on_problem = on_problem
        self._explanation: Explanation | None = None  # the one in force
        self._prompt: Prompt | None = None  # made with the first question
        #: The text cannot be read any more: an edit of its last reading would write over it.
        self.stale = False
        #: Where the edit leads that is being made: the path of a part of the next constraint.
        self.wanted: str | None = None

    @property
    def asking(self) -> Widget | None:
        """Where the answer to an open question is typed; None where there is none."""
        return self._prompt.entry if self._prompt is not None and self._prompt.display else None

    def show(self, explanation: Explanation | None) -> None:
        """Another constraint is in force: the answer to an open question would bring it back."""
        self._explanation = explanation
        if self._prompt is not None and self._prompt.display:
            self._prompt.close()

    async def edit(self, how: str, part: Part) -> None:
        """Edit a part: ``negate``, ``swap``, ``delete``, or ``and``, ``or`` with what is typed."""
        from fluxtui.answers.explain import edit

        explanation = self._explanation
        if explanation is None:
            return
        if how in ("and", "or"):
            await self._ask(explanation, part, "and" if how == "and" else "or")
        else:
            edits = {"negate": edit.negate, "swap": edit.swap, "delete": edit.delete}
            self._take(edits[how](explanation, part))

    async def _ask(
        self, explanation: Explanation, part: Part, operator: Literal["and", "or"]
    ) -> None:
        from fluxtui.answers.explain.edit import join

        if self._prompt is None:
            self._prompt = Prompt(self._on_leave, id="part-prompt")
            await self._pane.mount(self._prompt)
            if explanation is not self._explanation:  # another one came meanwhile
                return

        def joined(text: str) -> Edited:
            return join(explanation, part, operator, text)

        # Who left an open question and asks again finds what they had typed.
        self._prompt.ask(
            operator,
            self._prompt.entry.value if self._prompt.display else "",
            lambda text: self._take(joined(text)),
            lambda text: joined(text).problem if text.strip() else None,
            self._entry.complete,
        )

    def _take(self, edited: Edited) -> Problem | None:
        """Hand an edit on; the problem that it has."""
        problem = UNFINISHED if self.stale else edited.problem
        if problem is not None:
            self._on_problem(problem.message)
            return problem
        self.wanted = edited.path
        self._on_edit(edited.text)
        self.wanted = None
        return None
