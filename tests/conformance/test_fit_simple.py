"""sched-simple's recorded answers on room: its words to the letter, and why ours differ."""

from fluxtui.answers.feasibility import sched_simple as simple
from tests.conformance.cases import Row, by_id, cases, cluster
from tests.conformance.fit_rows import EMPTY, EXCLUSIVE, SEVERAL, fit_row
from tests.each import for_each

ROWS = cases("fit")


@for_each("row", ROWS, by_id)
def test_is_explained(row: Row) -> None:
    verdict = fit_row(row)
    assert verdict.outcome in ("agreed", "differs"), verdict


def test_differs_only_where_it_is_written_down() -> None:
    verdicts = [fit_row(row) for row in ROWS]
    written = {row["id"] for row in ROWS if "strict" in row}
    assert {v.id for v in verdicts if v.reason} <= written
    assert {v.reason for v in verdicts} <= {"", EXCLUSIVE, EMPTY, SEVERAL}


@for_each("row", ROWS, by_id)
def test_the_verdict_alone_is_the_same(row: Row) -> None:
    whole = simple.check_strictly(row["jobspec"], cluster(row["R"]))
    alone = simple.check_strictly(row["jobspec"], cluster(row["R"]), with_placement=False)
    assert (alone.feasible, alone.reasons) == (whole.feasible, whole.reasons)
    assert alone.placement is alone.nearest is None
