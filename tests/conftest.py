"""What tests of several folders run."""

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from fluxtui.bridge.live.connection import FLUX
from tests.live.conversation import RECORDINGS, stand_in
from tests.recorded import Agree

# Tests judge answers and not the clock: a machine that is busy is slow, and nothing is wrong.
# The same few examples every time, so that a run tells of a change and not of luck; for a search
# run pytest --hypothesis-profile=thorough.
settings.register_profile("quick", max_examples=40, derandomize=True, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("quick")

# What is there once all tests are known stays until the end: to look through it for garbage again
# and again takes a tenth of the time of the suite.
BETWEEN_COLLECTIONS = 20_000  # objects

LONGEST_ID = 60  # characters of the name of a case


def pytest_collection_finish() -> None:
    """Look for garbage in what the tests make, and in nothing else."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(BETWEEN_COLLECTIONS)


def pytest_sessionfinish() -> None:
    """Leave what there is to the end of the process: pytest would look through it five times."""
    gc.freeze()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Call a case with a long text by the beginning of that; pytest calls all others."""
    return f"{val[:LONGEST_ID]}..." if isinstance(val, str) and len(val) > LONGEST_ID else None


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Agree:
    """What a test of recorded answers asks; see `tests.recorded`."""

    def compare(path: Path, now: str) -> None:
        if request.config.getoption("update_snapshots"):
            path.write_text(now, encoding="utf-8")
        assert now == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Has a recording of a running Flux, by its name or path, answer where one is looked for."""

    def answer(recording: str) -> None:
        where = RECORDINGS / f"{recording}.jsonl"
        monkeypatch.setenv(FLUX, stand_in(tmp_path, "play", where))

    return answer
