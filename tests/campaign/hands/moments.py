"""The real program ended at any moment, wherever it keeps its files.

It is started again and again, types and saves, and gets a signal or loses its terminal at a random
time between its start and its end, in homes that are full, read-only or missing. Whatever the
moment: no traceback, a terminal in order where the signal can be caught, files that are the old or
the new ones, and a draft that holds what was typed.
"""

import contextlib
import random
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fluxtui.bridge.drafts import Store
from fluxtui.model.documents import document as documents
from tests.campaign.hands.program import FaultError, confine, environment, folder_of, judge_end
from tests.campaign.watch import Fault, Tally
from tests.ui.terminal import Terminal

#: How it ends: by a signal, or so.
HOW = ("KILL", "KILL", "KILL", "TERM", "HUP", "QUIT", "INT", "STOP", "hang up", "nothing")
GOES_ON = ("nothing", "STOP")
HOMES = ("usual", "usual", "usual", "full", "read-only", "missing", "no large file")

BEGINNING = "node=1/slot/core="
LONGEST = 8.0  # seconds until the last moment
END = 30.0  # seconds for the end
QUIT = "\x11"


@dataclass(frozen=True)
class Moment:
    """One run: how it ends, after how many seconds, and where it keeps its files."""

    seed: int
    how: str
    home: str
    after: float
    keys: int

    @classmethod
    def of(cls, seed: int) -> "Moment":
        """The moment of a seed."""
        chance = random.Random(seed)
        how, home = chance.choice(HOW), chance.choice(HOMES)
        return cls(seed, how, home, chance.uniform(0, LONGEST), chance.randrange(5, 25))


@contextlib.contextmanager
def home_of(kind: str, folder: Path) -> Iterator[Path]:
    """A home of a kind in a folder."""
    home = folder / "home"
    if kind != "missing":
        home.mkdir()
    if kind == "full":
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(home)]
        if subprocess.run(mount, check=False, capture_output=True).returncode == 0:
            with contextlib.suppress(OSError), (home / "all").open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
    if kind == "read-only":
        home.chmod(0o500)
    try:
        yield home
    finally:
        if kind == "full":
            subprocess.run(["umount", str(home)], check=False, capture_output=True)


def happened(moment: Moment, tally: Tally) -> float | None:
    """Run a moment; FaultError where it ends badly.

    Returns how many seconds before a kill the first key was typed that was lost.
    """

    def prepare() -> None:
        confine(folder)
        if moment.home == "no large file":
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    with (
        folder_of(f"moment-{moment.seed}") as folder,
        home_of(moment.home, folder) as home,
        Terminal(
            *("R.json", "job.yaml"), env=environment(home), cwd=folder, columns=100, rows=30,
            prepare=prepare,
        ) as terminal,
    ):  # fmt: skip
        typed = Typed(terminal, random.Random(moment.seed), moment.keys)
        typed.go_on(time.monotonic() + moment.after)
        now = time.monotonic()
        typed.look()
        if moment.how == "hang up":
            terminal.hang_up()
        elif moment.how != "nothing":
            terminal.process.send_signal(signal.Signals[f"SIG{moment.how}"])
        if moment.how == "STOP":
            time.sleep(0.05)
            terminal.process.send_signal(signal.SIGCONT)
        if moment.how in GOES_ON:
            typed.go_on(None)
        status = ended(terminal)
        judge(moment, terminal, folder, status)
        if moment.how in GOES_ON:
            return None
        tally.slowest = max(tally.slowest, time.monotonic() - now)
        if moment.home in ("usual", "missing"):
            kept = draft_of(typed, home)
            if kept is not None and moment.how == "KILL":
                return typed.age(kept, now)
            if kept is not None and len(kept) < len(typed.shown):
                raise FaultError(f"{typed.shown!r} was shown, and the draft has {kept!r}")
        return None


