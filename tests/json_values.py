"""Random values of JSON."""

from typing import Any

from hypothesis import strategies as st

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | FINITE | st.text(max_size=8)


def values(
    scalars: st.SearchStrategy[Any] = SCALARS,
    keys: st.SearchStrategy[str] = st.text(max_size=8),  # noqa: B008
    leaves: int = 12,
    longest: int = 4,
) -> st.SearchStrategy[Any]:
    """Values of these scalars and keys, with so many scalars, and so long lists, at most."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=longest) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=leaves,
    )
