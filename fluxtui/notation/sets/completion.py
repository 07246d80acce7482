"""What may be typed at a place in an idset (RFC 22) or a hostlist (RFC 29)."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from fluxtui.notation.problem import Completion, Span, is_digits
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.idset import EMPTY, IdSet
from fluxtui.notation.wording import counted

#: Enough to choose from on one screen.
MOST = 50
#: Host names looked at before giving up, so that a large cluster does not slow typing.
MOST_HOSTS = 20_000

_TO = ("-", "up to the number that follows")
_CLOSE = ("]", "the end of the brackets")
_NUMBERS = re.compile(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")


def ids(
    text: str,
    cursor: int,
    known: IdSet = EMPTY,
    describe: Callable[[int], str] = lambda number: "an id of the set",
) -> list[Completion]:
    """What may be typed at the cursor of an idset: ids of the known set, then signs.

    An id replaces the digits typed; a sign has an empty span. describe tells of an id.
    """
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    opened = before.startswith("[")
    inner = before[opened:]
    found = _next_ids(inner, cursor, known, describe)
    if not inner:
        choices = [] if opened else [("[", "an idset in brackets")]
    else:
        choices = _signs(inner) if idset.parse(inner).ok else []
    if opened and (not inner or choices):
        choices = [*choices, _CLOSE]
    return found + [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in choices]


def _signs(inner: str) -> list[tuple[str, str]]:
    """What goes on from one or more whole ids and ranges."""
    last = inner.rpartition(",")[2]
    comma = (",", "another id")
    return [comma] if "-" in last else [_TO, comma]


def _next_ids(
    inner: str, cursor: int, known: IdSet, describe: Callable[[int], str]
) -> list[Completion]:
    """Ids of the known set that go on from the last digits, above all ids before them."""
    typed = re.search(r"[0-9]*\Z", inner)[0]  # type: ignore[index]
    done = inner[: len(inner) - len(typed)]
    whole = done[:-1]  # without the comma or hyphen that the id follows
    if typed.startswith("0") or (done and (done[-1] not in ",-" or not idset.parse(whole).ok)):
        return []
    if done and not whole:  # no set begins with a comma
        return []
    if done.endswith("-") and not is_digits(whole.rpartition(",")[2]):
        return []
    numbers = re.findall("[0-9]+", done)
    least = int(numbers[-1]) + 1 if numbers else 0
    span = Span(cursor - len(typed), cursor)
    out: list[Completion] = []
    if done.endswith("-") and not typed:
        at = bisect_right(known.starts, least) - 1
        run = known.ends[at] if at >= 0 else -1
        if run >= least:
            out.append(Completion(str(run), span, f"{run - least + 2:,} ids without a gap"))
        return out
    for first, last in _beginning_with(typed, least):
        for number in _between(known, first, last):
            if str(number) != typed:
                out.append(Completion(str(number), span, describe(number)))
            if len(out) >= MOST:
                return out
    return out


def _between(known: IdSet, first: int, last: int) -> Iterator[int]:
    """The ids of a set from first to last, as far as they are asked for."""
    starts, ends = known.starts, known.ends
    for at in range(bisect_left(ends, first), len(starts)):
        if starts[at] > last:
            return
        yield from range(max(starts[at], first), min(ends[at], last) + 1)


def _beginning_with(typed: str, least: int) -> Iterable[tuple[int, int]]:
    """The ranges of the numbers, up to ten digits, whose text begins with typed digits."""
    if not typed:
        yield least, max(least + MOST, 10**10)
        return
    for more in range(11 - len(typed)):
        first = int(typed) * 10**more
        last = first + 10**more - 1
        if last >= least:
            yield max(first, least), last


def hosts(text: str, cursor: int, known: Iterable[str] | HostIndex = ()) -> list[Completion]:
    """What may be typed at the cursor of a hostlist: hosts of the cluster, then signs.

    A name replaces what is typed of it after the last comma; a sign has an empty span. Names
    that are given ready to be looked up come in groups too, with their nodes.
    """
    cursor = max(0, min(cursor, len(text)))
    before = text[:cursor]
    start = _last_name(before)
    typed = before[start:]
    if not re.fullmatch(r"[!-+\--Z\\^-~]*(?:\[[0-9,-]*(?:\][!-+\--Z\\^-~]*)?)?", typed):
        return []
    prefix, bracket, body = typed.partition("[")
    signs: list[tuple[str, str]] = []
    found: list[Completion] = []
    if bracket and "]" not in body:
        if _NUMBERS.fullmatch(body):
            signs = [(sign, "another number" if sign == "," else m) for sign, m in _signs(body)]
            signs.append(_CLOSE)
    else:
        if not bracket:
            found = _names(prefix, Span(cursor - len(typed), cursor), known)
        if typed:
            signs = [] if bracket else [("[", "a list of numbers, such as n[0-3]")]
            signs.append((",", "another host"))
    return found + [Completion(sign, Span(cursor, cursor), meaning) for sign, meaning in signs]


def _names(prefix: str, span: Span, known: Iterable[str] | HostIndex) -> list[Completion]:
    """The hosts that begin with what is typed."""
    if isinstance(known, HostIndex):
        return [
            Completion(one.text, span, counted(one.nodes, "node"), one.nodes)
            for one in known.beginning_with(prefix, MOST)
        ]
    names = (n for n in islice(known, MOST_HOSTS) if n.startswith(prefix) and n != prefix)
    return [Completion(name, span, "host") for name in islice(dict.fromkeys(names), MOST)]


def _last_name(before: str) -> int:
    """Where the host expression at the end begins: after the last comma outside brackets."""
    depth = start = 0
    for index, character in enumerate(before):
        if character in "[]":
            depth = int(character == "[")
        elif character == "," and not depth:
            start = index + 1
    return start
