"""The workbench: one frozen state, and the edits that make the next one.

Nothing here draws, reads or writes. The user interface and the headless verbs hand in edits
and show what comes out, so every behaviour can be tested without a terminal.
"""

from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    FindRoom,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    SetStatus,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.history import HISTORY_LIMIT, History
from fluxtui.workbench.outlook import Outlook, Submission, prospect
from fluxtui.workbench.state import Ask, Build, Cluster, Source, State
from fluxtui.workbench.steps import find_room, rooms, start, step, warm_up

__all__ = [
    "HISTORY_LIMIT",
    "Ask",
    "Build",
    "ChooseQueue",
    "Cluster",
    "Edit",
    "FindRoom",
    "History",
    "LookAtQueue",
    "MoveCursor",
    "OpenCluster",
    "Outlook",
    "SetStatus",
    "Source",
    "State",
    "Submission",
    "TypeRequires",
    "TypeShape",
    "find_room",
    "prospect",
    "rooms",
    "start",
    "step",
    "warm_up",
]
