"""Reading a large JSON document in pieces, with progress and without blocking other threads.

Python's reader takes a text in one step, during which no other thread can run, and needs ten times
the memory of the text. Here chosen lists are read a few elements at a time and handed over, and
every other value is read separately.
"""

import codecs
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

#: The keys that lead to a part of a document.
Path: TypeAlias = tuple[str, ...]

#: Called with the number of bytes read so far. An exception that it raises ends the reading.
Progress: TypeAlias = Callable[[int], object]

# The size of a piece in bytes. Reading one takes less than a millisecond.
_PIECE = 1 << 15

# How many cuts are tried for a piece, each further on; and after how many failures the elements of
# a list are read one by one.
_TRIES, _FAILURES = 3, 100

# How many bytes are tried first for a value of unknown size.
_FEW = 1 << 10

_SPACE = re.compile(rb"[ \t\r\n]*")
_KEY = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_NEXT = re.compile(rb"[ \t\r\n]*([,}\]])[ \t\r\n]*")

# What separates two elements of a list, by the first byte of an element.
_CUTS = {
    ord("{"): re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{"),
    ord('"'): re.compile(rb'"([ \t\r\n]*,[ \t\r\n]*)"'),
    ord("["): re.compile(rb"\]([ \t\r\n]*,[ \t\r\n]*)\["),
    **dict.fromkeys(b"-0123456789", re.compile(rb"[0-9]([ \t\r\n]*,[ \t\r\n]*)[-0-9]")),
}

# The characters that may follow a value.
_BEHIND = frozenset(" \t\r\n,]}")

_OBJECT, _LIST = b"{["


class Taker(Protocol):
    """Receives the elements of a list in pieces; it replaces the list in the document."""

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Add the next elements; text is their JSON text with the commas between them."""


class Plain(list[Any]):
    """An ordinary list that is read in pieces."""

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Add the next elements."""
        self += elements


class NotReadError(ValueError):
    """The text is not JSON, or too unusual, so that it must be read in one step."""


def read(
    data: bytes | bytearray,
    walked: Collection[Path],
    takers: Mapping[Path, Callable[[], Taker]],
    progress: Progress = lambda done: None,
) -> Any:
    """The value of a JSON text in UTF-8, equal to that of ``json.loads``.

    walked has the paths of the objects whose members are read one by one, including all that lead
    to the lists of takers. A list at a path of takers goes to a new taker, which replaces it in the
    value. NotReadError if the text is not JSON, contains NaN or Infinity, or is nested too deeply;
    exceptions of progress propagate.
    """
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    reader = _Reader(data, walked, takers, progress, start)
    try:
        reader.skip()
        value = reader.value(())
        reader.skip()
        if reader.at < len(data):
            raise NotReadError
        progress(reader.at)
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
    progress: Progress
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
        """Read the object that begins here, each of its members separately."""
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
            self.progress(self.at)
            if self.after(b"}"):
                return found

    def after(self, closing: bytes) -> bool:
        """Consume the next comma or closing bracket; return whether it was the bracket."""
        sign = _NEXT.match(self.data, self.at)
        if sign is None or sign[1] not in (b",", closing):
            raise NotReadError
        self.at = sign.end() if sign[1] == b"," else sign.end(1)
        return sign[1] == closing

    def alone(self) -> Any:
        """Read the value that begins here, trying more and more text until it is complete."""
        size = _FEW
        first = self.data[self.at]
        while True:
            if size > _PIECE and first == _OBJECT:
                return self.members(("", ""))  # a path that leads nowhere
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
                # A number that seems to end may continue after the text tried.
                if last or text[end : end + 1] in _BEHIND:
                    self.at += len(text[:end].encode())
                    return value
            size *= 4

    def text(self, start: int, stop: int) -> str:
        # stop may be within a character.
        return codecs.utf_8_decode(self.data[start:stop], "strict", stop >= len(self.data))[0]

    def elements(self, taker: Taker) -> Taker:
        """Read the list that begins here into taker, and return it."""
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
            self.progress(self.at)
            if closed:
                return taker
            if self.data[self.at] == ord("]"):
                raise NotReadError  # the comma is followed by nothing

    def piece(self, taker: Taker) -> bool | None:
        """Hand over the next elements; return whether the list ends after them.

        None, with nothing done, if no end of an element is found. A text ends with an element if
        it can be read with a bracket appended.
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
                return None  # the cut may be within a number
            self.at = cut.end(1)
            taker.take(elements, bytes(self.data[start:stop]))
            return False
        return None
