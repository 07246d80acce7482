"""The form of the job: every part of the jobspec beside its shape, a line each."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import AwaitMount, Widget

from fluxtui.model.names import Names
from fluxtui.notation.source import Completion, Problem, printable
from fluxtui.ui.palette import Palette, palette_of
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.entry import Entry
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.ui.widgets.one_line import OneLine
from fluxtui.ui.wording import counted, shorten
from fluxtui.workbench import State, field_context, field_text

if TYPE_CHECKING:
    from fluxtui.model.fields import Context, Field

# From so many columns on, what a field means in words stands beside it.
WIDE = 70

# Fields that are read and described from their own part of the document alone. They may be long,
# and are not read again while another field is typed in.
ALONE = ("environment", "shell-options", "user")


class FieldRow(Vertical):
    """One field: its label, its text, what that means in words, and what is wrong with it."""

    def __init__(
        self,
        field: "Field",
        on_edit: Callable[[str, str], None],
        on_gone: Callable[[str], None],
        on_enter: Callable[[], None],
        complete: Callable[[str, int], Sequence[Completion]],
    ) -> None:
        super().__init__(classes="field-row")
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
        self.lines = LinesView(id=f"{name}-lines", on_enter=on_enter)

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
        from fluxtui.model import fields
        from fluxtui.model.json_value import identical

        field, document, style = self.field, context.document, palette_of(self)
        own = field.name != "constraints" or state.job.own
        part = fields.value(field, document) if own else fields.MISSING
        typed, unread = state.job.typed.get(field.name), state.job.unread.get(field.name)
        rest = 0 if field.name in ALONE else edition
        reading = (typed, unread, own, rest, context.cwd, context.queues, context.environ, style)
        if reading == self._reading and identical(part, self._part):
            return
        self._reading, self._part = reading, part
        text = field_text(state, field.name)
        words = field.describe(part, context) if part is not fields.MISSING else ""
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


class Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Holds the fields; the arrows go through them, and the scrolling follows."""


class FormPane(Pane):
    """Shows and edits the fields of the job; the rows are made when they are first in sight.

    on_edit is called with the name of a field and its text after each key, on_gone with the name
    when a person goes on elsewhere, on_lines with that of a field of many lines when they want to
    edit it. names gives those of the cluster.
    """

    title: ClassVar[str] = "Form"

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that what is typed right after is for the field they lead to.
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
    ]

    def __init__(
        self,
        on_edit: Callable[[str, str], None],
        on_gone: Callable[[str], None],
        on_lines: Callable[[str], None],
        names: Callable[[], Names],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._names = names
        self._on_edit = on_edit
        self._on_gone = on_gone
        self._on_lines = on_lines
        self.rows: dict[str, FieldRow] = {}
        self._fields = Fields(id="fields")
        self._help = LinesView(id="field-help", wrap=True)
        self._help.can_focus = False
        self._mounting: AwaitMount | None = None
        self._known: Context | None = None
        self._edition = 0

    def compose(self) -> ComposeResult:
        """The fields, and below them what the one with the cursor is about."""
        yield self._fields
        yield self._help

    @property
    def ready(self) -> bool:
        """The rows are there."""
        return bool(self.rows)

    def build(self) -> None:
        """Make the rows, which the first frame does without."""
        from fluxtui.model.fields import FIELDS

        group = ""
        widgets: list[Widget] = []
        for field in FIELDS:
            if field.group != group:
                group = field.group
                heading = OneLine(classes="field-group" if widgets else "field-group -first")
                heading.show(Text(group, style=self.style.faint))
                widgets.append(heading)
            complete = self._completions(field)
            row = FieldRow(field, self._on_edit, self._on_gone, self._enter, complete)
            row.in_tab_order = not self.rows
            self.rows[field.name] = row
            widgets.append(row)
        self._mounting = self._fields.mount_all(widgets)

    async def made(self) -> None:
        """Wait until the fields can be typed in."""
        if self._mounting is not None:
            await self._mounting
            self._mounting = None

    def _completions(self, field: "Field") -> Callable[[str, int], Sequence[Completion]]:
        def complete(text: str, cursor: int) -> Sequence[Completion]:
            if self._known is None:
                return ()
            return field.complete(text, cursor, self._known._replace(names=self._names()))

        return complete

    def show(self, state: State) -> None:
        """Show the fields of a job."""
        if not self.rows:
            self.build()
        context = self._knows(state)
        wide = self.size.width >= WIDE
        for row in self.rows.values():
            row.update(state, context, self._edition)
            row.words.display = wide and bool(row.words.plain)
        self._show_help()

    def _knows(self, state: State) -> "Context":
        """What the fields may know; its document is the one of before where that says the same.

        The edition is another one where more than the constraint is: no field looks at that of
        another.
        """
        from fluxtui.model import fields
        from fluxtui.model.json_value import identical

        context, before = field_context(state, state.jobspec()), self._known
        own = fields.by_name("constraints")
        if before is not None and identical(before.document, context.document):
            context = context._replace(document=before.document)
        elif before is None or not identical(
            fields.with_value(own, before.document, fields.MISSING),
            fields.with_value(own, context.document, fields.MISSING),
        ):
            self._edition += 1
        self._known = context
        return context

    @property
    def _current(self) -> FieldRow | None:
        focused = self.app.focused
        return next((row for row in self.rows.values() if row.target is focused), None)

    def on_descendant_focus(self) -> None:
        """Say what the field with the cursor is about; tab comes back to it."""
        current = self._current
        if current is not None:
            for row in self.rows.values():
                row.in_tab_order = row is current
        self._show_help()

    def _show_help(self) -> None:
        row = self._current
        if row is None:
            keys = "↑↓ from field to field · ctrl+space what may come next"
            self._help.show_lines([self.line((keys, self.style.faint))])
            return
        style = self.style
        lines = []
        if row.problems:
            bad = row.problems[0].severity == "error"
            look = style.problem if bad else style.warning
            lines.append(self.line((printable(row.problems[0].message), look)))
        if row.problems and row.problems[0].expected:
            wanted = ", ".join(printable(word) for word in row.problems[0].expected[:4])
            lines.append(self.line(("expected ", style.quiet), (wanted, style.plain)))
        words = row.words.plain
        if words and self.size.width < WIDE:
            lines.append(self.line((words, style.plain)))
        lines.append(self.line((row.field.help, style.quiet)))
        lines.append(self.line((shorten(row.field.path, self.size.width - 4), style.faint)))
        self._help.show_lines(lines)

    def _enter(self) -> None:
        """To the next field; into a text of many lines."""
        row = self._current
        if row is not None and row.field.multiline:
            self._on_lines(row.field.name)
        else:
            self._go(1)

    async def action_move(self, by: int) -> None:
        """To the next field, or the one before; in what is offered, to the next of that."""
        row = self._current
        if row is not None and not row.field.multiline:
            await row.entry.typed_out()
            if row.entry.offers.key("down" if by > 0 else "up"):
                return
        self._go(by)

    def _go(self, by: int) -> None:
        """To the field so many below, at once: the next key may be typed already."""
        rows = list(self.rows.values())
        row = self._current
        at = rows.index(row) + by if row is not None else 0
        if 0 <= at < len(rows):
            self.screen.set_focus(rows[at].target)
