"""The Explain pane: why a node does not match, what to change, and what each part does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.model.constraint import requires
from fluxtui.notation import json_text
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.ui.constraint.explain_lines import Listing, Parts, Question, listing
from fluxtui.ui.constraint.explanations import MOST, Explanations, examples
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, RowsView, in_colours
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import in_sight
from fluxtui.ui.kit.prompt import EditedText, Prompt, Trouble, trouble_words
from fluxtui.ui.kit.text import shorten
from fluxtui.workbench import Ask, EditRequires, Fix, State, TypeRequires

if TYPE_CHECKING:
    from fluxtui.answers.explain.edit import Edited

HINT = ("Press enter to write one, such as", ' {"properties": ["gpu"]}')

UNFINISHED = Problem("finish the constraint first")

# How many texts the selected part is remembered for: more than anyone wants to go back to.
MOST_TEXTS = 200


class ExplainPane(WorkbenchPane):
    """Shows why nodes match or do not, what to change, and the parts of the constraint with counts.

    The selected line of the tree and the cursor in the text follow each other. Keys edit the
    selected part; the constraint can also be edited as JSON. entry is the input of the constraint.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("explain.negate", "exclamation_mark,minus", "edit('negate')", "Negate",
             "Negate the selected part, or stop negating it", footer=True),
        # First, so that what is typed right after goes to the prompt; likewise the form below.
        bind("explain.and", "a,ampersand", "edit('and')", "And",
             "Require something else as well as the selected part", footer=True, first=True),
        bind("explain.or", "vertical_line", "edit('or')", "Or",
             "Accept something else instead of the selected part", footer=True, first=True),
        bind("explain.delete", "d,delete", "edit('delete')", "Delete",
             "Remove the selected part from the constraint", footer=True),
        bind("explain.swap", "o", "edit('swap')", "And/or",
             "Turn the selected 'and' into 'or', or back"),
        bind("explain.form", "j", "form", "Tree/JSON",
             "Switch between the tree and the RFC 31 object", footer=True, first=True),
        *(bind(f"explain.choose_{n}", str(n), f"choose({n})", "") for n in range(1, MOST + 1)),
    ]  # fmt: skip

    form: Literal["tree", "json"] = "tree"

    def __init__(self, explanations: Explanations, entry: Entry, *, id: str) -> None:
        super().__init__(id=id)
        self._explanations, self._entry = explanations, entry
        entry.on_gone = self.show_again
        self._choices: tuple[Fix, ...] = ()
        self._parts = Parts()
        self._paths: LRUCache[str, str] = LRUCache(MOST_TEXTS)  # last selected part, by text
        self.view = ExplainList(self._moved, self._chosen, id="constraint-tree")
        self.parts = (self.view,)
        self.json: ExplainJson | None = None  # made on first use
        # While an edit is applied, the path to select in the new constraint.
        self._wanted: str | None = None

    def show(self, state: State) -> None:
        """Explain the current constraint."""
        super().show(state)
        self._take_parts(state)
        if self.json is not None:
            self.json.show(state.ask)
        self._follow()
        self.show_again()
        self._point()

    def _take_parts(self, state: State) -> None:
        """Take the parts of a new constraint, and select one of them.

        The one that an edit asks for; else the one selected when this text was last shown, as after
        an undo; else the one at the same place in the text as before.
        """
        before, explanation = self._parts, self._explanations.explain(state)
        if explanation is before.explanation:
            return
        if (prompt := Prompt.open_in(self)) is not None:
            prompt.close()  # an answer would bring back the previous constraint
        if before.explanation is not None:
            self._paths[before.explanation.reading.text] = before.path
        path = self._wanted
        if path is None and explanation is not None:
            path = self._paths.get(explanation.reading.text)
        self._parts = Parts(explanation, before.path if path is None else path)
        if explanation is not None and explanation.part(self._parts.path) is None:
            self._parts.path = ""
            part = before.part
            self._parts.follow(part.span.start if part is not None and part.span else 0)

    def show_again(self) -> None:
        """Show the lines again: the focus came to the text or left it, or more is known.

        Does nothing while the pane is hidden, as its state may then be an earlier one.
        """
        if self.shown is None or not in_sight(self):
            return
        state, node = self.shown, self.app.seen()
        if node is not None and node >= state.cluster.resources.node_count:
            node = None  # it belongs to a newer cluster, which this pane is about to show
        advice = self._explanations.advice(state)
        self._choices = self._offered(state)
        words = [choice.words for choice in self._choices]
        question = Question(state, self._parts, node, advice, words, self._is_typing)
        width = self.view.size.width - self.view.styles.scrollbar_size_vertical
        self.view.show(listing(question, self.style, max(width, 0)), self._parts.row)
        self.say_keys()

    def _offered(self, state: State) -> tuple[Fix, ...]:
        """Return the numbered choices: fixes, or examples while the constraint is empty."""
        if not state.ask.blank:
            is_known = self._parts.rows and not state.ask.stale
            return tuple(self.app.fixes.find(state))[:MOST] if is_known else ()
        queries = examples(state.cluster.resources)
        widest = max((len(text) for text, _ in queries), default=0)
        return tuple(
            Fix(f"{text:<{widest}}  {counted(count, 'node')}", EditRequires(text))
            for text, count in queries
        )

    @property
    def stale(self) -> bool:
        """Whether the tree belongs to an earlier text."""
        return self.state.ask.stale

    @property
    def inside(self) -> Widget:
        """The widget of the pane that takes the focus."""
        if self.form == "json" and self.json is not None:
            return self.json.inside
        prompt = Prompt.open_in(self)
        return prompt.entry if prompt is not None else self.view

    def on_resize(self) -> None:
        """Follow the text again, and wrap the lines for the new size."""
        self._follow()
        self.show_again()
        self.view.go_to(self.view.row)

    # The text and the tree share one selection

    @property
    def _is_typing(self) -> bool:
        """Whether the text of the constraint has the focus."""
        return self.app.focused is self._entry

    def on_show(self) -> None:
        """Start to follow the cursor in the text."""
        self._entry.on_move = self._follow_again

    def on_hide(self) -> None:
        """Stop following the cursor in the text."""
        self._entry.on_move = lambda: None

    def _follow_again(self) -> None:
        row = self._parts.row
        self._follow()
        if self._parts.row != row:
            self.show_again()

    def _follow(self) -> None:
        if self._is_typing and not self.stale:
            self._parts.follow(self._entry.cursor_position)

    def _moved(self, number: int) -> None:
        if self._parts.rows:
            self._parts.path = self._parts.rows[number].part.path
            self.show_again()
            self._point()

    def _point(self) -> None:
        """Mark the selected part in the text while the tree has the focus."""
        part = self._parts.part
        is_in_use = self.has_keys(self.view) and not self.stale
        self._entry.point_at(part.span if part is not None and is_in_use else None)

    def _chosen(self, choice: int | None) -> None:
        """Apply a numbered choice, or go to the selected part in the text."""
        part = self._parts.part
        if choice is not None:
            self.app.edit(self._choices[choice].edit)
        elif part is not None and part.span is not None:
            self.screen.set_focus(self._entry)  # at once, as the next key may already be typed
            end = len(self.state.ask.text) if self.stale else part.span.end
            self._entry.cursor_position = end

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable letters while text is typed, and numbers without a choice."""
        match action, parameters:
            case "form", _:
                is_read = self.json is not None and self.has_keys(self.json.view)
                return is_read or self.has_keys(self.view)
            case "choose", (int(number),):
                return self.form == "tree" and number <= len(self._choices)
            case "edit", _:
                is_asking = (prompt := Prompt.open_in(self)) is not None and prompt.entry.has_focus
                return self.form == "tree" and bool(self._parts.rows) and not is_asking
        return True

    def action_choose(self, number: int) -> None:
        """Apply a numbered choice."""
        self._chosen(number - 1)

    async def action_edit(self, how: str) -> None:
        """Edit the selected part, at once or after a prompt."""
        from fluxtui.answers.explain import edit

        explanation, part = self._parts.explanation, self._parts.part
        if self.stale or explanation is None or part is None:
            self._put_in_frame(UNFINISHED.message)
        elif how in ("negate", "swap", "delete"):
            self._take(getattr(edit, how)(explanation, part))
        else:
            prompt = await Prompt.within(self, self.view.focus, id="part-prompt")
            operator: Literal["and", "or"] = "and" if how == "and" else "or"
            if explanation is self._parts.explanation:  # it has not changed meanwhile
                self._ask(prompt, operator, partial(edit.join, explanation, part, operator))

    def _ask(self, prompt: Prompt, operator: str, joined: Callable[[str], Edited]) -> None:
        # A prompt that is already open keeps what was typed into it.
        prompt.ask(
            operator,
            prompt.entry.value if prompt.display else "",
            lambda text: self._take(joined(text)),
            lambda text: joined(text).problem if text.strip() else None,
            self._entry.complete,
        )

    def _take(self, edited: Edited) -> Problem | None:
        """Pass on an edit unless the text is unfinished; return its problem."""
        problem = UNFINISHED if self.stale else edited.problem
        if problem is not None:
            self._put_in_frame(problem.message)
            return problem
        self._wanted = edited.path
        self.app.edit(EditRequires(edited.text))
        self._wanted = None
        return None

    async def action_form(self) -> None:
        """Switch between the tree and the RFC 31 object."""
        if self.json is None:
            self.json = ExplainJson(
                self.state.ask, lambda text: self.app.edit(TypeRequires(text)), id="explain-json"
            )
            await self.mount(self.json)
        self.json.leave()
        self.form = "json" if self.form == "tree" else "tree"
        self.view.display, self.json.display = self.form == "tree", self.form == "json"
        self.json.show(self.state.ask)
        self.put_title("Explain" if self.form == "tree" else "Explain JSON")
        self.screen.set_focus(self.inside)
        self.say_keys()

    # The frame

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _point_again(self) -> None:
        self._point()  # the mark in the text depends on the focus

    def say_keys(self) -> None:
        """Say in the frame that an earlier text is explained, or what the numbers do."""
        words = ""
        if self.stale and self._parts.rows:
            words = "stale"
        elif self.form == "json" and self.json is not None:
            words = "esc closes" if self.json.is_edited and self.has_focus_within else ""
        elif self._choices and self.has_keys(self.view):
            last = len(self._choices)
            words = "1 applies" if last == 1 else f"1-{last} apply"
        self._put_in_frame(words)

    def _put_in_frame(self, text: str) -> None:
        self.say_in_frame(shorten(printable(text), self.size.width - 4))


class ExplainList(RowsView):
    """The lines of an explanation, with a cursor on its numbered lines and its parts.

    The cursor is always shown. on_part is called with the number of the part under the cursor,
    on_choose with the chosen number, or None for a part. A click on a numbered line chooses it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("explain.go", "enter,space", "choose", "Choose",
             "Apply the selected change, or go to the selected part in the constraint",
             footer=True),
    ]  # fmt: skip

    _listing = Listing()

    def __init__(
        self, on_part: Callable[[int], None], on_choose: Callable[[int | None], None], *, id: str
    ) -> None:
        super().__init__(lambda row: on_choose(self._listing.choices.get(row)), id=id)
        self._on_part = on_part

    def show(self, shown: Listing, part: int) -> None:
        """Show new lines, with the cursor on a part, or on its choice if these are unchanged.

        Scrolls to the cursor, unless the user has scrolled away from it and it is still on the same
        part of as many.
        """
        before, row, self._listing = self._listing, self.row, shown
        top = self.scroll_offset.y
        in_view = top <= row < top + self.size.height
        stays = self.has_focus and row in before.choices and shown.choices == before.choices
        if not stays:
            self.put_row(shown.top + part if shown.parts else min(shown.choices, default=0))
        self.show_lines(shown.lines)
        same_part = (row - before.top, before.parts) == (self.row - shown.top, shown.parts)
        if in_view or not same_part:
            self.go_to(self.row)

    def go_to(self, row: int) -> None:
        """Select a row and scroll to it, to the very top if the row is visible from there."""
        self.put_row(row)
        if row < self.size.height:
            self.scroll_to(y=0, animate=False)
        elif self.size.height:
            self.scroll_to_region(Region(0, row, 1, 1), animate=False)

    def _stops_at(self, row: int) -> bool:
        listed = self._listing
        return row in listed.choices or listed.top <= row < listed.top + listed.parts

    def action_move(self, by: int) -> None:
        """Move the cursor by choices or parts."""
        self._move_to(self._listing.stop(self.row, by))

    def _move_to(self, row: int) -> None:
        self.go_to(row)
        if self._stops_at(row) and row not in self._listing.choices:
            self._on_part(row - self._listing.top)

    def action_choose(self) -> None:
        """Apply the choice under the cursor, or go to the part in the text."""
        if self._stops_at(self.row):
            super().action_choose()

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked row; apply a numbered one, or a part on the second click."""
        event.prevent_default()
        row = self.row_under(event)
        if row is not None and self._stops_at(row):
            self._move_to(row)
            if row in self._listing.choices or event.chain > 1:
                self.action_choose()

    def render_line(self, y: int) -> Strip:
        """Draw one row; the cursor's row keeps its background without the focus."""
        strip = super().render_line(y)
        row = y + self.scroll_offset.y
        if not self.has_focus and row == self.row and self._stops_at(row):
            background = Style(bgcolor=palette_of(self).selected.bgcolor)
            strip = Strip([Segment(s.text, (s.style or self.base) + background) for s in strip])
        return strip


