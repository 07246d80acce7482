"""Text from documents and from people is shown as it is: no markup, no terminal escapes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui.model.cancellation import going_on
from fluxtui.model.resources import document as resources
from fluxtui.notation.problem import Problem
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster, Source
from tests import hostile
from tests.ui.documents import cluster, document, write_document
from tests.ui.helpers import NORMAL, WIDE, workbench_at
from tests.ui.seen import lacking, messages, plain, row_of, screen_lines, screen_text

MARKUP = "[b]bold[/b]"
ESCAPE = "\x1b[31mred"
SHOWN = "\\x1b[31mred"
NAMES = {MARKUP: "0-1", ESCAPE: "1-2", "[@click=app.quit]x[/]": "0", "日本": "2", "a\tb": "0"}


def raw(app) -> str:
    return "".join(screen_lines(app))


def clean(app) -> bool:
    """Nothing is about to be sent to the terminal that it would act on, or that is not seen."""
    return not hostile.raw(raw(app))


async def test_names_are_shown_as_they_are() -> None:
    async with workbench_at(on=cluster(4, NAMES)) as (app, pilot):
        # Property names.
        for name in ("properties", "node", "map"):
            await pilot.go(name)
            assert clean(app)
        for name in (MARKUP, SHOWN, "[@click=app.quit]x[/]", "日本"):
            assert name in plain(app, "#properties")
        app.go_to("node")
        await pilot.edit(MoveCursor(1))
        assert MARKUP in plain(app, "#node-details")
        assert MARKUP in screen_text(app)
        assert SHOWN in screen_text(app)
        await pilot.burst("f2")
        await pilot.burst("f2")
        assert clean(app)
        # All that is hostile, in names of properties and as what is asked.
        texts = [*hostile.UNSEEN.values(), *hostile.MARKUP.values()]
        await pilot.afresh(on=cluster(4, dict.fromkeys(texts, "0-1")), size=(300, 90))
        for name in ("properties", "node", "table", "map", "queues", "explain"):
            await pilot.go(name)
            assert clean(app), name
        await pilot.put(json.dumps({"properties": texts}))
        for name in ("explain", "fit", "tree", "form", "text", "commands"):
            await pilot.go(name)
            assert clean(app), name
        # An escape in a json constraint.
        await pilot.afresh(on=cluster(4, NAMES), size=NORMAL)
        await pilot.put('{"properties": ["\\u001b[31mred"]}')
        assert app.state.ask.mask == 0b110
        await pilot.burst("f3")
        assert clean(app)
        assert SHOWN in plain(app, "#constraint-tree")


async def test_problems_and_typed_texts_are_shown_as_they_are() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        # Problems of a document.
        bad = document(2, {f"{MARKUP}|": "0", f"{ESCAPE}!": "1"}, hosts="[red]x[/red],n1")
        on = Cluster.of(Source("[b]R.json[/b]"), resources.read(bad))
        assert on.resources.problems
        await pilot.afresh(on=on)
        await pilot.edit(MoveCursor(1))
        assert clean(app)
        assert "[b]R.json[/b]" in plain(app, "#title")
        details = " ".join(plain(app, "#node-details").split())
        assert not lacking(details, "[b]bold[/b]|", "x1b[31mred!")
        # Alike problems of a document are one line where they are announced.
        bad = document(4, {f"p&{number}": "0" for number in range(57)})
        on = Cluster.of(Source("R.json"), resources.read(bad))
        await pilot.afresh(on=on, size=NORMAL)
        assert "57 problems in the document" in plain(app, "#title")
        several = (Problem("a"), Problem("b", severity="warning", many=3))
        for found, words in ((several, "1 problem"), (several[1:], "3 warnings")):
            told = replace(on.resources, problems=found)
            app.edit(OpenCluster(replace(on, resources=told)))
            assert f"! {words} in the document" in plain(app, "#title")
        app.edit(OpenCluster(on))
        await pilot.click("#title")
        shown = " ".join(" ".join(line.plain for line in app.panes["node"].view.lines[:6]).split())
        assert shown.startswith("! ")
        assert not lacking(shown, "'p&0'", "and 56 more like it")
        assert app.panes["node"].view.scroll_offset.y == 0
        # Typed texts.
        await pilot.afresh(size=NORMAL)
        await pilot.burst("f3")
        for text in TEXTS:
            for into in ("#shape-input", "#constraint-input"):
                await pilot.put(text, into)
                assert app.query_one(into, Input).value == text
                assert text in row_of(app, into)
            await pilot.burst("ctrl+y")
            await pilot.press("escape")
        await pilot.burst("ctrl+p")
        await pilot.press("escape")
        assert app.is_running


TEXTS = ("[b]x[/b]", "[@click=app.quit]x[/]", "[/]", "\\[x", "$foo", "[red", "{[}]", "[[b]]")


@pytest.mark.parametrize("into", ["#shape-input", "#constraint-input"])
async def test_control_characters_never_reach_the_terminal(into: str) -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await pilot.put("gpu\x1b]0;owned\x07\x9b31m\x00", into)
        assert clean(app)
        await pilot.put("a\x1b[2Jb", into)  # over a selection
        assert clean(app)
        for text in ("a\nb", *hostile.UNSEEN.values()):
            await pilot.afresh(shape=text, requires=text)
            await pilot.burst("f3")
            assert clean(app), text


async def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("[b]R.json", "\x1b[31mR.json"):
        write_document(tmp_path / name, document(2))
    write_document(tmp_path / "[red]bad[", "{")
    async with workbench_at(NORMAL, notifications=True) as (app, pilot):
        await pilot.do("ctrl+o")
        assert clean(app)
        assert not lacking(screen_text(app), "[b]R.json", "\\x1b[31mR.json")
        await pilot.press("escape")
        for name in ("[b]R.json", "\x1b[31mR.json", "[red]bad["):
            await pilot.open(name)
            assert clean(app)
        assert "\\x1b[31mR.json" in plain(app, "#title")
        assert "[red]bad[" in messages(app)[-1]
        assert "[red]bad[" in screen_text(app)
        # The name of a document in a question.
        await pilot.afresh()
        for name in ("a", "b", "c[b]d[0]"):
            await pilot.open(write_document(here / f"{name}.json", document(4)))
        await pilot.go("map", "d")
        assert "Compare c[b]d[0].json with" in screen_text(app)


async def test_a_job_and_a_configuration_of_hostile_texts(tmp_path: Path) -> None:
    text = "".join(hostile.UNSEEN.values())
    system = {
        "duration": 60,
        "queue": f"q{text}",
        "cwd": f"/a{text}",
        "environment": {f"A{text}": text},
        "job": {"name": text},
        "constraints": {"properties": [f"p{text}"]},
        "dependencies": [{"scheme": f"s{text}", "value": text}],
        "shell": {"options": {text: text}},
        "bank": text,
    }
    inside = [{"type": "core", "count": 1}, {"type": f"x{text}", "count": 1}]
    job = {
        "version": 1,
        "resources": [{"type": "slot", "count": 1, "label": text, "with": inside}],
        "tasks": [{"command": [text, f"a{text}"], "slot": text, "count": {"per_slot": 1}}],
        "attributes": {"system": system, "user": {text: text}},
    }
    queues = f"[queues.{json.dumps(f'q{text}')}]\nrequires = [{json.dumps(f'p{text}')}]\n"
    (tmp_path / "job.json").write_text(json.dumps(job))
    (tmp_path / "flux.toml").write_text(queues)
    on = cluster(4, {f"p{text}": "0-1", "q": "2"})
    async with workbench_at((200, 60), on=on, notifications=True) as (app, pilot):
        await pilot.open(tmp_path / "job.json", tmp_path / "flux.toml")
        assert app.state.job is not None
        for name in app.panes:
            await pilot.go(name)
            assert clean(app), name
        await pilot.press("escape")
        for key in ("ctrl+l", "ctrl+y", "ctrl+o", "ctrl+p", "ctrl+g", "R"):
            await pilot.do(key)
            assert clean(app), key
            await pilot.press("escape", "escape")
        assert not any(hostile.raw(told) for told in messages(app))
        for choice in app.export.choices():
            assert not hostile.raw(choice.text(going_on) or "") - {"\t"}, choice.label
