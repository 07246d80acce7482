"""What was typed is kept between runs and shared by workbenches; paths while they are typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.paths import (
    complete_path,
    has_configuration,
    same,
    short,
    why_not_save,
    why_unreadable,
)
from fluxtui.bridge.typed import LIMIT, MAX_LENGTH, REQUIRES, SHAPE, Typed
from tests.each import for_each, the


def lines(folder: Path, kind: str = SHAPE) -> list[str]:
    return (folder / kind).read_text(encoding="utf-8").splitlines()


def again(folder: Path) -> Typed:
    store = Typed(folder)
    assert store.load() == ()
    return store


def test_what_is_added_is_there_in_the_next_run(tmp_path: Path) -> None:
    store = again(tmp_path / "deep" / "history")
    assert store.add(SHAPE, "node=4")
    assert store.add(SHAPE, " slot/core ")
    assert store.add(REQUIRES, "gpu&-debug")
    assert store.unsaved
    assert store.save() == ()
    assert not store.unsaved
    later = again(tmp_path / "deep" / "history")
    assert later.entries(SHAPE) == ("node=4", "slot/core")
    assert later.entries(REQUIRES) == ("gpu&-debug",)


def test_each_text_once_the_newest_last(tmp_path: Path) -> None:
    store = Typed(tmp_path)
    for text in ("a", "b", "a", "c", "b"):
        store.add(SHAPE, text)
    assert store.entries(SHAPE) == ("a", "c", "b")
    assert not store.add(SHAPE, "b")
    store.save()
    assert lines(tmp_path) == ["a", "c", "b"]


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\x1b[31m", "a\udc80", "n" * (MAX_LENGTH + 1)])
def test_what_no_key_types_is_not_kept(tmp_path: Path, text: str) -> None:
    store = Typed(tmp_path)
    assert not store.add(SHAPE, text)
    assert store.entries(SHAPE) == ()
    assert not store.unsaved


def test_what_another_workbench_wrote_meanwhile_stays(tmp_path: Path) -> None:
    one, other = again(tmp_path), again(tmp_path)
    for store, text in ((one, "first"), (other, "second"), (one, "third")):
        store.add(SHAPE, text)
        store.save()
    assert other.entries(SHAPE) == ("first", "second")
    assert one.entries(SHAPE) == ("first", "second", "third")
    assert lines(tmp_path) == ["first", "second", "third"]
    late = Typed(tmp_path)
    late.add(SHAPE, "second")  # before the file is read: it is newer
    late.load()
    assert late.entries(SHAPE) == ("first", "third", "second")


ADD_AND_SAVE = """
import sys
from pathlib import Path
from fluxtui.bridge import typed
from fluxtui.bridge.typed import SHAPE, Typed
typed.PATIENCE = 60  # however busy the machine is
for number in range(20):
    store = Typed(Path(sys.argv[1]))
    store.add(SHAPE, f"{sys.argv[2]}={number}")
    assert store.save() == ()
"""


def test_workbenches_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", ADD_AND_SAVE, str(tmp_path), name])
        for name in ("node", "core", "gpu")
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    names = ("node", "core", "gpu")
    assert sorted(lines(tmp_path)) == sorted(f"{n}={i}" for n in names for i in range(20))


def test_of_a_huge_file_the_end_is_read(tmp_path: Path) -> None:
    with (tmp_path / SHAPE).open("w") as file:
        for number in range(400_000):
            file.write(f"node={number}\n")
    entries = again(tmp_path).entries(SHAPE)
    assert len(entries) == LIMIT
    assert entries[-1] == "node=399999"


@given(st.binary(max_size=200))
def test_no_file_is_too_odd(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / REQUIRES).write_bytes(data)
        store = again(folder)
        store.add(REQUIRES, "gpu")
        assert store.save() == ()
        assert again(folder).entries(REQUIRES) == store.entries(REQUIRES)
        assert store.entries(REQUIRES)[-1] == "gpu"


def test_what_is_no_file_is_told_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / SHAPE).mkdir()
    os.mkfifo(tmp_path / REQUIRES)
    store = Typed(tmp_path)
    first = store.load()
    assert [problem.severity for problem in first] == ["warning", "warning"]
    assert first[0].message == "the history of shape cannot be read: it is a directory"
    store.add(SHAPE, "node")
    store.add(REQUIRES, "gpu")
    assert [p.message.split(":")[0] for p in store.save()] == [
        "the history of shape cannot be written",
        "the history of requires cannot be written",
    ]
    assert store.entries(SHAPE) == ("node",)
    assert store.unsaved
    assert (tmp_path / SHAPE).is_dir()


def test_what_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    place = tmp_path / "history"
    place.write_text("a file where the folder should be")
    store = Typed(place)
    assert len(store.load()) == 2
    store.add(SHAPE, "node=4")
    assert "cannot be written" in store.save()[0].message
    place.unlink()
    assert store.save() == ()
    assert lines(place) == ["node=4"]


def test_without_a_folder_it_is_in_the_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    store = Typed()
    store.add(SHAPE, "node")
    assert store.save() == ()
    assert lines(tmp_path / "fluxtui" / "history") == ["node"]


# What a person chose, kept in a file


def test_what_is_saved_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "chosen.json"
    store = Chosen(path)
    assert store.load("columns") == ()
    assert store.save("columns", ("rank", "has:\udcff", "host"))
    assert store.save("other", ("x",))
    assert Chosen(path).load("columns") == ("rank", "has:\udcff", "host")
    assert Chosen(path).load("other") == ("x",)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "[", "[]", '{"columns": 3}', '{"columns": [1]}', "[" * 100_000, "\udcff"]
)
def test_what_cannot_be_read_counts_as_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "chosen.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    store = Chosen(path)
    assert store.load("columns") == ()
    assert store.save("columns", ("host",))
    assert json.loads(path.read_text())["columns"] == ["host"]


def test_a_link_stays_one_and_what_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    os.symlink(real, tmp_path / "link.json")
    Chosen(tmp_path / "link.json").save("columns", ("host",))
    assert (tmp_path / "link.json").is_symlink()
    assert Chosen(real).load("columns") == ("host",)
    assert not Chosen(real / "chosen.json").save("columns", ("host",))


# Paths while they are being typed


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
        assert why in the(reason)
