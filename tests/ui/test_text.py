"""The job as YAML and JSON, as Flux stores it, and as command lines of other programs."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from fluxtui.answers.commands.jobs import Rendering
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.job.text import (
    CommandsPane,
    TextPane,
    command_lines,
    stored_view,
    text_lines,
)
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, State, start, step
from tests.pace import within
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, WIDE, workbench_at
from tests.ui.seen import lacking, messages, plain, screen_text
from tests.ui.writing import system


def test_the_marked_line_is_the_one_that_is_wrong() -> None:
    text = "a: 'b\u2028c\x0b'\nd: [\n"
    wrong = Problem("it is wrong", Span(len(text) - 2, len(text) - 1))
    style = Palette.of({"role-problem": "#ff0000"})
    lines = text_lines(text, (wrong,), style)
    marked = [any(span.style == style.problem for span in line.spans) for line in lines]
    assert marked == [False, True]


def stored(state: State) -> str:
    return "\n".join(line.plain for line in stored_view(state, Palette.of({})))


def test_what_flux_stores_is_marked_where_it_differs() -> None:
    state = step(start(demo(), "node=2/slot/core", "gpu"), ChooseQueue("gpu"))
    lines = stored(state).splitlines()
    assert "+" in {line[:1] for line in lines}
    assert yaml.safe_load("\n".join(line[2:] for line in lines if line[:1] != "-"))["version"] == 1
    refused = stored(step(start(demo(), "node=10/slot/core"), ChooseQueue("debug")))
    assert refused.startswith("Flux stores nothing: it rejects this job.")
    assert "exceeds policy limit of 8 for queue debug" in refused
    assert stored(start(demo(), "node=4/[")) == "No complete job yet."


def test_the_stored_view_takes_no_time_that_grows_with_its_square() -> None:
    state = start(demo(), "node/slot/core", "|".join(f"rank:{n}" for n in range(400)))
    assert "+" in within(5, lambda: stored(state))  # a comparison of all lines: half a minute


COMMANDS = ("it's one", "two  blanks", "--x 'y' --z", "\x1b[1m", "", "plain", "--opt=a b", "a\nb")


def test_a_command_is_broken_between_its_words() -> None:
    words = ["flux", "run", *COMMANDS * 3]
    rendering = Rendering("flux run", shellwords.join(words))
    for width in (20, 40, 60):
        head, *rows = command_lines([rendering], width, Palette.of({}))
        assert head.plain == "flux run  ≈ approximate"
        said = "\n".join(row.plain for row in rows)
        assert [word.text for word in shellwords.split(said).value] == words, width
        assert all(row.plain.strip(" \\") and row.cell_len <= max(width, 31) for row in rows)


async def test_texts_are_shown_to_their_end() -> None:
    async with workbench_at(NARROW, shape="node=4/slot/core=8") as (app, pilot):
        text, lines = app.pane(TextPane), app.pane(CommandsPane)
        # What is wrong with a text is whole below it.
        for size in (NARROW, WIDE):
            await pilot.afresh(shape="node=4/slot/core=8", size=size)
            await pilot.go("text", "enter", "down", "end")
            await pilot.burst(*" a: b")
            said = text.trouble.plain.split()
            assert app.state.job.raw.problems[0].message in " ".join(said)
            assert not lacking(screen_text(app), *said)
        # So is a script in an option, behind the line that is for scripts.
        await pilot.afresh(size=NARROW)
        script = "#!/bin/bash\n# flux: -N2\n" + "echo some words of a long script\n" * 5
        app.documents.open_text(script)
        await pilot.done()
        app.go_to("commands")
        lines.put_form("flux")
        await pilot.settle()
        assert lines.view.virtual_size.width <= lines.view.size.width
        names = [row.split("  ")[0] for row in lines.view.plain.split("\n") if row[:4] == "flux"]
        assert names == ["flux batch", "flux submit", "flux run", "flux alloc"]
        rest = lines.view.plain.partition("flux submit  = exact\n")[2].partition("\nflux run")[0]
        words = [word.text for word in shellwords.split(rest).value]
        option = next(word for word in words if word.startswith("--setattr=files.script.data="))
        assert option.partition("=")[2].partition("=")[2] == json.dumps(script)


async def test_the_job_is_edited_in_an_editor_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "editor.py"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    head = "import sys, pathlib; file = pathlib.Path(sys.argv[1]); "
    async with workbench_at(NARROW, shape="node=4/slot/core") as (app, pilot):

        async def edit(code: str) -> None:
            program.write_text(head + code)
            await pilot.do("ctrl+e")

        async def replace(old: str, new: str) -> None:
            await edit(f"file.write_text(file.read_text().replace({old!r}, {new!r}))")

        await pilot.go("tree")
        await replace("count: 4", "count: 7")  # a terminal that cannot be given away
        assert "No editor can be started" in messages(app)[-1]
        monkeypatch.setattr(app, "suspend", nullcontext)
        await replace("count: 4", "count: 7")
        assert app.state.build.text == "node=7/slot/core"
        assert app.focused_pane is app.panes["text"]
        await pilot.press("ctrl+z")
        assert app.state.build.text == "node=4/slot/core"
        # A text that cannot be read is there, with its problems.
        await replace("count: 4", "count: [")
        assert "count: [" in plain(app, "#jobspec-text")
        assert "line " in plain(app, "#jobspec-trouble")
        await replace("count: [", "count: 9")
        assert app.state.build.text == "node=9/slot/core"
        before = app.state
        await replace("nothing like this", "")
        assert app.state is before
        # On the script of the form it is that.
        await pilot.press("f12", "down")
        await edit("file.write_text('#!/bin/sh\\ndate\\n')")
        assert system(app)["files"]["script"]["data"] == "#!/bin/sh\ndate\n"
        await edit("raise SystemExit(3)")
        assert "status 3" in messages(app)[-1]
