"""What comes after the program was told to end, and before it has ended."""

from textual import events
from textual.app import ScreenStackError
from textual.css.query import NoMatches
from textual.widget import MountError
from textual.worker import WorkerFailed

from fluxtui.ui.themed import ThemedApp

# What Textual raises for a widget that cannot be mounted, or found, or has no screen any more.
_TOO_LATE = (MountError, NoMatches, ScreenStackError)


class Leaving(ThemedApp):
    """Leaves as it was told to, whatever else was under way.

    From App.exit on Textual 8.2.8 goes on to deliver what was sent before, but refuses any widget
    that is to be mounted, and takes those away that are there. What then goes on, as for a key
    typed behind the one that quits, or behind work beside the event loop that comes to its end
    just then, it takes for a fault, and ends with the status of one.
    """

    async def on_event(self, event: events.Event) -> None:
        """Drop what is typed, pasted or clicked behind the end."""
        if self._exit and isinstance(event, events.InputEvent | events.Paste):
            return
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        """Go on leaving where it is only that there are no widgets any more."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, _TOO_LATE):
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)
