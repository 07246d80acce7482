"""Texts that differ in places: what two have in common, and one with some of its spans replaced."""

from collections.abc import Iterable

from fluxtui.notation.problem import Span


def splice(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """The text with new texts in place of some of its spans.

    Texts that are put in at one place stand in the order given. ValueError where two of the spans
    overlap.
    """
    pieces: list[str] = []
    done = 0
    for (start, end), new in sorted(edits, key=lambda edit: edit[0]):
        if start < done:
            raise ValueError("two edits of a text overlap")
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))


def common_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings, and then at their ends."""
    most = min(len(old), len(new))
    start, step = 0, most
    while step:  # by halves: comparing slices is faster than single characters
        if old[start : start + step] == new[start : start + step]:
            start += step
            step = min(step, most - start)
        else:
            step //= 2
    stop, step = 0, most - start
    while step:
        a, b = len(old) - stop, len(new) - stop
        if old[a - step : a] == new[b - step : b]:
            stop += step
            step = min(step, most - start - stop)
        else:
            step //= 2
    return start, stop
