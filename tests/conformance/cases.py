"""The recorded answers that the conformance tests compare with, and the outcome of one of them.

The folder is named by the environment variable FLUXTUI_CONFORMANCE; without it,
``shared/conformance`` beside the checkout is tried.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources

FOLDER = Path(
    os.environ.get(
        "FLUXTUI_CONFORMANCE",
        Path(__file__).resolve().parents[3] / "shared" / "conformance",
    )
)

Row = dict[str, Any]


def by_id(row: Row) -> str:
    """What a row is called."""
    return str(row["id"])


def missing() -> str:
    """Why there are no recorded answers; empty where there are."""
    if (FOLDER / "shape.jsonl").is_file():
        return ""
    return f"no recorded answers in {FOLDER}; FLUXTUI_CONFORMANCE names the folder"


def rows(name: str) -> list[Row]:
    """The rows of ``<name>.jsonl``."""
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def cases(name: str) -> list[Row]:
    """The rows of ``<name>.jsonl``; skips the calling test module where there are none."""
    if why := missing():
        pytest.skip(why, allow_module_level=True)
    return rows(name)


@cache
def cluster(name: str) -> Resources:
    """The resources of the R document ``rsets/<name>``."""
    path = FOLDER / "rsets" / name
    return document.read_text(path.read_text(encoding="utf-8"))


Outcome = Literal["agreed", "differs", "ambiguous", "unexplained"]


class Verdict(NamedTuple):
    """How the project's answer stands to that of a case.

    outcome  agreed       the answer that counts, which flux-core gives too
             differs      the answer that counts, and flux-core gives another, for a known reason
             ambiguous    the rules can be read either way, so that none counts
             unexplained  not the answer that counts, or not flux-core's for no known reason
    reason   a key of ``reasons.REASONS`` wherever flux-core's answer is another
    given    the input; theirs and ours are the two answers, for people
    """

    id: str
    outcome: Outcome
    reason: str = ""
    given: str = ""
    theirs: str = ""
    ours: str = ""


class Answer(NamedTuple):
    """Whether an input is legal, and what it means if it is; None where no one says."""

    ok: bool
    value: Any = None

    def same(self, other: "Answer") -> bool:
        """Equal as JSON, so that 1 and true are two things; a missing value equals any."""
        if self.ok != other.ok or not self.ok or self.value is None or other.value is None:
            return self.ok == other.ok
        return written(self.value) == written(other.value)

    def shown(self) -> str:
        if not self.ok:
            return "refused"
        if self.value is None:
            return "taken"
        if isinstance(self.value, str):
            return self.value or "nothing"
        return written(self.value)


def written(value: Any) -> str:
    """A value as JSON, keys in order."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def judge(
    id_: str,
    given: str,
    ours: Answer,
    counts: Answer | None,
    flux: dict[str, Answer],
    reason: str,
) -> Verdict:
    """The verdict on one case.

    counts is the answer to give, None where the case is ambiguous. flux holds the answers of
    flux-core, several where its parts differ. reason explains why ours is another than one of
    them; it may be empty where there is none.
    """
    others = {name: answer for name, answer in flux.items() if not ours.same(answer)}
    theirs = "; ".join(
        f"{name}: {answer.shown()}" if len(flux) > 1 else answer.shown()
        for name, answer in (others or flux).items()
    )
    outcome: Outcome = "agreed" if counts else "ambiguous"
    if (counts and not ours.same(counts)) or (others and not reason):
        outcome = "unexplained"
    elif others and counts:
        outcome = "differs"
    return Verdict(id_, outcome, reason if others else "", given, theirs, ours.shown())
