"""Counts and lists in a sentence."""

from collections.abc import Sequence


def nodes(count: int) -> str:
    """``1 node``, ``48 nodes``."""
    return "1 node" if count == 1 else f"{count:,} nodes"


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
