"""Names of a cluster for one that it does not have: close ones, and what else a word may mean.

None of this takes longer for a larger cluster than a key may: properties are looked up by what a
misspelt name may have been, hosts by how they begin. Every answer is one that the cluster has.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile

from fluxtui.answers import matching
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Properties, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import nearest
from fluxtui.notation.query.advice import is_plain_name
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import Named
from fluxtui.notation.sets.hostlist import DIGITS, MAX_DIGITS, Builder, HostRange
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.wording import counted

#: Names that are suggested.
MOST = 3
# Names that are compared letter by letter, which takes some 50 microseconds each.
_POOL = 24
# Letters of a longer name are not changed one by one.
_LONGEST = 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.@+"

#: Of hosts in more ranges than this those next to a name take too long to find.
MAX_HOST_RANGES = 500
#: Ranges of hosts that are looked for with other zeroes.
MOST_ROWS = 20
#: Ranks in more ranges than this are not suggested.
MAX_RANK_RANGES = 5
# Ways to write a number with leading zeroes.
_WIDTHS = range(1, 9)

# What an idset is made of, and a piece of one that was split at its commas.
_IDS = re.compile(r"\[?[0-9][0-9,-]*\]?")
_ID_PIECE = re.compile(r"\[?[0-9]+(?:-[0-9]+)?\]?")
#: Pieces of one list that are put together again, at most.
MOST_PIECES = 200

# Signs that a person may write for an operator, where a query reads them as part of a name.
_SIGNS = re.compile(r"([-;+/])\1?")
# More of them than this are no slip.
_MOST_SIGNS = 8
# Signs of other languages for the opposite of what follows. Of ``!`` the query says so itself.
_NOT_SIGNS = ("~", "-")


# Close names


def close_properties(word: str, resources: Resources) -> list[Named]:
    """The properties of some node that are closest to a misspelt one, the closest first."""
    there = {name: mask for name, mask in resources.properties.items() if mask}
    found = dict.fromkeys(islice(_one_away(word, there), 4 * MOST)) or _similar(word, there)
    return [Named(name, there[name].bit_count()) for name in islice(found, MOST)]


def _one_away(word: str, names: Collection[str]) -> Iterator[str]:
    """The names that differ in one letter: left out, put in, another, or two exchanged."""
    for at in range(len(word) + 1) if len(word) <= _LONGEST else ():
        head, tail = word[:at], word[at:]
        tries = [head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]]
        tries += (f"{head}{letter}{rest}" for letter in _LETTERS for rest in (tail, tail[1:]))
        yield from (text for text in tries if text != word and text in names)


def _similar(word: str, names: Collection[str]) -> dict[str, None]:
    """The names most like a word; of many names those that are compared look alike at a glance."""
    import difflib  # costs 1 ms and is wanted only where something is wrong

    pool = (
        name
        for name in names
        if len(names) <= _POOL or {name[:3], name[-3:]} & {word[:3], word[-3:]} or word in name
    )
    found = [name for name in names if name.lower() == word.lower()]
    if len(word) <= MAX_DIGITS:
        found += difflib.get_close_matches(word, list(islice(pool, _POOL)), MOST)
    return dict.fromkeys(found)


def close_hosts(wanted: HostRange, resources: Resources) -> list[Named]:
    """The hosts closest to one that is not there, or to a range of which none is.

    The same numbers with other leading zeroes or behind a prefix that is spelt right; of one host
    those with the next numbers, such as ``n15`` for ``n99``; else what begins in the same way, such
    as ``n[0-15]`` for ``n[20-29]``.
    """
    if len(wanted.prefix) > MAX_DIGITS:
        return []
    spelt = [wanted, *(wanted._replace(prefix=one) for one in _prefixes(wanted.prefix, resources))]
    looks = chain(
        (same_hosts([one], resources) for one in spelt),
        (next_hosts(one, resources) for one in spelt),
        (_beginning(one, resources) for one in (wanted,)),
    )
    return next(filter(None, looks), [])[:MOST]


def same_hosts(wanted: Iterable[HostRange], resources: Resources) -> list[Named]:
    """The hosts with the numbers of some ranges, however many zeroes lead them."""
    ranges = list(islice(wanted, MOST_ROWS + 1))
    if not 0 < len(ranges) <= MOST_ROWS:
        return []
    found = {}
    for width in _WIDTHS if any(one.width for one in ranges) else (0,):
        out = Builder()
        for one in ranges:
            out.add(one._replace(width=width) if one.width else one)
        meant = out.done()
        count = resources.mask_of_hosts(meant).bit_count()
        if count:
            found[format_hosts(meant)] = count
    return [Named(*one) for one in found.items()]


def next_hosts(wanted: HostRange, resources: Resources) -> list[Named]:
    """The hosts with the numbers next to that of one host, below and above, the closest first.

    None where a range is wanted, or where the cluster has its hosts in very many ranges.
    """
    prefix, number, last, width, suffix = wanted
    styles, firsts, lasts = resources.hosts.rows
    if not width or number != last or len(styles) > MAX_HOST_RANGES:
        return []
    # For each side how far the next number is, and the name with it.
    sides: dict[bool, tuple[int, str]] = {}
    for style, low, high in zip(styles, firsts, lasts, strict=True):
        if style[1] and style[0] == prefix and style[2] == suffix:
            there = min(max(number, low), high)
            found = (abs(there - number), f"{prefix}{there:0{style[1]}d}{suffix}")
            side = there > number
            sides[side] = min(sides.get(side, found), found)
    names = (name for _, name in sorted(sides.values()))
    return [Named(name, resources.indices_of_host(name).bit_count()) for name in names]


def _prefixes(head: str, resources: Resources) -> Iterator[str]:
    """The prefix of real hosts that one may have been meant to be."""
    known: dict[str, None] = {}
    for typed in dict.fromkeys((head[:1], head[:1].lower(), "")):
        for found in resources.host_index.beginning_with(typed, _POOL):
            known.setdefault(found.text.partition("[")[0].rstrip(DIGITS), None)
    if head in known:
        return
    other_case = (text for text in known if text.lower() == head.lower())
    prefix = next(other_case, None) or nearest(head, known)
    if prefix is not None:
        yield prefix


def _beginning(wanted: HostRange, resources: Resources) -> list[Named]:
    """What begins with as much of a name as any host does, the whole prefix at least."""
    head = len(wanted.prefix)
    typed = wanted.name(wanted.first) if wanted.first == wanted.last else wanted.prefix
    for end in range(len(typed) - (len(typed) > head), max(head, 1) - 1, -1):
        found = resources.host_index.beginning_with(typed[:end], 1)
        if found:
            return found
    return []


def close_ranks(ids: IdSet, resources: Resources) -> list[Named]:
    """Those of the ranks that are there; of none as many as are asked for, or as there are, from
    where the cluster comes closest. None where these are in many ranges.
    """
    known = resources.ranks
    if not known or not ids:
        return []
    places = known.locate(ids)
    if not places:
        behind = known.locate(IdSet.between(0, ids.first)).count  # ranks below the wanted ones
        count = min(ids.count, known.count)
        below = ids.first - known.nth(behind - 1) if behind else None
        above = known.nth(behind) - ids.first if behind < known.count else None
        is_below = above is None or (below is not None and below <= above)
        first = max(behind - count, 0) if is_below else min(behind, known.count - count)
        places = IdSet.between(first, first + count - 1)
    found = known.pick(places, MAX_RANK_RANGES + 1)
    many = len(found.starts) > MAX_RANK_RANGES
    return [] if many else [Named(idset.format(found), found.count)]


# Other meanings


@dataclass(frozen=True, slots=True)
class Meant:
    """What a word was meant for that is no property, no host or no rank.

    is_a     what the word is, such as ``a host``; empty where it is only close to it
    near     the query to write for it, and how many nodes match that
    instead  the constraint that says the same
    """

    is_a: str
    near: Named
    instead: Constraint

    def apart(self) -> "Meant":
        """The same with its query in parentheses, to follow ``-`` or to be beside ``|``."""
        return replace(self, near=Named(f"({self.near.text})", self.near.nodes))

    def sentence(self, word: str, wanted: str) -> str:
        """Says what the word is, and not what was wanted, and what to write."""
        several = self.is_a.startswith(("a list", "a set"))
        count = f" ({counted(self.near.nodes, 'node')})" if several else ""
        return f"{shown(word)} is {self.is_a}, not {wanted}; write {self.near.text}{count}"


def host_or_rank(word: str, resources: Resources) -> Meant | None:
    """A word for properties that is a host, a hostlist, a rank or an idset of the cluster.

    Where a host is named by a number it is the host.
    """
    named = hostlist.parse(word)
    count = resources.mask_of_hosts(named.value).bit_count() if named.ok else 0
    if not count:
        return rank(word, resources)
    what = "a host" if named.value.count == 1 else "a list of hosts"
    return Meant(what, Named(f"host:{word}", count), Hostlist((word,), named.value))


def rank(word: str, resources: Resources) -> Meant | None:
    """A word for something else that is a rank or an idset of the cluster."""
    if not _IDS.fullmatch(word):
        return None
    ids = idset.parse(word)
    count = resources.ranks.locate(ids.value).count if ids.ok else 0
    if not count:
        return None
    what = "a rank" if ids.value.count == 1 else "a set of ranks"
    return Meant(what, Named(f"rank:{word}", count), Ranks((word,), ids.value))


def not_a_host(word: str, resources: Resources) -> Meant | None:
    """A word for hosts that is an idset of the cluster, or properties of it."""
    names = word.split(",", _MOST_SIGNS)
    if not all(resources.properties.get(name) for name in names):
        return rank(word, resources)
    what = "a property" if len(names) == 1 else "a list of properties"
    return _query(what, word, Properties(tuple(names)), resources)


def torn(words: Sequence[str], resources: Resources) -> int:
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


def hosts_with_zeroes(word: str, resources: Resources) -> Meant | None:
    """A word for properties that is a hostlist of the cluster but for the zeroes of its numbers."""
    named = hostlist.parse(word)
    if not named.ok or not word.strip("0123456789"):
        return None
    return _hosts(same_hosts(named.value.walk(), resources))


def next_host(word: str, resources: Resources) -> Meant | None:
    """A word for properties that would be a host, but for its number."""
    named = hostlist.parse(word)
    if not named.ok or named.value.count != 1 or not word.strip("0123456789"):
        return None
    return _hosts(next_hosts(next(named.value.walk()), resources))


def _hosts(found: list[Named]) -> Meant | None:
    """The first of some hostlists."""
    if not found:
        return None
    text = found[0].text
    constraint = Hostlist((text,), hostlist.parse(text).value)
    return Meant("", Named(f"host:{text}", found[0].nodes), constraint)


def negated(word: str, resources: Resources) -> Meant | None:
    """A property behind a sign that only other languages have: ``~gpu`` for ``^gpu``."""
    name = word[1:]
    if word[:1] not in _NOT_SIGNS or not resources.properties.get(name):
        return None
    return _query("", f"^{name}", Properties((f"^{name}",)), resources)


def joined(word: str, resources: Resources) -> Meant | None:
    """The query that properties joined by other signs than ``&`` were meant for.

    ``gpu;batch``, ``gpu+batch`` and ``gpu/batch`` are ``gpu&batch``, and ``gpu-debug`` is
    ``gpu -debug``.
    """
    pieces = _pieces(word, resources.properties)
    if pieces is None:
        return None
    text, terms = "", list[Constraint]()
    for sign, name in pieces:
        term = Properties((name,))
        terms.append(Not((term,)) if sign == "-" else term)
        text += f" -{name}" if sign == "-" else f"&{name}" if sign else name
    return _query("", text, And(tuple(terms)), resources)


def _query(is_a: str, text: str, constraint: Constraint, resources: Resources) -> Meant:
    """A query that the word was meant for."""
    count = matching.match(constraint, resources).bit_count()
    return Meant(is_a, Named(text, count), constraint)


def _pieces(word: str, there: Mapping[str, int]) -> list[tuple[str, str]] | None:
    """A word as real names, each with the sign before it, the longest names first."""
    signs = list(_SIGNS.finditer(word))
    if not 0 < len(signs) <= _MOST_SIGNS:
        return None
    failed: set[int] = set()

    def after(start: int) -> list[tuple[str, str]] | None:
        rest = word[start:]
        if there.get(rest) and is_plain_name(rest):
            return [("", rest)]
        for sign in reversed(signs):
            if sign.start() <= start or sign.end() in failed:
                continue
            name = word[start : sign.start()]
            if not there.get(name) or not is_plain_name(name):
                continue
            behind = after(sign.end())
            if behind is not None:
                return [("", name), (sign[1], behind[0][1]), *behind[1:]]
        failed.add(start)
        return None

    found = after(0)
    return found if found is not None and len(found) > 1 else None
