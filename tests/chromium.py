"""A headless Chromium for tests, driven by its DevTools protocol over a websocket."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

from tests.ui.terminal import PATIENCE

# Root needs no sandbox; nothing outside this machine is asked for, not even a font.
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    *("--remote-debugging-port=0", "--window-size=1300,900"),
)


class Chromium:
    """A browser with one page; folder is an empty one for what it keeps."""

    def __init__(self, program: str | None, folder: Path) -> None:
        assert program is not None
        self._folder = folder
        self._chromium = started(program, *_FLAGS, f"--user-data-dir={folder}", "about:blank")
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def __aenter__(self) -> Self:
        session = self._session = aiohttp.ClientSession()
        address = self._folder / "DevToolsActivePort"
        await until(lambda: address.exists() and bool(address.read_text().strip()))
        devtools = f"http://127.0.0.1:{address.read_text().split()[0]}"
        async with session.get(f"{devtools}/json/list") as answer:
            (page,) = [target for target in await answer.json() if target["type"] == "page"]
        self._socket = await session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0)
        self._listener = asyncio.create_task(self._listen())
        await self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.cancel()
        await self._session.close()
        ended(self._chromium)

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
            else:
                self.heard(said["method"], said["params"])

    def heard(self, event: str, parameters: dict[str, Any]) -> None:
        """Take notice of what the browser reports by itself."""

    async def evaluate(self, script: str) -> Any:
        """The value of an expression of the page, once it has settled."""
        found = await self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def type(self, text: str) -> None:
        """Type letters, and tab as a key."""
        for letter in text:
            if letter == "\t":
                await self.press("Tab", 9)
            else:
                await self.ask("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
                await self.ask("Input.dispatchKeyEvent", type="keyUp", key=letter)

    async def press(self, key: str, code: int) -> None:
        """Press a key that has a name and a number."""
        pressed: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", **pressed)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **pressed)

    async def picture(self) -> str:
        """What the page shows: a PNG in base64."""
        data: str = (await self.ask("Page.captureScreenshot"))["data"]
        return data


def started(*command: str) -> subprocess.Popen[bytes]:
    """A process in a group of its own, so that what it starts ends with it."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.05)
