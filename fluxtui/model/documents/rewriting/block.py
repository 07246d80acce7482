"""Changes in lists and mappings of YAML that are in block style, line by line."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fluxtui.model.documents.rewriting.editor import Added, Editor, Edits, FlowEditor
from fluxtui.model.documents.rewriting.parts import (
    HEADER,
    CannotKeepError,
    Entry,
    Page,
    Part,
    text_column,
)
from fluxtui.model.documents.rewriting.style import (
    Following,
    Styles,
    block,
    block_lines,
    closed,
    double,
    entry_lines,
    flow_text,
    item_lines,
    key,
    quote_of,
    value_lines,
)
from fluxtui.notation.json_compare import kind


def tail(page: Page, end: int, column: int) -> int:
    """Where what belongs to an entry ends, with the comments below it that are further in."""
    found = page.line(end)
    for line in page.following(end):
        if page.comment(line) and page.indentation(line) > column:
            found = line
        elif not page.blank(line):
            break
    return page.ends[found]


def text_before(page: Page, entry: Entry) -> Part | None:
    """The block scalar that an entry ends with; what follows it may become a part of it."""
    found = entry.value.leaf()
    if not found.is_text:
        return None
    if page.odd:
        raise CannotKeepError("the text has unusual line breaks")
    return found


def what_follows(page: Page, lines: range) -> Following:
    """What lines let a block scalar be that ends before them."""
    least, keep = 0, True
    for line in lines:
        if page.comment(line):
            least = max(least, page.indentation(line) + 1)
        if not page.blank(line):
            break
        keep = False
        least = max(least, len(page.of(line)))
    return Following(least, keep, page.odd)


class _Place:
    """The value of an entry, and what is around it on its lines.

    lead    the place after the colon or the dash
    start   where the value begins
    stop    where it ends; of a block scalar, where its header ends
    end     the end of the line that stop is in
    inline  the value begins on the line of its key or dash
    clear   nothing but spaces is between stop and end, no comment
    """

    def __init__(self, page: Page, entry: Entry) -> None:
        value = entry.value
        self.lead = self.start = self.stop = entry.lead
        if value.there:
            self.start, self.stop = value.start, value.end
        self.end = page.end(self.stop)
        self.inline = page.line(self.start) == page.line(self.lead)
        if value.block:
            self.stop = self.end  # a comment on the last line of a value goes with it
        self.clear = not page.text[self.stop : self.end].strip(" ")


def put(edits: Edits, styles: Styles, entry: Entry, new: Any, *, item: bool) -> None:
    """Replace the value of a key or of an item by any other."""
    page, value = edits.page, entry.value
    if _rewrite_text(edits, styles, entry, new):
        return
    place = _Place(page, entry)
    follows = what_follows(page, page.following(place.stop))
    header = HEADER.match(page.text, value.start) if value.is_text else None
    if header is not None:
        # The comment behind the header stays; the lines of the text go.
        first = page.end(value.start)
        edits.replace(first, value.end, "", closed=closed(new))
        place.stop, place.end = header.end(), first
        place.clear = not page.text[place.stop : first].strip(" ")
    if kind(new) == "scalar" or not new:
        _put_scalar(edits, styles, entry, place, new, follows)
    elif item and place.inline and place.clear:
        _put_behind_dash(edits, styles, entry, place, new, follows)
    else:
        _put_below(edits, styles, entry, place, new, follows, item=item)


def _rewrite_text(edits: Edits, styles: Styles, entry: Entry, new: Any) -> bool:
    """Replace a block scalar by another one, at its column and with the comment at its header."""
    page, value = edits.page, entry.value
    header = HEADER.match(page.text, value.start) if value.is_text else None
    if header is None or not isinstance(new, str):
        return False
    parent = page.column(entry.start)
    digit = header[2] or header[4]
    column = text_column(page, value.start, value.end) or parent + styles.layout.step
    found = block(
        new,
        parent,
        parent + int(digit) if digit else column,
        what_follows(page, page.following(value.end)),
    )
    if found is None:
        return False
    edits.replace(value.start, header.end(), found.head)
    first = page.end(value.start)
    edits.replace(first, value.end, _below(page, found.body), closed=closed(new))
    return True


def _put_scalar(
    edits: Edits, styles: Styles, entry: Entry, place: _Place, new: Any, follows: Following
) -> None:
    """Put a scalar, or an empty list or mapping, in the place of a value."""
    page, value = edits.page, entry.value
    head, body = value_lines(styles.layout, follows, new, page.column(entry.start), value.style)
    before = place.lead if place.inline else page.ends[page.line(place.start) - 1]
    escaped = value.style == '"' and "\\n" in page.text[value.start : value.end]
    if body and (escaped or (value.block and before > page.end(place.lead))):
        # It stays in its quotes; or a comment above the value would be taken for its text.
        head, body = double(new), []
    below = _below(page, body)
    if value.block and not place.inline:
        edits.replace(place.lead, place.lead, " " + head)
        edits.replace(before, place.end, below, closed=closed(new))
        return
    if value.there:
        edits.replace(place.start, place.stop, head)
    else:
        edits.replace(place.lead, place.end if place.clear else place.lead, " " + head)
    if below:
        edits.replace(place.end, place.end, below, closed=closed(new))


def _put_behind_dash(
    edits: Edits, styles: Styles, entry: Entry, place: _Place, new: Any, follows: Following
) -> None:
    """Put a list or mapping into an item, its first line behind the dash."""
    page = edits.page
    there = entry.value.there
    width = place.start - entry.start if there else styles.layout.dash
    column = page.column(entry.start) + width
    lines = block_lines(styles.layout, follows, new, column)
    start = place.start if there else place.lead
    lead = "" if there else " " * (width - 1)
    text = lead + page.newline.join(lines)[column:]
    edits.replace(start, place.end, text, closed=closed(new))


def _put_below(
    edits: Edits,
    styles: Styles,
    entry: Entry,
    place: _Place,
    new: Any,
    follows: Following,
    *,
    item: bool,
) -> None:
    """Put a list or mapping below its key or dash; a comment on that line stays."""
    page = edits.page
    column = page.column(entry.start)
    if item:
        body = block_lines(styles.layout, follows, new, column + styles.layout.dash)
    else:
        body = value_lines(styles.layout, follows, new, column).body
    start = end = place.end
    if place.clear:
        start = place.lead if place.inline else page.ends[page.line(place.start) - 1]
    else:
        edits.replace(place.start, place.stop, "")
    edits.replace(start, end, _below(page, body), closed=closed(new))


def _below(page: Page, lines: list[str]) -> str:
    """Lines that follow the one that ends here."""
    return "".join(page.newline + line for line in lines)


class BlockEditor(Editor):
    """Changes lists and mappings in block style; see `Editor`."""

    def __init__(self, edits: Edits, styles: Styles, flow: FlowEditor) -> None:
        super().__init__(edits, styles)
        self.flow = flow

    def change(self, part: Part, entry: Entry, old: Any, new: Any) -> None:
        """Change the value of an entry, line by line or within its brackets where it has them."""
        inner = entry.value
        alike = bool(new) and kind(new) == inner.kind != "scalar"
        if alike and inner.size and inner.block:
            self.edit(inner, old, new)
        elif alike and inner.size and self.flow.fits(inner):
            self.flow.edit(inner, old, new)
        else:
            inner.spare()
            if alike and "#" in self.page.text[inner.start : inner.end]:
                self.flow.fill(inner, new)
            else:
                put(self.edits, self.styles, entry, new, item=part.kind == "list")

    def key_text(self, near: Entry, name: str) -> str:
        """A key, in the quotes that another one is in."""
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
            while text[start - 1] == " ":  # a comment is between, and stays below the dash
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

        None for a text that is not there yet.
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
        lines = self._lines(part, added, one, what_follows(page, page.following(end)))
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
            lines = [*self._lines(part, added, one, Following(never=page.odd)), " " * column]
            self.edits.replace(one.start, one.start, page.newline.join(lines)[column:])
            return
        line = self._above(page.line(one.start))
        lines = self._lines(part, added, one, what_follows(page, range(line, len(page.starts))))
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
        lines = self._lines(part, added, before, what_follows(page, page.following(end)))
        below = "".join(page.newline + line for line in lines)
        self.edits.replace(end, end, below, closed=closed(added[-1].value))

    def _above(self, line: int) -> int:
        """The first of the comment lines right above a line; the heading of a text is none."""
        first = line
        while first > 0 and self.page.comment(first - 1):
            first -= 1
        return first or line

    def _lines(
        self, part: Part, added: Sequence[Added], near: Entry, follows: Following
    ) -> list[str]:
        """The lines of new entries, in the way of one that is near."""
        page, layout = self.page, self.styles.layout
        column = page.column(near.start)
        inline = near.value.there and page.line(near.value.start) == page.line(near.start)
        if part.kind == "list" and inline:
            layout = replace(layout, dash=near.value.start - near.start)
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

    def _moves(self, source: Entry, follows: Following) -> bool:
        """The text of an item may stand before what follows elsewhere."""
        return not source.value.leaf().is_text or follows == Following()