class ExplainJson(Vertical, EditedText):
    """Shows a constraint as JSON; enter edits it, escape ends the editing.

    on_type is called with the text of the constraint after each edit: in the notation it had
    before, or as typed here while it has an error.
    """

    DEFAULT_CSS = "ExplainJson > * { height: 1fr; } ExplainJson > Trouble { height: auto; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that what is typed right after goes into the text.
        bind("explain.edit", "enter,e", "edit", "Edit", "Edit the JSON", footer=True, first=True),
    ]

    _sent: str | None = None  # the last text passed to on_type
    _was_json = False  # whether the constraint was written as JSON before the editing

    def __init__(self, ask: Ask, on_type: Callable[[str], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="constraint-json")
        self.trouble = Trouble(id="constraint-trouble")
        self._on_type, self._ask = on_type, ask

    def compose(self) -> ComposeResult:
        """Compose the text, and what is wrong with it."""
        yield self.view
        yield self.trouble

    @property
    def inside(self) -> Widget:
        """The widget that takes the focus."""
        return self.editor if self.editor is not None and self.is_edited else self.view

    def show(self, ask: Ask) -> None:
        """Show the current constraint; text that is being typed stays."""
        self._ask = ask
        if not self.is_edited or ask.text != self._sent:
            self.show_text()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        if not self.is_edited:
            self.show_text()

    def show_text(self) -> None:
        """Show the text in the view, or in the editor."""
        text = self._text()
        if self.editor is not None and self.is_edited:
            self.editor.put(text)
            self._read(text)
            return
        self.trouble.say("")
        lines = [self._coloured(line) for line in text.split("\n")]
        if not text:
            first = (
                "Empty matches all nodes." if self._ask.blank else "The constraint has an error."
            )
            quiet = palette_of(self).quiet
            lines = [Text(line, style=quiet, end="") for line in (first, *HINT)]
        self.view.show_lines(lines)

    def _text(self) -> str:
        """Return the constraint as an RFC 31 object; JSON with an error, as it was typed."""
        ask = self._ask
        if ask.requires.is_json and ask.requires.constraint is None:
            return ask.text
        width = self.size.width - self.view.styles.scrollbar_size_vertical
        return requires.object_text(ask.constraint, max(width, 0)) if ask.constraint else ""

    def _coloured(self, line: str) -> Text:
        return in_colours(line, json_text.parse(line).tokens, palette_of(self))

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the key while the text is edited."""
        return action != "edit" or self.screen.focused is self.view

    async def action_edit(self) -> None:
        """Start editing the text."""
        self._sent, self._was_json = None, self._ask.requires.is_json
        await self.edit_text(self._edited, self._coloured, id="constraint-editor")

    def _edited(self, text: str) -> None:
        """Pass on what was typed, unless it is a query, which is not a JSON object."""
        ask, reading = self._ask, self._read(text)
        typed = text.replace("\n", " ").replace("\t", " ").strip()
        if reading.ok:
            if not ask.stale and ask.constraint == reading.constraint:
                return  # the text of the constraint can stay as it was written
            typed = requires.bar_text(reading.constraint, is_json=self._was_json)
        elif requires.read(typed).ok:
            return
        self._sent = typed
        self._on_type(typed)

    def _read(self, text: str) -> requires.Requires:
        reading = requires.read_object(text)
        errors = [problem for problem in reading.problems if problem.severity == "error"][:1]
        if self.editor is not None:
            self.editor.mark(errors)
        self.trouble.say(trouble_words(errors, text) if errors else "")
        return reading
