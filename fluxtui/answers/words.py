"""The request in plain words, and small edits of a constraint's text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation import count, query

_PLURALS = {
    "node": "nodes",
    "slot": "slots",
    "core": "cores",
    "gpu": "gpus",
    "socket": "sockets",
    "rack": "racks",
    "cluster": "clusters",
    "switch": "switches",
    "pu": "pus",
    "numa": "numa domains",
}


def summary(resources: Sequence[Mapping[str, Any]]) -> str:
    """An RFC 14 resources list in one sentence, with the totals where every count is fixed.

    ``4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all``.
    """
    if not resources:
        return ""
    text = " and ".join(_vertex(vertex) for vertex in resources)
    totals = _totals(resources)
    said = {"slot", *(str(vertex["type"]) for vertex in resources)}
    parts = [f"{n:,} {_noun(kind, n)}" for kind, n in (totals or {}).items() if kind not in said]
    return f"{text}: {', '.join(parts)} in all" if parts else text


def _vertex(vertex: Mapping[str, Any]) -> str:
    kind, unit = str(vertex["type"]), vertex.get("unit")
    parsed = count.from_json(vertex["count"]).value
    words = count.describe(parsed) if parsed is not None else str(vertex["count"])
    if isinstance(unit, str) and unit:
        text = f"{words} {unit} of {kind}"
    else:
        text = f"{words} {kind if parsed == 1 else _noun(kind, 2)}"
    children = vertex.get("with") or ()
    if not children:
        return text
    inner = " and ".join(_vertex(child) for child in children)
    if kind == "slot":
        return f"{text} of {inner}"
    return f"{text} with {inner}" if parsed == 1 else f"{text}, each with {inner}"


def _noun(kind: str, n: int) -> str:
    return kind if n == 1 else _PLURALS.get(kind, kind)


def _totals(resources: Sequence[Mapping[str, Any]], times: int = 1) -> dict[str, int] | None:
    """How many there are of each type in all, or None where a count is a range or an amount."""
    found: dict[str, int] = {}
    for vertex in resources:
        value = vertex["count"]
        if not isinstance(value, int) or "unit" in vertex:
            return None
        kind = str(vertex["type"])
        found[kind] = found.get(kind, 0) + times * value
        inner = _totals(vertex.get("with") or (), times * value)
        if inner is None:
            return None
        for name, n in inner.items():
            found[name] = found.get(name, 0) + n
    return found


def with_property(text: str, name: str) -> str:
    """A constraint's text that also wants a property: joined with ``&``, in JSON with ``and``."""
    text = text.strip()
    if not text:
        return _quoted(name)
    if text.startswith("{"):
        try:
            before = json.loads(text)
        except ValueError:
            return text
        return json.dumps({"and": [before, {"properties": [name]}]})
    return (
        f"({text})&{_quoted(name)}" if "|" in text or " or " in text else f"{text}&{_quoted(name)}"
    )


def _quoted(name: str) -> str:
    return query.from_constraint({"properties": [name]}) or name
