"""The RFC 31 object of the constraint: shown in lines, and edited there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from fluxtui.model.constraint.tree import Constraint
from fluxtui.notation import json_text
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import in_colours
from fluxtui.ui.kit.trouble import Trouble, trouble_words
from fluxtui.ui.kit.wording import DOT
from fluxtui.workbench import Ask

if TYPE_CHECKING:
    from fluxtui.model.constraint.requires import Requires
    from fluxtui.ui.kit.text_editor import TextEditor

BLANK = "Empty matches all nodes."
UNREAD = "The constraint has an error."
BEGIN = ("Press enter to write one, such as", ' {"properties": ["gpu"]}')


class ExplainJson(Vertical):
    """Shows a constraint as JSON; enter edits it, escape ends that.

    on_edit is called with each constraint that is typed, None for a blank text; on_change when
    there is something else to say. A text with an error stays for the next time until another
    constraint comes from elsewhere, and is back with the constraint that it was typed for.
    """

    DEFAULT_CSS = "ExplainJson > * { height: 1fr; } ExplainJson > Trouble { height: auto; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        # It comes first, so that what is typed right after is already for the text.
        bind(
            "explain.edit_json", "enter,e", "edit", "Edit", "Edit the JSON", footer=True, first=True
        ),
    ]

    def __init__(
        self,
        on_edit: Callable[[Constraint | None], None],
        on_change: Callable[[], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="constraint-json")
        self.editor: TextEditor | None = None
        self.trouble: Trouble | None = None  # made with it
        self._on_edit = on_edit
        self._on_change = on_change
        self._constraint: Constraint | None = None
        self._blank = True
        self._problem: Problem | None = None
        self._typing = False
        self._replaced: tuple[Constraint | None, str] | None = None  # a text, and what it was for

    def compose(self) -> ComposeResult:
        """The text alone."""
        yield self.view

    @property
    def is_edited(self) -> bool:
        """A person is typing here."""
        return self.editor is not None and self.editor.display

    @property
    def words(self) -> str:
        """What the frame says: that the text is not applied, or how to begin and to end."""
        has_keys = self.is_attached and self.screen.focused is self.inside
        keys = ["esc closes" if self.is_edited else "enter edits"] if has_keys else []
        left = self._problem is not None and not self.is_edited
        return DOT.join(["not applied", *keys] if left else keys)

    @property
    def inside(self) -> Widget:
        """The part of it that takes the keys."""
        return self.editor if self.editor is not None and self.is_edited else self.view

    def show(self, ask: Ask) -> None:
        """Show the constraint in force; what a person typed for it stays as it is."""
        before, self._constraint = self._constraint, ask.constraint
        self._blank = ask.blank
        if ask.constraint != before and not self._typing:
            self._change(before)
        self._show()

    def _show(self) -> None:
        """Show the lines of the constraint, unless a person types there or nobody sees it."""
        if self._typing or self.is_edited or not self.display:
            return
        style, text = palette_of(self), self._text()
        lines = [self._coloured(line) for line in text.split("\n")]
        if not text:
            lead = BLANK if self._blank else UNREAD
            lines = [Text(line, style=style.quiet, end="") for line in (lead, *BEGIN)]
        self.view.show_lines(lines)

    def _change(self, before: Constraint | None) -> None:
        """Another constraint came from elsewhere: it replaces a text with an error."""
        if self.editor is None:
            return
        lost = self.editor.text if self._problem is not None else None
        if lost is not None or self.is_edited:
            self._put()
        if self._replaced is not None and self._replaced[0] == self._constraint:
            text = self._replaced[1]
            self._replaced = None
            self.editor.put(text)
            self._read(text)
        elif lost is not None:
            self._replaced = (before, lost)
            self.notify(
                "The JSON with an error was replaced; undo brings it back with its constraint.",
                severity="warning",
            )

    def _text(self) -> str:
        if self._constraint is None:
            return ""
        from fluxtui.model.constraint.requires import object_text

        bar = self.view.styles.scrollbar_size_vertical
        return object_text(self._constraint, max(self.size.width - bar, 0))

    def _coloured(self, line: str) -> Text:
        return in_colours(line, json_text.parse(line).tokens, palette_of(self))

    def on_resize(self) -> None:
        """Lay the text out again in the columns that there are now."""
        self._show()

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the text is edited, its keys are its own."""
        return action != "edit" or self.screen.focused is self.view

    async def action_edit(self) -> None:
        """Begin to edit the text."""
        if self.editor is None:
            from fluxtui.ui.kit.text_editor import TextEditor

            self.editor = TextEditor(
                self._edited, self.leave, self._coloured, id="constraint-editor"
            )
            self.trouble = Trouble(id="constraint-trouble")
            await self.mount(self.editor, self.trouble)
        self.editor.display, self.view.display = True, False
        if self._problem is None:
            self._put()
            self.editor.move_cursor((0, 0))
        self._judge(self._problem)
        self.screen.set_focus(self.editor)  # at once: the next key may be typed already

    def _put(self) -> None:
        """Put the constraint in force into the editor."""
        if self.editor is not None:
            self.editor.put(self._text())
            self._judge(None)

    def _edited(self, text: str) -> None:
        self._replaced = None
        reading = self._read(text)
        if reading.ok and self.editor is not None:
            self.editor.history.checkpoint()  # so that undo stops at each text that was applied
            self._typing = True
            try:
                self._on_edit(reading.constraint)
            finally:
                self._typing = False
        self._on_change()

    def _read(self, text: str) -> Requires:
        """Read a text and mark what is wrong with it."""
        from fluxtui.model.constraint.requires import read_object

        reading = read_object(text)
        errors = (problem for problem in reading.problems if problem.severity == "error")
        self._judge(next(errors, None))
        return reading

    def step_within(self, *, back: bool) -> bool:
        """Undo or redo an edit of a text with an error; whether there was one.

        All else that is typed here is in the text of the constraint, where it can be undone.
        """
        if not self.is_edited or self.editor is None:
            return False
        history = self.editor.history
        if not back:
            again = bool(history.redo_stack)
            self.editor.redo()
            return again
        if self._problem is None:
            return False
        if history.undo_stack:
            self.editor.undo()
        else:  # it was typed some time ago
            self.editor.select_all()
            self.editor.replace(self._text(), *self.editor.selection)
        return True

    def _judge(self, problem: Problem | None) -> None:
        self._problem = problem
        if self.editor is not None:
            self.editor.mark((problem,) if problem is not None else ())
            self._say_trouble()

    def _say_trouble(self) -> None:
        """Say what is wrong, below the text that is edited or was left so."""
        if self.trouble is None or self.editor is None:
            return
        lead = "" if self.is_edited else "not applied: "
        wrong = self._problem
        self.trouble.say(lead + trouble_words((wrong,), self.editor.text) if wrong else "")

    def leave(self) -> None:
        """End editing; a text with an error stays for the next time."""
        if self.editor is None:
            return
        self.editor.display, self.view.display = False, True
        self._say_trouble()
        self._show()
        self.screen.set_focus(self.view)
        self._on_change()
