"""Documents that are pasted: into any input, or into the box for them."""

import json

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.widgets import Input

from fluxtui.bridge import clipboard
from fluxtui.model.documents.document import dump
from fluxtui.ui.session.dialogs import PasteDialog
from fluxtui.ui.session.documents import kind_of
from fluxtui.ui.terminal.whole_pastes import WholePastes
from tests.each import for_each
from tests.ui.documents import document, job
from tests.ui.helpers import Hands, workbench_at
from tests.ui.seen import messages

R = json.dumps(document(12, {"gpu": "0-3"}))

JOB = job("node=2/slot/core=4")

TOML = '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n[queues.a]\n'

KINDS = [
    (R, "R document"),
    ("\n  " + json.dumps(document(12), indent=2), "R document"),
    ('{"graph": {"nodes": [], "edges": []}}', "resource graph"),
    (json.dumps(JOB), "jobspec"),
    (dump(JOB), "jobspec"),
    (TOML, "configuration"),
    ("# mine\n\n[policy.limits]\nduration = '1h'\n", "configuration"),
    (json.dumps({"queues": {"a": {}}}), "configuration"),
    ("", None),
    ("node=4/slot/[core=8;gpu]", None),
    ("gpu&-debug", None),
    ('{"properties": ["execution"]}', None),
    ('{"and": [{"hostlist": ["n[0-3]"]}, {"ranks": ["0"]}]}', None),
    ("resources", None),
    ("execution: a word", None),
    ("[queues]", None),
    ("flux run -N4 \\\n  -c 2 hostname", None),
    ("#!/bin/sh\n#SBATCH -N 4\n", None),
]


@for_each("text, kind", KINDS)
def test_what_is_a_document(text: str, kind: str | None) -> None:
    assert kind_of(text) == kind


async def paste(pilot: Hands, text: str) -> int:
    """Paste a text; how many nodes are open then."""
    await pilot.paste(text)
    await pilot.done()
    return pilot.workbench.state.cluster.resources.node_count


async def test_documents_are_opened_where_they_are_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        # A document is no text of an input; what was opened is said.
        for where in ["#shape-input", "#constraint-input"]:
            await pilot.afresh(shape="node=2/slot/core", requires="gpu")
            app.screen.query_one(where, Input).focus()
            assert await paste(pilot, R) == 12
            assert (app.state.build.text, app.state.ask.text) == ("node=2/slot/core", "gpu")
        await pilot.afresh()
        assert await paste(pilot, TOML) == 4
        assert messages(app) == ["Opened the pasted text: 4 nodes · 16 cores"]
        assert app.state.cluster.has_queue("a")
        # One that is cut off changes nothing.
        await pilot.afresh(shape="node=2/slot/core")
        assert await paste(pilot, R[:80]) == 196
        assert app.state.build.text == "node=2/slot/core"
        assert messages(app)[0].startswith("Cannot open: pasted text")
        # A jobspec is opened and can be taken back.
        await pilot.afresh(shape="node=9/slot/core")
        await paste(pilot, dump(JOB))
        assert app.state.build.text == "node=2/slot/core=4"
        app.authoring.undo()
        assert app.state.build.text == "node=9/slot/core"
        # Pasted into the question for a file it is opened; in other questions it is text.
        await pilot.afresh()
        await pilot.press("ctrl+o")
        assert await paste(pilot, R) == 12
        assert len(app.screen_stack) == 1
        await pilot.afresh(shape="node=2/slot/core")
        await pilot.press("ctrl+s")
        entry = app.screen.query_one(Input)
        assert await paste(pilot, R) == 196
        assert entry.value.endswith(R)

        # The box takes a paste as it comes, and what is put together in it.
        async def asked() -> str:
            await pilot.afresh()
            app.documents.ask_text()
            await pilot.done()
            assert isinstance(app.screen, PasteDialog)
            return app.screen.editor.text

        assert await asked() == ""
        assert await paste(pilot, R) == 12
        await asked()
        await paste(pilot, R[:70])
        assert app.screen.editor.text == R[:70]
        await paste(pilot, R[70:])
        await pilot.do("ctrl+s")
        assert app.state.cluster.resources.node_count == 12
        # It begins with what the desktop has, but for what is no document.
        for text, begins, key, nodes in ((R, R, "ctrl+s", 12), ("a secret", "", "escape", 196)):
            monkeypatch.setattr(clipboard, "paste_from_desktop", lambda text=text: text)
            assert await asked() == begins
            await pilot.do(key)
            assert app.state.cluster.resources.node_count == nodes
        # A command line in the shape is still read as one.
        await pilot.afresh()
        await pilot.paste("flux submit -n4 -c2 hostname")
        assert len(app.screen_stack) == 2
        assert not isinstance(app.screen, PasteDialog)


# Pastes with escapes in them: one text, and no keys

START, END = "\x1b[200~", "\x1b[201~"

PASTE = f"{START}node=2\x1b[31m/slot/core=4\x1bd{END}"


WHOLE = ["a", "paste node=2[31m/slot/core=4d", "up", "b"]


def read(*parts: str, parser: XTermParser | None = None) -> list[str]:
    """What the parts of an input are read as."""
    parser = parser or WholePastes()
    found = (message for part in parts for message in parser.feed(part))
    return [f"paste {one.text}" if isinstance(one, events.Paste) else one.key for one in found]


def test_a_paste_is_one_text_wherever_the_input_is_cut() -> None:
    text = f"a{PASTE}\x1b[Ab"
    for cut in range(1, len(text)):
        assert read(text[:cut], text[cut:]) == WHOLE
    assert read(*text) == WHOLE
    assert read(f"{START}a\x1b{END}{START}\x1bb{END}") == ["paste a", "paste b"]


@for_each("odd", ["\x1b[1114112u", "\x1b[4294967296;5u", "\x1b[97;1:1;55296u", "\x1b[1;1:3A"])
def test_the_next_key_is_read_whatever_comes_before_it(odd: str) -> None:
    """Textual's parser ends with an exception at each of these."""
    assert read("a", f"{odd}bc\x1b[A", PASTE)[:3] == ["a", "b", "c"]
    assert read(f"{odd}\x1b[A{PASTE}b") == ["up", WHOLE[1], "b"]


@for_each("way_out, key", [("\x03", "ctrl+c"), ("\x11", "ctrl+q"), ("\x1b[113;5u", "ctrl+q")])
def test_a_paste_without_an_end_is_ended_by_a_key_that_is_pressed(way_out: str, key: str) -> None:
    assert read(f"{START}node=2", "x", way_out, "a") == ["paste node=2x", key, "a"]
    assert read(f"{START}node=2", f"x{way_out}y", END) != ["paste node=2x", key, "y"]
