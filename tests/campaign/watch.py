"""A worker that tries inputs one after the other, watched by its parent; and what it finds.

Each input is in shared memory before it is tried: of a worker that hangs, or is killed for its
memory, the parent still knows which one it was, and goes on with another worker behind it.
"""

import gc
import mmap
import multiprocessing
import os
import random
import resource
import struct
import time
import traceback
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import fluxtui
from tests import pace
from tests.campaign.laws import Kind
from tests.campaign.mutation import BETWEEN

#: Seconds of the processor, and bytes, that one input may cost.
SECONDS, BYTES = 0.2, 100_000_000
#: Seconds after which a worker that does not answer is killed, and the memory that it may have.
HANGS, MEMORY = 60.0, 2_000_000_000
_PACKAGE = f"{Path(fluxtui.__file__).parent}/"
_ROOM = 4 << 20  # bytes of an input in shared memory
#: When it was begun, the number after its own, its bytes; the seconds of the processor until then,
#: those of the slowest, and the bytes by which the process grew.
_HEAD = struct.Struct("dIIddQ")
_LEARNT = 400  # inputs that are kept because their answer was new
_TWICE = 8  # of so many inputs one is tried twice


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong with an input; where it is the same fault, the words are the same."""

    kind: str
    words: str
    text: str


@dataclass(slots=True)
class Tally:
    """What was done of a kind."""

    kind: str
    inputs: int = 0
    seconds: float = 0.0  # of the processor, in the worker
    slowest: float = 0.0
    slowest_text: str = ""
    largest: int = 0
    growth: float | None = None
    faults: list[Fault] = field(default_factory=list)


def tried(kind: Kind, text: str) -> tuple[object, str, float]:
    """The answer to an input, what went wrong in words, and the seconds of the processor."""
    begun = time.process_time()
    answer, words = None, ""
    try:
        answer = kind(text)
    except Exception as error:  # each of them is a fault
        words = _words(error)
    return answer, words, time.process_time() - begun


def _words(error: Exception) -> str:
    """What an exception is, and where it was raised: of a law only which one."""
    if isinstance(error, AssertionError) and error.args:
        return f"{error}".partition("\n")[0][:200]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(_PACKAGE)] or frames
    file = ours[-1].filename.removeprefix(_PACKAGE).rpartition("tests/")[2]
    return f"{type(error).__name__} in {file}, {ours[-1].name}"


def examined(kind: Kind, text: str, *, twice: bool = False) -> tuple[object, str, float]:
    """As `tried`; one that is slow is timed again beside laps of the machine, which may be it."""
    answer, words, seconds = tried(kind, text)
    if seconds > SECONDS:
        seconds = min(seconds, pace.seconds(lambda: tried(kind, text)))
    if not words and seconds > SECONDS:
        words = f"takes more than {SECONDS * 1000:.0f} ms"
    if twice and not words and tried(kind, text)[0] != answer:
        words = "another answer the second time"
    return answer, words, seconds


def peak(kind: Kind, text: str) -> int:
    """The bytes that an input takes at most, beside what there was before."""
    tracemalloc.start()
    try:
        tried(kind, text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def resident() -> int:
    """The most bytes that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def held() -> int:
    """The bytes that this process has now, without garbage."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


class _Worker:
    """What runs in a process of its own."""

    def __init__(self, kind: Kind, shared: mmap.mmap, parent: Connection) -> None:
        self.kind, self.shared, self.parent = kind, shared, parent
        self.learnt: list[str] = []
        self.known: set[int] = set()
        self.faults: set[str] = set()
        self.begun = self.slowest = 0.0
        self.largest = 0

    def run(self, seed: str, first: int, last: int, until: float) -> None:
        """Try the inputs of these numbers, as far as there is time."""
        os.nice(max(0, 19 - os.nice(0)))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.try_one(-1, BETWEEN.join(source.seeds[0] for source in self.kind.sources))
        self.slowest, self.begun = 0.0, time.process_time()
        self.note(first)
        before, at_first = resident(), held()
        for number in range(first, last):
            text = self.text(random.Random(f"{seed} {self.kind.name} {number}"))
            self.try_one(number, text)
            self.largest = max(self.largest, resident() - before)
            if self.largest > BYTES:
                self.largest = BYTES
                if peak(self.kind, text) > BYTES:
                    self.fault(f"takes more than {BYTES // 1_000_000} MB", text)
                elif held() - at_first > BYTES:
                    self.fault("the process grows from input to input", text)
                break  # the next worker begins with little memory again
            if time.monotonic() > until:
                break
        self.note(number + 1)

    def note(self, following: int, data: bytes | None = None) -> None:
        """Say what is tried now, None where nothing is, and what came of all before."""
        begun, data = 0.0 if data is None else time.monotonic(), data or b""
        seconds = time.process_time() - self.begun
        head = (begun, following, len(data), seconds, self.slowest, self.largest)
        self.shared[_HEAD.size : _HEAD.size + len(data)] = data
        self.shared[: _HEAD.size] = _HEAD.pack(*head)

    def text(self, chance: random.Random) -> str:
        """An input: of several parts each is a seed now and then."""
        sources = self.kind.sources
        if self.learnt and chance.random() < 0.15:
            parts = chance.choice(self.learnt).split(BETWEEN)
            at = chance.randrange(len(parts))
            parts[at] = sources[min(at, len(sources) - 1)].mutant(chance, [parts[at]])
            return BETWEEN.join(parts)
        return BETWEEN.join(
            source.mutant(chance)
            if len(sources) == 1 or chance.random() < 0.6
            else chance.choice(source.seeds)
            for source in sources
        )

    def try_one(self, number: int, text: str) -> None:
        """Try an input and remember it where its answer is like no other."""
        self.note(number + 1, text.encode("utf-8", "surrogatepass")[: _ROOM - _HEAD.size])
        answer, words, seconds = examined(self.kind, text, twice=number % _TWICE == 0)
        if seconds > self.slowest:
            seconds = min(seconds, *(tried(self.kind, text)[2] for _ in range(2)))
            if seconds > self.slowest:
                self.slowest = seconds
                self.parent.send(text)
        if words:
            self.fault(words, text)
        if len(text) < 4000 and len(self.learnt) < _LEARNT:
            # Words, without the numbers and names that an answer quotes.
            shape = hash("".join(c for c in repr(answer)[:600] if c.isalpha()))
            if shape not in self.known and len(self.known) < 50_000:
                self.known.add(shape)
                if number >= 0 and (len(self.learnt) < 40 or number % 7 == 0):
                    self.learnt.append(text)

    def fault(self, words: str, text: str) -> None:
        if words not in self.faults:
            self.faults.add(words)
            self.parent.send(Fault(self.kind.name, words, text))


def run(kind: Kind, seed: str, count: int, until: float) -> Iterator[Tally]:
    """Try so many inputs of a kind, as far as there is time; what was done so far, now and then."""
    tally, number = Tally(kind.name), 0
    while number < count and time.monotonic() < until:
        number = yield from _watched(kind, seed, (number, count), until, tally)
    yield tally


def _watched(
    kind: Kind, seed: str, numbers: tuple[int, int], until: float, tally: Tally
) -> Iterator[Any]:
    """Watch one worker until it ends; returns the number of the input after its last."""
    shared, before = mmap.mmap(-1, _ROOM), replace(tally)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = _Worker(kind, shared, theirs)
    process = context.Process(target=worker.run, args=(seed, *numbers, until), daemon=True)
    process.start()
    theirs.close()
    slowest, ended = "", ""
    while not ended:
        try:
            said = ours.recv() if ours.poll(1) else None
        except (EOFError, OSError):  # all it had to say was read
            process.join()
            said, ended = None, f"ends the process: {process.exitcode}"
        begun, following, size, seconds, most, largest = _HEAD.unpack(shared[: _HEAD.size])
        if begun and not ended and time.monotonic() - begun > HANGS:
            ended = "hangs"
            process.kill()
            process.join()
        if isinstance(said, Fault) and all(one.words != said.words for one in tally.faults):
            tally.faults.append(said)
        slowest = said if isinstance(said, str) else slowest
        tally.inputs = before.inputs + max(0, following - numbers[0])
        tally.seconds = before.seconds + seconds
        tally.largest = max(before.largest, largest)
        if most > before.slowest:
            tally.slowest, tally.slowest_text = most, slowest
        yield tally
    ours.close()
    if process.exitcode:
        text = shared[_HEAD.size : _HEAD.size + size].decode("utf-8", "surrogatepass")
        tally.faults.append(Fault(kind.name, ended, text))
        yield tally
    return following or numbers[1]  # 0 where it did not even come to the first
