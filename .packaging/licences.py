"""Print the licences of all that fluxtui needs: ``python .packaging/licences.py``.

They are those of the installed packages, direct dependencies and what these need in turn, as a
table in Markdown.
"""

from importlib.metadata import distribution
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_CLASSIFIER = "License :: OSI Approved :: "


class Needed(NamedTuple):
    """A package, its licence in the words of its metadata, and what needs it."""

    name: str
    licence: str
    needed_by: str


def needed(name: str = "fluxtui") -> list[Needed]:
    """All that a package needs here, directly or not, sorted by name."""
    found: dict[str, Needed] = {}
    waiting = [(name, {""})]
    while waiting:
        one, extras = waiting.pop()
        for wanted in map(Requirement, distribution(one).requires or ()):
            other = canonicalize_name(wanted.name)
            is_asked = wanted.marker is None or any(
                wanted.marker.evaluate({"extra": extra}) for extra in extras
            )
            if is_asked and other not in found:
                found[other] = Needed(other, licence(other), one)
                waiting.append((other, {"", *wanted.extras}))
    return sorted(found.values())


def licence(name: str) -> str:
    """The licence of an installed package."""
    metadata = distribution(name).metadata
    if metadata["License-Expression"]:
        return str(metadata["License-Expression"])
    named = [c for c in metadata.get_all("Classifier") or () if c.startswith(_CLASSIFIER)]
    words = ", ".join(one.removeprefix(_CLASSIFIER) for one in named) or metadata["License"] or ""
    return {"MIT License": "MIT", "BSD License": "BSD"}.get(words, words)


def table() -> str:
    """The table."""
    rows = [f"| {one.name} | {one.licence} | {one.needed_by} |" for one in needed()]
    return "\n".join(["| package | licence | needed by |", "|---|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
