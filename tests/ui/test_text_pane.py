"""The pane of the whole jobspec: which row is wrong, and the words of other programs."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fluxtui import workbench
from fluxtui.answers.commands import translation
from fluxtui.answers.commands.jobs import Rendering
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.constraint.view_text import view_text
from fluxtui.ui.job import commands
from fluxtui.ui.job.verdicts_dialog import VerdictList
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import columns
from fluxtui.workbench import TypeJobspec
from tests.ui.helpers import (
    Hands,
    cluster,
    demo,
    plain,
    row_of,
    screen_lines,
    screen_text,
    workbench_at,
)


async def test_the_marked_row_is_the_one_that_is_wrong() -> None:
    text = "a: 'b\u2028c\x0b'\nd: [\n"
    async with workbench_at() as (app, pilot):
        app.edit(TypeJobspec(text, "yaml"))
        await pilot.settle()
        raw = app.state.job.raw
        assert raw is not None
        wrong = replace(raw, problems=(Problem("it is wrong", Span(len(text) - 2, len(text) - 1)),))
        state = app.state
        app.panes["text"].show(replace(state, job=replace(state.job, raw=wrong)))
        bad = app.panes["text"].style.problem
        lines = app.panes["text"].view.lines
        assert [any(span.style == bad for span in line.spans) for line in lines] == [False, True]
        assert "line 2: it is wrong" in str(app.panes["text"].border_subtitle)
        app.panes["text"].show(
            replace(state, job=replace(state.job, raw=replace(raw, problems=())))
        )
        assert "cannot be read" in str(app.panes["text"].border_subtitle)


COMMANDS = ("it's one", "two  blanks", "--x 'y' --z", "\x1b[1m", "", "plain", "--opt=a b", "a\nb")


def test_a_command_is_broken_between_its_words() -> None:
    words = ["flux", "run", *COMMANDS * 3]
    text = shellwords.join(words)
    rendering = Rendering("flux run", text)
    for width in (20, 40, 60):
        (head, *rows), widest = commands.lines([rendering], "flux", width, Palette.of({}))
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
        await pilot.press(*["f4"] * 5)
        assert set(asked) == set(commands.PROGRAMS.values())
        asked.clear()
        app.panes["text"].show(app.state)
        await pilot.burst("left", "left")
        assert asked == []
        app.shape_bar.entry.focus()
        await pilot.press("end", "0")
        assert asked == [commands.PROGRAMS["pbs"]]
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
    lines = commands.in_lines(shellwords.quote(said), first, room)
    read = shellwords.split("\n".join(lines))
    assert ([word.text for word in read.value], read.problems) == ([said], ())
    if min(first, room) >= 10:
        assert all(columns(line) <= room for line in lines[1:])
        assert columns(lines[0]) <= first


def test_a_real_shell_reads_it_so() -> None:
    said = "files.script.data=\"#!/bin/bash\\nsrun -n 32 ./app; echo '$HOME'\"\n" * 4
    for word in (shellwords.quote(said), '"' + "a\\\\b\\$ c" * 9 + '"'):
        lines = "\n".join(commands.in_lines(word, 20, 30))
        one, other = (
            subprocess.run(["sh", "-c", f"printf %s {text}"], capture_output=True, check=True)
            for text in (word, lines)
        )
        assert one.stdout == other.stdout


async def test_a_script_in_an_option_is_shown_to_its_end() -> None:
    text = "#!/bin/bash\n#SBATCH -N2\n" + "echo some words of a long script\n" * 5
    async with workbench_at((120, 40)) as (app, pilot):
        app.pasting.open_text(text)
        await pilot.done()
        await pilot.press("f4", "f4", "f4")
        shown = plain(app, "#jobspec-text")
        width = app.panes["text"].view.size.width
        assert app.panes["text"].view.virtual_size.width <= width
        head, rest = shown.split("\n", 1)
        assert head.startswith("flux submit")
        words = [word.text for word in shellwords.split(rest.split("\n  ·")[0]).value]
        said = next(word for word in words if word.startswith("--setattr=files.script.data="))
        assert said.partition("=")[2].partition("=")[2] == json.dumps(text)


# The view as text: both forms of the constraint, the answer and the reading in 80 columns

GPU = """\
GPUs, not for debugging

Two lines
of a note.

query       gpu&-debug
JSON        {"and": [{"properties": ["gpu"]}, {"not": [{"properties":
            ["debug"]}]}]}

matches     18 of 196 nodes (demo cluster dune (built in))
with        1,344 cores, 120 gpus
hosts       dunegpu[01-12,17-22]
ranks       164-175,180-185

alone   left
   18     18  and
   24     24  ├ gpu
  174     18  └ not debug
