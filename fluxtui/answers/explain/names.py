"""Find names in a constraint that the cluster does not have, and what was meant (RFC 31).

Suggested are close names, and other meanings of a word. Even on a large cluster this takes no
longer than a key press may: properties are looked up by variants of a misspelt name, hosts by how
they begin. Every suggestion exists on the cluster.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Literal, TypeAlias

from fluxtui.answers import matching
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Or, Properties, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import (
    LONGEST_MESSAGE,
    MISSPELT,
    Problem,
    at,
    closest,
    counted,
    listed,
    nearest,
    shortened,
)
from fluxtui.notation.query.tree import is_plain_name, shown
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import Named
from fluxtui.notation.sets.hostlist import DIGITS, MAX_DIGITS, Builder, HostRange
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet

#: Up to this many hosts of a term are looked up one by one.
MAX_NAMED = 2000
#: Sets with more ranges are counted, not spelled out; finding a neighbour in more host ranges would
#: take too long.
MAX_RANGES = 500
#: For how many unknown names close ones are searched.
MAX_CLOSE = 5
#: How many names are suggested.
MOST = 3
#: At most this many host ranges are tried with different leading zeroes.
MOST_ROWS = 20
#: Ranks in more ranges than this are not suggested.
MAX_RANK_RANGES = 5
#: At most this many pieces of one list are put together again.
MOST_PIECES = 200

# How many names are compared letter by letter, which takes some 50 microseconds each.
_POOL = 24
# Edits of single letters are not tried on longer names.
_LONGEST = 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.@+"

# An idset, and a piece of one that was split at its commas.
_IDS = re.compile(r"\[?[0-9][0-9,-]*\]?")
_ID_PIECE = re.compile(r"\[?[0-9]+(?:-[0-9]+)?\]?")

# Signs that a person may type as operators, although a query reads them as part of a name.
_SIGNS = re.compile(r"([-;+/])\1?")
# More of them than this are not a slip.
_MOST_SIGNS = 8


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that no node of the cluster has.

    kind     what it is used as
    problem  the warning about it; its path is that of the value in the RFC 31 object
    term     the path of the term with the name. Each of several properties is a term, but if they
             are pieces of a host or rank list, split at its commas, it is the whole row
    near     the closest real names, the closest first; or the query for another meaning
    instead  the constraint to write in place of the term, if all of its value is unknown; for a
             row with a list in it, the list joined with the rest of the row
    """

    kind: Literal["property", "host", "rank"]
    problem: Problem
    term: str
    near: tuple[Named, ...] = ()
    instead: Constraint | None = None


def unknown(constraint: Constraint, resources: Resources) -> tuple[Unknown, ...]:
    """Return the names in a constraint that the cluster does not have, in order."""
    return tuple(_Finder(resources).walk(constraint, ""))


def hints(constraint: Constraint, resources: Resources, path: str = "") -> tuple[Problem, ...]:
    """Return only the warnings, to which `Requires.located` can add spans.

    path is that of the constraint in its document.
    """
    return tuple(one.problem for one in _Finder(resources).walk(constraint, path))


