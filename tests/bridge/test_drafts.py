"""Drafts in their store, and all that the program keeps by itself, for its owner alone."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge import crash, drafts, files, paths
from fluxtui.bridge import running as running_drafts
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.draft_json import Draft, SavedFile, from_json, to_text
from fluxtui.bridge.drafts import Store
from fluxtui.bridge.stamps import Stamp
from fluxtui.bridge.typed import Typed
from tests.each import the
from tests.pace import seconds

DRAFT = Draft(
    shape="node=4/slot/[core=8;gpu",
    requires="gpu&",
    queue="batch",
    document={"version": 1, "resources": [], "é\ud800": [1.5, None, {"a": True}]},
    typed={"duration": "1 hour"},
    written={"yaml": "# mine\nversion: 1\n"},
    raw=("resources: [\n", "yaml"),
    own=True,
    path="/home/someone/job.yaml",
    file=SavedFile("/home/someone/job.yaml", Stamp(1, 2, 3, "d"), "version: 1\n"),
    unsaved=True,
    cluster="dune",
)

# A workbench in a process of its own, which keeps a draft until it is killed.
CHILD = """
import sys
from pathlib import Path
from tests.pace import seconds
from fluxtui.bridge.drafts import Draft, Store
store = Store(Path(sys.argv[1]))
for number in range(3):
    assert store.keep(Draft(shape=f"{sys.argv[2]}={number}")) is None
print("kept", flush=True)
sys.stdin.read()
if sys.argv[3:] == ["leave"]:
    store.close(Draft(shape=sys.argv[2]), left=True)
elif sys.argv[3:] == ["end"]:
    store.close(Draft(shape=sys.argv[2]), left=False)
"""


@contextmanager
def running(folder: Path, shape: str, *how: str) -> Iterator["subprocess.Popen[str]"]:
    """A workbench that has kept its draft and still runs."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), shape, *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert the(child.stdout).readline() == "kept\n"
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def crashed(folder: Path, shape: str) -> None:
    """A workbench that was killed."""
    with running(folder, shape) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()


def shapes(store: Store) -> list[tuple[str, bool]]:
    """What can be restored: the shapes, and whether they are of a crash."""
    found, problems = store.found()
    assert problems == ()
    return [(kept.draft.shape, kept.crashed) for kept in found]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip
TEXTS, FORMS = st.text(max_size=9), st.sampled_from(["yaml", "json"])
#: Of every field what its type says, but for those that hold something else.
EACH: dict[str, Any] = {field.name: ... for field in fields(Draft)} | {
    "document": st.none() | st.dictionaries(st.text(), JSON, max_size=4),
    "typed": st.dictionaries(st.text(max_size=5), TEXTS, max_size=3),
    "written": st.dictionaries(FORMS, TEXTS),
    "raw": st.none() | st.tuples(st.text(), FORMS),
}
DRAFTS = st.builds(Draft, **EACH)


@given(DRAFTS)
def test_what_is_written_is_read(draft: Draft) -> None:
    assert from_json(json.loads(json.dumps(draft.to_json()))) == draft
    head = {"kind": "a draft", "time": 1.5}
    assert json.loads(to_text(draft, head)) == head | {"draft": draft.to_json()}


def test_a_draft_with_a_long_text_is_written_as_quickly_as_it_is_typed() -> None:
    """The text of the file is encoded with the first key, and not again with each."""
    text = "# a comment\n" * 500_000
    typed = count()

    def key() -> None:
        to_text(replace(DRAFT, shape=str(next(typed)), written={"yaml": text}), {})

    first = seconds(key, runs=1)
    assert seconds(key) < first / 3


@given(JSON)
def test_anything_else_is_no_draft(found: object) -> None:
    assert from_json(found) is None


@given(DRAFTS, st.data())
def test_a_part_of_another_kind_makes_it_no_draft(draft: Draft, data: st.DataObject) -> None:
    found = draft.to_json()
    key = data.draw(st.sampled_from([key for key in found if key not in ("own", "unsaved")]))
    found[key] = data.draw(st.sampled_from([5, [[5]], True]))
    assert from_json(found) is None
    del found[key]
    assert from_json(found) is None


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "made")
    assert store.keep(DRAFT) is None
    (path,) = (tmp_path / "made").iterdir()
    assert path.name.startswith(f"session-{os.getpid()}-")
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700
    assert store.keep(replace(DRAFT, shape="node")) is None
    assert [p.name for p in (tmp_path / "made").iterdir()] == [path.name]
    assert store.found() == ([], ())  # it still runs


