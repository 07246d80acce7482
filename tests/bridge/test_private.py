"""The program's own folders and files are for their owner alone, whatever the umask."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fluxtui.bridge import crash, files, paths
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.bridge.typed import Typed


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def home(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A home with nothing in it, under several masks."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    before = os.umask(request.param)
    yield tmp_path
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The modes of all that is below a folder."""
    return {
        str(path.relative_to(folder)): oct(stat.S_IMODE(path.lstat().st_mode))
        for path in folder.rglob("*")
    }


def write_all() -> None:
    """Whatever the program keeps by itself."""
    store = Store()
    assert store.keep(Draft(shape="node")) is None
    assert store.set_aside(Draft(shape="core")) is None
    typed = Typed()
    typed.add("shape", "node")
    assert typed.save() == ()
    assert Chosen().save("columns", ("rank",))
    try:
        raise RuntimeError
    except RuntimeError:
        crash.headless()
    store.close(Draft(shape="node=2"), left=True)


def test_all_that_is_kept_is_private(home: Path) -> None:
    write_all()
    found = modes(home)
    folders = {"home", "home/state", "home/state/fluxtui"}
    assert folders < found.keys()
    assert len(found) > 8
    wanted = {name: "0o700" if (home / name).is_dir() else "0o600" for name in found}
    assert found == wanted


def test_what_was_wider_before_is_narrowed(home: Path) -> None:
    write_all()
    own = paths.state_folder()
    for path in (own, *own.rglob("*")):
        path.chmod(0o777)
    own.parent.chmod(0o755)
    write_all()
    assert oct(stat.S_IMODE(own.parent.stat().st_mode)) == "0o755"  # not the program's own
    assert {mode for name, mode in modes(own).items() if (own / name).is_dir()} == {"0o700"}
    assert modes(own)["chosen.json"] == modes(own)["history/shape"] == "0o600"


def test_a_link_and_what_it_leads_to_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "dotfiles"
    kept.mkdir(mode=0o755)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "fluxtui").symlink_to(kept)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert Chosen().save("columns", ("rank",))
    assert oct(stat.S_IMODE(kept.stat().st_mode)) == "0o755"
    assert (tmp_path / "state" / "fluxtui").is_symlink()


def test_what_a_person_saves_has_the_mode_that_they_want(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        new, old = tmp_path / "new", tmp_path / "old"
        old.write_text("x")
        old.chmod(0o664)
        assert files.write_atomic(new, "y") == files.write_atomic(old, "y") == ()
        assert [oct(stat.S_IMODE(p.stat().st_mode)) for p in (new, old)] == ["0o640", "0o664"]
    finally:
        os.umask(before)


# What stays of a fault of the program itself


@pytest.fixture
def state_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def _fail() -> str:
    try:
        raise RuntimeError("the cause")
    except RuntimeError:
        return crash.report("node=4", "gpu&-debug")


def test_the_texts_come_back_and_the_details_go_to_a_file(state_home: Path) -> None:
    said = _fail()
    assert "node=4" in said
    assert "gpu&-debug" in said
    assert "Traceback" not in said
    (log,) = state_home.rglob("*.log")
    assert str(log) in said
    said = crash.headless()  # without anything typed
    assert "Traceback" not in said
    assert str(log.parent) in said
    _fail()
    logs = "".join(log.read_text() for log in state_home.rglob("*.log"))
    assert logs.count("RuntimeError: the cause") == 2
    said = crash.report("a\x1b[31m", "\x07")
    assert not {"\x1b", "\x07"} & set(said)


def test_elsewhere_where_the_folder_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "other"))
    said = _fail()
    assert str(tmp_path / "other") in said
    assert "the cause" in next((tmp_path / "other").iterdir()).read_text()


def test_nowhere_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    said = _fail()
    assert "could not be written" in said
    assert "node=4" in said