class _Finder:
    """Finds unknown names; see `unknown`."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.left = MAX_CLOSE

    def walk(self, constraint: Constraint, path: str, *, apart: bool = False) -> Iterator[Unknown]:
        """Yield unknown names; apart is whether a suggested row needs parentheses here."""
        match constraint:
            case Properties(values):
                yield from self.properties(values, path, apart)
            case Hostlist() | Ranks():
                look = self.hosts if isinstance(constraint, Hostlist) else self.ranks
                found = (look(constraint, number, path) for number in range(len(constraint.values)))
                yield from (one for one in found if one is not None)
            case And(values) | Or(values) | Not(values):
                apart = apart or not isinstance(constraint, And)
                for number, part in enumerate(values):
                    here = at(path, constraint.operator, number)
                    yield from self.walk(part, here, apart=apart)

    def may_search(self) -> bool:
        """Return whether close names may be searched once more, and count the search."""
        self.left -= 1
        return self.left >= 0

    def is_unknown(self, value: str) -> bool:
        """Whether no node has this property; False for an empty name, which the query reports."""
        name = value.removeprefix("^")
        return bool(name) and not self.resources.properties.get(name)

    def properties(self, values: tuple[str, ...], path: str, apart: bool) -> Iterator[Unknown]:
        parts = list[Constraint]()  # the row with each list in it replaced by what is meant
        unknowns: list[Unknown] = []
        number = done = 0
        while number < len(values):
            count = 1
            if self.is_unknown(values[number]):
                count = _piece_count(values[number : number + MOST_PIECES], self.resources)
            end = number + count
            word = ",".join(values[number:end])
            looks = (look(word, self.resources) for look in (_host_or_rank, _with_zeroes))
            meaning = next(filter(None, looks), None) if count > 1 else None
            if meaning is not None:
                whole = path if count == len(values) else at(path, "properties", number)
                unknowns.append(_unknown_property(meaning, word, whole, path))
                parts += [Properties(values[done:number])] if done < number else []
                parts.append(meaning.instead)
                done = end
            else:
                for place in range(number, end):
                    if self.is_unknown(values[place]):
                        here = at(path, "properties", place)
                        term = here if len(values) > 1 else path
                        unknowns.append(self.property(values[place], here, term, apart))
            number = end
        if parts:
            parts += [Properties(values[done:])] if done < len(values) else []
            row = And(tuple(parts)) if len(parts) > 1 else parts[0]
            unknowns = [replace(one, instead=row) if one.term == path else one for one in unknowns]
        yield from unknowns

    def property(self, value: str, path: str, term: str, apart: bool) -> Unknown:
        resources, name = self.resources, value.removeprefix("^")
        meaning = _host_or_rank(name, resources)
        if meaning is None and self.may_search():
            looks = (look(name, resources) for look in (_negated, _joined, _with_zeroes))
            meaning = next(filter(None, looks), None)
        if meaning is not None:
            # ``-^gpu`` is legal, ``-gpu -debug`` means something else, ``^^gpu`` is illegal.
            near, is_excluded = meaning.near, value != name
            is_row = re.search("[& ]", near.text) is not None
            is_query = not isinstance(meaning.instead, Hostlist | Ranks)
            if (apart and is_row) or (is_excluded and is_query):
                near = Named(f"({near.text})", near.nodes)
            instead = Not((meaning.instead,)) if is_excluded else meaning.instead
            return _unknown_property(_Meant(meaning.is_a, near, instead), name, path, term)
        close = close_properties(name, resources) if self.left >= 0 else []
        if self.left >= 0 and not close and value == name:
            meaning = _next_host(name, resources)
            if meaning is not None:
                return _unknown_property(meaning, name, path, term)
        problem = _warning(f"no node has property '{name}'{_or_meant(close)}", path, close)
        if close and value == name and is_plain_name(close[0].text):
            problem = replace(problem, code=MISSPELT)
        write = value.removesuffix(name) + close[0].text if close else ""
        return Unknown(
            "property", problem, term, tuple(close), Properties((write,)) if close else None
        )

    def hosts(self, constraint: Hostlist | Ranks, number: int, path: str) -> Unknown | None:
        here, value = at(path, "hostlist", number), constraint.values[number]
        wanted, resources = hostlist.parse(value).value, self.resources
        missing = Builder()
        if wanted.count > MAX_NAMED:
            count = wanted.count - resources.mask_of_hosts(wanted).bit_count()
            message = f"{count:,} of {wanted.count:,} hosts are not in the cluster"
        else:
            names = [name for name in wanted if not resources.host_index.places(name)]
            missing.names(names)
            count = len(names)
            message = f"host '{names[0]}' is not in the cluster" if count == 1 else ""
        if count <= 0:
            return None
        lost = missing.done()
        message = message or f"{count:,} hosts are not in the cluster: {format_hosts(lost, 5)}"
        whole = count == wanted.count
        meaning = _not_a_host(value, resources) if whole else None
        if meaning is not None:
            problem = _warning(meaning.sentence(value, "a host"), here, [meaning.near])
            only = meaning.instead if len(constraint.values) == 1 else None
            return Unknown("host", problem, path, (meaning.near,), only)
        close: list[Named] = []
        if (lost or not whole) and self.may_search():
            ranges = list(islice(lost.walk(), MOST_ROWS + 1))
            look = _close_hosts if whole and len(ranges) == 1 else _same_hosts
            matched = [] if whole else list(islice(wanted.walk(), MAX_RANGES + 1))
            close = _named(look(ranges, resources) or [[]], resources, matched)
        problem = _warning(message + _or_meant(close), here, close)
        problem = replace(problem, code=MISSPELT if close else "")
        instead = _with_value(constraint, number, close)
        return Unknown("host", problem, path, tuple(close), instead)

    def ranks(self, constraint: Hostlist | Ranks, number: int, path: str) -> Unknown | None:
        here = at(path, "ranks", number)
        wanted, known = idset.parse(constraint.values[number]).value, self.resources.ranks
        missing = wanted.count - known.locate(wanted).count
        if not missing:
            return None
        close = _close_ranks(wanted, self.resources) if self.may_search() else []
        existing = ""
        if len(known.starts) > MAX_RANGES:
            message = f"{missing:,} of {wanted.count:,} ranks are not in the cluster"
        else:
            text = idset.format(wanted - known, 5)
            verb = f"rank {text} is" if missing == 1 else f"ranks {text} are"
            existing = idset.format(known, 5) or "none"
            message = f"{verb} not in the cluster, which has {existing}"
        code = ""
        if close and close[0].text != existing:
            message += _or_meant(close)
            code = MISSPELT
        whole = missing == wanted.count
        instead = _with_value(constraint, number, close) if whole or code else None
        problem = replace(_warning(message, here, close), code=code)
        return Unknown("rank", problem, path, tuple(close), instead)


def _warning(message: str, path: str, near: Iterable[Named] = ()) -> Problem:
    expected = tuple(one.text for one in near)
    return Problem(shortened(message, LONGEST_MESSAGE), None, path, expected, "RFC 31", "warning")


def _or_meant(close: list[Named]) -> str:
    if not close:
        return ""
    words = [f"{one.text} ({counted(one.nodes, 'node')})" for one in close]
    return f"; did you mean {listed(words, 'or')}?"


def _with_value(constraint: Hostlist | Ranks, number: int, close: list[Named]) -> Constraint | None:
    if not close:
        return None
    values = [*constraint.values]
    values[number] = close[0].text
    return tree.read({constraint.operator: values}).value


# Close names


def close_properties(word: str, resources: Resources) -> list[Named]:
    """Return the existing properties that are closest to a misspelt one, the closest first."""
    masks = {name: mask for name, mask in resources.properties.items() if mask}
    close = [*dict.fromkeys(islice(_one_away(word, masks), 4 * MOST))] or _similar(word, masks)
    return [Named(name, masks[name].bit_count()) for name in islice(close, MOST)]


def _one_away(word: str, names: Collection[str]) -> Iterator[str]:
    """Yield names that differ by one letter removed, inserted or replaced, or by two swapped."""
    for place in range(len(word) + 1) if len(word) <= _LONGEST else ():
        head, tail = word[:place], word[place:]
        tries = [head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]]
        tries += (f"{head}{letter}{rest}" for letter in _LETTERS for rest in (tail, tail[1:]))
        yield from (text for text in tries if text != word and text in names)


def _similar(word: str, names: Collection[str]) -> list[str]:
    """Return the names most like a word; of many, only those with a common part are compared."""
    matches = [name for name in names if name.lower() == word.lower()]
    if matches or len(word) > MAX_DIGITS:
        return matches
    ends = {word[:3], word[-3:]}
    is_few = len(names) <= _POOL
    pool = (name for name in names if is_few or {name[:3], name[-3:]} & ends or word in name)
    return closest(word, islice(pool, _POOL), MOST)


#: Hosts as ranges, of which some may not exist.
_Ranges: TypeAlias = list[HostRange]


def _named(
    found: Iterable[_Ranges], resources: Resources, matched: Sequence[HostRange] = ()
) -> list[Named]:
    """Return the existing hosts of each of several meanings, together with those that matched."""
    named: dict[str, Named] = {}
    for ranges in found:
        wanted = Builder()
        for one in (*ranges, *matched):
            wanted.add(one)
        mask = resources.mask_of_hosts(wanted.done())
        hosts = resources.hosts.pick(idset.from_mask(mask).ranges)
        names = dict.fromkeys(hosts) if hosts.count <= MAX_NAMED else ()
        if 0 < len(names) < hosts.count:  # several nodes share a name
            (once := Builder()).names(names)
            hosts = once.done()
        if hosts and len(hosts.rows[0]) <= MAX_RANGES:
            text = format_hosts(hosts)
            named.setdefault(text, Named(text, mask.bit_count()))
    return list(named.values())[:MOST]


def _close_hosts(ranges: _Ranges, resources: Resources) -> list[_Ranges]:
    """Return the hosts closest to an unknown one, or to a range of unknown ones.

    These are the same numbers with other leading zeroes or a corrected prefix, or those with the
    closest numbers, such as ``n15`` for ``n99``; or hosts that begin in the same way.
    """
    (wanted,) = ranges
    if len(wanted.prefix) > MAX_DIGITS:
        return []
    spelt, prefix = [wanted], _prefix(wanted.prefix, resources)
    if prefix is not None:
        spelt.append(wanted._replace(prefix=prefix))
    looks = chain(
        (_same_hosts([one], resources) for one in spelt),
        (_next_hosts(one, resources) for one in spelt),
        (_beginning(one, resources) for one in spelt[:1]),
    )
    return next(filter(None, looks), [])


def _same_hosts(ranges: _Ranges, resources: Resources) -> list[_Ranges]:
    """Return the hosts with the numbers of some ranges, with any number of leading zeroes."""
    if not 0 < len(ranges) <= MOST_ROWS:
        return []
    widths = range(1, 9) if any(one.width for one in ranges) else (0,)
    found = ([one._replace(width=one.width and width) for one in ranges] for width in widths)
    index = resources.host_index
    return [some for some in found if any(next(index.runs(one), None) for one in some)]


def _next_hosts(wanted: HostRange, resources: Resources) -> list[_Ranges]:
    """Return as many hosts as a range has, those with the numbers closest to its own."""
    prefix, number, last, width, suffix = wanted
    styles, firsts, lasts = resources.hosts.rows
    if not width or len(styles) > MAX_RANGES:
        return []
    neighbours = []
    for style, low, high in zip(styles, firsts, lasts, strict=True):
        if style[1] and style[0] == prefix and style[2] == suffix:
            first = max(min(number, high - (last - number)), low)
            near = HostRange(prefix, first, min(first + last - number, high), style[1], suffix)
            neighbours.append((abs(first - number), near))
    return [[near] for _, near in sorted(neighbours)[: 2 if number == last else 1]]


def _prefix(head: str, resources: Resources) -> str | None:
    """Return the real prefix that a misspelt one may have meant; None if it is real itself."""
    known: dict[str, None] = {}
    for typed in dict.fromkeys((head[:1], head[:1].lower(), "")):
        for found in resources.host_index.beginning_with(typed, _POOL):
            known.setdefault(found.text.partition("[")[0].rstrip(DIGITS), None)
    if head in known:
        return None
    other_case = (text for text in known if text.lower() == head.lower())
    return next(other_case, None) or nearest(head, known)


def _beginning(wanted: HostRange, resources: Resources) -> list[_Ranges]:
    """Return hosts that share the longest possible beginning of a name, at least its prefix."""
    head = len(wanted.prefix)
    typed = wanted.name(wanted.first) if wanted.first == wanted.last else wanted.prefix
    for end in range(len(typed) - (len(typed) > head), max(head, 1) - 1, -1):
        hosts = resources.host_index.beginning_with(typed[:end], 1)
        if hosts:
            return [[*hostlist.parse(hosts[0].text).value.walk()]]
    return []


def _close_ranks(ids: IdSet, resources: Resources) -> list[Named]:
    """Return those of the ranks that exist; if none do, as many from where the cluster goes on."""
    known = resources.ranks
    if not known or not ids:
        return []
    places = known.locate(ids)
    if not places:
        behind = known.locate(IdSet.between(0, ids.first)).count  # how many ranks are below
        count = min(ids.count, known.count)
        first = min(behind, known.count - count)
        places = IdSet.between(first, first + count - 1)
    close = known.pick(places, MAX_RANK_RANGES + 1)
    return [Named(f"{close}", close.count)] if len(close.starts) <= MAX_RANK_RANGES else []


# Other meanings


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a word may mean that is not the kind of name that was expected.

    is_a     what the word is, such as ``a host``; empty if it is only close to one
    near     the query to write for it, and how many nodes match that
    instead  the same as a constraint
    """

    is_a: str
    near: Named
    instead: Constraint

    def sentence(self, word: str, wanted: str) -> str:
        """Return a sentence on what the word is, rather than what was wanted, and what to write."""
        several = self.is_a.startswith(("a list", "a set"))
        count = f" ({counted(self.near.nodes, 'node')})" if several else ""
        return f"{shown(word)} is {self.is_a}, not {wanted}; write {self.near.text}{count}"


