"""A one-line input that answers in the frame of the key: an edit leaves it synchronously."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import ClassVar, TypeAlias

from rich.cells import get_character_cell_size, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from fluxtui.notation.problem import Problem, Span, Token
from fluxtui.ui.kit.lines import Styled
from fluxtui.ui.kit.offers import Complete, Offers, Past
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import columns, visible, with_feeds


def takes_document(widget: Widget, text: str, *, jobspecs: bool = True) -> bool:
    """Whether a paste is a document, which the app opens; it is no text of the widget then.

    jobspecs says that a jobspec is no text of it either.
    """
    take = getattr(widget.screen, "take_pasted", None)
    if take is not None:
        return bool(take(text))
    take = getattr(widget.app, "take_pasted", None)
    return take is not None and bool(take(text, jobspecs=jobspecs))


def cut_between_words(text: str, width: int) -> str:
    """A text for so many columns: where it is too long, its first words and an ellipsis."""
    if columns(text) <= width:
        return text
    cut = set_cell_size(text, max(width - 1, 0))
    whole = cut if text[len(cut) : len(cut) + 1].isspace() else cut.rpartition(" ")[0]
    return f"{(whole or cut).rstrip(' ·:,')}…" if width > 0 else ""


class PlainInput(Styled, Input):
    """An input whose text may hold what a terminal would obey; it shows a sign for each of these.

    What is typed or pasted leaves them out; between the lines of a paste, and for a tab, stands a
    blank. It draws what can be seen of the text only, so that a long one takes no longer.
    """

    # It has one row and no scroll bars: a longer text is no reason to lay out the screen again.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    on_paste: Callable[[str], bool] = staticmethod(lambda text: False)  # takes what is no text here

    takes_letters = True  # no letter does anything else while it has the focus

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to before the next key is looked at.

        Textual handles printable keys here but others only after they have bubbled up to the app:
        of keys that come in one burst, a backspace would follow the letter typed after it.
        """
        if event.is_printable or event.key in ("up", "down"):  # these are for who stands around
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put in a text; what is not printable is left out, as it could not be seen."""
        super().replace("".join(c for c in text if c.isprintable()), start, end)

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of a paste, where Textual takes the first: JSON comes in many."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if self.on_paste(text) or takes_document(self, text):
            return
        self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    def on_resize(self) -> None:
        """Keep the cursor in sight: what stands beside the input has taken of its columns."""
        column = self._position_to_cell(self.cursor_position) + self.cursor_at_end
        self.scroll_to_region(Region(column, 0, 1, 1), force=True, animate=False)

    # The drawing

    def render_line(self, y: int) -> Strip:
        """The row of the text, of which only what can be seen is coloured and drawn."""
        if y == 0 and not self.value:
            return self._hint_line()
        if y != 0:
            return super().render_line(y)
        left, width = self.scroll_offset.x, self.scrollable_content_region.width + 1
        seen = Span(self._index_at(left), min(self._index_at(left + width) + 1, len(self.value)))
        text = self.drawn(seen)
        if self.has_focus:
            self._mark_selection(text, seen)
        if text.plain:
            strip = Strip(self.app.console.render(text, self.app.console_options))
        else:
            strip = Strip.blank(0)
        start = left - self._position_to_cell(seen.start)
        strip = strip.crop(start, start + width).extend_cell_length(width)
        return strip.apply_style(self.rich_style)

    def _hint_line(self) -> Strip:
        """The row of an empty input: what could stand in it, cut between words."""
        width = self.scrollable_content_region.width + 1
        style = self.get_component_rich_style("input--placeholder")
        text = Text(
            cut_between_words(self.placeholder, width - 1), style=style, no_wrap=True, end=""
        )
        if self.has_focus and self._cursor_visible:
            text.pad_right(0 if text.plain else 1)
            text.stylize(self.get_component_rich_style("input--cursor"), 0, 1)
        strip = Strip(self.app.console.render(text, self.app.console_options))
        return strip.crop(0, width).extend_cell_length(width).apply_style(self.rich_style)

    def _mark_selection(self, text: Text, seen: Span) -> None:
        """Show what is selected and the cursor, in the text of this part of the value."""
        start, end = (index - seen.start for index in sorted(self.selection))
        if start != end:
            style = self.get_component_rich_style("input--selection")
            text.stylize_before(style, max(start, 0), max(end, 0))
        cursor = self.cursor_position - seen.start
        if self._cursor_visible and cursor >= 0:
            if self.cursor_at_end:
                text.pad_right(1)
            text.stylize(self.get_component_rich_style("input--cursor"), cursor, cursor + 1)

    def drawn(self, seen: Span) -> Text:
        """This part of the value as it is drawn, but for the cursor and the selection."""
        return Text(visible(self.value[slice(*seen)]), no_wrap=True, overflow="ignore", end="")

    @property
    def content_width(self) -> int:
        """The columns of the whole text, and one for a cursor at its end."""
        return columns(self.value) + 1 if self.value else super().content_width

    def _position_to_cell(self, position: int) -> int:
        return columns(self.value[:position])

    def _index_at(self, column: int) -> int:
        """The character that stands at a column of the text; its length past the last one."""
        if columns(self.value) == len(self.value):
            return min(column, len(self.value))
        text = visible(self.value)
        return bisect_right(list(accumulate(map(get_character_cell_size, text))), column)


# Seconds that a key waits for those typed before it; only something broken takes so long.
PATIENCE = 1.0

# What an input is coloured by: the tokens in order, the problems, and the colours.
Look: TypeAlias = tuple[Sequence[Token], Sequence[Problem], Palette | None]


class Entry(PlainInput):
    """An input coloured by the tokens of its text, with problems underlined.

    on_edit is called with each value that a person gives it, before the next frame is drawn. Of
    what `put` shows nobody is told, and no ``Input.Changed`` is sent: queued, it would bring the
    answer two or three frames late. on_enter is called when a person presses enter.

    complete says what may come next, past what was typed before; without them nothing is offered.
    unasked says that it is offered while one types, and not only on request. around is what the
    offers must not cover, where that is more than the input.
    """

    DEFAULT_CSS = """
    Entry { height: 1; border: none; padding: 0; }
    Entry:focus { border: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "On", show=False, priority=True),
        Binding("ctrl+@,ctrl+space", "offer", "What may come next", show=False),
    ]

    past: Past | None = None
    unasked = True
    around: Widget | None = None

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
        super().__init__(
            placeholder=placeholder,
            id=id,
            compact=True,
            select_on_focus=False,
        )
        # Nobody waits for it, and each widget around this one would be asked at each key.
        self.disable_messages(self.Changed)
        self._on_edit = on_edit
        self._on_enter_key = on_enter
        self._look: Look = ((), (), None)
        self.on_scroll: Callable[[], object] = lambda: None
        self.on_move: Callable[[], object] = lambda: None  # the cursor has moved
        self.on_gone: Callable[[], object] = lambda: None  # the person has gone on elsewhere
        self._pointed = False  # what is selected was selected from elsewhere
        # Else the first text would not scroll to its end, where the cursor goes.
        self._initial_value = False

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
        """What is offered is about the place that the cursor leaves."""
        if not self._replacing:
            self.offers.close()
        self.on_move()

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        """The keys of the list that is offered come before those of the text."""
        if self.offers.key(event.key):
            event.stop()
            event.prevent_default()

    async def action_enter(self) -> None:
        """Take what is chosen of the offers, else go on to what comes next."""
        await self.typed_out()
        if not self.offers.take():
            self.offers.close()
            self.remember()
            self._on_enter_key()

    def action_offer(self) -> None:
        """Offer all that may come next."""
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
        """Put in a text, as typing, deleting and pasting do; offer what may come next."""
        before = self.value
        self.take(Span(start, end), text)
        if self.value == before:
            return
        offering = self.unasked or self.offers.popup is not None
        if (offering and len(text) <= 1) or self.offers.in_past:
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
        if self.past is not None:
            self.past.remember(self.value)

    # Coming and going

    def on_focus(self) -> None:
        """Have the list ready for the first key, once the screen is drawn."""
        self.point_at(None)  # what is typed takes the place of nothing
        if self.complete is not None or self.past is not None:
            self.call_after_refresh(self.offers.prepare)

    def on_blur(self) -> None:
        """Offer nothing more; what stands here is used."""
        self.offers.close()
        if self.app.app_focus:  # it is the person who goes on, not the window that lost the focus
            self.remember()
            self.on_gone()

    def on_resize(self) -> None:
        """The offers would not stand at their word any more."""
        self.offers.close()

    def put(self, text: str) -> None:
        """Show a text that came from elsewhere, the cursor at its end; that is no edit."""
        if text == self.value:
            return
        self._putting = True
        try:
            self.value = text
        finally:
            self._putting = False
        self.cursor_position = len(text)

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

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by these tokens and underline these problems."""
        palette = palette_of(self)
        look = (tokens, problems, palette)
        if tokens is not self._look[0] or look != self._look:
            self._look = look
            self.refresh()

    def column(self, index: int) -> int:
        """The screen column, counted from the left edge of the content, of a character."""
        return self._position_to_cell(index) - self.scroll_offset.x

    def drawn(self, seen: Span) -> Text:
        """This part of the text in the colours of its tokens, with its problems underlined."""
        text, style = super().drawn(seen), palette_of(self)
        tokens, problems, _ = self._look
        first = bisect_right(tokens, seen.start, key=lambda token: token.span.end)
        for number in range(first, len(tokens)):
            kind, (start, end) = tokens[number]
            if start >= seen.end:
                break
            text.stylize(style.token(kind), max(start - seen.start, 0), end - seen.start)
        for problem in problems:
            if problem.span is not None:
                start, end = (max(index - seen.start, 0) for index in problem.span)
                bad = problem.severity == "error"
                look = style.problem if bad else style.plain
                text.stylize(look + Style(underline=True), start, end)
        if self._pointed and not self.has_focus:
            start, end = (max(index - seen.start, 0) for index in sorted(self.selection))
            text.stylize_before(self.get_component_rich_style("input--selection"), start, end)
        return text
