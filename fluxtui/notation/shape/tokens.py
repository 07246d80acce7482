"""The tokens of a text that was changed in one place: those of before, and some others there."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import eq
from typing import Any, overload

from fluxtui.notation.problem import Span, Token

_make = tuple.__new__  # half the time of a named tuple's own constructor


class Spliced(Sequence[Token]):
    """Tokens some of which were replaced; those behind them stand elsewhere by some characters.

    Who draws a line looks at a few of them: each is put in its place when it is asked for. Who
    goes through them all gets the runs they stand in, one after the other.
    """

    __slots__ = ("_behind", "_by", "_first", "_fresh", "_last", "_whole")

    def __init__(
        self, whole: Sequence[Token], first: int, last: int, fresh: Sequence[Token], by: int
    ) -> None:
        self._whole = whole
        self._first = first  # the tokens before it are as they were
        self._last = last  # from here on they stand elsewhere
        self._fresh = fresh
        self._by = by
        self._behind = first + len(fresh)

    def __len__(self) -> int:
        return self._behind + len(self._whole) - self._last

    def __iter__(self) -> Iterator[Token]:
        by = self._by
        behind: Iterator[Token] = islice(self._whole, self._last, None)
        if by:
            behind = (
                _make(Token, (kind, _make(Span, (start + by, end + by))))
                for kind, (start, end) in behind
            )
        return chain(islice(self._whole, self._first), self._fresh, behind)

    @overload
    def __getitem__(self, at: int) -> Token: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Token]: ...
    def __getitem__(self, at: int | slice) -> Any:
        """A token, or some."""
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        number = at + len(self) if at < 0 else at
        if number < self._first:
            if number < 0:
                raise IndexError(at)
            return self._whole[number]
        if number < self._behind:
            return self._fresh[number - self._first]
        kind, (start, end) = self._whole[number - self._behind + self._last]
        return Token(kind, Span(start + self._by, end + self._by))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def spliced(self, first: int, last: int, fresh: Sequence[Token], by: int) -> "Spliced | None":
        """These tokens with others in the same place; None where they are in another."""
        if first != self._first or last != self._behind:
            return None
        return Spliced(self._whole, first, self._last, fresh, self._by + by)


def spliced(
    tokens: Sequence[Token], first: int, last: int, fresh: Sequence[Token], by: int
) -> Sequence[Token]:
    """Tokens of which those from first up to last are replaced; the others behind move by by.

    by counts characters.
    """
    if isinstance(tokens, Spliced):
        found = tokens.spliced(first, last, fresh, by)
        if found is not None:
            return found
        tokens = tuple(tokens)
    return Spliced(tokens, first, last, fresh, by)
