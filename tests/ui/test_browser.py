"""The workbench in a browser: as a server of one runs it, and in a real Chromium."""

import asyncio
import base64
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyte
import pytest

from fluxtui.bridge import themes
from fluxtui.bridge.drafts import Store
from tests.ui.terminal import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def packet(kind: bytes, data: bytes) -> bytes:
    """What a server and the program send each other: a letter, a length, and so many bytes."""
    return kind + len(data).to_bytes(4, "big") + data


def test_a_paste_stays_whole_and_the_loss_of_the_server_is_a_hangup(home: Path) -> None:
    """Textual's driver would end the paste at its escape, and go on without a server."""
    screen = pyte.Screen(100, 24)
    stream, rest, shown = pyte.ByteStream(screen), b"", ""
    environ = {"TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"}
    with subprocess.Popen(
        [sys.executable, "-m", "fluxtui"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **environ, "COLUMNS": "100", "ROWS": "24"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout.readline() == b"__GANGLION__\n"
        process.stdin.write(packet(b"D", b"\x1b[200~node=2\x1b/slot\x1b[201~"))
        process.stdin.flush()
        while "node=2/slot" not in shown:
            assert select.select([process.stdout], [], [], PATIENCE)[0], shown
            rest += os.read(process.stdout.fileno(), 65536)
            while len(rest) >= 5 and len(rest) >= (end := 5 + int.from_bytes(rest[1:5], "big")):
                if rest[:1] == b"D":
                    stream.feed(rest[5:end])
                rest = rest[end:]
            shown = "\n".join(screen.display)
        process.stdin.close()
        process.stdout.close()
        assert process.wait(PATIENCE) == 128 + signal.SIGHUP
    (found,), _ = Store(home / ".state" / "fluxtui" / "sessions").found()
    assert (found.draft.shape, found.crashed) == ("node=2/slot", True)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
async def test_a_shape_and_a_constraint_light_up_nodes_in_a_browser(
    home: Path, tmp_path: Path
) -> None:
    pytest.importorskip("textual_serve", reason="textual-serve is not installed")
    from tests.ui.browser import Browser

    file = themes.read_theme(themes.theme_paths(shipped=True)["dusk"]).value
    match = file.roles["match"]
    async with Browser(CHROMIUM, tmp_path / "chromium", "--theme", "dusk") as browser:
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