"""


def test_all_of_it() -> None:
    state = workbench.start(demo(), "", "gpu&-debug")
    assert view_text(state, "GPUs, not for debugging", "Two lines\nof a note.\n") == GPU


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{"or": [{"properties": ["gpu"]}]}', ["query       gpu", 'JSON        {"or": [']),
        ('{"not": []}', ["query       (no query can express this)", "matches     0 of 196 nodes"]),
        ("{}", ["query       (none: every node)", "JSON        {}"]),
        ("", ["constraint  (none: every node)", "matches     196 of 196 nodes"]),
        ("gpu &&& (", ["constraint  gpu &&& (", "problem     expected a term before '&'"]),
        ("ssd|huge", ["note        no node has property 'huge'", "  └ huge   adds 0"]),
        ("gpu&-gpu", ["  └ not gpu   nothing is left"]),
    ],
)
def test_what_it_says(text: str, lines: list[str]) -> None:
    found = view_text(workbench.start(demo(), "", text))
    for line in lines:
        assert line in found


def test_a_wrong_constraint_has_no_answer() -> None:
    state = workbench.start(demo(), "", "gpu")
    state = workbench.step(state, workbench.EditRequires("gpu &&"))
    assert "matches" not in view_text(state)


def test_the_queue_is_told() -> None:
    state = workbench.start(demo(), "", "gpu")
    state = workbench.step(state, workbench.ChooseQueue("debug"))
    assert "of them are in debug" in view_text(state)


def test_what_a_terminal_would_obey_is_shown() -> None:
    found = view_text(workbench.start(demo(), "", "gpu"), "a\x1b[31mb", "c\x07\n\x9bd")
    assert found.startswith("a\\x1b[31mb\n\nc\\x07\n\\x9bd\n")


@pytest.mark.parametrize("text", ["rank:" + ",".join(map(str, range(0, 190, 2))), "x" * 400])
def test_no_line_is_wider_than_80_columns(text: str) -> None:
    on = cluster(200, {"x" * 400: "0-99"}, hosts=",".join(f"{'h' * 90}{n}" for n in range(200)))
    found = view_text(workbench.start(on, "", text), "t" * 200, "日本" * 100)
    assert max(map(cell_len, found.splitlines())) <= 80


# The list of the verdicts: what it says, how tall it is, and what its keys bring in sight

BROKEN = "slot=4/[core=2;gpu=1]/core"

NAMES = ("RFC 46", "RFC 14", "V1", "flux-core", "queue batch", "fit")

TINY = (50, 12)


def listed(app: FluxTUI) -> VerdictList:
    return app.screen.query_one(VerdictList)


def seen(app: FluxTUI) -> set[str]:
    """The rule books in sight."""
    region = listed(app).region
    rows = screen_lines(app)[region.y : region.bottom]
    heads = [row[region.x : region.right].strip()[2:] for row in rows]
    return {name for name in NAMES if any(head.startswith(name) for head in heads)}


async def opened(pilot: Hands) -> None:
    await pilot.press("ctrl+l")
    await pilot.settle()


async def test_the_list_is_as_tall_as_what_it_holds() -> None:
    async with workbench_at(shape="slot/core") as (app, pilot):
        # The list is as tall as what it holds.
        await opened(pilot)
        assert seen(app) == set(NAMES)
        assert listed(app).max_scroll_y == 0
        detail = app.screen.query_one("#verdict-detail").region
        assert detail.y == listed(app).region.bottom + 1
        assert app.screen.query_one("#box").region.bottom == detail.bottom + 2  # no blank lines
        # What is below the list stays in sight.
        await pilot.afresh(shape="node=2/slot/core=2-4")
        await opened(pilot)
        for _ in range(3):
            box = app.screen.query_one("#box").content_region
            assert box.contains_region(app.screen.query_one("#verdict-detail").region)
            await pilot.press("down")


@pytest.mark.parametrize("shape", ["slot/core", "node=9000/slot/core=2-4"])
async def test_keys_bring_all_of_it_in_sight(shape: str) -> None:
    async with workbench_at(TINY, shape=shape, painted=True) as (app, pilot):
        await opened(pilot)
        assert listed(app).max_scroll_y > 0
        faults = {at for at, option in enumerate(listed(app).options) if not option.disabled}
        for on, back in (("down", "up"), ("pagedown", "pageup"), ("end", "home")):
            together: set[str] = set()
            for key, last in ((on, NAMES[-1]), (back, NAMES[0])):
                cursors = set()
                for _ in range(30):
                    cursors.add(listed(app).highlighted)
                    together |= seen(app)
                    before = listed(app).highlighted, listed(app).scroll_offset
                    await pilot.press(key)
                    if before == (listed(app).highlighted, listed(app).scroll_offset):
                        break
                assert last in seen(app)
                if len(faults) > 1 and key in ("down", "up"):
                    assert cursors == faults
                    edge = max(faults) if key == "down" else min(faults)
                    assert listed(app).highlighted == edge
            assert listed(app).scroll_offset.y == 0
            if on != "end":
                assert together == set(NAMES)
        assert len(faults) > 1 or shape == "slot/core"


async def test_nothing_is_judged_that_cannot_be_read() -> None:
    async with workbench_at(shape=BROKEN) as (app, pilot):
        # Nothing is judged while the shape cannot be read.
        for name in ("RFC 14", "V1"):
            assert f"{name} ?" in row_of(app, "#verdicts")
        await opened(pilot)
        for name in ("RFC 14", "V1", "flux-core"):
            assert f"? {name}  not known while the shape cannot be read" in screen_text(app)
        assert "✗ RFC 46" in screen_text(app)
        assert "enter mends" not in screen_text(app)
        assert "Nothing is wrong" not in screen_text(app)
        await pilot.press("enter")
        assert app.state.build.text == BROKEN
        # Broken yaml over a broken shape.
        await pilot.afresh(shape=BROKEN)
        app.edit(TypeJobspec("foo: [", "yaml"))
        await pilot.settle()
        assert "RFC 14 ?" in row_of(app, "#verdicts")
        await opened(pilot)
        assert "✗ YAML" in screen_text(app)
        assert "? RFC 14" in screen_text(app)
