"""One function for each corpus, which gives the verdict on one of its rows."""

import json
import math
import re
import tomllib
from collections.abc import Callable
from functools import cache
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.admission import Admission, Person, admit_everywhere
from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion import check as fluxion
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model import queues
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.model.jobspec.verdicts import check_submission
from fluxtui.model.property_name import ILLEGAL
from fluxtui.model.resources import document
from fluxtui.notation import duration
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.conformance import reasons as why
from tests.conformance.cases import (
    FOLDER,
    Answer,
    Row,
    Verdict,
    cluster,
    judge,
    rows,
    written,
)


def _answer(row: Row, key: str = "out") -> Answer:
    return Answer(row["ok"], row.get(key))


def _scored(row: Row) -> Answer | None:
    """The answer that counts: the RFC's where it is given, else flux-core's."""
    if row.get("ambiguous"):
        return None
    if "rfc" not in row:
        return _answer(row)
    return Answer(row["rfc"]["ok"], row["rfc"].get("out"))


def _endless(value: Any) -> bool:
    """Whether the dictionary of an open range stands anywhere, which nobody but Flux writes."""
    if isinstance(value, dict):
        return value.get("max") == "inf" or any(map(_endless, value.values()))
    return isinstance(value, list) and any(map(_endless, value))


def shape_row(row: Row) -> Verdict:
    """RFC 46; counts both as strings and, where Flux's are legal, as dictionaries."""
    read = parse_shape(row["in"])
    ours = Answer(read.ok, to_resources(read, counts="string") if read.ok else None)
    reason = why.shape_reason(row["in"], read, row.get("out", row.get("error")))
    verdict = judge(row["id"], row["in"], ours, _scored(row), {"": _answer(row)}, reason)
    if verdict.outcome == "agreed" and row["ok"] and not _endless(row["out_rangedict"]):
        ours = Answer(True, to_resources(read))
        theirs = _answer(row, "out_rangedict")
        return judge(row["id"], row["in"], ours, theirs, {"": theirs}, "")
    return verdict


def query_row(row: Row) -> Verdict:
    """RFC 35 as flux-core reads it."""
    read = parse_query(row["in"])
    good = read.ok and read.tree is not None
    value = to_constraint(read.tree) if good and read.tree is not None else None
    return judge(row["id"], row["in"], Answer(good, value), _scored(row), {"": _answer(row)}, "")


def _list_row(row: Row, ok: bool, value: Any, text: str, reason: str) -> Verdict:
    """An idset or a hostlist: its members, and its text where flux-core's is no mistake."""
    members = list(value) if ok and (value.count < 100_000) else None
    ours = Answer(ok, members)
    verdict = judge(row["id"], row["in"], ours, _scored(row), {"": _answer(row)}, reason)
    if verdict.outcome == "agreed" and ok and "encoded" in row:
        ours = Answer(True, [value.count, text])
        theirs = Answer(True, [row["count"], row["encoded"]])
        return judge(row["id"], row["in"], ours, theirs, {"": theirs}, "")
    return verdict


def idset_row(row: Row) -> Verdict:
    """RFC 22."""
    read = idset.parse(row["in"])
    return _list_row(row, read.ok, read.value, str(read.value), why.idset_reason(row))


def hostlist_row(row: Row) -> Verdict:
    """RFC 29."""
    read = hostlist.parse(row["in"])
    return _list_row(row, read.ok, read.value, str(read.value), why.hostlist_reason(row))


def duration_row(row: Row) -> Verdict:
    """RFC 23; values are equal to 15 digits."""

    def seconds(answer: Row) -> Answer:
        value = answer.get("out")
        if isinstance(value, int | float):
            value = f"{abs(value):.15g}"
        return Answer(answer["ok"], value)

    read = duration.parse(row["in"])
    value = read.value
    ours = Answer(
        read.ok, None if value is None else "inf" if math.isinf(value) else f"{value:.15g}"
    )
    counts = None if row.get("ambiguous") else seconds(row.get("rfc", row))
    flux = {"Python": seconds(row), "C": seconds(row["c"])}
    return judge(row["id"], row["in"], ours, counts, flux, why.duration_reason(row, ours.ok))


