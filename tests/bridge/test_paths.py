"""Paths while they are being typed."""

from pathlib import Path

import pytest

from fluxtui.bridge.paths import (
    complete_path,
    has_configuration,
    same,
    short,
    why_not_save,
    why_unreadable,
)
from tests.each import for_each


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("beta.json", "Beta2.json", "alpha.json", ".hidden"):
        (tmp_path / name).write_text("{}")
    for name in ("zoo", "bin", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "zoo" / "R.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


COMPLETIONS = {
    "": ["bin/", "zoo/", "Beta2.json", "alpha.json", "beta.json"],
    "BE": ["Beta2.json", "beta.json"],
    ".": [".git/", ".hidden"],
    **{lead: [f"{lead}R.json"] for lead in ("zoo/", "./zoo/", "~/zoo/", "zoo/../zoo/")},
    **{typed: [] for typed in ("none/", "beta.json/", "\0", "x" * 5000 + "/", "~nobody9/x")},
}


@for_each("typed", COMPLETIONS, label=lambda typed: typed[:20])
def test_completions(here: Path, typed: str) -> None:
    assert complete_path(typed, 10) == COMPLETIONS[typed]
    assert complete_path(typed, 1) == COMPLETIONS[typed][:1]


def test_what_comes_first(here: Path) -> None:
    for name in ("x.yaml", "x.txt", "x.sbatch", "x.toml"):
        (here / name).write_text("")
    assert complete_path("x", 10) == ["x.sbatch", "x.toml", "x.yaml", "x.txt"]
    (here / "dangling").symlink_to(here / "gone")  # it is listed as a file
    assert complete_path("da", 10) == ["dangling"]


def test_readable(here: Path) -> None:
    assert why_unreadable("beta.json") is None
    assert why_unreadable("~/beta.json") is None
    unreadable = {"no.json": "No such file or directory", "zoo": "Is a directory", "a\0b": "null"}
    for path, why in unreadable.items():
        assert why in (why_unreadable(path) or "")


def test_a_folder_with_a_configuration(here: Path) -> None:
    assert not has_configuration("zoo")
    (here / "zoo" / ".hidden.toml").write_text("")
    assert not has_configuration("zoo/")
    (here / "zoo" / "a.toml").write_text("")
    assert has_configuration("zoo/")
    assert has_configuration("~/zoo")
    assert not has_configuration("none")
    assert not has_configuration("a\0b")


def test_the_same_file(here: Path) -> None:
    (here / "link").symlink_to("beta.json")
    assert same("beta.json", str(here / "beta.json"))
    assert same("link", "./zoo/../beta.json")
    assert same("~/none", str(here / "none"))
    assert not same("beta.json", "alpha.json")
    assert not same("a\0b", "beta.json")


def test_as_a_person_would_type_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert short(str(here / "a" / "b.yaml")) == "a/b.yaml"
    monkeypatch.chdir(here / "zoo")
    assert short(str(here / "zoo" / "b.yaml")) == "b.yaml"
    assert short(str(here / "b.yaml")) == "~/b.yaml"
    assert short(str(here / "zoological" / "b.yaml")) == "~/zoological/b.yaml"
    assert short("/elsewhere/b.yaml") == "/elsewhere/b.yaml"
    monkeypatch.chdir("/")
    assert short("/elsewhere/b.yaml") == "/elsewhere/b.yaml"
    assert short("/b.yaml") == "b.yaml"


def test_where_something_can_be_saved(here: Path) -> None:
    (here / "link").symlink_to("none.yaml")
    (here / "far").symlink_to(here / "gone" / "x.yaml")
    assert why_not_save("new.yaml") == (None, False)
    assert why_not_save("beta.json") == (None, True)
    assert why_not_save("link") == (None, False)
    for path, why in (
        ("zoo", "That is a folder"),
        ("none/x", "There is no folder"),
        ("far", f"There is no folder {here / 'gone'}"),
        ("/dev/null", "not a file that can be replaced"),
        ("a\0b", "That name cannot be used"),
    ):
        reason, _ = why_not_save(path)
        assert reason is not None
        assert why in reason
