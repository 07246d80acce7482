"""The stage list that ships: the examples of RFC 31, and the same in the names of a cluster."""

import re
from collections.abc import Mapping
from itertools import combinations

from fluxtui.library.example import entries
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step

TITLE = "RFC 31 by example"

# The names of the RFC's examples; what a cluster's name for the like may hold, best first.
_HOSTS = "host[0-1]"
_ALIKE = {"ssd": ("ssd", "nvme"), "huge": ("mem", "big", "large", "huge"), "slowgpu": ("gpu",)}
_PAIR = ("foo", "bar")
_NAMES = re.compile(r"host\[0-1\]|\b(?:ssd|huge|slowgpu|foo|bar)\b")

#: Names that a query takes as they are, and so many of them at most are looked at.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]*")
_LOOKED_AT = 60


def rfc31(resources: Resources) -> Stage:
    """Every example of RFC 31, as the RFC has it.

    An example with names that the cluster does not have is followed by the same one in names that
    it does have, where it has fitting ones.
    """
    names = _stand_ins(resources)
    steps: list[Step] = []
    for example in entries():
        if example.rfc != "RFC 31":
            continue
        steps.append(Step(example.title, example.requires, example.text))
        twin = _twin(steps[-1], names)
        if twin is not None:
            steps.append(twin)
    return Stage(TITLE, tuple(steps))


def _twin(step: Step, names: Mapping[str, str]) -> Step | None:
    """The step in the names of the cluster; None where it has no names that are not the same."""
    used = [name for name in dict.fromkeys(_NAMES.findall(step.constraint)) if name in names]
    if not used:
        return None
    text = _NAMES.sub(lambda name: names.get(name[0], name[0]), step.constraint)
    parts = [f"{names[name]} for {name}" for name in used]
    said = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    note = f"The same in the names of this cluster: {said}."
    return Step(f"{step.title}, on this cluster", text, note)


def _stand_ins(resources: Resources) -> dict[str, str]:
    """For names of the RFC that a cluster does not have, names that it does have."""
    everything = resources.everything
    words = {"and", "or", "not"}
    masks = {
        name: mask
        for name, mask in list(resources.properties.items())[:_LOOKED_AT]
        if 0 < mask < everything and _PLAIN.fullmatch(name) and name.lower() not in words
    }
    found: dict[str, str] = {}
    pair = _pair(masks)
    if pair is not None:
        found = dict(zip(_PAIR, pair, strict=True))
        for name, alike in _ALIKE.items():
            found[name] = _like(alike, masks) or pair[name == "huge"]
    ssd = resources.properties.get("ssd") or masks.get(found.get("ssd", ""), 0)
    found = {name: own for name, own in found.items() if not resources.properties.get(name)}
    if resources.node_count > 1:
        hosts = resources.hosts_of(_neighbours(ssd, everything))
        if hosts != _HOSTS:
            found[_HOSTS] = hosts
    return found


def _pair(masks: Mapping[str, int]) -> tuple[str, str] | None:
    """Two properties that some nodes have both of and some one of; else any two."""
    pairs = list(combinations(masks, 2))
    for one, other in pairs:
        both = masks[one] & masks[other]
        if both and both not in (masks[one], masks[other]):
            return one, other
    return pairs[0] if pairs else None


def _like(words: tuple[str, ...], masks: Mapping[str, int]) -> str | None:
    return next((name for word in words for name in masks if word in name.lower()), None)


def _neighbours(mask: int, everything: int) -> int:
    """Two nodes beside each other, of which a mask holds just one where there are such."""
    edges = (mask ^ (mask >> 1)) & (everything >> 1)
    return 3 * (edges & -edges) if edges else 3
