"""From one open document to another: opening, going there, closing, and two compared.

None of these edits the job: its queue stays, whether the cluster in force has that queue or not.
"""

from dataclasses import replace

from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.comparing import kept_on
from fluxtui.workbench.documents import Compared, Document, is_nothing, is_same, nothing
from fluxtui.workbench.state import State
from fluxtui.workbench.texts import answered


def on(state: State, cluster: Cluster) -> State:
    """The state on another cluster; what was supposed of the queues of the one before is gone."""
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
    """The state on a cluster that was not open yet, which is one of the open ones now.

    It takes the place of the same document. The cluster that ships inside, alone, gives way to any.
    One that is opened behind has the one in force stay so, unless that is the same document or
    none.
    """
    here, cwd = state.cluster, state.around.cwd
    if behind and not is_nothing(here) and not is_same(here.source, cluster.source, cwd):
        if is_nothing(cluster):
            return state
        return _settled(replace(state, documents=_listed(state.documents, cluster, cwd)))
    documents = tuple(known for known in _left(state) if not is_nothing(known.cluster))
    if len(documents) == 1 and documents[0].cluster.source.builtin:
        documents = ()
    if not is_nothing(cluster):
        documents = _listed(documents, cluster, cwd)
    return _settled(replace(on(state, cluster), documents=documents))


def _listed(documents: tuple[Document, ...], cluster: Cluster, cwd: str) -> tuple[Document, ...]:
    """Documents with one more, in the place of the same one or after all others."""
    same = (n for n, d in enumerate(documents) if is_same(d.cluster.source, cluster.source, cwd))
    place = next(same, len(documents))
    return (*documents[:place], Document(cluster), *documents[place + 1 :])


def replaced(after: State, old: Cluster) -> State:
    """The state after, in which the cluster in force stands for an old one of the same document."""
    listed = tuple(
        Document(after.cluster) if document.cluster is old else document
        for document in after.documents
    )
    return _settled(replace(after, documents=listed))


def gone_to(state: State, number: int) -> State:
    """The state on another of the open documents, as a person left it; itself if there is none."""
    if not 0 <= number < len(state.documents) or number == state.place:
        return state
    there = state.documents[number]
    after = on(state, there.cluster)
    return _settled(
        replace(
            after,
            documents=_left(state),
            cursor=after.cursor if there.cursor is None else there.cursor,
            selected=there.selected,
            submission=replace(after.submission, what_if=there.what_if),
        )
    )


def closed(state: State, number: int) -> State:
    """The state with a document closed; of the one in force, on the next one, or the last."""
    count = len(state.documents)
    if not 0 <= number < count:
        return state
    if count == 1:
        return replace(on(state, nothing()), documents=(), compared=None)
    if number == state.place:
        state = gone_to(state, number + 1 if number + 1 < count else number - 1)
    documents = state.documents
    return _settled(replace(state, documents=(*documents[:number], *documents[number + 1 :])))


def compared(state: State, found: Compared | None) -> State:
    """The state with two of its documents compared, in the place of constraints; or none."""
    if found is None:
        return state if state.compared is None else replace(state, compared=None)
    open_now = [document.cluster for document in state.documents]
    if not found.holds(state.cluster) or not all(
        any(one is cluster for cluster in open_now) for one in (found.before, found.after)
    ):
        return state
    return replace(state, compared=found, kept=None)


def _left(state: State) -> tuple[Document, ...]:
    """The open documents, with where a person is in the one in force."""
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


def _settled(state: State) -> State:
    """The state without a comparison where that is no longer of the one in force."""
    if state.compared is None:
        return state
    still = compared(replace(state, compared=None), state.compared)
    return state if still.compared is not None else still
