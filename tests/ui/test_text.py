"""The job as YAML and JSON, as Flux stores it, and as command lines of other programs."""

import json
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from fluxtui.answers.commands import translation
from fluxtui.answers.commands.jobs import Rendering
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.job.text import (
    PROGRAMS,
    CommandsPane,
    TextPane,
    command_lines,
    stored_view,
    text_lines,
)
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import ChooseQueue, State, start, step
from tests.ui.helpers import NARROW, SHAPE, demo, messages, plain, shown, workbench_at

# The text of the job


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
    assert any(line.startswith("+") for line in lines)
    assert yaml.safe_load("\n".join(line[2:] for line in lines if line[:1] != "-"))["version"] == 1
    refused = stored(step(start(demo(), "node=10/slot/core"), ChooseQueue("debug")))
    assert refused.startswith("Flux stores nothing: it rejects this job.")
    assert "exceeds policy limit of 8 for queue debug" in refused
    assert stored(start(demo(), "node=4/[")) == "No complete job yet."


async def test_the_form_is_changed_by_keys_and_follows_the_job() -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu") as (app, pilot):
        text, lines = app.pane(TextPane), app.pane(CommandsPane)
        spec = app.state.jobspec()
        app.go_to("text")
        await pilot.settle()
        assert yaml.safe_load(plain(app, "#jobspec-text")) == spec
        await pilot.press("j")
        assert json.loads(plain(app, "#jobspec-text")) == spec
        assert (text.form, text.written, text.title) == ("json", "json", "JSON")
        await pilot.put("slot=2/core", "#shape-input")
        app.go_to("text")
        await pilot.settle()
        assert json.loads(plain(app, "#jobspec-text")) == app.state.jobspec()
        await pilot.press("j")
        assert "+" in plain(app, "#jobspec-text")
        assert (text.form, text.written) == ("stored", "yaml")
        await pilot.press("enter")  # which is nothing to edit
        assert text.editor is None
        # F4 goes on through all forms of both panes, each from its top.
        await pilot.press("j")
        for form in ("json", "stored", "flux", "Slurm", "PBS", "yaml"):
            await pilot.press("f4")
            pane: Any = lines if form in PROGRAMS else text
            assert shown(pane)
            assert pane.form == form
            assert pane.view.scroll_offset == (0, 0)
            pane.view.scroll_to(y=5, animate=False, immediate=True)


# The job as command lines

COMMANDS = ("it's one", "two  blanks", "--x 'y' --z", "\x1b[1m", "", "plain", "--opt=a b", "a\nb")


def test_a_command_is_broken_between_its_words() -> None:
    words = ["flux", "run", *COMMANDS * 3]
    rendering = Rendering("flux run", shellwords.join(words))
    for width in (20, 40, 60):
        head, *rows = command_lines([rendering], width, Palette.of({}))
        assert head.plain == "flux run  ≈ approximate"
        assert len(rows) > 3
        assert all(row.cell_len <= max(width, 24) for row in rows)
        said = "\n".join(row.plain for row in rows)
        assert [word.text for word in shellwords.split(said).value] == words, width
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
    async with workbench_at(NARROW, shape="node=4/slot/core=8") as (app, pilot):
        app.go_to("commands")
        await pilot.settle()
        await pilot.press("j", "j")
        assert set(asked) == set(PROGRAMS.values())
        asked.clear()
        app.panes["commands"].show(app.state)
        await pilot.burst("left", "left")
        assert asked == []
        await pilot.put("node=4/slot/core=80", "#shape-input")
        app.go_to("commands")
        await pilot.settle()
        assert set(asked) == {PROGRAMS["PBS"]}
        said = plain(app, "#commands-text")
        assert "ncpus=80" in said or "ppn=80" in said
        # A script in an option is shown to its end.
        await pilot.afresh()
        text = "#!/bin/bash\n#SBATCH -N2\n" + "echo some words of a long script\n" * 5
        app.pasting.open_text(text)
        await pilot.done()
        app.go_to("commands")
        await pilot.settle()
        await pilot.press("j")
        view = app.pane(CommandsPane).view
        assert view.virtual_size.width <= view.size.width
        head, rest = plain(app, "#commands-text").split("\n", 1)
        assert head.startswith("flux submit")
        words = [word.text for word in shellwords.split(rest.split("\n  ·")[0]).value]
        option = next(word for word in words if word.startswith("--setattr=files.script.data="))
        assert option.partition("=")[2].partition("=")[2] == json.dumps(text)


def test_the_stored_view_takes_no_time_that_grows_with_its_square() -> None:
    requires = "|".join(f"rank:{n}" for n in range(400))
    state = start(demo(), "node/slot/core", requires)
    before = time.process_time()
    assert "+" in stored(state)
    assert time.process_time() - before < 5  # a comparison of all lines takes half a minute


async def test_the_job_is_edited_in_an_editor_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "editor.py"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {program}")
    head = "import sys, pathlib; file = pathlib.Path(sys.argv[1]); "
    async with workbench_at(NARROW, shape="node=4/slot/core") as (app, pilot):

        async def edit(old: str, new: str) -> None:
            replaced = f"file.read_text().replace({old!r}, {new!r})"
            program.write_text(f"{head}file.write_text({replaced})")
            await pilot.press("ctrl+e")
            await pilot.done()

        app.go_to("tree")
        await pilot.settle()
        await edit("count: 4", "count: 7")  # a terminal that cannot be given away
        assert "No editor can be started" in messages(app)[-1]
        monkeypatch.setattr(app, "suspend", nullcontext)
        await edit("count: 4", "count: 7")
        assert app.state.build.text == "node=7/slot/core"
        assert app.focused_pane is app.panes["text"]
        await pilot.press("ctrl+z")
        assert app.state.build.text == "node=4/slot/core"
        # A text that cannot be read is there, with its problems.
        await edit("count: 4", "count: [")
        assert app.state.job.raw is not None
        assert "count: [" in plain(app, "#jobspec-text")
        assert "line " in plain(app, "#jobspec-trouble")
        await edit("count: [", "count: 9")
        assert app.state.build.text == "node=9/slot/core"
        before = app.state
        await edit("nothing like this", "")
        assert app.state is before
        # On the script of the form it is that.
        await pilot.press("f12", "down")
        program.write_text(f"{head}file.write_text('#!/bin/sh\\ndate\\n')")
        await pilot.press("ctrl+e")
        await pilot.done()
        script = app.state.jobspec()["attributes"]["system"]["files"]["script"]["data"]
        assert script == "#!/bin/sh\ndate\n"
        program.write_text("raise SystemExit(3)")
        await pilot.press("ctrl+e")
        await pilot.done()
        assert "status 3" in messages(app)[-1]
