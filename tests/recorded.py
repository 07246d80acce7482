"""Answers that are recorded whole: what is asked is one line, what is answered is indented below.

Comments and empty lines of such a file are for its readers. With ``pytest --snapshot-update`` what
is answered now is recorded, as pictures of the screen are; look at the difference then.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

#: Compare the text that a file would have now with the one that it has, or record it.
Agree: TypeAlias = Callable[[Path, str], None]


def questions(path: Path) -> Iterator[tuple[str, bool]]:
    """The lines of the file without what is answered, each with whether it asks."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            yield line, line[:1] not in ("", "#")


def asked(path: Path) -> list[str]:
    """The lines that ask."""
    return [line for line, asks in questions(path) if asks]


def rerun(path: Path, answer: Callable[[str], Iterable[str]]) -> str:
    """The file with what is answered now."""
    kept = []
    for line, asks in questions(path):
        kept.append(line)
        if asks:
            kept += [f"  {one}" for one in answer(line)]
    return "\n".join(kept) + "\n"


def by_kind(kinds: Mapping[str, Callable[..., Iterable[str]]]) -> Callable[[str], Iterator[str]]:
    """Answers lines such as ``query ["a"]``: the kind of question, and its arguments as JSON."""

    def answer(line: str) -> Iterator[str]:
        kind, _, arguments = line.partition(" [")
        for one in kinds[kind](*json.loads(f"[{arguments}")):
            yield (one or "(nothing)").rstrip()

    return answer
