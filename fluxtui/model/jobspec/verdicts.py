"""What is said of a jobspec: by RFC 14, by RFC 25 (V1), and whether flux-core takes it in.

The verdict of RFC 46, on the text of its shape, is for whoever has that text.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.model.jobspec.submit_attributes import RULE as FLUX
from fluxtui.model.jobspec.v1 import V1
from fluxtui.notation.problem import Problem


class Ruling(NamedTuple):
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


def verdicts(
    document: Mapping[str, Any],
    verdict: jobspec.Verdict | None = None,
    accepted: tuple[Problem, ...] | None = None,
) -> Verdicts:
    """The verdicts on a jobspec.

    verdict and accepted are those of `jobspec.check` and `accept.check` on this document, from
    whoever has them already; what is not given is worked out.
    """
    verdict = jobspec.check(document) if verdict is None else verdict
    accepted = submit_check.check(document) if accepted is None else accepted
    v1 = tuple(problem for problem in verdict.warnings if problem.rule == V1)
    others = tuple(problem for problem in verdict.warnings if problem.rule != V1)
    return Verdicts(
        Ruling("RFC 14", verdict.problems, others),
        Ruling("V1", verdict.v1_problems, v1),
        Ruling(FLUX, accepted),
    )


_VERTEX = re.compile(r"resources(\[[0-9]+\](\.with\[[0-9]+\])*)?")


def by_vertex(problems: Iterable[Problem]) -> dict[str, tuple[Problem, ...]]:
    """The problems of the resources by the path of the vertex that causes them.

    What is about the whole list stands under ``resources``; what is about the rest of a jobspec is
    left out.
    """
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        vertex = _VERTEX.match(problem.path or "")
        if vertex is not None:
            found.setdefault(vertex[0], []).append(problem)
    return {path: tuple(listed) for path, listed in found.items()}
