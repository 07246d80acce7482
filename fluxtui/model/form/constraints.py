"""The field of the job's own constraint: a query (RFC 35) or an object (RFC 31)."""

from typing import Any

from fluxtui.model.constraint import requires, tree
from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field
from fluxtui.model.form.place import system
from fluxtui.notation.json_compare import identical
from fluxtui.notation.json_text import dump, load
from fluxtui.notation.problem import MAX_LENGTH, Completion, Parsed, Problem
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint

_PATH = "attributes.system.constraints"
_place = system("constraints")


def _read(text: str, context: Context) -> Parsed[Any]:
    """The RFC 31 object of a text; a blank one leaves the constraint to the constraint bar.

    What a property may be called is RFC 20's matter, and no reason to refuse a jobspec.
    """
    found = requires.read(text)
    problems = tuple(
        p._replace(path=_PATH, severity="warning" if p.rule == "RFC 20" else p.severity)
        for p in found.problems
    )
    if found.blank or any(problem.severity == "error" for problem in problems):
        return Parsed(MISSING, problems)
    if found.is_json:
        return Parsed(load(text), problems)
    value = to_constraint(found.tree) if found.tree is not None else MISSING
    return Parsed(value, problems)


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if any(_refused(problem) for problem in tree.read(value).problems):
        raise ValueError("not a constraint")
    text = from_constraint(value)
    if text and text.isprintable() and len(text) <= MAX_LENGTH:
        read = parse_query(text)
        if read.ok and read.tree is not None and identical(to_constraint(read.tree), value):
            return text
    return dump(value)


def _refused(problem: Problem) -> bool:
    return problem.severity == "error" and problem.rule != "RFC 20"


def _describe(value: Any, context: Context = NOWHERE) -> str:
    if value == {}:
        return "every node"
    return ""


def _complete(text: str, cursor: int, context: Context) -> list[Completion]:
    return requires.completions(text, cursor, context.names)


CONSTRAINTS = Field(
    "constraints",
    "Constraints",
    "Where",
    "gpu&-debug · blank: that of the constraint bar",
    "Which nodes the job may have, as a constraint of its own: gpu has a property, -debug has it "
    "not, host:n[1-3] names hosts.",
    _PATH,
    _read,
    _write,
    _describe,
    _complete,
    _place.get,
    _place.put,
)
