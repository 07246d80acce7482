"""Files are put in place whole: what they keep, when they are left alone, and whose they may be."""

import os
import signal
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fluxtui.bridge import crash, editor, files, paths
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.drafts import Draft, Store
from fluxtui.bridge.in_place import put_in_place, put_private
from fluxtui.bridge.stamps import Stamp
from fluxtui.bridge.typed import SHAPE, Typed
from tests.each import the

NOBODY = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else too")


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.lstat().st_mode))


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody can go through."""
    with tempfile.TemporaryDirectory(prefix="fluxtui-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def as_nobody(does: Callable[[], object]) -> str:
    """Do something as a user without rights, in a process of its own; what it returns, as text."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        said = b"it failed"
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            said = str(does()).encode()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}".encode()
        finally:
            os.write(writes, said)
            os._exit(0)
    os.close(writes)
    os.waitpid(child, 0)
    with open(reads, "rb") as told:
        return told.read().decode()


def run(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """A Python of its own, which ends in a minute."""
    line = [sys.executable, "-c", program, *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)


# What a file keeps


def test_a_mode_a_group_and_an_owner_stay(tmp_path: Path) -> None:
    path, new = tmp_path / "job.yaml", tmp_path / "new.yaml"
    path.write_text("old")
    path.chmod(0o664)
    before = os.umask(0o027)
    try:
        assert files.write_atomic(path, "zwei é\r\n") == files.write_atomic(new, "y") == ()
    finally:
        os.umask(before)
    assert path.read_bytes() == "zwei é\r\n".encode()
    assert (mode(path), mode(new)) == ("0o664", "0o640")
    assert names(tmp_path) == ["job.yaml", "new.yaml"]
    is_root = os.geteuid() == 0
    groups = [group for group in os.getgroups() if group != path.stat().st_gid]
    if not groups and not is_root:
        pytest.skip("the user has one group only")
    owner, group = (NOBODY, 12345) if is_root else (-1, groups[0])
    os.chown(path, owner, group)
    path.chmod(0o4660 if is_root else 0o660)
    was = path.stat()
    assert files.write_atomic(path, "new") == ()
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode) == (was.st_uid, group, was.st_mode)
    assert found.st_uid == (NOBODY if is_root else os.geteuid())


def test_a_link_is_followed_and_problems_leave_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link, loop = tmp_path / "real" / "file", tmp_path / "link", tmp_path / "loop"
    target.write_text("old")
    link.symlink_to(target)
    loop.symlink_to(loop)
    assert files.write_atomic(link, "new") == ()
    assert link.is_symlink()
    assert files.write_atomic(link, "\ud800")
    assert "it is a directory" in files.write_atomic(tmp_path, "x")[0].message
    assert "no such directory" in files.write_atomic(tmp_path / "no" / "x", "x")[0].message
    assert files.write_atomic(loop, "x")
    assert target.read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/full"), Path("/dev/null")):
        assert "it is not a regular file" in files.write_atomic(path, "x")[0].message
        assert paths.why_not_save(str(path))[0] is not None
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert names(tmp_path) == ["link", "loop", "pipe", "real"]
    assert names(target.parent) == ["file"]


@needs_root
def test_what_cannot_be_given_back_gives_nobody_more(shared: Path) -> None:
    """The owner is another one then: the file runs as nobody, and its group may be anybody's."""
    shared.chmod(0o777)
    path = shared / "job.yaml"
    path.write_text("old")
    os.chown(path, 0, 12345)
    path.chmod(0o6662)
    assert as_nobody(lambda: files.write_atomic(path, "new")) == "()"
    assert path.read_text() == "new"
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (NOBODY, NOBODY, "0o622")


# User and mask may read and write, nobody, the group and others what they may.
ACL = struct.pack("<I" + "HHI" * 5, 2, *(
    *(0x01, 6, 0xFFFFFFFF), *(0x02, 4, NOBODY), *(0x04, 0, 0xFFFFFFFF),
    *(0x10, 4, 0xFFFFFFFF), *(0x20, 0, 0xFFFFFFFF),
))  # fmt: skip


def test_attributes_and_the_access_control_list_stay(tmp_path: Path) -> None:
    path, plain = tmp_path / "job.yaml", tmp_path / "plain"
    path.write_text("old")
    plain.write_text("old")
    try:
        os.setxattr(path, "user.note", b"mine")
        os.setxattr(path, "system.posix_acl_access", ACL)
        os.setxattr(tmp_path, "system.posix_acl_default", ACL)
    except (AttributeError, OSError):
        pytest.skip("the file system has none")
    assert files.write_atomic(path, "new") == files.write_atomic(plain, "new") == ()
    assert os.getxattr(path, "user.note") == b"mine"
    assert os.getxattr(path, "system.posix_acl_access") == ACL
    assert os.listxattr(plain) == []  # not that of the folder for new files


