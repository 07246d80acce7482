"""Inputs that are answered in the key's frame, and what they suggest while a person types.

Completions come at the cursor, and what was typed before. Tab takes the first suggestion. Every
other key does what it does without the list, until down goes into it, and opens it where it is
closed; up opens what was typed before. From then on the keys that move and take are the list's.
"""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets.input import Selection

from fluxtui.notation.problem import Completion, Problem, Span, Token, counted, printable
from fluxtui.ui.kit.input import PlainInput, takes_document
from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.popup import Popup, Row
from fluxtui.ui.kit.text import columns

# Seconds that a key waits for those typed before it; only something broken takes so long.
PATIENCE = 1.0

# What an input is coloured by: the tokens in order, the problems, and the colours.
Look: TypeAlias = tuple[Sequence[Token], Sequence[Problem], Palette | None]

#: What may come at a cursor: called with the text and the cursor.
Complete = Callable[[str, int], Sequence[Completion]]

#: A longer text is completed only on request: to read it takes longer than a key may wait.
LONG = 8_000

# The text before a place where a word has to come, so that suggestions show unasked.
_WANTING = re.compile(r"(?:[/;\[{=:,&|(-]|(?:^|[\s(&|])(?:not|and|or)\s)\s*\Z")


class InputHistory(NamedTuple):
    """What was typed before: entries gives it, the newest last; remember adds what was used."""

    entries: Callable[[], Sequence[str]]
    remember: Callable[[str], object]


def unasked(text: str, cursor: int, offers: Sequence[Completion]) -> list[Completion]:
    """What to suggest without being asked: completions of the current word.

    Where none is begun, all of them if a word has to come, else none.
    """
    begun = [o for o in offers if o.span.start < cursor and text[slice(*o.span)] != o.text]
    if begun:
        return begun
    if any(offer.span.start < cursor for offer in offers) or not _WANTING.search(text[:cursor]):
        return []
    return list(offers)


def found(text: str, entries: Sequence[str]) -> list[tuple[str, tuple[Span, ...]]]:
    """The entries that hold every word of a text, the newest first, and where the words are.

    entries has the newest last. The case of letters is as good as any.
    """
    words = text.casefold().split()
    out = []
    for entry in reversed(entries):
        folded = entry.casefold()
        if entry != text and all(word in folded for word in words):
            places = [(folded.index(word), len(word)) for word in words]
            out.append((entry, tuple(Span(at, at + length) for at, length in places)))
    return out


