"""Nodes by what a person types to find some: ranks, host names or properties."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fluxtui.answers.matching.name_patterns import Pattern, Reader
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, Span, is_digits
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import HostList, HostRange, Style
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.wording import plural

# Properties that are named where a text begins several.
_NAMED = 3

# Names of a hostlist with * or ? in it that are looked for one by one.
_MOST_GLOBS = 64

# Names a range has on the average, from which on the ranges are walked.
_LONG = 128

# Single names that are looked at within a few milliseconds.
_FEW = 20_000

# Names, or ranges, that are looked at between two questions whether to go on.
_BLOCK = 4096

_BITS = bytes.maketrans(b"\x00\x01", b"01")

_WORD = re.compile(r"\S+")
_RANKS = re.compile(r"[0-9][0-9,-]*")
_GLOB = re.compile(r"[*?]")
_RANK_PATTERNS = re.compile(r"[0-9*?,]+")
_KINDS = {
    "rank": "rank",
    "ranks": "rank",
    "host": "host",
    "hosts": "host",
    "hostlist": "host",
    "property": "property",
    "properties": "property",
}


@dataclass(frozen=True, slots=True)
class Filtered:
    """The nodes that a text leaves.

    mask     the nodes; none where there is a problem
    words    what the text was taken for, such as ``hosts that contain gpu1``; blank for all nodes
    problem  the word that means nothing here
    """

    mask: int
    words: str
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """The nodes of a word, and what it was taken for; sure where it means that even of no node."""

    mask: int
    words: str
    sure: bool = False


class Filter:
    """Finds nodes by what is typed; what is built for one text is kept for the next."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._names = Names(resources.hosts)
        self._digits: Names | None = None  # the ranks as they are written
        self._folded: HostIndex | None = None

    @property
    def is_quick(self) -> bool:
        """Nodes are found within a few milliseconds, so that it may be done on the event loop."""
        ranks = self._resources.ranks
        return self._names.is_quick and is_quick(ranks.count, len(ranks.starts))

    def nodes(self, text: str, stop: Stop = going_on) -> Filtered:
        """The nodes that a text leaves.

        Nodes have to be what each word of the text says; with ``-`` or ``!`` before a word, not to
        be that. A word is the first of these that there is in the cluster, case not counting:

        - some of its ranks: ``3-7,12``
        - the whole name of a property: ``gpu``
        - host names, as a hostlist (``n[3-9]``, ``n1,n2``) or a part of the name (``gpu1``)
        - the beginning of the names of properties: ``mi``

        With ``*`` (any characters) or ``?`` (one) in it, it is a pattern of the whole of what it
        fits first: host names (``*12``, ``n?``), ranks (``99*``), names of properties (``*gpu``).

        ``rank:``, ``host:`` or ``property:`` before it says which of these it is to be. A word that
        is not finished, such as ``3-`` or ``n[3-``, is taken as far as it goes. Where a word says
        nothing of this cluster, that is the problem. stop is asked now and then whether the answer
        is not wanted any more; then it raises `Stopped`.
        """
        mask, words = self._resources.everything, []
        for match in _WORD.finditer(text):
            bare = match.group().lstrip("-!")
            if not bare:
                continue
            found = self._word(bare, stop)
            if found is None:
                says = "fits" if _GLOB.search(bare) else "is"
                message = f"no rank, host or property {says} '{_shortened(bare)}'"
                return Filtered(0, "", Problem(message, Span(*match.span())))
            if bare == match.group():
                mask &= found.mask
                words.append(found.words)
            else:
                mask &= ~found.mask
                words.append(f"not {found.words}")
        return Filtered(mask, " and ".join(words))

    def _word(self, word: str, stop: Stop) -> _Found | None:
        """The nodes of a word; None where it says nothing of any."""
        kind, colon, rest = word.partition(":")
        kind = _KINDS.get(kind.lower(), "") if colon else ""
        word = rest if kind else word
        if not word:
            return _Found(self._resources.everything, f"any {kind}")
        for found in self._ways(word, kind, stop):
            if found is not None and (found.mask or found.sure or kind):
                return found
        return None

    def _ways(self, word: str, kind: str, stop: Stop) -> Iterator[_Found | None]:
        """What a word may mean, most sensible first."""
        if kind in ("", "rank"):
            yield self._ranks(word)
        if kind in ("", "property"):
            yield self._property(word)
        if kind in ("", "host"):
            yield self._hosts(word, stop)
        if kind in ("", "rank") and _RANK_PATTERNS.fullmatch(word) and _GLOB.search(word):
            yield self._written_so(word, stop)
        if kind in ("", "property"):
            yield self._beginnings(word)

    def _ranks(self, word: str) -> _Found | None:
        """Ranks, also where the last one is still being typed."""
        word = word.removeprefix("[").removesuffix("]")
        if not _RANKS.fullmatch(word):
            return None
        parsed = idset.parse(word.rstrip(",-"))
        if not parsed.ok:  # the end of a range may still grow: 12-1 on the way to 12-15
            head, _, last = word.rpartition("-")
            parsed = idset.parse(head)
            if not head or not parsed.ok or not is_digits(last):
                return None
        words = f"{plural('rank', parsed.value.count)} {_shortened(str(parsed.value))}"
        return _Found(self._resources.mask_of_ranks(parsed.value), words)

    def _written_so(self, word: str, stop: Stop) -> _Found:
        """The ranks that one of some patterns fits."""
        if self._digits is None:
            self._digits = Names(ranks_as_names(self._resources.ranks))
        mask = 0
        for part in word.split(","):
            mask |= self._digits.fitting(Pattern.of(part), stop) if part else 0
        return _Found(mask, f"ranks {_shortened(word)}")

    def _property(self, word: str) -> _Found | None:
        """A property by its whole name."""
        masks = self._resources.properties
        names = [word] if word in masks else [n for n in masks if n.lower() == word.lower()]
        found = self._having(names, "")
        return replace(found, sure=True) if found is not None else None

    def _beginnings(self, word: str) -> _Found | None:
        """The properties whose names begin so, or which a pattern fits."""
        masks = self._resources.properties
        fits = Pattern.of(word if _GLOB.search(word) else f"{word}*").fits()
        names = [name for name in masks if masks[name] and fits(name.lower())]
        return self._having(names, f"any of {len(names)} properties, ")

    def _having(self, names: list[str], lead: str) -> _Found | None:
        """The nodes that have one of some properties."""
        if not names:
            return None
        mask = 0
        for name in names:
            mask |= self._resources.properties[name]
        if len(names) == 1:
            return _Found(mask, f"property {names[0]}")
        more = ", …" if len(names) > _NAMED else ""
        return _Found(mask, f"{lead}{', '.join(names[:_NAMED])}{more}")

    # Hosts

    def _hosts(self, word: str, stop: Stop) -> _Found:
        """Host names: a list, a pattern, or a part of a name."""
        if "[" not in word and "," not in word:
            return self._named(word, stop)
        parsed = hostlist.parse(_closed(word))
        exact = self._listed(parsed.value, stop) if parsed.ok and parsed.value else 0
        if exact:
            return _Found(exact, f"hosts {_shortened(word)}")
        mask = 0
        for part in word.split(",") if "[" not in word else ():
            mask |= self._named(part, stop).mask if part else 0
        return _Found(mask, f"hosts that contain {_shortened(' or '.join(word.split(',')))}")

    def _named(self, word: str, stop: Stop) -> _Found:
        """The hosts that a pattern fits, or whose names contain a text."""
        everything = self._resources.everything
        if _GLOB.search(word):
            return _Found(self._names.fitting(Pattern.of(word), stop) & everything, f"hosts {word}")
        mask = self._names.fitting(Pattern.within(word), stop) & everything
        return _Found(mask, f"hosts that contain {_shortened(word)}")

    def _listed(self, hosts: HostList, stop: Stop) -> int:
        """The hosts of a list, as they are written or in other case, or by its patterns."""
        resources = self._resources
        if any(_GLOB.search(group.prefix + group.suffix) for group in hosts.walk()):
            mask = 0
            for name in hosts if hosts.count <= _MOST_GLOBS else ():
                mask |= self._names.fitting(Pattern.of(name), stop)
            return mask & resources.everything
        found = resources.mask_of_hosts(hosts)
        if not found:
            if self._folded is None:
                self._folded = HostIndex(_folded(resources.hosts))
            found = self._folded.mask(_folded(hosts)) & resources.everything
        return found


