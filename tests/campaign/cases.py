"""Inputs that went wrong once: cut down to what matters, kept, and tried again by pytest."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.campaign.laws import Kind
from tests.campaign.watch import Fault, examined

FOLDER = Path(__file__).with_name("cases")
_REPEATED = re.compile(r"(.{1,200}?)\1{15,}", re.DOTALL)


def smaller(text: str, is_same: Callable[[str], bool], seconds: float = 30) -> str:
    """A short text of which the same is so: parts are left out, the large ones first."""
    until = time.monotonic() + seconds
    size = len(text) // 2
    while size:
        at, is_less = 0, False
        while at < len(text):
            if time.monotonic() > until:
                return text
            shorter = text[:at] + text[at + size :]
            if is_same(shorter):
                text, is_less = shorter, True
            else:
                at += size
        if not is_less or size > 1:
            size //= 2
    return text


def cut_down(kind: Kind, fault: Fault) -> Fault:
    """The same fault of an input as short as can be found."""

    def is_same(text: str) -> bool:
        return examined(kind, text, twice=fault.words.startswith("another"))[1] == fault.words

    if fault.words.startswith(("hangs", "ends the process", "the process")) or not is_same(
        fault.text
    ):
        return fault
    return Fault(fault.kind, fault.words, smaller(fault.text, is_same))


def keep(fault: Fault) -> Path:
    """Keep a fault as a line of the file of its kind, where it is not there yet."""
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{fault.kind.replace(' ', '-').replace(',', '')}.jsonl"
    line = json.dumps({"kind": fault.kind, "was": fault.words, "input": _packed(fault.text)}) + "\n"
    before = path.read_text(encoding="ascii") if path.exists() else ""
    if f'"was": {json.dumps(fault.words)}' not in before:
        path.write_text(before + line, encoding="ascii")
    return path


def kept() -> Iterator[Fault]:
    """All that are kept."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="ascii").splitlines():
            found = json.loads(line)
            yield Fault(found["kind"], found["was"], _unpacked(found["input"]))


def _packed(text: str) -> list[str | list[str | int]]:
    """A text as pieces, those that are repeated with their number."""
    pieces: list[str | list[str | int]] = []
    done = 0
    for found in _REPEATED.finditer(text):
        pieces += [text[done : found.start()], [found[1], len(found[0]) // len(found[1])]]
        done = found.end()
    return [piece for piece in (*pieces, text[done:]) if piece]


def _unpacked(pieces: list[str | list[str | int]]) -> str:
    return "".join(one if isinstance(one, str) else str(one[0]) * int(one[1]) for one in pieces)
