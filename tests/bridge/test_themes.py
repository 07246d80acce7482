"""Theme files: the shipped ones, a person's own, and faulty ones."""

import json
from pathlib import Path

import pytest
import yaml

from fluxtui.bridge import themes
from tests.each import for_each, the
from tests.messages import THEME as GOOD


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's own folder of themes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = themes.user_directory()
    folder.mkdir(parents=True)
    return folder


def test_shipped_themes_are_whole() -> None:
    files = {}
    for path in themes.shipped_directory().glob("*.yaml"):
        file, problems = themes.read_theme(path)
        assert problems == ()
        files[path.stem] = file = the(file)
        assert (file.name, bool(file.title)) == (path.stem, True)
        assert set(file.colors) == set(themes.COLORS)
        assert set(file.roles) == set(themes.ROLES)
    assert files.keys() == {"dusk", "paper", "contrast", "clarity"}
    assert {file.dark for file in files.values()} == {True, False}
    assert themes.theme_paths()[themes.DEFAULT].parent == themes.shipped_directory()


def test_a_theme_of_ones_own(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (user / "mine.yaml").write_text(yaml.safe_dump(GOOD))
    (user / "dusk.yml").write_text(json.dumps({**GOOD, "name": "dusk"}))
    (user / "notes.txt").write_text("x")
    found = themes.theme_paths()
    assert (found["mine"], found["dusk"]) == (user / "mine.yaml", user / "dusk.yml")
    assert "notes" not in found
    file, problems = themes.read_theme(user / "mine.yaml")
    assert problems == ()
    assert file == themes.ThemeFile("mine", "Mine", False, GOOD["colors"], {"match": "#abc"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user / "none"))
    assert themes.DEFAULT in themes.theme_paths()


def test_json_and_yaml_are_the_same_and_title_and_roles_may_be_left_out() -> None:
    assert themes.parse_theme(json.dumps(GOOD)) == themes.parse_theme(yaml.safe_dump(GOOD))
    assert themes.parse_theme(yaml.safe_dump(GOOD, default_flow_style=True)).value is not None
    bare = {key: GOOD[key] for key in ("name", "dark", "colors")}
    file, problems = themes.parse_theme(yaml.safe_dump(bare))
    assert problems == ()
    assert file is not None
    assert (file.title, file.roles) == ("mine", {})


NO_THEMES = ["", "- a", "3", "just words", "{", '{"name": "x",}', "a: [", "\t:", "name: \x00",
             "a: &a [*a]", "{[1]: 2}", "? [1]\n: 2", "dark: 2001-13-45", 'x: !!int "a"',
             '{"a":' * 100_000]  # fmt: skip


@for_each("text", NO_THEMES, label=lambda text: text[:20])
def test_what_is_no_theme(text: str) -> None:
    file, problems = themes.parse_theme(text)
    assert file is None
    assert problems


def test_faults_have_their_place_and_every_missing_color_is_named(tmp_path: Path) -> None:
    text = "name: mine\ndark: ]\n"
    (problem,) = themes.parse_theme(text).problems
    assert text[the(problem.span).start] == "]"
    said = [one.message for one in themes.parse_theme(json.dumps({**GOOD, "colors": {}})).problems]
    assert all(any(name in message for message in said) for name in themes.COLORS)
    *found, last = themes.parse_theme(
        json.dumps(GOOD | dict.fromkeys(map(str, range(50))))
    ).problems
    assert (len(found), last.message) == (20, "30 more problems")
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path, tmp_path / "x.yaml"):  # which cannot be read
        file, problems = themes.read_theme(path)
        assert file is None
        assert str(path) in problems[0].message
