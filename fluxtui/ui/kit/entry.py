"""Inputs of one line: safe for any text, with readline's keys, and answered in the key's frame."""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from fluxtui.notation.problem import Problem, Span, Token
from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.offers import Complete, InputHistory, Offers
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import columns, visible, with_feeds
from fluxtui.ui.kit.wording import shorten

# Seconds that a key waits for those typed before it; only something broken takes so long.
PATIENCE = 1.0

_WORD = re.compile(r"\w+")

# What an input is coloured by: the tokens in order, the problems, and the colours.
Look: TypeAlias = tuple[Sequence[Token], Sequence[Problem], Palette | None]


def takes_document(widget: Widget, text: str, *, jobspecs: bool = True) -> bool:
    """Whether a paste is a document, which the app opens; the widget does not take it then.

    jobspecs says that a jobspec is a document here too.
    """
    take = getattr(widget.screen, "take_pasted", None)
    if take is not None:
        return bool(take(text))
    take = getattr(widget.app, "take_pasted", None)
    return take is not None and bool(take(text, jobspecs=jobspecs))


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Do what a key is bound to in a widget before the next key is looked at; False for none.

    Textual handles keys that write in the widget, but others only after they have bubbled up to the
    app: of keys that come in one burst, a backspace would follow the letter typed after it.
    """
    active = widget.screen.active_bindings.get(event.key)
    if event.is_printable or active is None or active.node is not widget:
        return False
    done = await widget.app.run_action(active.binding.action, widget)
    if done:
        event.stop()
        event.prevent_default()
    return done


class _Drawing(Highlighter):
    """Draws the text of an input as that has it."""

    def __init__(self, draw: Callable[[Text], None]) -> None:
        self._draw = draw

    def highlight(self, text: Text) -> None:
        """Style the text in place."""
        self._draw(text)


class PlainInput(Input, inherit_bindings=False):
    """An input whose text may hold what a terminal would obey; it shows a sign for each of these.

    What is typed or pasted leaves them out; between the lines of a paste, and for a tab, there is a
    blank. The keys are readline's: what they delete by words or to an end, ctrl+y brings back, in
    any input.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("input.left", "left,ctrl+b", "cursor_left", ""),
        bind("input.right", "right", "cursor_right", ""),
        bind(
            "input.word_left",
            "ctrl+left,alt+left,alt+b",
            "go('word_left')",
            "",
            "Go a word to the left",
        ),
        bind(
            "input.word_right",
            "ctrl+right,alt+right,alt+f",
            "go('word_right')",
            "",
            "Go a word to the right",
        ),
        bind("input.start", "home,ctrl+a", "go('start')", "", "Go to the start"),
        bind("input.end", "end,ctrl+e", "go('end')", "", "Go to the end"),
        bind("input.select_left", "shift+left", "cursor_left(True)", ""),
        bind("input.select_right", "shift+right", "cursor_right(True)", ""),
        bind("input.select_word_left", "ctrl+shift+left", "go('word_left', True)", ""),
        bind("input.select_word_right", "ctrl+shift+right", "go('word_right', True)", ""),
        bind("input.select_start", "shift+home", "go('start', True)", ""),
        bind("input.select_end", "shift+end", "go('end', True)", ""),
        bind("input.select_all", "ctrl+shift+a", "select_all", ""),
        bind("input.delete_left", "backspace,ctrl+h", "delete_left", ""),
        bind("input.delete_right", "delete,ctrl+d", "delete_right", ""),
        bind(
            "input.kill_word_left",
            "ctrl+w,alt+backspace,ctrl+backspace",
            "kill('word_left')",
            "",
            "Delete the word at the left",
        ),
        bind(
            "input.kill_word_right",
            "alt+d,ctrl+delete",
            "kill('word_right')",
            "",
            "Delete the word at the right",
        ),
        bind(
            "input.kill_start", "ctrl+u,super+backspace", "kill('start')", "", "Delete to the start"
        ),
        bind("input.kill_end", "ctrl+k", "kill('end')", "", "Delete to the end"),
        bind("input.yank", "ctrl+y", "yank", ""),
        bind("input.transpose", "ctrl+t", "transpose", "", "Swap two characters"),
        bind("input.cut", "ctrl+x", "cut", ""),
        bind("input.copy", "ctrl+c,super+c", "copy", ""),
        bind("input.paste", "ctrl+v", "paste", ""),
        bind("input.submit", "enter", "submit", ""),
    ]

    # It has one row and no scroll bars: a longer text needs no layout of the screen.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    # Takes a paste that is something else than text for the input.
    takes_paste: Callable[[str], bool] = staticmethod(lambda text: False)

    killed: ClassVar[str] = ""  # what was deleted last by words or to an end, in any input

    def __init__(
        self,
        value: str | None = None,
        placeholder: str = "",
        *,
        id: str | None = None,
        select_on_focus: bool = True,
        compact: bool = False,
    ) -> None:
        self._hint = ""
        super().__init__(
            value,
            placeholder,
            highlighter=_Drawing(self.draw),
            select_on_focus=select_on_focus,
            id=id,
            compact=compact,
        )

    def draw(self, text: Text) -> None:
        """Style a text that is drawn for the value; its characters are those of the value."""
        text.plain = visible(self.value)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Every key that writes something is text here."""
        return writes(key, character)

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to in its turn."""
        await run_own_binding(self, event)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put in a text; what is not printable is left out, as it could not be seen."""
        super().replace("".join(c for c in text if c.isprintable()), start, end)
        self.show_cursor()  # Textual 8.2.8 does not with the first text of an input

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of a paste, where Textual takes the first: JSON comes in many."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if self.takes_paste(text) or takes_document(self, text):
            return
        self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    # What can be seen of it

    def validate_placeholder(self, placeholder: str) -> str:
        """What an empty input shows, cut between words."""
        self._hint = placeholder
        width = self.size.width
        return shorten(placeholder, width, "words") if width else placeholder

    def on_resize(self) -> None:
        """Keep the cursor in sight: what is beside the input has taken of its columns."""
        self.placeholder = self._hint
        self.show_cursor()

    def show_cursor(self) -> None:
        """Scroll to the cursor."""
        column = self._position_to_cell(self.cursor_position) + self.cursor_at_end
        self.scroll_to_region(Region(column, 0, 1, 1), force=True, animate=False)

    def _position_to_cell(self, position: int) -> int:
        return columns(self.value[:position])

    # Keys

    def _place(self, name: str) -> int:
        """The place that a key leads to from the cursor."""
        text, at = self.value, self.cursor_position
        if name == "word_left":
            return max((word.start() for word in _WORD.finditer(text, 0, at)), default=0)
        if name == "word_right":
            word = _WORD.search(text, at)
            return word.end() if word else len(text)
        return 0 if name == "start" else len(text)

    def action_go(self, name: str, select: bool = False) -> None:
        """Go to a place, and select what is on the way."""
        place = self._place(name)
        self.selection = Selection(self.selection.start if select else place, place)

    def action_kill(self, name: str) -> None:
        """Delete up to a place, or what is selected, and keep it."""
        start, end = sorted(self.selection)
        if start == end:
            start, end = sorted((self.cursor_position, self._place(name)))
        if start < end:
            PlainInput.killed = self.value[start:end]
            self.delete(start, end)

    def action_yank(self) -> None:
        """Bring back what was deleted last."""
        self.replace(self.killed, *self.selection)

    def action_transpose(self) -> None:
        """Swap the characters on both sides of the cursor; at the end the last two."""
        text, at = self.value, min(self.cursor_position, len(self.value) - 1)
        if at > 0:
            self.replace(text[at] + text[at - 1], at - 1, at + 1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where there is nothing to bring back or to delete, the key is another's."""
        if action == "yank":
            return bool(self.killed)
        return action != "delete_right" or not self.cursor_at_end or not self.selection.is_empty


