"""The real program under random hands, in a pseudo-terminal.

Bursts of keys, clicks, pastes, sizes, signals and changes of files are sent to a workbench that was
started on documents of some kind, each storm in a folder of its own. After each burst the program
has to run, to answer within some seconds, and to keep the laws of `tests.campaign.hands.laws`; the
terminal shows what the program drew, and is left as it was found. A storm after which that is not
so is tried again with ever fewer bursts, and kept as JSON.
"""

import contextlib
import json
import os
import random
import select
import signal
import socket
import termios
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.campaign.hands import files, keys, subject
from tests.campaign.hands.keys import Burst
from tests.campaign.hands.program import FaultError, confine, environment, folder_of, judge_end
from tests.campaign.watch import Fault, Tally
from tests.ui.terminal import Terminal

BURSTS = 40  # of a storm
ANSWER = 60.0  # seconds of the processor for an answer after a burst; see `Patience`
END = 20.0  # seconds for the end
#: Half seconds without a sign after which one looks whether it waits for enter.
IDLE = 4

# To find fewer bursts that a fault comes after: runs, and seconds.
TRIES, LONGEST = 40, 120.0

#: With what it may end by itself.
BY_ITSELF = (0, *range(129, 160))


class Watched(Terminal):
    """The program in a terminal that reads what is drawn while it types."""

    def __init__(self, folder: Path, arguments: tuple[str, ...], *, drawn: bool) -> None:
        self.wire, theirs = socket.socketpair()
        self.folder, self.drawn = folder, drawn
        self.number = 0
        self._answers = b""
        (folder / "home" / "tmp").mkdir(parents=True, exist_ok=True)
        editor = folder / "editor"
        editor.write_text("#!/bin/sh\nprintf '# edited\\n' >> \"$1\"\n")
        editor.chmod(0o700)
        more = {"EDITOR": str(editor), "VISUAL": "", "ESCDELAY": "10", "TZ": "UTC"}
        super().__init__(
            str(theirs.fileno()),
            *arguments,
            env=environment(folder / "home") | more,
            program=("-m", subject.__name__),
            cwd=folder,
            inherited=(theirs.fileno(),),
            prepare=partial(confine, folder),
        )
        theirs.close()
        os.set_blocking(self.master, False)

    def close(self) -> None:
        """End the program, and let go of its terminal."""
        self.__exit__(None, None, None)
        self.wire.close()

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
        return bool(termios.tcgetattr(self.slave)[3] & termios.ISIG)

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

    def look(self) -> dict[str, Any]:
        """What the program says of itself once it has done all that was typed."""
        self.number += 1
        self.wire.sendall(f"{self.number}\n".encode())
        mark = subject.MARK.format(self.number).encode()
        patience = Patience(self.process.pid)
        answer: dict[str, Any] | None = None
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


