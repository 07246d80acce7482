"""The jobspec as YAML or JSON, coloured and edited, and as Flux will store it."""

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from fluxtui.model.documents.document import dump
from fluxtui.notation.problem import Problem, at, printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, MadeLines, colour
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.prompt import Trouble, trouble_words
from fluxtui.ui.kit.text import columns, line_end, location
from fluxtui.workbench import State, job_text, looked
from fluxtui.workbench.job import Form as FileForm

if TYPE_CHECKING:
    from fluxtui.ui.kit.text_editor import TextEditor

ViewForm = Literal["yaml", "json", "stored"]

FORMS: dict[ViewForm, str] = {"yaml": "YAML", "json": "JSON", "stored": "Stored"}

TAB = 2  # columns from one tab stop to the next


def text_lines(text: str, problems: Sequence[Problem], style: Palette) -> MadeLines:
    """A text as coloured lines, those with a problem as such; each is made when it is seen."""
    end = line_end(text)
    bad = {location(text, p.span.start, end)[0] for p in problems if p.span is not None}
    lines = text.expandtabs(TAB).removesuffix(end or "\n").split(end or "\n")

    def made(row: int) -> Text:
        line = colour(lines[row], style)
        if row in bad:
            line.stylize(style.problem)
        return line

    return MadeLines(len(lines), made)


def stored_view(state: State, style: Palette) -> Sequence[Text]:
    """The jobspec as Flux will store it, with changes marked; or why Flux rejects it."""
    outlook = looked(state) if state.outlook.unasked else state.outlook
    answer = outlook.own
    if answer is None or answer.stored is None:
        refusals = answer.refusals if answer is not None else ()
        first = "Flux stores nothing: it rejects this job." if refusals else "No complete job yet."
        words = [f"  {refusal.words or refusal.problem.message}" for refusal in refusals]
        look = style.problem if refusals else style.quiet
        return [Text(first, look), *(Text(printable(said), style.quiet) for said in words)]
    lines = stored_lines(answer.stored, outlook.asked)
    looks = {"-": style.problem, "+": style.good}

    def made(row: int) -> Text:
        look = looks.get(lines[row][:1])
        if look is None:
            return colour(lines[row], style)
        return Text(printable(lines[row]), style=look, no_wrap=True, end="")

    return MadeLines(len(lines), made)


