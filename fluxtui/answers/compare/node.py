"""What differs in one node."""

from fluxtui.answers.compare.changes import Changes
from fluxtui.answers.compare.words import resized
from fluxtui.notation.sets.bits import has


def of_node(changes: Changes, index: int) -> list[str]:
    """What is not as before in a node after: a phrase each, such as ``cores 48 → 64``.

    None for a node that is the same; of one that was not there before nothing is known.
    """
    was = changes.pairing.node_before(index)
    if was is None or not has(changes.changed, index):
        return []
    said: list[str] = []
    if has(changes.moved, index):
        said.append(_moved(changes, was, index))
    said += [resized(one) for one in changes.resized if index in one.nodes]
    for turned in changes.turned:
        if has(turned.gained, index):
            said.append(f"gained property {turned.name}")
        elif has(turned.lost, index):
            said.append(f"lost property {turned.name}")
    return said


def _moved(changes: Changes, was: int, index: int) -> str:
    before, after = changes.before, changes.after
    if changes.by == "host":
        return f"rank {before.rank(was)} → {after.rank(index)}"
    names = (before.host(was), after.host(index))
    return "host {} → {}".format(*(name or "without a name" for name in names))
