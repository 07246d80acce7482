"""Filters nodes by a text that a user types: ranks, host names, properties, amounts, states."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import islice

from fluxtui.answers.listing import amounts
from fluxtui.model.cancellation import Stop, never_stop, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, Span, listed, plural, shortened
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.bits import unpacked
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hostlist import HostList

# How many properties to name if a text is the beginning of several.
_NAMED = 3

# How many names of amounts (`amounts.names`) a message shows.
_NUMBERS = 6

# The maximum number of names in a hostlist with * or ?; each is matched as a pattern.
_MAX_PATTERNS = 64

#: Up to this many nodes can be filtered within a few milliseconds.
FEW = 20_000

# How many names to process between two checks for cancellation.
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
    """The nodes that match a text, a description of its meaning, and the problem of a word."""

    mask: int
    words: str
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """The nodes that match a word, and a description; valid says whether no match counts too."""

    mask: int
    words: str
    valid: bool = False


class Filter:
    """Finds the nodes that match a typed text; indexes built for one text are kept for the next."""

    def __init__(self, resources: Resources, states: Mapping[str, int] | None = None) -> None:
        """Find nodes of these resources; states maps the names of states to masks of nodes."""
        self._resources, self._states = resources, states or {}
        self._names = Names(resources.hosts)
        self._digits: Names | None = None  # the ranks as they are written
        self._folded: HostIndex | None = None

    def at(self, states: Mapping[str, int]) -> "Filter":
        """A filter for the same nodes in other states."""
        other = copy(self)
        other._states = states
        return other

    def nodes(self, text: str, stop: Stop = never_stop) -> Filtered:
        """The nodes that match a text.

        A node must match every word of the text, and must not match a word after ``-`` or ``!``.
        A word means the first of these that exists in the cluster, ignoring case: ranks
        (``3-7,12``); the full name of a property or of a state; an amount (``numa:8``,
        ``gpus:1+``, see `amounts`) or a domain inside nodes (``numa``); host names, as a hostlist
        (``n[3-9]``, ``n1,n2``) or a part of a name; the beginning of a property or of a state.
        A word with ``*`` or ``?`` is a pattern for entire host names, ranks or properties.
        ``rank:``, ``host:``, ``property:``, ``state:`` or ``inside:`` before a word selects one of
        these meanings. ``|`` between words means or (``drained|offline``). An unfinished list such
        as ``3,`` or ``n[3-`` is read as far as it goes. A word without a meaning in this cluster
        is a problem. Raises `Stopped` if stop says so.
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
            phrase = " or ".join(meant)
            phrase = f"({phrase})" if len(meant) > 1 and bare != text.strip() else phrase
            words.append(phrase if is_wanted else f"not {phrase}")
        return Filtered(mask, " and ".join(words))

    def _unknown(self, word: str, span: Span) -> Problem:
        name, _, number = word.rpartition(":")
        what = amounts.named(name, self._resources) if name else None
        if what is not None:
            return Problem(f"a number of {what} is {amounts.EXAMPLES}, not '{number}'", span)
        is_rank = _KINDS.get(name.lower(), name) in ("", "rank") and _RANKS.fullmatch(number)
        if is_rank and not idset.parse(number.rstrip(",")).ok:
            return Problem(f"ranks are 3, 3-7 or 3,5-7, not '{shortened(number)}'", span)
        verb = "matches" if _GLOB.search(word) else "is"
        states = f"; states: {', '.join([*self._states][::-1])}" if self._states else ""
        numbers = f"; numbers: {', '.join(amounts.names(self._resources)[:_NUMBERS])}"
        more = numbers if self._resources.domain_names else ""
        return Problem(f"no {self.things} {verb} '{shortened(word)}'{states}{more}", span)

    @property
    def things(self) -> str:
        """The things that a word may name: ``rank, host, property or state``."""
        things = ["rank", "host", "property"]
        things += ["state"] if self._states else []
        things += ["domain"] if self._resources.domain_names else []
        return listed(things, "or")

    def named(self, word: str) -> Filtered | None:
        """The nodes with a property, state, amount or domain of this name.

        Else those of a name that begins with the word; None if there is no such name.
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
        found = next((one for one in ways if one is not None and (one.mask or one.valid)), None)
        return Filtered(found.mask, found.words) if found is not None else None

    def _word(self, word: str, stop: Stop) -> _Found | None:
        kind, colon, rest = word.partition(":")
        kind = _KINDS.get(kind.lower(), "") if colon else ""
        word = rest if kind else word
        if not word:
            return _Found(self._resources.everything, f"any {kind}")
        for found in self._ways(word, kind, stop):
            if found is not None and (found.mask or found.valid or kind):
                return found
        return None

    def _ways(self, word: str, kind: str, stop: Stop) -> Iterator[_Found | None]:
        """The possible meanings of a word, most sensible first."""
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
            mask = self._digits.matching(word.split(","), stop)
            yield _Found(mask, f"ranks {shortened(word)}")
        if kind in ("", "property"):
            yield self._beginnings(word)
        if not kind:
            yield self._state(word, is_begun=True)
            yield self._amount(f"{word}:")

    def _ranks(self, word: str) -> _Found | None:
        """The nodes with ranks of a list, which may be unfinished."""
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
        return self._having(names, "", valid=True)

    def _state(self, word: str, *, is_begun: bool) -> _Found | None:
        """The nodes in a state, or with is_begun in the states whose names begin with a word."""
        name = word.lower()
        names = [name] if name in self._states else []
        names += [n for n in self._states if is_begun and not names and n.startswith(name)]
        mask = 0
        for found in names:
            mask |= self._states[found]
        return _Found(mask, f"state {' or '.join(names)}", valid=True) if names else None

    def _amount(self, word: str) -> _Found | None:
        """The nodes with an amount of cores, gpus, domains or memory."""
        amount = amounts.read(word, self._resources)
        return _Found(amount.mask(self._resources), amount.words, valid=True) if amount else None

    def _inside(self, word: str, *, is_begun: bool) -> _Found | None:
        """The nodes with domains of a name inside."""
        found = amounts.inside(word, self._resources, is_begun=is_begun)
        return _Found(*found, valid=True) if found is not None else None

    def _beginnings(self, word: str) -> _Found | None:
        """The nodes with properties that begin with a word, or that match it as a pattern."""
        masks = self._resources.properties
        matches, _ = _pattern(word if _GLOB.search(word) else f"{word}*")
        names = [name for name in masks if masks[name] and matches(name.lower())]
        return self._having(names, f"any of {len(names)} properties, ", valid=False)

    def _having(self, names: list[str], lead: str, *, valid: bool) -> _Found | None:
        if not names:
            return None
        mask = 0
        for name in names:
            mask |= self._resources.properties[name]
        if len(names) == 1:
            return _Found(mask, f"property {names[0]}", valid)
        more = ", …" if len(names) > _NAMED else ""
        return _Found(mask, f"{lead}{', '.join(names[:_NAMED])}{more}", valid)

    def _hosts(self, word: str, stop: Stop) -> _Found:
        everything = self._resources.everything
        if "[" in word or "," in word:
            parsed = hostlist.parse(_closed(word))
            exact = self._listed(parsed.value, stop) if parsed.ok and parsed.value else 0
            if exact & everything:
                return _Found(exact & everything, f"hosts {shortened(word)}")
        parts = [] if "[" in word else [part for part in word.split(",") if part]
        patterns = [part if _GLOB.search(part) else f"*{part}*" for part in parts]
        mask = self._names.matching(patterns, stop) & everything
        lead = "hosts" if patterns == [word] else "hosts that contain"
        return _Found(mask, f"{lead} {shortened(word.replace(',', ' or '))}")

    def _listed(self, hosts: HostList, stop: Stop) -> int:
        """The hosts of a list, exactly or ignoring case, or those that match its patterns."""
        if any(_GLOB.search(group.prefix + group.suffix) for group in hosts.walk()):
            return self._names.matching(hosts if hosts.count <= _MAX_PATTERNS else (), stop)
        found = self._resources.mask_of_hosts(hosts)
        if found:
            return found
        if self._folded is None:
            self._folded = HostIndex(_folded(self._resources.hosts))
        return self._folded.mask(_folded(hosts))


def _closed(word: str) -> str:
    """Complete an unfinished hostlist, whose last bracket may still be open."""
    if word.rfind("[") <= word.rfind("]"):
        return word.strip(",")
    word = word.rstrip(",-")
    return word[:-1] + "*" if word.endswith("[") else word + "]"


def _folded(hosts: HostList) -> HostList:
    styles, firsts, lasts = hosts.rows
    small = {style: (style[0].lower(), style[1], style[2].lower()) for style in styles}
    return HostList([small[style] for style in styles], firsts, lasts)


def _pattern(text: str) -> tuple[Callable[[str], bool], str]:
    """A function that matches a pattern against a name in lower case, and a text in its matches."""
    text = re.sub(r"\*+", "*", text.lower())
    pieces = re.split(r"[*?]", text)
    literal = max(pieces, key=len)
    if text == f"*{literal}*":
        return (lambda name: literal in name), literal
    if text == f"*{literal}":
        return (lambda name: name.endswith(literal)), literal
    marks = {"*": ".*", "?": "."}
    expression = "".join(marks.get(c) or re.escape(c) for c in text)
    matches = re.compile(expression, re.DOTALL).fullmatch
    return (lambda name: matches(name) is not None), literal


class Names:
    """Finds names by patterns; after the first search they are kept as texts in lower case."""

    def __init__(self, hosts: HostList) -> None:
        self._hosts = hosts
        self._blocks: list[str] = []  # each has some thousand names, one per line

    def matching(self, patterns: Iterable[str], stop: Stop = never_stop) -> int:
        """The indices of the names that match any of these patterns, as a mask."""
        if not self._blocks and self._hosts:
            self._blocks = list(_blocks(self._hosts, stop))
        mask = 0
        for pattern in filter(None, patterns):
            matches, literal = _pattern(pattern)
            parts: list[bytes] = []
            for block in self._blocks:
                stop_if(stop)
                if literal in block:
                    parts.append(bytes(map(matches, block.split("\n"))))
                else:
                    parts.append(bytes(block.count("\n") + 1))
            mask |= unpacked(b"".join(parts), 0)
        return mask


def _blocks(hosts: HostList, stop: Stop) -> Iterator[str]:
    """The names in lower case, one per line, in texts of some thousand names."""
    names = iter(hosts)
    while block := list(islice(names, _BLOCK)):
        stop_if(stop)
        text = "\n".join(block)
        if text.count("\n") >= len(block):  # a name in a faulty document may have a line break
            text = "\n".join(name.replace("\n", " ") for name in block)
        yield text.lower()
