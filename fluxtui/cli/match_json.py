"""What ``fluxtui match`` says of how an expression is read, as JSON."""

from typing import Any

from fluxtui.answers.explain import names, relaxations
from fluxtui.answers.explain.explanation import Explanation, Part, explain
from fluxtui.answers.explain.findings import findings
from fluxtui.answers.explain.names import Unknown
from fluxtui.answers.explain.relaxations import Relaxation
from fluxtui.answers.explain.target import Target
from fluxtui.answers.explain.why import why, why_set
from fluxtui.cli.match_words import MOST_NODES
from fluxtui.model.constraint.requires import Requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Span
from fluxtui.notation.sets import idset


def answer(
    asked: Requires, resources: Resources, target: Target | None, *, explain_it: bool
) -> dict[str, Any]:
    """The parts ``explain`` and ``why`` of the answer to an expression without errors."""
    found = explain(asked, resources)
    assert found is not None
    out: dict[str, Any] = {}
    if explain_it:
        out["explain"] = _explained(found)
    if target is not None:
        out["why"] = _set(found, target) if target.is_set else _nodes(found, target)
    return out


def _explained(found: Explanation) -> dict[str, Any]:
    unknown = names.unknown(found.root.constraint, found.resources)
    relaxed, untried = relaxations.relaxations(found, unknown), ""
    if not relaxed and not found.count:
        relaxed, untried = relaxations.best_pairs(found, unknown), relaxations.untried(found)
    return {
        "nodes": found.total,
        "tree": _part(found.root),
        "funnel": [_step(step) for step in found.funnel],
        "marks": [
            {"kind": mark.kind, "paths": list(mark.paths), **mark.problem.to_json()}
            for mark in findings(found)
        ],
        "names": [_name(one, found.reading) for one in unknown],
        "relaxations": [_relaxation(one) for one in relaxed],
        "untried": untried or None,
    }


def _part(part: Part) -> dict[str, Any]:
    out = {"operator": part.operator, **_step(part)}
    if part.adds is not None:
        out["adds"] = part.adds
    if part.parts:
        out["parts"] = [_part(inner) for inner in part.parts]
    return out


def _step(part: Part) -> dict[str, Any]:
    return {
        "words": part.words,
        "path": part.path,
        "span": _span(part.span),
        "alone": part.alone,
        "left": part.left,
        "empties": part.empties,
    }


def _span(span: Span | None) -> list[int] | None:
    return list(span) if span is not None else None


def _name(one: Unknown, reading: Requires) -> dict[str, Any]:
    (problem,) = reading.located([one.problem])
    near = [{"name": found.text, "count": found.nodes} for found in one.near]
    return {"kind": one.kind, "near": near, **problem.to_json(), "path": one.problem.path}


def _relaxation(one: Relaxation) -> dict[str, Any]:
    changes = [
        {"kind": change.kind, "path": change.path, "span": _span(change.part.span)}
        for change in one.changes
    ]
    return {
        "expression": one.text,
        "constraint": to_json(one.constraint),
        "count": one.count,
        "sentence": one.sentence,
        "changes": changes,
    }


def _nodes(found: Explanation, target: Target) -> dict[str, Any]:
    out = []
    for index in idset.from_mask(target.mask).lowest(MOST_NODES):
        told = why(found, index)
        holds = [
            {"words": part.words, "path": part.path, "holds": held} for part, held in told.holds
        ]
        node = {"rank": told.rank, "host": told.host, "matches": told.matches}
        out.append({**node, "sentence": told.sentence, "paths": list(told.paths), "parts": holds})
    return {"count": target.mask.bit_count(), "nodes": out}


def _set(found: Explanation, target: Target) -> dict[str, Any]:
    told = why_set(found, target.mask)
    resources = found.resources
    groups = [
        {
            "count": group.count,
            "ranks": str(resources.ranks_of(group.mask)),
            "hosts": resources.hosts_of(group.mask),
            "path": group.path,
            "sentence": group.sentence,
        }
        for group in told.groups
    ]
    out = told.out.bit_count()
    return {"count": told.total, "out": out, "sentence": told.sentence, "groups": groups}
