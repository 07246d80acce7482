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

LISTED = 200

# Folders that are offered where they exist, and what is usually in them.
PLACES = (("~/", "your home folder"), ("/etc/flux/system/", "this system's configuration"))

PASTE_NOTE = (
    "Paste an R document, a resource graph (JGF), a Flux configuration or a jobspec: "
    "it opens at once, whatever it is. Text that you type opens with ctrl+s."
)

#: Characters that are put into the box; a longer text is opened as it is.
SHOWN = 200_000


class OpenDialog(Picker[str]):
    """Asks for a file to open. Typing narrows the list; enter opens a file or enters a folder.

    recent are the paths of files that were opened before, the last one first. A folder that holds
    a configuration can be opened as one. A document that is pasted is opened as it is.
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
        self._listed_for: str | None = None  # the text that the list is about

    def on_mount(self) -> None:
        """Start with recent files, usual places and this folder."""
        self.edited("")

    def edited(self, text: str) -> None:
        """List what could complete the path."""
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
        """Open the path that was typed, else that of the row with the cursor.

        What only begins so is completed by the row, or by the first one that is not listed yet.
        """
        typed, row = self.filter.value.strip(), self.item
        if self._listed_for != self.filter.value:
            row = None
        has_moved = row is not None and row is not self.found[0]

        def path() -> str:
            is_there = paths.is_folder(typed) or paths.why_unreadable(typed) is None
            if (is_there or _is_name(typed)) and not has_moved:
                return typed
            found = [row.value] if row is not None else paths.complete_path(typed, 1)
            return found[0] if found else typed

        async def follow() -> None:
            await self._open(await run_in_thread(path))

        start_exclusive_worker(self, "following", follow)

    async def _open(self, path: str) -> None:
        """Open a file, or a configuration whose folder was entered; enter any other folder."""
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
        elif reason is None:  # of a file, though its name may mean something else elsewhere
            self.dismiss("./-" if path == "-" else os.path.expanduser(path))
        elif path:
            self.say(f"Cannot open that: {reason}.")


def _is_name(path: str) -> bool:
    """What is named is no file: the demo cluster, a running Flux, or a record of one."""
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
        items += [Item(path, path, what, group="Places") for path, what in places]
    return items


class PasteDialog(LinesDialog):
    """Asks for the text of a document. A paste that is one is taken as it comes.

    kind_of gives what a text is, None where it is not a document.
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
        """Take a paste that is a whole document; a part of one is to be put together here."""
        begun = self.editor.text.strip()
        cut = text.lstrip().startswith("{") and not text.rstrip().endswith("}")
        if begun or cut or self._kind_of(text) is None:
            return False
        self.dismiss(text)
        return True

    def offer(self, text: str) -> None:
        """Put in a text where nothing was typed yet; one that is too long to be shown is not."""
        if not self.editor.text and len(text) <= SHOWN:
            self.editor.put(text)
            self._say(text)
