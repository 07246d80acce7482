"""The workbench in a pilot: open it, type into it, go on when that has had its effect."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from copy import copy
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from fluxtui import workbench
from fluxtui.answers.listing.lister import Wanted
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.layout import Splits
from fluxtui.ui.nodes.map_orders import MATCHING, RANK
from fluxtui.workbench import Cluster, Edit, EditRequires, EditShape
from tests.ui.documents import demo

NARROW, NORMAL, WIDE = (80, 24), (120, 40), (200, 50)
SIZES = (NARROW, NORMAL, WIDE)

LONGEST = 60  # seconds that anything may take on a machine that has much else to do

SOON, AGAIN = 0.1, 10  # seconds for a refresh, and how often it is asked for

ROUNDS = 6  # a key may move the focus, which brings a pane, which scrolls

SPINS = 200  # turns of the event loop before it is left to itself for a moment

SHAPE = "node=4/slot/[core=8;gpu]"
REQUIRES = "gpu&-debug"


@contextmanager
def unpainted() -> Iterator[None]:
    """Screens take what changed for painted."""
    paint = Screen._compositor_refresh

    def refresh(screen: Screen[Any]) -> None:
        if screen is not screen.app.screen:
            paint(screen)
            return
        screen._compositor._dirty_regions.clear()
        screen._dirty_widgets.clear()
        screen.app._update_mouse_over(screen)

    Screen._compositor_refresh = refresh  # type: ignore[method-assign]
    try:
        yield
    finally:
        Screen._compositor_refresh = paint  # type: ignore[method-assign]


@asynccontextmanager
async def workbench_at(
    size: tuple[int, int] = NORMAL,
    on: Cluster | None = None,
    shape: str = "",
    requires: str = "",
    theme: str = "dusk",
    source: str | None = None,
    notifications: bool = False,
    painted: bool = False,
) -> AsyncIterator[tuple[FluxTUI, "Hands"]]:
    """The app, running without a terminal at a size, and its pilot.

    No terminal shows what it paints: the screen is drawn where a test looks at it, but where it is
    to be painted all the time.
    """
    PlainInput.killed = ""  # ctrl+y would bring back what another test deleted
    app = FluxTUI(workbench.start(on or demo(), shape, requires), theme)
    app.open_when_ready(source)
    async with AsyncExitStack() as stack:
        if not painted:
            stack.enter_context(unpainted())
        pilot = await stack.enter_async_context(running(app, size, notifications))
        await pilot.settle()
        await pilot.until(lambda: bool(app.query("#node-table")))  # made after the first frame
        yield app, pilot


def _is_waiting(pump: MessagePump) -> bool:
    """All that was sent to a part of the screen is handled, and it waits for more."""
    queue = pump._message_queue
    waits = queue.empty() and bool(queue.ready_event._waiters)
    return waits or pump._closing or pump._closed or not pump._running


def _is_drawn(screen: Screen[Any]) -> bool:
    """No part of a screen is to be laid out or drawn anew, and nothing waits for that."""
    return not (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


async def _handled(app: App[Any]) -> None:
    """Wait until no message is under way."""
    end = time.monotonic() + LONGEST
    turns = 0
    while not all(_is_waiting(pump) for pump in (app, *app._registry)):
        turns += 1
        await asyncio.sleep(0 if turns < SPINS else 0.001)
        assert time.monotonic() < end, "a message is never done with"


class Hands(Pilot[None]):
    """The pilot of an app, which goes on when what it did has had its effect."""

    async def settle(self) -> None:
        """Wait until the messages under way are handled and drawn, and those that they caused too.

        This waits for what it names, where `pause` sends every widget a message and then waits
        for the processor to be idle, which on a busy machine takes long.
        """
        app = self.app
        await asyncio.sleep(0)
        for _ in range(ROUNDS):
            await _handled(app)
            if not app.is_running or not app.screen_stack or _is_drawn(app.screen):
                return
            drawn = asyncio.Event()
            for _ in range(AGAIN):
                # A screen that goes away takes what was to be called after its refresh with it.
                app.call_after_refresh(drawn.set)
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(drawn.wait(), SOON)
                    break

    async def burst(self, *keys: str) -> None:
        """Press keys with nothing between them, as a fast typist or a paste does."""
        for key in keys:
            character = key if len(key) == 1 else {"tab": "\t", "enter": "\r"}.get(key)
            name = _character_to_key(key) if len(key) == 1 else key
            self.app.post_message(events.Key(name, character))
        await self.settle()

    async def press(self, *keys: str) -> None:
        """Press keys one after the other, each when the one before has had its effect."""
        for key in keys:
            await self.burst(key)

    async def do(self, *keys: str) -> None:
        """Press keys, and wait for the work that they begin too."""
        await self.press(*keys)
        await self.done()

    async def type(self, keys: str) -> None:
        """Press keys, parted by blanks; what is between quotes is typed at once."""
        for typed, key in re.findall(r"'(.+?)'|(\S+)", keys):
            await self.burst(*(typed or (key,)))
        await self.done()

    async def steps(self, look: Callable[[], Any], *steps: tuple[str, Any]) -> None:
        """Press keys as `type` does, and see what they lead to each time."""
        for keys, expected in steps:
            await self.type(keys)
            seen = look()
            assert seen == expected, f"{seen} after {keys}"

    async def pause(self, delay: float | None = None) -> None:
        """Wait as `settle` does: what was clicked has had its effect."""
        await (self.settle() if delay is None else super().pause(delay))

    async def resize_terminal(self, width: int, height: int) -> None:
        """Give the terminal another size, and wait until the screen has taken it on."""
        await super().resize_terminal(width, height)
        await self.until(lambda: self.app._resize_event is None)
        await self.settle()

    @property
    def workbench(self) -> FluxTUI:
        """The app, where it is the whole workbench."""
        assert isinstance(self.app, FluxTUI)
        return self.app

    async def go(self, name: str, *keys: str) -> None:
        """Go to a pane, and press keys there."""
        self.workbench.go_to(name)
        await self.settle()
        await self.press(*keys)

    async def edit(self, *edits: Edit) -> None:
        """Make edits, as if a person had made them."""
        for edit in edits:
            self.workbench.edit(edit)
        await self.settle()

    async def open(self, *paths: str | Path) -> None:
        """Open files, one after the other."""
        for path in paths:
            self.workbench.documents.open_source(str(path))
            await self.done()

    async def paste(self, text: str) -> None:
        """Paste a text where the focus is."""
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def put(self, text: str, into: str = "#constraint-input") -> None:
        """Replace the text of an input: select it all and paste, or delete it."""
        entry = self.app.screen.query_one(into, Input)
        entry.focus()
        await self.settle()
        entry.select_all()
        if text:
            await self.paste(text)
        else:
            entry.delete_selection()
            await self.settle()

    async def fill_dialog(self, text: str) -> None:
        """Put a text into the input of the dialog, and press enter."""
        await self.put(text, "Input")
        await self.press("enter")
        await self.done()

    async def done(self) -> None:
        """Wait for the workers to end, for what they show, and for the workers that this begins."""

        def all_have_ended() -> bool:
            return all(worker.is_finished for worker in self.app.workers)

        await self.settle()
        ended = False
        while not ended:
            await self.until(all_have_ended)
            await self.settle()  # one that has just ended may have told something
            ended = all_have_ended()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Go on until something holds; for what takes its own time, such as a search."""
        end = time.monotonic() + LONGEST
        while not holds():
            assert time.monotonic() < end, "it never came to hold"
            await self.settle()
            await asyncio.sleep(0.005)

    async def afresh(
        self,
        shape: str = "",
        requires: str = "",
        on: Cluster | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Begin anew in an app that runs, with what `workbench_at` would begin with."""
        app = self.workbench
        while len(app.screen_stack) > 1:
            app.pop_screen()
            await self.settle()
        await self.done()
        if size is not None:
            await self.resize_terminal(*size)
        app.clear_notifications()
        app.messages.clear()
        app.screen.remove_class("-maximized")
        mapped, listed = app.views.map.part, app.views.table.part
        mapped.show_by("order", RANK)
        mapped.show_by("colours", MATCHING)
        listed.wanted = Wanted()
        listed.put_columns(None)
        properties = app.panes["properties"]
        properties.action_show_all()
        while "by " in str(properties.border_subtitle):
            properties.action_sort()
        if app.panes["explain"].form != "tree":
            await app.panes["explain"].action_form()
        app.panes["text"].form = "yaml"
        app.panes["text"].leave()
        app.panes["text"].view.scroll_to(y=0, animate=False)
        for name in reversed(app.workspace.tabs):
            app.workspace.activate(name)
        app.workspace.put_splits(Splits())
        app.copy_to_clipboard("")
        app.edit(EditShape(""))
        app.edit(EditRequires(""))
        await self.settle()
        app.step_to(workbench.History(workbench.start(copy(on or demo()), shape, requires)))
        app.panes["tree"].view.cursor_line = 0 if shape else 1
        app.screen.set_focus(app.shape_bar.entry)
        app.shape_bar.entry.cursor_position = len(shape)
        app.ask_bar.entry.cursor_position = len(requires)
        await self.done()


@asynccontextmanager
async def running(
    app: App[Any], size: tuple[int, int] = NORMAL, notifications: bool = False
) -> AsyncIterator[Hands]:
    """An app, running without a terminal at a size."""
    async with app.run_test(size=size, notifications=notifications):
        yield Hands(app)
