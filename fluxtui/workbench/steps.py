"""The step from one state of the workbench to the next."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fluxtui.answers import match as matching
from fluxtui.model import jobspec, requires
from fluxtui.model.constraint import Constraint
from fluxtui.model.resources import Resources
from fluxtui.notation import shape
from fluxtui.notation.source import Problem
from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    FindRoom,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    SetStatus,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.outlook import Outlook, Submission, idle, look
from fluxtui.workbench.state import Ask, Build, Cluster, Source, State

if TYPE_CHECKING:
    from fluxtui.answers.fit import Fit

#: With more vertices than this in the graph, room is looked for beside the event loop.
MAX_QUICK = 5_000


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
    return step(_step(state, TypeShape(shape_text)), TypeRequires(requires_text), anew=True)


def step(state: State, edit: Edit, *, anew: bool = False) -> State:
    """The state after an edit. Only what depends on the edit is worked out again.

    anew works out the outlook in any case.
    """
    after = _step(state, edit)
    same = (
        after.build.resources is state.build.resources
        and after.build.stale == state.build.stale
        and after.ask.constraint is state.ask.constraint
        and after.cluster is state.cluster
        and after.submission is state.submission
    )
    return after if same and not anew else replace(after, outlook=_outlook(after))


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
            return replace(state, cluster=cluster, cursor=cursor, ask=ask, looked_at=None)
        case MoveCursor(index):
            count = state.cluster.resources.node_count
            cursor = min(max(index, 0), count - 1) if count else None
            return state if cursor == state.cursor else replace(state, cursor=cursor)
        case LookAtQueue(queue):
            return state if queue == state.looked_at else replace(state, looked_at=queue)
        case FindRoom(outlook, found):
            if outlook is not state.outlook:
                return state
            return replace(state, outlook=replace(outlook, fit=found, stale=False, due=False))
    submission = _submission(state.submission, edit)
    return state if submission is state.submission else replace(state, submission=submission)


def _submission(submission: Submission, edit: ChooseQueue | SetStatus) -> Submission:
    """Who submits where, after an edit; the same object where nothing changes."""
    if isinstance(edit, SetStatus):
        if submission.statuses.get(edit.queue) == edit.status:
            return submission
        statuses = {**submission.statuses, edit.queue: edit.status}
        return replace(submission, statuses=statuses)
    if edit.queue == submission.queue:
        return submission
    return replace(submission, queue=edit.queue)


def _outlook(state: State) -> Outlook:
    """What will become of the job; where the graph is large, the room for it is still to find."""
    cluster = state.cluster
    if not state.build.resources or state.build.blank:
        return idle(cluster.config, state.submission)
    outlook = look(state.outlook, state.jobspec(), cluster.config, state.submission)
    allowed = state.ask.mask & cluster.covered(outlook.queue)
    outlook = replace(outlook, allowed=allowed)
    if not cluster.resources.node_count:
        return replace(outlook, fit=None, stale=False)
    if state.stale:
        return outlook
    if _is_large(cluster):
        return replace(outlook, due=True)
    return replace(outlook, fit=find_room(cluster, outlook), stale=False)


def find_room(cluster: Cluster, outlook: Outlook) -> "Fit":
    """Whether there is room for the job of an outlook; for a large graph not on the event loop."""
    from fluxtui.answers.fit import fit

    return fit(outlook.jobspec, cluster.resources, cluster.yard, outlook.allowed)


def warm_up(cluster: Cluster) -> None:
    """Load and build what the first look for room needs; not for the event loop."""
    from fluxtui.answers import admission, fit, room_simple  # noqa: F401  # to have them loaded

    room_simple.prepare(cluster.resources)
    _ = cluster.yard


def rooms(state: State) -> Mapping[str, bool | None]:
    """Whether there is room for the job in each queue that may take it, by its name.

    Nothing is said where no room was looked for, or where that takes too long to do for each.
    """
    from fluxtui.answers.fit import feasible

    cluster, outlook = state.cluster, state.outlook
    if outlook.fit is None or outlook.stale or outlook.due or cluster.config is None:
        return {}
    if _is_large(cluster):
        return {}
    found: dict[str, bool | None] = {}
    known: dict[int, bool | None] = {}
    for answer in outlook.admissions:
        allowed = state.ask.mask & cluster.covered(answer.queue)
        if answer.filled is None or not answer.queue:
            continue
        if allowed not in known:
            known[allowed] = feasible(answer.filled, cluster.resources, cluster.yard, allowed)
        found[answer.queue] = known[allowed]
    return found


def _is_large(cluster: Cluster) -> bool:
    return cluster.graph is not None and len(cluster.graph.types) > MAX_QUICK


def _build(state: State, text: str) -> Build:
    """The build side for a text; a text without a single vertex keeps the tree that stands."""
    parsed = shape.parse(text)
    if not text.strip():
        return Build(text, parsed)
    if not parsed.vertices:
        return replace(state.build, text=text, shape=parsed)
    resources = shape.to_resources(parsed)
    return Build(
        text,
        parsed,
        parsed.vertices,
        tuple(resources),
        jobspec.check_resources(resources, slot_needed=True),
        jobspec.check_v1_resources(resources),
    )


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
