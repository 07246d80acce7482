"""What random hands do: bursts of keys, clicks, pastes, sizes, signals and changes of files.

A burst is a list of acts, each of which JSON can hold:

- ``["send", TEXT]``: bytes that a terminal sends, as the characters of Latin-1
- ``["size", COLUMNS, ROWS]``
- ``["file", HAPPENING, NAME, SEED]``: see `tests.campaign.hands.files`
- ``["signal", NAME]``: of those that a program goes on after
- ``["wait", SECONDS]``
- ``["end", HOW]``: a key or a signal that ends the program; it is started again then
"""

import random
from collections.abc import Iterator
from typing import Any

from tests.campaign.hands import files
from tests.workbench.written import JOB

Act = list[Any]
Burst = list[Act]

#: Keys that are no letters, as xterm and the protocol of kitty send them.
NAMED = (
    "\x1b", "\r", "\t", "\x1b[Z", "\x7f",
    "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~",  # arrows
    "\x1b[3~", "\x1b[2~", " ", "\x00",
    "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[17~", "\x1b[18~", "\x1b[19~",
    "\x1b[20~", "\x1b[23~", "\x1b[24~",  # the keys of functions up to here
    "\x1b[1;2A", "\x1b[1;2B", "\x1b[1;5C", "\x1b[1;5D", "\x1b[1;2D",  # with shift, and with ctrl
    "\x1b[1;5A", "\x1b[1;5B", "\x1b[1;5H", "\x1b[1;5F", "\x1bx",
    "\x1b[97u", "\x1b[252u", "\x1b[27u", "\x1b[112;5u", "\x1b[13;2u",  # a, ü, escape, ctrl+p, enter
)  # fmt: skip
CONTROLS = "abcdefghjklmnoprstuvwxyz"  # but ctrl+q; ctrl+i is tab and so on
LETTERS = "/+-zocglmsfndDaxw!*[]{}()|&^~123456789node=4slot;gpu:@. \"'²é漢\u200bENPASTrvhqbu,<>?"
TEXTS = (
    "node=4/slot/core", "slot=2/[core=8;gpu]", "slot=²", "node=999/slot/core", "node=2-9/slot/core",
    "numa=2/core{x}", "gpu", "gpu&-debug", "gpu&(", "host:n[0-3]", "rank:1-7|batch", "-(gpu|debug)",
    "host:n[1,3-9]&-rank:4", "not:x", "R.json", "job.yaml", "record.d", "1h", "hostname -s",
)  # fmt: skip
PASTES = (
    "node=4/slot/core", "srun -N4 -n8 --time=10 app", "{}", "gpu\nx", "flux run -n4 x", JOB,
    files.CONFIG, '{"version": 1, "execution": {"R_lite": []}}', "#!/bin/sh\n#SBATCH -N 3\nls\n",
    "\x1b[31mred\x1b[0m", "a\x1b[200~b", "\x00\x07\x9b31m", "漢字\u202e\u200b\ufeff", "x" * 5_000,
    "qsub -l select=2:ncpus=4 x", "[" * 500, "node=1/" * 300,
)  # fmt: skip
#: What a terminal says when it is asked; one that lies of its size is believed.
ANSWERS = (
    "\x1b[I", "\x1b[O", "\x1b[?2026;2$y", "\x1b[?2048;0$y", "\x1b[10;20R", "\x1b[?62;c", "\x1b[0n",
    "\x1b]11;rgb:0000/0000/0000\x07", "\x1bP1$r0m\x1b\\", "\x1b[>1;10;0c",
)  # fmt: skip
JUNK = (
    "\xff", "\xc3", "\x80\x80", "\xf5\x80", "\xe6\xbc", "\x1b[", "\x1b[<", "\x1b[<0;5",
    "\x1b[<0;;M", "\x1b[<0;99999;99999M", "\x1b[<0;0;0M", "\x1b[<0;-3;-5M", "\x1b[<999;5;5M",
    "\x1b[M !!", "\x1b[1114112u", "\x1b[4294967296;5u", "\x1b[55296u", "\x1b[0u", "\x1b[;;u",
    "\x1b[97;;1114112u",
    "\x1b[97;1:1;55296u", "\x1b[97;99999u", "\x1b[1;1:3A", "\x1b[27;5;99999999~", "\x1b[1;5;9~",
    "\x1b[99999;99999R", "\x1b[0;0R",
    "\x1bO", "\x1bOz", "\x1b\x1b\x1b", "\x1b]52;c;?\x07", "\x1b[201~", "\x9b1;2A",
    "\x1b" + "[" * 40,
    "\x1b[" + "1;" * 30 + "u", "\x1b[200", "\x1b[20", "\x1b_Gi=1;OK\x1b\\",
)  # fmt: skip

SIZES = ((80, 24), (120, 40), (200, 50), (60, 16), (40, 12))
ODD_SIZES = ((1, 1), (2, 2), (1, 50), (200, 1), (10, 5), (13, 7))
LARGE_SIZES = ((300, 100), (500, 200))

GOES_ON = ("WINCH", "CONT", "STOP", "TSTP")
ENDS = ("ctrl+q", "ctrl+q", "INT", "USR1", "TERM", "HUP", "QUIT", "KILL")


