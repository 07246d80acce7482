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
from fluxtui.ui.kit.prompt import EditedText, Trouble, trouble_words
from fluxtui.workbench import Ask

HINT = ("Press enter to write one, such as", ' {"properties": ["gpu"]}')


class ExplainJson(Vertical, EditedText):
    """Shows a constraint as JSON; enter edits it, escape ends that.

    on_type is called with the text of the constraint after each edit: in its former notation, or as
    typed here while it has an error.
    """

    DEFAULT_CSS = "ExplainJson > * { height: 1fr; } ExplainJson > Trouble { height: auto; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that keys typed right after go to the text.
        bind("explain.edit", "enter,e", "edit", "Edit", "Edit the JSON", footer=True, first=True),
    ]

    _sent: str | None = None  # the text of the constraint that was typed here last
    _was_json = False  # before it was edited here

    def __init__(self, ask: Ask, on_type: Callable[[str], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="constraint-json")
        self.trouble = Trouble(id="constraint-trouble")
        self._on_type, self._ask = on_type, ask

    def compose(self) -> ComposeResult:
        """The text, and what is wrong with it."""
        yield self.view
        yield self.trouble

    @property
    def inside(self) -> Widget:
        """The part that has the keys."""
        return self.editor if self.editor is not None and self.is_edited else self.view

    def show(self, ask: Ask) -> None:
        """Show the current constraint; text being typed stays as it is."""
        self._ask = ask
        if not self.is_edited or ask.text != self._sent:
            self.show_text()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        if not self.is_edited:
            self.show_text()

    def show_text(self) -> None:
        """Show the text in the view, or in the editor."""
        text = self._text()
        if self.editor is not None and self.is_edited:
            self.editor.put(text)
            self._read(text)
            return
        self.trouble.say("")
        lines = [self._coloured(line) for line in text.split("\n")]
        if not text:
            first = (
                "Empty matches all nodes." if self._ask.blank else "The constraint has an error."
            )
            quiet = palette_of(self).quiet
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

    async def action_edit(self) -> None:
        """Start editing the text."""
        self._sent, self._was_json = None, self._ask.requires.is_json
        await self.edit_text(self._edited, self._coloured, id="constraint-editor")

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
        if self.editor is not None:
            self.editor.mark(errors)
        self.trouble.say(trouble_words(errors, text) if errors else "")
        return reading
