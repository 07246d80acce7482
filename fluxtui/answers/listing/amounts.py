"""Nodes by what they have, as a word says it: ``cores:48``, ``gpus:1+``, ``numa:8``.

What they are called are the words of columns and orders: cores, gpus, memory in GiB, and the names
of the domains that nodes have inside (RFC 49), such as socket.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from fluxtui.answers.listing.orders import masks_by_number
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import plural
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import to_mask

#: How a number of something is written, for who has written something else.
EXAMPLES = "8, 2-4, 2+ or 0"

_NAMED = 3  # domains of which the names are told

_NUMBER = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})|(\+))?(?:gib)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of something that nodes have: ``2-4`` sockets; most is None where it is open."""

    what: str
    least: int
    most: int | None

    @property
    def words(self) -> str:
        """``8 numa``, ``2 to 4 socket``, ``1 or more gpus``, ``unknown memory``."""
        if self.most == 0:
            return f"{'unknown' if self.what == 'memory' else 'no'} {self.what}"
        number = f"{self.least:,}"
        if self.most is None:
            number += " or more"
        elif self.most > self.least:
            number += f" to {self.most:,}"
        if self.what == "memory":
            return f"{number} GiB of memory"
        noun = self.what.removesuffix("s") if self.what in _COUNTED else ""
        return f"{number} {plural(noun, self.most or 2) if noun else self.what}"

    def mask(self, resources: Resources) -> int:
        """The nodes that have so much of it."""
        found = masks_by_number(resources.planes(self.what), resources.everything)
        most = self.most
        some = (m for n, m in found.items() if n >= self.least and (most is None or n <= most))
        return reduce(or_, some, 0)


_COUNTED = ("cores", "gpus")


def names(resources: Resources) -> tuple[str, ...]:
    """What nodes have numbers of: cores, gpus, memory where it is known, and their domains."""
    memory = ("memory",) if resources.planes("memory") else ()
    return *_COUNTED, *memory, *resources.domain_names


def example(resources: Resources) -> str:
    """What one of the nodes has, as a word to be shown as an example: ``numa:8``, ``cores:48``."""
    found = {"cores": resources.kinds[0].cores.count if resources.kinds else 1}
    found |= next((one.node.counts for one in resources.topologies if one.node.domains), {})
    name = [*found][-1]
    return f"{name}:{found[name]}"


def named(word: str, resources: Resources) -> str | None:
    """The one of the names that a word is, in singular or plural, case not counting."""
    found = word.lower()
    return next(
        (name for name in names(resources) if found in {name.lower(), f"{name.lower()}s"}),
        next((name for name in _COUNTED if found == name.removesuffix("s")), None),
    )


def read(word: str, resources: Resources) -> Amount | None:
    """The number that a word asks for, ``numa:`` for any; None where it asks for none.

    It is a count of RFC 45 without steps, or 0.
    """
    name, _, number = word.rpartition(":")
    what = named(name, resources) if name else None
    if what is None:
        return None
    if not number:
        return Amount(what, 1, None)
    found = _NUMBER.fullmatch(number)
    if found is None:
        return None
    least, most = int(found[1]), None if found[3] else int(found[2] or found[1])
    return Amount(what, least, most) if most is None or most >= least else None


def inside(word: str, resources: Resources, *, is_begun: bool) -> tuple[int, str] | None:
    """The nodes with domains of a name, or where it may be begun of names that begin so; or none.

    Also what that is in words; None where there is no such name.
    """
    found = word.lower().removesuffix("s")
    names_ = [name for name in resources.domain_names if name.lower() in {found, word.lower()}]
    if is_begun and not names_:
        names_ = [n for n in resources.domain_names if n.lower().startswith(word.lower())]
    if names_:
        words = names_ if len(names_) <= _NAMED else [*names_[:_NAMED], "…"]
        return _with_any(names_, resources), f"with {' or '.join(words)} inside"
    if is_begun and word.lower() == "none" and resources.domain_names:
        every = _with_any(resources.domain_names, resources)
        return less(resources.everything, every), "without domains inside"
    return None


def _with_any(domain_names: Iterable[str], resources: Resources) -> int:
    """The nodes with domains of at least one of some names."""
    wanted = set(domain_names)
    found = (one.indices for one in resources.topologies if wanted & one.node.counts.keys())
    return reduce(or_, map(to_mask, found), 0)
