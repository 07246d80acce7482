"""Typing a shape: tree, text, and problems under their characters."""

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
    tree_labels,
    workbench_at,
)


async def test_a_shape_is_answered_at_every_key() -> None:
    async with workbench_at() as (app, pilot):
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
            assert app.state.jobspec()["resources"] == to_resources(parse_shape(SHAPE))
            assert plain(app, "#verdicts").startswith("✓ V1  ✓ fits")
            assert "32 cores" in plain(app, "#shape-message")
        await pilot.afresh(size=NORMAL)
        for end, key in enumerate(SHAPE, 1):
            await pilot.burst(key)
            assert app.state.build.text == SHAPE[:end]
            assert tree_labels(app)
        # Unfinished text keeps the tree so far.
        await pilot.afresh(shape=SHAPE)
        await pilot.put("node=4/slot/[core=8;", "#shape-input")
        assert [label.split()[0] for label in tree_labels(app)] == ["node", "slot", "core"]
        assert "✗ shape" in plain(app, "#verdicts")
        await pilot.put("/", "#shape-input")
        assert app.state.build.stale
        assert [label.split()[0] for label in tree_labels(app)] == ["node", "slot", "core"]
        assert "stale" in str(app.panes["tree"].border_subtitle)
        assert app.state.jobspec()["resources"]
        await pilot.put("slot=2/core", "#shape-input")
        assert [label.split()[0] for label in tree_labels(app)] == ["slot", "core"]
        assert "stale" not in str(app.panes["tree"].border_subtitle)
        # A blank shape has no job.
        await pilot.put("", "#shape-input")
        assert plain(app, "#verdicts") == ""
        # A huge shape is still answered.
        text = "[" + ";".join(f"slot=2{{s{n}}}/core" for n in range(1500)) + "]"
        await pilot.put(text, "#shape-input")
        assert app.state.build.syntax == ()
        assert len(app.state.jobspec()["resources"]) == 1500
        await pilot.put("core", "#shape-input")
        assert len(tree_labels(app)) == 1
        # The constraint is part of the jobspec.
        await pilot.afresh(shape=SHAPE, requires="gpu&-debug")
        app.go_to("text")
        await pilot.settle()
        spec = yaml.safe_load(plain(app, "#jobspec-text"))
        found = tree.read(spec["attributes"]["system"]["constraints"]).value
        assert found == app.state.ask.constraint
        await pilot.put("")
        spec = yaml.safe_load(plain(app, "#jobspec-text"))
        assert "constraints" not in spec["attributes"]["system"]


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_carets_are_under_the_bad_characters(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for text, bad in [
            ("node=4/slot/[core=x;gpu]", "x;"),
            ("core=y", "y"),
            ("slot/[ssd{日本語:'語語語'};core=z]", "z]"),
            ("slot{日本=1}/core", "=1"),
            ("slot/[a{k:'" + "日" * 60 + "'};core=x]", "x]"),  # scrolled, with wide characters
            ("node=4/" + "rack/" * 30 + "slot/core=x", "x "),  # scrolled
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
        # They go with the text when the input scrolls back.
        await pilot.press("home")
        assert row_of(app, "#shape-input").count("core=x") == 0
        assert "^" not in row_of(app, "#shape-message")
        assert app.state.build.syntax[0].message in row_of(app, "#shape-message")
        await pilot.press("end")
        carets = row_of(app, "#shape-message")
        assert column_of(carets, "^") == column_of(row_of(app, "#shape-input"), "x ")
