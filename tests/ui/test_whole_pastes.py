"""Pastes with escapes in them: one text, and no keys."""

import pytest
from textual import events

from fluxtui.ui.whole_pastes import WholePastes
from tests.ui.terminal import Terminal

START, END = "\x1b[200~", "\x1b[201~"
PASTE = f"{START}node=2\x1b[31m/slot/core=4\x1bd{END}"


def read(*parts: str) -> list[str]:
    """What the parts of an input are read as."""
    parser = WholePastes()
    found = []
    for part in parts:
        for message in parser.feed(part):
            if isinstance(message, events.Paste):
                found.append(f"paste {message.text}")
            elif isinstance(message, events.Key):
                found.append(message.key)
    return found


WHOLE = ["a", "paste node=2[31m/slot/core=4d", "up", "b"]


def test_a_paste_is_one_text() -> None:
    assert read(f"a{PASTE}\x1b[Ab") == WHOLE


def test_wherever_the_input_is_cut() -> None:
    text = f"a{PASTE}\x1b[Ab"
    for cut in range(1, len(text)):
        assert read(text[:cut], text[cut:]) == WHOLE
    assert read(*text) == WHOLE


def test_two_pastes() -> None:
    assert read(f"{START}a\x1b{END}{START}\x1bb{END}") == ["paste a", "paste b"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_in_a_terminal(size: tuple[int, int]) -> None:
    with Terminal(columns=size[0], rows=size[1]) as terminal:
        terminal.wait_for("196 nodes")
        terminal.send(f"{START}node=2\x1b[31m/slot/core=4d{END}")
        terminal.wait_for("node=2[31m/slot/core=4d")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
