"""What is asked: what to open, and what differs."""

import os
from collections.abc import Callable, Sequence

from rich.text import Text

from fluxtui.answers.compare import headline, matched_by
from fluxtui.bridge import files, paths
from fluxtui.notation.problem import printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.lines_dialog import LinesDialog
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from fluxtui.ui.kit.workers import run_in_thread, start_exclusive_worker
from fluxtui.workbench import Cluster, Compared

LISTED = 200
NAME = 40  # columns of the name of a document
SIGNS = {"+": ("+", "count"), "-": ("−", "problem"), "~": ("~", "slot")}  # and their colours
NOWHERE = "Nothing here starts with this."

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
            keys=[RowKey("tab", "completes", self._complete)],
            hint="a path, or paste a document here",
            nothing=NOWHERE,
            width=84,
        )
        self._recent = recent
        self._listed_for: str | None = None  # the text that the list is about

    def on_mount(self) -> None:
        """Begin with what is recent, what is usual and what is here."""
        self.edited("")

    def edited(self, text: str) -> None:
        """List what could complete the path."""
        self.say("")
        start_exclusive_worker(self, "listing", self._list, text)

    async def _list(self, typed: str) -> None:
        items = await run_in_thread(lambda: _items(typed, self._recent))
        self._listed_for = typed
        self.show_items(items, at=0)

    def _complete(self, path: str | None) -> None:
        """Go on with the path of the row."""
        if path is not None:
            self._type(path)

    def _type(self, path: str) -> None:
        self.filter.value = path
        self.filter.cursor_position = len(path)

    def pick(self) -> None:
        """Open the path that was typed, else that of the row with the cursor."""
        typed = self.filter.value.strip()
        row = self.item.value if self.item and self._listed_for == self.filter.value else None
        start_exclusive_worker(self, "following", self._follow, typed, row)

    async def _follow(self, typed: str, row: str | None) -> None:
        """Open what is typed where that is a file, go into it where it is a folder.

        What only begins so is completed by the row, or by the first one that is not listed yet.
        """
        path, moved = typed, row is not None and self._at > 0
        reason = await run_in_thread(lambda: paths.why_unreadable(typed))
        is_folder = await run_in_thread(lambda: paths.is_folder(typed))
        if moved or not typed or (reason is not None and not is_folder and typed != files.DEMO):
            found = [row] if row else await run_in_thread(lambda: paths.complete_path(typed, 1))
            path = found[0] if found and found[0] else typed
        await self._open(path)

    async def _open(self, path: str) -> None:
        if not path:
            return
        if await run_in_thread(lambda: paths.is_folder(path)):
            whole = path.endswith("/") and path == self.filter.value
            if whole and await run_in_thread(lambda: paths.has_configuration(path)):
                self.dismiss(os.path.expanduser(path))
            else:
                self._type(path if path.endswith("/") else path + "/")
            return
        reason = await run_in_thread(lambda: paths.why_unreadable(path))
        if reason is not None and path != files.DEMO:
            self.say(f"Cannot open that: {reason}.")
        else:
            self.dismiss(path if path == files.DEMO else _file(path))


def _items(typed: str, recent: Sequence[str]) -> list[Item[str]]:
    """What may be meant by a half-typed path."""
    items = []
    if typed.endswith("/") and paths.has_configuration(typed):
        label, detail = "*.toml", "all of them, as one configuration"
        items.append(Item(typed + os.path.curdir, label, detail))
    if "/" not in typed:
        items += [
            Item(path, os.path.basename(path), paths.short(path), group="Recent")
            for path in recent
            if typed.lower() in path.lower()
        ]
    for path in paths.complete_path(typed, LISTED):
        is_folder = path.endswith("/")
        name = os.path.basename(path.rstrip("/")) + "/" * is_folder
        items.append(Item(path, name, group="" if typed else "Here"))
    if not typed:
        demo = Item(files.DEMO, files.DEMO, "the built-in cluster", group="Places")
        items.append(demo)
        items += [
            Item(path, path, what, group="Places") for path, what in PLACES if paths.is_folder(path)
        ]
    return items


