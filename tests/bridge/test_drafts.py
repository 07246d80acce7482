"""Drafts in their store: what is kept of one, which ones can be restored, and which ones go."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from fluxtui.bridge import drafts
from fluxtui.bridge import running as running_drafts
from fluxtui.bridge.draft_json import Draft, SavedFile, from_json, to_text
from fluxtui.bridge.drafts import Store
from fluxtui.bridge.stamps import Stamp
from tests.each import the
from tests.pace import seconds

DRAFT = Draft(
    shape="node=4/slot/[core=8;gpu",
    requires="gpu&",
    queue="batch",
    document={"version": 1, "resources": [], "é\ud800": [1.5, None, {"a": True}]},
    typed={"duration": "1 hour"},
    written={"yaml": "# mine\nversion: 1\n", "json": "{}"},
    raw=("resources: [\n", "yaml"),
    own=True,
    path="/home/someone/job.yaml",
    file=SavedFile("/home/someone/job.yaml", Stamp(1, 2, 3, "d"), "version: 1\n"),
    unsaved=True,
    cluster="dune",
    resources="R.json",
    config="flux.toml",
)

# A workbench in a process of its own, which keeps a draft until it is killed.
CHILD = """
import sys
from pathlib import Path
from fluxtui.bridge.drafts import Draft, Store
store = Store(Path(sys.argv[1]))
for number in range(3):
    assert store.keep(Draft(shape=f"{sys.argv[2]}={number}")) is None
print("kept", flush=True)
sys.stdin.read()
if sys.argv[3:]:
    store.close(Draft(shape=sys.argv[2]), left=sys.argv[3] == "leave")
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


def crashed(folder: Path, shape: str, number: int = 1) -> Path:
    """The file of a workbench that ended without being left."""
    store = Store(folder)
    store.close(Draft(shape=shape), left=False)
    return store._own.rename(folder / f"session-7-{number}.json")


def leave(folder: Path, *made: Draft) -> None:
    """Sessions that were left, one after the other."""
    for draft in made:
        Store(folder).close(draft, left=True)


def shapes(folder: Path) -> list[tuple[str, bool]]:
    """What can be restored: the shapes, and whether they are of a crash."""
    found, problems = Store(folder).found()
    assert problems == ()
    return [(kept.draft.shape, kept.crashed) for kept in found]


def test_what_is_written_is_read_and_nothing_else() -> None:
    head = {"kind": "a draft", "time": 1.5}
    for draft in (DRAFT, Draft(), replace(DRAFT, written={"json": "[\ud800"}, file=None)):
        found = draft.to_json()
        assert json.loads(to_text(draft, head)) == head | {"draft": found}
        assert from_json(json.loads(json.dumps(found))) == draft
        for key in found.keys() - {"own", "unsaved"}:
            for other in (5, [[5]], True):
                assert from_json({**found, key: other}) is None, key
            assert from_json({name: one for name, one in found.items() if name != key}) is None


def test_a_draft_with_a_long_text_is_written_as_quickly_as_it_is_typed() -> None:
    """The text of the file is encoded with the first key, and not again with each."""
    text = "# a comment\n" * 500_000
    typed = count()

    def key() -> None:
        to_text(replace(DRAFT, shape=str(next(typed)), written={"yaml": text}), {})

    first = seconds(key, runs=1)
    assert seconds(key) < first / 3


def test_left_it_is_the_last_session_unless_nothing_was_typed(tmp_path: Path) -> None:
    store, other = Store(tmp_path), Store(tmp_path)
    store.keep(Draft(shape="before"))
    store.close(DRAFT, left=True)
    names = os.listdir(tmp_path)
    assert [name.split("-")[0] for name in names] == ["left"]
    (kept,), problems = Store(tmp_path).found()
    assert (kept.draft, kept.crashed, kept.host, problems) == (
        DRAFT, False, os.uname().nodename, (),
    )  # fmt: skip
    assert abs(kept.when - time.time()) < 60
    assert store.keep(Draft(shape="late")) is other.keep(Draft(shape="x")) is None
    other.close(Draft(shape="  "), left=True)
    assert os.listdir(tmp_path) == names


@pytest.mark.parametrize(
    ("how", "found"),
    [((), ("node=2", True)), (("end",), ("node", True)), (("leave",), ("node", False))],
)
def test_how_another_process_ended(
    tmp_path: Path, how: tuple[str, ...], found: tuple[str, bool]
) -> None:
    with running(tmp_path, "node", *how) as child:
        assert shapes(tmp_path) == []  # one that runs is no crash
        if not how:
            child.kill()
        child.communicate()
    assert shapes(tmp_path) == [found]


def test_two_that_run_at_once_keep_a_draft_each(tmp_path: Path) -> None:
    with running(tmp_path, "one"), running(tmp_path, "two"):
        here = Store(tmp_path)  # a third, of the same file
        for number in range(20):
            assert here.keep(replace(DRAFT, shape=f"three={number}")) is None
            assert shapes(tmp_path) == []
    assert sorted(shapes(tmp_path)) == [("one=2", True), ("two=2", True)]
    here.close(replace(DRAFT, shape="three"), left=True)
    assert sorted(shapes(tmp_path)) == [("one=2", True), ("three", False), ("two=2", True)]


def test_sessions_before_stay_where_their_job_was_not_saved(tmp_path: Path) -> None:
    saved = Draft(shape="saved", unsaved=False)
    leave(tmp_path, Draft(shape="mine"), saved, Draft(shape="other"))
    assert shapes(tmp_path) == [("other", False), ("mine", False)]
    leave(tmp_path, saved)  # the last one stays whatever it is
    assert shapes(tmp_path) == [("saved", False), ("other", False), ("mine", False)]


