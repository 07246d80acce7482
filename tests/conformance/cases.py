"""The recorded answers that the conformance tests compare with.

The folder is named by the environment variable FLUXTUI_CONFORMANCE; without it,
``shared/conformance`` beside the checkout is tried.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

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
