"""The real program under random hands, in a pseudo-terminal.

``python -m tests.campaign.hands`` sends bursts of keys, clicks, pastes, sizes, signals and changes
of files to a workbench that was started on documents of some kind, each storm in a folder of its
own, out of which nothing can be written. After each burst the program has to run, to answer within
some seconds, and to keep the laws of `tests.campaign.hands.laws`; the terminal shows what the
program drew, and is left as it was found. A storm after which that is not so is tried again with
ever fewer bursts, and kept as a file that ``--replay`` runs.
"""

import argparse
import contextlib
import json
import os
import random
import select
import shutil
import signal
import socket
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path

from tests.campaign.hands import files, keys, subject
from tests.campaign.hands.confined import confine
from tests.campaign.hands.keys import Burst
from tests.ui.terminal import Terminal

BURSTS = 40  # of a storm
ANSWER = 60.0  # seconds of the processor for an answer after a burst; see `Patience`
END = 20.0  # seconds for the end
#: Half seconds without a sign after which one looks whether it waits for enter.
IDLE = 4

COMPLAINTS = (
    b"Traceback",
    b"Exception ignored",
    b"was never retrieved",
    b"Warning: ",
    b"fluxtui stopped",
)

# To find fewer bursts that a fault comes after: runs, and seconds.
TRIES, LONGEST = 40, 120.0


class FaultError(Exception):
    """What is not as it should be."""


@dataclass
class Tally:
    """What storms came to."""

    storms: int = 0
    bursts: int = 0
    keys: int = 0
    acts: Counter[str] = field(default_factory=Counter)
    looks: int = 0
    slowest: float = 0.0
    largest: int = 0  # KiB
    faults: list[str] = field(default_factory=list)

    def row(self) -> str:
        """A line of the table of a campaign."""
        return (
            f"hands: {self.keys:,} keys, clicks and pastes in {self.bursts:,} bursts of "
            f"{self.storms:,} storms; slowest {self.slowest:.2f} s, largest "
            f"{self.largest / 1024:.0f} MB, {len(self.faults)} faults\n"
            f"       {dict(self.acts.most_common())}"
        )


class Watched(Terminal):
    """The program in a terminal that reads what is drawn while it types."""

    def __init__(self, folder: Path, arguments: tuple[str, ...], *, drawn: bool) -> None:
        self.wire, theirs = socket.socketpair()
        self.folder, self.drawn = folder, drawn
        self.number = 0
        self._answers = b""
        home = folder / "home"
        home.mkdir(exist_ok=True)
        (home / "tmp").mkdir(exist_ok=True)
        editor = folder / "editor"
        editor.write_text("#!/bin/sh\nprintf '# edited\\n' >> \"$1\"\n")
        editor.chmod(0o700)
        env = {
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_STATE_HOME": str(home / ".state"),
            "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22",
            "EDITOR": str(editor),
            "VISUAL": "",
            "ESCDELAY": "10",
            "TZ": "UTC",
            "PYTHONDONTWRITEBYTECODE": "1",
            "FLUX_URI": "",
            "FLUXTUI_FLUX": "/nonexistent/flux",
        }
        super().__init__(
            str(theirs.fileno()),
            *arguments,
            env=env,
            program=("-m", subject.__name__),
            cwd=folder,
            inherited=(theirs.fileno(),),
            prepare=partial(confine, folder),
        )
        theirs.close()
        os.set_blocking(self.master, False)

    def feed(self, data: bytes) -> None:
        """Take what is drawn; only where it is looked at is it worked out how it looks."""
        if self.drawn:
            super().feed(data)
        else:
            self.output = self.output[-200_000:] + data

    def send_all(self, data: bytes) -> None:
        """Type bytes, and read meanwhile: a program that draws much reads little."""
        end = time.monotonic() + ANSWER
        while data:
            if self.process.poll() is not None:
                return
            readable, writable, _ = select.select([self.master], [self.master], [], 1.0)
            if readable:
                self.read(time.monotonic())
            if writable:
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self.master, data) :]
            if time.monotonic() > end:
                raise FaultError("it does not read what is typed")

    @property
    def makes_signals(self) -> bool:
        """The terminal makes signals of keys such as ctrl+z: nobody has it for keys alone."""
        flags = termios.tcgetattr(self.slave)[3]
        return bool(flags & termios.ISIG)

    def stacks(self) -> str:
        """Where it hangs."""
        pid = self.process.pid
        before = time_of(pid)
        self.read_for(1.0)
        used = time_of(pid) - before
        self.process.send_signal(subject.STACKS)
        self.read_for(1.0)
        written = (self.folder / f"stacks-{pid}").read_text()
        return f"it takes {used:.0%} of a core\n{written}"

    def look(self) -> dict[str, object]:
        """What the program says of itself once it has done all that was typed."""
        self.number += 1
        self.wire.sendall(f"{self.number}\n".encode())
        mark = subject.MARK.format(self.number).encode()
        patience = Patience(self.process.pid)
        answer: dict[str, object] | None = None
        has_mark, idle = False, 0
        while answer is None or not has_mark:
            if patience.ends():
                raise FaultError(f"no answer: {self.stacks()}")
            ready, _, _ = select.select([self.master, self.wire], [], [], 0.5)
            if self.master in ready and not self.read(time.monotonic()):
                ready = [one for one in ready if one is not self.master]
            if self.wire in ready:
                try:
                    more = self.wire.recv(1 << 20)
                except ConnectionResetError:  # it has ended
                    raise EOFError from None
                self._answers += more
                if not more:
                    raise EOFError
            if not ready and self.process.poll() is not None:
                raise EOFError
            idle += not ready
            if not ready and not idle % IDLE and termios.tcgetattr(self.master)[3] & termios.ICANON:
                self.send("\x11\r")  # after the lines for a screen reader
            while b"\n" in self._answers:
                line, _, self._answers = self._answers.partition(b"\n")
                found = json.loads(line)
                answer = found if found["number"] == self.number else answer
            has_mark = has_mark or mark in self.output[-300_000:]
        return answer


