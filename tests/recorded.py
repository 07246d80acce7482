"""Answers that are recorded whole: what is asked is one line, what is answered is indented below.

Comments and empty lines of such a file are for its readers.
"""

from collections.abc import Callable, Iterable
from pathlib import Path


def asked(path: Path) -> list[str]:
    """The lines that ask."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and line[0] not in " #"]


def rerun(path: Path, answer: Callable[[str], Iterable[str]]) -> str:
    """The file with what is answered now."""
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        kept.append(line)
        if line and line[0] != "#":
            kept += [f"  {one}" for one in answer(line)]
    return "\n".join(kept) + "\n"
