"""Room by the recorded answers of Fluxion and sched-simple, and what queues make of jobs."""

import json
from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.feasibility import sched_simple as simple
from tests.cli.transcripts import run
from tests.conformance.cases import FOLDER, Row, by_id, cases, cluster
from tests.conformance.fit_graph_rows import asked, fit_graph_row
from tests.conformance.fit_rows import EMPTY, EXCLUSIVE, SEVERAL, fit_row
from tests.conformance.queue_rows import admission_row, has_job
from tests.each import for_each

ROWS = cases("fit_graph")


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


# sched-simple's recorded answers on room: its words to the letter, and why ours differ

SIMPLE = cases("fit")


def test_differs_only_where_it_is_written_down() -> None:
    verdicts = [fit_row(row) for row in SIMPLE]
    written = {row["id"] for row in SIMPLE if "strict" in row}
    assert {v.id for v in verdicts if v.reason} <= written
    assert {v.reason for v in verdicts} <= {"", EXCLUSIVE, EMPTY, SEVERAL}


@for_each("row", SIMPLE, by_id)
def test_the_verdict_alone_is_the_same(row: Row) -> None:
    whole = simple.check_strictly(row["jobspec"], cluster(row["R"]))
    alone = simple.check_strictly(row["jobspec"], cluster(row["R"]), with_placement=False)
    assert (alone.feasible, alone.reasons) == (whole.feasible, whole.reasons)
    assert alone.placement is alone.nearest is None


# The recorded answers on room and queues through the verb, a line each


def answers(arguments: list[str], lines: list[str], *, quiet: bool = True) -> list[dict[str, Any]]:
    """What ``fluxtui fit`` answers to lines; quiet where nothing else is to be told."""
    _, out, err = run(["fit", *arguments, "-"], "".join(f"{line}\n" for line in lines))
    assert not (quiet and err)
    found = [json.loads(line) for line in out.splitlines()]
    assert len(found) == len(lines)
    return found


FITS = cases("fit")

GRAPHS = cases("fit_graph")

QUEUES = [row for row in cases("queue") if "accepted" in row]


@pytest.mark.parametrize("name", sorted({row["R"] for row in FITS}))
def test_fit_on_resources(name: str) -> None:
    rows = [row for row in FITS if row["R"] == name]
    lines = [json.dumps({"jobspec": row["jobspec"]}) for row in rows]
    found = answers(["-r", str(FOLDER / "rsets" / name)], lines)
    wrong = []
    for row, answer in zip(rows, found, strict=True):
        simple = answer["schedulers"]["sched-simple"]
        own = row.get("strict", row)["feasible"]
        said = row.get("error") in (*simple["reasons"], None)
        if (simple["feasible"], answer["feasible"], said) != (row["feasible"], own, True):
            wrong.append((row["id"], answer))
        assert (answer["placement"] is not None) == answer["feasible"]
    assert wrong == []


@pytest.mark.parametrize("name", sorted({row["graph"] for row in GRAPHS}))
def test_fit_on_a_graph(name: str) -> None:
    rows = [row for row in GRAPHS if row["graph"] == name]
    lines = [
        json.dumps({"resources": row["resources"], "constraints": row.get("constraints")})
        if "constraints" in row
        else json.dumps({"resources": row["resources"]})
        for row in rows
    ]
    found = answers(["-r", str(FOLDER / "graphs" / name)], lines)
    wrong = []
    for row, answer in zip(rows, found, strict=True):
        expected = row["satisfiable"] or "empty_or" in row["quirks"]
        fluxion = answer["schedulers"]["fluxion"]
        if (fluxion["feasible"], answer["feasible"]) != (expected, expected):
            wrong.append((row["id"], answer))
    assert wrong == []


@pytest.mark.parametrize("toml", sorted({row["toml"] for row in QUEUES}))
def test_fit_with_queues(toml: str, tmp_path: Path) -> None:
    rows = [row for row in QUEUES if row["toml"] == toml]
    path = tmp_path / "flux.toml"
    path.write_text(toml, encoding="utf-8")
    resources = FOLDER / "rsets" / rows[0]["R"]
    arguments = ["-r", str(resources), "-c", str(path), "--user", rows[0]["user"]]
    lines = [json.dumps({"jobspec": row["request"]}) for row in rows]
    found = answers(arguments, lines, quiet=False)  # the user is none of this system
    wrong = []
    for row, answer in zip(rows, found, strict=True):
        rfc = row.get("rfc", {})
        if rfc.get("ambiguous"):
            continue
        if answer["admitted"] != rfc.get("accepted", row["accepted"]):
            wrong.append((row["id"], answer))
        elif answer["admitted"] and "system" in row:
            assert answer["jobspec"]["attributes"]["system"] == row["system"], row["id"]
    assert wrong == []


# Every recorded job is taken or refused as Flux does it, or as RFC 33 wants it

CONFIGURATIONS = cases("queue")

JOBS = [row for row in CONFIGURATIONS if has_job(row)]


def test_only_what_flux_does_not_do_yet_differs() -> None:
    differing = {row["id"] for row in JOBS if admission_row(row).outcome == "differs"}
    access = {row["id"] for row in JOBS if "access policy" in row.get("rfc", {}).get("why", "")}
    hosts = {row["id"] for row in JOBS if "constraints" in row.get("rfc", {})}
    assert differing <= access | hosts
