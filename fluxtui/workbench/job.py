"""The job that is written: the whole jobspec, and the texts of it that a person keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from fluxtui.notation.problem import Problem

if TYPE_CHECKING:
    from fluxtui.model.documents.rewrite import Written

Form = Literal["yaml", "json"]


@dataclass(frozen=True, slots=True)
class Raw:
    """A text of the whole jobspec that cannot be read as it stands.

    form is what it was typed as; problems say why it cannot be read, with places in the text.
    """

    text: str
    form: Form
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Why it cannot be read, one reason at least; what is odd about it beside is none."""
        found = tuple(problem for problem in self.problems if problem.severity == "error")
        return found or (Problem("this text cannot be read"),)


@dataclass(frozen=True, slots=True)
class Begun:
    """A field that a person is changing, and what to go back to while its text says nothing.

    name    the field
    before  the jobspec as it was before the first key, or when the field was last left
    own     whether the constraint was the job's own then
    after   the jobspec that the last key left; once another one is in force, something else was
            changed meanwhile, and what was before counts no more
    """

    name: str
    before: Mapping[str, Any]
    own: bool
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """The job that is written, beyond its shape, its constraint and its queue.

    document  the whole jobspec; None while nothing but the texts of the bars says what it is
    typed     by field: its text as it was typed, where that is not how the document would write it,
              or where it says nothing the document could take
    unread    by field: why its typed text says nothing; the document holds what it held before
    begun     the field that is being changed; None where none is, or nothing came of it yet
    written   by form: the text that the document was opened from or typed as, whose layout stays
    raw       the text that is being typed and cannot be read yet; None where there is none
    own       the constraint is written in the job itself, and not taken from the constraint bar
    path      the file that the job was opened from or saved in; None where there is none
    aims      by number of a task: the slot it was in before that went and it was moved
    origin    the same object in all that one job becomes, until another one is opened
    """

    document: Mapping[str, Any] | None = None
    typed: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    begun: Begun | None = field(default=None, repr=False, compare=False)
    written: "Mapping[Form, Written]" = field(default_factory=dict)
    raw: Raw | None = None
    own: bool = False
    path: str | None = None
    aims: Mapping[int, str] = field(default_factory=dict)
    origin: object = field(default_factory=object, repr=False, compare=False)

    def with_typed(self, name: str, text: str | None, problems: tuple[Problem, ...] = ()) -> "Job":
        """The job with a field's text as typed; None where the document says it all.

        problems say why the document could not take the text.
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
        """The job after a person left a field: what stands there now is what it goes back to."""
        begun = self.begun
        return self if begun is None or begun.name != name else replace(self, begun=None)