def test_left_it_is_the_last_session(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.keep(Draft(shape="before"))
    store.close(DRAFT, left=True)
    names = os.listdir(tmp_path)
    assert [name.split("-")[0] for name in names] == ["left"]
    (kept,), problems = Store(tmp_path).found()
    assert problems == ()
    assert kept.draft == DRAFT
    assert not kept.crashed
    assert abs(kept.when - time.time()) < 60
    assert kept.host == os.uname().nodename
    assert store.keep(Draft(shape="late")) is None
    assert os.listdir(tmp_path) == names


def test_nothing_typed_leaves_the_last_session_alone(tmp_path: Path) -> None:
    first, second = Store(tmp_path), Store(tmp_path)
    first.close(Draft(shape="first"), left=True)
    assert second.keep(Draft(shape="x")) is None
    second.close(Draft(shape="  "), left=True)
    assert len(os.listdir(tmp_path)) == 1
    assert shapes(Store(tmp_path)) == [("first", False)]


@pytest.mark.parametrize(
    ("how", "found"),
    [("kill", ("node=2", True)), ("end", ("node", True)), ("leave", ("node", False))],
)
def test_how_another_process_ended(tmp_path: Path, how: str, found: tuple[str, bool]) -> None:
    with running(tmp_path, "node", how) as child:
        assert shapes(Store(tmp_path)) == []  # one that runs is no crash
        if how == "kill":
            child.send_signal(signal.SIGKILL)
        child.communicate()
    assert shapes(Store(tmp_path)) == [found]


def test_two_that_run_at_once_keep_a_draft_each(tmp_path: Path) -> None:
    with running(tmp_path, "one") as one, running(tmp_path, "two") as two:
        here = Store(tmp_path)  # a third, of the same file
        for number in range(20):
            assert here.keep(replace(DRAFT, shape=f"three={number}")) is None
            assert shapes(Store(tmp_path)) == []
        for child in (one, two):
            child.send_signal(signal.SIGKILL)
            child.wait()
        assert sorted(shapes(Store(tmp_path))) == [("one=2", True), ("two=2", True)]
    here.close(replace(DRAFT, shape="three"), left=True)
    assert sorted(shapes(Store(tmp_path))) == [("one=2", True), ("three", False), ("two=2", True)]


def leave(folder: Path, *made: Draft) -> None:
    """Sessions that were left, one after the other."""
    for draft in made:
        Store(folder).close(draft, left=True)


def test_sessions_before_stay_where_their_job_was_not_saved(tmp_path: Path) -> None:
    saved = Draft(shape="saved", unsaved=False)
    leave(tmp_path, Draft(shape="mine"), saved, Draft(shape="other"))
    assert shapes(Store(tmp_path)) == [("other", False), ("mine", False)]
    leave(tmp_path, saved)  # the last one stays whatever it is
    assert shapes(Store(tmp_path)) == [("saved", False), ("other", False), ("mine", False)]


def test_so_many_sessions_stay_and_each_once(tmp_path: Path) -> None:
    count = drafts.MAX_LEFT
    leave(tmp_path, *(Draft(shape=f"node={number}") for number in range(count + 3)))
    kept = [(f"node={number}", False) for number in range(3, count + 3)]
    assert shapes(Store(tmp_path)) == kept[::-1]
    again = Draft(shape="node=3", cluster="another")  # restored there, and left as it was
    leave(tmp_path, again, again)
    assert shapes(Store(tmp_path)) == [kept[0], *kept[:0:-1]]


def test_the_last_session_of_former_days_counts(tmp_path: Path) -> None:
    leave(tmp_path, Draft(shape="old"))
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / "last.json")
    assert shapes(Store(tmp_path)) == [("old", False)]
    leave(tmp_path, Draft(shape="new"))
    assert shapes(Store(tmp_path)) == [("new", False), ("old", False)]
    (tmp_path / "left-1-2.json").write_text("{")
    os.mkfifo(tmp_path / "left-3-4.json")
    assert len(Store(tmp_path).found()[1]) == 1
    leave(tmp_path, Draft(shape="newer"))  # what holds no session goes with the next
    assert Store(tmp_path).found()[1] == ()


