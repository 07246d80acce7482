"""Which part of a constraint is selected, from one text to the next and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fluxtui.ui.constraint.reading_lines import TreeLines

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