def test_so_many_sessions_stay_and_each_once(tmp_path: Path) -> None:
    many = drafts.MAX_LEFT
    leave(tmp_path, *(Draft(shape=f"node={number}") for number in range(many + 3)))
    kept = [(f"node={number}", False) for number in range(3, many + 3)]
    assert shapes(tmp_path) == kept[::-1]
    again = Draft(shape="node=3", cluster="another")  # restored there, and left as it was
    leave(tmp_path, again, again)
    assert shapes(tmp_path) == [kept[0], *kept[:0:-1]]


def test_the_last_session_of_former_days_counts(tmp_path: Path) -> None:
    leave(tmp_path, Draft(shape="old"))
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / "last.json")
    leave(tmp_path, Draft(shape="new"))
    assert shapes(tmp_path) == [("new", False), ("old", False)]
    (tmp_path / "left-1-2.json").write_text("{")
    os.mkfifo(tmp_path / "left-3-4.json")
    assert len(Store(tmp_path).found()[1]) == 1
    leave(tmp_path, Draft(shape="newer"))  # what holds no session goes with the next
    assert Store(tmp_path).found()[1] == ()


def test_old_ones_go_but_for_the_newest_few(tmp_path: Path) -> None:
    now, newest = time.time(), drafts.NEWEST
    old = crashed(tmp_path, "old", 0)
    for age, others, left in ((100, 0, 1), (100, newest - 1, newest), (-100, newest, newest + 1)):
        for number in range(others):
            crashed(tmp_path, "other", number + 1)
        os.utime(old, (now, now - drafts.MAX_AGE - age))
        assert len(shapes(tmp_path)) == left
    os.utime(old, (now, now - drafts.MAX_AGE - 100))
    assert shapes(tmp_path) == [("other", True)] * newest
    half = tmp_path / ".session-1-2.json.abc"  # of a write that never ended
    half.write_text("{")
    assert len(shapes(tmp_path)) == newest
    assert half.exists()
    os.utime(half, (1, 1))
    assert len(shapes(tmp_path)) == newest
    assert not half.exists()
    paths = [crashed(tmp_path, f"{number}", number) for number in range(drafts.MAX_KEPT + 6)]
    for number, path in enumerate(paths):  # and so many are kept
        path.write_text(json.dumps({**json.loads(path.read_text()), "time": 1000 + number}))
    kept = [(f"{number}", True) for number in range(6, drafts.MAX_KEPT + 6)]
    assert shapes(tmp_path) == kept[::-1]
    assert len(os.listdir(tmp_path)) == drafts.MAX_KEPT


def test_a_clock_that_jumps_takes_no_draft_of_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, real = time.time(), time.time
    for number in range(drafts.NEWEST):
        crashed(tmp_path, f"node={number}", number)
    monkeypatch.setattr(time, "time", lambda: real() + 10 * drafts.MAX_AGE)
    assert len(shapes(tmp_path)) == drafts.NEWEST
    leave(tmp_path, replace(DRAFT, shape="ahead", unsaved=False))
    monkeypatch.undo()  # the clock is right again
    leave(tmp_path, replace(DRAFT, shape="last", unsaved=False))
    found, _ = Store(tmp_path).found()
    assert [kept.draft.shape for kept in found if not kept.crashed] == ["last"]
    assert found[0].when >= now
    assert len(found) == drafts.NEWEST + 1


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


def test_reported_once(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    store = Store(tmp_path)
    (kept,), _ = store.found()
    assert not kept.reported
    (tmp_path / "session-1-2.json").write_text("garbage")
    assert len(store.found()[1]) == 1
    for _ in range(2):
        store.mark_reported()
        (again,), problems = store.found()
        assert (again.reported, again.draft, problems) == (True, kept.draft, ())
    with running(tmp_path, "other"):
        store.mark_reported()
        assert len([*tmp_path.glob("session-*")]) == 1


def test_a_restored_draft_goes_when_it_is_kept_elsewhere(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    store = Store(tmp_path)
    (kept,), _ = store.found()
    store.replaces(kept)
    assert shapes(tmp_path) == [("node", True)]
    assert store.is_replaced(kept)
    store.mark_reported()  # which has another name for those that a person was told of
    store.keep(kept.draft)
    assert [*tmp_path.iterdir()] == [store._own]
    store.close(kept.draft, left=True)
    (last,), _ = store.found()
    store.replaces(last)
    store.keep(last.draft)
    assert shapes(tmp_path) == [("node", False)]


GARBAGE = [
    b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"kind": "something else"}',
    b'{"kind": "fluxtui draft", "version": 99, "draft": {}}',
    b'{"kind": "fluxtui draft", "version": 1, "time": 1, "host": "h", "draft": {"shape": 5}}',
]  # fmt: skip


def test_what_is_no_draft_is_left_out(tmp_path: Path) -> None:
    crashed(tmp_path, "node")
    for name in ("session-1-2.json", "left-1-2.json", "last.json"):
        for content in GARBAGE:
            (tmp_path / name).write_bytes(content)
            (kept,), (problem,) = Store(tmp_path).found()
            assert (kept.draft.shape, problem.severity) == ("node", "warning")
            assert name in problem.message
        (tmp_path / name).unlink()  # it was left alone


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
        other = tmp_path / "other"
        for change, runs in (
            ({"process": [child.pid, "another start"]}, False),
            ({"process": "?"}, False),
            ({"host": os.uname().nodename + "x"}, True),
        ):
            other.write_text(json.dumps(found | change))
            assert running_drafts.seems_to_run(other) == runs
        os.utime(other, (1, 1))
        assert not running_drafts.seems_to_run(other)
    assert not running_drafts.seems_to_run(path)