def _unknown_property(meaning: _Meant, word: str, path: str, term: str) -> Unknown:
    message = f"no node has property '{word}'{_or_meant([meaning.near])}"
    if meaning.is_a:
        message = meaning.sentence(word, "a property")
    problem = _warning(message, path, [meaning.near])
    return Unknown("property", problem, term, (meaning.near,), meaning.instead)


def _host_or_rank(word: str, resources: Resources) -> _Meant | None:
    """Read a property as a host or a hostlist, otherwise as a rank or an idset."""
    named = hostlist.parse(word)
    if not named.ok or not resources.mask_of_hosts(named.value):
        return _rank(word, resources)
    what = "a host" if named.value.count == 1 else "a list of hosts"
    return _query(what, f"host:{word}", resources)


def _rank(word: str, resources: Resources) -> _Meant | None:
    ids = idset.parse(word)
    if not ids.ok or not _IDS.fullmatch(word) or not resources.ranks.locate(ids.value):
        return None
    what = "a rank" if ids.value.count == 1 else "a set of ranks"
    return _query(what, f"rank:{word}", resources)


def _not_a_host(word: str, resources: Resources) -> _Meant | None:
    """Read a host as properties of the cluster, otherwise as an idset of its ranks."""
    names = word.split(",", _MOST_SIGNS)
    if not all(resources.properties.get(name) and is_plain_name(name) for name in names):
        return _rank(word, resources)
    what = "a property" if len(names) == 1 else "a list of properties"
    return _query(what, word, resources)


