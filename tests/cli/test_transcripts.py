"""The verbs answer what their transcripts say; see `tests.cli.transcripts`."""

from pathlib import Path

import pytest

from tests.cli.transcripts import FILES, rerun


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_transcript(path: Path) -> None:
    assert rerun(path) == path.read_text(encoding="utf-8")
