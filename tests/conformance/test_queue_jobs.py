"""Every recorded job is taken or refused as Flux does it, or as RFC 33 wants it."""

import pytest

from tests.conformance.cases import Row, cases
from tests.conformance.queue_rows import admission_row, has_job, queue_row

ROWS = cases("queue")
JOBS = [row for row in ROWS if has_job(row)]


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_the_configuration(row: Row) -> None:
    verdict = queue_row(row)
    assert verdict.outcome != "unexplained", verdict


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in JOBS])
def test_the_job(row: Row) -> None:
    verdict = admission_row(row)
    assert verdict.outcome != "unexplained", verdict


def test_only_what_flux_does_not_do_yet_differs() -> None:
    differing = {row["id"] for row in JOBS if admission_row(row).outcome == "differs"}
    access = {row["id"] for row in JOBS if "access policy" in row.get("rfc", {}).get("why", "")}
    hosts = {row["id"] for row in JOBS if "constraints" in row.get("rfc", {})}
    assert differing <= access | hosts
