"""Undo and redo."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fluxtui.notation.problem import common_ends
from fluxtui.workbench.comparing import Kept, kept_on
from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    EditRequires,
    EditShape,
    LeaveField,
    OpenJob,
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
from fluxtui.workbench.state import Ask, Build, State
from fluxtui.workbench.steps import restore, step

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written

HISTORY_LIMIT = 500
HISTORY_CHARACTERS = 1_000_000  # total of the texts of whole jobspecs and of constraints

# The edits that are typed key by key, and all edits that can be undone.
_TYPED = (TypeShape, TypeRequires, TypeField, TypeJobspec)
_UNDONE = (
    *(*_TYPED, EditShape, EditRequires, SwapConstraints),
    *(OpenJob, ReplaceJob, ChooseQueue, TurnQueue),
)


@dataclass(frozen=True, slots=True)
class _Work:
    """What undo restores: the shape, the constraint, the job and the submission.

    kept is the kept constraint, if the step from here swaps it with the current one; selected are
    the selected nodes, if that deselects them all.
    """

    build: Build
    ask: Ask
    job: Job
    submission: Submission
    kept: Kept | None = None
    selected: int | None = None

    def is_same(self, other: "_Work") -> bool:
        """Whether the shape, the constraint, the job and the submission are the same objects."""
        pairs = ((self.build, other.build), (self.ask, other.ask), (self.job, other.job))
        return all(one is two for one, two in (*pairs, (self.submission, other.submission)))


@dataclass(frozen=True, slots=True)
class _Typing:
    """The input where the last edit was typed, and its text after that."""

    where: tuple[object, ...]
    text: str


@dataclass(frozen=True, slots=True)
class History:
    """The state, with earlier and later ones for undo and redo.

    Consecutive typing in one input is one step, which ends with typing in another input, leaving
    the field, or a change of more than one character. Every other edit is a step of its own. Moving
    the cursor, saving and opening a cluster are not steps, nor is selecting nodes, but deselecting
    all of them is. Nor is opening a job file while nothing has been edited yet: the
    history begins there.
    """

    state: State
    past: tuple[_Work, ...] = ()
    future: tuple[_Work, ...] = ()
    last: _Typing | None = None

    def do(self, edit: Edit) -> "History":
        """Return the history after an edit by the user."""
        after = step(self.state, edit)
        if isinstance(edit, SaveJob):
            past, future = _saved(self.past, edit), _saved(self.future, edit)
            return History(after, past, future)
        if after is self.state:
            return self
        selected = self.state.selected
        deselects = isinstance(edit, Select) and bool(selected) and not after.selected
        if not (isinstance(edit, _UNDONE) or deselects) or self._begins_with(edit):
            found = replace(
                self, state=after, last=None if isinstance(edit, LeaveField) else self.last
            )
            return found if after.documents is self.state.documents else _without_closed(found)
        typing = _typing(edit)
        continues = (
            self.last is not None
            and typing is not None
            and self.last.where == typing.where
            and _typed_on(self.last.text, typing.text)
        )
        kept = self.state.kept if isinstance(edit, SwapConstraints) else None
        work = _work(self.state, kept, selected if deselects else None)
        if deselects:  # no undone step depends on it; of several in a row only the last is kept
            last = self.past[-1] if self.past else None
            again = last is not None and last.selected is not None and last.is_same(work)
            past = self.past[:-1] if again else self.past
            return History(after, _bounded((*past, work)), self.future)
        past = self.past if continues else _bounded((*self.past, work))
        return History(after, past, (), typing)

    def _begins_with(self, edit: Edit) -> bool:
        """Whether an edit opens a job file while there is nothing yet that undo could restore."""
        from_file = isinstance(edit, OpenJob) and edit.from_file
        state = self.state
        untouched = state.empty and state.build.blank and state.ask.blank and state.job.raw is None
        return from_file and untouched and not self.past and not self.future

    def undo(self) -> "History":
        """Return the history one step back; the same if there is none."""
        if not self.past:
            return self
        *past, work = self.past
        state, here = _restored(self.state, work)
        return History(state, tuple(past), (*self.future, here))

    def redo(self) -> "History":
        """Return the history one step forward; the same if there is none."""
        if not self.future:
            return self
        *future, work = self.future
        state, here = _restored(self.state, work)
        return History(state, (*self.past, here), tuple(future))


def _restored(state: State, work: _Work) -> tuple[State, _Work]:
    """Return the state with other work restored, and the work that leads back from there.

    A swap is undone as a whole, provided the constraint that it kept is still the kept one. Nodes
    are selected again in the document that they were selected in.
    """
    after = restore(state, work.build, work.ask, work.job, work.submission)
    kept, selected = state.kept, state.selected
    here = _work(
        *(state, kept if work.kept is not None else None),
        selected if work.selected is not None else None,
    )
    if work.selected is not None and work.ask.is_of(state.cluster):
        after = replace(after, selected=work.selected)
    if work.kept is None or kept is None or kept.text != work.ask.text:
        return after, here
    return replace(after, kept=kept_on(state.cluster.resources, work.kept)), here


def _without_closed(history: History) -> History:
    """Return the history without the answers for closed documents, which are large."""
    resources = [document.cluster.resources for document in history.state.documents]
    here = history.state.cluster.resources

    def without_closed(work: _Work) -> _Work:
        matched = work.ask.resources
        if matched is not None and all(matched is not one for one in resources):
            ask = replace(work.ask, mask=0, hints=(), counted=None, resources=None)
            work = replace(work, ask=ask)
        return replace(work, kept=kept_on(here, work.kept)) if work.kept is not None else work

    past, future = map(without_closed, history.past), map(without_closed, history.future)
    return replace(history, past=tuple(past), future=tuple(future))


def _saved(works: tuple[_Work, ...], edit: SaveJob) -> tuple[_Work, ...]:
    """Return the steps, with the path set in those of the job that was saved."""
    return tuple(
        replace(work, job=replace(work.job, path=edit.path))
        if work.job.origin is edit.job.origin
        else work
        for work in works
    )


def _bounded(past: tuple[_Work, ...]) -> tuple[_Work, ...]:
    """Return as many of the last steps as the limits allow.

    Texts count as well, since the positions recorded for a text take sixty times its memory.
    """
    seen: set[int] = set()
    characters = 0
    for number, work in enumerate(reversed(past[-HISTORY_LIMIT:])):
        texts: list[Written | Ask] = [*work.job.written.values(), work.ask]
        for written in texts:
            if id(written) not in seen:
                seen.add(id(written))
                characters += len(written.text)
        if characters > HISTORY_CHARACTERS and number:
            return past[-number:]
    return past[-HISTORY_LIMIT:]


def _work(state: State, kept: Kept | None, selected: int | None) -> _Work:
    return _Work(state.build, state.ask, state.job, state.submission, kept, selected)


def _typing(edit: Edit) -> _Typing | None:
    """Return the input where an edit was typed, and its text; None if it was not typed."""
    if isinstance(edit, TypeField):
        return _Typing((TypeField, edit.name), edit.text)
    if isinstance(edit, TypeJobspec):
        return _Typing((TypeJobspec, edit.form), edit.text)
    return _Typing((type(edit),), edit.text) if isinstance(edit, TypeShape | TypeRequires) else None


def _typed_on(old: str, new: str) -> bool:
    """Whether typing continues a step: one character was added or removed, not starting a word."""
    shorter, longer = sorted((old, new), key=len)
    if len(longer) != len(shorter) + 1:
        return False
    start, _ = common_ends(shorter, longer)
    if shorter[start:] != longer[start + 1 :]:
        return False
    return not (longer is new and new[start] in "/;[{&| \n")
