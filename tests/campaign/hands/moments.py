"""The real program ended at any moment, wherever it keeps its files.

``python -m tests.campaign.hands.moments`` starts it again and again, types and saves, and sends a
signal or takes the terminal away at a random time between its start and its end, in homes that are
full, read-only or missing. Whatever the moment: no traceback, a terminal in order where the signal
can be caught, files that are the old or the new ones, and a draft that holds what was typed.
"""

import argparse
import contextlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fluxtui.bridge.drafts import Store
from fluxtui.model.documents import document as documents
from tests.campaign.hands import files
from tests.campaign.hands.confined import confine
from tests.campaign.hands.storms import COMPLAINTS, FaultError, is_temporary
from tests.ui.terminal import Terminal

HOW = ("KILL", "KILL", "KILL", "TERM", "HUP", "QUIT", "INT", "STOP", "hang up", "nothing")
HOMES = ("usual", "usual", "usual", "full", "read-only", "missing", "no large file")

BEGINNING = "node=1/slot/core="
END = 30.0  # seconds for the end
QUIT = "\x11"


@dataclass
class Moment:
    """One run: how it ends, after how many seconds, and where it keeps its files."""

    seed: int
    how: str
    home: str
    after: float
    keys: int

    @classmethod
    def of(cls, seed: int, longest: float) -> "Moment":
        """The moment of a seed."""
        chance = random.Random(seed)
        how, home = chance.choice(HOW), chance.choice(HOMES)
        return cls(seed, how, home, chance.uniform(0, longest), chance.randrange(5, 25))


