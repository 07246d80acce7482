"""What a constraint names and the cluster does not have, with the closest real names (RFC 31)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Literal

from fluxtui.answers.explain import suggestions
from fluxtui.answers.explain.suggestions import Meant
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Or, Properties, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import Named
from fluxtui.notation.sets.hostlist import Builder, HostList
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.wording import counted, listed

#: Hosts of a constraint are looked up one by one up to this many.
MAX_NAMED = 2000
#: Sets with more ranges than this are counted, not spelled out.
MAX_RANGES = 1000
#: Names for which close ones are looked for.
MAX_CLOSE = 5


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
    """What a constraint names and the cluster does not have, in order.

    `Requires.located` gives the problems their spans in the text.
    """
    return tuple(_Finder(resources).walk(constraint, ""))


def hints(constraint: Constraint, resources: Resources) -> tuple[Problem, ...]:
    """The same as warnings alone."""
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
                yield from self.properties(values, path, apart=apart)
            case Hostlist(values):
                for number, value in enumerate(values):
                    yield from self.hosts(constraint, number, value, path)
            case Ranks(values):
                for number, value in enumerate(values):
                    yield from self.ranks(constraint, number, value, path)
            case And(values) | Or(values) | Not(values):
                apart = apart or not isinstance(constraint, And)
                for number, part in enumerate(values):
                    here = at(path, constraint.operator, number)
                    yield from self.walk(part, here, apart=apart)

    def is_asked(self) -> bool:
        """Close names are looked for once more."""
        self.left -= 1
        return self.left >= 0

    def properties(self, values: tuple[str, ...], path: str, *, apart: bool) -> Iterator[Unknown]:
        lists: dict[int, tuple[int, Unknown]] = {}  # where each begins, how many words it has
        told: list[Unknown] = []
        number = 0
        while number < len(values):
            if not self.is_unheard(values[number]):
                number += 1
                continue
            pieces = values[number : number + suggestions.MOST_PIECES]
            pieces = pieces[: suggestions.torn(pieces, self.resources)]
            whole = path if len(pieces) == len(values) else at(path, "properties", number)
            found = self.list_of(pieces, whole, path)
            if found is not None:
                lists[number] = len(pieces), found
                told.append(found)
            else:
                for place, value in enumerate(pieces, number):
                    if self.is_unheard(value):
                        here = at(path, "properties", place)
                        term = here if len(values) > 1 else path
                        told.append(self.word(value, here, term, place, apart=apart))
            number += len(pieces)
        row = _with_lists(values, lists) if lists else None
        yield from (replace(one, instead=row) if row and one.term == path else one for one in told)

    def is_unheard(self, value: str) -> bool:
        """No node has this property; of an empty name the query says so itself."""
        name = value.removeprefix("^")
        return bool(name) and not self.resources.properties.get(name)

    def list_of(self, pieces: tuple[str, ...], path: str, term: str) -> Unknown | None:
        """Several words that are pieces of one list of hosts or ranks; None for all others."""
        if len(pieces) < 2:
            return None
        word = ",".join(pieces)
        found = suggestions.host_or_rank(word, self.resources)
        found = found or suggestions.hosts_with_zeroes(word, self.resources)
        return self.instead(found, word, path, term) if found is not None else None

    def word(self, value: str, path: str, term: str, place: int, *, apart: bool) -> Unknown:
        """One of several properties. Of ``-x`` behind a comma the query says what to write."""
        if not (place and value.startswith("-")):
            return self.property(value, path, term, apart=apart)
        found = suggestions.negated(value, self.resources)
        problem = _warning(f"no node has property '{value}'", path)
        return Unknown("property", problem, term, (), found.instead if found else None)

    def property(self, value: str, path: str, term: str, *, apart: bool) -> Unknown:
        name = value.removeprefix("^")
        found = self.meaning(name)
        if found is not None:
            # ``-^gpu`` can be written, ``-gpu -debug`` is something else and ``^^gpu`` nothing.
            rows = (And, Properties) if value != name else (And,)
            if (apart or value != name) and isinstance(found.instead, rows):
                found = found.apart()
            if value != name:
                found = replace(found, instead=Not((found.instead,)))
            return self.instead(found, name, path, term)
        close = suggestions.close_properties(name, self.resources) if self.left >= 0 else []
        host = suggestions.next_host(name, self.resources) if self.left >= 0 and not close else None
        if host is not None and value == name:
            return self.instead(host, name, path, term)
        problem = _warning(f"no node has property '{name}'{_meant(close)}", path, *_texts(close))
        if not close:
            return Unknown("property", problem, term)
        lead = value[: len(value) - len(name)]
        return Unknown("property", problem, term, tuple(close), Properties((lead + close[0].text,)))

    def meaning(self, name: str) -> Meant | None:
        """What is meant by a word for properties that is not just a misspelt one."""
        found = suggestions.host_or_rank(name, self.resources)
        if found is not None or not self.is_asked():
            return found
        for look in (
            suggestions.negated,
            suggestions.joined,
            suggestions.hosts_with_zeroes,
        ):
            found = look(name, self.resources)
            if found is not None:
                return found
        return None

    def instead(self, found: Meant, word: str, path: str, term: str) -> Unknown:
        """A word for properties for which something else is to be written."""
        message = f"no node has property '{word}'{_meant([found.near])}"
        if found.is_a:
            message = found.sentence(word, "a property")
        problem = _warning(message, path, found.near.text)
        return Unknown("property", problem, term, (found.near,), found.instead)

    def hosts(self, constraint: Hostlist, number: int, value: str, path: str) -> Iterator[Unknown]:
        here = at(path, "hostlist", number)
        wanted = hostlist.parse(value).value
        if not wanted:
            return
        missing, count = self.missing(wanted)
        if not count:
            return
        if not missing:
            message = f"{count:,} of {wanted.count:,} hosts are not in the cluster"
        elif count == 1:
            message = f"host '{missing[0]}' is not in the cluster"
        else:
            text = format_hosts(_list(missing), 5)
            message = f"{count:,} hosts are not in the cluster: {text}"
        whole = count == wanted.count
        found = suggestions.not_a_host(value, self.resources) if whole else None
        if found is not None:
            problem = _warning(found.sentence(value, "a host"), here, found.near.text)
            only = found.instead if len(constraint.values) == 1 else None
            yield Unknown("host", problem, path, (found.near,), only)
            return
        close = self.close_hosts(_list(missing))
        problem = _warning(message + _meant(close), here, *_texts(close))
        instead = _with_hosts(constraint, number, close[0].text) if close and whole else None
        yield Unknown("host", problem, path, tuple(close), instead)

    def missing(self, wanted: HostList) -> tuple[list[str], int]:
        """The hosts that are not there, and how many; of very many only the number."""
        if wanted.count > MAX_NAMED:
            found = self.resources.mask_of_hosts(wanted).bit_count()
            return [], max(wanted.count - found, 0)
        index = self.resources.host_index
        names = [name for name in wanted if not index.places(name)]
        return names, len(names)

    def close_hosts(self, missing: HostList) -> list[Named]:
        """What is closest to one host or to hosts in a row; of others only the same numbers."""
        if not missing or not self.is_asked():
            return []
        if len(missing.rows[0]) > 1:
            return suggestions.same_hosts(missing.walk(), self.resources)
        (wanted,) = missing.walk()
        return suggestions.close_hosts(wanted, self.resources)

    def ranks(self, constraint: Ranks, number: int, value: str, path: str) -> Iterator[Unknown]:
        here = at(path, "ranks", number)
        wanted, known = idset.parse(value).value, self.resources.ranks
        missing = wanted.count - known.locate(wanted).count
        if not missing:
            return
        close = suggestions.close_ranks(wanted, self.resources) if self.is_asked() else []
        if len(known.starts) > MAX_RANGES:
            message = f"{missing:,} of {wanted.count:,} ranks are not in the cluster"
            message += _meant(close)
        else:
            text = idset.format(wanted - known, 5)
            verb = f"rank {text} is" if missing == 1 else f"ranks {text} are"
            there = idset.format(known, 5) or "none"
            message = f"{verb} not in the cluster, which has {there}"
            if close and close[0].text != there:
                message += _meant(close)
        problem = _warning(message, here, *_texts(close))
        instead = None
        if close and missing == wanted.count:
            instead = _with_ranks(constraint, number, close[0].text)
        yield Unknown("rank", problem, path, tuple(close), instead)


def _warning(message: str, path: str, *expected: str) -> Problem:
    return Problem(message, None, path, expected, "RFC 31", "warning")


def _meant(close: list[Named]) -> str:
    if not close:
        return ""
    words = [f"{one.text} ({counted(one.nodes, 'node')})" for one in close]
    return f"; did you mean {listed(words, 'or')}?"


def _texts(close: list[Named]) -> Iterator[str]:
    return (found.text for found in close)


def _list(names: list[str]) -> HostList:
    out = Builder()
    out.names(names)
    return out.done()


def _with_lists(values: tuple[str, ...], lists: dict[int, tuple[int, Unknown]]) -> Constraint:
    """A row of properties with what is meant in place of the words of each list in it."""
    parts = list[Constraint]()
    end = 0
    for start, (count, found) in lists.items():
        assert found.instead is not None
        parts += [Properties(values[end:start])] if start > end else []
        parts.append(found.instead)
        end = start + count
    parts += [Properties(values[end:])] if end < len(values) else []
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def _with_hosts(constraint: Hostlist, number: int, text: str) -> Hostlist:
    values = (*constraint.values[:number], text, *constraint.values[number + 1 :])
    return Hostlist(values, hostlist.parse(",".join(values)).value)


def _with_ranks(constraint: Ranks, number: int, text: str) -> Ranks:
    values = (*constraint.values[:number], text, *constraint.values[number + 1 :])
    ids = (idset.parse(value).value for value in values)
    return Ranks(values, reduce(or_, ids))