def test_any_name_that_a_file_can_have_and_another_name_keeps_what_it_was(tmp_path: Path) -> None:
    listed = ["\N{PILE OF POO}" * 63, "x" * 255, "a\udcff\n\x1b[31m"]
    for name in listed:
        for text in ("one", "two"):
            assert files.write_atomic(tmp_path / name, text) == ()
            assert (tmp_path / name).read_text() == text
    assert names(tmp_path) == sorted(listed)
    path, other = tmp_path / listed[0], tmp_path / "other.yaml"
    os.link(path, other)
    assert files.write_atomic(path, "new") == ()
    assert (path.read_text(), other.read_text()) == ("new", "two")


# When it is left alone


def test_what_changes_while_it_is_written_stays(tmp_path: Path) -> None:
    path, new = tmp_path / "job.yaml", tmp_path / "new.yaml"
    path.write_text("old")
    for target in (path, new):
        with pytest.raises(OSError, match="it was changed meanwhile"):
            put_in_place(target, b"mine", lambda handle, at=target: at.write_text("theirs"))
        assert target.read_text() == "theirs"
    with pytest.raises(OSError, match="it was changed meanwhile"):
        put_in_place(path, b"mine", lambda handle: path.unlink())
    assert names(tmp_path) == ["new.yaml"]

    def pieces() -> Iterator[str]:
        yield "mine"
        new.write_text("their second one")

    (problem,) = files.write_pieces(new, pieces())
    assert problem.message == f"cannot write '{new}': it was changed meanwhile"
    assert new.read_text() == "their second one"


