"""Changes of a text: the pieces that are replaced, and how a new value leads to them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from fluxtui.model.documents.rewriting.parts import CannotKeepError, Entry, Page, Part
from fluxtui.notation.json_compare import Alignment, of_lists, of_mappings, same

# Items that go, times items that come, up to which it is looked whether one of them has moved.
_MOVES = 1000


class Piece(NamedTuple):
    """A piece of a text, and what comes in its place.

    closed  where the text ends with it a line break has to follow, for it ends in a block scalar
    """

    start: int
    end: int
    text: str
    closed: bool


class Edits:
    """Pieces of a text that are to be replaced."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pieces: list[Piece] = []

    def replace(self, start: int, end: int, text: str, *, closed: bool = False) -> None:
        """Replace a piece. Texts put in at one place stand in the order they came in."""
        self.pieces.append(Piece(start, end, text, closed))

    def touches(self, index: int) -> bool:
        """A character is in a piece that is replaced."""
        return any(piece.start <= index < piece.end for piece in self.pieces)

    def text(self) -> str:
        """The text with all pieces replaced; CannotKeepError where two of them overlap."""
        found: list[str] = []
        done = 0
        closed = False
        for piece in sorted(self.pieces, key=lambda piece: piece[:2]):
            if piece.start < done:
                raise CannotKeepError("the text of one change runs into that of another")
            found += (self.page.text[done : piece.start], piece.text)
            done = piece.end
            closed = piece.closed
        found.append(self.page.text[done:])
        if closed and done == len(self.page.text):
            found.append(self.page.newline)
        return "".join(found)


class Added(NamedTuple):
    """A part that comes in: its key, None in a list, and its value.

    source is the place of an item of the same list that goes there and comes back as this one.
    """

    key: str | None
    value: Any
    source: int | None = None


class Editor(ABC):
    """Changes a list or mapping of a text into another one, part by part."""

    def __init__(self, edits: Edits) -> None:
        self.edits = edits
        self.page = edits.page

    def edit(self, part: Part, old: Any, new: Any) -> None:
        """Note what is to be replaced; neither value is empty."""
        trouble = part.trouble()
        if trouble:
            raise CannotKeepError(trouble)
        if part.kind == "map":
            names = list(new)
            olds, news = list(old.values()), list(new.values())
            found = of_mappings(old, new)
            for i, j in found.pairs:
                if names[j] != part.keys()[i]:
                    self.rename(part.entry(i), names[j])
        else:
            names, olds, news, found = None, old, new, of_lists(old, new)
        texts = set()
        for i, j in found.pairs:
            if not same(olds[i], news[j]):
                self.change(part, part.entry(i), olds[i], news[j])
                if _has_lines(news[j]):
                    texts.add(i)
        gone = [i for gap in found.gaps for i in range(gap.first, gap.last)]
        for i in gone:
            spare(part.entry(i))
        moved = {} if names else _moved(found, gone, olds, news)
        for gap in found.gaps:
            added = [Added(names[j] if names else None, news[j], moved.get(j)) for j in gap.added]
            if not added:
                self.remove(part, gap.first, gap.last, behind_text=gap.first - 1 in texts)
            elif gap.first < gap.last:
                self.exchange(part, gap.first, gap.last, added)
            else:
                self.insert(part, gap.first, added)

    def rename(self, entry: Entry, name: str) -> None:
        """Give a key another name, in the quotes that it stands in."""
        if self.page.text[entry.start] in "&*!":
            raise CannotKeepError("the key that changed has an anchor, an alias or a tag")
        self.edits.replace(entry.start, entry.key_end, self.key_text(entry, name))

    @abstractmethod
    def key_text(self, near: Entry, name: str) -> str:
        """A key, in the quotes that another one stands in."""

    @abstractmethod
    def change(self, part: Part, entry: Entry, old: Any, new: Any) -> None:
        """Change the value of an entry."""

    @abstractmethod
    def remove(self, part: Part, first: int, last: int, *, behind_text: bool) -> None:
        """Remove the entries from first up to last, which stays; others stay as well.

        behind_text tells that the entry before them changes, and may end in a block scalar then.
        """

    @abstractmethod
    def exchange(self, part: Part, first: int, last: int, added: Sequence[Added]) -> None:
        """Put others in the place of the entries from first up to last, which stays."""

    @abstractmethod
    def insert(self, part: Part, place: int, added: Sequence[Added]) -> None:
        """Put others before the entry at a place, or behind the last one."""


def spare(part: Entry | Part) -> None:
    """CannotKeepError where an anchor stands in what is to go, which aliases may need."""
    if part.anchored():
        raise CannotKeepError("the part that changed has an anchor")


def leaf(part: Part) -> Part:
    """The last value of one in block style, or the value itself."""
    while part.block and part.size:
        part = part.final().value
    return part


def _moved(
    found: Alignment, gone: Sequence[int], olds: Sequence[Any], news: Sequence[Any]
) -> dict[int, int]:
    """The new items that are old ones which go elsewhere, by place, with the old places."""
    moved: dict[int, int] = {}
    added = [j for gap in found.gaps for j in gap.added]
    if len(gone) * len(added) > _MOVES:
        return moved
    left = list(gone)
    for j in added:
        source = next((i for i in left if same(olds[i], news[j])), None)
        if source is not None:
            left.remove(source)
            moved[j] = source
    return moved


def _has_lines(value: Any) -> bool:
    """A text of several lines is in a value."""
    if isinstance(value, dict | list | tuple):
        return any(map(_has_lines, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and "\n" in value
