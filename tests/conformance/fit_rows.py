"""Room for a job on an idle cluster: by sched-simple, and on a resource graph by Fluxion."""

import re
from functools import cache
from typing import Any

from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.check import check_feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document
from tests.conformance.cases import FOLDER, Row, cluster
from tests.conformance.match_rows import not_of_several, of_nothing
from tests.conformance.verdict import Answer, Verdict, judge, written

#: Why our verdict differs from sched-simple's, and on what requests.
EXCLUSIVE, EMPTY, SEVERAL = "fit-exclusive", "match-empty", "match-not-several"


def fit_row(row: Row) -> Verdict:
    """Two answers in one: what sched-simple says, to the letter, and what the rules say."""
    jobspec, resources = row["jobspec"], cluster(row["R"])
    given = f"{written(_asked(row))} on {row['R'].removeprefix('fit/').removesuffix('.json')}"
    said = {"": Answer(True, [row["feasible"], row.get("error", "")])}
    ours = _said(simple.check_feasibility(jobspec, resources))
    verdict = judge(row["id"], given, ours, said[""], said, "")
    if verdict.outcome != "agreed":
        return verdict
    own = simple.check_strictly(jobspec, resources)
    counts = row.get("strict", row)["feasible"]
    flux = {"": Answer(row["feasible"])}
    assert own.feasible is not None, row["id"]
    return judge(row["id"], given, Answer(own.feasible), Answer(counts), flux, _reason(row))


def _said(room: Feasibility) -> Answer:
    return Answer(True, [room.feasible, room.words])


def _asked(row: Row) -> dict[str, object]:
    """The part of a jobspec that room depends on."""
    constraint = _constraint(row)
    more = {} if constraint is None else {"constraints": constraint}
    return {"resources": row["jobspec"]["resources"], **more}


def _constraint(row: Row) -> object:
    return row["jobspec"]["attributes"]["system"].get("constraints")


def _reason(row: Row) -> str:
    top = row["jobspec"]["resources"][0]
    if _constraint(row) is None:
        slots = top["with"][0]["count"] if top["type"] == "node" else 1
        return EXCLUSIVE if top.get("exclusive") and slots > 1 else ""
    constrained = {**row, "constraint": _constraint(row)}
    if not_of_several(constrained):
        return SEVERAL
    return EMPTY if of_nothing(constrained) else EXCLUSIVE if top.get("exclusive") else ""


# Room on a resource graph, by Fluxion


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
