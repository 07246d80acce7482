"""The job being edited: the whole jobspec, and its texts as the user typed them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written

Form = Literal["yaml", "json"]


@dataclass(frozen=True, slots=True)
class Raw:
    """A text of the whole jobspec that cannot be read.

    form is the format it was typed in; problems say why it cannot be read, with spans in the text.
    """

    text: str
    form: Form
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The errors, at least one, that make it unreadable; warnings are left out."""
        found = tuple(problem for problem in self.problems if problem.severity == "error")
        return found or (Problem("this text cannot be read"),)


@dataclass(frozen=True, slots=True)
class Begun:
    """A field that the user is editing, and what to fall back on while its text cannot be read.

    name    the field
    before  the jobspec as it was before the first key, or when the field was last left
    own     whether the job had a constraint of its own then
    after   the jobspec after the last key; if the current one differs, something else was edited
            meanwhile, and before no longer applies
    """

    name: str
    before: Mapping[str, Any]
    own: bool
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """The job being edited, apart from its shape, its constraint and its queue.

    document      the whole jobspec; None while only the texts of the bars define it
    typed         by field: its text as typed, if the document would format it differently or if
                  it cannot be read
    unread        by field: why its typed text cannot be read; the document keeps the previous value
    begun         the field being edited; None if none is, or if the document has not changed
    written       by form: the text that the job was opened from or typed as; its layout is kept
    raw           the text that is being typed and cannot be read yet; None if there is none
    own           whether the constraint is the job's own, not taken from the constraint bar
    path          the file that the job was opened from or saved in; None if there is none
    former_slots  by task number: the slot that the task was in before that slot was removed
    origin        the same object in all versions of a job, until another one is opened
    """

    document: Mapping[str, Any] | None = None
    typed: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    begun: Begun | None = field(default=None, repr=False, compare=False)
    written: "Mapping[Form, Written]" = field(default_factory=dict)
    raw: Raw | None = None
    own: bool = False
    path: str | None = None
    former_slots: Mapping[int, str] = field(default_factory=dict)
    origin: object = field(default_factory=object, repr=False, compare=False)

    def with_typed(self, name: str, text: str | None, problems: tuple[Problem, ...] = ()) -> "Job":
        """Return the job with a field's typed text; None if the document's own text is enough.

        problems say why the text could not be read into the document.
        """
        if self.typed.get(name) == text and self.unread.get(name, ()) == problems:
            return self
        typed = {key: value for key, value in self.typed.items() if key != name}
        unread = {key: value for key, value in self.unread.items() if key != name}
        if text is not None:
            typed[name] = text
        if problems:
            unread[name] = problems
        return replace(self, typed=typed, unread=unread)

    def left(self, name: str) -> "Job":
        """Return the job after the user left a field: its value now is the one to fall back on."""
        begun = self.begun
        return self if begun is None or begun.name != name else replace(self, begun=None)
