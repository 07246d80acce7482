"""A one-line input that answers in the frame of the key: an edit leaves it synchronously."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType

from fluxtui.notation.source import Problem, Token
from fluxtui.ui.palette import palette_of
from fluxtui.ui.widgets.plain_input import PlainInput


class Entry(PlainInput):
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
        )
        self._on_edit = on_edit
        self._on_enter_key = on_enter
        self._tokens: Sequence[Token] = ()
        self._problems: Sequence[Problem] = ()
        self.on_scroll: Callable[[], object] = lambda: None
        # Else the first text would not scroll to its end, where the cursor goes.
        self._initial_value = False

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """The text moves; what points at its characters goes with it."""
        super().watch_scroll_x(old_value, new_value)
        self.on_scroll()

    def watch_value(self, value: str) -> None:
        """Hand the edit on at once, not by a message."""
        self._on_edit(value)

    def action_enter(self) -> None:
        """Go on to what comes next."""
        self._on_enter_key()

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere, the cursor at its end."""
        if text != self.value:
            self.value = text
            self.cursor_position = len(text)

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by these tokens and underline these problems."""
        self._tokens = tokens
        self._problems = problems
        self.refresh()

    @property
    def _value(self) -> Text:
        """The text as it is drawn."""
        return self._highlight(super()._value)

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
