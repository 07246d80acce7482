"""The question before anything changes a running Flux: the flux command that it is."""

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from fluxtui.bridge.live.job import Order
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import styled_line


class Confirm(Dialog[Order]):
    """Shows the flux command that an action is: enter does it, escape leaves it.

    order makes it, of what is typed where field names something to type, such as a reason; it may
    say what is wrong with that instead. notes tell what comes of it, shown is the document that is
    sent.
    """

    def __init__(
        self,
        title: str,
        order: Callable[[str], Order | Problem],
        notes: Sequence[str] = (),
        field: str = "",
        text: str = "",
        shown: Sequence[Text] = (),
    ) -> None:
        super().__init__()
        self._title, self._order, self._notes = title, order, notes
        self._field, self._text, self._shown = field, text, shown

    def compose(self) -> ComposeResult:
        """The command, what is typed for it, and what comes of it."""
        with Vertical(id="box"):
            yield Static(id="confirm-command", classes="note")
            if self._field:
                yield PlainInput(self._text, placeholder=self._field, id="confirm-text")
            for note in self._notes:
                yield Static(Text(printable(note)), classes="note")
            if self._shown:
                yield LinesView(id="confirm-shown", on_enter=self._do)

    def on_mount(self) -> None:
        """Name the keys."""
        self.say_title(self._title)
        self.say_keys(("enter", "does it"), ("escape", "leaves it"))
        self._say()
        for view in self.query(LinesView):
            view.show_lines(self._shown)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the command with what is typed."""
        self._say()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it."""
        self._do()

    def on_key(self, event: events.Key) -> None:
        """Do it on enter where nothing is typed."""
        if event.key == "enter" and not self._field:
            event.stop()
            self._do()

    @property
    def _found(self) -> Order | Problem:
        return self._order(self.query_one(Input).value.strip() if self._field else "")

    def _do(self) -> None:
        found = self._found
        if isinstance(found, Order):
            self.dismiss(found)

    def _say(self) -> None:
        found, style = self._found, palette_of(self)
        line = styled_line(("$ ", style.quiet))
        if isinstance(found, Order):
            line.append(found.name, style=style.strong)
        else:
            line = styled_line((printable(found.message), style.problem))
        self.query_one("#confirm-command", Static).update(line)