def _piece_count(words: Sequence[str], resources: Resources) -> int:
    """Count the leading words that are pieces of one idset or hostlist; 1 if none are.

    A query splits a term without an operator at commas: ``n[1-3,7]`` becomes two properties.
    """
    if "[" in words[0] and "]" not in words[0]:
        return next((count for count, word in enumerate(words, 1) if "]" in word), 1)

    def is_host(word: str) -> bool:
        named = hostlist.parse(word)
        return named.ok and bool(resources.mask_of_hosts(named.value))

    is_piece = _ID_PIECE.fullmatch if _ID_PIECE.fullmatch(words[0]) else is_host
    known = resources.properties
    return len(list(takewhile(lambda word: is_piece(word) and not known.get(word), words))) or 1


def _with_zeroes(word: str, resources: Resources) -> _Meant | None:
    """Read a property as a hostlist of the cluster with other leading zeroes."""
    hosts = _named(_same_hosts(_host_ranges(word), resources), resources)
    return _query("", f"host:{hosts[0].text}", resources) if hosts else None


def _next_host(word: str, resources: Resources) -> _Meant | None:
    """Read a property as a host with another number."""
    ranges = _host_ranges(word)
    hosts = _named(_next_hosts(ranges[0], resources), resources) if len(ranges) == 1 else []
    return _query("", f"host:{hosts[0].text}", resources) if hosts else None


