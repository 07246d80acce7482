"""A one-line input that answers in the frame of the key: an edit leaves it synchronously."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Input

from fluxtui.notation.source import Problem, Token
from fluxtui.ui.palette import palette_of


class Entry(Input):
    """An input coloured by the tokens of its text, with problems underlined.

    on_edit is called with each new value before the next frame is drawn. A queued
    ``Input.Changed`` would bring the answer two or three frames late. on_enter is called when a
    person presses enter.
    """

    DEFAULT_CSS = """
    Entry { height: 1; border: none; padding: 0; }
    Entry:focus { border: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "On", show=False, priority=True),
    ]

    def __init__(
        self,
        on_edit: Callable[[str], None],
        on_enter: Callable[[], object],
        placeholder: str,
        *,
        id: str,
    ) -> None:
        super().__init__(
            placeholder=placeholder,
            id=id,
            compact=True,
            select_on_focus=False,
            highlighter=self._highlight,  # type: ignore[arg-type]  # any callable Text -> Text does
        )
        self._on_edit = on_edit
        self._on_enter_key = on_enter
        self._tokens: Sequence[Token] = ()
        self._problems: Sequence[Problem] = ()

    def watch_value(self, value: str) -> None:
        """Hand the edit on at once, not by a message."""
        self._on_edit(value)

    def action_enter(self) -> None:
        """Go on to what comes next."""
        self._on_enter_key()

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere, the cursor kept where it still makes sense."""
        if text != self.value:
            self.value = text
            self.cursor_position = len(text)

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by these tokens and underline these problems."""
        self._tokens = tokens
        self._problems = problems
        self.refresh()

    def insert(self, text: str, index: int) -> None:
        """Insert a text; what is not printable is left out, as it could not be seen."""
        super().insert("".join(c for c in text if c.isprintable()), index)

    def column(self, index: int) -> int:
        """The screen column, counted from the left edge of the content, of a character."""
        return self._position_to_cell(index) - self.scroll_offset.x

    def _highlight(self, text: Text) -> Text:
        style = palette_of(self)
        for kind, span in self._tokens:
            text.stylize(style.token(kind), span.start, span.end)
        for problem in self._problems:
            if problem.span is not None:
                bad = problem.severity == "error"
                look = style.problem if bad else style.plain
                text.stylize(look + Style(underline=True), *problem.span)
        return text
