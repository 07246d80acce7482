"""The step from one state of the workbench to the next."""

from dataclasses import replace

from fluxtui.model.constraint import requires
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.workbench import authoring, switching
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.comparing import Kept
from fluxtui.workbench.documents import nothing
from fluxtui.workbench.edits import (
    ChooseQueue,
    CloseDocument,
    CompareDocuments,
    Edit,
    EditRequires,
    EditShape,
    FindRoom,
    GoToDocument,
    KeepConstraint,
    LeaveField,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    OpenJob,
    RefreshCluster,
    ReloadCluster,
    ReplaceJob,
    SaveJob,
    Select,
    SwapConstraints,
    TurnQueue,
    TypeField,
    TypeJobspec,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.job import Job
from fluxtui.workbench.outlook import Submission
from fluxtui.workbench.prospects import with_outlook
from fluxtui.workbench.state import Ask, Build, State, Surroundings
from fluxtui.workbench.texts import answered, built


def start(
    cluster: Cluster | None = None,
    shape_text: str = "",
    requires_text: str = "",
    job: Job | None = None,
    submission: Submission | None = None,
    around: Surroundings | None = None,
) -> State:
    """Return the initial state of a workbench; job is the one that the texts were taken from.

    A queue of the submission replaces the job's own.
    """
    job = job or Job()
    if submission is not None and submission.queue is not None and job.document is not None:
        job = authoring.with_queue(job, submission.queue)
    cluster = cluster or nothing()
    blank = State(
        cluster,
        Build("", parse_shape("")),
        Ask("", requires.read("")),
        submission=submission or Submission(),
        around=around or Surroundings(),
    )
    state = _step(blank, OpenCluster(cluster))
    return with_outlook(_opened(state, shape_text, requires_text, job, state.submission), None)


def step(state: State, edit: Edit) -> State:
    """Return the state after an edit; only what depends on the edit is recomputed."""
    after = _step(state, edit)
    if after is state or isinstance(edit, FindRoom | SaveJob):
        return after
    return with_outlook(after, state)


def restore(state: State, build: Build, ask: Ask, job: Job, submission: Submission) -> State:
    """Return the state with an earlier job, as for undo.

    If it was made on another cluster, the constraint is matched again and the what-if statuses of
    that cluster's queues are not restored.
    """
    if not ask.is_of(state.cluster):
        ask = answered(state.cluster, ask.requires, ask.constraint, None)
        submission = replace(submission, what_if=state.submission.what_if)
    if submission.live != state.submission.live:  # the instance has been read again since
        submission = replace(submission, live=state.submission.live)
    after = replace(state, build=build, ask=ask, job=job, submission=submission)
    return with_outlook(after, state)


def _step(state: State, edit: Edit) -> State:
    """Return the state after an edit, with the outlook not yet updated."""
    match edit:
        case TypeShape(text) | EditShape(text):
            return _with_shape(state, text)
        case TypeRequires(text) | EditRequires(text):
            return _with_requires(state, text)
        case TypeField(name, text):
            job = authoring.type_field(state, name, text)
            return state if job is state.job else _followed(replace(state, job=job), state)
        case LeaveField(name):
            job = state.job.left(name)
            return state if job is state.job else replace(state, job=job)
        case TypeJobspec(text, form):
            if authoring.is_text(state.job, text, form):
                return state
            return _followed(authoring.type_jobspec(state, text, form), state)
        case ReplaceJob(document):
            job = authoring.changed(state.job, document)
            return _followed(replace(state, job=job), state)
        case OpenJob(shape_text, requires_text, queue, job):
            submission = replace(state.submission, queue=queue)
            return _opened(state, shape_text, requires_text, job, submission)
        case SaveJob(path, job):
            if job.origin is not state.job.origin:
                return state
            return replace(state, job=replace(state.job, path=path, begun=None))
        case OpenCluster(cluster, behind):
            return switching.opened(state, cluster, behind=behind)
        case GoToDocument(number):
            return switching.gone_to(state, number)
        case CloseDocument(number):
            return switching.closed(state, number)
        case CompareDocuments(compared):
            return switching.compared(state, compared)
        case RefreshCluster():
            return _refreshed(state, edit)
        case ReloadCluster():
            return _reloaded(state, edit)
        case MoveCursor(index):
            count = state.cluster.resources.node_count
            cursor = min(max(index, 0), count - 1) if count else None
            return state if cursor == state.cursor else replace(state, cursor=cursor)
        case Select(mask):
            mask &= state.cluster.resources.everything
            return state if mask == state.selected else replace(state, selected=mask)
        case KeepConstraint(on):
            kept = _keep(state.ask, state.kept, state.cluster.resources) if on else None
            if kept is state.kept:
                return state
            return replace(state, kept=kept, compared=None if on else state.compared)
        case SwapConstraints():
            return _swapped(state)
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
    """Return the state with another shape text, and the document updated to match."""
    if text == state.build.text:
        return state
    build = built(state.build, parse_shape(text))
    job = state.job
    if not identical(build.resources, state.build.resources):
        job = authoring.with_shape(state.job, state.build, build)
    return replace(state, build=build, job=job)


def _with_requires(state: State, text: str) -> State:
    """Return the state with another constraint text, and the document updated to match."""
    if text == state.ask.text:
        return state
    ask = _asked(state, requires.read(text))
    job = state.job
    if ask.constraint is not state.ask.constraint:
        job = authoring.with_constraint(job, ask)
    return replace(state, ask=ask, job=job)


def _swapped(state: State) -> State:
    """Return the state with the kept constraint and the current one swapped."""
    if state.kept is None or state.ask.stale or state.kept.text == state.ask.text:
        return state
    kept = _keep(state.ask, None, state.cluster.resources)
    return replace(_with_requires(state, state.kept.text), kept=kept)


def _asked(state: State, reading: requires.Requires) -> Ask:
    ask = state.ask
    return answered(state.cluster, reading, ask.constraint, ask.counted)


def _opened(
    state: State, shape_text: str, requires_text: str, job: Job, submission: Submission
) -> State:
    """Return the state with another job in place of the current one."""
    build = state.build
    if shape_text != build.text:
        build = built(build, parse_shape(shape_text))
    ask = answered(state.cluster, requires.read(requires_text), None, None)
    after = replace(state, build=build, ask=ask, job=job, submission=submission)
    return replace(after, job=authoring.unread_again(after)) if job.typed else after


def _followed(state: State, before: State) -> State:
    """Return the state with its texts and queue updated to match a changed document."""
    document = state.job.document
    if document is None or document is before.job.document:
        return state
    resources = document.get("resources")
    was = before.job.document
    known = was.get("resources") if was is not None else list(before.build.resources)
    if not identical(resources, known):
        from fluxtui.notation.shape.format import revise

        listed = resources if isinstance(resources, list) else []
        shape = revise(state.build.shape, listed)
        if shape.text != state.build.text:
            state = replace(state, build=built(state.build, shape, listed))
    reading = authoring.new_ask(state)
    if reading is not None:
        state = replace(state, ask=_asked(state, reading))
    queue = jobspec.system(document).get("queue")
    queue = queue if isinstance(queue, str) else None
    if queue != state.submission.queue:
        state = replace(state, submission=replace(state.submission, queue=queue))
    return state


def _reloaded(state: State, edit: ReloadCluster) -> State:
    """Return the state on the same document after it was read again, with its nodes mapped."""
    from fluxtui.workbench.reloading import carried, cursor_after  # imported late: rarely needed

    if edit.before is not state.cluster:
        return state
    after = switching.on(state, edit.cluster)
    what_if = state.submission.what_if
    known = {name: what_if[name] for name in what_if if edit.cluster.has_queue(name)}
    looked_at = state.looked_at
    if looked_at is not None and not edit.cluster.has_queue(looked_at):
        looked_at = None
    after = switching.replaced(after, edit.before)
    return replace(
        after,
        cursor=cursor_after(state.cursor, edit.changes),
        submission=replace(after.submission, what_if=known),
        looked_at=looked_at,
        selected=carried(state.selected, edit.changes, edit.carried),
    )


def _refreshed(state: State, edit: RefreshCluster) -> State:
    """Return the state on the same running instance at a later time; nothing else changes."""
    listed = tuple(
        replace(document, cluster=edit.cluster) if document.cluster is edit.before else document
        for document in state.documents
    )
    compared = state.compared and state.compared.refreshed(edit.before, edit.cluster)
    state = replace(state, documents=listed, compared=compared)
    if edit.before is not state.cluster:
        return state
    submission = state.submission
    if submission.live != edit.cluster.statuses:
        submission = replace(submission, live=edit.cluster.statuses)
    return replace(state, cluster=edit.cluster, submission=submission)


def _submission(submission: Submission, edit: ChooseQueue | TurnQueue) -> Submission:
    """Return the submission after an edit; the same object if nothing changes."""
    if isinstance(edit, TurnQueue):
        return submission.with_status(edit.queue, edit.toggled(submission.status(edit.queue)))
    if edit.queue == submission.queue:
        return submission
    return replace(submission, queue=edit.queue)


def _keep(ask: Ask, before: Kept | None, resources: Resources) -> Kept | None:
    """Return the current constraint as the kept one; before if the text is unfinished."""
    if ask.stale:
        return before
    return Kept(ask.text, ask.constraint, ask.mask, resources)
