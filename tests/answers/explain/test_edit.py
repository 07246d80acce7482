"""Edits at parts of a constraint mean what they say, node by node, and change little text."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.answers.explain.edit import Edited, delete, join, negate, rewritten, swap
from fluxtui.answers.explain.explanation import Explanation, normal
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import Constraint, to_json
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import (
    Case,
    clusters,
    constraints,
    explained,
    queries,
    revised,
    texts,
)
from tests.constraints import holds
from tests.each import the


def read(obj: dict[str, Any]) -> Constraint:
    return the(tree.read(obj).value)


def swapped(obj: dict[str, Any]) -> dict[str, Any]:
    ((operator, values),) = obj.items()
    if operator == "properties":
        return {"or": [{"properties": [value]} for value in values]}
    if operator == "not":
        return {"not": [{"or": values}]}
    return {"or" if operator == "and" else "and": values}


def agree(
    case: Case, explanation: Explanation, done: Edited, wanted: dict[str, Any] | None
) -> None:
    """What was done asks for just what is wanted, in the form in which the text was."""
    if done.problem is not None:  # no query says what every node satisfies, or none
        assert wanted is not None
        assert not explanation.reading.is_json
        assert len({holds(wanted, node) for node in case.nodes}) == 1
    elif wanted is None:
        assert not done.text
    else:
        again = explained(done.text, case.resources)
        assert again.reading.is_json is explanation.reading.is_json
        obj = to_json(again.root.constraint)
        assert all(holds(obj, node) is holds(wanted, node) for node in case.nodes)
        assert again.part(done.path) is not None


@given(
    clusters(),
    texts,
    st.one_of(queries, constraints.map(str).map(lambda text: text.replace("'", '"'))),
    st.sampled_from(["and", "or"]),
    st.data(),
)
def test_each_edit_asks_for_what_it_says(
    case: Case, text: str, more: str, operator: Any, data: st.DataObject
) -> None:
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    part = data.draw(st.sampled_from(list(explanation.root.walk())))
    obj = to_json(explanation.root.constraint)

    def wanted(change: Any, path: str = part.path) -> dict[str, Any] | None:
        return revised(obj, lambda old, here: change(old) if here == path else old)

    agree(case, explanation, negate(explanation, part), wanted(lambda old: {"not": [old]}))
    agree(case, explanation, delete(explanation, part), wanted(lambda old: None))
    rows = [
        one.path
        for one in explanation.root.walk()
        if part in one.walk() and one.parts and (one.operator != "not" or len(one.parts) > 1)
    ]
    done = swap(explanation, part)
    if rows:
        agree(case, explanation, done, wanted(swapped, max(rows)))
    else:
        assert "'and' or 'or'" in the(done.problem).message
    other = requires.read(more)
    done = join(explanation, part, operator, more)
    new = to_json(other.constraint) if other.constraint is not None else None
    if new is None or (
        other.is_json and not explanation.reading.is_json and not from_constraint(new)
    ):
        assert done.problem is not None
        assert done.text == ""
    else:
        agree(case, explanation, done, wanted(lambda old: {operator: [old, new]}))


@given(constraints, constraints, clusters())
def test_what_means_the_same_matches_the_same(
    one: dict[str, Any], other: dict[str, Any], case: Case
) -> None:
    assert normal(read({"not": [{"not": [{"and": [one]}]}]})) == normal(read(one))
    assert normal(read({"not": [one]})) == normal(read(one), wanted=False)
    both = ({"and": [one, other, one]}, {"and": [other, {"and": [one]}]})
    assert normal(read(both[0])) == normal(read(both[1]))
    if normal(read(one)) == normal(read(other)):
        assert all(holds(one, node) == holds(other, node) for node in case.nodes)


def test_many_levels_that_lose_all_operands_but_one_take_no_time() -> None:
    text, paths = '{"properties":["b"]}', []
    for level in range(40):
        text = f'{{"and":[{{"properties":["a"]}},{text}]}}'
        paths.append("and[1]." * level + "and[0]")
    edits = dict.fromkeys(paths)
    assert rewritten(requires.read(text), edits) == '{"properties":["b"]}'
