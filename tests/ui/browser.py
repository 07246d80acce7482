"""A real browser for tests: textual-serve runs the program, a headless Chromium shows it.

What the server sends to the page is read by pyte; what the page draws is a screenshot, whose pixels
the page itself counts.
"""

import asyncio
import base64
import socket
import sys
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pyte

from tests.chromium import Chromium, ended, started, until
from tests.ui.terminal import PATIENCE

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


class Browser(Chromium):
    """A page with the workbench in it."""

    def __init__(self, program: str | None, folder: Path, *arguments: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        command = " ".join((sys.executable, "-m", "fluxtui", *arguments))
        self._server = started(sys.executable, "-c", _SERVE, command, str(self._port))
        super().__init__(program, folder)
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self._news = asyncio.Event()

    async def __aenter__(self) -> "Browser":
        await super().__aenter__()
        await self.ask("Network.enable")
        await until(lambda: _answers(self._port))
        await self.ask("Page.navigate", url=f"http://127.0.0.1:{self._port}/")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        ended(self._server)

    def kill_server(self) -> None:
        """End the server as if by a fault of its own."""
        self._server.kill()
        self._server.wait()

    def heard(self, event: str, parameters: dict[str, Any]) -> None:
        """Follow the terminal that the server sends to the page."""
        if event == "Network.webSocketCreated":
            query = dict(parse_qsl(urlsplit(parameters["url"]).query))
            self.screen.resize(int(query["height"]), int(query["width"]))
        elif event == "Network.webSocketFrameReceived":
            frame = parameters["response"]
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
        size = await self.evaluate(_SCREEN)
        where = {
            "x": size["x"] + size["width"] * (column + 0.5) / self.screen.columns,
            "y": size["y"] + size["height"] * (row + 0.5) / self.screen.lines,
        }
        for what in ("mousePressed", "mouseReleased"):
            await self.ask(
                "Input.dispatchMouseEvent", type=what, button="left", clickCount=1, **where
            )

    async def pixels(self, picture: str, colour: str) -> int:
        """How many pixels of a picture have a colour, written ``#rrggbb``."""
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        script = _COUNT % (picture, parts)
        count: int = await self.evaluate(script)
        return count


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
