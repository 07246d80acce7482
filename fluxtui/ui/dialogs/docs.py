"""Show a formatted topic of the documentation, scrolled to one of its headings."""

import re
from collections.abc import Callable
from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown

from fluxtui import docs
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind

WIDTH = 100  # columns of the box at most
AROUND = 10  # columns of its edges, and of the margins of code in it
LEAST = 16  # columns that a comment in code is wrapped to at least

_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^(.* )(# .*)$", re.MULTILINE)


def _wrapped(code: str, room: int) -> str:
    """Wrap the comments beside the lines of a block of code, below each other."""

    def wrapped(line: re.Match[str]) -> str:
        lead, comment = line.groups()
        rows = wrap(comment[2:], max(room - len(lead), LEAST) - 2)
        return lead + "# " + f"\n{' ' * len(lead)}# ".join(rows)

    return _COMMENT.sub(wrapped, code)


class TopicDialog(Dialog[None]):
    """Shows the topic of a section, scrolled to that section; find searches for another one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("docs.find", "slash,tab", "find", "Find", "Find another part of the documentation",
             first=True),  # so that what is typed right after is for the search
    ]  # fmt: skip

    def __init__(self, section: docs.Section, find: Callable[[], object]) -> None:
        super().__init__()
        topic = docs.topic(section.topic)
        assert topic is not None
        self._topic, self._section, self._find = topic, section, find

    def compose(self) -> ComposeResult:
        """Yield the text in a scrolling box."""
        with VerticalScroll(id="box"):
            yield Markdown(id="docs-text", open_links=False)

    async def on_mount(self) -> None:
        """Format the text, and scroll to the heading of the section."""
        self.say_title(self._topic.title, f"fluxtui docs {self._topic.name}")
        self.say_keys(("slash", "finds"), ("pagedown", "goes on"), ("escape", "closes"))
        text = self.query_one("#docs-text", Markdown)
        room = min(self.app.size.width, WIDTH) - AROUND
        await text.update(_CODE.sub(lambda code: _wrapped(code[0], room), self._topic.text))
        box = self.query_one("#box", VerticalScroll)
        box.focus()
        heading = [*text.query("MarkdownHeader")][self._topic.sections.index(self._section)]
        self.call_after_refresh(box.scroll_to_widget, heading, top=True, animate=False)

    def action_find(self) -> None:
        """Close, and search for another part of the documentation."""
        self.dismiss(None)
        self._find()
