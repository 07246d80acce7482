"""A parser of terminal input that keeps pastes whole and survives invalid input.

Textual 8.2.8 looks for keys inside a bracketed paste too. If it contains an escape, the text before
it is pasted after the text that follows, and the rest runs as keys. No input here accepts escapes,
so they are removed first. Textual's parser also raises an exception at a few sequences, such as a
key without a number, and its decoder at bytes that are not UTF-8; after that, no key would be read.
It turns an escape and a digit in a burst into one character such as a trade mark sign, as alt and a
digit on a Mac do; here they are two keys, because digits go to panes.
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

# Keys that a user presses when nothing else works: ctrl+c and ctrl+q, in both keyboard protocols.
# One that arrives alone was typed, so it ends a paste whose end mark was lost.
_WAYS_OUT = ("\x03", "\x11", "\x1b[99;5u", "\x1b[113;5u")

# Escape sequences of up to 32 characters, and text. Textual reads longer ones as single keys.
_PIECES = re.compile("\x1b[^\x1b]{0,32}|[^\x1b]+")


# Characters that are keys of their own right after an escape; other characters mean alt and a key.
_AFTER_ESCAPE = frozenset("0123456789/:?")


class WholePastes(XTermParser):
    """Parses terminal input; a paste extends from its start mark to its end mark."""

    def __init__(self, debug: bool = False) -> None:
        self._is_inside = False  # whether a paste has started
        self._before = ""  # the end of earlier input, which may be the start of a mark
        self._last = ""  # the last piece passed to Textual's parser
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        """Yield the messages for more input; empty input is the end."""
        if self._is_inside and data in _WAYS_OUT:
            data = BRACKETED_PASTE_END + data
        cleaned = "".join(self._cleaned(data))
        if not data:
            yield from super().feed("")
        for piece in _PIECES.findall(cleaned):
            # Character by character, to know where a sequence ends that cannot be parsed.
            for part in piece if piece.startswith(ESCAPE) else (piece,):
                if self.waits and self._last == ESCAPE and part[0] in _AFTER_ESCAPE:
                    self._start_again()
                    yield Key("escape", ESCAPE)
                yield from self._read(super().feed, part)
                self._last = part

    def tick(self) -> Iterable[Message]:
        """Yield the messages due after a pause, such as for a lone escape."""
        yield from self._read(super().tick)

    def _read(self, read: Callable[..., Iterable[Message]], *text: str) -> Iterator[Message]:
        """Yield messages from the parser; drop a sequence that cannot be parsed."""
        try:
            yield from read(*text)
        except ParseError:  # the input has ended
            raise
        except Exception:
            self._start_again()

    def _start_again(self) -> None:
        """Drop the sequence read so far."""
        self._tokens.clear()
        self._gen = self.parse(self._tokens.append)
        self._awaiting = next(self._gen)
        self._timeout_time = None

    @property
    def waits(self) -> bool:
        """Whether the last input may be a key or the start of one, which `tick` decides later."""
        return self._timeout_time is not None

    def _cleaned(self, data: str) -> Iterator[str]:
        """Yield the input without escapes in pastes; an incomplete end mark waits for more."""
        while data:
            mark = BRACKETED_PASTE_END if self._is_inside else BRACKETED_PASTE_START
            known, text = len(self._before), self._before + data
            found = text.find(mark)
            end = found if found >= 0 else len(text) - _begun(mark, text)
            if self._is_inside:
                yield text[:end].replace(ESCAPE, "") + (mark if found >= 0 else "")
            else:  # what may be a key is passed on at once
                yield text[known : end + len(mark)]
            self._before = "" if found >= 0 else text[end:]
            data = text[end + len(mark) :] if found >= 0 else ""
            self._is_inside ^= found >= 0


def _begun(mark: str, text: str) -> int:
    """Return how many characters of the start of a mark a text ends with."""
    return next((n for n in range(len(mark) - 1, 0, -1) if text.endswith(mark[:n])), 0)


def lenient_decoder(encoding: str) -> Callable[[], Any]:
    """Return a factory for incremental decoders that replace invalid bytes."""
    return partial(getincrementaldecoder(encoding), errors="replace")
