"""Every recorded job is taken or refused as Flux does it, or as RFC 33 wants it."""

from tests.conformance.cases import Row, by_id, cases
from tests.conformance.queue_rows import admission_row, has_job, queue_row
from tests.each import for_each

ROWS = cases("queue")
JOBS = [row for row in ROWS if has_job(row)]


@for_each("row", ROWS, by_id)
def test_the_configuration(row: Row) -> None:
    verdict = queue_row(row)
    assert verdict.outcome != "unexplained", verdict


@for_each("row", JOBS, by_id)
def test_the_job(row: Row) -> None:
    verdict = admission_row(row)
    assert verdict.outcome != "unexplained", verdict


def test_only_what_flux_does_not_do_yet_differs() -> None:
    differing = {row["id"] for row in JOBS if admission_row(row).outcome == "differs"}
    access = {row["id"] for row in JOBS if "access policy" in row.get("rfc", {}).get("why", "")}
    hosts = {row["id"] for row in JOBS if "constraints" in row.get("rfc", {})}
    assert differing <= access | hosts
