"""What a word was meant for that is no property, no host or no rank of a cluster (RFC 31).

A host or a rank without its operator, a property behind the operator of hosts, properties joined
by signs that are no operators. Each answer is one that the cluster has.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from fluxtui.answers.explain import spelling as near
from fluxtui.answers.explain.spelling import Near
from fluxtui.answers.matching import match
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Properties, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.advice import is_plain_name
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.wording import counted

# What an idset is made of, and a piece of one that was parted at its commas.
_IDS = re.compile(r"\[?[0-9][0-9,-]*\]?")
_ID_PIECE = re.compile(r"\[?[0-9]+(?:-[0-9]+)?\]?")
#: Pieces of one list that are put together again, at most.
MOST_PIECES = 200

# Signs that a person may write for an operator, where a query reads them as part of a name.
_SIGNS = re.compile(r"([-;+/])\1?")
# More of them than this are no slip.
_MOST_SIGNS = 8

#: Signs of other languages for the opposite of what follows. Of ``!`` the query says so itself.
_NOT_SIGNS = ("~", "-")


class Meant(NamedTuple):
    """What was meant instead.

    is_a     what the word is, such as ``a host``; empty where it is only close to it
    near     the query to write for it, and how many nodes match that
    instead  the constraint that says the same
    """

    is_a: str
    near: Near
    instead: Constraint

    def apart(self) -> "Meant":
        """The same with its query in parentheses, to stand behind ``-`` or beside ``|``."""
        return self._replace(near=self.near._replace(text=f"({self.near.text})"))

    def told(self, word: str, wanted: str) -> str:
        """A sentence that says what the word is, and not what was wanted, and what to write."""
        many = self.is_a.startswith(("a list", "a set"))
        count = f" ({counted(self.near.nodes, 'node')})" if many else ""
        return f"{shown(word)} is {self.is_a}, not {wanted}; write {self.near.text}{count}"


def host_or_rank(word: str, resources: Resources) -> Meant | None:
    """A word for properties that is a host, a hostlist, a rank or an idset of the cluster.

    Where a host is named by a number it is the host.
    """
    named = hostlist.parse(word)
    count = resources.mask_of_hosts(named.value).bit_count() if named.ok else 0
    if count:
        what = "a host" if named.value.count == 1 else "a list of hosts"
        return Meant(what, Near(f"host:{word}", count), Hostlist((word,), named.value))
    return rank(word, resources)


def rank(word: str, resources: Resources) -> Meant | None:
    """A word for something else that is a rank or an idset of the cluster."""
    if not _IDS.fullmatch(word):
        return None
    ids = idset.parse(word)
    count = resources.ranks.locate(ids.value).count if ids.ok else 0
    if not count:
        return None
    what = "a rank" if ids.value.count == 1 else "a set of ranks"
    return Meant(what, Near(f"rank:{word}", count), Ranks((word,), ids.value))


def not_a_host(word: str, resources: Resources) -> Meant | None:
    """A word for hosts that is an idset of the cluster, or properties of it."""
    names = word.split(",", _MOST_SIGNS)
    if all(resources.properties.get(name) for name in names):
        what = "a property" if len(names) == 1 else "a list of properties"
        constraint = Properties(tuple(names))
        return Meant(what, Near(word, match.match(constraint, resources).bit_count()), constraint)
    return rank(word, resources)


def torn(words: Sequence[str], resources: Resources) -> int:
    """How many words, from the first, are pieces of one idset or hostlist; 1 where none are.

    A query parts what is named without an operator at its commas: ``n[1-3,7]`` is two properties.
    """
    if "[" in words[0] and "]" not in words[0]:
        return next((count for count, word in enumerate(words, 1) if "]" in word), 1)

    def is_host(word: str) -> bool:
        named = hostlist.parse(word)
        return named.ok and bool(resources.mask_of_hosts(named.value))

    is_piece = _ID_PIECE.fullmatch if _ID_PIECE.fullmatch(words[0]) else is_host
    known = resources.properties
    return len(list(takewhile(lambda word: is_piece(word) and not known.get(word), words))) or 1


def hosts(word: str, resources: Resources) -> Meant | None:
    """A word for properties that is a hostlist of the cluster but for the zeroes of its numbers."""
    named = hostlist.parse(word)
    if not named.ok or not word.strip("0123456789"):
        return None
    for text, count in near.same_hosts(named.value.walk(), resources):
        return _hosts(text, count)
    return None


def next_host(word: str, resources: Resources) -> Meant | None:
    """A word for properties that would be a host, but for its number."""
    named = hostlist.parse(word)
    if not named.ok or named.value.count != 1 or not word.strip("0123456789"):
        return None
    for text, count in near.next_hosts(next(named.value.walk()), resources):
        return _hosts(text, count)
    return None


def _hosts(text: str, count: int) -> Meant:
    constraint = Hostlist((text,), hostlist.parse(text).value)
    return Meant("", Near(f"host:{text}", count), constraint)


def negated(word: str, resources: Resources) -> Meant | None:
    """A property behind a sign that only other languages have: ``~gpu`` for ``^gpu``."""
    mask = resources.properties.get(word[1:])
    if word[:1] not in _NOT_SIGNS or not mask:
        return None
    count = resources.node_count - mask.bit_count()
    return Meant("", Near(f"^{word[1:]}", count), Properties((f"^{word[1:]}",)))


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
    constraint = And(tuple(terms))
    return Meant("", Near(text, match.match(constraint, resources).bit_count()), constraint)


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
