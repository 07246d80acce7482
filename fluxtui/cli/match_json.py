"""How ``fluxtui match`` explains an expression, as JSON."""

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
    reading: Requires, resources: Resources, target: Target | None, *, explain_it: bool
) -> dict[str, Any]:
    """Return the keys ``explain`` and ``why`` of the answer to an expression without errors."""
    found = explain(reading, resources)
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
        "names": [_name(name, found.reading) for name in unknown],
        "relaxations": [_relaxation(relaxation) for relaxation in relaxed],
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


def _name(unknown: Unknown, reading: Requires) -> dict[str, Any]:
    (problem,) = reading.located([unknown.problem])
    near = [{"name": found.text, "count": found.nodes} for found in unknown.near]
    return {"kind": unknown.kind, "near": near, **problem.to_json(), "path": unknown.problem.path}


def _relaxation(relaxation: Relaxation) -> dict[str, Any]:
    changes = [
        {"kind": change.kind, "path": change.path, "span": _span(change.part.span)}
        for change in relaxation.changes
    ]
    return {
        "expression": relaxation.text,
        "constraint": to_json(relaxation.constraint),
        "count": relaxation.count,
        "sentence": relaxation.sentence,
        "changes": changes,
    }


def _nodes(found: Explanation, target: Target) -> dict[str, Any]:
    out = []
    for index in idset.from_mask(target.mask).lowest(MOST_NODES):
        reason = why(found, index)
        holds = [
            {"words": part.words, "path": part.path, "holds": held} for part, held in reason.holds
        ]
        node = {"rank": reason.rank, "host": reason.host, "matches": reason.matches}
        more = {"sentence": reason.sentence, "paths": list(reason.paths), "parts": holds}
        out.append({**node, **more})
    return {"count": target.mask.bit_count(), "nodes": out}


def _set(found: Explanation, target: Target) -> dict[str, Any]:
    reasons = why_set(found, target.mask)
    resources = found.resources
    groups = [
        {
            "count": group.count,
            "ranks": str(resources.ranks_of(group.mask)),
            "hosts": resources.hosts_of(group.mask),
            "path": group.path,
            "sentence": group.sentence,
        }
        for group in reasons.groups
    ]
    out = reasons.out.bit_count()
    return {"count": reasons.total, "out": out, "sentence": reasons.sentence, "groups": groups}
