"""Paths while they are being typed."""

from pathlib import Path

import pytest

from fluxtui.bridge.paths import complete_path, why_unreadable


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


def test_folders_come_first(here: Path) -> None:
    assert complete_path("", 10) == ["bin/", "zoo/", "Beta2.json", "alpha.json", "beta.json"]


def test_case_does_not_matter(here: Path) -> None:
    assert complete_path("BE", 10) == ["Beta2.json", "beta.json"]


def test_hidden_ones_on_request(here: Path) -> None:
    assert complete_path(".", 10) == [".git/", ".hidden"]


@pytest.mark.parametrize("lead", ["zoo/", "./zoo/", "~/zoo/", "zoo/../zoo/"])
def test_the_path_stays_as_typed(here: Path, lead: str) -> None:
    assert complete_path(lead, 10) == [f"{lead}R.json"]


def test_the_limit(here: Path) -> None:
    assert complete_path("", 2) == ["bin/", "zoo/"]


@pytest.mark.parametrize("typed", ["none/", "beta.json/", "\0", "x" * 5000 + "/", "~nobody9/x"])
def test_nothing_where_nothing_can_be(here: Path, typed: str) -> None:
    assert complete_path(typed, 10) == []


def test_a_dangling_link_is_listed_as_a_file(here: Path) -> None:
    (here / "dangling").symlink_to(here / "gone")
    assert complete_path("da", 10) == ["dangling"]


def test_readable(here: Path) -> None:
    assert why_unreadable("beta.json") is None
    assert why_unreadable("~/beta.json") is None


@pytest.mark.parametrize(
    ("path", "why"),
    [("no.json", "No such file or directory"), ("zoo", "Is a directory"), ("a\0b", "null")],
)
def test_unreadable(here: Path, path: str, why: str) -> None:
    assert why in (why_unreadable(path) or "")