class Offers:
    """The suggestions of one input: their content and their keys."""

    def __init__(self, entry: "Entry") -> None:
        self._entry = entry
        self._popup: Popup | None = None
        self._completions: Sequence[Completion] = ()
        self._entries: Sequence[str] = ()
        self._before: tuple[str, int] | None = None  # text and cursor when the history was opened
        self._refused: int | None = None  # where the word begins whose list was closed
        self._suggested = False  # tab takes the first row

    def prepare(self) -> None:
        """Prepare the screen's popup and load what completion needs."""
        if self._popup is not None and self._popup.is_attached:
            return
        screen = self._entry.screen
        if not screen.is_attached:  # the program has been left meanwhile
            return
        self._popup = next((w for w in screen.children if isinstance(w, Popup)), None)
        if self._popup is None:
            self._popup = Popup()
            screen.mount(self._popup)
        if self._entry.complete is not None:
            self._entry.complete("", 0)

    @property
    def popup(self) -> Popup | None:
        """The popup while it shows the list of this input."""
        popup = self._popup
        return popup if popup is not None and popup.is_open and popup.owner is self else None

    @property
    def chosen(self) -> int | None:
        """The row that enter would take."""
        return self.popup.chosen if self.popup is not None else None

    @property
    def showing_history(self) -> bool:
        """Whether the history is shown."""
        return self._before is not None

    # Events of the input

    def typed(self) -> None:
        """Show suggestions after an edit at the cursor."""
        if self.showing_history:
            self._show_history()
        else:
            self._show_completions(asked=False)

    def renew(self) -> None:
        """Show new history entries, if the history is open."""
        if self.showing_history:
            self._show_history()

    def ask(self) -> None:
        """Show all suggestions."""
        self._before = self._refused = None
        self._show_completions(asked=True)

    def close(self) -> None:
        """Close the list."""
        if self.popup is not None:
            self.popup.close()
        self._before = None

    # Keys

    def key(self, key: str) -> bool:
        """Handle a key of the list; return False for other keys."""
        popup = self.popup
        match key:
            case "down" | "ctrl+n":
                return self._down()
            case "up" | "ctrl+p" if key == "up" or popup is not None:
                return self._up()
            case "pageup" | "pagedown" if popup is not None and popup.chosen is not None:
                page = max(popup.page - 1, 1)
                return self._move(-page if key == "pageup" else page)
            case "escape" if popup is not None:
                self._leave()
                return True
        return False

    def _down(self) -> bool:
        """Go on to the next row, or into all that may come next; False where nothing may."""
        if self.popup is None and self._entry.arrows:
            self.ask()
            text = self._entry.value
            if all(text[slice(*offer.span)] == offer.text for offer in self._completions):
                self.close()
            return self.popup is not None
        return self._move(1)

    def _up(self) -> bool:
        """Go back a row, out of the list above its first; there what was typed before."""
        popup = self.popup
        if popup is None or popup.chosen is None:
            return self._open_history()
        if popup.chosen == 0 and not self.showing_history:
            popup.choose(None)
            return True
        return self._move(-1)

    def _move(self, by: int) -> bool:
        popup = self.popup
        if popup is not None and (self._entries or not self.showing_history):
            popup.move(by)
        return popup is not None

    def _leave(self) -> None:
        """Close the list; with the history, come back to what was typed."""
        before, entry = self._before, self._entry
        if before is None:
            self._refused = self._completions[0].span.start if self._completions else None
        self.close()
        if before is not None and before[0] != entry.value:
            entry.take(Span(0, len(entry.value)), *before)

    def take_suggestion(self) -> bool:
        """Accept the chosen row, or the first suggestion; return False if there is none."""
        if self.popup is None or (self.chosen is None and not self._suggested):
            return False
        return self.take(self.chosen or 0)

    def take(self, row: int | None = None) -> bool:
        """Put a row into the input, the chosen one or this; False where there is none."""
        row = self.chosen if row is None else row
        if self.popup is None or row is None:
            return False
        entry = self._entry
        if self.showing_history:
            text = self._entries[row] if row < len(self._entries) else None
            self.close()
            if text is not None:
                entry.take(Span(0, len(entry.value)), text)
            return text is not None
        offer = self._completions[row]
        self.close()
        self._refused = None
        entry.take(offer.span, offer.text)
        if _WANTING.search(entry.value[: entry.cursor_position]):
            self._show_completions(asked=False)
        return True

    # Display

    def _show_completions(self, *, asked: bool) -> None:
        entry = self._entry
        text, cursor = entry.value, entry.cursor_position
        offers: Sequence[Completion] = ()
        if entry.complete is not None and (asked or (text.strip() and len(text) <= LONG)):
            offers = entry.complete(text, cursor)
        shown = offers if asked else unasked(text, cursor, offers)
        start = shown[0].span.start if shown else None
        if not asked and start != self._refused:
            self._refused = None
        if start is None or self._refused is not None:
            self.close()
            return
        self._completions = shown
        # A complete word needs no completion.
        self._suggested = not any(text[slice(*offer.span)] == offer.text for offer in offers)
        self._show([_row(offer) for offer in shown], start, 0 if asked else None)

    def _open_history(self) -> bool:
        if self._entry.history is None:
            return False
        if not self.showing_history:
            self.close()
            self._before = (self._entry.value, self._entry.cursor_position)
            self._show_history()
        return True

    def _show_history(self) -> None:
        history = self._entry.history
        entries = history.entries() if history is not None else ()
        hits = found(self._entry.value, entries)
        self._entries = [text for text, _ in hits]
        self._suggested = False
        rows = [Row(printable(text), marks=marks) for text, marks in hits]
        if not rows:
            rows = [Row("", "nothing similar in the history" if entries else "no history yet")]
        self._show(rows, 0, 0 if hits else None)

    def _show(self, rows: Sequence[Row], start: int, chosen: int | None) -> None:
        self.prepare()
        entry, popup = self._entry, self._popup
        if popup is None:  # the program is being left, and these keys came before
            return
        if self._suggested and chosen is None:
            rows = [rows[0]._replace(key="tab"), *rows[1:]]
        popup.owner = self
        column = entry.content_region.x + max(entry.column(start), 0)
        popup.show(rows, column, entry.around or (entry,), self.take, chosen)
        if not popup.is_open:
            self._before = None