def resources_row(row: Row) -> Verdict:
    """RFC 20: whether an R document is valid."""
    text = row["text"] if "text" in row else json.dumps(row["R"])
    ours = Answer(document.read_text(text).ok)
    counts = None if row["rfc"]["ok"] is None else Answer(row["rfc"]["ok"])
    flux = {"C": Answer(row["c"]["ok"]), "Python": Answer(row["py"]["ok"])}
    return judge(row["id"], row["note"], ours, counts, flux, why.resources_reason(row))


def jobspec_row(row: Row) -> Verdict:
    """RFC 25: whether a jobspec is V1; flux-core's answer is that of a running instance.

    The prose counts before the schema. Rows whose only trouble is ``total`` are not scored:
    a use case of the RFC itself breaks that rule, so it gives warnings.
    """
    prose = row["prose"]
    only_total = bool(prose["why"]) and all(w.startswith("total MUST") for w in prose["why"])
    ours = Answer(jobspec.check(row["jobspec"]).v1)
    given = "; ".join(prose["why"]) or row["submit"].get("error", "") or "a valid jobspec"
    counts = None if only_total else Answer(prose["ok"])
    flux = {"": Answer(row["submit"]["ok"])}
    return judge(row["id"], given, ours, counts, flux, why.jobspec_reason(row, ours.ok))


def submit_row(row: Row) -> Verdict:
    """Whether flux-core takes a jobspec in, as a running instance did or did not.

    Where it refused a job for what that instance does not have, the document is not at fault.
    """
    taken = Answer(row["submit"]["ok"])
    ours = Answer(not check_submission(row["jobspec"]))
    given = row["submit"].get("error", "") or "a valid jobspec"
    reason = why.submit_reason(row)
    counts = Answer(True) if reason else taken
    return judge(row["id"], given, ours, counts, {"": taken}, reason)


# Constraints matched against R documents (RFC 31)

_JOINS = ("and", "or", "not")


def match_row(row: Row) -> Verdict:
    """Which ranks satisfy a constraint; its C library and its Python side may answer apart."""
    read = tree.read(row["constraint"])
    value = None
    if read.value is not None:
        found = cluster(row["R"])
        mask = matching.match(read.value, found)
        assert matching.matched(read.value, found).mask == mask
        value = found.ranks_text(mask)
    rfc = row.get("rfc", {})
    says = rfc if rfc and rfc["follows"] != "unspecified" else row
    flux = {
        name: Answer(row[key]["ok"], row[key].get("out"))
        for name, key in (("C", "c"), ("Python", "py"))
        if key in row
    } or {"": Answer(row["ok"], row.get("out"))}
    ours = Answer(read.ok, value)
    given = f"{written(row['constraint'])} on {row['R'].removesuffix('.json')}"
    counts = Answer(says["ok"], says.get("out"))
    return judge(row["id"], given, ours, counts, flux, _match_reason(row, ours, flux))


def _match_reason(row: Row, ours: Answer, flux: dict[str, Answer]) -> str:
    """Why other answers are given; each part of flux-core that does so needs a reason."""
    found = []
    for part, answer in flux.items():
        if not ours.same(answer):
            rules = (name for name, (side, rule) in _RULES.items() if side in part and rule(row))
            found.append(next(rules, ""))
    return found[0] if all(found) and found else ""


def _parts(row: Row) -> list[Any]:
    """A constraint and all that its and, or and not hold."""
    out, stack = [], [row["constraint"]]
    while stack:
        out.append(value := stack.pop())
        if isinstance(value, dict):
            for name, parts in value.items():
                stack += parts if name in _JOINS and isinstance(parts, list) else []
    return out


def _lists(row: Row, operator: str) -> list[list[Any]]:
    """The values of an operator, wherever there are some."""
    found = (part.get(operator) for part in _parts(row) if isinstance(part, dict))
    return [values for values in found if isinstance(values, list)]


def _names(row: Row) -> list[str]:
    """The properties that it names."""
    names = (name for values in _lists(row, "properties") for name in values)
    return [name.removeprefix("^") for name in names if isinstance(name, str)]


