"""The request in plain words."""

from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.model.jobspec.request import parse
from fluxtui.notation import count as counts
from fluxtui.notation.json_value import is_whole, shown

# So many resources at the top are listed one by one; nobody reads on.
TOLD = 20

_REGULAR = ("node", "slot", "core", "gpu", "socket", "rack", "cluster", "pu", "ssd")
_PLURALS = {kind: f"{kind}s" for kind in _REGULAR}
_PLURALS |= {"switch": "switches", "numa": "numa domains"}


def summary(resources: Sequence[Mapping[str, Any]]) -> str:
    """An RFC 14 resources list in one sentence, with the totals where every count is fixed.

    ``4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all``.
    """
    if not resources:
        return ""
    text = " and ".join(_vertex(vertex) for vertex in resources[:TOLD])
    if len(resources) > TOLD:
        text += f" and {len(resources) - TOLD:,} more"
    totals: dict[str, int] = {}
    for vertex in parse(resources).walk():
        total, kind = vertex.total, str(vertex.type)
        if total is None or "unit" in vertex.fields:  # a range or an amount
            return text
        totals[kind] = totals.get(kind, 0) + total
    said = {"slot", *(str(vertex["type"]) for vertex in resources)}
    parts = [f"{n:,} {noun(kind, n)}" for kind, n in totals.items() if kind not in said]
    return f"{text}: {', '.join(parts)} in all" if parts else text


def _vertex(vertex: Mapping[str, Any]) -> str:
    kind, unit = str(vertex["type"]), vertex.get("unit")
    parsed = counts.from_json(vertex["count"]).value
    words = counts.describe(parsed) if parsed is not None else str(vertex["count"])
    if isinstance(unit, str) and unit:
        text = f"{words} {unit} of {kind}"
    else:
        text = f"{words} {kind if parsed == 1 else noun(kind, 2)}"
    children = vertex.get("with") or ()
    if not children:
        return text
    inner = " and ".join(_vertex(child) for child in children)
    if kind == "slot":
        return f"{text} of {inner}"
    return f"{text} with {inner}" if parsed == 1 else f"{text}, each with {inner}"


def noun(kind: str, n: int) -> str:
    """A resource type in the form for so many: ``core``, ``cores``; others stay as they are."""
    return kind if n == 1 else _PLURALS.get(kind, kind)


def count_words(count: object) -> str:
    """The value of a ``count`` in words, such as ``2 or more``; of any other value its kind."""
    if is_whole(count):
        return str(count)
    read = counts.from_json(count)
    if read.value is not None and read.ok:
        return counts.describe(read.value)
    return f"'{count}'" if isinstance(count, str) else shown(count)
