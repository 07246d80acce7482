"""What an input suggests while a person types: completions at the cursor, and what came before.

Tab takes the first suggestion. Every other key does what it does without the list, until down goes
into it, and opens it where it is closed; up opens what was typed before. From then on the keys that
move and take are the list's.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.screen import Screen

from fluxtui.notation.problem import Completion, Span, counted, printable
from fluxtui.ui.kit.popup import Popup, Row

if TYPE_CHECKING:
    from fluxtui.ui.kit.entry import Entry

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
    """What to suggest to somebody who did not ask: words that go on from the one begun.

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
    """The list beside one input: what it holds, and what the keys do to it."""

    def __init__(self, entry: "Entry") -> None:
        self._entry = entry
        self._popup: Popup | None = None
        self._completions: Sequence[Completion] = ()
        self._entries: Sequence[str] = ()
        self._before: tuple[str, int] | None = None  # text and cursor when the history was opened
        self._refused: int | None = None  # where the word begins whose list was closed
        self._suggested = False  # tab takes the first row

    def prepare(self) -> None:
        """Have the popup of the screen ready, and all that completion needs."""
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
        """What was typed before is shown."""
        return self._before is not None

    # What happens in the input

    def typed(self) -> None:
        """A character came or went at the cursor: show what there is to suggest."""
        if self.showing_history:
            self._show_history()
        else:
            self._show_completions(asked=False)

    def renew(self) -> None:
        """There is more that was typed before: show it, if that is what is shown."""
        if self.showing_history:
            self._show_history()

    def ask(self) -> None:
        """Show all that may come next."""
        self._before = self._refused = None
        self._show_completions(asked=True)

    def close(self) -> None:
        """Show nothing."""
        if self.popup is not None:
            self.popup.close()
        self._before = None

    # Keys

    def key(self, key: str) -> bool:
        """Do what a key does to the list; False where it is none of its keys."""
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
        """Take the chosen row, or the first where that is suggested; False where none is."""
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

    # What is shown

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
        # A word that is whole need not go on.
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
    """The row of a completion; a number of nodes is at the right."""
    if offer.nodes is None:
        return Row(printable(offer.text), printable(offer.description))
    return Row(printable(offer.text), number=counted(offer.nodes, "node"))
