"""Room on a resource graph, by Fluxion."""

import re
from functools import cache
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.check import check_feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document
from tests.conformance.cases import FOLDER, Row
from tests.conformance.verdict import Answer, Verdict, judge, written

#: Why our verdict differs from Fluxion's: on an empty ``or`` RFC 31 counts.
EMPTY = "match-empty"


@cache
def index(name: str) -> PreparedGraph:
    """The graph ``graphs/<name>`` made ready."""
    text = (FOLDER / "graphs" / name).read_text(encoding="utf-8")
    found = document.read_text(text)
    return PreparedGraph.of(found)


def asked(row: Row) -> Feasibility:
    """Our answer on a row."""
    return check_feasibility(parse(row["resources"]), row.get("constraints"), index(row["graph"]))


def fit_graph_row(row: Row) -> Verdict:
    """Whether there is room, and in which words Fluxion refuses."""
    given = f"{row['shape']} on {row['graph'].removesuffix('.json')}"
    if row.get("constraints") is not None:
        given += f", {written(row['constraints'])}"
    said = Answer(True, [row["satisfiable"], _words(row["message"])])
    found = asked(row)
    ours = Answer(True, [found.feasible, found.words])
    if not _nothing(row.get("constraints")):
        return judge(row["id"], given, ours, said, {"": said}, "")
    # An empty or counts as an empty and does, which matches all for Fluxion too.
    filled = check_feasibility(
        parse(row["resources"]), _filled(row["constraints"]), index(row["graph"])
    )
    counts = Answer(True, [filled.feasible, filled.words])
    return judge(row["id"], given, ours, counts, {"": said}, EMPTY)


def _words(message: str) -> str:
    """What Fluxion says where it refuses; errors stand without the number of the job."""
    if message == "Satisfiable request":
        return ""
    return re.sub(r"^error: Jobspec error for \d+:", "Jobspec error:", message)


def _nothing(constraint: Any) -> bool:
    """Whether an empty ``or`` stands anywhere in a constraint."""
    return '"or":[]' in written(constraint)


def _filled(constraint: Any) -> Any:
    """The constraint with each empty ``or`` made an empty ``and``."""
    if isinstance(constraint, list):
        return [_filled(value) for value in constraint]
    if not isinstance(constraint, dict):
        return constraint
    return {
        "and" if (name, values) == ("or", []) else name: _filled(values)
        for name, values in constraint.items()
    }
