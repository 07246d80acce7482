"""A text that follows its document: what changed is written anew, the rest stays as it is.

Comments, blank lines, the order of keys, quotes, indentation and the way a number is written stay
wherever they are not what changes. Each text is made from the one that was read, never from one
that was made before: a change that is taken back gives the text of the beginning, and one change
costs the same as a hundred.
"""

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from fluxtui.model.documents import document as documents
from fluxtui.model.documents.document import Document
from fluxtui.model.documents.rewriting.block import BlockEditor, what_follows
from fluxtui.model.documents.rewriting.editor import Edits, FlowEditor
from fluxtui.model.documents.rewriting.parts import CannotKeepError, Page, Part
from fluxtui.model.documents.rewriting.style import Styles, block_lines, closed, flow_text
from fluxtui.model.documents.writing import dump
from fluxtui.notation.json_compare import kind, same

_BYTE_ORDER_MARK = "\ufeff"
_END_OF_DOCUMENT = re.compile(r"^\.\.\.", re.MULTILINE)


class _Base:
    """What is found out about a text once, when it is first needed."""

    def __init__(self, document: Document, prefix: str) -> None:
        self.document, self.prefix = document, prefix

    @cached_property
    def page(self) -> Page:
        return Page(self.document.text)

    @cached_property
    def root(self) -> Part:
        if self.document.mark is None:
            raise CannotKeepError("the text cannot be read")
        return Part(self.page, self.document.mark)

    @cached_property
    def styles(self) -> Styles:
        return Styles(self.page, self.root, is_json=self.document.form == "json")


@dataclass(frozen=True, slots=True)
class Written:
    """A text that was read, and what it says.

    form   the format that it is in
    value  what it says; plain values as JSON has them
    """

    text: str
    form: Literal["yaml", "json"]
    value: Any
    _base: _Base = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A text for a new value.

    kept  the layout and the comments of the text that was read stayed
    why   a sentence for a person that says why they did not; empty where they did
    """

    text: str
    kept: bool = True
    why: str = ""


def read(document: Document) -> Written:
    """The text of a document as the base of others; ValueError if it has no value, or is TOML."""
    if not document.readable or document.form == "toml":
        raise ValueError("a text of YAML or JSON that can be read is needed")
    base = document
    prefix = ""
    if document.form == "yaml" and document.text.startswith(_BYTE_ORDER_MARK):
        prefix = _BYTE_ORDER_MARK  # the reader counts places from behind it
        base = documents.read_yaml(document.text[1:])
    return Written(document.text, document.form, document.value, _Base(base, prefix))


def rewritten(written: Written, value: Any) -> Rewriting:
    """The text for a new value, with the least change to the text that was read.

    The value is one that JSON has: dictionaries with strings for keys, lists, strings, numbers,
    true, false and None. A number of another type is another value: 3600 and 3600.0 differ. The
    order of the keys of a dictionary says where a new key goes, and is no change otherwise.
    """
    if same(written.value, value):
        return Rewriting(written.text)
    try:
        return Rewriting(written._base.prefix + _kept(written, value))
    except CannotKeepError as error:
        return _anew(written, value, f"{error}")


def verified(written: Written, value: Any) -> Rewriting:
    """As `rewritten`, and read back: a text that said something else is written anew.

    Takes the time that reading the text takes; for what is saved, not for each key.
    """
    found = rewritten(written, value)
    if not found.kept:
        return found
    reader = documents.read_json if written.form == "json" else documents.read_yaml
    again = reader(found.text)
    if again.readable and same(again.value, value):
        return found
    return _anew(written, value, "this change does not fit into the layout")


def _kept(written: Written, value: Any) -> str:
    """The text for a new value; CannotKeepError where its layout cannot be kept."""
    base = written._base
    root, old = base.root, written.value
    edits = Edits(base.page)
    flow = FlowEditor(edits, base.styles)
    if kind(value) != root.kind or root.kind == "scalar":
        if root.there or old is not None or not value or kind(value) == "scalar":
            raise CannotKeepError("the whole document is something else than before")
        return _begun(base, value)
    if not value or not root.size:
        root.spare()
        _replace_root(base, edits, flow, value)
    elif root.block:
        BlockEditor(edits, base.styles, flow).edit(root, old, value)
    else:
        flow.edit(root, old, value)
    return edits.text()


def _begun(base: _Base, value: Any) -> str:
    """The text of a document that held nothing but comments."""
    text = base.document.text
    if base.document.form == "json" or _END_OF_DOCUMENT.search(text):
        raise CannotKeepError("the whole document is something else than before")
    page = base.page
    lines = block_lines(base.styles.layout, what_follows(page, range(0)), value, 0)
    lead = page.newline if page.unfinished else ""
    return text + lead + "".join(line + page.newline for line in lines)


def _replace_root(base: _Base, edits: Edits, flow: FlowEditor, value: Any) -> None:
    """Replace an empty list or mapping by one that is not, or the other way round."""
    root, page = base.root, base.page
    if not value:
        edits.replace(root.start, root.end, "[]" if root.kind == "list" else "{}")
    elif base.document.form == "json":
        style = replace(base.styles.flow, unit="  ")  # as a new document has it
        edits.replace(root.start, root.end, flow_text(style, value, ""))
    elif "#" in page.text[root.start : root.end]:
        flow.fill(root, value)
    elif page.column(root.start) or page.text[root.end : page.end(root.end)].strip(" "):
        edits.replace(root.start, root.end, flow_text(base.styles.flow, value))
    else:
        follows = what_follows(page, page.following(root.end))
        lines = block_lines(base.styles.layout, follows, value, 0)
        text = page.newline.join(lines)
        edits.replace(root.start, page.end(root.end), text, closed=closed(value))


def _anew(written: Written, value: Any, reason: str) -> Rewriting:
    """A text with nothing of the one before but its line breaks, and the indentation of JSON."""
    base = written._base
    if written.form == "json":
        text = flow_text(base.styles.flow, value, "")
        text += "" if base.page.unfinished else base.page.newline
    else:
        text = dump(value).replace("\n", base.page.newline)
    lost = "its layout" if written.form == "json" else "its comments and its layout"
    return Rewriting(
        base.prefix + text, False, f"{reason}; the text was written anew without {lost}"
    )
