"""Changes of a text: how a new value leads to the pieces that are replaced; those in brackets.

Between brackets, in JSON and in the flow style of YAML, parts that stay keep their text, their line
and the comments on it. A new part is on a line of its own where its neighbours are.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.model.documents.rewriting.parts import CannotKeepError, Entry, Page, Part
from fluxtui.model.documents.rewriting.style import Styles, flow_key, flow_text, quote_of
from fluxtui.notation.json_compare import Alignment, kind, of_lists, of_mappings, same
from fluxtui.notation.problem import Span, splice

# Items that go, times items that come, up to which it is looked whether one of them has moved.
_MOVES = 1000

_BREAKS = "\n\r\x85\u2028\u2029"
_SPACE = re.compile(rf"(?:\s|#[^{_BREAKS}]*)*")
_REST = re.compile(rf"[ \t]*(?:#[^{_BREAKS}]*)?(?=[{_BREAKS}])")
_COMMENT_LINE = re.compile(rf"[{_BREAKS}]\s*(?=#)")


class Edits:
    """Pieces of a text that are to be replaced."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pieces: list[tuple[Span, str]] = []
        self._closed: set[tuple[Span, str]] = set()

    def replace(self, start: int, end: int, text: str, *, closed: bool = False) -> None:
        """Replace a piece. Texts put in at one place are in the order they came in.

        closed says that the text ends in a block scalar, so that a line break has to follow.
        """
        piece = Span(start, end), text
        self.pieces.append(piece)
        if closed:
            self._closed.add(piece)

    def touches(self, index: int) -> bool:
        """A character is in a piece that is replaced."""
        return any(start <= index < end for (start, end), _ in self.pieces)

    def text(self) -> str:
        """The text with all pieces replaced; CannotKeepError where two of them overlap."""
        pieces = sorted(self.pieces, key=lambda piece: piece[0])
        try:
            text = splice(self.page.text, pieces)
        except ValueError:
            reason = "the text of one change runs into that of another"
            raise CannotKeepError(reason) from None
        is_last = bool(pieces) and pieces[-1][0].end == len(self.page.text)
        return text + (self.page.newline if is_last and pieces[-1] in self._closed else "")


@dataclass(frozen=True, slots=True)
class Added:
    """A part that comes in: its key, None in a list, and its value.

    source is the place of an item of the same list that goes there and comes back as this one.
    """

    key: str | None
    value: Any
    source: int | None = None


class Editor(ABC):
    """Changes a list or mapping of a text into another one, part by part."""

    def __init__(self, edits: Edits, styles: Styles) -> None:
        self.edits, self.styles = edits, styles
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
                if names[j] != part.keys[i]:
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
            part.entry(i).spare()
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
        """Give a key another name, in the quotes that it is in."""
        if self.page.text[entry.start] in "&*!":
            raise CannotKeepError("the key that changed has an anchor, an alias or a tag")
        self.edits.replace(entry.start, entry.key_end, self.key_text(entry, name))

    @abstractmethod
    def key_text(self, near: Entry, name: str) -> str:
        """A key, in the quotes that another one is in."""

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