def _is_odd(part: Any) -> bool:
    """It is no object, or its values are no array of objects or strings."""
    return not isinstance(part, dict) or any(
        not isinstance(values, list)
        or (name not in _JOINS and not all(isinstance(value, str) for value in values))
        for name, values in part.items()
    )


def host_as_property(row: Row) -> bool:
    hosts = set(cluster(row["R"]).hosts)
    return any(name in hosts for name in _names(row))


def of_nothing(row: Row) -> bool:
    return {} in _parts(row) or any([] in _lists(row, name) for name in _JOINS)


def not_of_several(row: Row) -> bool:
    return any(len(values) > 1 for values in _lists(row, "not"))


def ranks_apart(row: Row) -> bool:
    """The idsets of one ranks do not ascend from each to the next, which is refused."""
    lists = (values for values in _lists(row, "ranks") if len(values) > 1)
    joined = (",".join(text.strip("[]") for text in values) for values in lists)
    return not row["py"]["ok"] and any(not idset.parse(text).ok for text in joined)


#: The part of flux-core that answers otherwise (both where empty), and on what constraints.
_RULES: dict[str, tuple[str, Callable[[Row], bool]]] = {
    "match-several": ("", lambda row: any(isinstance(p, dict) and len(p) > 1 for p in _parts(row))),
    "match-array": ("", lambda row: any(map(_is_odd, _parts(row)))),
    "match-name": ("", lambda row: any(set(name) & set(ILLEGAL) for name in _names(row))),
    "match-host": ("C", host_as_property),
    "match-ranks": ("Python", ranks_apart),
    "match-empty": ("Python", of_nothing),
    "match-not-several": ("Python", not_of_several),
}


# Queue configurations and what their queues do to jobs (RFC 33)


def queue_row(row: Row) -> Verdict:
    """Whether a configuration is valid."""
    ours = Answer(queues.read_config(tomllib.loads(row["toml"])).ok)
    expected = row.get("rfc", {}).get("config_ok", row["config_ok"])
    flux = {"": Answer(row["config_ok"])}
    return judge(row["id"], row["toml"], ours, Answer(expected), flux, why.queue_reason(row))


def has_job(row: Row) -> bool:
    """Whether a row says what becomes of a job: not where the configuration is refused."""
    return "accepted" in row or "accepted" in row.get("rfc", {})


def admission_row(row: Row) -> Verdict:
    """Whether a job is taken, and its system attributes then; Flux's words where it is not."""
    rfc = row.get("rfc", {})
    found, words = _admitted(row)
    system = found.stored["attributes"]["system"] if found.stored is not None else {}
    ours = Answer(not words and found.admitted is True, system)
    flux = Answer(row.get("accepted", False), row.get("system"))
    counts = Answer(rfc.get("accepted", flux.ok), flux.value)
    if "constraints" in rfc:
        ours = Answer(ours.ok, system.get("constraints"))
        counts = Answer(rfc["accepted"], rfc["constraints"])
    asked = written(row["request"]["attributes"]["system"])
    given = f"{row['toml']}{written(row['request']['resources'])} {asked}"
    reason = "queue-hosts" if "constraints" in rfc else "queue-access" if not ours.ok else ""
    settled = None if rfc.get("ambiguous") else counts
    verdict = judge(row["id"], given, ours, settled, {"": flux}, reason)
    if verdict.outcome == "agreed" and not ours.ok:
        theirs = Answer(True, row["error"])
        return judge(row["id"], given, Answer(True, words), theirs, {"": theirs}, "")
    return verdict


def _admitted(row: Row) -> tuple[Admission, str]:
    """The answer to a job, and what Flux would say where it is refused.

    The scheduler is asked too where the configuration wants that at submission.
    """
    config = queues.read_config(tomllib.loads(row["toml"]))
    found = admit_everywhere(row["request"], config, Person(row["user"], ()))[0]
    if found.refusals:
        return found, found.refusals[0].words
    if config.ingest.feasibility and found.stored is not None:
        return found, simple.check_feasibility(found.stored, cluster(row["R"])).words
    return found, ""


# Room for a job on an idle cluster: by sched-simple

#: Why our verdict differs from sched-simple's, and on what requests.
EXCLUSIVE, EMPTY, SEVERAL = "fit-exclusive", "match-empty", "match-not-several"


