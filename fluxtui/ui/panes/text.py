"""The jobspec as YAML or JSON, coloured, and as Flux will store it."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult

from fluxtui.model import jobspec
from fluxtui.notation.source import at, printable
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
        self._turned = False

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
            lines = self._stored(state)
            view.show_lines(lines)
            if self._turned:
                marked = (row for row, line in enumerate(lines) if line.plain[:1] in "+-")
                view.scroll_to(y=max(next(marked, 0) - 2, 0), animate=False)
                self._turned = False
            return
        text = jobspec.dump(state.jobspec(), self.form)
        view.show_lines([colour(line, self.style) for line in text.splitlines()])

    def _stored(self, state: State) -> list[Text]:
        """The jobspec as Flux will store it, with what it adds and replaces marked."""
        style, outlook = self.style, state.outlook
        answer = outlook.own
        if answer is None or answer.stored is None:
            return self._refused(state)
        from fluxtui.answers.admission import changes

        stored = answer.stored
        changed = {change.path: change for change in changes(outlook.asked, stored)}
        rest = {key: value for key, value in stored.items() if key != "attributes"}
        lines = [*_dumped(rest, "  ", style), colour("  attributes:", style)]
        for name, value in stored["attributes"].items():
            if name != "system":
                lines += _dumped({name: value}, "    ", style)
        lines.append(colour("    system:", style))
        asked = outlook.asked.get("attributes", {}).get("system", {})
        for key in dict.fromkeys((*asked, *stored["attributes"]["system"])):
            change = changed.get(at("attributes.system", str(key)))
            if change is None:
                lines += _dumped({key: asked[key]}, "      ", style)
                continue
            if change.before is not None:
                lines += _dumped({key: change.before}, "-     ", style, style.problem)
            if change.after is not None:
                lines += _dumped({key: change.after}, "+     ", style, style.match)
        return lines

    def _refused(self, state: State) -> list[Text]:
        """Why nothing is stored, in the words of Flux where it has any."""
        style, answer = self.style, state.outlook.own
        refusals = answer.refusals if answer is not None else ()
        words = [refusal.words or refusal.problem.message for refusal in refusals]
        first = "Flux stores nothing: it refuses this job." if refusals else "No whole job yet."
        return [
            self.line((first, style.problem if refusals else style.quiet)),
            *(self.line((f"  {printable(said)}", style.quiet)) for said in words),
        ]

    @property
    def written(self) -> Literal["yaml", "json"]:
        """The form in which the jobspec is saved: the one that is shown, if it is one of a file."""
        return "json" if self.form == "json" else "yaml"

    def toggle(self) -> None:
        """Go on to the next form; the caller shows the state again."""
        names = [form for form, _ in FORMS]
        self.form = names[(names.index(self.form) + 1) % len(names)]
        self._turned = True
        self._title()

    def _title(self) -> None:
        forms = (
            f"[b]{name}[/b]" if form == self.form else f"[dim]{name}[/dim]" for form, name in FORMS
        )
        self.border_title = "[@click=app.text_form]" + " │ ".join(forms) + "[/]"


def _dumped(
    document: Mapping[str, Any], lead: str, style: Palette, look: Style | None = None
) -> list[Text]:
    """A part of a jobspec as lines of YAML behind a lead, in their colours or all in one look."""
    lines = jobspec.dump(document, "yaml").splitlines()
    if look is None:
        return [colour(lead + line, style) for line in lines]
    return [Text(lead + printable(line), style=look, no_wrap=True, end="") for line in lines]


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