def _closed(word: str) -> str:
    """A hostlist whose last bracket is still open, as far as it goes."""
    if word.rfind("[") <= word.rfind("]"):
        return word.strip(",")
    word = word.rstrip(",-")
    return word[:-1] + "*" if word.endswith("[") else word + "]"


def _folded(hosts: HostList) -> HostList:
    """The same hosts in small letters."""
    styles, firsts, lasts = hosts.rows
    small = {style: (style[0].lower(), style[1], style[2].lower()) for style in styles}
    return HostList([small[style] for style in styles], firsts, lasts)


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


# Where names come in long ranges, the digits of their numbers are walked and not the names; where
# most ranges are single names, the names are looked at as one text.


def ranks_as_names(ranks: IdSet) -> HostList:
    """Ranks as names that are numbers alone, in their order, as long as they are written."""
    firsts = list(ranks.starts)
    return HostList([("", 1, "")] * len(firsts), firsts, list(ranks.ends))


def is_quick(count: int, ranges: int) -> bool:
    """It takes a few milliseconds to find some of so many names in so many ranges."""
    return _is_long(count, ranges) or count <= _FEW


def _is_long(count: int, ranges: int) -> bool:
    """So many names stand in so long ranges that these are walked."""
    return count >= _LONG * ranges


class Names:
    """The host names of a cluster, to be found by patterns; what is built for that is kept."""

    def __init__(self, hosts: HostList) -> None:
        self._hosts = hosts
        self._by_ranges = _is_long(hosts.count, len(hosts.rows[0]))
        self._text = ""
        self._blocks: list[tuple[int, int]] = []  # where each ends in the text, and its names

    @property
    def is_quick(self) -> bool:
        """It takes a few milliseconds to find names, also for the first time."""
        return is_quick(self._hosts.count, len(self._hosts.rows[0]))

    def fitting(self, pattern: Pattern, stop: Stop = going_on) -> int:
        """The places of the names that a pattern fits, as a mask.

        stop is asked now and then whether it is not wanted any more; then it raises `Stopped`.
        """
        parts = self._walked(pattern, stop) if self._by_ranges else self._read(pattern, stop)
        digits = "".join(parts)
        return int(digits[::-1], 2) if digits else 0

    # Long ranges

    def _walked(self, pattern: Pattern, stop: Stop) -> Iterator[str]:
        """A character for each host, 1 where the pattern fits."""
        reader = Reader(pattern)
        begun: dict[str, int] = {}
        for number, group in enumerate(self._hosts.walk()):
            if not number % _BLOCK:
                stop_if(stop)
            state = begun.get(group.prefix)
            if state is None:
                state = begun[group.prefix] = reader.read(reader.begin, group.prefix.lower())
            yield from _walk(reader, state, group)

    # Single names

    def _read(self, pattern: Pattern, stop: Stop) -> Iterator[str]:
        """The same, from the names as one text."""
        if not self._blocks:
            self._join(stop)
        fits, literal = pattern.fits(), pattern.literal
        text, start = self._text, 0
        for end, size in self._blocks:
            stop_if(stop)
            if text.find(literal, start, end) < 0:
                yield "0" * size
            else:
                yield bytes(map(fits, text[start:end].split("\n"))).translate(_BITS).decode()
            start = end + 1

    def _join(self, stop: Stop) -> None:
        """Put the names together, in small letters, a few thousand ranges at a time."""
        texts: list[str] = []
        blocks: list[tuple[int, int]] = []
        styles, firsts, lasts = self._hosts.rows
        at = -1
        for start in range(0, len(styles), _BLOCK):
            stop_if(stop)
            rows = slice(start, start + _BLOCK)
            names = list(_names(styles[rows], firsts[rows], lasts[rows]))
            text = "\n".join(names).lower()
            if text.count("\n") >= len(names):  # a faulty document may have a name of two lines
                text = "\n".join(name.replace("\n", " ") for name in names).lower()
            at += len(text) + 1
            texts.append(text)
            blocks.append((at, len(names)))
        self._text, self._blocks = "\n".join(texts), blocks


def _names(styles: list[Style], firsts: list[int], lasts: list[int]) -> Iterator[str]:
    for (prefix, width, suffix), first, last in zip(styles, firsts, lasts, strict=True):
        if not width:
            yield prefix
        elif first == last:
            yield f"{prefix}{str(first).zfill(width)}{suffix}"
        else:
            for number in range(first, last + 1):
                yield f"{prefix}{str(number).zfill(width)}{suffix}"


def _walk(reader: Reader, state: int, group: HostRange) -> Iterator[str]:
    """A character for each host of a range, after whose prefix the reader is in a state."""
    if not group.width:
        yield "1" if reader.fits(state) else "0"
        return
    first, suffix = group.first, group.suffix.lower()
    while first <= group.last:
        digits = max(group.width, len(str(first)))
        last = min(group.last, 10**digits - 1)
        mask = reader.range(state, first, last, digits, suffix)
        yield f"{mask:0{last - first + 1}b}"[::-1]
        first = last + 1
