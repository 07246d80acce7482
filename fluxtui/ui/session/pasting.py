"""Documents pasted into an input or into a dialog."""

import re
from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui import opening
from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.ui.session.documents import Documents
from fluxtui.ui.session.watching import READING

if TYPE_CHECKING:
    from fluxtui.ui.session.dialogs import PasteDialog

NAME = "pasted text"

# Where the keys are that tell what a document is; those of a large one come early.
BEGINNING = 1 << 16

_JSON = (
    ("R document", re.compile(r'"(execution|scheduling|R_lite)"\s*:')),
    (
        "jobspec",
        re.compile(r'"resources"\s*:.*"tasks"\s*:|"tasks"\s*:.*"resources"\s*:', re.DOTALL),
    ),
    ("resource graph", re.compile(r'"(nodes|edges)"\s*:\s*\[')),
    ("configuration", re.compile(r'"(queues|policy|resource)"\s*:\s*\{')),
)
_TOML = re.compile(
    r"^[ \t]*\[\[?[ \t]*(queues|policy|resource)\b[^\n]*\][ \t]*(#.*)?$", re.MULTILINE
)
_YAML = re.compile(r"^(resources|tasks):[ \t]*(#.*)?$", re.MULTILINE)


class Pasting(Controller):
    """Opens documents that are pasted; such a paste does not go into an input."""

    _count = 0  # of documents that were pasted

    def __init__(self, app: WorkbenchApp, documents: Documents) -> None:
        super().__init__(app)
        self._documents = documents

    def take(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document that is pasted into an input; return whether it is one.

        With jobspecs it may be a jobspec too. What was typed there stays.
        """
        screen = self.app.screen
        if isinstance(screen, Dialog) and (taken := screen.take_pasted(text)) is not None:
            return taken
        kind = kind_of(text)
        if kind is None or (kind == "jobspec" and not jobspecs):
            return False
        if len(self.app.screen_stack) > 1:
            if not isinstance(screen, Dialog) or not screen.takes_documents:
                return False
            screen.dismiss(None)
        self.open_text(text)
        return True

    def open_text(self, text: str) -> None:
        """Open a text in the background; what it is, its content decides."""
        start_exclusive_worker(self.app, READING, self._open_text, text)

    async def _open_text(self, text: str) -> None:
        from fluxtui.opening.again import Origin

        app, documents = self.app, self._documents
        self._count += 1
        name = NAME if self._count == 1 else f"{NAME} {self._count}"
        app.show_title(name)
        before, config = app.state, documents.config_path
        work = partial(opening.open_text, text, name, config, before.cluster, before.around.environ)
        try:
            opened, problems = await run_in_thread(work)
        finally:
            app.show_title()
        before = app.state
        documents.take_opened(opened, problems, name, Origin("", config))
        if isinstance(opened, opening.OpenedCluster) and app.state.cluster is not before.cluster:
            words = wording.totals(app.state.cluster.resources.whole)
            app.notify(words, title="Opened the pasted text", timeout=5, markup=False)

    def ask(self) -> None:
        """Ask for a text, and open it."""
        from fluxtui.ui.session.dialogs import PasteDialog

        def chosen(text: str | None) -> None:
            if text is not None and text.strip():
                self.open_text(text)

        dialog = PasteDialog(kind_of, self._describe)
        is_open = self.app.push_screen(dialog, chosen)
        start_exclusive_worker(self.app, "clipboard", self._fill, dialog, is_open)

    async def _fill(self, dialog: "PasteDialog", is_open: Awaitable[None]) -> None:
        """Put in what the desktop has copied, where that is a document and nothing is there."""
        from fluxtui.bridge import clipboard

        await is_open
        text = await run_in_thread(clipboard.paste_from_desktop)
        if text and kind_of(text) is not None and dialog.is_current:
            dialog.offer(text)

    def _describe(self, text: str) -> Text:
        style = self.app.palette
        if not text.strip():
            return Text("Nothing pasted yet.", style=style.quiet)
        size, kind = f"{len(text):,} characters", kind_of(text)
        if kind is None:
            return Text(f"{size}: not recognised; open it to look closer", style=style.quiet)
        article = "an" if kind[0] in "aeiouR" else "a"
        return Text.assemble((f"{size}: ", style.quiet), (f"{article} {kind}", style.strong))


def kind_of(text: str) -> str | None:
    """What a text is as a whole, by how it begins; None where it is no document."""
    head = text[:BEGINNING].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        return next((name for name, pattern in _JSON if pattern.search(head)), None)
    if "\n" in head.strip():
        if _TOML.search(head) is not None:
            return "configuration"
        if len(set(_YAML.findall(head))) == 2:
            return "jobspec"
    return None
