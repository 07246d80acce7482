"""The verdicts on a jobspec: by RFC 14, by RFC 25 (V1), and whether flux-core accepts it.

The verdict of RFC 46, on the text of its shape, is for whoever has that text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.jobspec.v1 import V1
from fluxtui.notation.problem import Problem


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict: who says it, why not, and what is fine and may surprise all the same.

    The first problem of ``flux-core`` is the one that flux-core itself would name.
    """

    name: str
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """The jobspec is fine."""
        return not self.problems


class Verdicts(NamedTuple):
    """All verdicts on a jobspec, in the order in which they are shown."""

    canonical: Ruling
    v1: Ruling
    flux: Ruling

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems in that order, each once."""
        return tuple(dict.fromkeys(p for ruling in self for p in ruling.problems))


def verdicts(document: Mapping[str, Any], request: ResourceRequest | None = None) -> Verdicts:
    """The verdicts on a jobspec; request is its resources, if parsed already."""
    request = parse(document.get("resources")) if request is None else request
    found = jobspec.check(document, request)
    v1 = tuple(problem for problem in found.warnings if problem.rule == V1)
    others = tuple(problem for problem in found.warnings if problem.rule != V1)
    return Verdicts(
        Ruling("RFC 14", found.problems, others),
        Ruling("V1", found.v1_problems, v1),
        Ruling(submit_check.RULE, submit_check.check(document, request)),
    )


_VERTEX = re.compile(r"resources(\[[0-9]+\](\.with\[[0-9]+\])*)?")


def by_vertex(problems: Iterable[Problem]) -> dict[str, tuple[Problem, ...]]:
    """The problems of the resources by the path of the vertex that causes them.

    Those about the whole list are under ``resources``; those about the rest of a jobspec are left
    out.
    """
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        vertex = _VERTEX.match(problem.path or "")
        if vertex is not None:
            found.setdefault(vertex[0], []).append(problem)
    return {path: tuple(listed) for path, listed in found.items()}
