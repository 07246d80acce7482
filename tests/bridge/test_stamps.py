"""What a file was, and how it differs by now."""

import os
from pathlib import Path

import pytest

from fluxtui.bridge import files, stamps, watching
from fluxtui.bridge.stamps import Change, Stamp
from fluxtui.bridge.watching import PATIENCE, News, Watch
from tests.each import the

TEXT = "a\nb\nc\n"


@pytest.fixture
def seen(tmp_path: Path) -> tuple[Path, Stamp]:
    path = tmp_path / "job.yaml"
    path.write_text(TEXT)
    parsed, stamp = files.read_stamped(str(path))
    assert the(parsed.value).text == TEXT
    return path, the(stamp)


def test_a_file_as_it_was_touched_or_put_back_is_no_change(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    assert stamps.change(path, stamp, TEXT) is None
    status = path.stat()
    found = (stamp.inode, stamp.size, stamp.mtime_ns)
    assert found == (status.st_ino, status.st_size, status.st_mtime_ns)
    os.utime(path, (1, 1))
    assert stamps.change(path, stamp, TEXT) is None
    other = path.with_name("other")
    other.write_text(TEXT)
    other.replace(path)
    assert path.stat().st_ino != stamp.inode
    assert stamps.change(path, stamp, TEXT) is None


def test_how_much_was_changed_and_when(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    for text, at, added, removed in (
        (b"a\nX\nc\n", stamp.mtime_ns, 1, 1),  # within one tick of the clock
        (b"b\nnew\nc\nnew\nc\n", 1_700_000_000 * 10**9, 3, 1),
        (b"\xff\n\xfe\n", 10**9, 2, 3),
    ):
        path.write_bytes(text)
        os.utime(path, ns=(at, at))
        found = the(stamps.change(path, stamp, TEXT))
        assert found == Change(False, Stamp.read(path), path.stat().st_mtime, added, removed)
    with path.open("r+b") as file:
        file.truncate(stamps.MAX_COMPARED + 1)
    assert stamps.change(path, stamp, TEXT) == Change(when=path.stat().st_mtime)  # it is not read
    path.unlink()
    for gone in (path, path / "below"):
        assert stamps.change(gone, stamp, TEXT) == Change(gone=True)
    os.mkfifo(path)
    found = the(stamps.change(path, stamp, TEXT))
    assert (found.stamp, found.gone) == (None, False)


def test_a_file_is_read_in_pieces_for_its_stamp_where_it_can_be(tmp_path: Path) -> None:
    path, data = tmp_path / "file", bytes(range(256)) * 10_000  # more than one piece
    path.write_bytes(data)
    assert Stamp.read(path) == Stamp.of(path.stat(), data)
    assert Stamp.read(tmp_path / "none") is Stamp.read(tmp_path) is None
    path.write_text(" \n")
    for name, why in (("none", "no such file"), ("a\0b", ""), ("file", "is empty")):
        parsed, stamp = files.read_stamped(str(tmp_path / name))
        assert (parsed.value, stamp) == (None, None)
        assert why in parsed.problems[0].message


# Files that are looked at again and again


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "R.json"
    path.write_text("one")
    return path


def news(watch: Watch, looks: int = 3) -> list[News]:
    """What so many looks tell."""
    told = (watch.look() for _ in range(looks))
    return [found for found in told if found is not None]


def touch(path: Path, seconds: int) -> None:
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + seconds * 10**9))


def test_a_change_since_it_was_read_is_seen(file: Path) -> None:
    with file.open("rb") as read:
        stamp = Stamp.of(os.fstat(read.fileno()), read.read())
    file.write_text("two, before the first look")
    assert news(Watch(watching.read_as(file, stamp))) == ["changed"]


def test_what_holds_the_same_has_not_changed(file: Path) -> None:
    watch = Watch(watching.see(file))
    touch(file, 5)
    assert news(watch) == []
    other = file.with_name("other")
    other.write_text("one")
    other.replace(file)
    assert news(watch) == []


@pytest.mark.parametrize("times", [3, PATIENCE])
def test_a_file_that_is_being_written_is_waited_for(file: Path, times: int) -> None:
    """But not for ever: one that never stands still is read all the same."""
    watch = Watch(watching.see(file))
    for number in range(times):
        file.write_text("half" * (number + 2))
        assert watch.look() is None
    if times == PATIENCE:
        file.write_text("half" * (times + 2))
    assert watch.look() == "changed"


def test_a_file_that_is_gone_is_told_once_and_may_come_back(file: Path) -> None:
    watch = Watch(watching.see(file))
    file.unlink()
    assert watch.look() is None  # for one look it is not gone
    file.write_text("one")
    assert news(watch) == []
    file.unlink()
    assert news(watch, 6) == ["gone"]
    file.write_text("one")
    assert news(watch) == []
    file.unlink()
    assert news(watch) == ["gone"]
    file.write_text("two")
    assert news(watch) == ["changed"]
    later = file.with_name("later")
    watch = Watch(watching.see(later))  # it was not there at first
    assert news(watch) == []
    later.write_text("here")
    assert news(watch) == ["changed"]


def test_a_folder_is_the_files_that_flux_reads_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "a.toml").write_text("a = 1")
    watch = Watch(watching.see(folder))
    (folder / "notes").write_text("x")
    (folder / ".hidden.toml").write_text("x")
    assert news(watch) == []
    for text in ("b = 1", "b = 2, as it is now"):
        (folder / "b.toml").write_text(text)
        assert news(watch) == ["changed"]
    (folder / "a.toml").unlink()
    assert news(watch) == ["changed"]
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert news(watch, 6) == ["gone"]


def test_several_files_are_one_watch(file: Path, tmp_path: Path) -> None:
    config = tmp_path / "conf.d"
    config.mkdir()
    watched = watching.see(file) + watching.see(config) + watching.see(file)
    assert len(watched.files) == 1
    watch = Watch(watched)
    (config / "a.toml").write_text("a = 1")
    assert news(watch) == ["changed"]
    file.write_text("two, longer")
    assert news(watch) == ["changed"]


def test_what_is_no_file_is_not_watched(tmp_path: Path) -> None:
    for where in ("-", "demo"):
        assert watching.see(where).unread
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    watched = watching.see(pipe)  # to open it would wait for a writer
    assert [seen.stamp for seen in watched.files] == [None]
    assert news(Watch(watched)) == []
    assert watching.read_as(pipe, Stamp.of(os.stat(pipe), b"")).unread
