"""Opening, activating, closing and comparing documents.

None of these edits the job: it keeps its queue, whether the active cluster has that queue or not.
"""

from dataclasses import replace

from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.comparing import kept_on
from fluxtui.workbench.documents import Compared, Document, is_nothing, is_same, nothing
from fluxtui.workbench.state import State
from fluxtui.workbench.texts import answered


def on(state: State, cluster: Cluster) -> State:
    """Return the state on another cluster, without the what-if statuses of the previous one."""
    return replace(
        state,
        cluster=cluster,
        cursor=0 if cluster.resources.node_count else None,
        ask=answered(cluster, state.ask.requires, state.ask.constraint, None),
        submission=replace(state.submission, what_if={}, live=cluster.statuses),
        looked_at=None,
        selected=state.selected if cluster.resources is state.cluster.resources else 0,
        kept=kept_on(cluster.resources, state.kept),
    )


def opened(state: State, cluster: Cluster, *, behind: bool = False) -> State:
    """Return the state with a cluster opened.

    It replaces the same document if that is open. A sole built-in cluster gives way to any other.
    With behind, the active cluster stays active, unless it is the same document or there is none.
    """
    here, cwd = state.cluster, state.around.cwd
    if behind and not is_nothing(here) and not is_same(here.source, cluster.source, cwd):
        if is_nothing(cluster):
            return state
        return _rechecked(replace(state, documents=_listed(state.documents, cluster, cwd)))
    documents = tuple(known for known in _as_left(state) if not is_nothing(known.cluster))
    if len(documents) == 1 and documents[0].cluster.source.builtin:
        documents = ()
    if not is_nothing(cluster):
        documents = _listed(documents, cluster, cwd)
    return _rechecked(replace(on(state, cluster), documents=documents))


def _listed(documents: tuple[Document, ...], cluster: Cluster, cwd: str) -> tuple[Document, ...]:
    """Return the documents with one more, replacing the same one or after all others."""
    same = (n for n, d in enumerate(documents) if is_same(d.cluster.source, cluster.source, cwd))
    place = next(same, len(documents))
    return (*documents[:place], Document(cluster), *documents[place + 1 :])


def replaced(after: State, old: Cluster) -> State:
    """Return the state with its active cluster listed in the place of an old one."""
    listed = tuple(
        Document(after.cluster) if document.cluster is old else document
        for document in after.documents
    )
    return _rechecked(replace(after, documents=listed))


def gone_to(state: State, number: int) -> State:
    """Return the state on another open document, as it was left; the same state if none."""
    if not 0 <= number < len(state.documents) or number == state.place:
        return state
    there = state.documents[number]
    after = on(state, there.cluster)
    return _rechecked(
        replace(
            after,
            documents=_as_left(state),
            cursor=after.cursor if there.cursor is None else there.cursor,
            selected=there.selected,
            submission=replace(after.submission, what_if=there.what_if),
        )
    )


def closed(state: State, number: int) -> State:
    """Return the state with a document closed; if active, the next or previous is activated."""
    count = len(state.documents)
    if not 0 <= number < count:
        return state
    if count == 1:
        return replace(on(state, nothing()), documents=(), compared=None)
    if number == state.place:
        state = gone_to(state, number + 1 if number + 1 < count else number - 1)
    documents = state.documents
    return _rechecked(replace(state, documents=(*documents[:number], *documents[number + 1 :])))


def compared(state: State, found: Compared | None) -> State:
    """Return the state with this comparison of documents, or none; it ends that of constraints."""
    if found is None:
        return state if state.compared is None else replace(state, compared=None)
    open_now = [document.cluster for document in state.documents]
    if not found.holds(state.cluster) or not all(
        any(one is cluster for cluster in open_now) for one in (found.before, found.after)
    ):
        return state
    return replace(state, compared=found, kept=None)


def _as_left(state: State) -> tuple[Document, ...]:
    """Return the open documents, with cursor, selection and what-ifs recorded in the active one."""
    return tuple(
        Document(
            document.cluster,
            state.cursor,
            state.selected,
            state.submission.what_if,
        )
        if document.cluster is state.cluster
        else document
        for document in state.documents
    )


def _rechecked(state: State) -> State:
    """Return the state without a comparison that no longer involves the active document."""
    if state.compared is None:
        return state
    kept = compared(replace(state, compared=None), state.compared)
    return state if kept.compared is not None else kept
