"""Constraints matched against R documents (RFC 31)."""

from collections.abc import Callable
from typing import Any

from fluxtui.answers import matching
from fluxtui.model.constraint import tree
from fluxtui.model.property_name import ILLEGAL
from fluxtui.notation.sets import idset
from tests.conformance.cases import Row, cluster
from tests.conformance.verdict import Answer, Verdict, judge, written

_JOINS = ("and", "or", "not")


def match_row(row: Row) -> Verdict:
    """Which ranks satisfy a constraint; its C library and its Python side may answer apart."""
    read = tree.read(row["constraint"])
    value = None
    if read.value is not None:
        found = cluster(row["R"])
        mask = matching.match(read.value, found)
        assert matching.matched(read.value, found).mask == mask
        value = found.ranks_text(mask)
    rfc = row.get("rfc", {})
    says = rfc if rfc and rfc["follows"] != "unspecified" else row
    flux = {
        name: Answer(row[key]["ok"], row[key].get("out"))
        for name, key in (("C", "c"), ("Python", "py"))
        if key in row
    } or {"": Answer(row["ok"], row.get("out"))}
    ours = Answer(read.ok, value)
    given = f"{written(row['constraint'])} on {row['R'].removesuffix('.json')}"
    counts = Answer(says["ok"], says.get("out"))
    return judge(row["id"], given, ours, counts, flux, _reason(row, ours, flux))


def _reason(row: Row, ours: Answer, flux: dict[str, Answer]) -> str:
    """Why other answers are given; each part of flux-core that does so needs a reason."""
    found = []
    for part, answer in flux.items():
        if not ours.same(answer):
            rules = (name for name, (side, rule) in _RULES.items() if side in part and rule(row))
            found.append(next(rules, ""))
    return found[0] if all(found) and found else ""


def _objects(value: Any) -> list[Any]:
    """A constraint and all that its and, or and not hold."""
    out, stack = [], [value]
    while stack:
        value = stack.pop()
        out.append(value)
        if isinstance(value, dict):
            for name, parts in value.items():
                if name in _JOINS and isinstance(parts, list):
                    stack += parts
    return out


def _strings(row: Row, operator: str) -> list[str]:
    found = [part.get(operator) for part in _objects(row["constraint"]) if isinstance(part, dict)]
    lists = [values for values in found if isinstance(values, list)]
    return [value for values in lists for value in values if isinstance(value, str)]


def several_operators(row: Row) -> bool:
    return any(isinstance(part, dict) and len(part) > 1 for part in _objects(row["constraint"]))


def no_array(row: Row) -> bool:
    """Something is no object, or its values are no array of objects or strings."""
    for part in _objects(row["constraint"]):
        if not isinstance(part, dict):
            return True
        for name, values in part.items():
            if not isinstance(values, list):
                return True
            if name not in _JOINS and not all(isinstance(value, str) for value in values):
                return True
    return False


def illegal_name(row: Row) -> bool:
    names = _strings(row, "properties")
    return any(set(name.removeprefix("^")) & set(ILLEGAL) for name in names)


def host_as_property(row: Row) -> bool:
    hosts = set(cluster(row["R"]).hosts)
    return any(name.removeprefix("^") in hosts for name in _strings(row, "properties"))


def of_nothing(row: Row) -> bool:
    return any(
        part == {} or any(part.get(name) == [] for name in _JOINS)
        for part in _objects(row["constraint"])
        if isinstance(part, dict)
    )


def not_of_several(row: Row) -> bool:
    found = [part.get("not") for part in _objects(row["constraint"]) if isinstance(part, dict)]
    return any(isinstance(values, list) and len(values) > 1 for values in found)


def ranks_apart(row: Row) -> bool:
    """The idsets of one ranks do not ascend from each to the next, which is refused."""
    if row["py"]["ok"]:
        return False
    found = [part.get("ranks") for part in _objects(row["constraint"]) if isinstance(part, dict)]
    lists = [values for values in found if isinstance(values, list) and len(values) > 1]
    joined = (",".join(text.strip("[]") for text in values) for values in lists)
    return any(not idset.parse(text).ok for text in joined)


#: The part of flux-core that answers otherwise (both where empty), and on what constraints.
_RULES: dict[str, tuple[str, Callable[[Row], bool]]] = {
    "match-several": ("", several_operators),
    "match-array": ("", no_array),
    "match-name": ("", illegal_name),
    "match-host": ("C", host_as_property),
    "match-ranks": ("Python", ranks_apart),
    "match-empty": ("Python", of_nothing),
    "match-not-several": ("Python", not_of_several),
}
