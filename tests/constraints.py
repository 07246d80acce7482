"""Random RFC 31 objects."""

from typing import Any

from hypothesis import strategies as st


def objects(
    properties: st.SearchStrategy[str], hosts: st.SearchStrategy[str], ranks: st.SearchStrategy[str]
) -> st.SearchStrategy[dict[str, Any]]:
    """Constraints of every form, with these operands; empty lists are among them."""
    leaves: st.SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({}),
        st.builds(lambda v: {"properties": v}, st.lists(properties, max_size=3)),
        st.builds(lambda v: {"hostlist": v}, st.lists(hosts, max_size=2)),
        st.builds(lambda v: {"ranks": v}, st.lists(ranks, max_size=2)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda operator, values: {operator: values},
            st.sampled_from(["and", "or", "not"]),
            st.lists(inner, max_size=4),
        ),
        max_leaves=9,
    )