@contextlib.contextmanager
def folder_of(seed: int) -> Iterator[Path]:
    """A folder with a file of each kind, which goes in the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"hands-{seed}-"))
    try:
        files.write_all(folder)
        yield folder
    finally:
        for path, folders, _ in os.walk(folder):
            for name in folders:
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(path, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)


class Storm:
    """Bursts on one folder; the program is started again where one ends it."""

    def __init__(self, start: str, size: tuple[int, int], tally: Tally, *, drawn: bool) -> None:
        self.start, self.size, self.tally, self.drawn = start, size, tally, drawn

    def run(self, found: list[Burst], seed: int = 0) -> None:
        """Send the bursts; raises FaultError."""
        with folder_of(seed) as folder:
            self.folder = folder
            self.terminal = self.open(files.STARTS[self.start])
            try:
                for burst in found:
                    self.send(burst)
                    self.tally.bursts += 1
                self.end("ctrl+q")
            finally:
                self.terminal.__exit__(None, None, None)
                self.terminal.wire.close()

    def open(self, arguments: tuple[str, ...]) -> Watched:
        """Start the program, and wait for its first frame."""
        terminal = Watched(self.folder, arguments, drawn=self.drawn)
        terminal.resize(*self.size)
        self.terminal = terminal
        try:
            self.check(terminal.look())
        except EOFError:
            self.ended()
            raise FaultError("it ended at its start") from None
        return terminal

    def send(self, burst: Burst) -> None:
        """Send a burst, and see that all is well after it."""
        terminal = self.terminal
        for act in burst:
            self.tally.acts[act[0]] += 1
            match act:
                case ["send", str(text)]:
                    self.tally.keys += keys.count_of(text)
                    terminal.send_all(text.encode("latin-1"))
                case ["size", int(columns), int(rows)]:
                    self.size = columns, rows
                    terminal.resize(columns, rows)
                case ["file", str(what), str(name), int(seed)]:
                    chance = random.Random(seed)
                    with contextlib.suppress(OSError):
                        files.HAPPENINGS[what](self.folder / name, chance)
                case ["signal", str(name)]:
                    self.signal(name)
                case ["wait", seconds]:
                    terminal.read_for(seconds)
                case ["end", str(how)]:
                    self.end(how)
                    self.again()
                    return
        start = time.monotonic()
        try:
            answer = terminal.look()
        except EOFError:
            self.ended()
            self.again()
            return
        self.tally.slowest = max(self.tally.slowest, time.monotonic() - start)
        self.check(answer)

    def signal(self, name: str) -> None:
        """A signal after which the program goes on."""
        process = self.terminal.process
        if name in ("STOP", "TSTP"):
            process.send_signal(signal.Signals[f"SIG{name}"])
            end = time.monotonic() + ANSWER
            while process.poll() is None and not is_stopped(process.pid):
                self.terminal.read_for(0.01)
                if time.monotonic() > end:
                    raise FaultError(f"it does not stop: {self.terminal.stacks()}")
            process.send_signal(signal.SIGCONT)
            # Until it has the terminal again that makes signals of some keys.
            while process.poll() is None and self.terminal.makes_signals:
                self.terminal.read_for(0.01)
                if time.monotonic() > end:
                    raise FaultError(f"it does not go on: {self.terminal.stacks()}")
        else:
            process.send_signal(signal.Signals[f"SIG{name}"])

    def check(self, answer: dict[str, object]) -> None:
        """Judge what the program says of itself, and what the terminal shows."""
        self.tally.looks += 1
        self.tally.largest = max(self.tally.largest, int(str(answer["memory"])))
        faults = answer["faults"]
        assert isinstance(faults, list)
        if faults:
            raise FaultError("; ".join(map(str, faults)))
        # What is told meanwhile, or goes, is drawn a moment later.
        if self.drawn and self.differs(answer) and (still := self.differs(self.terminal.look())):
            raise FaultError("; ".join(still[:3]))

    def differs(self, answer: dict[str, object]) -> list[str]:
        """The rows that the terminal shows otherwise than the program has drawn them."""
        shown = answer.get("screen")
        if not isinstance(shown, list):
            return []
        return [
            f"row {number} of the terminal is {there!r}, the program drew {here.rstrip()!r}"
            for number, (here, there) in enumerate(
                zip(shown, self.terminal.text.split("\n"), strict=False)
            )
            if here.rstrip() != there and here.isascii()
        ]

    def end(self, how: str) -> None:
        """End the program, and see that it leaves all in order."""
        terminal = self.terminal
        if how == "ctrl+q":
            # Where a paste has no end yet this ends it; where a file is unsaved it is asked twice.
            terminal.send_all(b"\x1b[201~\x11")
            terminal.read_for(0.3)
            if terminal.process.poll() is None:
                terminal.send_all(b"\x11")
                terminal.read_for(0.3)
            if terminal.process.poll() is None:
                terminal.send_all(b"\x1b\x1b\x11\x11")
            wanted = 0
        else:
            number = signal.Signals[f"SIG{how}"]
            terminal.process.send_signal(number)
            wanted = -number if how == "KILL" else 128 + number
        self.ended(wanted)

    def ended(self, wanted: int | None = None) -> None:
        """The program has ended, or does so now: in order, and nothing is left behind."""
        terminal = self.terminal
        terminal.patience = END
        try:
            status = terminal.wait_for_exit()
        except AssertionError:
            raise FaultError(f"it does not end in {END:.0f} s") from None
        logs = [path.read_text() for path in self.folder.rglob("fluxtui-crash*.log")]
        if logs:
            raise FaultError(f"it crashed: {logs[0][-3000:]}")
        complaints = [word for word in COMPLAINTS if word in terminal.output]
        if complaints:
            at = terminal.output.find(complaints[0])
            raise FaultError(f"it says {terminal.output[max(at - 200, 0) : at + 1500]!r}")
        if wanted is not None and status != wanted:
            raise FaultError(f"it ended with {status}, not {wanted}")
        if wanted is None and status not in (0, *(128 + n for n in range(1, 32))):
            raise FaultError(f"it ended with {status}")
        if status >= 0:
            if not terminal.in_order:
                raise FaultError("the terminal is not in order")
            halves = [str(path) for path in self.folder.rglob(".*") if is_temporary(path)]
            if halves:
                raise FaultError(f"files are left behind: {halves}")

    def again(self) -> None:
        """Start the program again, with what it had."""
        self.terminal.__exit__(None, None, None)
        self.terminal.wire.close()
        self.terminal = self.open(("--restore",))


class Patience:
    """How long an answer is waited for: on a machine that has much else to do it is no hang.

    It is one where a minute of the processor is not enough, or where none is used for a minute.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._start = self._used = time_of(pid)
        self._since = time.monotonic()

    def ends(self) -> bool:
        """Whether it is over."""
        if time.monotonic() - self._since < ANSWER:
            return False
        with contextlib.suppress(OSError):  # it has ended
            now = time_of(self._pid)
            if now - self._start < ANSWER and now - self._used > 0.01 * ANSWER:
                self._used, self._since = now, time.monotonic()
                return False
        return True