def bursts(seed: int, count: int, *, large: bool) -> tuple[str, list[int], list[Burst]]:
    """What the workbench is started with, its first size, and so many bursts.

    large says that the terminal may also become larger than any that people have.
    """
    chance = random.Random(seed)
    start = chance.choice(list(files.STARTS))
    hand = Hand(chance, chance.choice(SIZES), large=large)
    size = list(hand.size)
    lengths = (1, 1, 2, 4, 8, 16)
    found = [
        [act for _ in range(chance.choice(lengths)) for act in hand.acts()] for _ in range(count)
    ]
    return start, size, found


def count_of(text: str) -> int:
    """How many keys a text of bytes is: a sequence is one, and so is a paste."""
    if "\x1b" in text:
        return 1
    return len(text.encode("latin-1").decode("utf-8", "replace"))


def sent(text: str) -> Act:
    """Text as a terminal sends it."""
    return ["send", text.encode().decode("latin-1")]


class Hand:
    """Does one thing after the other on a screen whose size it knows."""

    def __init__(self, chance: random.Random, size: tuple[int, int], *, large: bool) -> None:
        self.chance, self.size, self.large = chance, size, large

    def acts(self) -> Iterator[Act]:
        """One thing that a person, a terminal or somebody else does."""
        chance = self.chance
        what = chance.random()
        if what < 0.34:
            for _ in range(chance.choice((1, 1, 1, 2, 5))):
                yield sent(chance.choice(NAMED))
        elif what < 0.54:
            yield sent("".join(chance.choices(LETTERS, k=chance.choice((1, 1, 2, 4, 9)))))
        elif what < 0.60:
            yield sent(chance.choice(TEXTS) + chance.choice(("", "", "\t", "\r", " ")))
        elif what < 0.72:
            yield sent(chr(ord(chance.choice(CONTROLS)) & 31))
        elif what < 0.84:
            yield from self.mouse()
        elif what < 0.88:
            yield from self.paste()
        elif what < 0.915:
            yield self.resize()
        elif what < 0.945:
            name = chance.choice([name for names in files.STARTS.values() for name in names])
            if "." in name:
                happening = chance.choice(files.HAPPENINGS)
                yield ["file", happening, name, chance.randrange(1 << 30)]
                yield ["wait", chance.choice((0, 0, 0.1))]
        elif what < 0.96:
            yield ["send", chance.choice(JUNK)]
        elif what < 0.975:
            yield ["send", chance.choice(ANSWERS)]
        elif what < 0.995:
            yield ["signal", chance.choice(GOES_ON)]
        else:
            yield ["end", chance.choice(ENDS)]

    def mouse(self) -> Iterator[Act]:
        """A click or more, a drag, a turn of the wheel, or a move."""
        chance = self.chance
        x, y = (chance.randrange(1, limit + 2) for limit in self.size)
        what = chance.random()
        more = chance.choice((0, 0, 0, 4, 8, 16))
        if what < 0.15:
            for _ in range(chance.choice((1, 3, 10))):
                yield sent(f"\x1b[<{chance.choice((64, 65, 66, 67)) + more};{x};{y}M")
        elif what < 0.3:
            for _ in range(4):
                x, y = x + chance.randrange(-3, 4), y + chance.randrange(-3, 4)
                yield sent(f"\x1b[<{35 + more};{max(x, 1)};{max(y, 1)}M")
        elif what < 0.45:
            button = chance.choice((0, 0, 2))
            yield sent(f"\x1b[<{button};{x};{y}M")
            for _ in range(3):
                x, y = x + chance.randrange(-9, 10), y + chance.randrange(-5, 6)
                yield sent(f"\x1b[<{button + 32};{max(x, 1)};{max(y, 1)}M")
            if chance.random() < 0.9:
                yield sent(f"\x1b[<{button};{max(x, 1)};{max(y, 1)}m")
        else:
            button = chance.choice((0, 0, 0, 1, 2))
            for _ in range(chance.choice((1, 1, 2, 3))):
                yield sent(f"\x1b[<{button + more};{x};{y}M\x1b[<{button + more};{x};{y}m")

    def paste(self) -> Iterator[Act]:
        """A paste: whole, in pieces, without its beginning, or without its end for a while."""
        chance = self.chance
        text = chance.choice(PASTES)
        if chance.random() < 0.1:
            text *= 20
        whole = f"\x1b[200~{text}\x1b[201~"
        what = chance.random()
        if what < 0.6:
            yield sent(whole)
        elif what < 0.8:
            cut = chance.randrange(len(whole))
            yield sent(whole[:cut])
            yield ["wait", chance.choice((0, 0.02, 0.15))]
            yield sent(whole[cut:])
        elif what < 0.9:
            yield sent(text[:300] + "\x1b[201~")  # all of it is keys
        else:
            yield sent(whole.removesuffix("\x1b[201~"))
            for _ in range(chance.randrange(3)):
                yield sent(chance.choice(NAMED))
            yield sent(chance.choice(("\x1b[201~", "\x03", "\x1b[200~x\x1b[201~")))

    def resize(self) -> Act:
        """Another size."""
        chance = self.chance
        any_size = (chance.randrange(1, 151), chance.randrange(1, 51))
        sizes = (*SIZES, *SIZES, *ODD_SIZES, any_size)
        if self.large and chance.random() < 0.05:  # they take long to draw
            sizes = LARGE_SIZES
        self.size = chance.choice(sizes)
        return ["size", *self.size]
