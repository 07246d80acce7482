"""The configuration: what a file may say, where each fault is, and what is in force."""

import subprocess
import sys
from pathlib import Path

import pytest

from fluxtui.bridge import settings
from fluxtui.bridge.files import Source
from fluxtui.bridge.settings import InForce, Settings, Template
from tests.each import for_each
from tests.test_messages import TABLE

WHOLE = """\
theme = "paper"
preset = "default"
resources = "R.json"
config = "demo"
live = false

[start]
pane = "table"
maximized = true

[layout]
job = 40
cluster = 70

[keymap]
map.zoom_in = "plus, ="
app.save = ["Ctrl+S", "f8"]
"app.quit" = "ctrl+question_mark,?,ctrl++"

[[templates]]
name = "Two nodes"
description = "A pair"
shape = "node=2/slot/core=8"
requires = "gpu&-debug"
form = {duration = "1h", tasks = 4}

[[templates]]
name = "From a file"
jobspec = "R.json"
"""


def parsed(text: str, folder: Path = Path("/nowhere")) -> Settings:
    return settings.parse(Source(text, "config.toml"), folder)


def test_all_that_a_file_may_say(tmp_path: Path) -> None:
    (tmp_path / "R.json").write_text("{}")
    found, path = parsed(WHOLE, tmp_path), str(tmp_path / "R.json")
    assert (*found.problems, *found.check_templates()) == ()
    form = {"duration": "1h", "tasks": "4"}
    pair = ("Two nodes", "A pair", "node=2/slot/core=8", "gpu&-debug", form, None, "templates[0]")
    expected = {
        "theme": "paper", "preset": "default", "config": "demo", "live": False, "resources": path,
        "pane": "table", "maximized": True, "layout": {"job": 40, "cluster": 70},
        "keymap": {
            "map.zoom_in": "plus,equals_sign",
            "app.save": "ctrl+s,f8",
            "app.quit": "ctrl+question_mark,question_mark,ctrl+plus",
        },
        "templates": (
            Template(*pair), Template("From a file", jobspec=path, place="templates[1]"),
        ),
    }  # fmt: skip
    assert {name: getattr(found, name) for name in expected} == expected


@for_each("text", [row[0] for row in TABLE["configuration"]])
def test_beside_what_is_wrong_the_rest_counts(text: str) -> None:
    if not text.startswith("templates"):
        found = parsed(text + '\n[[templates]]\nname = "rest"\nshape = "node"\n')
        assert len((*found.problems, *found.check_templates())) == 1
        assert found.templates[-1].name == "rest"


def test_what_is_no_toml_says_where() -> None:
    found = parsed('theme = "paper"\nkeymap: {}\n')
    (problem,) = found.problems
    assert problem.message.startswith("config.toml, line 2, column 7: ")
    assert found.theme is None


def test_where_the_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = tmp_path / "fluxtui" / "config.toml"
    assert settings.path({}) == own
    assert settings.load({}) == Settings()
    own.parent.mkdir()
    own.with_suffix(".yaml").write_text("theme: paper\n")
    (warning,) = settings.load({}).problems
    assert "config.yaml' is not read: the configuration is TOML" in warning.message
    own.write_text('theme = "paper"\n')
    assert settings.load({}).theme == "paper"
    other = tmp_path / "other.toml"
    environ = {"FLUXTUI_CONFIG": str(other)}
    assert "no such file" in settings.load(environ).problems[0].message
    other.write_bytes(b"\xff\xfe")
    assert "UTF-8" in settings.load(environ).problems[0].message
    other.write_text("")
    assert settings.load(environ).problems == ()


def test_which_preset_is_in_force_and_whether_the_flux_that_runs_here_opens() -> None:
    inside, here = {"TERM_PROGRAM": "vscode"}, {"FLUX_URI": "local:///x"}
    for text, environ, expected in (
        ("", {}, ("default", "default")),
        ("", inside, ("ide", "environment TERM_PROGRAM=vscode")),
        ('preset = "default"', inside, ("default", "config.toml:1")),
    ):
        assert settings.preset_in_force(parsed(text), environ) == InForce(*expected)
    for text, environ, expected in (
        ("", {}, ("false", "default")),
        ("", here, ("true", "environment FLUX_URI")),
        ("live = true", {}, ("true", "config.toml:1")),
        ("live = false", here, ("false", "config.toml:1")),
        ('resources = "demo"', here, ("false", "default")),
        ('resources = "demo"\nlive = true', here, ("true", "config.toml:2")),
    ):
        assert settings.live_in_force(parsed(text), environ) == expected


def test_the_keys_of_the_preset_and_of_the_file() -> None:
    file = parsed("[keymap]\nmap.fit = 'e'\nsave = 'ctrl+x,f9'\n")
    of = settings.keys_in_force
    for preset in ("default", "ide"):
        assert of(file, preset, "map.fit", "0") == "e"
        assert of(file, preset, "save", "ctrl+s") == "ctrl+x,f9"
    assert of(file, "default", "help", "f1,question_mark") == "f1,question_mark"
    assert of(file, "ide", "help", "f1,question_mark") == "question_mark,f1"
    assert of(file, "ide", "undo", "ctrl+z") == "ctrl+z"
    assert of(file, "ide", "commands", "ctrl+p,colon") == "ctrl+underscore,colon,ctrl+p"
    assert of(file, "ide", "picture", "") == ""


def test_ids_that_no_binding_has_and_clashes_where_bindings_meet() -> None:
    def said(text: str, *bound: dict[str, str]) -> list[str]:
        problems = parsed(f"[keymap]\n{text}").check_keymap(*bound)
        return [problem.message.removeprefix("config.toml, line ") for problem in problems]

    bound = {"map.zoom_in": "a", "map.zoom_out": "b", "app.save": "c"}
    assert said("map.zoom_in = 'a'\nmap.zom_out = 'b'\n'app.savee' = 'c'\n", bound) == [
        "3, column 1: no binding has the id 'map.zom_out'; did you mean map.zoom_out?",
        "4, column 1: no binding has the id 'app.savee'; did you mean app.save?",
    ]
    text = "map.fit = 'e,x'\nsave = 'o,1'\n"
    bound = {"map.fit": "e,x", "map.edit": "e", "table.x": "x", "save": "o,1", "tree.o": "o,p"}
    assert said(text, {**bound, "pane.1": "1"}) == [
        "2, column 1: 'e' is the key of map.edit too",
        "3, column 1: 'o' is the key of tree.o too",
        "3, column 1: '1' is the key of pane.1 too",
    ]
    # What two bindings share without a keymap is no clash.
    assert said(text, bound, {"map.fit": "e", "save": "o"}) == []


def test_reading_it_loads_nothing_that_the_first_frame_does_without(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(WHOLE)
    script = (
        "import sys; from fluxtui.bridge import settings;"
        f"assert settings.load({{'FLUXTUI_CONFIG': {str(file)!r}}}).templates;"
        "print([name for name in sys.modules if name in ('yaml', 'fluxtui.model.form.fields')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