def close_completions(screens: Iterable[Screen[Any]]) -> None:
    """Close the completions on these screens: what they were made from is no longer there."""
    for screen in screens:
        for popup in screen.children:
            offers = popup.owner if isinstance(popup, Popup) else None
            if isinstance(offers, Offers) and not offers.showing_history:
                offers.close()


def _row(offer: Completion) -> Row:
    if offer.nodes is None:
        return Row(printable(offer.text), printable(offer.description))
    return Row(printable(offer.text), number=counted(offer.nodes, "node"))


class Entry(PlainInput):
    """An input coloured by the tokens of its text, with problems underlined.

    on_edit is called with each new value before the next frame is drawn, but not for `put`.
    ``Input.Changed`` is not sent, as its answer would come two or three frames late. on_enter is
    called on enter.

    complete gives suggestions, which are shown while typing; history gives earlier texts. With
    arrows, up and down open these; else they are left to the widgets around. around is what the
    list must not cover, if more than the input.
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
        # Nothing uses it, and it would pass through each ancestor at each key.
        self.disable_messages(self.Changed)
        self._on_edit = on_edit
        self._enter = on_enter
        self.on_scroll: Callable[[], object] = lambda: None
        self.on_move: Callable[[], object] = lambda: None  # the cursor has moved
        self.on_gone: Callable[[], object] = lambda: None  # the focus has moved on

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Move what points at the characters along with the text."""
        super().watch_scroll_x(old_value, new_value)
        self.on_scroll()

    def watch_value(self, value: str) -> None:
        """Report the edit at once, without a message."""
        if not self._replacing:
            self.offers.close()
        if not self._putting:
            self._on_edit(value)

    def watch_selection(self, selection: Selection) -> None:
        """Close the suggestions when the cursor moves away."""
        if not self._replacing:
            self.offers.close()
        self.on_move()

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        """Give keys to the list before the text."""
        if self.offers.key(event.key):
            event.stop()
            event.prevent_default()

    async def action_enter(self) -> None:
        """Accept the chosen suggestion, else act on enter."""
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
        """Replace a part of the text, as typing and pasting do; suggest what may follow."""
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
        """Note that the text is used, so that it goes into the history."""
        if self.history is not None:
            self.history.remember(self.value)

    def put(self, text: str) -> None:
        """Show a text from elsewhere with the cursor at its end, without reporting an edit."""
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
        """Select the whole text, so that typing replaces it."""
        self._pointed = False
        self.selection = Selection(0, len(self.value))

    # Focus

    def on_focus(self) -> None:
        """Prepare the list for the first key, once the screen is drawn."""
        self.point_at(None)  # what is typed takes the place of nothing
        if self.complete is not None or self.history is not None:
            self.call_after_refresh(self.offers.prepare)

    def on_blur(self) -> None:
        """Close the list, and note that the text is used."""
        self.offers.close()
        if self.app.app_focus:  # it is the person who goes on, not the window that lost the focus
            self.remember()
            self.on_gone()

    def on_resize(self) -> None:
        """Close the list, which would no longer be at its word."""
        self.offers.close()

    # The drawing

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by tokens and underline problems."""
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
        # First, so that keys typed right after go to the box.
        bind("form.edit", "enter", "open", "Edit", "Edit the text in its own box", first=True),
    ]

    def __init__(self, on_open: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self._on_open = on_open

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Printable keys are text here."""
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