def _host_ranges(word: str) -> list[HostRange]:
    """Return the host ranges of a word; none if it is not a hostlist, or could be a number."""
    named = hostlist.parse(word)
    is_list = named.ok and word.strip(DIGITS)
    return list(islice(named.value.walk(), MOST_ROWS + 1)) if is_list else []


def _negated(word: str, resources: Resources) -> _Meant | None:
    """Read a property with a negation sign of another language: ``~gpu`` for ``^gpu``."""
    name = word[1:]
    is_there = resources.properties.get(name) and is_plain_name(name)
    is_meant = word.startswith(("~", "-")) and is_there
    return _query("", f"^{name}", resources) if is_meant else None


def _joined(word: str, resources: Resources) -> _Meant | None:
    """Read a word as properties joined by signs other than ``&``.

    ``gpu;batch``, ``gpu+batch`` and ``gpu/batch`` mean ``gpu&batch``, and ``gpu-debug`` means
    ``gpu -debug``. Longer names are tried first.
    """
    signs = [*_SIGNS.finditer(word)]
    if not 0 < len(signs) <= _MOST_SIGNS:
        return None
    ends = [(len(word), len(word), ""), *((*sign.span(), sign[1]) for sign in reversed(signs))]
    known = resources.properties
    text, start, sign = "", 0, ""
    while start < len(word):
        names = ((word[start : max(end[0], start)], end) for end in ends)
        found = next((one for one in names if known.get(one[0]) and is_plain_name(one[0])), None)
        if found is None:
            return None
        name, (_, start, after) = found
        text += f" -{name}" if sign == "-" else f"&{name}" if sign else name
        sign = after
    return _query("", text, resources) if text != word and not sign else None


def _query(is_a: str, text: str, resources: Resources) -> _Meant | None:
    constraint = requires.read(text).constraint
    if constraint is None:
        return None
    count = matching.match(constraint, resources).bit_count()
    return _Meant(is_a, Named(text, count), constraint)
