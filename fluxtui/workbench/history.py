"""Undo and redo."""

from dataclasses import dataclass, replace

from fluxtui.workbench.state import Edit, State, TypeRequires, TypeShape, step

HISTORY_LIMIT = 500


@dataclass(frozen=True, slots=True)
class History:
    """The texts that were typed, for undo and redo.

    Typing on in one input is one step until a pause in kind: another input, or a jump of more
    than one character. Moving the cursor and opening a document are not steps.
    """

    state: State
    past: tuple[tuple[str, str], ...] = ()
    future: tuple[tuple[str, str], ...] = ()
    last: type[Edit] | None = None

    def do(self, edit: Edit) -> "History":
        """The history after an edit from a person."""
        after = step(self.state, edit)
        if after is self.state:
            return self
        if not isinstance(edit, TypeShape | TypeRequires):
            return replace(self, state=after)
        before = _texts(self.state)
        grows = self.last is type(edit) and _typed_on(before, _texts(after))
        past = self.past if grows else (*self.past, before)[-HISTORY_LIMIT:]
        return History(after, past, (), type(edit))

    def undo(self) -> "History":
        """The history one step back; itself where there is none."""
        if not self.past:
            return self
        *past, texts = self.past
        future = (*self.future, _texts(self.state))
        return History(_with_texts(self.state, texts), tuple(past), future)

    def redo(self) -> "History":
        """The history one step forward again; itself where there is none."""
        if not self.future:
            return self
        *future, texts = self.future
        past = (*self.past, _texts(self.state))
        return History(_with_texts(self.state, texts), past, tuple(future))


def _texts(state: State) -> tuple[str, str]:
    return (state.build.text, state.ask.text)


def _with_texts(state: State, texts: tuple[str, str]) -> State:
    return step(step(state, TypeShape(texts[0])), TypeRequires(texts[1]))


def _typed_on(before: tuple[str, str], after: tuple[str, str]) -> bool:
    """One character put in or taken out, and not the start of a new word: the same step goes on."""
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    if len(changed) != 1:
        return False
    old, new = changed[0]
    shorter, longer = sorted(changed[0], key=len)
    kept = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(shorter))
    if len(longer) != len(shorter) + 1 or shorter[kept:] != longer[kept + 1 :]:
        return False
    return not (longer is new and new[kept] in "/;[{&| ")
