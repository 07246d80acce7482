"""What holds for recorded answers on room beside their verdicts, and the verb that gives them."""

import json
from pathlib import Path

import pytest

from fluxtui.answers.feasibility import sched_simple as simple
from tests.cli.transcripts import run
from tests.conformance.cases import FOLDER, Row, by_id, cases, cluster
from tests.conformance.corpora import fluxion_on
from tests.each import for_each

GRAPHS, FITS = cases("fit_graph"), cases("fit")


@for_each("row", GRAPHS, by_id)
def test_says_what_is_missing_or_where_it_is(row: Row) -> None:
    found = fluxion_on(row, row.get("constraints"))
    if not found.feasible:
        assert found.reasons
        assert found.words
        assert all(reason.message and reason.path for reason in found.reasons)
    elif found.placement is None:
        assert any(reason.severity == "warning" for reason in found.reasons)
    else:
        assert found.placement.rows
    if "allocate" in row and not {"multi_slot", "empty_or"} & {*row["quirks"]}:
        assert (found.placement is not None) is row["allocate"]


@for_each("row", FITS, by_id)
def test_the_verdict_of_sched_simple_alone_is_the_same(row: Row) -> None:
    whole = simple.check_strictly(row["jobspec"], cluster(row["R"]))
    alone = simple.check_strictly(row["jobspec"], cluster(row["R"]), with_placement=False)
    assert (alone.feasible, alone.reasons) == (whole.feasible, whole.reasons)
    assert alone.placement is alone.nearest is None


@pytest.mark.parametrize("name", sorted({row["R"] for row in FITS}))
def test_the_verb_answers_each_line_as_it_is_recorded(name: str) -> None:
    rows = [row for row in FITS if row["R"] == name]
    lines = [json.dumps({"jobspec": row["jobspec"]}) + "\n" for row in rows]
    _, out, err = run(["fit", "-r", str(Path(FOLDER, "rsets", name)), "-"], "".join(lines))
    assert not err
    for row, line in zip(rows, out.splitlines(), strict=True):
        answer = json.loads(line)
        of_simple = answer["schedulers"]["sched-simple"]
        assert of_simple["feasible"] == row["feasible"], row["id"]
        assert answer["feasible"] == row.get("strict", row)["feasible"], row["id"]
        assert row.get("error") in (*of_simple["reasons"], None), row["id"]
        assert (answer["placement"] is not None) == answer["feasible"]
