"""The pane of the whole jobspec: which row is wrong, and the words of other programs."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.commands import translation
from fluxtui.answers.commands.results import Rendering
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui import long_words, sayings
from fluxtui.ui.colouring import columns
from fluxtui.ui.palette import Palette
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import burst, done, plain, press, settle, workbench_at


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


def test_a_command_is_broken_between_its_words() -> None:
    words = ["flux", "run", *COMMANDS * 3]
    text = shellwords.join(words)
    rendering = Rendering("flux run", text)
    for width in (20, 40, 60):
        (head, *rows), widest = sayings.lines([rendering], "flux", width, Palette.of({}))
        assert widest == max(line.cell_len for line in (head, *rows))
        assert len(rows) > 3
        shown = "\n".join(row.plain for row in rows)
        assert [word.text for word in shellwords.split(shown).value] == words, width
        assert all(row.plain.strip(" \\") for row in rows)


async def test_a_request_is_written_once_and_anew_when_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, ...]] = []
    to_command: Callable[..., Any] = translation.to_command

    def counted(document: Any, names: tuple[str, ...]) -> Any:
        asked.append(names)
        return to_command(document, names)

    monkeypatch.setattr(translation, "to_command", counted)
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


# A word that is wider than the pane

PIECES = st.lists(
    st.sampled_from([*"a'\"\\\n$ é字!#\t\x1b\u200b\x9b", "long-word", "$x"]),
    min_size=1,
    max_size=40,
)


@given(PIECES, st.integers(4, 30), st.integers(4, 30))
def test_a_word_in_lines_is_the_same_word_to_a_shell(
    pieces: list[str], first: int, room: int
) -> None:
    said = "".join(pieces)
    lines = long_words.in_lines(shellwords.quote(said), first, room)
    read = shellwords.split("\n".join(lines))
    assert ([word.text for word in read.value], read.problems) == ([said], ())
    if min(first, room) >= 10:
        assert all(columns(line) <= room for line in lines[1:])
        assert columns(lines[0]) <= first


def test_a_real_shell_reads_it_so() -> None:
    said = "files.script.data=\"#!/bin/bash\\nsrun -n 32 ./app; echo '$HOME'\"\n" * 4
    for word in (shellwords.quote(said), '"' + "a\\\\b\\$ c" * 9 + '"'):
        lines = "\n".join(long_words.in_lines(word, 20, 30))
        one, other = (
            subprocess.run(["sh", "-c", f"printf %s {text}"], capture_output=True, check=True)
            for text in (word, lines)
        )
        assert one.stdout == other.stdout


async def test_a_script_in_an_option_is_shown_to_its_end() -> None:
    text = "#!/bin/bash\n#SBATCH -N2\n" + "echo some words of a long script\n" * 5
    async with workbench_at((120, 40)) as (app, pilot):
        app.open_pasted(text)
        await done(pilot)
        await press(pilot, "f4", "f4", "f4")
        shown = plain(app, "#jobspec-text")
        width = app.text_pane.view.size.width
        assert app.text_pane.view.virtual_size.width <= width
        head, rest = shown.split("\n", 1)
        assert head.startswith("flux submit")
        words = [word.text for word in shellwords.split(rest.split("\n  ·")[0]).value]
        said = next(word for word in words if word.startswith("--setattr=files.script.data="))
        assert said.partition("=")[2].partition("=")[2] == json.dumps(text)
