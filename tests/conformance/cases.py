"""The recorded answers that the conformance tests compare with.

The folder is named by the environment variable FLUXTUI_CONFORMANCE; without it,
``shared/conformance`` beside the checkout is tried.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get(
        "FLUXTUI_CONFORMANCE",
        Path(__file__).resolve().parents[3] / "shared" / "conformance",
    )
)


def cases(name: str) -> list[dict[str, Any]]:
    """The rows of ``<name>.jsonl``; skips the calling test module where there is none."""
    path = FOLDER / f"{name}.jsonl"
    if not path.is_file():
        pytest.skip(f"no recorded answers at {path}", allow_module_level=True)
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def rset(name: str) -> Any:
    """The R document ``rsets/<name>``, with or without ``.json``."""
    return document(f"rsets/{name}")


def document(name: str) -> Any:
    """The JSON document at this path below the folder, with or without ``.json``."""
    path = FOLDER / name
    if path.suffix != ".json":
        path = path.with_name(path.name + ".json")
    return json.loads(path.read_text(encoding="utf-8"))
