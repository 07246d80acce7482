"""The workbench in a real browser, served by textual-serve."""

import asyncio
import base64
import time
from pathlib import Path

import pytest

from fluxtui.bridge import themes
from fluxtui.bridge.drafts import Store
from tests.ui.terminal import PATIENCE

pytest.importorskip("textual_serve", reason="textual-serve is not installed")

from tests.ui.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


async def test_a_shape_and_a_constraint_light_up_nodes_in_a_browser(
    home: Path, tmp_path: Path
) -> None:
    file = themes.read_theme(themes.theme_paths(shipped=True)["dusk"]).value
    assert file is not None
    match = file.roles["match"]
    async with Browser(tmp_path / "chromium", "--theme", "dusk") as browser:
        await browser.wait_for("196 nodes")
        await browser.click("Shape")
        await browser.type("node=4/slot/[core=8;gpu]\t")
        await browser.wait_for("node=4/slot/[core=8;gpu]", "V1")
        before = await browser.pixels(await browser.picture(), match)
        await browser.type("gpu&-debug")
        await browser.wait_for("gpu&-debug", "18 of 196 nodes")
        await asyncio.sleep(0.5)  # the page draws what it has by its own clock
        picture = await browser.picture()
        (tmp_path / "browser.png").write_bytes(base64.b64decode(picture))
        assert await browser.pixels(picture, match) > before + 200
        browser.kill_server()
        await the_draft_is_kept(home / ".state" / "fluxtui" / "sessions")


async def the_draft_is_kept(sessions: Path) -> None:
    """The program has ended as on a hangup: its draft is there for the next start."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found, _ = Store(sessions).found()
        if found and found[0].crashed and found[0].draft.requires == "gpu&-debug":
            return
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.05)
