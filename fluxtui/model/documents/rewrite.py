"""Rewriting the text of a document for a new value, preserving whatever did not change.

Comments, blank lines, the order of keys, quotes, indentation and the spelling of numbers stay
unless they are part of the change. Each text is made from the original, never from an earlier
result: undoing a change gives the original text, and one change costs as much as a hundred.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from fluxtui.model.documents import document as documents
from fluxtui.model.documents.document import Document, Mark, dump
from fluxtui.model.documents.layout import (
    HEADER,
    Blocks,
    CannotKeepError,
    Entry,
    Flow,
    Page,
    Part,
    blocks_of,
    double,
    flow_of,
    flow_text,
    key_text,
)
from fluxtui.notation.json_value import kind, of_lists, of_mappings, same
from fluxtui.notation.problem import Span, splice

_BYTE_ORDER_MARK = "\ufeff"

_BREAKS = "\n\r\x85\u2028\u2029"
_SPACE = re.compile(rf"(?:\s|#[^{_BREAKS}]*)*")
_REST = re.compile(rf"[ \t]*(?:#[^{_BREAKS}]*)?(?=[{_BREAKS}])")
_COMMENT_LINE = re.compile(rf"[{_BREAKS}]\s*(?=#)")


@dataclass(frozen=True)
class Written:
    """The original text, and what is derived from it at first use.

    prefix is its byte order mark or ""; mark counts from the end of prefix.
    """

    text: str
    form: Literal["yaml", "json"]
    value: Any
    mark: Mark = field(repr=False, compare=False)
    prefix: str = ""

    @cached_property
    def page(self) -> Page:
        """The text by lines, without the prefix."""
        return Page(self.text.removeprefix(self.prefix))

    @cached_property
    def root(self) -> Part:
        """The whole document in the text."""
        return Part(self.page, self.mark)

    @cached_property
    def blocks(self) -> Blocks:
        """The style of its mappings and lists without brackets."""
        return blocks_of(self.page, self.root)

    @cached_property
    def flow(self) -> Flow:
        """The style of its mappings and lists between brackets."""
        return flow_of(self.page) if self.form == "json" else Flow()


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A text for a new value.

    kept  whether the layout and the comments of the original text were kept
    why   a sentence that says why they were not; else ""
    """

    text: str
    kept: bool = True
    why: str = ""


def read(document: Document) -> Written:
    """The text of a document as the original; ValueError if it has no value or is TOML."""
    mark, form, prefix = document.mark, document.form, ""
    if mark is None or form == "toml":
        raise ValueError("a text of YAML or JSON that can be read is needed")
    if form == "yaml" and document.text.startswith(_BYTE_ORDER_MARK):
        prefix = _BYTE_ORDER_MARK
        mark = documents.read_yaml(document.text[1:]).mark or mark  # counts from the end of prefix
    return Written(document.text, form, document.value, mark, prefix)


def rewritten(written: Written, value: Any) -> Rewriting:
    """The text for a new value, with the least change to the original text.

    The value must be a JSON value: dictionaries with string keys, lists, strings, numbers, true,
    false and None. Numbers of different types are different values: 3600 and 3600.0. The order of
    the keys of a dictionary determines where a new key goes, and is not a change by itself.
    """
    if same(written.value, value):
        return Rewriting(written.text)
    try:
        text = _Editor(written).text(written.value, value)
    except CannotKeepError as error:
        return _from_scratch(written, value, f"{error}")
    return Rewriting(written.prefix + text)


def verified(written: Written, value: Any) -> Rewriting:
    """Like `rewritten`, but read back: if the value differs, the text is written from scratch.

    This takes as long as reading the text: use it for saving, not for each keystroke.
    """
    found = rewritten(written, value)
    if not found.kept:
        return found
    reader = documents.read_json if written.form == "json" else documents.read_yaml
    reread = reader(found.text)
    if reread.readable and same(reread.value, value):
        return found
    return _from_scratch(written, value, "this change does not fit into the layout")


