"""The answer of ``fluxtui fit``, as one JSON object and as text."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fluxtui.answers import admission
from fluxtui.answers.admission import Admission, changes
from fluxtui.answers.feasibility.feasibility import Feasibility, Nearest, Placement, Share
from fluxtui.answers.feasibility.fit import Fit
from fluxtui.answers.feasibility.now import Now
from fluxtui.model.jobspec.request import noun
from fluxtui.model.jobspec.verdicts import check_submission
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, plural, printable
from fluxtui.workbench import Cluster, Outlook

SIGNS: Mapping[bool | None, str] = {True: "yes", False: "no", None: "not known"}
WIDTH = 11
SHARES_SHOWN = 5
OTHERS_SHOWN = 40

_UNKNOWN = Fit(*(Feasibility(name, None) for name in ("sched-simple", "sched-simple", "fluxion")))


def _fit(outlook: Outlook) -> Fit:
    """Whether a job fits; unknown if it was not tried, as without a queue for it."""
    return outlook.fit if outlook.fit is not None else _UNKNOWN


def will_run(outlook: Outlook) -> bool:
    """Whether it is certain that the job fits, can be placed, and is accepted by the queue."""
    found = _fit(outlook)
    return (
        found.feasible is True
        and not found.own.satisfiable_but_unallocatable
        and outlook.admitted is True
    )


def answer_json(outlook: Outlook, cluster: Cluster) -> dict[str, Any]:
    """Return the answer as a JSON object.

    reasons are sentences; details are the same problems with their paths in the jobspec or the
    configuration. refused is what flux-core refuses before a queue sees the job.
    """
    own, found = outlook.own, _fit(outlook)
    problems = [
        *(
            found.own.reasons
            if not found.feasible or found.own.satisfiable_but_unallocatable
            else ()
        )
    ]
    problems += _against(own)
    nearest, refused = found.own.nearest, check_submission(outlook.submitted)
    return {
        "feasible": found.feasible,
        "admitted": outlook.admitted,
        "reasons": [problem.message for problem in problems],
        "placement": _placement(outlook.placement, cluster),
        "schedulers": {
            found.simple.scheduler: _room(found.simple),
            "fluxion": _room(found.fluxion),
        },
        "fits": found.own.fits,
        "largest": dict(found.own.largest),
        "nearest": _near(nearest) if nearest is not None else None,
        "queue": outlook.queue or None,
        "schedules": own.schedules if own is not None and own.admitted else None,
        "jobspec": own.stored if own is not None else None,
        "queues": [_queue(answer, outlook) for answer in _queues(outlook)],
        **({"now": _now(outlook.now)} if outlook.now is not None else {}),
        **({"closer": [_near(one) for one in found.own.closer]} if found.own.closer else {}),
        **({"refused": [problem.to_json() for problem in refused]} if refused else {}),
        "details": [problem.to_json() for problem in problems],
    }


def _near(found: Nearest) -> dict[str, Any]:
    effect = {"effect": found.effect} if found.effect else {}
    return {"resources": list(found.resources), "change": found.change, **effect}


def _now(found: Now) -> dict[str, Any]:
    """Whether the job fits a running instance: all its nodes, those up, and those free."""
    parts = (("ever", found.ever), ("up", found.up), ("free", found.free))
    return {"words": found.words, "starts": found.starts, "ahead": found.ahead} | {
        name: {"feasible": one.feasible, "fits": one.fits, **_first(one)} for name, one in parts
    }


def _first(room: Feasibility) -> dict[str, Any]:
    return {"reason": room.reasons[0].message} if room.reasons else {}


def _against(answer: Admission | None) -> Iterator[Problem]:
    """Why a queue does not accept a job, or why that is not known."""
    if answer is None or answer.admitted is True:
        return
    yield from (refusal.problem for refusal in answer.refusals)
    if answer.admitted is None:
        yield from answer.notes


def _room(room: Feasibility) -> dict[str, Any]:
    reasons = [room.words] if room.words else []
    found = [problem.message for problem in room.reasons]
    return {"feasible": room.feasible, "reasons": reasons + [m for m in found if m not in reasons]}


def _queues(outlook: Outlook) -> list[Admission]:
    """The answers of all named queues."""
    answers = map(outlook.admission, filter(None, outlook.admissions))
    return [answer for answer in answers if answer is not None]


def _queue(answer: Admission, outlook: Outlook) -> dict[str, Any]:
    return {
        "queue": answer.queue,
        "admitted": answer.admitted,
        "feasible": outlook.rooms.get(answer.queue),
        "reasons": [problem.message for problem in _against(answer)],
        "words": [refusal.words for refusal in answer.refusals if refusal.words],
    }


def _placement(placement: Placement | None, cluster: Cluster) -> dict[str, Any] | None:
    """Where a job is placed: ranks and hosts, its share of them as in R, and graph vertices."""
    if placement is None:
        return None
    resources = cluster.resources
    found: dict[str, Any] = {
        "ranks": str(resources.ranks_of(placement.mask)),
        "hosts": resources.hosts_of(placement.mask),
    }
    if placement.shares:
        found["R_lite"] = [_share(share, resources) for share in placement.shares]
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


def answer_text(outlook: Outlook, cluster: Cluster) -> str:
    """Return the answer as lines of text, with control characters escaped."""
    return "\n".join(_lines(outlook, cluster))


def _lines(outlook: Outlook, cluster: Cluster) -> Iterator[str]:
    found = _fit(outlook)
    room = found.own
    yield _line("fit", _room_words(room))
    yield from _reasons(room.reasons)
    if outlook.placement is not None:
        yield from _placed(outlook.placement, cluster)
    for path, count in room.largest:
        yield _line("largest", f"{count:,} for {path}")
    if room.nearest is not None:
        yield _line("nearest", room.nearest.change)
    for one in room.closer:
        yield _line("closer", f"{one.change}: {one.effect}")
    if outlook.now is not None:
        yield from _now_lines(outlook.now)
    if outlook.own is not None:
        yield from _queue_lines(outlook.own, outlook, cluster)
    both = ((found.simple.scheduler, found.simple), ("Fluxion", found.fluxion))
    yield _line("schedulers", ", ".join(f"{name} {SIGNS[r.feasible]}" for name, r in both))
    yield from _also(found.why_differs)
    for name, answer in both:
        yield from _also(answer.words and f"{name}: {answer.words}")
    others = [answer for answer in _queues(outlook) if answer.queue != outlook.queue]
    if others:
        shown = [f"{a.queue} {_runs(a, outlook)}" for a in others[:OTHERS_SHOWN]]
        if len(others) > OTHERS_SHOWN:
            shown.append(f"and {len(others) - OTHERS_SHOWN:,} more; -o json has all")
        yield _line("others", ", ".join(shown))


def _room_words(room: Feasibility) -> str:
    if room.satisfiable_but_unallocatable:
        return "yes in theory, but nothing would be placed"
    if room.feasible and room.fits is not None:
        return f"yes, at most {room.fits:,} such job{'s' * (room.fits != 1)} at once"
    return SIGNS[room.feasible]


def _now_lines(found: Now) -> Iterator[str]:
    """Whether the job starts on a running instance, how often it fits, and why not now."""
    yield _line("now", found.words)
    parts = (("ever", found.ever), ("up now", found.up), ("free now", found.free))
    fits = (f"{name} {room.fits or 0:,}" for name, room in parts if room.feasible is not None)
    yield _line("", "such jobs at once: " + ", ".join(fits))
    yield from _also(found.unplaced)
    for name, room in parts[1:]:
        if room.feasible is False and room.reasons and found.ever.feasible:
            yield _line("", f"{name}: {room.reasons[0].message}")
            break


def _runs(answer: Admission, outlook: Outlook) -> str:
    """Whether a job would run in another queue, with a short reason if not."""
    runs = outlook.runs_in(answer.queue)
    if runs is False:
        kind = answer.refusals[0].kind if answer.refusals else "feasibility"
        return f"no ({'does not fit' if kind == 'feasibility' else kind})"
    if runs is None and answer.admitted and not answer.schedules:
        return "stopped"
    return SIGNS[runs]


def _queue_lines(own: Admission, outlook: Outlook, cluster: Cluster) -> Iterator[str]:
    """The answer of the job's queue, and the changes it makes to the jobspec."""
    name = own.queue if own.queue and cluster.has_queue(own.queue) else "Flux"
    lead = "none is configured; " if cluster.config is None else ""
    if cluster.config is None and own.queue and own.admitted is None:
        yield _line("queue", f"{own.queue}: {admission.UNKNOWN}")
        return
    if own.admitted:
        waits = "" if own.schedules else f", and does not schedule now: {own.held}"
        yield _line("queue", f"{lead}{name} accepts it{waits}")
        for change in changes(outlook.submitted, own.stored or outlook.submitted):
            verb = "adds" if change.before is None else "sets"
            yield _line("", f"{verb} {change.path}: {json.dumps(change.after)}")
        return
    verdict = own.refused if own.admitted is False else "may refuse it"
    yield _line("queue", f"{lead}{name} {verdict}")
    yield from _reasons(refusal.problem for refusal in own.refusals)
    yield from _reasons(own.notes)
    for refusal in own.refusals[:1]:
        yield from _also(refusal.words and f"Flux: {refusal.words}")


