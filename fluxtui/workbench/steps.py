"""The step from one state of the workbench to the next."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fluxtui.answers import match as matching
from fluxtui.model import jobspec, requires
from fluxtui.model.constraint import Constraint
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.resources import Resources
from fluxtui.notation import shape
from fluxtui.notation.source import Problem
from fluxtui.workbench.cluster import Cluster, Source
from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    FindRoom,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    TurnQueue,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.outlook import Outlook, Submission, find_room, idle, look
from fluxtui.workbench.state import Ask, Build, State


def start(
    cluster: Cluster | None = None,
    shape_text: str = "",
    requires_text: str = "",
    document: Mapping[str, Any] | None = None,
    submission: Submission | None = None,
) -> State:
    """The state a workbench opens with; document is the jobspec that the texts were taken from."""
    cluster = cluster or Cluster(Source("nothing open"), Resources())
    blank = State(
        cluster,
        Build("", shape.parse("")),
        Ask("", requires.read("")),
        document=document,
        submission=submission or Submission(),
    )
    state = _step(blank, OpenCluster(cluster))
    state = _step(_step(state, TypeShape(shape_text)), TypeRequires(requires_text))
    return _with_outlook(state, None)


def step(state: State, edit: Edit) -> State:
    """The state after an edit. Only what depends on the edit is worked out again."""
    after = _step(state, edit)
    if after is state or isinstance(edit, FindRoom):
        return after
    return _with_outlook(after, state)


def restore(state: State, shape_text: str, requires_text: str, submission: Submission) -> State:
    """The state with earlier texts and choices; a queue that is not there any more stays away."""
    after = _step(_step(state, TypeShape(shape_text)), TypeRequires(requires_text))
    if submission.queue is not None and not state.cluster.has_queue(submission.queue):
        submission = replace(submission, queue=state.submission.queue)
    if submission != after.submission:
        after = replace(after, submission=submission)
    return _with_outlook(after, state)


def _step(state: State, edit: Edit) -> State:
    """The state after an edit, but for the outlook."""
    match edit:
        case TypeShape(text):
            return state if text == state.build.text else replace(state, build=_build(state, text))
        case TypeRequires(text):
            if text == state.ask.text:
                return state
            ask = state.ask
            ask = _answer(state.cluster, requires.read(text), ask.constraint, ask.counted)
            return replace(state, ask=ask)
        case OpenCluster(cluster):
            cursor = 0 if cluster.resources.node_count else None
            ask = state.ask
            ask = _answer(cluster, ask.requires, ask.constraint, None)
            submission = _elsewhere(state.submission, state.cluster, cluster)
            return replace(
                state,
                cluster=cluster,
                cursor=cursor,
                ask=ask,
                submission=submission,
                looked_at=None,
            )
        case MoveCursor(index):
            count = state.cluster.resources.node_count
            cursor = min(max(index, 0), count - 1) if count else None
            return state if cursor == state.cursor else replace(state, cursor=cursor)
        case LookAtQueue(queue):
            return state if queue == state.looked_at else replace(state, looked_at=queue)
        case FindRoom(outlook, found):
            if outlook is not state.outlook:
                return state
            return replace(state, outlook=found)
    submission = _submission(state.submission, edit)
    return state if submission is state.submission else replace(state, submission=submission)


def _elsewhere(submission: Submission, before: Cluster, after: Cluster) -> Submission:
    """Who submits where on another cluster: what is about the queues of the one before goes."""
    queue = submission.queue
    if queue is not None and before.has_queue(queue) and not after.has_queue(queue):
        queue = None
    return replace(submission, queue=queue, what_if={})


def _submission(submission: Submission, edit: ChooseQueue | TurnQueue) -> Submission:
    """Who submits where, after an edit; the same object where nothing changes."""
    if isinstance(edit, TurnQueue):
        turned = edit.turned(submission.status(edit.queue))
        return replace(submission, what_if={**submission.what_if, edit.queue: turned})
    if edit.queue == submission.queue:
        return submission
    return replace(submission, queue=edit.queue)


def _with_outlook(state: State, before: State | None) -> State:
    """The state with what will become of its job; before is the state that it comes from.

    While a text is unfinished, that of the last whole one stays, marked stale. Where the cluster is
    large the room is still to be found.
    """
    stale = state.build.unfinished or state.ask.stale
    if before is not None and _asks_the_same(state, before):
        outlook = state.outlook
        return state if outlook.stale == stale else replace(state, outlook=_marked(outlook, stale))
    cluster = state.cluster
    if state.build.blank or not state.build.whole:
        return replace(state, outlook=idle(cluster.config, state.submission))
    job = state.jobspec(state.build.whole)
    outlook = look(job, state.ask.mask, cluster, state.submission)
    if not cluster.is_large:
        outlook = find_room(outlook, cluster)
    else:
        same = before is not None and before.cluster is cluster
        known = (state.outlook.fit, state.outlook.rooms) if same else (None, {})
        outlook = replace(outlook, fit=known[0], rooms=known[1], due=True)
    return replace(state, outlook=_marked(outlook, stale))


def _asks_the_same(state: State, before: State) -> bool:
    """The same job on the same cluster, by the same person."""
    return (
        state.build.whole is before.build.whole
        and state.build.blank == before.build.blank
        and state.ask.constraint is before.ask.constraint
        and state.cluster is before.cluster
        and state.submission is before.submission
    )


def _marked(outlook: Outlook, stale: bool) -> Outlook:
    """The outlook marked as that of an earlier job, if it is of one."""
    return replace(outlook, stale=stale and outlook.own is not None)


def prospect(
    job: Mapping[str, Any], cluster: Cluster, submission: Submission | None = None
) -> Outlook:
    """The whole outlook of a jobspec, without a workbench around it."""
    wanted = jobspec.system(job).get("constraints")
    mask: int | None = cluster.resources.everything
    if wanted is not None:
        constraint = read_constraint(wanted).value
        mask = None if constraint is None else matching.match(constraint, cluster.resources)
    return find_room(look(job, mask, cluster, submission or Submission()), cluster)


def warm_up(cluster: Cluster) -> None:
    """Load and build what the first look for room needs; not for the event loop."""
    from fluxtui.answers import admission, fit, room_simple  # noqa: F401  # to have them loaded

    room_simple.prepare(cluster.resources)
    _ = cluster.yard


def _build(state: State, text: str) -> Build:
    """The build side for a text; a text without a single vertex keeps the tree that stands."""
    parsed = shape.parse(text)
    before = state.build
    if not text.strip():
        return Build(text, parsed)
    if not parsed.vertices:
        return replace(before, text=text, shape=parsed)
    resources = tuple(shape.to_resources(parsed))
    if resources == before.resources:  # such as after a blank
        found = replace(before, text=text, shape=parsed, vertices=parsed.vertices)
    else:
        found = Build(
            text,
            parsed,
            parsed.vertices,
            resources,
            jobspec.check_resources(resources, slot_needed=True),
            jobspec.check_v1_resources(resources),
            before.whole,
        )
    return found if found.unfinished else replace(found, whole=found.resources)


def _answer(
    cluster: Cluster,
    reading: requires.Requires,
    good: Constraint | None,
    counted: matching.Counted | None,
) -> Ask:
    """The answer to a constraint's text; a bad text is answered by the last good constraint.

    good is that constraint, and counted its answer on this cluster; None where it has none yet.
    """
    resources = cluster.resources
    constraint = None if reading.blank else reading.constraint or good
    if constraint == good:
        constraint = good  # one object for one meaning, so that nothing is worked out again
    if constraint is None:
        everything = resources.everything
        return Ask(reading.text, reading, None, everything, resources.totals(everything))
    if counted is None or constraint is not good:
        counted = matching.counted(constraint, resources)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        hints = reading.located(matching.hints(constraint, resources))
    totals = resources.totals(counted.mask)
    return Ask(reading.text, reading, constraint, counted.mask, totals, hints, counted)
