"""The stage list that ships: the examples of RFC 31, in the names of a cluster."""

import re
from collections.abc import Mapping
from itertools import combinations

from fluxtui.library.example import entries
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step

TITLE = "RFC 31 by example"

# The names of the RFC's examples; what a cluster's name for the like may hold, best first.
_HOSTS, _HOSTS_IN_WORDS = "host[0-1]", "host0 and host1"
_ALIKE = {"ssd": ("ssd", "nvme"), "huge": ("mem", "big", "large", "huge"), "slowgpu": ("gpu",)}
_PAIR = ("foo", "bar")
_NAMES = re.compile(r"host\[0-1\]|host0 and host1|\b(?:ssd|huge|slowgpu|foo|bar)\b")

#: Names that a query takes as they are, and so many of them at most are looked at.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]*")
_LOOKED_AT = 60


def rfc31(resources: Resources) -> Stage:
    """The examples of RFC 31 that can be shown on a cluster.

    Where the cluster lacks a name of an example, one that it has takes its place throughout, and
    the note says how the RFC writes it; without such a name the example is left out.
    """
    names = _stand_ins(resources)
    steps = (
        _in_names(Step(example.title, example.requires, example.text), names, resources)
        for example in entries()
        if example.rfc == "RFC 31"
    )
    return Stage(TITLE, tuple(step for step in steps if step is not None))


def _in_names(step: Step, names: Mapping[str, str], resources: Resources) -> Step | None:
    """A step in the names of a cluster; None where it has none for some of them."""
    used = set(_NAMES.findall(step.constraint))
    if not used <= names.keys() | resources.properties.keys():
        return None
    if not used & names.keys():
        return step

    def renamed(text: str) -> str:
        return _NAMES.sub(lambda found: names.get(found[0], found[0]), text)

    note = f"{renamed(step.note)} In the RFC: {step.constraint}"
    return Step(renamed(step.title), renamed(step.constraint), note)


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
        if hosts:
            found[_HOSTS] = found[_HOSTS_IN_WORDS] = hosts
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
