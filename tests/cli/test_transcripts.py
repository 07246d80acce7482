"""The verbs answer what their transcripts say; see `tests.cli.transcripts`."""

from pathlib import Path

import pytest

from tests.cli.transcripts import FILES, rerun
from tests.recorded import Agree


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_transcript(path: Path, agree: Agree) -> None:
    agree(path, rerun(path))
