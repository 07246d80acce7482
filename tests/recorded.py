"""Answers that are recorded whole: what is asked is one line, what is answered is indented below.

Comments and empty lines of such a file are for its readers. With ``pytest --snapshot-update`` what
is answered now is recorded, as pictures of the screen are; look at the difference then.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

#: Compare the text that a file would have now with the one that it has, or record it.
Agree: TypeAlias = Callable[[Path, str], None]


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
