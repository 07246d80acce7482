"""How the cost of an input grows with its size: pieces of seeds repeated more and more often."""

import gc
import json
import math
import random
import re
import time
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from typing import Any

from tests.campaign.laws import Kind
from tests.campaign.mutation import BETWEEN, MEMBER, NASTY, TOKEN, Source, key_of
from tests.campaign.watch import Fault, tried

#: A larger exponent is a fault.
MOST = 1.2
#: Characters of the smallest input, and of the largest of texts and of documents.
SMALLEST, TEXTS, DOCUMENTS = 1_000, 64_000, 128_000
#: What takes less says nothing; what takes more is enough.
_LEAST, _ENOUGH = 0.004, 0.3
_POINTS = 3  # sizes, each twice the one before, that an exponent needs

#: A text of about so many characters.
Make = Callable[[int], str]


def exponent(kind: Kind, make: Make, largest: int, runs: int = 1) -> float | None:
    """The exponent of the time by the size, of the largest sizes; None where it says nothing."""
    points: list[tuple[float, float]] = []
    size = SMALLEST
    while size <= largest:
        text = make(size)
        if points and len(text) > largest * 1.3:
            break
        gc.disable()  # which looks at all there is, again and again
        seconds = min(tried(kind, text)[2] for _ in range(runs))
        gc.enable()
        if seconds >= _LEAST:
            points.append((math.log(len(text)), math.log(seconds)))
        if seconds > _ENOUGH:
            break
        size *= 2
    points = points[-4:]
    if len(points) < _POINTS:
        return None
    x, y = (sum(one[axis] for one in points) / len(points) for axis in (0, 1))
    spread = sum((a - x) ** 2 for a, _ in points)
    return sum((a - x) * (b - y) for a, b in points) / spread if spread else None


def measured(kind: Kind, seed: str, pumps: int, until: float) -> tuple[float | None, list[Fault]]:
    """The largest exponent of a kind, and the inputs whose cost grows faster than it may."""
    chance = random.Random(f"{seed} {kind.name} growth")
    most, faults = None, list[Fault]()
    for name, make in _pumps(kind, chance, pumps):
        if time.monotonic() > until:
            break
        gc.collect()
        largest = DOCUMENTS if kind.sources[0].trees else TEXTS
        found = exponent(kind, make, largest)
        for runs in (2, 4, 6):  # again, since a machine may be busy
            if found is None or found <= MOST:
                break
            found = min(found, exponent(kind, make, largest, runs) or 0)
        if found is not None and found > (most or 0):
            most = found
        if found is not None and found > MOST:
            text = make(SMALLEST)
            faults.append(Fault(kind.name, f"grows with the power {found:.1f}: {name}", text))
    return most, faults


def _pumps(kind: Kind, chance: random.Random, many: int) -> Iterator[tuple[str, Make]]:
    """Inputs of any size: one part of a kind grows, the others are seeds."""
    for number in range(many):
        at = number % len(kind.sources)
        parts = [chance.choice(source.seeds) for source in kind.sources]
        source = kind.sources[at]
        pump = _tree_pump if source.trees and chance.random() < 0.6 else _text_pump
        name, make = pump(source, chance)

        def whole(size: int, make: Make = make, at: int = at, parts: list[str] = parts) -> str:
            return BETWEEN.join([*parts[:at], make(size).replace(BETWEEN, ""), *parts[at + 1 :]])

        yield name, whole


def _text_pump(source: Source, chance: random.Random) -> tuple[str, Make]:
    """A piece of a seed again and again, as it is or with other numbers each time."""
    text = chance.choice(source.seeds)[:400]
    tokens = [found.span() for found in TOKEN.finditer(text)] or [(0, 0)]
    first = chance.randrange(len(tokens))
    last = min(first + chance.choice((0, 0, 1, 2, 4, 8)), len(tokens) - 1)
    start, end = tokens[first][0], tokens[last][1]
    members = list(MEMBER.finditer(text))
    if members and chance.random() < 0.3:
        start, end = chance.choice(members).span()
    piece = text[start:end] or " "
    if chance.random() < 0.25:
        piece = chance.choice(NASTY)
    piece += chance.choice(("", "", ",", ";", "&", "|", " ", "\n", "/", ", "))
    is_numbered = chance.random() < 0.5
    behind = text[end:] if chance.random() < 0.5 else ""

    def make(size: int) -> str:
        times = range(max(1, size // len(piece)))
        pieces = (_numbered(piece, n) if is_numbered else piece for n in times)
        return text[:start] + "".join(pieces) + behind

    return f"{piece[:40]!r}{' numbered' * is_numbered}", make


def _numbered(piece: str, number: int) -> str:
    """A piece whose numbers are others, or with a number behind its first word."""
    found, count = re.subn(r"[0-9]+", str(number), piece)
    return found if count else re.sub(r"(\w+)", rf"\g<1>{number}", piece, count=1)


def _tree_pump(source: Source, chance: random.Random) -> tuple[str, Make]:
    """An item of a list, or a key, again and again; or a value nested within itself."""
    value = json.loads(chance.choice(source.trees))
    path: list[Any] = []
    part = value
    while isinstance(part, dict | list) and part and (not path or chance.random() < 0.8):
        path.append(key_of(chance, part))
        part = part[path[-1]]
    ways = ("as it is", "numbered", "numbered", "nested", "long")
    how = chance.choice(ways) if path else "nested"
    text = json.dumps(part)

    def make(size: int) -> str:
        top, inner = [json.loads(json.dumps(value))], text
        around: Any = reduce(getitem, path[:-1], top[0]) if path else top
        last = path[-1] if path else 0
        times = range(max(1, size // (len(inner) + 12)))
        if how == "long":
            words = f"{part}"[:50] + "a,1-" * (size // 4)
            around[last] = "9" * size if isinstance(part, int) else words
        elif how == "nested":
            for _ in times[:60]:  # deeper is refused
                inner = f"[{inner},{inner}]" if len(inner) < size / 2 else f"[{inner}]"
            around[last] = json.loads(inner)
        elif isinstance(around, list):
            around += [
                json.loads(_numbered(inner, n) if how == "numbered" else inner) for n in times
            ]
        else:
            around.update({f"{last}{n}": part for n in times})
        return source.written(random.Random(1), top[0])

    return f"{how}: {'.'.join(map(str, path))}", make
