"""The recorded answers through the verbs themselves, one line each, as a script would ask."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.cases import FOLDER, Row, cases

JOBSPECS = cases("jobspec_v1")
RESOURCES = [row for row in cases("badr") if "R" in row and row["rfc"]["ok"] is not None]
SHAPES = [row for row in cases("shape") if not row.get("ambiguous")]
QUERIES = [row for row in cases("query") if not row.get("ambiguous")]
# A line that is no object is a query.
MATCHES = [
    row
    for row in cases("match")
    if isinstance(row["constraint"], dict) and "rfc" not in row and not row.get("ambiguous")
]


def answers(arguments: list[str], lines: list[str], *, quiet: bool = True) -> list[dict[str, Any]]:
    """What a verb answers to lines on its standard input; quiet where nothing else is wrong."""
    done = subprocess.run(
        [sys.executable, "-m", "fluxtui", *arguments, "-"],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert not (quiet and done.stderr)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(lines)
    return found


def _only_total(row: Row) -> bool:
    """Nothing is wrong but the rule on ``total``, which gives warnings."""
    why = row["prose"]["why"]
    return bool(why) and all(reason.startswith("total MUST") for reason in why)


def test_check_of_jobspecs() -> None:
    found = answers(["check"], [json.dumps(row["jobspec"]) for row in JOBSPECS])
    wrong = [
        row["id"]
        for row, answer in zip(JOBSPECS, found, strict=True)
        if isinstance(row["jobspec"], dict)
        and {"resources", "tasks"} & row["jobspec"].keys()
        and not _only_total(row)
        and (answer["kind"] != "jobspec" or answer["v1"] != row["prose"]["ok"])
    ]
    assert wrong == []


def test_check_of_resources() -> None:
    found = answers(["check"], [json.dumps(row["R"]) for row in RESOURCES])
    wrong = [
        row["note"]
        for row, answer in zip(RESOURCES, found, strict=True)
        if answer["kind"] == "R" and answer["valid"] != row["rfc"]["ok"]
    ]
    assert wrong == []
    assert sum(answer["kind"] == "R" for answer in found) > len(RESOURCES) * 0.8


@pytest.mark.parametrize(
    ("verb", "rows", "key"),
    [
        (["shape", "--counts", "string"], SHAPES, "resources"),
        (["query"], QUERIES, "constraint"),
    ],
)
def test_texts(verb: list[str], rows: list[Row], key: str) -> None:
    rows = [row for row in rows if "\n" not in row["in"] and "\r" not in row["in"]]
    found = answers(verb, [json.dumps({verb[0]: row["in"]}) for row in rows])
    wrong = []
    for row, answer in zip(rows, found, strict=True):
        counts = row.get("rfc", row)
        if (key in answer) != counts["ok"] or answer.get(key) != counts.get("out"):
            wrong.append(row["in"])
    assert wrong == []


@pytest.mark.parametrize("name", sorted({row["R"] for row in MATCHES}))
def test_match(name: str) -> None:
    rows = [row for row in MATCHES if row["R"] == name]
    lines = [json.dumps(row["constraint"]) for row in rows]
    found = answers(["match", "-r", str(FOLDER / "rsets" / name)], lines)
    wrong = [
        (row["constraint"], answer)
        for row, answer in zip(rows, found, strict=True)
        if ("problems" not in answer) != row["ok"] or answer.get("ranks") != row.get("out")
    ]
    assert wrong == []


FITS = cases("fit")
GRAPHS = cases("fit_graph")
QUEUES = [row for row in cases("queue") if "accepted" in row]


@pytest.mark.parametrize("name", sorted({row["R"] for row in FITS}))
def test_fit_on_resources(name: str) -> None:
    rows = [row for row in FITS if row["R"] == name]
    lines = [json.dumps({"jobspec": row["jobspec"]}) for row in rows]
    found = answers(["fit", "-r", str(FOLDER / "rsets" / name)], lines)
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
    found = answers(["fit", "-r", str(FOLDER / "graphs" / name)], lines)
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
    arguments = ["fit", "-r", str(resources), "-c", str(path), "--user", rows[0]["user"]]
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
