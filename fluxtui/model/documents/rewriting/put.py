"""A value of YAML in block style is replaced as a whole: under its key, or in its item."""

from typing import Any

from fluxtui.model.documents.rewriting.edits import Edits, leaf
from fluxtui.model.documents.rewriting.fragment import Styles, block_lines, closed, value_lines
from fluxtui.model.documents.rewriting.parts import CannotKeepError, Entry, Page, Part
from fluxtui.model.documents.rewriting.scalars import Room, block, double, folds
from fluxtui.model.documents.rewriting.yaml import HEADER, text_column
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
    found = leaf(entry.value)
    if found.style not in {"|", ">"}:
        return None
    if page.odd:
        raise CannotKeepError("the text has unusual line breaks")
    return found


def room(page: Page, lines: range) -> Room:
    """What lines let a block scalar be that ends before them."""
    least, keep = 0, True
    for line in lines:
        if page.comment(line):
            least = max(least, page.indentation(line) + 1)
        if not page.blank(line):
            break
        keep = False
        least = max(least, len(page.of(line)))
    return Room(least, keep, page.odd)


class _Place:
    """The value of an entry, and what stands around it on its lines.

    lead    the place after the colon or the dash
    start   where the value begins
    stop    where it ends; of a block scalar, where its header ends
    end     the end of the line that stop stands in
    inline  the value begins on the line of its key or dash
    clear   nothing but spaces stands between stop and end, no comment
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
    follows = room(page, page.following(place.stop))
    header = HEADER.match(page.text, value.start) if value.style in {"|", ">"} else None
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
    header = HEADER.match(page.text, value.start) if value.style in {"|", ">"} else None
    if header is None or not isinstance(new, str):
        return False
    parent = page.column(entry.start)
    digit = header[2] or header[4]
    column = text_column(page, value.start, value.end) or parent + styles.layout.step
    lines = range(page.line(value.start) + 1, page.line(value.end) + 1)
    found = block(
        new,
        parent,
        parent + int(digit) if digit else column,
        room(page, page.following(value.end)),
        folds([page.of(line) for line in lines]) if value.style == ">" else None,
    )
    if found is None:
        return False
    edits.replace(value.start, header.end(), found.header)
    first = page.end(value.start)
    edits.replace(first, value.end, _below(page, found.lines), closed=closed(new))
    return True


def _put_scalar(
    edits: Edits, styles: Styles, entry: Entry, place: _Place, new: Any, follows: Room
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
    edits: Edits, styles: Styles, entry: Entry, place: _Place, new: Any, follows: Room
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
    follows: Room,
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
