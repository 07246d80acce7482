"""Nodes by what a person types to find some: ranks, host names, properties, what they have."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import islice

from fluxtui.answers.listing import amounts
from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, Span, listed, plural, shortened
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.bits import unpacked
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList

# Properties that are named where a text begins several.
_NAMED = 3

# Names of what nodes have numbers of, that are told.
_NUMBERS = 6

# Names of a hostlist with * or ? in it that are looked for one by one.
_MOST_GLOBS = 64

#: Nodes of which those that a text leaves are found within a few milliseconds.
FEW = 20_000

# Names that are looked at between two questions whether to go on.
_BLOCK = 4096

#: A word of a filter: one name, or several with ``|`` between them.
WORD = re.compile(r"[^\s|]+(?:\s*\|\s*[^\s|]*)*")

_RANKS = re.compile(r"[0-9][0-9,-]*")
_GLOB = re.compile(r"[*?]")
_RANK_PATTERNS = re.compile(r"[0-9*?,]+")
_KINDS = {kind: kind for kind in ("rank", "host", "property", "state", "inside")}
_KINDS |= {"ranks": "rank", "hosts": "host", "hostlist": "host", "properties": "property"}


@dataclass(frozen=True, slots=True)
class Filtered:
    """The nodes that a text leaves, what it was taken for, and the word that means nothing."""

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

    def __init__(self, resources: Resources, states: Mapping[str, int] | None = None) -> None:
        """Find nodes of these resources, and by the names of states those that are in them."""
        self._resources, self._states = resources, states or {}
        self._names = Names(resources.hosts)
        self._digits: Names | None = None  # the ranks as they are written
        self._folded: HostIndex | None = None

    def at(self, states: Mapping[str, int]) -> "Filter":
        """The same nodes at another moment."""
        found = copy(self)
        found._states = states
        return found

    def nodes(self, text: str, stop: Stop = going_on) -> Filtered:
        """The nodes that a text leaves.

        Nodes have to be what each word of the text says; with ``-`` or ``!`` before a word, not to
        be that. A word is the first of these that there is in the cluster, case not counting: some
        ranks (``3-7,12``); the whole name of a property or of a state; what nodes have
        (``numa:8``, ``gpus:1+``, as of `amounts`) or have inside (``numa``); host names, as a
        hostlist (``n[3-9]``, ``n1,n2``) or a part of the name; the beginning of names of
        properties or of states. With ``*`` or ``?`` in it, it is a pattern of the whole of host
        names, ranks or properties. ``rank:``, ``host:``, ``property:``, ``state:`` or ``inside:``
        before it says which of these it is to be. With ``|`` between words, one of them is enough
        (``drained|offline``). A list that is not finished, such as ``3,`` or ``n[3-``, is taken as
        far as it goes. Where a word says nothing of this cluster, that is the problem. Raises
        `Stopped` where stop says so.
        """
        mask, words = self._resources.everything, []
        for match in WORD.finditer(text):
            bare = match.group().lstrip("-!")
            if not bare:
                continue
            any_of, meant = 0, []
            for one in filter(None, map(str.strip, bare.split("|"))):
                found = self._word(one, stop)
                if found is None:
                    return Filtered(0, "", self._unknown(one, Span(*match.span())))
                any_of |= found.mask
                meant.append(found.words)
            is_wanted = bare == match.group()
            mask &= any_of if is_wanted else ~any_of
            said = " or ".join(meant)
            said = f"({said})" if len(meant) > 1 and bare != text.strip() else said
            words.append(said if is_wanted else f"not {said}")
        return Filtered(mask, " and ".join(words))

    def _unknown(self, word: str, span: Span) -> Problem:
        name, _, number = word.rpartition(":")
        what = amounts.named(name, self._resources) if name else None
        if what is not None:
            return Problem(f"a number of {what} is {amounts.EXAMPLES}, not '{number}'", span)
        is_rank = _KINDS.get(name.lower(), name) in ("", "rank") and _RANKS.fullmatch(number)
        if is_rank and not idset.parse(number.rstrip(",")).ok:
            return Problem(f"ranks are 3, 3-7 or 3,5-7, not '{shortened(number)}'", span)
        says = "fits" if _GLOB.search(word) else "is"
        states = f"; states: {', '.join([*self._states][::-1])}" if self._states else ""
        numbers = f"; numbers: {', '.join(amounts.names(self._resources)[:_NUMBERS])}"
        more = numbers if self._resources.domain_names else ""
        return Problem(f"no {self.things} {says} '{shortened(word)}'{states}{more}", span)

    @property
    def things(self) -> str:
        """What a word may be, in words: ``rank, host, property or state``."""
        found = ["rank", "host", "property"]
        found += ["state"] if self._states else []
        found += ["domain"] if self._resources.domain_names else []
        return listed(found, "or")

    def named(self, word: str) -> Filtered | None:
        """The nodes with a property or in a state of this name, or with what it says of them.

        Else those of names that begin so; None where there is no such name.
        """
        ways = (
            self._property(word),
            self._state(word, is_begun=False),
            self._amount(word),
            self._inside(word, is_begun=False),
            self._state(word, is_begun=True),
            self._inside(word, is_begun=True),
            self._beginnings(word),
        )
        found = next((one for one in ways if one is not None and (one.mask or one.sure)), None)
        return Filtered(found.mask, found.words) if found is not None else None

    def _word(self, word: str, stop: Stop) -> _Found | None:
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
        if kind in ("", "state"):
            yield self._state(word, is_begun=bool(kind))
        if not kind:
            yield self._amount(word)
        if kind in ("", "inside"):
            yield self._inside(word, is_begun=bool(kind))
        if kind in ("", "host"):
            yield self._hosts(word, stop)
        if kind in ("", "rank") and _RANK_PATTERNS.fullmatch(word) and _GLOB.search(word):
            if self._digits is None:
                starts, ends = self._resources.ranks.starts, self._resources.ranks.ends
                self._digits = Names(HostList([("", 1, "")] * len(starts), [*starts], [*ends]))
            mask = self._digits.fitting(word.split(","), stop)
            yield _Found(mask, f"ranks {shortened(word)}")
        if kind in ("", "property"):
            yield self._beginnings(word)
        if not kind:
            yield self._state(word, is_begun=True)
            yield self._amount(f"{word}:")

    def _ranks(self, word: str) -> _Found | None:
        """Ranks, also where the next one is still to be typed."""
        word = word.removeprefix("[").removesuffix("]")
        if not _RANKS.fullmatch(word):
            return None
        parsed = idset.parse(word.rstrip(","))
        if not parsed.ok:
            return None
        words = f"{plural('rank', parsed.value.count)} {shortened(str(parsed.value))}"
        return _Found(self._resources.mask_of_ranks(parsed.value), words)

    def _property(self, word: str) -> _Found | None:
        masks = self._resources.properties
        names = [word] if word in masks else [n for n in masks if n.lower() == word.lower()]
        return self._having(names, "", sure=True)

    def _state(self, word: str, *, is_begun: bool) -> _Found | None:
        """The nodes in a state, or in those whose names begin so."""
        name = word.lower()
        names = [name] if name in self._states else []
        names += [n for n in self._states if is_begun and not names and n.startswith(name)]
        mask = 0
        for found in names:
            mask |= self._states[found]
        return _Found(mask, f"state {' or '.join(names)}", sure=True) if names else None

    def _amount(self, word: str) -> _Found | None:
        """The nodes with so many cores, gpus or domains, or so much memory."""
        found = amounts.read(word, self._resources)
        return _Found(found.mask(self._resources), found.words, sure=True) if found else None

    def _inside(self, word: str, *, is_begun: bool) -> _Found | None:
        """The nodes that have domains of a name inside."""
        found = amounts.inside(word, self._resources, is_begun=is_begun)
        return _Found(*found, sure=True) if found is not None else None

    def _beginnings(self, word: str) -> _Found | None:
        """The properties whose names begin so, or which a pattern fits."""
        masks = self._resources.properties
        fits, _ = _pattern(word if _GLOB.search(word) else f"{word}*")
        names = [name for name in masks if masks[name] and fits(name.lower())]
        return self._having(names, f"any of {len(names)} properties, ", sure=False)

    def _having(self, names: list[str], lead: str, *, sure: bool) -> _Found | None:
        if not names:
            return None
        mask = 0
        for name in names:
            mask |= self._resources.properties[name]
        if len(names) == 1:
            return _Found(mask, f"property {names[0]}", sure)
        more = ", …" if len(names) > _NAMED else ""
        return _Found(mask, f"{lead}{', '.join(names[:_NAMED])}{more}", sure)

    def _hosts(self, word: str, stop: Stop) -> _Found:
        everything = self._resources.everything
        if "[" in word or "," in word:
            parsed = hostlist.parse(_closed(word))
            exact = self._listed(parsed.value, stop) if parsed.ok and parsed.value else 0
            if exact & everything:
                return _Found(exact & everything, f"hosts {shortened(word)}")
        parts = [] if "[" in word else [part for part in word.split(",") if part]
        patterns = [part if _GLOB.search(part) else f"*{part}*" for part in parts]
        mask = self._names.fitting(patterns, stop) & everything
        lead = "hosts" if patterns == [word] else "hosts that contain"
        return _Found(mask, f"{lead} {shortened(word.replace(',', ' or '))}")

    def _listed(self, hosts: HostList, stop: Stop) -> int:
        """The hosts of a list, as they are written or in other case, or by its patterns."""
        if any(_GLOB.search(group.prefix + group.suffix) for group in hosts.walk()):
            return self._names.fitting(hosts if hosts.count <= _MOST_GLOBS else (), stop)
        found = self._resources.mask_of_hosts(hosts)
        if found:
            return found
        if self._folded is None:
            self._folded = HostIndex(_folded(self._resources.hosts))
        return self._folded.mask(_folded(hosts))


def _closed(word: str) -> str:
    """A hostlist whose last bracket is still open, as far as it goes."""
    if word.rfind("[") <= word.rfind("]"):
        return word.strip(",")
    word = word.rstrip(",-")
    return word[:-1] + "*" if word.endswith("[") else word + "]"


def _folded(hosts: HostList) -> HostList:
    styles, firsts, lasts = hosts.rows
    small = {style: (style[0].lower(), style[1], style[2].lower()) for style in styles}
    return HostList([small[style] for style in styles], firsts, lasts)


def _pattern(text: str) -> tuple[Callable[[str], bool], str]:
    """What tells whether a pattern fits a name in small letters, and a text in such names."""
    text = re.sub(r"\*+", "*", text.lower())
    pieces = re.split(r"[*?]", text)
    literal = max(pieces, key=len)
    if text == f"*{literal}*":
        return (lambda name: literal in name), literal
    if text == f"*{literal}":
        return (lambda name: name.endswith(literal)), literal
    marks = {"*": ".*", "?": "."}
    expression = "".join(marks.get(c) or re.escape(c) for c in text)
    fits = re.compile(expression, re.DOTALL).fullmatch
    return (lambda name: fits(name) is not None), literal


class Names:
    """Names to be found by patterns, kept as one text in small letters once they were sought."""

    def __init__(self, hosts: HostList) -> None:
        self._hosts = hosts
        self._blocks: list[str] = []  # some thousand names each, a line for each name

    def fitting(self, patterns: Iterable[str], stop: Stop = going_on) -> int:
        """The places of the names that one of some patterns fits, as a mask."""
        if not self._blocks and self._hosts:
            self._blocks = list(_blocks(self._hosts, stop))
        mask = 0
        for pattern in filter(None, patterns):
            fits, literal = _pattern(pattern)
            parts: list[bytes] = []
            for block in self._blocks:
                stop_if(stop)
                if literal in block:
                    parts.append(bytes(map(fits, block.split("\n"))))
                else:
                    parts.append(bytes(block.count("\n") + 1))
            mask |= unpacked(b"".join(parts), 0)
        return mask


def _blocks(hosts: HostList, stop: Stop) -> Iterator[str]:
    """The names in small letters, some thousand in a text; of a name of two lines one line."""
    names = iter(hosts)
    while block := list(islice(names, _BLOCK)):
        stop_if(stop)
        text = "\n".join(block)
        if text.count("\n") >= len(block):  # a faulty document may have a name of two lines
            text = "\n".join(name.replace("\n", " ") for name in block)
        yield text.lower()
