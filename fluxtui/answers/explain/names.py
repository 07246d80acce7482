"""What a constraint names and the cluster does not have, and what was meant (RFC 31).

Close names, and what else a word may mean. None of this takes longer for a larger cluster than a
key may: properties are looked up by what a misspelt name may have been, hosts by how they begin.
Every answer is one that the cluster has.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import Literal

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

#: Hosts of a constraint are looked up one by one up to this many.
MAX_NAMED = 2000
#: Sets with more ranges than this are counted, not spelled out; of hosts in more of them those
#: next to a name take too long to find.
MAX_RANGES = 500
#: Names for which close ones are looked for.
MAX_CLOSE = 5
#: Names that are suggested.
MOST = 3
#: Ranges of hosts that are looked for with other zeroes.
MOST_ROWS = 20
#: Ranks in more ranges than this are not suggested.
MAX_RANK_RANGES = 5
#: Pieces of one list that are put together again, at most.
MOST_PIECES = 200

# Names that are compared letter by letter, which takes some 50 microseconds each.
_POOL = 24
# Letters of a longer name are not changed one by one.
_LONGEST = 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.@+"

# What an idset is made of, and a piece of one that was split at its commas.
_IDS = re.compile(r"\[?[0-9][0-9,-]*\]?")
_ID_PIECE = re.compile(r"\[?[0-9]+(?:-[0-9]+)?\]?")

# Signs that a person may write for an operator, where a query reads them as part of a name.
_SIGNS = re.compile(r"([-;+/])\1?")
# More of them than this are no slip.
_MOST_SIGNS = 8


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that no node of the cluster has.

    kind     what it is used as
    problem  a warning that says so; its path is that of the value in the RFC 31 object
    term     the path of the term that holds it: each of several properties is a term, but for
             those that are one list of hosts or of ranks, split at its commas, the whole row is
    near     the closest real names, the closest first; the query for what is meant otherwise
    instead  what to ask in place of the term, where all of its value is unknown; of a row with a
             list in it that list and the rest of the row
    """

    kind: Literal["property", "host", "rank"]
    problem: Problem
    term: str
    near: tuple[Named, ...] = ()
    instead: Constraint | None = None


def unknown(constraint: Constraint, resources: Resources) -> tuple[Unknown, ...]:
    """What a constraint names and the cluster does not have, in order."""
    return tuple(_Finder(resources).walk(constraint, ""))


def hints(constraint: Constraint, resources: Resources) -> tuple[Problem, ...]:
    """The same as warnings alone, to be placed by `Requires.located`."""
    return tuple(one.problem for one in unknown(constraint, resources))


