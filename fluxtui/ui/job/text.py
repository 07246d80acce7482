"""The jobspec as YAML or JSON, coloured, and as Flux will store it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.model.documents.document import dump
from fluxtui.notation.problem import at, printable
from fluxtui.ui.kit.lines import LinesView, MadeLines
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import colour, columns, line_end, location
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import Raw, State, job_text, looked
from fluxtui.workbench.job import Form as FileForm


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


if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission
    from fluxtui.answers.commands.jobs import Rendering
    from fluxtui.ui.kit.text_editor import TextEditor
    from fluxtui.ui.kit.trouble import Trouble

ViewForm = Literal["yaml", "json", "stored", "flux", "slurm", "pbs"]

FORMS: tuple[tuple[ViewForm, str], ...] = (
    ("yaml", "YAML"),
    ("json", "JSON"),
    ("stored", "Stored"),
    ("flux", "flux"),
    ("slurm", "Slurm"),
    ("pbs", "PBS"),
)

TAB = 2  # columns from one tab stop to the next

# The command lines of a longer shape take more time than a key may: they come a frame later.
MANY_TOKENS = 5_000


class TextPane(Pane):
    """Shows the whole jobspec, in the form a person chose; YAML and JSON can be edited.

    on_edit is called with the text and its form after each edit.
    """

    title = "YAML"

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that what is typed right after is already for the text.
        Binding("enter,e", "edit_text", "Edit", show=False, priority=True),
    ]

    form: ViewForm = "yaml"

    def __init__(self, on_edit: Callable[[str, FileForm], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="jobspec-text")
        self.editor: TextEditor | None = None
        self.trouble: Trouble | None = None  # made with it
        self._on_edit = on_edit
        self._turned = False
        self._shown: State | None = None
        # The last command lines, and what they are for: the programs, and the parts of the request.
        self._rendered: tuple[tuple[object, ...], tuple[Rendering, ...]] = ((), ())
        self._text_of: tuple[object, ...] = ()  # what the text that stands here was made of

    def compose(self) -> ComposeResult:
        """The text alone."""
        yield self.view

    def on_mount(self) -> None:
        """Show which form it is, and that there is another."""
        self._title()

    def show(self, state: State) -> None:
        """Show the jobspec of a state."""
        self._shown = state
        raw = state.job.raw
        self._say(state, raw)
        if self.form in ("yaml", "json") and (not state.empty or self._editing or raw):
            self._show_text(state, self.written)
        elif state.empty:
            self._text_of = ()
            self.view.show_lines(
                self.hint("The jobspec, as you type it.", "ctrl+y copies, ctrl+s saves it.")
            )
        elif self.form != "stored":
            if len(state.build.shape.tokens) > MANY_TOKENS:
                self.call_after_refresh(self._show_renderings, state)
            else:
                self._show_renderings(state)
        else:
            self._text_of = ()
            self._show_stored(state)
        if self._turned:  # each form is read from its beginning
            self.view.scroll_to(0, 0, animate=False, immediate=True)
        self._turned = False

    def _say(self, state: State, raw: Raw | None) -> None:
        """Say in the frame what is wrong with the text, or that it is that of earlier texts."""
        wrong = raw if raw is not None and raw.form == self.form else None
        said = ""
        if wrong is not None:
            from fluxtui.ui.kit.trouble import trouble_words

            said = trouble_words(wrong.errors, wrong.text)
        if self.trouble is not None:
            self.trouble.say(said if self._editing else "")
        if said and not self._editing:
            self.say_in_frame(shorten(said, self.size.width - 6))
        elif state.stale and not state.empty and not said:
            self.say_in_frame("stale")
        elif self._editing:
            inside = self.editor is not None and self.has_keys(self.editor)
            self.say_in_frame("esc leaves" if inside else "")
        else:
            editable = self.form in ("yaml", "json") and self.view.has_focus
            self.say_in_frame("enter edits" if editable else "")

    def _show_text(self, state: State, form: FileForm) -> None:
        about = (form, self._editing, self.style, state.job, *self._request(state))
        if _same(about, self._text_of):
            return
        self._text_of = about
        text = "" if state.empty and not state.job.raw else job_text(state, form)
        raw = state.job.raw
        problems = raw.problems if raw is not None and raw.form == form else ()
        if self._editing and self.editor is not None:
            self.editor.put(text)
            self.editor.mark(problems)
            return
        end = line_end(text)
        bad = {location(text, p.span.start, end)[0] for p in problems if p.span is not None}
        lines = text.expandtabs(TAB).removesuffix(end or "\n").split(end or "\n")
        style = self.style

        def made(row: int) -> Text:
            line = colour(lines[row], style)
            if row in bad:
                line.stylize(style.problem)
            return line

        self.view.show_lines(MadeLines(len(lines), made), widest=max(map(columns, lines)))

    def _show_renderings(self, state: State) -> None:
        """Show the request as command lines, if that is what is still wanted."""
        from fluxtui.ui.job import commands  # which the first frame does without

        if state is not self._shown or self.form not in commands.PROGRAMS:
            return
        self._text_of = ()
        found = self._renderings(state, commands.PROGRAMS[self.form])
        self.view.show_lines(*commands.lines(found, self.form, self.size.width - 4, self.style))

    def _renderings(self, state: State, names: tuple[str, ...]) -> "tuple[Rendering, ...]":
        """The request written for these programs; written anew only where it is another."""
        about = (names, *self._request(state))
        before, found = self._rendered
        if not _same(about, before):
            from fluxtui.answers.commands.translation import to_command

            found = to_command(state.jobspec(), names)
            self._rendered = (about, found)
        return found

    @property
    def renderings(self) -> "tuple[Rendering, ...]":
        """The command lines that are shown; none where another form is."""
        from fluxtui.ui.job import commands  # which the first frame does without

        state = self._shown
        if state is None or state.empty or self.form not in commands.PROGRAMS:
            return ()
        return self._renderings(state, commands.PROGRAMS[self.form])

    def _request(self, state: State) -> tuple[object, ...]:
        """What the jobspec is made of, by which it is told from another."""
        if state.job.document is not None:
            return (state.job.document,)
        return (state.build.resources, state.ask.constraint, state.submission.queue)

    # Editing

    @property
    def _editing(self) -> bool:
        return self.editor is not None and self.editor.display

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a text is edited, its keys are its own."""
        if action == "edit_text":
            return self.screen.focused is self.view and self.form in ("yaml", "json")
        return super().check_action(action, parameters)

    async def action_edit_text(self) -> None:
        """Edit the text, from the line in sight on."""
        if self.form not in ("yaml", "json") or self._shown is None:
            return
        if self.editor is None:
            from fluxtui.ui.kit.text_editor import TextEditor
            from fluxtui.ui.kit.trouble import Trouble

            self.editor = TextEditor(
                self._edited, self.leave, lambda line: colour(line, self.style), id="jobspec-editor"
            )
            self.trouble = Trouble(id="jobspec-trouble")
            await self.mount(self.editor, self.trouble)
        row = self.view.scroll_offset.y
        self.editor.display, self.view.display = True, False
        self.show(self._shown)
        self.editor.move_cursor((row, 0))
        self.screen.set_focus(self.editor)  # at once: the next key may be typed already

    def _edited(self, text: str) -> None:
        self._on_edit(text, self.written)

    def leave(self) -> None:
        """End editing; what was typed stays, also where it cannot be read yet."""
        if self.editor is None:
            return
        row, is_here = self.editor.scroll_offset.y, self.screen.focused is self.editor
        self.editor.display, self.view.display = False, True
        if self._shown is not None:
            self.show(self._shown)
        self.view.scroll_to(y=row, animate=False)
        if is_here:
            self.screen.set_focus(self.view)

    def say_keys(self) -> None:
        """Say what can be done here, while the focus is."""
        if self._shown is not None:
            self._say(self._shown, self._shown.job.raw)

    def _show_stored(self, state: State) -> None:
        """Show the jobspec as Flux will store it, with what it adds and replaces marked."""
        outlook, style = looked(state) if state.outlook.unasked else state.outlook, self.style
        answer = outlook.own
        if answer is None or answer.stored is None:
            self.view.show_lines(self._refused(answer))
            return
        from fluxtui.ui.job.text import stored_lines  # which the first frame does without

        lines = stored_lines(answer.stored, outlook.asked)
        looks = {"-": style.problem, "+": style.match}

        def made(row: int) -> Text:
            line = lines[row]
            look = looks.get(line[:1])
            if look is None:
                return colour(line, style)
            return Text(printable(line), style=look, no_wrap=True, end="")

        self.view.show_lines(MadeLines(len(lines), made), widest=max(map(columns, lines)))

    def _refused(self, answer: "Admission | None") -> list[Text]:
        """Why nothing is stored, in the words of Flux where it has any."""
        style = self.style
        refusals = answer.refusals if answer is not None else ()
        words = [refusal.words or refusal.problem.message for refusal in refusals]
        first = "Flux stores nothing: it refuses this job." if refusals else "No whole job yet."
        return [
            self.line((first, style.problem if refusals else style.quiet)),
            *(self.line((f"  {printable(said)}", style.quiet)) for said in words),
        ]

    @property
    def written(self) -> FileForm:
        """The form in which the jobspec is saved: the one that is shown, if it is one of a file."""
        return "json" if self.form == "json" else "yaml"

    def toggle(self) -> None:
        """Go on to the next form; the caller shows the state again."""
        if self._editing:
            self.leave()
        names = [form for form, _ in FORMS]
        self._turn(names[(names.index(self.form) + 1) % len(names)])

    def turn_to(self, form: FileForm) -> None:
        """Go to a form of a file, unless other words are shown; the caller shows it again."""
        if self.form == form or self.form not in ("yaml", "json"):
            return
        if self._editing:
            self.leave()
        self._turn(form)

    def _turn(self, form: ViewForm) -> None:
        self.form = form
        self._turned = True
        self._title()

    def on_resize(self) -> None:
        """Name as many forms as there is room for."""
        self._title()
        if self._shown is not None:
            self.show(self._shown)

    def _title(self) -> None:
        """Name the form that is shown in the tab."""
        self.put_title(dict(FORMS)[self.form])


def _same(about: tuple[object, ...], before: tuple[object, ...]) -> bool:
    """Both hold the very same objects."""
    return len(about) == len(before) and all(
        one is other for one, other in zip(about, before, strict=True)
    )
