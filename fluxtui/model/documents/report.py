"""Collecting the problems of a document."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import (
    ELIDED,
    LONGEST_MESSAGE,
    MAX_PROBLEMS,
    Problem,
    Severity,
    at,
    counted,
    did_you_mean,
    nearest,
    shortened,
)

NAMED = 20  # the most unknown keys reported for one table


class Report:
    """The problems of one document, in order; those beyond a limit are only counted."""

    __slots__ = ("_found", "_limit", "_more", "failed", "rule")

    def __init__(self, rule: str, limit: int = MAX_PROBLEMS) -> None:
        """Take the specification that problems refer to, such as ``RFC 20``."""
        self.rule = rule
        self._limit = limit
        self.failed = False
        self._found: list[Problem] = []
        self._more = 0

    def add(self, problem: Problem) -> None:
        """Add a problem; a message that is too long to be read is cut."""
        self.failed = self.failed or problem.severity == "error"
        if len(self._found) < self._limit:
            message = shortened(problem.message, LONGEST_MESSAGE)
            self._found.append(
                problem if message == problem.message else replace(problem, message=message)
            )
        else:
            self._more += problem.many

    def take(self, problems: Iterable[Problem], path: str, key: str = "") -> None:
        """Add the problems of the text at a path; key, if given, is put before each message."""
        for problem in problems:
            message = f"{key}: {problem.message}" if key else problem.message
            self.add(replace(problem, message=message, span=None, path=path))

    def check_keys(self, table: Mapping[Any, Any], what: str, path: str, *keys: str) -> None:
        """Report each key of a table that is not among these."""
        for key, hint in self.unknown(table, keys):
            self.error(f"{what} has no key '{shortened(key)}'{hint}", at(path, key), *keys)

    def unknown(self, table: Mapping[Any, Any], keys: Collection[str]) -> Iterator[tuple[str, str]]:
        """The keys of a table that are not among these, each with a hint about what it may mean.

        Only the first `NAMED` are returned; the others are counted.
        """
        found = [str(key) for key in table if key not in keys]
        for key in found[:NAMED]:
            yield key, self.hint(key, keys)
        self._more += len(found[NAMED:])

    def error(self, message: str, path: str, *expected: str, code: str = "") -> None:
        """Add an error; code identifies its kind."""
        self.add(Problem(message, None, path or None, expected, self.rule, code=code))

    def wrong(self, what: str, value: object, path: str, *expected: str, code: str = "") -> None:
        """Add an error about a value, with the message ``what; found value``."""
        self.error(f"{what}; found {shown(value)}", path, *expected, code=code)

    def warning(self, message: str, path: str, *expected: str, code: str = "") -> None:
        """Add a warning about something legal but surprising; code identifies its kind."""
        self.add(Problem(message, None, path or None, expected, self.rule, "warning", code=code))

    def is_dictionary(
        self, value: object, name: str, path: str, code: str
    ) -> TypeGuard[Mapping[Any, Any]]:
        """Whether a value is a dictionary; reports an error if not."""
        return self._is_a(Mapping, "a dictionary", value, name, path, code)

    def is_list(
        self, value: object, name: str, path: str, code: str
    ) -> TypeGuard[list[Any] | tuple[Any, ...]]:
        """Whether a value is a list; reports an error if not."""
        return self._is_a((list, tuple), "a list", value, name, path, code)

    def is_string(self, value: object, name: str, path: str, code: str) -> TypeGuard[str]:
        """Whether a value is a string; reports an error if not."""
        return self._is_a(str, "a string", value, name, path, code)

    def _is_a(self, kinds: Any, kind: str, value: object, name: str, path: str, code: str) -> bool:
        if isinstance(value, kinds):
            return True
        self.wrong(f"{name} is {kind}", value, path, kind, code=code)
        return False

    def hint(self, word: str, names: Iterable[str]) -> str:
        """The suggestion of the name nearest to a misspelt one; "" if none is near.

        Beyond the limit of problems there are no suggestions.
        """
        near = nearest(word, names) if len(self._found) < self._limit else None
        return did_you_mean(near)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems so far; the last one counts those beyond the limit, if there are any."""
        if not self._more:
            return tuple(self._found)
        severity: Severity = "error" if self.failed else "warning"
        words, many = counted(self._more, "more problem"), self._more
        more = Problem(words, rule=self.rule, severity=severity, many=many, code=ELIDED)
        return (*self._found, more)