class FlowEditor(Editor):
    """Changes lists and mappings between brackets; see `Editor`."""

    def fits(self, part: Part) -> bool:
        """The part is between brackets, which a mapping of one key in a list need not."""
        return part.style in {"{", "["} and self.page.text[part.opening] in "{["

    def change(self, part: Part, entry: Entry, old: Any, new: Any) -> None:
        """Change the value of an entry, within its brackets where it keeps them."""
        inner = entry.value
        if new and kind(new) == inner.kind != "scalar" and inner.size and self.fits(inner):
            self.edit(inner, old, new)
            return
        inner.spare()
        text = flow_text(self.styles.flow, new, self._margin(entry), inner.style)
        if inner.there:
            self.edits.replace(inner.start, inner.end, text)
        else:
            colon = ": " if entry.lead == entry.key_end else " "
            self.edits.replace(entry.lead, entry.lead, colon + text)

    def fill(self, part: Part, new: Any) -> None:
        """Put parts into an empty list or mapping, before the comments that stand in it."""
        text = flow_text(self.styles.flow, new)
        self.edits.replace(part.opening + 1, part.opening + 1, text[1:-1])

    def remove(self, part: Part, first: int, last: int, *, behind_text: bool) -> None:
        """Remove entries with their commas, and with the comments on lines that are theirs."""
        one, end = part.entry(first), part.entry(last - 1).end
        if last == part.size:
            self._remove_end(part.entry(first - 1), one, end)
            return
        following = part.entry(last)
        if first and self._margin(one) is None and self._margin(following) is not None:
            # What is before them on their line stays there, as does a comment at its end.
            start = self._comma(part.entry(first - 1).end) + 1
            self.edits.replace(start, self._comma(end) + 1, "")
            return
        comment = _COMMENT_LINE.search(self.page.text, end, following.start)
        self.edits.replace(one.start, comment.end() if comment else following.start, "")

    def _remove_end(self, before: Entry, one: Entry, end: int) -> None:
        """Remove the last entries, which begin with one; the one before them stays."""
        text = self.page.text
        owns_line = self._margin(one) is not None
        trailing = self._comma(end)
        start = before.end
        if trailing >= 0 or "#" in text[start : one.start]:
            # The comma before them stays, as YAML allows, and so does the comment behind it.
            line = self.page.line(one.start)
            start = self.page.ends[line - 1] if owns_line else self._comma(start) + 1
            end = max(end, trailing + 1)
        rest = _REST.match(text, end)
        blank = " " if before.is_bare and start == before.end else ""
        self.edits.replace(start, rest.end() if owns_line and rest else end, blank)

    def exchange(self, part: Part, first: int, last: int, added: Sequence[Added]) -> None:
        """Put others in the place of entries, and leave what is around them."""
        one = part.entry(first)
        margin = self._margin(one)
        texts = self._texts(part, added, part.entry(max(0, first - 1)), margin)
        text = self._between(part, margin).join(texts)
        self.edits.replace(one.start, part.entry(last - 1).end, text)

    def insert(self, part: Part, place: int, added: Sequence[Added]) -> None:
        """Put others before an entry or behind the last one, with their commas."""
        if place:
            self._insert_behind(part, place, added)
            return
        one = part.entry(0)
        margin = self._margin(one)
        between = self._between(part, margin)
        texts = self._texts(part, added, one, margin)
        self.edits.replace(one.start, one.start, "".join(text + between for text in texts))

    def _insert_behind(self, part: Part, place: int, added: Sequence[Added]) -> None:
        before = part.entry(place - 1)
        margin = self._margin(part.entry(place) if place < part.size else before)
        lead = self._between(part, margin)[1:]
        texts = [lead + text for text in self._texts(part, added, before, margin)]
        comma = self._comma(before.end)
        end = before.end if comma < 0 else comma + 1
        if comma < 0:
            self.edits.replace(end, end, " ," if before.is_bare else ",")
        if margin is not None:
            # A comment at the end of the line belongs to what is there.
            rest = _REST.match(self.page.text, end)
            end = rest.end() if rest else end
        self.edits.replace(end, end, ",".join(texts) + ("" if comma < 0 else ","))

    def key_text(self, near: Entry, name: str) -> str:
        """A key, in the quotes that another one is in."""
        return flow_key(self.styles.flow, name, quote_of(self.page.text[near.start]))

    def _texts(
        self, part: Part, added: Sequence[Added], near: Entry, margin: str | None
    ) -> list[str]:
        """New parts, in the quotes of one that is near."""
        found = []
        for new in added:
            if new.source is not None:
                source = part.entry(new.source)
                text = self.page.text[source.start : source.end]
            else:
                text = flow_text(self.styles.flow, new.value, margin, near.value.style)
            if new.key is not None:
                text = self.key_text(near, new.key) + self.styles.flow.colon + text
            found.append(text)
        return found

    def _between(self, part: Part, margin: str | None) -> str:
        """What parts two entries, from the comma on; margin is that of a line of their own."""
        if margin is not None:
            return f",{self.page.newline}{margin}"
        if part.size > 1:
            between = self.page.text[part.entry(0).end : part.entry(1).start]
            if between[0] == "," and not between[1:].strip(" "):
                return between
        return self.styles.flow.comma

    def _margin(self, entry: Entry) -> str | None:
        """What is before an entry that begins its line; None where it does not begin one."""
        before = self.page.text[self.page.start(entry.start) : entry.start]
        return None if before.strip(" \t") else before

    def _comma(self, index: int) -> int:
        """The place of the comma that follows; -1 where there is none."""
        space = _SPACE.match(self.page.text, index)
        end = space.end() if space else index
        return end if self.page.text[end : end + 1] == "," else -1
