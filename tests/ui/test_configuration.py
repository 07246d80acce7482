"""What the configuration may name is what the interface has, and its templates are offered."""

import pytest

from fluxtui import workbench
from fluxtui.bridge import settings
from fluxtui.bridge.settings import Settings, Template
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.fixes import ways_out
from fluxtui.ui.job.verdicts import verdict_line
from fluxtui.ui.kit.keys import BOUND, key_of, load_all
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.registry import ROWS
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, running


def test_the_names_of_panes_are_those_of_the_registry() -> None:
    assert set(settings.PANES) == {row.tab.name for row in ROWS}


def test_keys_that_ides_leave_reach_everything() -> None:
    bound = load_all()
    assert set(settings.IN_IDES) <= set(bound)
    # Panes are reached by digits too.
    panes = {"explain", "form", "queues", "text_form", "view"}
    for name, own in bound.items():
        keys = settings.keys_in_force(Settings(), "ide", name, own).split(",")
        lost = own and settings.is_taken(keys[0])
        assert not lost or name in panes or name.startswith("input."), name
    # What is given to one is no other's, where both may be in force.
    given = {name: ",".join(keys) for name, keys in settings.IN_IDES.items()}
    places = dict.fromkeys(given, "keymap")
    found = Settings(keymap=given, places=places).check_keymap({**bound, **given})
    assert [one.message for one in found if "input.transpose" not in one.message] == []


async def test_templates_come_first_among_the_examples() -> None:
    app = FluxTUI(workbench.start(demo()))
    form = {"duration": "1h", "queue": "debug"}
    template = Template("LAMMPS", "Two nodes", "node=2/slot/core=8", "gpu", form)
    app.settings = Settings(templates=(template,))
    async with running(app, NARROW) as pilot:
        await app.authoring.show_examples()
        await pilot.done()
        assert isinstance(app.screen, Picker)
        assert app.screen.labels[0] == "LAMMPS"
        await pilot.burst(*"lammps", "enter")
        await pilot.done()
        assert (app.state.build.text, app.state.ask.text) == ("node=2/slot/core=8", "gpu")
        assert app.state.submission.queue == "debug"
        assert "duration: 3600.0" in workbench.job_text(app.state, "yaml")


def test_messages_name_the_keys_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BOUND, "fix", "ctrl+t,ctrl+f")
    monkeypatch.setitem(BOUND, "commands", "ctrl+underscore,colon")
    monkeypatch.setitem(BOUND, "open", "")
    assert key_of("commands", "ctrl+p") == "ctrl+_"
    assert key_of("open", "ctrl+o") == key_of("no such", "ctrl+o") == "ctrl+o"
    state = workbench.start(demo(), "node=400/slot/core")
    line = verdict_line(state, [*ways_out(state)], 120, Palette.of({}))
    assert "ctrl+t ask for 128 nodes" in line.plain
