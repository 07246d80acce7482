"""What was typed is kept between runs and shared by workbenches; paths while they are typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_what_is_added_is_there_in_the_next_run_once_the_newest_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "deep"))
    folder = tmp_path / "deep" / "fluxtui" / "history"
    store = Typed()  # without a folder it is in the state directory
    assert store.load() == ()
    assert all(store.add(SHAPE, text) for text in ("a", " slot/core ", "a", "c", "slot/core"))
    assert not store.add(SHAPE, "slot/core")
    for text in ("", "  ", "a\nb", "a\x1b[31m", "a\udc80", "n" * (MAX_LENGTH + 1)):
        assert not store.add(REQUIRES, text)  # which no key types
    assert store.add(REQUIRES, "gpu&-debug")
    assert store.unsaved
    assert store.save() == ()
    assert not store.unsaved
    assert lines(folder) == ["a", "c", "slot/core"]
    later = again(folder)
    assert (later.entries(SHAPE), later.entries(REQUIRES)) == (
        ("a", "c", "slot/core"),
        ("gpu&-debug",),
    )


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


@for_each("text", ["", "[", "[]", '{"columns": 3}', '{"columns": [1]}', "[" * 100_000, "\udcff"])
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
    for path, why in {"no.json": "No such file or directory", "zoo": "Is a directory",
                      "a\0b": "null", "beta.json": None, "~/beta.json": None}.items():  # fmt: skip
        found = why_unreadable(path)
        assert (found is None) if why is None else (why in the(found))


def test_a_folder_with_a_configuration(here: Path) -> None:
    (here / "zoo" / ".hidden.toml").write_text("")
    assert not any(map(has_configuration, ("zoo", "zoo/", "none", "a\0b")))
    (here / "zoo" / "a.toml").write_text("")
    assert all(map(has_configuration, ("zoo/", "~/zoo")))


def test_the_same_file(here: Path) -> None:
    (here / "link").symlink_to("beta.json")
    for one, other, are in (
        ("beta.json", str(here / "beta.json"), True),
        ("link", "./zoo/../beta.json", True),
        ("~/none", str(here / "none"), True),
        ("beta.json", "alpha.json", False),
        ("a\0b", "beta.json", False),
    ):
        assert same(one, other) == are


def test_as_a_person_would_type_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at, path, shown in (
        (here, str(here / "a" / "b.yaml"), "a/b.yaml"),
        (here / "zoo", str(here / "zoo" / "b.yaml"), "b.yaml"),
        (here / "zoo", str(here / "b.yaml"), "~/b.yaml"),
        (here / "zoo", str(here / "zoological" / "b.yaml"), "~/zoological/b.yaml"),
        (here / "zoo", "/elsewhere/b.yaml", "/elsewhere/b.yaml"),
        (Path("/"), "/elsewhere/b.yaml", "/elsewhere/b.yaml"),
        (Path("/"), "/b.yaml", "b.yaml"),
    ):
        monkeypatch.chdir(at)
        assert short(path) == shown


def test_where_something_can_be_saved(here: Path) -> None:
    (here / "link").symlink_to("none.yaml")
    (here / "far").symlink_to(here / "gone" / "x.yaml")
    for path, is_there in (("new.yaml", False), ("beta.json", True), ("link", False)):
        assert why_not_save(path) == (None, is_there)
    for path, why in (
        ("zoo", "That is a folder"),
        ("none/x", "There is no folder"),
        ("far", f"There is no folder {here / 'gone'}"),
        ("/dev/null", "not a file that can be replaced"),
        ("a\0b", "That name cannot be used"),
    ):
        assert why in the(why_not_save(path)[0])
