"""Typing a shape: tree, text, verdicts, and problems under their characters."""

import json

import pytest
import yaml
from rich.cells import cell_len

from fluxtui.model.constraint import tree
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    column_of,
    plain,
    row_of,
    screen_text,
    tree_labels,
    workbench_at,
)


async def test_a_shape_is_answered_at_every_key() -> None:
    async with workbench_at() as (app, pilot):
        # A shape becomes tree text and verdicts.
        for size in SIZES:
            await pilot.afresh(size=size)
            assert app.focused is app.query_one("#shape-input")
            await pilot.burst(*SHAPE)
            assert app.state.build.text == SHAPE
            # What follows is where the job would be placed.
            assert [label.split()[:2] for label in tree_labels(app)] == [
                ["node", "4"],
                ["slot", "1"],
                ["core", "8"],
                ["gpu", "1"],
            ]
            assert tree_labels(app)[1].split() == ["slot", "1", "default"]
            assert [len(label) - len(label.lstrip()) for label in tree_labels(app)] == [0, 2, 4, 4]
            spec = yaml.safe_load(plain(app, "#jobspec-text"))
            assert spec == app.state.jobspec()
            assert spec["resources"] == to_resources(parse_shape(SHAPE))
            assert "V1 ✓" in plain(app, "#verdicts")
            assert size == NARROW or plain(app, "#verdicts").startswith("RFC 14 ✓  V1 ✓")
            assert "32 cores" in plain(app, "#shape-message")
        # Every key is answered.
        await pilot.afresh(size=NORMAL)
        for end, key in enumerate(SHAPE, 1):
            await pilot.burst(key)
            assert app.state.build.text == SHAPE[:end]
            assert tree_labels(app)
            assert yaml.safe_load(plain(app, "#jobspec-text"))["resources"]
        # Labels in words.
        await pilot.afresh()
        for text, words in [
            ("node=2+/slot/core=2-8", ["node 2 or more", "slot 1  default", "core 2 to 8"]),
            ("slot=3{task}/node{x}", ["slot 3  task", "node 1  exclusive"]),
            ("slot/memory=4{unit:GB}", ["slot 1  default", "memory 4  GB"]),
            ("slot/core{+}=2,4", ["slot 1  default"]),
            ('slot/ssd{tier:"a b"}', ["slot 1  default", "ssd 1  tier a b"]),
        ]:
            await pilot.put(text, "#shape-input")
            labels = [label.strip() for label in tree_labels(app)]
            for label, wanted in zip(labels, words, strict=False):
                assert label.startswith(wanted)
        # Unfinished text keeps the tree so far.
        await pilot.afresh(shape=SHAPE)
        await pilot.put("node=4/slot/[core=8;", "#shape-input")
        assert [label.split()[0] for label in tree_labels(app)] == ["node", "slot", "core"]
        assert "✗" in plain(app, "#verdicts")
        await pilot.put("/", "#shape-input")
        assert app.state.build.stale
        assert [label.split()[0] for label in tree_labels(app)] == ["node", "slot", "core"]
        assert "stale" in str(app.panes["tree"].border_subtitle)
        assert yaml.safe_load(plain(app, "#jobspec-text"))["resources"]
        await pilot.put("slot=2/core", "#shape-input")
        assert [label.split()[0] for label in tree_labels(app)] == ["slot", "core"]
        assert "stale" not in str(app.panes["tree"].border_subtitle)
        # A blank shape says what to type.
        await pilot.afresh(shape=SHAPE)
        await pilot.put("", "#shape-input")
        assert any("slot=" in label for label in tree_labels(app))  # an example to type
        assert "resources" not in plain(app, "#jobspec-text")
        assert plain(app, "#verdicts") == ""
        await pilot.put("core=2", "#shape-input")
        assert [label.split()[:2] for label in tree_labels(app)] == [["core", "2"]]
        # Verdicts say why not.
        await pilot.afresh()
        for text, chips, says in [
            ("slot=4/node", ["RFC 14 ✓", "V1 ✗"], "not V1"),
            ("node=4", ["RFC 14 ✗", "V1 ✗"], "RFC 14"),
            ("node=x", ["RFC 46 ✗", "RFC 14 ?", "V1 ?"], "'x'"),
        ]:
            await pilot.put(text, "#shape-input")
            assert [chip for chip in chips if chip not in plain(app, "#verdicts")] == []
            assert says in plain(app, "#shape-message")
        # A huge shape is still answered.
        text = "[" + ";".join(f"slot=2{{s{n}}}/core" for n in range(1500)) + "]"
        await pilot.afresh()
        await pilot.put(text, "#shape-input")
        assert app.state.build.syntax == ()
        assert len(yaml.safe_load(plain(app, "#jobspec-text"))["resources"]) == 1500
        await pilot.put("core", "#shape-input")
        assert len(tree_labels(app)) == 1


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_caret_stands_under_the_bad_characters(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for text, bad in [
            ("node=4/slot/[core=x;gpu]", "x;"),
            ("core=y", "y"),
            ("slot/[ssd{日本語:'語語語'};core=z]", "z]"),
            ("slot{日本=1}/core", "=1"),
            ("node=4/" + "rack/" * 30 + "slot/core=x", "x "),  # scrolled
            ("slot/[a{k:'" + "日" * 60 + "'};core=x]", "x]"),  # scrolled, with wide characters
        ]:
            await pilot.put(text, "#shape-input")
            problem = app.state.build.syntax[0]
            assert problem.span is not None
            faulty = text[slice(*problem.span)]
            assert bad.startswith(faulty)
            typed, carets = row_of(app, "#shape-input"), row_of(app, "#shape-message")
            assert column_of(carets, "^") == column_of(typed, bad)
            assert carets.count("^") == cell_len(faulty)
            assert problem.message in carets


async def test_carets_stand_under_the_bad_characters() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # The caret goes with the text when the input scrolls back.
        text = "node=4/" + "rack/" * 30 + "slot/core=x"
        await pilot.afresh()
        await pilot.put(text, "#shape-input")
        await pilot.press("home")
        assert row_of(app, "#shape-input").count("core=x") == 0
        assert "^" not in row_of(app, "#shape-message")
        assert app.state.build.syntax[0].message in row_of(app, "#shape-message")
        await pilot.press("end")
        carets = row_of(app, "#shape-message")
        assert column_of(carets, "^") == column_of(row_of(app, "#shape-input"), "x ")


async def test_the_text_stands_beside_the_shape() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        # F4 changes between yaml and json.
        spec = app.state.jobspec()
        assert yaml.safe_load(plain(app, "#jobspec-text")) == spec
        await pilot.press("f4")
        assert json.loads(plain(app, "#jobspec-text")) == spec
        await pilot.put("slot=2/core", "#shape-input")
        assert json.loads(plain(app, "#jobspec-text")) == app.state.jobspec()
        await pilot.press(
            *["f4"] * 5
        )  # past what Flux stores, and the words of flux, Slurm and PBS
        assert yaml.safe_load(plain(app, "#jobspec-text")) == app.state.jobspec()
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(plain(app, "#jobspec-text"))
        # The constraint stands in the jobspec.
        await pilot.afresh(shape=SHAPE)
        await pilot.put("gpu&-debug")
        spec = yaml.safe_load(plain(app, "#jobspec-text"))
        found = tree.read(spec["attributes"]["system"]["constraints"]).value
        assert found == app.state.ask.constraint
        await pilot.put("")
        assert (
            "constraints" not in yaml.safe_load(plain(app, "#jobspec-text"))["attributes"]["system"]
        )


async def test_f4_brings_the_text_in_sight_where_it_is_narrow() -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        await pilot.press("f4")
        assert app.workspace.front == "text"
        assert "resources:" in screen_text(app)
        await pilot.press("f4")
        assert '"resources"' in screen_text(app)
