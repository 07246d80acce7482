"""The form of the job: every part of the jobspec beside its shape, a line each."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Offset, Region
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

from fluxtui.model.constraint.completion import Names
from fluxtui.notation.problem import Completion, Problem, counted, printable
from fluxtui.ui.kit.entry import Entry, takes_document
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State, field_context, field_text

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
        self.entry.arrows = False  # they go from field to field
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


if TYPE_CHECKING:
    from fluxtui.model.form.field import Context, Field
    from fluxtui.ui.job.form import FieldRow

MOST = 2  # problems of a field that are told of below the form

# From so many columns on, what a field means in words stands beside it.
WIDE = 70


class Fields(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Holds the fields; the arrows go through them, and the scrolling follows."""

    def scroll_to_region(self, region: Region, **how: Any) -> Offset:
        """Scroll at once: a scrolling on its way would take the next field out of sight again."""
        return super().scroll_to_region(region, **{**how, "animate": False, "immediate": True})

    def bring_in_sight(self, row: Widget | None) -> None:
        """Scroll to a field that is not seen whole."""
        if row is not None and not self.can_view_entire(row):
            self.scroll_to_widget(row, center=True)


class FormPane(Pane):
    """Shows and edits the fields of the job; the rows are made when they are first in sight.

    on_edit is called with the name of a field and its text after each key, on_gone with the name
    when a person goes on elsewhere, on_lines with that of a field of many lines when they want to
    edit it. names gives those of the cluster.
    """

    title = "Form"

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that what is typed right after is for the field they lead to.
        Binding("up", "move(-1)", "Up", show=False, priority=True),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("pageup", "page(-1)", "Page up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Page down", show=False, priority=True),
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
        self._replaced = ""  # the command that the script took the place of

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
        from fluxtui.model.form.fields import FIELDS
        from fluxtui.ui.job.form import FieldRow

        group = ""
        widgets: list[Widget] = []
        for field in FIELDS:
            if field.group != group:
                group = field.group
                heading = OneLine(classes="field-group" if widgets else "field-group -first")
                heading.show(Text(group, style=self.style.faint))
                widgets.append(heading)
            complete = self._completions(field)
            row = FieldRow(field, self._on_edit, self._on_gone, self._enter, self._type, complete)
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
            return field.complete(text, cursor, replace(self._known, names=self._names()))

        return complete

    def show(self, state: State) -> None:
        """Show the fields of a job."""
        if not self.rows:
            self.build()
        context = self._knows(state)
        for row in self.rows.values():
            row.update(state, context, self._edition)
        self._fit()

    def _fit(self) -> None:
        """Show the words of the fields where there is room for them."""
        wide = self.size.width >= WIDE
        for row in self.rows.values():
            row.words.display = wide and bool(row.words.plain)
        self._show_help()

    def on_mount(self) -> None:
        """Keep the field that is typed in in sight, whatever takes its place above or below it."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._bring_in_sight)

    def on_resize(self) -> None:
        """It has come in sight, or has other room."""
        self._fit()

    def _bring_in_sight(self, _screen: Screen[Any]) -> None:
        self._fields.bring_in_sight(self._current)

    def _knows(self, state: State) -> "Context":
        """What the fields may know; its document is the one of before where that says the same.

        The edition is another one where more than the constraint is: no field looks at that of
        another.
        """
        from fluxtui.model.form import fields
        from fluxtui.model.jobspec.jobspec import MISSING
        from fluxtui.notation.json_value import identical

        context, before = field_context(state, state.jobspec()), self._known
        own = fields.by_name("constraints")
        if before is not None and identical(before.document, context.document):
            context = replace(context, document=before.document)
        elif before is None or not identical(
            own.put(before.document, MISSING),
            own.put(context.document, MISSING),
        ):
            self._edition += 1
            self._remember(before, context)
        self._known = context
        return context

    def _remember(self, before: "Context | None", now: "Context") -> None:
        """Remember the command that a script has taken the place of, for as long as it runs."""
        from fluxtui.model.form import fields
        from fluxtui.model.form.program import replaced_by_script, runs_script

        command = fields.by_name("command").get(now.document)
        if not runs_script(command):
            self._replaced = ""
        elif before is not None:
            self._replaced = replaced_by_script(before.document, now.document) or self._replaced

    @property
    def _current(self) -> "FieldRow | None":
        focused = self.app.focused
        return next((row for row in self.rows.values() if row.target is focused), None)

    def on_descendant_focus(self) -> None:
        """Say what the field with the cursor is about; tab comes back to it."""
        current = self._current
        if current is not None:
            for row in self.rows.values():
                row.in_tab_order = row is current
            # Whether it is seen the screen has asked before it scrolled to the field before.
            self.call_after_refresh(self._bring_in_sight, self.screen)

    def say_keys(self) -> None:
        """Say what the field with the cursor is about, or how to get to one."""
        self._show_help()

    def _show_help(self) -> None:
        row = self._current
        if row is None:
            keys = "F12, then ↑↓ from field to field · ctrl+space what may come next"
            self._help.show_lines([self.line((keys, self.style.faint))])
            return
        style = self.style
        lines = []
        for problem in row.problems[:MOST]:
            look = style.problem if problem.severity == "error" else style.warning
            lines.append(self.line((printable(problem.message), look)))
            if problem.expected:
                wanted = ", ".join(printable(word) for word in problem.expected[:4])
                lines.append(self.line(("expected ", style.quiet), (wanted, style.plain)))
        if self._replaced and row.field.name in ("command", "script"):
            was = shorten(self._replaced, WIDE - 30)
            said = f"the script runs in place of the command {was}; ctrl+z brings it back"
            lines.append(self.line((said, style.warning)))
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

    def _type(self, event: events.Key | events.Paste) -> None:
        """Open the text of many lines with the cursor, and hand on what was typed to its box.

        A document that is pasted is for the app.
        """
        if isinstance(event, events.Paste) and takes_document(self, event.text, jobspecs=False):
            return
        self._enter()
        if self.app.screen is not self.screen:
            self.app.screen._forward_event(event)

    async def action_move(self, by: int) -> None:
        """To the next field, or the one before; in what is offered, to the next of that."""
        if not await self._in_offers("down" if by > 0 else "up"):
            self._go(by)

    async def action_page(self, by: int) -> None:
        """As many fields on as are seen, or back; in what is offered, as many of that."""
        if not await self._in_offers("pagedown" if by > 0 else "pageup"):
            self._go(self._page(by))

    async def _in_offers(self, key: str) -> bool:
        """Whether a key is one of the list that the field with the cursor offers, and was taken."""
        row = self._current
        if row is None or row.field.multiline:
            return False
        await row.entry.typed_out()
        return row.entry.offers.key(key)

    def _page(self, by: int) -> int:
        """How many fields a page is from the one with the cursor: those seen at a time, or one.

        The lines are counted: the next key may come before they are laid out.
        """
        tops, line, at = list[int](), 0, 0
        for child in self._fields.children:
            line += child.styles.margin.top
            row = self.rows.get(child.name or "")
            if row is not None:
                at = len(tops) if row is self._current else at
                tops.append(line)
                line += row.message.display
            line += 1
        reach = tops[at] + by * (self._fields.size.height - 1)
        if by > 0:
            return min(max(bisect_right(tops, reach) - 1, at + 1), len(tops) - 1) - at
        return max(min(bisect_left(tops, reach), at - 1), 0) - at

    def _go(self, by: int) -> None:
        """To the field so many below, at once: the next key may be typed already."""
        rows = list(self.rows.values())
        row = self._current
        at = rows.index(row) + by if row is not None else 0
        if 0 <= at < len(rows):
            self.screen.set_focus(rows[at].target)
