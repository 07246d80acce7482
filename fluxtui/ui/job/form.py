"""The form of the job: a row for each part of the jobspec except the shape."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import AwaitMount, Widget

from fluxtui.model.constraint.completion import Names
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Completion, Problem, counted, few, printable
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.entry import Entry, LinesField
from fluxtui.ui.kit.input import wait_for_keys
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import SKIPPED_BY_TAB
from fluxtui.ui.kit.text import cut, in_row, shorten
from fluxtui.workbench import LeaveField, State, TypeField, field_context, field_text

if TYPE_CHECKING:
    from fluxtui.model.form.field import Context, Field

MOST = 2  # how many problems of a field the help shows
GAP = 3  # columns between a text and its problem
LEAST_WORDS = 12  # the problem is hidden if fewer columns are left for it
EXPECTED = 8  # how many expected values are shown
WIDE = 96  # columns of the form from which a field's meaning or problem is shown beside it

# Fields that depend on their own part of the document alone. They may be long, so they are not
# read again while the user types in another field.
ALONE = ("environment", "shell-options", "user")


class FieldEntry(Entry):
    """The text of a field: arrows go to other fields, space in an empty field lists its values."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("form.choose", "space", "choose", "Choose", "In an empty field, list its values",
             footer=True, first=True),
    ]  # fmt: skip

    arrows = False
    _is_filled = False

    def watch_value(self, value: str) -> None:
        """Update the bindings, as space is text once there is something in the field."""
        super().watch_value(value)
        if bool(value) != self._is_filled:
            self._is_filled = bool(value)
            self.refresh_bindings()

    def render_line(self, y: int) -> Strip:
        """Draw the text, and after it its problem if that has no column of its own."""
        strip, row = super().render_line(y), self.parent
        start, width = self.column(len(self.value)) + GAP, self.size.width
        if not isinstance(row, FieldRow) or row.beside.display or not self.value or not row.trouble:
            return strip
        if width - start < LEAST_WORDS:
            return strip
        words = cut(row.trouble, width - start)
        drawn = in_row(words, self.rich_style, 0, width - start, self.app.console)
        return Strip.join([strip.crop(0, start), drawn])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the list of values only in an empty field."""
        if action == "choose":
            return not self.value
        return super().check_action(action, parameters)

    async def action_choose(self) -> None:
        """List the values of an empty field; in any other field, type a space."""
        await wait_for_keys(self)
        if self.value:
            self.replace(" ", *sorted(self.selection))
        else:
            self.action_suggest()


class FieldRow(Horizontal):
    """One field: its label, its text, and beside it the meaning of the text or its problem.

    target is the input, or for a field of many lines the widget that opens it in a dialog.
    """

    # What a field of ALONE depends on, as of the last update.
    _last_inputs: tuple[object, ...] = ()
    _last_value: object = None

    def __init__(self, field: "Field", target: FieldEntry | LinesField) -> None:
        super().__init__(name=field.name, classes="field-row")
        self.field, self.target = field, target
        self.problems: Sequence[Problem] = ()
        self.words = ""
        self.trouble = Text()  # the first problem, to be shown after the text or beside it
        self._line = Text(no_wrap=True, end="")  # of a field of many lines
        self.label = OneLine(classes="field-label")
        self.beside = OneLine(classes="field-words")

    def compose(self) -> ComposeResult:
        """Yield the label, the text, and the words beside it."""
        yield self.label
        yield self.target
        yield self.beside

    def on_descendant_blur(self) -> None:
        """Show the beginning of the text again."""
        if isinstance(self.target, FieldEntry):
            self.target.cursor_position = 0

    def on_resize(self) -> None:
        """Show the problem of a field of many lines where there is room for it now."""
        self._show_line()

    def _show_line(self) -> None:
        """Show a field of many lines in one, with its problem unless that has its own column."""
        if isinstance(self.target, LinesField):
            line = self._line.copy()
            if self.trouble and not self.beside.display:
                line.append(" " * GAP).append_text(self.trouble)
            self.target.show_lines([line])

    def look(self, problems: Sequence[Problem]) -> Style:
        """Return the style of problems: that of an error if one of them is an error."""
        style = palette_of(self)
        return style.problem if any(p.severity == "error" for p in problems) else style.warning

    def update(self, state: State, context: "Context") -> None:
        """Show the value of the field in the document of a context."""
        from fluxtui.model.form import fields

        field, style = self.field, palette_of(self)
        is_set_here = field.name != "constraints" or state.job.own
        value = field.get(context.document) if is_set_here else MISSING
        unread = state.job.unread.get(field.name)
        if field.name in ALONE:
            typed = state.job.typed.get(field.name)
            inputs = (typed, unread, context.cwd, context.environ, style)
            if inputs == self._last_inputs and identical(value, self._last_value):
                return
            self._last_inputs, self._last_value = inputs, value
        text = field_text(state, field.name)
        self.words = field.describe(value, context) if value is not MISSING else ""
        if unread:  # the job keeps its previous value
            kept = f"kept: {self.words}" if self.words else "left out until this can be read"
            self.words, self.problems = kept, unread
        else:
            self.problems = fields.problems(field, text, context.document, context)
        problems, sign, look = self.problems, "  ", style.quiet
        trouble = Text(printable(problems[0].message), self.look(problems)) if problems else Text()
        if trouble != self.trouble or trouble.style != self.trouble.style:
            self.trouble = trouble
            self.target.refresh()
        if problems:
            is_error = any(problem.severity == "error" for problem in problems)
            sign, look = "✗ " if is_error else "! ", self.look(problems)
        self.label.show(Text(f"{sign}{field.label}", look))
        if isinstance(self.target, FieldEntry):
            self.target.put(text)
            self.target.colour((), [p for p in problems if p.span is not None])
        else:
            first = text.strip().partition("\n")[0]
            words = printable(f"{counted(len(text.splitlines()), 'line')}: {first}")
            shown = (words, style.string) if text else (field.placeholder, style.faint)
            self._line = Text.assemble(shown, no_wrap=True, end="")
            self._show_line()
        self.beside.show(trouble if problems else Text(self.words, style=style.quiet))


class Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """The container of the fields; it scrolls to the focused one."""

    def scroll_to_region(self, region: Region, **options: Any) -> Offset:
        """Scroll at once: a pending scroll would move the next field out of sight again."""
        return super().scroll_to_region(region, **{**options, "animate": False, "immediate": True})


class FormPane(WorkbenchPane):
    """Shows and edits the fields of the job; the rows are made when the pane is first in sight.

    names returns the names of the cluster, for completion.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # Handled first, so that the next keys go to the next field.
        bind("form.up", "up", "go('up')", "", first=True),
        bind("form.down", "down", "go('down')", "", first=True),
        bind("form.page_up", "pageup", "go('pageup')", "", first=True),
        bind("form.page_down", "pagedown", "go('pagedown')", "", first=True),
        bind("form.leave", "escape", "leave", "", first=True),
    ]

    _mounting: AwaitMount | None = None
    _field_context: "Context | None" = None  # of the job that is shown
    _replaced = ""  # the command that a script replaced

    def __init__(self, names: Callable[[], Names], *, id: str) -> None:
        super().__init__(id=id)
        self._names = names
        self.rows: dict[str, FieldRow] = {}
        self._fields = Fields(id="fields")
        self._help = LinesView(id="field-help", wrap=True)
        self._help.can_focus = False
        self.parts = (self._fields, self._help)

    @property
    def ready(self) -> bool:
        """Whether the rows have been made."""
        return bool(self.rows)

    def build(self) -> None:
        """Make the rows; the first frame does not need them."""
        from fluxtui.model.form.fields import FIELDS

        group = ""
        widgets: list[Widget] = []
        for field in FIELDS:
            if field.group != group:
                group = field.group
                heading = OneLine(classes="field-group" if widgets else "field-group -first")
                heading.show(Text(group, style=self.style.faint))
                widgets.append(heading)
            row = FieldRow(field, self._target(field))
            # Tab goes to one field of the form, the arrows to the others.
            row.set_class(bool(self.rows), SKIPPED_BY_TAB, update=False)
            self.rows[field.name] = row
            widgets.append(row)
        self._mounting = self._fields.mount_all(widgets)

    def _target(self, field: "Field") -> FieldEntry | LinesField:
        name = f"field-{field.name.replace('_', '-')}"
        if field.multiline:
            return LinesField(lambda: self.app.edit_lines(field.name), id=f"{name}-lines")
        entry = FieldEntry(
            lambda text: self.app.edit(TypeField(field.name, text)),
            partial(self._go, 1),
            field.placeholder,
            id=name,
            complete=partial(self._complete, field),
        )
        entry.on_gone = lambda: self.app.edit(LeaveField(field.name))
        entry.select_on_focus = True  # typing replaces the text
        return entry

    def _complete(self, field: "Field", text: str, cursor: int) -> Sequence[Completion]:
        if self._field_context is None:
            return ()
        return field.complete(text, cursor, replace(self._field_context, names=self._names()))

    async def made(self) -> None:
        """Wait until the fields can be typed in."""
        if self._mounting is not None:
            await self._mounting
            self._mounting = None

    def show(self, state: State) -> None:
        """Show the fields of a job."""
        from fluxtui.model.form.program import replaced_by_script, runs_script

        if not self.rows:
            self.build()
        before, self._field_context = self._field_context, field_context(state, state.jobspec())
        # A command that a script replaced is named as long as the job runs the script.
        if not runs_script(self.rows["command"].field.get(self._field_context.document)):
            self._replaced = ""
        elif before is not None:
            replaced = replaced_by_script(before.document, self._field_context.document)
            self._replaced = replaced or self._replaced
        for row in self.rows.values():
            row.update(state, self._field_context)
        self.say_keys()

    def on_mount(self) -> None:
        """Keep the focused field in sight when the layout changes."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._bring_in_sight)

    def on_resize(self) -> None:
        """Show the words beside the fields if there is room."""
        self.set_class(self.size.width >= WIDE, "-with-words")
        self.say_keys()

    def _bring_in_sight(self, _screen: Screen[Any]) -> None:
        row = self.current
        if row is not None and not self._fields.can_view_entire(row):
            self._fields.scroll_to_widget(row, center=True)

    @property
    def current(self) -> FieldRow | None:
        """The focused field, even while a dialog is open; None without one."""
        focused = self.screen.focused if self.is_attached else None
        return next((row for row in self.rows.values() if row.target is focused), None)

    def on_descendant_focus(self) -> None:
        """Make tab return to the field that has the focus now."""
        current = self.current
        if current is not None:
            for row in self.rows.values():
                row.set_class(row is not current, SKIPPED_BY_TAB, update=False)
            # The screen has checked its visibility before scrolling to the previous field.
            self.call_after_refresh(self._bring_in_sight, self.screen)

    def say_keys(self) -> None:
        """Describe the focused field, or say how to reach one."""
        row, style = self.current, self.style
        if row is None:
            keys = "↑↓ moves between fields · space in an empty field lists its values"
            self._help.show_lines([self.line((keys, style.faint))])
            return
        lines = []
        for problem in row.problems[:MOST]:
            lines.append(self.line((printable(problem.message), row.look([problem]))))
            if problem.expected:
                wanted = ", ".join(map(printable, few(problem.expected, EXPECTED)))
                lines.append(self.line(("expected ", style.quiet), (wanted, style.plain)))
        if self._replaced and row.field.name in ("command", "script"):
            was = shorten(self._replaced, 40)
            words = f"the script replaces the command {was}; ctrl+z to undo"
            lines.append(self.line((words, style.warning)))
        if row.words and (row.problems or self.size.width < WIDE):
            lines.append(self.line((row.words, style.plain)))
        lines.append(self.line((row.field.help, style.quiet)))
        lines.append(self.line((shorten(row.field.path, self.size.width - 4), style.faint)))
        self._help.show_lines(lines)

    async def action_leave(self) -> None:
        """Close the list of a field; without an open list, go back."""
        if not await self._press_in_list("escape"):
            await self.run_action("app.do('leave')")

    async def _press_in_list(self, key: str) -> bool:
        """Let the list of a field handle a key; return False if there is no list."""
        entry = self.current.target if self.current is not None else None
        if not isinstance(entry, FieldEntry):
            return False
        await wait_for_keys(entry)
        return (entry.chosen is not None or key == "escape") and entry.press_in_list(key)

    async def action_go(self, key: str) -> None:
        """Move by one field or by half a page; in the open list of a field, by one row."""
        if await self._press_in_list(key):
            return
        page = max(self._fields.size.height // 2, 1)
        self._go({"up": -1, "down": 1, "pageup": -page, "pagedown": page}[key])

    def _go(self, by: int) -> None:
        """Focus the field that is by further down, at once, as the next key may follow already."""
        rows, row = list(self.rows.values()), self.current
        at = rows.index(row) + by if row is not None else 0
        self.screen.set_focus(rows[min(max(at, 0), len(rows) - 1)].target)
