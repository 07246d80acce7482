"""What a constraint names and the cluster does not have, with the closest real names (RFC 31)."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from fluxtui.answers import match
from fluxtui.answers.explain import near
from fluxtui.answers.explain.listing import listed, nodes
from fluxtui.answers.explain.near import Near
from fluxtui.model.constraint import And, Constraint, Hostlist, Not, Or, Properties, Ranks
from fluxtui.model.resource_set import Resources
from fluxtui.notation import hostlist, idset
from fluxtui.notation.host_names import HostNames
from fluxtui.notation.hosts import Builder, HostList
from fluxtui.notation.source import Problem, at

#: Hosts of a constraint are looked up one by one up to this many.
MAX_NAMED = 2000
#: Sets with more ranges than this are counted, not spelled out.
MAX_RANGES = 1000
#: Names for which close ones are looked for.
MAX_CLOSE = 5
#: Of hosts in more ranges than this a list of names takes too long to make for each question.
MAX_HOST_RANGES = 500


class Unknown(NamedTuple):
    """A name that no node of the cluster answers to.

    kind     what it is meant for
    problem  says so, as a warning; its path is that of the value in the RFC 31 object
    term     the path of the term it stands in
    near     the closest real names, the closest first
    instead  the term with the closest name in its place, where all of its value is unknown;
             None for ranks
    """

    kind: Literal["property", "host", "rank"]
    problem: Problem
    term: str
    near: tuple[Near, ...] = ()
    instead: Constraint | None = None


def unknown(
    constraint: Constraint, resources: Resources, names: HostNames | None = None
) -> tuple[Unknown, ...]:
    """What a constraint names and the cluster does not have, in order.

    names are the hosts of the cluster, where they are at hand (`fluxtui.model.names`); of a
    hostlist in very many pieces no close ones are told without them. `Requires.located` finds the
    places of the problems.
    """
    return tuple(_Finder(resources, names).walk(constraint, ""))


def hints(
    constraint: Constraint, resources: Resources, names: HostNames | None = None
) -> tuple[Problem, ...]:
    """The same as warnings alone."""
    return tuple(one.problem for one in unknown(constraint, resources, names))


class _Finder:
    """Looks for names; see `unknown`."""

    def __init__(self, resources: Resources, names: HostNames | None) -> None:
        self.resources = resources
        self.names = names
        self.left = MAX_CLOSE

    def walk(self, constraint: Constraint, path: str) -> Iterator[Unknown]:
        match constraint:
            case Properties(values):
                for number, value in enumerate(values):
                    name = value.removeprefix("^")
                    if name and not self.resources.properties.get(name):
                        here = at(path, "properties", number)
                        term = here if len(values) > 1 else path
                        yield self.property(value, here, term)
            case Hostlist(values):
                for number, value in enumerate(values):
                    yield from self.hosts(constraint, number, value, path)
            case Ranks(values):
                for number, value in enumerate(values):
                    yield from self.ranks(number, value, path)
            case And(values) | Or(values) | Not(values):
                for number, part in enumerate(values):
                    yield from self.walk(part, at(path, match.operator(constraint), number))

    def is_asked(self) -> bool:
        """Close names are looked for once more."""
        self.left -= 1
        return self.left >= 0

    def property(self, value: str, path: str, term: str) -> Unknown:
        name = value.removeprefix("^")
        named = hostlist.parse(name)
        if named.ok and self.resources.mask_of_hosts(named.value):
            what = "a host" if named.value.count == 1 else "a list of hosts"
            message = f"'{name}' is {what}, not a property; write host:{name}"
            meant = Hostlist((name,), named.value)
            found = Near(f"host:{name}", self.resources.mask_of_hosts(named.value).bit_count())
            instead = Not((meant,)) if value != name else meant
            problem = _warning(message, path, f"host:{name}")
            return Unknown("property", problem, term, (found,), instead)
        close = near.properties(name, self.resources) if self.is_asked() else []
        problem = _warning(f"no node has property '{name}'{_meant(close)}", path, *_texts(close))
        if not close:
            return Unknown("property", problem, term)
        lead = value[: len(value) - len(name)]
        return Unknown("property", problem, term, tuple(close), Properties((lead + close[0].text,)))

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
            text = hostlist.format(_list(missing), 5)
            message = f"{count:,} hosts are not in the cluster: {text}"
        whole = count == wanted.count
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

    def close_hosts(self, missing: HostList) -> list[Near]:
        """What is closest to one host, or to hosts in a row; of others nothing is."""
        if len(missing.rows[0]) != 1 or not self.is_asked():
            return []
        if self.names is None and len(self.resources.hosts.rows[0]) <= MAX_HOST_RANGES:
            self.names = HostNames(self.resources.hosts)
        names = self.names or HostNames(HostList())
        (wanted,) = missing.ranges
        return near.hosts(wanted, self.resources, names)

    def ranks(self, number: int, value: str, path: str) -> Iterator[Unknown]:
        here = at(path, "ranks", number)
        wanted, known = idset.parse(value).value, self.resources.ranks
        missing = wanted.count - known.locate(wanted).count
        if not missing:
            return
        if len(known.starts) > MAX_RANGES:
            message = f"{missing:,} of {wanted.count:,} ranks are not in the cluster"
            yield Unknown("rank", _warning(message, here), path)
            return
        text = idset.format(wanted - known, 5)
        verb = f"rank {text} is" if missing == 1 else f"ranks {text} are"
        there = idset.format(known, 5) or "none"
        problem = _warning(f"{verb} not in the cluster, which has {there}", here)
        if missing < wanted.count:
            yield Unknown("rank", problem, path)
            return
        # The closest ones are told, but none is offered instead: a number is no misspelt name.
        yield Unknown("rank", problem, path, tuple(near.ranks(wanted, self.resources)))


def _warning(message: str, path: str, *expected: str) -> Problem:
    return Problem(message, None, path, expected, "RFC 31", "warning")


def _meant(close: list[Near]) -> str:
    if not close:
        return ""
    return f"; did you mean {listed([f'{n.text} ({nodes(n.nodes)})' for n in close], 'or')}?"


def _texts(close: list[Near]) -> Iterator[str]:
    return (found.text for found in close)


def _list(names: list[str]) -> HostList:
    out = Builder()
    out.names(names)
    return out.done()


def _with_hosts(constraint: Hostlist, number: int, text: str) -> Hostlist:
    values = (*constraint.values[:number], text, *constraint.values[number + 1 :])
    return Hostlist(values, hostlist.parse(",".join(values)).value)
