"""A real browser for tests: textual-serve runs the program, a headless Chromium shows it.

The browser is driven by its DevTools protocol over a websocket. What the server sends to the page
is read by pyte; what the page draws is a screenshot, whose pixels the page itself counts.
"""

import asyncio
import base64
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pyte

from tests.ui.terminal import PATIENCE

# Root needs no sandbox; nothing outside this machine is asked for, not even a font.
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    *("--remote-debugging-port=0", "--window-size=1300,900"),
)

_SERVE = """
import sys
from textual_serve.server import Server
Server(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2])).serve()
"""

# How many pixels of a picture have a colour, or one next to it.
_COUNT = """
(async () => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64,%s")).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const data = context.getImageData(0, 0, picture.width, picture.height).data;
    let found = 0;
    for (let at = 0; at < data.length; at += 4)
        if (%s.every((part, n) => Math.abs(part - data[at + n]) < 8)) found++;
    return found;
})()
"""

# Where the terminal is on the page.
_SCREEN = 'document.querySelector(".xterm-screen").getBoundingClientRect().toJSON()'


class Browser:
    """A page with the workbench in it."""

    def __init__(self, chromium: str | None, folder: Path, *arguments: str) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        command = " ".join((sys.executable, "-m", "fluxtui", *arguments))
        self._server = _started(sys.executable, "-c", _SERVE, command, str(self._port))
        assert chromium is not None
        self._chromium = _started(chromium, *_FLAGS, f"--user-data-dir={folder}", "about:blank")
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Event()

    async def __aenter__(self) -> "Browser":
        session = self._session = aiohttp.ClientSession()
        address = self._folder / "DevToolsActivePort"
        await _until(address.exists)
        devtools = f"http://127.0.0.1:{address.read_text().split()[0]}"
        async with session.get(f"{devtools}/json/list") as answer:
            (page,) = [target for target in await answer.json() if target["type"] == "page"]
        self._socket = await session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0)
        self._listener = asyncio.create_task(self._listen())
        await self.ask("Network.enable")
        await self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        await _until(lambda: _answers(self._port))
        await self.ask("Page.navigate", url=f"http://127.0.0.1:{self._port}/")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.cancel()
        await self._session.close()
        for process in (self._chromium, self._server):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def kill_server(self) -> None:
        """End the server as if by a fault of its own."""
        self._server.kill()
        self._server.wait()

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Have the browser do something; what it answers."""
        number = len(self._answers)
        future = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        answer = await asyncio.wait_for(future, PATIENCE)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    async def _listen(self) -> None:
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._answers[said["id"]].set_result(said)
            elif said["method"] == "Network.webSocketCreated":
                query = dict(parse_qsl(urlsplit(said["params"]["url"]).query))
                self.screen.resize(int(query["height"]), int(query["width"]))
            elif said["method"] == "Network.webSocketFrameReceived":
                frame = said["params"]["response"]
                if frame["opcode"] == 2:
                    self._stream.feed(base64.b64decode(frame["payloadData"]))
                    self._news.set()

    @property
    def text(self) -> str:
        """What the page has been sent, as the screen of a terminal."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    async def wait_for(self, *texts: str) -> None:
        """Wait until the screen shows all these texts."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not all(text in self.text for text in texts):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"the page never showed {texts}:\n{self.text}") from None

    async def click(self, text: str) -> None:
        """Click the cell behind a text of the screen."""
        lines = self.text.splitlines()
        row = next(number for number, line in enumerate(lines) if text in line)
        column = lines[row].index(text) + len(text) + 1
        size = await self._evaluate(_SCREEN)
        where = {
            "x": size["x"] + size["width"] * (column + 0.5) / self.screen.columns,
            "y": size["y"] + size["height"] * (row + 0.5) / self.screen.lines,
        }
        for what in ("mousePressed", "mouseReleased"):
            await self.ask(
                "Input.dispatchMouseEvent", type=what, button="left", clickCount=1, **where
            )

    async def _evaluate(self, script: str) -> Any:
        found = await self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        return found["result"]["value"]

    async def type(self, text: str) -> None:
        """Type letters, and tab as a key."""
        for letter in text:
            if letter == "\t":
                key: dict[str, Any] = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
                await self.ask("Input.dispatchKeyEvent", type="keyDown", **key)
                await self.ask("Input.dispatchKeyEvent", type="keyUp", **key)
            else:
                await self.ask("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
                await self.ask("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def picture(self) -> str:
        """What the page shows: a PNG in base64."""
        data: str = (await self.ask("Page.captureScreenshot"))["data"]
        return data

    async def pixels(self, picture: str, colour: str) -> int:
        """How many pixels of a picture have a colour, written ``#rrggbb``."""
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        script = _COUNT % (picture, parts)
        count: int = await self._evaluate(script)
        return count


def _started(*command: str) -> subprocess.Popen[bytes]:
    """A process in a group of its own, so that what it starts ends with it."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.05)
