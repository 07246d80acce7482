"""Random constraints of very many parts, most of which hold for every node."""

import random

from tests.answers.explain.cases import Case
from tests.constraints import holds

#: Hold for every node of a random cluster, or for nearly every one.
_IDLE = (
    *("full", "-zz", "(a|-a)", "(zz|full)", "not zz", "(b&-zz|-b)", "rank:0-30", "not (a&-a)"),
    *("(rank:0-29|host:n[0-7])", "not not full", "(c|full,-zz)", "-rank:99"),
)
_CULPRITS = ("zz", "a", "-b", "rank:3-9", "(zz|rank:99)", "not (full&-a)", "host:n[0-3]", "nosuch")


def query(rng: random.Random, parts: int) -> str:
    """A query of some parts and more, one to three of which keep nodes out."""
    found, left = [], parts
    while left > 0:
        found.append(rng.choice(_IDLE))
        left -= 1 + 2 * ("(" in found[-1])
    for _ in range(rng.randint(1, 3)):
        found.insert(rng.randint(0, len(found)), rng.choice(_CULPRITS))
    if rng.random() < 0.3:
        return "not (" + "|".join(f"not {one}" for one in found) + ")"
    return "&".join(found)


def without_one(obj: dict[str, object], case: Case) -> int:
    """How many nodes match at most without one operand of an ``and`` of several."""
    operands = obj["and"]
    assert isinstance(operands, list)
    terms = [
        {"properties": [value]} if "properties" in one else one
        for one in operands
        for value in one.get("properties", [None])
    ]
    fails = [[at for at, one in enumerate(terms) if not holds(one, node)] for node in case.nodes]
    only = [at[0] for at in fails if len(at) == 1]
    return sum(not at for at in fails) + max((only.count(at) for at in only), default=0)
