"""Nodes by a rank or by the beginning of a host name, for a person who types one."""

from itertools import islice

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import is_digits

# The longest text that may be a rank.
_RANK_DIGITS = 18


def find(resources: Resources, text: str, most: int) -> list[int]:
    """The indices of the first nodes that a text may mean, so many at most.

    The rank of this number comes first, then the hosts of this name, then hosts whose names go on
    after it; none for a blank text. At first use it builds `Resources.host_index` and its families.
    """
    if not text:
        return []
    index = resources.host_index
    is_rank = is_digits(text) and len(text) <= _RANK_DIGITS
    rank = resources.ranks.index(int(text)) if is_rank else None
    exact = sorted(place for first, last in index.places(text) for place in range(first, last + 1))
    longer = islice(index.places_beginning_with(text), len(exact) + most)
    places = dict.fromkeys([*([] if rank is None else [rank]), *exact, *longer])
    return [place for place in places if place < resources.node_count][:most]