class Entry(PlainInput):
    """An input coloured by the tokens of its text, with problems underlined.

    on_edit is called with each value that a person gives it, before the next frame is drawn. What
    `put` shows is not an edit. ``Input.Changed`` is not sent: queued, it would bring the answer two
    or three frames late. on_enter is called when a person presses enter.

    complete gives suggestions, which show while one types; history gives what was typed before.
    arrows says that up and down open them; else they are for who is around. around is what the
    list must not cover, where that is more than the input.
    """

    DEFAULT_CSS = """
    Entry { height: 1; border: none; padding: 0; }
    Entry:focus { border: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("input.enter", "enter", "enter", "", first=True),
        bind("input.suggest", "ctrl+space,ctrl+@", "suggest", "", "Show all suggestions"),
    ]

    history: InputHistory | None = None
    arrows = True
    around: Sequence[Widget] = ()

    def __init__(
        self,
        on_edit: Callable[[str], None],
        on_enter: Callable[[], object],
        placeholder: str,
        *,
        id: str,
        complete: Complete | None = None,
    ) -> None:
        self.offers = Offers(self)
        self.complete = complete
        self._replacing = self._putting = False
        self._look: Look = ((), (), None)
        self._pointed = False  # what is selected was selected from elsewhere
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        # Nobody waits for it, and each widget around this one would be asked at each key.
        self.disable_messages(self.Changed)
        self._on_edit = on_edit
        self._enter = on_enter
        self.on_scroll: Callable[[], object] = lambda: None
        self.on_move: Callable[[], object] = lambda: None  # the cursor has moved
        self.on_gone: Callable[[], object] = lambda: None  # the person has gone on elsewhere

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """The text moves; what points at its characters goes with it."""
        super().watch_scroll_x(old_value, new_value)
        self.on_scroll()

    def watch_value(self, value: str) -> None:
        """Hand the edit on at once, not by a message."""
        if not self._replacing:
            self.offers.close()
        if not self._putting:
            self._on_edit(value)

    def watch_selection(self, selection: Selection) -> None:
        """Suggestions are about the place that the cursor leaves."""
        if not self._replacing:
            self.offers.close()
        self.on_move()

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        """The keys of the list come before those of the text."""
        if self.offers.key(event.key):
            event.stop()
            event.prevent_default()

    async def action_enter(self) -> None:
        """Take the chosen row of the list, else go on to what comes next."""
        await self.typed_out()
        if not self.offers.take():
            self.offers.close()
            self.remember()
            self._enter()

    async def take_suggestion(self) -> bool:
        """Take what the list offers first, or the chosen row; False where there is none."""
        await self.typed_out()
        return self.offers.take_suggestion()

    def action_suggest(self) -> None:
        """Show all suggestions."""
        self.offers.ask()

    async def typed_out(self) -> None:
        """Wait for the keys that were typed before this one: what they choose is what counts.

        The app looks at enter and tab before the input has seen the keys that came with them.
        """
        if asyncio.current_task() is self.task:
            return
        done = asyncio.Event()
        if self.call_later(done.set):
            try:
                await asyncio.wait_for(done.wait(), PATIENCE)
            except TimeoutError:
                return

    # The text

    def replace(self, text: str, start: int, end: int) -> None:
        """Put in a text, as typing, deleting and pasting do; suggest what may come next."""
        before = self.value
        self.take(Span(start, end), text)
        if self.value == before:
            return
        if len(text) <= 1 or self.offers.showing_history:
            self.offers.typed()
        else:
            self.offers.close()

    def take(self, span: Span, text: str, cursor: int | None = None) -> None:
        """Put a text in the place of another as one edit; the cursor goes behind it, or here."""
        self._replacing = True
        try:
            super().replace(text, span.start, span.end)
            if cursor is not None:
                self.cursor_position = cursor
        finally:
            self._replacing = False

    def remember(self) -> None:
        """Note that the text is used, and not one on the way to another."""
        if self.history is not None:
            self.history.remember(self.value)

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere, the cursor at its end; that is not an edit."""
        if text == self.value:
            return
        self._putting = True
        try:
            self.value = text
        finally:
            self._putting = False
        self.cursor_position = len(text)
        self.show_cursor()

    def point_at(self, span: Span | None) -> None:
        """Select a part of the text from elsewhere, so that it shows there; None ends that."""
        if span is not None:
            self._pointed = True
            self.selection = Selection(*span)
            self.refresh()
        elif self._pointed:
            self._pointed = False
            self.selection = Selection.cursor(self.selection.end)
            self.refresh()

    def give_way(self) -> None:
        """Select the whole text: what is typed next takes its place."""
        self._pointed = False
        self.selection = Selection(0, len(self.value))

    # Coming and going

    def on_focus(self) -> None:
        """Have the list ready for the first key, once the screen is drawn."""
        self.point_at(None)  # what is typed takes the place of nothing
        if self.complete is not None or self.history is not None:
            self.call_after_refresh(self.offers.prepare)

    def on_blur(self) -> None:
        """Close the list; the text is used."""
        self.offers.close()
        if self.app.app_focus:  # it is the person who goes on, not the window that lost the focus
            self.remember()
            self.on_gone()

    def on_resize(self) -> None:
        """The list would not be at its word any more."""
        self.offers.close()

    # The drawing

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by these tokens and underline these problems."""
        look = (tokens, problems, palette_of(self))
        if tokens is not self._look[0] or look != self._look:
            self._look = look
            self.refresh()

    def column(self, index: int) -> int:
        """The screen column, counted from the left edge of the content, of a character."""
        return columns(self.value[:index]) - self.scroll_offset.x

    def draw(self, text: Text) -> None:
        """Colour what is in sight of the tokens, underline problems, show what was pointed at."""
        super().draw(text)
        style = palette_of(self)
        tokens, problems, _ = self._look
        first, last = 0, len(text)
        if text.plain.isascii():  # a character is a column
            first = self.scroll_offset.x
            last = first + self.size.width
        for number in range(
            bisect_right(tokens, first, key=lambda token: token.span.end), len(tokens)
        ):
            kind, span = tokens[number]
            if span.start > last:
                break
            text.stylize(style.token(kind), *span)
        for problem in problems:
            if problem.span is not None:
                look = style.problem if problem.severity == "error" else style.plain
                text.stylize(look + Style(underline=True), *problem.span)
        if self._pointed and not self.has_focus:
            look = self.get_component_rich_style("input--selection")
            text.stylize_before(look, *sorted(self.selection))


class LinesField(LinesView):
    """One row for a text of many lines, which is edited in a box of its own.

    on_open opens the box, on enter and with what is typed or pasted here, which the box gets.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that what is typed right after is for the box already.
        bind("form.edit", "enter", "open", "Edit", "Edit the text in a box of its own", first=True),
    ]

    def __init__(self, on_open: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self._on_open = on_open

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Every key that writes something is text here."""
        return writes(key, character)

    def action_open(self) -> None:
        """Open the box."""
        self._on_open()

    def _forward_event(self, event: events.Event) -> None:
        """Take what is typed at once: the next key of a burst then goes to the box by itself.

        A document that is pasted is for the app.
        """
        is_text = isinstance(event, events.Paste) or (
            isinstance(event, events.Key) and event.is_printable
        )
        if not is_text:
            super()._forward_event(event)
        elif not isinstance(event, events.Paste) or not takes_document(
            self, event.text, jobspecs=False
        ):
            self._on_open()
            if self.app.screen is not self.screen:
                self.app.screen._forward_event(event)