def _ranks(mask: int) -> str:
    return plural("rank", mask.bit_count())


def _placed(placement: Placement, cluster: Cluster) -> Iterator[str]:
    resources = cluster.resources
    hosts = resources.hosts_of(placement.mask, limit=20)
    ranks = resources.ranks_text(placement.mask, limit=20)
    words = f"{hosts}   {_ranks(placement.mask)} {ranks}" if placement.mask else "outside all nodes"
    yield _line("placed", words.strip())
    if placement.rows and cluster.graph is not None:
        types = Counter(cluster.graph.types[row] for row in placement.rows)
        listed = [f"{count:,} {noun(kind, count)}" for kind, count in types.items()]
        on_nodes = sum(share.mask.bit_count() * share.cores.count for share in placement.shares)
        if placement.mask and (apart := types["core"] - on_nodes) > 0:
            listed.append(f"{apart:,} of the cores outside all nodes")
        yield _line("", ", ".join(listed))
    for share in placement.shares[:SHARES_SHOWN]:
        both = (("core", share.cores), ("gpu", share.gpus))
        taken = " and ".join(f"{plural(kind, ids.count)} {ids}" for kind, ids in both if ids)
        if taken:
            ranks = resources.ranks_text(share.mask, limit=5)
            yield _line("", f"{taken} of {_ranks(share.mask)} {ranks}")
    if len(placement.shares) > SHARES_SHOWN:
        yield _line("", f"and {len(placement.shares) - SHARES_SHOWN:,} more kinds of nodes")


def _reasons(problems: Iterable[Problem]) -> Iterator[str]:
    for problem in problems:
        where = f"{problem.path}: " if problem.path else ""
        yield _line("", f"{where}{problem.message}")


def _also(words: str) -> Iterator[str]:
    """An additional line, unless words is empty."""
    if words:
        yield _line("", words)


def _line(name: str, words: str) -> str:
    """A line of the answer; words may come from a document, so control characters are escaped."""
    return f"{name:<{WIDTH}}{printable(words)}".rstrip()
