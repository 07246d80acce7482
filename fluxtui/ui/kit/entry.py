"""Inputs that show the result of a key in the same frame, with completions and a history.

Completions appear in a list at the cursor while typing, and tab accepts the first. Other keys work
as if there were no list until down enters it, opening it if needed; up opens the history. Inside
the list, keys move through it and accept rows.
"""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets.input import Selection

from fluxtui.notation.problem import Completion, Problem, Span, Token
from fluxtui.ui.kit.input import PlainInput, takes_document, wait_for_keys
from fluxtui.ui.kit.keys import bind, writes
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.popup import Popup
from fluxtui.ui.kit.text import columns

# What the colours of an input depend on: its tokens in order, its problems, and the palette.
Look: TypeAlias = tuple[Sequence[Token], Sequence[Problem], Palette | None]

#: Returns the completions for a text and a cursor position in it.
Complete = Callable[[str, int], Sequence[Completion]]

#: Characters beyond which a text is completed only on request: parsing it would delay the key.
LONG = 8_000

# Matches text after which a word must follow, so that suggestions show without being requested.
_WANTING = re.compile(r"(?:[/;\[{=:,&|(-]|(?:^|[\s(&|])(?:not|and|or)\s)\s*\Z")


class InputHistory(NamedTuple):
    """The texts typed before: entries returns them, the newest last; remember adds one."""

    entries: Callable[[], Sequence[str]]
    remember: Callable[[str], object]


def unprompted(text: str, cursor: int, offers: Sequence[Completion]) -> list[Completion]:
    """Return the suggestions to show without a request: completions of the current word.

    If no word has been begun, these are all completions where a word must follow, and else none.
    """
    begun = [o for o in offers if o.span.start < cursor and text[slice(*o.span)] != o.text]
    if begun:
        return begun
    if any(offer.span.start < cursor for offer in offers) or not _WANTING.search(text[:cursor]):
        return []
    return list(offers)


def matching_entries(text: str, entries: Sequence[str]) -> list[str]:
    """Return other entries that contain all words of a text, ignoring case, the newest first."""
    words = text.casefold().split()
    return [
        entry
        for entry in reversed(entries)
        if entry != text and all(word in entry.casefold() for word in words)
    ]


