"""The rows of the form: a field each, with its text, what that means, and what is wrong with it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from fluxtui.notation.problem import Completion, Problem, counted, printable
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.workbench import State, field_text

if TYPE_CHECKING:
    from fluxtui.model.form.field import Context, Field

# Fields that are read and described from their own part of the document alone. They may be long,
# and are not read again while another field is typed in.
ALONE = ("environment", "shell-options", "user")


class ManyLines(LinesView):
    """The first line of a text of many, which is edited in a box of its own.

    on_enter opens the box. So does what is typed or pasted here; on_typed is given that, to hand it
    on to the box.
    """

    takes_letters = True  # a letter is text here too, and does nothing else

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that what is typed right after is for the box already.
        Binding("enter", "enter", "Edit", show=False, priority=True),
    ]

    def __init__(
        self,
        on_enter: Callable[[], None],
        on_typed: Callable[[events.Key | events.Paste], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id, on_enter=on_enter)
        self._on_typed = on_typed

    def _forward_event(self, event: events.Event) -> None:
        """Take what is typed at once: the next key of a burst then goes to the box by itself."""
        is_text = not isinstance(event, events.Key) or event.is_printable
        if isinstance(event, events.Key | events.Paste) and is_text:
            self._on_typed(event)
        else:
            super()._forward_event(event)


class FieldRow(Vertical):
    """One field: its label, its text, what that means in words, and what is wrong with it."""

    # The longest labels fill their column.
    DEFAULT_CSS = "FieldRow .field-label { margin-right: 1; }"

    def __init__(
        self,
        field: "Field",
        on_edit: Callable[[str, str], None],
        on_gone: Callable[[str], None],
        on_enter: Callable[[], None],
        on_typed: Callable[[events.Key | events.Paste], None],
        complete: Callable[[str, int], Sequence[Completion]],
    ) -> None:
        super().__init__(name=field.name, classes="field-row")
        self.field = field
        self.in_tab_order = False  # tab leads to one field of the form, the arrows to the others
        self.problems: tuple[Problem, ...] = ()
        self._reading: tuple[object, ...] = ()  # what it shows was read from, and the value
        self._part: object = None
        self.label = OneLine(classes="field-label")
        self.words = OneLine(classes="field-words")
        self.message = OneLine(classes="field-message")
        name = f"field-{field.name.replace('_', '-')}"
        self.entry = Entry(lambda text: on_edit(field.name, text), on_enter, field.hint, id=name)
        self.entry.complete = complete
        self.entry.on_gone = lambda: on_gone(field.name)
        self.entry.unasked = False  # the arrows go from field to field
        self.entry.select_on_focus = True  # what is typed takes the place of what stands there
        self.lines = ManyLines(on_enter, on_typed, id=f"{name}-lines")

    def compose(self) -> ComposeResult:
        """The row, and a line below for what is wrong."""
        with Horizontal(classes="field-line"):
            yield self.label
            yield self.lines if self.field.multiline else self.entry
            yield self.words
        self.message.display = False
        yield self.message

    def on_descendant_blur(self) -> None:
        """Show the beginning of the text again."""
        self.entry.cursor_position = 0

    @property
    def target(self) -> Widget:
        """What takes the focus."""
        return self.lines if self.field.multiline else self.entry

    def update(self, state: State, context: "Context", edition: int) -> None:
        """Show what the document of a context says at the field.

        Nothing is read again that is as it was. edition is the number of the document: another
        one says something else.
        """
        from fluxtui.model.form import fields
        from fluxtui.model.jobspec.jobspec import MISSING
        from fluxtui.notation.json_value import identical

        field, document, style = self.field, context.document, palette_of(self)
        own = field.name != "constraints" or state.job.own
        part = field.get(document) if own else MISSING
        typed, unread = state.job.typed.get(field.name), state.job.unread.get(field.name)
        rest = 0 if field.name in ALONE else edition
        reading = (typed, unread, own, rest, context.cwd, context.queues, context.environ, style)
        if reading == self._reading and identical(part, self._part):
            return
        self._reading, self._part = reading, part
        text = field_text(state, field.name)
        words = field.describe(part, context) if part is not MISSING else ""
        if unread:  # why the job keeps what it held
            self.show(text, f"kept: {words or 'nothing'}", unread, style)
        else:
            self.show(text, words, fields.problems(field, text, document, context), style)

    def show(self, text: str, words: str, problems: tuple[Problem, ...], style: Palette) -> None:
        """Show the text, what it means, and what is wrong with it."""
        self.problems = problems
        bad = any(problem.severity == "error" for problem in problems)
        look = style.problem if bad else style.quiet
        self.label.show(Text(("✗ " if bad else "  ") + self.field.label, style=look))
        if self.field.multiline:
            first = text.strip().split("\n", 1)[0]
            said = f"{counted(len(text.splitlines()), 'line')}: {first}" if text else ""
            shown = (printable(said), style.string) if text else (self.field.hint, style.faint)
            self.lines.show_lines([Text.assemble(shown, no_wrap=True, end="")])
        else:
            self.entry.put(text)
            self.entry.colour((), [p for p in problems if p.span is not None])
        self.words.show(Text(words, style=style.quiet))
        self.message.display = bool(problems)
        if problems:
            message = printable(problems[0].message)
            look = style.problem if bad else style.warning
            self.message.show(Text(f"    {message}", style=look))
