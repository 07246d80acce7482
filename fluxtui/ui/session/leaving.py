"""Ask whether to leave a job whose file lacks what was changed."""

import os

from fluxtui.bridge import paths
from fluxtui.ui.kit.picker import Item, Picker
from fluxtui.ui.session.saving import LEAVE, SAVE


class LeavingDialog(Picker[str]):
    """Asks whether to save first; kept says that what is not saved can be restored."""

    def __init__(self, path: str, *, kept: bool) -> None:
        back = "fluxtui --restore brings it back" if kept else "the changes are lost"
        super().__init__(
            f"{os.path.basename(path)} has unsaved changes",
            [
                Item(SAVE, "save and quit", paths.short(path), key=SAVE),
                Item(LEAVE, "quit without saving", back, key=LEAVE),
            ],
            enter="chooses",
            escape="stays",
        )
