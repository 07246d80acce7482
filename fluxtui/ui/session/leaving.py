"""Ask whether to leave a job whose file lacks what was changed."""

import os

from fluxtui.bridge import paths
from fluxtui.notation.problem import printable
from fluxtui.ui.kit import wording
from fluxtui.ui.kit.choice import ChoiceDialog
from fluxtui.ui.session.saving import LEAVE, SAVE

WIDE = 40  # columns of a path or a name


class LeavingDialog(ChoiceDialog):
    """Asks whether to save first; kept says that what is not saved can be restored."""

    def __init__(self, path: str, *, kept: bool) -> None:
        name = wording.shorten(printable(os.path.basename(path)), WIDE)
        back = "fluxtui --restore brings it back" if kept else "the changes are lost"
        where = wording.shorten(printable(paths.short(path)), WIDE)
        super().__init__(
            f"{name} has changes that are not saved",
            [(SAVE, "save and quit", where), (LEAVE, "quit without saving", back)],
        )

    def on_mount(self) -> None:
        """Say that escape leaves nothing but this question."""
        self.query_one("#box").border_subtitle = "a letter, or enter · F10 quits · esc stays"
