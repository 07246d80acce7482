"""The step from one state of the workbench to the next."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fluxtui.answers import match as matching
from fluxtui.model import jobspec, requires
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.resources import Resources
from fluxtui.notation import shape
from fluxtui.workbench import authoring
from fluxtui.workbench.cluster import Cluster, Source
from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    EditShape,
    FindRoom,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    OpenJob,
    ReplaceJob,
    SaveJob,
    TurnQueue,
    TypeField,
    TypeJobspec,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.job import Job
from fluxtui.workbench.outlook import Outlook, Submission, find_room, idle, look
from fluxtui.workbench.state import Ask, Build, State, Surroundings
from fluxtui.workbench.texts import answered, built

#: The room for a job of more vertices is looked for beside the event loop.
MAX_VERTICES = 60


def start(
    cluster: Cluster | None = None,
    shape_text: str = "",
    requires_text: str = "",
    job: Job | None = None,
    submission: Submission | None = None,
    around: Surroundings | None = None,
) -> State:
    """The state a workbench opens with; job is the one that the texts were taken from.

    A queue of the submission takes the place of the job's own.
    """
    job = job or Job()
    if submission is not None and submission.queue is not None:
        job = authoring.with_queue(job, submission.queue)
    cluster = cluster or Cluster(Source("nothing open"), Resources())
    blank = State(
        cluster,
        Build("", shape.parse("")),
        Ask("", requires.read("")),
        submission=submission or Submission(),
        around=around or Surroundings(),
    )
    state = _step(blank, OpenCluster(cluster))
    return restore(state, shape_text, requires_text, job, state.submission)


def step(state: State, edit: Edit) -> State:
    """The state after an edit. Only what depends on the edit is worked out again."""
    after = _step(state, edit)
    if after is state or isinstance(edit, FindRoom | SaveJob):
        return after
    return _with_outlook(after, state)


def restore(
    state: State, shape_text: str, requires_text: str, job: Job, submission: Submission
) -> State:
    """The state with earlier texts, job and choices.

    A queue of the cluster that is not there any more stays away.
    """
    after = _typed(state, shape_text)
    after = replace(after, ask=_asked(after, requires.read(requires_text)), job=job)
    if submission.queue is not None and not state.cluster.has_queue(submission.queue):
        submission = replace(submission, queue=state.submission.queue)
    if submission != after.submission:
        after = replace(after, submission=submission)
    return _with_outlook(after, state)


def _step(state: State, edit: Edit) -> State:
    """The state after an edit, but for the outlook."""
    match edit:
        case TypeShape(text) | EditShape(text):
            return _with_shape(state, text)
        case TypeRequires(text):
            return _with_requires(state, text)
        case TypeField(name, text):
            job = authoring.type_field(state, name, text)
            return state if job is state.job else _followed(replace(state, job=job), state)
        case TypeJobspec(text, form):
            if authoring.is_text(state.job, text, form):
                return state
            return _followed(authoring.type_jobspec(state, text, form), state)
        case ReplaceJob(document):
            job = replace(state.job, document=document, raw=None)
            return _followed(replace(state, job=job), state)
        case OpenJob(shape_text, requires_text, queue, job):
            submission = replace(state.submission, queue=queue)
            return _opened(state, shape_text, requires_text, job, submission)
        case SaveJob(path):
            return replace(state, job=replace(state.job, path=path))
        case OpenCluster(cluster):
            return _with_cluster(state, cluster)
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
    if submission is state.submission:
        return state
    job = state.job
    if submission.queue != state.submission.queue:
        job = authoring.with_queue(job, submission.queue)
    return replace(state, submission=submission, job=job)


def _with_shape(state: State, text: str) -> State:
    """The state with another text of the shape, and the document after it."""
    after = _typed(state, text)
    if after is state or after.build.resources == state.build.resources:
        return after
    return replace(after, job=authoring.with_shape(state.job, after.build.resources))


def _typed(state: State, text: str) -> State:
    """The state with another text of the shape; the document stays as it is."""
    return state if text == state.build.text else replace(state, build=built(state.build, text))


def _with_requires(state: State, text: str) -> State:
    """The state with another text of the constraint, and the document after it."""
    if text == state.ask.text:
        return state
    ask = _asked(state, requires.read(text))
    job = state.job
    if ask.constraint is not state.ask.constraint:
        job = authoring.with_constraint(job, ask)
    return replace(state, ask=ask, job=job)


def _asked(state: State, reading: requires.Requires) -> Ask:
    ask = state.ask
    return answered(state.cluster, reading, ask.constraint, ask.counted)


def _opened(
    state: State, shape_text: str, requires_text: str, job: Job, submission: Submission
) -> State:
    """The state with another job in place of the one that is written."""
    after = _typed(state, shape_text)
    ask = _asked(after, requires.read(requires_text))
    return replace(after, ask=ask, job=job, submission=submission)


def _followed(state: State, before: State) -> State:
    """The state whose texts and queue follow its document, after that became another one."""
    document = state.job.document
    if document is None or document is before.job.document:
        return state
    resources = document.get("resources")
    was = before.job.document
    known = was.get("resources") if was is not None else list(before.build.resources)
    if resources != known:
        from fluxtui.notation import shape_edit

        listed = resources if isinstance(resources, list) else []
        state = _typed(state, shape_edit.revise(state.build.shape, listed))
    reading = authoring.new_ask(state)
    if reading is not None:
        state = replace(state, ask=_asked(state, reading))
    queue = jobspec.system(document).get("queue")
    queue = queue if isinstance(queue, str) else None
    if queue != state.submission.queue:
        state = replace(state, submission=replace(state.submission, queue=queue))
    return state


def _with_cluster(state: State, cluster: Cluster) -> State:
    """The state on another cluster."""
    ask = answered(cluster, state.ask.requires, state.ask.constraint, None)
    submission = _elsewhere(state.submission, state.cluster, cluster)
    job = state.job
    if submission.queue != state.submission.queue:
        job = authoring.with_queue(job, submission.queue)
    return replace(
        state,
        cluster=cluster,
        cursor=0 if cluster.resources.node_count else None,
        ask=ask,
        job=job,
        submission=submission,
        looked_at=None,
    )


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


def _judged(state: State, before: State | None) -> State:
    """The state with what is said of its jobspec; before is the state that it comes from."""
    if state.empty:
        return state if state.verdicts is None else replace(state, verdicts=None)
    if before is not None and state.verdicts is not None and _writes_the_same(state, before):
        return state
    from fluxtui.answers.verdicts import verdicts

    document = state.jobspec()
    build = state.build
    own = state.job.document is None or document.get("resources") == list(build.resources)
    verdict = jobspec.check(document, build.judged if own else None)
    return replace(state, verdicts=verdicts(document, verdict))


def _writes_the_same(state: State, before: State) -> bool:
    """The whole jobspec is the same."""
    if state.job.document is not None:
        return state.job.document is before.job.document
    return (
        before.job.document is None
        and state.build.resources is before.build.resources
        and state.ask.constraint is before.ask.constraint
        and state.submission.queue == before.submission.queue
    )


def _with_outlook(state: State, before: State | None) -> State:
    """The state with what will become of its job; before is the state that it comes from.

    While a text is unfinished, that of the last whole one stays, marked stale. Where the cluster
    or the job is large the room is still to be found.
    """
    state = _judged(state, before)
    stale = state.build.unfinished or state.ask.stale
    if before is not None and _asks_the_same(state, before):
        outlook = state.outlook
        return state if outlook.stale == stale else replace(state, outlook=_marked(outlook, stale))
    cluster = state.cluster
    if state.build.blank or not state.build.whole:
        return replace(state, outlook=idle(cluster.config, state.submission))
    job = state.jobspec(state.build.whole if state.build.unfinished else None)
    outlook = look(job, _mask(state), cluster, state.submission)
    if not cluster.is_large and _is_small(state):
        outlook = find_room(outlook, cluster)
    else:
        same = before is not None and before.cluster is cluster
        known = (state.outlook.fit, state.outlook.rooms) if same else (None, {})
        outlook = replace(outlook, fit=known[0], rooms=known[1], due=True)
    return replace(state, outlook=_marked(outlook, stale))


def _is_small(state: State) -> bool:
    """Room for the job is found within a frame, as far as that rests on the job."""
    vertices = shape.walk(state.build.vertices)
    return next(islice(vertices, MAX_VERTICES, None), None) is None


def _asks_the_same(state: State, before: State) -> bool:
    """The same job on the same cluster, by the same person."""
    return (
        state.build.whole is before.build.whole
        and state.build.blank == before.build.blank
        and state.ask.constraint is before.ask.constraint
        and state.job.document is before.job.document
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
    return find_room(
        look(job, _left_by(job, cluster), cluster, submission or Submission()), cluster
    )


def _mask(state: State) -> int | None:
    """The nodes that the job's own constraint leaves."""
    document = state.job.document
    return state.ask.mask if document is None else _left_by(document, state.cluster)


def _left_by(job: Mapping[str, Any], cluster: Cluster) -> int | None:
    """The nodes that the constraint of a jobspec leaves; None where it cannot be read."""
    wanted = jobspec.system(job).get("constraints")
    if wanted is None:
        return cluster.resources.everything
    constraint = read_constraint(wanted).value
    return None if constraint is None else matching.match(constraint, cluster.resources)


def warm_up(cluster: Cluster) -> None:
    """Load and build what the first look for room needs; not for the event loop."""
    from fluxtui.answers import admission, fit, room_simple  # noqa: F401  # to have them loaded

    room_simple.prepare(cluster.resources)
    _ = cluster.yard
