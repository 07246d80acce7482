"""A line at the foot of a tree that asks for a text to look for, and goes on to the next one."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.one_line import OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.whole import Whole


class Finder(Whole, Horizontal):
    """The line that asks for the text to look for; enter and the arrows go on to the next one."""

    DEFAULT_CSS = """
    Finder { height: 1; display: none; }
    Finder .finder-label { width: 6; }
    Finder Entry { width: 1fr; }
    Finder .finder-words { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False, priority=True),
        Binding("down", "next(1)", "Next", show=False, priority=True),
        Binding("up", "next(-1)", "The one before", show=False, priority=True),
    ]

    def __init__(
        self,
        on_look: Callable[[str, int | None, int, bool], None],
        on_leave: Callable[[], object],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._look = on_look
        self._leave = on_leave
        self._from: int | None = None  # the vertex from which on one looks while typing
        self._at: int | None = None  # the one that was found
        self._label = OneLine(classes="finder-label")
        self.entry = Entry(self._edited, lambda: self.action_next(1), "", id="graph-find-entry")
        self._words = OneLine(classes="finder-words")
        self.parts = self._label, self.entry, self._words

    def ask(self, vertex: int | None) -> None:
        """Ask for a text; it is looked for from a vertex on."""
        self._from = self._at = vertex
        self._label.show(Text("Find ", style=palette_of(self).quiet))
        self.display = True
        self.screen.set_focus(self.entry)  # at once: the next key may be typed already
        self.entry.select_all()
        self._edited(self.entry.value)

    def say(self, words: str, *, is_missing: bool = False) -> None:
        """Say what became of it."""
        style = palette_of(self)
        look = style.warning if is_missing else style.faint
        self._words.show(Text(f"  {words}", style=look))

    def found(self, vertex: int) -> None:
        """Say that a vertex was found, and how to go on."""
        self._at = vertex
        self._say_found()

    def _say_found(self) -> None:
        has_keys = self.screen.focused is self.entry
        self.say("enter ↓ next · ↑ the one before · esc leaves" if has_keys else "")

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self.again()

    def on_descendant_blur(self) -> None:
        """Name no key that does nothing."""
        if self.display:
            self.say("")

    def again(self) -> None:
        """Look once more, as more is known now."""
        if self.display:
            self._edited(self.entry.value)

    def _edited(self, text: str) -> None:
        if self.display:
            self._look(text, self._from, 1, True)

    def action_next(self, by: int) -> None:
        """Go on to the next one, or back."""
        self._from = self._at
        self._look(self.entry.value, self._at, by, False)

    def action_leave(self) -> None:
        """Close it; the cursor stays where it is."""
        self.close()

    def close(self) -> None:
        """Close it."""
        if self.display:
            inside = self.entry.has_focus
            self.display = False
            if inside:
                self._leave()