def test_what_is_not_as_it_was_asked_about_stays(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("old")
    old = the(Stamp.read(path))
    os.utime(path, (1, 1))  # it was only touched
    stamp, problems = files.save(path, "new", over=old)
    assert (path.read_text(), problems) == ("new", ())
    for over in (old, "nothing"):
        stamp, problems = files.save(path, "newer", over=over)
        assert "changed meanwhile" in problems[0].message
        assert (stamp, path.read_text()) == (None, "new")
    path.unlink()
    assert files.save(path, "newer", over=old)[0] is None
    assert names(tmp_path) == []
    assert files.save(path, "newer", over="nothing")[1] == ()
    assert files.save(path, "newest", over="anything")[1] == ()


@needs_root
def test_a_folder_or_a_file_that_may_not_be_written(shared: Path) -> None:
    path, open_one = shared / "job.yaml", shared / "open" / "job.yaml"
    open_one.parent.mkdir()

    def refused(path: Path, file_mode: int, folder_mode: int) -> str:
        path.write_text("old")
        path.chmod(file_mode)
        path.parent.chmod(folder_mode)
        said = as_nobody(lambda: files.write_atomic(path, "new")[0].message)
        assert (path.read_text(), names(open_one.parent)[1:]) == ("old", [])
        return said.removeprefix(f"cannot write '{path}': ")

    assert refused(path, 0o666, 0o755) == f"you have no permission to write in {shared}"
    said = as_nobody(lambda: paths.why_not_save(str(path))[0])
    assert said == f"You have no permission to write in {shared}."
    assert refused(open_one, 0o444, 0o777) == "it is read-only"
    # Where nobody may take away what others have.
    assert "cannot write" not in refused(open_one, 0o666, 0o1777)


@needs_root
def test_a_link_that_others_put_into_a_folder_of_all_is_not_followed(shared: Path) -> None:
    mine = shared / "mine"
    mine.write_text("precious")
    shared.chmod(0o1777)
    for name, to in (("site.json", "mine"), ("way", "."), ("theirs", "site.json")):
        (shared / name).symlink_to(to)
        os.lchown(shared / name, NOBODY, NOBODY)
    (shared / "own").symlink_to("theirs")
    os.chown(shared, 12345, 12345)
    for name in ("site.json", "theirs", "own"):
        (problem,) = files.write_atomic(shared / name, "{}")
        assert problem.message.endswith("somebody else put that link there")
        assert paths.why_not_save(str(shared / name))[0] is not None
    assert mine.read_text() == "precious"
    os.lchown(shared / "site.json", 0, 0)
    assert files.write_atomic(shared / "site.json", "{}") == ()
    assert mine.read_text() == "{}"


# What is left behind

KILLED = """
import os, signal, sys
from fluxtui.bridge import files

def pieces():
    yield "x" * 1_000_000
    os.kill(os.getpid(), signal.SIGKILL)

files.write_pieces(sys.argv[1], pieces())
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="a file always has a name")
def test_a_program_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    try:
        os.close(os.open(tmp_path, os.O_WRONLY | os.O_TMPFILE))
    except OSError:
        pytest.skip("a file always has a name on this file system")
    for before in ([], ["R.json"]):
        assert run(KILLED, str(tmp_path / "R.json")).returncode == -signal.SIGKILL
        assert names(tmp_path) == before
        (tmp_path / "R.json").write_text("old")


def test_where_a_file_always_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / "job.yaml"
    before = os.umask(0o027)
    try:
        for text in ("one", "two"):
            assert files.write_atomic(path, text) == ()
            assert (path.read_text(), mode(path)) == (text, "0o640")
    finally:
        os.umask(before)
    with pytest.raises(OSError, match="meanwhile"):
        put_in_place(tmp_path / "new", b"x", lambda handle: (tmp_path / "new").write_text("y"))

    def refuse(*of: object, **options: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)  # as where there are no hard links
    assert files.write_atomic(tmp_path / "another", "x") == ()
    put_private(tmp_path / "own", b"x")
    assert mode(tmp_path / "own") == "0o600"
    assert names(tmp_path) == ["another", "job.yaml", "new", "own"]


FULL = """
import resource, sys, tempfile
from fluxtui.bridge import crash, editor, files
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
tempfile.tempdir = sys.argv[1]
found = editor.edit("x" * 5000, ".yaml")
print(len(found.value), *(problem.message for problem in found.problems))
try:
    raise RuntimeError("x" * 5000)
except RuntimeError:
    print(crash.headless())
print(files.write_atomic(sys.argv[2], "x" * 5000)[0].message)
"""


def test_nothing_stays_of_what_could_not_be_written_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("EDITOR", "true")
    path = tmp_path / "job.json"
    path.write_text("old")
    done = run(FULL, str(tmp_path), str(path))
    assert done.stderr == ""
    edited, _, details, written = done.stdout.splitlines()
    assert edited == "5000 the text cannot be passed to an editor: file too large"
    assert details == "The details could not be written."
    assert written == f"cannot write '{path}': file too large"
    assert [one for one in tmp_path.rglob("*") if not one.is_dir()] == [path]
    assert path.read_text() == "old"


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with a file on it, and room for nothing more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if (
        sys.platform != "linux"
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("nothing can be mounted here")
    try:
        (disk / "job.yaml").write_text("old\n")
        with suppress(OSError), (disk / "all").open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@needs_root
def test_a_disk_that_is_full_keeps_what_it_had(full: Path) -> None:
    for name in ("job.yaml", "new.yaml"):
        (problem,) = files.write_atomic(full / name, "new\n" * 5000)
        assert "no space left" in problem.message
    store = Store(full)
    draft = Draft(shape="node=4", document={"of": "x" * 20_000})
    assert "no space left" in the(store.keep(draft)).message
    assert (full / "job.yaml").read_text() == "old\n"
    assert names(full) == ["all", "job.yaml"]
    (full / "all").unlink()  # there is room again
    assert files.write_atomic(full / "job.yaml", "new\n") == ()
    assert store.keep(draft) is None
    assert (full / "job.yaml").read_text() == "new\n"
    store.close(draft, left=True)


def test_an_editor_leaves_its_copies_in_a_folder_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sh -c 'cp $0 $0~; ls -l $0 > $0.log; echo b: 2 >> $0'")
    assert editor.edit("a: 1\n", ".yaml") == ("a: 1\nb: 2\n", ())
    assert names(tmp_path) == []


# What the program keeps by itself: for its owner alone, and only where the folder is theirs


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the program, which is not there yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    return tmp_path / "home" / "state" / "fluxtui"


def failed(*typed: str) -> str:
    """What is said of a fault of the program, after what was typed in the two bars."""
    try:
        raise RuntimeError("the cause")
    except RuntimeError:
        return crash.report(*typed) if typed else crash.headless()


def kept() -> list[str]:
    """What is said when all that the program keeps by itself is written."""
    typed, store = Typed(), Store()
    typed.add(SHAPE, "node")
    problems = [*typed.save(), store.keep(Draft("node")), store.set_aside(Draft("core"))]
    said = [problem.message for problem in problems if problem is not None]
    said += [] if Chosen().save("columns", ("rank",)) else ["not chosen"]
    store.close(Draft("node=2"), left=True)
    return [*said, failed().splitlines()[-1]]


def modes(folder: Path) -> dict[str, str]:
    """The modes of all that is below a folder."""
    return {str(path.relative_to(folder)): mode(path) for path in folder.rglob("*")}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777], ids=oct)
def test_all_that_is_kept_is_private_whatever_it_was_before(
    state: Path, tmp_path: Path, mask: int
) -> None:
    before = os.umask(mask)
    try:
        assert len(kept()) == 1  # of the fault
        found, home = modes(tmp_path / "home"), tmp_path / "home"
        assert {"state/fluxtui/chosen.json", "state/fluxtui/history/shape"} < found.keys()
        assert len(found) > 8
        assert found == {n: "0o700" if (home / n).is_dir() else "0o600" for n in found}
        for path in (state, *state.rglob("*")):
            path.chmod(0o777)
        state.parent.chmod(0o755)
        kept()
    finally:
        os.umask(before)
    assert mode(state.parent) == "0o755"  # not the program's own
    assert mode(state) == modes(state)["history"] == "0o700"
    assert modes(state)["chosen.json"] == modes(state)["history/shape"] == "0o600"


@needs_root
def test_nothing_is_kept_in_a_folder_of_another_user(state: Path, tmp_path: Path) -> None:
    """As with ``sudo``, which may leave HOME as it is: the other one could not read it again."""
    state.mkdir(parents=True, mode=0o700)
    os.chown(state, NOBODY, NOBODY)
    *said, fault = kept()
    assert said == [
        *(
            f"{what}: {state} belongs to another user"
            for what in (
                "the history of shape cannot be written",
                "the draft is not kept",
                "the job that was here is not kept",
            )
        ),
        "not chosen",
    ]
    assert f"The details are in {tmp_path / 'temp' / 'fluxtui-crash-'}" in fault
    assert names(state) == []
    assert (state.stat().st_uid, mode(state)) == (NOBODY, "0o700")


def test_links_of_ones_own_stay_but_nothing_is_kept_where_everybody_writes(
    state: Path, tmp_path: Path
) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir(mode=0o755)
    state.parent.mkdir(parents=True)
    state.symlink_to(dotfiles)
    assert len(kept()) == 1
    assert (state.is_symlink(), mode(dotfiles)) == (True, "0o755")
    assert "chosen.json" in names(dotfiles)
    state.unlink()
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o1777)
    state.symlink_to(tmp_path / "all")
    assert f"everybody can write to {state}" in kept()[1]
    assert (names(tmp_path / "all"), mode(tmp_path / "all")) == ([], "0o1777")
    with pytest.raises(OSError, match="everybody can write"):
        put_private(tmp_path / "all" / "file", b"x")


def test_links_among_what_is_kept_are_replaced_or_refused(state: Path, tmp_path: Path) -> None:
    """Somebody else may have put them there, while the folder was open to all."""
    victim, lock = tmp_path / "victim", state / "history" / ".shape.lock"
    victim.write_text("precious")
    victim.chmod(0o644)
    lock.parent.mkdir(parents=True)
    lock.symlink_to(victim)
    kept()
    assert (victim.read_text(), mode(victim)) == ("precious", "0o644")
    assert (state / "history" / "shape").read_text() == "node\n"
    lock.unlink()
    lock.symlink_to(tmp_path / "new")
    kept()
    assert not (tmp_path / "new").exists()


PIPE = "from fluxtui.bridge.chosen import Chosen; print(Chosen().load('theme'))"


def test_a_pipe_in_the_place_of_what_was_chosen_holds_nothing_up(state: Path) -> None:
    state.mkdir(parents=True)
    os.mkfifo(state / "chosen.json")
    assert run(PIPE).stdout == "()\n"


def test_a_fault_is_told_with_what_was_typed_and_its_details_go_where_they_can(
    state: Path, tmp_path: Path
) -> None:
    assert str(state) in failed()
    said = failed("a\x1b[31m=4", "gpu&-debug")
    assert all(typed in said for typed in ("=4", "gpu&-debug"))
    assert not any(never in said for never in ("Traceback", "\x1b"))
    logs = [*state.glob("*.log")]
    assert (len(logs), any(str(log) in said for log in logs)) == (2, True)
    assert all("RuntimeError: the cause" in log.read_text() for log in logs)
    for log in logs:
        log.unlink()
    state.rmdir()
    state.write_text("")  # no folder can be there
    said = failed("node=4", "")
    (log,) = (tmp_path / "temp").iterdir()
    assert str(log) in said
    log.unlink()
    (tmp_path / "temp").rmdir()
    said = failed("node=4", "")
    assert "could not be written" in said
    assert "node=4" in said
