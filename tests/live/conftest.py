"""The workbench on an instance that was recorded."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import pytest

from fluxtui.opening import live
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.live.follow import Confirm
from tests.each import the
from tests.ui.helpers import Hands, workbench_at
from tests.ui.seen import messages, plain

#: Opens the workbench on a recording, with a shape.
Following: TypeAlias = Callable[..., AbstractAsyncContextManager[tuple[FluxTUI, Hands]]]


@pytest.fixture
def following(play: Callable[[str], None]) -> Following:
    """The workbench on an instance that was recorded, once it follows it."""

    @asynccontextmanager
    async def follow(recording: str, shape: str = "") -> AsyncIterator[tuple[FluxTUI, Hands]]:
        play(recording)
        cluster = the(live.open_live("live")[0])
        async with workbench_at(on=cluster, shape=shape, notifications=True) as (app, pilot):
            await pilot.until(lambda: "● live" in plain(app, "#title"))
            yield app, pilot

    return follow


def told(app: FluxTUI) -> str:
    return "\n".join(messages(app))


def is_asked(app: FluxTUI) -> bool:
    """The question before something changes is on the screen."""
    return isinstance(app.screen, Confirm) and app.screen.is_mounted
