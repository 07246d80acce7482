"""Room for a job on an idle cluster, by sched-simple."""

from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.answers.feasibility.feasibility import Feasibility
from tests.conformance.cases import Row, cluster
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
