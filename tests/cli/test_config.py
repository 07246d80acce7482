"""``fluxtui config``: what is in force, where it comes from, and what is wrong."""

import json
from pathlib import Path

import pytest

from fluxtui.bridge import settings
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.bridge.files import Source
from fluxtui.cli.config import EXAMPLE
from tests.cli.transcripts import run

FILE = """\
theme = "paper"
them = 3

[keymap]
map.zoom_in = "plus"

[[templates]]
name = "Pair"
shape = "node=2"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the configuration, in a home of its own; it is not there yet."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("FLUXTUI_CONFIG", "TERM_PROGRAM", "TERMINAL_EMULATOR"):
        monkeypatch.delenv(name, raising=False)
    found = tmp_path / "fluxtui" / "config.toml"
    found.parent.mkdir()
    return found


def rows(*arguments: str) -> dict[str, list[str]]:
    """The answer by the names of values: each value and its origin."""
    code, out, _ = run(["config", *arguments])
    assert code == 0
    return {line.split()[0]: line.split(maxsplit=2)[1:] for line in out.splitlines()}


def test_what_comes_from_where(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = rows()
    assert found["file"] == [str(file), "not there, which is fine"]
    assert found["theme"] == ["dusk", "default"]
    assert found["resources"] == ["demo", "default"]
    assert found["start.pane"] == ["-", "default"]
    assert rows("-r", "R.json")["resources"] == ["R.json", "option --resources"]
    file.write_text(FILE.replace("them = 3", ""))
    found = rows()
    assert found["theme"] == ["paper", "config.toml:1"]
    assert found["keymap.map.zoom_in"] == ["plus", "config.toml:5"]
    assert found["template"] == ["Pair", "node=2   config.toml:7"]
    Chosen().save(THEME, ("nord",))
    assert rows()["theme"] == ["nord", "chosen in the workbench"]
    assert rows("--theme", "clarity")["theme"] == ["clarity", "option --theme"]
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    assert rows()["preset"] == ["ide", "environment TERM_PROGRAM=vscode"]


def test_what_is_wrong_has_its_line_and_the_rest_is_said(file: Path) -> None:
    file.write_text(FILE)
    code, out, err = run(["config"])
    assert (code, "theme" in out) == (1, True)
    assert "config.toml, line 2, column 1: the configuration has no key 'them'" in err
    assert "  them = 3\n  ^^^^" in err
    code, out, _ = run(["config", "-o", "json"])
    answer = json.loads(out)
    assert (code, answer["file"], answer["read"]) == (1, str(file), True)
    assert answer["settings"]["theme"] == {"value": "paper", "origin": "config.toml:1"}
    assert answer["settings"]["config"] == {"value": None, "origin": "default"}
    assert answer["keymap"] == {"map.zoom_in": {"value": "plus", "origin": "config.toml:5"}}
    assert [(t["name"], t["origin"]) for t in answer["templates"]] == [("Pair", "config.toml:7")]
    assert [problem["path"] for problem in answer["problems"]] == ["them"]
    file.write_text('[keymap]\nsave = "ctrl+o"\nexamples = "X"\n')
    code, _, err = run(["config"])
    assert code == 0
    assert "'ctrl+o' is the key of open too" in err
    assert "of examples" not in err


def test_the_path_and_the_example(file: Path) -> None:
    assert run(["config", "--path"]) == (0, f"{file}\n", "")
    code, out, _ = run(["config", "--example"])
    assert (code, out) == (0, EXAMPLE)
    assert settings.parse(Source(EXAMPLE, "config.toml"), file.parent).problems == ()
    # With each line in force: what is said after it is a comment still.
    whole = "\n".join(line.removeprefix("# ") for line in EXAMPLE.splitlines()[2:])
    whole = whole.replace("Jobs of your site", "# Jobs of your site")
    whole = whole.replace("/etc/flux/system/conf.d", "demo")
    found = settings.parse(Source(whole, "config.toml"), file.parent)
    assert found.problems == ()
    assert (found.pane, len(found.keymap), len(found.templates)) == ("map", 2, 1)
    # No key of it is another binding's.
    file.write_text(whole)
    assert "is the key of" not in run(["config"])[2]


def test_a_theme_that_there_is_not_is_a_problem(file: Path) -> None:
    for name in ("dusk", "nord"):  # one of ours, and one of Textual's
        assert run(["config", "--theme", name])[0] == 0
    file.write_text('theme = "nosuch"\n')
    code, _, told = run(["config"])
    assert code == 1
    assert "there is no theme nosuch" in told
    assert run(["config", "--theme", "dusk"])[0] == 0
