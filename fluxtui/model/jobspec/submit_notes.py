"""The list of problems that the check of `fluxtui.model.jobspec.submit_check` fills."""

from fluxtui.model.jobspec.resources import MAX_PROBLEMS
from fluxtui.notation.problem import Problem, further

RULE = "flux-core"

#: The passes that flux-core makes over a jobspec; each finds what the ones before have let through.
FIRST, SECOND, LAST = range(3)


class Notes:
    """Collects what flux-core refuses, in the order in which it would find it."""

    def __init__(self) -> None:
        self._passes: tuple[list[Problem], ...] = ([], [], [])

    def add(self, message: str, path: str, *expected: str, turn: int = SECOND) -> None:
        """Note a problem, and in which of the passes flux-core finds it."""
        notes = self._passes[turn]
        problem = Problem(message, None, path or None, expected, RULE)
        if len(notes) <= MAX_PROBLEMS:
            notes.append(problem)
        else:
            notes[MAX_PROBLEMS:] = [further((notes[MAX_PROBLEMS], problem))]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All of them, one pass after the other."""
        return tuple(problem for notes in self._passes for problem in notes)