class Storm:
    """Bursts on one folder; the program is started again where one ends it."""

    def __init__(self, size: list[int], tally: Tally, folder: Path, *, drawn: bool) -> None:
        self.size, self.tally, self.folder, self.drawn = size, tally, folder, drawn

    def open(self, arguments: tuple[str, ...]) -> None:
        """Start the program, and wait for its first frame."""
        self.terminal = Watched(self.folder, arguments, drawn=self.drawn)
        self.terminal.resize(*self.size)
        try:
            self.check(self.terminal.look())
        except EOFError:
            self.ended()
            raise FaultError("it ended at its start") from None

    def again(self) -> None:
        """Start the program again, with what it had."""
        self.terminal.close()
        self.open(("--restore",))

    def send(self, burst: Burst) -> None:
        """Send a burst, and see that all is well after it."""
        terminal = self.terminal
        for act in burst:
            match act:
                case ["send", str(text)]:
                    self.tally.inputs += keys.count_of(text)
                    terminal.send_all(text.encode("latin-1"))
                case ["size", int(columns), int(rows)]:
                    self.size = [columns, rows]
                    terminal.resize(columns, rows)
                case ["file", str(what), str(name), int(seed)]:
                    with contextlib.suppress(OSError):
                        files.happen(what, self.folder / name, random.Random(seed))
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
        terminal, process = self.terminal, self.terminal.process
        process.send_signal(signal.Signals[f"SIG{name}"])
        if name not in ("STOP", "TSTP"):
            return
        end = time.monotonic() + ANSWER

        def wait(until: Callable[[], bool], what: str) -> None:
            while process.poll() is None and not until():
                terminal.read_for(0.01)
                if time.monotonic() > end:
                    raise FaultError(f"it does not {what}: {terminal.stacks()}")

        wait(lambda: is_stopped(process.pid), "stop")
        process.send_signal(signal.SIGCONT)
        # Until it has the terminal again that makes signals of some keys.
        wait(lambda: not terminal.makes_signals, "go on")

    def check(self, answer: dict[str, Any]) -> None:
        """Judge what the program says of itself, and what the terminal shows."""
        self.tally.largest = max(self.tally.largest, answer["memory"] * 1024)
        if answer["faults"]:
            raise FaultError("; ".join(answer["faults"]))
        # What is told meanwhile, or goes, is drawn a moment later.
        if self.drawn and self.differs(answer) and (still := self.differs(self.terminal.look())):
            raise FaultError("; ".join(still[:3]))

    def differs(self, answer: dict[str, Any]) -> list[str]:
        """The rows that the terminal shows otherwise than the program has drawn them."""
        rows = zip(answer.get("screen", ()), self.terminal.text.split("\n"), strict=False)
        return [
            f"row {number} of the terminal is {there!r}, the program drew {here.rstrip()!r}"
            for number, (here, there) in enumerate(rows)
            if here.rstrip() != there and here.isascii()
        ]

    def end(self, how: str) -> None:
        """End the program, and see that it leaves all in order."""
        terminal = self.terminal
        if how == "ctrl+q":
            # Where a paste has no end yet this ends it; where a file is unsaved it is asked twice.
            for typed in (b"\x1b[201~\x11", b"\x11", b"\x1b\x1b\x11\x11"):
                if terminal.process.poll() is None:
                    terminal.send_all(typed)
                    terminal.read_for(0.3)
            self.ended((0,))
        else:
            number = signal.Signals[f"SIG{how}"]
            terminal.process.send_signal(number)
            self.ended((-number if how == "KILL" else 128 + number,))

    def ended(self, wanted: tuple[int, ...] = BY_ITSELF) -> None:
        """The program has ended, or does so now: in order, and nothing is left behind."""
        self.terminal.patience = END
        status = self.terminal.wait_for_exit()
        judge_end(self.terminal, self.folder, status, wanted, killed=status < 0)


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


def attempt(case: dict[str, Any], tally: Tally, name: str = "hands") -> int:
    """Run a storm, and note in the tally what went wrong; how many bursts were sent before."""
    sent = 0
    with folder_of(name) as folder:
        storm = Storm(case["size"], tally, folder, drawn=case["drawn"])
        try:
            storm.open(files.STARTS[case["start"]])
            for burst in case["bursts"]:
                storm.send(burst)
                sent += 1
            storm.end("ctrl+q")
        except AssertionError as fault:
            tally.faults.append(Fault("hands", str(fault)[:2000], json.dumps(case)))
        finally:
            storm.terminal.close()
    return sent


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


def run(seed: int, count: int, until: float) -> Iterator[Tally]:
    """Run storms from a seed on: until so many keys were sent, or a time of the monotonic clock.

    Of a fault the least bursts that it comes after are kept.
    """
    tally = Tally("hands")
    while tally.inputs < count and time.monotonic() < until:
        drawn = seed % 4 == 0  # to work out what a terminal shows takes longer than to draw it
        start, size, found = keys.bursts(seed, BURSTS, large=not drawn)
        case = {"start": start, "size": size, "drawn": drawn, "bursts": found}
        known = len(tally.faults)
        sent = attempt(case, tally, f"hands-{seed}")
        if len(tally.faults) > known:

            def fails(some: list[Burst], case: dict[str, Any] = case) -> bool:
                again = Tally("hands")
                attempt({**case, "bursts": some}, again)
                return bool(again.faults)

            least = fewer(found[: sent + 1], fails)
            tally.faults[-1] = replace(tally.faults[-1], text=json.dumps({**case, "bursts": least}))
        seed += 1
        yield tally


def again(text: str) -> None:
    """Run a storm that was kept; FaultError where what went wrong does so still."""
    tally = Tally("hands")
    attempt(json.loads(text), tally)
    for fault in tally.faults:
        raise FaultError(fault.words)
