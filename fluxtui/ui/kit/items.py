"""The rows of a picker: what they contain, how they are searched and drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import shorten

T = TypeVar("T")

GAP = 2  # columns between two columns
NEARLY = 6  # columns by which a name may be wider than most of them, and still have its column
LEAST_DETAIL = 8  # columns below which none is shown


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One row of a picker.

    value    what is picked with it
    label    its name
    detail   what it is, in quiet words after the name; of a path that is too long the end is shown
    right    a word at the right edge, such as a key
    key      a letter or a number that picks it at once
    lead     what comes before the name, such as a sign; without it the key does
    role     the role of the colour of that
    group    the heading that it is under
    words    more words that find it
    why_not  why it cannot be picked now, which is shown in place of the detail
    """

    value: T
    label: str
    detail: str = ""
    right: str = ""
    key: str = ""
    lead: str = ""
    role: str = "slot"
    group: str = ""
    words: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class RowKey(Generic[T]):
    """A key that acts on the row under the cursor.

    keys are Textual's names, comma-separated, the first of which the footer shows with the label;
    without a label it shows none. run gets the value of the row, or None where there is no row.
    """

    keys: str
    label: str
    run: Callable[[T | None], object]


def search(items: Sequence[Item[T]], typed: str) -> Sequence[Item[T]]:
    """The rows whose names, synonyms or details contain all of the words.

    They come in that order, after those whose names begin with what is typed.
    """
    words = typed.lower().split()
    if not words:
        return items
    found: list[tuple[int, Item[T]]] = []
    for item in items:
        label = item.label.lower()
        named = f" {label} {item.words} {item.group}".lower()
        whole = f"{named} {item.detail} {item.right}".lower()
        if all(word in whole for word in words):
            found.append((_distance(label, named, words), item))
    found.sort(key=lambda pair: pair[0])
    return [item for _, item in found]


def _distance(label: str, named: str, words: Sequence[str]) -> int:
    """How far a row is from the words: 0 where they are its name."""
    whole = " ".join(words)
    if label.startswith(whole):
        return int(label != whole)
    if all(f" {word}" in f" {label}" for word in words):
        return 2
    if all(word in label for word in words):
        return 3
    return 4 if all(f" {word}" in named for word in words) else 5


@dataclass(frozen=True, slots=True)
class Columns:
    """How wide the parts of the rows are, 0 for a part that none has; cuts says that some are cut.

    A name that is wider than its column goes on where the detail would begin.
    """

    lead: int
    label: int
    right: int
    width: int
    cuts: bool

    @classmethod
    def of(
        cls, items: Sequence[Item[T]], widths: tuple[int, int, int, int], width: int
    ) -> "Columns":
        """The columns for rows of a width, by the widths of their parts.

        Where details need room, the column of the names is as wide as most of them, and no more
        than two fifths of it, beside what is left.
        """
        lead, label, detail, right = widths
        lead = min(lead, width // 3)
        room = width - (lead + GAP if lead else 0)
        if right and room - right < min(label + GAP, room // 2):
            right = 0
        room -= right + GAP if right else 0
        cuts = label + (GAP + detail if detail else 0) > room
        if cuts and detail:
            most = max(room * 2 // 5, room - GAP - detail)
            names = sorted(cell_len(item.label) for item in items)
            usual = names[len(names) * 4 // 5] + NEARLY
            label = min(max(name for name in names if name <= usual), most)
        return cls(lead, min(label, room), right, width, cuts)

    def line(self, item: Item[T], words: Sequence[str], style: Palette) -> Text:
        """A row as it is drawn; the words stand out in its name."""
        line = Text(" ", end="", no_wrap=True)
        if self.lead:
            lead = printable(item.lead or item.key)
            line.append(set_cell_size(lead, self.lead + GAP), style=style.role(item.role))
        room = self.width + 1 - line.cell_len - (self.right + GAP if self.right else 0)
        look = style.faint if item.why_not else style.plain
        most = max(self.label, room * 3 // 5) if item.detail else room
        name = Text(shorten(printable(item.label), most), style=look)
        if words:
            name.highlight_words(words, style.match, case_sensitive=False)
        line.append_text(name)
        taken = max(self.label, name.cell_len)
        detail = printable(item.why_not or item.detail)
        left = room - taken - GAP
        if detail and left >= min(cell_len(detail), LEAST_DETAIL):
            line.append(" " * (taken - name.cell_len + GAP))
            line.append(_short(detail, left), style=style.quiet)
        if self.right:
            line.append(" " * (self.width + 1 - self.right - line.cell_len))
            line.append(f"{item.right:>{self.right}}", style=style.quiet)
        return line


def widest(items: Sequence[Item[T]]) -> tuple[int, int, int, int]:
    """The columns of the widest lead, name, detail and right edge."""
    parts = [
        (item.lead or item.key, item.label, item.why_not or item.detail, item.right)
        for item in items
    ]
    lead, label, detail, right = (
        max(map(cell_len, column)) for column in zip(*parts, ("",) * 4, strict=True)
    )
    return lead, label, detail, right


def _short(text: str, width: int) -> str:
    """A text in at most so many columns; of a path the end is what tells it from others."""
    return shorten(text, width, "end" if "/" in text and " " not in text else "start")
