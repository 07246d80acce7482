"""The workbench: one frozen state, and the edits that make the next one.

Nothing here draws, reads or writes. The user interface and the headless verbs hand in edits
and show what comes out, so every behaviour can be tested without a terminal.
"""

from fluxtui.workbench.cluster import Cluster, Source
from fluxtui.workbench.edits import (
    ChooseQueue,
    Edit,
    FindRoom,
    LookAtQueue,
    MoveCursor,
    OpenCluster,
    TurnQueue,
    TypeRequires,
    TypeShape,
)
from fluxtui.workbench.history import HISTORY_LIMIT, History
from fluxtui.workbench.outlook import Outlook, Submission, find_room
from fluxtui.workbench.state import Ask, Build, State
from fluxtui.workbench.steps import prospect, start, step, warm_up

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
    "Source",
    "State",
    "Submission",
    "TurnQueue",
    "TypeRequires",
    "TypeShape",
    "find_room",
    "prospect",
    "start",
    "step",
    "warm_up",
]
