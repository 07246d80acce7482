"""A large JSON document read piece by piece: with progress, and while others can work.

Python's reader goes through a text in one step, in which no other thread can do anything, and takes
ten times the memory of the text. Here lists that are named are read some elements at a time and
handed over, and of the rest each value is read alone.
"""

import codecs
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

#: The keys that lead to a part of a document.
Path: TypeAlias = tuple[str, ...]

#: Told how many bytes have been read. May raise, which ends the reading.
Told: TypeAlias = Callable[[int], object]

# The bytes of one piece. Reading one takes less than a millisecond.
_PIECE = 1 << 15

# How often a piece that is cut in the wrong place is cut again, further on; and in how many pieces
# of a list no cut may be found, before its elements are read one by one.
_TRIES, _FAILURES = 3, 100

# The bytes that are tried first of a value of which nothing is known.
_FEW = 1 << 10

_SPACE = re.compile(rb"[ \t\r\n]*")
_KEY = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_NEXT = re.compile(rb"[ \t\r\n]*([,}\]])[ \t\r\n]*")

# Between two elements of a list, by how the elements begin.
_CUTS = {
    ord("{"): re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{"),
    ord('"'): re.compile(rb'"([ \t\r\n]*,[ \t\r\n]*)"'),
    ord("["): re.compile(rb"\]([ \t\r\n]*,[ \t\r\n]*)\["),
    **dict.fromkeys(b"-0123456789", re.compile(rb"[0-9]([ \t\r\n]*,[ \t\r\n]*)[-0-9]")),
}

# What may follow a value.
_BEHIND = frozenset(" \t\r\n,]}")

_OBJECT, _LIST = b"{["


class Taker(Protocol):
    """Takes the elements of a list as they come; it is in its place in the document."""

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next elements; text is that of these elements, with the commas between."""


class Plain(list[Any]):
    """A list that is read piece by piece, and kept as it is."""

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next elements."""
        self += elements


class NotReadError(ValueError):
    """The text is not JSON, or too unusual: it has to be read in one step."""


def read(
    data: bytes | bytearray,
    walked: Collection[Path],
    takers: Mapping[Path, Callable[[], Taker]],
    told: Told = lambda done: None,
) -> Any:
    """The value of a JSON text in UTF-8, the same that ``json.loads`` makes of it.

    walked has the paths of the objects whose members are read one by one; those that lead to the
    lists of takers have to be among them. A list at a path of takers is given to a new one, which
    takes its place in the value. Raises NotReadError where the text is not JSON, holds NaN or
    Infinity, or is nested too deeply; what told raises goes through.
    """
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    reader = _Reader(data, walked, takers, told, start)
    try:
        reader.skip()
        value = reader.value(())
        reader.skip()
        if reader.at < len(data):
            raise NotReadError
        told(reader.at)
        return value
    except (ValueError, StopIteration, IndexError, RecursionError) as error:
        raise NotReadError from error


def _constant(name: str) -> None:
    raise NotReadError(name)


_DECODER: Any = json.JSONDecoder(parse_constant=_constant)


@dataclass(slots=True)
class _Reader:
    """Reads one text; see `read`."""

    data: bytes | bytearray
    walked: Collection[Path]
    takers: Mapping[Path, Callable[[], Taker]]
    told: Told
    at: int

    def skip(self) -> None:
        found = _SPACE.match(self.data, self.at)
        self.at = found.end() if found else self.at

    def value(self, path: Path) -> Any:
        first = self.data[self.at]
        if first == _OBJECT and path in self.walked:
            return self.members(path)
        if first == _LIST and path in self.takers:
            return self.elements(self.takers[path]())
        return self.alone()

    def members(self, path: Path) -> dict[str, Any]:
        """The object that begins here, each of its members read by itself."""
        found: dict[str, Any] = {}
        self.at += 1
        self.skip()
        if self.data[self.at] == ord("}"):
            self.at += 1
            return found
        while True:
            key = _KEY.match(self.data, self.at)
            if key is None:
                raise NotReadError
            self.at = key.end()
            name = json.loads(key[1].decode())
            found[name] = self.value((*path, name))
            self.told(self.at)
            if self.after(b"}"):
                return found

    def after(self, closing: bytes) -> bool:
        """Go on behind the comma or the bracket that is next; whether it was the bracket."""
        sign = _NEXT.match(self.data, self.at)
        if sign is None or sign[1] not in (b",", closing):
            raise NotReadError
        self.at = sign.end() if sign[1] == b"," else sign.end(1)
        return sign[1] == closing

    def alone(self) -> Any:
        """The value that begins here, whatever it is: more is tried until it is whole."""
        size = _FEW
        first = self.data[self.at]
        while True:
            if size > _PIECE and first == _OBJECT:
                return self.members(("", ""))  # which is the path of nothing
            if size > _PIECE and first == _LIST:
                return self.elements(Plain())
            text = self.text(self.at, self.at + size)
            last = self.at + size >= len(self.data)
            try:
                value, end = _DECODER.scan_once(text, 0)
            except (ValueError, StopIteration):
                if last:
                    raise
            else:
                # A number that seems to end may go on behind what is tried.
                if last or text[end : end + 1] in _BEHIND:
                    self.at += len(text[:end].encode())
                    return value
            size *= 4

    def text(self, start: int, stop: int) -> str:
        # The second place may be within a character.
        return codecs.utf_8_decode(self.data[start:stop], "strict", stop >= len(self.data))[0]

    def elements(self, taker: Taker) -> Taker:
        """The taker with the elements of the list that begins here."""
        self.at += 1
        self.skip()
        if self.data[self.at] == ord("]"):
            self.at += 1
            return taker
        failed = 0
        while True:
            closed = self.piece(taker) if failed < _FAILURES else None
            if closed is None:
                failed += 1
                start = self.at
                element = self.alone()
                taker.take([element], bytes(self.data[start : self.at]))
                closed = self.after(b"]")
            self.told(self.at)
            if closed:
                return taker
            if self.data[self.at] == ord("]"):
                raise NotReadError  # nothing follows the comma

    def piece(self, taker: Taker) -> bool | None:
        """Hand over the next elements; whether the list is closed behind them.

        None, with nothing done, where no end of an element is found. What reads as whole
        elements when a bracket is put behind it ends where an element does.
        """
        cuts = _CUTS.get(self.data[self.at])
        start, stop = self.at, self.at + _PIECE
        for _ in range(_TRIES if cuts else 0):
            cut = cuts.search(self.data, stop, stop + _PIECE) if cuts else None
            stop = cut.start(1) if cut else stop + _PIECE
            text = f"[{self.text(start, stop)}]"
            try:
                elements, end = _DECODER.scan_once(text, 0)
            except (ValueError, StopIteration):
                continue
            if end < len(text):
                self.at = start + len(text[1:end].encode())
                taker.take(elements, bytes(self.data[start : self.at - 1]))
                return True
            if cut is None:
                return None  # it may have been cut within a number
            self.at = cut.end(1)
            taker.take(elements, bytes(self.data[start:stop]))
            return False
        return None
