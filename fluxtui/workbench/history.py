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
HISTORY_CHARACTERS = 1_000_000  # of texts of whole jobspecs and of constraints

# The edits that a person can take back; those of them that are typed, key by key.
_TYPED = (TypeShape, TypeRequires, TypeField, TypeJobspec)
_UNDONE = (
    *(*_TYPED, EditShape, EditRequires, SwapConstraints),
    *(OpenJob, ReplaceJob, ChooseQueue, TurnQueue),
)


@dataclass(frozen=True, slots=True)
class _Work:
    """What a person made: the shape, the constraint, the job, and what is asked of the queues.

    kept is the constraint that was kept, where the step from here swaps it with the other one.
    """

    build: Build
    ask: Ask
    job: Job
    submission: Submission
    kept: Kept | None = None


@dataclass(frozen=True, slots=True)
class _Typing:
    """Where the last edit was typed, and the text that it left there."""

    where: tuple[object, ...]
    text: str


@dataclass(frozen=True, slots=True)
class History:
    """What was typed, chosen and changed, for undo and redo.

    Typing on in one input is one step until a pause in kind: another input, a field that is left,
    or a jump of more than one character. Every other edit is a step of its own. Moving the cursor,
    saving and opening a cluster are not steps; nor is opening the file of a job where nothing was
    made yet: the history begins there.
    """

    state: State
    past: tuple[_Work, ...] = ()
    future: tuple[_Work, ...] = ()
    last: _Typing | None = None

    def do(self, edit: Edit) -> "History":
        """The history after an edit from a person."""
        after = step(self.state, edit)
        if isinstance(edit, SaveJob):
            past, future = _saved(self.past, edit), _saved(self.future, edit)
            return History(after, past, future)
        if after is self.state:
            return self
        if not isinstance(edit, _UNDONE) or self._begins_with(edit):
            found = replace(
                self, state=after, last=None if isinstance(edit, LeaveField) else self.last
            )
            return found if after.documents is self.state.documents else _let_go(found)
        typing = _typing(edit)
        grows = (
            self.last is not None
            and typing is not None
            and self.last.where == typing.where
            and _typed_on(self.last.text, typing.text)
        )
        kept = self.state.kept if isinstance(edit, SwapConstraints) else None
        past = self.past if grows else _bounded((*self.past, _work(self.state, kept)))
        return History(after, past, (), typing)

    def _begins_with(self, edit: Edit) -> bool:
        """A job is opened from a file, and nothing was made before that undo could bring back."""
        from_file = isinstance(edit, OpenJob) and edit.from_file
        state = self.state
        untouched = state.empty and state.build.blank and state.ask.blank and state.job.raw is None
        return from_file and untouched and not self.past and not self.future

    def undo(self) -> "History":
        """The history one step back; itself where there is none."""
        if not self.past:
            return self
        *past, work = self.past
        state, here = _gone_to(self.state, work)
        return History(state, tuple(past), (*self.future, here))

    def redo(self) -> "History":
        """The history one step forward again; itself where there is none."""
        if not self.future:
            return self
        *future, work = self.future
        state, here = _gone_to(self.state, work)
        return History(state, (*self.past, here), tuple(future))


def _gone_to(state: State, work: _Work) -> tuple[State, _Work]:
    """The state with other work in it, and the work that leads back from there.

    A swap is taken back as a whole, as long as the constraint that it kept is still the kept one.
    """
    after = restore(state, work.build, work.ask, work.job, work.submission)
    kept = state.kept
    if work.kept is None or kept is None or kept.text != work.ask.text:
        return after, _work(state, kept if work.kept is not None else None)
    back = kept_on(state.cluster.resources, work.kept)
    return replace(after, kept=back), _work(state, kept)


def _let_go(history: History) -> History:
    """The history without the answers on documents that are closed: these are large."""
    resources = [document.cluster.resources for document in history.state.documents]
    here = history.state.cluster.resources

    def lighter(work: _Work) -> _Work:
        asked = work.ask.asked
        if asked is not None and all(asked is not one for one in resources):
            ask = replace(work.ask, mask=0, hints=(), counted=None, asked=None)
            work = replace(work, ask=ask)
        return replace(work, kept=kept_on(here, work.kept)) if work.kept is not None else work

    past, future = map(lighter, history.past), map(lighter, history.future)
    return replace(history, past=tuple(past), future=tuple(future))


def _saved(works: tuple[_Work, ...], edit: SaveJob) -> tuple[_Work, ...]:
    """The steps, those of the job that was saved with the file that it has now."""
    return tuple(
        replace(work, job=replace(work.job, path=edit.path))
        if work.job.origin is edit.job.origin
        else work
        for work in works
    )


def _bounded(past: tuple[_Work, ...]) -> tuple[_Work, ...]:
    """The last of these steps, as many as are kept.

    What is known of the places in a long text takes sixty times the room of the text.
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


def _work(state: State, kept: Kept | None) -> _Work:
    return _Work(state.build, state.ask, state.job, state.submission, kept)


def _typing(edit: Edit) -> _Typing | None:
    """Where an edit was typed, and its text; None where it was not typed."""
    if isinstance(edit, TypeField):
        return _Typing((TypeField, edit.name), edit.text)
    if isinstance(edit, TypeJobspec):
        return _Typing((TypeJobspec, edit.form), edit.text)
    return _Typing((type(edit),), edit.text) if isinstance(edit, TypeShape | TypeRequires) else None


def _typed_on(old: str, new: str) -> bool:
    """One character put in or taken out, and not the start of a new word: the same step goes on."""
    shorter, longer = sorted((old, new), key=len)
    if len(longer) != len(shorter) + 1:
        return False
    kept, _ = common_ends(shorter, longer)
    if shorter[kept:] != longer[kept + 1 :]:
        return False
    return not (longer is new and new[kept] in "/;[{&| \n")