def _from_scratch(written: Written, value: Any, reason: str) -> Rewriting:
    """A text written from scratch that keeps only the line breaks and the indentation of JSON."""
    page = written.page
    if written.form == "json":
        text = flow_text(written.flow, value, "") + ("" if page.unfinished else page.newline)
        lost = "its layout"
    else:
        text, lost = dump(value).replace("\n", page.newline), "its comments and its layout"
    why = f"{reason}; the text was rewritten without {lost}"
    return Rewriting(written.prefix + text, False, why)


@dataclass(frozen=True, slots=True)
class _Added:
    """An entry to be added: its key, None in a list, and its value.

    source is the index of the removed item of the same list that reappears as this one, or None.
    """

    key: str | None
    value: Any
    source: int | None = None


class _Editor:
    """Replaces pieces of a text so that it has another value.

    Between brackets, in JSON and in the flow style of YAML, parts that stay keep their text, their
    line and the comments on it. In block style only whole lines change, except for scalars. A new
    part looks like its neighbours.
    """

    def __init__(self, base: Written) -> None:
        self.base, self.page = base, base.page
        self.pieces: list[tuple[Span, str]] = []

    def text(self, old: Any, new: Any) -> str:
        """The text for a new value; CannotKeepError if the layout cannot be kept."""
        page, root = self.page, self.base.root
        if kind(new) == "scalar" or (kind(new) != root.kind and (root.has_text or not new)):
            raise CannotKeepError("the whole document was replaced")
        if not root.size:
            return self.filled(new)
        if new:
            self.edit(root, old, new)
        else:
            _refuse_anchors(root)
            self.replace(root.start, root.end, "[]" if root.kind == "list" else "{}")
        self.pieces.sort(key=lambda piece: piece[0])
        try:
            text = splice(page.text, self.pieces)
        except ValueError:
            reason = "two changes overlap in the text"
            raise CannotKeepError(reason) from None
        # A block scalar at the very end may need a line break after it.
        (_, end), put = self.pieces[-1]
        is_closed = end < len(page.text) or not put or not _last_text(new).endswith("\n")
        return text if is_closed else text + page.newline

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a piece. Several texts inserted at one place keep the order of the calls."""
        self.pieces.append((Span(start, end), text))

    def below(self, start: int, end: int, lines: Sequence[str]) -> None:
        """Replace a piece that begins at the end of a line by lines that follow this line."""
        self.replace(start, end, "".join(self.page.newline + line for line in lines))

    def filled(self, new: Any) -> str:
        """The text for a value that replaces empty brackets or nothing, below existing comments."""
        page, root = self.page, self.base.root
        before, after = page.text, ""
        if root.has_text:
            before, after = page.text[: root.start], page.text[root.end :]
        if self.base.form == "json":
            style = replace(self.base.flow, unit="  ")  # the style of a new document
            return before + flow_text(style, new, "") + after
        if re.search(r"^\.\.\.", page.text, re.MULTILINE):  # a document end marker
            raise CannotKeepError("the whole document was replaced")
        lead = (before + after).rstrip()
        lines = self.base.blocks.before(page, range(0), 0).lines(new, 0)
        return "".join(line + page.newline for line in ([lead] if lead else []) + lines)

    def edit(self, part: Part, old: Any, new: Any) -> None:
        """Change a list or mapping entry by entry; neither value may be empty."""
        if trouble := part.trouble():
            raise CannotKeepError(trouble)
        if part.kind == "map":
            names, olds, news = list(new), list(old.values()), list(new.values())
            found = of_mappings(old, new)
        else:
            names, olds, news, found = [], old, new, of_lists(old, new)
        for i, j in found.pairs:
            if names and names[j] != part.keys[i]:
                entry = part.entry(i)
                if self.page.text[entry.start] in "&*!":
                    raise CannotKeepError("the key that changed has an anchor, an alias or a tag")
                self.replace(entry.start, entry.key_end, self.key(part, entry, names[j]))
            if not same(olds[i], news[j]):
                self.change(part, part.entry(i), olds[i], news[j])
        removed = [i for gap in found.gaps for i in range(gap.first, gap.last)]
        for entry in map(part.entry, removed):
            if self.page.text[entry.start] == "&":
                raise CannotKeepError("the part that changed has an anchor")
            _refuse_anchors(entry.value)
        unused, moved = list(removed), {}  # moved items are matched only if they are few
        added_places = [j for gap in found.gaps for j in gap.added]
        for j in added_places if not names and len(removed) * len(added_places) <= 1000 else ():
            source = next((i for i in unused if same(olds[i], news[j])), None)
            if source is not None:
                unused.remove(source)
                moved[j] = source
        new_places = dict(found.pairs)
        for gap in found.gaps:
            added = [_Added(names[j] if names else None, news[j], moved.get(j)) for j in gap.added]
            if not part.block:
                self.flow_gap(part, gap.first, gap.last, added)
            elif added:
                self.add_lines(part, gap.first, gap.last, added)
            else:
                before = news[new_places[gap.first - 1]] if gap.first else None
                in_text = "\n" in _last_text(before)
                self.remove_lines(part, gap.first, gap.last, after_text=in_text)

    def change(self, part: Part, entry: Entry, old: Any, new: Any) -> None:
        """Change the value of an entry: in place if it stays a list or a mapping."""
        inner, text = entry.value, self.page.text
        alike = bool(new) and kind(new) == inner.kind != "scalar"
        if alike and inner.size and (inner.block or inner.bracketed):
            self.edit(inner, old, new)
            return
        _refuse_anchors(inner)
        if alike and part.block and "#" in text[inner.start : inner.end]:
            start = inner.opening + 1  # before comments in the empty brackets
            self.replace(start, start, flow_text(self.base.flow, new)[1:-1])
        elif part.block:
            self.put(entry, new, item=part.kind == "list")
        else:
            written = flow_text(self.base.flow, new, self.margin(entry), inner.style)
            if inner.has_text:
                self.replace(inner.start, inner.end, written)
            else:
                colon = ": " if entry.lead == entry.key_end else " "
                self.replace(entry.lead, entry.lead, colon + written)

    def key(self, part: Part, near: Entry, name: str) -> str:
        """The text of a key, in the quotes of a nearby one."""
        sign = self.page.text[near.start]
        flow = None if part.block else self.base.flow
        return key_text(flow, name, sign if sign in "'\"" else "")

    # In block style

    def put(self, entry: Entry, new: Any, *, item: bool) -> None:
        """Replace the value of an entry by any other; comments around it stay.

        The value has a head, on the line of the key or dash, and lines below. The head of a block
        scalar is its header, which may be followed by a comment.
        """
        page, value = self.page, entry.value
        column = page.column(entry.start)
        start = stop = entry.lead
        if value.has_text:
            start, stop = value.start, value.end
        inline = page.line(start) == page.line(entry.lead)
        above = page.ends[page.line(start) - 1]  # the end of the line before the value
        below = end = page.end(stop)  # the lines of the value are between above and below
        header = HEADER.match(page.text, start) if value.is_text else None
        if header is not None:
            stop, below = header.end(), page.end(start)
        elif value.block:
            stop = end  # includes a comment on the last line of the value
        clear = not page.text[stop:below].strip(" ")  # no comment follows it
        moves_up = value.block and not inline
        blocks = self.base.blocks.before(page, page.following(end), column)
        gap = " " if moves_up or not value.has_text else ""  # before the head
        head = ""
        if kind(new) == "scalar" or not new:
            found = None
            if header is not None:
                digit = header[2] or header[4]
                at = column + int(digit) if digit else value.text_column() or column + blocks.step
                found = blocks.text(new, column, at)
            head, lines = found or blocks.value(new, column, value.style)
            escaped = value.style == '"' and "\\n" in page.text[start:stop]
            if lines and (escaped or (moves_up and above > page.end(entry.lead))):
                # It was in double quotes, or a comment above it would become part of the text.
                head, lines = double(new), []
        elif item and inline and clear:
            gap = "" if value.has_text else " " * (blocks.dash - 1)
            width = start - entry.start + len(gap)
            head, *lines = blocks.lines(new, column + width)
            head = head[column + width :]
        elif item:
            lines = blocks.lines(new, column + blocks.dash)
        else:
            lines = blocks.value(new, column)[1]
        if not head and clear:
            self.below(entry.lead if inline else above, end, lines)
            return
        if moves_up:
            self.replace(entry.lead, entry.lead, gap + head)
            below = above
        elif value.has_text:
            self.replace(start, stop, head)
        elif head:
            self.replace(start, below if clear else start, gap + head)
        self.below(below, end, lines)

    def add_lines(self, part: Part, first: int, last: int, added: Sequence[_Added]) -> None:
        """Replace the lines of the entries from first up to last by those of new entries."""
        page, newline = self.page, self.page.newline
        near = part.entry(first if first < last else max(0, first - 1))
        column = page.column(near.start)
        if first < last:
            end = page.tail(part.entry(last - 1).end, column)
            text = newline.join(self.lines(part, added, near, end))[column:]
            self.replace(near.start, end, text)
        elif first:
            end = page.tail(near.end, column)
            block = self.text_before(near)
            if block and block.end == len(page.text):
                header = HEADER.match(page.text, block.start)
                changes = any(a <= block.start < b for (a, b), _ in self.pieces)
                if header and not changes:
                    # Its last line gets a line break now, which must not become part of it.
                    kept = header[1] + (header[2] or header[4])
                    self.replace(block.start, header.end(), kept + "-")
            self.below(end, end, self.lines(part, added, near, end))
        elif page.leads(near.start):
            # Before the comments right above the first entry, but below a heading at the top.
            line = above = page.line(near.start)
            while above > 0 and page.comment(above - 1):
                above -= 1
            start = page.starts[above or line]
            lines = self.lines(part, added, near, start - 1)
            self.replace(start, start, "".join(line + newline for line in lines))
        else:
            lines = [*self.lines(part, added, near, None), " " * column]
            self.replace(near.start, near.start, newline.join(lines)[column:])

    def remove_lines(self, part: Part, first: int, last: int, *, after_text: bool) -> None:
        """Remove the lines of entries. Comments on lines above them stay.

        after_text means that the entry before them changes and may end with a block scalar.
        """
        page = self.page
        start = part.entry(first).start
        line = page.line(start)
        end = page.tail(part.entry(last - 1).end, page.column(start))
        if not page.leads(start):
            # They begin after a dash, and the following entry moves up there.
            following = part.entry(last).start
            if not page.text[end:following].strip():
                end = following
            else:
                while page.text[start - 1] == " ":  # a comment between stays below the dash
                    start -= 1
            self.replace(start, end, "")
            return
        if line == 0:
            self.replace(0, page.starts[page.line(end) + 1], "")
            return
        before = part.entry(first - 1) if first else None
        in_text = (before is not None and self.text_before(before) is not None) or after_text
        following_lines = page.following(end)
        if in_text:
            # Blank lines would become part of the block scalar before them.
            for number in following_lines:
                if not page.blank(number):
                    break
                end = page.ends[number]
        elif not following_lines or page.blank(following_lines[0]):
            # If there are blank lines on both sides, only those after the entries stay.
            kept = page.end(before.end) if before else 0
            while line > 1 and page.ends[line - 1] > kept and page.blank(line - 1):
                line -= 1
        # At the end of the text the line break before them is part of the block scalar.
        at_end = in_text and end == len(page.text)
        self.replace(page.starts[line] if at_end else page.ends[line - 1], end, "")

    def text_before(self, entry: Entry) -> Part | None:
        """The block scalar at the end of an entry, which may absorb what follows, or None."""
        leaf = entry.value.leaf()
        if not leaf.is_text:
            return None
        if self.page.odd:
            raise CannotKeepError("the text has unusual line breaks")
        return leaf

    def lines(self, part: Part, added: Sequence[_Added], near: Entry, end: int | None) -> list[str]:
        """The lines of new entries that end at an index, in the layout of the entry near them."""
        page, value = self.page, near.value
        column = page.column(near.start)
        following = range(0) if end is None else page.following(end)
        blocks = self.base.blocks.before(page, following, column)
        same_line = value.has_text and page.line(value.start) == page.line(near.start)
        if part.kind == "list" and same_line:
            blocks = replace(blocks, dash=value.start - near.start)
        found: list[str] = []
        for new in added:
            source = None if new.source is None else part.entry(new.source)
            if new.key is not None:
                name = self.key(part, near, new.key)
                found += blocks.entry(name, new.value, column, value.style)
            elif source and (not source.value.leaf().is_text or blocks.texts == 2):
                found.append(" " * column + page.text[source.start : page.end(source.end)])
            elif value.style in {"[", "{"} and value.size and kind(new.value) != "scalar":
                dash = " " * column + "-" + " " * (blocks.dash - 1)
                found.append(dash + flow_text(self.base.flow, new.value))
            else:
                found += blocks.item(new.value, column, value.style)
        return found

    # Between brackets

    def flow_gap(self, part: Part, first: int, last: int, added: Sequence[_Added]) -> None:
        """Replace the entries from first up to last by new ones, with their commas."""
        before = part.entry(first - 1) if first else None
        target = part.entry(first) if first < part.size else part.entry(first - 1)
        if not added:
            self.remove(part, before, target, last)
            return
        margin = self.margin(target)
        between = self.base.flow.comma
        if margin is not None:
            between = f",{self.page.newline}{margin}"
        elif part.size > 1:
            found = self.page.text[part.entry(0).end : part.entry(1).start]
            between = found if found[0] == "," and not found[1:].strip(" ") else between
        near = before or target
        texts = []
        for new in added:
            if new.source is not None:
                source = part.entry(new.source)
                text = self.page.text[source.start : source.end]
            else:
                text = flow_text(self.base.flow, new.value, margin, near.value.style)
            name = "" if new.key is None else self.key(part, near, new.key) + self.base.flow.colon
            texts.append(name + text)
        if first < last:
            self.replace(target.start, part.entry(last - 1).end, between.join(texts))
        elif before is None:
            self.replace(target.start, target.start, "".join(text + between for text in texts))
        else:
            comma = self.comma(before.end)
            end = before.end if comma < 0 else comma + 1
            if comma < 0:
                self.replace(end, end, " ," if before.is_bare else ",")
            if margin is not None:
                # A comment at the end of the line belongs to the entry on it.
                rest = _REST.match(self.page.text, end)
                end = rest.end() if rest else end
            new_text = ",".join(between[1:] + text for text in texts)
            self.replace(end, end, new_text + ("" if comma < 0 else ","))

    def remove(self, part: Part, before: Entry | None, first: Entry, last: int) -> None:
        """Remove entries with their commas and the comments on their own lines."""
        text, margin = self.page.text, self.margin(first)
        start, end = first.start, part.entry(last - 1).end
        if before is None or last < part.size:
            following = part.entry(last)
            comment = _COMMENT_LINE.search(text, end, following.start)
            if before and margin is None and self.margin(following) is not None:
                # The text before them on their line stays there, as does a comment at its end.
                self.replace(self.comma(before.end) + 1, self.comma(end) + 1, "")
            else:
                self.replace(start, comment.end() if comment else following.start, "")
            return
        trailing, start = self.comma(end), before.end
        if trailing >= 0 or "#" in text[start : first.start]:
            # The comma before them stays, as YAML allows, and so does the comment after it.
            line = self.page.line(first.start)
            start = self.comma(start) + 1 if margin is None else self.page.ends[line - 1]
            end = max(end, trailing + 1)
        rest = None if margin is None else _REST.match(text, end)
        blank = " " if before.is_bare and start == before.end else ""
        self.replace(start, rest.end() if rest else end, blank)

    def margin(self, entry: Entry) -> str | None:
        """The indentation of an entry that begins its line; None if it does not."""
        before = self.page.text[self.page.start(entry.start) : entry.start]
        return None if before.strip(" \t") else before

    def comma(self, index: int) -> int:
        """The index of the comma that follows, or -1 if there is none."""
        space = _SPACE.match(self.page.text, index)
        end = space.end() if space else index
        return end if self.page.text[end : end + 1] == "," else -1


def _refuse_anchors(part: Part) -> None:
    """Raise CannotKeepError if a part to be removed has an anchor, which aliases may need."""
    if part.anchored():
        raise CannotKeepError("the part that changed has an anchor")


def _last_text(value: Any) -> str:
    """The string with which the text of a value ends; "" if it does not end with a string."""
    while kind(value) != "scalar" and value:
        value = list(value.values() if isinstance(value, dict) else value)[-1]
    return value if isinstance(value, str) else ""
