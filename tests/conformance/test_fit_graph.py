"""Fluxion's recorded answers on room: the verdict, its words, and whether it gives anything."""

from tests.conformance.cases import Row, by_id, cases
from tests.conformance.fit_graph_rows import EMPTY, asked, fit_graph_row
from tests.each import for_each

ROWS = cases("fit_graph")


@for_each("row", ROWS, by_id)
def test_is_explained(row: Row) -> None:
    verdict = fit_graph_row(row)
    assert verdict.outcome in ("agreed", "differs"), verdict


@for_each("row", ROWS, by_id)
def test_differs_only_on_an_empty_or(row: Row) -> None:
    verdict = fit_graph_row(row)
    assert verdict.outcome == "agreed" or (verdict.reason, "empty_or" in row["quirks"]) == (
        EMPTY,
        True,
    )


@for_each("row", ROWS, by_id)
def test_says_what_is_missing_or_where_it_is(row: Row) -> None:
    found = asked(row)
    if not found.feasible:
        assert found.reasons
        assert found.words
        assert all(reason.message and reason.path for reason in found.reasons)
    elif found.placement is None:
        assert any(reason.severity == "warning" for reason in found.reasons)
    else:
        assert found.placement.rows


@for_each(
    "row",
    [
        row
        for row in ROWS
        if "allocate" in row and not {"multi_slot", "empty_or"} & {*row["quirks"]}
    ],
    by_id,
)
def test_has_a_placement_where_fluxion_gives_something(row: Row) -> None:
    assert (asked(row).placement is not None) is row["allocate"]
