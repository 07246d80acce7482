"""What every screen is: as large as the terminal; and what every screen over another is.

Where a class is also one of Textual's screens, that comes first: its styles are those of the first.
"""

from typing import TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen

Result = TypeVar("Result")


class SizedScreen(Screen[Result]):
    """A screen as large as the terminal is now.

    In Textual 8.2.8 a screen that takes on a size sends itself that size again. Where the terminal
    had another one meanwhile, both are under way, and each brings back the other, without an end.
    """

    async def on_event(self, event: events.Event) -> None:
        """Drop a size that the terminal had before; its size now comes as well."""
        if isinstance(event, events.Resize) and event.size != self.app.size:
            return
        await super().on_event(event)


class PassingScreen(SizedScreen[Result]):
    """A screen that stands over another one until it ends, with a result or with None."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """End with a result. A key that was typed before the screen had gone ends nothing more."""
        if not self.is_active:
            return AwaitComplete()
        self.workers.cancel_node(self)  # they would look for what has gone
        return super().dismiss(result)
