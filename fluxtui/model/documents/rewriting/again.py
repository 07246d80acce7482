"""The value of a YAML text of which the value was known before one of its vertices changed.

A jobspec of hundreds of vertices takes longer to read than a key may take. Where all that changed
stands within one vertex at the top of the resources, and both are written as plainly as can be,
that vertex is read alone.
"""

import re
from collections.abc import Mapping
from typing import Any

from fluxtui.model.documents import yaml_text
from fluxtui.model.documents.json_value import identical
from fluxtui.notation.difference import shared

# One line of a block: a key, and perhaps a word that is all of its value. Nothing else: no quotes,
# anchors, comments, lists in brackets or text of several lines, which could reach beyond the lines.
_LINE = r" *(?:- )*[A-Za-z_][A-Za-z0-9_.-]*:(?: [A-Za-z0-9_.+/-]+)?"
_PLAIN = re.compile(rf"(?:{_LINE}\n)*{_LINE}\n?")
_RESOURCES = re.compile(r"^resources:.*\n?", re.MULTILINE)
_ITEM = re.compile(r" *(?=- )")

# What may reach over lines, and so hold what looks like a key or an item.
_REACHING = re.compile(r"[\"'\[{]")


def value_again(before: str, known: object, text: str) -> dict[str, Any] | None:
    """The value of a YAML text; None where it cannot be told without reading all of the text.

    known is the value of the text before, which had no problems; neither has this one.
    """
    if not isinstance(known, Mapping) or _may_be_too_much(text):
        return None
    resources = known.get("resources")
    bounds = _items(before)
    if not isinstance(resources, list) or len(bounds) != len(resources) + 1:
        return None
    start, stop = shared(before, text)
    first, last = before.rfind("\n", 0, start) + 1, before.find("\n", len(before) - stop)
    last = len(before) if last < 0 else last
    number = next((n for n, end in enumerate(bounds[1:]) if first < end), None)
    if number is None or first < bounds[number] or last >= bounds[number + 1]:
        return None
    begin, end = bounds[number], bounds[number + 1]
    old, new = before[begin:end], text[begin : end + len(text) - len(before)]
    was, vertex = _vertex(old, old), _vertex(new, old)
    if was is None or vertex is None or not identical(was, resources[number]):
        return None
    return {**known, "resources": [*resources[:number], vertex, *resources[number + 1 :]]}


def _may_be_too_much(text: str) -> bool:
    """The text may be beyond a limit of `yaml_text`: each sign counts as if it began a value."""
    if len(text) > yaml_text.MAX_CHARACTERS or "&" in text or "*" in text:
        return True
    return 2 * text.count(":") + sum(map(text.count, "-,[{")) + 1 > yaml_text.MAX_NODES


def _items(text: str) -> list[int]:
    """Where each vertex at the top of the resources begins, and where the last one ends."""
    found = _RESOURCES.findall(text)
    key = _RESOURCES.search(text)
    if key is None or len(found) != 1 or key[0] != "resources:\n":
        return []
    lead = _ITEM.match(text, key.end())
    if lead is None:
        return []
    inside = re.compile(rf"(?:{lead[0]}(?:- | ).*\n?)*")
    block = inside.match(text, key.end())
    end = block.end() if block is not None else key.end()
    if _REACHING.search(text, 0, end):
        return []
    begins = re.compile(rf"^{lead[0]}- ", re.MULTILINE)
    return [item.start() for item in begins.finditer(text, key.end(), end)] + [end]


def _vertex(text: str, like: str) -> dict[str, Any] | None:
    """The only vertex that a plain text says, as far in as another one."""
    lead = _ITEM.match(like)
    indent = lead[0] if lead is not None else ""
    if not text.endswith("\n") or not _PLAIN.fullmatch(text):
        return None
    first, *others = text.removesuffix("\n").split("\n")
    if not first.startswith(f"{indent}- ") or not all(
        line.startswith(f"{indent} ") for line in others
    ):
        return None
    found = yaml_text.read(f"resources:\n{text}")  # as deep as it stands in the whole text
    if found.problems or not isinstance(found.value, dict) or list(found.value) != ["resources"]:
        return None
    vertices = found.value["resources"]
    if not isinstance(vertices, list) or len(vertices) != 1 or not isinstance(vertices[0], dict):
        return None
    return vertices[0]
