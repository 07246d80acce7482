"""The panes with the job as text: YAML, JSON, as Flux will store it, and command lines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.text import Text
from textual.binding import BindingType

from fluxtui.model.documents.document import dump
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, at, printable
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LazyLines, LinesView, colour
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.prompt import EditedText, Trouble, trouble_words
from fluxtui.ui.kit.text import columns, line_end, location, styled_line
from fluxtui.workbench import State, TypeJobspec, job_text, looked
from fluxtui.workbench.job import Form as FileForm

if TYPE_CHECKING:
    from fluxtui.answers.commands.jobs import Rendering

#: The commands whose lines are shown together, by the title of the pane.
PROGRAMS = {
    "flux": ("flux submit", "flux run", "flux batch", "flux alloc"),
    "Slurm": ("srun", "sbatch", "salloc"),
    "PBS": ("qsub",),
    "LSF": ("bsub", "jsrun"),
}

TAB = 2  # columns from one tab stop to the next

# The command lines of a longer shape are slow to make, so they are shown one frame later.
MANY_TOKENS = 5_000


# YAML and JSON


def text_lines(text: str, problems: Sequence[Problem], style: Palette) -> LazyLines:
    """Return the coloured lines of a text, each made when it is seen; problems are marked."""
    end = line_end(text)
    bad = {location(text, p.span.start, end)[0] for p in problems if p.span is not None}
    lines = text.expandtabs(TAB).removesuffix(end or "\n").split(end or "\n")

    def line_at(row: int) -> Text:
        line = colour(lines[row], style)
        if row in bad:
            line.stylize(style.problem)
        return line

    return LazyLines(len(lines), line_at)


def stored_view(state: State, style: Palette) -> Sequence[Text]:
    """Return the jobspec as Flux will store it, with changes marked; or why Flux rejects it."""
    outlook = looked(state) if state.outlook.unasked else state.outlook
    answer = outlook.own
    if answer is None or answer.stored is None:
        refusals = answer.refusals if answer is not None else ()
        first = "Flux stores nothing: it rejects this job." if refusals else "No complete job yet."
        reasons = [f"  {refusal.words or refusal.problem.message}" for refusal in refusals]
        look = style.problem if refusals else style.quiet
        return [Text(first, look), *(Text(printable(words), style.quiet) for words in reasons)]
    lines = stored_lines(answer.stored, outlook.submitted)
    looks = {"-": style.problem, "+": style.good}

    def line_at(row: int) -> Text:
        look = looks.get(lines[row][:1])
        if look is None:
            return colour(lines[row], style)
        return styled_line((printable(lines[row]), look))

    return LazyLines(len(lines), line_at)


def stored_lines(stored: Mapping[str, Any], submitted: Mapping[str, Any]) -> list[str]:
    """Return the difference between the submitted and the stored jobspec, as lines of YAML.

    A line begins with ``+`` if Flux adds it, ``-`` if Flux removes it, and else with a space.
    """
    from fluxtui.answers.admission import changes

    def dumped(lead: str, document: Mapping[str, Any]) -> list[str]:
        return [lead + line for line in dump(document, "yaml").splitlines()]

    changed = {change.path: change for change in changes(submitted, stored)}
    before = submitted.get("attributes", {}).get("system", {})
    after = stored["attributes"]["system"]
    others = {key: value for key, value in stored["attributes"].items() if key != "system"}
    lines = dumped("  ", {key: value for key, value in stored.items() if key != "attributes"})
    lines += ["  attributes:", *(dumped("    ", others) if others else ()), "    system:"]
    for key in dict.fromkeys((*before, *after)):
        change = changed.get(at("attributes.system", str(key)))
        if change is None:
            lines += dumped("      ", {key: before[key]})
            continue
        if change.before is not None:
            lines += dumped("-     ", {key: change.before})
        if change.after is not None:
            lines += dumped("+     ", {key: change.after})
    return lines


# Command lines


def renderings(state: State, program: str) -> "tuple[Rendering, ...]":
    """Return the lines of a key of ``PROGRAMS``, first those that submit a batch script."""
    from fluxtui.answers.commands import jobs
    from fluxtui.answers.commands.translation import to_command

    if state.empty:
        return ()
    document = state.jobspec()
    found, job = to_command(document, PROGRAMS[program]), jobs.read(document)
    if isinstance(job, str) or job.kind != "batch":
        return found
    return tuple(sorted(found, key=lambda command: not command.name.endswith("batch")))


def command_lines(commands: "Sequence[Rendering]", width: int, style: Palette) -> list[Text]:
    """Return each command line, whether it is exact, what it leaves out, and the script."""
    lines: list[Text] = []
    for command in commands:
        mark = ("  = exact", style.good) if command.exact else ("  ≈ approximate", style.warning)
        mark = mark if command.text is not None else ("  cannot express it", style.warning)
        lines += [styled_line()] if lines else []
        lines.append(styled_line((command.name, style.strong), mark))
        lines += _command(command.text, width, style) if command.text is not None else ()
        lines += [styled_line((f"  · {printable(note)}", style.quiet)) for note in command.notes]
        if command.script:
            script = command.script.removesuffix("\n").split("\n")
            lines.append(styled_line(("  as a script", style.faint)))
            lines += [styled_line((f"  {printable(line)}", style.string)) for line in script]
    return lines


def _command(text: str, width: int, style: Palette) -> list[Text]:
    """Return a command line, broken between shell words if it is too long."""
    lines = [styled_line("  ", style=style.plain)]
    words = shellwords.split(text).value
    for number, word in enumerate(words):
        first, *rest = text[slice(*word.span)].split("\n")
        if number and lines[-1].cell_len + 1 + columns(first) > width - 2:
            lines[-1].append(" \\")
            lines.append(styled_line("     ", style=style.plain))
        name, equals, value = first.partition("=") if first.startswith("-") else ("", "", first)
        lines[-1].append(" " if number else "").append(printable(name), style=style.key)
        lines[-1].append(printable(equals + value))
        lines += [styled_line(printable(row), style=style.plain) for row in rest]
    if not words:  # it is too long to be split
        lines[-1].append(printable(text))
    return lines


# The panes


class FormsPane(WorkbenchPane):
    """Shows the job in one of several forms; a key goes to the next one.

    FORMS maps the forms to their titles.
    """

    FORMS: ClassVar[Mapping[str, str]] = {}

    form: str

    def __init__(self, view: LinesView, *, id: str) -> None:
        super().__init__(id=id)
        self.view = view
        self.parts = (view,)

    def show(self, state: State) -> None:
        """Show the job of a state in the current form."""
        super().show(state)
        self.say_keys()

    @property
    def next_form(self) -> str:
        """The form after the current one; the first one follows the last."""
        forms = list(self.FORMS)
        return forms[(forms.index(self.form) + 1) % len(forms)]

    def action_next_form(self) -> None:
        """Show the next form."""
        self.put_form(self.next_form)

    def put_form(self, form: str) -> None:
        """Show the job in another form, from its beginning."""
        self.form = form
        self.put_title(self.FORMS[form])
        self.show_again()
        if self.view.is_attached:  # not yet if a draft is restored before the start
            self.view.scroll_to(0, 0, animate=False, immediate=True)

    @property
    def is_old(self) -> bool:
        """Whether the job shown is older than the text, which is unfinished."""
        return self.state.stale and not self.state.empty


class TextPane(FormsPane, EditedText):
    """Shows the whole jobspec; YAML and JSON can be edited."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Handled first, so that the next keys go to the text.
        bind("text.edit", "enter,e", "edit_text", "Edit", "Edit the YAML or JSON of the job",
             footer=True, first=True),
        bind("text.form", "j", "next_form", "Other form", "Switch to YAML, JSON, or as stored",
             footer=True),
    ]  # fmt: skip

    FORMS: ClassVar[Mapping[str, str]] = {"yaml": "YAML", "json": "JSON", "stored": "Stored"}

    form: Literal["yaml", "json", "stored"] = "yaml"

    def __init__(self, *, id: str) -> None:
        super().__init__(LinesView(id="jobspec-text"), id=id)
        self.trouble = Trouble(id="jobspec-trouble")
        self.parts = (self.view, self.trouble)

    def show(self, state: State) -> None:
        """Show the jobspec of a state."""
        super().show(state)
        raw = state.job.raw
        if state.empty and not self.is_edited and raw is None:
            lines = self.hint("The jobspec, as you type it.", "ctrl+y copies it, ctrl+s saves it.")
            self.view.show_lines(lines)
        elif self.form == "stored":
            self.view.show_lines(stored_view(state, self.style))
        else:
            text = "" if state.empty and raw is None else job_text(state, self.form)
            problems = raw.problems if raw is not None and raw.form == self.form else ()
            if self.editor is not None and self.is_edited:
                self.editor.put(text)
                self.editor.mark(problems)
            else:
                widest = max(map(columns, text.expandtabs(TAB).splitlines()), default=0)
                self.view.show_lines(text_lines(text, problems, self.style), widest=widest)

    def say_keys(self) -> None:
        """Show the problem of the text, or in the frame that it is stale, its signs or a key."""
        raw = self.state.job.raw
        raw = raw if raw is not None and raw.form == self.form else None
        self.trouble.say(trouble_words(raw.errors, raw.text) if raw is not None else "")
        keys = "+ added by Flux  - removed" if self.form == "stored" else ""
        if self.is_edited:
            keys = "esc closes" if self.editor and self.has_keys(self.editor) else ""
        self.say_in_frame("stale" if self.is_old and raw is None else keys)

    @property
    def written(self) -> FileForm:
        """The format in which the jobspec is saved: the one shown, if it is a file format."""
        return "json" if self.form == "json" else "yaml"

    def turn_to(self, form: FileForm, *, always: bool = False) -> None:
        """Show the form of a file; unless always is true, the stored form stays if it is shown."""
        if always or self.form not in (form, "stored"):
            self.put_form(form)

    def put_form(self, form: str) -> None:
        """Show the job in another form, from its beginning, and stop editing."""
        self.leave()
        super().put_form(form)

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable editing only while the view has the focus and shows a file format."""
        if action == "edit_text":
            return self.screen.focused is self.view and self.form != "stored"
        return super().check_action(action, parameters)

    async def action_edit_text(self) -> None:
        """Edit the text, starting at the first visible line."""

        def typed(text: str) -> None:
            self.app.edit(TypeJobspec(text, self.written))

        if self.form != "stored":
            await self.edit_text(typed, lambda line: colour(line, self.style), id="jobspec-editor")

    def show_text(self) -> None:
        """Show the text in the view, or in the editor."""
        self.show_again()


class CommandsPane(FormsPane):
    """Shows the job as command lines of one program at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("commands.form", "j", "next_form", "Other form",
             "Switch between flux, Slurm, PBS and LSF", footer=True),
    ]  # fmt: skip

    FORMS: ClassVar[Mapping[str, str]] = {name: name for name in PROGRAMS}

    form = "flux"

    def __init__(self, *, id: str) -> None:
        super().__init__(LinesView(id="commands-text", wrap=True, hang=2), id=id)

    def show(self, state: State) -> None:
        """Show the job of a state."""
        super().show(state)
        if state.empty:
            lines = ("The job as command lines, as you type it.", "ctrl+y copies them.")
            self.view.show_lines(self.hint(*lines))
        elif len(state.build.shape.tokens) > MANY_TOKENS:
            self.call_after_refresh(self._show, state)
        else:
            self._show(state)

    def _show(self, state: State) -> None:
        if state is self.shown:
            width = self.size.width - 4
            self.view.show_lines(command_lines(self.renderings(state), width, self.style))

    def renderings(self, state: State) -> "tuple[Rendering, ...]":
        """Return the command lines of the job for the current program."""
        return renderings(state, self.form)

    def say_keys(self) -> None:
        """Show in the frame that the job is stale, or the key while it works."""
        keys = f"j {self.next_form}" if self.has_keys(self.view) else ""
        self.say_in_frame("stale" if self.is_old else keys)

    def on_resize(self) -> None:
        """Wrap the lines to the new width."""
        self.show_again()
