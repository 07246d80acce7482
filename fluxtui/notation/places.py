"""Where the parts of a value stand in the text it was read from."""

from typing import NamedTuple, TypeAlias

from fluxtui.notation.problem import Span


def place(chunks: tuple[Span, ...], start: int, end: int) -> Span:
    """Where the characters start to end of the joined chunks stand in the text they came from."""
    first = last = None
    for chunk in chunks:
        size = chunk.end - chunk.start
        if first is None and start < size:
            first = chunk.start + start
        if last is None and end <= size:
            last = chunk.start + end
        start, end = start - size, end - size
    final = chunks[-1].end if chunks else 0
    first = final if first is None else first
    return Span(first, max(first, final if last is None else last))


class Place(NamedTuple):
    """Where a part of a document stands in its text.

    span    all of it
    chunks  for a string: the runs of text that hold its characters, one for one; empty where they
            do not, as where a string has escapes
    """

    span: Span
    chunks: tuple[Span, ...] = ()

    def within(self, inner: Span) -> Span:
        """The place of some characters of the string that stands here."""
        return place(self.chunks, *inner) if self.chunks else self.span


#: The path of a part, such as ``and[0].hostlist[0]`` -> where it stands.
Places: TypeAlias = dict[str, Place]
