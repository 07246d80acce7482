"""Texts in a pane: one that is edited in its place, what is wrong with it, a question for one."""

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

MOST = 3  # rows that what is said of a text may take
APPLIES, STEPS = "enter applies · esc closes", "enter ↓ next · ↑ previous · esc closes"


def trouble_words(problems: Sequence[Problem], text: str) -> str:
    """``line 3: not YAML: …``: the first problem of a text, with the line that it is in."""
    return f"line {line_of(problems[0], text)}: {printable(problems[0].message)}"


class Trouble(LinesView, can_focus=False):
    """What is wrong with a text, or a note, in as many rows as it needs, up to three.

    Hidden while there is nothing to say.
    """

    DEFAULT_CSS = f"Trouble {{ height: auto; max-height: {MOST}; overflow: hidden; }}"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, wrap=True, hang=2, most=MOST)
        self.display = False

    def say(self, words: str | Text) -> None:
        """Show a problem in words, or any text; hide if it is blank."""
        self.display = bool(words)
        if isinstance(words, str):
            words = Text(words, style=palette_of(self).problem, end="")
        self.show_lines([words])


class EditedText(Widget):
    """To be put after the class of a widget: its text is edited in the place of the view of it.

    The subclass makes the view and the trouble, which come one after the other, and shows the text
    in the editor, which is made on first use, while it is edited.
    """

    view: LinesView
    trouble: Trouble
    editor: "TextEditor | None" = None

    @property
    def is_edited(self) -> bool:
        """Whether the text is being edited."""
        return self.editor is not None and self.editor.display

    def show_text(self) -> None:
        """Show the text in the view, or in the editor."""
        raise NotImplementedError

    async def edit_text(
        self, on_edit: Callable[[str], None], colour: Callable[[str], Text], *, id: str
    ) -> None:
        """Edit the text, from the line in sight on."""
        if self.editor is None:
            from fluxtui.ui.kit.text_editor import TextEditor

            self.editor = TextEditor(on_edit, self.leave, colour, id=id)
            await self.mount(self.editor, before=self.trouble)
        self.editor.display, self.view.display = True, False
        self.show_text()
        self.editor.move_cursor((self.view.scroll_offset.y, 0))
        self.screen.set_focus(self.editor)  # at once, as the next key may already be typed

    def leave(self) -> None:
        """Stop editing; the text stays even if it cannot be read yet."""
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

    on_leave is called when it is closed while a person is in it, whether a text was taken or not.
    Where it finds something, enter and the arrows step from one to the next, and it stays open.
    """

    DEFAULT_CSS = """
    Prompt { height: auto; }
    Prompt > Horizontal { height: 1; }
    Prompt Entry { width: 1fr; }
    Prompt .prompt-label { width: auto; min-width: 4; max-width: 50%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("prompt.leave", "escape", "leave", "Close", "Close without an answer", first=True),
        bind("prompt.next", "down", "step(1)", "Next", "Go to the next one", first=True),
        bind("prompt.back", "up", "step(-1)", "Back", "Go to the previous one", first=True),
    ]

    def __init__(self, on_leave: Callable[[], object], *, id: str) -> None:
        super().__init__(id=id)
        self._done = on_leave
        self._step: Callable[[int], None] | None = None
        self.label = OneLine(classes="prompt-label")
        self.entry = Entry(self._edited, self._enter, "", id=f"{id}-entry")
        self.message = Trouble()
        self._texts, self._at = [""], 0  # what was typed one after the other, and which is shown
        self.display = False

    @classmethod
    async def within(cls, around: Widget, on_leave: Callable[[], object], *, id: str) -> "Prompt":
        """The prompt in a widget, which is made for the first question."""
        for made in around.query(cls):
            return made
        prompt = cls(on_leave, id=id)
        await around.mount(prompt)
        return prompt

    @classmethod
    def open_in(cls, around: Widget) -> "Prompt | None":
        """The prompt in a widget, while it asks."""
        return next((made for made in around.query(cls) if made.display), None)

    def compose(self) -> ComposeResult:
        """The question, the text, and what is wrong with it."""
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
    ) -> None:
        """Ask for a text, with one to begin with.

        take is given the text on enter, and says what speaks against it; check says so after each
        key, and note what the text means where nothing speaks against it. step is called with 1
        for the next of what is found, with -1 for the one before; enter does that too then.
        """
        self._take, self._check, self._note, self._step = take, check, note, step
        self.label.show(Text(f"{question} ", style=palette_of(self).quiet))
        self.label.styles.width = len(question) + 1
        self.display = True
        self.entry.complete = complete
        self._texts, self._at = [text], 0
        self.entry.put(text)
        self.screen.set_focus(self.entry)  # at once, as the next key may already be typed
        self._say(None)

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def look_again(self) -> None:
        """Check the text again, as more is known, and name the keys while they work."""
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
        """Undo or redo what was typed here, without changing the workbench.

        False where nothing was typed: the step is then one of the workbench.
        """
        at = self._at + (-1 if back else 1)
        if 0 <= at < len(self._texts):
            self._at = at
            self.entry.put(self._texts[at])
            self.look_again()
        return len(self._texts) > 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let escape close the suggestions first; arrows step where something is found."""
        if action == "step":
            return self._step is not None
        return action != "leave" or self.entry.popup is None

    def action_step(self, by: int) -> None:
        """Go to the next or the previous one."""
        if self._step is not None:
            self._step(by)

    def action_leave(self) -> None:
        """Close without applying the text."""
        self.close()

    def close(self) -> None:
        """Close; who is elsewhere by now stays there."""
        inside, self.display = self.entry.has_focus, False
        if inside:
            self._done()


class Filtered(Widget):
    """To be put after the class of a widget: a text that is typed there narrows its rows at once.

    Enter keeps the text, as the arrow down does, which goes to the rows; escape lists all again.
    The subclass has the view of the rows, and binds these keys to the actions.
    """

    view: Widget
    filter_text = ""
    _kept_filter = ""  # once its question is answered

    def put_filter(self, text: str) -> Problem | None:
        """List what a text leaves; what speaks against the text."""
        raise NotImplementedError

    def filter_note(self, text: str) -> str:
        """What a text means."""
        return ""

    async def action_filter(self, question: str = "Filter") -> None:
        """Ask for a text; only rows that it fits are listed, from its first letter on."""
        prompt = await Prompt.within(self, self._leave_filter, id=f"{self.view.id}-filter")
        self._kept_filter = ""
        put, note = self.put_filter, self.filter_note
        prompt.ask(question, self.filter_text, self._keep_filter, put, note=note)
        prompt.entry.select_all()

    def _keep_filter(self, text: str) -> None:
        self._kept_filter = text

    def _leave_filter(self) -> None:
        self.screen.set_focus(self.view)  # at once, as the next key may already be typed
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
        """The slash is for the rows, the arrow for the question, escape where there is a filter."""
        focused = self.screen.focused if self.is_attached else None
        if action == "filter":
            return focused is self.view
        if action == "go_to_rows":
            return any(focused is prompt.entry for prompt in self.query(Prompt))
        return action != "show_all" or bool(self.filter_text)
