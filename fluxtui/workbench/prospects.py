"""The verdicts and the outlook of a job, recomputed only if it has changed."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import read as read_constraint
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.tree import walk
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.outlook import Outlook, Submission, find_room, idle, look
from fluxtui.workbench.state import State

#: The fit of a job with more vertices is computed in a worker.
MAX_VERTICES = 60


def _with_verdicts(state: State, before: State | None) -> State:
    """Return the state with the verdicts on its jobspec; before is the previous state."""
    if state.empty:
        return state if state.verdicts is None else replace(state, verdicts=None)
    if before is not None and state.verdicts is not None and _has_same_jobspec(state, before):
        return state
    from fluxtui.model.jobspec.verdicts import verdicts

    return replace(state, verdicts=verdicts(state.jobspec(), state.request))


def _has_same_jobspec(state: State, before: State) -> bool:
    """Whether the whole jobspec is the same."""
    if state.job.document is not None:
        return state.job.document is before.job.document
    return (
        before.job.document is None
        and state.build.resources is before.build.resources
        and state.ask.constraint is before.ask.constraint
        and state.submission.queue == before.submission.queue
    )


def with_outlook(state: State, before: State | None) -> State:
    """Return the state with the verdicts and outlook of its job; before is the previous state.

    While a text is unfinished, the outlook of the last finished one is kept, marked stale. If the
    cluster is large the fit is left due, and if the job is large so are the admissions
    (`find_outlook`).
    """
    state = _with_verdicts(state, before)
    stale = state.build.unfinished or state.ask.stale or state.job.raw is not None
    if before is not None and _is_unchanged(state, before):
        outlook = state.outlook
        return state if outlook.stale == stale else replace(state, outlook=_mark(outlook, stale))
    cluster = state.cluster
    if state.build.blank or not state.build.whole:
        return replace(state, outlook=idle(cluster.config, state.submission))
    prior, small = Outlook(), _is_small(state)
    if before is not None and before.cluster.resources is cluster.resources:
        prior = state.outlook
    if not small and prior.own is not None and _has_same_submission(state, before):
        outlook = replace(prior, due=True, unasked=True)
    elif not small or cluster.is_large:
        outlook = replace(looked(state), fit=prior.fit, rooms=prior.rooms, now=prior.now, due=True)
    else:
        outlook = find_room(looked(state), cluster)
    return replace(state, outlook=_mark(outlook, stale))


def _has_same_submission(state: State, before: State | None) -> bool:
    """Whether the submission is the same."""
    return before is not None and before.submission is state.submission


def looked(state: State) -> Outlook:
    """Return the outlook of a state's job without its fit: what the queues say about it."""
    build = state.build
    job = state.jobspec(build.whole if build.unfinished else None)
    request = None if build.unfinished else state.request
    return look(job, _allowed_nodes(state), state.cluster, state.submission, request)


def find_outlook(state: State) -> Outlook:
    """Compute the whole outlook of a state whose outlook is due. Not for the event loop."""
    return replace(find_room(looked(state), state.cluster), stale=state.outlook.stale)


def _is_small(state: State) -> bool:
    """Whether the job is small enough to compute its fit within a frame."""
    vertices = walk(state.build.vertices)
    return next(islice(vertices, MAX_VERTICES, None), None) is None


def _is_unchanged(state: State, before: State) -> bool:
    """Whether the job, the cluster and the submission are the same."""
    return (
        state.build.whole is before.build.whole
        and state.build.blank == before.build.blank
        and state.ask.constraint is before.ask.constraint
        and state.job.document is before.job.document
        and state.cluster is before.cluster
        and state.submission is before.submission
    )


def _mark(outlook: Outlook, stale: bool) -> Outlook:
    """Return the outlook marked as stale or not; one without a job is never stale."""
    return replace(outlook, stale=stale and outlook.own is not None)


def prospect(
    job: Mapping[str, Any], cluster: Cluster, submission: Submission | None = None
) -> Outlook:
    """Return the whole outlook of a jobspec, without a workbench state."""
    sent = replace(submission or Submission(), live=cluster.statuses)
    return find_room(look(job, _allowed_by(job, cluster), cluster, sent), cluster)


def _allowed_nodes(state: State) -> int | None:
    """Return the nodes that the job's own constraint allows; None if it cannot be read."""
    document = state.job.document
    return state.ask.mask if document is None else _allowed_by(document, state.cluster)


def _allowed_by(job: Mapping[str, Any], cluster: Cluster) -> int | None:
    """Return the nodes that a jobspec's constraint allows; None if it cannot be read."""
    wanted = jobspec.system(job).get("constraints")
    if wanted is None:
        return cluster.resources.everything
    constraint = read_constraint(wanted).value
    return None if constraint is None else matching.match(constraint, cluster.resources)


def warm_up(cluster: Cluster) -> None:
    """Import the modules that keys need, and build what the first fit needs.

    Not for the event loop.
    """
    from fluxtui.answers.feasibility.feasibility import all_classes
    from fluxtui.model.documents import rewrite  # noqa: F401

    all_classes(cluster.resources)
    _ = cluster.prepared_graph
