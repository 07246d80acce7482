"""Theme files: the shipped ones, a person's own, and faulty ones."""

import json
from pathlib import Path

import pytest
import yaml

from fluxtui.bridge import themes
from tests.each import for_each, the
from tests.messages import THEME as GOOD
from tests.test_messages import TABLE


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's own folder of themes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = themes.user_directory()
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("name", ["dusk", "paper", "contrast", "clarity"])
def test_shipped_themes_are_whole(name: str) -> None:
    file, problems = themes.read_theme(themes.shipped_directory() / f"{name}.yaml")
    assert problems == ()
    assert file is not None
    assert file.name == name
    assert file.title
    assert set(file.colors) == set(themes.COLORS)
    assert set(file.roles) == set(themes.ROLES)


def test_there_is_a_dark_and_a_light_one() -> None:
    files = [themes.read_theme(p).value for p in themes.shipped_directory().glob("*.yaml")]
    assert {file.dark for file in files if file is not None} == {True, False}
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


@for_each("text", [row[0] for row in TABLE["theme"]])
def test_what_has_a_fault_is_no_theme(text: str) -> None:
    file, problems = themes.parse_theme(json.dumps({**GOOD, **json.loads(text)}))
    assert file is None
    assert problems


def test_every_missing_color_is_named() -> None:
    _, problems = themes.parse_theme(yaml.safe_dump({**GOOD, "colors": {}}))
    assert {name for name in themes.COLORS if any(name in p.message for p in problems)} == set(
        themes.COLORS
    )


NO_THEMES = ["", "- a", "3", "just words", "{", '{"name": "x",}', "a: [", "\t:", "name: \x00",
             "a: &a [*a]", "{[1]: 2}", "? [1]\n: 2", "dark: 2001-13-45", 'x: !!int "a"',
             '{"a":' * 100_000]  # fmt: skip


@for_each("text", NO_THEMES, label=lambda text: text[:20])
def test_what_is_no_theme(text: str) -> None:
    file, problems = themes.parse_theme(text)
    assert file is None
    assert problems


def test_a_syntax_error_has_its_place() -> None:
    text = "name: mine\ndark: ]\n"
    (problem,) = themes.parse_theme(text).problems
    assert text[the(problem.span).start] == "]"


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.yaml"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    file, problems = themes.read_theme(path)
    assert file is None
    assert str(path) in problems[0].message
