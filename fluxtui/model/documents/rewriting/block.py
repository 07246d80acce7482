"""Changes in lists and mappings of YAML that stand in block style, line by line."""

from collections.abc import Sequence
from typing import Any

from fluxtui.model.documents.rewriting.edits import Added, Editor, Edits, leaf, spare
from fluxtui.model.documents.rewriting.flow import FlowEditor
from fluxtui.model.documents.rewriting.fragment import (
    Styles,
    closed,
    entry_lines,
    flow_text,
    item_lines,
)
from fluxtui.model.documents.rewriting.parts import Entry, Part
from fluxtui.model.documents.rewriting.put import put, room, tail, text_before
from fluxtui.model.documents.rewriting.scalars import Room, key, quote_of
from fluxtui.model.documents.rewriting.yaml import HEADER
from fluxtui.notation.json_compare import kind


class BlockEditor(Editor):
    """Changes lists and mappings in block style; see `Editor`."""

    def __init__(self, edits: Edits, styles: Styles, flow: FlowEditor) -> None:
        super().__init__(edits)
        self.styles, self.flow = styles, flow

    def change(self, part: Part, entry: Entry, old: Any, new: Any) -> None:
        """Change the value of an entry, line by line or within its brackets where it has them."""
        inner = entry.value
        alike = bool(new) and kind(new) == inner.kind != "scalar"
        if alike and inner.size and inner.block:
            self.edit(inner, old, new)
        elif alike and inner.size and self.flow.fits(inner):
            self.flow.edit(inner, old, new)
        else:
            spare(inner)
            if alike and "#" in self.page.text[inner.start : inner.end]:
                self.flow.fill(inner, new)
            else:
                put(self.edits, self.styles, entry, new, item=part.kind == "list")

    def key_text(self, near: Entry, name: str) -> str:
        """A key, in the quotes that another one stands in."""
        return key(name, quote_of(self.page.text[near.start]))

    def remove(self, part: Part, first: int, last: int, *, behind_text: bool) -> None:
        """Remove the lines of entries. Comments on lines above them stay."""
        page = self.page
        one, final = part.entry(first), part.entry(last - 1)
        before = part.entry(first - 1) if first else None
        end = tail(page, final.end, page.column(one.start))
        line = page.line(one.start)
        if not page.leads(one.start):
            self._remove_behind_dash(one, end, part.entry(last))
            return
        if line == 0:
            self.edits.replace(0, page.starts[page.line(end) + 1], "")
            return
        text = text_before(page, before) if before else None
        in_text = behind_text or text is not None
        if in_text:
            end = self._absorbed(None if behind_text else text, end)
        start = self._start(line, page.end(before.end) if before else 0, end)
        if in_text and end == len(page.text):
            start = page.starts[line]  # the line break before them is a part of the text
        self.edits.replace(start, end, "")

    def _remove_behind_dash(self, one: Entry, end: int, following: Entry) -> None:
        """Remove the first entries of a part that begins behind a dash; another moves up there."""
        text = self.page.text
        start = one.start
        if not text[end : following.start].strip():
            end = following.start
        else:
            while text[start - 1] == " ":  # a comment stands between, and stays below the dash
                start -= 1
        self.edits.replace(start, end, "")

    def _start(self, line: int, kept: int, end: int) -> int:
        """Where lines to be removed begin: of blank lines on both sides only those behind stay."""
        page = self.page
        following = page.following(end)
        if not following or page.blank(following[0]):
            while line > 1 and page.ends[line - 1] > kept and page.blank(line - 1):
                line -= 1
        return page.ends[line - 1]

    def _absorbed(self, text: Part | None, end: int) -> int:
        """The end of the blank lines that would become a part of the text that precedes them.

        None stands for a text that is not there yet.
        """
        header = HEADER.match(self.page.text, text.start) if text else None
        keeps = header is None or header[3] == "+"
        for line in self.page.following(end):
            if not self.page.blank(line):
                break
            if keeps or self.page.of(line):
                end = self.page.ends[line]
        return end

    def exchange(self, part: Part, first: int, last: int, added: Sequence[Added]) -> None:
        """Put the lines of others in the place of those of entries."""
        page = self.page
        one = part.entry(first)
        column = page.column(one.start)
        end = tail(page, part.entry(last - 1).end, column)
        lines = self._lines(part, added, one, room(page, page.following(end)))
        text = page.newline.join(lines)[column:]
        self.edits.replace(one.start, end, text, closed=closed(added[-1].value))

    def insert(self, part: Part, place: int, added: Sequence[Added]) -> None:
        """Put lines before an entry, and before the comment lines above it, or behind the last."""
        if place:
            self._insert_behind(part.entry(place - 1), part, added)
            return
        page = self.page
        one = part.entry(0)
        column = page.column(one.start)
        if not page.leads(one.start):
            lines = [*self._lines(part, added, one, Room(never=page.odd)), " " * column]
            self.edits.replace(one.start, one.start, page.newline.join(lines)[column:])
            return
        line = self._above(page.line(one.start))
        lines = self._lines(part, added, one, room(page, range(line, len(page.starts))))
        start = page.starts[line]
        self.edits.replace(start, start, "".join(line + page.newline for line in lines))

    def _insert_behind(self, before: Entry, part: Part, added: Sequence[Added]) -> None:
        page = self.page
        end = tail(page, before.end, page.column(before.start))
        text = text_before(page, before)
        header = HEADER.match(page.text, text.start) if text else None
        if text and header and text.end == len(page.text) and not self.edits.touches(text.start):
            # Its last line gets a line break now, which is no part of it.
            kept = header[1] + (header[2] or header[4])
            self.edits.replace(text.start, header.end(), kept + "-")
        lines = self._lines(part, added, before, room(page, page.following(end)))
        below = "".join(page.newline + line for line in lines)
        self.edits.replace(end, end, below, closed=closed(added[-1].value))

    def _above(self, line: int) -> int:
        """The first of the comment lines right above a line; the heading of a text is none."""
        first = line
        while first > 0 and self.page.comment(first - 1):
            first -= 1
        return first or line

    def _lines(self, part: Part, added: Sequence[Added], near: Entry, follows: Room) -> list[str]:
        """The lines of new entries, in the way of one that is near."""
        page, layout = self.page, self.styles.layout
        column = page.column(near.start)
        inline = near.value.there and page.line(near.value.start) == page.line(near.start)
        if part.kind == "list" and inline:
            layout = layout._replace(dash=near.value.start - near.start)
        in_brackets = near.value.style in {"[", "{"} and near.value.size
        quote = near.value.style
        found: list[str] = []
        for new in added:
            source = None if new.source is None else part.entry(new.source)
            if new.key is not None:
                name = self.key_text(near, new.key)
                found += entry_lines(layout, follows, name, new.value, column, quote)
            elif source is not None and self._moves(source, follows):
                found.append(" " * column + page.text[source.start : page.end(source.end)])
            elif in_brackets and kind(new.value) != "scalar":
                dash = " " * column + "-" + " " * (layout.dash - 1)
                found.append(dash + flow_text(self.styles.flow, new.value))
            else:
                found += item_lines(layout, follows, new.value, column, quote)
        return found

    def _moves(self, source: Entry, follows: Room) -> bool:
        """The text of an item may stand before what follows elsewhere."""
        return leaf(source.value).style not in {"|", ">"} or follows == Room()
