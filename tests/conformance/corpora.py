"""One function for each corpus, which gives the verdict on one of its rows."""

import json
import math
from collections.abc import Callable
from typing import Any

from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.verdicts import check_submission
from fluxtui.model.resources import document
from fluxtui.notation import duration
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.conformance import reasons as why
from tests.conformance.cases import Row, rows
from tests.conformance.fit_rows import fit_graph_row, fit_row
from tests.conformance.match_rows import match_row
from tests.conformance.queue_rows import admission_row, has_job, queue_row
from tests.conformance.shape_reasons import reasons as shape_reasons
from tests.conformance.verdict import Answer, Verdict, judge


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
    found = shape_reasons(row["in"], read, row.get("out", row.get("error")))
    reason = next((f"shape-{name}" for name in why.SHAPE_ORDER if name in found), "")
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