def _file(path: str) -> str:
    """The path of a file, also where its name alone would mean something else to the workbench."""
    return f"./{path}" if path in ("-", files.DEMO) else os.path.expanduser(path)


class PasteDialog(LinesDialog):
    """Asks for the text of a document. A paste that is one is taken as it comes.

    kind_of gives what a text is, None where it is not a document; tell describes it.
    """

    takes = "opens"

    def __init__(self, kind_of: Callable[[str], str | None], tell: Callable[[str], Text]) -> None:
        super().__init__("Open from the clipboard", PASTE_NOTE, "", tell)
        self._kind_of = kind_of

    def take_pasted(self, text: str) -> bool:
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


<<<<<<< HEAD
=======
NOTE = "The extension sets the format: .yaml or .json."


class Answer(NamedTuple):
    """Where to save, and in which form; or, with read_again, the file to read again instead."""

    path: str
    form: Form
    read_again: bool = False


class SaveDialog(AskPathDialog[Answer]):
    """Asks where to save.

    file is the one that the job belongs to: it is written at once, unless it was changed on disk.
    Any other that is there is overwritten only after enter a second time. form is that of a new
    file; a text that cannot be read is offered in its own. typed is the path where the job could
    not be written, and fault the reason.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "read_again", "Open instead", show=False, priority=True),
    ]

    def __init__(
        self, state: State, file: OpenFile | None, form: Form, typed: str = "", fault: str = ""
    ) -> None:
        self._raw = state.job.raw
        self._stale = state.stale
        self._unread = unread(state)
        self._file = file
        known = file.path if file is not None else state.job.path
        form = self._raw.form if self._raw is not None else form
        suggestion = f"jobspec.{form}" if known is None else paths.short(known)
        super().__init__("Save the jobspec", self._about(), typed or suggestion, fault)
        self._confirmed: tuple[str, Change | None] | None = None
        self._changed = False

    def _about(self) -> str:
        """What is saved, where that is not what one would think."""
        if self._raw is not None:
            return f"{NOTE} {_trouble(self._raw)}; it is saved as it is."
        notes = [f"{one.words}; it is saved {one.instead}." for one in self._unread]
        if self._stale:
            notes.insert(0, "The text is unfinished: the last complete jobspec is saved.")
        return " ".join([NOTE, *notes])

    def forget(self) -> None:
        """Forget which file may be overwritten."""
        self._confirmed = None

    async def check(self, value: str) -> None:
        """End with the path and the form, or say what is in the way."""
        file = self._file
        own = file is not None and await run_in_thread(lambda: paths.same(value, file.path))
        form = file.form if own and file is not None else _form(value)
        reason, exists = await run_in_thread(lambda: paths.why_not_save(value))
        if reason is not None:
            self.say(reason)
        elif self._raw is not None and self._raw.form != form:
            self.say(
                f"{_trouble(self._raw)}, so it cannot be saved in another format. "
                f"Fix it first, or save it under a name ending in .{self._raw.form}."
            )
        elif own and file is not None:
            change = await run_in_thread(lambda: stamps.change(file.path, file.stamp, file.text))
            if change is None or self._confirmed == (value, change):
                self.dismiss(Answer(file.path, form))
            else:
                self._ask_about(value, change)
        elif exists and self._confirmed != (value, None):
            self._confirmed = (value, None)
            self.say_exists(value)
        else:
            self.dismiss(Answer(os.path.expanduser(value), form))

    def _ask_about(self, value: str, change: Change) -> None:
        """Say how the file was changed meanwhile, and what can be done."""
        self._confirmed = (value, change)
        self._changed = not change.gone
        name = os.path.basename(value)
        if change.gone:
            self.say(f"{name} is gone. Press enter again to write it.")
            return
        self.say_keys(("enter", "overwrites"), ("ctrl+r", "opens it"), ("escape", "closes"))
        self.say(
            f"{name} was changed on disk{_when(change)}{_how_much(change)}. "
            "Press enter again to overwrite it, or ctrl+r to open it instead."
        )

    def action_read_again(self) -> None:
        """Read the file that was changed, in the place of the job."""
        if self._changed and self._file is not None:
            self.dismiss(Answer(self._file.path, self._file.form, read_again=True))

    def say(self, text: str) -> None:
        """Say what is in the way; once it says nothing, there is no file to open instead."""
        if not text:
            self._changed = False
            self.say_keys(*self.keys)
        super().say(text)


class QuitDialog(Picker[Literal["save", "quit"]]):
    """Asks whether to save before quitting; kept says that what is not saved can be restored."""

    def __init__(self, path: str, *, kept: bool) -> None:
        back = "fluxtui --restore brings it back" if kept else "the changes are lost"
        super().__init__(
            f"{os.path.basename(path)} has unsaved changes",
            [
                Item("save", "save and quit", paths.short(path), key="s"),
                Item("quit", "quit without saving", back, key="q"),
            ],
            enter="chooses",
            escape="cancels",
        )


def _form(path: str) -> Form:
    return "json" if path.endswith(".json") else "yaml"


def _trouble(raw: Raw) -> str:
    """Where a text cannot be read; what is odd about it beside that is no reason."""
    problem = raw.errors[0]
    text = f"The {raw.form.upper()} text"
    if problem.span is None:
        return f"{text} cannot be read"
    return f"{text} has a problem on line {line_of(problem, raw.text)}"


def _when(change: Change) -> str:
    """When a file was changed: `` 3 minutes ago``."""
    if not change.when:
        return ""
    ago = max(time.time() - change.when, 0)
    for seconds, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if ago >= seconds:
            return f" {counted(int(ago / seconds), unit)} ago"
    return " just now"


def _how_much(change: Change) -> str:
    """By how much: ``: 2 new lines, 1 line gone``."""
    if change.stamp is None:
        return " and cannot be read now"
    parts = [f"{counted(change.added, 'new line')}"] if change.added else []
    if change.removed:
        parts.append(f"{counted(change.removed, 'line')} gone")
    return f": {', '.join(parts)}" if parts else ": its lines were reordered"


>>>>>>> 8b93331 (The words of the interface are read once more)
class ChangesDialog(Picker[int | str]):
    """Lists what differs between two documents.

    It ends with the number of a row, whose nodes are wanted, or with what is to be done with all of
    them: copy, save or swap.
    """

    def __init__(self, compared: Compared) -> None:
        def end(what: str, keys: str, label: str) -> RowKey[int | str]:
            return RowKey(keys, label, lambda _: self.dismiss(what))

        items: list[Item[int | str]] = []
        for number, row in enumerate(compared.rows):
            lead, role = SIGNS[row.sign]
            items.append(Item(number, row.names, row.words, row.size, lead=lead, role=role))
        super().__init__(
            "Changes",
            items,
            enter="selects them",
            keys=[
                end("copy", "ctrl+y,c", "copies"),
                end("save", "ctrl+s,s", "saves"),
                end("swap", "r", "reverses"),
                RowKey("q,D", "", lambda _: self.dismiss(None)),
            ],
            width=84,
        )
        self._compared = compared

    @property
    def about(self) -> Text:
        """What is compared, and how much differs."""
        compared, style = self._compared, palette_of(self)
        changes = compared.changes
        text = Text(no_wrap=True, overflow="ellipsis")
        for sign, cluster in (("-", compared.before), ("+", compared.after)):
            lead, role = SIGNS[sign]
            text.append(f"{lead} ", style=style.role(role))
            text.append(_name(cluster), style=style.strong)
            totals = wording.totals(cluster.resources.whole)
            text.append(f"  {totals}\n", style=style.quiet)
        return text.append(f"{headline(changes)} ({matched_by(changes)})", style=style.quiet)


def _name(cluster: Cluster) -> str:
    return wording.shorten(printable(cluster.source.name), NAME)
