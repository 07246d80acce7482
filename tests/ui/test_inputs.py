"""Inputs of one line: readline's keys, whatever text they hold, and edits in the key's frame."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets.input import Selection

from fluxtui.notation.problem import Problem, Span, Token
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.input import PlainInput
from tests.ui.helpers import Hands, running

WIDTH = 12


class Inputs(App[None]):
    """An input of each kind."""

    CSS = f"PlainInput {{ border: none; padding: 0; height: 1; width: {WIDTH}; }}"

    def __init__(self) -> None:
        super().__init__()
        self.edits: list[str] = []
        self.sent: list[str] = []
        self.entered = 0

    def compose(self) -> ComposeResult:
        plain = PlainInput(id="plain", select_on_focus=False)
        entry = Entry(self.edits.append, self._enter, "what may come here", id="entry")
        yield plain
        yield entry

    def _enter(self) -> None:
        self.entered += 1

    def on_input_changed(self, event: Entry.Changed) -> None:
        self.sent.append(event.input.id or "")

    def action_say(self, key: str) -> None:
        self.sent.append(key)

    def action_help_quit(self) -> None:
        self.sent.append("ctrl+c")


@asynccontextmanager
async def inputs(**keymap: str) -> AsyncIterator[tuple[Inputs, Entry, Hands]]:
    """The inputs, the entry with the focus."""
    app = Inputs()
    app.set_keymap({f"input.{name}": keys for name, keys in keymap.items()})
    async with running(app, size=(20, 4)) as pilot:
        entry = app.query_one("#entry", Entry)
        entry.focus()
        await pilot.settle()
        yield app, entry, pilot


async def typed(pilot: Hands, entry: PlainInput, text: str, *keys: str) -> tuple[str, int]:
    """What a text becomes by keys, and where the cursor is."""
    entry.focus()
    entry.value = text
    entry.cursor_position = len(text)
    await pilot.press(*keys)
    return entry.value, entry.cursor_position


LINE = "node=4/slot{a}/core"

KEYS = [
    (("ctrl+a",), (LINE, 0)),
    (("ctrl+a", "ctrl+e"), (LINE, 19)),
    (("ctrl+b", "ctrl+b"), (LINE, 17)),
    (("alt+b", "alt+b"), (LINE, 12)),
    (("home", "alt+f", "alt+f"), (LINE, 6)),
    (("ctrl+left",), (LINE, 15)),
    (("home", "ctrl+right"), (LINE, 4)),
    (("home", "ctrl+d", "delete"), ("de=4/slot{a}/core", 0)),
    (("ctrl+d",), (LINE, 19)),
    (("ctrl+h", "backspace"), ("node=4/slot{a}/co", 17)),
    (("ctrl+w",), ("node=4/slot{a}/", 15)),
    (("ctrl+w", "ctrl+w"), ("node=4/slot{", 12)),
    (("home", "alt+d"), ("=4/slot{a}/core", 0)),
    (("alt+b", "ctrl+k"), ("node=4/slot{a}/", 15)),
    (("alt+b", "ctrl+u"), ("core", 0)),
    (("alt+b", "ctrl+u", "end", "ctrl+y"), ("corenode=4/slot{a}/", 19)),
    (("ctrl+w", "ctrl+y", "ctrl+y"), ("node=4/slot{a}/corecore", 23)),
    (("ctrl+t",), ("node=4/slot{a}/coer", 19)),
    (("alt+b", "ctrl+t"), ("node=4/slot{a}c/ore", 16)),
    (("home", "ctrl+t"), (LINE, 0)),
    (("shift+left", "shift+left", "ctrl+w"), ("node=4/slot{a}/co", 17)),
    (("ctrl+shift+left", "ctrl+shift+left", "x"), ("node=4/slot{x", 13)),
    (("shift+home", "x"), ("x", 1)),
    (("home", "ctrl+shift+right", "delete"), ("=4/slot{a}/core", 0)),
    (("ctrl+shift+a", "backspace"), ("", 0)),
]


async def test_readlines_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    async with inputs() as (app, entry, pilot):
        plain = app.query_one("#plain", PlainInput)
        for one in (plain, entry):
            for keys, expected in KEYS:
                assert await typed(pilot, one, LINE, *keys) == expected, keys
        # A key that does nothing here is another's.
        for key in ("ctrl+y", "ctrl+f"):
            app.bind(key, f"say('{key}')")
        monkeypatch.setattr(PlainInput, "killed", "")
        assert (await typed(pilot, entry, "abc", "ctrl+y", "ctrl+c", "ctrl+f"))[0] == "abc"
        assert [key for key in app.sent if "+" in key] == ["ctrl+y", "ctrl+c", "ctrl+f"]
        # What is deleted in one input comes back in another.
        await typed(pilot, entry, "abc def", "ctrl+w")
        assert await typed(pilot, plain, "x", "ctrl+y") == ("xdef", 4)
        await typed(pilot, entry, "abc", "shift+left", "ctrl+c")
        assert app.clipboard == "c"
    # The keymap renames them.
    async with inputs(kill_end="ctrl+l") as (_, entry, pilot):
        assert await typed(pilot, entry, "abc", "home", "right", "ctrl+l") == ("a", 1)
        assert await typed(pilot, entry, "abc", "home", "right", "ctrl+k") == ("abc", 1)


async def test_what_is_typed_is_an_edit_and_what_an_input_is_given_is_none() -> None:
    async with inputs() as (app, entry, pilot):
        # A burst is handled in its order.
        for key in ("a", "b", "backspace", "c", "home", "d", "ctrl+k", "e", "enter"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.settle()
        assert app.edits == ["a", "ab", "a", "ac", "dac", "d", "de"]
        assert app.entered == 1
        app.edits.clear()
        app.sent.clear()
        entry.put("node=4")
        assert (entry.value, entry.cursor_position, app.edits) == ("node=4", 6, [])
        await pilot.press("0")
        assert (app.edits, app.sent) == (["node=40"], [])  # no message tells of it
        # A paste is one line without what a terminal would obey.
        await typed(pilot, entry, "")
        app.edits.clear()
        await pilot.paste("a\tb\r\nc\x1b[31m\rd")
        assert entry.value == "a b c[31m d"
        entry.takes_paste = lambda text: text == "document"  # type: ignore[method-assign]
        await pilot.paste("document")
        assert entry.value == "a b c[31m d"
        assert app.edits == ["a b c[31m d"]
    # A text is seen to its end, where the cursor is, also the first text of all.
    async with inputs() as (_, entry, pilot):
        entry.put("a text that is wider than its input")
        await pilot.settle()
        assert entry.render_line(0).text.rstrip().endswith("input")


@pytest.mark.parametrize(
    "value",
    [
        "short",
        "a text that is wider than its input",
        "wide 節点が並ぶ tail",
        "é" * 30,
        "a\x1bb\tc\x07" * 4,
    ],
)
async def test_any_text_is_seen_in_its_columns(value: str) -> None:
    async with inputs() as (_, entry, pilot):
        entry.put(value)
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value)
        whole = "".join(c + "\0" * (cell_len(c) - 1) for c in shown) + " " * WIDTH * 2
        for cursor in range(len(value) + 1):
            entry.cursor_position = cursor
            await pilot.settle()
            drawn = entry.render_line(0)
            left, width = entry.scroll_offset.x, drawn.cell_length
            cells = "".join(c + "\0" * (cell_len(c) - 1) for c in drawn.text)
            expected = whole[left : left + width]
            # Half of a wide character at either end is a blank.
            assert cells.strip("\0 ") == expected.strip("\0 ") or expected[0] == "\0"
            assert 0 <= entry.column(cursor) <= width
            assert cell_len(drawn.crop(0, entry.column(cursor)).text) == entry.column(cursor)


async def test_a_text_is_drawn_with_its_colours_its_problems_and_its_selection() -> None:
    app = Inputs()
    async with running(app, size=(20, 4)) as pilot:
        entry = app.query_one("#entry", Entry)
        assert entry.render_line(0).text.rstrip() == "what may…"  # cut between words
        entry.put("0123456789 gpux and more")
        entry.colour(
            [Token("operator", Span(0, 3)), Token("operator", Span(16, 19))],
            [Problem("no such property", Span(11, 15))],
        )
        await pilot.settle()

        def looking(how: str) -> str:
            """The characters in sight that look so."""
            return "".join(
                t for t, s, _ in entry.render_line(0) if s is not None and getattr(s, how)
            )

        assert looking("bold") == "and"
        entry.scroll_to(10, 0, animate=False, immediate=True)
        assert (looking("bold"), looking("underline")) == ("and", "gpux")
        entry.scroll_to(0, 0, animate=False, immediate=True)
        assert looking("bold") == "012"

        # What is pointed at from elsewhere is selected until the person comes.
        def marked() -> str:
            mark = entry.get_component_rich_style("input--selection").bgcolor
            return "".join(
                t for t, s, _ in entry.render_line(0) if s is not None and s.bgcolor == mark
            )

        entry.point_at(Span(2, 5))
        await pilot.settle()
        assert marked() == "234"
        entry.focus()
        await pilot.settle()
        assert marked() == ""
        entry.selection = Selection(1, 4)
        assert marked() in ("123", "12")  # the cursor may be on the last of them
        entry.give_way()
        await pilot.press("x")
        assert entry.value == "x"
