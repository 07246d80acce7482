"""The lines below a text that is edited: what is wrong with it, as long as that is."""

from collections.abc import Sequence

from rich.text import Text

from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import line_of


def trouble_words(problems: Sequence[Problem], text: str) -> str:
    """``line 3: not YAML: …``: the first problem of a text, with the line that it is in."""
    return f"line {line_of(problems[0], text)}: {printable(problems[0].message)}"


class Trouble(LinesView):
    """Says what is wrong in all its words, in as many lines as it takes; away while nothing is."""

    DEFAULT_CSS = """
    Trouble { height: auto; max-height: 5; background: $surface; overflow-x: hidden; }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True, hang=2)
        self.can_focus = False
        self.display = False

    def say(self, words: str) -> None:
        """Say this; nothing where it is blank."""
        self.display = bool(words)
        if words:
            self.show_lines([Text(words, style=palette_of(self).problem, end="")])
