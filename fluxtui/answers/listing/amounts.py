"""Finds nodes by how much they have of something: ``cores:48``, ``gpus:1+``, ``numa:8``.

The names are those of columns and orders: cores, gpus, memory in GiB, and the names of the domains
inside nodes (RFC 49), such as socket.
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

#: Examples of amounts, for a message about one that is wrong.
EXAMPLES = "8, 2-4, 2+ or 0"

_NAMED = 3  # how many names of domains are shown

_NUMBER = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})|(\+))?(?:gib)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A range of amounts of something in a node: ``2-4`` sockets; most is None if it is open."""

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
        """The nodes with an amount in this range, as a mask."""
        found = masks_by_number(resources.planes(self.what), resources.everything)
        most = self.most
        some = (m for n, m in found.items() if n >= self.least and (most is None or n <= most))
        return reduce(or_, some, 0)


_COUNTED = ("cores", "gpus")


def names(resources: Resources) -> tuple[str, ...]:
    """The things that nodes have amounts of: cores, gpus, memory if it is known, and domains."""
    memory = ("memory",) if resources.planes("memory") else ()
    return *_COUNTED, *memory, *resources.domain_names


def example(resources: Resources) -> str:
    """An amount that some node has, to be shown as an example: ``numa:8``, ``cores:48``."""
    counts = {"cores": resources.kinds[0].cores.count if resources.kinds else 1}
    counts |= next((one.node.counts for one in resources.topologies if one.node.domains), {})
    name = [*counts][-1]
    return f"{name}:{counts[name]}"


def named(word: str, resources: Resources) -> str | None:
    """The name from `names` that equals a word in singular or plural, ignoring case, or None."""
    lowered = word.lower()
    return next(
        (name for name in names(resources) if lowered in {name.lower(), f"{name.lower()}s"}),
        next((name for name in _COUNTED if lowered == name.removesuffix("s")), None),
    )


def read(word: str, resources: Resources) -> Amount | None:
    """Parse a word such as ``numa:8``, or ``numa:`` for 1 or more; None if it is not an amount.

    The amount is an RFC 45 count without steps, or 0.
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
    """The nodes with domains of a name inside, as a mask, and a description; None if unknown.

    With is_begun, the word may be the beginning of names, or ``none`` for no domains.
    """
    singular = word.lower().removesuffix("s")
    names_ = [name for name in resources.domain_names if name.lower() in {singular, word.lower()}]
    if is_begun and not names_:
        names_ = [n for n in resources.domain_names if n.lower().startswith(word.lower())]
    if names_:
        words = names_ if len(names_) <= _NAMED else [*names_[:_NAMED], "…"]
        return _with_any(names_, resources), f"with {' or '.join(words)} inside"
    if is_begun and word.lower() == "none" and resources.domain_names:
        with_any = _with_any(resources.domain_names, resources)
        return less(resources.everything, with_any), "without domains inside"
    return None


def _with_any(domain_names: Iterable[str], resources: Resources) -> int:
    """The nodes with domains of at least one of these names, as a mask."""
    wanted = set(domain_names)
    found = (one.indices for one in resources.topologies if wanted & one.node.counts.keys())
    return reduce(or_, map(to_mask, found), 0)