def time_of(pid: int) -> float:
    """The seconds of the processor that a process took."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_stopped(pid: int) -> bool:
    """A process is stopped by a signal."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state in "TtZ"


def is_temporary(path: Path) -> bool:
    """A file that is made beside another, to take its place."""
    stem, _, end = path.name.rpartition(".")
    return len(end) == 12 and stem.startswith(".") and len(stem) > 1 and path.is_file()


def attempt(
    start: str, size: tuple[int, int], found: list[Burst], tally: Tally, seed: int, *, drawn: bool
) -> str:
    """Run a storm; what went wrong, blank where nothing did."""
    try:
        Storm(start, size, tally, drawn=drawn).run(found, seed)
    except FaultError as fault:
        return str(fault)
    return ""


def fewer(found: list[Burst], fails: Callable[[list[Burst]], bool]) -> list[Burst]:
    """Fewer bursts after which it fails too: the last ones, then those of them that it takes."""
    end = time.monotonic() + LONGEST
    tries = takewhile(lambda _: time.monotonic() < end, range(TRIES))
    length = 1
    while length < len(found):
        if next(tries, None) is None:
            return found
        if fails(found[-length:]):
            found = found[-length:]
            break
        length *= 2
    at, piece = 0, max(len(found) // 4, 1)
    while next(tries, None) is not None:
        if at >= len(found):
            if piece == 1:
                break
            at, piece = 0, max(piece // 2, 1)
            continue
        without = found[:at] + found[at + piece :]
        if without and fails(without):
            found = without
        else:
            at += piece
    return found


def campaign(
    seed: int,
    count: int,
    until: float,
    cases: Path | None,
    *,
    storms: int = 1 << 60,
    bursts: int = BURSTS,
) -> Tally:
    """Run storms from a seed on: until so many keys were sent, or a time of the monotonic clock."""
    tally = Tally()
    while tally.keys < count and tally.storms < storms and time.monotonic() < until:
        drawn = seed % 4 == 0  # to work out what a terminal shows takes longer than to draw it
        start, size, found = keys.bursts(seed, bursts, large=not drawn)
        before = tally.bursts
        fault = attempt(start, size, found, tally, seed, drawn=drawn)
        tally.storms += 1
        if tally.storms % 10 == 0:
            print(f"{tally.storms} storms, {tally.keys:,} keys", flush=True)
        if fault:
            done = found[: tally.bursts - before + 1]
            tally.faults.append(fault)
            print(f"seed {seed} ({start}), after {len(done)} bursts: {fault}", flush=True)
            if cases is not None:
                again = partial(attempt, start, size, tally=Tally(), seed=0, drawn=drawn)
                least = fewer(done, lambda some, again=again: bool(again(some)))
                cases.mkdir(exist_ok=True)
                case = cases / f"hands-{seed}.json"
                parts = {"start": start, "size": size, "drawn": drawn, "bursts": least}
                case.write_text(json.dumps(parts))
                print(f"  {len(least)} bursts are enough: --replay {case}", flush=True)
        seed += 1
    return tally


def main(arguments: list[str]) -> int:
    """Run the campaign that the arguments ask for; 1 where something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.hands", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--storms", type=int, help="so many storms")
    parser.add_argument("--keys", type=int, help="until so many keys were sent")
    parser.add_argument("--seconds", type=float, help="for so long")
    parser.add_argument("--bursts", type=int, default=BURSTS, help="of a storm")
    parser.add_argument("--replay", type=Path, help="a case that was kept")
    parser.add_argument("--cases", type=Path, default=Path("cases"), help="where cases are kept")
    options = parser.parse_args(arguments)
    if options.replay is not None:
        case = json.loads(options.replay.read_text())
        fault = attempt(
            case["start"], tuple(case["size"]), case["bursts"], Tally(), 0, drawn=case["drawn"]
        )
        print(fault or "nothing goes wrong any more")
        return int(bool(fault))
    begun = time.monotonic()
    limits = (options.storms, options.keys, options.seconds)
    found = campaign(
        options.seed,
        options.keys if options.keys is not None else 1 << 60,
        begun + (options.seconds if options.seconds is not None else 1e9),
        options.cases,
        storms=1 if limits == (None, None, None) else options.storms or 1 << 60,
        bursts=options.bursts,
    )
    print(f"{found.row()}\n       in {time.monotonic() - begun:.0f} s")
    return int(bool(found.faults))
