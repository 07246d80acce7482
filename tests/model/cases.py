"""Tables of cases as texts: what is given in one line, what comes of it indented below."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.model.jobspecs import changed


@dataclass(frozen=True)
class Case:
    """One case: its line, and the lines below it; those indented further go on with a line."""

    given: str
    lines: list[str]

    @property
    def place(self) -> str:
        """The place that is changed, of a case such as ``tasks/0/count = 1``."""
        return self.given.partition(" = ")[0]

    @property
    def value(self) -> Any:
        """The value that is put there; ``...`` takes away what is there."""
        text = self.given.partition(" = ")[2]
        return ... if text == "..." else json.loads(text)

    @property
    def document(self) -> Any:
        """The jobspec with that change."""
        return changed(self.place, self.value)


def cases(name: str) -> Iterator[Case]:
    """The cases of a file; comments and empty lines are for its readers."""
    case = None
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if not line or line[0] == "#":
            continue
        if not line.startswith(" "):
            case = Case(line, [])
            yield case
        elif line.startswith(" " * 8) and case is not None:
            case.lines[-1] += f" {line.strip()}"
        elif case is not None:
            case.lines.append(line.strip())
