"""What a file was, and how it differs by now."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from fluxtui.bridge import files, stamps
from fluxtui.bridge.stamps import Change, Stamp

TEXT = "a\nb\nc\n"


@pytest.fixture
def seen(tmp_path: Path) -> tuple[Path, Stamp]:
    path = tmp_path / "job.yaml"
    path.write_text(TEXT)
    parsed, stamp = files.read_stamped(str(path))
    assert parsed.value is not None
    assert parsed.value.text == TEXT
    assert stamp is not None
    return path, stamp


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


def test_a_change_within_one_tick_of_the_clock(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    path.write_text("a\nX\nc\n")
    os.utime(path, ns=(stamp.mtime_ns, stamp.mtime_ns))
    found = stamps.change(path, stamp, TEXT)
    assert found is not None
    assert found.stamp is not None
    assert replace(found.stamp, digest=stamp.digest) == stamp
    assert (found.added, found.removed) == (1, 1)


def test_how_much_was_changed_and_when(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    path.write_text("b\nnew\nc\nnew\nc\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    found = stamps.change(path, stamp, TEXT)
    assert found is not None
    assert (found.gone, found.when, found.added, found.removed) == (False, 1_700_000_000, 3, 1)


def test_gone(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    path.unlink()
    assert stamps.change(path, stamp, TEXT) == Change(gone=True)
    assert stamps.change(path / "below", stamp, TEXT) == Change(gone=True)


def test_what_is_no_text_any_more_is_a_change(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    path.write_bytes(b"\xff\n\xfe\n")
    found = stamps.change(path, stamp, TEXT)
    assert found is not None
    assert (found.added, found.removed) == (2, 3)
    path.unlink()
    os.mkfifo(path)
    found = stamps.change(path, stamp, TEXT)
    assert found is not None
    assert found.stamp is None
    assert not found.gone


def test_what_is_far_too_large_is_not_read(seen: tuple[Path, Stamp]) -> None:
    path, stamp = seen
    with path.open("r+b") as file:
        file.truncate(stamps.MAX_COMPARED + 1)
    found = stamps.change(path, stamp, TEXT)
    assert found is not None
    assert found.stamp is None
    assert found.when > 0


def test_nothing_is_read_where_nothing_can_be(tmp_path: Path) -> None:
    for name in ("none", "a\0b"):
        parsed, stamp = files.read_stamped(str(tmp_path / name))
        assert (parsed.value, stamp) == (None, None)
    (tmp_path / "empty").write_text(" \n")
    parsed, stamp = files.read_stamped(str(tmp_path / "empty"))
    assert (parsed.value, stamp) == (None, None)
    assert "is empty" in parsed.problems[0].message


def test_a_file_is_read_in_pieces_for_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = bytes(range(256)) * 10_000  # more than one piece
    path.write_bytes(data)
    assert Stamp.read(path) == Stamp.of(path.stat(), data)
    assert Stamp.read(tmp_path / "none") is None
    assert Stamp.read(tmp_path) is None
