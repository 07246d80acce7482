"""What a person sees after their keys is as it is recorded; see `tests.ui.journeys`."""

from pathlib import Path

import pytest

from tests.recorded import Agree
from tests.ui.comparing import pair
from tests.ui.helpers import workbench_at
from tests.ui.journeys import FILES, Journey


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_what_is_seen_is_as_recorded(path: Path, agree: Agree, here: Path) -> None:
    pair(here)
    async with workbench_at(notifications=True) as (_, pilot):
        agree(path, await Journey(pilot).rerun(path))
