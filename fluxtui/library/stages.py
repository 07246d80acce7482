"""The built-in stage list: the examples of RFC 31, adapted to the names of a cluster."""

import re
from collections.abc import Mapping
from itertools import combinations

from fluxtui.library.example import entries
from fluxtui.model.resources.resource_set import Resources
from fluxtui.model.stage import Stage, Step

TITLE = "RFC 31 by example"

# The names in the RFC's examples, and parts of the names for the same in a cluster, best first.
_HOSTS, _HOSTS_IN_WORDS = "host[0-1]", "host0 and host1"
_ALIKE = {"ssd": ("ssd", "nvme"), "huge": ("mem", "big", "large", "huge"), "slowgpu": ("gpu",)}
_PAIR = ("foo", "bar")
_NAMES = re.compile(r"host\[0-1\]|host0 and host1|\b(?:ssd|huge|slowgpu|foo|bar)\b")

#: Property names that need no quotes in a query, and how many properties are considered.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.@-]*")
_MOST_PROPERTIES = 60


def rfc31(resources: Resources) -> Stage:
    """Return the examples of RFC 31 that can be shown on a cluster.

    A name that the cluster does not have is replaced throughout by one that it has, and the note
    then quotes the RFC; if there is no such name the example is left out.
    """
    names = _stand_ins(resources)
    steps = (
        _in_names(Step(example.title, example.requires, example.text), names, resources)
        for example in entries()
        if example.rfc == "RFC 31"
    )
    return Stage(TITLE, tuple(step for step in steps if step is not None))


def _in_names(step: Step, names: Mapping[str, str], resources: Resources) -> Step | None:
    """Return a step with names of a cluster; None if a name has no replacement."""
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
    """Map names of the RFC that a cluster does not have to names that it has."""
    everything = resources.everything
    words = {"and", "or", "not"}
    masks = {
        name: mask
        for name, mask in list(resources.properties.items())[:_MOST_PROPERTIES]
        if 0 < mask < everything and _PLAIN.fullmatch(name) and name.lower() not in words
    }
    found: dict[str, str] = {}
    pair = _pair(masks)
    if pair is not None:
        found = dict(zip(_PAIR, pair, strict=True))
        for name, alike in _ALIKE.items():
            found[name] = _like(alike, masks) or pair[name == "huge"]
    ssd = resources.properties.get("ssd") or masks.get(found.get("ssd", ""), 0)
    found = {name: new for name, new in found.items() if not resources.properties.get(name)}
    if resources.node_count > 1:
        hosts = resources.hosts_of(_neighbours(ssd, everything))
        if hosts:
            found[_HOSTS] = found[_HOSTS_IN_WORDS] = hosts
    return found


def _pair(masks: Mapping[str, int]) -> tuple[str, str] | None:
    """Two properties that overlap without one including the other; else any two."""
    pairs = list(combinations(masks, 2))
    for first, second in pairs:
        both = masks[first] & masks[second]
        if both and both not in (masks[first], masks[second]):
            return first, second
    return pairs[0] if pairs else None


def _like(words: tuple[str, ...], masks: Mapping[str, int]) -> str | None:
    return next((name for word in words for name in masks if word in name.lower()), None)


def _neighbours(mask: int, everything: int) -> int:
    """The mask of two adjacent nodes, exactly one of which is in mask if possible."""
    edges = (mask ^ (mask >> 1)) & (everything >> 1)
    return 3 * (edges & -edges) if edges else 3
