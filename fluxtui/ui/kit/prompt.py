"""Text input within a pane: editing in place, a prompt, a filter, and problems below them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from fluxtui.notation.problem import Completion, Problem, printable
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import expected_words, line_of

if TYPE_CHECKING:
    from fluxtui.ui.kit.text_editor import TextEditor

MOST = 3  # rows of a problem or note at most
APPLIES, STEPS = "enter applies · esc closes", "enter ↓ next · ↑ previous · esc closes"


def trouble_words(problems: Sequence[Problem], text: str) -> str:
    """Return the first problem of a text with its line: ``line 3: not YAML: …``."""
    return f"line {line_of(problems[0], text)}: {printable(problems[0].message)}"


class Trouble(LinesView, can_focus=False):
    """Shows a problem or a note in up to three rows; hidden while there is none."""

    DEFAULT_CSS = f"Trouble {{ height: auto; max-height: {MOST}; overflow: hidden; }}"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, wrap=True, hang=2, most=MOST)
        self.display = False

    def say(self, words: str | Text) -> None:
        """Show a problem as a string, or any styled text; hide if it is empty."""
        self.display = bool(words)
        if isinstance(words, str):
            words = Text(words, style=palette_of(self).problem, end="")
        self.show_lines([words])


class EditedText(Widget):
    """Mixin, to go after the widget class, that edits a text in place of its read-only view.

    The subclass creates the view followed by the trouble, and shows the text in the editor while it
    is edited. The editor is created on first use.
    """

    view: LinesView
    trouble: Trouble
    editor: "TextEditor | None" = None

    @property
    def is_edited(self) -> bool:
        """Whether the text is being edited."""
        return self.editor is not None and self.editor.display

    def show_text(self) -> None:
        """Show the text in the view, or while it is edited, in the editor."""
        raise NotImplementedError

    async def edit_text(
        self, on_edit: Callable[[str], None], colour: Callable[[str], Text], *, id: str
    ) -> None:
        """Edit the text, with the cursor on the first visible line."""
        if self.editor is None:
            from fluxtui.ui.kit.text_editor import TextEditor

            self.editor = TextEditor(on_edit, self.leave, colour, id=id)
            await self.mount(self.editor, before=self.trouble)
        self.editor.display, self.view.display = True, False
        self.show_text()
        self.editor.move_cursor((self.view.scroll_offset.y, 0))
        self.screen.set_focus(self.editor)  # at once: the next key may already have been typed

    def leave(self) -> None:
        """Stop editing; the text is kept even if it cannot be parsed yet."""
        if self.editor is None or not self.editor.display:
            return
        row, is_here = self.editor.scroll_offset.y, self.screen.focused is self.editor
        self.editor.display, self.view.display = False, True
        self.show_text()
        self.view.scroll_to(y=row, animate=False)
        if is_here:
            self.screen.set_focus(self.view)


class Prompt(Vertical):
    """Asks for a text; enter applies it if it is valid, escape closes.

    on_leave is called when the prompt closes while it has the focus, with or without a text. If the
    prompt searches (see step in `ask`), enter and the arrows go through the matches, and it stays
    open.
    """

    DEFAULT_CSS = """
    Prompt { height: auto; }
    Prompt > Horizontal { height: 1; }
    Prompt Entry { width: 1fr; }
    Prompt .prompt-label { width: auto; min-width: 4; max-width: 50%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("prompt.leave", "escape", "leave", "Close", "Close without an answer", first=True),
        bind("prompt.next", "down", "step(1)", "Next", "Go to the next match", first=True),
        bind("prompt.back", "up", "step(-1)", "Back", "Go to the previous match", first=True),
    ]

    def __init__(self, on_leave: Callable[[], object], *, id: str) -> None:
        super().__init__(id=id)
        self._done = on_leave
        self._step: Callable[[int], None] | None = None
        self.label = OneLine(classes="prompt-label")
        self.entry = Entry(self._edited, self._enter, "", id=f"{id}-entry")
        self.entry.around = (self,)  # its list must not cover the message
        self.message = Trouble()
        self._texts, self._at = [""], 0  # the undo history of the text, and the index shown
        self.display = False

    @classmethod
    async def within(cls, around: Widget, on_leave: Callable[[], object], *, id: str) -> "Prompt":
        """Return the prompt in a widget, creating it on first use."""
        for made in around.query(cls):
            return made
        prompt = cls(on_leave, id=id)
        await around.mount(prompt)
        return prompt

    @classmethod
    def open_in(cls, around: Widget) -> "Prompt | None":
        """Return the prompt in a widget if it is open."""
        return next((made for made in around.query(cls) if made.display), None)

    def compose(self) -> ComposeResult:
        """Yield the question, the text, and its problem."""
        with Horizontal():
            yield self.label
            yield self.entry
        yield self.message

    def ask(
        self,
        question: str,
        text: str,
        take: Callable[[str], Problem | None],
        check: Callable[[str], Problem | None] = lambda text: None,
        complete: Callable[[str, int], Sequence[Completion]] | None = None,
        note: Callable[[str], str] = lambda text: "",
        step: Callable[[int], None] | None = None,
        hint: str = "",
    ) -> None:
        """Ask for a text, starting with this one; hint is shown while there is none.

        take is called with the text on enter, and returns a problem if it cannot be applied; check
        returns a problem after each key, and note what a text without one means. step, if the
        prompt searches, is called with 1 for the next match and -1 for the previous one; enter then
        goes to the next match.
        """
        self._take, self._check, self._note, self._step = take, check, note, step
        self.label.show(Text(f"{question} ", style=palette_of(self).quiet))
        self.label.styles.width = len(question) + 1
        self.display = True
        self.entry.complete, self.entry.placeholder = complete, hint
        self._texts, self._at = [text], 0
        self.entry.put(text)
        self.screen.set_focus(self.entry)  # at once: the next key may already have been typed
        self._say(None)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def look_again(self) -> None:
        """Check the text again, with what is known now, and show the keys if they are active."""
        if self.display:
            self._say(self._check(self.entry.value))

    def _edited(self, text: str) -> None:
        if self.display:
            self._at += 1
            self._texts[self._at :] = [text]
            self._say(self._check(text))

    def _say(self, problem: Problem | None) -> None:
        style = palette_of(self)
        self.entry.colour((), (problem,) if problem is not None else ())
        if problem is not None:
            self.message.say(printable(problem.message) + expected_words(problem))
            return
        words = Text(printable(self._note(self.entry.value)), style=style.quiet)
        if self.screen.focused is self.entry:
            words.append("   " if words else "")
            words.append(APPLIES if self._step is None else STEPS, style=style.faint)
        self.message.say(words)

    def _enter(self) -> None:
        if self._step is not None:
            self._step(1)
            return
        problem = self._check(self.entry.value) or self._take(self.entry.value)
        if problem is not None:
            self._say(problem)
        else:
            self.close()

    def step_within(self, *, back: bool) -> bool:
        """Undo or redo typing in the prompt, without changing the workbench.

        Returns False if nothing was typed here, so that the workbench undoes or redoes.
        """
        at = self._at + (-1 if back else 1)
        if 0 <= at < len(self._texts):
            self._at = at
            self.entry.put(self._texts[at])
            self.look_again()
        return len(self._texts) > 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave escape to the list of suggestions while it is open; arrows step in a search."""
        if action == "step":
            return self._step is not None
        return action != "leave" or self.entry.popup is None

    def action_step(self, by: int) -> None:
        """Go to the next or the previous match."""
        if self._step is not None:
            self._step(by)

    def action_leave(self) -> None:
        """Close without applying the text."""
        self.close()

    def close(self) -> None:
        """Close; the focus moves only if it was in the prompt."""
        inside, self.display = self.entry.has_focus, False
        if inside:
            self._done()


class Filtered(Widget):
    """Mixin, to go after the widget class, whose rows a typed text filters at each key.

    Enter and down keep the filter and go to the rows; escape clears it. The subclass provides the
    view of the rows, and binds keys to the actions.
    """

    view: Widget
    filter_text = ""
    _kept_filter = ""  # the filter to keep when the prompt closes

    def put_filter(self, text: str) -> Problem | None:
        """List the rows that match a text; return its problem if it cannot be read."""
        raise NotImplementedError

    def filter_note(self, text: str) -> str:
        """Return what a filter text means."""
        return ""

    async def action_filter(self, question: str = "Filter") -> None:
        """Ask for a filter text; the rows are filtered from its first letter on."""
        prompt = await Prompt.within(self, self._leave_filter, id=f"{self.view.id}-filter")
        self._kept_filter = ""
        put, note = self.put_filter, self.filter_note
        prompt.ask(question, self.filter_text, self._keep_filter, put, note=note)
        prompt.entry.select_all()

    def _keep_filter(self, text: str) -> None:
        self._kept_filter = text

    def _leave_filter(self) -> None:
        self.screen.set_focus(self.view)  # at once: the next key may already have been typed
        self.put_filter(self._kept_filter)

    def action_go_to_rows(self) -> None:
        """Keep the filter, and go to the rows."""
        if (prompt := Prompt.open_in(self)) is not None:
            self._kept_filter = self.filter_text
            prompt.close()

    def action_show_all(self) -> None:
        """Clear the filter."""
        self.put_filter("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow filter from the rows, go_to_rows from the prompt, and show_all with a filter."""
        focused = self.screen.focused if self.is_attached else None
        if action == "filter":
            return focused is self.view
        if action == "go_to_rows":
            return any(focused is prompt.entry for prompt in self.query(Prompt))
        return action != "show_all" or bool(self.filter_text)