def fit_row(row: Row) -> Verdict:
    """Two answers in one: what sched-simple says, to the letter, and what the rules say."""
    job, resources = row["jobspec"], cluster(row["R"])
    asked = {"resources": job["resources"], "constraints": _constraint(row)}
    asked = {name: value for name, value in asked.items() if value is not None}
    given = f"{written(asked)} on {row['R'].removeprefix('fit/').removesuffix('.json')}"
    said = {"": Answer(True, [row["feasible"], row.get("error", "")])}
    ours = _said(simple.check_feasibility(job, resources))
    verdict = judge(row["id"], given, ours, said[""], said, "")
    if verdict.outcome != "agreed":
        return verdict
    own = simple.check_strictly(job, resources)
    counts = row.get("strict", row)["feasible"]
    flux = {"": Answer(row["feasible"])}
    assert own.feasible is not None, row["id"]
    return judge(row["id"], given, Answer(own.feasible), Answer(counts), flux, _fit_reason(row))


def _said(room: Feasibility) -> Answer:
    return Answer(True, [room.feasible, room.words])


def _constraint(row: Row) -> object:
    return row["jobspec"]["attributes"]["system"].get("constraints")


def _fit_reason(row: Row) -> str:
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
def _index(name: str) -> PreparedGraph:
    """The graph ``graphs/<name>`` made ready."""
    return PreparedGraph.of(document.read_text((FOLDER / "graphs" / name).read_text("utf-8")))


def fluxion_on(row: Row, constraints: Any) -> Feasibility:
    """Our answer on a row with these constraints."""
    return fluxion.check_feasibility(parse(row["resources"]), constraints, _index(row["graph"]))


def fit_graph_row(row: Row) -> Verdict:
    """Whether there is room, and in which words Fluxion refuses."""
    constraints = row.get("constraints")
    given = f"{row['shape']} on {row['graph'].removesuffix('.json')}"
    if constraints is not None:
        given += f", {written(constraints)}"
    # Errors are without the number of the job.
    words = re.sub(r"^error: Jobspec error for \d+:", "Jobspec error:", row["message"])
    said = Answer(True, [row["satisfiable"], "" if words == "Satisfiable request" else words])
    ours = _said(fluxion_on(row, constraints))
    if '"or":[]' not in written(constraints):
        return judge(row["id"], given, ours, said, {"": said}, "")
    # An empty or counts as an empty and does, which matches all for Fluxion too.
    filled = json.loads(written(constraints).replace('"or":[]', '"and":[]'))
    return judge(row["id"], given, ours, _said(fluxion_on(row, filled)), {"": said}, EMPTY)


#: Each corpus: the file, what it is about, the verdict on a row.
CORPORA: dict[str, tuple[str, Callable[[Row], Verdict]]] = {
    "idset": ("idsets, RFC 22", idset_row),
    "hostlist": ("hostlists, RFC 29", hostlist_row),
    "fsd": ("durations, RFC 23", duration_row),
    "shape": ("shapes, RFC 46", shape_row),
    "query": ("queries, RFC 35", query_row),
    "match": ("constraints on R documents, RFC 31", match_row),
    "badr": ("R documents, RFC 20", resources_row),
    "jobspec_v1": ("jobspec V1, RFC 25", jobspec_row),
    "submissions": ("whether flux-core takes a jobspec", submit_row),
    "queue": ("queue configurations, RFC 33", queue_row),
    "queue jobs": ("what a queue makes of a job, RFC 33", admission_row),
    "fit": ("room on R documents, sched-simple", fit_row),
    "fit_graph": ("room on resource graphs, Fluxion", fit_graph_row),
}


def chosen(name: str) -> list[Row]:
    """The rows that a corpus is about: equal queue configurations count once."""
    if name == "queue":
        return list({row["toml"]: row for row in rows(name)}.values())
    if name == "submissions":
        return rows("jobspec_v1")
    if name == "queue jobs":
        return [row for row in rows("queue") if has_job(row)]
    return rows(name)


def verdicts(name: str) -> list[Verdict]:
    """The verdicts on all rows of a corpus."""
    return [CORPORA[name][1](row) for row in chosen(name)]
