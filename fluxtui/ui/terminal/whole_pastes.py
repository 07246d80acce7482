"""What a terminal sends: a paste stays whole, and what is no key harms nobody.

Textual 8.2.8 looks for keys in a bracketed paste too: what comes before an escape is pasted after
what follows it, and the rest runs as keys. No text here takes escapes, so they are left out before.
Its parser also ends with an exception at a few sequences, such as that of a key without a number,
and so does its decoder at bytes that are no UTF-8; no key would be read any more after that. Of
escape and a digit in a burst it makes one character, such as a trade mark sign, as of alt and the
digit on a Mac; nothing here wants that, and panes have numbers.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from textual._parser import ParseError
from textual._xterm_parser import (
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    XTermParser,
)
from textual.events import Key
from textual.message import Message

ESCAPE = "\x1b"

# Keys that a person presses when no other does anything: ctrl+c and ctrl+q, in both protocols. One
# that comes alone is typed; so it ends a paste whose own end was lost.
_WAYS_OUT = ("\x03", "\x11", "\x1b[99;5u", "\x1b[113;5u")

# A sequence may be as long as this; beyond that Textual takes it for single keys.
_PIECES = re.compile("\x1b[^\x1b]{0,32}|[^\x1b]+")


# Keys of panes that are themselves right after an escape; letters with alt edit a text.
_AFTER_ESCAPE = frozenset("0123456789/:?")


class WholePastes(XTermParser):
    """Reads what a terminal sends; a paste reaches from its first mark to its last."""

    def __init__(self, debug: bool = False) -> None:
        self._is_inside = False
        self._before = ""  # the end of what came before, where a mark may have begun
        self._last = ""  # what was handed on
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        """The messages that more of the input makes; none of it is its end."""
        if self._is_inside and data in _WAYS_OUT:
            data = BRACKETED_PASTE_END + data
        cleaned = "".join(self._cleaned(data))
        if not data:
            yield from super().feed("")
        for piece in _PIECES.findall(cleaned):
            # One by one, to know where the sequence ends that could not be read.
            for part in piece if piece.startswith(ESCAPE) else (piece,):
                if self.waits and self._last == ESCAPE and part[0] in _AFTER_ESCAPE:
                    self._start_again()
                    yield Key("escape", ESCAPE)
                yield from self._read(super().feed, part)
                self._last = part

    def tick(self) -> Iterable[Message]:
        """The messages that a silence makes, as after a lone escape."""
        yield from self._read(super().tick)

    def _read(self, read: Callable[..., Iterable[Message]], *text: str) -> Iterator[Message]:
        """What is read; what cannot be is nothing, and the next key begins behind it."""
        try:
            yield from read(*text)
        except ParseError:  # the input has ended
            raise
        except Exception:
            self._start_again()

    def _start_again(self) -> None:
        """Forget the key that was begun."""
        self._tokens.clear()
        self._gen = self.parse(self._tokens.append)
        self._awaiting = next(self._gen)
        self._timeout_time = None

    @property
    def waits(self) -> bool:
        """What came last may be the beginning of a key, or a key: `tick` tells, a little later."""
        return self._timeout_time is not None

    def _cleaned(self, data: str) -> Iterator[str]:
        """The same without the escapes in pastes; a last mark that is cut in two waits for more."""
        while data:
            mark = BRACKETED_PASTE_END if self._is_inside else BRACKETED_PASTE_START
            known, text = len(self._before), self._before + data
            found = text.find(mark)
            end = found if found >= 0 else len(text) - _begun(mark, text)
            if self._is_inside:
                yield text[:end].replace(ESCAPE, "") + (mark if found >= 0 else "")
            else:  # what may be a key is handed on at once
                yield text[known : end + len(mark)]
            self._before = "" if found >= 0 else text[end:]
            data = text[end + len(mark) :] if found >= 0 else ""
            self._is_inside ^= found >= 0


def _begun(mark: str, text: str) -> int:
    """How many characters of a mark a text ends with."""
    return next((n for n in range(len(mark) - 1, 0, -1) if text.endswith(mark[:n])), 0)


def lenient_decoder(encoding: str) -> Callable[[], Any]:
    """What makes a decoder of input that has a sign for bytes which are no text."""
    return partial(getincrementaldecoder(encoding), errors="replace")
