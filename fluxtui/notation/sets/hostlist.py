"""Ordered lists of host names such as ``foo[0-3,7],bar`` (RFC 29): `HostList` and its text.

A list keeps ranges, never single names, so a million hosts cost as much as their text.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, count, islice
from operator import add, sub
from typing import NamedTuple, TypeAlias

from fluxtui.notation.problem import (
    ENOUGH,
    Parsed,
    Problem,
    Span,
    first_of,
    is_digits,
    shortened,
    too_long,
)
from fluxtui.notation.sets.idset import runs

RULE = "RFC 29"

DIGITS = "0123456789"

# A name that ends in more digits than this is kept as a name without a number.
MAX_DIGITS = 100

#: The longest text that is read, in characters; a million names take fewer.
MAX_LENGTH = 1 << 24

#: The most names with brackets before a suffix that are written out one by one.
MAX_WRITTEN_OUT = 1 << 14

#: The most names with digits right after the brackets, since each of them is kept separately.
MAX_BEFORE_DIGITS = 512

# How many names are read or written in one step, which bounds how long other threads wait.
_BLOCK = 1 << 13

# Printable ASCII except space, comma and brackets.
_NAME = r"[!-+\--Z\\^-~]*"
_NAMES = re.compile(r"[!-Z\\^-~]*")
_EXPRESSION = re.compile(rf"({_NAME})(?:\[([0-9,-]+)\]({_NAME}))?")
# Possessive: backtracking would keep a state for each bracket of a text of millions.
_BROKEN = re.compile(r"[^\[\],]*+(?:\[[^\]]*+\]?+[^\[\],]*+|\])*+")

#: What the names of one range share: prefix, width of zero padding, suffix. No digit is next to
#: the number: the prefix does not end with one and the suffix does not begin with one.
Style: TypeAlias = tuple[str, int, str]


class HostRange(NamedTuple):
    """Consecutive names: prefix, a number of at least ``width`` digits, suffix.

    If the width is 0, the prefix is one whole name without a number. Otherwise neither prefix
    nor suffix has a digit next to the number.
    """

    prefix: str
    first: int
    last: int
    width: int
    suffix: str

    def name(self, number: int) -> str:
        """The name with this number."""
        if not self.width:
            return self.prefix
        return f"{self.prefix}{number:0{self.width}d}{self.suffix}"

    def names(self) -> Iterator[str]:
        """Every name, in order."""
        return map(self.name, range(self.first, self.last + 1))


def one_length(group: HostRange) -> Iterator[HostRange]:
    """Split a range into ranges of names of equal length.

    Two such ranges of the same size are equal if their first and last names are.
    """
    first = group.first
    while first <= group.last:
        last = min(group.last, 10 ** max(group.width, len(str(first))) - 1)
        yield group._replace(first=first, last=last)
        first = last + 1


class HostList:
    """An immutable ordered list of host names, repeats allowed (RFC 29).

    Kept as columns, one row for each range. Build one with `Builder` or `parse`.
    """

    __slots__ = ("_firsts", "_lasts", "_styles", "_sums")

    def __init__(
        self,
        styles: list[Style] | None = None,
        firsts: list[int] | None = None,
        lasts: list[int] | None = None,
    ) -> None:
        """Take ownership of the columns; the caller must not change them afterwards."""
        self._styles = styles or []
        self._firsts = firsts or []
        self._lasts = lasts or []
        self._sums: list[int] = []

    @property
    def before(self) -> list[int]:
        """The number of hosts before each range, then the number of all; cached."""
        if not self._sums and self._firsts == self._lasts:
            self._sums = list(range(len(self._firsts) + 1))
        elif not self._sums:
            lasts_less_firsts = accumulate(map(sub, self._lasts, self._firsts), initial=0)
            self._sums = list(map(add, lasts_less_firsts, count()))
        return self._sums

    @property
    def rows(self) -> tuple[list[Style], list[int], list[int]]:
        """Style, first and last number of each range, as columns. Read only."""
        return self._styles, self._firsts, self._lasts

    @property
    def count(self) -> int:
        """The exact number of hosts, which may exceed ``sys.maxsize``."""
        return self.before[-1]

    def __len__(self) -> int:
        """The number of hosts, at most ``sys.maxsize`` (`count` has no such limit)."""
        return min(self.count, sys.maxsize)

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(group.names() for group in self.walk())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HostList):
            return NotImplemented
        if self.rows == other.rows:
            return True
        return self.count == other.count and _same_names(self, other)

    def __hash__(self) -> int:
        ends = (self.host(0), self.host(self.count - 1)) if self else ()
        return hash((self.count, ends))

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        return f"HostList({format(self, 20)!r})"

    def host(self, index: int) -> str:
        """The name at this place, counted from 0; IndexError if out of range."""
        if not 0 <= index < self.count:
            raise IndexError(index)
        at = bisect_right(self.before, index) - 1
        prefix, width, suffix = self._styles[at]
        if not width:
            return prefix
        return f"{prefix}{self._firsts[at] + index - self.before[at]:0{width}d}{suffix}"

    def walk(self, start: int = 0, stop: int | None = None) -> Iterator[HostRange]:
        """The ranges of the hosts from place start up to stop, in order."""
        before = self.before
        stop = before[-1] if stop is None else min(stop, before[-1])
        at = bisect_right(before, start) - 1
        while start < stop:
            prefix, width, suffix = self._styles[at]
            shift = self._firsts[at] - before[at]
            end = min(stop, before[at + 1])
            yield HostRange(prefix, start + shift, end - 1 + shift, width, suffix)
            start = end
            at += 1

    def pick(self, places: Iterable[tuple[int, int]], limit: int | None = None) -> "HostList":
        """The hosts at these inclusive ranges of places, in that order.

        Stops after ``limit`` ranges of hosts if that is given.
        """
        before, numbers, rows = self.before, self._firsts, len(self._firsts)
        most = sys.maxsize if limit is None else limit
        styles: list[Style] = []
        firsts: list[int] = []
        lasts: list[int] = []
        for first, last in places:
            at, row = first, bisect_right(before, first) - 1
            while at <= last and row < rows:
                end = min(last + 1, before[row + 1])
                number, style = numbers[row] + at - before[row], self._styles[row]
                if lasts and number == lasts[-1] + 1 and joinable(styles[-1], style, number):
                    lasts[-1] += end - at
                else:
                    styles.append(style)
                    firsts.append(number)
                    lasts.append(number + end - at - 1)
                    if len(firsts) >= most:
                        return HostList(styles, firsts, lasts)
                at = end
                row += 1
        return HostList(styles, firsts, lasts)


def _same_names(hosts: HostList, other: HostList) -> bool:
    other_groups = chain.from_iterable(map(one_length, other.walk()))
    other_number, other_end = 0, 0  # the next number of other_group, and the end of its numbers
    for group in chain.from_iterable(map(one_length, hosts.walk())):
        number = group.first
        while number <= group.last:
            if other_number == other_end:
                other_group = next(other_groups)
                other_number, other_end = other_group.first, other_group.last + 1
            step = min(group.last - number, other_end - other_number - 1)
            if any(group.name(number + n) != other_group.name(other_number + n) for n in {0, step}):
                return False
            number += step + 1
            other_number += step + 1
    return True


class Builder:
    """Collects host names in order, joining consecutive ones into ranges."""

    __slots__ = ("before_digits", "firsts", "lasts", "shared", "styles")

    def __init__(self) -> None:
        self.styles: list[Style] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        # One object for equal styles, which keeps long columns small.
        self.shared: dict[Style, Style] = {}
        self.before_digits = 0  # how many names came from brackets followed by digits

    def done(self) -> HostList:
        """The list; the builder must not be used afterwards."""
        return HostList(self.styles, self.firsts, self.lasts)

    def add(self, group: HostRange) -> None:
        """Append a range of names."""
        style = (group.prefix, group.width, group.suffix)
        self.extend(style, (group.first,), (group.last,))

    def extend(self, style: Style, firsts: Iterable[int], lasts: Iterable[int]) -> None:
        """Append ranges of one style, of which no two are adjacent."""
        at = len(self.firsts)
        self.firsts += firsts
        self.lasts += lasts
        if len(self.firsts) == at:
            return
        style = self.shared.setdefault(style, style)
        self.styles += [style] * (len(self.firsts) - at)
        first = self.firsts[at]
        if at and first == self.lasts[at - 1] + 1 and joinable(self.styles[at - 1], style, first):
            self.lasts[at - 1] = self.lasts[at]
            del self.styles[at], self.firsts[at], self.lasts[at]

    def names(self, names: Iterable[str]) -> None:
        """Append single names, ignoring empty ones."""
        styles, firsts, lasts, shared = self.styles, self.firsts, self.lasts, self.shared
        for name in filter(None, names):
            prefix = name.rstrip(DIGITS)
            digits = name[len(prefix) :]
            if digits and len(digits) <= MAX_DIGITS:
                number = int(digits)
                style = (prefix, len(digits) if digits[0] == "0" and len(digits) > 1 else 1, "")
            else:
                number, style = 0, (name, 0, "")
            if lasts and number == lasts[-1] + 1 and joinable(styles[-1], style, number):
                lasts[-1] = number
                continue
            styles.append(shared.setdefault(style, style))
            firsts.append(number)
            lasts.append(number)

    def idlist(self, prefix: str, body: str, suffix: str) -> str | None:
        """Append the names of ``prefix[body]suffix``; return the first wrong element or None."""
        if is_digits(prefix[-1:]) or is_digits(suffix[:1]):
            return self._beside_digits(prefix, body, suffix)
        parts = body.split(",")
        pad = padding(parts[0])
        even = bool(pad) and len(set(map(len, parts))) == 1
        bare = not pad and ",0" not in body
        simple = "-" not in body and all(parts) and max(map(len, parts)) <= MAX_DIGITS
        if simple and (even or bare):
            firsts, lasts = runs(list(map(int, parts)))
            self.extend((prefix, pad or 1, suffix), firsts, lasts)
            return None
        for part in parts:
            numbers = _number(part)
            if numbers is None:
                return part
            first, last, width = numbers
            self.extend((prefix, width, suffix), (first,), (last,))
        return None

    def _beside_digits(self, prefix: str, body: str, suffix: str) -> str | None:
        """Do the same for a number that continues outside the brackets.

        ``foo1[8-12]`` is ``foo[18-19,110-112]``; the names of ``foo[0-2]5`` are not consecutive,
        so they are kept one by one, at most `MAX_BEFORE_DIGITS` in a list.
        """
        head = prefix.rstrip(DIGITS)
        lead = prefix[len(head) :]
        for part in body.split(","):
            numbers = _number(part)
            if numbers is None:
                return part
            group = HostRange(prefix, *numbers, suffix)
            if len(lead) + max(group.width, len(str(group.last))) > MAX_DIGITS:
                return part
            if is_digits(suffix[:1]):
                self.before_digits += group.last - group.first + 1
                if self.before_digits > MAX_BEFORE_DIGITS:
                    return part
                self.names(group.names())
                continue
            for _, first, last, _, _ in one_length(group):
                length = max(group.width, len(str(first)))
                offset = int(lead) * 10**length
                width = len(lead) + length if lead[0] == "0" else 1
                self.extend((head, width, suffix), (offset + first,), (offset + last,))
        return None


def _number(text: str) -> tuple[int, int, int] | None:
    head, dash, tail = text.partition("-")
    tail = tail if dash else head
    if not (is_digits(head) and is_digits(tail)) or max(len(head), len(tail)) > MAX_DIGITS:
        return None
    first, last = int(head), int(tail)
    return (first, last, padding(head) or 1) if first <= last else None


def padding(element: str) -> int:
    """The width implied by the leading zeroes of an idlist element; 0 if there are none."""
    if element[:1] != "0":
        return 0
    width = len(element) - len(element.lstrip(DIGITS))
    return width if width > 1 else 0


def joinable(one: Style, two: Style, number: int) -> bool:
    """Whether number, the one after the last of style ``one``, reads the same in style ``two``."""
    if one is two:
        return one[1] > 0
    if one[0] != two[0] or one[2] != two[2] or not one[1] or not two[1]:
        return False
    return one[1] == two[1] or number >= 10 ** (max(one[1], two[1]) - 1)


# Writing


def format(hosts: HostList, limit: int | None = None) -> str:
    """The RFC 29 text in the compressed form Flux writes: ``foo[1-3,5],bar``.

    Only numbers at the end of a name go into brackets, unless more than `MAX_WRITTEN_OUT` names
    have a number elsewhere. The text is cut after ``limit`` ranges, with ``…`` at the end.
    """
    return "".join(pieces(hosts, limit))


def pieces(hosts: HostList, limit: int | None = None) -> Iterator[str]:
    """The text of `format` in pieces, made lazily."""
    found = _ending_in_numbers(hosts, None if limit is None else limit + 1)
    styles, firsts, lasts = found.rows
    size = len(styles) if limit is None else min(limit, len(styles))
    out: list[str] = []
    opened = False  # within brackets
    for at in range(size):
        prefix, width, suffix = styles[at]
        goes_on = at + 1 < size and width > 0 < styles[at + 1][1]
        goes_on = goes_on and (prefix, suffix) == styles[at + 1][::2]
        number = f"{firsts[at]:0{width}d}" if width else ""
        if firsts[at] < lasts[at]:
            number = f"{number}-{lasts[at]:0{width}d}"
        bracketed = opened or goes_on or firsts[at] < lasts[at]
        head = "" if opened else f"{prefix}[" if bracketed else prefix
        tail = "" if goes_on else f"]{suffix}" if bracketed else suffix
        out.append(head + number + tail)
        opened = goes_on
        if len(out) == _BLOCK:
            yield ",".join(out)
            out = [""]  # a comma before the next piece
    if out != [""]:
        yield ",".join(out)
    if size < len(styles):
        yield ",…" if limit else "…"


def _ending_in_numbers(hosts: HostList, most: int | None) -> HostList:
    """The same names with the number at the end of each, up to about ``most`` ranges.

    Ranges with a suffix stay as they are if too many names would have to be written out.
    """
    whole = False
    if most is None:
        if not any(suffix for _, _, suffix in set(hosts.rows[0])):
            return hosts
        written = sum(one.last - one.first for one in hosts.walk() if one.width and one.suffix)
        whole = written > MAX_WRITTEN_OUT
    out = Builder()
    for group in hosts.walk():
        if group.width and group.suffix and (group.first == group.last or not whole):
            # No two of these names are consecutive.
            out.names(islice(group.names(), most))
        else:
            out.add(group)
        if most is not None and len(out.firsts) >= most:
            break
    return out.done()


# Reading


def parse(text: str, offset: int = 0) -> Parsed[HostList]:
    """Read a hostlist (RFC 29); the empty text is the empty list.

    Each number in ``[...]`` keeps its own leading zeroes, as Flux reads and writes lists; a
    warning tells where RFC 29 allows another reading. An empty expression between commas adds no
    host. After a problem the value holds what could be read.
    """
    if len(text) > MAX_LENGTH:
        return Parsed(HostList(), (too_long("hostlist", text, RULE, MAX_LENGTH),))
    out = Builder()
    problems = parse_into(out, text, offset)
    return Parsed(out.done(), problems)


def names_into(out: Builder, names: list[str]) -> bool:
    """Append names to a builder if each is a single name; return whether they are.

    The result is that of `parse_into` with the names joined by commas.
    """
    # In blocks: checking a million names in one step would hold up all other threads.
    for start in range(0, len(names), _BLOCK):
        block = names[start : start + _BLOCK]
        joined = ",".join(block)
        if not _NAMES.fullmatch(joined) or joined.count(",") >= len(block):
            return False
    out.names(names)
    return True


def parse_into(out: Builder, text: str, offset: int = 0) -> tuple[Problem, ...]:
    """Append the hosts of a hostlist text to a builder; return the problems of the text."""
    if _NAMES.fullmatch(text):
        out.names(text.split(","))
        return ()
    problems: list[Problem] = []
    at, end = 0, len(text)
    while at < end and len(problems) < ENOUGH:
        match = _EXPRESSION.match(text, at)
        stop = match.end() if match else at
        if match and (stop == end or text[stop] == ","):
            prefix, body, suffix = match.groups()
            if body is None:
                out.names((prefix,))
            else:
                wrong, start = out.idlist(prefix, body, suffix), offset + match.start(2)
                if wrong is None:
                    problems += _width_warning(body, start)
                else:
                    span = _element(body, wrong, start)
                    problems.append(_idlist_problem(prefix, wrong, span, start + len(body)))
        else:
            broken = _BROKEN.match(text, at)
            stop = max(broken.end() if broken else end, stop)
            problems.append(_expression_problem(text[at:stop], offset + at))
            if "[" not in text[at:stop] and "]" not in text[at:stop]:
                # Without brackets only a foreign character is wrong, so the names can be kept.
                out.names(text[at:stop].split())
        at = stop + 1
    return first_of(problems, "hostlist", is_cut=at < end)


def _element(body: str, element: str, offset: int) -> Span:
    parts = body.split(",")
    at = offset + sum(len(part) + 1 for part in parts[: parts.index(element)])
    return Span(at, at + len(element))


def _width_warning(body: str, offset: int) -> list[Problem]:
    pad = padding(body)
    for part in body.split(",") if pad else ():
        head = part.partition("-")[0]
        if len(head) < pad:
            padded = f"{head:0>{pad}}"
            rule = f"by RFC 29 the leading zeroes of the first number could make it '{padded}'"
            message = f"'{head}' is read as written, as Flux reads it; {rule}"
            expected = (padded, f"'{head}' outside the brackets")
            where = _element(body, part, offset)
            return [Problem(message, where, None, expected, RULE, "warning")]
    return []


def _idlist_problem(prefix: str, element: str, span: Span, last: int) -> Problem:
    head, dash, tail = element.partition("-")
    expected: tuple[str, ...] = ("N", "N-M")
    message = f"'{shortened(element)}' is not a number or a range"
    if not element:
        after = span.start == last
        span = Span(last - 1, last) if after else Span(span.start, span.start + 1)
        message, expected = (
            f"a number is missing {'after' if after else 'before'} ','",
            ("a number",),
        )
    elif is_digits(element.replace("-", "", 1)) and head and (tail or not dash):
        longest = len(prefix) - len(prefix.rstrip(DIGITS)) + max(len(head), len(tail))
        if longest > MAX_DIGITS:
            message, expected = f"a number of {longest} digits is too large", ()
        elif dash and int(tail) < int(head):
            message, expected = f"range '{shortened(element)}' runs backwards", (f"{tail}-{head}",)
        else:
            message = f"a hostlist takes at most {MAX_BEFORE_DIGITS} names with digits after ']'"
            expected = ("fewer hosts",)
    elif dash and is_digits(head) and not tail:
        span = Span(span.end - 1, span.end)
        message, expected = "the last number is missing after '-'", ("N-M",)
    return Problem(message, span, None, expected, RULE)


def _expression_problem(text: str, offset: int) -> Problem:
    def problem(place: int, message: str, *expected: str) -> Problem:
        span = Span(offset + place, offset + min(place + 1, max(len(text), 1)))
        return Problem(message, span, None, expected, RULE)

    foreign = re.search(r"[^!-~]", text)
    if foreign and foreign[0].isspace():
        return problem(foreign.start(), "white space does not belong in a hostlist", "','")
    if foreign:
        message = f"'{foreign[0]}' does not belong in a host name"
        return problem(foreign.start(), message, "printable ASCII characters")
    opened, closed = text.find("["), text.find("]")
    inner = text[opened + 1 : closed]
    if closed < 0:
        return problem(opened, "the bracket '[' is not closed", "']'")
    if 0 <= opened < closed and not inner:
        return problem(opened, "there is no number between the brackets", "a number", "N-M")
    if 0 <= opened < closed and (odd := re.search("[^0-9,-]", inner)):
        message = f"'{odd[0]}' does not belong between brackets"
        return problem(opened + 1 + odd.start(), message, "a number", "','")
    if 0 <= opened < closed and "[" in text[closed:]:
        message = "a host expression has one pair of brackets"
        return problem(text.index("[", closed), message, "','")
    surplus = text.find("]", closed + 1) if 0 <= opened < closed else closed
    return problem(surplus, "']' closes nothing; no '[' is open")