class Typed:
    """Types a shape, key by key, saves now and then, and quits."""

    def __init__(self, terminal: Terminal, chance: random.Random, count: int) -> None:
        self.terminal, self.chance, self.left = terminal, chance, count
        self.text = ""
        self.begun = 0.0
        self.sent: list[float] = []
        self.is_over = False
        self.shown = ""

    def look(self) -> None:
        """Note how much of it the screen shows by now."""
        while self.terminal.read(time.monotonic()):
            pass
        seen = (self.text[:n] for n in range(len(self.text), len(BEGINNING), -1))
        self.shown = next((text for text in seen if text in self.terminal.text), "")

    def age(self, kept: str, happened: float) -> float:
        """How long before a moment the first key was typed that is not kept; 0 where all are."""
        known = len(kept) - len(BEGINNING)
        if known < 0:
            return happened - self.begun if self.begun else 0.0
        return happened - self.sent[known] if known < len(self.sent) else 0.0

    def go_on(self, end: float | None) -> None:
        """Do one thing after the other until a time, or the end of the program."""
        terminal = self.terminal
        with contextlib.suppress(OSError):
            while not self.is_over and (end is None or time.monotonic() < end):
                if terminal.process.poll() is not None:
                    return
                if not self.begun:
                    limit = time.monotonic() + END if end is None else end
                    while "R.json" not in terminal.text or "Shape" not in terminal.text:
                        if not terminal.read(limit):
                            return
                    terminal.send(f"\x15{BEGINNING}")
                    self.text, self.begun = BEGINNING, time.monotonic()
                    terminal.read_for(0.2)
                elif not self.left:
                    terminal.send(QUIT)
                    terminal.read_for(0.3)
                    if terminal.process.poll() is None:  # it asks: the job is not saved
                        terminal.send(QUIT)
                    self.is_over = True
                else:
                    self.do()

    def do(self) -> None:
        """Type a key, or save."""
        terminal, chance = self.terminal, self.chance
        if chance.random() < 0.1:
            soon = chance.choice((0.01, 0.1, 0.3))
            # The escape is for where it could not be saved.
            for keys, seconds in (("\x13", 0.1), ("\r", soon), ("\x1b", 0.2)):
                terminal.send(keys)
                terminal.read_for(seconds)
            terminal.send("s")
            self.left = 0 if chance.random() < 0.3 else self.left
        else:
            self.left -= 1
            letter = chance.choice("123456789")
            terminal.send(letter)
            self.text += letter
            self.sent.append(time.monotonic())
            terminal.read_for(chance.choice((0.0, 0.02, 0.05, 0.12)))


def ended(terminal: Terminal) -> int:
    """The exit status, soon."""
    terminal.patience = END
    try:
        return terminal.process.wait(END) if terminal._is_gone else terminal.wait_for_exit()
    except (AssertionError, subprocess.TimeoutExpired):
        raise FaultError(f"it does not end in {END:.0f} s") from None


def judge(moment: Moment, terminal: Terminal, folder: Path, status: int) -> None:
    """How it ended, and what it left behind."""
    name = "HUP" if moment.how == "hang up" else moment.how
    number = 0 if name in GOES_ON else int(signal.Signals[f"SIG{name}"])
    early = b"\x1b[?1049h" not in terminal.output
    late = b"\x1b[?1049l" in terminal.output
    wanted = {0, 128 + number} | ({-number} if early or late or name == "KILL" else set())
    judge_end(terminal, folder, status, wanted, killed=name == "KILL")
    text = (folder / "job.yaml").read_text()
    found = documents.read_yaml(text).value
    if not isinstance(found, dict) or not {"version", "resources", "tasks"} <= found.keys():
        raise FaultError(f"the file is {text!r}")


def draft_of(typed: Typed, home: Path) -> str | None:
    """The shape that the draft holds; None where it is not the one that was typed."""
    drafts, problems = Store(home / ".local" / "state" / "fluxtui" / "sessions").found()
    if problems:
        raise FaultError(f"a draft cannot be read: {problems[0].message}")
    kept = drafts[0].draft.shape if drafts else ""
    return kept if typed.text.startswith(kept) else None


def run(seed: int, count: int, until: float) -> Iterator[Tally]:
    """Run moments from a seed on: so many, or until a time of the monotonic clock."""
    tally, ages = Tally("moments"), [0.0]
    while tally.inputs < count and time.monotonic() < until:
        moment = Moment.of(seed + tally.inputs)
        tally.inputs += 1
        try:
            ages.append(happened(moment, tally) or 0.0)
        except FaultError as fault:
            tally.faults.append(Fault("moments", str(fault), str(moment)))
        tally.slowest_text = f"the oldest key that a kill lost was {max(ages) * 1000:.0f} ms old"
        yield tally
