"""Undo and redo."""

from dataclasses import dataclass, replace

from fluxtui.workbench.edits import ChooseQueue, Edit, TurnQueue, TypeRequires, TypeShape
from fluxtui.workbench.outlook import Submission
from fluxtui.workbench.state import State
from fluxtui.workbench.steps import restore, step

HISTORY_LIMIT = 500

# What a person made: the shape, the constraint, and what is asked of the queues.
_Work = tuple[str, str, Submission]


@dataclass(frozen=True, slots=True)
class History:
    """The texts that were typed, the queues that were chosen and turned, for undo and redo.

    Typing on in one input is one step until a pause in kind: another input, or a jump of more
    than one character. Moving the cursor and opening a document are not steps.
    """

    state: State
    past: tuple[_Work, ...] = ()
    future: tuple[_Work, ...] = ()
    last: type[Edit] | None = None

    def do(self, edit: Edit) -> "History":
        """The history after an edit from a person."""
        after = step(self.state, edit)
        if after is self.state:
            return self
        if not isinstance(edit, TypeShape | TypeRequires | ChooseQueue | TurnQueue):
            return replace(self, state=after)
        before = _work(self.state)
        grows = self.last is type(edit) and _typed_on(before, _work(after))
        past = self.past if grows else (*self.past, before)[-HISTORY_LIMIT:]
        return History(after, past, (), type(edit))

    def undo(self) -> "History":
        """The history one step back; itself where there is none."""
        if not self.past:
            return self
        *past, work = self.past
        future = (*self.future, _work(self.state))
        return History(restore(self.state, *work), tuple(past), future)

    def redo(self) -> "History":
        """The history one step forward again; itself where there is none."""
        if not self.future:
            return self
        *future, work = self.future
        past = (*self.past, _work(self.state))
        return History(restore(self.state, *work), past, tuple(future))


def _work(state: State) -> _Work:
    return (state.build.text, state.ask.text, state.submission)


def _typed_on(before: _Work, after: _Work) -> bool:
    """One character put in or taken out, and not the start of a new word: the same step goes on."""
    changed = [(a, b) for a, b in zip(before[:2], after[:2], strict=True) if a != b]
    if len(changed) != 1:
        return False
    old, new = changed[0]
    shorter, longer = sorted(changed[0], key=len)
    kept = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(shorter))
    if len(longer) != len(shorter) + 1 or shorter[kept:] != longer[kept + 1 :]:
        return False
    return not (longer is new and new[kept] in "/;[{&| ")
