"""The jobspec as YAML or JSON, coloured."""

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

Form = Literal["yaml", "json"]

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
        text = jobspec.dump(state.jobspec(), self.form)
        view.show_lines([colour(line, self.style) for line in text.splitlines()])

    def toggle(self) -> None:
        """Change between YAML and JSON; the caller shows the state again."""
        self.form = "json" if self.form == "yaml" else "yaml"
        self._title()

    def _title(self) -> None:
        forms = (
            f"[b]{f.upper()}[/b]" if f == self.form else f"[dim]{f.upper()}[/dim]"
            for f in ("yaml", "json")
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
