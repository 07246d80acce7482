"""The workbench takes documents that are pasted: into any input, or into a box for them."""

from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui import opening
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.ui.session.documents import READING, Documents

if TYPE_CHECKING:
    from fluxtui.ui.session.paste import PasteDialog

NAME = "pasted text"


class Pasting(Documents):
    """Opens documents that are pasted; a paste that is one is no text of any input."""

    _pasted = 0  # how many were

    def take_pasted(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document that is pasted into an input; whether it is one.

        jobspecs says that a jobspec is no text of this input either. What was typed there stays.
        """
        from fluxtui.ui.session.pasted_kind import kind_of

        kind = kind_of(text)
        if kind is None or (kind == "jobspec" and not jobspecs):
            return False
        if len(self.screen_stack) > 1:
            if not getattr(self.screen, "takes_documents", False):
                return False
            self.screen.dismiss(None)
        self.open_pasted(text)
        return True

    def open_pasted(self, text: str) -> None:
        """Open a text in the background; what it is, its content tells."""
        start_exclusive_worker(self, READING, self._open_text, text)

    async def _open_text(self, text: str) -> None:
        self._pasted += 1
        name = NAME if self._pasted == 1 else f"{NAME} {self._pasted}"
        self.show_title(name)
        state, config = self.state, self.config_path
        environ = state.around.environ
        work = partial(opening.open_text, text, name, config, state.cluster, environ)
        try:
            opened, problems = await run_in_thread(work)
        finally:
            self.show_title()
        from fluxtui.opening.again import Origin

        before = self.state
        self._take_opened(opened, problems, name, Origin("", config))
        if isinstance(opened, opening.OpenedCluster) and self.state.cluster is not before.cluster:
            resources = self.state.cluster.resources
            words = wording.totals(resources.whole)
            self.notify(words, title="Opened what was pasted", timeout=5, markup=False)

    def action_open_pasted(self) -> None:
        """Ask for a text, and open it."""
        from fluxtui.ui.session.paste import PasteDialog
        from fluxtui.ui.session.pasted_kind import kind_of

        def taken(text: str | None) -> None:
            if text is not None and text.strip():
                self.open_pasted(text)

        dialog = PasteDialog(kind_of, self._told_of_text)
        stands = self.push_screen(dialog, taken)
        start_exclusive_worker(self, "clipboard", self._fill, dialog, stands)

    async def _fill(self, dialog: "PasteDialog", stands: Awaitable[None]) -> None:
        """Put in what the desktop has copied, where that is a document and nothing stands there."""
        from fluxtui.bridge import clipboard
        from fluxtui.ui.session.pasted_kind import kind_of

        await stands
        text = await run_in_thread(clipboard.paste_from_desktop)
        if text and kind_of(text) is not None and dialog.is_current:
            dialog.offer(text)

    def _told_of_text(self, text: str) -> Text:
        """What a text is, in a few words."""
        style = self.palette
        if not text.strip():
            return Text("Nothing is pasted yet.", style=style.quiet)
        from fluxtui.ui.session.pasted_kind import kind_of

        size = f"{len(text):,} characters"
        kind = kind_of(text)
        if kind is None:
            said = "not seen to be one of these; it is looked at more closely when it is opened"
            return Text(f"{size}: {said}", style=style.quiet)
        article = "an" if kind[0] in "aeiouR" else "a"
        return Text.assemble((f"{size}: ", style.quiet), (f"{article} {kind}", style.strong))