@dataclass
class Sum:
    """What moments came to; lost has the age of the oldest key that each kill lost."""

    count: int = 0
    moments: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0  # seconds until it had ended
    lost: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def prepared(moment: Moment, folder: Path) -> None:
    """Make the home."""
    home = folder / "home"
    if moment.home != "missing":
        home.mkdir()
    if moment.home == "full":
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(home)],
            check=False,
            capture_output=True,
        )
        if mounted.returncode == 0:
            with contextlib.suppress(OSError), (home / "all").open("wb", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
    if moment.home == "read-only":
        home.chmod(0o500)


def limited(moment: Moment, folder: Path) -> None:
    """Confine the program before it is executed."""
    confine(folder)
    if moment.home == "no large file":
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


def run(moment: Moment, into: Sum) -> None:
    """One run; raises FaultError."""
    folder = Path(tempfile.mkdtemp(prefix=f"moment-{moment.seed}-"))
    try:
        files.write_all(folder)
        prepared(moment, folder)
        _run(moment, folder, into)
    finally:
        if moment.home == "full":
            subprocess.run(["umount", str(folder / "home")], check=False, capture_output=True)
        with contextlib.suppress(OSError):
            (folder / "home").chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def _run(moment: Moment, folder: Path, into: Sum) -> None:
    home = folder / "home"
    env = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": "",
        "XDG_STATE_HOME": "",
        "TMPDIR": str(home / "tmp"),
        "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22",
        "FLUX_URI": "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    chance = random.Random(moment.seed)
    open_ = partial(
        Terminal,
        env=env,
        cwd=folder,
        columns=100,
        rows=30,
        prepare=partial(limited, moment, folder),
    )
    with open_("R.json", "job.yaml") as terminal:
        terminal.patience = END
        end = time.monotonic() + moment.after
        typed = Typed(terminal, chance, moment.keys)
        with contextlib.suppress(OSError):
            while time.monotonic() < end and typed.go_on(end):
                pass
        happened = time.monotonic()
        typed.look()
        happen(moment, terminal)
        if moment.how in ("nothing", "STOP"):
            with contextlib.suppress(OSError):
                while typed.go_on(None):
                    pass
        status = ended(moment, terminal)
        if moment.how not in ("nothing", "STOP"):
            into.slowest = max(into.slowest, time.monotonic() - happened)
        judge(moment, terminal, folder, status)
        if moment.home in ("usual", "missing") and moment.how not in ("nothing", "STOP"):
            kept = draft_of(typed, home)
            if kept is None:
                return
            if moment.how == "KILL":
                into.lost.append(typed.age(kept, happened))
            elif len(kept) < len(typed.shown):
                raise FaultError(f"{typed.shown!r} was shown, and the draft has {kept!r}")


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

    def go_on(self, end: float | None) -> bool:
        """Do one thing; False where nothing is left to do."""
        terminal, chance = self.terminal, self.chance
        if self.is_over or terminal.process.poll() is not None:
            return False
        if not self.begun:
            while "R.json" not in terminal.text or "Shape" not in terminal.text:
                limit = time.monotonic() + END if end is None else end
                if not terminal.read(limit):
                    return False
            terminal.send(f"\x15{BEGINNING}")
            self.text, self.begun = BEGINNING, time.monotonic()
            terminal.read_for(0.2)
        elif not self.left:
            terminal.send(QUIT)
            terminal.read_for(0.3)
            if terminal.process.poll() is None:  # it asks: the job is not saved
                terminal.send(QUIT)
            self.is_over = True
        elif chance.random() < 0.1:
            terminal.send("\x13")
            terminal.read_for(0.1)
            terminal.send("\r")
            terminal.read_for(chance.choice((0.01, 0.1, 0.3)))
            terminal.send("\x1b")  # where it could not be saved
            terminal.read_for(0.2)
            terminal.send("s")
            self.left = 0 if chance.random() < 0.3 else self.left
        else:
            self.left -= 1
            letter = chance.choice("123456789")
            terminal.send(letter)
            self.text += letter
            self.sent.append(time.monotonic())
            terminal.read_for(chance.choice((0.0, 0.02, 0.05, 0.12)))
        return True


def happen(moment: Moment, terminal: Terminal) -> None:
    """What ends it, or does not."""
    process = terminal.process
    if moment.how == "hang up":
        terminal.hang_up()
    elif moment.how != "nothing":
        process.send_signal(signal.Signals[f"SIG{moment.how}"])
    if moment.how == "STOP":
        time.sleep(0.05)
        process.send_signal(signal.SIGCONT)


def ended(moment: Moment, terminal: Terminal) -> int:
    """The exit status."""
    try:
        if moment.how == "hang up":
            return terminal.process.wait(END)
        return terminal.wait_for_exit()
    except (AssertionError, subprocess.TimeoutExpired):
        raise FaultError(f"it does not end in {END:.0f} s") from None


def judge(moment: Moment, terminal: Terminal, folder: Path, status: int) -> None:
    """How it ended, and what it left behind."""
    for word in COMPLAINTS:
        if word in terminal.output:
            at = terminal.output.find(word)
            said = terminal.output[max(at - 300, 0) : at + 1500].decode("utf-8", "replace")
            raise FaultError(f"it says {said}")
    logs = [path.read_text() for path in folder.rglob("fluxtui-crash*.log")]
    if logs:
        raise FaultError(f"it crashed: {logs[0][-3000:]}")
    names = {"hang up": "HUP", "STOP": "", "nothing": ""}
    name = names.get(moment.how, moment.how)
    number = int(signal.Signals[f"SIG{name}"]) if name else 0
    early = b"\x1b[?1049h" not in terminal.output
    late = b"\x1b[?1049l" in terminal.output
    wanted = {0, 128 + number} | ({-number} if early or late or name == "KILL" else set())
    if status not in wanted:
        raise FaultError(f"it ended with {status}, not one of {sorted(wanted)}")
    if moment.how not in ("KILL", "hang up") and not terminal.in_order:
        raise FaultError("the terminal is not in order")
    found = documents.read_yaml((folder / "job.yaml").read_text())
    if not isinstance(found.value, dict) or not {"version", "resources", "tasks"} <= set(
        found.value
    ):
        raise FaultError(f"the file is {(folder / 'job.yaml').read_text()!r}")
    if moment.how != "KILL":
        halves = [str(path) for path in folder.rglob(".*") if is_temporary(path)]
        if halves:
            raise FaultError(f"files are left behind: {halves}")


def draft_of(typed: Typed, home: Path) -> str | None:
    """The shape that the draft holds; None where it is not the one that was typed."""
    drafts, problems = Store(home / ".local" / "state" / "fluxtui" / "sessions").found()
    if problems:
        raise FaultError(f"a draft cannot be read: {problems[0].message}")
    kept = drafts[0].draft.shape if drafts else ""
    return kept if typed.text.startswith(kept) else None


def campaign(seed: int, count: int, until: float, longest: float = 8.0) -> Sum:
    """Run moments from a seed on: so many, or until a time of the monotonic clock."""
    total = Sum()
    while total.count < count and time.monotonic() < until:
        moment = Moment.of(seed + total.count, longest)
        total.count += 1
        total.moments[moment.how] += 1
        total.moments[f"home: {moment.home}"] += 1
        try:
            run(moment, total)
        except FaultError as fault:
            total.faults.append(str(fault))
            print(f"{moment}: {fault}", flush=True)
        if total.count % 50 == 0:
            print(f"{total.count} moments", flush=True)
    return total


def main(arguments: list[str] | None = None) -> int:
    """Run moments; 1 where something went wrong."""
    parser = argparse.ArgumentParser("python -m tests.campaign.hands.moments", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=10, help="how many")
    parser.add_argument("--seconds", type=float, default=1e9, help="for so long at most")
    parser.add_argument("--longest", type=float, default=8.0, help="until the last moment")
    options = parser.parse_args(arguments)
    total = campaign(
        options.seed, options.count, time.monotonic() + options.seconds, options.longest
    )
    ages = sorted(total.lost)
    print(f"{total.count} moments, {len(total.faults)} faults: {dict(total.moments.most_common())}")
    if ages:
        print(f"killed {len(ages)} times; the oldest key lost was {ages[-1] * 1000:.0f} ms old")
    return int(bool(total.faults))


if __name__ == "__main__":
    raise SystemExit(main())
