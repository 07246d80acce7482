"""The jobspec as YAML or JSON, coloured, and as Flux will store it."""

import re
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult

from fluxtui.model import jobspec
from fluxtui.notation.source import printable
from fluxtui.ui.palette import Palette
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.workbench import State

Form = Literal["yaml", "json", "stored"]

FORMS: tuple[tuple[Form, str], ...] = (("yaml", "YAML"), ("json", "JSON"), ("stored", "Stored"))

_KEY = re.compile(r'^(\s*)((?:- )*)("(?:[^"\\]|\\.)*"|[^\s"\[{:#][^:#]*?)(:)(?= |$)')
_CONSTANT = re.compile(r"(true|false|null|-?\d+(\.\d+)?([eE][-+]?\d+)?)[,\]}]*\Z")


class TextPane(Pane):
    """Shows the whole jobspec, in the form a person chose."""

    title: ClassVar[str] = "YAML"

    form: Form = "yaml"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="jobspec-text")

    def compose(self) -> ComposeResult:
        """The text alone."""
        yield self.view

    def on_mount(self) -> None:
        """Show which form it is, and that there is another."""
        self._title()

    def show(self, state: State) -> None:
        """Show the jobspec of a state."""
        self.border_subtitle = "stale" if state.stale and state.build.resources else ""
        view = self.view
        if not state.build.resources:
            view.show_lines(
                self.hint("The jobspec, as you type it.", "ctrl+y copies, ctrl+s saves it.")
            )
            return
        if self.form == "stored":
            view.show_lines(self._stored(state))
            return
        text = jobspec.dump(state.jobspec(), self.form)
        view.show_lines([colour(line, self.style) for line in text.splitlines()])

    def _stored(self, state: State) -> list[Text]:
        """The jobspec as Flux will store it, with what it adds and replaces marked."""
        style = self.style
        answer = state.outlook.own
        if answer is None or answer.stored is None:
            refusals = answer.refusals if answer is not None else ()
            lines = [self.line(("Flux stores nothing: it refuses this job.", style.problem))]
            return lines + [
                self.line((f"  {printable(refusal.words)}", style.quiet)) for refusal in refusals
            ]
        from difflib import ndiff

        before = jobspec.dump(state.jobspec(), "yaml").splitlines()
        after = jobspec.dump(answer.stored, "yaml").splitlines()
        lines = []
        for line in ndiff(before, after, linejunk=None, charjunk=None):
            mark, text = line[:2], line[2:]
            if mark == "? ":
                continue
            shown = colour(text, style)
            if mark != "  ":
                look = style.match if mark == "+ " else style.problem
                shown = Text(printable(text), style=look, no_wrap=True, end="")
            lines.append(Text(mark, style=style.quiet, no_wrap=True, end="").append_text(shown))
        return lines

    @property
    def written(self) -> Literal["yaml", "json"]:
        """The form in which the jobspec is saved: the one that is shown, if it is one of a file."""
        return "json" if self.form == "json" else "yaml"

    def toggle(self) -> None:
        """Go on to the next form; the caller shows the state again."""
        names = [form for form, _ in FORMS]
        self.form = names[(names.index(self.form) + 1) % len(names)]
        self._title()

    def _title(self) -> None:
        forms = (
            f"[b]{name}[/b]" if form == self.form else f"[dim]{name}[/dim]" for form, name in FORMS
        )
        self.border_title = "[@click=app.text_form]" + " │ ".join(forms) + "[/]"


def colour(line: str, style: Palette) -> Text:
    """One line of YAML or JSON, its key and its value in their colours."""
    line = printable(line)
    text = Text(line, style=style.string, no_wrap=True, end="")
    start = 0
    key = _KEY.match(line)
    if key:
        text.stylize(style.punctuation, 0, key.start(3))
        text.stylize(style.key, key.start(3), key.end(3))
        text.stylize(style.punctuation, key.start(4), key.end(4))
        start = key.end(4)
    value = line[start:].lstrip(" -")
    at = len(line) - len(value)
    if _CONSTANT.match(value):
        text.stylize(style.number, at)
    if value and value[0] in "[]{}":
        text.stylize(style.punctuation, at)
    if not key:
        text.stylize(style.punctuation, 0, at)
    return text
