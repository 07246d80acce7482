"""How the nodes of a cluster fall into groups by their host names."""

from itertools import chain, pairwise

from fluxtui.model.resources.resource_set import Resources

LIMIT = 200  # groups; beyond this they would waste the screen rather than order it


def stretches(resources: Resources) -> tuple[tuple[int, int], ...]:
    """Consecutive nodes whose host names differ in their number alone, as (start, stop) indices.

    stop is the first index after the stretch. Where that would make more groups than help (more
    than LIMIT, or hardly larger than a node each), all nodes are one stretch. Looks at each range
    of the hostlist: not for the event loop.
    """
    count = resources.node_count
    whole = ((0, count),) if count else ()
    found: list[tuple[int, int]] = []
    start, last = 0, None
    styles, _, _, before = resources.hosts.columns
    # The last of the rows of each style that stand side by side.
    ends = (row for row, (style, after) in enumerate(pairwise(styles)) if style is not after)
    for row in chain(ends, (len(styles) - 1,) if styles else ()):
        stop = before[row + 1]
        prefix, _, suffix = styles[row]
        key = (prefix, suffix)
        if key == last:
            found[-1] = (found[-1][0], stop)
        elif len(found) == LIMIT:
            return whole
        else:
            found.append((start, stop))
        start, last = stop, key
    if not found or len(found) > max(1, count // 3):
        return whole
    return (*found[:-1], (found[-1][0], count))