def test_old_ones_go(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    (path,) = tmp_path.iterdir()
    path = path.rename(tmp_path / f"session-{os.getpid()}-1.json")  # it has its number again
    assert shapes(Store(tmp_path)) == [("node=2", True)]
    draft = json.loads(path.read_text())
    now = time.time()
    os.utime(path, (now, now - drafts.MAX_AGE + 100))
    assert shapes(Store(tmp_path)) == [("node=2", True)]
    os.utime(path, (now, now - drafts.MAX_AGE - 100))
    assert shapes(Store(tmp_path)) == [("node=2", True)]  # of the newest few
    others = [tmp_path / f"session-8-{number}.json" for number in range(drafts.NEWEST)]
    for other in others:
        other.write_text(json.dumps(draft))
    assert len(shapes(Store(tmp_path))) == drafts.NEWEST
    for other in others:
        other.unlink()
    half = tmp_path / ".session-1-2.json.abc"
    half.write_text("{")
    assert shapes(Store(tmp_path)) == []
    assert os.listdir(tmp_path) == [half.name]
    os.utime(half, (1, 1))
    assert shapes(Store(tmp_path)) == []
    assert os.listdir(tmp_path) == []
    for number in range(drafts.MAX_KEPT + 6):  # and so many are kept
        text = json.dumps({**draft, "time": 1000 + number})
        (tmp_path / f"session-7-{number}.json").write_text(text)
    kept, _ = Store(tmp_path).found()
    assert len(kept) == drafts.MAX_KEPT == len(os.listdir(tmp_path))
    assert [one.when for one in kept[:2]] == [
        1000 + drafts.MAX_KEPT + 5,
        1000 + drafts.MAX_KEPT + 4,
    ]


def test_what_one_run_kept_is_told_from_what_another_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for begun in ("boot 1", "boot 2"):  # in a container each run may have the same number
        monkeypatch.setattr(running_drafts, "started", lambda pid, begun=begun: begun)
        store = Store(tmp_path)
        assert store.set_aside(Draft(shape=f"{begun} aside", unsaved=True)) is None
        store.close(Draft(shape=f"{begun} left", unsaved=True), left=True)
    newest, *others = Store(tmp_path).found()[0]
    runs = {kept.draft.shape: kept.is_of_run(newest) for kept in others}
    assert newest.draft.shape == "boot 2 left"
    assert runs == {"boot 2 aside": True, "boot 1 left": False, "boot 1 aside": False}


def test_a_clock_that_jumps_takes_no_draft_of_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, real = time.time(), time.time
    for number in range(drafts.NEWEST):
        crashed(tmp_path, f"node={number}")
    monkeypatch.setattr(time, "time", lambda: real() + 10 * drafts.MAX_AGE)
    assert len(shapes(Store(tmp_path))) == drafts.NEWEST
    ahead = Store(tmp_path)
    ahead.close(replace(DRAFT, shape="ahead", unsaved=False), left=True)
    monkeypatch.undo()  # the clock is right again
    last = Store(tmp_path)
    last.close(replace(DRAFT, shape="last", unsaved=False), left=True)
    found, _ = Store(tmp_path).found()
    assert [kept.draft.shape for kept in found if not kept.crashed] == ["last"]
    assert found[0].when >= now
    assert len(found) == drafts.NEWEST + 1


def test_told_once(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    store = Store(tmp_path)
    (kept,), _ = store.found()
    assert not kept.told
    (tmp_path / "session-1-2.json").write_text("garbage")
    assert len(store.found()[1]) == 1
    store.told()
    (again,), problems = store.found()
    assert problems == ()
    assert again.told
    assert again.draft == kept.draft
    store.told()
    assert shapes(store) == [("node=2", True)]
    with running(tmp_path, "other"):
        store.told()
        assert [p.name[:8] for p in tmp_path.glob("session-*")] == ["session-"]


def test_a_restored_draft_goes_when_it_is_kept_elsewhere(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    store = Store(tmp_path)
    (kept,), _ = store.found()
    store.replaces(kept)
    assert shapes(store) == [("node=2", True)]
    assert store.is_replaced(kept)
    store.told()  # which has another name for those that a person was told of
    store.keep(kept.draft)
    assert [path.name for path in tmp_path.iterdir()] == [store._own.name]
    assert kept.path not in list(tmp_path.iterdir())
    store.close(kept.draft, left=True)
    (last,), _ = store.found()
    store.replaces(last)
    store.keep(last.draft)
    assert shapes(Store(tmp_path)) == [("node=2", False)]


GARBAGE = [
    b"",
    b"{",
    b"[]",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"kind": "something else"}',
    b'{"kind": "fluxtui draft", "version": 99, "draft": {}}',
    b'{"kind": "fluxtui draft", "version": 1, "time": 1, "host": "h", "draft": {"shape": 5}}',
]


def test_what_is_no_draft_is_left_out(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    for name in ("session-1-2.json", "left-1-2.json", "last.json"):
        for content in GARBAGE:
            (tmp_path / name).write_bytes(content)
            found, (problem,) = Store(tmp_path).found()
            assert [kept.draft.shape for kept in found] == ["node=2"]
            assert problem.severity == "warning"
            assert name in problem.message
            assert (tmp_path / name).exists()
        (tmp_path / name).unlink()


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "below")
    problem = the(store.keep(DRAFT))
    assert problem.severity == "warning"
    assert "the draft is not kept" in problem.message
    store.close(DRAFT, left=True)
    assert store.found() == ([], ())


def test_without_locks_the_process_tells(tmp_path: Path) -> None:
    with running(tmp_path, "node") as child:
        (path,) = tmp_path.iterdir()
        assert running_drafts.seems_to_run(path)
        found = json.loads(path.read_text())
        here = os.uname().nodename
        for change, runs in (
            ({"process": [child.pid, "another start"]}, False),
            ({"process": "?"}, False),
            ({"host": here + "x"}, True),
        ):
            other = tmp_path / "other"
            other.write_text(json.dumps(found | change))
            assert running_drafts.seems_to_run(other) == runs
        os.utime(other, (1, 1))
        assert not running_drafts.seems_to_run(other)
        child.kill()
        child.wait()
        assert not running_drafts.seems_to_run(path)


# The program's own folders and files are for their owner alone, whatever the umask


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
