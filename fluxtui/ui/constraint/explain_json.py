"""The constraint as an RFC 31 object, shown and edited as text."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from fluxtui.model.constraint import requires
from fluxtui.notation import json_text
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, in_colours
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.prompt import Trouble, trouble_words
from fluxtui.ui.kit.text_editor import TextEditor
from fluxtui.workbench import Ask

HINT = ("Press enter to write one, such as", ' {"properties": ["gpu"]}')


class ExplainJson(Vertical):
    """Shows a constraint as JSON; enter edits it, escape ends that.

    on_type is called with the text of the constraint after each edit: in its former notation, or as
    typed here while it has an error.
    """

    DEFAULT_CSS = "ExplainJson > * { height: 1fr; } ExplainJson > Trouble { height: auto; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that keys typed right after go to the text.
        bind("explain.edit", "enter,e", "edit", "Edit", "Edit the JSON", footer=True, first=True),
    ]

    def __init__(self, ask: Ask, on_type: Callable[[str], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="constraint-json")
        self.editor = TextEditor(self._edited, self.leave, self._coloured, id="constraint-editor")
        self.editor.display = False
        self.trouble = Trouble(id="constraint-trouble")
        self._on_type = on_type
        self._ask = ask
        self._sent: str | None = None  # the text of the constraint that was typed here last
        self._was_json = False  # before it was edited here

    def compose(self) -> ComposeResult:
        """The text, its editor, and what is wrong with it."""
        yield self.view
        yield self.editor
        yield self.trouble

    @property
    def is_edited(self) -> bool:
        """Whether the text is being edited."""
        return bool(self.editor.display)

    @property
    def inside(self) -> Widget:
        """The part that has the keys."""
        return self.editor if self.is_edited else self.view

    def show(self, ask: Ask) -> None:
        """Show the current constraint; text being typed stays as it is."""
        self._ask = ask
        if not self.is_edited:
            self._show_lines()
        elif ask.text != self._sent:
            self._put()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        if not self.is_edited:
            self._show_lines()

    def _show_lines(self) -> None:
        if not self.display:
            return
        text, quiet = self._text(), palette_of(self).quiet
        lines = [self._coloured(line) for line in text.split("\n")]
        if not text:
            is_blank = self._ask.blank
            first = "Empty matches all nodes." if is_blank else "The constraint has an error."
            lines = [Text(line, style=quiet, end="") for line in (first, *HINT)]
        self.view.show_lines(lines)

    def _text(self) -> str:
        """The constraint as an object; with an error, as it was typed."""
        ask = self._ask
        if ask.requires.is_json and ask.requires.constraint is None:
            return ask.text
        width = self.size.width - self.view.styles.scrollbar_size_vertical
        return requires.object_text(ask.constraint, max(width, 0)) if ask.constraint else ""

    def _coloured(self, line: str) -> Text:
        return in_colours(line, json_text.parse(line).tokens, palette_of(self))

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the text is edited, its keys are text."""
        return action != "edit" or self.screen.focused is self.view

    def action_edit(self) -> None:
        """Start editing the text."""
        self.editor.display, self.view.display = True, False
        self._was_json = self._ask.requires.is_json
        self._put()
        self.editor.move_cursor((0, 0))
        self.screen.set_focus(self.editor)  # at once, as the next key may already be typed

    def _put(self) -> None:
        self.editor.put(self._text())
        self._read(self.editor.text)

    def _edited(self, text: str) -> None:
        """Hand on what was typed, but for a query: it is no object, though a constraint."""
        ask, reading = self._ask, self._read(text)
        typed = text.replace("\n", " ").replace("\t", " ").strip()
        if reading.ok:
            if not ask.stale and ask.constraint == reading.constraint:
                return  # the text may stay as a person wrote it
            typed = requires.bar_text(reading.constraint, is_json=self._was_json)
        elif requires.read(typed).ok:
            return
        self._sent = typed
        self._on_type(typed)

    def _read(self, text: str) -> requires.Requires:
        reading = requires.read_object(text)
        errors = [problem for problem in reading.problems if problem.severity == "error"][:1]
        self.editor.mark(errors)
        self.trouble.say(trouble_words(errors, text) if errors else "")
        return reading

    def leave(self) -> None:
        """End editing."""
        if self.is_edited:
            self.editor.display, self.view.display = False, True
            self.trouble.say("")
            self._sent = None
            self._show_lines()
            self.screen.set_focus(self.view)
