"""Text from documents and from people is shown as it is: no markup, no terminal escapes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui.bridge import themes
from fluxtui.bridge.settings import Settings, Template
from fluxtui.model.cancellation import never_stop
from fluxtui.model.queues import read_config
from fluxtui.model.resources import document as resources
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import Cluster, MoveCursor, OpenCluster, Source
from tests import hostile
from tests.ui.documents import cluster, document, write_document
from tests.ui.helpers import NORMAL, SHAPE, WIDE, workbench_at
from tests.ui.seen import lacking, messages, plain, row_of, screen_lines, screen_text

TYPED = ("[b]x[/b]", "[@click=app.quit]x[/]", "[/]", "\\[x", "$foo", "[red", "{[}]", "[[b]]")
NAMES = (*TYPED[:3], "\x1b[31mred", "日本", "a\tb", "x[@y=", "[link=")


def clean(app: FluxTUI) -> bool:
    """Nothing is about to be sent to the terminal that it would act on, or that is not seen."""
    return not hostile.raw("".join(screen_lines(app)))


async def test_a_property_and_a_queue_of_any_name() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        for name in NAMES:
            default = {"jobspec": {"defaults": {"system": {"queue": name}}}}
            config = read_config({"queues": {name: {"requires": ["y"]}}, "policy": default})
            nodes = cluster(9, {name: "0-3", "y": "0"}).resources
            shown = printable(name)
            await pilot.afresh(SHAPE, on=Cluster.of(Source("test"), nodes, config), size=WIDE)
            await pilot.go("queues", "enter")
            assert clean(app)
            assert f"■ in {shown[:16]}" in screen_text(app)  # the legend of the map
            await pilot.go("properties", "enter")
            assert app.state.ask.mask == 0b1111
            assert shown in plain(app, "#property-details")
            await pilot.go("explain")
            assert shown in plain(app, "#constraint-tree")
            await pilot.go("properties", "slash", *shown[:4], "enter")
            assert f"1 of 2 contain {shown[:4]}" in screen_text(app)
            assert clean(app)
        # All that is hostile, in names of properties and as what is asked.
        texts = [*hostile.UNSEEN.values(), *hostile.MARKUP.values()]
        await pilot.afresh(on=cluster(4, dict.fromkeys(texts, "0-1")), size=(300, 90))
        for asked in ("", json.dumps({"properties": texts})):
            await pilot.put(asked)
            for name in app.panes:
                await pilot.go(name)
                assert clean(app), name
        assert not lacking(plain(app, "#properties"), *map(printable, texts))


async def test_problems_and_typed_texts() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        bad = document(2, {"[b]bold[/b]|": "0", "\x1b[31mred!": "1"}, hosts="[red]x[/red],n1")
        await pilot.afresh(on=Cluster.of(Source("[b]R.json[/b]"), resources.read(bad)))
        await pilot.edit(MoveCursor(1))
        assert clean(app)
        assert "[b]R.json[/b]" in plain(app, "#title")
        details = " ".join(plain(app, "#node-details").split())
        assert not lacking(details, "[b]bold[/b]|", "x1b[31mred!")
        # Alike problems of a document are one line where they are announced.
        bad = document(4, {f"p&{number}": "0" for number in range(57)})
        on = Cluster.of(Source("R.json"), resources.read(bad))
        await pilot.afresh(on=on, size=NORMAL)
        several = (Problem("a"), Problem("b", severity="warning", many=3))
        for found, words in (
            (several, "1 problem"),
            (several[1:], "3 warnings"),
            (on.resources.problems, "57 problems"),
        ):
            told = replace(on.resources, problems=found)
            app.edit(OpenCluster(replace(on, resources=told)))
            assert f"! {words} in the document" in plain(app, "#title")
        await pilot.click("#title")
        shown = " ".join(" ".join(line.plain for line in app.panes["node"].view.lines[:6]).split())
        assert shown.startswith("! ")
        assert not lacking(shown, "'p&0'", "and 56 more like it")
        assert app.panes["node"].view.scroll_offset.y == 0
        # Typed texts.
        await pilot.afresh(size=NORMAL)
        for text in TYPED:
            for into in ("#shape-input", "#constraint-input"):
                await pilot.put(text, into)
                assert app.query_one(into, Input).value == text
                assert text in row_of(app, into)
            await pilot.burst("ctrl+y")
            await pilot.press("escape")
        # Control characters, pasted also over a selection, or there from the start.
        for into in ("#shape-input", "#constraint-input"):
            for text in ("gpu\x1b]0;owned\x07\x9b31m\x00", "a\x1b[2Jb"):
                await pilot.put(text, into)
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
        # The name of a document in the list of them, and in a question.
        await pilot.open(write_document(here / "c[b]d[0].json", document(4)))
        await pilot.go("map", "ctrl+d")
        assert not lacking(screen_text(app), "[b]R.json", "\\x1b[31mR.json", "c[b]d[0].json")
        await pilot.press("escape", "d")
        assert "Compare c[b]d[0].json with" in screen_text(app)


async def test_a_job_and_a_configuration_of_hostile_texts(tmp_path: Path) -> None:
    text = "".join([*hostile.UNSEEN.values(), *hostile.MARKUP.values()])
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
            assert not hostile.raw(choice.text(never_stop) or "") - {"\t"}, choice.label


async def test_a_stage_list_a_theme_and_templates_of_hostile_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join([*hostile.UNSEEN.values(), *hostile.MARKUP.values()])
    steps = [{"title": text, "note": text, "constraint": {"properties": [f"p{text}"]}}]
    (tmp_path / "talk.json").write_text(json.dumps({"title": text, "steps": steps}))
    folder = tmp_path / "fluxtui" / "themes"
    folder.mkdir(parents=True)
    theme = json.loads(themes.theme_paths(shipped=True)["dusk"].read_text(encoding="utf-8"))
    odd = json.dumps(theme | {"name": "odd", "title": text})
    (folder / "odd.yaml").write_text(odd, encoding="utf-8")
    (folder / "wrong.yaml").write_text(json.dumps(theme | {text: text}), encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    template = Template(text, description=text, shape="slot/core")
    monkeypatch.setattr(FluxTUI, "settings", Settings(templates=(template,)))
    async with workbench_at((200, 60), notifications=True) as (app, pilot):
        await pilot.open(tmp_path / "talk.json")
        assert isinstance(app.screen, StageScreen)
        assert clean(app)
        await pilot.press("escape")
        for place, keys, shown in (
            ("map", ("T",), printable(text)[:20]),  # the theme, by its title
            ("map", ("E",), printable(text)[:20]),  # the template
            ("map", ("M",), "a theme has no"),  # of the other theme
        ):
            await pilot.go(place)
            await pilot.do(*keys)
            assert clean(app), keys
            assert shown in screen_text(app), keys
            await pilot.do("escape")