class Entry(PlainInput):
    """An input coloured by the tokens of its text, with problems underlined.

    on_edit is called with each new value before the next frame is drawn, except for `put`.
    ``Input.Changed`` is not posted: its handlers would run two or three frames later. on_enter is
    called on enter.

    complete returns suggestions, which are shown while typing; history has earlier texts. With
    arrows, down opens the suggestions; else that key is left to the widgets around. around are the
    widgets that the list must not cover; by default the input.
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
        self.complete = complete
        self._popup: Popup | None = None
        self._offers: Sequence[Completion] = ()  # the rows of the list
        self._before: tuple[str, int] | None = None  # text and cursor when the history was opened
        self._refused: int | None = None  # start of the word whose suggestions escape closed
        self._keeps_list = self._putting = False  # set during `take`, and during `put`
        self._look: Look = ((), (), None)
        self._pointed = False  # whether the selection was made by `point_at`
        super().__init__(placeholder=placeholder, id=id, compact=True, select_on_focus=False)
        # Nothing uses this message, which would bubble through each ancestor at each key.
        self.disable_messages(self.Changed)
        self._on_edit = on_edit
        self._enter = on_enter
        self.on_scroll: Callable[[], object] = lambda: None
        self.on_move: Callable[[], object] = lambda: None  # the cursor has moved
        self.on_gone: Callable[[], object] = lambda: None  # the focus has moved on

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Move the carets below the input along with the text."""
        super().watch_scroll_x(old_value, new_value)
        self.on_scroll()

    def watch_value(self, value: str) -> None:
        """Call on_edit at once, without a message."""
        if not self._keeps_list:
            self.close_list()
        if not self._putting:
            self._on_edit(value)

    def watch_selection(self, selection: Selection) -> None:
        """Close the list when the cursor moves."""
        if not self._keeps_list:
            self.close_list()
        self.on_move()

    def on_focus(self) -> None:
        """Prepare the list for the first key, once the screen is drawn."""
        self.point_at(None)  # typing must not replace a selection the user did not make
        if self.complete is not None or self.history is not None:
            self.call_after_refresh(self._prepare)

    def on_blur(self) -> None:
        """Close the list, and add the text to the history."""
        self.close_list()
        if self.app.app_focus:  # the user moved on; the terminal window did not lose the focus
            self.remember()
            self.on_gone()

    def on_resize(self) -> None:
        """Close the list, because its place on the screen is no longer right."""
        self.close_list()

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        """Offer a key to the list before the text."""
        if self.press_in_list(event.key):
            event.stop()
            event.prevent_default()

    async def action_enter(self) -> None:
        """Accept the chosen row of the list, or else call on_enter."""
        await wait_for_keys(self)
        if self.chosen is None or not self._take_row(self.chosen):
            self.close_list()
            self.remember()
            self._enter()

    async def take_suggestion(self) -> bool:
        """Accept the chosen row, or the first suggestion; return False if there is none."""
        await wait_for_keys(self)
        first = 0 if self.popup is not None and self.popup.key else None
        row = first if self.chosen is None else self.chosen
        return row is not None and self._take_row(row)

    def action_suggest(self) -> None:
        """Show all suggestions."""
        self._before = self._refused = None
        self._show_completions(requested=True)

    # The list

    @property
    def popup(self) -> Popup | None:
        """The popup while it shows the list of this input."""
        popup = self._popup
        return popup if popup is not None and popup.rows and popup.owner is self else None

    @property
    def chosen(self) -> int | None:
        """The row that enter would accept; None if none is chosen."""
        return self.popup.chosen if self.popup is not None else None

    @property
    def is_in_history(self) -> bool:
        """Whether the list shows the history."""
        return self._before is not None

    def close_list(self) -> None:
        """Close the list."""
        if self.popup is not None:
            self.popup.close()
        self._before = None

    def press_in_list(self, key: str) -> bool:
        """Handle a key of the list; return False for other keys."""
        popup, row = self.popup, self.chosen
        if popup is None and key == "down" and self.arrows:
            self.action_suggest()
            if all(self.value[slice(*offer.span)] == offer.text for offer in self._offers):
                self.close_list()  # the word is the only completion
            return self.popup is not None
        if row is None and (key == "up" or (key == "ctrl+p" and popup is not None)):
            return self._open_history()
        if popup is None:
            return False
        moves = {"down": 1, "ctrl+n": 1, "up": -1, "ctrl+p": -1}
        if row is not None:
            page = max(popup.size.height - 1, 1)
            moves |= {"pageup": -page, "pagedown": page}
        if key == "escape" and self._before is not None:  # restore the typed text
            self.take(Span(0, len(self.value)), *self._before)
            self.close_list()
        elif key == "escape":
            self._refused = self._offers[0].span.start
            self.close_list()
        elif row == 0 and moves.get(key) == -1 and not self.is_in_history:
            popup.choose(None)
        elif key in moves:
            popup.choose(0 if row is None else row + moves[key])
        return key == "escape" or key in moves

    def _take_row(self, row: int) -> bool:
        """Put a row of the list into the text; return False if there is none."""
        is_word = not self.is_in_history
        offer = self._offers[row] if self.popup is not None else None
        self.close_list()
        if offer is None or not offer.text:
            return False
        self._refused = None
        self.take(offer.span, offer.text)
        if is_word and _WANTING.search(self.value[: self.cursor_position]):
            self._show_completions(requested=False)
        return True

    def _show_completions(self, *, requested: bool) -> None:
        text, cursor = self.value, self.cursor_position
        offers: Sequence[Completion] = ()
        if self.complete is not None and (requested or (text.strip() and len(text) <= LONG)):
            offers = self.complete(text, cursor)
        shown = offers if requested else unprompted(text, cursor, offers)
        start = shown[0].span.start if shown else None
        if not requested and start != self._refused:
            self._refused = None
        if start is None or self._refused is not None:
            self.close_list()
            return
        # A complete word needs no completion.
        is_whole = any(text[slice(*offer.span)] == offer.text for offer in offers)
        chosen, key = 0 if requested else None, "" if is_whole else "tab"
        self._show_list(shown, start, chosen=chosen, key=key)

    def _open_history(self) -> bool:
        """Show the history; return False if there is none."""
        if self.history is not None and not self.is_in_history:
            self.close_list()
            self._before = (self.value, self.cursor_position)
            self.renew_history()
        return self.history is not None

    def renew_history(self) -> None:
        """If the history is open, show its current entries that match the text."""
        if self.history is None or not self.is_in_history:
            return
        whole = Span(0, len(self.value))
        entries = self.history.entries()
        offers = [Completion(entry, whole, "") for entry in matching_entries(self.value, entries)]
        nothing = "nothing similar in the history" if entries else "no history yet"
        shown = offers or [Completion("", whole, nothing)]
        self._show_list(shown, 0, chosen=0 if offers else None, words=self.value.split())

    def _show_list(
        self,
        offers: Sequence[Completion],
        start: int,
        *,
        chosen: int | None = None,
        key: str = "",
        words: Sequence[str] = (),
    ) -> None:
        self._prepare()
        popup = self._popup
        if popup is None:  # the program is ending, and this key was typed before
            return
        self._offers, popup.owner = offers, self

        def place() -> int:
            return self.content_region.x + max(self.column(start), 0)

        popup.show(offers, place, self.around or (self,), self._take_row, chosen, key, words)
        if not popup.rows:
            self._before = None

    def _prepare(self) -> None:
        """Create the popup of the screen if needed, and load what completion needs."""
        if (self._popup is not None and self._popup.is_attached) or not self.screen.is_attached:
            return
        self._popup = next((w for w in self.screen.children if isinstance(w, Popup)), None)
        if self._popup is None:
            self._popup = Popup()
            self.screen.mount(self._popup)
        if self.complete is not None:
            self.complete("", 0)

    # The text

    def replace(self, text: str, start: int, end: int) -> None:
        """Replace a part of the text, as typing and pasting do, and suggest what may follow."""
        before = self.value
        self.take(Span(start, end), text)
        if self.value == before:
            return
        if self.is_in_history:
            self.renew_history()
        elif len(text) <= 1:
            self._show_completions(requested=False)
        else:
            self.close_list()

    def take(self, span: Span, text: str, cursor: int | None = None) -> None:
        """Replace a span of the text in one edit; the cursor goes after it, or to this index."""
        self._keeps_list = True
        try:
            super().replace(text, span.start, span.end)
            if cursor is not None:
                self.cursor_position = cursor
        finally:
            self._keeps_list = False

    def remember(self) -> None:
        """Add the text to the history."""
        if self.history is not None:
            self.history.remember(self.value)

    def put(self, text: str) -> None:
        """Show a text with the cursor at its end, without calling on_edit."""
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
        """Highlight a part of the text while the focus is elsewhere; None ends that."""
        if span is not None or self._pointed:
            self._pointed = span is not None
            self.selection = Selection(*span) if span else Selection.cursor(self.selection.end)
            self.refresh()

    def give_way(self) -> None:
        """Select the whole text, so that typing replaces it."""
        self._pointed = False
        self.select_all()

    # The drawing

    def colour(self, tokens: Sequence[Token], problems: Sequence[Problem]) -> None:
        """Colour the text by tokens and underline problems."""
        look = (tokens, problems, palette_of(self))
        if look != self._look:
            self._look = look
            self.refresh()

    def column(self, index: int) -> int:
        """Return the column of a character, from the left edge of the visible content."""
        return columns(self.value[:index]) - self.scroll_offset.x

    def draw(self, text: Text) -> None:
        """Colour the visible tokens, underline problems, and show the span of `point_at`."""
        style = palette_of(self)
        tokens, problems, _ = self._look
        first, last = 0, len(text)
        if text.plain.isascii():  # each character takes one column
            first = self.scroll_offset.x
            last = first + self.size.width
        for kind, span in tokens:
            if span.end > first and span.start <= last:
                text.stylize(style.token(kind), *span)
        for problem in problems:
            if problem.span is not None:
                look = style.problem if problem.severity == "error" else style.plain
                text.stylize(look + Style(underline=True), *problem.span)
        if self._pointed and not self.has_focus:
            look = self.get_component_rich_style("input--selection")
            text.stylize_before(look, *sorted(self.selection))


class LinesField(LinesView):
    """One row that shows a multi-line text, which is edited in a dialog.

    on_open opens the dialog on enter, and when text is typed or pasted, which the dialog gets.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that keys typed right after it go to the dialog.
        bind("form.edit", "enter", "open", "Edit", "Edit the text in its own box", first=True),
    ]

    def __init__(self, on_open: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self._on_open = on_open

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Printable keys are text here."""
        return writes(key, character)

    def action_open(self) -> None:
        """Open the dialog."""
        self._on_open()

    def _forward_event(self, event: events.Event) -> None:
        """Open the dialog at once for typed text, and pass the text on to it.

        Further keys of a burst then go to the dialog by themselves. The app takes pasted documents.
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
