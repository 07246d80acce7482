"""sched-simple's recorded answers on room: its words to the letter, and why ours differ."""

from collections import Counter

import pytest

from tests.conformance.cases import Row, cases
from tests.conformance.fit_rows import EMPTY, EXCLUSIVE, SEVERAL, fit_row

ROWS = cases("fit")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_is_explained(row: Row) -> None:
    verdict = fit_row(row)
    assert verdict.outcome in ("agreed", "differs"), verdict


def test_differs_only_where_it_is_written_down() -> None:
    verdicts = [fit_row(row) for row in ROWS]
    assert [v.id for v in verdicts if v.reason] == [row["id"] for row in ROWS if "strict" in row]
    assert Counter(v.reason for v in verdicts) == {
        "": len(ROWS) - sum("strict" in row for row in ROWS),
        EXCLUSIVE: sum("exclusive" in row.get("strict", {}).get("why", "") for row in ROWS),
        EMPTY: 2,
        SEVERAL: 3,
    }
