"""Pieces of a text in a row, some of which are left out."""

from collections.abc import Sequence

from fluxtui.notation.problem import Span


def joined(text: str, spans: Sequence[Span], pieces: Sequence[str | None]) -> str | None:
    """What stands in a row after a change, each piece with the sign that stood before it.

    spans are the places of the pieces in the text, pieces what stands there now, None where
    nothing does. None where nothing is left.
    """
    found: str | None = None
    for at, piece in enumerate(pieces):
        if piece is None:
            continue
        if found is None:
            found = piece
        else:
            found += text[spans[at - 1].end : spans[at].start] + piece
    return found
