"""The pane of the whole jobspec: which row is wrong, and the words of other programs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fluxtui.answers import equivalents
from fluxtui.notation import shellwords
from fluxtui.notation.source import Problem, Span
from fluxtui.ui import sayings
from fluxtui.ui.palette import palette_of
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import burst, plain, press, settle, workbench_at


async def test_the_marked_row_is_the_one_that_is_wrong() -> None:
    text = "a: 'b\u2028c\x0b'\nd: [\n"
    async with workbench_at() as (app, pilot):
        app.edit(TypeJobspec(text, "yaml"))
        await settle(pilot)
        raw = app.state.job.raw
        assert raw is not None
        wrong = replace(raw, problems=(Problem("it is wrong", Span(len(text) - 2, len(text) - 1)),))
        state = app.state
        app.text_pane.show(replace(state, job=replace(state.job, raw=wrong)))
        bad = app.text_pane.style.problem
        lines = app.text_pane.view.lines
        assert [any(span.style == bad for span in line.spans) for line in lines] == [False, True]
        assert "line 2: it is wrong" in str(app.text_pane.border_subtitle)
        app.text_pane.show(replace(state, job=replace(state.job, raw=replace(raw, problems=()))))
        assert "cannot be read" in str(app.text_pane.border_subtitle)


COMMANDS = ("it's one", "two  blanks", "--x 'y' --z", "\x1b[1m", "", "plain", "--opt=a b", "a\nb")


async def test_a_command_is_broken_between_its_words() -> None:
    words = ["flux", "run", *COMMANDS * 3]
    text = shellwords.join(words)
    saying = equivalents.Saying("flux run", text)
    async with workbench_at() as (app, _):
        for width in (20, 40, 60):
            _, *rows = sayings.lines([saying], "flux", width, palette_of(app.text_pane))
            assert len(rows) > 3
            shown = "\n".join(row.plain for row in rows)
            assert shellwords.split(shown).value, width
            told = [word.text for word in shellwords.split(shown).value]
            escaped = [w.replace("\x1b", "\\x1b").replace("\n", "\\n") for w in words]
            assert told == escaped
            assert all(row.plain.strip(" \\") for row in rows)


async def test_a_request_is_said_once_and_anew_when_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, ...]] = []
    say: Callable[..., Any] = equivalents.say

    def counted(document: Any, names: tuple[str, ...], **known: Any) -> Any:
        asked.append(names)
        return say(document, names, **known)

    monkeypatch.setattr(equivalents, "say", counted)
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        await press(pilot, *["f4"] * 5)
        assert set(asked) == set(sayings.PROGRAMS.values())
        asked.clear()
        app.text_pane.show(app.state)
        await burst(pilot, "left", "left")
        assert asked == []
        app.shape_bar.entry.focus()
        await press(pilot, "end", "0")
        assert asked == [sayings.PROGRAMS["pbs"]]
        assert "ncpus=80" in plain(app, "#jobspec-text") or "ppn=80" in plain(app, "#jobspec-text")