class _Finder:
    """Looks for names; see `unknown`."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.left = MAX_CLOSE

    def walk(self, constraint: Constraint, path: str, *, apart: bool = False) -> Iterator[Unknown]:
        """apart: it is within a ``not`` or an ``or``, where a row has to be in parentheses."""
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

    def is_asked(self) -> bool:
        """Close names are looked for once more."""
        self.left -= 1
        return self.left >= 0

    def is_unheard(self, value: str) -> bool:
        """No node has this property; of an empty name the query says so itself."""
        name = value.removeprefix("^")
        return bool(name) and not self.resources.properties.get(name)

    def properties(self, values: tuple[str, ...], path: str, apart: bool) -> Iterator[Unknown]:
        parts = list[Constraint]()  # the row with what is meant in place of each list in it
        told: list[Unknown] = []
        number = done = 0
        while number < len(values):
            count = 1
            if self.is_unheard(values[number]):
                count = _torn(values[number : number + MOST_PIECES], self.resources)
            end = number + count
            word = ",".join(values[number:end])
            looks = (look(word, self.resources) for look in (_host_or_rank, _with_zeroes))
            meant = next(filter(None, looks), None) if count > 1 else None
            if meant is not None:
                whole = path if count == len(values) else at(path, "properties", number)
                told.append(_instead(meant, word, whole, path))
                parts += [Properties(values[done:number])] if done < number else []
                parts.append(meant.instead)
                done = end
            else:
                for place in range(number, end):
                    if self.is_unheard(values[place]):
                        here = at(path, "properties", place)
                        term = here if len(values) > 1 else path
                        told.append(self.property(values[place], here, term, apart))
            number = end
        if parts:
            parts += [Properties(values[done:])] if done < len(values) else []
            row = And(tuple(parts)) if len(parts) > 1 else parts[0]
            told = [replace(one, instead=row) if one.term == path else one for one in told]
        yield from told

    def property(self, value: str, path: str, term: str, apart: bool) -> Unknown:
        resources, name = self.resources, value.removeprefix("^")
        meant = _host_or_rank(name, resources)
        if meant is None and self.is_asked():
            looks = (look(name, resources) for look in (_negated, _joined, _with_zeroes))
            meant = next(filter(None, looks), None)
        if meant is not None:
            # ``-^gpu`` can be written, ``-gpu -debug`` is something else and ``^^gpu`` nothing.
            near, is_excluded = meant.near, value != name
            is_row = re.search("[& ]", near.text) is not None
            is_query = not isinstance(meant.instead, Hostlist | Ranks)
            if (apart and is_row) or (is_excluded and is_query):
                near = Named(f"({near.text})", near.nodes)
            instead = Not((meant.instead,)) if is_excluded else meant.instead
            return _instead(_Meant(meant.is_a, near, instead), name, path, term)
        close = close_properties(name, resources) if self.left >= 0 else []
        if self.left >= 0 and not close and value == name:
            meant = _next_host(name, resources)
            if meant is not None:
                return _instead(meant, name, path, term)
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
        found = _not_a_host(value, resources) if whole else None
        if found is not None:
            problem = _warning(found.sentence(value, "a host"), here, [found.near])
            only = found.instead if len(constraint.values) == 1 else None
            return Unknown("host", problem, path, (found.near,), only)
        close: list[Named] = []
        if lost and self.is_asked():
            ranges = list(lost.walk())
            is_one = len(ranges) == 1
            close = _close_hosts(ranges[0], resources) if is_one else _same_hosts(ranges, resources)
        problem = _warning(message + _or_meant(close), here, close)
        problem = replace(problem, code=MISSPELT) if whole and close else problem
        instead = _with_value(constraint, number, close) if whole else None
        return Unknown("host", problem, path, tuple(close), instead)

    def ranks(self, constraint: Hostlist | Ranks, number: int, path: str) -> Unknown | None:
        here = at(path, "ranks", number)
        wanted, known = idset.parse(constraint.values[number]).value, self.resources.ranks
        missing = wanted.count - known.locate(wanted).count
        if not missing:
            return None
        close = _close_ranks(wanted, self.resources) if self.is_asked() else []
        there = ""
        if len(known.starts) > MAX_RANGES:
            message = f"{missing:,} of {wanted.count:,} ranks are not in the cluster"
        else:
            text = idset.format(wanted - known, 5)
            verb = f"rank {text} is" if missing == 1 else f"ranks {text} are"
            there = idset.format(known, 5) or "none"
            message = f"{verb} not in the cluster, which has {there}"
        code = ""
        if close and close[0].text != there:
            message += _or_meant(close)
            code = MISSPELT if missing == wanted.count else ""
        instead = _with_value(constraint, number, close) if missing == wanted.count else None
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
    """The properties of some node that are closest to a misspelt one, the closest first."""
    there = {name: mask for name, mask in resources.properties.items() if mask}
    found = [*dict.fromkeys(islice(_one_away(word, there), 4 * MOST))] or _similar(word, there)
    return [Named(name, there[name].bit_count()) for name in islice(found, MOST)]


def _one_away(word: str, names: Collection[str]) -> Iterator[str]:
    """The names that differ in one letter: left out, put in, another, or two exchanged."""
    for place in range(len(word) + 1) if len(word) <= _LONGEST else ():
        head, tail = word[:place], word[place:]
        tries = [head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]]
        tries += (f"{head}{letter}{rest}" for letter in _LETTERS for rest in (tail, tail[1:]))
        yield from (text for text in tries if text != word and text in names)


def _similar(word: str, names: Collection[str]) -> list[str]:
    """The names most like a word; of many names those that are compared look alike at a glance."""
    found = [name for name in names if name.lower() == word.lower()]
    if found or len(word) > MAX_DIGITS:
        return found
    ends = {word[:3], word[-3:]}
    is_few = len(names) <= _POOL
    pool = (name for name in names if is_few or {name[:3], name[-3:]} & ends or word in name)
    return closest(word, islice(pool, _POOL), MOST)


def _close_hosts(wanted: HostRange, resources: Resources) -> list[Named]:
    """The hosts closest to one that is not there, or to a range of which none is.

    The same numbers with other leading zeroes or behind a prefix that is spelt right; of one host
    those with the next numbers, such as ``n15`` for ``n99``; else what begins in the same way, such
    as ``n[0-15]`` for ``n[20-29]``.
    """
    if len(wanted.prefix) > MAX_DIGITS:
        return []
    spelt, prefix = [wanted], _prefix(wanted.prefix, resources)
    if prefix is not None:
        spelt.append(wanted._replace(prefix=prefix))
    looks = chain(
        (_same_hosts([one], resources) for one in spelt),
        (_next_hosts(one, resources) for one in spelt),
        (_beginning(one, resources) for one in (wanted,)),
    )
    return next(filter(None, looks), [])[:MOST]


def _same_hosts(ranges: list[HostRange], resources: Resources) -> list[Named]:
    """The hosts with the numbers of some ranges, however many zeroes lead them."""
    if not 0 < len(ranges) <= MOST_ROWS:
        return []
    found = {}
    for width in range(1, 9) if any(one.width for one in ranges) else (0,):
        out = Builder()
        for one in ranges:
            out.add(one._replace(width=width) if one.width else one)
        meant = out.done()
        count = resources.mask_of_hosts(meant).bit_count()
        if count:
            found[format_hosts(meant)] = count
    return [Named(*one) for one in found.items()]


def _next_hosts(wanted: HostRange, resources: Resources) -> list[Named]:
    """The hosts with the numbers next to that of one host; none for a range of them."""
    prefix, number, last, width, suffix = wanted
    styles, firsts, lasts = resources.hosts.rows
    if not width or number != last or len(styles) > MAX_RANGES:
        return []
    found = []
    for style, low, high in zip(styles, firsts, lasts, strict=True):
        if style[1] and style[0] == prefix and style[2] == suffix:
            there = min(max(number, low), high)
            found.append((abs(there - number), f"{prefix}{there:0{style[1]}d}{suffix}"))
    places = resources.host_index.places
    return [Named(name, len(places(name))) for _, name in sorted(found)[:2]]


def _prefix(head: str, resources: Resources) -> str | None:
    """The prefix of real hosts that one may have been meant to be; None where it is one itself."""
    known: dict[str, None] = {}
    for typed in dict.fromkeys((head[:1], head[:1].lower(), "")):
        for found in resources.host_index.beginning_with(typed, _POOL):
            known.setdefault(found.text.partition("[")[0].rstrip(DIGITS), None)
    if head in known:
        return None
    other_case = (text for text in known if text.lower() == head.lower())
    return next(other_case, None) or nearest(head, known)


def _beginning(wanted: HostRange, resources: Resources) -> list[Named]:
    """What begins with as much of a name as any host does, the whole prefix at least."""
    head = len(wanted.prefix)
    typed = wanted.name(wanted.first) if wanted.first == wanted.last else wanted.prefix
    for end in range(len(typed) - (len(typed) > head), max(head, 1) - 1, -1):
        found = resources.host_index.beginning_with(typed[:end], 1)
        if found:
            return found
    return []


def _close_ranks(ids: IdSet, resources: Resources) -> list[Named]:
    """Those of the ranks that are there; of none as many as are asked for, or as there are, from
    where the cluster goes on.
    """
    known = resources.ranks
    if not known or not ids:
        return []
    places = known.locate(ids)
    if not places:
        behind = known.locate(IdSet.between(0, ids.first)).count  # ranks below the wanted ones
        count = min(ids.count, known.count)
        first = min(behind, known.count - count)
        places = IdSet.between(first, first + count - 1)
    found = known.pick(places, MAX_RANK_RANGES + 1)
    return [Named(f"{found}", found.count)] if len(found.starts) <= MAX_RANK_RANGES else []


# Other meanings


@dataclass(frozen=True, slots=True)
class _Meant:
    """What a word was meant for that is not a property, a host or a rank.

    is_a     what the word is, such as ``a host``; empty where it is only close to it
    near     the query to write for it, and how many nodes match that
    instead  the constraint that says the same
    """

    is_a: str
    near: Named
    instead: Constraint

    def sentence(self, word: str, wanted: str) -> str:
        """Says what the word is, and not what was wanted, and what to write."""
        several = self.is_a.startswith(("a list", "a set"))
        count = f" ({counted(self.near.nodes, 'node')})" if several else ""
        return f"{shown(word)} is {self.is_a}, not {wanted}; write {self.near.text}{count}"


def _instead(found: _Meant, word: str, path: str, term: str) -> Unknown:
    message = f"no node has property '{word}'{_or_meant([found.near])}"
    if found.is_a:
        message = found.sentence(word, "a property")
    problem = _warning(message, path, [found.near])
    return Unknown("property", problem, term, (found.near,), found.instead)


def _host_or_rank(word: str, resources: Resources) -> _Meant | None:
    """A word for properties that is a host or a hostlist, or else a rank or an idset."""
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
    """A word for hosts that is an idset of the cluster, or properties of it."""
    names = word.split(",", _MOST_SIGNS)
    if not all(resources.properties.get(name) and is_plain_name(name) for name in names):
        return _rank(word, resources)
    what = "a property" if len(names) == 1 else "a list of properties"
    return _query(what, word, resources)


def _torn(words: Sequence[str], resources: Resources) -> int:
    """How many words, from the first, are pieces of one idset or hostlist; 1 where none are.

    A query splits what is named without an operator at its commas: ``n[1-3,7]`` is two properties.
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
    """A word for properties that is a hostlist of the cluster but for the zeroes of its numbers."""
    found = _same_hosts(_listed(word), resources)
    return _query("", f"host:{found[0].text}", resources) if found else None


def _next_host(word: str, resources: Resources) -> _Meant | None:
    """A word for properties that would be a host, but for its number."""
    ranges = _listed(word)
    found = _next_hosts(ranges[0], resources) if len(ranges) == 1 else []
    return _query("", f"host:{found[0].text}", resources) if found else None


def _listed(word: str) -> list[HostRange]:
    """The hosts of a word; none where it is not a hostlist, or could be a number."""
    named = hostlist.parse(word)
    is_list = named.ok and word.strip(DIGITS)
    return list(islice(named.value.walk(), MOST_ROWS + 1)) if is_list else []


def _negated(word: str, resources: Resources) -> _Meant | None:
    """A property behind a sign that only other languages have: ``~gpu`` for ``^gpu``."""
    name = word[1:]
    is_there = resources.properties.get(name) and is_plain_name(name)
    is_meant = word.startswith(("~", "-")) and is_there
    return _query("", f"^{name}", resources) if is_meant else None


def _joined(word: str, resources: Resources) -> _Meant | None:
    """The query that properties joined by other signs than ``&`` were meant for.

    ``gpu;batch``, ``gpu+batch`` and ``gpu/batch`` are ``gpu&batch``, and ``gpu-debug`` is
    ``gpu -debug``. The longest names come first.
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