def stored_lines(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What Flux stores of the jobspec that is asked for, as lines of YAML.

    A line begins with ``+`` where Flux adds it, with ``-`` where it takes it out, else with blanks.
    """
    from fluxtui.answers.admission import changes

    changed = {change.path: change for change in changes(asked, stored)}
    rest = {key: value for key, value in stored.items() if key != "attributes"}
    lines = _dumped(rest, "  ")
    lines.append("  attributes:")
    for name, value in stored["attributes"].items():
        if name != "system":
            lines += _dumped({name: value}, "    ")
    lines.append("    system:")
    before = asked.get("attributes", {}).get("system", {})
    for key in dict.fromkeys((*before, *stored["attributes"]["system"])):
        change = changed.get(at("attributes.system", str(key)))
        if change is None:
            lines += _dumped({key: before[key]}, "      ")
            continue
        if change.before is not None:
            lines += _dumped({key: change.before}, "-     ")
        if change.after is not None:
            lines += _dumped({key: change.after}, "+     ")
    return lines


def _dumped(document: Mapping[str, Any], lead: str) -> list[str]:
    """A part of a jobspec as lines of YAML behind a lead."""
    return [lead + line for line in dump(document, "yaml").splitlines()]


class TextPane(Pane):
    """Shows the whole jobspec, in the form a person chose; YAML and JSON can be edited.

    on_edit is called with the text and its form after each edit.
    """

    title = "YAML"

    BINDINGS: ClassVar[list[BindingType]] = [
        # First, so that keys typed right after go to the text.
        bind("text.edit", "enter,e", "edit_text", "Edit", "Edit the YAML or JSON of the job",
             footer=True, first=True),
        bind("text.form", "j", "next_form", "Other form", "Switch to YAML, JSON, or as stored",
             footer=True),
    ]  # fmt: skip

    form: ViewForm = "yaml"

    def __init__(self, on_edit: Callable[[str, FileForm], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="jobspec-text")
        self.trouble = Trouble(id="jobspec-trouble")
        self.editor: TextEditor | None = None
        self._on_edit = on_edit
        self._turned = False
        self._shown: State | None = None
        self._text_of: tuple[object, ...] = ()  # what the shown text was made from

    def compose(self) -> ComposeResult:
        """The text, and its problem."""
        yield self.view
        yield self.trouble

    def show(self, state: State) -> None:
        """Show the jobspec of a state."""
        self._shown = state
        self.say_keys()
        raw = state.job.raw
        if state.empty and not self._editing and raw is None:
            lines = self.hint("The jobspec, as you type it.", "ctrl+y copies it, ctrl+s saves it.")
            self._put(lines)
        elif self.form == "stored":
            self._put(stored_view(state, self.style))
        else:
            self._show_text(state, self.form)
        if self._turned:  # each form is read from its beginning
            self.view.scroll_to(0, 0, animate=False, immediate=True)
        self._turned = False

    def _put(self, lines: Sequence[Text]) -> None:
        self._text_of = ()
        self.view.show_lines(lines)

    def _show_text(self, state: State, form: FileForm) -> None:
        parts = (state.job, state.build.resources, state.ask.constraint, state.submission.queue)
        about = (form, self._editing, self.style, *parts)
        if self._text_of and all(map(is_, about, self._text_of)):
            return
        self._text_of = about
        raw = state.job.raw
        text = "" if state.empty and raw is None else job_text(state, form)
        problems = raw.problems if raw is not None and raw.form == form else ()
        if self._editing and self.editor is not None:
            self.editor.put(text)
            self.editor.mark(problems)
        else:
            widest = max(map(columns, text.expandtabs(TAB).splitlines()), default=0)
            self.view.show_lines(text_lines(text, problems, self.style), widest=widest)

    def say_keys(self) -> None:
        """Say what is wrong with the text or that it is an earlier one, or what its signs mean."""
        state = self._shown
        if state is None:
            return
        raw = state.job.raw
        is_wrong = raw is not None and raw.form == self.form
        self.trouble.say(trouble_words(raw.errors, raw.text) if raw and is_wrong else "")
        keys = ""
        if self._editing:
            keys = "esc closes" if self.editor and self.has_keys(self.editor) else ""
        elif self.form == "stored":
            keys = "+ added by Flux  - removed"
        is_old = state.stale and not state.empty and not is_wrong
        self.say_in_frame("stale" if is_old else keys)

    # Editing

    @property
    def _editing(self) -> bool:
        return self.editor is not None and self.editor.display

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a text is edited, its keys are its own."""
        if action == "edit_text":
            return self.screen.focused is self.view and self.form != "stored"
        return super().check_action(action, parameters)

    async def action_edit_text(self) -> None:
        """Edit the text, from the line in sight on."""
        if self.form == "stored" or self._shown is None:
            return
        if self.editor is None:
            from fluxtui.ui.kit.text_editor import TextEditor

            self.editor = TextEditor(
                lambda text: self._on_edit(text, self.written),
                self.leave,
                lambda line: colour(line, self.style),
                id="jobspec-editor",
            )
            await self.mount(self.editor, before=self.trouble)
        row = self.view.scroll_offset.y
        self.editor.display, self.view.display = True, False
        self.show(self._shown)
        self.editor.move_cursor((row, 0))
        self.screen.set_focus(self.editor)  # at once, as the next key may already be typed

    def leave(self) -> None:
        """Stop editing; the text stays even if it cannot be read yet."""
        if self.editor is None:
            return
        row, is_here = self.editor.scroll_offset.y, self.screen.focused is self.editor
        self.editor.display, self.view.display = False, True
        if self._shown is not None:
            self.show(self._shown)
        self.view.scroll_to(y=row, animate=False)
        if is_here:
            self.screen.set_focus(self.view)

    # The form

    @property
    def written(self) -> FileForm:
        """The format in which the jobspec is saved: the one shown, if it is a file format."""
        return "json" if self.form == "json" else "yaml"

    def action_next_form(self) -> None:
        """Go on to the next form."""
        forms = list(FORMS)
        self.put_form(forms[(forms.index(self.form) + 1) % len(forms)])
        if self._shown is not None:
            self.show(self._shown)

    def turn_to(self, form: FileForm) -> None:
        """Go to a form of a file, unless what Flux stores is shown; the caller shows it again."""
        if self.form not in (form, "stored"):
            self.put_form(form)

    def put_form(self, form: ViewForm) -> None:
        """Go to a form; the caller shows the state again."""
        if self._editing:
            self.leave()
        self.form = form
        self._turned = True
        self.put_title(FORMS[form])

    def on_resize(self) -> None:
        """Show the text again, from its beginning where the form is another."""
        if self._shown is not None:
            self.show(self._shown)
