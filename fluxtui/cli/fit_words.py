"""The answer of ``fluxtui fit``: as one JSON object, and in lines for a person."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fluxtui.answers import admission
from fluxtui.answers.admission import Admission
from fluxtui.answers.fit import Fit
from fluxtui.answers.room import Placement, Room, Share
from fluxtui.model.resource_set import Resources
from fluxtui.notation.source import Problem, printable
from fluxtui.workbench import Cluster, Outlook

SIGNS: Mapping[bool | None, str] = {True: "yes", False: "no", None: "not known"}
WIDTH = 11
SHARES_SHOWN = 5


def answer_json(outcome: Outlook, fit: Fit, cluster: Cluster) -> dict[str, Any]:
    """The answer as a JSON object.

    reasons are sentences; details say the same with the path in the jobspec or the configuration.
    """
    own = outcome.own
    refusals = own.refusals if own is not None and own.admitted is not True else ()
    problems = [*(fit.own.reasons if not fit.feasible else ()), *(r.problem for r in refusals)]
    nearest = fit.own.nearest
    return {
        "feasible": fit.feasible,
        "admitted": outcome.admitted,
        "reasons": [problem.message for problem in problems],
        "placement": _placement(fit.own.placement, cluster),
        "schedulers": {"sched-simple": _room(fit.simple), "fluxion": _room(fit.fluxion)},
        "fits": fit.own.fits,
        "largest": dict(fit.own.largest),
        "nearest": None
        if nearest is None
        else {"resources": list(nearest.resources), "change": nearest.change},
        "queue": outcome.queue or None,
        "schedules": own.schedules if own is not None and own.admitted else None,
        "jobspec": own.stored if own is not None else None,
        "queues": [_queue(answer) for answer in outcome.admissions if answer.queue],
        "details": [problem.to_json() for problem in problems],
    }


def _room(room: Room) -> dict[str, Any]:
    said = [room.words] if room.words else []
    found = [problem.message for problem in room.reasons]
    return {"feasible": room.feasible, "reasons": said + [m for m in found if m not in said]}


def _queue(answer: Admission) -> dict[str, Any]:
    return {
        "queue": answer.queue,
        "admitted": answer.admitted,
        "reasons": [refusal.words or refusal.problem.message for refusal in answer.refusals],
    }


def _placement(placement: Placement | None, cluster: Cluster) -> dict[str, Any] | None:
    """Where a job is put: ranks and hosts, what it takes of them as in R, graph vertices."""
    if placement is None:
        return None
    resources = cluster.resources
    found: dict[str, Any] = {
        "ranks": str(resources.ranks_of(placement.mask)),
        "hosts": resources.hosts_of(placement.mask),
        "R_lite": [_share(share, resources) for share in placement.shares],
    }
    if placement.rows and cluster.graph is not None:
        graph = cluster.graph
        found["vertices"] = [graph.path(row) for row in placement.rows]
    return found


def _share(share: Share, resources: Resources) -> dict[str, Any]:
    children = {"core": str(share.cores), "gpu": str(share.gpus)}
    return {
        "rank": str(resources.ranks_of(share.mask)),
        "children": {name: ids for name, ids in children.items() if ids},
    }


def answer_text(outcome: Outlook, fit: Fit, cluster: Cluster) -> str:
    """The answer in lines for a person."""
    return "\n".join(_lines(outcome, fit, cluster))


def _lines(outcome: Outlook, fit: Fit, cluster: Cluster) -> Iterator[str]:
    room = fit.own
    many = "" if room.fits is None else f", {room.fits:,} such job{'s' * (room.fits != 1)} at once"
    if room.promised:
        yield _line("room", "yes, it is said, but nothing would be placed")
    else:
        yield _line("room", SIGNS[fit.feasible] + (many if fit.feasible else ""))
    yield from _reasons(room.reasons)
    if room.placement is not None:
        yield from _placed(room.placement, cluster.resources)
    for path, count in room.largest:
        yield _line("largest", f"{count:,} for {path}")
    if room.nearest is not None:
        yield _line("nearest", room.nearest.change)
    yield from _queue_lines(outcome)
    both = (("sched-simple", fit.simple), ("Fluxion", fit.fluxion))
    yield _line("schedulers", ", ".join(f"{name} {SIGNS[r.feasible]}" for name, r in both))
    if fit.why_differs:
        yield _line("", fit.why_differs)
    for name, found in both:
        if found.words:
            yield _line("", f"{name}: {found.words}")
    others = [answer for answer in outcome.admissions if answer.queue != outcome.queue]
    if others:
        listed = ", ".join(f"{printable(a.queue)} {SIGNS[a.admitted]}" for a in others)
        yield _line("others", listed)


def _queue_lines(outcome: Outlook) -> Iterator[str]:
    """What the job's queue says, and what it adds."""
    own = outcome.own
    if own is None:
        return
    name = f" {printable(own.queue)}" if own.queue else ""
    if own.admitted:
        waits = "" if own.schedules else ", and does not schedule now"
        yield _line("queue", f"{name} takes it{waits}".strip())
        if own.stored is not None:
            for change in admission.changes(outcome.asked, own.stored):
                verb = "adds" if change.before is None else "sets"
                yield _line("", f"{verb} {change.path}: {json.dumps(change.after)}")
        return
    verdict = "refuses it" if own.admitted is False else "may refuse it"
    yield _line("queue", f"{name} {verdict}".strip())
    yield from _reasons(refusal.problem for refusal in own.refusals)
    yield from _reasons(own.notes)
    for refusal in own.refusals[:1]:
        if refusal.words:
            yield _line("", f"Flux: {refusal.words}")


def _placed(placement: Placement, resources: Resources) -> Iterator[str]:
    hosts = printable(resources.hosts_of(placement.mask, limit=20))
    ranks = resources.ranks_text(placement.mask, limit=20)
    yield _line("placed", f"{hosts}   ranks {ranks}".strip())
    for share in placement.shares[:SHARES_SHOWN]:
        listed = (("cores", share.cores), ("gpus", share.gpus))
        taken = " and ".join(f"{name} {ids}" for name, ids in listed if ids)
        if taken:
            yield _line("", f"{taken} of ranks {resources.ranks_text(share.mask, limit=5)}")
    if len(placement.shares) > SHARES_SHOWN:
        yield _line("", f"and {len(placement.shares) - SHARES_SHOWN:,} more kinds of nodes")


def _reasons(problems: Iterable[Problem]) -> Iterator[str]:
    for problem in problems:
        where = f"{problem.path}: " if problem.path else ""
        yield _line("", printable(f"{where}{problem.message}"))


def _line(name: str, words: str) -> str:
    return f"{name:<{WIDTH}}{words}".rstrip()
