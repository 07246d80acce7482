"""The dialogs for opening documents."""

import os
from collections.abc import Callable, Sequence

from rich.text import Text

from fluxtui.bridge import files, paths
from fluxtui.bridge.live.connection import command
from fluxtui.ui.kit.lines_dialog import LinesDialog
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker

LISTED = 200  # how many paths are listed at most

# Folders that are offered if they exist, and what they usually contain.
PLACES = (("~/", "your home folder"), ("/etc/flux/system/", "this system's configuration"))

PASTE_NOTE = (
    "Paste an R document, a resource graph (JGF), a Flux configuration or a jobspec: "
    "it opens at once, whatever it is. Text that you type opens with ctrl+s."
)

#: A text from the clipboard is put into the box if it has at most this many characters.
SHOWN = 200_000


class OpenDialog(Picker[str]):
    """Asks for a file to open. Typing narrows the list; enter opens a file or enters a folder.

    recent are the paths of files that were opened before, the newest first. A folder that contains
    a configuration can be opened as one. A document that is pasted is opened at once.
    """

    is_path = True
    takes_documents = True

    def __init__(self, recent: Sequence[str] = ()) -> None:
        super().__init__(
            "Open",
            enter="opens",
            keys=[RowKey("tab", "completes", lambda path: self._type(path or self.filter.value))],
            hint="a path, or paste a document here",
            nothing="Nothing here starts with this.",
            on_click=lambda path: start_exclusive_worker(self, "following", self._open, path),
            width=84,
        )
        self._recent = recent
        self._listed_for: str | None = None  # the text that the list belongs to

    def on_mount(self) -> None:
        """List recent files, the usual places and the current folder."""
        self.edited("")

    def edited(self, text: str) -> None:
        """List the completions of the path."""
        self.say("")
        start_exclusive_worker(self, "listing", self._list, text)

    async def _list(self, typed: str) -> None:
        items = await run_in_thread(lambda: _items(typed, self._recent))
        self._listed_for = typed
        self.show_items(items, at=0)

    def _type(self, path: str) -> None:
        self.filter.value = path
        self.filter.cursor_position = len(path)

    def pick(self) -> None:
        """Open the path that was typed, or that of the row if the cursor was moved.

        A path that does not exist is completed by the row, or by the first completion if the list
        is outdated.
        """
        typed, row = self.filter.value.strip(), self.item
        if self._listed_for != self.filter.value:
            row = None
        has_moved = row is not None and row is not self.found[0]

        def path() -> str:
            exists = paths.is_folder(typed) or paths.why_unreadable(typed) is None
            if (exists or _is_name(typed)) and not has_moved:
                return typed
            completions = [row.value] if row is not None else paths.complete_path(typed, 1)
            return completions[0] if completions else typed

        async def follow() -> None:
            await self._open(await run_in_thread(path))

        start_exclusive_worker(self, "following", follow)

    async def _open(self, path: str) -> None:
        """Open a file, or the configuration in a folder entered before; enter other folders."""
        is_folder, is_config, is_name, reason = await run_in_thread(
            lambda: (
                paths.is_folder(path),
                paths.has_configuration(path),
                _is_name(path),
                paths.why_unreadable(path),
            )
        )
        has_entered = path.endswith("/") and path == self.filter.value
        if is_folder and (is_config or is_name) and has_entered:
            self.dismiss(os.path.expanduser(path))
        elif is_folder:
            self._type(os.path.join(path, ""))
        elif is_name:
            self.dismiss(path)
        elif reason is None:  # a file named "-" must not be taken for standard input
            self.dismiss("./-" if path == "-" else os.path.expanduser(path))
        elif path:
            self.say(f"Cannot open that: {reason}.")


def _is_name(path: str) -> bool:
    """Whether a path names the demo cluster, a running Flux or a record, and not a file."""
    return path == files.DEMO or files.is_instance(path)


def _items(typed: str, recent: Sequence[str]) -> list[Item[str]]:
    items = []
    if files.is_live(typed):
        items.append(Item(typed, typed, "a running Flux"))
    if typed.endswith("/") and paths.has_configuration(typed):
        items.append(Item(typed, "*.toml", "all of them, as one configuration"))
    if "/" not in typed:
        for path in recent:
            if typed.lower() in path.lower():
                name = path if files.is_live(path) else os.path.basename(path)
                items.append(Item(path, name, paths.short(path), group="Recent"))
    for path in paths.complete_path(typed, LISTED):
        name = os.path.basename(path.rstrip("/")) + "/" * path.endswith("/")
        items.append(Item(path, name, group="" if typed else "Here"))
    if not typed:
        items.append(Item(files.DEMO, files.DEMO, "the built-in cluster", group="Places"))
        if command() is not None:
            items.append(Item(files.LIVE, files.LIVE, "the Flux that runs here", group="Places"))
        places = (place for place in PLACES if paths.is_folder(place[0]))
        items += [Item(path, path, contents, group="Places") for path, contents in places]
    return items


class PasteDialog(LinesDialog):
    """Asks for the text of a document. A whole document that is pasted is opened at once.

    kind_of returns the kind of a document in a text, or None if it is not a document.
    """

    takes = "opens"

    def __init__(self, kind_of: Callable[[str], str | None]) -> None:
        super().__init__("Open from the clipboard", PASTE_NOTE, "", self._kind_in_words)
        self._kind_of = kind_of

    def _kind_in_words(self, text: str) -> Text:
        style = palette_of(self)
        if not text.strip():
            return Text("Nothing pasted yet.", style=style.quiet)
        size, kind = f"{len(text):,} characters", self._kind_of(text)
        if kind is None:
            return Text(f"{size}: not recognised; open it to look closer", style=style.quiet)
        article = "an" if kind[0] in "aeiouR" else "a"
        return Text.assemble((f"{size}: ", style.quiet), (f"{article} {kind}", style.strong))

    def take_pasted(self, text: str) -> bool | None:
        """Take a paste that is a whole document; the parts of one are put together here."""
        has_begun = self.editor.text.strip()
        is_cut = text.lstrip().startswith("{") and not text.rstrip().endswith("}")
        if has_begun or is_cut or self._kind_of(text) is None:
            return False
        self.dismiss(text)
        return True

    def offer(self, text: str) -> None:
        """Put in a text unless something was typed, or the text is too long to show."""
        if not self.editor.text and len(text) <= SHOWN:
            self.editor.put(text)
            self._say(text)
